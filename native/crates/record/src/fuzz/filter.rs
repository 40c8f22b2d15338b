//! Filters of scans and queries, asked of records.

use crate::filter::{Filter, Subject};
use crate::json::{Shape, parse_bins};
use crate::{BodyBuilder, BodyRef, Digest, KeyRef, Meta};
use tessera_base::{ErrorCode, limits};

/// A record that is nowhere.
struct Record<'a>(BodyRef<'a>, Digest);

impl Subject for Record<'_> {
    fn digest(&self) -> &Digest {
        &self.1
    }

    fn meta(&self) -> &Meta {
        &Meta { generation: 3, expires_at: 4_102_444_800, updated_at: 1_700_000_000_000 }
    }

    fn size(&self) -> u64 {
        120
    }

    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
        with("set")
    }

    fn body(&self) -> Option<BodyRef<'_>> {
        Some(self.0)
    }
}

/// A filter, a line feed, and the bins of a record.
pub fn run(data: &[u8]) {
    let (text, bins) = data.split_at(data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len()));
    let filter = match Filter::compile(text) {
        Ok(filter) => filter,
        Err(error) => {
            assert!(error.field.is_some_and(|field| field.starts_with("where")), "{}", error.message);
            return;
        }
    };
    assert!(filter.required().len() <= limits::FILTER_TESTS);
    let mut bytes = vec![];
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
    if parse_bins(bins, Shape::Record, body.bins()).is_err() {
        return;
    }
    body.finish();
    let record = Record(BodyRef::new(&bytes), Digest::of("set", KeyRef::Integer(1)));
    let holds = |filter: &Filter| filter.holds(&record).unwrap_or_default();
    assert!(filter.holds(&record).is_some(), "a record with its body is decided");
    let matches = holds(&filter);
    for (around, expected) in [
        (["{\"not\":", "}"], !matches),
        (["{\"and\":[", "]}"], matches),
        (["{\"or\":[", "]}"], matches),
        (["{\"expr\":{\"is\":", "},\"op\":\"eq\",\"value\":true}"], matches),
    ] {
        let text = [around[0].as_bytes(), text, around[1].as_bytes()].concat();
        match Filter::compile(&text) {
            Ok(wrapped) => assert_eq!(holds(&wrapped), expected, "{}", String::from_utf8_lossy(&text)),
            // One level deeper, or a few bytes longer, than may be.
            Err(error) => assert!(matches!(error.code, ErrorCode::FilterInvalid | ErrorCode::NestingTooDeep), "{error}"),
        }
    }
}

/// Filters with every operator, and records for them.
pub fn seeds() -> Vec<Vec<u8>> {
    let bins = r#"{"a":5,"s":"text","d":{"k":[1,2.5,"x",{"y":null}]},"b":{"$bytes":"AP8="},"t":true}"#;
    let filters = [
        r#"{"bin":"a","op":"eq","value":5.0}"#,
        r#"{"and":[{"bin":"a","op":"ge","value":-1},{"not":{"bin":"s","op":"prefix","value":"te"}}]}"#,
        r#"{"or":[{"bin":"a","op":"in","value":[1,"5",5,null,[1]]},{"bin":"z","op":"exists","value":false}]}"#,
        r#"{"bin":"d","op":"contains","value":{"k":[{"y":null},"x"]}}"#,
        r#"{"bin":"d","path":"k","op":"ne","value":[1,2.5]}"#,
        r#"{"bin":"d","path":["k"],"op":"contains","value":[1]}"#,
        r#"{"bin":"b","op":"lt","value":{"$bytes":"AQ=="}}"#,
        r#"{"or":[{"bin":"d","path":"k","any":"items","op":"between","value":[2,3.5]},{"bin":"d","all":"keys","op":"eq","value":"k"}]}"#,
        r#"{"bin":"d","all":"values","op":"contains","value":["x"]}"#,
        r#"{"and":[{"meta":"generation","op":"ge","value":3},{"meta":"digest","modulo":10,"op":"lt","value":11}]}"#,
        r#"{"or":[{"meta":"updatedAt","op":"gt","value":"2026-01-31T23:59:59.5Z"},{"meta":"ttl","op":"exists","value":false}]}"#,
        r#"{"and":[{"meta":"key","op":"in","value":[1,"1"]},{"meta":"size","op":"le","value":120}]}"#,
        r#"{"expr":{"div":[{"add":["a",{"bin":"d","path":"k[1]"},9223372036854775807]},{"neg":{"mod":["a",3]}}]},"op":"gt","value":-1e19}"#,
        r#"{"expr":{"mul":[{"floor":2.5},{"round":"a"},{"ceil":"a"},{"abs":{"sub":["a",7]}}]},"op":"in","value":[1,120]}"#,
        r#"{"expr":{"substring":[{"concat":[{"upper":"s"},{"meta":"set"},{"lower":"s"}]},-7,{"length":"d"}]},"op":"prefix","value":"e"}"#,
        r#"{"or":[{"expr":{"coalesce":["z",{"min":["a",{"max":["a",4.5]}]}]},"op":"eq","value":4.5},{"expr":{"value":[1]},"op":"has","value":"x"}]}"#,
        r#"{"expr":{"if":[{"expr":{"is":{"meta":"ttl","op":"gt","value":0}},"op":"eq","value":true},{"meta":"digest","modulo":3},"a"]},"op":"lt","value":9}"#,
    ];
    filters.map(|filter| format!("{filter}\n{bins}").into_bytes()).to_vec()
}
