//! All jobs of one data directory: those at work, and those that ended.

mod files;
mod history;
mod id;
mod list;
mod marks;
mod save;

pub use files::JobFiles;
pub use history::HistoryStatus;
#[cfg(any(test, feature = "fuzzing"))]
pub use history::fuzz;
pub use list::{JobPage, JobQuery};
pub use marks::{Mark, Marks};

use crate::job::{Job, JobInfo, JobKind, JobList, JobPatch, JobSpec};
use crate::timer::Timer;
use files::REJECTS_BYTES_MAX;
use history::{Bounds, Disk, Ended, Forgotten, Log, Past};
use id::base32;
use parking_lot::{Condvar, Mutex};
use save::Told;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use tessera_base::clock::unix_millis;
use tessera_base::names::Names;
use tessera_base::ticker::Ticker;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

/// A scan or query shorter than this leaves no mark on the charts.
const MARK_READ_MIN_MS: u64 = 1000;

/// How many jobs there may be.
#[derive(Clone, Copy, Debug)]
pub struct JobLimits {
    /// Most jobs that have not ended.
    pub running: usize,
    /// Most ended jobs that are remembered of each kind, and of all that read together.
    pub kept: usize,
    /// Most bytes of all of them.
    pub kept_bytes: usize,
}

impl Default for JobLimits {
    fn default() -> Self {
        Self { running: 256, kept: 10_000, kept_bytes: 32 << 20 }
    }
}

struct Table {
    running: BTreeMap<String, Arc<Job>>,
    ended: Ended,
    /// Ids of what the log lacks, or has as it was.
    unsaved: BTreeSet<String>,
    last_id: u64,
    closed: bool,
}

/// The jobs at work and those that ended.
pub struct JobRegistry {
    me: Weak<Self>,
    limits: JobLimits,
    table: Mutex<Table>,
    idle: Condvar,
    timer: Timer,
    marks: Marks,
    /// Who has which name.
    names: Arc<Names>,
    /// Held while it is written, so that no older frame of a job comes behind a newer one.
    log: Option<Mutex<Log>>,
    /// Held while it is synced or written anew, by one at a time. It is locked before `log`, and `log` before `table`.
    syncing: Mutex<()>,
    told: Mutex<Told>,
    files: Option<JobFiles>,
    /// Those that write and sync the log.
    writers: OnceLock<[Ticker; 2]>,
    /// The last write is under way, or was.
    saved: AtomicBool,
}

impl JobRegistry {
    /// Reads the jobs of the last run from `directory` (`None`: nothing is kept) and starts its threads.
    ///
    /// # Errors
    /// `internal` when the system refuses a thread.
    pub fn open(directory: Option<&Path>, limits: JobLimits) -> Result<Arc<Self>> {
        Self::open_on(Disk::default(), directory, limits, Arc::default())
    }

    /// As `open`. `names`: who has the names of namespaces, while it is asked.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_with(directory: Option<&Path>, limits: JobLimits, names: Arc<Names>) -> Result<Arc<Self>> {
        Self::open_on(Disk::default(), directory, limits, names)
    }

    fn open_on(disk: Disk, directory: Option<&Path>, limits: JobLimits, names: Arc<Names>) -> Result<Arc<Self>> {
        let (log, past) = directory.map(|directory| Log::open(directory, disk)).unzip();
        let Past { ended: kept, cut_off, damaged, unreadable } = past.unwrap_or_default();
        let mut ended = Ended::new(Bounds { jobs: limits.kept, bytes: limits.kept_bytes });
        let unsaved = cut_off.iter().map(|job| job.id.clone()).collect();
        kept.into_iter().for_each(|(job, json)| drop(ended.restore(job, json)));
        cut_off.into_iter().for_each(|job| drop(ended.insert(job)));
        let files = directory.map(JobFiles::new);
        if let Some(files) = &files {
            files.sweep(|id| ended.contains(id));
            files.bound_rejects(REJECTS_BYTES_MAX, |_| false);
        }
        // Ids go on from the last run's, also when the clock was set back.
        let last_id = ended.last_number();
        let bytes = log.as_ref().map_or(0, Log::bytes);
        let status = HistoryStatus { bytes, most_bytes: Log::most_bytes(), damaged, unreadable, ..HistoryStatus::default() };
        let timer = Timer::start().map_err(|e| Error::new(ErrorCode::Internal, format!("start the timer thread: {e}")))?;
        let registry = Arc::new_cyclic(|me| Self {
            me: me.clone(),
            limits,
            table: Mutex::new(Table { running: BTreeMap::new(), ended, unsaved, last_id, closed: false }),
            idle: Condvar::new(),
            timer,
            marks: Marks::default(),
            names,
            log: log.map(Mutex::new),
            syncing: Mutex::default(),
            told: Mutex::new(Told::new(status)),
            files,
            writers: OnceLock::new(),
            saved: AtomicBool::new(false),
        });
        if registry.log.is_some() {
            registry.start_writers()?;
        }
        Ok(registry)
    }

    /// Registers new work, queued. The caller starts it, hands it to its workers and finishes it.
    ///
    /// # Errors
    /// `job_limit` when too many have not ended, `threads_invalid`, `closed`.
    pub fn begin(&self, spec: JobSpec) -> Result<Arc<Job>> {
        // The load generator has a bound of its own.
        if spec.kind != JobKind::Workload {
            limits::check_threads(spec.threads)?;
        }
        let job = {
            let mut table = self.table.lock();
            self.check_room(&table)?;
            // Ascending over restarts too: milliseconds first.
            table.last_id = (table.last_id + 1).max(unix_millis() << 10);
            let job = Arc::new(Job::new(base32(table.last_id), self.owned(spec), Some(self.me.clone())));
            table.running.insert(job.id().to_owned(), Arc::clone(&job));
            self.note(&mut table, job.id());
            job
        };
        Ok(job)
    }

    /// A job that no list has, and that counts against no limit: one of the many short steps of other work. It ends with who holds it.
    ///
    /// # Errors
    /// `threads_invalid`, `closed`.
    pub fn begin_unlisted(&self, spec: JobSpec) -> Result<Arc<Job>> {
        limits::check_threads(spec.threads)?;
        if self.is_closed() {
            return Err(closed());
        }
        Ok(Arc::new(Job::unlisted(spec)))
    }

    /// With the id of the namespace, if nobody has said it.
    fn owned(&self, spec: JobSpec) -> JobSpec {
        let namespace_id = spec.namespace_id.or_else(|| Some(self.names.of(&spec.namespace).id));
        JobSpec { namespace_id, ..spec }
    }

    /// # Errors
    /// `closed`, `job_limit`.
    fn check_room(&self, table: &Table) -> Result<()> {
        if table.closed {
            return Err(closed());
        }
        if table.running.len() >= self.limits.running {
            return Err(Error::said(
                ErrorCode::JobLimit,
                sentence!("{count} jobs are already running; wait for one to end", count = table.running.len()),
            ));
        }
        Ok(())
    }

    /// Puts a job that ended back to work, queued and from its beginning, under its own id.
    ///
    /// # Errors
    /// `job_not_found` unless there is such a job and it has ended; else as `begin`.
    pub fn begin_again(&self, id: &str, spec: JobSpec) -> Result<Arc<Job>> {
        limits::check_threads(spec.threads)?;
        let job = {
            let mut table = self.table.lock();
            self.check_room(&table)?;
            let before = table.ended.remove(id).ok_or_else(|| not_found(id))?;
            let job = Arc::new(Job::new(before.id, self.owned(spec), Some(self.me.clone())));
            if let Some(who) = before.who {
                job.attribute(&who);
            }
            table.running.insert(job.id().to_owned(), Arc::clone(&job));
            self.note(&mut table, job.id());
            job
        };
        Ok(job)
    }

    /// Files of imports, where jobs are kept on disk.
    pub fn files(&self) -> Option<&JobFiles> {
        self.files.as_ref()
    }

    /// A job that has not ended.
    ///
    /// # Errors
    /// `job_finished` when it has, `job_not_found`.
    pub fn running(&self, id: &str) -> Result<Arc<Job>> {
        let table = self.table.lock();
        if let Some(job) = table.running.get(id) {
            return Ok(Arc::clone(job));
        }
        if table.ended.contains(id) {
            return Err(Error::said(ErrorCode::JobFinished, sentence!("the job {id} has already ended", id = id)));
        }
        Err(not_found(id))
    }

    /// # Errors
    /// `job_not_found`.
    pub fn info(&self, id: &str) -> Result<JobInfo> {
        let table = self.table.lock();
        if let Some(job) = table.running.get(id) {
            return Ok(job.info());
        }
        table.ended.info(id).ok_or_else(|| not_found(id))
    }

    /// The jobs that have not ended, newest first, without lanes: however many ended ones are kept, they cost nothing here.
    pub fn list_running(&self) -> Vec<JobInfo> {
        self.table.lock().running.values().rev().map(|job| job.brief()).collect()
    }

    /// Notes who asked for a job, running or just ended; only the first note counts.
    ///
    /// # Errors
    /// `job_not_found`.
    pub fn attribute(&self, id: &str, who: &str) -> Result<()> {
        let mut table = self.table.lock();
        if let Some(job) = table.running.get(id) {
            job.attribute(who);
            return Ok(());
        }
        let note = |job: &mut JobInfo| {
            job.who.get_or_insert_with(|| who.to_owned());
        };
        table.ended.change(id, note).ok_or_else(|| not_found(id))?;
        self.note(&mut table, id);
        Ok(())
    }

    /// How many jobs have not ended.
    pub fn running_count(&self) -> usize {
        self.table.lock().running.len()
    }

    /// # Errors
    /// `job_not_found`, `job_finished`, `threads_invalid`; `unsupported` of a workload, whose figures are of what was asked for.
    pub fn patch(&self, id: &str, patch: JobPatch) -> Result<JobInfo> {
        let job = self.running(id)?;
        if job.spec().kind == JobKind::Workload {
            return Err(Error::said(
                ErrorCode::Unsupported,
                sentence!("a workload cannot be changed while it runs; abort it and start another"),
            ));
        }
        job.patch(patch)?;
        Ok(job.info())
    }

    /// # Errors
    /// `job_not_found`, `job_finished`; `unsupported` of a truncation: nobody finds its records any more, and the job only makes room.
    pub fn abort(&self, id: &str) -> Result<JobInfo> {
        let job = self.running(id)?;
        if job.spec().kind == JobKind::Truncate {
            return Err(Error::said(
                ErrorCode::Unsupported,
                sentence!("a truncation cannot be aborted: its records are gone already; undo it instead"),
            ));
        }
        job.abort()?;
        Ok(job.info())
    }

    /// Calls `callback` once: when the job has ended (at once if it has), or after `timeout`.
    ///
    /// # Errors
    /// `job_not_found`; then `callback` is dropped.
    pub fn wait_with(&self, id: &str, timeout: Duration, callback: impl FnOnce(JobInfo) + Send + 'static) -> Result<()> {
        match self.running(id) {
            Ok(job) => job.wait_with(timeout, callback),
            Err(error) if error.code == ErrorCode::JobFinished => callback(self.info(id)?),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Aborts the jobs that `which` picks, and returns how many.
    pub fn abort_where(&self, which: impl Fn(&JobSpec) -> bool) -> usize {
        let jobs: Vec<_> = self.table.lock().running.values().filter(|job| which(job.spec())).cloned().collect();
        jobs.iter().filter(|job| job.abort().is_ok()).count()
    }

    /// Ends the jobs that `which` picks as a close does: what they were to make stays wanted.
    pub fn call_off_where(&self, which: impl Fn(&JobSpec) -> bool) {
        let jobs: Vec<_> = self.table.lock().running.values().filter(|job| which(job.spec())).cloned().collect();
        jobs.iter().for_each(|job| job.call_off());
    }

    /// What charts draw of the jobs, and of whatever else is marked.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Whether no job may begin any more, and those at work are called off.
    pub fn is_closed(&self) -> bool {
        self.table.lock().closed
    }

    /// Refuses new jobs, and calls off those at work: what they were to make stays wanted. The first step of a close. Idempotent.
    pub fn call_off(&self) {
        let jobs: Vec<_> = {
            let mut table = self.table.lock();
            table.closed = true;
            table.running.values().cloned().collect()
        };
        jobs.iter().for_each(|job| job.call_off());
    }

    /// Calls off the jobs at work, waits for them up to `patience`, and writes the history. Idempotent.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`: the history of this run is not on disk.
    pub fn close(&self, patience: Duration) -> Result<()> {
        let deadline = Instant::now() + patience;
        if self.saved.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.call_off();
        let mut table = self.table.lock();
        while !table.running.is_empty() {
            if self.idle.wait_until(&mut table, deadline).timed_out() {
                break;
            }
        }
        drop(table);
        self.timer.close();
        self.writers.get().into_iter().flatten().for_each(Ticker::close);
        self.save()
    }
}

impl JobList for JobRegistry {
    fn started(&self, job: &Job) {
        if !job.spec().kind.is_read() {
            self.marks.add("job-start", &job.spec().title, Some(job.id()), namespace_of(&job.spec().namespace));
        }
    }

    /// Moves the job to the history.
    fn ended(&self, info: &JobInfo) {
        let forgotten = {
            let mut table = self.table.lock();
            // Who asked may have been noted since `info` was made.
            let who = table.running.remove(&info.id).and_then(|job| job.who().map(str::to_owned));
            let forgotten = table.ended.insert(JobInfo { who, lanes: Vec::new(), ..info.clone() });
            self.note(&mut table, &info.id);
            for job in &forgotten {
                table.unsaved.remove(&job.id);
            }
            if table.running.is_empty() {
                self.idle.notify_all();
            }
            forgotten
        };
        if let Some(files) = &self.files {
            let imports = forgotten.iter().filter(|job| job.kind == JobKind::Import);
            imports.for_each(|Forgotten { id, .. }| files.remove(id));
            if info.kind == JobKind::Import {
                let running: HashSet<String> = self.table.lock().running.keys().cloned().collect();
                files.bound_rejects(REJECTS_BYTES_MAX, |id| running.contains(id));
            }
        }
        let lasted = info.ended_at_ms.unwrap_or(0).saturating_sub(info.started_at_ms.unwrap_or(info.created_at_ms));
        if !info.kind.is_read() || lasted >= MARK_READ_MIN_MS {
            let text = format!("{}: {}", info.title, info.state.as_str());
            self.marks.add("job-end", text, Some(&info.id), namespace_of(&info.namespace));
        }
    }

    fn timer(&self) -> &Timer {
        &self.timer
    }

    fn save(&self) -> Result<()> {
        self.write_log()?;
        self.sync_log()
    }
}

/// A job of the whole server has no namespace.
fn namespace_of(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.is_empty())
}

fn closed() -> Error {
    Error::said(ErrorCode::Closed, sentence!("the store is closed"))
}

fn not_found(id: &str) -> Error {
    let shown: String = id.chars().take(32).collect();
    Error::said(ErrorCode::JobNotFound, sentence!("there is no job \"{id}\"", id = shown))
}

#[cfg(test)]
mod tests;
