//! The filter language: meaning, refusals, and robustness against whatever comes.

use proptest::prelude::*;
use tessera_base::ErrorCode;
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, KeyRef, Value, ValueRef, contains};

use crate::documents::bare::matches_body;
use tessera_record::sample::{document, encode, encoded};

fn body(bins: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
    bins.iter().for_each(|(name, value)| body.encoded_bin(name, value).unwrap_or_default());
    body.finish();
    bytes
}

fn sample() -> Vec<u8> {
    let bins = [
        ("type", r#""PushEvent""#),
        ("id", "9007199254740993"),
        ("score", "2.5"),
        ("none", "null"),
        ("yes", "true"),
        ("payload", r#"{"size":2,"a.b":7,"commits":[{"author":{"email":"test@gmail.com"}},{"n":1}],"deep":{"name":"x"}}"#),
        ("list", r#"[1,"two",[3]]"#),
        ("empty", "[]"),
        ("raw", r#"{"$bytes":"AAE="}"#),
    ];
    let mut encoded: Vec<(&str, Vec<u8>)> = bins.iter().map(|(name, json)| (*name, encode(json))).collect();
    if let Some((_, raw)) = encoded.last_mut() {
        *raw = tessera_record::sample::encoded(&Value::Bytes(vec![0, 1]));
    }
    body(&encoded.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect::<Vec<_>>())
}

fn matches(filter: &str) -> bool {
    let filter = Filter::compile(filter.as_bytes());
    assert!(filter.is_ok(), "{filter:?}");
    let body = sample();
    filter.is_ok_and(|filter| matches_body(&filter, &body))
}

#[test]
fn tests_mean_what_the_reference_says() {
    let cases = [
        (r#"{"bin":"type","op":"eq","value":"PushEvent"}"#, true),
        (r#"{"bin":"type","op":"eq","value":"pushevent"}"#, false),
        (r#"{"bin":"type","op":"ne","value":"WatchEvent"}"#, true),
        (r#"{"bin":"type","op":"prefix","value":"Push"}"#, true),
        (r#"{"bin":"type","op":"prefix","value":"ush"}"#, false),
        (r#"{"bin":"id","op":"prefix","value":"9"}"#, false),
        (r#"{"bin":"type","op":"lt","value":"Q"}"#, true),
        (r#"{"bin":"type","op":"gt","value":"Q"}"#, false),
        (r#"{"bin":"type","op":"ge","value":0}"#, false),
        (r#"{"bin":"id","op":"eq","value":9007199254740993}"#, true),
        (r#"{"bin":"id","op":"eq","value":9007199254740992}"#, false),
        (r#"{"bin":"id","op":"eq","value":9007199254740992.0}"#, false),
        (r#"{"bin":"id","op":"gt","value":9007199254740992.0}"#, true),
        (r#"{"bin":"id","op":"eq","value":"9007199254740993"}"#, false),
        (r#"{"bin":"score","op":"ge","value":2.5}"#, true),
        (r#"{"bin":"score","op":"gt","value":2.5}"#, false),
        (r#"{"bin":"score","op":"le","value":3}"#, true),
        (r#"{"bin":"score","op":"in","value":[1,"2.5",2.50]}"#, true),
        (r#"{"bin":"score","op":"in","value":[]}"#, false),
        (r#"{"bin":"list","op":"in","value":[1,[1,"two",[3]]]}"#, true),
        (r#"{"bin":"list","op":"in","value":[1,[1,"two",3]]}"#, false),
        (r#"{"bin":"list","op":"eq","value":[1.0,"two",[3]]}"#, true),
        (r#"{"bin":"list","op":"eq","value":["two",1,[3]]}"#, false),
        (r#"{"bin":"none","op":"eq","value":null}"#, true),
        (r#"{"bin":"none","op":"exists"}"#, true),
        (r#"{"bin":"absent","op":"exists"}"#, false),
        (r#"{"bin":"absent","op":"exists","value":false}"#, true),
        (r#"{"bin":"absent","op":"eq","value":null}"#, false),
        (r#"{"bin":"absent","op":"ne","value":1}"#, true),
        (r#"{"bin":"absent","op":"lt","value":1}"#, false),
        (r#"{"not":{"bin":"absent","op":"lt","value":1}}"#, true),
        (r#"{"bin":"yes","op":"eq","value":true}"#, true),
        (r#"{"bin":"yes","op":"eq","value":1}"#, false),
        (r#"{"bin":"raw","op":"eq","value":{"$bytes":"AAE="}}"#, true),
        (r#"{"bin":"raw","op":"lt","value":{"$bytes":"AAI="}}"#, true),
        (r#"{"bin":"payload","op":"eq","path":"size","value":2}"#, true),
        (r#"{"bin":"payload","op":"eq","path":"deep.name","value":"x"}"#, true),
        (r#"{"bin":"payload","op":"exists","path":"deep.other"}"#, false),
        (r#"{"bin":"payload","op":"exists","path":"commits.0"}"#, false),
        (r#"{"bin":"payload","op":"eq","path":"a.b","value":7}"#, false),
        (r#"{"bin":"payload","op":"eq","path":["a.b"],"value":7}"#, true),
        (r#"{"bin":"payload","op":"contains","value":{"commits":[{"author":{"email":"test@gmail.com"}}]}}"#, true),
        (r#"{"bin":"payload","op":"contains","value":{"commits":[{"author":{"email":"est@gmail.com"}}]}}"#, false),
        (r#"{"bin":"payload","op":"contains","value":{}}"#, true),
        (r#"{"bin":"payload","op":"contains","path":"commits","value":[{"n":1}]}"#, true),
        (r#"{"bin":"payload","op":"contains","path":"deep","value":"x"}"#, false),
        (r#"{"bin":"list","op":"contains","value":"two"}"#, true),
        (r#"{"bin":"list","any":"items","op":"eq","value":1.0}"#, true),
        (r#"{"bin":"list","any":"items","op":"eq","value":3}"#, false),
        (r#"{"bin":"list","any":"items","op":"contains","value":[3]}"#, true),
        (r#"{"bin":"list","any":"values","op":"exists"}"#, false),
        (r#"{"bin":"list","all":"items","op":"ne","value":2}"#, true),
        (r#"{"bin":"list","all":"items","op":"in","value":["two",1]}"#, false),
        (r#"{"bin":"score","all":"items","op":"exists"}"#, false),
        (r#"{"bin":"absent","all":"items","op":"ne","value":1}"#, false),
        (r#"{"bin":"empty","all":"items","op":"eq","value":1}"#, true),
        (r#"{"bin":"empty","all":"items","op":"contains","value":"long text"}"#, true),
        (r#"{"bin":"empty","any":"items","op":"exists"}"#, false),
        (r#"{"bin":"payload","any":"keys","op":"prefix","value":"com"}"#, true),
        (r#"{"bin":"payload","path":"deep","all":"keys","op":"eq","value":"name"}"#, true),
        (r#"{"bin":"payload","any":"values","op":"between","value":[7,8]}"#, true),
        (r#"{"bin":"payload","any":"values","op":"between","value":[3,6.5]}"#, false),
        (r#"{"bin":"payload","path":"commits","any":"items","op":"contains","value":{"n":1}}"#, true),
        (r#"{"bin":"payload","path":"commits[0].author.email","op":"eq","value":"test@gmail.com"}"#, true),
        (r#"{"bin":"payload","path":["commits",-1,"n"],"op":"eq","value":1}"#, true),
        (r#"{"bin":"payload","path":"commits[*].n","op":"eq","value":1}"#, true),
        (r#"{"bin":"payload","path":["commits","*","n"],"op":"gt","value":1}"#, false),
        (r#"{"bin":"payload","path":"commits[*].n","op":"ne","value":1}"#, false),
        (r#"{"bin":"payload","path":"commits[*].m","op":"ne","value":1}"#, true),
        (r#"{"bin":"payload","path":"commits[*].n","op":"exists"}"#, true),
        (r#"{"bin":"payload","path":"commits[*].n","op":"exists","value":false}"#, false),
        (r#"{"bin":"payload","path":"commits[2]","op":"exists","value":false}"#, true),
        (r#"{"bin":"payload","path":"deep[*]","op":"exists"}"#, false),
        (r#"{"bin":"payload","path":"commits[*]","any":"keys","op":"eq","value":"n"}"#, true),
        (r#"{"bin":"payload","path":"commits[*]","all":"values","op":"lt","value":5}"#, true),
        (r#"{"bin":"list","path":"[*]","op":"contains","value":[3]}"#, true),
        (r#"{"bin":"list","path":[2,0],"op":"eq","value":3}"#, true),
        (r#"{"bin":"payload","op":"has","value":"size"}"#, true),
        (r#"{"bin":"payload","op":"has","value":"name"}"#, false),
        (r#"{"bin":"payload","path":"deep","op":"has","value":"name"}"#, true),
        (r#"{"bin":"payload","path":"commits[*]","op":"hasAll","value":["n"]}"#, true),
        (r#"{"bin":"list","op":"hasAny","value":["one","two"]}"#, true),
        (r#"{"bin":"list","op":"hasAll","value":["one","two"]}"#, false),
        (r#"{"bin":"list","op":"hasAll","value":["two","two"]}"#, true),
        (r#"{"bin":"type","op":"has","value":"PushEvent"}"#, true),
        (r#"{"bin":"score","op":"has","value":"2.5"}"#, false),
        (r#"{"bin":"absent","op":"hasAll","value":[]}"#, false),
        (r#"{"bin":"payload","op":"hasAny","value":["c","d","e","f","g","h","i","j","k","size"]}"#, true),
        (r#"{"bin":"payload","op":"hasAll","value":["a.b","commits","deep","size","f","g","h","i","j","k"]}"#, false),
        (r#"{"bin":"list","op":"hasAny","value":["b","c","d","e","f","g","h","i","j","two"]}"#, true),
        (r#"{"bin":"score","op":"between","value":[2.5,2.5]}"#, true),
        (r#"{"bin":"score","op":"between","value":[3,2]}"#, false),
        (r#"{"bin":"type","op":"between","value":["P","Q"]}"#, true),
        (r#"{"bin":"type","op":"between","value":[0,9]}"#, false),
        (r#"{"and":[{"bin":"type","op":"eq","value":"PushEvent"},{"bin":"score","op":"lt","value":3}]}"#, true),
        (r#"{"and":[{"bin":"type","op":"eq","value":"PushEvent"},{"bin":"score","op":"lt","value":2}]}"#, false),
        (r#"{"or":[{"bin":"type","op":"eq","value":"x"},{"bin":"score","op":"lt","value":3}]}"#, true),
        (r#"{"or":[{"bin":"type","op":"eq","value":"x"},{"not":{"bin":"score","op":"lt","value":3}}]}"#, false),
    ];
    for (filter, expected) in cases {
        assert_eq!(matches(filter), expected, "{filter}");
    }
}

#[test]
fn what_is_wrong_is_named_by_its_path() {
    let deep = format!("{}{}{}", r#"{"not":"#.repeat(18), r#"{"bin":"a","op":"exists"}"#, "}".repeat(18));
    let many = format!(r#"{{"or":[{}]}}"#, vec![r#"{"bin":"a","op":"exists"}"#; 257].join(","));
    let long = format!(r#"{{"bin":"a","op":"eq","value":"{}"}}"#, "x".repeat(64 * 1024));
    let deepest = format!("where{}", ".not".repeat(17));
    let cases = [
        ("", ErrorCode::JsonInvalid, "where"),
        ("{", ErrorCode::JsonInvalid, "where"),
        ("\u{ff}", ErrorCode::JsonInvalid, "where"),
        (r#"{"bin":"a","bin":"b"}"#, ErrorCode::JsonDuplicateKey, "where"),
        (r#"{"bin":"a","op":"eq","value":18446744073709551616}"#, ErrorCode::NumberOutOfRange, "where"),
        ("{}", ErrorCode::FilterInvalid, "where"),
        ("[]", ErrorCode::FilterInvalid, "where"),
        ("null", ErrorCode::FilterInvalid, "where"),
        (r#"{"and":[]}"#, ErrorCode::FilterInvalid, "where.and"),
        (r#"{"and":{}}"#, ErrorCode::FilterInvalid, "where.and"),
        (r#"{"or":[{"bin":"a","op":"exists"},3]}"#, ErrorCode::FilterInvalid, "where.or[1]"),
        (r#"{"not":[]}"#, ErrorCode::FilterInvalid, "where.not"),
        (r#"{"and":[{"bin":"a","op":"exists"}],"or":[]}"#, ErrorCode::FilterInvalid, "where.or"),
        (r#"{"and":[{"bin":"a","op":"exists","colour":1}]}"#, ErrorCode::FilterInvalid, "where.and[0].colour"),
        (r#"{"op":"exists"}"#, ErrorCode::FilterInvalid, "where.bin"),
        (r#"{"bin":"a"}"#, ErrorCode::FilterInvalid, "where.op"),
        (r#"{"bin":7,"op":"exists"}"#, ErrorCode::FilterInvalid, "where.bin"),
        (r#"{"bin":"","op":"exists"}"#, ErrorCode::FilterInvalid, "where.bin"),
        (r#"{"bin":"a","op":"like","value":1}"#, ErrorCode::FilterInvalid, "where.op"),
        (r#"{"bin":"a","op":"eq"}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"exists","value":1}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"in","value":1}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"prefix","value":1}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"lt","value":null}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"lt","value":[1]}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"eq","path":"","value":1}"#, ErrorCode::FilterInvalid, "where.path"),
        (r#"{"bin":"a","op":"eq","path":[],"value":1}"#, ErrorCode::FilterInvalid, "where.path"),
        (r#"{"bin":"a","op":"eq","path":[1.5],"value":1}"#, ErrorCode::FilterInvalid, "where.path"),
        (r#"{"bin":"a","op":"eq","path":[3000000000],"value":1}"#, ErrorCode::FilterInvalid, "where.path"),
        (r#"{"bin":"a","op":"eq","path":["a",null],"value":1}"#, ErrorCode::FilterInvalid, "where.path"),
        (r#"{"bin":"a","op":"eq","path":"b[x]","value":1}"#, ErrorCode::FilterInvalid, "where.path"),
        (r#"{"bin":"a","op":"has","value":1}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"has"}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"hasAny","value":"b"}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"hasAll","value":["b",1]}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"meta":"key","op":"has","value":"b"}"#, ErrorCode::FilterInvalid, "where.op"),
        (r#"{"bin":"a","any":"members","op":"exists"}"#, ErrorCode::FilterInvalid, "where.any"),
        (r#"{"bin":"a","any":"items","all":"items","op":"exists"}"#, ErrorCode::FilterInvalid, "where.all"),
        (r#"{"meta":"ttl","any":"items","op":"exists"}"#, ErrorCode::FilterInvalid, "where.meta"),
        (r#"{"bin":"a","op":"between","value":1}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"between","value":[1,2,3]}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"between","value":[1,"2"]}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"bin":"a","op":"between","value":[[],[]]}"#, ErrorCode::FilterInvalid, "where.value"),
        (&deep, ErrorCode::FilterInvalid, &deepest),
        (r#"{"meta":"size","bin":"a","op":"exists"}"#, ErrorCode::FilterInvalid, "where.meta"),
        (r#"{"meta":"size","path":"a","op":"exists"}"#, ErrorCode::FilterInvalid, "where.meta"),
        (r#"{"meta":"sise","op":"exists"}"#, ErrorCode::FilterInvalid, "where.meta"),
        (r#"{"meta":"size","op":"contains","value":1}"#, ErrorCode::FilterInvalid, "where.op"),
        (r#"{"meta":"size","op":"eq","value":"1"}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"meta":"size","modulo":3,"op":"eq","value":1}"#, ErrorCode::FilterInvalid, "where.modulo"),
        (r#"{"bin":"a","modulo":3,"op":"eq","value":1}"#, ErrorCode::FilterInvalid, "where.modulo"),
        (r#"{"meta":"digest","op":"eq","value":1}"#, ErrorCode::FilterInvalid, "where.modulo"),
        (r#"{"meta":"digest","modulo":0,"op":"eq","value":1}"#, ErrorCode::FilterInvalid, "where.modulo"),
        (r#"{"meta":"updatedAt","op":"lt","value":"yesterday"}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"meta":"updatedAt","op":"prefix","value":"2026-01-01T00:00:00Z"}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"meta":"set","op":"in","value":["a",1]}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"meta":"key","op":"eq","value":1.5}"#, ErrorCode::FilterInvalid, "where.value"),
        (&many, ErrorCode::FilterInvalid, "where.or[256]"),
        (&long, ErrorCode::FilterInvalid, "where"),
    ];
    for (filter, code, field) in cases {
        let error = Filter::compile(filter.as_bytes()).err();
        let found = error.as_ref().map(|error| (error.code, error.field.as_deref()));
        assert_eq!(found, Some((code, Some(field))), "{filter:.200}");
    }
}

#[test]
fn required_tests_are_those_of_the_top_and() {
    let filter = r#"{"and":[{"bin":"a","op":"exists"},{"or":[{"bin":"b","op":"exists"}]},{"and":[{"bin":"c","op":"exists"}]}]}"#;
    let filter = Filter::compile(filter.as_bytes());
    let bins = filter.map(|filter| filter.required().iter().map(|test| test.bin.to_string()).collect::<Vec<_>>());
    assert_eq!(bins, Ok(vec!["a".to_owned(), "c".to_owned()]));
}

proptest! {
    #[test]
    fn any_bytes_are_a_filter_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Filter::compile(&bytes);
    }

    #[test]
    fn any_json_like_text_is_a_filter_or_an_error(
        parts in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", r#""and""#, r#""or""#, r#""not""#, r#""bin""#, r#""op""#, r#""value""#, r#""path""#, r#""eq""#,
            r#""contains""#, "1", "1e999", "-0.0", "null", "true", r#""\ud800""#, r#""a""#, " ",
        ]), 0..40),
    ) {
        if let Ok(filter) = Filter::compile(parts.concat().as_bytes()) {
            matches_body(&filter, &sample());
        }
    }

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
