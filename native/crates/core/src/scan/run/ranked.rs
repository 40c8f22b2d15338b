//! A walk whose records come in an order: the first so many of all are kept while they are met, and written at the end. Where an
//! index has the order they are met in it, and the others only if they are wanted.

use crate::budget::Share;
use crate::metrics::{EndedJob, JobTime, Operation};
use crate::output::{Contest, Ranking, Top};
use crate::scan::output::{Left, Met, Writer, add_costs, add_left_out, left, open_stream};
use crate::scan::plan::{Launch, Prefilter, ScanSpec, Selection};
use crate::scan::traverse::{Backoff, IndexOrderWalk, Ranker, Reached, ReadSegment, Traversal, WorkerScratch};
use crate::scan::walk::{Damaged, End, Found, Scratch, Visitor, Walk, note_damaged};
use crate::segment::SegmentCell;
use crate::store::RecordStore;
use crate::stream_summary::{ChunkSink, ChunkStream, StreamSummary};
use parking_lot::Mutex;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tessera_base::pool::caught;
use tessera_base::{Error, Result};
use tessera_index::RangeKey;
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_jobs::{Crew, Job, Work};
use tessera_storage::DeviceReads;

/// Records in memory, in the order of an index, that are met on the calling thread; and about how many bytes of bodies.
const HERE_RECORDS: u64 = 512;
const HERE_BYTES: u64 = 512 * 1024;

/// What all workers share.
struct Running {
    store: Arc<RecordStore>,
    selection: Selection,
    traversal: Traversal,
    spec: ScanSpec,
    operation: Operation,
    method: &'static str,
    job: Arc<Job>,
    sink: ChunkSink,
    time: JobTime,
    scanned: AtomicU64,
    estimated: Option<u64>,
    reads: Mutex<DeviceReads>,
    left: Left,
    contest: Contest,
    share: Arc<Share>,
    /// The walk in the order of an index that comes first, if one does; `None` until it begins.
    in_order: Mutex<Option<IndexOrderWalk>>,
    /// Whether that has met all that is wanted.
    settled: AtomicBool,
}

/// What one worker carries from item to item.
#[derive(Default)]
struct Worker {
    scratch: WorkerScratch,
    kept: Option<Kept>,
}

struct Kept {
    writer: Writer,
    backoff: Backoff,
    top: Top,
    /// Whether its thread may wait for room.
    waits: bool,
    failure: Option<Error>,
}

/// Keeps what one worker meets.
struct Keep<'a> {
    running: &'a Running,
    kept: &'a mut Kept,
}

/// Walks what `launch` selects and writes the first records of `ranking` that pass the filter to a stream, as a job.
///
/// # Errors
/// `sample_invalid`, `job_limit`, `closed`.
pub(crate) fn launch_ranked(store: &Arc<RecordStore>, spec: ScanSpec, launch: Launch, ranking: Ranking) -> Result<(ChunkStream, Arc<Job>)> {
    spec.check()?;
    let Launch { mut selection, job, operation, method, estimated, .. } = launch;
    selection.prefilter = Prefilter::new(spec.filter.as_ref(), spec.sample.as_ref(), spec.partitions.clone());
    selection.copies = true;
    selection.sizes = spec.reads_size() || ranking.order.reads_size();
    let job = store.jobs().begin(job)?;
    let (sink, stream) = open_stream(&job, spec.recode());
    let others = selection.order.as_ref().map_or(estimated.unwrap_or_default(), |order| order.others);
    let traversal = Traversal::begin(store, &selection, others, spec.by_places());
    let share = store.budget().share();
    let running = Running {
        store: store.clone(),
        traversal,
        selection,
        operation,
        method,
        job: job.clone(),
        sink,
        time: JobTime::start(),
        scanned: AtomicU64::new(0),
        estimated,
        reads: Mutex::default(),
        left: left(spec.sample.as_ref()),
        contest: Contest::new(ranking, estimated.unwrap_or(u64::MAX), share.clone()),
        share,
        in_order: Mutex::new(None),
        settled: AtomicBool::new(false),
        spec,
    };
    running.sink.guard(running.traversal.guard());
    if running.small() {
        job.start();
        let at_work = running.time.at_work();
        let outcome = caught(|| running.here());
        drop(at_work);
        if outcome.is_err() || running.settled.load(Ordering::Relaxed) {
            running.sink.set_bounded(false);
            running.finish(outcome);
            return Ok((stream, job));
        }
    }
    Crew::start(store.pool(), &job, running.first_item() + running.traversal.items(store), running);
    Ok((stream, job))
}

impl Running {
    fn walk(&self) -> Walk<'_> {
        self.traversal.walk(&self.store, &self.selection, true)
    }

    fn kept(&self) -> Kept {
        Kept {
            writer: Writer::new(&self.spec, self.left.clone()),
            backoff: self.traversal.backoff(&self.store, &self.share),
            top: Top::default(),
            waits: true,
            failure: None,
        }
    }

    fn keep(&self, found: &Found<'_>, kept: &mut Kept) -> ControlFlow<End> {
        let Kept { writer, top, failure, .. } = kept;
        if writer.matches(&self.store, found) {
            let met = Met { store: &self.store, found };
            *failure = self.contest.offer(top, &met, |row| writer.write(&self.store, found, 0, row, |_| true).map(drop)).err();
        }
        if failure.is_some() || writer.done() { ControlFlow::Break(End::Walk) } else { ControlFlow::Continue(()) }
    }

    /// Keeps the records that moved past the workers, now that they have been everywhere.
    fn moved(&self) -> Result<()> {
        let mut kept = self.kept();
        let moved = self.walk().moved(&mut Scratch::default(), &mut |found| self.keep(found, &mut kept).map_break(drop))?;
        Keep { running: self, kept: &mut kept }.stepped(moved.met, &moved.damaged)?;
        self.contest.hand_over(&mut kept.top)
    }

    /// The first of the traversal's items: the walk in order is one before them.
    const fn first_item(&self) -> usize {
        self.selection.order.is_some() as usize
    }

    fn found_by_index(&self) -> bool {
        self.selection.finds() || self.selection.order.is_some()
    }

    /// Whether the walk in order is likely to cost less than waking another thread.
    fn small(&self) -> bool {
        let (records, bytes, Some(estimated)) = (self.store.records(), self.store.usage().live_bytes, self.estimated) else { return false };
        // Hidden records are looked at, too, and are in no count.
        if self.store.left_out() > HERE_RECORDS {
            return false;
        }
        let share = (u128::from(bytes) * u128::from(estimated) / u128::from(records.max(1))) as u64;
        self.selection.order.is_some() && self.store.bodies_resident() && estimated <= HERE_RECORDS && share <= HERE_BYTES
    }

    /// Goes some way in order, on the calling thread; not at all where that would have to wait for a segment.
    fn here(&self) -> Result<()> {
        if !self.begin_in_order(SegmentCell::try_read) {
            return Ok(());
        }
        let (mut kept, mut scratch) = (Kept { waits: false, ..self.kept() }, WorkerScratch::default());
        self.go_on(&mut kept, &mut scratch, HERE_RECORDS)?;
        self.contest.hand_over(&mut kept.top)
    }

    /// Whether the walk in order has begun, perhaps by this.
    fn begin_in_order(&self, read: ReadSegment) -> bool {
        let mut in_order = self.in_order.lock();
        if in_order.is_none() {
            *in_order = self.selection.order.clone().and_then(|order| IndexOrderWalk::begin(&self.walk(), order, read));
        }
        in_order.is_some()
    }

    /// Goes on in order, through about `most` entries.
    fn go_on(&self, kept: &mut Kept, scratch: &mut WorkerScratch, most: u64) -> Result<()> {
        if !self.begin_in_order(|cell| Some(cell.read_in_turn())) {
            return Ok(());
        }
        let mut in_order = self.in_order.lock();
        let Some(in_order) = in_order.as_mut() else { return Ok(()) };
        let reached = self.walk().go_on(in_order, most, scratch, &mut Keep { running: self, kept })?;
        self.settled.fetch_or(reached == Reached::End, Ordering::Relaxed);
        Ok(())
    }

    /// Writes what was kept, in order; how many records, and the cursor to the next.
    fn write(&self) -> Result<(u64, Option<String>)> {
        let (rows, cursor) = self.contest.finish();
        let (returned, mut out) = (rows.len() as u64, Vec::new());
        for mut row in rows {
            out.append(&mut row);
            if out.len() >= CHUNK_BYTES {
                self.sink.send(std::mem::take(&mut out))?;
            }
        }
        self.sink.send(out)?;
        self.traversal.settle()?;
        Ok((returned, cursor))
    }
}

impl Visitor for Keep<'_> {
    fn most(&self) -> usize {
        self.kept.backoff.most(&self.running.job)
    }

    fn gives_way(&self) -> bool {
        self.kept.backoff.gives_way()
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        let flow = self.running.keep(found, self.kept);
        // It waits for room when it holds no lock.
        if flow.is_continue() && self.running.share.is_short() { ControlFlow::Break(End::Step) } else { flow }
    }

    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()> {
        let Running { store, job, sink, scanned, share, contest, .. } = self.running;
        let Kept { writer, backoff, top, waits, failure } = &mut *self.kept;
        failure.take().map_or(Ok(()), Err)?;
        backoff.stepped(store, job, met, || {
            contest.relieve(top)?;
            share.settle(|| !*waits || job.should_stop())?;
            note_damaged(store, job, damaged);
            let mut lines = Vec::new();
            writer.damaged(store, damaged, &mut lines);
            if !lines.is_empty() {
                sink.send(lines)?;
            }
            scanned.fetch_add(met, Ordering::Relaxed);
            Ok(())
        })
    }
}

impl Ranker for Keep<'_> {
    fn standing(&mut self) -> Result<(usize, Option<RangeKey>)> {
        self.running.contest.standing(&mut self.kept.top)
    }
}

impl Work for Running {
    type Worker = Worker;

    fn begins_stage(&self, item: usize) -> bool {
        // What the walk in order leaves is known when it is done.
        let first = self.first_item();
        if item <= first { item == first && first > 0 } else { self.traversal.begins_stage(item - first) }
    }

    fn item(&self, worker: &mut Worker, item: usize) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { scratch, kept } = worker;
        let kept = kept.get_or_insert_with(|| self.kept());
        if kept.writer.done() || self.settled.load(Ordering::Relaxed) {
            return Ok(());
        }
        kept.backoff.begin();
        let done = match item.checked_sub(self.first_item()) {
            Some(item) => self.traversal.item(&self.walk(), item, scratch, &mut Keep { running: self, kept }).map(drop),
            None => self.go_on(kept, scratch, u64::MAX),
        };
        kept.backoff.end();
        done
    }

    fn leave(&self, mut worker: Worker) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { scratch, kept } = &mut worker;
        let kept = kept.get_or_insert_with(|| self.kept());
        let drained = self.traversal.drain(&self.walk(), scratch, &mut Keep { running: self, kept });
        *self.reads.lock() += scratch.reads();
        self.contest.hand_over(&mut kept.top)?;
        drained.map(drop)
    }

    fn finish(&self, outcome: Result<()>) {
        let at_work = self.time.at_work();
        let written = outcome.and_then(|()| caught(|| self.moved())).and_then(|()| self.write());
        drop(at_work);
        let ended = EndedJob {
            job: &self.job,
            plan: self.method,
            filter: self.spec.filter.as_deref(),
            records: self.scanned.load(Ordering::Relaxed),
        };
        self.time.end(self.store.latency(), self.operation, &ended, written.as_ref().err());
        let (outcome, (returned, cursor)) = match written {
            Ok(written) => (Ok(()), written),
            Err(error) => (Err(error), (0, None)),
        };
        let scanned = self.scanned.load(Ordering::Relaxed);
        let reads = self.store.reads_disks().then(|| *self.reads.lock());
        let summary = StreamSummary {
            returned,
            scanned,
            candidates: if self.found_by_index() { scanned } else { 0 },
            estimated_candidates: self.estimated,
            elapsed_ms: self.time.elapsed_ms(),
            estimated_ms: None,
            reads,
            threads: self.job.target_threads(),
            method: self.method,
            truncated: cursor.is_some(),
            others: None,
            cursor,
            damaged: self.job.damaged_records(),
            csv_left_out: self.sink.left_out(),
        };
        let mut result = json!({ "returned": returned, "scanned": scanned });
        add_costs(&mut result, None, summary.elapsed_ms, reads);
        add_left_out(&mut result, summary.csv_left_out.as_ref());
        // The job first: whoever has read the stream to its end finds the job ended.
        self.job.finish(outcome.clone().map(|()| result.to_string()));
        self.sink.finish(outcome, summary);
    }
}
