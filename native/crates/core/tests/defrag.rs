//! Space comes back: a device namespace takes updates and deletes for ever, and loses nothing of what it keeps.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::{bin, body};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use tessera_core::record::{KeyRef, Value};
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, ErrorCode, Namespace, NamespaceConfig, WriteOptions};

const BLOCK: u64 = 16 * 1024;
const CAPACITY: u64 = 512 * BLOCK;
/// Bytes of a record on the device: header, set name, body, padding.
const RECORD: u64 = 480;

/// In memory where that is to be had: what is tested is where records go, and a disk syncs slowly.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn create(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let device =
        DeviceConfig { capacity_bytes: CAPACITY, write_block_bytes: BLOCK as u32, flush_interval_ms: 50, ..DeviceConfig::default() };
    let config = NamespaceConfig {
        segments: 16,
        durability: Durability::Relaxed,
        max_record_bytes: 8192,
        engine: EngineConfig::Device(device),
        ..NamespaceConfig::device("d", DeviceConfig::default())
    };
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(config).unwrap();
    (engine, namespace)
}

fn reopen(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let namespace = engine.namespace("d").unwrap();
    (engine, namespace)
}

fn put(namespace: &Namespace, key: i64, version: u64) -> Result<(), ErrorCode> {
    let text = format!("{key}.{version}.{}", "x".repeat(375));
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

/// xorshift64*: the same run every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }
}

fn check(namespace: &Namespace, model: &HashMap<i64, u64>) {
    assert_eq!(namespace.size(None), model.len() as u64);
    for (key, expected) in model {
        assert_eq!(version(namespace, *key), Some(*expected), "key {key}");
    }
}

#[test]
fn updates_at_ninety_percent_go_on_for_twenty_times_the_device() {
    let directory = directory();
    let (engine, namespace) = create(directory.path());
    let mut dice = Dice(7);
    let records = (CAPACITY * 9 / 10 / RECORD) as i64;
    let mut model = HashMap::new();
    for key in 0..records {
        put(&namespace, key, 0).unwrap();
        model.insert(key, 0);
    }
    assert!(namespace.usage().live_bytes * 100 / CAPACITY >= 85, "{:?}", namespace.usage());
    let mut version = 0;
    while namespace.usage().appended_bytes < 21 * CAPACITY {
        version += 1;
        let key = dice.roll(records as u64) as i64;
        put(&namespace, key, version).unwrap();
        model.insert(key, version);
    }
    let usage = namespace.usage();
    assert!(usage.device_bytes <= CAPACITY, "{usage:?}");
    assert!(std::fs::metadata(directory.path().join("namespaces/1/data.tsr")).unwrap().len() <= CAPACITY);
    check(&namespace, &model);
    drop((namespace, engine));
    let (_engine, namespace) = reopen(directory.path());
    assert_eq!(namespace.recovery().damaged, 0, "{:?}", namespace.recovery());
    check(&namespace, &model);
}

/// Records come and go: tombstones must not fill the device, and what was deleted must not come back.
#[test]
fn deletes_leave_no_lasting_trace_on_the_device() {
    let directory = directory();
    let (engine, namespace) = create(directory.path());
    let mut dice = Dice(11);
    let mut model = HashMap::new();
    let mut version = 0;
    while namespace.usage().appended_bytes < 10 * CAPACITY {
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
    check(&namespace, &model);
    drop((namespace, engine));
    let (_engine, namespace) = reopen(directory.path());
    assert_eq!(namespace.recovery().damaged, 0, "{:?}", namespace.recovery());
    check(&namespace, &model);
}

/// What became sparse before a restart is rewritten after it.
#[test]
fn sparse_blocks_are_rewritten_after_a_restart_too() {
    let directory = directory();
    let (engine, namespace) = create(directory.path());
    for key in 0..2000 {
        put(&namespace, key, 0).unwrap();
    }
    namespace.sync().unwrap();
    let used = namespace.usage().device_bytes;
    drop((namespace, engine));
    let (engine, namespace) = reopen(directory.path());
    for key in (0..2000).filter(|key| key % 4 != 0) {
        assert!(namespace.delete("s", KeyRef::Integer(key), None).unwrap());
    }
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while namespace.usage().device_bytes > used * 3 / 4 {
        assert!(std::time::Instant::now() < deadline, "{:?}", namespace.usage());
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    drop((namespace, engine));
    let (_engine, namespace) = reopen(directory.path());
    check(&namespace, &(0..2000).step_by(4).map(|key| (key, 0)).collect());
}
