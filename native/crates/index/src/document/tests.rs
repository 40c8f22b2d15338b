//! The index against brute force, under random writes, slot reuse, merges and builds.

use std::collections::BTreeMap;

use super::{Candidates, Compact, DocumentBuilder, QueryTerms, SegmentDocumentIndex};
use proptest::prelude::*;
use tessera_record::sample::{document, encoded};
use tessera_record::{BodyBuilder, BodyRef, KeyRef, Value, ValueRef, contains};

#[derive(Clone, Debug)]
enum Step {
    Put(u32, Value),
    /// As many slots as given, so that runs are closed and merged.
    PutMany(u32, u32, Value),
    PutWithoutBin(u32),
    Remove(u32),
    Merge,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..40_u32, document()).prop_map(|(slot, value)| Step::Put(slot, value)),
        2 => (0..40_u32, 1..600_u32, document()).prop_map(|(first, count, value)| Step::PutMany(first, count, value)),
        1 => (0..40_u32).prop_map(Step::PutWithoutBin),
        2 => (0..400_u32).prop_map(Step::Remove),
        1 => Just(Step::Merge),
    ]
}

fn apply(step: &Step, index: &mut SegmentDocumentIndex, model: &mut BTreeMap<u32, Vec<u8>>) {
    let mut put = |slot, bytes: &[u8]| {
        index.insert(slot, Some(ValueRef::of(bytes)));
        model.insert(slot, bytes.to_vec());
    };
    match step {
        Step::Put(slot, value) => put(*slot, &encoded(value)),
        Step::PutMany(first, count, value) => {
            let bytes = encoded(value);
            (*first..first + count).for_each(|slot| put(slot, &bytes));
        }
        Step::PutWithoutBin(slot) => {
            index.insert(*slot, None);
            model.remove(slot);
        }
        Step::Remove(slot) => {
            index.remove(*slot);
            model.remove(slot);
        }
        Step::Merge => index.merge_now(),
    }
}

fn check(index: &SegmentDocumentIndex, model: &BTreeMap<u32, Vec<u8>>, wanted: &Value) -> Result<(), TestCaseError> {
    let wanted = encoded(wanted);
    let terms = QueryTerms::of(&ValueRef::of(&wanted));
    let mut candidates = Vec::new();
    let expected: Vec<u32> =
        model.iter().filter(|(_, stored)| contains(ValueRef::of(stored), ValueRef::of(&wanted))).map(|(slot, _)| *slot).collect();
    if index.candidates(&terms, &mut candidates) == Candidates::All {
        prop_assert!(terms.is_empty());
        candidates = model.keys().copied().collect();
    }
    prop_assert!(candidates.is_sorted_by(|a, b| a < b));
    prop_assert!(candidates.len() as u64 <= index.estimate(&terms));
    candidates.retain(|slot| contains(ValueRef::of(&model[slot]), ValueRef::of(&wanted)));
    prop_assert_eq!(candidates, expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn candidates_and_recheck_equal_brute_force(steps in prop::collection::vec(step(), 1..40), wanted in prop::collection::vec(document(), 1..8)) {
        let (mut index, mut model) = (SegmentDocumentIndex::new(), BTreeMap::new());
        for (at, step) in steps.iter().enumerate() {
            apply(step, &mut index, &mut model);
            check(&index, &model, &wanted[at % wanted.len()])?;
        }
        wanted.iter().try_for_each(|wanted| check(&index, &model, wanted))?;
        index.merge_now();
        let parts = index.compact().and_then(Compact::parts).unwrap();
        let mut again = SegmentDocumentIndex::from_compact(Compact::from_parts(parts, 1000).unwrap());
        wanted.iter().try_for_each(|wanted| check(&again, &model, wanted))?;
        steps.iter().for_each(|step| apply(step, &mut again, &mut model));
        wanted.iter().try_for_each(|wanted| check(&again, &model, wanted))?;
    }

    /// `model[slot]` must also exist for every candidate: nothing that a write replaced comes back with the build.
    #[test]
    fn writes_during_a_build_win(
        before in prop::collection::vec(step(), 0..10),
        during in prop::collection::vec(step(), 0..10),
        after in prop::collection::vec(step(), 0..10),
        wanted in prop::collection::vec(document(), 1..8),
    ) {
        let mut model = BTreeMap::new();
        before.iter().for_each(|step| apply(step, &mut SegmentDocumentIndex::new(), &mut model));
        let mut builder = DocumentBuilder::new();
        model.iter().for_each(|(slot, bytes)| builder.add(*slot, ValueRef::of(bytes)));
        let mut index = SegmentDocumentIndex::building();
        during.iter().for_each(|step| apply(step, &mut index, &mut model));
        index.adopt(builder.finish());
        wanted.iter().try_for_each(|wanted| check(&index, &model, wanted))?;
        after.iter().for_each(|step| apply(step, &mut index, &mut model));
        wanted.iter().try_for_each(|wanted| check(&index, &model, wanted))?;
    }
}

#[test]
fn long_lists_are_read_only_where_checking_what_is_left_takes_longer() {
    let document = |slot: u32| {
        encoded(&Value::List(vec![Value::Int(i64::from(slot % 500)), Value::String(["even", "odd"][slot as usize % 2].into())]))
    };
    let mut builder = DocumentBuilder::new();
    (0..3000).for_each(|slot| builder.add(slot, ValueRef::of(&document(slot))));
    let mut index = builder.finish();
    let rewritten = document(7);
    index.insert(14, Some(ValueRef::of(&rewritten)));
    let wanted = encoded(&Value::List(vec![Value::Int(7), Value::String("even".into())]));
    let terms = QueryTerms::of(&ValueRef::of(&wanted));
    let mut found = Vec::new();
    let mut with = |check_ns| {
        assert_eq!(index.candidates_to_check(&terms, check_ns, &mut found), Candidates::Slots);
        found.clone()
    };
    let rare: Vec<u32> = (0..3000).filter(|slot| slot % 500 == 7).collect();
    // Six slots, and a list of 1,500: 2,250 nanoseconds.
    assert_eq!((with(100), with(374)), (rare.clone(), rare));
    assert!(with(375).is_empty());
    assert!(with(1_000).is_empty());
    assert!(with(u32::MAX).is_empty());
    assert_eq!(index.candidates(&terms, &mut found), Candidates::Slots);
    assert!(found.is_empty());
}

#[test]
fn rewriting_does_not_grow_a_merged_index() {
    let bytes = encoded(&Value::List((0..32).map(Value::Int).collect()));
    let mut index = SegmentDocumentIndex::new();
    (0..2000).for_each(|slot| index.insert(slot, Some(ValueRef::of(&bytes))));
    index.merge_now();
    let once = index.stats();
    assert_eq!((once.terms, once.postings, once.recent), (32, 64_000, 0));
    (0..20).for_each(|_| (0..2000).for_each(|slot| index.insert(slot, Some(ValueRef::of(&bytes)))));
    assert!(index.stats().recent >= 64_000);
    index.merge_now();
    assert_eq!((index.stats().terms, index.stats().postings, index.stats().recent), (32, 64_000, 0));
    (0..2000).for_each(|slot| index.remove(slot));
    index.merge_now();
    assert_eq!((index.stats().terms, index.stats().postings), (0, 0));
}

#[test]
fn a_builder_takes_slots_in_any_order_and_is_empty_after() {
    let mut builder = DocumentBuilder::new();
    let document = |slot: u32| encoded(&Value::Int(i64::from(slot % 3)));
    let wanted = document(1);
    let terms = QueryTerms::of(&ValueRef::of(&wanted));
    for slots in [(0..3000).rev().collect::<Vec<u32>>(), (0..2000).collect(), vec![7, 4], vec![4, 7], vec![]] {
        slots.iter().for_each(|&slot| builder.add(slot, ValueRef::of(&document(slot))));
        let (index, mut found) = (builder.finish(), Vec::new());
        index.candidates(&terms, &mut found);
        let mut expected: Vec<u32> = slots.iter().copied().filter(|slot| slot % 3 == 1).collect();
        expected.sort_unstable();
        assert_eq!((found, index.stats().postings), (expected, slots.len() as u64));
    }
    builder.add(0, ValueRef::Int(1));
    builder.clear();
    assert_eq!(builder.finish().stats().postings, 0);
}

#[test]
fn a_builder_takes_whole_records_as_writes_do() {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
    body.encoded_bin("b", &encoded(&Value::Map(vec![("a".into(), Value::Int(5))]))).unwrap();
    body.finish();
    let (mut builder, mut written) = (DocumentBuilder::new(), SegmentDocumentIndex::new());
    for slot in [5, 300] {
        builder.add_record(slot, &BodyRef::new(&bytes));
        written.insert_record(slot, &BodyRef::new(&bytes));
    }
    written.merge_now();
    let built = builder.finish();
    assert_eq!(built.compact().and_then(Compact::parts), written.compact().and_then(Compact::parts));
    assert_eq!(built.stats().postings, 4);
}

/// What has all terms is a candidate, wherever it lies, and nothing else: no two of these have one hash.
#[test]
fn candidates_have_all_terms_in_the_base_the_runs_and_the_tail() {
    let text = |text: &str| Value::String(text.into());
    let document = |slot: u32| match slot % 4 {
        0 => vec![text("a")],
        1 => vec![text("a"), text("b"), text("a")],
        2 => vec![text("b"), text("c")],
        _ => vec![text("a"), text("b"), text("c")],
    };
    let mut index = SegmentDocumentIndex::new();
    let put = |index: &mut SegmentDocumentIndex, slot: u32| index.insert(slot, Some(ValueRef::of(&encoded(&Value::List(document(slot))))));
    (0..400).for_each(|slot| put(&mut index, slot));
    index.merge_now();
    (400..800).for_each(|slot| put(&mut index, slot));
    // Written again: each at once, and when its run has long been closed.
    (404..412).for_each(|slot| put(&mut index, slot - 4));
    (800..840).for_each(|slot| put(&mut index, slot));
    for gone in [1, 401, 801] {
        index.remove(gone);
    }
    for (wanted, with) in [("ab", &[1, 3][..]), ("a", &[0, 1, 3]), ("bc", &[2, 3]), ("abc", &[3]), ("ad", &[]), ("da", &[])] {
        let wanted = encoded(&Value::List(wanted.chars().map(|one| text(&one.to_string())).collect()));
        let (terms, mut found) = (QueryTerms::of(&ValueRef::of(&wanted)), Vec::new());
        assert_eq!(index.candidates(&terms, &mut found), Candidates::Slots);
        let expected: Vec<u32> = (0..840).filter(|slot| with.contains(&(slot % 4)) && ![1, 401, 801].contains(slot)).collect();
        assert_eq!(found, expected);
        assert!(index.estimate(&terms) >= expected.len() as u64);
    }
}

#[test]
fn an_estimate_is_of_the_rarest_term() {
    let pair = encoded(&Value::List(vec![Value::Int(1), Value::Int(2)]));
    let one = encoded(&Value::Int(1));
    let mut index = SegmentDocumentIndex::new();
    let put = |index: &mut SegmentDocumentIndex, slots: std::ops::Range<u32>, bytes: &[u8]| {
        slots.for_each(|slot| index.insert(slot, Some(ValueRef::of(bytes))));
    };
    put(&mut index, 0..300, &one);
    put(&mut index, 300..310, &pair);
    index.merge_now();
    put(&mut index, 310..330, &pair);
    put(&mut index, 400..700, &one);
    put(&mut index, 700..705, &pair);
    let estimate = |wanted: &[u8]| index.estimate(&QueryTerms::of(&ValueRef::of(wanted)));
    assert_eq!((estimate(&pair), estimate(&one)), (35, 635));
}
