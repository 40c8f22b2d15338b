use proptest::prelude::*;
use tessera_index::document::{QueryTerms, SegmentDocumentIndex};
use tessera_record::{ValueRef, contains};

use tessera_record::sample::{document, encode, encoded};

#[derive(serde::Deserialize)]
struct Case {
    stored: String,
    wanted: String,
    expected: bool,
}

/// `data/make-containment.py` asked a PostgreSQL 15.
#[test]
fn containment_means_what_postgresql_means() {
    let cases: Vec<Case> = include_str!("../data/containment.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() >= 300);
    let mut index = SegmentDocumentIndex::new();
    let mut found = Vec::new();
    for case in &cases {
        let (stored, wanted) = (encode(&case.stored), encode(&case.wanted));
        assert_eq!(contains(ValueRef::of(&stored), ValueRef::of(&wanted)), case.expected, "{} @> {}", case.stored, case.wanted);
        index.insert(0, Some(ValueRef::of(&stored)));
        index.candidates(&QueryTerms::of(&ValueRef::of(&wanted)), &mut found);
        let terms = QueryTerms::of(&ValueRef::of(&wanted));
        assert!(!case.expected || terms.is_empty() || found == [0], "the index misses {} @> {}", case.stored, case.wanted);
    }
}

proptest! {
    #[test]
    fn every_document_contains_itself(value in document()) {
        let bytes = encoded(&value);
        prop_assert!(contains(ValueRef::of(&bytes), ValueRef::of(&bytes)));
    }

    #[test]
    fn a_contained_document_has_no_term_of_its_own(stored in document(), wanted in document()) {
        let (stored, wanted) = (encoded(&stored), encoded(&wanted));
        if contains(ValueRef::of(&stored), ValueRef::of(&wanted)) {
            let mut index = SegmentDocumentIndex::new();
            index.insert(7, Some(ValueRef::of(&stored)));
            let mut found = Vec::new();
            let terms = QueryTerms::of(&ValueRef::of(&wanted));
            index.candidates(&terms, &mut found);
            prop_assert!(terms.is_empty() || found == [7]);
        }
    }
}
