//! Backups of all engines that keep records on this machine, and what is restored of them.

mod chains;
mod damage;
mod interrupted;
mod load;

use super::RestoreSpec;
use crate::backup::{BackupSpec, Place};
use crate::config::{Container, DeviceConfig, EngineConfig, PagedConfig, SetConfig};
use crate::iterate::{Batch, IterateSpec};
use crate::{Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tessera_base::wait_until;
use tessera_base::{ErrorCode, Result};
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::{Job, JobInfo, JobState};
use tessera_record::{BodyBuilder, Digest, KeyRef, Meta, Ttl};

const LONG: Duration = Duration::from_secs(120);
/// A set whose records go where the bin says.
const PLACED: &str = "placed";
const FIRST: &str = "20260101T000000Z-00000001";
const SECOND: &str = "20260101T000001Z-00000002";
const THIRD: &str = "20260101T000002Z-00000003";

/// Records by set and digest.
type Contents = BTreeMap<(String, Digest), (Meta, Vec<u8>)>;

struct Rig {
    directory: tempfile::TempDir,
    engine: Arc<Engine>,
}

impl Rig {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(&directory.path().join("data"), EngineOptions::default()).unwrap();
        std::fs::create_dir(directory.path().join("backups")).unwrap();
        Self { directory, engine }
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("backups")
    }

    fn place(&self) -> Place {
        Place::from(self.root().as_path())
    }

    fn reopened(self) -> Self {
        self.engine.close().unwrap();
        let engine = Engine::open(&self.directory.path().join("data"), EngineOptions::default()).unwrap();
        Self { directory: self.directory, engine }
    }

    fn backup(&self, id: &str, base: Option<&str>) -> Result<JobInfo> {
        self.engine.backup(&self.place(), "n", &spec(id, base)).map(|job| ended(&job))
    }

    fn backed_up(&self, id: &str, base: Option<&str>) {
        done(&self.backup(id, base).unwrap());
    }

    fn restore(&self, id: &str, spec: &RestoreSpec) -> Result<JobInfo> {
        self.engine.restore_backup(&self.place(), id, spec).map(|job| ended(&job))
    }

    fn restored(&self, id: &str, name: &str, config: Option<NamespaceConfig>) -> Arc<Namespace> {
        done(&self.restore(id, &RestoreSpec { config, ..into(name) }).unwrap());
        self.engine.namespace(name).unwrap()
    }

    /// Names of the files of a backup.
    fn files(&self, id: &str) -> Vec<PathBuf> {
        let mut files: Vec<_> = std::fs::read_dir(self.root().join(id)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// Folders of namespaces.
    fn folders(&self) -> usize {
        folders(&self.directory.path().join("data"))
    }
}

fn folders(data: &Path) -> usize {
    std::fs::read_dir(data.join("namespaces")).map_or(0, Iterator::count)
}

fn spec(id: &str, base: Option<&str>) -> BackupSpec {
    BackupSpec { id: id.into(), base: base.map(Into::into), threads: 2, records_per_second: None }
}

fn into(name: &str) -> RestoreSpec {
    RestoreSpec { name: name.into(), config: None, merge: false, threads: 2, records_per_second: None }
}

fn ended(job: &Arc<Job>) -> JobInfo {
    job.wait_blocking(LONG)
}

fn done(job: &JobInfo) {
    assert_eq!(job.state, JobState::Done, "{:?}", job.error);
}

fn failed(job: &JobInfo, code: ErrorCode) {
    let found = job.error.as_ref().map(|error| error.code.as_str());
    assert_eq!((job.state, found), (JobState::Failed, Some(code.as_str())), "{:?}", job.error);
}

fn engines() -> [EngineConfig; 3] {
    let device = DeviceConfig { capacity_bytes: 64 << 20, write_block_bytes: 64 * 1024, ..DeviceConfig::default() };
    [EngineConfig::Memory, EngineConfig::Device(device), EngineConfig::Paged(PagedConfig::smallest())]
}

fn config(name: &str, engine: &EngineConfig, segments: u32) -> NamespaceConfig {
    let placed = SetConfig { name: PLACED.into(), distribution_bin: Some("v".into()), ..SetConfig::default() };
    let indexed = SetConfig { name: "indexed".into(), index: true, ..SetConfig::default() };
    let base = match engine {
        EngineConfig::Device(device) => NamespaceConfig::device(name, device.clone()),
        EngineConfig::Paged(paged) => NamespaceConfig::paged(name, paged.clone()),
        _ => NamespaceConfig::memory(name),
    };
    let durability = if *engine == EngineConfig::Memory { Durability::None } else { Durability::Relaxed };
    NamespaceConfig { segments, durability, sets: vec![placed, indexed], ..base }
}

fn flat(name: &str) -> NamespaceConfig {
    NamespaceConfig { container: Container::Flat, sets: Vec::new(), ..config(name, &EngineConfig::Memory, 8) }
}

fn body(key: i64, value: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut builder = BodyBuilder::new(&mut out, KeyRef::Integer(key));
    let bin = builder.bin("v", |out| {
        out.int(value);
        Ok(())
    });
    bin.unwrap();
    let filling = builder.bin("f", |out| {
        out.string(&"x".repeat(key.unsigned_abs() as usize % 50));
        Ok(())
    });
    filling.unwrap();
    builder.finish();
    out
}

fn put(namespace: &Namespace, set: &str, key: i64, value: i64) {
    let ttl = if key % 5 == 0 { Ttl::Seconds(10_000) } else { Ttl::Never };
    let options = WriteOptions { ttl, ..WriteOptions::default() };
    namespace.put(set, KeyRef::Integer(key), &body(key, value), &options).unwrap();
}

/// Deletes a record, and waits for no disk.
fn remove(namespace: &Namespace, set: &str, key: i64) {
    let options = WriteOptions { defer_sync: true, ..WriteOptions::default() };
    assert!(namespace.delete_with(set, KeyRef::Integer(key), &options).unwrap());
}

fn contents(namespace: &Namespace) -> Contents {
    let (mut iteration, mut batch, mut found) = (namespace.iterate(&IterateSpec::default()).unwrap(), Batch::default(), Contents::new());
    while iteration.next(&mut batch).unwrap() {
        for entry in batch.entries() {
            let set = namespace.store().set_by_id(entry.set).unwrap().name.to_string();
            assert!(found.insert((set, entry.digest), (entry.meta, entry.body.to_vec())).is_none(), "it came twice");
        }
    }
    found
}

/// A namespace `n` with records in three sets.
fn filled(rig: &Rig, config: NamespaceConfig, records: i64) -> Arc<Namespace> {
    let namespace = rig.engine.create_namespace(config).unwrap();
    for key in 0..records {
        put(&namespace, ["s", "indexed", if namespace.store().any_distributed() { PLACED } else { "t" }][key as usize % 3], key, key);
    }
    namespace
}

#[test]
fn what_is_backed_up_of_one_engine_is_restored_to_each() {
    for from in engines() {
        let rig = Rig::new();
        let namespace = filled(&rig, config("n", &from, 8), 600);
        let range = IndexSpec {
            name: "i".into(),
            set: Some("s".into()),
            bin: Some("v".into()),
            path: None,
            kind: IndexKind::Range,
            created_at_ms: 0,
        };
        ended(&namespace.create_index(range, 1).unwrap());
        rig.backed_up(FIRST, None);
        let before = contents(&namespace);
        assert_eq!(before.len(), 600);
        let info = rig.engine.backup_info(&rig.place(), FIRST).unwrap();
        assert_eq!((info.records, info.bodies, info.damaged), (Some(600), Some(600), Some(0)));
        done(&ended(&rig.engine.verify_backup(&rig.place(), FIRST, 2).unwrap()));
        for (at, to) in engines().iter().enumerate() {
            let name = format!("to{at}");
            let restored = rig.restored(FIRST, &name, Some(config(&name, to, 32)));
            assert!(contents(&restored) == before, "{} to {}", from.name(), to.name());
            assert!(restored.config().sets.iter().any(|set| set.name == "indexed" && set.index));
            // Parts that are not merged yet count twice.
            wait_until(|| restored.index("i").unwrap().stats.entries == 200);
        }
        let as_it_was = rig.restored(FIRST, "same", None);
        assert!(contents(&as_it_was) == before && as_it_was.config().engine == from);
    }
}

#[test]
fn a_restored_namespace_on_disk_is_there_after_a_restart() {
    for engine in engines().iter().skip(1) {
        let rig = Rig::new();
        let before = contents(&filled(&rig, config("n", engine, 8), 300));
        rig.backed_up(FIRST, None);
        rig.restored(FIRST, "r", None);
        let rig = rig.reopened();
        assert!(contents(&rig.engine.namespace("r").unwrap()) == before, "{}", engine.name());
    }
}

#[test]
fn a_flat_container_is_backed_up_as_one_segment() {
    let rig = Rig::new();
    let before = contents(&filled(&rig, flat("n"), 300));
    rig.backed_up(FIRST, None);
    let to = Some(config("r", &EngineConfig::Memory, 16));
    assert!(contents(&rig.restored(FIRST, "r", to)) == before);
}

#[test]
fn a_namespace_with_records_is_written_into_only_if_that_is_asked_for() {
    let rig = Rig::new();
    let namespace = filled(&rig, config("n", &EngineConfig::Memory, 8), 300);
    rig.backed_up(FIRST, None);
    assert_eq!(rig.restore(FIRST, &into("n")).unwrap_err().code, ErrorCode::NamespaceNotEmpty);
    put(&namespace, "s", 0, 77);
    put(&namespace, "s", 1000, 1000);
    remove(&namespace, "s", 3);
    done(&rig.restore(FIRST, &RestoreSpec { merge: true, ..into("n") }).unwrap());
    let found = contents(&namespace);
    let value = |key: i64| found.get(&("s".to_owned(), Digest::of("s", KeyRef::Integer(key)))).map(|(_, body)| body.clone());
    assert_eq!(found.len(), 301);
    assert_eq!([value(0), value(3), value(1000)], [Some(body(0, 0)), Some(body(3, 3)), Some(body(1000, 1000))]);
    // Its times of last update are new, so the next incremental backup has what was written.
    rig.backed_up(SECOND, Some(FIRST));
    assert!(contents(&rig.restored(SECOND, "r", None)) == found);
}
