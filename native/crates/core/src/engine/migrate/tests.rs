//! Migrations between all engines that keep records on this machine.

mod any_to_any;
mod failures;
mod load;
mod restart;

use super::{MigrationInfo, MigrationPhase, MigrationTarget};
use crate::config::{Container, DeviceConfig, EngineConfig, PagedConfig, SetConfig};
use crate::iterate::{Batch, IterateSpec};
use crate::{Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tessera_jobs::{JobInfo, JobState};
use tessera_record::{BodyBuilder, Digest, KeyRef, Meta};

const LONG: Duration = Duration::from_secs(120);
/// A set whose records go where the bin says.
const PLACED: &str = "placed";

/// Records by set and digest.
type Contents = BTreeMap<(String, Digest), (Meta, Vec<u8>)>;

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions::default()).unwrap()
}

fn config(engine: &EngineConfig, segments: u32) -> NamespaceConfig {
    let placed = SetConfig { name: PLACED.into(), distribution_bin: Some("v".into()), ..SetConfig::default() };
    let indexed = SetConfig { name: "indexed".into(), index: true, ..SetConfig::default() };
    let base = match engine {
        EngineConfig::Device(device) => NamespaceConfig::device("n", device.clone()),
        EngineConfig::Paged(paged) => NamespaceConfig::paged("n", paged.clone()),
        _ => NamespaceConfig::memory("n"),
    };
    let durability = if *engine == EngineConfig::Memory { Durability::None } else { Durability::Relaxed };
    NamespaceConfig { segments, durability, sets: vec![placed, indexed], ..base }
}

fn engines() -> [EngineConfig; 3] {
    let device = DeviceConfig { capacity_bytes: 64 << 20, write_block_bytes: 64 * 1024, ..DeviceConfig::default() };
    [EngineConfig::Memory, EngineConfig::Device(device), EngineConfig::Paged(PagedConfig::smallest())]
}

fn to(engine: &EngineConfig) -> MigrationTarget {
    let durability = Some(Durability::Relaxed).filter(|_| *engine != EngineConfig::Memory);
    MigrationTarget { engine: Some(engine.clone()), durability, ..MigrationTarget::default() }
}

fn body(key: i64, value: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut builder = BodyBuilder::new(&mut out, KeyRef::Integer(key));
    let bin = builder.bin("v", |out| {
        out.int(value);
        Ok(())
    });
    bin.unwrap();
    builder.finish();
    out
}

fn put(namespace: &Namespace, set: &str, key: i64, value: i64) {
    namespace.put(set, KeyRef::Integer(key), &body(key, value), &WriteOptions::default()).unwrap();
}

/// Deletes a record, and waits for no disk.
fn remove(namespace: &Namespace, set: &str, key: i64) -> bool {
    namespace.delete_with(set, KeyRef::Integer(key), &WriteOptions { defer_sync: true, ..WriteOptions::default() }).unwrap()
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

fn info(engine: &Engine) -> MigrationInfo {
    engine.migration("n").unwrap().unwrap()
}

/// Waits for the job that makes both stores the same.
fn ended(engine: &Engine) -> JobInfo {
    let id = info(engine).job.unwrap();
    match engine.jobs().running(&id) {
        Ok(job) => job.wait_blocking(LONG),
        Err(_) => engine.jobs().info(&id).unwrap(),
    }
}

fn doubled(engine: &Engine) {
    let job = ended(engine);
    assert_eq!((job.state, info(engine).phase), (JobState::Done, MigrationPhase::Doubled), "{:?}", job.error);
}

/// Folders of namespaces.
fn folders(directory: &Path) -> usize {
    std::fs::read_dir(directory.join("namespaces")).unwrap().count()
}
