//! A namespace on a device, through restarts.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::{bin, body};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_core::engine::NamespaceState;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Exists, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_record::{KeyRef, Ttl, Value};

/// Nothing is rewritten while there is room: a record on its way counts twice for a moment.
fn config() -> NamespaceConfig {
    let device = DeviceConfig { defrag_below_percent: 0, ..DeviceConfig::default() };
    NamespaceConfig { segments: 16, ..NamespaceConfig::device("d", device) }
}

fn reopen(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let namespace = engine.namespace("d").unwrap();
    (engine, namespace)
}

/// Makes the next start a cold one.
fn forget_index(directory: &Path) {
    std::fs::remove_file(directory.join("namespaces/1/index.tss")).unwrap();
}

fn text(namespace: &Namespace, set: &str, key: i64) -> Option<String> {
    let mut out = vec![];
    namespace.get(set, KeyRef::Integer(key), &mut out).unwrap()?;
    match bin(&out, "v") {
        Some(Value::String(text)) => Some(text),
        other => Some(format!("{other:?}")),
    }
}

fn put(namespace: &Namespace, set: &str, key: i64, text: &str) {
    let body = body(KeyRef::Integer(key), &[("v", Value::String(text.into())), ("home", Value::Int(text.len() as i64))]);
    namespace.put(set, KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
}

#[test]
fn records_sets_and_counters_are_as_they_were_after_a_restart() {
    for durability in [Durability::Commit, Durability::Relaxed] {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig { durability, ..config() }).unwrap();
        let mut model = BTreeMap::new();
        for n in 0..500_i64 {
            let (set, key) = (["", "a", "b"][n as usize % 3], n / 2);
            let value = "x".repeat((n as usize * 37) % 900);
            put(&namespace, set, key, &value);
            model.insert((set, key), value);
        }
        for key in (0..200).step_by(7) {
            assert_eq!(namespace.delete("a", KeyRef::Integer(key), None).unwrap(), model.remove(&("a", key)).is_some());
        }
        let sizes = |namespace: &Namespace| {
            let sets = namespace.sets();
            let mut sizes: Vec<_> = sets.iter().map(|set| (set.name.clone(), set.records, set.bytes)).collect();
            sizes.sort();
            (sizes, namespace.size(None), namespace.usage().live_bytes)
        };
        let before = sizes(&namespace);
        let meta = namespace.meta("b", KeyRef::Integer(1)).unwrap();
        drop(namespace);
        engine.close().unwrap();

        let (engine, namespace) = reopen(directory.path());
        assert_eq!((sizes(&namespace), namespace.recovery().cold.as_deref()), (before.clone(), None));
        drop(namespace);
        engine.close().unwrap();
        forget_index(directory.path());
        let (_engine, namespace) = reopen(directory.path());
        assert_eq!(sizes(&namespace), before);
        assert_eq!(namespace.meta("b", KeyRef::Integer(1)).unwrap(), meta);
        for ((set, key), value) in &model {
            assert_eq!(text(&namespace, set, *key).as_ref(), Some(value));
        }
        assert_eq!(text(&namespace, "a", 0), None);
        let report = namespace.recovery();
        assert_eq!((report.damaged, report.torn, report.records), (0, 0, 500));
        assert!(report.tombstones > 0);
    }
}

#[test]
fn merges_read_the_device_and_expiry_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(config()).unwrap();
    put(&namespace, "s", 1, "one");
    drop(namespace);
    engine.close().unwrap();
    let (engine, namespace) = reopen(directory.path());
    let more = body(KeyRef::Integer(1), &[("more", Value::Int(2))]);
    let merge = WriteOptions { exists: Exists::Merge, ttl: Ttl::Seconds(1000), ..WriteOptions::default() };
    let written = namespace.put("s", KeyRef::Integer(1), &more, &merge).unwrap();
    assert_eq!(written.meta.generation, 2);
    drop(namespace);
    engine.close().unwrap();
    let (_engine, namespace) = reopen(directory.path());
    assert_eq!(namespace.meta("s", KeyRef::Integer(1)).unwrap(), Some(written.meta));
    assert_eq!(text(&namespace, "s", 1).as_deref(), Some("one"));
}

#[test]
fn a_record_that_moved_between_segments_is_there_once() {
    let directory = tempfile::tempdir().unwrap();
    let set = SetConfig { name: "s".into(), distribution_bin: Some("home".into()), ..SetConfig::default() };
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { sets: vec![set], ..config() }).unwrap();
    for round in 1..4 {
        for key in 0..100 {
            put(&namespace, "s", key, &"y".repeat((key * round) as usize));
        }
    }
    namespace.delete("s", KeyRef::Integer(5), None).unwrap();
    drop(namespace);
    engine.close().unwrap();
    let (_engine, namespace) = reopen(directory.path());
    assert_eq!(namespace.size(Some("s")), 99);
    assert_eq!(text(&namespace, "s", 5), None);
    for key in (0..100).filter(|key| *key != 5) {
        assert_eq!(text(&namespace, "s", key).map(|t| t.len()), Some(key as usize * 3));
    }
}

#[test]
fn what_does_not_fit_is_refused_and_the_rest_stays() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let small = DeviceConfig { capacity_bytes: 8 * 16_384, write_block_bytes: 16_384, ..DeviceConfig::default() };
    let config = NamespaceConfig { max_record_bytes: 16_384, engine: tessera_core::EngineConfig::Device(small), ..config() };
    let namespace = engine.create_namespace(config).unwrap();
    let write = |key, length| {
        let body = body(KeyRef::Integer(key), &[("v", Value::String("z".repeat(length)))]);
        namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).map(drop).map_err(|e| e.code)
    };
    assert_eq!(write(-1, 16_340), Err(ErrorCode::RecordTooLarge));
    let kept = (0..).take_while(|key| write(*key, 5000) == Ok(())).count() as i64;
    assert_eq!(kept, 15);
    assert_eq!(write(kept, 5000), Err(ErrorCode::DeviceFull));
    assert_eq!(namespace.size(None), 15);
    drop(namespace);
    engine.close().unwrap();
    let (_engine, namespace) = reopen(directory.path());
    assert_eq!(namespace.size(None), 15);
    assert_eq!(text(&namespace, "s", 14).map(|t| t.len()), Some(5000));
}

#[test]
fn a_damaged_record_says_so_and_the_others_are_served() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(config()).unwrap();
    put(&namespace, "s", 1, "an older copy");
    for key in 0..50 {
        put(&namespace, "s", key, &format!("the text of record {key:03}"));
    }
    drop(namespace);
    engine.close().unwrap();
    let file = directory.path().join("namespaces/1/data.tsr");
    let mut bytes = std::fs::read(&file).unwrap();
    let text_at = bytes.windows(22).position(|window| window == b"the text of record 001").unwrap();
    bytes[text_at] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    forget_index(directory.path());

    let (_engine, namespace) = reopen(directory.path());
    let report = namespace.recovery();
    assert_eq!((report.damaged, report.torn), (1, 0));
    assert!((text_at - 200..text_at).contains(&(report.damage[0].0 as usize)));
    assert_eq!(namespace.size(None), 50);
    let mut out = vec![];
    assert_eq!(namespace.get("s", KeyRef::Integer(1), &mut out).unwrap_err().code, ErrorCode::RecordDamaged);
    assert_eq!(namespace.usage().damaged_reads, 1);
    assert_eq!(text(&namespace, "s", 2).as_deref(), Some("the text of record 002"));
    put(&namespace, "s", 1, "written anew");
    assert_eq!(text(&namespace, "s", 1).as_deref(), Some("written anew"));
}

#[test]
fn a_data_file_in_the_wrong_place_is_refused_and_kept() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    engine.create_namespace(config()).unwrap();
    engine.create_namespace(NamespaceConfig { name: "e".into(), ..config() }).unwrap();
    engine.close().unwrap();
    let file = |number: u32| directory.path().join(format!("namespaces/{number}/data.tsr"));
    let before = std::fs::read(file(1)).unwrap();
    std::fs::copy(file(1), file(2)).unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let (state, error) = engine.member("e").unwrap().state();
    assert_eq!((state, error.map(|e| e.code)), (NamespaceState::Failed, Some(ErrorCode::DataFileForeign)));
    assert_eq!(std::fs::read(file(2)).unwrap(), before);
}

#[test]
fn the_set_index_of_records_without_a_set_is_on_again_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(config()).unwrap();
    put(&namespace, "", 1, "text");
    namespace.set_index_on("", 1).unwrap();
    let before = namespace.sets();
    drop(namespace);
    engine.close().unwrap();
    let (engine, namespace) = reopen(directory.path());
    assert_eq!(namespace.sets(), before);
    namespace.set_index_off("").unwrap();
    let before = namespace.sets();
    drop(namespace);
    engine.close().unwrap();
    assert_eq!(reopen(directory.path()).1.sets(), before);
    // Only their configuration is theirs to change.
    let placed = SetConfig { distribution_bin: Some("v".into()), ..SetConfig::default() };
    let refused = |config: NamespaceConfig| config.check().unwrap_err().code;
    assert_eq!(refused(NamespaceConfig { sets: vec![placed], ..config() }), ErrorCode::NameInvalid);
}
