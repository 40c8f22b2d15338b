//! The runs of a store: each a job while it goes on, and kept on disk afterwards.

mod history;
mod info;

pub use info::RunInfo;

use crate::client::Embedded;
use crate::compare::{Row, compare};
use crate::figures::{Counts, Frame, Summary};
use crate::run::{Watch, run};
use crate::spec::{THREADS, WorkloadSpec};
use crate::stop::Stop;
use history::History;
use parking_lot::Mutex;
use serde::Serialize;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, clock};
use tessera_core::Engine;
use tessera_jobs::{Job, JobError, JobKind, JobSpec, JobState, Unit};

/// Most runs that are kept.
const KEPT: usize = 200;

/// Most runs in one comparison.
const COMPARED: usize = 6;

/// Runs, and their figures in the same order.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub runs: Vec<RunInfo>,
    pub figures: Vec<Row>,
}

pub struct Runs {
    history: History,
    table: Mutex<BTreeMap<String, Entry>>,
}

enum Entry {
    Live(Arc<Live>),
    Ended(Box<RunInfo>),
}

/// A run that goes on.
struct Live {
    job: Arc<Job>,
    spec: WorkloadSpec,
    frames: Mutex<Vec<Frame>>,
}

impl Runs {
    /// Reads what is kept in the data directory of `engine`.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn open(engine: &Engine) -> Result<Arc<Self>> {
        let history = History::new(engine);
        let kept = history.load(KEPT)?;
        let table = kept.into_iter().map(|info| (info.id.clone(), Entry::Ended(Box::new(info)))).collect();
        Ok(Arc::new(Self { history, table: Mutex::new(table) }))
    }

    /// Starts a run on threads of its own.
    ///
    /// # Errors
    /// What `WorkloadSpec::check` and `Engine::namespace` return; `job_limit` when it and those that run have too many
    /// threads together, or as of any job; `single_bin`.
    pub fn start(self: &Arc<Self>, engine: &Engine, spec: WorkloadSpec) -> Result<RunInfo> {
        spec.check()?;
        let clients = Embedded::new(engine.namespace(&spec.namespace)?, &spec)?;
        let live = {
            let mut table = self.table.lock();
            let busy: u32 = table.values().map(|entry| if let Entry::Live(live) = entry { live.spec.threads } else { 0 }).sum();
            if busy + spec.threads > THREADS {
                let message = format!("{busy} threads already generate load; all runs together may use at most {THREADS}");
                return Err(Error::new(ErrorCode::JobLimit, message));
            }
            let job = engine.jobs().begin(JobSpec {
                set: Some(spec.set.clone()).filter(|set| !set.is_empty() && !spec.workload.whole()),
                parameters: serde_json::to_string(&spec).unwrap_or_default(),
                unit: Unit::Operations,
                total: spec.operations(),
                threads: spec.threads,
                ..JobSpec::new(JobKind::Workload, &spec.namespace, spec.title())
            })?;
            let live = Arc::new(Live { job, spec, frames: Mutex::default() });
            table.insert(live.job.id().to_owned(), Entry::Live(live.clone()));
            live
        };
        let info = live.info();
        // What a crash leaves behind says that there was such a run.
        let _ = self.history.save(&info, &[]);
        let (me, going) = (self.clone(), live.clone());
        let spawned = std::thread::Builder::new().name("workload-run".into()).spawn(move || me.go(&going, &clients));
        if let Err(error) = spawned {
            let error = Error::new(ErrorCode::Internal, format!("start a thread of the load generator: {error}"));
            self.end(&live, Err(error.clone()));
            return Err(error);
        }
        Ok(info)
    }

    fn go(&self, live: &Live, clients: &Embedded) {
        let stop = Arc::new(Stop::default());
        let asked = stop.clone();
        live.job.on_change(move |job| {
            if job.should_stop() {
                asked.ask();
            }
        });
        live.job.start();
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&live.spec, clients, &stop, &mut &*live)));
        self.end(live, outcome.unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "the load generator panicked"))));
    }

    /// Keeps the run, then ends its job, so that whoever waits for the job finds the run ended.
    fn end(&self, live: &Live, outcome: Result<Summary>) {
        let mut info = live.info();
        info.ended_at_ms = Some(clock::unix_millis());
        let aborted = || Error::new(ErrorCode::Aborted, "the run was aborted");
        let (result, failure) = match outcome {
            Ok(summary) => (Some(summary), live.job.should_stop().then(aborted)),
            Err(error) => (None, Some(error)),
        };
        info.state = match &failure {
            None => JobState::Done,
            Some(error) if error.code == ErrorCode::Aborted => JobState::Aborted,
            Some(_) => JobState::Failed,
        };
        info.error = failure.as_ref().filter(|error| error.code != ErrorCode::Aborted).map(JobError::from);
        info.result = result;
        let answer = serde_json::to_string(&info.result).unwrap_or_default();
        // A full disk must not lose the figures that are in memory.
        let _ = self.history.save(&info, &live.frames.lock());
        let forgotten = {
            let mut table = self.table.lock();
            table.insert(info.id.clone(), Entry::Ended(Box::new(info)));
            let oldest = table.iter().find(|(_, entry)| matches!(entry, Entry::Ended(_))).map(|(id, _)| id.clone());
            oldest.filter(|_| table.len() > KEPT).inspect(|id| drop(table.remove(id)))
        };
        if let Some(id) = forgotten {
            self.history.remove(&id);
        }
        live.job.finish(failure.map_or(Ok(answer), Err));
    }

    /// All runs, newest first.
    pub fn list(&self) -> Vec<RunInfo> {
        self.table.lock().values().rev().map(Entry::info).collect()
    }

    /// A run and its seconds.
    ///
    /// # Errors
    /// `workload_not_found`, `storage_failed`.
    pub fn get(&self, id: &str) -> Result<(RunInfo, Vec<Frame>)> {
        let info = {
            let table = self.table.lock();
            match table.get(id).ok_or_else(|| not_found(id))? {
                Entry::Live(live) => return Ok((live.info(), live.frames.lock().clone())),
                Entry::Ended(info) => RunInfo::clone(info),
            }
        };
        let frames = self.history.frames(id)?;
        Ok((info, frames))
    }

    /// Two to six runs, those after the first against it.
    ///
    /// # Errors
    /// `workload_invalid` for another number, or a run twice; `workload_not_found`, `storage_failed`.
    pub fn compare(&self, ids: &[String]) -> Result<Comparison> {
        let twice = ids.iter().enumerate().any(|(position, id)| ids[..position].contains(id));
        if !(2..=COMPARED).contains(&ids.len()) || twice {
            let message = format!("ids must name 2 to {COMPARED} different runs");
            return Err(Error::new(ErrorCode::WorkloadInvalid, message).in_field("ids"));
        }
        let runs = ids.iter().map(|id| self.get(id)).collect::<Result<Vec<_>>>()?;
        let (runs, frames): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        Ok(Comparison { figures: compare(&frames), runs })
    }

    /// Aborts a run that goes on, or forgets one that has ended; the run as it was.
    ///
    /// # Errors
    /// `workload_not_found`.
    pub fn remove(&self, id: &str) -> Result<RunInfo> {
        let mut table = self.table.lock();
        match table.get(id).ok_or_else(|| not_found(id))? {
            Entry::Live(live) => {
                let (live, info) = (live.clone(), live.info());
                drop(table);
                // One that ends just now is done, not aborted.
                let _ = live.job.abort();
                Ok(info)
            }
            Entry::Ended(info) => {
                let info = RunInfo::clone(info);
                table.remove(id);
                self.history.remove(id);
                Ok(info)
            }
        }
    }
}

fn not_found(id: &str) -> Error {
    let shown: String = id.chars().take(32).collect();
    Error::new(ErrorCode::WorkloadNotFound, format!("there is no workload '{shown}'"))
}

impl Entry {
    fn info(&self) -> RunInfo {
        match self {
            Self::Live(live) => live.info(),
            Self::Ended(info) => RunInfo::clone(info),
        }
    }
}

impl Live {
    fn info(&self) -> RunInfo {
        RunInfo::of(&self.job.info(), &self.spec)
    }
}

impl Watch for &Live {
    fn second(&mut self, frame: Frame, counts: &Counts) -> Result<()> {
        self.job.advance(counts.done() + counts.failed());
        // A run that ends by the clock has as many operations as the pace so far promises.
        if self.spec.operations().is_none() {
            let share = frame.at_seconds / f64::from(self.spec.seconds());
            self.job.set_total((self.job.done() as f64 / share.clamp(1e-6, 1.0)) as u64);
        }
        self.frames.lock().push(frame);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
