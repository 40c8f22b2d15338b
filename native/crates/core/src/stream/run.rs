//! Running a stream as a job that writes to a chunk stream.

use super::answer::sum_up;
use super::element::unpack;
use super::parse::moved;
use super::phase::{Left, Phase};
use super::pipeline::{End as Last, Placed};
use super::running::Running;
use super::spec::{Stream, StreamSpec};
use super::take::{Own, STEP, Takes, of_sort};
use crate::aggregate::Totals;
use crate::metrics::{EndedJob, JobTime, Operation};
use crate::query::{QueryPlan, explain_reading, plan_query};
use crate::scan::{Backoff, End, Prefilter, Scratch, Traversal, Visitor, Walk, WorkerScratch, add_costs, open_stream};
use crate::store::RecordStore;
use crate::stream_summary::StreamSummary;
use parking_lot::Mutex;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use tessera_base::Result;
use tessera_base::pool::caught;
use tessera_jobs::{Crew, JobKind, JobSpec, Work};

/// What one worker carries from item to item.
#[derive(Default)]
pub(super) struct Worker {
    scratch: WorkerScratch,
    own: Own,
}

/// Starts a stream: records that the first filters leave are found as a query finds them, and go through the steps where they are
/// met. Elements come as they are met, behind a sort in its order.
///
/// # Errors
/// `set_not_found`, `threads_invalid`, `job_limit`, `closed`.
pub fn start(store: &Arc<RecordStore>, spec: StreamSpec) -> Result<Stream> {
    let pipeline = spec.pipeline.clone();
    let bodies = pipeline.reads_body();
    let (plan, mut selection) = plan_query(store, &spec.as_query(), bodies)?;
    selection.prefilter = Prefilter::new(pipeline.filter.as_ref(), None, None);
    selection.sizes = pipeline.reads_size();
    // What takes no lock may wait for the reader, too.
    selection.copies = bodies && !pipeline.is_light();
    let share = store.budget().share();
    let phases = Phase::all(&pipeline, &share)?;
    let place = spec.set.as_ref().map_or_else(|| store.name().to_owned(), |set| format!("{}.{set}", store.name()));
    let job = store.jobs().begin(JobSpec {
        set: spec.set.clone(),
        parameters: json!({ "method": plan.method, "index": plan.index, "steps": pipeline.names() }).to_string(),
        total: plan.estimated_candidates,
        threads: spec.threads,
        records_per_second: spec.records_per_second.filter(|&rate| rate > 0),
        ..JobSpec::new(JobKind::Stream, store.named(), format!("Stream {place}"))
    })?;
    let (sink, stream) = open_stream(&job, None);
    let totals = match &pipeline.end.it {
        Last::Reduce(aggregates) | Last::Group(aggregates) => Some(Mutex::new(Totals::new(aggregates.clone(), share.clone()))),
        Last::Elements | Last::Count => None,
    };
    let running = Running {
        store: store.clone(),
        traversal: Traversal::begin(store, &selection, plan.estimated_candidates.unwrap_or_default(), bodies && !pipeline.may_end_early()),
        selection,
        bodies,
        rows: pipeline.makes_rows(),
        phases,
        room: spec.most.filter(|_| !pipeline.is_bounded()).map(Left::new),
        damage_room: spec.most.map(Left::new),
        cut: AtomicBool::new(false),
        job: job.clone(),
        sink,
        time: JobTime::start(),
        method: plan.method,
        estimated: plan.estimated_candidates,
        scanned: AtomicU64::new(0),
        ended: AtomicU64::new(0),
        reads: Mutex::default(),
        totals,
        share,
        spec,
    };
    running.sink.guard(running.traversal.guard());
    Crew::start(store.pool(), &job, running.traversal.items(store), running);
    Ok(Stream { stream, job })
}

/// How a stream would find its records: as the query with the filters that come first.
///
/// # Errors
/// As `start`.
pub fn explain(store: &RecordStore, spec: &StreamSpec) -> Result<QueryPlan> {
    explain_reading(store, &spec.as_query(), spec.pipeline.reads_body())
}

impl Running {
    fn walk(&self) -> Walk<'_> {
        self.traversal.walk(&self.store, &self.selection, self.bodies)
    }

    /// Takes the records that moved past the workers, now that they have been everywhere.
    fn moved(&self) -> Result<()> {
        let mut own = Own::default();
        let moved = self.walk().moved(&mut Scratch::default(), &mut |found| match self.meet(found, &mut own) {
            ControlFlow::Break(End::Walk) => ControlFlow::Break(()),
            // A full chunk is sent where it is written.
            ControlFlow::Break(End::Step) | ControlFlow::Continue(()) => ControlFlow::Continue(()),
        })?;
        own.failure.take().map_or(Ok(()), Err)?;
        self.note_damaged(&moved.damaged, &mut own.out.rows);
        self.scanned.fetch_add(moved.met, Relaxed);
        self.job.advance(moved.met);
        self.hand_in(0, own)
    }

    /// Takes what each sort has kept through the phase after it.
    fn sorted(&self) -> Result<()> {
        for phase in 1..self.phases.len() {
            let elements = self.phases[phase - 1].sort.as_ref().map(|sort| sort.it.finish().0).unwrap_or_default();
            let mut own = Own::default();
            for (at, element) in elements.into_iter().enumerate() {
                if at % STEP == 0 {
                    self.job.checkpoint()?;
                }
                if self.is_sated(phase, 0) {
                    break;
                }
                self.take(phase, 0, &unpack(&element)?, &mut own)?;
                self.share.settle(|| self.job.should_stop())?;
            }
            self.hand_in(phase, own)?;
        }
        Ok(())
    }

    /// Takes what one thread has of a phase that it is through with.
    fn hand_in(&self, phase: usize, mut own: Own) -> Result<()> {
        self.ended.fetch_add(own.ended, Relaxed);
        if let (Some(all), Some(own)) = (&self.totals, &own.totals) {
            let group = format!("steps[{}].groupBy", self.spec.pipeline.end.at);
            all.lock().merge(own).map_err(|error| moved(error, "group", &group))?;
        }
        if let Some(Placed { at, it: contest }) = &self.phases[phase].sort {
            contest.hand_over(&mut own.top).map_err(|error| of_sort(error, *at))?;
        }
        self.sink.send(own.out.rows)
    }

    /// Writes what all elements came to; how many groups were left out.
    fn sum_up(&self) -> Result<Option<u64>> {
        let Placed { at, it } = &self.spec.pipeline.end;
        let summed = sum_up(it, self.ended.load(Relaxed), self.spec.bare_count, self.totals.as_ref());
        let (lines, others) = summed.map_err(|error| match it {
            Last::Group(_) => moved(error, "group", &format!("steps[{at}].groupBy")),
            _ => moved(error, "aggregate", &format!("steps[{at}].reduce")),
        })?;
        self.sink.send(lines)?;
        self.traversal.settle()?;
        Ok(others)
    }
}

impl Work for Running {
    type Worker = Worker;

    fn begins_stage(&self, item: usize) -> bool {
        self.traversal.begins_stage(item)
    }

    fn item(&self, worker: &mut Worker, item: usize) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { scratch, own } = worker;
        if self.is_sated(0, 0) {
            return Ok(());
        }
        own.backoff.get_or_insert_with(|| self.traversal.backoff(&self.store, &self.share)).begin();
        let pipeline = &self.spec.pipeline;
        let plain = pipeline.filter.is_none() && pipeline.steps.is_empty() && matches!(pipeline.end.it, Last::Count);
        let done = match plain.then(|| self.traversal.count(&self.walk(), item)).transpose()?.flatten() {
            Some(count) => {
                own.ended += count;
                Takes { running: self, own }.stepped(count, &[])
            }
            None => self.traversal.item(&self.walk(), item, scratch, &mut Takes { running: self, own }).map(drop),
        };
        own.backoff.iter_mut().for_each(Backoff::end);
        done
    }

    fn leave(&self, mut worker: Worker) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { scratch, own } = &mut worker;
        let drained = self.traversal.drain(&self.walk(), scratch, &mut Takes { running: self, own });
        own.backoff.iter_mut().for_each(Backoff::end);
        *self.reads.lock() += scratch.reads();
        drained.map(drop)?;
        self.hand_in(0, worker.own)
    }

    fn finish(&self, outcome: Result<()>) {
        let at_work = self.time.at_work();
        let summed = outcome.and_then(|()| {
            caught(|| {
                self.moved()?;
                self.sorted()?;
                self.sum_up()
            })
        });
        drop(at_work);
        let ended = EndedJob {
            job: &self.job,
            plan: self.method,
            filter: self.spec.pipeline.filter.as_deref(),
            records: self.scanned.load(Relaxed),
        };
        self.time.end(self.store.latency(), Operation::Query, &ended, summed.as_ref().err());
        let (outcome, others) = match summed {
            Ok(others) => (Ok(()), others),
            Err(error) => (Err(error), None),
        };
        let (returned, scanned) = (self.ended.load(Relaxed), self.scanned.load(Relaxed));
        let reads = self.store.reads_disks().then(|| *self.reads.lock());
        let summary = StreamSummary {
            returned,
            scanned,
            candidates: if self.selection.use_index || self.selection.proposal.is_some() { scanned } else { 0 },
            estimated_candidates: self.estimated,
            elapsed_ms: self.time.elapsed_ms(),
            reads,
            threads: self.job.target_threads(),
            method: self.method,
            truncated: self.cut.load(Relaxed) || others.is_some_and(|others| others > 0),
            others,
            damaged: self.job.damaged_records(),
            ..StreamSummary::default()
        };
        // The job first: whoever has read the stream to its end finds the job ended.
        let mut result = json!({ "returned": returned, "scanned": scanned });
        add_costs(&mut result, None, summary.elapsed_ms, reads);
        self.job.finish(outcome.clone().map(|()| result.to_string()));
        self.sink.finish(outcome, summary);
    }
}
