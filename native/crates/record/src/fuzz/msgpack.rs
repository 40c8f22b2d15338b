//! MessagePack of clients: values and bins.

use crate::msgpack::{Walk, Walked, pack_value, unpack_bins, unpack_row, unpack_value};
use crate::{BinsBuilder, BodyBuilder, BodyRef, Encoder, KeyRef, Value, ValueRef};
use tessera_base::limits;

/// What is read is a value that can be stored, no longer than its input allows, and the same when it is written and read again.
pub fn run(data: &[u8]) {
    let mut out = vec![7];
    if unpack_value(data, &mut out).is_ok() {
        let bytes = &out[1..];
        assert!(bytes.len() <= 5 * data.len(), "{} bytes of {}", bytes.len(), data.len());
        assert_eq!(ValueRef::validate(bytes), Ok(()));
        let (mut packed, mut again) = (vec![], vec![]);
        pack_value(&mut packed, ValueRef::of(bytes));
        assert!(packed.len() <= data.len() || has_float32(data));
        assert_eq!(unpack_value(&packed, &mut again), Ok(()));
        assert_eq!(again, bytes);
        assert_eq!(Walk::default().step(data), Walked::Whole(data.len()));
    } else {
        assert_eq!(out, [7]);
    }
    let mut body = vec![];
    let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(1));
    if unpack_bins(data, builder.bins()).is_ok() {
        builder.finish();
        assert_eq!(BodyRef::validate(&body), Ok(()));
    }
    let mut row = vec![];
    let mut builder = BodyBuilder::new(&mut row, KeyRef::Integer(1));
    if let Ok(nests) = unpack_row(data, 1, builder.bins()) {
        builder.finish();
        assert_eq!(BodyRef::validate(&row).is_ok(), nests <= limits::NESTING);
        assert_eq!(Walk::default().step(data), Walked::Whole(data.len()));
    }
    assert_eq!(ends(data, data.len()), ends(data, 1));
    let mut bins = vec![];
    let _ = unpack_bins(data, &mut BinsBuilder::new(&mut bins));
    assert!(bins.len() <= 10 * data.len() + 16, "{} bytes of {}", bins.len(), data.len());
}

/// Where the values end one after the other, walked through so many bytes at a time; what follows is `false` if nobody can tell.
fn ends(data: &[u8], each: usize) -> (Vec<usize>, bool) {
    let (mut walk, mut found, mut from, mut to) = (Walk::default(), vec![], 0, 0);
    while to < data.len() || from < to {
        let step = walk.step(&data[from..to]);
        match step {
            Walked::Whole(end) => {
                from += end;
                found.push(from);
                continue;
            }
            Walked::Lost(at) => {
                found.push(from + at);
                return (found, false);
            }
            Walked::Part(end) => from += end,
        }
        if to == data.len() {
            break;
        }
        to = data.len().min(to + each.max(1));
    }
    (found, true)
}

/// A double is written in 8 bytes also where 4 were sent.
fn has_float32(data: &[u8]) -> bool {
    data.contains(&0xca)
}

/// Values of every kind and length of head.
pub fn seeds() -> Vec<Vec<u8>> {
    let list = |length| Value::List(vec![Value::Int(length as i64); length]);
    let values = [
        Value::Null,
        Value::Int(i64::MIN),
        Value::Double(0.5),
        Value::Bytes(vec![1; 300]),
        Value::String("é".repeat(40)),
        list(3),
        list(20),
        Value::Map(vec![
            ("type".into(), Value::String("BYTE_ARRAY".into())),
            ("value".into(), Value::String("AP8=".into())),
            ("n".into(), Value::Map(vec![("a".into(), Value::Bool(true)), ("b".into(), Value::Int(70_000))])),
        ]),
    ];
    let mut seeds: Vec<Vec<u8>> = values
        .iter()
        .map(|value| {
            let (mut encoded, mut packed) = (vec![], vec![]);
            Encoder::new(&mut encoded).value(value);
            pack_value(&mut packed, ValueRef::of(&encoded));
            packed
        })
        .collect();
    seeds.extend([vec![0xca, 0x3f, 0, 0, 0], vec![0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0], vec![0xd4, 23, 0], vec![0x91; 70]]);
    seeds
}
