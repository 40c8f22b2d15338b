//! `imports/<job>.json`: what it takes to go on with an import after a restart of the server.

use super::header_file::{HeaderSeal, keep_header, write_synced};
use super::progress::{Counts, Mark};
use super::reject_info::CutShort;
use crate::{JobFiles, JobInfo, JobKind, JobRegistry, JobState};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, sentence, thread_guard};

const VERSION: u32 = 1;
/// A larger file was not written by us.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// From the beginning of an import to its first note: one that is over sooner needs none.
pub(in crate::load) const FIRST: Duration = Duration::from_millis(500);
/// Between two notes of how far an import has come.
pub(in crate::load) const PERIOD: Duration = Duration::from_secs(2);

/// An import that a stop of the server cut off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interrupted {
    version: u32,
    pub namespace: String,
    /// What tells the namespace from others of its name.
    pub lasting: u64,
    /// What was asked for, in the words of whoever did.
    pub query: String,
    /// Every row before it is on stable storage.
    pub mark: Mark,
    pub counts: Counts,
    /// Of the stream's header; empty where it has none. `None`: nothing was read yet, or the journal is older than this.
    #[serde(default)]
    pub header: Option<HeaderSeal>,
    /// Why the file of rejects lacks some, if it does.
    #[serde(default)]
    pub cut_short: Option<CutShort>,
}

impl Interrupted {
    /// As it is after `rejected` rows before `line` were refused.
    #[cfg(test)]
    pub(in crate::load) fn at_line(line: u64, rejected: u64) -> Self {
        Self {
            version: VERSION,
            namespace: String::new(),
            lasting: 0,
            query: String::new(),
            mark: Mark { line, ..Mark::default() },
            counts: Counts { rejected: [("csv_invalid".to_owned(), rejected)].into(), ..Counts::default() },
            header: None,
            cut_short: None,
        }
    }

    /// Of a job that a stop of the server ended.
    ///
    /// # Errors
    /// `import_not_found` for what is no import, or under way; `job_finished` for one that cannot go on; `storage_failed`.
    pub fn find(jobs: &JobRegistry, id: &str) -> Result<Self> {
        thread_guard::may_wait("reads the journal of an import");
        let unknown = || {
            Error::said(ErrorCode::ImportNotFound, sentence!("there is no import \"{id}\"", id = id.chars().take(32).collect::<String>()))
        };
        let job = jobs.info(id).map_err(|_| unknown())?;
        if job.kind != JobKind::Import || !job.state.ended() {
            return Err(unknown());
        }
        // A journal that could not be removed brings nothing back that was given up.
        if job.state != JobState::Failed {
            return Err(ended(&job));
        }
        let files = jobs.files().ok_or_else(|| ended(&job))?;
        let path = files.path(id, JobFiles::JOURNAL);
        let bytes = match fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(ended(&job)),
            Err(error) => return Err(Error::io("read the journal of the import", &error)),
            Ok(meta) if meta.len() > FILE_BYTES_MAX => vec![],
            Ok(_) => fs::read(&path).map_err(|error| Error::io("read the journal of the import", &error))?,
        };
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(found) if found.version == VERSION => Ok(found),
            _ => Err(ended(&job)),
        }
    }

    /// Gives up going on with it.
    ///
    /// # Errors
    /// `data_directory_unavailable`: it can still go on.
    pub fn forget(jobs: &JobRegistry, id: &str) -> Result<()> {
        jobs.files().map_or(Ok(()), |files| files.remove_one(id, JobFiles::JOURNAL))
    }
}

fn ended(job: &JobInfo) -> Error {
    Error::said(
        ErrorCode::JobFinished,
        sentence!("the import {id} has ended ({state}) and cannot be resumed", id = &job.id, state = job.state.as_str()),
    )
}

/// Writes the journal of an import under way.
#[derive(Debug)]
pub struct Journal {
    files: JobFiles,
    id: String,
    namespace: String,
    lasting: u64,
    query: String,
    noted: Mutex<Noted>,
}

#[derive(Debug)]
struct Noted {
    mark: Option<Mark>,
    /// The session has ended: nothing is noted any more.
    closed: bool,
}

impl Journal {
    pub fn new(files: JobFiles, id: &str, namespace: &str, lasting: u64, query: String) -> Self {
        let noted = Mutex::new(Noted { mark: None, closed: false });
        Self { files, id: id.to_owned(), namespace: namespace.to_owned(), lasting, query, noted }
    }

    /// Whether no note is being written.
    pub fn is_idle(&self) -> bool {
        !self.noted.is_locked()
    }

    /// Notes how far the import has come, if that is further than before. `reached` says it, before `sync` has brought that far to
    /// stable storage; `sync` is told whether it is the first note.
    ///
    /// # Errors
    /// Those of `sync`; `storage_failed`, `device_full`. The note before is kept then.
    pub fn note(
        &self,
        reached: impl FnOnce() -> (Mark, Counts, Option<CutShort>),
        header: impl FnOnce() -> Vec<u8>,
        sync: impl FnOnce(bool) -> Result<()>,
    ) -> Result<()> {
        let mut noted = self.noted.lock();
        let (mark, counts, cut_short) = reached();
        if noted.closed || noted.mark == Some(mark) {
            return Ok(());
        }
        sync(noted.mark.is_none())?;
        let Self { namespace, query, lasting, .. } = self;
        let header = if mark.bytes == 0 { None } else { Some(header()) };
        let journal = Interrupted {
            version: VERSION,
            namespace: namespace.clone(),
            lasting: *lasting,
            query: query.clone(),
            mark,
            counts,
            header: header.as_deref().map(HeaderSeal::of),
            cut_short,
        };
        let bytes =
            serde_json::to_vec(&journal).map_err(|error| Error::new(ErrorCode::Internal, format!("encode the journal: {error}")))?;
        let header = header.unwrap_or_default();
        self.write(&bytes, &header).map_err(|error| Error::io("write the journal of the import", &error))?;
        noted.mark = Some(mark);
        Ok(())
    }

    /// The journal in one step: a crash leaves the old one or the new one. The header first, which it needs.
    fn write(&self, bytes: &[u8], header: &[u8]) -> std::io::Result<()> {
        thread_guard::may_wait("writes the journal of an import");
        self.files.make_directory()?;
        let path = |ending| self.files.path(&self.id, ending);
        keep_header(&self.files, &self.id, header)?;
        write_synced(&path(JobFiles::JOURNAL_NEW), bytes)?;
        fs::rename(path(JobFiles::JOURNAL_NEW), path(JobFiles::JOURNAL))?;
        self.files.sync_directory()
    }

    /// Leaves the last note as it is: waits for one under way, after which nothing is noted any more. The import may go on in another
    /// session, whose journal is the same file.
    pub fn close(&self) {
        self.noted.lock().closed = true;
    }

    /// As `close`, and there is nothing to go on from.
    pub fn remove(&self) {
        self.close();
        // What cannot be removed now goes with the job's record.
        let _ = self.files.remove_one(&self.id, JobFiles::JOURNAL);
    }
}
