//! Space comes back: a device namespace takes updates and deletes for ever, and loses nothing of what it keeps.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::{bin, body};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use tessera_base::dice::Dice;
use tessera_base::{ErrorCode, wait_until};
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_record::{KeyRef, Value};

const BLOCK: u64 = 16 * 1024;
const CAPACITY: u64 = 512 * BLOCK;

/// In memory where that is to be had: what is tested is where records go, and a disk syncs slowly.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn create(directory: &Path, device: DeviceConfig) -> (Arc<Engine>, Arc<Namespace>) {
    let device = DeviceConfig { capacity_bytes: CAPACITY, write_block_bytes: BLOCK as u32, flush_interval_ms: 50, ..device };
    let config = NamespaceConfig {
        segments: 16,
        durability: Durability::Relaxed,
        max_record_bytes: 8192,
        stop_writes_percent: 100,
        ..NamespaceConfig::device("d", device)
    };
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(config).unwrap();
    (engine, namespace)
}

/// Opens what was closed in order: warm, or cold without its snapshot.
fn reopen(directory: &Path, cold: bool) -> (Arc<Engine>, Arc<Namespace>) {
    if cold {
        std::fs::remove_file(directory.join("namespaces/1/index.tss")).unwrap();
    }
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let namespace = engine.namespace("d").unwrap();
    let recovery = namespace.recovery();
    assert_eq!((recovery.cold.is_some(), recovery.damaged), (cold, 0), "{recovery:?}");
    (engine, namespace)
}

fn put(namespace: &Namespace, key: i64, version: u64) -> Result<(), ErrorCode> {
    let text = format!("{:x<390}", format!("{key}.{version}."));
    let body = body(KeyRef::Integer(key), &[("v", Value::String(text))]);
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).map(drop).map_err(|error| error.code)
}

fn version(namespace: &Namespace, key: i64) -> Option<u64> {
    let mut out = vec![];
    namespace.get("s", KeyRef::Integer(key), &mut out).unwrap()?;
    let Some(Value::String(text)) = bin(&out, "v") else { return None };
    let mut parts = text.split('.');
    assert_eq!(parts.next(), Some(key.to_string().as_str()));
    parts.next()?.parse().ok()
}

fn check(namespace: &Namespace, model: &HashMap<i64, u64>) {
    assert_eq!(namespace.size(None), model.len() as u64);
    for (key, expected) in model {
        assert_eq!(version(namespace, *key), Some(*expected), "key {key}");
    }
}

/// The records are there now, after a warm start, and after a cold one, which reads all that the device still has.
fn check_through_restarts(directory: &Path, mut open: (Arc<Engine>, Arc<Namespace>), model: &HashMap<i64, u64>) {
    check(&open.1, model);
    for cold in [false, true] {
        drop(open);
        open = reopen(directory, cold);
        check(&open.1, model);
    }
}

#[test]
fn updates_at_eighty_six_percent_go_on_for_many_times_the_device() {
    let directory = directory();
    let (engine, namespace) = create(directory.path(), DeviceConfig::default());
    let mut dice = Dice(7);
    let mut model = HashMap::new();
    while namespace.usage().live_bytes * 100 < 86 * CAPACITY {
        let key = model.len() as i64;
        put(&namespace, key, 0).unwrap();
        model.insert(key, 0);
    }
    let times = u64::from(tessera_base::cases(20));
    let (filled, mut version) = (namespace.usage().appended_bytes, 0);
    while namespace.usage().appended_bytes < filled + times * CAPACITY {
        version += 1;
        let key = dice.roll(model.len() as u64) as i64;
        put(&namespace, key, version).unwrap();
        model.insert(key, version);
    }
    let usage = namespace.usage();
    assert!(usage.live_bytes * 100 >= 86 * CAPACITY && usage.device_bytes <= CAPACITY, "{usage:?}");
    assert!(std::fs::metadata(directory.path().join("namespaces/1/data.tsr")).unwrap().len() <= CAPACITY);
    check_through_restarts(directory.path(), (engine, namespace), &model);
}

/// Records come and go: tombstones must not fill the device, and what was deleted must not come back.
#[test]
fn deletes_leave_no_lasting_trace_on_the_device() {
    let directory = directory();
    let (engine, namespace) = create(directory.path(), DeviceConfig::default());
    let mut dice = Dice(11);
    let mut model = HashMap::new();
    let mut version = 0;
    while namespace.usage().appended_bytes < u64::from(tessera_base::cases(10)) * CAPACITY {
        version += 1;
        // Keys are new all the time, so that only deletes make room.
        let key = version as i64;
        put(&namespace, key, version).unwrap();
        model.insert(key, version);
        if model.len() > 4000 {
            let oldest = version as i64 - dice.roll(4000) as i64;
            assert_eq!(namespace.delete("s", KeyRef::Integer(oldest), None).unwrap(), model.remove(&oldest).is_some());
        }
        while model.len() > 8000 {
            let key = *model.keys().next().unwrap();
            assert!(namespace.delete("s", KeyRef::Integer(key), None).unwrap());
            model.remove(&key);
        }
    }
    check_through_restarts(directory.path(), (engine, namespace), &model);
}

/// What became sparse before a restart is rewritten after it: at this rate there is one round a start, of 16 blocks at most.
#[test]
fn sparse_blocks_are_rewritten_after_a_restart_too() {
    let directory = directory();
    let (mut engine, mut namespace) = create(directory.path(), DeviceConfig { defrag_bytes_per_second: 1, ..DeviceConfig::default() });
    for key in 0..4000 {
        put(&namespace, key, 0).unwrap();
    }
    namespace.sync().unwrap();
    for key in (0..4000).filter(|key| key % 4 != 0) {
        assert!(namespace.delete("s", KeyRef::Integer(key), None).unwrap());
    }
    let model = (0..4000).step_by(4).map(|key| (key, 0)).collect();
    for cold in [false, true] {
        let before = namespace.usage().device_bytes;
        drop(namespace);
        engine.close().unwrap();
        (engine, namespace) = reopen(directory.path(), cold);
        wait_until(|| namespace.usage().device_bytes <= before - 8 * BLOCK);
    }
    check_through_restarts(directory.path(), (engine, namespace), &model);
}
