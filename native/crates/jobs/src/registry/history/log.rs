//! `jobs.log`: a frame for each job when it began and one when it ended. The newer frame of a job takes the place of the older
//! one. When most of the file is such old frames, it is written anew.

use super::disk::Disk;
use super::ended::{Head, decode, head, settle};
use super::synced;
use crate::job::JobInfo;
use crate::registry::id::number_of;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::frames::{self, Magic, Scanned};
use tessera_base::{Error, Result, create_anew, open_regular, thread_guard};
use tessera_io::Place;

/// A job is its JSON in a frame (`tessera_base::frames`).
pub(super) const MAGIC: Magic = *b"TsJ1";
const FILE: &str = "jobs.log";
const NEW: &str = "jobs.log.new";
const SYNCED: &str = "jobs.log.synced";
/// Most files that are put aside, of one name.
const DAMAGED_MAX: usize = 9;
/// What may lie in the file beside what it must have, and beside as much again.
const SLACK_BYTES: u64 = 1 << 20;
/// A file that cannot be written anew takes nothing more beyond this, and a longer one is not read.
const FILE_BYTES_MAX: u64 = 128 << 20;
/// Of one write.
const CHUNK_BYTES: usize = 1 << 20;

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
    /// When the failure was met first, Unix milliseconds; 0 without one.
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
    disk: Disk,
    file: Option<Arc<File>>,
    /// Up to here are frames; the next one goes here.
    bytes: u64,
    /// Something lies behind that: the rest of a frame whose writing failed.
    remains: bool,
    /// Up to here the file is on stable storage.
    synced: u64,
    /// What `jobs.log.synced` says of it, as far as it could be written.
    marked: u64,
    /// Jobs with a frame behind that.
    unsynced: BTreeSet<String>,
    /// After a failure to write it anew: how long it gets before the next attempt.
    patience: u64,
}

/// What a sync needs beside the log, which is written meanwhile.
pub(in crate::registry) struct Sync {
    file: Arc<File>,
    directory: PathBuf,
    place: Arc<Place>,
    disk: Disk,
    up_to: u64,
}

/// The log anew, before it takes the place of the one that it was made of.
pub(in crate::registry) struct Anew {
    file: File,
    bytes: u64,
    /// What the other has behind this is not in it yet.
    from: u64,
}

impl Log {
    /// Reads what there is. Nothing in it can fail, because old jobs are not worth refusing to start for. What is none of ours is
    /// put aside.
    pub(in crate::registry) fn open(directory: &Path, disk: Disk) -> (Self, Past) {
        thread_guard::may_wait("reads the history of jobs");
        let place = Place::of([directory.to_owned()]);
        let (bytes, remains, synced, marked, patience) = (0, false, 0, 0, 0);
        let (directory, unsynced) = (directory.to_owned(), BTreeSet::new());
        let mut log = Self { directory, place, disk, file: None, bytes, remains, synced, marked, unsynced, patience };
        let marked = synced::read(&log.path(SYNCED));
        let read = log.read(*marked.as_ref().unwrap_or(&0));
        let mut past = read.unwrap_or_else(|why| {
            // What lies aside is told once. A mark that is none of ours goes aside as well.
            if marked.is_ok() {
                let _ = synced::write(&log.path(SYNCED), disk, 0);
            }
            Past { unreadable: vec![log.give_up(FILE, &why)], ..Past::default() }
        });
        match marked {
            Ok(marked) => log.marked = marked,
            Err(why) => past.unreadable.push(log.give_up(SYNCED, &why)),
        }
        (log, past)
    }

    /// Puts a file aside, and says so.
    fn give_up(&self, name: &str, why: &str) -> String {
        let told = self.put_aside(name).map_or_else(|error| format!("it stays, because {error}"), |name| format!("it is {name} now"));
        format!("{}: {why}; {told}", self.path(name).display())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// `marked` bytes of it were on stable storage.
    ///
    /// # Errors
    /// Why none of it can be read.
    fn read(&mut self, marked: u64) -> std::result::Result<Past, String> {
        let path = self.path(FILE);
        let file = match open_regular(&path, OpenOptions::new().read(true).write(true)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let unreadable = self.cut(0, marked).into_iter().collect();
                return Ok(Past { unreadable, ..Past::default() });
            }
            opened => opened.map_err(|error| error.to_string())?,
        };
        let length = file.metadata().map_err(|error| error.to_string())?.len();
        if length > FILE_BYTES_MAX {
            return Err(format!("it has {length} bytes, more than the {FILE_BYTES_MAX} that it may have"));
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, 0).map_err(|error| error.to_string())?;
        let (mut past, end) = replay(&bytes, marked);
        if past.damaged > 0 && past.ended.is_empty() && past.cut_off.is_empty() {
            return Err("no job in it can be read".to_owned());
        }
        (self.file, self.bytes, self.remains) = (Some(Arc::new(file)), end as u64, end as u64 != length);
        self.synced = self.bytes;
        past.unreadable.extend(self.cut(self.bytes, marked));
        Ok(past)
    }

    /// What there is to tell of a log that has whole frames up to `end`. A kill takes nothing from before `marked`.
    fn cut(&self, end: u64, marked: u64) -> Option<String> {
        let path = self.path(FILE);
        let told = || format!("{}: it was cut: jobs end at byte {end}, and {marked} bytes were on the disk", path.display());
        (end < marked).then(told)
    }

    /// Answers its new name: the first that is free, because an older one may be all that is left.
    fn put_aside(&self, name: &str) -> io::Result<String> {
        let names = (1..=DAMAGED_MAX).map(|copy| if copy == 1 { format!("{name}.damaged") } else { format!("{name}.damaged-{copy}") });
        let free = names.into_iter().find(|name| fs::symlink_metadata(self.path(name)).is_err());
        let aside = free.ok_or_else(|| io::Error::other(format!("there are {DAMAGED_MAX} damaged ones already")))?;
        fs::rename(self.path(name), self.path(&aside))?;
        Ok(aside)
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

    /// Appends the frames of these jobs: a kill does not take them, and a power loss neither once they are synced.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`. Then the file is as it was.
    pub(in crate::registry) fn write(&mut self, ids: &BTreeSet<String>, jobs: &[Arc<[u8]>]) -> Result<()> {
        thread_guard::may_wait("writes the history of jobs");
        self.place.look()?;
        let mut bytes = Vec::new();
        jobs.iter().for_each(|job| frames::push(&mut bytes, MAGIC, job));
        self.extend(&bytes).map_err(|error| Error::io("write the history of jobs", &error))?;
        self.unsynced.extend(ids.iter().cloned());
        Ok(())
    }

    fn extend(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.bytes + bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(io::Error::other(format!("{FILE} has {} bytes and cannot be written anew", self.bytes)));
        }
        let file = match &self.file {
            Some(file) => file,
            // What could not be put aside is not written into.
            None => self.file.insert(Arc::new(OpenOptions::new().create_new(true).read(true).write(true).open(self.directory.join(FILE))?)),
        };
        if self.remains {
            file.set_len(self.bytes)?;
        }
        self.remains = true;
        (self.disk.append)(file, bytes, self.bytes)?;
        self.remains = false;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// What there is to sync, if there is anything.
    pub(in crate::registry) fn to_sync(&self) -> Option<Sync> {
        let file = self.file.as_ref().filter(|_| self.synced != self.bytes || self.marked != self.bytes)?;
        let (file, directory, place) = (Arc::clone(file), self.directory.clone(), Arc::clone(&self.place));
        Some(Sync { file, directory, place, disk: self.disk, up_to: self.bytes })
    }

    /// Up to there it is on stable storage. Jobs that were written meanwhile stay among those that are not.
    pub(in crate::registry) fn synced(&mut self, sync: &Sync) {
        (self.synced, self.marked) = (sync.up_to, sync.up_to);
        if self.synced == self.bytes {
            self.unsynced.clear();
        }
    }

    /// After a failed sync nobody knows what is on the disk: answers the jobs that are to be written again.
    pub(in crate::registry) fn rewind(&mut self) -> BTreeSet<String> {
        (self.bytes, self.remains) = (self.synced, true);
        std::mem::take(&mut self.unsynced)
    }

    /// A log with these jobs alone, all that this one has now. It is on stable storage when this returns.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub(in crate::registry) fn anew(&self) -> impl FnOnce(&[Arc<[u8]>]) -> Result<Anew> + use<> {
        let (place, path, mark, disk, from) = (Arc::clone(&self.place), self.path(NEW), self.path(SYNCED), self.disk, self.bytes);
        move |jobs| {
            thread_guard::may_wait("writes the history of jobs anew");
            place.look()?;
            let (file, bytes) = write_anew(&path, disk, jobs).map_err(failed_anew)?;
            place.look()?;
            // It is shorter, and was not cut.
            synced::clear(&mark, disk).map_err(failed_anew)?;
            Ok(Anew { file, bytes, from })
        }
    }

    /// Puts the log anew in the place of this one, with what came meanwhile: a crash leaves either.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`. Then the file is as it was.
    pub(in crate::registry) fn replace(&mut self, anew: Anew) -> Result<()> {
        self.place.look()?;
        self.adopt(anew).map_err(failed_anew)
    }

    fn adopt(&mut self, Anew { file, bytes, from }: Anew) -> io::Result<()> {
        let mut tail = vec![0; self.bytes.saturating_sub(from) as usize];
        if let Some(before) = &self.file {
            before.read_exact_at(&mut tail, from)?;
        }
        (self.disk.append)(&file, &tail, bytes)?;
        fs::rename(self.path(NEW), self.path(FILE))?;
        (self.file, self.bytes, self.remains, self.patience) = (Some(Arc::new(file)), bytes + tail.len() as u64, false, 0);
        (self.synced, self.marked) = (bytes, 0);
        sync_directory(&self.directory)
    }

    /// It could not be written anew.
    pub(in crate::registry) fn be_patient(&mut self) {
        (self.patience, self.marked) = (self.bytes + SLACK_BYTES, 0);
        // What is left goes with the next attempt.
        if self.place.look().is_ok() {
            let _ = fs::remove_file(self.path(NEW));
        }
    }
}

impl Sync {
    /// # Errors
    /// `storage_failed`, `device_full`.
    pub(in crate::registry) fn run(&self) -> Result<()> {
        thread_guard::may_wait("syncs the history of jobs");
        let synced = (self.disk.sync)(&self.file).and_then(|()| {
            if self.place.look().is_ok() {
                // One that cannot be written claims less.
                let _ = synced::write(&self.directory.join(SYNCED), self.disk, self.up_to);
            }
            sync_directory(&self.directory)
        });
        synced.map_err(|error| Error::io("sync the history of jobs", &error))
    }
}

/// Writes these jobs into a new file; answers it, and its bytes.
fn write_anew(path: &Path, disk: Disk, jobs: &[Arc<[u8]>]) -> io::Result<(File, u64)> {
    let file = create_anew(path)?;
    let (mut chunk, mut written) = (Vec::new(), 0);
    for (number, job) in jobs.iter().enumerate() {
        frames::push(&mut chunk, MAGIC, job);
        if chunk.len() >= CHUNK_BYTES || number + 1 == jobs.len() {
            (disk.append)(&file, &chunk, written)?;
            written += chunk.len() as u64;
            chunk.clear();
        }
    }
    (disk.sync)(&file)?;
    Ok((file, written))
}

fn failed_anew(error: io::Error) -> Error {
    Error::io("write the history of jobs anew", &error)
}

/// The jobs in the bytes of a file, and where its frames end. `marked` bytes of it were on stable storage.
pub(super) fn replay(bytes: &[u8], marked: u64) -> (Past, usize) {
    let mut jobs: BTreeMap<u64, (u64, Head, &[u8])> = BTreeMap::new();
    let mut order = 0;
    let Scanned { damaged, end } = frames::scan(bytes, MAGIC, |json| {
        let Some(job) = head(json) else { return false };
        order += 1;
        jobs.insert(number_of(&job.id), (order, job, json));
        true
    });
    let mut jobs: Vec<_> = jobs.into_values().collect();
    jobs.sort_unstable_by_key(|(order, ..)| *order);
    let (ended, open): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|(_, job, _)| job.state.ended());
    let ended = ended.into_iter().map(|(_, job, json)| (job, json.into())).collect();
    let lost = damaged > 0 || (end as u64) < marked;
    let cut_off = open.into_iter().filter_map(|(_, _, json)| decode(json)).map(|job| settle(job, lost)).collect();
    (Past { ended, cut_off, damaged, unreadable: Vec::new() }, end)
}

fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
