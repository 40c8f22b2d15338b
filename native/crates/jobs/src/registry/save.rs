//! What of the jobs is written into the log, when it is synced, and when it is written anew.
//!
//! One thread writes and never syncs, so a slow disk does not keep a job in memory that has ended. Another one syncs.

use super::history::{HistoryStatus, Log, encode};
use super::{JobRegistry, Table};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::clock::unix_millis;
use tessera_base::ticker::Ticker;
use tessera_base::{Error, Result};

/// Between two writes of what changed, so that a thousand short scans a second cost 20 writes.
const WRITE_PERIOD: Duration = Duration::from_millis(50);
/// Between two syncs.
const SYNC_PERIOD: Duration = Duration::from_millis(500);

/// What is known of the log.
#[derive(Debug)]
pub(super) struct Told {
    status: HistoryStatus,
    /// Of the last write and the last sync.
    failures: [Option<Error>; 2],
}

impl Told {
    pub(super) fn new(status: HistoryStatus) -> Self {
        Self { status, failures: [None, None] }
    }
}

/// Where in `Told::failures` a failure is.
#[derive(Clone, Copy)]
enum Step {
    Write,
    Sync,
}

impl JobRegistry {
    /// Starts the threads that write and sync. A full disk must not stop work: the status says so, and the next tick tries again.
    ///
    /// # Errors
    /// `internal` when the system refuses a thread.
    pub(super) fn start_writers(&self) -> Result<()> {
        let (writes, syncs) = (self.me.clone(), self.me.clone());
        let tick = move || {
            writes.upgrade().into_iter().for_each(|registry| {
                registry.look(Instant::now());
                drop(registry.write_log());
            });
        };
        let _ = self.writers.set([
            Ticker::start("jobs", WRITE_PERIOD, tick)?,
            Ticker::start("job-log", SYNC_PERIOD, move || syncs.upgrade().into_iter().for_each(|registry| drop(registry.sync_log())))?,
        ]);
        Ok(())
    }

    /// Notes how far the jobs at work are.
    pub(super) fn look(&self, now: Instant) {
        self.table.lock().running.values().for_each(|job| job.look(now));
    }

    /// What an operator should know of the history.
    pub fn history(&self) -> HistoryStatus {
        self.told.lock().status.clone()
    }

    /// The log is to have the job as it is now.
    pub(super) fn note(&self, table: &mut Table, id: &str) {
        if self.log.is_some() {
            table.unsaved.insert(id.to_owned());
        }
    }

    /// Writes what the log lacks; what cannot be written waits. A kill does not take back what is written.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub(super) fn write_log(&self) -> Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let mut log = log.lock();
        let (ids, jobs) = {
            let mut table = self.table.lock();
            let ids = std::mem::take(&mut table.unsaved);
            let jobs: Vec<_> = ids.iter().filter_map(|id| table.frame(id)).collect();
            (ids, jobs)
        };
        let written = if jobs.is_empty() { Ok(()) } else { log.write(&ids, &jobs) };
        let written = written.inspect_err(|_| self.table.lock().take_back(ids));
        self.tell(Step::Write, &written, log.bytes());
        written
    }

    /// Syncs what is written, and writes the log anew if most of it is old. Neither keeps `write_log` waiting.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub(super) fn sync_log(&self) -> Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let _alone = self.syncing.lock();
        let anew = self.write_anew(log);
        let synced = anew.and(self.sync(log));
        self.tell(Step::Sync, &synced, log.lock().bytes());
        synced
    }

    fn sync(&self, log: &Mutex<Log>) -> Result<()> {
        let Some(sync) = log.lock().to_sync() else { return Ok(()) };
        let synced = sync.run();
        let mut log = log.lock();
        match &synced {
            Ok(()) => log.synced(&sync),
            Err(_) => self.table.lock().take_back(log.rewind()),
        }
        synced
    }

    fn write_anew(&self, log: &Mutex<Log>) -> Result<()> {
        let (write, jobs) = {
            let log = log.lock();
            let table = self.table.lock();
            if !log.is_due(table.ended.bytes() as u64) {
                return Ok(());
            }
            let running = table.running.values().map(|job| encode(&job.brief()).into());
            (log.anew(), table.ended.log().into_iter().chain(running).collect::<Vec<_>>())
        };
        let anew = write(&jobs);
        let mut log = log.lock();
        anew.and_then(|anew| log.replace(anew)).inspect_err(|_| log.be_patient())
    }

    fn tell(&self, step: Step, outcome: &Result<()>, bytes: u64) {
        let mut told = self.told.lock();
        let Told { status, failures } = &mut *told;
        failures[step as usize] = outcome.as_ref().err().cloned();
        let failed = status.failure.is_some();
        status.failure = failures.iter().flatten().next().cloned();
        match (failed, &status.failure) {
            (false, Some(_)) => status.failing_since_ms = unix_millis(),
            (true, Some(_)) => {}
            (_, None) => status.failing_since_ms = 0,
        }
        status.bytes = bytes;
    }
}

impl Table {
    /// These could not be written: those that are not forgotten wait.
    fn take_back(&mut self, ids: BTreeSet<String>) {
        let Self { running, ended, unsaved, .. } = self;
        unsaved.extend(ids.into_iter().filter(|id| running.contains_key(id) || ended.contains(id)));
    }

    /// The job as the log should have it; `None` if it was forgotten.
    fn frame(&self, id: &str) -> Option<Arc<[u8]>> {
        self.running.get(id).map(|job| encode(&job.brief()).into()).or_else(|| self.ended.json(id))
    }
}
