//! `jobs.json`: the ended jobs, and those that ran when it was written, so that a crash does not hide them.

use crate::job::{JobError, JobInfo, JobState};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::clock::unix_millis;
use tessera_base::{Error, ErrorCode, Result, thread_guard};
use tessera_io::Place;

const FILE: &str = "jobs.json";
const VERSION: u32 = 1;
/// A longer file was not written by us; it is put aside unread.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    jobs: Vec<JobInfo>,
}

#[derive(Debug)]
pub(super) struct History {
    directory: PathBuf,
    place: Arc<Place>,
}

impl History {
    pub(super) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), place: Place::of([directory.to_owned()]) }
    }

    /// The jobs of the last run, oldest first. A job that had not ended is failed with code `aborted`. A damaged file is
    /// kept as `jobs.json.damaged` and forgotten: old jobs are not worth refusing to start for.
    ///
    /// # Errors
    /// `storage_failed` when the file is there and cannot be read.
    pub(super) fn load(&self) -> Result<Vec<JobInfo>> {
        thread_guard::may_wait("reads the history of jobs");
        let path = self.directory.join(FILE);
        let bytes = match fs::metadata(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(Error::io("read jobs.json", &e)),
            Ok(meta) if meta.len() > FILE_BYTES_MAX => Vec::new(),
            Ok(_) => fs::read(&path).map_err(|e| Error::io("read jobs.json", &e))?,
        };
        match serde_json::from_slice::<Document>(&bytes) {
            Ok(document) if document.version == VERSION => Ok(document.jobs.into_iter().map(settle).collect()),
            _ => {
                fs::rename(&path, self.directory.join("jobs.json.damaged")).map_err(|e| Error::io("put jobs.json aside", &e))?;
                Ok(Vec::new())
            }
        }
    }

    /// Replaces the file in one step: a crash leaves the old one or the new one.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub(super) fn save(&self, jobs: Vec<JobInfo>) -> Result<()> {
        thread_guard::may_wait("writes the history of jobs");
        self.place.look()?;
        let bytes = serde_json::to_vec(&Document { version: VERSION, jobs })
            .map_err(|e| Error::new(ErrorCode::Internal, format!("encode jobs.json: {e}")))?;
        let temporary = self.directory.join("jobs.json.new");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&temporary)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&temporary, self.directory.join(FILE))?;
            File::open(&self.directory)?.sync_all()
        };
        write().map_err(|e| Error::io("write jobs.json", &e))
    }
}

fn settle(mut job: JobInfo) -> JobInfo {
    if !job.state.ended() {
        job.state = JobState::Failed;
        job.ended_at_ms = Some(unix_millis());
        job.eta_seconds = None;
        job.error =
            Some(JobError { code: ErrorCode::Aborted.as_str().to_owned(), message: "the process ended while the job ran".to_owned() });
    }
    job
}
