//! One job: the handle that its workers, its owner and its watchers share.

mod caller;
mod info;
mod lanes;
mod left;
mod meter;
mod pace;
mod progress;
mod worker;

pub use caller::JobPatch;
pub use info::{JobDamage, JobError, JobInfo, JobKind, JobSpec, JobState, Unit};
pub use lanes::{LaneInfo, LaneState, wait_as};
pub use progress::Progress;

use crate::timer::Timer;
use lanes::Lanes;
use left::Trace;
use meter::RateMeter;
use pace::Pace;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;
use tessera_base::clock::unix_millis;
use tessera_base::{Error, Result};

const ABORT: u8 = 1;
const PAUSE: u8 = 2;
/// Beside `ABORT`: because the store closes, and nobody has asked for the end before.
const CLOSING: u8 = 4;
/// In `total`: nobody knows yet.
const UNKNOWN: u64 = u64::MAX;

type Callback = Box<dyn FnOnce(JobInfo) + Send>;
/// Whoever comes first, the end of the job or the end of the wait, takes the callback.
type Waiter = Arc<Mutex<Option<Callback>>>;
type Listener = Arc<dyn Fn(&Job) + Send + Sync>;

/// What a job needs of the list that it is in.
pub(super) trait JobList: Send + Sync {
    /// A job has begun to run.
    fn started(&self, job: &Job);

    /// A job has just ended.
    fn ended(&self, info: &JobInfo);

    /// Calls back at a time.
    fn timer(&self) -> &Timer;

    /// Writes the list: what is in it, a crash does not take back.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    fn save(&self) -> Result<()>;
}

/// One job, shared by its workers, its owner and whoever watches.
pub struct Job {
    id: String,
    spec: JobSpec,
    created_at_ms: u64,
    done: AtomicU64,
    total: AtomicU64,
    threads: AtomicU32,
    /// 0: no limit.
    records_per_second: AtomicU32,
    /// `ABORT | PAUSE | CLOSING`: the one word a worker looks at between two steps.
    signals: AtomicU8,
    damaged: AtomicU64,
    damage: Mutex<Vec<JobDamage>>,
    lanes: Lanes,
    control: Mutex<Control>,
    changed: Condvar,
    /// `None` of one that is in no list.
    list: Option<Weak<dyn JobList>>,
    who: OnceLock<String>,
}

struct Control {
    state: JobState,
    started_at_ms: Option<u64>,
    ended_at_ms: Option<u64>,
    paused_at: Option<Instant>,
    /// Why and since when the job is shown as paused, while its owner waits for what comes from outside.
    held: Option<(&'static str, Instant)>,
    meter: RateMeter,
    final_rate: f64,
    progress: Progress,
    trace: Trace,
    pace: Pace,
    error: Option<JobError>,
    /// Why it was aborted, if for a reason of its own.
    cause: Option<Error>,
    result: Option<String>,
    waiters: Vec<Waiter>,
    listeners: Vec<Listener>,
}

impl Job {
    pub(super) fn new(id: String, spec: JobSpec, list: Option<Weak<dyn JobList>>) -> Self {
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
            lanes: Lanes::default(),
            control: Mutex::new(Control {
                state: JobState::Queued,
                started_at_ms: None,
                ended_at_ms: None,
                paused_at: None,
                held: None,
                meter: RateMeter::new(now),
                final_rate: 0.0,
                progress: Progress::default(),
                trace: Trace::default(),
                pace: Pace::new(now),
                error: None,
                cause: None,
                result: None,
                waiters: Vec::new(),
                listeners: Vec::new(),
            }),
            changed: Condvar::new(),
            list,
            who: OnceLock::new(),
            spec,
        }
    }

    /// One that is in no list.
    pub(super) fn unlisted(spec: JobSpec) -> Self {
        Self::new(String::new(), spec, None)
    }

    fn list(&self) -> Option<Arc<dyn JobList>> {
        self.list.as_ref().and_then(Weak::upgrade)
    }

    /// Empty of a job that is in no list.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it was begun with.
    pub fn spec(&self) -> &JobSpec {
        &self.spec
    }

    pub(super) fn who(&self) -> Option<&str> {
        self.who.get().map(String::as_str)
    }

    /// Notes who asked for the job; only the first note counts.
    pub(super) fn attribute(&self, who: &str) {
        self.who.get_or_init(|| who.to_owned());
    }

    /// The job as it is now.
    pub fn info(&self) -> JobInfo {
        // In this order, so that the lanes' counts never come to more than the job's.
        let lanes = self.lanes.info(Instant::now());
        let brief = self.brief();
        let lanes = if brief.state.ended() { Vec::new() } else { lanes };
        let progress = Some(self.control.lock().progress.clone()).filter(|progress| !progress.done.is_empty());
        JobInfo { lanes, progress, damage: self.damage.lock().clone(), ..brief }
    }

    /// Notes how far it is, if that is due.
    pub(super) fn look(&self, now: Instant) {
        let mut control = self.control.lock();
        if control.started_at_ms.is_some() && !control.state.ended() {
            let elapsed_ms = now.saturating_duration_since(control.meter.started()).as_millis() as u64;
            control.progress.look(elapsed_ms, self.done());
            if control.paused_at.is_none() && control.held.is_none() {
                let active_ms = control.meter.active(now).as_millis() as u64;
                control.trace.look(active_ms, self.done());
            }
        }
    }

    /// As `info`, without what lists do not have: damage, lanes and progress.
    pub(super) fn brief(&self) -> JobInfo {
        let done = self.done();
        let total = Some(self.total.load(Ordering::Relaxed)).filter(|&total| total != UNKNOWN);
        let mut control = self.control.lock();
        let state = match control.state {
            JobState::Running if control.paused_at.is_some() || control.held.is_some() => JobState::Paused,
            state => state,
        };
        let rate = match state {
            JobState::Queued | JobState::Paused => 0.0,
            JobState::Running => control.meter.rate(Instant::now(), done),
            _ => control.final_rate,
        };
        let left = total.filter(|_| state == JobState::Running).and_then(|total| {
            let active_ms = control.meter.active(Instant::now()).as_millis() as u64;
            control.trace.left(active_ms, done, total)
        });
        JobInfo {
            id: self.id.clone(),
            kind: self.spec.kind,
            namespace: self.spec.namespace.clone(),
            namespace_id: self.spec.namespace_id.map(|id| id.to_string()),
            set: self.spec.set.clone(),
            title: self.spec.title.clone(),
            parameters: self.spec.parameters.clone(),
            tag: self.spec.tag.clone(),
            who: self.who.get().cloned(),
            state,
            reason: control.held.filter(|_| state == JobState::Paused).map(|(reason, _)| reason.to_owned()),
            done,
            total,
            unit: self.spec.unit,
            rate_per_second: rate,
            eta_seconds: left.map(|left| left.seconds),
            eta_least_seconds: left.map(|left| left.least),
            eta_most_seconds: left.map(|left| left.most),
            threads: self.target_threads(),
            records_per_second: Some(self.records_per_second.load(Ordering::Relaxed)).filter(|&rate| rate != 0),
            created_at_ms: self.created_at_ms,
            started_at_ms: control.started_at_ms,
            ended_at_ms: control.ended_at_ms,
            damaged: self.damaged_records(),
            damage: Vec::new(),
            lanes: Vec::new(),
            progress: None,
            error: control.error.clone(),
            result: control.result.clone(),
        }
    }

    /// Ends a pause, if there is one; the caller wakes the workers.
    fn settle_pause(&self, control: &mut Control) {
        if let Some(paused_at) = control.paused_at.take() {
            let now = Instant::now();
            control.meter.resume(paused_at, now, self.done());
            self.lanes.resume(paused_at, now);
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
