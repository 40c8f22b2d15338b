//! What expressions come to, that integers stay exact, and what is refused.

use super::Expression;
use crate::filter::request_reader::RequestReader;
use crate::filter::{Filter, Item, Row, Subject};
use crate::json::{Shape, parse_bins, write_value};
use crate::{BodyBuilder, BodyRef, Digest, KeyRef, Meta, ValueRef};
use proptest::prelude::*;
use tessera_base::limits::{EXPRESSION_DEPTH, EXPRESSION_TERMS, EXPRESSION_TEXT_BYTES, FILTER_BYTES};
use tessera_base::{ErrorCode, Result};

/// A record with a body, or as an index knows it.
struct Record {
    body: Option<Vec<u8>>,
    digest: Digest,
}

impl Record {
    fn of(bins: &str) -> Self {
        let mut bytes = Vec::new();
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::String("k1"));
        parse_bins(bins.as_bytes(), Shape::Record, body.bins()).unwrap();
        body.finish();
        Self { body: Some(bytes), digest: Digest::default() }
    }

    const fn without_body() -> Self {
        Self { body: None, digest: Digest([0; 20]) }
    }
}

impl Subject for Record {
    fn digest(&self) -> &Digest {
        &self.digest
    }

    fn meta(&self) -> &Meta {
        const { &Meta { generation: 3, expires_at: 0, updated_at: 1_700_000_000_000 } }
    }

    fn size(&self) -> u64 {
        120
    }

    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
        with("users")
    }

    fn body(&self) -> Option<BodyRef<'_>> {
        self.body.as_ref().map(|bytes| BodyRef::new(bytes))
    }
}

/// As one that stands alone.
fn compile(text: &str) -> Result<Expression> {
    RequestReader::read(text.as_bytes(), "expr", FILTER_BYTES, ErrorCode::QueryInvalid, RequestReader::expression)
}

fn compiled(text: &str) -> Expression {
    compile(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The value as JSON; `None` where there is none.
fn of(text: &str, subject: &impl Subject) -> Option<String> {
    let json = |value: ValueRef<'_>| {
        let mut out = Vec::new();
        write_value(&mut out, value, Shape::Record);
        String::from_utf8(out).unwrap()
    };
    compiled(text).value(subject, |value| value.map(json)).unwrap()
}

const BINS: &str = r#"{"a":5,"b":2,"d":2.5,"s":"Größe","e":"","t":true,"n":null,"l":[1,[2],"x"],"m":{"k":{"v":7},"w":null},
    "y":{"$bytes":"AP8B"},"max":9223372036854775807,"min":-9223372036854775808,"odd":9007199254740993}"#;

#[test]
fn expressions_come_to_what_they_say() {
    let record = Record::of(BINS);
    for (text, expected) in [
        // Where values come from.
        (r#""a""#, "5"),
        (r#"{"bin":"a"}"#, "5"),
        (r#"{"bin":"m","path":"k.v"}"#, "7"),
        (r#"{"bin":"l","path":["x"]}"#, ""),
        (r#"{"bin":"l","path":"[1][0]"}"#, "2"),
        (r#""absent""#, ""),
        (r#""n""#, "null"),
        (r#"{"meta":"generation"}"#, "3"),
        (r#"{"meta":"updatedAt"}"#, "1700000000000"),
        (r#"{"meta":"size"}"#, "120"),
        (r#"{"meta":"set"}"#, r#""users""#),
        (r#"{"meta":"key"}"#, r#""k1""#),
        (r#"{"meta":"ttl"}"#, ""),
        (r#"{"meta":"digest","modulo":1}"#, "0"),
        (r#"{"value":"a"}"#, r#""a""#),
        (r#"{"value":[1,{"b":null}]}"#, r#"[1,{"b":null}]"#),
        ("9007199254740993", "9007199254740993"),
        ("true", "true"),
        // Numbers.
        (r#"{"add":["a","b",1]}"#, "8"),
        (r#"{"add":["a","d"]}"#, "7.5"),
        (r#"{"add":["max",1,-1]}"#, "9223372036854775807"),
        (r#"{"add":["max",1]}"#, ""),
        (r#"{"add":["odd",0]}"#, "9007199254740993"),
        (r#"{"add":["a","s"]}"#, ""),
        (r#"{"add":["a","n"]}"#, ""),
        (r#"{"add":["a","absent"]}"#, ""),
        (r#"{"add":["a","t"]}"#, ""),
        (r#"{"add":[1e308,1e308]}"#, ""),
        (r#"{"sub":["a","b"]}"#, "3"),
        (r#"{"sub":["min",1]}"#, ""),
        (r#"{"mul":["a","b","d"]}"#, "25.0"),
        (r#"{"mul":["max","max","max","max",0]}"#, "0"),
        (r#"{"mul":[1000000000000000000,1000000000000000000,1000000000000000000,1e-40]}"#, "100000000000000.0"),
        (r#"{"mul":[4611686018427387904,2,-1]}"#, "-9223372036854775808"),
        (r#"{"mul":[4611686018427387904,2]}"#, ""),
        (r#"{"div":[6,"b"]}"#, "3"),
        (r#"{"div":["a","b"]}"#, "2.5"),
        (r#"{"div":["a",0]}"#, ""),
        (r#"{"div":["a",0.0]}"#, ""),
        (r#"{"div":[0.0,0.0]}"#, ""),
        (r#"{"div":["min",-1]}"#, ""),
        (r#"{"mod":["a","b"]}"#, "1"),
        (r#"{"mod":[-5,3]}"#, "-2"),
        (r#"{"mod":["min",-1]}"#, "0"),
        (r#"{"mod":[5.5,2]}"#, "1.5"),
        (r#"{"mod":["a",0]}"#, ""),
        (r#"{"mod":["a",0.0]}"#, ""),
        (r#"{"neg":"a"}"#, "-5"),
        (r#"{"neg":"min"}"#, ""),
        (r#"{"abs":-2.5}"#, "2.5"),
        (r#"{"abs":"min"}"#, ""),
        (r#"{"floor":-2.5}"#, "-3"),
        (r#"{"ceil":"d"}"#, "3"),
        (r#"{"round":2.5}"#, "3"),
        (r#"{"round":-2.5}"#, "-3"),
        (r#"{"floor":"max"}"#, "9223372036854775807"),
        (r#"{"floor":1e300}"#, "1e+300"),
        (r#"{"floor":"s"}"#, ""),
        (r#"{"min":["a","d",7]}"#, "2.5"),
        (r#"{"max":["odd",9007199254740992.0]}"#, "9007199254740993"),
        (r#"{"max":["s",{"value":"Z"}]}"#, r#""Z""#),
        (r#"{"min":["y",{"value":{"$bytes":"AA=="}}]}"#, r#"{"$bytes":"AA=="}"#),
        (r#"{"min":["a","s"]}"#, ""),
        (r#"{"max":["t","t"]}"#, ""),
        (r#"{"max":["a","n"]}"#, ""),
        // Strings.
        (r#"{"length":"s"}"#, "5"),
        (r#"{"length":"y"}"#, "3"),
        (r#"{"length":"l"}"#, "3"),
        (r#"{"length":"m"}"#, "2"),
        (r#"{"length":"a"}"#, ""),
        (r#"{"upper":"s"}"#, r#""GRÖSSE""#),
        (r#"{"lower":{"upper":"s"}}"#, r#""grösse""#),
        (r#"{"lower":"a"}"#, ""),
        (r#"{"concat":["s",{"value":"/"},{"meta":"set"}]}"#, r#""Größe/users""#),
        (r#"{"concat":["s","a"]}"#, ""),
        (r#"{"substring":["s",2]}"#, r#""öße""#),
        (r#"{"substring":["s",2,2]}"#, r#""öß""#),
        (r#"{"substring":["s",-2]}"#, r#""ße""#),
        (r#"{"substring":["s",-9,1]}"#, r#""G""#),
        (r#"{"substring":["s",9]}"#, r#""""#),
        (r#"{"substring":["s",0,99]}"#, r#""Größe""#),
        (r#"{"substring":["s",0,0]}"#, r#""""#),
        (r#"{"substring":["s",1.0,1]}"#, r#""r""#),
        (r#"{"substring":["s",0.5]}"#, ""),
        (r#"{"substring":["s",0,-1]}"#, ""),
        (r#"{"substring":["e",-1]}"#, r#""""#),
        (r#"{"substring":["s",-9223372036854775808]}"#, r#""Größe""#),
        (r#"{"substring":[{"lower":"s"},1,3]}"#, r#""röß""#),
        (r#"{"substring":["y",0]}"#, ""),
        // Choices.
        (r#"{"coalesce":["absent","n","a","b"]}"#, "5"),
        (r#"{"coalesce":[{"div":[1,0]},"d"]}"#, "2.5"),
        (r#"{"coalesce":["absent","n"]}"#, ""),
        (r#"{"if":[{"bin":"a","op":"gt","value":4},{"value":"big"},{"value":"small"}]}"#, r#""big""#),
        (r#"{"if":[{"bin":"absent","op":"exists"},"a",{"div":["b",0]}]}"#, ""),
        (r#"{"if":[{"expr":{"mod":["a",2]},"op":"eq","value":1},{"value":null},1]}"#, "null"),
        (r#"{"is":{"or":[{"bin":"a","op":"lt","value":1},{"meta":"set","op":"eq","value":"users"}]}}"#, "true"),
        (r#"{"is":{"op":"contains","value":{"a":6}}}"#, "false"),
    ] {
        assert_eq!(of(text, &record).unwrap_or_default(), expected, "{text}");
    }
}

#[test]
fn what_the_metadata_decides_takes_no_body() {
    let (index, whole) = (Record::without_body(), Record::of(BINS));
    for (text, reads_body, reads_size) in [
        ("1", false, false),
        (r#"{"add":[{"meta":"generation"},{"meta":"size"}]}"#, false, true),
        (r#"{"concat":[{"meta":"set"}]}"#, false, false),
        (r#"{"is":{"meta":"size","op":"gt","value":1}}"#, false, true),
        (r#"{"if":[{"expr":{"meta":"size"},"op":"gt","value":1},{"meta":"generation"},{"value":2}]}"#, false, true),
        (r#"{"substring":[{"meta":"set"},0,{"meta":"generation"}]}"#, false, false),
        (r#""a""#, true, false),
        (r#"{"meta":"key"}"#, true, false),
        (r#"{"coalesce":["absent",{"meta":"generation"}]}"#, true, false),
        (r#"{"substring":[{"meta":"set"},0,"b"]}"#, true, false),
        (r#"{"if":[{"bin":"a","op":"exists"},1,2]}"#, true, false),
    ] {
        let expression = compiled(text);
        assert_eq!((expression.reads_body(), expression.reads_size()), (reads_body, reads_size), "{text}");
        assert_eq!(expression.value(&index, |value| value.is_some()), (!reads_body).then_some(true), "{text}");
        assert_eq!(expression.value(&whole, |value| value.is_some()), Some(true), "{text}");
        let filter = Filter::compile(format!(r#"{{"expr":{text},"op":"exists"}}"#).as_bytes()).unwrap();
        assert_eq!((filter.reads_body(), filter.reads_index(), filter.reads_size()), (reads_body, !reads_body, reads_size), "{text}");
        assert_eq!(filter.holds(&index), (!reads_body).then_some(true), "{text}");
    }
    // One branch is known without a body, the other is not.
    let first = compiled(r#"{"if":[{"meta":"generation","op":"eq","value":3},{"meta":"set"},"a"]}"#);
    assert_eq!((first.reads_body(), first.value(&index, |value| value.is_some())), (true, Some(true)));
}

#[test]
fn a_filter_tests_expressions() {
    let record = Record::of(BINS);
    for (filter, expected) in [
        (r#"{"expr":{"add":["a","b"]},"op":"eq","value":7.0}"#, true),
        (r#"{"expr":{"mul":["a","d"]},"op":"between","value":[12,13]}"#, true),
        (r#"{"expr":{"lower":"s"},"op":"prefix","value":"grö"}"#, true),
        (r#"{"expr":{"mod":["a",3]},"op":"in","value":[0,1]}"#, false),
        (r#"{"expr":{"div":["a",0]},"op":"exists"}"#, false),
        (r#"{"expr":{"div":["a",0]},"op":"exists","value":false}"#, true),
        (r#"{"expr":{"div":["a",0]},"op":"ne","value":1}"#, true),
        (r#"{"expr":"n","op":"eq","value":null}"#, true),
        (r#"{"expr":{"coalesce":["absent","m"]},"op":"contains","value":{"k":{}}}"#, true),
        (r#"{"expr":{"coalesce":["absent","l"]},"op":"has","value":"x"}"#, true),
        (
            r#"{"and":[{"bin":"a","op":"eq","value":5},{"not":{"expr":{"is":{"bin":"t","op":"eq","value":true}},"op":"eq","value":true}}]}"#,
            false,
        ),
    ] {
        let compiled = Filter::compile(filter.as_bytes()).unwrap();
        assert_eq!(compiled.holds(&record), Some(expected), "{filter}");
        assert!(compiled.required().iter().all(|test| &*test.bin == "a"), "no index knows of expressions");
    }
}

#[test]
fn an_item_hides_the_bin_of_its_name() {
    let (record, item) = (Record::of(BINS), Record::of(r#"{"i":{"b":1,"v":40}}"#));
    let item = item.body().unwrap().bin("i").unwrap();
    let row = Row { record: &record, item: Item { name: "b", value: item } };
    for (text, expected, of_item) in [
        (r#"{"add":[{"bin":"b","path":"v"},"a"]}"#, "45", true),
        (r#""b""#, r#"{"b":1,"v":40}"#, true),
        (r#"{"is":{"bin":"b","path":"v","op":"eq","value":40}}"#, "true", true),
        (r#"{"is":{"bin":"b","any":"values","op":"eq","value":1}}"#, "true", true),
        (r#"{"is":{"expr":{"length":"b"},"op":"eq","value":2}}"#, "true", true),
        (r#"{"is":{"op":"contains","value":{"b":{"v":40}}}}"#, "true", true),
        (r#"{"length":"s"}"#, "5", false),
    ] {
        assert_eq!((of(text, &row).unwrap_or_default().as_str(), compiled(text).reads_bin("b")), (expected, of_item), "{text}");
    }
}

#[test]
fn a_string_that_is_made_has_a_longest_length() {
    let half = "x".repeat(EXPRESSION_TEXT_BYTES / 2);
    let record = Record::of(&format!(r#"{{"h":"{half}","ss":"{}","one":"x"}}"#, "ŉ".repeat(EXPRESSION_TEXT_BYTES / 2 - 1)));
    assert_eq!(compiled(r#"{"length":{"concat":["h","h"]}}"#).value(&record, |value| value.is_some()), Some(true));
    for text in [r#"{"concat":["h","h","one"]}"#, r#"{"upper":"ss"}"#] {
        assert_eq!(compiled(text).value(&record, |value| value.is_some()), Some(false), "{text}");
    }
}

#[test]
fn expressions_have_names_and_are_written_as_they_were_read() {
    for (text, name) in [
        (r#""a""#, Some("a")),
        (r#"{"bin":"a","path":"b[0].c[1]"}"#, Some("c")),
        (r#"{"meta":"updatedAt"}"#, Some("updatedAt")),
        (r#"{"add":["a",1]}"#, None),
    ] {
        let expression = compiled(text);
        assert_eq!((expression.name().as_deref(), expression.to_string().as_str()), (name, text));
        assert_eq!(format!("{expression:?}"), format!("Expression({text})"));
    }
}

#[test]
fn what_is_wrong_is_named_by_its_path() {
    let nested = |depth: usize| format!("{}1{}", r#"{"neg":"#.repeat(depth), "}".repeat(depth));
    assert!(compile(&nested(EXPRESSION_DEPTH - 1)).is_ok());
    let (deep, deepest) = (nested(EXPRESSION_DEPTH), format!("expr{}", ".neg".repeat(EXPRESSION_DEPTH)));
    // Filters between them do not hide how deep they are.
    let (open, close) = (r#"{"is":{"expr":"#, r#","op":"exists"}}"#);
    let through = format!("{}1{}", open.repeat(EXPRESSION_DEPTH), close.repeat(EXPRESSION_DEPTH));
    let throughout = format!("expr{}", ".is.expr".repeat(EXPRESSION_DEPTH));
    let many = |parts: usize| format!(r#"{{"add":[{}]}}"#, vec!["1"; parts].join(","));
    assert!(compile(&many(EXPRESSION_TERMS - 1)).is_ok());
    let (most, past) = (many(EXPRESSION_TERMS), format!("expr.add[{}]", EXPRESSION_TERMS - 1));
    let brackets = format!("{}1{}", r#"{"add":["#.repeat(40), "]}".repeat(40));
    for (text, field) in [
        ("null", "expr"),
        ("[]", "expr"),
        ("{}", "expr"),
        (r#""""#, "expr"),
        (r#"{"bin":7}"#, "expr.bin"),
        (r#"{"bin":"a","path":"b[*]"}"#, "expr.path"),
        (r#"{"bin":"a","modulo":2}"#, "expr.modulo"),
        (r#"{"path":"a"}"#, "expr.path"),
        (r#"{"path":"a","meta":"size"}"#, "expr.meta"),
        (r#"{"meta":"age"}"#, "expr.meta"),
        (r#"{"meta":"digest"}"#, "expr.modulo"),
        (r#"{"meta":"size","modulo":2}"#, "expr.modulo"),
        (r#"{"value":1,"bin":"a"}"#, "expr.bin"),
        (r#"{"power":["a",2]}"#, "expr.power"),
        (r#"{"add":["a"],"sub":["a","b"]}"#, "expr.sub"),
        (r#"{"add":"a"}"#, "expr.add"),
        (r#"{"add":[]}"#, "expr.add"),
        (r#"{"add":["a",{"mul":["b",[]]}]}"#, "expr.add[1].mul[1]"),
        (r#"{"sub":["a"]}"#, "expr.sub"),
        (r#"{"sub":["a","b","c"]}"#, "expr.sub"),
        (r#"{"sub":["a",{"neg":null}]}"#, "expr.sub[1].neg"),
        (r#"{"neg":["a"]}"#, "expr.neg"),
        (r#"{"substring":["a"]}"#, "expr.substring"),
        (r#"{"substring":["a",1,2,3]}"#, "expr.substring"),
        (r#"{"substring":["a",1,null]}"#, "expr.substring[2]"),
        (r#"{"if":[{"bin":"a","op":"exists"},1]}"#, "expr.if"),
        (r#"{"if":[{"bin":"a","op":"like"},1,2]}"#, "expr.if[0].op"),
        (r#"{"if":[{"and":[{"bin":"a","op":"eq"}]},1,2]}"#, "expr.if[0].and[0].value"),
        (r#"{"is":"a"}"#, "expr.is"),
        (r#"{"is":{"expr":{"add":1},"op":"exists"}}"#, "expr.is.expr.add"),
        (&deep, &deepest),
        (&through, &throughout),
        (&most, &past),
    ] {
        let error = compile(text).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::QueryInvalid, Some(field)), "{text:.200}");
    }
    assert_eq!(compile(&brackets).unwrap_err().code, ErrorCode::NestingTooDeep);
    for (text, field) in [
        (r#"{"expr":{"add":[]},"op":"exists"}"#, "where.expr.add"),
        (r#"{"and":[{"expr":"a","op":"exists","bin":"b"}]}"#, "where.and[0].bin"),
        (r#"{"expr":"a","any":"items","op":"exists"}"#, "where.any"),
        (r#"{"expr":"a","path":"b","op":"exists"}"#, "where.path"),
        (r#"{"expr":"a"}"#, "where.op"),
        (r#"{"expr":"a","op":"lt","value":true}"#, "where.value"),
    ] {
        let error = Filter::compile(text.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::FilterInvalid, Some(field)), "{text}");
    }
}

fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -9..9_i64, (i64::MAX - 9)..=i64::MAX, i64::MIN..(i64::MIN + 9)]
}

proptest! {
    /// Each result is that of 128 bits where 64 hold it, else none.
    #[test]
    fn integers_are_exact_or_missing(a in integer(), b in integer(), c in integer()) {
        let record = Record::of(&format!(r#"{{"a":{a},"b":{b},"c":{c}}}"#));
        let [x, y, z] = [a, b, c].map(i128::from);
        let fits = |n: i128| i64::try_from(n).ok().map(|n| n.to_string());
        let is = |text: &str| of(text, &record);
        prop_assert_eq!(is(r#"{"add":["a","b","c"]}"#), fits(x + y + z));
        prop_assert_eq!(is(r#"{"sub":["a","b"]}"#), fits(x - y));
        prop_assert_eq!(is(r#"{"mul":["a","b","c"]}"#), fits((x * y).saturating_mul(z)));
        prop_assert_eq!(is(r#"{"neg":"a"}"#), fits(-x));
        prop_assert_eq!(is(r#"{"abs":"a"}"#), fits(x.abs()));
        prop_assert_eq!(is(r#"{"mod":["a","b"]}"#), x.checked_rem(y).and_then(fits));
        prop_assert_eq!(is(r#"{"min":["a","b","c"]}"#), fits(x.min(y).min(z)));
        prop_assert_eq!(is(r#"{"max":["a","b","c"]}"#), fits(x.max(y).max(z)));
        let quotient = is(r#"{"div":["a","b"]}"#);
        match x.checked_rem(y) {
            None => prop_assert_eq!(quotient, None),
            Some(0) => prop_assert_eq!(quotient, fits(x / y)),
            Some(_) => prop_assert_eq!(quotient.and_then(|text| text.parse().ok()), Some(a as f64 / b as f64)),
        }
    }

    /// Each result is that of doubles where it is finite, else none.
    #[test]
    fn doubles_are_finite_or_missing(a in any::<f64>(), b in any::<f64>(), n in integer()) {
        prop_assume!(a.is_finite() && b.is_finite());
        let record = Record::of(&format!(r#"{{"a":{a:?},"b":{b:?},"n":{n}}}"#));
        let finite = |d: f64| d.is_finite().then_some(d);
        let is = |text: &str| of(text, &record).map(|text| text.parse::<f64>().unwrap());
        prop_assert_eq!(is(r#"{"add":["a","b"]}"#), finite(a + b));
        prop_assert_eq!(is(r#"{"add":["n","a"]}"#), finite(n as f64 + a));
        prop_assert_eq!(is(r#"{"sub":["a","n"]}"#), finite(a - n as f64));
        prop_assert_eq!(is(r#"{"mul":["a","b"]}"#), finite(a * b));
        prop_assert_eq!(is(r#"{"div":["a","b"]}"#), finite(a / b));
        prop_assert_eq!(is(r#"{"mod":["a","b"]}"#), finite(a % b));
        prop_assert_eq!(is(r#"{"max":["a","b"]}"#), Some(a.max(b)));
        prop_assert_eq!(is(r#"{"floor":"a"}"#), Some(a.floor()));
        prop_assert_eq!(is(r#"{"ceil":"a"}"#), Some(a.ceil()));
        prop_assert_eq!(is(r#"{"round":"a"}"#), Some(a.round()));
    }

    /// As a loop over the characters has it.
    #[test]
    fn substrings_are_those_of_characters(text in "[a-zß€𝄞]{0,12}", from in -15..15_i64, count in 0..15_usize) {
        let characters: Vec<char> = text.chars().collect();
        let start = if from < 0 { characters.len().saturating_sub(from.unsigned_abs() as usize) } else { from as usize };
        let expected: String = characters.iter().skip(start).take(count).collect();
        let rest: String = characters.iter().skip(start).collect();
        let record = Record::of(&serde_json::json!({ "t": text }).to_string());
        let quoted = |text: &str| Some(serde_json::json!(text).to_string());
        prop_assert_eq!(of(&format!(r#"{{"substring":["t",{from},{count}]}}"#), &record), quoted(&expected));
        prop_assert_eq!(of(&format!(r#"{{"substring":[{{"concat":["t"]}},{from}]}}"#), &record), quoted(&rest));
        prop_assert_eq!(of(r#"{"length":"t"}"#, &record), Some(characters.len().to_string()));
    }
}
