//! The filter language: meaning, refusals, and robustness against whatever comes.

use super::{Contains, Filter, In, Item, Operand, Subject, Whole};
use crate::json::{Shape, parse_bins, parse_value};
use crate::{BodyBuilder, BodyRef, Digest, KeyRef, Meta, Value, ValueRef};
use proptest::prelude::*;
use tessera_base::ErrorCode;
use tessera_base::limits::{FILTER_BYTES, FILTER_DEPTH, FILTER_TESTS};

const BINS: &str = r#"{
    "type": "PushEvent", "id": 9007199254740993, "score": 2.5, "none": null, "yes": true,
    "payload": {"size":2,"a.b":7,"commits":[{"author":{"email":"test@gmail.com"}},{"n":1}],"deep":{"name":"x"}},
    "list": [1,"two",[3]], "empty": [], "raw": {"$bytes":"AAE="}
}"#;
const META: Meta = Meta { generation: 3, expires_at: 4_102_444_800, updated_at: 1_700_000_000_000 };

/// Asks the sample of a filter; `with`: as it is after a change.
fn asked(filter: &str, with: impl Fn(&mut Whole<'_>)) -> bool {
    let filter = Filter::compile(filter.as_bytes()).unwrap_or_else(|error| panic!("{filter}: {error}"));
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::String("k1"));
    parse_bins(BINS.as_bytes(), Shape::Record, body.bins()).unwrap();
    body.finish();
    let digest = Digest::of("users", KeyRef::String("k1"));
    let mut whole = Whole { set: "users", digest, meta: META, size: 120, body: BodyRef::new(&bytes) };
    with(&mut whole);
    filter.passes(&whole)
}

fn matches(filter: &str) -> bool {
    asked(filter, |_| {})
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
        (r#"{"op":"contains","value":{"type":"PushEvent","score":2.50,"payload":{"size":2}}}"#, true),
        (r#"{"op":"contains","value":{"type":"PushEvent","payload":{"size":3}}}"#, false),
        (r#"{"op":"contains","value":{"list":["two"]}}"#, true),
        (r#"{"op":"contains","value":{"list":"two"}}"#, false),
        (r#"{"op":"contains","value":{"absent":null}}"#, false),
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
        (r#"{"op":"contains","value":{}}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"op":"contains","value":["a"]}"#, ErrorCode::FilterInvalid, "where.value"),
        (r#"{"op":"contains","value":{"":1}}"#, ErrorCode::FilterInvalid, "where.value."),
        (r#"{"op":"eq","value":{"a":1}}"#, ErrorCode::FilterInvalid, "where.bin"),
        (r#"{"op":"contains","path":"a","value":{"a":1}}"#, ErrorCode::FilterInvalid, "where.bin"),
        (r#"{"op":"contains","any":"items","value":{"a":1}}"#, ErrorCode::FilterInvalid, "where.bin"),
        (r#"{"op":"contains","modulo":2,"value":{"a":1}}"#, ErrorCode::FilterInvalid, "where.bin"),
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
fn limits_are_what_is_still_taken() {
    let compile = |filter: &str| Filter::compile(filter.as_bytes()).map(drop).map_err(|error| error.field);
    let refused = |field: &str| Err(Some(field.into()));
    let test = r#"{"bin":"a","op":"exists"}"#;
    for (open, close) in [(r#"{"not":"#, "}"), (r#"{"and":["#, "]}")] {
        let nested = |depth| compile(&format!("{}{test}{}", open.repeat(depth), close.repeat(depth)));
        assert_eq!((nested(FILTER_DEPTH), nested(FILTER_DEPTH + 1).is_err()), (Ok(()), true));
    }
    let long = |bytes: usize| compile(&format!("{test}{}", " ".repeat(bytes - test.len())));
    assert_eq!((long(FILTER_BYTES), long(FILTER_BYTES + 1)), (Ok(()), refused("where")));
    let contained = |bins: usize, tests: usize| {
        let bins: Vec<String> = (0..bins).map(|at| format!(r#""{at}":1"#)).collect();
        let parts = [vec![test.to_owned(); tests], vec![format!(r#"{{"op":"contains","value":{{{}}}}}"#, bins.join(","))]].concat();
        compile(&format!(r#"{{"and":[{}]}}"#, parts.join(",")))
    };
    assert_eq!((contained(FILTER_TESTS - 2, 2), contained(FILTER_TESTS - 2, 3)), (Ok(()), refused("where.and[3].value")));
}

#[test]
fn a_field_is_named_as_requests_name_it() {
    for name in ["generation", "updatedAt", "expiresAt", "ttl", "size", "set", "key"] {
        let filter = Filter::compile(format!(r#"{{"meta":"{name}","op":"exists"}}"#).as_bytes()).unwrap();
        assert!(matches!(filter.root(), super::Node::Meta(test) if test.field.name() == name));
    }
    assert_eq!(super::Field::Digest(3).name(), "digest");
}

#[test]
fn required_tests_are_those_of_the_top_and() {
    let filter = r#"{"and":[{"bin":"a","op":"exists"},{"or":[{"bin":"b","op":"exists"}]},{"and":[{"bin":"c","op":"exists"}]}]}"#;
    let filter = Filter::compile(filter.as_bytes());
    let bins = filter.map(|filter| filter.required().iter().map(|test| test.bin.to_string()).collect::<Vec<_>>());
    assert_eq!(bins, Ok(vec!["a".to_owned(), "c".to_owned()]));
}

#[test]
fn metadata_is_asked_before_the_body() {
    let key = Digest::of("users", KeyRef::String("k1")).hash64();
    let digest = format!(r#"{{"meta":"digest","modulo":10,"op":"eq","value":{}}}"#, key % 10);
    let cases = [
        (r#"{"meta":"generation","op":"eq","value":3}"#, true),
        (r#"{"meta":"generation","op":"in","value":[1,2]}"#, false),
        (r#"{"meta":"updatedAt","op":"eq","value":1700000000000}"#, true),
        (r#"{"meta":"updatedAt","op":"gt","value":"2023-11-14T22:13:19Z"}"#, true),
        (r#"{"meta":"updatedAt","op":"gt","value":"2023-11-14T22:13:20Z"}"#, false),
        (r#"{"meta":"expiresAt","op":"eq","value":4102444800000}"#, true),
        (r#"{"meta":"expiresAt","op":"eq","value":"2100-01-01T00:00:00Z"}"#, true),
        (r#"{"meta":"ttl","op":"between","value":[1000000,4102444800]}"#, true),
        (r#"{"meta":"ttl","op":"gt","value":4102444800}"#, false),
        (r#"{"meta":"size","op":"le","value":120}"#, true),
        (r#"{"meta":"size","op":"lt","value":120}"#, false),
        (r#"{"meta":"set","op":"eq","value":"users"}"#, true),
        (r#"{"meta":"set","op":"prefix","value":"user"}"#, true),
        (r#"{"meta":"key","op":"in","value":["k1",1]}"#, true),
        (r#"{"meta":"key","op":"eq","value":1}"#, false),
        (r#"{"meta":"ttl","op":"exists"}"#, true),
        (r#"{"meta":"ttl","op":"exists","value":false}"#, false),
        (&digest, true),
    ];
    for (filter, expected) in cases {
        assert_eq!(matches(filter), expected, "{filter}");
    }
    let for_ever = |whole: &mut Whole<'_>| whole.meta.expires_at = 0;
    for field in ["ttl", "expiresAt"] {
        let exists = format!(r#"{{"meta":"{field}","op":"exists"}}"#);
        assert!(!asked(&exists, for_ever), "what never expires has no {field}");
    }
    let by_its_key = |key: KeyRef<'static>| {
        let mut bytes = Vec::new();
        BodyBuilder::new(&mut bytes, key).finish();
        let filter = Filter::compile(br#"{"meta":"key","op":"in","value":[7,{"$bytes":"AAE="}]}"#).unwrap();
        filter.passes(&Whole { set: "", digest: Digest::default(), meta: META, size: 0, body: BodyRef::new(&bytes) })
    };
    assert!(by_its_key(KeyRef::Integer(7)) && by_its_key(KeyRef::Bytes(&[0, 1])) && !by_its_key(KeyRef::Bytes(&[7])));
}

/// A record as the index knows it, and a row of it.
struct Known(Option<ValueRef<'static>>);

impl Subject for Known {
    fn digest(&self) -> &Digest {
        const { &Digest([0; 20]) }
    }

    fn meta(&self) -> &Meta {
        &META
    }

    fn size(&self) -> u64 {
        120
    }

    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
        with("users")
    }

    fn body(&self) -> Option<BodyRef<'_>> {
        None
    }

    fn item(&self) -> Option<Item<'_>> {
        self.0.map(|value| Item { name: "list", value })
    }
}

#[test]
fn without_a_body_what_it_decides_is_open() {
    let holds = |filter: &str, item| Filter::compile(filter.as_bytes()).unwrap().holds(&Known(item));
    let (yes, no, open) =
        (r#"{"meta":"size","op":"eq","value":120}"#, r#"{"meta":"size","op":"eq","value":1}"#, r#"{"bin":"list","op":"eq","value":5}"#);
    let cases = [
        (yes.to_owned(), Some(true)),
        (no.to_owned(), Some(false)),
        (open.to_owned(), None),
        (format!(r#"{{"not":{yes}}}"#), Some(false)),
        (format!(r#"{{"not":{open}}}"#), None),
        (format!(r#"{{"and":[{open},{no}]}}"#), Some(false)),
        (format!(r#"{{"and":[{open},{yes}]}}"#), None),
        (format!(r#"{{"or":[{open},{yes}]}}"#), Some(true)),
        (format!(r#"{{"or":[{open},{no}]}}"#), None),
        (r#"{"meta":"key","op":"eq","value":"k1"}"#.to_owned(), None),
        (r#"{"expr":{"add":[{"meta":"size"},1]},"op":"eq","value":121}"#.to_owned(), Some(true)),
        (r#"{"expr":{"add":["list",1]},"op":"eq","value":121}"#.to_owned(), None),
    ];
    for (filter, expected) in cases {
        assert_eq!(holds(&filter, None), expected, "{filter}");
    }
    assert_eq!(holds(open, Some(ValueRef::Int(5))), Some(true), "the item of a row hides the bin of its name");
    assert_eq!(holds(open, Some(ValueRef::Int(6))), Some(false));
    assert_eq!(holds(r#"{"bin":"other","op":"eq","value":5}"#, Some(ValueRef::Int(5))), None);
}

#[test]
fn a_filter_knows_what_it_reads() {
    let (bin, meta, key) = (r#"{"bin":"a","op":"exists"}"#, r#"{"meta":"ttl","op":"exists"}"#, r#"{"meta":"key","op":"exists"}"#);
    let size = r#"{"not":{"meta":"size","op":"exists"}}"#;
    let expr = |part: &str| format!(r#"{{"expr":{part},"op":"exists"}}"#);
    // Body, index, size, bin `a`.
    let cases = [
        (bin.to_owned(), [true, false, false, true]),
        (r#"{"bin":"b","op":"exists"}"#.to_owned(), [true, false, false, false]),
        (meta.to_owned(), [false, true, false, false]),
        (key.to_owned(), [true, false, false, false]),
        (size.to_owned(), [false, true, true, false]),
        (format!(r#"{{"or":[{bin},{size}]}}"#), [true, true, true, true]),
        (format!(r#"{{"and":[{key},{meta}]}}"#), [true, true, false, false]),
        (expr(r#"{"abs":"a"}"#), [true, false, false, true]),
        (expr(r#"{"abs":{"meta":"size"}}"#), [false, true, true, false]),
        (expr(r#"{"abs":{"meta":"generation"}}"#), [false, true, false, false]),
    ];
    for (text, expected) in cases {
        let filter = Filter::compile(text.as_bytes()).unwrap();
        let found = [filter.reads_body(), filter.reads_index(), filter.reads_size(), filter.reads_bin("a")];
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_document_without_the_longest_wanted_string_is_not_looked_into() {
    let operand = |json: &str| {
        let mut bytes = Vec::new();
        parse_value(json.as_bytes(), &mut bytes).unwrap();
        Operand::new(&ValueRef::of(&bytes).to_value())
    };
    let possible = |wanted: &str, stored: &str| Contains::new(operand(wanted)).possible_in(operand(stored).as_bytes());
    let wanted = r#"{"a":["xy",{"b":"longest"}],"c":"z"}"#;
    assert!(possible(wanted, wanted) && possible(wanted, r#"["longest"]"#));
    assert!(!possible(wanted, r#"{"a":["xy",{"b":"longer"}],"c":"z"}"#) && !possible(r#""a""#, r#""b""#));
    assert!(possible("5", "null") && possible("{}", "null"));
}

#[test]
fn a_list_of_operands_has_each_once() {
    let list = In::new([1, 2, 1].map(|n| Operand::new(&Value::Int(n))).into_iter());
    let mut operands: Vec<_> = list.operands().map(|operand| operand.value().to_value()).collect();
    operands.sort_by_key(|value| *value == Value::Int(2));
    assert_eq!(operands, [Value::Int(1), Value::Int(2)]);
}

#[test]
fn cheap_parts_are_asked_first() {
    let parts = [
        r#"{"meta":"size","op":"exists"}"#,
        r#"{"bin":"a","op":"exists"}"#,
        r#"{"bin":"a","path":"b","op":"exists"}"#,
        r#"{"bin":"a","op":"in","value":[1]}"#,
        r#"{"bin":"a","any":"items","op":"eq","value":1}"#,
        r#"{"bin":"a","op":"contains","value":{}}"#,
    ];
    let cost = |text: &str| Filter::compile(text.as_bytes()).unwrap().cost();
    let costs = parts.map(cost);
    assert_eq!(costs, [0, 1, 2, 4, 20, 100]);
    assert_eq!(cost(r#"{"meta":"key","op":"exists"}"#), 1, "which takes the body");
    assert_eq!(cost(r#"{"bin":"a","op":"has","value":"x"}"#), 4);
    assert_eq!(cost(&format!(r#"{{"not":{}}}"#, parts[3])), 4);
    assert_eq!(cost(&format!(r#"{{"or":[{}]}}"#, parts.join(","))), 127);
    assert!(cost(r#"{"expr":{"add":["a",1]},"op":"exists"}"#) > cost(r#"{"expr":"a","op":"exists"}"#));
    let dearest_first: Vec<&str> = parts.into_iter().rev().collect();
    for text in [format!(r#"{{"and":[{}]}}"#, dearest_first.join(",")), format!(r#"{{"or":[{}]}}"#, dearest_first.join(","))] {
        let filter = Filter::compile(text.as_bytes()).unwrap();
        let (super::Node::And(nodes) | super::Node::Or(nodes)) = filter.root() else { panic!("{text}") };
        assert_eq!(nodes.iter().map(super::Node::cost).collect::<Vec<_>>(), costs);
    }
    let together = Filter::all(dearest_first.iter().map(|text| Filter::compile(text.as_bytes()).unwrap()).collect()).unwrap();
    let super::Node::And(nodes) = together.root() else { panic!("{together:?}") };
    assert_eq!(nodes.iter().map(super::Node::cost).collect::<Vec<_>>(), costs);
}

#[test]
fn filters_together_are_one() {
    assert!(Filter::all(vec![]).is_none());
    let compile = |text: &str| Filter::compile(text.as_bytes()).unwrap();
    let or = r#"{"or":[{"bin":"b","op":"exists"}]}"#;
    let one = Filter::all(vec![compile(or)]).unwrap();
    assert!(matches!(one.root(), super::Node::Or(_)));
    let all = Filter::all(vec![compile(r#"{"and":[{"bin":"a","op":"exists"},{"bin":"c","op":"exists"}]}"#), compile(or)]).unwrap();
    assert!(matches!(all.root(), super::Node::And(parts) if parts.len() == 3));
    assert_eq!(all.required().len(), 2);
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
            let mut bytes = Vec::new();
            BodyBuilder::new(&mut bytes, KeyRef::Integer(1)).finish();
            let whole = Whole { set: "", digest: Digest::default(), meta: META, size: 0, body: BodyRef::new(&bytes) };
            prop_assert!(filter.holds(&whole).is_some(), "a record that is at hand is decided");
        }
    }
}
