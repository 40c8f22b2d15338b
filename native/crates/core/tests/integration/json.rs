//! JSON in and out: round trips, agreement with serde_json, one code for each kind of bad input.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use tessera_base::ErrorCode;
use tessera_record::json::{Parser, Shape, Workspace, parse_bins, parse_key, parse_keys, parse_value, write_key, write_value};
use tessera_record::{BinsBuilder, Encoder, Key, KeyLimit, Value, ValueRef};

fn values() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-z_]{0,12}", "\\PC{0,40}", "[\\x00-\\x7f]{0,300}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-300i64..300).prop_map(Value::Int),
        any::<f64>().prop_filter("JSON has no NaN", |d| d.is_finite()).prop_map(Value::Double),
        text.clone().prop_map(Value::String),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Bytes),
    ];
    leaf.prop_recursive(6, 200, 12, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Value::List),
            prop::collection::btree_map(text.clone().prop_filter("means bytes", |name| name != "$bytes"), inner, 0..12)
                .prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut out = vec![];
    Encoder::new(&mut out).value(value);
    out
}

fn json(value: &Value) -> Vec<u8> {
    let mut out = vec![];
    write_value(&mut out, ValueRef::of(&encoded(value)), Shape::Record);
    out
}

fn parsed(text: &[u8]) -> Result<Value, tessera_base::Error> {
    let mut out = vec![];
    parse_value(text, &mut out)?;
    ValueRef::validate(&out).unwrap();
    Ok(ValueRef::of(&out).to_value())
}

fn from_serde(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => n.as_i64().map_or_else(|| Value::Double(n.as_f64().unwrap()), Value::Int),
        serde_json::Value::String(s) => Value::String(s.clone()),
        serde_json::Value::Array(items) => Value::List(items.iter().map(from_serde).collect()),
        serde_json::Value::Object(entries) => Value::Map(entries.iter().map(|(k, v)| (k.clone(), from_serde(v))).collect()),
    }
}

fn sorted(value: Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.into_iter().map(sorted).collect()),
        Value::Map(mut entries) => {
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Map(entries.into_iter().map(|(k, v)| (k, sorted(v))).collect())
        }
        other => other,
    }
}

/// Where this parser and serde_json differ on purpose.
fn stricter(code: ErrorCode) -> bool {
    use ErrorCode::{EncodingInvalid, JsonDuplicateKey, NestingTooDeep, NumberOutOfRange};
    matches!(code, JsonDuplicateKey | NumberOutOfRange | NestingTooDeep | EncodingInvalid)
}

fn agrees_with_serde(text: &[u8]) {
    let theirs = serde_json::from_slice::<serde_json::Value>(text);
    match parsed(text) {
        Ok(_) if text.windows(6).any(|w| w == b"$bytes") => assert!(theirs.is_ok()),
        Ok(ours) => assert_eq!(sorted(ours), sorted(from_serde(&theirs.unwrap())), "{}", String::from_utf8_lossy(text)),
        Err(error) if stricter(error.code) => {}
        Err(error) => assert!(theirs.is_err(), "{error}: {}", String::from_utf8_lossy(text)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_survives_json(value in values()) {
        prop_assert_eq!(parsed(&json(&value)).unwrap(), value);
    }

    #[test]
    fn what_is_written_is_what_serde_reads(value in values()) {
        let text = json(&value);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&text).is_ok());
        agrees_with_serde(&text);
        agrees_with_serde(&serde_json::to_vec_pretty(&serde_json::from_slice::<serde_json::Value>(&text).unwrap()).unwrap());
    }

    #[test]
    fn mutated_texts_are_judged_as_serde_judges_them(
        value in values(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, prop_oneof![any::<u8>(), prop::sample::select(b"\"\\{}[],:0-.eEtfn u\x1f".to_vec())]), 1..4),
    ) {
        let mut text = json(&value);
        for (place, kind, byte) in edits {
            let at = place.index(text.len() + 1);
            match kind {
                0 if at < text.len() => text[at] = byte,
                1 => text.insert(at, byte),
                _ => text.truncate(at),
            }
        }
        agrees_with_serde(&text);
    }

    #[test]
    fn a_document_in_a_csv_cell_is_read_where_it_lies(value in values(), tail in prop::sample::select(vec!["\"", "\",", "\"\n1,2"])) {
        let text = String::from_utf8(json(&value)).unwrap();
        let cell = format!("{}{tail}", text.replace('"', "\"\""));
        let (mut work, mut out) = (Workspace::default(), vec![]);
        let mut parser = Parser::<true>::new(&cell, Shape::Record, &mut work);
        parser.value(&mut Encoder::new(&mut out)).unwrap();
        prop_assert_eq!(parser.position(), cell.len() - tail.len());
        prop_assert_eq!(ValueRef::of(&out).to_value(), value);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        agrees_with_serde(&bytes);
        let mut out = vec![];
        let _ = parse_bins(&bytes, Shape::V1, &mut BinsBuilder::new(&mut out));
        let _ = parse_keys(&bytes, KeyLimit::ANY);
    }
}

#[test]
fn every_fault_has_its_code_and_place() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    for (text, code) in [
        ("", ErrorCode::JsonInvalid),
        ("NaN", ErrorCode::JsonInvalid),
        ("Infinity", ErrorCode::JsonInvalid),
        ("[1,]", ErrorCode::JsonInvalid),
        ("{\"a\":1,}", ErrorCode::JsonInvalid),
        ("{a:1}", ErrorCode::JsonInvalid),
        ("'a'", ErrorCode::JsonInvalid),
        ("\"a\nb\"", ErrorCode::JsonInvalid),
        ("\"\\ud800\"", ErrorCode::JsonInvalid),
        ("\"\\udc00\\ud800\"", ErrorCode::JsonInvalid),
        ("1 2", ErrorCode::JsonInvalid),
        ("{\"a\":1,\"a\":2}", ErrorCode::JsonDuplicateKey),
        ("{\"a\":1,\"\\u0061\":2}", ErrorCode::JsonDuplicateKey),
        ("9223372036854775808", ErrorCode::NumberOutOfRange),
        ("1e999", ErrorCode::NumberOutOfRange),
        (&deep(65), ErrorCode::NestingTooDeep),
        (&deep(100_000), ErrorCode::NestingTooDeep),
        (&"{\"a\":".repeat(100_000), ErrorCode::NestingTooDeep),
        ("{\"$bytes\":\"?\"}", ErrorCode::EncodingInvalid),
    ] {
        assert_eq!(parsed(text.as_bytes()).unwrap_err().code, code, "{text:.40}");
    }
    assert_eq!(parsed(b"\"\xff\"").unwrap_err().code, ErrorCode::Utf8Invalid);
    assert!(parsed(b"{\"a\": tru}").unwrap_err().message.ends_with("at byte 6"));
    assert!(parsed(deep(64).as_bytes()).is_ok());
}

#[test]
fn every_truncation_is_refused() {
    let text = br#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00\n"],"b":{"$bytes":"AP8="},"c":{"d":null,"e":true,"f":false}}"#;
    parsed(text).unwrap();
    for length in 0..text.len() {
        assert!(parsed(&text[..length]).is_err(), "{length}");
    }
}

#[test]
fn a_hostile_object_costs_no_more_than_its_length() {
    let mut text = String::from("{");
    for i in 0..200_000 {
        text.push_str(&format!("\"{i:08}\":0,"));
    }
    let good = format!("{}}}", text.trim_end_matches(','));
    assert!(matches!(parsed(good.as_bytes()), Ok(Value::Map(entries)) if entries.len() == 200_000));
    let bad = format!("{text}\"00000000\":0}}");
    assert_eq!(parsed(bad.as_bytes()).unwrap_err().code, ErrorCode::JsonDuplicateKey);
}

#[test]
fn an_object_that_only_resembles_bytes_is_a_map() {
    for text in [r#"{"$bytes":1}"#, r#"{"$bytes":"AA==","more":1}"#, r#"{"a":1,"$bytes":"AA=="}"#, r#"{"$byte":"AA=="}"#] {
        assert!(matches!(parsed(text.as_bytes()), Ok(Value::Map(_))), "{text}");
    }
    for text in [r#"{"$bytes":"AA=="}"#, r#" { "$bytes" : "AA" } "#, r#"{"\u0024bytes":"AA=="}"#] {
        let expected =
            if text.contains('\\') { Value::Map(vec![("$bytes".into(), Value::String("AA==".into()))]) } else { Value::Bytes(vec![0]) };
        assert_eq!(parsed(text.as_bytes()).unwrap(), expected, "{text}");
    }
}

#[test]
fn the_compatible_api_has_its_own_bytes_and_limits() {
    let bins = |text: &str| {
        let mut out = vec![];
        let mut bins = BinsBuilder::new(&mut out);
        parse_bins(text.as_bytes(), Shape::V1, &mut bins)?;
        let first = bins.written().next().map(|(_, value)| ValueRef::of(value).to_value());
        first.ok_or_else(|| tessera_base::Error::new(ErrorCode::Internal, "no bin"))
    };
    assert_eq!(bins(r#"{"b":{"type":"BYTE_ARRAY","value":"AP8="}}"#).unwrap(), Value::Bytes(vec![0, 255]));
    assert!(matches!(bins(r#"{"b":[{"type":"BYTE_ARRAY","value":"AP8="}]}"#).unwrap(), Value::List(_)));
    assert!(matches!(bins(r#"{"b":{"type":"Point","coordinates":[1,2]}}"#).unwrap(), Value::Map(_)));
    assert!(matches!(bins(r#"{"b":{"$bytes":"AA=="}}"#).unwrap(), Value::Map(_)));
    for (text, code) in [
        (r#"{"b":{"type":"BYTE_ARRAY","value":"?"}}"#, ErrorCode::EncodingInvalid),
        (r#"{"b":{"type":"OTHER","value":1}}"#, ErrorCode::JsonInvalid),
        (r#"{"b":{"type":"GEO_JSON","value":""}}"#, ErrorCode::Unsupported),
        (r#"{"a_name_of_16_by":1,"a_name_of_16_byt":1}"#, ErrorCode::BinNameInvalid),
        (r#"[1]"#, ErrorCode::JsonInvalid),
        (r#"{"b":1,"b":1}"#, ErrorCode::JsonDuplicateKey),
    ] {
        assert_eq!(bins(text).unwrap_err().code, code, "{text}");
    }
    assert_eq!(bins(r#"{"b":[1,}"#).unwrap_err().field.as_deref(), Some("b"));
}

#[test]
fn keys_come_one_a_line_or_in_a_list() {
    let expected = vec![Key::String("a".into()), Key::Integer(-42), Key::Bytes(vec![0, 255])];
    assert_eq!(parse_keys(b"\"a\"\n-42\r\n{\"bytes\":\"AP8=\"}\n", KeyLimit::ANY).unwrap(), expected);
    assert_eq!(parse_keys(br#" ["a",-42,{"bytes":"AP8="}] "#, KeyLimit::ANY).unwrap(), expected);
    assert_eq!(parse_keys(b" ", KeyLimit::ANY).unwrap(), vec![]);
    for key in &expected {
        let mut text = vec![];
        write_key(&mut text, key.as_ref());
        assert_eq!(&parse_key(&text, KeyLimit::ANY).unwrap(), key);
    }
    let long = format!("\"{}\"", "x".repeat(10_241));
    for (text, code) in [
        ("", ErrorCode::JsonInvalid),
        ("null", ErrorCode::KeyInvalid),
        ("1.0", ErrorCode::KeyInvalid),
        ("\"\"", ErrorCode::KeyInvalid),
        ("{\"bytes\":\"\"}", ErrorCode::KeyInvalid),
        ("{\"byte\":\"AA==\"}", ErrorCode::KeyInvalid),
        (&long, ErrorCode::KeyTooLong),
    ] {
        assert_eq!(parse_key(text.as_bytes(), KeyLimit::ANY).unwrap_err().code, code, "{text:.20}");
    }
}
