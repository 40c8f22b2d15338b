//! Namespaces whose records have one bin: what they take, what it is called, what it costs.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::{bin, body};
use crate::pages::paged;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_core::exchange::{BatchOptions, write_records};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Exists, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec};
use tessera_record::{KeyRef, Value};

fn with(config: NamespaceConfig, check: impl Fn(Arc<Namespace>)) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    check(engine.create_namespace(NamespaceConfig { single_bin: true, segments: 4, ..config }).unwrap());
}

fn everywhere(check: impl Fn(Arc<Namespace>)) {
    with(NamespaceConfig::memory("a"), &check);
    with(NamespaceConfig::device("a", DeviceConfig::default()), &check);
    with(paged("a", 4096), &check);
}

fn put(namespace: &Namespace, exists: Exists, bins: &[(&str, Value)]) -> Result<(), ErrorCode> {
    let body = body(KeyRef::Integer(1), bins);
    let options = WriteOptions { exists, ..WriteOptions::default() };
    namespace.put("s", KeyRef::Integer(1), &body, &options).map(drop).map_err(|error| error.code)
}

#[test]
fn a_record_has_one_bin_called_value() {
    everywhere(|namespace| {
        let refused = Err(ErrorCode::SingleBin);
        assert_eq!(put(&namespace, Exists::Upsert, &[("other", Value::Int(1))]), refused);
        assert_eq!(put(&namespace, Exists::Upsert, &[]), refused);
        assert_eq!(put(&namespace, Exists::Upsert, &[("value", Value::Int(1)), ("more", Value::Int(2))]), refused);
        assert_eq!(put(&namespace, Exists::Merge, &[]), refused);
        assert_eq!(namespace.size(None), 0);
        put(&namespace, Exists::Upsert, &[("value", Value::Int(1))]).unwrap();
        let mut out = vec![];
        let mut value = || {
            namespace.get("s", KeyRef::Integer(1), &mut out).unwrap().unwrap();
            bin(&out, "value")
        };
        assert_eq!(value(), Some(Value::Int(1)));
        assert_eq!(put(&namespace, Exists::Merge, &[("other", Value::Null)]), refused);
        assert_eq!(put(&namespace, Exists::UpdateOnly, &[("value", Value::Null)]), refused);
        put(&namespace, Exists::Merge, &[]).unwrap();
        assert_eq!(value(), Some(Value::Int(1)));
        put(&namespace, Exists::UpdateOnly, &[("value", Value::String("x".into()))]).unwrap();
        assert_eq!(value(), Some(Value::String("x".into())));
    });
}

#[test]
fn the_name_takes_no_room() {
    let directory = tempfile::tempdir().unwrap();
    let plain = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let named = plain.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("b") }).unwrap();
    put(&named, Exists::Upsert, &[("value", Value::Int(1))]).unwrap();
    with(NamespaceConfig::memory("a"), |namespace| {
        put(&namespace, Exists::Upsert, &[("value", Value::Int(1))]).unwrap();
        // Up to three bytes round each record off.
        let more = named.usage().live_bytes - namespace.usage().live_bytes;
        assert!(more.abs_diff("value".len() as u64) < 4, "{more}");
    });
}

#[test]
fn indexes_and_distribution_bins_are_of_the_value() {
    everywhere(|namespace| {
        let set = |bin: &str| SetConfig { name: "placed".into(), distribution_bin: Some(bin.into()), ..SetConfig::default() };
        let refused = namespace.create_set(&set("home")).unwrap_err();
        assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::SingleBin, Some("distributionBin")));
        namespace.create_set(&set("value")).unwrap();
        let spec = |bin: &str| IndexSpec {
            name: "i".into(),
            set: None,
            bin: Some(bin.into()),
            kind: IndexKind::Range,
            path: None,
            created_at_ms: 0,
        };
        let refused = namespace.create_index(spec("home"), 1).err().unwrap();
        assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::SingleBin, Some("bin")));
        for n in 0..100 {
            let body = body(KeyRef::Integer(n), &[("value", Value::Int(n / 10))]);
            namespace.put("placed", KeyRef::Integer(n), &body, &WriteOptions::default()).unwrap();
        }
        namespace.create_index(spec("value"), 1).unwrap().wait_blocking(std::time::Duration::from_secs(60));
        assert_eq!(namespace.index("i").unwrap().stats.entries, 100);
    });
}

#[test]
fn a_batch_names_the_lines_that_do_not_fit() {
    everywhere(|namespace| {
        let lines = br#"{"key":1,"bins":{"value":{"deep":[1,2]}}}
{"key":2,"bins":{"a":1}}
{"key":3,"bins":{"value":1,"b":2}}"#;
        for atomic in [true, false] {
            let report = write_records(namespace.store(), "s", lines, &BatchOptions { atomic, ..BatchOptions::default() }).unwrap();
            assert_eq!((report.written, report.rejected_total), (u64::from(!atomic), 2));
            assert!(report.rejected.iter().all(|reject| reject.error.code == ErrorCode::SingleBin));
        }
        assert_eq!(namespace.size(None), 1);
    });
}

#[test]
fn what_is_stored_without_a_name_outlives_a_restart() {
    for config in [NamespaceConfig::device("a", DeviceConfig::default()), paged("a", 4096)] {
        let directory = tempfile::tempdir().unwrap();
        {
            let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
            let config = NamespaceConfig { single_bin: true, segments: 4, ..config };
            put(&engine.create_namespace(config).unwrap(), Exists::Upsert, &[("value", Value::Int(7))]).unwrap();
            engine.close().unwrap();
        }
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.namespace("a").unwrap();
        assert!(namespace.config().single_bin);
        let mut out = vec![];
        namespace.get("s", KeyRef::Integer(1), &mut out).unwrap().unwrap();
        assert_eq!(bin(&out, "value"), Some(Value::Int(7)));
    }
}
