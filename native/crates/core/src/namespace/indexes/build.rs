//! Building an index over records that are already there, one segment at a time, while writes go on.
//!
//! Before a build every segment gets a part that takes writes. Then each segment is read in steps, with its lock held
//! only for a step, and what was collected is adopted in one: slots that were written meanwhile keep what the write put
//! there, so it does not matter whether a step saw them before or after. All workers together keep to the rate of the job.
//! Where blocks of a device were read before ([`super::blocks`]), only what they have not brought is left.

use super::blocks::{Blocks, Reads};
use super::collected::Collected;
use crate::segment::{Fetches, SegmentCell};
use crate::store::WINDOW;
use std::ops::Range;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};
use tessera_index::Index;
use tessera_jobs::Job;
use tessera_record::{BodyRef, Digest};
use tessera_storage::{SlotRecord, Storage};

/// Slots read with the lock held once: about half a millisecond of 2 KiB documents.
const STEP: usize = 256;

/// Buffers of one worker.
#[derive(Default)]
pub(super) struct Scratch {
    collected: Collected,
    pub(super) reads: Reads,
    /// Records of a step whose bodies have to be read from the device.
    waiting: Vec<Waiting>,
    /// Unset before the first read, and after an error: nothing is left in flight that the next step could take for its own.
    fetches: Option<Fetches<usize>>,
}

struct Waiting {
    slot: u32,
    set: u16,
    record: SlotRecord,
}

/// What a segment is built of.
pub(super) struct Source<'a> {
    pub(super) id: usize,
    pub(super) cell: &'a SegmentCell,
    pub(super) storage: &'a dyn Storage,
    /// The one set whose records are wanted, by id.
    pub(super) set: Option<u16>,
    /// What was found in blocks.
    pub(super) blocks: Option<&'a Blocks>,
}

/// Collects one segment and hands it to the segment's part. `damaged` is called for records that cannot be read; they are
/// left out.
///
/// # Errors
/// `aborted`, `storage_failed`; then the part still waits.
pub(super) fn build_segment(
    source: &Source<'_>,
    index: &Arc<Index>,
    job: &Job,
    scratch: &mut Scratch,
    damaged: &dyn Fn(u16, &Digest, &Error),
) -> Result<()> {
    match source.blocks {
        Some(blocks) => scratch.collected = blocks.take(source.id),
        None => scratch.collected.clear(),
    }
    scratch.waiting.clear();
    let mut from = 0;
    loop {
        let slots = job.step_of(STEP) as u32;
        let (records, end) = step(source, index, from..from.saturating_add(slots), scratch)?;
        read_waiting(source, index, job, scratch, damaged)?;
        job.advance(records);
        job.pace(records, |_| Ok(()))?;
        from = from.saturating_add(slots);
        if from >= end {
            break;
        }
    }
    let built = scratch.collected.finish(index.spec().kind);
    source.cell.write(|segment| segment.indexes_mut().adopt(index, built));
    Ok(())
}

/// Adds the records of some slots; answers how many, and where all slots end.
fn step(source: &Source<'_>, index: &Index, slots: Range<u32>, scratch: &mut Scratch) -> Result<(u64, u32)> {
    let segment = source.cell.read();
    let end = segment.end();
    let mut records = 0;
    for slot in slots.start..end.min(slots.end) {
        if source.blocks.is_some_and(|blocks| blocks.has(source.id, slot)) {
            continue;
        }
        let Some(record) = segment.record(slot)? else { continue };
        let set = segment.sets().set_of(slot);
        if source.set.is_some_and(|wanted| set != wanted) {
            continue;
        }
        records += 1;
        match segment.resident(record.location) {
            Some(body) => scratch.collected.add(index.spec().kind, slot, index.kept(BodyRef::new(body))),
            None => scratch.waiting.push(Waiting { slot, set, record }),
        }
    }
    Ok((records, end))
}

/// Adds the records whose bodies are not in memory: several are read at once, in the order of the device. One whose slot
/// holds another record by now is left out, since a write has indexed that.
fn read_waiting(
    source: &Source<'_>,
    index: &Index,
    job: &Job,
    scratch: &mut Scratch,
    damaged: &dyn Fn(u16, &Digest, &Error),
) -> Result<()> {
    let Scratch { collected, waiting, fetches: kept_fetches, .. } = scratch;
    let Source { cell, storage, .. } = *source;
    if waiting.is_empty() {
        return Ok(());
    }
    waiting.sort_unstable_by_key(|waiting| waiting.record.location);
    let no_reader = || Error::new(ErrorCode::Internal, "a body that is not in memory has no reader");
    let mut fetches = match kept_fetches.take() {
        Some(fetches) => fetches,
        None => Fetches::new(storage.reader(WINDOW)?.ok_or_else(no_reader)?),
    };
    let current = |at: &usize, met: &SlotRecord| Ok(cell.read().record(waiting[*at].slot)?.filter(|now| now.digest == met.digest));
    let mut order = 0..waiting.len();
    loop {
        while fetches.len() < WINDOW
            && fetches.has_room()
            && let Some(at) = order.next()
        {
            fetches.start(at, waiting[at].record)?;
        }
        let Some(fetched) = fetches.next(storage, &current) else { break };
        let Waiting { slot, set, record } = &waiting[fetched.what];
        match fetched.record {
            Ok(Some(_)) => collected.add(index.spec().kind, *slot, index.kept(BodyRef::new(fetches.body()))),
            Ok(None) => {}
            Err(error) if error.code == ErrorCode::RecordDamaged => damaged(*set, &record.digest, &error),
            Err(error) => return Err(error),
        }
        job.checkpoint()?;
    }
    waiting.clear();
    *kept_fetches = Some(fetches);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
    use std::thread;
    use tessera_index::{IndexKind, IndexSpec, IndexState, MergeQueue, SegmentIndex};
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
        let storage = namespace.store().storage();
        let source = |cell| Source { id: 0, cell, storage, set: None, blocks: None };
        let build = |cell| build_segment(&source(cell), index, job, &mut Scratch::default(), &|_, _, _| {});
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
