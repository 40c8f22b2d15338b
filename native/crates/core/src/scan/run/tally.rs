//! Scans in the background: what they meet is counted, and no record leaves the engine.

use crate::aggregate::{Aggregates, Totals};
use crate::budget::Share;
use crate::metrics::{EndedJob, JobTime, Operation};
use crate::scan::output::{Matcher, Met, add_costs, left};
use crate::scan::plan::{PlanChoice, Prefilter, Sample, ScanSpec, Selection, UseIndex, plan_scan, reads_size};
use crate::scan::traverse::{Backoff, Traversal, WorkerScratch};
use crate::scan::walk::{Damaged, End, Found, Scratch, Visitor, Walk, note_damaged, step_size};
use crate::store::RecordStore;
use parking_lot::Mutex;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tessera_base::pool::caught;
use tessera_base::{Error, Result};
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Work};
use tessera_record::filter::Filter;
use tessera_storage::DeviceReads;

/// What a caller asks of a background scan or count.
#[derive(Clone, Debug)]
pub struct TallySpec {
    /// `Scan` reads every record, finds them by set index or not, and adds their bytes up; `Count` finds them by any index
    /// that helps, and reads only what its filter has to see.
    pub kind: JobKind,
    /// `None`: every record; `Some("")`: records without a set.
    pub set: Option<String>,
    pub filter: Option<Arc<Filter>>,
    pub sample: Option<Sample>,
    pub aggregate: Option<Arc<Aggregates>>,
    /// Of a scan.
    pub use_index: UseIndex,
    /// Of a scan.
    pub plan: PlanChoice,
    /// 1 to 128.
    pub threads: u32,
    /// Most records looked at a second; `None` or 0 for no limit.
    pub records_per_second: Option<u32>,
}

/// How the records of a tally are found.
pub(crate) struct TallyPlan {
    /// What the title of the job begins with.
    pub verb: &'static str,
    pub method: &'static str,
    pub estimated: Option<u64>,
    pub estimated_ms: Option<f64>,
    pub selection: Selection,
}

/// What all workers share.
struct Running {
    store: Arc<RecordStore>,
    selection: Selection,
    traversal: Traversal,
    matcher: Matcher,
    bodies: bool,
    operation: Operation,
    job: Arc<Job>,
    time: JobTime,
    method: &'static str,
    records: AtomicU64,
    bytes: AtomicU64,
    scanned: AtomicU64,
    estimated_ms: Option<f64>,
    reads: Mutex<DeviceReads>,
    /// What all workers that have left added up, where that is wanted.
    totals: Option<Mutex<Totals>>,
    share: Arc<Share>,
}

/// What one worker carries from item to item.
#[derive(Default)]
struct Worker {
    scratch: WorkerScratch,
    counted: Counted,
}

#[derive(Default)]
struct Counted {
    backoff: Option<Backoff>,
    scanned: u64,
    records: u64,
    bytes: u64,
    totals: Option<Totals>,
    /// Why a record could not be added.
    failure: Option<Error>,
}

impl TallySpec {
    /// Whether what is counted takes the bodies of records.
    pub(crate) fn reads_body(&self) -> bool {
        let filtered = self.filter.as_ref().is_some_and(|filter| filter.reads_body());
        let adds_up_bodies = self.aggregate.as_ref().is_some_and(|aggregate| aggregate.reads_body());
        filtered || adds_up_bodies || self.kind == JobKind::Scan
    }

    /// The plan of one of kind `Scan`.
    ///
    /// # Errors
    /// `set_not_found`, `index_not_found`, `threads_invalid`.
    pub(crate) fn plan(&self, store: &RecordStore) -> Result<TallyPlan> {
        let &Self { sample, threads, use_index, plan, .. } = self;
        let (plan, selection) =
            plan_scan(store, &ScanSpec { set: self.set.clone(), sample, threads, use_index, plan, ..ScanSpec::default() })?;
        let (method, estimated, estimated_ms) = (plan.method.as_str(), plan.estimated_records, plan.estimated_ms);
        Ok(TallyPlan { verb: "Scan", method, estimated, estimated_ms, selection })
    }
}

/// Walks what `plan` selects and counts what passes the filter, as a job.
///
/// # Errors
/// `job_limit`, `closed`.
pub(crate) fn launch_tally(store: &Arc<RecordStore>, spec: TallySpec, plan: TallyPlan) -> Result<Arc<Job>> {
    let bodies = spec.reads_body();
    let TallySpec { kind, set, filter, sample, aggregate, threads, records_per_second, .. } = spec;
    let TallyPlan { verb, method, estimated, estimated_ms, mut selection } = plan;
    selection.prefilter = Prefilter::new(filter.as_ref(), sample.as_ref(), None);
    selection.sizes = reads_size(filter.as_deref(), aggregate.as_deref());
    let place = set.as_ref().map_or_else(|| store.name().to_owned(), |set| format!("{}.{set}", store.name()));
    let job = store.jobs().begin(JobSpec {
        set,
        parameters: json!({ "method": method, "filter": filter.is_some(), "aggregate": aggregate.is_some() }).to_string(),
        total: estimated,
        threads,
        records_per_second: records_per_second.filter(|&rate| rate > 0),
        ..JobSpec::new(kind, store.named(), format!("{verb} {place}"))
    })?;
    let share = store.budget().share();
    let running = Running {
        store: store.clone(),
        traversal: Traversal::begin(
            store,
            &selection,
            estimated.unwrap_or_default(),
            bodies && sample.as_ref().and_then(Sample::first).is_none(),
        ),
        selection,
        bodies,
        matcher: Matcher::new(filter, left(sample.as_ref())),
        totals: aggregate.map(|aggregate| Mutex::new(Totals::new(aggregate, share.clone()))),
        share,
        operation: if kind == JobKind::Scan { Operation::Scan } else { Operation::Query },
        job: job.clone(),
        time: JobTime::start(),
        method,
        records: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
        scanned: AtomicU64::new(0),
        estimated_ms,
        reads: Mutex::default(),
    };
    Crew::start(store.pool(), &job, running.traversal.items(store), running);
    Ok(job)
}

impl Running {
    fn walk(&self) -> Walk<'_> {
        self.traversal.walk(&self.store, &self.selection, self.bodies)
    }

    /// Counts the records that moved past the workers, now that they have been everywhere.
    fn moved(&self) -> Result<()> {
        let mut last = Counted::default();
        let moved = self.walk().moved(&mut Scratch::default(), &mut |found| self.count(found, &mut last).map_break(drop))?;
        Tally { running: self, counted: &mut last }.stepped(moved.met, &moved.damaged)?;
        self.add(&last)
    }

    fn add(&self, counted: &Counted) -> Result<()> {
        if let (Some(all), Some(own)) = (&self.totals, &counted.totals) {
            all.lock().merge(own)?;
        }
        self.records.fetch_add(counted.records, Ordering::Relaxed);
        self.bytes.fetch_add(counted.bytes, Ordering::Relaxed);
        self.scanned.fetch_add(counted.scanned, Ordering::Relaxed);
        Ok(())
    }

    fn count(&self, found: &Found<'_>, counted: &mut Counted) -> ControlFlow<End> {
        let met = Met { store: &self.store, found };
        if self.matcher.matches(&met) {
            counted.records += 1;
            counted.bytes += found.body.len() as u64;
            if let Some(totals) = &self.totals {
                let added = counted.totals.get_or_insert_with(|| totals.lock().emptied()).add(&met, None);
                counted.failure = added.err();
            }
        }
        if self.matcher.done() || counted.failure.is_some() { ControlFlow::Break(End::Walk) } else { ControlFlow::Continue(()) }
    }
}

/// Counts what one worker meets.
struct Tally<'a> {
    running: &'a Running,
    counted: &'a mut Counted,
}

impl Visitor for Tally<'_> {
    fn most(&self) -> usize {
        let job = &self.running.job;
        self.counted.backoff.as_ref().map_or_else(|| step_size(job), |backoff| backoff.most(job))
    }

    fn gives_way(&self) -> bool {
        self.counted.backoff.as_ref().is_some_and(Backoff::gives_way)
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        let flow = self.running.count(found, self.counted);
        // It waits for room when it holds no lock.
        if flow.is_continue() && self.running.share.is_short() { ControlFlow::Break(End::Step) } else { flow }
    }

    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()> {
        let Running { store, job, traversal, share, .. } = self.running;
        let Counted { backoff, scanned, failure, totals, .. } = &mut *self.counted;
        failure.take().map_or(Ok(()), Err)?;
        backoff.get_or_insert_with(|| traversal.backoff(store, share)).stepped(store, job, met, || {
            totals.iter_mut().try_for_each(Totals::relieve)?;
            share.settle(|| job.should_stop())?;
            note_damaged(store, job, damaged);
            *scanned += met;
            Ok(())
        })
    }
}

impl Work for Running {
    type Worker = Worker;

    fn begins_stage(&self, item: usize) -> bool {
        self.traversal.begins_stage(item)
    }

    fn item(&self, worker: &mut Worker, item: usize) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { scratch, counted } = worker;
        if self.matcher.done() {
            return Ok(());
        }
        counted.backoff.get_or_insert_with(|| self.traversal.backoff(&self.store, &self.share)).begin();
        let plain = self.matcher.takes_all() && self.totals.is_none();
        let done = match plain.then(|| self.traversal.count(&self.walk(), item)).transpose()?.flatten() {
            Some(count) => {
                counted.records += count;
                Tally { running: self, counted }.stepped(count, &[])
            }
            None => self.traversal.item(&self.walk(), item, scratch, &mut Tally { running: self, counted }).map(drop),
        };
        counted.backoff.iter_mut().for_each(Backoff::end);
        done
    }

    fn leave(&self, mut worker: Worker) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { scratch, counted } = &mut worker;
        let drained = self.traversal.drain(&self.walk(), scratch, &mut Tally { running: self, counted });
        *self.reads.lock() += scratch.reads();
        self.add(counted)?;
        drained.map(drop)
    }

    fn finish(&self, outcome: Result<()>) {
        let at_work = self.time.at_work();
        let outcome = outcome.and_then(|()| caught(|| self.moved())).and_then(|()| self.traversal.settle());
        drop(at_work);
        let ended =
            EndedJob { job: &self.job, plan: self.method, filter: self.matcher.filter(), records: self.scanned.load(Ordering::Relaxed) };
        self.time.end(self.store.latency(), self.operation, &ended, outcome.as_ref().err());
        let [records, bytes, scanned] = [&self.records, &self.bytes, &self.scanned].map(|sum| sum.load(Ordering::Relaxed));
        let mut result = json!({ "records": records, "scanned": scanned });
        if self.job.spec().kind == JobKind::Scan {
            result["bytes"] = bytes.into();
            let reads = self.store.reads_disks().then(|| *self.reads.lock());
            add_costs(&mut result, self.estimated_ms, self.time.elapsed_ms(), reads);
        }
        self.job.finish(outcome.and_then(|()| {
            let mut result = result.to_string();
            if let Some(totals) = &self.totals {
                // Into the object, as sums have more digits than numbers there.
                result.pop();
                result.push_str(&format!(",\"aggregate\":{}}}", String::from_utf8_lossy(&totals.lock().answer()?.0)));
            }
            Ok(result)
        }));
    }
}
