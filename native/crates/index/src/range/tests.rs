//! The range index against brute force, under random writes, slot reuse and builds.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{PREFIX, RangeBounds, RangeIndexStats, SegmentRangeIndex};
use crate::RangeKey;
use proptest::prelude::*;
use tessera_record::compare::order;
use tessera_record::sample::encoded;
use tessera_record::{Value, ValueRef};

const ORDERS: [&[Ordering]; 5] = [
    &[Ordering::Equal],
    &[Ordering::Less],
    &[Ordering::Less, Ordering::Equal],
    &[Ordering::Greater],
    &[Ordering::Greater, Ordering::Equal],
];

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3..3_i64).prop_map(Value::Int),
        (0..4_i64).prop_map(|n| Value::Int(i64::MAX - n)),
        prop_oneof![Just(-0.0), Just(0.5), Just(-1.5), Just(1e300), Just(f64::NAN), Just(9_223_372_036_854_775_807.0)]
            .prop_map(Value::Double),
        "[ab\u{0}]{0,2}".prop_map(Value::String),
        "[ab]{0,2}".prop_map(|end| Value::String("x".repeat(27) + &end)),
        Just(Value::Null),
        Just(Value::List(vec![Value::Int(1)])),
    ]
}

fn writes() -> impl Strategy<Value = Vec<(u32, u32, Option<Value>)>> {
    prop::collection::vec((0..30_u32, prop_oneof![3 => 1..4_u32, 1 => 1..900_u32], prop::option::weighted(0.8, value())), 0..25)
}

fn apply(writes: &[(u32, u32, Option<Value>)], index: &mut SegmentRangeIndex, model: &mut BTreeMap<u32, Vec<u8>>) {
    for (first, count, value) in writes {
        for slot in *first..first + count {
            let bytes = value.as_ref().map(encoded);
            index.insert(slot, bytes.as_deref().map(ValueRef::of));
            match bytes {
                Some(bytes) => model.insert(slot, bytes),
                None => model.remove(&slot),
            };
        }
    }
}

fn check(index: &SegmentRangeIndex, model: &BTreeMap<u32, Vec<u8>>, operand: &Value) -> Result<(), TestCaseError> {
    let operand = encoded(operand);
    let operand = ValueRef::of(&operand);
    for orders in ORDERS {
        let matches = |stored: &[u8]| order(&ValueRef::of(stored), &operand).is_some_and(|order| orders.contains(&order));
        let Some(bounds) = RangeBounds::of(orders, &operand) else { continue };
        let mut candidates = Vec::new();
        index.candidates(&bounds, &mut candidates);
        prop_assert!(candidates.is_sorted_by(|a, b| a < b));
        prop_assert!(candidates.len() as u64 <= index.estimate(&bounds));
        candidates.retain(|slot| matches(&model[slot]));
        let expected: Vec<u32> = model.iter().filter(|(_, stored)| matches(stored)).map(|(slot, _)| *slot).collect();
        prop_assert_eq!(candidates, expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn candidates_and_recheck_equal_brute_force(
        before in writes(),
        during in writes(),
        after in writes(),
        operands in prop::collection::vec(value(), 1..8),
    ) {
        let mut model = BTreeMap::new();
        apply(&before, &mut SegmentRangeIndex::new(), &mut model);
        let mut built = SegmentRangeIndex::new();
        model.iter().for_each(|(slot, bytes)| built.insert(*slot, Some(ValueRef::of(bytes))));
        let mut index = SegmentRangeIndex::building();
        apply(&during, &mut index, &mut model);
        index.adopt(built);
        operands.iter().try_for_each(|operand| check(&index, &model, operand))?;
        apply(&after, &mut index, &mut model);
        operands.iter().try_for_each(|operand| check(&index, &model, operand))?;
        index.merge_now();
        operands.iter().try_for_each(|operand| check(&index, &model, operand))?;
        let (numbers, strings) = index.sorted().map(|values| (values.numbers().collect::<Vec<_>>(), values.strings().collect::<Vec<_>>())).unwrap();
        let mut again = SegmentRangeIndex::from_sorted(&numbers, &strings, 1000).unwrap();
        operands.iter().try_for_each(|operand| check(&again, &model, operand))?;
        apply(&during, &mut again, &mut model);
        operands.iter().try_for_each(|operand| check(&again, &model, operand))?;
    }

    #[test]
    fn what_was_rewritten_while_an_index_was_built_stays_so_when_runs_are_merged(
        known in 1..600_u32, rewritten in 0..600_u32, during in any::<bool>(), more in 200..600_u32,
    ) {
        let zero = encoded(&Value::Int(0));
        let zero = || Some(ValueRef::of(&zero));
        let (mut built, mut index) = (SegmentRangeIndex::new(), SegmentRangeIndex::building());
        (0..known).for_each(|slot| built.insert(slot, zero()));
        if during {
            index.remove(rewritten);
        }
        index.adopt(built);
        if !during {
            index.remove(rewritten);
        }
        (known..known + more).filter(|slot| *slot != rewritten).for_each(|slot| index.insert(slot, zero()));
        let mut found = Vec::new();
        let bounds = RangeBounds::of(&[Ordering::Equal], &ValueRef::Int(0)).unwrap();
        index.candidates(&bounds, &mut found);
        prop_assert_eq!(found, (0..known + more).filter(|slot| *slot != rewritten).collect::<Vec<_>>());
    }

    #[test]
    fn values_out_of_order_or_of_no_slot_are_refused(slot in 0..9_u32) {
        let made = |numbers: &[(u64, u32)], strings: &[([u8; PREFIX], u32)]| SegmentRangeIndex::from_sorted(numbers, strings, 9).is_some();
        let text = |byte| [byte; PREFIX];
        prop_assert!(made(&[(1, slot), (2, slot)], &[(text(1), slot), (text(2), slot)]));
        prop_assert!(!made(&[(2, slot), (1, slot)], &[]) && !made(&[], &[(text(2), slot), (text(1), slot)]));
        prop_assert!(!made(&[(1, slot), (1, slot)], &[]) && !made(&[(1, 9)], &[]) && !made(&[], &[(text(0), 9)]));
    }

    #[test]
    fn a_prefix_is_a_range(text in "[ab]{0,30}", start in "[ab]{0,3}") {
        let stored = encoded(&Value::String(text.clone()));
        let mut index = SegmentRangeIndex::new();
        index.insert(3, Some(ValueRef::of(&stored)));
        let mut found = Vec::new();
        index.candidates(&RangeBounds::of_prefix(start.as_bytes()), &mut found);
        prop_assert_eq!(found == [3], text.starts_with(&start));
    }
}

fn put(index: &mut SegmentRangeIndex, slot: u32, value: Value) {
    index.insert(slot, Some(ValueRef::of(&encoded(&value))));
}

#[test]
fn each_kind_has_its_place_in_the_order() {
    let key_of = |value: Value| {
        let mut index = SegmentRangeIndex::new();
        put(&mut index, 0, value);
        index.walk(&RangeKey::ALL, false).next().map(|entry| entry.key)
    };
    let ascending = [
        Value::Double(f64::NEG_INFINITY),
        Value::Int(-1),
        Value::Int(0),
        Value::Double(0.5),
        Value::Double(f64::INFINITY),
        Value::String("a".into()),
        Value::Bytes(vec![1]),
        Value::Bool(false),
        Value::Bool(true),
    ];
    let keys: Vec<_> = ascending.into_iter().map(|value| key_of(value).unwrap()).collect();
    assert!(keys.is_sorted_by(|a, b| a < b));
    assert_eq!(keys[5..], [RangeKey::of_text(b"a"), RangeKey::Bytes, RangeKey::False, RangeKey::True]);
    assert!(keys[..5].iter().all(|key| matches!(key, RangeKey::Number(_))));
    assert_eq!(key_of(Value::Double(-0.0)), key_of(Value::Int(0)));
    for none in [Value::Null, Value::Double(f64::NAN), Value::List(vec![])] {
        assert_eq!(key_of(none), None);
    }
    assert_eq!(RangeBounds::of(&[Ordering::Equal], &ValueRef::Double(f64::NAN)), None);
}

#[test]
fn two_ranges_have_in_common_what_is_in_both() {
    let of = |orders: &[Ordering], value: Value| RangeBounds::of(orders, &ValueRef::of(&encoded(&value))).unwrap();
    let (at_least, at_most) = ([Ordering::Greater, Ordering::Equal], [Ordering::Less, Ordering::Equal]);
    let text = |text: &str| Value::String(text.into());
    let mut index = SegmentRangeIndex::new();
    (0..9).for_each(|slot| put(&mut index, slot, Value::Int(i64::from(slot))));
    (9..12).for_each(|slot| put(&mut index, slot, text(["a", "b", "c"][slot as usize - 9])));
    let found = |a: RangeBounds, b: RangeBounds| {
        let (mut found, both) = (Vec::new(), a.and(b)?);
        index.candidates(&both, &mut found);
        let walked: Vec<u32> = index.walk(&both.keys(), false).map(|entry| entry.slot).collect();
        assert_eq!((index.estimate(&both), &walked), (found.len() as u64, &found));
        Some(found)
    };
    let (from_3, to_5) = (of(&at_least, Value::Int(3)), of(&at_most, Value::Int(5)));
    let (from_b, to_b) = (of(&at_least, text("b")), of(&at_most, text("b")));
    assert_eq!(found(from_3, to_5), Some(vec![3, 4, 5]));
    assert_eq!(found(to_5, from_3), Some(vec![3, 4, 5]));
    assert_eq!(found(of(&at_most, Value::Int(2)), from_3), Some(vec![]));
    assert_eq!(found(from_b, to_b), Some(vec![10]));
    assert_eq!(found(to_b, from_b), Some(vec![10]));
    assert!(found(from_b, from_3).is_none() && found(from_3, from_b).is_none());
}

#[test]
fn an_estimate_counts_the_base_the_runs_and_the_tail() {
    let mut index = SegmentRangeIndex::new();
    for part in 0..3 {
        for slot in part * 300..(part + 1) * 300 {
            put(&mut index, slot, Value::Int(i64::from(slot % 10)));
        }
        (900 + part * 20..920 + part * 20).for_each(|slot| put(&mut index, slot, Value::String("a".into())));
        if part == 0 {
            index.merge_now();
        }
    }
    let bounds = RangeBounds::of(&[Ordering::Equal], &ValueRef::Int(3)).unwrap();
    assert_eq!(index.estimate(&bounds), 90);
    let tails = (index.numbers.tail().len() + index.strings.tail().len()) as u64;
    let in_tail = index.numbers.tail().iter().filter(|pair| **pair as u32 % 10 == 3).count() as u64;
    assert_eq!(index.estimate_within(&bounds.keys()), 90 - in_tail + tails);
    let RangeIndexStats { entries, recent, bytes } = index.stats();
    assert_eq!((entries, recent), (960, 640));
    assert_eq!(bytes, (index.numbers.heap_bytes() + index.strings.heap_bytes()) as u64);
}
