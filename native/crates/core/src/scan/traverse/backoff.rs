//! Giving way: while others work on single records of the namespace, a scan rests between its steps, and of its workers one
//! works at a time, so that they never take all processors together.

use crate::budget::{Member, Share};
use crate::scan::walk::step_size;
use crate::store::RecordStore;
use parking_lot::{ArcMutexGuard, Mutex, RawMutex};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tessera_base::{Result, processors};
use tessera_jobs::{Job, LaneState, wait_as};

/// The share of the machine's processors that all workers of a scan together take meanwhile: one of so many.
const SHARE: u32 = 8;
/// Records of a step while others are at work: it is not to keep a processor for long.
const STEP: usize = 64;
/// How often a worker looks whether others are at work, and for how long it believes it.
const LOOK: Duration = Duration::from_millis(1);
const LATELY: Duration = Duration::from_millis(10);
/// How long a worker rests before it looks again whether it has to; an abort waits for no longer.
const NAP: Duration = Duration::from_millis(20);

/// Held by the one worker of a scan that is in a step, while they give way.
pub(crate) type Turn = Arc<Mutex<()>>;

/// What one worker knows of the others.
pub(crate) struct Backoff {
    turn: Turn,
    has_turn: Option<ArcMutexGuard<RawMutex, ()>>,
    /// When the step began.
    begun: Instant,
    looked: Instant,
    /// When there was something to give way to, if ever.
    met: Option<Instant>,
    served: u64,
    /// Until it has looked for the first time, too: what it then had in flight would be in the way for longer.
    gives_way: bool,
    processors: u32,
    _member: Option<Member>,
}

impl Backoff {
    /// Of a worker that shares `turn` with all others of its scan.
    pub(crate) fn new(store: &RecordStore, turn: Turn) -> Self {
        let (now, served) = (Instant::now(), store.latency().served_nanos());
        let processors = processors();
        Self { turn, has_turn: None, begun: now, looked: now, met: None, served, gives_way: true, processors, _member: None }
    }

    /// The same, of a worker that adds to what a request holds.
    pub(in crate::scan) fn member_of(self, share: &Arc<Share>) -> Self {
        Self { _member: Some(share.member()), ..self }
    }

    /// A step begins, perhaps after a pause.
    pub(crate) fn begin(&mut self) {
        if self.gives_way && self.has_turn.is_none() {
            let _throttled = wait_as(LaneState::Throttled);
            self.has_turn = Some(self.turn.lock_arc());
        }
        self.begun = Instant::now();
    }

    /// No step follows for now.
    pub(crate) fn end(&mut self) {
        self.has_turn = None;
    }

    /// After a step, before anything is waited for: how long to rest. Nothing for a job whose rate was asked for.
    pub(crate) fn due(&mut self, store: &RecordStore, job: &Job) -> Duration {
        let now = Instant::now();
        self.end();
        if !self.looks(now, store, job) || self.met.is_none() {
            return Duration::ZERO;
        }
        rest(now - self.begun, job.target_threads(), self.processors)
    }

    /// Ends a step that has met so many records, does `meanwhile`, keeps to the job's rate, rests if that is due, and begins the next step.
    ///
    /// # Errors
    /// `aborted`; those of `meanwhile`.
    pub(crate) fn stepped(&mut self, store: &RecordStore, job: &Job, met: u64, meanwhile: impl FnOnce() -> Result<()>) -> Result<()> {
        let rest = self.due(store, job);
        meanwhile()?;
        job.advance(met);
        job.pace(met, |_| Ok(()))?;
        self.rest(rest, store, job);
        Ok(())
    }

    /// Whether there is something to give way to.
    fn looks(&mut self, now: Instant, store: &RecordStore, job: &Job) -> bool {
        if now - self.looked >= LOOK {
            let served = store.latency().served_nanos();
            if served != self.served {
                self.met = Some(now);
            }
            (self.looked, self.served) = (now, served);
            self.gives_way = job.records_per_second() == 0 && self.met.is_some_and(|met| now - met <= LATELY);
        }
        self.gives_way
    }

    /// Whether it did when the last step ended.
    pub(crate) fn gives_way(&self) -> bool {
        self.gives_way
    }

    /// Records that the next step is to meet.
    pub(crate) fn most(&self, job: &Job) -> usize {
        if self.gives_way { step_size(job).min(STEP) } else { step_size(job) }
    }

    /// Rests, no longer than there is something to give way to, and begins the next step.
    pub(crate) fn rest(&mut self, rest: Duration, store: &RecordStore, job: &Job) {
        let mut now = Instant::now();
        let until = now + rest;
        if now < until {
            let _throttled = wait_as(LaneState::Throttled);
            while now < until && !job.should_stop() && self.looks(now, store, job) {
                thread::sleep((until - now).min(NAP));
                now = Instant::now();
            }
        }
        self.begin();
    }
}

/// How long each of so many workers rests after having worked for so long.
fn rest(worked: Duration, workers: u32, processors: u32) -> Duration {
    let whole = worked.saturating_mul(workers.saturating_mul(SHARE)) / processors.max(1);
    whole.saturating_sub(worked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_workers_together_take_their_share() {
        let worked = Duration::from_micros(100);
        for (workers, processors) in [(1, 1), (1, 2), (2, 2), (4, 2), (8, 16), (128, 2)] {
            let each = worked.as_secs_f64() / (worked + rest(worked, workers, processors)).as_secs_f64();
            let share = each * f64::from(workers) / f64::from(processors);
            assert!((share - 1.0 / f64::from(SHARE)).abs() < 1e-6, "{workers} workers on {processors}: {share}");
        }
        assert_eq!(rest(worked, 1, 64), Duration::ZERO, "no more than that anyway");
    }
}
