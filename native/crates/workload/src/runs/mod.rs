//! The runs of a store: each a job while it goes on, and kept on disk afterwards.

mod history;
mod info;
mod second;
mod table;
mod unsaved;

pub use info::RunInfo;
pub use second::{LatencyCounts, LatencyStep};

use crate::client::Embedded;
use crate::compare::{Row, compare};
use crate::figures::{Counts, Frame, Summary};
use crate::run::{Watch, run};
use crate::spec::{THREADS, WorkloadSpec};
use crate::stop::Stop;
use history::History;
use parking_lot::{Mutex, MutexGuard};
use second::Second;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use table::Table;
use tessera_base::{Error, ErrorCode, Result, clock, sentence, thread_guard};
use tessera_core::Engine;
use tessera_jobs::{Job, JobError, JobKind, JobQuery, JobSpec, JobState, Unit};
use unsaved::Unsaved;

/// Most runs in one comparison.
const COMPARED: usize = 6;
/// What could not be saved is saved again after this time.
const AGAIN: Duration = Duration::from_secs(10);

/// Runs, and their figures in the same order.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub runs: Vec<RunInfo>,
    pub figures: Vec<Row>,
}

/// A page of runs, newest first.
#[derive(Clone, Debug, Serialize)]
pub struct RunPage {
    pub runs: Vec<RunInfo>,
    /// Whether older ones follow.
    pub more: bool,
}

type Loaded<'a> = parking_lot::MappedMutexGuard<'a, Table>;

pub struct Runs {
    history: History,
    /// `None` until the first who asks has read what is kept: a start does not wait for it.
    table: Mutex<Option<Table>>,
    unsaved: Arc<Unsaved>,
    again: Duration,
    /// One at a time: each writes the same temporary file.
    saving: Mutex<()>,
}

/// A run that goes on.
struct Live {
    job: Arc<Job>,
    spec: WorkloadSpec,
    seconds: Mutex<Vec<Second>>,
}

impl Runs {
    /// Those that are kept in the data directory of `engine`.
    pub fn open(engine: &Engine) -> Arc<Self> {
        Self::open_with(engine, AGAIN)
    }

    fn open_with(engine: &Engine, again: Duration) -> Arc<Self> {
        let (table, saving) = (Mutex::new(None), Mutex::default());
        Arc::new(Self { history: History::new(engine), table, unsaved: Arc::default(), again, saving })
    }

    /// # Errors
    /// `storage_failed`.
    fn table(&self) -> Result<Loaded<'_>> {
        thread_guard::may_wait("reads the list of workloads");
        let mut table = self.table.lock();
        if table.is_none() {
            let (loaded, forgotten) = Table::of(self.history.load()?);
            self.history.remove_all(&forgotten);
            *table = Some(loaded);
        }
        Ok(MutexGuard::map(table, |table| table.get_or_insert_default()))
    }

    /// What is damaged of the files that were read so far.
    pub fn damaged(&self) -> Vec<String> {
        self.history.damaged()
    }

    /// Starts a run on threads of its own.
    ///
    /// # Errors
    /// What `WorkloadSpec::check` and `Engine::namespace` return; `job_limit` when it and those that run have too many
    /// threads together, or as of any job; `single_bin`; `data_directory_unavailable` when it cannot be kept.
    pub fn start(self: &Arc<Self>, engine: &Engine, spec: WorkloadSpec) -> Result<RunInfo> {
        spec.check()?;
        let clients = Embedded::new(engine.namespace(&spec.namespace)?, &spec)?;
        let live = {
            let mut table = self.table()?;
            let busy = table.busy_threads();
            if busy + spec.threads > THREADS {
                let message = sentence!(
                    "{busy} threads already generate load; all runs together may use at most {most}",
                    busy = busy,
                    most = THREADS
                );
                return Err(Error::said(ErrorCode::JobLimit, message));
            }
            let job = engine.jobs().begin(JobSpec {
                set: Some(spec.set.clone()).filter(|set| !set.is_empty() && !spec.workload.whole()),
                parameters: serde_json::to_string(&spec).unwrap_or_default(),
                unit: Unit::Operations,
                total: spec.operations(),
                threads: spec.threads,
                ..JobSpec::new(JobKind::Workload, spec.namespace.as_str(), spec.title())
            })?;
            let live = Arc::new(Live { job, spec, seconds: Mutex::default() });
            table.begin(live.clone());
            live
        };
        let info = live.info();
        // What a crash leaves behind says that there was such a run. Without a file, nobody could read its seconds later.
        if let Err(error) = self.history.save(&info, &[]) {
            self.table()?.call_off(&info.id);
            live.job.finish(Err(error.clone()));
            return Err(error);
        }
        let (me, going) = (self.clone(), live.clone());
        let spawned = std::thread::Builder::new().name("workload-run".into()).spawn(move || me.go(&going, &clients));
        if let Err(error) = spawned {
            let error = Error::new(ErrorCode::Internal, format!("start a thread of the load generator: {error}"));
            self.end(&live, Err(error.clone()));
            return Err(error);
        }
        Ok(info)
    }

    fn go(self: &Arc<Self>, live: &Arc<Live>, clients: &Embedded) {
        let stop = Arc::new(Stop::default());
        let asked = stop.clone();
        live.job.on_change(move |job| {
            if job.should_stop() {
                asked.ask();
            }
        });
        live.job.start();
        let mut watch = Watching { live, history: &self.history };
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&live.spec, clients, &stop, &mut watch)));
        self.end(live, outcome.unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "the load generator panicked"))));
    }

    /// Keeps the run, then ends its job, so that whoever waits for the job finds the run ended.
    fn end(self: &Arc<Self>, live: &Arc<Live>, outcome: Result<Summary>) {
        let mut info = live.info();
        info.ended_at_ms = Some(clock::unix_millis());
        let aborted = || Error::said(ErrorCode::Aborted, sentence!("the run was aborted"));
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
        let bytes = self.history.save(&info, &live.seconds.lock()).unwrap_or_else(|error| {
            info.unsaved = Some(error.message);
            self.unsaved.keep(live.clone(), Arc::downgrade(self), self.again);
            0
        });
        // It was read when the run began.
        let forgotten = self.table().map(|mut table| table.end(info, bytes)).unwrap_or_default();
        self.history.remove_all(&forgotten);
        live.job.finish(failure.map_or(Ok(answer), Err));
    }

    /// Saves the runs whose end could not be written, as far as that is possible now.
    pub fn save_again(&self) {
        let _saving = self.saving.lock();
        for live in self.unsaved.all() {
            let id = live.job.id();
            let Ok(table) = self.table() else { return };
            let Some(run) = table.ended(id).cloned() else {
                // It has not ended quite yet, or was forgotten.
                if table.live(id).is_none() {
                    self.unsaved.remove(id);
                }
                continue;
            };
            drop(table);
            let saved = self.history.save(&RunInfo { unsaved: None, ..run }, &live.seconds.lock());
            let Ok(mut table) = self.table() else { return };
            match saved {
                Ok(bytes) => {
                    let forgotten = table.saved(id, bytes);
                    // In this order, so that its seconds are in one of the two.
                    self.unsaved.remove(id);
                    self.history.remove_all(&forgotten);
                }
                Err(error) => table.not_saved(id, error.message),
            }
        }
    }

    /// A page of runs, newest first; kinds do not matter.
    ///
    /// # Errors
    /// `cursor_invalid`, `storage_failed`.
    pub fn list(&self, query: &JobQuery) -> Result<RunPage> {
        query.check()?;
        Ok(self.table()?.page(query))
    }

    /// A run and its seconds.
    ///
    /// # Errors
    /// `workload_not_found`, `storage_failed`.
    pub fn get(&self, id: &str) -> Result<(RunInfo, Vec<Frame>)> {
        let frames = |seconds: &[Second]| seconds.iter().map(|second| second.frame.clone()).collect();
        self.with_seconds(id, |info, seconds| (info, frames(seconds)))
    }

    /// The latencies of a run in at most 60 steps; none of a run before there were histograms.
    ///
    /// # Errors
    /// `workload_not_found`, `storage_failed`.
    pub fn latency(&self, id: &str) -> Result<Vec<LatencyStep>> {
        self.with_seconds(id, |_, seconds| second::steps(seconds))
    }

    fn with_seconds<T>(&self, id: &str, make: impl FnOnce(RunInfo, &[Second]) -> T) -> Result<T> {
        let info = {
            let table = self.table()?;
            if let Some(live) = table.live(id) {
                return Ok(make(live.info(), &live.seconds.lock()));
            }
            table.ended(id).cloned().ok_or_else(|| not_found(id))?
        };
        if let Some(live) = self.unsaved.get(id) {
            return Ok(make(info, &live.seconds.lock()));
        }
        Ok(make(info, &self.history.seconds(id)?))
    }

    /// Two to six runs, those after the first against it.
    ///
    /// # Errors
    /// `workload_invalid` for another number, or a run twice; `workload_not_found`, `storage_failed`.
    pub fn compare(&self, ids: &[String]) -> Result<Comparison> {
        let twice = ids.iter().enumerate().any(|(position, id)| ids[..position].contains(id));
        if !(2..=COMPARED).contains(&ids.len()) || twice {
            let message = sentence!("ids must name 2 to {most} different runs", most = COMPARED);
            return Err(Error::said(ErrorCode::WorkloadInvalid, message).in_field("ids"));
        }
        let measured = |id: &String| self.with_seconds(id, |info, seconds| (info, second::measured(seconds))).map_err(among);
        let runs = ids.iter().map(measured).collect::<Result<Vec<_>>>()?;
        let (runs, measured): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        Ok(Comparison { figures: compare(&measured), runs })
    }

    /// Aborts a run that goes on, or forgets one that has ended; the run as it was.
    ///
    /// # Errors
    /// `workload_not_found`; `data_directory_unavailable`: it is still listed then.
    pub fn remove(&self, id: &str) -> Result<RunInfo> {
        let mut table = self.table()?;
        if let Some(live) = table.live(id).cloned() {
            drop(table);
            let info = live.info();
            // One that ends just now is done, not aborted.
            let _ = live.job.abort();
            return Ok(info);
        }
        table.ended(id).ok_or_else(|| not_found(id))?;
        // While the table is held, so that nobody saves it meanwhile and then forgets it.
        self.history.remove(id)?;
        self.unsaved.remove(id);
        table.forget(id).ok_or_else(|| not_found(id))
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.unsaved.close();
    }
}

/// A caller that names several runs does so in another field.
fn among(error: Error) -> Error {
    if error.code == ErrorCode::WorkloadNotFound { error.in_field("ids") } else { error }
}

fn not_found(id: &str) -> Error {
    let shown: String = id.chars().take(32).collect();
    Error::said(ErrorCode::WorkloadNotFound, sentence!("there is no workload \"{id}\"", id = shown)).in_field("id")
}

impl Live {
    fn info(&self) -> RunInfo {
        RunInfo::of(&self.job.info(), &self.spec)
    }
}

/// Keeps the seconds of a run as they come.
struct Watching<'a> {
    live: &'a Live,
    history: &'a History,
}

impl Watch for Watching<'_> {
    fn second(&mut self, frame: Frame, counts: &Counts) -> Result<()> {
        let Live { job, spec, seconds } = self.live;
        job.advance(counts.done() + counts.failed());
        // A run that ends by the clock has as many operations as the pace so far promises.
        if spec.operations().is_none() {
            let share = frame.at_seconds / f64::from(spec.seconds());
            job.set_total((job.done() as f64 / share.clamp(1e-6, 1.0)) as u64);
        }
        // A full disk ends no run; its end writes all of them.
        let second = Second::new(frame, counts);
        let _ = self.history.append(job.id(), &second);
        seconds.lock().push(second);
        Ok(())
    }

    fn rest(&mut self, counts: &Counts) {
        if let Some(last) = self.live.seconds.lock().last_mut() {
            last.add_rest(counts);
        }
    }
}

#[cfg(test)]
mod tests;
