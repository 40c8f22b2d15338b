//! Existence and paths against the answers of a PostgreSQL 15, which `data/make-containment.py` has asked.

use serde_json::{Value, json};
use tessera_base::Result;
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, KeyRef};

use crate::documents::bare::matches_body;
use tessera_record::sample::encode;

fn cases(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect()
}

/// Asks a document the test of a case, which `op` and `value` complete.
fn passes(case: &Value, op: &Value, value: &Value) -> Result<bool> {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
    body.encoded_bin("doc", &encode(case["stored"].as_str().unwrap_or_default()))?;
    body.finish();
    let mut test = json!({ "bin": "doc", "op": op, "value": value });
    if case["path"].as_array().is_some_and(|path| !path.is_empty()) {
        test["path"] = case["path"].clone();
    }
    Ok(matches_body(&Filter::compile(test.to_string().as_bytes())?, &bytes))
}

#[test]
fn existence_means_what_postgresql_means() {
    let cases = cases(include_str!("../data/existence.jsonl"));
    assert!(cases.len() >= 200);
    for case in &cases {
        let value = if case["op"] == "has" { &case["keys"][0] } else { &case["keys"] };
        assert_eq!(passes(case, &case["op"], value).unwrap(), case["expected"].as_bool().unwrap(), "{case}");
    }
}

#[test]
fn paths_lead_where_those_of_postgresql_lead() {
    let cases = cases(include_str!("../data/paths.jsonl"));
    assert!(cases.len() >= 100);
    for case in &cases {
        let wanted: Value = serde_json::from_str(case["wanted"].as_str().unwrap()).unwrap();
        assert_eq!(passes(case, &json!("eq"), &wanted).unwrap(), case["expected"].as_bool().unwrap(), "{case}");
    }
}
