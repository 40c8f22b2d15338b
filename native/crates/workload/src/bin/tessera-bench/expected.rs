//! The answers of the two published queries, found by a plain loop over the CSV file with parsers that the engine does not use.

use crate::Failure;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The repository of the second query.
pub const REPOSITORY: i64 = 17_330_407;

/// What the payload must contain, with PostgreSQL's `@>` meaning.
pub fn wanted() -> Value {
    json!({ "commits": [{ "author": { "email": "test@gmail.com" } }] })
}

/// Ids of the events that each query must return.
#[derive(Default)]
pub struct Expected {
    pub rows: u64,
    pub all: BTreeSet<String>,
    pub one: BTreeSet<String>,
}

/// # Errors
/// When the file cannot be read, lacks a column, or holds a payload that is no JSON.
pub fn read(path: &Path) -> Result<Expected, Failure> {
    let mut reader = csv::Reader::from_path(path)?;
    let headers = reader.headers()?.clone();
    let column = |name: &str| headers.iter().position(|header| header == name).ok_or_else(|| format!("no column {name}"));
    let (id, kind, repository, payload) = (column("event_id")?, column("event_type")?, column("repo_id")?, column("payload")?);

    let wanted = wanted();
    let one = REPOSITORY.to_string();
    let mut expected = Expected::default();
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row)? {
        expected.rows += 1;
        if &row[kind] != "PushEvent" || !contains(&serde_json::from_str(&row[payload])?, &wanted) {
            continue;
        }
        expected.all.insert(row[id].to_owned());
        if row[repository] == one {
            expected.one.insert(row[id].to_owned());
        }
    }
    Ok(expected)
}

/// PostgreSQL's containment for an object asked of an object: every wanted member is in the stored one.
fn contains(stored: &Value, wanted: &Value) -> bool {
    match (stored, wanted) {
        (Value::Object(stored), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| stored.get(key).is_some_and(|own| contains(own, value)))
        }
        (Value::Array(stored), Value::Array(wanted)) => wanted.iter().all(|value| stored.iter().any(|own| contains(own, value))),
        _ => stored == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containment_ignores_order_and_what_was_not_asked_for() {
        let stored =
            json!({ "commits": [{ "author": { "email": "a@b.c" } }, { "sha": 1, "author": { "email": "test@gmail.com", "name": "T" } }] });
        assert!(contains(&stored, &wanted()));
        assert!(!contains(&json!({ "commits": [{ "author": { "name": "test@gmail.com" } }] }), &wanted()));
        assert!(!contains(&json!({ "commits": [] }), &wanted()));
    }
}
