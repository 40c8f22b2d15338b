//! The time of a job that several threads work at.

use super::recorder::LatencyRecorder;
use super::series::Operation;
use super::slow::{About, Took};
use parking_lot::Mutex;
use tessera_base::Error;
use tessera_base::latency::split::{self, Arrived, Open, Part, Split};
use tessera_base::latency::{Clock, Tick};
use tessera_jobs::Job;
use tessera_record::filter::Filter;

/// Since when a job lasts, and what its workers did with their time.
pub(crate) struct JobTime {
    /// The request that asked for it, if anybody noted that.
    arrived: Option<Arrived>,
    /// Since when its latency counts: it is planned.
    started: Tick,
    spent: Mutex<Spent>,
}

#[derive(Default)]
struct Spent {
    /// When the first worker began.
    first: Option<Tick>,
    /// Nanoseconds of all workers.
    worked: u64,
    waited: Split,
}

/// What a job was about that has ended.
pub(crate) struct EndedJob<'a> {
    pub(crate) job: &'a Job,
    pub(crate) plan: &'a str,
    pub(crate) filter: Option<&'a Filter>,
    /// Records that it looked at.
    pub(crate) records: u64,
}

/// A worker at work, until dropped.
pub(crate) struct AtWork<'a> {
    time: &'a JobTime,
    begun: Tick,
    open: Open,
}

impl JobTime {
    /// Of a job that begins now.
    pub(crate) fn start() -> Self {
        Self { arrived: split::arrived(), started: Clock::now(), spent: Mutex::default() }
    }

    /// Milliseconds so far.
    pub(crate) fn elapsed_ms(&self) -> f64 {
        Clock::nanos_since(self.started) as f64 / 1e6
    }

    /// This thread works for the job. To be called for parts of it that take more than some microseconds.
    pub(crate) fn at_work(&self) -> AtWork<'_> {
        AtWork { time: self, begun: Clock::now(), open: split::open() }
    }

    /// Runs `work` as a part of the job.
    pub(crate) fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let _at_work = self.at_work();
        work()
    }

    /// The job is over: counts it, and keeps it if it took long.
    pub(crate) fn end(&self, recorder: &LatencyRecorder, operation: Operation, job: &EndedJob<'_>, failure: Option<&Error>) {
        let ended = Clock::now();
        let engine = self.started.nanos_until(ended);
        recorder.record_engine(operation, engine, failure.is_none());
        let whole = self.arrived.map_or(self.started, |arrived| arrived.at).nanos_until(ended);
        if whole >= recorder.slow().gate(operation) {
            recorder.slow().note(operation, recorder.owner(), Took { whole, engine }, self.split(ended), &job.about(failure));
        }
    }

    /// What its workers did, in proportion. It waited before it was planned, and between that and its first worker.
    fn split(&self, ended: Tick) -> Split {
        let spent = self.spent.lock();
        let first = spent.first.unwrap_or(ended);
        let rest = first.nanos_until(ended);
        let mut split = Split::default();
        for part in [Part::Queue, Part::Device, Part::Decode, Part::Reply] {
            let share = u128::from(rest) * u128::from(spent.waited.of(part)) / u128::from(spent.worked.max(1));
            split.add(part, share as u64);
        }
        split.add(Part::Queue, self.started.nanos_until(first));
        split.add(Part::Queue, self.arrived.map_or(0, |arrived| arrived.at.nanos_until(arrived.taken)));
        split
    }
}

impl<'a> EndedJob<'a> {
    fn about(&self, failure: Option<&Error>) -> About<'a> {
        About {
            set: self.job.spec().set.as_deref(),
            filter: self.filter,
            records: Some(self.records),
            threads: self.job.target_threads(),
            plan: Some(self.plan),
            job: Some(self.job.id()),
            failure: failure.map(|error| error.code),
            ..About::default()
        }
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        // A part of work that is counted already.
        if !self.open.outermost() {
            return;
        }
        let worked = Clock::nanos_since(self.begun);
        let mut spent = self.time.spent.lock();
        spent.first = Some(spent.first.map_or(self.begun, |first| first.min(self.begun)));
        spent.worked += worked;
        spent.waited = spent.waited.and(self.open.waited());
    }
}
