use super::*;
use crate::json::RecordView;
use crate::{BinResults, BinsBuilder, BodyBuilder, BodyRef, Digest, Encoder, KeyRef, Meta, Value, ValueRef};
use tessera_base::{ErrorCode, limits};

fn unpacked(bytes: &[u8]) -> Result<Value, ErrorCode> {
    let mut out = vec![];
    let read = unpack_value(bytes, &mut out);
    assert!(read.is_ok() || out.is_empty());
    read.map(|()| ValueRef::of(&out).to_value()).map_err(|error| error.code)
}

fn packed(value: &Value) -> Vec<u8> {
    let (mut encoded, mut out) = (vec![], vec![]);
    Encoder::new(&mut encoded).value(value);
    pack_value(&mut out, ValueRef::of(&encoded));
    out
}

#[test]
fn every_value_comes_back() {
    let numbers = [0, 1, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, i64::MAX];
    for number in numbers.into_iter().chain(numbers.map(|number| -number)).chain([-32, -33, i64::MIN]) {
        assert_eq!(unpacked(&packed(&Value::Int(number))), Ok(Value::Int(number)));
    }
    for length in [0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536] {
        let text = "x".repeat(length);
        let map = (0..length).map(|n| (n.to_string(), Value::Null)).collect();
        for value in
            [Value::String(text.clone()), Value::Bytes(text.into_bytes()), Value::List(vec![Value::Bool(true); length]), Value::Map(map)]
        {
            assert_eq!(unpacked(&packed(&value)), Ok(value));
        }
    }
    let nested = Value::Map(vec![("é".into(), Value::List(vec![Value::Double(-0.5), Value::Null, Value::Map(vec![])]))]);
    assert_eq!(unpacked(&packed(&nested)), Ok(nested));
}

#[test]
fn each_is_packed_in_its_shortest_form() {
    for (bytes, numbers) in [
        (1, [0, 127, -1, -32]),
        (2, [128, 255, -33, -128]),
        (3, [256, 65_535, -129, -32_768]),
        (5, [65_536, 4_294_967_295, -32_769, -2_147_483_648]),
        (9, [4_294_967_296, i64::MAX, -2_147_483_649, i64::MIN]),
    ] {
        assert_eq!(numbers.map(|number| packed(&Value::Int(number)).len()), [bytes; 4], "{numbers:?}");
    }
    let heads = |of: &dyn Fn(usize) -> Value, each: usize| {
        [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536].map(|length| packed(&of(length)).len() - length * each)
    };
    assert_eq!(heads(&|length| Value::String("x".repeat(length)), 1), [1, 1, 1, 1, 2, 2, 3, 3, 5]);
    assert_eq!(heads(&|length| Value::Bytes(vec![0; length]), 1), [2, 2, 2, 2, 2, 2, 3, 3, 5]);
    assert_eq!(heads(&|length| Value::List(vec![Value::Null; length]), 1), [1, 1, 3, 3, 3, 3, 3, 3, 5]);
    assert_eq!(heads(&|length| Value::Map(vec![("k".into(), Value::Null); length]), 3), [1, 1, 3, 3, 3, 3, 3, 3, 5]);
}

#[test]
fn records_are_maps_of_the_compatible_api() {
    let mut bytes = vec![];
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Bytes(&[0, 255]));
    for (name, value) in [("a", &[3, 7][..]), ("n", &[0]), ("b", &[2])] {
        body.encoded_bin(name, value).unwrap();
    }
    body.finish();
    let meta = Meta { generation: 2, ..Meta::default() };
    let record = RecordView { set: "s", digest: Digest::default(), meta, body: BodyRef::new(&bytes) };
    let map = |entries: &[(&str, Value)]| Value::Map(entries.iter().map(|(name, value)| ((*name).into(), value.clone())).collect());
    let answer = |bins: Value| vec![("generation", Value::Int(2)), ("ttl", Value::Int(-1)), ("bins", bins)];
    let written = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = vec![];
        write(&mut out);
        unpacked(&out).unwrap()
    };
    let bins = map(&[("a", Value::Int(7)), ("b", Value::Bool(true))]);
    assert_eq!(written(&|out| pack_record(out, &record, None, 9)), map(&answer(bins.clone())));
    let some = ["b".to_owned(), "n".to_owned()];
    assert_eq!(written(&|out| pack_record(out, &record, Some(&some), 9)), map(&answer(map(&[("b", Value::Bool(true))]))));
    assert_eq!(written(&|out| pack_record(out, &record, Some(&[]), 9)), map(&answer(Value::Null)));
    let row = [vec![("userKey", Value::Bytes(vec![0, 255]))], answer(bins)].concat();
    assert_eq!(written(&|out| pack_row(out, &record, None, 9)), map(&row));
    let result = |bin: &str, values: &[&[u8]]| BinResults { bin: bin.into(), values: values.iter().map(|value| value.to_vec()).collect() };
    let results = [result("n", &[&[0]]), result("a", &[&[2]]), result("b", &[&[0], &[0]])];
    let read = map(&[("a", Value::Bool(true)), ("b", Value::List(vec![Value::Null; 2]))]);
    assert_eq!(written(&|out| pack_results(out, &meta, &results, 9)), map(&answer(read)));
    assert_eq!(written(&|out| pack_results(out, &meta, &[], 9)), map(&answer(Value::Null)));
}

#[test]
fn forms_that_are_longer_than_needed_are_read() {
    for (bytes, number) in [
        (&[0xcc, 200][..], 200),
        (&[0xcd, 0, 1], 1),
        (&[0xce, 255, 255, 255, 255], 4_294_967_295),
        (&[0xcf, 0x7f, 255, 255, 255, 255, 255, 255, 255], i64::MAX),
        (&[0xd0, 255], -1),
        (&[0xd3, 255, 255, 255, 255, 255, 255, 255, 255], -1),
    ] {
        assert_eq!(unpacked(bytes), Ok(Value::Int(number)));
    }
    assert_eq!(unpacked(&[0xca, 0x3f, 0, 0, 0]), Ok(Value::Double(0.5)));
    assert_eq!(unpacked(&[0xdb, 0, 0, 0, 1, b'a']), Ok(Value::String("a".into())));
}

#[test]
fn what_a_record_cannot_hold_is_refused() {
    for (bytes, code) in [
        (&[][..], ErrorCode::MsgpackInvalid),
        (&[0xc1], ErrorCode::MsgpackInvalid),
        (&[0xc0, 0xc0], ErrorCode::MsgpackInvalid),
        (&[0xdd, 255, 255, 255, 255], ErrorCode::MsgpackInvalid),
        (&[0xc6, 255, 255, 255, 255, 0], ErrorCode::MsgpackInvalid),
        (&[0xd4, 5, 0], ErrorCode::MsgpackInvalid),
        (&[0xc7, 1, 255, 0], ErrorCode::MsgpackInvalid),
        (&[0xd4, 23, 0], ErrorCode::Unsupported),
        (&[0x81, 1, 1], ErrorCode::Unsupported),
        (&[0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0], ErrorCode::NumberOutOfRange),
        (&[0xca, 0x7f, 0x80, 0, 0], ErrorCode::NumberOutOfRange),
        (&[0x82, 0xa1, b'a', 1, 0xa1, b'a', 2], ErrorCode::JsonDuplicateKey),
        (&[0xa1, 0xff], ErrorCode::Utf8Invalid),
        (&[0x91; 1000], ErrorCode::NestingTooDeep),
    ] {
        assert_eq!(unpacked(bytes), Err(code), "{bytes:02x?}");
    }
    let message = unpack_value(&[0x92, 0xc0, 0xc1], &mut vec![]).unwrap_err().message;
    assert_eq!(message, "unsupported marker at byte 3");
    let deepest = [vec![0x91; limits::NESTING], vec![0xc0]].concat();
    assert!(unpacked(&deepest).is_ok());
}

#[test]
fn bins_are_those_of_the_compatible_api() {
    let bins = |bytes: &[u8]| {
        let mut out = vec![];
        let mut into = BinsBuilder::new(&mut out);
        unpack_bins(bytes, &mut into).map_err(|error| error.code)?;
        Ok(into.written().map(|(_, value)| ValueRef::of(value).to_value()).collect::<Vec<_>>())
    };
    let typed = Value::Map(vec![("type".into(), Value::String("BYTE_ARRAY".into())), ("value".into(), Value::String("AP8=".into()))]);
    let map = packed(&Value::Map(vec![("b".into(), typed), ("n".into(), Value::Int(i64::MIN))]));
    assert_eq!(bins(&map), Ok(vec![Value::Bytes(vec![0, 255]), Value::Int(i64::MIN)]));
    for (value, code) in [
        (Value::List(vec![]), ErrorCode::MsgpackInvalid),
        (Value::Map(vec![("sixteen-bytes-it".into(), Value::Null)]), ErrorCode::BinNameInvalid),
        (Value::Map(vec![(String::new(), Value::Null)]), ErrorCode::BinNameInvalid),
    ] {
        assert_eq!(bins(&packed(&value)), Err(code));
    }
    assert_eq!(bins(&[0x82, 0xa1, b'a', 1, 0xa1, b'a', 2]), Err(ErrorCode::JsonDuplicateKey));
}
