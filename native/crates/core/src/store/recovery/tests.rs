//! A record's move from one segment to another that a crash cut short, on a device without a free block.

use crate::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tessera_record::{BodyBuilder, BodyRef, KeyRef, Ttl, Value};
use tessera_storage::device::{DATA_FILE, ENTRY_HEADER_BYTES, padded};

const SET: &str = "s";
const KEY: KeyRef<'_> = KeyRef::Integer(1);
const BLOCK: usize = 16 * 1024;
const BLOCKS: usize = 16;
/// Bytes of a bin beside the place: more than the hundredth of the device at which eviction begins.
const LOAD: usize = 5000;

fn place(namespace: &Namespace) -> Option<i64> {
    let mut out = vec![];
    namespace.get(SET, KEY, &mut out).unwrap()?;
    match BodyRef::new(&out).bin("place").map(|value| value.to_value()) {
        Some(Value::Int(place)) => Some(place),
        other => panic!("the bin holds {other:?}"),
    }
}

fn open(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let namespace = engine.namespace("d").unwrap();
    (engine, namespace)
}

fn put(namespace: &Namespace, place: i64, ttl: Ttl) {
    let mut body = vec![];
    let mut builder = BodyBuilder::new(&mut body, KEY);
    for (name, value) in [("place", Value::Int(place)), ("load", Value::Bytes(vec![1; LOAD]))] {
        builder
            .bin(name, |encoder| {
                encoder.value(&value);
                Ok(())
            })
            .unwrap();
    }
    builder.finish();
    namespace.put(SET, KEY, &body, &WriteOptions { ttl, ..WriteOptions::default() }).unwrap();
}

/// The disk as a crash in the midst of a move from place 1 to place 2 leaves it, with both copies of the record, and no block free.
/// The newer copy has `ttl`, the older one stays for ever.
fn moved_half(evict_at_percent: u32, ttl: Ttl) -> TempDir {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let device = DeviceConfig {
        write_block_bytes: BLOCK as u32,
        capacity_bytes: (BLOCKS * BLOCK) as u64,
        // So that no block is marked as free before the start is over.
        flush_interval_ms: 60_000,
        ..DeviceConfig::default()
    };
    let set = SetConfig { name: SET.into(), distribution_bin: Some("place".into()), ..SetConfig::default() };
    let base = NamespaceConfig::device("d", device);
    let config = NamespaceConfig { segments: 16, max_record_bytes: 8192, sets: vec![set], evict_at_percent, ..base };
    let engine = Engine::open(first.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(config).unwrap();
    put(&namespace, 1, Ttl::Never);
    put(&namespace, 2, ttl);
    let folder = PathBuf::from("namespaces/1");
    std::fs::create_dir_all(second.path().join(&folder)).unwrap();
    std::fs::copy(first.path().join("manifest"), second.path().join("manifest")).unwrap();
    let mut bytes = std::fs::read(first.path().join(&folder).join(DATA_FILE)).unwrap();
    bytes.resize(BLOCKS * BLOCK, 0);
    // The tombstone was the last to be written.
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap().next_multiple_of(16);
    bytes[end - padded(ENTRY_HEADER_BYTES + SET.len())..end].fill(0);
    assert!(end < 2 * BLOCK);
    bytes[2 * BLOCK..].fill(1);
    std::fs::write(second.path().join(&folder).join(DATA_FILE), bytes).unwrap();
    second
}

/// Does it again, as long as defragmentation has not made room for tombstones, or the time has not come.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < deadline, "{what} did not happen within a minute");
        std::thread::yield_now();
    }
}

#[test]
fn a_move_cut_short_is_settled_although_the_device_is_full() {
    let directory = moved_half(0, Ttl::Never);
    let (engine, namespace) = open(directory.path());
    assert_eq!((place(&namespace), namespace.size(None)), (Some(2), 1));
    until("the tombstone of the copy left over", || {
        let _ = namespace.store().sweep(1);
        !namespace.store().stale_copies.any()
    });
    drop(namespace);
    engine.close().unwrap();
    let (engine, namespace) = open(directory.path());
    assert_eq!((place(&namespace), namespace.size(None)), (Some(2), 1));
    namespace.delete(SET, KEY, None).unwrap();
    drop(namespace);
    engine.close().unwrap();
    assert_eq!(place(&open(directory.path()).1), None);
}

/// Removes the newest copy in its way; the older one has its tombstone by then.
fn removed_for_good(directory: &TempDir, remove: impl Fn(&Namespace)) {
    let (engine, namespace) = open(directory.path());
    until("the removal", || {
        remove(&namespace);
        namespace.size(None) == 0
    });
    assert!(!namespace.store().stale_copies.any());
    drop(namespace);
    engine.close().unwrap();
    assert_eq!(place(&open(directory.path()).1), None);
}

#[test]
fn what_expires_does_not_bring_an_older_copy_back() {
    removed_for_good(&moved_half(0, Ttl::Seconds(1)), |namespace| drop(namespace.store().sweep(100)));
}

#[test]
fn what_is_evicted_does_not_bring_an_older_copy_back() {
    removed_for_good(&moved_half(1, Ttl::Seconds(3600)), |namespace| drop(namespace.store().evict(100)));
}
