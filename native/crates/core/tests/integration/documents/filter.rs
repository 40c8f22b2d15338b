//! Filters that ask for a document, against containment itself.

use proptest::prelude::*;
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, KeyRef, Value, ValueRef, contains};

use crate::documents::bare::matches_body;
use tessera_record::sample::{document, encoded};

fn body(bins: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
    bins.iter().for_each(|(name, value)| body.encoded_bin(name, value).unwrap_or_default());
    body.finish();
    bytes
}

proptest! {
    /// The search for the longest string never hides a match.
    #[test]
    fn contains_is_containment(stored in document(), wanted in document()) {
        prop_assume!(!matches!(wanted, Value::Bytes(_)));
        let mut json = br#"{"bin":"b","op":"contains","value":"#.to_vec();
        let (stored, wanted) = (encoded(&stored), encoded(&wanted));
        tessera_record::json::write_value(&mut json, ValueRef::of(&wanted), tessera_record::json::Shape::Record);
        json.push(b'}');
        let filter = Filter::compile(&json);
        prop_assert!(filter.is_ok(), "{:?}", filter);
        let body = body(&[("a", &wanted), ("b", &stored)]);
        let expected = contains(ValueRef::of(&stored), ValueRef::of(&wanted));
        prop_assert_eq!(filter.is_ok_and(|filter| matches_body(&filter, &body)), expected);
    }
}
