//! Document indexes over whole records, and what an engine tells of an index that is written to.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tessera_base::ErrorCode;
use tessera_core::query::QuerySpec;
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec, MergeCounts};
use tessera_record::filter::Filter;
use tessera_record::json::{Shape, parse_bins};
use tessera_record::{BodyBuilder, KeyRef, Value, ValueRef, contains};

use tessera_record::sample::encoded;

const LONG: Duration = Duration::from_secs(60);

fn spec(name: &str) -> IndexSpec {
    IndexSpec { name: name.into(), set: None, bin: None, kind: IndexKind::Document, path: None, created_at_ms: 0 }
}

fn record(n: i64) -> String {
    format!(r#"{{"a":{},"b":{{"list":[{},"x"],"c":{}}},"d":["y",{}]}}"#, n % 3, n % 5, n % 7 == 0, n % 4)
}

fn put(namespace: &Namespace, key: i64, bins: &str) {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(key));
    parse_bins(bins.as_bytes(), Shape::Record, body.bins()).unwrap();
    body.finish();
    namespace.put("s", KeyRef::Integer(key), &bytes, &WriteOptions::default()).unwrap();
}

fn document(json: &str) -> Value {
    fn of(json: &serde_json::Value) -> Value {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(is) => Value::Bool(*is),
            serde_json::Value::Number(n) => Value::Int(n.as_i64().unwrap()),
            serde_json::Value::String(text) => Value::String(text.clone()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(of).collect()),
            serde_json::Value::Object(entries) => Value::Map(entries.iter().map(|(key, value)| (key.clone(), of(value))).collect()),
        }
    }
    of(&serde_json::from_str(json).unwrap())
}

fn keys(namespace: &Arc<Namespace>, filter: &str) -> (BTreeSet<i64>, &'static str) {
    let filter = Filter::compile(filter.as_bytes()).unwrap();
    let query = namespace.query(QuerySpec { filter: Some(filter.into()), ..QuerySpec::default() }).unwrap();
    let mut keys = BTreeSet::new();
    while let Some(chunk) = query.stream.next_blocking().unwrap() {
        for line in chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            keys.insert(serde_json::from_slice::<serde_json::Value>(line).unwrap()["key"].as_i64().unwrap());
        }
    }
    (keys, query.plan.method)
}

#[test]
fn a_record_contains_what_the_map_of_its_bins_contains() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("whole") }).unwrap();
    (0..300).for_each(|n| put(&namespace, n, &record(n)));
    assert_eq!(
        namespace.create_index(IndexSpec { kind: IndexKind::Range, ..spec("r") }, 1).err().map(|error| error.code),
        Some(ErrorCode::ConfigInvalid)
    );
    assert!(namespace.create_index(spec("records"), 2).unwrap().wait_blocking(LONG).error.is_none());
    (200..400).for_each(|n| put(&namespace, n, &record(n + 1)));
    let stored = |n: i64| record(if n < 200 { n } else { n + 1 });
    for (wanted, narrowed) in [
        (r#"{"a":1}"#, true),
        (r#"{"a":1,"b":{"list":[3]}}"#, true),
        (r#"{"b":{"c":true},"d":[2]}"#, true),
        (r#"{"d":["y"]}"#, true),
        (r#"{"d":[]}"#, false),
        (r#"{"b":{"list":["x",4]}}"#, true),
        (r#"{"b":{"list":4}}"#, true),
        (r#"{"d":2}"#, true),
        (r#"{"b":{"nothing":{}}}"#, false),
    ] {
        let encoded_wanted = encoded(&document(wanted));
        let holds = |n: &i64| contains(ValueRef::of(&encoded(&document(&stored(*n)))), ValueRef::of(&encoded_wanted));
        let expected: BTreeSet<i64> = (0..400).filter(holds).collect();
        let (found, method) = keys(&namespace, &format!(r#"{{"op":"contains","value":{wanted}}}"#));
        assert_eq!(found, expected, "{wanted}");
        assert_eq!(method == "document-index", narrowed, "{wanted} by {method}");
    }
    let (found, method) =
        keys(&namespace, r#"{"and":[{"bin":"b","path":"c","op":"eq","value":true},{"bin":"d","op":"contains","value":"y"}]}"#);
    assert_eq!((found.len(), method), ((0..400).filter(|n| (if *n < 200 { *n } else { n + 1 }) % 7 == 0).count(), "document-index"));
    engine.close().unwrap();
}

#[test]
fn a_record_is_asked_for_by_an_object_of_bins() {
    for (filter, field) in [
        (r#"{"op":"contains","value":5}"#, "where.value"),
        (r#"{"op":"contains","value":{}}"#, "where.value"),
        (r#"{"op":"contains","value":{"":1}}"#, "where.value."),
        (r#"{"op":"contains"}"#, "where.bin"),
        (r#"{"op":"contains","path":"a","value":{"a":1}}"#, "where.bin"),
        (r#"{"op":"eq","value":{"a":1}}"#, "where.bin"),
    ] {
        let error = Filter::compile(filter.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::FilterInvalid, Some(field)), "{filter}");
    }
}

#[test]
fn what_is_written_is_merged_in_the_background() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 1, ..NamespaceConfig::memory("merged") }).unwrap();
    assert!(namespace.create_index(spec("records"), 1).unwrap().wait_blocking(LONG).error.is_none());
    (0..5000).for_each(|n| put(&namespace, n % 2000, &record(n)));
    let begun = Instant::now();
    let stats = loop {
        let info = namespace.index("records").unwrap();
        // Fewer than a sixty-fourth of what is merged stay beside it once writes pause.
        if info.stats.recent <= info.stats.entries / 64 && info.merges == MergeCounts::default() {
            break info.stats;
        }
        assert!(begun.elapsed() < LONG, "{info:?}");
        std::thread::yield_now();
    };
    assert!(stats.terms - stats.recent < 100, "each merged term is counted once: {stats:?}");
    assert_eq!(
        keys(&namespace, r#"{"op":"contains","value":{"a":1,"d":[3]}}"#).0.len(),
        (3000..5000).filter(|n| n % 3 == 1 && n % 4 == 3).count()
    );
    engine.close().unwrap();
}
