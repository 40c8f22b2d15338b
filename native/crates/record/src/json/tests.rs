//! Texts that are read and written, and what is refused where.

use super::*;
use crate::{BinResults, BinsBuilder, BodyBuilder, BodyRef, Digest, Encoder, KeyRef, Meta, Value, ValueRef};
use tessera_base::{Error, ErrorCode};

fn read(text: &str) -> Result<Value, String> {
    let mut bytes = vec![];
    parse_value(text.as_bytes(), &mut bytes).map_err(|error| error.message)?;
    Ok(ValueRef::of(&bytes).to_value())
}

/// As it is in a cell of CSV.
fn read_cell(text: &str) -> Result<(Value, usize), Fault> {
    let (mut work, mut bytes) = (Workspace::default(), vec![]);
    let mut parser = Parser::<true>::new(text, Shape::Record, &mut work);
    parser.value(&mut Encoder::new(&mut bytes))?;
    Ok((ValueRef::of(&bytes).to_value(), parser.position()))
}

fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = vec![];
    write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn escapes_stand_for_their_characters() {
    for (text, meant) in [
        (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#""a\u0041b\u00e9c\u20AC""#, "aAb\u{e9}c\u{20ac}"),
        (r#""\ud7ff\ue000""#, "\u{d7ff}\u{e000}"),
        (r#""x\ud800\udc00y\udbff\udfffz""#, "x\u{10000}y\u{10ffff}z"),
        (r#""\ud83d\ude00\u0000""#, "\u{1f600}\0"),
    ] {
        assert_eq!(read(text), Ok(Value::String(meant.into())), "{text}");
        let doubled = text.replace('"', "\"\"");
        assert_eq!(read_cell(&doubled), Ok((Value::String(meant.into()), doubled.len())), "{doubled}");
    }
    let mut text = (0..0x20_u8).map(char::from).collect::<String>();
    text.push_str("\"\\/\u{7f}\u{e9}\u{10ffff}");
    let escaped = written(|out| write_string(out, text.as_bytes()));
    assert!(escaped.starts_with(r#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010"#), "{escaped}");
    assert!(escaped.ends_with("\\u001e\\u001f\\\"\\\\/\u{7f}\u{e9}\u{10ffff}\""), "{escaped}");
    assert_eq!(read(&escaped), Ok(Value::String(text)));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, says) in [
        ("", "the text ends inside a value at byte 0"),
        ("  x", "expected a JSON value at byte 2"),
        ("tru", "expected a JSON value at byte 0"),
        ("[1 2]", "expected ',' or ']' at byte 3"),
        ("[1,", "the text ends inside a value at byte 3"),
        (r#"{"a" 1}"#, "expected ':' at byte 5"),
        (r#"{"a":1 "b":2}"#, "expected ',' or '}' at byte 7"),
        ("{1:2}", "expected a name in double quotes at byte 1"),
        (r#"{"a":1,"a":2}"#, "a name occurs twice in one object at byte 10"),
        ("01", "malformed number at byte 0"),
        (" 1 1", "unexpected text after the value at byte 3"),
        ("\"a\nb\"", "control character inside a string at byte 2"),
        ("\"a", "the text ends inside a value at byte 2"),
        ("\"\\n\n\"", "control character inside a string at byte 3"),
        (r#""\n"#, "the text ends inside a value at byte 3"),
        (r#""\"#, "the text ends inside a value at byte 1"),
        (r#""a\x""#, "unknown escape in a string at byte 2"),
        (r#""\u12g4""#, "unknown escape in a string at byte 1"),
        (r#""\u12"#, "the text ends inside a value at byte 1"),
        (r#""\ud800""#, "half of a surrogate pair in a string at byte 1"),
        (r#""\udc00\udc00""#, "half of a surrogate pair in a string at byte 1"),
        (r#""\ud800nu0041""#, "half of a surrogate pair in a string at byte 1"),
        (r#""\ud800\n0041""#, "half of a surrogate pair in a string at byte 1"),
        (r#""\ud800\u0041""#, "half of a surrogate pair in a string at byte 1"),
        (r#""\ud800\ue000""#, "half of a surrogate pair in a string at byte 1"),
        (r#"{"$bytes":"?"}"#, "the bytes are not base64 at byte 13"),
    ] {
        assert_eq!(read(text), Err(says.into()), "{text}");
    }
    let nested = |depth: usize| read(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    assert!(nested(64).is_ok());
    assert_eq!(nested(65), Err("lists and maps are nested deeper than the limit of 64 at byte 64".into()));
    for single in [r#"""a""#, r#"""\"#, r#"""\""#, r#"""\"x"#] {
        assert_eq!(read_cell(single), Err(Fault::Unfinished), "{single}");
    }
}

#[test]
fn only_an_object_of_bytes_alone_is_bytes() {
    for text in [r#"{"$bytes":"AP8="}"#, r#" { "$bytes" : "AP8" } "#] {
        assert_eq!(read(text), Ok(Value::Bytes(vec![0, 255])));
    }
    assert_eq!(read_cell(r#"{ ""$bytes"":""AP8=""}"#).map(|(value, _)| value), Ok(Value::Bytes(vec![0, 255])));
    for text in [r#"{"$bytes":"AP8=","a":1}"#, r#"{"$bytes":1}"#, r#"{"$byte":"AP8="}"#, r#"{"$bytes":{"$bytes":"AA=="}}"#] {
        assert!(matches!(read(text), Ok(Value::Map(_))), "{text}");
    }
}

#[test]
fn bins_of_the_compatible_api_have_types_and_short_names() {
    let bins = |text: &str, shape| {
        let mut out = vec![];
        let mut into = BinsBuilder::new(&mut out);
        parse_bins(text.as_bytes(), shape, &mut into).map_err(|error| (error.code, error.field))?;
        Ok(into.written().map(|(_, value)| ValueRef::of(value).to_value()).collect::<Vec<_>>())
    };
    let typed = |text: &str| bins(&format!(r#"{{"b":{text}}}"#), Shape::V1);
    assert_eq!(typed(r#"{"type":"BYTE_ARRAY","value":"AP8="}"#), Ok(vec![Value::Bytes(vec![0, 255])]));
    for map in [r#"{"type":"BYTE_ARRAY","value":"AP8=","x":1}"#, r#"{"type":"BYTE_ARRAY"}"#, r#"{"value":"AP8="}"#, r#"{"$bytes":"AA"}"#] {
        assert!(matches!(typed(map).as_deref(), Ok([Value::Map(_)])), "{map}");
    }
    for (wrong, code) in [
        (r#"{"type":"BYTE_ARRAY","value":"?"}"#, ErrorCode::EncodingInvalid),
        (r#"{"type":"GEO_JSON","value":"x"}"#, ErrorCode::Unsupported),
        (r#"{"type":"OTHER","value":"x"}"#, ErrorCode::JsonInvalid),
        ("[1", ErrorCode::JsonInvalid),
    ] {
        assert_eq!(typed(wrong), Err((code, Some("b".into()))), "{wrong}");
    }
    let named = |length: usize, shape| bins(&format!(r#"{{"{}":1}}"#, "n".repeat(length)), shape).map_err(|(code, _)| code);
    assert_eq!(named(15, Shape::V1), Ok(vec![Value::Int(1)]));
    assert_eq!((named(16, Shape::V1), named(16, Shape::Record)), (Err(ErrorCode::BinNameInvalid), Ok(vec![Value::Int(1)])));
    assert_eq!(bins("{} x", Shape::Record), Err((ErrorCode::JsonInvalid, None)));
}

#[test]
fn results_of_operations_are_one_value_or_a_list() {
    let result = |bin: &str, values: &[&[u8]]| BinResults { bin: bin.into(), values: values.iter().map(|value| value.to_vec()).collect() };
    let (null, yes, seven) = (&[0][..], &[2][..], &[3, 7][..]);
    let meta = Meta { generation: 2, ..Meta::default() };
    let text = |results: &[BinResults]| written(|out| write_v1_results(out, &meta, results, 9));
    assert_eq!(text(&[]), r#"{"generation":2,"ttl":-1,"bins":null}"#);
    let results = [result("n", &[null]), result("a", &[yes]), result("b", &[null, seven, yes])];
    assert_eq!(text(&results), r#"{"generation":2,"ttl":-1,"bins":{"a":true,"b":[null,7,true]}}"#);
}

#[test]
fn rows_errors_and_keys_are_written_whole() {
    let error = Error::new(ErrorCode::RecordDamaged, "it is \"bad\"");
    assert_eq!(written(|out| write_error(out, &error)), r#""error":{"code":"record_damaged","message":"it is \"bad\""}"#);
    let damaged = written(|out| write_damaged(out, "s", &Digest([0xa7; 20]), &error));
    let digest = "a7".repeat(20);
    assert_eq!(damaged, format!(r#"{{"error":{{"code":"record_damaged","message":"it is \"bad\"","set":"s","digest":"{digest}"}}}}"#));
    let mut bytes = vec![];
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Bytes(&[0, 255]));
    parse_bins(br#"{"a":[1,2.5,[]],"b":{"c":null,"d":true}}"#, Shape::Record, body.bins()).unwrap();
    body.finish();
    let row = written(|out| write_row(out, BodyRef::new(&bytes)));
    assert_eq!(row, r#"{"key":{"bytes":"AP8="},"bins":{"a":[1,2.5,[]],"b":{"c":null,"d":true}}}"#);
}

#[test]
fn keys_are_read_one_or_many() {
    let limit = crate::KeyLimit::ANY;
    let keys = [crate::Key::Integer(1), crate::Key::String("a".into()), crate::Key::Bytes(vec![0])];
    assert_eq!(parse_keys(br#"[1,"a",{"bytes":"AA=="}]"#, limit).as_deref(), Ok(&keys[..]));
    assert_eq!(parse_keys(b"1 \n\"a\"\n{\"bytes\":\"AA\"} ", limit).as_deref(), Ok(&keys[..]));
    assert_eq!(parse_keys(b" ", limit).as_deref(), Ok(&[][..]));
    for wrong in [r#"{"bytes":"AA","x":1}"#, r#"{"bytes":1}"#, "1.5", "null", r#"[[1]]"#] {
        assert_eq!(parse_keys(wrong.as_bytes(), limit).unwrap_err().code, ErrorCode::KeyInvalid, "{wrong}");
    }
    for behind in [r#"["a"] "b""#, r#"[] []"#] {
        let refused = parse_keys(behind.as_bytes(), limit).unwrap_err();
        assert_eq!((refused.code, refused.message.as_str()), (ErrorCode::KeyInvalid, "nothing may follow a list of keys"), "{behind}");
    }
    assert_eq!(parse_key(br#"{"bytes":"?"}"#, limit).unwrap_err().code, ErrorCode::EncodingInvalid);
    assert_eq!(parse_keys(b"1 x", limit).unwrap_err().message, "expected a JSON value at byte 2");
}
