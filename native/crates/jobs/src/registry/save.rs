//! What of the jobs is written into the log, and when it is written anew.

use super::history::{HistoryStatus, Log, encode};
use super::{JobRegistry, Table};
use std::collections::BTreeSet;
use std::sync::Arc;
use tessera_base::Result;
use tessera_base::clock::unix_millis;

impl JobRegistry {
    /// What an operator should know of the history.
    pub fn history(&self) -> HistoryStatus {
        self.status.lock().clone()
    }

    /// The log is to have the job as it is now.
    pub(super) fn note(&self, table: &mut Table, id: &str) {
        if self.log.is_some() {
            table.unsaved.insert(id.to_owned());
        }
    }

    /// Writes what the log lacks, and writes it anew if most of it is old.
    fn write(&self, log: &mut Log) -> Result<()> {
        let (ids, jobs, live) = {
            let mut table = self.table.lock();
            let ids = std::mem::take(&mut table.unsaved);
            let jobs: Vec<_> = ids.iter().filter_map(|id| table.frame(id)).collect();
            (ids, jobs, table.ended.bytes() as u64)
        };
        if !jobs.is_empty() {
            log.write(&jobs).inspect_err(|_| self.table.lock().take_back(ids))?;
        }
        if log.is_due(live) {
            let all = {
                let table = self.table.lock();
                let running = table.running.values().map(|job| encode(&job.brief()).into());
                table.ended.log().into_iter().chain(running).collect::<Vec<_>>()
            };
            log.replace(&all)?;
        }
        Ok(())
    }

    /// Writes what changed; what cannot be written waits.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub(super) fn save_log(&self) -> Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let mut log = log.lock();
        let written = self.write(&mut log);
        let mut status = self.status.lock();
        if status.failure.is_none() {
            status.failing_since_ms = unix_millis();
        }
        status.failure = written.as_ref().err().cloned();
        status.bytes = log.bytes();
        written
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
