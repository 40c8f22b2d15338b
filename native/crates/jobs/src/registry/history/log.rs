//! `jobs.log`: a frame for each job when it began and one when it ended. The newer frame of a job takes the place of the older
//! one. When most of the file is such old frames, it is written anew.

use super::ended::{Head, decode, head, settle};
use super::frame::{self, Scanned};
use crate::job::JobInfo;
use crate::registry::id::number_of;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::{Error, Result, thread_guard};
use tessera_io::Place;

const FILE: &str = "jobs.log";
const NEW: &str = "jobs.log.new";
const DAMAGED: &str = "jobs.log.damaged";
/// What may lie in the file beside what it must have, and beside as much again.
const SLACK_BYTES: u64 = 1 << 20;
/// A file that cannot be written anew takes nothing more beyond this, and a longer one is not read.
const FILE_BYTES_MAX: u64 = 128 << 20;
/// Of one write.
const CHUNK_BYTES: usize = 1 << 20;

/// How bytes get into a file: tests have disks that are full.
pub(in crate::registry) type Append = fn(&File, &[u8], u64) -> io::Result<()>;

/// What an operator should know of the history of jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryStatus {
    /// Of the file, and most that it may have.
    pub bytes: u64,
    pub most_bytes: u64,
    /// Damaged places that the start found.
    pub damaged: u64,
    /// Why a file is not read.
    pub unreadable: Vec<String>,
    /// Why nothing can be written; `None` once it can again.
    pub failure: Option<Error>,
    /// When the failure was met first, Unix milliseconds.
    pub failing_since_ms: u64,
}

/// What a start finds.
#[derive(Default)]
pub(in crate::registry) struct Past {
    /// In the order in which they ended, each with its JSON.
    pub(in crate::registry) ended: Vec<(Head, Arc<[u8]>)>,
    /// Those that a kill cut off, failed with code `aborted`.
    pub(in crate::registry) cut_off: Vec<JobInfo>,
    pub(in crate::registry) damaged: u64,
    pub(in crate::registry) unreadable: Vec<String>,
}

pub(in crate::registry) struct Log {
    directory: PathBuf,
    place: Arc<Place>,
    append: Append,
    file: Option<File>,
    /// Up to here are frames; the next one goes here.
    bytes: u64,
    /// Something lies behind that: the rest of a frame whose writing failed.
    remains: bool,
    /// After a failure to write it anew: how long it gets before the next attempt.
    patience: u64,
}

impl Log {
    /// Reads what there is. Nothing in it can fail, because old jobs are not worth refusing to start for. A file that is none of
    /// ours is put aside.
    pub(in crate::registry) fn open(directory: &Path, append: Append) -> (Self, Past) {
        thread_guard::may_wait("reads the history of jobs");
        let place = Place::of([directory.to_owned()]);
        let mut log = Self { directory: directory.to_owned(), place, append, file: None, bytes: 0, remains: false, patience: 0 };
        let past = log.read().unwrap_or_else(|why| {
            let aside = fs::rename(log.path(FILE), log.path(DAMAGED));
            let told = aside.map_or_else(|error| format!("it stays, because {error}"), |()| format!("it is {DAMAGED} now"));
            Past { unreadable: vec![format!("{}: {why}; {told}", log.path(FILE).display())], ..Past::default() }
        });
        (log, past)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// # Errors
    /// Why none of it can be read.
    fn read(&mut self) -> std::result::Result<Past, String> {
        let file = match OpenOptions::new().read(true).write(true).open(self.path(FILE)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Past::default()),
            file => file.map_err(|error| error.to_string())?,
        };
        let length = file.metadata().map_err(|error| error.to_string())?.len();
        if length > FILE_BYTES_MAX {
            return Err(format!("it has {length} bytes, more than the {FILE_BYTES_MAX} that it may have"));
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, 0).map_err(|error| error.to_string())?;
        let (past, end) = replay(&bytes);
        if past.damaged > 0 && past.ended.is_empty() && past.cut_off.is_empty() {
            return Err("no job in it can be read".to_owned());
        }
        (self.file, self.bytes, self.remains) = (Some(file), end as u64, end as u64 != length);
        Ok(past)
    }

    pub(in crate::registry) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(in crate::registry) const fn most_bytes() -> u64 {
        FILE_BYTES_MAX
    }

    /// Whether most of the file is of no use, if `live` bytes of it are.
    pub(in crate::registry) fn is_due(&self, live: u64) -> bool {
        self.bytes > (2 * live + SLACK_BYTES).max(self.patience)
    }

    /// Appends the frames of these jobs; durable when this returns.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`. Then the file is as it was.
    pub(in crate::registry) fn write(&mut self, jobs: &[Arc<[u8]>]) -> Result<()> {
        thread_guard::may_wait("writes the history of jobs");
        self.place.look()?;
        let mut bytes = Vec::new();
        jobs.iter().for_each(|job| frame::push(&mut bytes, job));
        self.extend(&bytes).map_err(|error| Error::io("write the history of jobs", &error))
    }

    fn extend(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.bytes + bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(io::Error::other(format!("{FILE} has {} bytes and cannot be written anew", self.bytes)));
        }
        let file = match &self.file {
            Some(file) => file,
            None => {
                let file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(self.directory.join(FILE))?;
                sync_directory(&self.directory)?;
                self.file.insert(file)
            }
        };
        if self.remains {
            file.set_len(self.bytes)?;
        }
        self.remains = true;
        (self.append)(file, bytes, self.bytes)?;
        file.sync_data()?;
        self.remains = false;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Writes the file anew in one step, with these jobs: a crash leaves the old one or the new one.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`. Then the file is as it was.
    pub(in crate::registry) fn replace(&mut self, jobs: &[Arc<[u8]>]) -> Result<()> {
        thread_guard::may_wait("writes the history of jobs anew");
        self.place.look()?;
        self.write_anew(jobs).map_err(|error| {
            self.patience = self.bytes + SLACK_BYTES;
            // What is left goes with the next attempt.
            let _ = fs::remove_file(self.path(NEW));
            Error::io("write the history of jobs anew", &error)
        })
    }

    fn write_anew(&mut self, jobs: &[Arc<[u8]>]) -> io::Result<()> {
        let path = self.path(NEW);
        let file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&path)?;
        let (mut chunk, mut written) = (Vec::new(), 0);
        for (number, job) in jobs.iter().enumerate() {
            frame::push(&mut chunk, job);
            if chunk.len() >= CHUNK_BYTES || number + 1 == jobs.len() {
                (self.append)(&file, &chunk, written)?;
                written += chunk.len() as u64;
                chunk.clear();
            }
        }
        file.sync_all()?;
        fs::rename(&path, self.path(FILE))?;
        (self.file, self.bytes, self.remains, self.patience) = (Some(file), written, false, 0);
        sync_directory(&self.directory)
    }
}

/// The jobs in the bytes of a file, and where its frames end.
pub(super) fn replay(bytes: &[u8]) -> (Past, usize) {
    let mut jobs: BTreeMap<u64, (u64, Head, &[u8])> = BTreeMap::new();
    let mut order = 0;
    let Scanned { damaged, end } = frame::scan(bytes, |json| {
        let Some(job) = head(json) else { return false };
        order += 1;
        jobs.insert(number_of(&job.id), (order, job, json));
        true
    });
    let mut jobs: Vec<_> = jobs.into_values().collect();
    jobs.sort_unstable_by_key(|(order, ..)| *order);
    let (ended, open): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|(_, job, _)| job.state.ended());
    let ended = ended.into_iter().map(|(_, job, json)| (job, json.into())).collect();
    let cut_off = open.into_iter().filter_map(|(_, _, json)| decode(json)).map(|job| settle(job, damaged > 0)).collect();
    (Past { ended, cut_off, damaged, unreadable: Vec::new() }, end)
}

fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
