//! What walks do when the records change under them, and when they are large.

mod counts;
mod digests;
mod from_key;
mod histories;
mod ordered;
mod ranges;
mod unread;

use crate::query::{QuerySpec, plan_query};
use crate::scan::plan::ScanSpec;
use crate::scan::traverse::{Backoff, Traversal, Turn};
use crate::scan::walk::{ALL_SLOTS, Scratch};
use crate::stream_summary::ChunkStream;
use crate::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, WriteOptions};
use std::ops::ControlFlow;
use std::sync::Arc;
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_jobs::{JobKind, JobSpec, JobState};
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, KeyRef};

const RECORDS: i64 = 40;

/// Bytes of the bin that makes a record large: two fill a chunk.
const LARGE: usize = 200_000;

fn put(namespace: &Namespace, set: &str, key: i64, filling: usize) {
    namespace.put(set, KeyRef::Integer(key), &body_of(key, filling), &WriteOptions::default()).unwrap();
}

fn body_of(key: i64, filling: usize) -> Vec<u8> {
    let mut body = Vec::new();
    let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
    builder
        .bin("n", |out| {
            out.int(key);
            Ok(())
        })
        .unwrap();
    builder
        .bin("filling", |out| {
            out.string(&"x".repeat(filling));
            Ok(())
        })
        .unwrap();
    builder.finish();
    body
}

fn open(config: NamespaceConfig) -> (tempfile::TempDir, Arc<Engine>, Arc<Namespace>) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(config).unwrap();
    (directory, engine, namespace)
}

fn indexed() -> NamespaceConfig {
    let spec = IndexSpec { name: "n".into(), set: None, bin: Some("n".into()), kind: IndexKind::Range, path: None, created_at_ms: 0 };
    NamespaceConfig { indexes: vec![spec], ..NamespaceConfig::memory("a") }
}

/// Rows that a stream brings; no chunk may be larger than a full one and one row more.
fn rows(stream: &ChunkStream) -> usize {
    let mut rows = 0;
    while let Some(chunk) = stream.next_blocking().unwrap() {
        assert!(chunk.len() < CHUNK_BYTES + LARGE + 1000, "a chunk of {} bytes", chunk.len());
        rows += chunk.iter().filter(|&&byte| byte == b'\n').count();
    }
    rows
}

#[test]
fn what_an_index_proposed_before_a_truncation_is_not_there_after_it() {
    let (_directory, _engine, namespace) = open(NamespaceConfig { segments: 4, ..indexed() });
    (0..RECORDS).for_each(|key| put(&namespace, "s", key, 0));
    let filter = Filter::compile(br#"{"bin":"n","op":"ge","value":0}"#).unwrap();
    let (plan, selection) =
        plan_query(namespace.store(), &QuerySpec { filter: Some(Arc::new(filter)), ..QuerySpec::default() }, true).unwrap();
    assert_eq!(plan.method, "range-index");
    namespace.truncate(None, None).unwrap();
    let traversal = Traversal::default();
    let walk = traversal.walk(namespace.store(), &selection, true);
    assert_eq!(walk.everything(&mut |_| ControlFlow::Continue(())), (0, ControlFlow::Continue(())));
    for segment in 0..4 {
        let step = walk.step(segment, ALL_SLOTS, 1, &mut Scratch::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((step.met, step.next), (0, None));
    }
}

#[test]
fn few_large_records_come_in_chunks_of_the_usual_size() {
    for config in [
        NamespaceConfig::memory("memory"),
        NamespaceConfig::device("device", DeviceConfig { write_block_bytes: 1 << 20, ..DeviceConfig::default() }),
        NamespaceConfig::paged("pages", PagedConfig::smallest()),
    ] {
        let (_directory, _engine, namespace) = open(NamespaceConfig { segments: 1, ..config });
        (0..RECORDS).for_each(|key| put(&namespace, "s", key, LARGE));
        for limit in [None, Some(1000)] {
            let scan = namespace.scan(ScanSpec { threads: 2, limit, ..ScanSpec::default() }).unwrap();
            assert_eq!(rows(&scan.stream), RECORDS as usize);
        }
    }
}

#[test]
fn records_larger_than_the_average_are_not_all_written_on_the_calling_thread() {
    let (_directory, _engine, namespace) = open(NamespaceConfig { segments: 1, ..indexed() });
    (0..RECORDS).for_each(|key| put(&namespace, "s", key, LARGE));
    (RECORDS..4000).for_each(|key| put(&namespace, "s", key, 0));
    let page = namespace.scan(ScanSpec { limit: Some(100), ..ScanSpec::default() }).unwrap();
    let filter = Filter::compile(br#"{"bin":"n","op":"le","value":39}"#).unwrap();
    let query = namespace.query(QuerySpec { filter: Some(Arc::new(filter)), ..QuerySpec::default() }).unwrap();
    // How many it proposes is not known while a merge has the one segment.
    assert_eq!(query.plan.method, "range-index");
    for (job, stream, wanted) in [(page.job, page.stream, 100), (query.job, query.stream, RECORDS as usize)] {
        // All rows do not fit into the queue: the work waits for this reader.
        assert_eq!(job.info().state, JobState::Running);
        assert_eq!(rows(&stream), wanted);
        assert_eq!(stream.summary().returned, wanted as u64);
    }
}

#[test]
fn workers_that_give_way_work_one_at_a_time() {
    let (_directory, _engine, namespace) = open(NamespaceConfig::memory("a"));
    let job = namespace.store().jobs().begin(JobSpec::new(JobKind::Scan, "a", "Scan a")).unwrap();
    let turn = Turn::default();
    let mut worker = Backoff::new(namespace.store(), turn.clone());
    worker.begin();
    worker.begin();
    assert!(turn.try_lock().is_none(), "in a step");
    worker.due(namespace.store(), &job);
    assert!(turn.try_lock().is_some(), "after it, whatever is then waited for");
    worker.begin();
    worker.end();
    assert!(turn.try_lock().is_some(), "between items");
    job.finish(Ok("{}".to_owned()));
}
