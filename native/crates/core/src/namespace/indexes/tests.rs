//! Builds that a stop, or a user, ends half-way.

use crate::namespace::rig::Rig;
use crate::sets::SetIndexState;
use crate::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, WriteOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_index::{IndexKind, IndexSpec, IndexState};
use tessera_io::faulty::Fault;
use tessera_jobs::{Job, JobPatch};
use tessera_record::{BodyBuilder, KeyRef};

const SET: &str = "s";
/// So many that a set index is built by threads of its own.
const RECORDS: i64 = 52_000;
/// `ENOSPC`.
const NO_SPACE: i32 = 28;
const LONG: Duration = Duration::from_secs(60);

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions::default()).unwrap()
}

fn configs() -> [NamespaceConfig; 2] {
    let relaxed = |config| NamespaceConfig { segments: 256, durability: Durability::Relaxed, ..config };
    [
        relaxed(NamespaceConfig::device("n", DeviceConfig::default())),
        relaxed(NamespaceConfig::paged("n", PagedConfig { page_bytes: 4096, ..PagedConfig::default() })),
    ]
}

fn fill(namespace: &Namespace) {
    let mut body = vec![];
    for key in 0..RECORDS {
        body.clear();
        let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
        builder
            .bin("v", |out| {
                out.int(key);
                Ok(())
            })
            .unwrap();
        builder.finish();
        namespace.put(SET, KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
    }
}

/// Begins builds until one is caught before its end, and leaves it paused there.
fn caught(mut begin: impl FnMut() -> Arc<Job>, building: impl Fn() -> bool, undo: impl Fn()) -> Arc<Job> {
    loop {
        let job = begin();
        let paused = job.patch(JobPatch { paused: Some(true), ..JobPatch::default() }).is_ok();
        if paused && building() {
            return job;
        }
        job.wait_blocking(LONG);
        undo();
    }
}

fn index_half_built(namespace: &Arc<Namespace>, name: &str, kind: IndexKind) -> Arc<Job> {
    let spec = IndexSpec { name: name.into(), set: None, bin: Some("v".into()), kind, path: None, created_at_ms: 0 };
    let begin = || namespace.create_index(spec.clone(), 1).unwrap();
    let building = || namespace.index(name).is_ok_and(|index| index.state == IndexState::Building);
    caught(begin, building, || drop(namespace.drop_index(name).unwrap()))
}

fn set_half_indexed(namespace: &Arc<Namespace>) -> Arc<Job> {
    let begin = || namespace.set_index_on(SET, 1).unwrap();
    let building = || namespace.store().sets.find(SET).is_some_and(|set| set.index_state() == SetIndexState::Building);
    caught(begin, building, || namespace.set_index_off(SET).unwrap())
}

/// The indexes after a start, once all builds of it have ended.
fn brought_up(namespace: &Namespace) -> Vec<(String, IndexState)> {
    for job in namespace.indexes().iter().filter_map(|index| index.job.as_deref()) {
        if let Ok(job) = namespace.store().jobs().running(job) {
            job.wait_blocking(LONG);
        }
    }
    namespace.indexes().into_iter().map(|index| (index.spec.name, index.state)).collect()
}

#[test]
fn builds_that_a_stop_has_ended_are_there_after_the_start() {
    for config in configs() {
        let directory = tempfile::tempdir().unwrap();
        let engine = open(directory.path());
        let namespace = engine.create_namespace(config).unwrap();
        fill(&namespace);
        let range = index_half_built(&namespace, "range", IndexKind::Range);
        let document = index_half_built(&namespace, "document", IndexKind::Document);
        let set = set_half_indexed(&namespace);
        drop(namespace);
        // What a server does first when it is told to stop, long before it closes its engine.
        engine.call_off_jobs();
        for job in [range, document, set] {
            job.wait_blocking(LONG);
        }
        engine.close().unwrap();

        let engine = open(directory.path());
        let namespace = engine.namespace("n").unwrap();
        assert_eq!(brought_up(&namespace), ["range", "document"].map(|name| (name.to_owned(), IndexState::Ready)));
        assert_eq!(namespace.index("range").unwrap().stats.entries, RECORDS as u64);
        assert_eq!(namespace.store().sets.find(SET).unwrap().index_state(), SetIndexState::On);
        drop(namespace);
        engine.close().unwrap();
    }
}

#[test]
fn builds_that_a_user_has_aborted_are_gone_though_the_stop_comes_at_once() {
    for config in configs() {
        let directory = tempfile::tempdir().unwrap();
        let engine = open(directory.path());
        let namespace = engine.create_namespace(config).unwrap();
        fill(&namespace);
        let range = index_half_built(&namespace, "range", IndexKind::Range);
        let set = set_half_indexed(&namespace);
        range.abort().unwrap();
        set.abort().unwrap();
        drop(namespace);
        engine.close().unwrap();

        let engine = open(directory.path());
        let namespace = engine.namespace("n").unwrap();
        assert_eq!(brought_up(&namespace), []);
        assert_eq!(namespace.store().sets.find(SET).unwrap().index_state(), SetIndexState::Off);
        drop(namespace);
        engine.close().unwrap();
    }
}

#[test]
fn a_stop_says_what_a_full_disk_did_not_take() {
    let config = NamespaceConfig { segments: 4, durability: Durability::Relaxed, ..NamespaceConfig::paged("n", PagedConfig::default()) };
    let (rig, namespace) = Rig::create(config);
    namespace.sync().unwrap();
    (0..50).for_each(|key| rig.put(&namespace, key, key).unwrap());
    rig.disks.iter().for_each(|disk| disk.set_fault(Some(Fault::Write(NO_SPACE))));
    let waiting = namespace.usage().flush_queue_bytes;
    assert!(waiting > 0);
    let error = namespace.close().unwrap_err();
    assert_eq!(error.code, ErrorCode::DeviceFull);
    assert!(error.message.starts_with("the namespace \"n\" has "), "{}", error.message);
    assert!(error.message.contains(&format!("{waiting} bytes that are not on disk")), "{}", error.message);
}
