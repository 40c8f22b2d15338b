//! Scans in the background: what they meet is counted, and no record leaves the engine.

use super::plan::Selection;
use super::spec::{ScanSpec, UseIndex};
use super::visit::{Found, Scratch, Walk, step_size};
use crate::error::{Error, ErrorCode, Result};
use crate::filter::Filter;
use crate::job::{Job, JobKind, JobSpec};
use crate::metrics::{Clock, Operation, Tick};
use crate::namespace::{Following, Namespace};
use crate::pool::{Crew, Work, caught};
use crate::query::QuerySpec;
use crate::record::BodyRef;
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
    /// 1 to 128.
    pub threads: u32,
    /// Most records looked at a second; `None` or 0 for no limit.
    pub records_per_second: Option<u32>,
}

/// What all workers share.
struct Running {
    namespace: Arc<Namespace>,
    selection: Selection,
    following: Option<Following>,
    filter: Option<Arc<Filter>>,
    bodies: bool,
    operation: Operation,
    job: Arc<Job>,
    started: Tick,
    records: AtomicU64,
    bytes: AtomicU64,
    scanned: AtomicU64,
}

/// What one worker has counted.
#[derive(Default)]
struct Worker {
    scratch: Scratch,
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
        let TallySpec { kind, set, filter, use_index, threads, records_per_second } = spec;
        let filtered = filter.is_some();
        let (verb, method, estimated, selection) = match kind {
            JobKind::Scan => {
                let (plan, selection) = self.plan_scan(&ScanSpec { set: set.clone(), threads, use_index, ..ScanSpec::default() })?;
                ("Scan", plan.method.as_str(), plan.estimated_records, selection)
            }
            JobKind::Count => {
                let query = QuerySpec { set: set.clone(), filter: filter.clone(), threads, ..QuerySpec::default() };
                let (plan, selection) = self.plan_query(&query)?;
                ("Count", plan.method, plan.estimated_candidates, selection)
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
            following: selection.follow_moves(self),
            selection,
            bodies: filtered || kind == JobKind::Scan,
            filter,
            operation: if kind == JobKind::Scan { Operation::Scan } else { Operation::Query },
            job: job.clone(),
            started: Clock::now(),
            records: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            scanned: AtomicU64::new(0),
        };
        Crew::start(self.pool(), &job, self.cells().len(), running);
        Ok(job)
    }
}

impl Running {
    fn walk(&self) -> Walk<'_> {
        let follower = self.following.as_ref().map(Following::follower);
        Walk { namespace: &self.namespace, selection: &self.selection, bodies: self.bodies, follower }
    }

    /// Counts the records that moved past the workers, now that they have been everywhere.
    fn moved(&self) -> Result<()> {
        let mut last = Worker::default();
        let moved = self.walk().moved(&mut Scratch::default(), &mut |found| self.count(found, &mut last.records, &mut last.bytes))?;
        self.namespace.note_damaged(&self.job, &moved.damaged);
        last.scanned = moved.met;
        self.job.advance(last.scanned);
        self.leave(last)
    }

    fn count<B>(&self, found: &Found<'_>, records: &mut u64, bytes: &mut u64) -> ControlFlow<B> {
        if self.filter.as_ref().is_none_or(|filter| filter.matches(&BodyRef::new(found.body))) {
            *records += 1;
            *bytes += found.body.len() as u64;
        }
        ControlFlow::Continue(())
    }
}

impl Work for Running {
    type Worker = Worker;

    fn item(&self, worker: &mut Worker, segment: usize) -> Result<()> {
        let walk = self.walk();
        let Worker { scratch, records, bytes, scanned } = worker;
        if let Some(count) = walk.count(segment).filter(|_| !self.bodies) {
            (*records, *scanned) = (*records + count, *scanned + count);
            self.job.advance(count);
            return self.job.pace(count, |_| Ok(()));
        }
        let mut from = Some(0);
        while let Some(slot) = from {
            let step = walk.step(segment, slot, step_size(&self.job), scratch, &mut |found| self.count(found, records, bytes))?;
            self.namespace.note_damaged(&self.job, &step.damaged);
            *scanned += step.met;
            self.job.advance(step.met);
            self.job.pace(step.met, |_| Ok(()))?;
            from = step.next;
        }
        Ok(())
    }

    fn leave(&self, worker: Worker) -> Result<()> {
        self.records.fetch_add(worker.records, Ordering::Relaxed);
        self.bytes.fetch_add(worker.bytes, Ordering::Relaxed);
        self.scanned.fetch_add(worker.scanned, Ordering::Relaxed);
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        let outcome = outcome.and_then(|()| caught(|| self.moved()));
        self.namespace.latency().record_since(self.operation, self.started, outcome.is_ok());
        let [records, bytes, scanned] = [&self.records, &self.bytes, &self.scanned].map(|sum| sum.load(Ordering::Relaxed));
        let mut result = json!({ "records": records, "scanned": scanned });
        if self.job.spec().kind == JobKind::Scan {
            result["bytes"] = bytes.into();
        }
        self.job.finish(outcome.map(|()| result.to_string()));
    }
}
