//! Exports that break off and go on behind the last row, on each engine.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use crate::pages::paged;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tessera_base::ErrorCode;
use tessera_core::export::ExportSpec;
use tessera_core::{Container, DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_jobs::JobState;
use tessera_jobs::load::Format;
use tessera_record::{Digest, KeyRef, Value};

const KEYS: i64 = 700;
const SETS: [&str; 3] = ["fixed", "moving", ""];

fn set_of(key: i64) -> &'static str {
    SETS[key.rem_euclid(3) as usize]
}

fn digest_of(key: i64) -> Digest {
    Digest::of(set_of(key), KeyRef::Integer(key))
}

fn put(namespace: &Namespace, key: i64, filling: usize) {
    let bins = [("n", Value::Int(key)), ("place", Value::Int(key % 5)), ("filling", Value::String("x".repeat(filling)))];
    namespace.put(set_of(key), KeyRef::Integer(key), &body(KeyRef::Integer(key), &bins), &WriteOptions::default()).unwrap();
}

fn configs() -> Vec<NamespaceConfig> {
    let moving = SetConfig { name: "moving".into(), distribution_bin: Some("place".into()), ..SetConfig::default() };
    let flat = NamespaceConfig { container: Container::Flat, segments: 16, ..NamespaceConfig::memory("flat") };
    let placed = NamespaceConfig { segments: 8, sets: vec![moving.clone()], ..NamespaceConfig::memory("placed") };
    let device = NamespaceConfig { segments: 4, ..NamespaceConfig::device("device", DeviceConfig::default()) };
    let placed_device =
        NamespaceConfig { segments: 4, sets: vec![moving], ..NamespaceConfig::device("placed-device", DeviceConfig::default()) };
    let paged = NamespaceConfig { segments: 2, ..paged("paged", 16 * 1024) };
    vec![NamespaceConfig { segments: 32, ..NamespaceConfig::memory("memory") }, flat, placed, device, placed_device, paged]
}

fn filled(engine: &Arc<Engine>, config: NamespaceConfig) -> Arc<Namespace> {
    let namespace = engine.create_namespace(config).unwrap();
    (0..KEYS).for_each(|key| put(&namespace, key, (key * 7 % 900) as usize));
    namespace
}

fn bytes_of(namespace: &Arc<Namespace>, spec: ExportSpec) -> Vec<u8> {
    let export = namespace.export(spec).unwrap();
    let mut bytes = Vec::new();
    while let Some(chunk) = export.stream.next_blocking().unwrap() {
        bytes.extend(chunk);
    }
    assert_eq!(export.job.info().state, JobState::Done);
    bytes
}

/// The keys of an export, in its order.
fn keys_of(namespace: &Arc<Namespace>, spec: ExportSpec) -> Vec<i64> {
    let text = String::from_utf8(bytes_of(namespace, spec)).unwrap();
    text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["key"].as_i64().unwrap()).collect()
}

fn resumable(threads: u32) -> ExportSpec {
    ExportSpec { resumable: true, threads, ..ExportSpec::default() }
}

fn after(key: i64, threads: u32) -> ExportSpec {
    ExportSpec { after: Some(digest_of(key)), threads, ..ExportSpec::default() }
}

#[test]
fn every_engine_has_the_same_order_and_goes_on_behind_any_row() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let mut first: Option<Vec<i64>> = None;
    for config in configs() {
        let name = config.name.clone();
        let namespace = filled(&engine, config);
        let all = keys_of(&namespace, resumable(3));
        assert_eq!(all.len() as i64, KEYS, "{name}");
        let order = first.get_or_insert_with(|| all.clone());
        assert!(all == *order, "{name}");
        for (at, &key) in all.iter().enumerate() {
            if at % 23 == 0 || at + 2 > all.len() {
                let threads = 1 + (at % 4) as u32;
                assert_eq!(keys_of(&namespace, after(key, threads)), all[at + 1..], "{name} behind row {at}");
            }
        }
        // A set is a part of the same order.
        for set in SETS {
            let of_set: Vec<i64> = all.iter().copied().filter(|&key| set_of(key) == set).collect();
            let spec = |spec| ExportSpec { set: Some(set.into()), ..spec };
            assert_eq!(keys_of(&namespace, spec(resumable(2))), of_set, "{name} {set}");
            assert_eq!(keys_of(&namespace, spec(after(of_set[50], 2))), of_set[51..], "{name} {set}");
            // Also behind a record of another set.
            let behind: Vec<i64> = all[301..].iter().copied().filter(|&key| set_of(key) == set).collect();
            assert_eq!(keys_of(&namespace, spec(after(all[300], 2))), behind, "{name} {set}");
        }
    }
}

#[test]
fn it_goes_on_behind_a_row_that_is_gone_and_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let stored: Vec<NamespaceConfig> =
        configs().into_iter().filter(|config| !format!("{:?}", config.engine).starts_with("Memory")).collect();
    let mut wanted = BTreeMap::new();
    for config in &stored {
        let namespace = filled(&engine, config.clone());
        let all = keys_of(&namespace, resumable(2));
        let id = namespace.export(resumable(1)).unwrap().id.unwrap();
        namespace.delete(set_of(all[99]), KeyRef::Integer(all[99]), None).unwrap();
        // Others take its slot.
        (KEYS..KEYS + 40).for_each(|key| put(&namespace, key, 10));
        let stable = |keys: Vec<i64>| keys.into_iter().filter(|&key| key < KEYS).collect::<Vec<_>>();
        assert_eq!(stable(keys_of(&namespace, after(all[99], 3))), all[100..], "{}", config.name);
        wanted.insert(config.name.clone(), (all, id));
    }
    engine.close().unwrap();
    drop(engine);
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    for (name, (all, id)) in wanted {
        tessera_base::wait_until(|| engine.namespace(&name).is_ok());
        let namespace = engine.namespace(&name).unwrap();
        let spec = ExportSpec { id: Some(id.clone()), ..after(all[99], 2) };
        let rest: Vec<i64> = keys_of(&namespace, spec).into_iter().filter(|&key| key < KEYS).collect();
        assert_eq!(rest, all[100..], "{name}");
        engine.drop_namespace(&name).unwrap();
        let again = engine.create_namespace(NamespaceConfig::memory(&*name)).unwrap();
        let refused = again.export(ExportSpec { id: Some(id), ..after(all[99], 2) }).err().unwrap();
        assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::CursorInvalid, Some("exportId")));
        assert_eq!(keys_of(&again, after(all[99], 2)), [0; 0], "it may go on in it, if nobody says where it began");
    }
}

#[test]
fn what_stays_untouched_comes_exactly_once_over_the_parts_whatever_is_written_meanwhile() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    for config in configs() {
        let name = config.name.clone();
        let namespace = filled(&engine, config);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut key = KEYS;
                while !stop.load(Ordering::Relaxed) {
                    put(&namespace, key, (key % 300) as usize);
                    let old = key - 60;
                    if old >= KEYS {
                        namespace.delete(set_of(old), KeyRef::Integer(old), None).unwrap();
                    }
                    key += 1;
                }
            });
            for (length, threads) in [(1, 2), (40, 1), (150, 4), (333, 3)] {
                let (mut met, mut spec, mut parts) = (BTreeMap::<i64, u32>::new(), resumable(threads), 0);
                loop {
                    let rows = keys_of(&namespace, spec);
                    // The reader has lost what came behind some row.
                    let kept = if parts < 12 { rows.len().min(length) } else { rows.len() };
                    rows[..kept].iter().for_each(|key| *met.entry(*key).or_default() += 1);
                    parts += 1;
                    let Some(&last) = rows[..kept].last().filter(|_| kept < rows.len()) else { break };
                    spec = after(last, threads);
                }
                assert!((0..KEYS).all(|key| met.get(&key) == Some(&1)), "{name}, {length} rows a part");
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn rows_of_csv_and_msgpack_go_on_without_a_head() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = filled(&engine, NamespaceConfig { segments: 4, ..NamespaceConfig::memory("m") });
    let order = keys_of(&namespace, resumable(2));
    let table = |spec| ExportSpec { format: Format::Csv, metadata: true, ..spec };
    let whole = String::from_utf8(bytes_of(&namespace, table(resumable(2)))).unwrap();
    let columns: Vec<String> = whole.lines().next().unwrap().split(',').skip(5).map(str::to_owned).collect();
    assert_eq!(columns.len(), 3);
    for at in [0, 5, 640, order.len() - 1] {
        let spec = ExportSpec { columns: Some(columns.clone()), other_bins: Some(true), ..table(after(order[at], 2)) };
        let rest = String::from_utf8(bytes_of(&namespace, spec)).unwrap();
        let had: String = whole.lines().take(at + 2).flat_map(|line| [line, "\n"]).collect();
        assert!(had + &rest == whole, "{at}");
    }
    let refused = namespace.export(table(after(order[0], 2))).err().unwrap();
    assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::ConfigInvalid, Some("columns")));
    let packed = |spec| bytes_of(&namespace, ExportSpec { format: Format::Msgpack, ..spec });
    let (all, rest) = (packed(resumable(3)), packed(after(order[400], 3)));
    assert!(all.ends_with(&rest) && rest.len() < all.len() / 2);
}

#[test]
fn an_abort_and_a_reader_that_leaves_end_all_workers() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("m") }).unwrap();
    (0..KEYS).for_each(|key| put(&namespace, key, 20_000));
    let export = namespace.export(resumable(6)).unwrap();
    assert!(export.stream.next_blocking().unwrap().is_some());
    export.job.abort().unwrap();
    let ended = export.job.wait_blocking(std::time::Duration::from_secs(60));
    assert_eq!(ended.state, JobState::Aborted);
    let export = namespace.export(resumable(6)).unwrap();
    assert!(export.stream.next_blocking().unwrap().is_some());
    drop(export.stream);
    assert_eq!(export.job.wait_blocking(std::time::Duration::from_secs(60)).state, JobState::Aborted);
    // One that is slow, and has its threads changed, brings all.
    let export = namespace.export(resumable(6)).unwrap();
    let mut rows = 0;
    while let Some(chunk) = export.stream.next_blocking().unwrap() {
        rows += chunk.iter().filter(|&&byte| byte == b'\n').count();
        let threads = if rows % 2 == 0 { 1 } else { 8 };
        let _ = export.job.patch(tessera_jobs::JobPatch { threads: Some(threads), ..tessera_jobs::JobPatch::default() });
    }
    assert_eq!(rows as i64, KEYS);
}
