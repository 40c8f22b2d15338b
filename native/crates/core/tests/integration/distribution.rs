//! Sets with a distribution bin: records move between segments while they are read, and none is ever missed.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::{bin, body};
use crate::pages::paged;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_core::namespace::{Lookup, route_of};
use tessera_core::query::{IndexUse, QuerySpec};
use tessera_core::scan::{Found, ScanSpec, UseIndex, VisitSpec};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::load::{LoadMode, Row, RowBatch, RowSink};
use tessera_record::filter::Filter;
use tessera_record::{Digest, Encoder, KeyRef, Ttl, Value};

fn placed() -> SetConfig {
    SetConfig { name: "events".into(), distribution_bin: Some("repo".into()), index: true, ..SetConfig::default() }
}

fn write(namespace: &Namespace, n: i64, repo: i64) {
    let key = KeyRef::Integer(n);
    namespace.put("events", key, &body(key, &[("repo", Value::Int(repo)), ("n", Value::Int(n))]), &WriteOptions::default()).unwrap();
}

/// A namespace of 16 segments with all its records in one.
fn filled(engine: &Engine, keys: i64) -> Arc<Namespace> {
    let config = NamespaceConfig { segments: 16, sets: vec![placed()], ..NamespaceConfig::memory("a") };
    let namespace = engine.create_namespace(config).unwrap();
    (0..keys).for_each(|n| write(&namespace, n, 0));
    namespace
}

#[test]
fn a_record_on_the_move_is_always_found() {
    const KEYS: i64 = 200;
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = filled(&engine, KEYS);
    let write = |n: i64, repo: i64| write(&namespace, n, repo);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for seed in 0..2 {
            let (stop, write) = (&stop, &write);
            scope.spawn(move || {
                let mut n = seed;
                while !stop.load(Ordering::Relaxed) {
                    n += 7;
                    write(n % KEYS, n % 31);
                }
            });
        }
        let mut out = vec![];
        for n in 0..100_000 {
            assert!(namespace.get("events", KeyRef::Integer(n % KEYS), &mut out).unwrap().is_some(), "read {n}");
            assert_eq!(bin(&out, "n"), Some(Value::Int(n % KEYS)));
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!((namespace.size(None), namespace.size(Some("events"))), (KEYS as u64, KEYS as u64));
    let mut found = 0;
    let keys: Vec<KeyRef<'_>> = (0..2 * KEYS).map(KeyRef::Integer).collect();
    namespace.get_many("events", &keys, &mut |_, record| found += i64::from(record.is_some())).unwrap();
    assert_eq!(found, KEYS);
}

#[test]
fn a_route_names_the_segment_and_loaded_rows_follow_it() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 16, ..NamespaceConfig::memory("a") }).unwrap();
    assert_eq!(namespace.prepare("events", Some("repo")).unwrap().as_deref(), Some("repo"));
    assert_eq!(namespace.prepare("events", None).unwrap().as_deref(), Some("repo"));
    assert_eq!(namespace.prepare("events", Some("actor")).unwrap_err().code, ErrorCode::SetNotEmpty);
    let mut encoded = vec![];
    Encoder::new(&mut encoded).int(7);
    let route = Some(route_of(&encoded));
    let mut batch = RowBatch::default();
    for n in 0..100 {
        let start = batch.bytes.len() as u32;
        batch.bytes.extend(body(KeyRef::Integer(n % 60), &[("repo", Value::Int(7))]));
        let digest = Digest::of("events", KeyRef::Integer(n % 60));
        batch.rows.push(Row {
            line: n as u64 + 1,
            start,
            end: batch.bytes.len() as u32,
            digest,
            ttl: Ttl::Default,
            generation: None,
            set: None,
        });
    }
    let outcome = namespace.load_rows("events", &batch, LoadMode::Insert).unwrap();
    assert_eq!((outcome.inserted, outcome.updated, outcome.rejected.len()), (60, 0, 40));
    assert!(outcome.rejected.iter().all(|(line, error)| *line > 60 && error.code == ErrorCode::RecordExists));
    let outcome = namespace.load_rows("events", &batch, LoadMode::Upsert).unwrap();
    assert_eq!((outcome.inserted, outcome.updated), (0, 100));
    let holding: Vec<_> = namespace.segments().into_iter().filter(|segment| segment.records > 0).collect();
    assert_eq!((holding.len(), holding[0].records), (1, 60));
    let mut out = vec![];
    let routed = Lookup::from(KeyRef::Integer(3)).with_route(route);
    assert!(namespace.get("events", routed, &mut out).unwrap().is_some());
    let elsewhere = route.map(|route| route + 1);
    assert!(namespace.get("events", Lookup::from(KeyRef::Integer(3)).with_route(elsewhere), &mut out).unwrap().is_none());
}

/// A batch of `keys`, all with one value of the distribution bin, and `round` in the document.
fn batch(keys: &[i64], repo: i64, round: i64) -> RowBatch {
    let mut batch = RowBatch::default();
    for (line, &n) in (1..).zip(keys) {
        let start = batch.bytes.len() as u32;
        let document = Value::Map(vec![("round".into(), Value::Int(round))]);
        batch.bytes.extend(body(KeyRef::Integer(n), &[("repo", Value::Int(repo)), ("doc", document)]));
        let digest = Digest::of("events", KeyRef::Integer(n));
        batch.rows.push(Row { line, start, end: batch.bytes.len() as u32, digest, ttl: Ttl::Default, generation: None, set: None });
    }
    batch
}

#[test]
fn the_last_of_many_rows_of_a_key_stays_wherever_they_go() {
    for config in [NamespaceConfig::memory("a"), NamespaceConfig::device("a", DeviceConfig::default()), paged("a", 4096)] {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig { segments: 16, sets: vec![placed()], ..config }).unwrap();
        let mut rows = RowBatch::default();
        for n in 0..90 {
            let start = rows.bytes.len() as u32;
            rows.bytes.extend(body(KeyRef::Integer(n % 30), &[("repo", Value::Int(n)), ("n", Value::Int(n))]));
            let digest = Digest::of("events", KeyRef::Integer(n % 30));
            rows.rows.push(Row {
                line: n as u64 + 1,
                start,
                end: rows.bytes.len() as u32,
                digest,
                ttl: Ttl::Default,
                generation: None,
                set: None,
            });
        }
        let outcome = namespace.load_rows("events", &rows, LoadMode::Upsert).unwrap();
        assert_eq!((outcome.inserted, outcome.updated, outcome.rejected.len()), (30, 60, 0));
        let mut out = vec![];
        for n in 0..30 {
            let mut encoded = vec![];
            Encoder::new(&mut encoded).int(n + 60);
            let routed = Lookup::from(KeyRef::Integer(n)).with_route(Some(route_of(&encoded)));
            assert!(namespace.get("events", routed, &mut out).unwrap().is_some());
            assert_eq!(bin(&out, "n"), Some(Value::Int(n + 60)));
        }
        assert_eq!(namespace.segments().iter().map(|segment| segment.records).sum::<u64>(), 30);
    }
}

#[test]
fn loads_at_once_leave_each_record_once_and_in_the_index() {
    const KEYS: i64 = 300;
    const LOADERS: i64 = 3;
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let config = NamespaceConfig { segments: 16, sets: vec![placed()], ..NamespaceConfig::memory("a") };
    let namespace = engine.create_namespace(config).unwrap();
    let index = IndexSpec {
        name: "docs".into(),
        set: Some("events".into()),
        bin: Some("doc".into()),
        kind: IndexKind::Document,
        path: None,
        created_at_ms: 0,
    };
    namespace.create_index(index, 1).unwrap().wait_blocking(Duration::from_secs(60));
    std::thread::scope(|scope| {
        for loader in 0..LOADERS {
            let namespace = &namespace;
            scope.spawn(move || {
                // Each goes through the keys from another end, so that they meet.
                let mut keys: Vec<i64> = (0..KEYS).collect();
                keys.rotate_left((loader * KEYS / LOADERS) as usize);
                if loader == 1 {
                    keys.reverse();
                }
                for round in 0..20 {
                    let rows = batch(&keys, loader * 20 + round, loader * 20 + round);
                    let outcome = namespace.load_rows("events", &rows, LoadMode::Upsert).unwrap();
                    assert_eq!(outcome.inserted + outcome.updated, KEYS as u64);
                }
            });
        }
        let namespace = &namespace;
        scope.spawn(move || {
            for n in 0..2_000 {
                namespace.delete("events", KeyRef::Integer(n * 7 % KEYS), None).unwrap();
            }
        });
    });
    let rest: Vec<i64> = (0..KEYS).collect();
    let last = batch(&rest[..30], 7, 1000);
    let outcome = namespace.load_rows("events", &last, LoadMode::Insert).unwrap();
    assert_eq!(outcome.inserted + outcome.rejected.len() as u64, 30);

    let mut rounds: BTreeMap<i64, u64> = BTreeMap::new();
    let (mut out, mut stored) = (vec![], 0);
    for n in 0..KEYS {
        if namespace.get("events", KeyRef::Integer(n), &mut out).unwrap().is_some() {
            let Some(Value::Map(document)) = bin(&out, "doc") else { panic!("record {n} has no document") };
            let Some((_, Value::Int(round))) = document.first() else { panic!("document {n} has no round") };
            *rounds.entry(*round).or_default() += 1;
            stored += 1;
        }
    }
    assert_eq!((namespace.size(Some("events")), namespace.size(None)), (stored, stored));
    for (round, count) in rounds {
        let filter = format!(r#"{{"bin":"doc","op":"contains","value":{{"round":{round}}}}}"#);
        let filter = Filter::compile(filter.as_bytes()).unwrap();
        let use_index = IndexUse::Named("docs".into());
        let query = namespace
            .query(QuerySpec { set: Some("events".into()), filter: Some(filter.into()), use_index, ..QuerySpec::default() })
            .unwrap();
        while query.stream.next_blocking().unwrap().is_some() {}
        assert_eq!(query.stream.summary().returned, count, "round {round}");
    }
}

#[test]
fn a_full_memory_refuses_writes_and_keeps_what_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let config = NamespaceConfig {
        segments: 1,
        max_memory_bytes: Some(1 << 20),
        stop_writes_percent: 100,
        sets: vec![placed()],
        ..NamespaceConfig::memory("a")
    };
    let namespace = engine.create_namespace(config).unwrap();
    let filling = Value::String("x".repeat(1000));
    let mut stored = 0;
    let refused = loop {
        let key = KeyRef::Integer(stored);
        match namespace.put("events", key, &body(key, &[("v", filling.clone())]), &WriteOptions::default()) {
            Ok(_) => stored += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(refused.code, ErrorCode::MemoryFull);
    assert!(stored > 500 && namespace.size(None) == stored as u64);
    let mut out = vec![];
    assert!((0..stored).all(|n| namespace.get("events", KeyRef::Integer(n), &mut out).unwrap().is_some()));
    assert!(namespace.get("events", KeyRef::Integer(stored), &mut out).unwrap().is_none());
    (0..stored).for_each(|n| assert!(namespace.delete("events", KeyRef::Integer(n), None).unwrap()));
    let key = KeyRef::Integer(0);
    namespace.put("events", key, &body(key, &[("v", filling)]), &WriteOptions::default()).unwrap();
}

#[test]
fn a_scan_meets_records_on_the_move_once() {
    const KEYS: i64 = 3_000;
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = filled(&engine, KEYS);
    let write = |n: i64, repo: i64| write(&namespace, n, repo);
    let stop = AtomicBool::new(false);
    let (rounds, mut outcomes) = (tessera_base::cases(200), vec![]);
    std::thread::scope(|scope| {
        let (stop, write) = (&stop, &write);
        scope.spawn(move || {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                n += 7;
                write(n % KEYS, n % 31);
            }
        });
        for round in 0..rounds {
            // With threads of its own, and on this thread.
            let use_index = if round % 2 == 0 { UseIndex::Auto } else { UseIndex::Never };
            let spec = ScanSpec { set: Some("events".into()), threads: 3, use_index, ..ScanSpec::default() };
            let scan = namespace.scan(spec).unwrap();
            let mut met = vec![0; KEYS as usize];
            while let Some(chunk) = scan.stream.next_blocking().unwrap() {
                for line in chunk.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    let record: serde_json::Value = serde_json::from_slice(line).unwrap();
                    met[record["key"].as_u64().unwrap() as usize] += 1;
                }
            }
            outcomes.push(met.iter().all(|&times| times == 1));
            let visited = AtomicU64::new(0);
            let count = |_: usize, _: &Found<'_>| {
                visited.fetch_add(1, Ordering::Relaxed);
                ControlFlow::Continue(())
            };
            namespace.scan_visit(&VisitSpec { set: Some("events".into()), ..VisitSpec::default() }, &count).unwrap();
            outcomes.push(visited.into_inner() == KEYS as u64);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(outcomes, vec![true; 2 * rounds as usize]);
}
