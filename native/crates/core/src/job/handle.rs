//! One job: the handle that its workers, its owner and its watchers share.

use super::info::{JobDamage, JobError, JobInfo, JobSpec, JobState};
use super::meter::RateMeter;
use super::pace::Pace;
use super::registry::JobRegistry;
use crate::clock::unix_millis;
use crate::error::{Error, ErrorCode, Result};
use crate::limits;
use crate::record::Digest;
use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

const ABORT: u8 = 1;
const PAUSE: u8 = 2;
/// Places of damage that a job names; the rest are counted.
const DAMAGE_MAX: usize = 1000;
/// In `total`: nobody knows yet.
const UNKNOWN: u64 = u64::MAX;

type Callback = Box<dyn FnOnce(JobInfo) + Send>;
/// Whoever comes first, the end of the job or the end of the wait, takes the callback.
type Waiter = Arc<Mutex<Option<Callback>>>;
type Listener = Arc<dyn Fn(&Job) + Send + Sync>;

/// What a caller may change while the job runs. Absent fields stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobPatch {
    /// 1 to 128.
    pub threads: Option<u32>,
    /// 0 takes the limit away.
    pub records_per_second: Option<u32>,
    pub paused: Option<bool>,
}

pub struct Job {
    id: String,
    spec: JobSpec,
    created_at_ms: u64,
    done: AtomicU64,
    total: AtomicU64,
    threads: AtomicU32,
    /// 0: no limit.
    records_per_second: AtomicU32,
    /// `ABORT | PAUSE`: the one word a worker looks at between two steps.
    signals: AtomicU8,
    damaged: AtomicU64,
    damage: Mutex<Vec<JobDamage>>,
    control: Mutex<Control>,
    changed: Condvar,
    registry: Weak<JobRegistry>,
    who: OnceLock<String>,
}

struct Control {
    state: JobState,
    started_at_ms: Option<u64>,
    ended_at_ms: Option<u64>,
    paused_at: Option<Instant>,
    meter: RateMeter,
    final_rate: f64,
    pace: Pace,
    error: Option<JobError>,
    result: Option<String>,
    waiters: Vec<Waiter>,
    listeners: Vec<Listener>,
}

impl Job {
    pub(super) fn new(id: String, spec: JobSpec, registry: Weak<JobRegistry>) -> Self {
        let now = Instant::now();
        Self {
            id,
            created_at_ms: unix_millis(),
            done: AtomicU64::new(0),
            total: AtomicU64::new(spec.total.unwrap_or(UNKNOWN)),
            threads: AtomicU32::new(spec.threads),
            records_per_second: AtomicU32::new(spec.records_per_second.unwrap_or(0)),
            signals: AtomicU8::new(0),
            damaged: AtomicU64::new(0),
            damage: Mutex::default(),
            control: Mutex::new(Control {
                state: JobState::Queued,
                started_at_ms: None,
                ended_at_ms: None,
                paused_at: None,
                meter: RateMeter::new(now),
                final_rate: 0.0,
                pace: Pace::new(now),
                error: None,
                result: None,
                waiters: Vec::new(),
                listeners: Vec::new(),
            }),
            changed: Condvar::new(),
            registry,
            who: OnceLock::new(),
            spec,
        }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn spec(&self) -> &JobSpec {
        &self.spec
    }

    // ---- workers ----

    /// Counts a record that could not be read and is left out.
    pub fn damaged(&self, set: String, digest: &Digest, error: &Error) {
        self.damaged.fetch_add(1, Ordering::Relaxed);
        let mut damage = self.damage.lock();
        if damage.len() < DAMAGE_MAX {
            damage.push(JobDamage { set, digest: digest.to_string(), message: error.message.clone() });
        }
    }

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
        if !self.spec.kind.is_read()
            && let Some(registry) = self.registry.upgrade()
        {
            registry.marks().add("job-start", &self.spec.title, Some(&self.id));
        }
    }

    /// Adds to what is done. Cheap, but shared by all workers: call it once a batch.
    pub fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    /// Sets the total once it is known.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Whether the job was asked to abort. One load.
    pub fn should_stop(&self) -> bool {
        self.signals.load(Ordering::Acquire) & ABORT != 0
    }

    /// How many workers there should be now.
    pub fn target_threads(&self) -> u32 {
        self.threads.load(Ordering::Relaxed)
    }

    /// The rate limit, records a second; 0 for none.
    pub fn records_per_second(&self) -> u32 {
        self.records_per_second.load(Ordering::Relaxed)
    }

    /// To be called between two small steps: waits while the job is paused. One load when nothing was asked.
    ///
    /// # Errors
    /// `aborted`.
    pub fn checkpoint(&self) -> Result<()> {
        if self.signals.load(Ordering::Acquire) != 0 {
            let mut control = self.control.lock();
            while self.signals.load(Ordering::Acquire) == PAUSE {
                self.changed.wait(&mut control);
            }
        }
        if self.should_stop() { Err(aborted()) } else { Ok(()) }
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
        let mut control = self.control.lock();
        // A pause or an abort ends the wait through the checkpoint; a new rate ends it because its reservations start afresh.
        while self.signals.load(Ordering::Acquire) == 0 && self.records_per_second.load(Ordering::Relaxed) == limit {
            if self.changed.wait_until(&mut control, due).timed_out() {
                break;
            }
        }
        drop(control);
        self.checkpoint_after(&mut before_wait)
    }

    fn checkpoint_after(&self, before_wait: &mut impl FnMut(Duration) -> Result<()>) -> Result<()> {
        if self.signals.load(Ordering::Acquire) == PAUSE {
            before_wait(Duration::MAX)?;
        }
        self.checkpoint()
    }

    /// Ends the job: `Ok` with a JSON object is done, `aborted` is aborted, any other error is failed. Only the first call counts.
    pub fn finish(&self, outcome: Result<String>) {
        let (waiters, listeners) = {
            let mut control = self.control.lock();
            if control.state.ended() {
                return;
            }
            self.settle_pause(&mut control);
            let now = Instant::now();
            control.final_rate = control.meter.average(now, self.done());
            control.ended_at_ms = Some(unix_millis());
            match outcome {
                Ok(result) => {
                    control.state = JobState::Done;
                    control.result = Some(result);
                }
                Err(error) => {
                    control.state = if error.code == ErrorCode::Aborted { JobState::Aborted } else { JobState::Failed };
                    control.error = Some(JobError::from(&error));
                }
            }
            (std::mem::take(&mut control.waiters), std::mem::take(&mut control.listeners))
        };
        drop(listeners);
        let info = self.info();
        if let Some(registry) = self.registry.upgrade() {
            registry.ended(&info);
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

    // ---- callers ----

    pub(super) fn who(&self) -> Option<&str> {
        self.who.get().map(String::as_str)
    }

    /// Notes who asked for the job; only the first note counts.
    pub(super) fn attribute(&self, who: &str) {
        self.who.get_or_init(|| who.to_owned());
    }

    /// Asks the workers to stop, at once: sleeping ones wake. The job is aborted when they have.
    ///
    /// # Errors
    /// `job_finished`.
    pub fn abort(&self) -> Result<()> {
        self.change(|job, control| {
            job.signals.fetch_or(ABORT, Ordering::AcqRel);
            job.settle_pause(control);
        })
    }

    /// # Errors
    /// `threads_invalid`, `job_finished`; then nothing has changed.
    pub fn patch(&self, patch: JobPatch) -> Result<()> {
        if let Some(threads) = patch.threads {
            limits::check_threads(threads)?;
        }
        self.change(|job, control| {
            if let Some(threads) = patch.threads {
                job.threads.store(threads, Ordering::Relaxed);
            }
            if let Some(rate) = patch.records_per_second {
                job.records_per_second.store(rate, Ordering::Relaxed);
                control.pace.reset(Instant::now());
            }
            match patch.paused {
                Some(true) if control.paused_at.is_none() && !job.should_stop() => {
                    // The rate up to here is what is shown while paused.
                    control.meter.rate(Instant::now(), job.done());
                    control.paused_at = Some(Instant::now());
                    job.signals.fetch_or(PAUSE, Ordering::AcqRel);
                }
                Some(false) => job.settle_pause(control),
                _ => {}
            }
        })
    }

    /// Calls `listener` on the changing thread after every patch and abort, until the job ends: for owners that must
    /// start more workers or wake a blocked one. When the job was aborted before, it is called at once.
    pub fn on_change(&self, listener: impl Fn(&Job) + Send + Sync + 'static) {
        let listener: Listener = Arc::new(listener);
        {
            let mut control = self.control.lock();
            if control.state.ended() {
                return;
            }
            control.listeners.push(Arc::clone(&listener));
        }
        if self.should_stop() {
            listener(self);
        }
    }

    /// Calls `callback` once: when the job has ended, or after `timeout` with the job as it is then.
    pub fn wait_with(self: &Arc<Self>, timeout: Duration, callback: impl FnOnce(JobInfo) + Send + 'static) {
        let waiter: Waiter = Arc::new(Mutex::new(Some(Box::new(callback))));
        let ended = {
            let mut control = self.control.lock();
            let ended = control.state.ended();
            if !ended {
                // Waits that expired leave an empty cell behind; here they go.
                control.waiters.retain(|waiter| waiter.lock().is_some());
                control.waiters.push(Arc::clone(&waiter));
            }
            ended
        };
        match self.registry.upgrade() {
            Some(registry) if !ended && !timeout.is_zero() => {
                let job = Arc::clone(self);
                registry.timer().at(Instant::now() + timeout, move || fire(&waiter, || job.info()));
            }
            _ => fire(&waiter, || self.info()),
        }
    }

    /// Blocks until the job has ended or `timeout` is over.
    pub fn wait_blocking(&self, timeout: Duration) -> JobInfo {
        let deadline = Instant::now() + timeout;
        let mut control = self.control.lock();
        while !control.state.ended() {
            if self.changed.wait_until(&mut control, deadline).timed_out() {
                break;
            }
        }
        drop(control);
        self.info()
    }

    /// The job as it is now.
    pub fn info(&self) -> JobInfo {
        let done = self.done();
        let total = Some(self.total.load(Ordering::Relaxed)).filter(|&total| total != UNKNOWN);
        let mut control = self.control.lock();
        let state = match control.state {
            JobState::Running if control.paused_at.is_some() => JobState::Paused,
            state => state,
        };
        let rate = match state {
            JobState::Queued | JobState::Paused => 0.0,
            JobState::Running => control.meter.rate(Instant::now(), done),
            _ => control.final_rate,
        };
        let remaining = total.map(|total| total.saturating_sub(done) as f64);
        JobInfo {
            id: self.id.clone(),
            kind: self.spec.kind,
            namespace: self.spec.namespace.clone(),
            set: self.spec.set.clone(),
            title: self.spec.title.clone(),
            parameters: self.spec.parameters.clone(),
            who: self.who.get().cloned(),
            state,
            done,
            total,
            unit: self.spec.unit,
            rate_per_second: rate,
            eta_seconds: remaining.filter(|_| state == JobState::Running && rate > 0.0).map(|left| left / rate),
            threads: self.target_threads(),
            records_per_second: Some(self.records_per_second.load(Ordering::Relaxed)).filter(|&rate| rate != 0),
            created_at_ms: self.created_at_ms,
            started_at_ms: control.started_at_ms,
            ended_at_ms: control.ended_at_ms,
            damaged: self.damaged_records(),
            damage: self.damage.lock().clone(),
            error: control.error.clone(),
            result: control.result.clone(),
        }
    }

    fn change(&self, apply: impl FnOnce(&Self, &mut Control)) -> Result<()> {
        let listeners = {
            let mut control = self.control.lock();
            if control.state.ended() {
                return Err(Error::new(ErrorCode::JobFinished, format!("job {} has already ended", self.id)));
            }
            apply(self, &mut control);
            control.listeners.clone()
        };
        self.changed.notify_all();
        for listener in listeners {
            listener(self);
        }
        Ok(())
    }

    /// Ends a pause, if there is one; the caller wakes the workers.
    fn settle_pause(&self, control: &mut Control) {
        if let Some(paused_at) = control.paused_at.take() {
            control.meter.resume(paused_at, Instant::now(), self.done());
            self.signals.fetch_and(!PAUSE, Ordering::AcqRel);
        }
    }
}

fn fire(waiter: &Waiter, info: impl FnOnce() -> JobInfo) {
    let callback = waiter.lock().take();
    if let Some(callback) = callback {
        callback(info());
    }
}

fn aborted() -> Error {
    Error::new(ErrorCode::Aborted, "the job was aborted")
}
