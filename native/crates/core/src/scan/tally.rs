//! Scans in the background: what they meet is counted, and no record leaves the engine.

use super::items::{Course, Visitor};
use super::plan::Selection;
use super::run::add_costs;
use super::spec::{PlanChoice, ScanSpec, UseIndex};
use super::visit::{Damaged, End, Found, Scratch, Walk, step_size};
use crate::error::{Error, ErrorCode, Result};
use crate::filter::Filter;
use crate::job::{Job, JobKind, JobSpec};
use crate::metrics::{Clock, Operation, Tick};
use crate::namespace::Namespace;
use crate::pool::{Crew, Work, caught};
use crate::query::QuerySpec;
use crate::record::BodyRef;
use crate::storage::DeviceReads;
use parking_lot::Mutex;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a caller asks of a background scan or count.
#[derive(Clone, Debug)]
pub struct TallySpec {
    /// `Scan` reads every record, finds them by set index or not, and adds their bytes up; `Count` finds them by any index
    /// that helps, and reads only what its filter has to see.
    pub kind: JobKind,
    /// `None`: every record; `Some("")`: records without a set.
    pub set: Option<String>,
    pub filter: Option<Arc<Filter>>,
    /// Of a scan.
    pub use_index: UseIndex,
    /// Of a scan.
    pub plan: PlanChoice,
    /// 1 to 128.
    pub threads: u32,
    /// Most records looked at a second; `None` or 0 for no limit.
    pub records_per_second: Option<u32>,
}

/// What all workers share.
struct Running {
    namespace: Arc<Namespace>,
    selection: Selection,
    course: Course,
    filter: Option<Arc<Filter>>,
    bodies: bool,
    operation: Operation,
    job: Arc<Job>,
    started: Tick,
    records: AtomicU64,
    bytes: AtomicU64,
    scanned: AtomicU64,
    estimated_ms: Option<f64>,
    reads: Mutex<DeviceReads>,
}

/// What one worker carries from item to item.
#[derive(Default)]
struct Worker {
    scratch: Scratch,
    counted: Counted,
}

#[derive(Default)]
struct Counted {
    records: u64,
    bytes: u64,
    scanned: u64,
}

impl Namespace {
    /// Starts a job of kind `Scan` or `Count`. Its result has `records` that pass the filter, `scanned` that were looked at
    /// and, of a scan, the `bytes` of the records as they are encoded.
    ///
    /// # Errors
    /// `set_not_found`, `index_not_found`, `threads_invalid`, `job_limit`, `closed`; `internal` for another kind.
    pub fn tally(self: &Arc<Self>, spec: TallySpec) -> Result<Arc<Job>> {
        let TallySpec { kind, set, filter, use_index, plan, threads, records_per_second } = spec;
        let filtered = filter.is_some();
        let (verb, method, estimated, estimated_ms, selection) = match kind {
            JobKind::Scan => {
                let (plan, selection) = self.plan_scan(&ScanSpec { set: set.clone(), threads, use_index, plan, ..ScanSpec::default() })?;
                ("Scan", plan.method.as_str(), plan.estimated_records, Some(plan.estimated_ms), selection)
            }
            JobKind::Count => {
                let query = QuerySpec { set: set.clone(), filter: filter.clone(), threads, ..QuerySpec::default() };
                let (plan, selection) = self.plan_query(&query)?;
                ("Count", plan.method, plan.estimated_candidates, None, selection)
            }
            other => return Err(Error::new(ErrorCode::Internal, format!("a job of kind {} counts nothing", other.as_str()))),
        };
        let place = set.as_ref().map_or_else(|| self.name().to_owned(), |set| format!("{}.{set}", self.name()));
        let job = self.jobs().begin(JobSpec {
            set,
            parameters: json!({ "method": method, "filter": filtered }).to_string(),
            total: Some(estimated),
            threads,
            records_per_second: records_per_second.filter(|&rate| rate > 0),
            ..JobSpec::new(kind, self.name(), format!("{verb} {place}"))
        })?;
        let running = Running {
            namespace: self.clone(),
            course: Course::begin(self, &selection),
            selection,
            bodies: filtered || kind == JobKind::Scan,
            filter,
            operation: if kind == JobKind::Scan { Operation::Scan } else { Operation::Query },
            job: job.clone(),
            started: Clock::now(),
            records: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            scanned: AtomicU64::new(0),
            estimated_ms,
            reads: Mutex::default(),
        };
        Crew::start(self.pool(), &job, running.course.runs() + self.cells().len(), running);
        Ok(job)
    }
}

impl Running {
    fn walk(&self) -> Walk<'_> {
        self.course.walk(&self.namespace, &self.selection, self.bodies)
    }

    /// Counts the records that moved past the workers, now that they have been everywhere.
    fn moved(&self) -> Result<()> {
        let mut last = Counted::default();
        let moved = self.walk().moved(&mut Scratch::default(), &mut |found| self.count(found, &mut last))?;
        Tally { running: self, counted: &mut last }.stepped(moved.met, &moved.damaged)?;
        self.add(&last);
        Ok(())
    }

    fn add(&self, counted: &Counted) {
        self.records.fetch_add(counted.records, Ordering::Relaxed);
        self.bytes.fetch_add(counted.bytes, Ordering::Relaxed);
        self.scanned.fetch_add(counted.scanned, Ordering::Relaxed);
    }

    fn count<B>(&self, found: &Found<'_>, counted: &mut Counted) -> ControlFlow<B> {
        if self.filter.as_ref().is_none_or(|filter| filter.matches(&BodyRef::new(found.body))) {
            counted.records += 1;
            counted.bytes += found.body.len() as u64;
        }
        ControlFlow::Continue(())
    }
}

/// Counts what one worker meets.
struct Tally<'a> {
    running: &'a Running,
    counted: &'a mut Counted,
}

impl Visitor for Tally<'_> {
    fn most(&self) -> usize {
        step_size(&self.running.job)
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        self.running.count(found, self.counted)
    }

    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()> {
        let Running { namespace, job, .. } = self.running;
        namespace.note_damaged(job, damaged);
        self.counted.scanned += met;
        job.advance(met);
        job.pace(met, |_| Ok(()))
    }
}

impl Work for Running {
    type Worker = Worker;

    fn second_stage(&self) -> usize {
        self.course.runs()
    }

    fn item(&self, worker: &mut Worker, item: usize) -> Result<()> {
        let Worker { scratch, counted } = worker;
        if let Some(count) = self.walk().count(item) {
            counted.records += count;
            return Tally { running: self, counted }.stepped(count, &[]);
        }
        self.walk().item(item, scratch, &mut Tally { running: self, counted }).map(drop)
    }

    fn leave(&self, mut worker: Worker) -> Result<()> {
        let Worker { scratch, counted } = &mut worker;
        let drained = self.walk().drain(0, scratch, &mut Tally { running: self, counted });
        *self.reads.lock() += scratch.reads();
        self.add(counted);
        drained.map(drop)
    }

    fn finish(&self, outcome: Result<()>) {
        let outcome = outcome.and_then(|()| caught(|| self.moved()));
        self.namespace.latency().record_since(self.operation, self.started, outcome.is_ok());
        let [records, bytes, scanned] = [&self.records, &self.bytes, &self.scanned].map(|sum| sum.load(Ordering::Relaxed));
        let mut result = json!({ "records": records, "scanned": scanned });
        if self.job.spec().kind == JobKind::Scan {
            result["bytes"] = bytes.into();
            let reads = (!self.namespace.bodies_resident()).then(|| *self.reads.lock());
            add_costs(&mut result, self.estimated_ms, Clock::nanos_since(self.started) as f64 / 1e6, reads);
        }
        self.job.finish(outcome.map(|()| result.to_string()));
    }
}
