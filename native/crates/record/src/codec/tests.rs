//! Values survive their encoding, and what is damaged is refused.

use super::*;

fn sample() -> Value {
    Value::Map(vec![
        ("n".into(), Value::Null),
        ("ints".into(), Value::List([0, -1, 127, 128, -129, i64::MAX, i64::MIN].map(Value::Int).to_vec())),
        ("d".into(), Value::Double(0.1)),
        ("long".into(), Value::String("é".repeat(200))),
        ("bytes".into(), Value::Bytes(vec![0, 255])),
        ("empty".into(), Value::Map(vec![])),
        ("b".into(), Value::List(vec![Value::Bool(true), Value::Bool(false)])),
    ])
}

#[test]
fn a_value_survives_the_round_trip() {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).value(&sample());
    ValueRef::validate(&bytes).unwrap();
    assert_eq!(ValueRef::of(&bytes).to_value(), sample());
}

#[test]
fn sizes_are_foretold() {
    for length in [0, 255, 256, 70_000] {
        let mut out = Vec::new();
        Encoder::new(&mut out).string(&"x".repeat(length));
        assert_eq!(out.len(), string_bytes(length));
        out.clear();
        Encoder::new(&mut out).bytes(&vec![0; length]);
        assert_eq!(out.len(), block_bytes(length));
    }
}

#[test]
fn a_copy_has_the_same_bytes() {
    let (mut bytes, mut copy) = (Vec::new(), Vec::new());
    Encoder::new(&mut bytes).value(&sample());
    Encoder::new(&mut copy).copy(ValueRef::of(&bytes));
    assert_eq!(copy, bytes);
    let ValueRef::Map(entries) = ValueRef::of(&bytes) else { unreachable!() };
    for (_, encoded) in entries.raw_entries() {
        copy.clear();
        Encoder::new(&mut copy).copy(ValueRef::of(encoded));
        assert_eq!(copy, encoded);
    }
}

#[test]
fn nesting_is_bounded_as_it_is_checked() {
    for depth in [0, 1, 63, 64, 65, 66, 200] {
        let nested = |map: bool| {
            (0..depth).fold(Value::String("x".repeat(40)), |inner, level| match map && level % 2 == 0 {
                true => Value::Map(vec![("k".into(), Value::Int(1)), ("m".into(), inner)]),
                false => Value::List(vec![Value::Null, inner]),
            })
        };
        for value in [nested(false), nested(true)] {
            let mut bytes = Vec::new();
            Encoder::new(&mut bytes).value(&value);
            let fits = depth <= limits::NESTING;
            assert_eq!((ValueRef::nests_within(&bytes, limits::NESTING), ValueRef::validate(&bytes).is_ok()), (fits, fits), "{depth}");
        }
    }
}

#[test]
fn bare_lists_in_each_other_are_counted_whole() {
    for depth in 1..7 {
        let value = (1..depth).fold(Value::List(vec![]), |inner, _| Value::List(vec![inner]));
        let mut bytes = Vec::new();
        Encoder::new(&mut bytes).value(&value);
        let within = [0, 1, 2, 3, 4, 5, 6].map(|levels| ValueRef::nests_within(&bytes, levels));
        assert_eq!(within, [0, 1, 2, 3, 4, 5, 6].map(|levels| depth <= levels), "{depth}");
    }
}

#[test]
fn every_truncation_is_refused() {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).value(&sample());
    for length in 0..bytes.len() {
        assert_eq!(ValueRef::validate(&bytes[..length]).unwrap_err().code, ErrorCode::RecordDamaged);
    }
}
