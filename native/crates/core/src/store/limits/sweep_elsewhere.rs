//! Truncations of a namespace whose records a cluster has: hidden at once, and removed by a job, range by range.
//!
//! A sweep that ends early leaves records that nobody finds, and that take room. So whoever opens the namespace next begins it
//! anew, and this process does some time later.

use crate::manifest::Truncation;
use crate::store::RecordStore;
use crate::store::remote::{Marks, Remote};
use parking_lot::Mutex;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tessera_base::{ErrorCode, Result};
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Unit, Work};

/// Records that are removed at once: each is a round of its own between nodes.
const THREADS: u32 = 8;
/// After a sweep that failed, the next one waits.
const PAUSE: Duration = Duration::from_secs(60);

/// The sweeps of a namespace.
#[derive(Debug, Default)]
pub(in crate::store) struct Sweeps(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    at_work: usize,
    failed: Option<Instant>,
}

impl Sweeps {
    fn begin(&self) {
        self.0.lock().at_work += 1;
    }

    fn end(&self, done: bool) {
        let mut state = self.0.lock();
        state.at_work -= 1;
        state.failed = (!done).then(Instant::now);
    }

    /// Whether none is at work, and none has failed a moment ago.
    fn rest(&self) -> bool {
        let state = self.0.lock();
        state.at_work == 0 && state.failed.is_none_or(|at| at.elapsed() >= PAUSE)
    }
}

impl RecordStore {
    /// As `truncate`.
    ///
    /// # Errors
    /// `job_limit`, `cluster_unavailable`, `write_uncertain`.
    pub(super) fn truncate_elsewhere(
        self: &Arc<Self>,
        remote: &dyn Remote,
        set: Option<&str>,
        before_ms: Option<u64>,
        title: String,
    ) -> Result<Arc<Job>> {
        let job = self.begin_sweep(set, json!({ "before": before_ms }).to_string(), title)?;
        let hidden = remote.truncate(set, before_ms);
        let carried = match &hidden {
            // What this hides in the store that follows is gone here by now.
            Ok(before) => {
                let truncation = Truncation { set: set.map(str::to_owned), until_ms: before.saturating_sub(1) };
                self.mirrored_truncation(&truncation, || ())
            }
            // It may hide records here that the store that follows has.
            Err(error) if error.code == ErrorCode::WriteUncertain => self.give_mirror_up(error),
            Err(_) => Ok(()),
        };
        if let Err(error) = hidden.and(carried) {
            job.finish(Err(error.clone()));
            return Err(error);
        }
        self.sweep_elsewhere(remote, job.clone());
        Ok(job)
    }

    /// Begins a sweep if earlier ones have left something, here or in a process that is gone.
    pub(crate) fn sweep_what_is_left(self: &Arc<Self>) {
        let Some(remote) = &self.remote else { return };
        if remote.has_to_sweep() && self.sweeps.rest() && remote.trouble().is_none() {
            let title = format!("Remove what was truncated in {}", self.name());
            // With too many jobs it is tried again in a second.
            let _ = self.begin_sweep(None, "{}".to_owned(), title).map(|job| self.sweep_elsewhere(&**remote, job));
        }
    }

    fn begin_sweep(&self, set: Option<&str>, parameters: String, title: String) -> Result<Arc<Job>> {
        let set = set.map(str::to_owned);
        let spec =
            JobSpec { parameters, set, unit: Unit::Records, threads: THREADS, ..JobSpec::new(JobKind::Truncate, self.named(), title) };
        self.resources.jobs.begin(spec)
    }

    fn sweep_elsewhere(self: &Arc<Self>, remote: &dyn Remote, job: Arc<Job>) {
        self.sweeps.begin();
        let work = Sweep { store: self.clone(), job: job.clone(), marks: remote.unswept(), removed: AtomicU64::new(0) };
        Crew::start(&self.resources.pool, &job, remote.ranges(), work);
    }
}

/// Removes what is hidden, a range at a time.
struct Sweep {
    store: Arc<RecordStore>,
    job: Arc<Job>,
    marks: Marks,
    removed: AtomicU64,
}

impl Work for Sweep {
    type Worker = ();

    fn item(&self, (): &mut (), range: usize) -> Result<()> {
        self.store.check_whole()?;
        let Some(remote) = self.store.remote() else { return Ok(()) };
        remote.sweep(range, &mut || {
            self.removed.fetch_add(1, Ordering::Relaxed);
            self.job.advance(1);
            self.store.check_whole()
        })
    }

    fn leave(&self, (): ()) -> Result<()> {
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        let noted = || self.store.remote().map_or(Ok(()), |remote| remote.note_swept(&self.marks));
        let outcome = outcome.and_then(|()| noted());
        self.store.sweeps.end(outcome.is_ok());
        self.job.finish(outcome.map(|()| json!({ "records": self.removed.load(Ordering::Relaxed) }).to_string()));
    }
}
