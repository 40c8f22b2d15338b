//! Streams that nobody reads, beside everything else.

use super::put;
use crate::namespace::rig::on;
use crate::scan::ScanSpec;
use crate::stream_summary::ChunkStream;
use crate::{Namespace, NamespaceConfig};
use std::sync::Arc;
use std::time::Duration;
use tessera_base::pool::{Class, Pool};
use tessera_base::wait_until;
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_jobs::{Job, JobState, LaneState};
use tessera_storage::memory::MemoryStorage;

const RECORDS: i64 = 256;
/// Bytes of a record: all of them are many times what waits in a stream.
const LENGTH: usize = 64 * 1024;
const LONG: Duration = Duration::from_secs(120);

/// Keys of all records that a stream brings.
fn keys(stream: &ChunkStream) -> Vec<i64> {
    let mut text = Vec::new();
    while let Some(chunk) = stream.next_blocking().unwrap() {
        text.extend(chunk);
    }
    let key = |line: &[u8]| serde_json::from_slice::<serde_json::Value>(line).unwrap()["bins"]["n"].as_i64().unwrap();
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(key).collect()
}

fn assert_all_once(mut keys: Vec<i64>) {
    keys.sort_unstable();
    assert_eq!(keys, (0..RECORDS).collect::<Vec<_>>());
}

fn scan(namespace: &Arc<Namespace>) -> (ChunkStream, Arc<Job>) {
    let scan = namespace.scan(ScanSpec { threads: 8, ..ScanSpec::default() }).unwrap();
    (scan.stream, scan.job)
}

#[test]
fn a_chunk_takes_little_more_memory_than_its_rows() {
    let (_directory, namespace) =
        on(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, Arc::new(MemoryStorage::new(None)), Pool::new());
    (0..4000).for_each(|key| put(&namespace, "s", key, 1000));
    let (stream, _job) = scan(&namespace);
    while let Some(chunk) = stream.next_blocking().unwrap() {
        assert!(chunk.capacity() < CHUNK_BYTES * 3 / 2, "{} bytes for {} of rows", chunk.capacity(), chunk.len());
    }
}

#[test]
fn streams_that_nobody_reads_keep_nobody_from_working() {
    let pool = Pool::with_threads(16);
    let config = NamespaceConfig { segments: 64, ..NamespaceConfig::memory("a") };
    let (_directory, namespace) = on(config, Arc::new(MemoryStorage::new(None)), pool.clone());
    (0..RECORDS).for_each(|key| put(&namespace, "s", key, LENGTH));
    let mut unread: Vec<_> = (0..4).map(|_| scan(&namespace)).collect();
    let sending = |job: &Job| {
        let lanes = job.info().lanes;
        !lanes.is_empty() && lanes.iter().all(|lane| lane.state == LaneState::Sending)
    };
    let workers = || unread.iter().map(|(_, job)| job.info().lanes.len()).sum::<usize>();
    // A helper is counted a moment before it has a lane.
    wait_until(|| unread.iter().all(|(_, job)| sending(job)) && workers() == 4 + pool.helpers(Class::Stream));
    assert!(pool.helpers(Class::Stream) <= 8);

    // Another stream, and a build.
    let (stream, job) = scan(&namespace);
    assert_all_once(keys(&stream));
    assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
    let spec = IndexSpec { name: "n".into(), set: None, bin: Some("n".into()), kind: IndexKind::Range, path: None, created_at_ms: 0 };
    let build = namespace.create_index(spec, 8).unwrap();
    assert_eq!(build.wait_blocking(LONG).state, JobState::Done);

    // One is given up, and the others are read at last.
    let (_, job) = unread.swap_remove(0);
    assert_eq!(job.wait_blocking(LONG).state, JobState::Aborted);
    for (stream, job) in unread {
        assert_all_once(keys(&stream));
        assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
    }
    wait_until(|| pool.helpers(Class::Stream) + pool.helpers(Class::Job) == 0);
}
