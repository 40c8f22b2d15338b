//! JSON of clients: values, bins, keys, lines of a batch, and documents in cells of CSV.

use crate::json::{BatchOp, BatchParser, Parser, Shape, Workspace, parse_bins, parse_key, parse_keys, parse_value, write_key, write_value};
use crate::{BinsBuilder, BodyRef, Encoder, KeyLimit, KeyRef, Value, ValueRef};
use tessera_base::ErrorCode;

/// A text, as everything that takes one reads it.
pub fn run(data: &[u8]) {
    value(data);
    key(data);
    batch(data);
    for shape in [Shape::Record, Shape::V1] {
        let mut out = vec![];
        let _ = parse_bins(data, shape, &mut BinsBuilder::new(&mut out));
        assert!(out.len() <= 5 * data.len() + 16, "{} bytes of {}", out.len(), data.len());
    }
    if let Ok(text) = std::str::from_utf8(data) {
        cell(text);
    }
}

/// What is a value is one for serde_json, and the same; what is none is none there, or past a limit of ours.
fn value(data: &[u8]) {
    let mut out = vec![7];
    let theirs = serde_json::from_slice::<serde_json::Value>(data);
    match parse_value(data, &mut out) {
        Ok(()) => {
            let bytes = &out[1..];
            assert!(bytes.len() <= 5 * data.len(), "{} bytes of {}", bytes.len(), data.len());
            assert_eq!(ValueRef::validate(bytes), Ok(()));
            let ours = ValueRef::of(bytes);
            let bytes_in_it = has_bytes(&ours.to_value());
            assert!(theirs.is_ok_and(|theirs| bytes_in_it || same(&ours.to_value(), &theirs)), "{}", String::from_utf8_lossy(data));
            let (mut text, mut again) = (vec![], vec![]);
            write_value(&mut text, ours, Shape::Record);
            assert_eq!(parse_value(&text, &mut again), Ok(()));
            assert_eq!(again, bytes);
        }
        Err(error) => {
            assert_eq!(out, [7]);
            use ErrorCode::{EncodingInvalid, JsonDuplicateKey, NestingTooDeep, NumberOutOfRange};
            let stricter = matches!(error.code, JsonDuplicateKey | NumberOutOfRange | NestingTooDeep | EncodingInvalid);
            assert!(stricter || theirs.is_err(), "{error}: {}", String::from_utf8_lossy(data));
        }
    }
}

fn has_bytes(value: &Value) -> bool {
    match value {
        Value::Bytes(_) => true,
        Value::List(items) => items.iter().any(has_bytes),
        Value::Map(entries) => entries.iter().any(|(_, value)| has_bytes(value)),
        _ => false,
    }
}

fn same(ours: &Value, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Value::Int(a), serde_json::Value::Number(b)) => b.as_i64() == Some(*a),
        (Value::Double(a), serde_json::Value::Number(b)) => b.as_i64().is_none() && b.as_f64().map(f64::to_bits) == Some(a.to_bits()),
        (Value::String(a), serde_json::Value::String(b)) => a == b,
        (Value::List(a), serde_json::Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Map(a), serde_json::Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => false,
    }
}

fn key(data: &[u8]) {
    let one = parse_key(data, KeyLimit::ANY);
    if let Ok(key) = &one {
        let mut text = vec![];
        write_key(&mut text, key.as_ref());
        assert_eq!(parse_key(&text, KeyLimit::ANY).as_ref(), Ok(key));
        // An array of keys is a list, and bytes of a value are not bytes of a key.
        assert_eq!(parse_keys(&text, KeyLimit::ANY).as_deref(), Ok(std::slice::from_ref(key)));
    }
    if let Ok(keys) = parse_keys(data, KeyLimit::ANY) {
        assert!(keys.len() <= data.len() && keys.iter().all(|key| key.as_ref().check().is_ok()));
    }
}

fn batch(data: &[u8]) {
    let (mut parser, mut out) = (BatchParser::default(), vec![7]);
    for _ in 0..2 {
        out.truncate(1);
        match parser.line(data, &mut out) {
            Ok(line) if line.op == BatchOp::Put => {
                assert_eq!(BodyRef::validate(&out[1..]), Ok(()));
                assert_eq!(BodyRef::new(&out[1..]).key(), line.key.as_ref());
            }
            Ok(_) => assert_eq!(out, [7]),
            Err(_) => assert_eq!(out, [7], "a line that is refused leaves nothing"),
        }
    }
}

/// A document in a quoted cell, where every quote is doubled, is the document.
fn cell(text: &str) {
    let quoted = format!("{}\"", text.replace('"', "\"\""));
    let (mut work, mut plain, mut csv) = (Workspace::default(), vec![], vec![]);
    let read = Parser::<false>::new(text, Shape::Record, &mut work).value(&mut Encoder::new(&mut plain));
    let mut parser = Parser::<true>::new(&quoted, Shape::Record, &mut work);
    let read_csv = parser.value(&mut Encoder::new(&mut csv));
    let end = parser.position();
    assert!(end <= quoted.len() && quoted.is_char_boundary(end));
    if read.is_ok() {
        assert_eq!((read_csv, &csv), (Ok(()), &plain), "{text}");
    } else {
        assert!(read_csv.is_err(), "{text}");
    }
}

/// Values, keys and lines of every kind.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts: [&str; 14] = [
        r#"{"a":1,"b":[true,false,null],"c":{"d":-0.5e3,"e":"\u00e9\ud83d\ude00\n\"\\"}}"#,
        r#"{"$bytes":"AP8="}"#,
        r#"{"bytes":"AAECAw"}"#,
        r#"{"key":"k","bins":{"a":1,"b":[true]},"ttlSeconds":60,"op":"put"}"#,
        r#"{"key":42,"op":"delete"}"#,
        r#"[1,"a",{"bytes":"AA=="}]"#,
        "1\n\"b\"\n-9223372036854775808",
        "18446744073709551616",
        "1e400",
        r#"{"a":{"type":"BYTE_ARRAY","value":"AP8="},"n":null}"#,
        r#"{"a":1,"a":2}"#,
        " [ 0 , -0 , 0.0 , 1E+2 , \"\\/\\b\\f\\t\" ] ",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
        "\"é\u{fffd}\u{10ffff}\"",
    ];
    let mut key = vec![];
    write_key(&mut key, KeyRef::Bytes(&[1, 2, 3]));
    texts.map(|text| text.as_bytes().to_vec()).into_iter().chain([key]).collect()
}
