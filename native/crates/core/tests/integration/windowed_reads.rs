//! Reads with several in flight answer what single gets answer, while records are written, deleted and moved.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use crate::bodies::{bin, body};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use tessera_base::ErrorCode;
use tessera_core::namespace::Namespace;
use tessera_core::scan::{PlanChoice, VisitSpec};
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, NamespaceConfig, WriteOptions};
use tessera_io::BackendWish;
use tessera_record::{KeyRef, Value};

const KEYS: u64 = 300;
const BLOCK: u32 = 16 * 1024;

fn backends() -> Vec<BackendWish> {
    let ring = Engine::open(tempfile::tempdir().unwrap().path(), EngineOptions { io: BackendWish::IoUring, ..EngineOptions::default() });
    if ring.is_ok() { vec![BackendWish::IoUring, BackendWish::Threads] } else { vec![BackendWish::Threads] }
}

/// Small enough that defragmentation has to move records all the time.
fn open(directory: &Path, io: BackendWish) -> (Arc<Engine>, Arc<Namespace>) {
    let device =
        DeviceConfig { capacity_bytes: 80 * u64::from(BLOCK), write_block_bytes: BLOCK, flush_interval_ms: 5, ..DeviceConfig::default() };
    let config = NamespaceConfig {
        segments: 4,
        durability: Durability::Relaxed,
        max_record_bytes: 8192,
        engine: EngineConfig::Device(device),
        ..NamespaceConfig::device("d", DeviceConfig::default())
    };
    let engine = Engine::open(directory, EngineOptions { io, ..EngineOptions::default() }).unwrap();
    let namespace = engine.create_namespace(config).unwrap();
    (engine, namespace)
}

fn put(namespace: &Namespace, key: u64, version: u64) {
    let text = format!("{key}.{version}.{}", "x".repeat((key * 37 % 2000) as usize));
    let body = body(KeyRef::Integer(key as i64), &[("v", Value::String(text))]);
    loop {
        match namespace.put("s", KeyRef::Integer(key as i64), &body, &WriteOptions::default()) {
            // Defragmentation needs a moment.
            Err(error) if error.code == ErrorCode::DeviceOverload => {}
            Err(error) => panic!("{error}"),
            Ok(_) => return,
        }
    }
}

/// The version that a body holds, which must be of that key.
fn version(key: u64, body: &[u8]) -> u64 {
    let Some(Value::String(text)) = bin(body, "v") else { panic!("another body") };
    let mut parts = text.split('.');
    assert_eq!(parts.next(), Some(key.to_string().as_str()));
    parts.next().unwrap().parse().unwrap()
}

/// What single gets answer.
fn single(namespace: &Namespace, key: u64) -> Option<u64> {
    let mut out = vec![];
    namespace.get("s", KeyRef::Integer(key as i64), &mut out).unwrap().map(|_| version(key, &out))
}

/// What a reader answers to `keys`, which it is asked for in this order.
fn windowed(namespace: &Namespace, keys: &[u64], depth: usize) -> Vec<Option<u64>> {
    let mut reader = namespace.reader(depth).unwrap();
    let mut answers = vec![None; keys.len()];
    let mut given = 0;
    let mut take = |reader: &mut tessera_core::RecordReader<'_>| {
        let Some((tag, found)) = reader.next() else { return false };
        let at = tag as usize;
        assert!(answers[at].replace(found.unwrap().map(|(_, body)| version(keys[at], body))).is_none(), "answered twice");
        given += 1;
        true
    };
    for (at, key) in keys.iter().enumerate() {
        if reader.in_flight() == reader.depth() {
            assert_eq!(reader.start("s", KeyRef::Integer(0), 0).unwrap_err().code, ErrorCode::ConfigInvalid);
            take(&mut reader);
        }
        reader.start("s", KeyRef::Integer(*key as i64), at as u64).unwrap();
    }
    while take(&mut reader) {}
    assert_eq!(given, keys.len());
    answers.into_iter().flatten().collect()
}

fn batched(namespace: &Namespace, keys: &[u64]) -> Vec<Option<u64>> {
    let refs: Vec<KeyRef<'_>> = keys.iter().map(|key| KeyRef::Integer(*key as i64)).collect();
    let mut answers = vec![None; keys.len()];
    let each = &mut |at: usize, found: Option<(_, &[u8])>| {
        assert!(answers[at].replace(found.map(|(_, body)| version(keys[at], body))).is_none(), "answered twice");
    };
    namespace.get_many("s", &refs, each).unwrap();
    answers.into_iter().flatten().collect()
}

fn scanned(namespace: &Namespace, plan: PlanChoice) -> BTreeMap<u64, u64> {
    let all = Mutex::new(BTreeMap::new());
    let spec = VisitSpec { threads: 2, plan, ..VisitSpec::default() };
    namespace
        .scan_visit(&spec, &|_, found| {
            let Some(Value::String(text)) = bin(found.body, "v") else { panic!("another body") };
            let key = text.split('.').next().unwrap().parse().unwrap();
            assert!(all.lock().unwrap().insert(key, version(key, found.body)).is_none(), "met twice");
            ControlFlow::Continue(())
        })
        .unwrap();
    all.into_inner().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn answers_are_those_of_single_gets(
        before in prop::collection::vec((0..KEYS, any::<bool>()), 1..400),
        keys in prop::collection::vec(0..KEYS + 20, 1..300),
        depth in 1_usize..40,
    ) {
        for io in backends() {
            let directory = tempfile::tempdir().unwrap();
            let (engine, namespace) = open(directory.path(), io);
            for (version, (key, delete)) in before.iter().enumerate() {
                match delete {
                    true => drop(namespace.delete("s", KeyRef::Integer(*key as i64), None).unwrap()),
                    false => put(&namespace, *key, version as u64),
                }
            }
            let expected: Vec<Option<u64>> = keys.iter().map(|key| single(&namespace, *key)).collect();
            // From the buffers, then from the device.
            for _ in 0..2 {
                prop_assert_eq!(&windowed(&namespace, &keys, depth), &expected);
                prop_assert_eq!(&batched(&namespace, &keys), &expected);
                let there: BTreeMap<_, _> = (0..KEYS).filter_map(|key| Some((key, single(&namespace, key)?))).collect();
                for plan in [PlanChoice::SetColumn, PlanChoice::Device] {
                    prop_assert_eq!(&scanned(&namespace, plan), &there);
                }
                namespace.sync().unwrap();
            }
            engine.close().unwrap();
        }
    }
}

#[test]
fn answers_under_writes_and_defragmentation_are_of_the_moment() {
    for io in backends() {
        let directory = tempfile::tempdir().unwrap();
        let (engine, namespace) = open(directory.path(), io);
        (0..KEYS).for_each(|key| put(&namespace, key, 1));
        // Of each key: the version that a reader may see at least, and at most.
        let bounds: Vec<_> = (0..KEYS).map(|_| (AtomicU64::new(1), AtomicU64::new(1))).collect();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut version = 1;
                while !stop.load(SeqCst) {
                    version += 1;
                    for key in (0..KEYS).filter(|key| (key + version) % 3 > 0) {
                        bounds[key as usize].1.store(version, SeqCst);
                        put(&namespace, key, version);
                        bounds[key as usize].0.store(version, SeqCst);
                    }
                }
            });
            let least = || bounds.iter().map(|(least, _)| least.load(SeqCst)).collect::<Vec<_>>();
            let check = |least: &[u64], answers: &mut dyn Iterator<Item = (u64, Option<u64>)>| {
                for (key, found) in answers {
                    let found = found.unwrap_or_else(|| panic!("key {key} is lost"));
                    let most = bounds[key as usize].1.load(SeqCst);
                    assert!((least[key as usize]..=most).contains(&found), "key {key}: {found} not in {}..={most}", least[key as usize]);
                }
            };
            let keys: Vec<u64> = (0..KEYS).collect();
            let mut rounds = 0;
            // Until defragmentation has moved about all there is, twice.
            while rounds < 5 || (namespace.usage().moved_bytes < 1_000_000 && !writer.is_finished()) {
                rounds += 1;
                let before = least();
                check(&before, &mut keys.iter().copied().zip(windowed(&namespace, &keys, 16)));
                let before = least();
                check(&before, &mut keys.iter().copied().zip(batched(&namespace, &keys)));
                for plan in [PlanChoice::SetColumn, PlanChoice::Device] {
                    let before = least();
                    let met = scanned(&namespace, plan);
                    check(&before, &mut keys.iter().map(|key| (*key, met.get(key).copied())));
                }
            }
            stop.store(true, SeqCst);
            writer.join().unwrap();
        });
        assert!(namespace.usage().moved_bytes > 0, "nothing was moved");
        engine.close().unwrap();
    }
}

#[test]
fn a_reader_refuses_depths_that_no_window_has_and_reads_from_memory_too() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let memory = engine.create_namespace(NamespaceConfig::memory("m")).unwrap();
    let device = engine.create_namespace(NamespaceConfig::device("d", DeviceConfig::default())).unwrap();
    for depth in [0, 4097] {
        assert_eq!(device.reader(depth).err().unwrap().code, ErrorCode::ConfigInvalid);
    }
    for namespace in [&memory, &device] {
        put(namespace, 7, 3);
        assert_eq!(windowed(namespace, &[7, 8, 7], 2), [Some(3), None, Some(3)]);
        assert!(namespace.reader(1).unwrap().next().is_none());
    }
    engine.close().unwrap();
}
