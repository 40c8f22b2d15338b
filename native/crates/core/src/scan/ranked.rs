//! A walk whose records come in an order: the first so many of all are kept while they are met, and written at the end.

use super::items::{Course, Visitor};
use super::manners::Manners;
use super::pick::{Left, Met, left};
use super::plan::Selection;
use super::run::{Launch, add_costs, open_stream};
use super::screen::Screen;
use super::spec::{ScanSpec, reads_size};
use super::visit::{Damaged, End, Found, Scratch, Walk};
use super::write::Writer;
use crate::chunk_stream::{CHUNK_BYTES, ChunkSink, ChunkStream, StreamSummary};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::metrics::{Clock, Operation, Tick};
use crate::namespace::Namespace;
use crate::pool::{Crew, Work, caught};
use crate::query::{Ranking, Top};
use crate::storage::DeviceReads;
use parking_lot::Mutex;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What all workers share.
struct Running {
    namespace: Arc<Namespace>,
    selection: Selection,
    course: Course,
    spec: ScanSpec,
    ranking: Ranking,
    operation: Operation,
    method: &'static str,
    job: Arc<Job>,
    sink: ChunkSink,
    started: Tick,
    scanned: AtomicU64,
    estimated: u64,
    reads: Mutex<DeviceReads>,
    left: Left,
    /// What all workers that have left have kept.
    top: Mutex<Top>,
}

/// What one worker carries from item to item.
#[derive(Default)]
struct Worker {
    scratch: Scratch,
    kept: Option<Kept>,
}

struct Kept {
    writer: Writer,
    manners: Manners,
    top: Top,
    failure: Option<Error>,
}

/// Keeps what one worker meets.
struct Keep<'a> {
    running: &'a Running,
    kept: &'a mut Kept,
}

impl Namespace {
    /// Walks what `launch` selects and writes the first records of `ranking` that pass the filter to a stream, as a job.
    ///
    /// # Errors
    /// `sample_invalid`, `job_limit`, `closed`.
    pub(crate) fn launch_ranked(self: &Arc<Self>, spec: ScanSpec, launch: Launch, ranking: Ranking) -> Result<(ChunkStream, Arc<Job>)> {
        spec.check()?;
        let Launch { mut selection, job, operation, method, estimated, .. } = launch;
        selection.screen = Screen::new(spec.filter.as_ref(), spec.sample.as_ref(), spec.partitions.clone());
        selection.copies = true;
        selection.sizes = reads_size(spec.filter.as_deref(), None) || ranking.order.reads_size();
        let job = self.jobs().begin(job)?;
        let (sink, stream) = open_stream(&job);
        let running = Running {
            namespace: self.clone(),
            course: Course::begin(self, &selection, estimated, spec.by_places()),
            selection,
            operation,
            method,
            job: job.clone(),
            sink,
            started: Clock::now(),
            scanned: AtomicU64::new(0),
            estimated,
            reads: Mutex::default(),
            left: left(spec.sample.as_ref()),
            top: Mutex::new(Top::new(ranking.clone())),
            ranking,
            spec,
        };
        Crew::start(self.pool(), &job, running.course.items(self), running);
        Ok((stream, job))
    }
}

impl Running {
    fn walk(&self) -> Walk<'_> {
        self.course.walk(&self.namespace, &self.selection, true)
    }

    fn kept(&self) -> Kept {
        Kept {
            writer: Writer::new(&self.spec, self.left.clone()),
            manners: self.course.manners(&self.namespace),
            top: Top::new(self.ranking.clone()),
            failure: None,
        }
    }

    fn keep(&self, found: &Found<'_>, kept: &mut Kept) -> ControlFlow<End> {
        let Kept { writer, top, failure, .. } = kept;
        if writer.matches(&self.namespace, found) {
            let met = Met { namespace: &self.namespace, found };
            *failure = top.offer(&met, |row| writer.write(&self.namespace, found, 0, row, |_| true).map(drop)).err();
        }
        if failure.is_some() || writer.done() { ControlFlow::Break(End::Walk) } else { ControlFlow::Continue(()) }
    }

    /// Keeps the records that moved past the workers, now that they have been everywhere.
    fn moved(&self) -> Result<()> {
        let mut kept = self.kept();
        let moved = self.walk().moved(&mut Scratch::default(), &mut |found| self.keep(found, &mut kept).map_break(drop))?;
        Keep { running: self, kept: &mut kept }.stepped(moved.met, &moved.damaged)?;
        self.top.lock().merge(kept.top);
        Ok(())
    }

    /// Writes what was kept, in order; how many records, and the cursor to the next.
    fn write(&self) -> Result<(u64, Option<String>)> {
        let top = std::mem::replace(&mut *self.top.lock(), Top::new(self.ranking.clone()));
        let (rows, cursor) = top.finish();
        let (returned, mut out) = (rows.len() as u64, Vec::new());
        for mut row in rows {
            out.append(&mut row);
            if out.len() >= CHUNK_BYTES {
                self.sink.send(std::mem::take(&mut out))?;
            }
        }
        self.sink.send(out)?;
        Ok((returned, cursor))
    }
}

impl Visitor for Keep<'_> {
    fn most(&self) -> usize {
        self.kept.manners.most(&self.running.job)
    }

    fn gives_way(&self) -> bool {
        self.kept.manners.gives_way()
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        self.running.keep(found, self.kept)
    }

    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()> {
        let Running { namespace, job, sink, scanned, .. } = self.running;
        let Kept { writer, manners, failure, .. } = &mut *self.kept;
        failure.take().map_or(Ok(()), Err)?;
        let rest = manners.due(namespace, job);
        namespace.note_damaged(job, damaged);
        let mut lines = Vec::new();
        writer.damaged(namespace, damaged, &mut lines);
        if !lines.is_empty() {
            sink.send(lines)?;
        }
        scanned.fetch_add(met, Ordering::Relaxed);
        job.advance(met);
        job.pace(met, |_| Ok(()))?;
        manners.rest(rest, namespace, job);
        Ok(())
    }
}

impl Work for Running {
    type Worker = Worker;

    fn begins_stage(&self, item: usize) -> bool {
        self.course.begins_stage(item)
    }

    fn item(&self, worker: &mut Worker, item: usize) -> Result<()> {
        let Worker { scratch, kept } = worker;
        let kept = kept.get_or_insert_with(|| self.kept());
        if kept.writer.done() {
            return Ok(());
        }
        kept.manners.begin();
        let done = self.walk().item(item, scratch, &mut Keep { running: self, kept });
        kept.manners.end();
        done.map(drop)
    }

    fn leave(&self, mut worker: Worker) -> Result<()> {
        let Worker { scratch, kept } = &mut worker;
        let kept = kept.get_or_insert_with(|| self.kept());
        let drained = self.walk().drain(scratch, &mut Keep { running: self, kept });
        *self.reads.lock() += scratch.reads();
        if let Some(kept) = worker.kept {
            self.top.lock().merge(kept.top);
        }
        drained.map(drop)
    }

    fn finish(&self, outcome: Result<()>) {
        let written = outcome.and_then(|()| caught(|| self.moved())).and_then(|()| self.write());
        self.namespace.latency().record_since(self.operation, self.started, written.is_ok());
        let (outcome, (returned, cursor)) = match written {
            Ok(written) => (Ok(()), written),
            Err(error) => (Err(error), (0, None)),
        };
        let scanned = self.scanned.load(Ordering::Relaxed);
        let reads = (!self.namespace.bodies_resident()).then(|| *self.reads.lock());
        let summary = StreamSummary {
            returned,
            scanned,
            candidates: if self.selection.use_index || self.selection.proposal.is_some() { scanned } else { 0 },
            estimated_candidates: Some(self.estimated),
            elapsed_ms: Clock::nanos_since(self.started) as f64 / 1e6,
            estimated_ms: None,
            reads,
            threads: self.job.target_threads(),
            method: self.method,
            truncated: cursor.is_some(),
            others: None,
            cursor,
            damaged: self.job.damaged_records(),
        };
        let mut result = json!({ "returned": returned, "scanned": scanned });
        add_costs(&mut result, None, summary.elapsed_ms, reads);
        // The job first: whoever has read the stream to its end finds the job ended.
        self.job.finish(outcome.clone().map(|()| result.to_string()));
        self.sink.finish(outcome, summary);
    }
}
