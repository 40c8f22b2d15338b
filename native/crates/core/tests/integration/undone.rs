//! Truncations that can be undone: every way of looking agrees while records are hidden, once they are back, and once they are gone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use crate::pages::paged;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::clock::unix_millis;
use tessera_base::{ErrorCode, wait_until};
use tessera_core::export::ExportSpec;
use tessera_core::iterate::{Batch, IterateSpec};
use tessera_core::query::QuerySpec;
use tessera_core::scan::{PlanChoice, ScanSpec, TallySpec, UseIndex};
use tessera_core::stream::{Pipeline, StreamSpec};
use tessera_core::stream_summary::ChunkStream;
use tessera_core::{
    DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, Exists, Namespace, NamespaceConfig, SetConfig, SetLimits, WriteOptions,
};
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::load::Format;
use tessera_jobs::{JobKind, JobState};
use tessera_record::filter::Filter;
use tessera_record::{BodyRef, KeyRef, Ttl, Value};

const LONG: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const SETS: [&str; 3] = ["plain", "placed", "indexed"];
const KEYS: i64 = 300;

type Records = BTreeSet<(String, i64)>;

fn configs() -> [NamespaceConfig; 4] {
    let device = NamespaceConfig::device("n", DeviceConfig { flush_interval_ms: 10, ..DeviceConfig::default() });
    let one = NamespaceConfig { segments: 1, ..NamespaceConfig::memory("n") };
    [NamespaceConfig::memory("n"), device, paged("n", 4096), one].map(|config| {
        let placed = SetConfig { name: "placed".into(), distribution_bin: Some("home".into()), ..SetConfig::default() };
        let indexed = SetConfig { name: "indexed".into(), index: true, ..SetConfig::default() };
        let segments = config.segments.min(8);
        let durability = if config.engine == EngineConfig::Memory { Durability::None } else { Durability::Relaxed };
        NamespaceConfig { segments, sets: vec![placed, indexed], durability, ..config }
    })
}

struct Rig {
    directory: tempfile::TempDir,
    engine: Arc<Engine>,
    namespace: Arc<Namespace>,
    in_memory: bool,
}

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions::default()).unwrap()
}

fn put(namespace: &Namespace, set: &str, key: i64, n: i64) {
    let body = body(KeyRef::Integer(key), &[("home", Value::Int(n % 5)), ("n", Value::Int(n))]);
    namespace.put(set, KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
}

fn set_of(key: i64) -> &'static str {
    SETS[key as usize % SETS.len()]
}

fn tally(kind: JobKind, set: &str) -> TallySpec {
    TallySpec {
        kind,
        set: Some(set.to_owned()),
        filter: None,
        sample: None,
        aggregate: None,
        use_index: UseIndex::Auto,
        plan: PlanChoice::default(),
        threads: 2,
        records_per_second: None,
    }
}

fn counting() -> StreamSpec {
    let pipeline = Arc::new(Pipeline::compile(json!([{"count": true}]).to_string().as_bytes()).unwrap());
    StreamSpec { set: None, segments: None, pipeline, threads: 2, records_per_second: None, most: None, bare_count: false }
}

fn keys_of(stream: &ChunkStream) -> Records {
    let mut text = Vec::new();
    while let Some(chunk) = stream.next_blocking().unwrap() {
        text.extend(chunk);
    }
    let lines = text.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    let keys = lines.map(|line| serde_json::from_slice::<serde_json::Value>(line).unwrap()["key"].as_i64().unwrap());
    keys.map(|key| (set_of(key).to_owned(), key)).collect()
}

impl Rig {
    /// With keys of three sets, and an index of a bin that all have.
    fn filled(config: NamespaceConfig) -> (Self, Records) {
        let directory = tempfile::tempdir().unwrap();
        let (engine, in_memory) = (open(directory.path()), config.engine == EngineConfig::Memory);
        let namespace = engine.create_namespace(config).unwrap();
        (0..KEYS).for_each(|key| put(&namespace, set_of(key), key, key));
        let spec = IndexSpec { name: "n".into(), set: None, bin: Some("n".into()), kind: IndexKind::Range, path: None, created_at_ms: 0 };
        assert_eq!(namespace.create_index(spec, 2).unwrap().wait_blocking(LONG).state, JobState::Done);
        let all = (0..KEYS).map(|key| (set_of(key).to_owned(), key)).collect();
        (Self { directory, engine, namespace, in_memory }, all)
    }

    /// Closed and opened, with the image of the index or without.
    fn reopened(self, cold: bool) -> Self {
        let Self { directory, engine, namespace, in_memory } = self;
        drop(namespace);
        engine.close().unwrap();
        let image = directory.path().join("namespaces/1/index.tss");
        if cold && image.exists() {
            std::fs::remove_file(image).unwrap();
        }
        let engine = open(directory.path());
        let namespace = engine.namespace("n").unwrap();
        wait_until(|| namespace.indexes().iter().all(|index| index.state == tessera_index::IndexState::Ready));
        Self { directory, engine, namespace, in_memory }
    }

    /// Every way of looking finds exactly these records.
    fn check(&self, wanted: &Records) {
        let namespace = &self.namespace;
        let count = wanted.len() as u64;
        assert_eq!((namespace.size(None), namespace.records()), (count, count));
        assert_eq!(namespace.segments().iter().map(|segment| segment.records).sum::<u64>(), count);
        for set in SETS {
            let of_set = wanted.iter().filter(|(own, _)| own == set).count() as u64;
            // A set without settings is gone after a restart with its last record.
            let (records, bytes) = namespace.set(set).map_or((0, 0), |info| (info.records, info.bytes));
            assert_eq!((namespace.size(Some(set)), records, bytes > 0), (of_set, of_set, of_set > 0), "{set}");
        }
        for key in 0..KEYS {
            let there = wanted.contains(&(set_of(key).to_owned(), key));
            assert_eq!(namespace.meta(set_of(key), KeyRef::Integer(key)).unwrap().is_some(), there, "{key}");
            let mut body = Vec::new();
            assert_eq!(namespace.get(set_of(key), KeyRef::Integer(key), &mut body).unwrap().is_some(), there, "{key}");
        }
        self.check_walks(wanted);
    }

    fn check_walks(&self, wanted: &Records) {
        let (namespace, count) = (&self.namespace, wanted.len() as u64);
        for threads in [1, 2] {
            assert_eq!(keys_of(&namespace.scan(ScanSpec { threads, ..ScanSpec::default() }).unwrap().stream), *wanted);
        }
        for set in SETS {
            let of_set: Records = wanted.iter().filter(|(own, _)| own == set).cloned().collect();
            if of_set.is_empty() && namespace.set(set).is_err() {
                continue;
            }
            for use_index in [UseIndex::Auto, UseIndex::Never] {
                let spec = ScanSpec { set: Some(set.to_owned()), use_index, ..ScanSpec::default() };
                assert_eq!(keys_of(&namespace.scan(spec).unwrap().stream), of_set, "{set}");
            }
            for kind in [JobKind::Scan, JobKind::Count] {
                let job = namespace.tally(tally(kind, set)).unwrap().wait_blocking(LONG);
                let result: serde_json::Value = serde_json::from_str(&job.result.unwrap()).unwrap();
                assert_eq!(result["records"].as_u64(), Some(of_set.len() as u64), "{result}");
            }
        }
        let low = || Some(Arc::new(Filter::compile(br#"{"bin":"n","op":"lt","value":100}"#).unwrap()));
        let query = namespace.query(QuerySpec { filter: low(), ..QuerySpec::default() }).unwrap();
        let mut text = Vec::new();
        while let Some(chunk) = query.stream.next_blocking().unwrap() {
            text.extend(chunk);
        }
        assert_eq!(text.iter().filter(|&&b| b == b'\n').count(), wanted.iter().filter(|(_, key)| *key < 100).count());
        let spec = ExportSpec {
            set: None,
            filter: None,
            format: Format::Ndjson,
            columns: None,
            metadata: false,
            threads: 2,
            ..ExportSpec::default()
        };
        assert_eq!(keys_of(&namespace.export(spec).unwrap().stream), *wanted);
        let stream = namespace.stream(counting()).unwrap();
        assert_eq!(stream.stream.next_blocking().unwrap(), Some(format!("{{\"count\":{count}}}\n").into_bytes()));
        let (mut iteration, mut batch, mut met) = (namespace.iterate(&IterateSpec::default()).unwrap(), Batch::default(), Records::new());
        while iteration.next(&mut batch).unwrap() {
            for entry in batch.entries() {
                let KeyRef::Integer(key) = BodyRef::new(entry.body).key() else { panic!("keys are integers") };
                assert!(met.insert((set_of(key).to_owned(), key)), "{key} comes twice");
            }
        }
        assert_eq!(met, *wanted);
    }

    fn hide(&self, set: Option<&str>) -> String {
        let truncated = self.namespace.truncate_for(set, None, HOUR).unwrap();
        assert!(truncated.undo_until_ms.unwrap() > unix_millis());
        truncated.job.wait_blocking(LONG).id
    }
}

#[test]
fn every_look_agrees_while_records_are_hidden_once_they_are_back_and_once_they_are_gone() {
    for config in configs() {
        for set in [None, Some("plain"), Some("placed"), Some("indexed")] {
            let (rig, all) = Rig::filled(config.clone());
            rig.check(&all);
            let left: Records = all.iter().filter(|(own, _)| set.is_some_and(|set| set != own)).cloned().collect();
            let first = rig.hide(set);
            rig.check(&left);
            rig.namespace.undo_truncation(&first).unwrap().wait_blocking(LONG);
            rig.check(&all);
            let second = rig.hide(set);
            rig.check(&left);
            rig.namespace.settle_truncation(&second).unwrap().wait_blocking(LONG);
            rig.check(&left);
            assert_eq!(rig.namespace.undo_truncation(&second).err().unwrap().code, ErrorCode::TruncationNotFound);
            if !rig.in_memory {
                rig.reopened(true).check(&left);
            }
        }
    }
}

#[test]
fn a_restart_keeps_what_is_hidden_and_what_came_back() {
    for config in configs().into_iter().filter(|config| config.engine != EngineConfig::Memory) {
        for cold in [false, true] {
            let (rig, all) = Rig::filled(config.clone());
            let left: Records = all.iter().filter(|(own, _)| own != "placed").cloned().collect();
            let id = rig.hide(Some("placed"));
            let rig = rig.reopened(cold);
            rig.check(&left);
            let listed = rig.namespace.undoable_truncations();
            assert_eq!((listed.len(), &listed[0].id, listed[0].records), (1, &id, all.len() as u64 - left.len() as u64));
            rig.namespace.undo_truncation(&id).unwrap().wait_blocking(LONG);
            rig.check(&all);
            let rig = rig.reopened(cold);
            rig.check(&all);
            assert_eq!(rig.namespace.undoable_truncations().len(), 0);
        }
    }
}

#[test]
fn what_is_written_meanwhile_is_newer_and_stays() {
    for config in configs() {
        let (rig, all) = Rig::filled(config);
        let namespace = &rig.namespace;
        let bytes = |set: &str| namespace.set(set).unwrap().bytes;
        let before = bytes("plain");
        let id = rig.hide(None);
        let (again, deleted, older) = (KeyRef::Integer(0), KeyRef::Integer(3), KeyRef::Integer(6));
        let update = WriteOptions { exists: Exists::UpdateOnly, ..WriteOptions::default() };
        let refused = namespace.put("plain", again, &body(again, &[]), &update);
        assert_eq!(refused.unwrap_err().code, ErrorCode::RecordNotFound, "it is hidden");
        put(namespace, "plain", 0, 7);
        // Nobody sees the record, and yet it is deleted.
        assert!(!namespace.delete("plain", deleted, None).unwrap());
        rig.check(&Records::from([("plain".into(), 0)]));
        namespace.undo_truncation(&id).unwrap().wait_blocking(LONG);
        let mut wanted = all;
        wanted.remove(&("plain".into(), 3));
        assert_eq!(namespace.size(None), wanted.len() as u64);
        rig.check(&wanted);
        let n = |key| {
            let mut out = Vec::new();
            let meta = namespace.get("plain", key, &mut out).unwrap().unwrap();
            (meta.generation, BodyRef::new(&out).bin("n").unwrap().to_value())
        };
        assert_eq!((n(again), n(older)), ((1, Value::Int(7)), (1, Value::Int(6))));
        put(namespace, "plain", 0, 0);
        put(namespace, "plain", 3, 3);
        assert_eq!(bytes("plain"), before);
    }
}

#[test]
fn a_moment_hides_what_is_older_and_an_undo_brings_that_back() {
    for config in configs() {
        let (rig, all) = Rig::filled(config);
        let namespace = &rig.namespace;
        while namespace.last_write_ms() >= Some(unix_millis()) {
            std::thread::yield_now();
        }
        let moment = unix_millis();
        let younger: Records = all.iter().filter(|(_, key)| key % 4 == 0).cloned().collect();
        younger.iter().for_each(|(set, key)| put(namespace, set, *key, *key));
        let truncated = namespace.truncate_for(None, Some(moment), HOUR).unwrap();
        let id = truncated.job.wait_blocking(LONG).id;
        rig.check(&younger);
        namespace.undo_truncation(&id).unwrap().wait_blocking(LONG);
        rig.check(&all);
    }
}

#[test]
fn an_index_that_is_built_meanwhile_has_what_comes_back() {
    for config in configs() {
        let (rig, all) = Rig::filled(config);
        let namespace = &rig.namespace;
        let id = rig.hide(None);
        namespace.set_index_on("plain", 2).unwrap().wait_blocking(LONG);
        namespace.drop_index("n").unwrap();
        let spec = IndexSpec { name: "m".into(), set: None, bin: Some("n".into()), kind: IndexKind::Range, path: None, created_at_ms: 0 };
        assert_eq!(namespace.create_index(spec, 2).unwrap().wait_blocking(LONG).state, JobState::Done);
        rig.check(&Records::new());
        namespace.undo_truncation(&id).unwrap().wait_blocking(LONG);
        rig.check(&all);
    }
}

#[test]
fn limits_of_a_set_count_what_callers_see() {
    for config in configs() {
        let (rig, all) = Rig::filled(config);
        let namespace = &rig.namespace;
        let most = all.iter().filter(|(own, _)| own == "placed").count() as u64;
        let limit = |records| namespace.limit_set("placed", SetLimits { max_records: records, max_bytes: 0 }).unwrap();
        limit(most);
        let id = rig.hide(Some("placed"));
        // Each replaces a hidden record, some in another segment, and each is one more.
        let refused = |key, n| {
            let body = body(KeyRef::Integer(key), &[("home", Value::Int(n)), ("n", Value::Int(n))]);
            namespace.put("placed", KeyRef::Integer(key), &body, &WriteOptions::default()).err().map(|error| error.code)
        };
        limit(2);
        assert_eq!([(1, 1), (4, 5), (7, 2)].map(|(key, n)| refused(key, n)), [None, None, Some(ErrorCode::SetQuota)]);
        assert_eq!(namespace.size(Some("placed")), 2);
        // An undo brings all back, and the limit keeps the set from growing.
        namespace.undo_truncation(&id).unwrap().wait_blocking(LONG);
        assert_eq!((namespace.size(Some("placed")), refused(1000, 1)), (most, Some(ErrorCode::SetQuota)));
        rig.check(&all);
    }
}

#[test]
fn what_expires_while_it_is_hidden_does_not_come_back() {
    for config in configs() {
        let (rig, all) = Rig::filled(config);
        let namespace = &rig.namespace;
        let key = KeyRef::Integer(3);
        let expires = WriteOptions { ttl: Ttl::Seconds(1), ..WriteOptions::default() };
        namespace.put("plain", key, &body(key, &[("n", Value::Int(3))]), &expires).unwrap();
        let expired_before = namespace.limits().expired;
        let id = rig.hide(None);
        wait_until(|| namespace.limits().expired > expired_before);
        rig.check(&Records::new());
        namespace.undo_truncation(&id).unwrap().wait_blocking(LONG);
        let wanted: Records = all.into_iter().filter(|(_, key)| *key != 3).collect();
        rig.check(&wanted);
    }
}

#[test]
fn many_records_are_hidden_at_once_and_come_back_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let namespace = engine.create_namespace(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("m") }).unwrap();
    // So many that they are counted in the background.
    let keys = 30_000;
    (0..keys).for_each(|key| put(&namespace, "plain", key, key));
    let seen = || keys_of(&namespace.scan(ScanSpec::default()).unwrap().stream).len() as i64;
    let truncated = namespace.truncate_for(None, None, HOUR).unwrap();
    assert_eq!(seen(), 0);
    // Before the first job has come to its end, perhaps.
    let undo = namespace.undo_truncation(truncated.job.id()).unwrap();
    assert_eq!(seen(), keys);
    truncated.job.wait_blocking(LONG);
    assert_eq!(undo.wait_blocking(LONG).state, JobState::Done);
    assert_eq!(namespace.size(None), keys as u64);
    let truncated = namespace.truncate_for(None, None, HOUR).unwrap();
    let removal = namespace.settle_truncation(truncated.job.id()).unwrap();
    assert_eq!(seen(), 0);
    truncated.job.wait_blocking(LONG);
    assert_eq!(removal.wait_blocking(LONG).state, JobState::Done);
    assert_eq!((namespace.size(None), namespace.usage().live_bytes), (0, 0));
}
