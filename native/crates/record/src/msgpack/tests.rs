use super::*;
use crate::{BinsBuilder, Encoder, Value, ValueRef};
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
