//! Files of imports, in `imports` of the data directory: they go with the records of their jobs.

use super::id::is_id;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence, thread_guard};
use tessera_io::Place;

/// What an import may leave: `<job>.<one of these>`.
const ENDINGS: [&str; 6] =
    [JobFiles::JOURNAL, JobFiles::JOURNAL_NEW, JobFiles::REJECTS, JobFiles::REJECTS_NEW, JobFiles::HEADER, JobFiles::HEADER_NEW];
/// Most bytes of all files of rejects together; the oldest go first.
pub(super) const REJECTS_BYTES_MAX: u64 = 2 << 30;
/// Most imports that a start keeps so that they can go on, the newest.
const INTERRUPTED_MAX: usize = 16;

/// The files of imports in one data directory.
#[derive(Clone, Debug)]
pub struct JobFiles {
    directory: PathBuf,
    /// The data directory.
    place: Arc<Place>,
}

impl JobFiles {
    /// How far an import has come.
    pub const JOURNAL: &'static str = "json";
    /// A journal that is being written.
    pub const JOURNAL_NEW: &'static str = "json.new";
    /// Rows that were not taken.
    pub const REJECTS: &'static str = "rejects.ndjson";
    /// Such rows that are being sorted out.
    pub const REJECTS_NEW: &'static str = "rejects.new";
    /// The header of a CSV upload, as it was sent.
    pub const HEADER: &'static str = "header";
    /// A header that is being written.
    pub const HEADER_NEW: &'static str = "header.new";

    pub(super) fn new(data_directory: &Path) -> Self {
        Self { directory: data_directory.join("imports"), place: Place::of([data_directory.to_owned()]) }
    }

    /// Where they lie.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes the directory, if it is not there and the data directory is still ours, and sees to it that a crash does not take it back.
    ///
    /// # Errors
    /// Those of the system.
    pub fn make_directory(&self) -> std::io::Result<()> {
        thread_guard::may_wait("makes the folder of imports");
        self.place.look().map_err(std::io::Error::other)?;
        match fs::create_dir(&self.directory) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
            Ok(()) => self.directory.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all()),
        }
    }

    /// Brings the names of the files to stable storage.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync_directory(&self) -> std::io::Result<()> {
        thread_guard::may_wait("syncs the folder of imports");
        File::open(&self.directory)?.sync_all()
    }

    /// The path of a job's file.
    pub fn path(&self, id: &str, ending: &str) -> PathBuf {
        self.directory.join(format!("{id}.{ending}"))
    }

    /// Removes a file of a job, if it is there and the data directory is still ours.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    pub fn remove_one(&self, id: &str, ending: &str) -> Result<()> {
        thread_guard::may_wait("removes a file of a job");
        self.place.look()?;
        let path = self.path(id, ending);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::said(
                ErrorCode::DataDirectoryUnavailable,
                sentence!("{path} cannot be removed: {why}", path = path.display(), why = error),
            )),
            _ => Ok(()),
        }
    }

    /// Removes all files of a job that are there.
    pub(super) fn remove(&self, id: &str) {
        thread_guard::may_wait("removes the files of a job");
        if self.place.look().is_err() {
            return;
        }
        for ending in ENDINGS {
            // What cannot be removed now goes at the next start.
            let _ = fs::remove_file(self.path(id, ending));
        }
    }

    /// Removes files of jobs that nobody knows any more, half-written journals, and the oldest journals beyond the bound.
    pub(super) fn sweep(&self, known: impl Fn(&str) -> bool) {
        thread_guard::may_wait("goes through the files of imports");
        if self.place.look().is_err() {
            return;
        }
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let mut journals = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some((id, ending)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
            // Only our own.
            if !is_id(id) || !ENDINGS.contains(&ending) {
                continue;
            }
            if !known(id) || [Self::JOURNAL_NEW, Self::REJECTS_NEW, Self::HEADER_NEW].contains(&ending) {
                let _ = fs::remove_file(entry.path());
            } else if ending == Self::JOURNAL {
                journals.push(entry.path());
            }
        }
        // Ids ascend with time.
        journals.sort_unstable();
        for path in journals.iter().rev().skip(INTERRUPTED_MAX) {
            let _ = fs::remove_file(path);
        }
    }

    /// Removes the oldest files of rejects, until all together have at most `most` bytes. Those that are `in_use` count and stay.
    pub(super) fn bound_rejects(&self, most: u64, in_use: impl Fn(&str) -> bool) {
        thread_guard::may_wait("goes through the files of imports");
        if self.place.look().is_err() {
            return;
        }
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let mut found = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some((id, Self::REJECTS)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
            if let (true, Ok(meta)) = (is_id(id), entry.metadata()) {
                found.push((id.to_owned(), meta.len()));
            }
        }
        let mut total: u64 = found.iter().map(|(_, bytes)| bytes).sum();
        // Ids ascend with time.
        found.sort_unstable();
        for (id, bytes) in found.iter().filter(|(id, _)| !in_use(id)) {
            if total <= most {
                break;
            }
            if fs::remove_file(self.path(id, Self::REJECTS)).is_ok() {
                total -= bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_rejects_go_when_all_are_too_many() {
        let directory = tempfile::tempdir().unwrap();
        let files = JobFiles::new(directory.path());
        files.make_directory().unwrap();
        let id = |n: u32| format!("{n:013}");
        for n in 0..6 {
            fs::write(files.path(&id(n), JobFiles::REJECTS), [b'x'; 10]).unwrap();
            fs::write(files.path(&id(n), JobFiles::JOURNAL), [b'x'; 100]).unwrap();
        }
        let there = || (0..6).filter(|&n| files.path(&id(n), JobFiles::REJECTS).exists()).collect::<Vec<u32>>();
        files.bound_rejects(60, |_| false);
        assert_eq!(there(), [0, 1, 2, 3, 4, 5]);
        files.bound_rejects(35, |known| known == id(1));
        assert_eq!(there(), [1, 4, 5]);
        assert!((0..6).all(|n| files.path(&id(n), JobFiles::JOURNAL).exists()));
    }

    #[test]
    fn a_sweep_leaves_what_is_known_and_what_is_not_ours() {
        let directory = tempfile::tempdir().unwrap();
        let files = JobFiles::new(directory.path());
        files.make_directory().unwrap();
        let id = |n: u32| format!("{n:013}");
        for n in 0..20 {
            fs::write(files.path(&id(n), JobFiles::JOURNAL), "").unwrap();
            fs::write(files.path(&id(n), JobFiles::REJECTS), "").unwrap();
        }
        fs::write(files.path(&id(19), JobFiles::JOURNAL_NEW), "").unwrap();
        for other in ["notes.txt", "x.json"] {
            fs::write(files.directory().join(other), "").unwrap();
        }
        files.sweep(|known| known != id(10));
        let there = |ending: &str| (0..20).filter(|&n| files.path(&id(n), ending).exists()).collect::<Vec<u32>>();
        assert_eq!(there(JobFiles::JOURNAL), (3..20).filter(|&n| n != 10).collect::<Vec<_>>());
        assert_eq!(there(JobFiles::REJECTS), (0..20).filter(|&n| n != 10).collect::<Vec<_>>());
        assert!(there(JobFiles::JOURNAL_NEW).is_empty());
        assert!(files.directory().join("notes.txt").exists() && files.directory().join("x.json").exists());
        files.remove(&id(19));
        assert!(!files.path(&id(19), JobFiles::REJECTS).exists());
    }
}
