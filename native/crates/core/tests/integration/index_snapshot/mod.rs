//! Document and range indexes over orderly stops and crashes: what they answer does not change, and comes from where it should.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod in_pages;

use crate::bodies::body;
use crate::documents::bare::matches_body;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::ErrorCode;
use tessera_base::dice::Dice;
use tessera_core::query::QuerySpec;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_index::{IndexKind, IndexOrigin, IndexSpec, IndexState};
use tessera_jobs::{JobKind, JobPatch, JobSpec};
use tessera_record::filter::Filter;
use tessera_record::{KeyRef, Value};

const LONG: Duration = Duration::from_secs(60);
const KEYS: i64 = 400;
const SETS: [&str; 2] = ["one", "two"];

/// Bodies by set and key.
type Model = BTreeMap<(&'static str, i64), Vec<u8>>;

fn open(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let device = DeviceConfig { write_block_bytes: 16 * 1024, capacity_bytes: 64 * 16 * 1024, ..DeviceConfig::default() };
    open_or_make(directory, NamespaceConfig::device("n", device))
}

fn open_or_make(directory: &Path, config: NamespaceConfig) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let config = NamespaceConfig { segments: 4, durability: Durability::Relaxed, max_record_bytes: 8192, ..config };
    let namespace = engine.namespace("n").unwrap_or_else(|_| engine.create_namespace(config).unwrap());
    (engine, namespace)
}

/// As `open`, of files that are older than the manifest knows.
fn open_older(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    assert_eq!(engine.reopen_namespace("n", false).err().unwrap().code, ErrorCode::DataRolledBack);
    let namespace = engine.reopen_namespace("n", true).unwrap();
    (engine, namespace)
}

/// Writes the manifest's only namespace as `change` makes it.
fn change_manifest(directory: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let path = directory.join("manifest");
    let mut bytes = fs::read(&path).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_slice(&bytes[20..]).unwrap();
    change(&mut manifest["namespaces"][0]);
    let json = serde_json::to_vec(&manifest).unwrap();
    bytes.truncate(12);
    bytes.extend_from_slice(&(json.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&crc32c::crc32c(&json).to_le_bytes());
    bytes.extend_from_slice(&json);
    fs::write(path, bytes).unwrap();
}

fn close((engine, namespace): (Arc<Engine>, Arc<Namespace>)) {
    drop(namespace);
    engine.close().unwrap();
}

fn spec(name: &str, kind: IndexKind, set: Option<&str>, path: Option<&str>) -> IndexSpec {
    IndexSpec { name: name.into(), set: set.map(Into::into), bin: Some("doc".into()), kind, path: path.map(Into::into), created_at_ms: 0 }
}

fn specs() -> [IndexSpec; 3] {
    [
        spec("documents", IndexKind::Document, None, None),
        spec("numbers", IndexKind::Range, Some("one"), Some("size")),
        spec("texts", IndexKind::Range, None, Some("name")),
    ]
}

fn build(namespace: &Arc<Namespace>) {
    for spec in specs() {
        drop(namespace.create_index(spec, 2).unwrap().wait_blocking(LONG));
    }
}

fn write(namespace: &Namespace, model: &mut Model, dice: &mut Dice, count: u64) {
    for _ in 0..count {
        let (set, key) = (SETS[dice.roll(2) as usize], dice.roll(KEYS as u64) as i64);
        if dice.roll(5) == 0 {
            assert_eq!(namespace.delete(set, KeyRef::Integer(key), None).unwrap(), model.remove(&(set, key)).is_some());
            continue;
        }
        let name = if dice.roll(3) == 0 { Value::Null } else { Value::String(format!("{}{:>30}", dice.roll(9), dice.roll(9))) };
        let size = if dice.roll(4) == 0 { Value::Double(dice.roll(40) as f64 / 2.0) } else { Value::Int(dice.roll(20) as i64) };
        let items = (0..dice.roll(6)).map(|_| Value::Map(vec![("id".into(), Value::Int(dice.roll(30) as i64))])).collect();
        let document = Value::Map(vec![("name".into(), name), ("size".into(), size), ("items".into(), Value::List(items))]);
        let bins = [("doc", document), ("other", Value::Int(1))];
        let body = body(KeyRef::Integer(key), &bins[usize::from(dice.roll(15) == 0)..]);
        namespace.put(set, KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
        model.insert((set, key), body);
    }
}

/// Asks for everything that is in the index; how many answers came by an index.
fn check(namespace: &Arc<Namespace>, model: &Model) -> usize {
    assert_eq!(namespace.size(None), model.len() as u64);
    let items = (0..31).map(|id| format!(r#"{{"bin":"doc","op":"contains","value":{{"items":[{{"id":{id}}}]}}}}"#));
    let sizes = (0..21).map(|size| format!(r#"{{"bin":"doc","path":"size","op":"le","value":{size}}}"#));
    let equal = (0..41).map(|half| format!(r#"{{"bin":"doc","path":"size","op":"eq","value":{}}}"#, f64::from(half) / 2.0));
    let names = (0..10).map(|name| format!(r#"{{"bin":"doc","path":"name","op":"prefix","value":"{name} "}}"#));
    let mut by_index = 0;
    for text in items.chain(sizes).chain(equal).chain(names) {
        let filter = Arc::new(Filter::compile(text.as_bytes()).unwrap());
        for set in SETS {
            let spec = QuerySpec { set: Some(set.into()), filter: Some(filter.clone()), threads: 1, ..QuerySpec::default() };
            by_index += usize::from(namespace.explain_query(&spec).unwrap().index.is_some());
            let expected: BTreeSet<i64> =
                model.iter().filter(|((own, _), body)| *own == set && matches_body(&filter, body)).map(|((_, key), _)| *key).collect();
            assert_eq!(answer(namespace, spec), expected, "{text} in {set}");
        }
    }
    by_index
}

fn answer(namespace: &Arc<Namespace>, spec: QuerySpec) -> BTreeSet<i64> {
    let query = namespace.query(spec).unwrap();
    let mut keys = BTreeSet::new();
    while let Some(chunk) = query.stream.next_blocking().unwrap() {
        for line in chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let record: serde_json::Value = serde_json::from_slice(line).unwrap();
            assert!(keys.insert(record["key"].as_i64().unwrap()), "{record} came twice");
        }
    }
    keys
}

/// A namespace with indexes that was closed in order, and what is in it.
fn closed(seed: u64) -> (tempfile::TempDir, Model) {
    let directory = tempfile::tempdir().unwrap();
    let (engine, namespace) = open(directory.path());
    let (mut model, mut dice) = (Model::new(), Dice(seed));
    write(&namespace, &mut model, &mut dice, 600);
    build(&namespace);
    // Records that are gone leave free slots, so that places in the image are not slots.
    write(&namespace, &mut model, &mut dice, 300);
    assert!(namespace.indexes().iter().all(|index| index.origin == IndexOrigin::Built));
    close((engine, namespace));
    (directory, model)
}

fn snapshot(directory: &Path) -> PathBuf {
    directory.join("namespaces/1/index.tss")
}

fn data(directory: &Path) -> PathBuf {
    directory.join("namespaces/1/data.tsr")
}

/// Why the namespace was opened cold; empty for a warm start.
fn reason(namespace: &Namespace) -> String {
    namespace.recovery().cold.clone().unwrap_or_default()
}

fn origins(namespace: &Namespace) -> Vec<(IndexState, IndexOrigin)> {
    namespace.indexes().iter().map(|index| (index.state, index.origin)).collect()
}

/// Indexes that were loaded, and made anew.
fn counts(namespace: &Namespace) -> (u32, u32) {
    (namespace.recovery().indexes_loaded, namespace.recovery().indexes_rebuilt)
}

fn built(namespace: &Namespace) {
    let begun = Instant::now();
    while namespace.indexes().iter().any(|index| index.state == IndexState::Building) {
        assert!(begun.elapsed() < LONG, "an index is still being built");
        std::thread::yield_now();
    }
}

#[test]
fn indexes_come_back_from_the_snapshot_and_answer_as_before() {
    let (directory, mut model) = closed(3);
    let mut dice = Dice(4);
    for round in 0..4 {
        let (engine, namespace) = open(directory.path());
        assert_eq!((reason(&namespace), counts(&namespace)), (String::new(), (3, 0)));
        assert_eq!(origins(&namespace), [(IndexState::Ready, IndexOrigin::Snapshot); 3]);
        assert!(check(&namespace, &model) > 100);
        if round != 1 {
            write(&namespace, &mut model, &mut dice, 200);
            check(&namespace, &model);
        }
        if round == 2 {
            namespace.drop_index("texts").unwrap();
            namespace.create_index(specs()[2].clone(), 1).unwrap().wait_blocking(LONG);
        }
        close((engine, namespace));
    }
}

#[test]
fn after_a_crash_indexes_are_filled_from_the_records() {
    let (directory, model) = closed(5);
    fs::remove_file(snapshot(directory.path())).unwrap();
    let (engine, namespace) = open(directory.path());
    assert_eq!((reason(&namespace).as_str(), counts(&namespace)), ("there is no index snapshot", (0, 3)));
    assert_eq!(origins(&namespace), [(IndexState::Ready, IndexOrigin::Recovered); 3]);
    assert!(check(&namespace, &model) > 100);
    // They are merged: nothing is left to be merged when it is saved.
    let entries = |namespace: &Namespace| namespace.indexes().iter().map(|index| index.stats).collect::<Vec<_>>();
    let before = entries(&namespace).iter().map(|stats| (stats.entries, stats.terms)).collect::<Vec<_>>();
    close((engine, namespace));
    let (_engine, namespace) = open(directory.path());
    assert_eq!(counts(&namespace), (3, 0));
    assert_eq!(entries(&namespace).iter().map(|stats| (stats.entries, stats.terms)).collect::<Vec<_>>(), before);
    check(&namespace, &model);
}

#[test]
fn records_that_a_truncation_takes_before_the_load_are_in_no_index() {
    let (directory, mut model) = closed(7);
    let kept = [snapshot(directory.path()), data(directory.path())].map(|path| (fs::read(&path).unwrap(), path));
    let (engine, namespace) = open(directory.path());
    namespace.truncate(Some("one"), None).unwrap();
    close((engine, namespace));
    // As if the job had not removed a single record before the stop: only the manifest knows.
    kept.iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
    model.retain(|(set, _), _| *set != "one");
    let mut dice = Dice(8);
    for (round, (why, indexes)) in [("the disks are not as they were", (0, 3)), ("", (3, 0))].into_iter().enumerate() {
        let (engine, namespace) = if round == 0 { open_older(directory.path()) } else { open(directory.path()) };
        assert_eq!((reason(&namespace).as_str(), counts(&namespace)), (why, indexes));
        built(&namespace);
        assert_eq!(namespace.index("numbers").unwrap().stats.entries, 0);
        write(&namespace, &mut model, &mut dice, 50);
        model.retain(|(set, key), _| *set != "one" || namespace.meta(set, KeyRef::Integer(*key)).unwrap().is_some());
        namespace.truncate(Some("one"), None).unwrap();
        model.retain(|(set, _), _| *set != "one");
        check(&namespace, &model);
        close((engine, namespace));
    }
}

#[test]
fn an_index_that_the_snapshot_does_not_have_as_it_is_now_is_built_after_the_start() {
    let (directory, model) = closed(9);
    // A manifest that lists one index of the snapshot no more, and another one as it is not there.
    change_manifest(directory.path(), |namespace| {
        namespace["revision"] = (namespace["revision"].as_u64().unwrap() + 1).into();
        let indexes = namespace["config"]["indexes"].as_array_mut().unwrap();
        indexes.retain(|index| index["name"] != "texts");
        let numbers = indexes.iter_mut().find(|index| index["name"] == "numbers").unwrap();
        numbers["set"] = serde_json::Value::Null;
    });
    let (engine, namespace) = open(directory.path());
    assert_eq!((reason(&namespace), counts(&namespace)), (String::new(), (1, 1)));
    built(&namespace);
    let ready = |origin| (IndexState::Ready, origin);
    assert_eq!(origins(&namespace), [ready(IndexOrigin::Snapshot), ready(IndexOrigin::Built)]);
    assert!(namespace.index("numbers").unwrap().job.is_some());
    check(&namespace, &model);
    close((engine, namespace));
    let (_engine, namespace) = open(directory.path());
    assert_eq!(counts(&namespace), (2, 0));
    check(&namespace, &model);
}

#[test]
fn an_index_that_was_being_built_at_the_stop_is_built_after_the_start() {
    let (directory, mut model) = closed(11);
    let (engine, namespace) = open(directory.path());
    let late = spec("late", IndexKind::Document, Some("two"), None);
    let job = namespace.create_index(late, 1).unwrap();
    // It may have ended by now; then there is nothing to be built.
    let _ = job.patch(JobPatch { paused: Some(true), ..JobPatch::default() });
    let building = namespace.index("late").unwrap().state == IndexState::Building;
    write(&namespace, &mut model, &mut Dice(12), 30);
    close((engine, namespace));
    let (_engine, namespace) = open(directory.path());
    assert_eq!(reason(&namespace), "");
    assert_eq!(counts(&namespace), if building { (3, 1) } else { (4, 0) });
    built(&namespace);
    assert_eq!(namespace.index("late").unwrap().state, IndexState::Ready);
    check(&namespace, &model);
}

#[test]
fn a_build_that_finds_no_place_at_the_start_waits_for_one() {
    let (directory, mut model) = closed(13);
    let (engine, namespace) = open(directory.path());
    let late = spec("late", IndexKind::Document, None, None);
    namespace.create_index(late.clone(), 1).unwrap().wait_blocking(LONG);
    close((engine, namespace));
    // It is on the manifest, and the snapshot of the time before does not have it.
    let listed = ["manifest", "namespaces/1/namespace"].map(|name| directory.path().join(name));
    let listed = listed.map(|path| (fs::read(&path).unwrap(), path));
    let (engine, namespace) = open(directory.path());
    namespace.drop_index("late").unwrap();
    close((engine, namespace));
    listed.iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());

    // The namespace opens once there are as many jobs as there may be.
    let (data, away) = (data(directory.path()), directory.path().join("away"));
    fs::rename(&data, &away).unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    assert!(engine.namespace("n").is_err());
    fs::rename(&away, &data).unwrap();
    let others: Vec<_> = std::iter::from_fn(|| engine.jobs().begin(JobSpec::new(JobKind::Scan, "other", "takes a place")).ok()).collect();
    let namespace = engine.reopen_namespace("n", false).unwrap();
    assert_eq!((reason(&namespace), counts(&namespace)), (String::new(), (3, 1)));
    write(&namespace, &mut model, &mut Dice(14), 30);
    let waits = namespace.index("late").unwrap();
    assert_eq!((waits.state, waits.job), (IndexState::Building, None));

    // A place for the build; the others are for the queries.
    others[0].finish(Ok("{}".to_owned()));
    built(&namespace);
    others.iter().for_each(|job| job.finish(Ok("{}".to_owned())));
    let late = namespace.index("late").unwrap();
    assert_eq!((late.state, late.origin, late.job.is_some()), (IndexState::Ready, IndexOrigin::Built, true));
    check(&namespace, &model);
    drop(namespace);
    engine.close().unwrap();
}

/// Every section in turn, by a byte in each of many stretches of the file.
#[test]
fn no_damaged_byte_and_no_cut_changes_an_answer() {
    let (directory, model) = closed(13);
    let (path, file) = (snapshot(directory.path()), data(directory.path()));
    let (sound, blocks) = (fs::read(&path).unwrap(), fs::read(&file).unwrap());
    // The manifest and the witness know of each start.
    let known = ["manifest", "witness", "namespaces/1/namespace"].map(|name| directory.path().join(name));
    let known = known.map(|path| (fs::read(&path).unwrap_or_default(), path));
    let put_back = || {
        fs::write(&file, &blocks).unwrap();
        known.iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
    };
    let mut dice = Dice(14);
    let stretches = tessera_base::cases(60) as usize;
    let stretch = sound.len() / stretches;
    for number in 0..=stretches {
        let at = (number * stretch + dice.roll(stretch as u64) as usize).min(sound.len() - 1);
        let mut damaged = sound.clone();
        damaged[at] ^= 1 + dice.roll(255) as u8;
        let cut = sound[..at].to_vec();
        for bytes in if number % 4 == 0 { vec![damaged, cut] } else { vec![damaged] } {
            fs::write(&path, bytes).unwrap();
            let (engine, namespace) = open(directory.path());
            assert!(!reason(&namespace).is_empty(), "byte {at}");
            assert_eq!((counts(&namespace), namespace.recovery().damaged), ((0, 3), 0), "byte {at}");
            if number % 10 == 0 {
                check(&namespace, &model);
            }
            close((engine, namespace));
            put_back();
        }
    }
    // Of another version, with its checksum right.
    let mut other = sound.clone();
    other[8] = 1;
    let crc = crc32c::crc32c(&other[..508]);
    other[508..512].copy_from_slice(&crc.to_le_bytes());
    fs::write(&path, other).unwrap();
    let (engine, namespace) = open(directory.path());
    assert!(reason(&namespace).contains("another version"), "{}", reason(&namespace));
    check(&namespace, &model);
    close((engine, namespace));
    put_back();
    fs::write(&path, &sound).unwrap();
    let (_engine, namespace) = open(directory.path());
    assert_eq!((reason(&namespace), counts(&namespace)), (String::new(), (3, 0)));
    check(&namespace, &model);
}

#[test]
fn an_index_in_memory_begins_empty_and_ready() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("n") }).unwrap();
    build(&namespace);
    close((engine, namespace));
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.namespace("n").unwrap();
    assert!(namespace.indexes().iter().all(|index| (index.state, index.stats.entries) == (IndexState::Ready, 0)));
    let mut model = Model::new();
    write(&namespace, &mut model, &mut Dice(15), 300);
    check(&namespace, &model);
}
