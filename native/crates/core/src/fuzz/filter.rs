//! Filters of scans and queries, asked of records.

use crate::error::ErrorCode;
use crate::filter::Filter;
use crate::limits;
use crate::record::json::{Shape, parse_bins};
use crate::record::{BodyBuilder, BodyRef, KeyRef};

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
    let body = BodyRef::new(&bytes);
    let matches = filter.matches(&body);
    for (around, expected) in [(["{\"not\":", "}"], !matches), (["{\"and\":[", "]}"], matches), (["{\"or\":[", "]}"], matches)] {
        let text = [around[0].as_bytes(), text, around[1].as_bytes()].concat();
        match Filter::compile(&text) {
            Ok(wrapped) => assert_eq!(wrapped.matches(&body), expected, "{}", String::from_utf8_lossy(&text)),
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
    ];
    filters.map(|filter| format!("{filter}\n{bins}").into_bytes()).to_vec()
}
