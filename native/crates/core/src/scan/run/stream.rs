//! Running a scan as a job that writes to a stream.

use super::page::{Page, write_page};
use crate::aggregate::Totals;
use crate::budget::Share;
use crate::metrics::{EndedJob, JobTime, Operation};
use crate::scan::output::{Backlog, Cursor, Left, Outbox, Writer, add_costs, add_left_out, cursor_scope, left, open_stream};
use crate::scan::plan::{Launch, Prefilter, ScanPlan, ScanSpec, Selection, plan_scan};
use crate::scan::traverse::{Backoff, Traversal, WorkerScratch};
use crate::scan::walk::{Damaged, End, Found, Scratch, Visitor, Walk, note_damaged};
use crate::store::RecordStore;
use crate::stream_summary::{ChunkSink, ChunkStream, StreamSummary};
use parking_lot::Mutex;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tessera_base::pool::caught;
use tessera_base::{Error, ErrorCode, Result};
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Unit, Work};
use tessera_record::Key;
use tessera_storage::DeviceReads;

/// A scan of at most this many records that are in memory is done on the calling thread before `scan` returns.
const HERE_RECORDS: u64 = 2000;
/// And of about this many bytes of bodies: all of it waits in the stream's queue.
const HERE_BYTES: u64 = 512 * 1024;
/// Some bodies are larger than the average: rows of more bytes than this are not written there.
const HERE_ROWS: usize = 2 * HERE_BYTES as usize;

/// A running scan.
pub struct Scan {
    pub stream: ChunkStream,
    pub job: Arc<Job>,
    pub plan: ScanPlan,
}

/// What all workers of a scan share.
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
    returned: AtomicU64,
    scanned: AtomicU64,
    estimated: u64,
    estimated_ms: Option<f64>,
    reads: Mutex<DeviceReads>,
    left: Left,
    /// What all workers that have left added up, where that is wanted.
    totals: Option<Mutex<Totals>>,
    share: Arc<Share>,
}

/// What one worker carries from item to item.
#[derive(Default)]
struct Worker {
    written: Written,
    scratch: WorkerScratch,
}

#[derive(Default)]
struct Written {
    writer: Option<Writer>,
    backoff: Option<Backoff>,
    out: Outbox,
    returned: u64,
    backlog: Backlog,
    /// Why a row could not be written.
    failure: Option<Error>,
}

/// Writes what one worker meets.
struct Rows<'a> {
    running: &'a Running,
    writer: &'a mut Writer,
    backoff: &'a mut Backoff,
    out: &'a mut Outbox,
    returned: &'a mut u64,
    backlog: &'a mut Backlog,
    failure: &'a mut Option<Error>,
}

impl Visitor for Rows<'_> {
    fn most(&self) -> usize {
        self.backoff.most(&self.running.job)
    }

    fn gives_way(&self) -> bool {
        self.backoff.gives_way()
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        if self.writer.matches(&self.running.store, found) {
            let room = if self.backlog.is_empty() { self.writer.room() } else { 0 };
            let written = self.writer.write(&self.running.store, found, 0, &mut self.out.rows, |out| {
                let more = out.len() < room;
                *self.returned += u64::from(more);
                more
            });
            match written {
                Ok(None) => {}
                Ok(Some(item)) => self.backlog.hold(found, item),
                Err(error) => {
                    *self.failure = Some(error);
                    return ControlFlow::Break(End::Walk);
                }
            }
        }
        if self.writer.done() {
            return ControlFlow::Break(End::Walk);
        }
        // It waits for room when it holds no lock.
        if self.running.share.is_short() { ControlFlow::Break(End::Step) } else { self.out.flow() }
    }

    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()> {
        let Running { store, job, sink, scanned, share, .. } = self.running;
        let rest = self.backoff.due(store, job);
        self.failure.take().map_or(Ok(()), Err)?;
        self.writer.relieve()?;
        share.settle(|| job.should_stop())?;
        note_damaged(store, job, damaged);
        self.backlog.write(store, self.writer, self.out, sink, |_| {
            *self.returned += 1;
            true
        })?;
        self.writer.damaged(store, damaged, &mut self.out.rows);
        scanned.fetch_add(met, Ordering::Relaxed);
        job.advance(met);
        self.out.pace(sink, job, met, rest)?;
        self.backoff.rest(rest, store, job);
        Ok(())
    }
}

/// Starts a scan. Records come as they are found; with a limit, in order.
///
/// # Errors
/// `set_not_found`, `index_not_found`, `threads_invalid`, `cursor_invalid`, `sample_invalid`, `aggregate_invalid`, `job_limit`, `closed`;
/// `record_not_found`, `key_invalid`, `key_too_long` of the record to begin at.
pub fn start(store: &Arc<RecordStore>, spec: ScanSpec) -> Result<Scan> {
    let (plan, selection) = plan_scan(store, &spec)?;
    let asked = Launch {
        selection,
        job: describe(store, &spec, &plan),
        operation: Operation::Scan,
        method: plan.method.as_str(),
        estimated: plan.estimated_records,
        estimated_ms: Some(plan.estimated_ms),
    };
    let (stream, job) = launch(store, spec, asked)?;
    Ok(Scan { stream, job, plan })
}

/// Walks what `launch` selects and writes what passes the filter to a stream, as a job.
///
/// # Errors
/// `cursor_invalid`, `sample_invalid`, `aggregate_invalid`, `query_invalid`, `job_limit`, `closed`.
pub(crate) fn launch(store: &Arc<RecordStore>, mut spec: ScanSpec, launch: Launch) -> Result<(ChunkStream, Arc<Job>)> {
    spec.check()?;
    let Launch { mut selection, job, operation, method, estimated, estimated_ms } = launch;
    selection.prefilter = Prefilter::new(spec.filter.as_ref(), spec.sample.as_ref(), spec.partitions.clone());
    selection.copies = spec.reads_body();
    selection.sizes = spec.reads_size();
    let scope = cursor_scope(store, spec.set.as_deref());
    let from = match spec.cursor.as_deref() {
        Some(text) => Some(Cursor::decode(text, &scope)?),
        None => spec.from.as_ref().map(|key| place_to_begin(store, spec.set.as_deref(), key)).transpose()?,
    };
    let job = if spec.unlisted { store.jobs().begin_unlisted(job)? } else { store.jobs().begin(job)? };
    let (sink, stream) = open_stream(&job, spec.recode());
    // Whether anybody still reads is found out by the workers.
    let _ = sink.send(std::mem::take(&mut spec.head));
    let paged = spec.paged();
    let share = store.budget().share();
    let mut running = Running {
        store: store.clone(),
        traversal: if paged { Traversal::in_pages(store) } else { Traversal::begin(store, &selection, estimated, spec.by_places()) },
        selection,
        operation,
        method,
        job: job.clone(),
        sink,
        time: JobTime::start(),
        returned: AtomicU64::new(0),
        scanned: AtomicU64::new(0),
        estimated,
        estimated_ms,
        reads: Mutex::default(),
        left: left(spec.sample.as_ref()),
        totals: spec.aggregate.clone().map(|aggregate| Mutex::new(Totals::new(aggregate, share.clone()))),
        share,
        spec,
    };
    running.sink.guard(running.traversal.guard());
    let here = store.bodies_resident() && running.small(estimated);
    if paged {
        running.page(from.unwrap_or_default(), scope, here);
    } else if !(here && running.here()) {
        if here {
            // What was met has gone to nobody: all of it is met anew.
            running.traversal = Traversal::begin(store, &running.selection, estimated, running.spec.by_places());
            running.left = left(running.spec.sample.as_ref());
            if let Some(steps) = &running.spec.steps {
                steps.reset();
            }
        }
        Crew::start(store.pool(), &job, running.traversal.items(store), running);
    }
    Ok((stream, job))
}

/// # Errors
/// `record_not_found`, `key_invalid`, `key_too_long`.
fn place_to_begin(store: &RecordStore, set: Option<&str>, key: &Key) -> Result<Cursor> {
    let found = store.place_of(set.unwrap_or_default(), key.as_ref()).map_err(in_from)?;
    let (segment, slot, _) =
        found.ok_or_else(|| in_from(Error::new(ErrorCode::RecordNotFound, "there is no record with the key to begin at")))?;
    Ok(Cursor::at_slot(segment, slot))
}

fn describe(store: &RecordStore, spec: &ScanSpec, plan: &ScanPlan) -> JobSpec {
    let verb = if spec.kind == JobKind::Export { "Export" } else { "Scan" };
    let title = match spec.set.as_deref() {
        None => format!("{verb} {}", store.name()),
        Some(set) => format!("{verb} {}.{set}", store.name()),
    };
    let parameters = json!({ "method": plan.method.as_str(), "filter": spec.filter.is_some(), "aggregate": spec.aggregate.is_some(), "bins": spec.bins, "limit": spec.limit });
    JobSpec {
        set: spec.set.clone(),
        parameters: parameters.to_string(),
        unit: Unit::Records,
        total: Some(plan.estimated_records),
        threads: spec.threads,
        records_per_second: spec.records_per_second.filter(|&rate| rate > 0),
        ..JobSpec::new(spec.kind, store.name(), title)
    }
}

impl Running {
    /// Whether the scan costs less than waking another thread, and its result fits into the queue.
    fn small(&self, estimated: u64) -> bool {
        let (set, records) = (self.selection.set.as_ref(), self.store.records());
        let (all, bytes) = set.map_or_else(|| (records, self.store.usage().live_bytes), |set| (set.records(), set.bytes()));
        // What is looked at may bring nothing that counts.
        let unnests = self.spec.rows.as_ref().is_some_and(|rows| rows.unnests());
        let part = self.spec.sample.is_some() || self.spec.partitions.is_some() || self.selection.asks_records();
        let passes_over = self.spec.filter.is_some() || part;
        let picky = unnests || passes_over || self.store.hides_any();
        // In a flat container all are looked at for those of some segments.
        let estimated = if self.selection.asks_records() { records } else { estimated };
        let wanted = self.spec.limit.filter(|_| !picky).map_or(estimated, |limit| estimated.min(limit + 1));
        let share = if all == 0 { 0 } else { (u128::from(bytes) * u128::from(wanted) / u128::from(all)) as u64 };
        let found = self.selection.use_index || self.selection.proposal.is_some() || self.selection.only.is_some();
        let waits = self.selection.proposal.as_ref().is_some_and(|proposal| proposal.may_wait());
        let cheap = found || set.is_none() || records < 100 * HERE_RECORDS;
        cheap && !waits && self.spec.records_per_second.is_none() && wanted <= HERE_RECORDS && share <= HERE_BYTES
    }

    /// The whole scan, on this thread; false when its rows turn out to be too many for that, and nothing is sent.
    fn here(&self) -> bool {
        self.job.start();
        let at_work = self.time.at_work();
        let walk = self.walk();
        let (mut writer, mut out, mut returned, mut failure) = (self.writer(), Vec::new(), 0, None);
        let met = caught(|| {
            let each = &mut |found: &Found<'_>| {
                if writer.matches(&self.store, found) {
                    let written = writer.write(&self.store, found, 0, &mut out, |out| {
                        let more = out.len() < HERE_ROWS;
                        returned += u64::from(more);
                        more
                    });
                    failure = written.err();
                }
                if out.len() < HERE_ROWS && failure.is_none() && !writer.done() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            };
            match walk.everything(each) {
                (met, ControlFlow::Continue(())) => Ok(met + walk.moved(&mut Scratch::default(), each)?.met),
                (met, ControlFlow::Break(())) => Ok(met),
            }
        });
        drop(at_work);
        let met = failure.map_or(met, Err);
        if met.is_ok() && out.len() >= HERE_ROWS {
            return false;
        }
        self.job.advance(*met.as_ref().unwrap_or(&0));
        self.scanned.store(*met.as_ref().unwrap_or(&0), Ordering::Relaxed);
        self.returned.store(returned, Ordering::Relaxed);
        self.sink.set_bounded(false);
        if self.spec.segment_marks && met.is_ok() && !writer.done() {
            (0..self.store.cells().len()).for_each(|cell| self.selection.mark_done(cell, self.store.segment_count(), &mut out));
        }
        self.end(met.and_then(|_| self.hand_over(&writer, out)), None);
        true
    }

    fn rows<'a>(&'a self, written: &'a mut Written) -> Rows<'a> {
        let Written { writer, backoff, out, returned, backlog, failure } = written;
        let backoff = backoff.get_or_insert_with(|| self.traversal.backoff(&self.store, &self.share));
        Rows { running: self, writer: writer.get_or_insert_with(|| self.writer()), backoff, out, returned, backlog, failure }
    }

    fn writer(&self) -> Writer {
        // What all workers may take together is counted by the totals they come from.
        let totals = self.totals.as_ref().map(|all| all.lock().emptied());
        Writer::new(&self.spec, self.left.clone()).adding_up(totals)
    }

    /// What a worker that is through still has.
    fn hand_over(&self, writer: &Writer, rows: Vec<u8>) -> Result<()> {
        if let (Some(all), Some(own)) = (&self.totals, writer.totals()) {
            all.lock().merge(own)?;
        }
        self.sink.send(rows)
    }

    fn walk(&self) -> Walk<'_> {
        self.traversal.walk(&self.store, &self.selection, self.spec.reads_body())
    }

    /// Writes the records that moved past the workers, now that they have been everywhere, and what is said at the end.
    fn moved(&self) -> Result<()> {
        let (mut writer, mut out, mut returned, mut outcome) = (self.writer(), Vec::new(), 0, Ok(()));
        let moved = self.walk().moved(&mut Scratch::default(), &mut |found| {
            if writer.matches(&self.store, found) {
                let mut sent = Ok(());
                // No lock is held here.
                let written = writer.write(&self.store, found, 0, &mut out, |out| {
                    if out.len() >= CHUNK_BYTES {
                        sent = self.sink.send(std::mem::take(out));
                    }
                    returned += u64::from(sent.is_ok());
                    sent.is_ok()
                });
                outcome = sent.and(written.map(drop));
            }
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        outcome?;
        note_damaged(&self.store, &self.job, &moved.damaged);
        writer.damaged(&self.store, &moved.damaged, &mut out);
        self.scanned.fetch_add(moved.met, Ordering::Relaxed);
        self.returned.fetch_add(returned, Ordering::Relaxed);
        self.job.advance(moved.met);
        // Of a segment that workers share, records came from all of them, up to the last.
        if self.spec.segment_marks && self.traversal.shares_segments() && !writer.done() {
            self.selection.mark_done(0, self.store.segment_count(), &mut out);
        }
        self.hand_over(&writer, out)
    }

    /// A page from `from` on: on this thread if `here`, until its rows turn out to be too many for that.
    fn page(self, from: Cursor, scope: Vec<u8>, here: bool) {
        let begun = Page { next: Some(from), unfinished: true, ..Page::default() };
        let page = if here {
            self.sink.set_bounded(false);
            self.write_page(begun, HERE_ROWS)
        } else {
            Ok(begun)
        };
        match page {
            Ok(page) if page.unfinished => {
                self.sink.set_bounded(true);
                let pool = self.store.pool().clone();
                pool.spawn(move || self.end_page(self.write_page(page, usize::MAX), &scope));
            }
            page => self.end_page(page, &scope),
        }
    }

    fn write_page(&self, page: Page, room: usize) -> Result<Page> {
        self.job.start();
        let _at_work = self.time.at_work();
        let mut scratch = Scratch::default();
        let page = caught(|| write_page(&self.walk(), &self.spec, page, room, &self.job, &self.sink, &mut scratch));
        *self.reads.lock() += scratch.reads();
        page
    }

    fn end_page(&self, page: Result<Page>, scope: &[u8]) {
        let (outcome, page) = match page {
            Ok(page) => (Ok(()), page),
            Err(error) => (Err(error), Page::default()),
        };
        self.returned.store(page.returned, Ordering::Relaxed);
        self.scanned.store(page.scanned, Ordering::Relaxed);
        self.end(outcome, page.next.map(|cursor| cursor.encode(scope)));
    }

    fn end(&self, outcome: Result<()>, cursor: Option<String>) {
        let mut others = None;
        let at_work = self.time.at_work();
        let outcome = outcome.and_then(|()| match &self.totals {
            Some(totals) => {
                let (text, left_out) = totals.lock().answer()?;
                others = left_out;
                self.sink.send(text)
            }
            None => Ok(()),
        });
        // What is not there is told as well.
        let outcome = outcome.and_then(|()| self.traversal.settle());
        drop(at_work);
        let ended = EndedJob {
            job: &self.job,
            plan: self.method,
            filter: self.spec.filter.as_deref(),
            records: self.scanned.load(Ordering::Relaxed),
        };
        self.time.end(self.store.latency(), self.operation, &ended, outcome.as_ref().err());
        let (returned, scanned) = (self.returned.load(Ordering::Relaxed), self.scanned.load(Ordering::Relaxed));
        let reads = (!self.store.bodies_resident()).then(|| *self.reads.lock());
        let summary = StreamSummary {
            returned,
            scanned,
            candidates: if self.selection.use_index || self.selection.proposal.is_some() { scanned } else { 0 },
            estimated_candidates: (self.operation == Operation::Query).then_some(self.estimated),
            elapsed_ms: self.time.elapsed_ms(),
            estimated_ms: self.estimated_ms,
            reads,
            threads: self.job.target_threads(),
            method: self.method,
            truncated: cursor.is_some() || others.is_some_and(|others| others > 0),
            others,
            cursor,
            damaged: self.job.damaged_records(),
            csv_left_out: self.sink.left_out(),
        };
        // The job first: whoever has read the stream to its end finds the job ended.
        let mut result = json!({ "returned": returned, "scanned": scanned });
        add_costs(&mut result, self.estimated_ms, summary.elapsed_ms, reads);
        add_left_out(&mut result, summary.csv_left_out.as_ref());
        self.job.finish(outcome.clone().map(|()| result.to_string()));
        self.sink.finish(outcome, summary);
    }
}

impl Work for Running {
    type Worker = Worker;

    fn begins_stage(&self, item: usize) -> bool {
        self.traversal.begins_stage(item)
    }

    fn item(&self, worker: &mut Worker, item: usize) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { written, scratch } = worker;
        if written.writer.as_ref().is_some_and(Writer::done) {
            return Ok(());
        }
        let mut rows = self.rows(written);
        rows.backoff.begin();
        let done = self.traversal.item(&self.walk(), item, scratch, &mut rows);
        rows.backoff.end();
        if done?.is_continue() && self.spec.segment_marks && !self.traversal.shares_segments() {
            self.selection.mark_done(item, self.store.segment_count(), &mut rows.out.rows);
        }
        Ok(())
    }

    fn leave(&self, mut worker: Worker) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { written, scratch } = &mut worker;
        let mut rows = self.rows(written);
        let drained = self.traversal.drain(&self.walk(), scratch, &mut rows);
        rows.backoff.end();
        *self.reads.lock() += scratch.reads();
        drained.map(drop)?;
        self.returned.fetch_add(written.returned, Ordering::Relaxed);
        match &written.writer {
            Some(writer) => self.hand_over(writer, std::mem::take(&mut written.out.rows)),
            None => Ok(()),
        }
    }

    fn finish(&self, outcome: Result<()>) {
        let outcome = self.time.work(|| outcome.and_then(|()| caught(|| self.moved())));
        self.end(outcome, None);
    }
}

/// An error of the key to begin at, which callers know as `from`.
fn in_from(error: Error) -> Error {
    error.in_field("from")
}
