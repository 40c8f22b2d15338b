//! Truncations up to a moment: what is gone, what stays, at once and after a restart.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_base::clock::unix_millis;
use tessera_core::scan::ScanSpec;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Exists, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_jobs::JobState;
use tessera_record::{KeyRef, Value};

const LONG: Duration = Duration::from_secs(60);
const SETS: [&str; 3] = ["", "plain", "placed"];

fn config() -> NamespaceConfig {
    let placed = SetConfig { name: "placed".into(), distribution_bin: Some("home".into()), ..SetConfig::default() };
    let device = NamespaceConfig::device("d", DeviceConfig { flush_interval_ms: 10, ..DeviceConfig::default() });
    NamespaceConfig { segments: 8, sets: vec![placed], durability: Durability::Relaxed, ..device }
}

fn open(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let namespace = match engine.namespace("d") {
        Ok(namespace) => namespace,
        Err(_) => engine.create_namespace(config()).unwrap(),
    };
    (engine, namespace)
}

fn put(namespace: &Namespace, set: &str, key: i64, home: i64) {
    let body = body(KeyRef::Integer(key), &[("home", Value::Int(home))]);
    namespace.put(set, KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
}

/// A moment that all writes so far are before, and none that follows.
fn next_moment(namespace: &Namespace) -> u64 {
    while namespace.last_write_ms() >= Some(unix_millis()) {
        std::thread::yield_now();
    }
    unix_millis()
}

type Times = BTreeMap<(&'static str, i64), u64>;

/// Every way of looking finds exactly these records.
fn check(namespace: &Arc<Namespace>, times: &Times, keys: i64) {
    let mut out = vec![];
    for set in SETS {
        let all: Vec<KeyRef<'_>> = (0..keys).map(KeyRef::Integer).collect();
        let mut answers = BTreeMap::new();
        namespace
            .get_many(set, &all, &mut |at, found| {
                answers.insert(at as i64, found.map(|(meta, _)| meta.updated_at));
            })
            .unwrap();
        for key in 0..keys {
            let expected = times.get(&(set, key)).copied();
            let got = namespace.get(set, KeyRef::Integer(key), &mut out).unwrap().map(|meta| meta.updated_at);
            assert_eq!((got, answers[&key]), (expected, expected), "{set} {key}");
            assert_eq!(namespace.meta(set, KeyRef::Integer(key)).unwrap().map(|meta| meta.updated_at), expected);
        }
        for threads in [1, 2] {
            let Ok(scan) = namespace.scan(ScanSpec { set: Some(set.to_owned()), threads, ..ScanSpec::default() }) else {
                assert!(!times.keys().any(|(own, _)| *own == set));
                continue;
            };
            while scan.stream.next_blocking().unwrap().is_some() {}
            assert_eq!(scan.stream.summary().returned, times.keys().filter(|(own, _)| *own == set).count() as u64, "{set}");
        }
    }
}

/// The first is older; the second younger, with some of the keys again; and a moment between.
fn two_halves(namespace: &Namespace, keys: i64) -> (u64, Times) {
    let times = |namespace: &Namespace| {
        let meta = |set: &'static str, key| Some(((set, key), namespace.meta(set, KeyRef::Integer(key)).unwrap()?.updated_at));
        SETS.into_iter().flat_map(|set| (0..keys).filter_map(move |key| meta(set, key))).collect::<Times>()
    };
    (0..keys).for_each(|key| put(namespace, SETS[key as usize % 3], key, key % 5));
    let moment = next_moment(namespace);
    for key in (0..keys).step_by(4) {
        put(namespace, SETS[key as usize % 3], key, key % 7);
    }
    (moment, times(namespace))
}

#[test]
fn what_was_updated_before_is_gone_and_the_rest_stays_over_restarts() {
    for (set, cold) in [(None, true), (Some("plain"), false), (Some("placed"), true), (Some(""), false)] {
        let directory = tempfile::tempdir().unwrap();
        let (engine, namespace) = open(directory.path());
        let (moment, mut times) = two_halves(&namespace, 600);
        let job = namespace.truncate(set, Some(moment)).unwrap();
        times.retain(|(own, _), at| *at >= moment || set.is_some_and(|set| set != *own));
        check(&namespace, &times, 600);
        assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
        assert_eq!(namespace.size(None), times.len() as u64);
        // An earlier moment brings nothing back.
        namespace.truncate(set, Some(1)).unwrap().wait_blocking(LONG);
        check(&namespace, &times, 600);
        drop(namespace);
        engine.close().unwrap();
        if cold {
            std::fs::remove_file(directory.path().join("namespaces/1/index.tss")).unwrap();
        }
        let (_engine, namespace) = open(directory.path());
        check(&namespace, &times, 600);
        assert_eq!(namespace.size(None), times.len() as u64);
    }
}

#[test]
fn the_moment_itself_stays_and_the_millisecond_before_goes() {
    let directory = tempfile::tempdir().unwrap();
    let (_engine, namespace) = open(directory.path());
    put(&namespace, "plain", 1, 1);
    let at = namespace.last_write_ms().unwrap();
    namespace.truncate(None, Some(at)).unwrap().wait_blocking(LONG);
    assert_eq!(namespace.size(None), 1);
    let next = next_moment(&namespace);
    assert!(next > at);
    namespace.truncate(None, Some(at + 1)).unwrap().wait_blocking(LONG);
    assert_eq!(namespace.size(None), 0);
    let refused = namespace.truncate(None, Some(unix_millis() + 60_000)).err().unwrap();
    assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::TimeInFuture, Some("before")));
    assert_eq!(namespace.truncate(Some("none"), Some(1)).err().unwrap().code, ErrorCode::SetNotFound);
}

#[test]
fn many_records_are_gone_at_once_for_readers_and_writers() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("m") }).unwrap();
    // So many that they are removed in the background.
    let keys = 30_000;
    (0..keys).for_each(|key| put(&namespace, "plain", key, 1));
    let moment = next_moment(&namespace);
    put(&namespace, "plain", keys, 1);
    let job = namespace.truncate(Some("plain"), Some(moment)).unwrap();
    let scan = namespace.scan(ScanSpec::default()).unwrap();
    while scan.stream.next_blocking().unwrap().is_some() {}
    assert_eq!(scan.stream.summary().returned, 1);
    let last = KeyRef::Integer(keys - 1);
    assert!(!namespace.delete("plain", last, Some(9)).unwrap());
    let update = WriteOptions { exists: Exists::UpdateOnly, ..WriteOptions::default() };
    let next = KeyRef::Integer(keys - 2);
    assert_eq!(namespace.put("plain", next, &body(next, &[]), &update).unwrap_err().code, ErrorCode::RecordNotFound);
    let create = WriteOptions { exists: Exists::CreateOnly, ..WriteOptions::default() };
    let written = namespace.put("plain", next, &body(next, &[]), &create).unwrap();
    assert_eq!((written.created, written.meta.generation), (true, 1));
    assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
    assert_eq!(namespace.size(None), 2);
}
