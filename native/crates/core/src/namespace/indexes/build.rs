//! Building an index over records that are already there, one segment at a time, while writes go on.
//!
//! Before a build every segment gets a part that takes writes. Then each segment is read in steps, with its lock held
//! only for a step, and what was collected is adopted in one: slots that were written meanwhile keep what the write put
//! there, so it does not matter whether a step saw them before or after. All workers together keep to the rate of the job.

use crate::segment::{SegmentCell, fetch_body};
use std::ops::Range;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};
use tessera_index::document::DocumentBuilder;
use tessera_index::range::SegmentRangeIndex;
use tessera_index::{Index, IndexKind, Indexed, SegmentIndex};
use tessera_jobs::Job;
use tessera_record::{BodyRef, Digest};
use tessera_storage::{SlotRecord, Storage};

/// Slots read with the lock held once: about half a millisecond of 2 KiB documents.
const STEP: usize = 256;

/// Buffers of one worker.
#[derive(Default)]
pub(super) struct Scratch {
    documents: DocumentBuilder,
    range: SegmentRangeIndex,
    /// Slot, set and record, whose body has to be read from the device.
    waiting: Vec<(u32, u16, SlotRecord)>,
    body: Vec<u8>,
}

/// Collects one segment and hands it to the segment's part. `set` limits it to the records of one set, by id. `damaged` is
/// called for records that cannot be read; they are left out.
///
/// # Errors
/// `aborted`, `storage_failed`; then the part still waits.
pub(super) fn build_segment(
    cell: &SegmentCell,
    storage: &dyn Storage,
    index: &Arc<Index>,
    set: Option<u16>,
    job: &Job,
    scratch: &mut Scratch,
    damaged: &dyn Fn(u16, &Digest, &Error),
) -> Result<()> {
    scratch.documents.clear();
    scratch.range = SegmentRangeIndex::new();
    let mut from = 0;
    loop {
        let slots = job.step_of(STEP) as u32;
        let (records, end) = step(cell, index, set, from..from.saturating_add(slots), scratch)?;
        for (slot, set, record) in std::mem::take(&mut scratch.waiting) {
            match fetch(cell, storage, slot, record, &mut scratch.body) {
                Ok(true) => {
                    let kept = index.kept(BodyRef::new(&scratch.body));
                    add(&mut scratch.documents, &mut scratch.range, index.spec().kind, slot, kept);
                }
                Ok(false) => {}
                Err(error) if error.code == ErrorCode::RecordDamaged => damaged(set, &record.digest, &error),
                Err(error) => return Err(error),
            }
            job.checkpoint()?;
        }
        job.advance(records);
        job.pace(records, |_| Ok(()))?;
        from = from.saturating_add(slots);
        if from >= end {
            break;
        }
    }
    let built = match index.spec().kind {
        IndexKind::Document => SegmentIndex::Document(scratch.documents.finish()),
        IndexKind::Range => SegmentIndex::Range(std::mem::take(&mut scratch.range)),
    };
    cell.write(|segment| segment.indexes_mut().adopt(index, built));
    Ok(())
}

/// Adds the records of some slots; answers how many, and where all slots end.
fn step(cell: &SegmentCell, index: &Index, set: Option<u16>, slots: Range<u32>, scratch: &mut Scratch) -> Result<(u64, u32)> {
    let segment = cell.read();
    let end = segment.end();
    let mut records = 0;
    for slot in slots.start..end.min(slots.end) {
        let Some(record) = segment.record(slot)? else { continue };
        if set.is_some_and(|set| segment.sets().set_of(slot) != set) {
            continue;
        }
        records += 1;
        match segment.resident(record.location) {
            Some(body) => add(&mut scratch.documents, &mut scratch.range, index.spec().kind, slot, index.kept(BodyRef::new(body))),
            None => scratch.waiting.push((slot, segment.sets().set_of(slot), record)),
        }
    }
    Ok((records, end))
}

fn add(documents: &mut DocumentBuilder, range: &mut SegmentRangeIndex, kind: IndexKind, slot: u32, kept: Option<Indexed<'_>>) {
    match (kind, kept) {
        (IndexKind::Document, Some(Indexed::Value(value))) => documents.add(slot, value),
        (IndexKind::Document, Some(Indexed::Record(body))) => documents.add_record(slot, &body),
        (IndexKind::Range, Some(Indexed::Value(value))) => range.insert(slot, Some(value)),
        (IndexKind::Range, Some(Indexed::Record(_))) | (_, None) => {}
    }
}

/// Reads a body, following it where it moves. `false` when the slot holds another record by now, which a write has
/// indexed.
fn fetch(cell: &SegmentCell, storage: &dyn Storage, slot: u32, met: SlotRecord, body: &mut Vec<u8>) -> Result<bool> {
    let current = || Ok(cell.read().record(slot)?.filter(|now| now.digest == met.digest));
    Ok(fetch_body(storage, met, &current, body)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
    use std::thread;
    use tessera_index::{IndexSpec, IndexState, MergeQueue};
    use tessera_jobs::{JobKind, JobPatch, JobSpec};
    use tessera_record::{BodyBuilder, KeyRef};

    const RECORDS: i64 = 2000;

    /// Builds both segments on a thread each, at a record a second, while `meanwhile` goes on.
    fn built_at_a_rate(namespace: &Arc<Namespace>, meanwhile: impl FnOnce(&Job)) -> (u64, Vec<Result<()>>) {
        let spec = IndexSpec { name: "n".into(), set: None, bin: Some("n".into()), kind: IndexKind::Range, path: None, created_at_ms: 0 };
        let index = Arc::new(Index::new(spec, IndexState::Building, 0, &Arc::new(MergeQueue::new(1))).unwrap());
        let spec = JobSpec { records_per_second: Some(1), ..JobSpec::new(JobKind::IndexBuild, "a", "Build") };
        let job = namespace.store().jobs().begin(spec).unwrap();
        for cell in namespace.cells() {
            cell.write(|segment| segment.indexes_mut().attach(Arc::clone(&index), SegmentIndex::building(IndexKind::Range)));
        }
        let (job, index) = (&job, &index);
        let build = |cell| build_segment(cell, namespace.store().storage(), index, None, job, &mut Scratch::default(), &|_, _, _| {});
        let outcomes = thread::scope(|scope| {
            let workers: Vec<_> = namespace.cells().iter().map(|cell| scope.spawn(move || build(cell))).collect();
            meanwhile(job);
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        let done = job.done();
        job.finish(Ok("{}".into()));
        namespace.cells().iter().for_each(|cell| cell.write(|segment| segment.indexes_mut().detach(index)));
        (done, outcomes)
    }

    #[test]
    fn all_workers_keep_to_the_rate_and_a_new_one_counts_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig { segments: 2, ..NamespaceConfig::memory("a") }).unwrap();
        for key in 0..RECORDS {
            let mut bytes = Vec::new();
            let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(key));
            body.bin("n", |out| {
                out.int(key);
                Ok(())
            })
            .unwrap();
            body.finish();
            namespace.put("s", KeyRef::Integer(key), &bytes, &WriteOptions::default()).unwrap();
        }
        let reach = |job: &Job, records| {
            while job.done() < records {
                thread::yield_now();
            }
        };
        let rate = |job: &Job, rate| job.patch(JobPatch { records_per_second: Some(rate), ..JobPatch::default() }).unwrap();
        // At this rate it would take half an hour, so there is something left to abort.
        let (done, outcomes) = built_at_a_rate(&namespace, |job| {
            reach(job, 2);
            rate(job, 20);
            reach(job, 6);
            job.abort().unwrap();
        });
        assert!(done < RECORDS as u64);
        assert!(outcomes.iter().all(|outcome| matches!(outcome, Err(error) if error.code == ErrorCode::Aborted)), "{outcomes:?}");
        let (done, outcomes) = built_at_a_rate(&namespace, |job| {
            reach(job, 2);
            rate(job, 0);
        });
        assert_eq!((done, outcomes), (RECORDS as u64, vec![Ok(()), Ok(())]));
    }
}
