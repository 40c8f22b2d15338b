//! A job as those who do its work see it: they start and end it, count, and stop or wait where they are told to.

use super::info::{JobDamage, JobError, JobState};
use super::lanes::{self, InLane, LaneState, wait_as};
use super::meter::RateMeter;
use super::{ABORT, CLOSING, Job, PAUSE, fire};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use tessera_base::clock::unix_millis;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::Digest;

/// Places of damage that a job names; the rest are counted.
const DAMAGE_MAX: usize = 1000;
/// Between two looks at another machine.
const LOOK: Duration = Duration::from_millis(50);

impl Job {
    /// Counts a record that could not be read and is left out.
    pub fn damaged(&self, set: String, digest: &Digest, error: &Error) {
        self.damaged.fetch_add(1, Ordering::Relaxed);
        let mut damage = self.damage.lock();
        if damage.len() < DAMAGE_MAX {
            damage.push(JobDamage { set, digest: digest.to_string(), message: error.message.clone(), said: error.said_as_json() });
        }
    }

    /// How many records were left out.
    pub fn damaged_records(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Queued becomes running; the clock of the rate starts.
    pub fn start(&self) {
        {
            let mut control = self.control.lock();
            if control.state != JobState::Queued {
                return;
            }
            control.state = JobState::Running;
            control.started_at_ms = Some(unix_millis());
            let now = Instant::now();
            control.meter = RateMeter::new(now);
            control.pace.reset(now);
        }
        if let Some(list) = self.list() {
            list.started(self);
        }
    }

    /// To be held by a worker while it is at work on this thread: what it does is told apart from the others'. `items`: the
    /// parts that the work of all has, 0 where it has none.
    pub fn enter_lane(&self, items: usize) -> InLane<'_> {
        self.lanes.enter(items)
    }

    /// Adds to what is done, and to what the worker on this thread has done. Cheap, but shared by all workers: call it once a
    /// batch.
    pub fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
        lanes::advance(units);
    }

    /// Sets the total once it is known.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Units done so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Whether the job was asked to abort. One load.
    #[inline]
    pub fn should_stop(&self) -> bool {
        self.signals.load(Ordering::Acquire) & ABORT != 0
    }

    /// Whether the job was called off because the store closes, and by nobody before.
    pub fn is_closing(&self) -> bool {
        self.signals.load(Ordering::Acquire) & CLOSING != 0
    }

    /// Shows the job as paused, for a reason, while its owner waits for what comes from outside; `None` ends that. Workers are
    /// not held up.
    pub fn hold(&self, reason: Option<&'static str>) {
        let mut control = self.control.lock();
        let now = Instant::now();
        if let Some(reason) = reason {
            if control.held.is_none() {
                // The rate up to here is what is shown until then.
                control.meter.rate(now, self.done());
            }
            control.held.get_or_insert((reason, now)).0 = reason;
        } else if let Some((_, since)) = control.held.take()
            && control.paused_at.is_none()
        {
            control.meter.resume(since, now, self.done());
        }
    }

    /// How many workers there should be now.
    #[inline]
    pub fn target_threads(&self) -> u32 {
        self.threads.load(Ordering::Relaxed)
    }

    /// The rate limit, records a second; 0 for none.
    #[inline]
    pub fn records_per_second(&self) -> u32 {
        self.records_per_second.load(Ordering::Relaxed)
    }

    /// Records for one step of at most `most`: a twentieth of a second's worth if the job has a limit, so that the flow is smooth.
    pub fn step_of(&self, most: usize) -> usize {
        match self.records_per_second() {
            0 => most,
            rate => (rate as usize / 20).clamp(1, most),
        }
    }

    /// To be called between two small steps: waits while the job is paused. One load when nothing was asked.
    ///
    /// # Errors
    /// `aborted`.
    pub fn checkpoint(&self) -> Result<()> {
        if self.signals.load(Ordering::Acquire) != 0 {
            let _paused = wait_as(LaneState::Paused);
            let mut control = self.control.lock();
            while self.signals.load(Ordering::Acquire) == PAUSE {
                self.changed.wait(&mut control);
            }
        }
        if self.should_stop() { Err(aborted()) } else { Ok(()) }
    }

    /// Waits a moment for what another machine does.
    ///
    /// # Errors
    /// As `checkpoint`.
    pub fn look_again(&self) -> Result<()> {
        self.checkpoint()?;
        let _throttled = wait_as(LaneState::Throttled);
        thread::sleep(LOOK);
        Ok(())
    }

    /// A checkpoint that also waits until `records` more fit under the job's rate limit. For a smooth flow pass at most
    /// a twentieth of a second's worth at a time. Before each wait, `before_wait` learns how long it will be; of a pause
    /// nobody knows.
    ///
    /// # Errors
    /// `aborted`, and what `before_wait` returns.
    pub fn pace(&self, records: u64, mut before_wait: impl FnMut(Duration) -> Result<()>) -> Result<()> {
        self.checkpoint_after(&mut before_wait)?;
        let limit = self.records_per_second.load(Ordering::Relaxed);
        if limit == 0 || records == 0 {
            return Ok(());
        }
        let now = Instant::now();
        let due = self.control.lock().pace.reserve(now, records, limit);
        if due <= now {
            return Ok(());
        }
        before_wait(due - now)?;
        let throttled = wait_as(LaneState::Throttled);
        let mut control = self.control.lock();
        // A pause or an abort ends the wait through the checkpoint; a new rate ends it because its reservations start afresh.
        while self.signals.load(Ordering::Acquire) == 0 && self.records_per_second.load(Ordering::Relaxed) == limit {
            if self.changed.wait_until(&mut control, due).timed_out() {
                break;
            }
        }
        drop(control);
        drop(throttled);
        self.checkpoint_after(&mut before_wait)
    }

    fn checkpoint_after(&self, before_wait: &mut impl FnMut(Duration) -> Result<()>) -> Result<()> {
        if self.signals.load(Ordering::Acquire) == PAUSE {
            before_wait(Duration::MAX)?;
        }
        self.checkpoint()
    }

    /// Ends the job: `Ok` with a JSON object is done, `aborted` is aborted (failed if it was aborted for a cause), any
    /// other error is failed. Only the first call counts.
    pub fn finish(&self, outcome: Result<String>) {
        let (waiters, listeners) = {
            let mut control = self.control.lock();
            if control.state.ended() {
                return;
            }
            self.settle_pause(&mut control);
            let now = Instant::now();
            if let Some((_, since)) = control.held.take() {
                control.meter.resume(since, now, self.done());
            }
            control.final_rate = control.meter.average(now, self.done());
            let elapsed_ms = now.saturating_duration_since(control.meter.started()).as_millis() as u64;
            control.progress.look(elapsed_ms, self.done());
            control.ended_at_ms = Some(unix_millis());
            match outcome {
                Ok(result) => {
                    control.state = JobState::Done;
                    control.result = Some(result);
                }
                Err(error) => {
                    let cause = control.cause.take().filter(|_| error.code == ErrorCode::Aborted);
                    let error = cause.unwrap_or(error);
                    control.state = if error.code == ErrorCode::Aborted { JobState::Aborted } else { JobState::Failed };
                    control.error = Some(JobError::from(&error));
                }
            }
            (std::mem::take(&mut control.waiters), std::mem::take(&mut control.listeners))
        };
        drop(listeners);
        let info = self.info();
        if let Some(list) = self.list() {
            list.ended(&info);
        }
        self.changed.notify_all();
        for waiter in waiters {
            fire(&waiter, || info.clone());
        }
    }

    /// Starts the job, runs `work` on this thread and finishes with what it returns; a panic becomes `internal`.
    pub fn run(&self, work: impl FnOnce(&Job) -> Result<String>) {
        self.start();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.checkpoint().and_then(|()| work(self))))
            .unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "a worker of this job panicked")));
        self.finish(outcome);
    }
}

fn aborted() -> Error {
    Error::said(ErrorCode::Aborted, sentence!("the job was aborted"))
}
