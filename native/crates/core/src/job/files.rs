//! Files of imports, in `imports` of the data directory: they go with the records of their jobs.

use super::registry::is_id;
use crate::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// What an import may leave: `<job>.<one of these>`.
const ENDINGS: [&str; 5] = [JobFiles::JOURNAL, JobFiles::JOURNAL_NEW, JobFiles::REJECTS, JobFiles::REJECTS_NEW, JobFiles::HEADER];
/// Most imports that a start keeps so that they can go on, the newest.
const INTERRUPTED_MAX: usize = 16;

#[derive(Clone, Debug)]
pub struct JobFiles {
    directory: PathBuf,
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

    pub(super) fn new(data_directory: &Path) -> Self {
        Self { directory: data_directory.join("imports") }
    }

    /// Where they lie.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes the directory, if it is not there.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`.
    pub fn make_directory(&self) -> Result<()> {
        fs::create_dir_all(&self.directory).map_err(|error| Error::io("make the directory of imports", &error))
    }

    /// The path of a job's file.
    pub fn path(&self, id: &str, ending: &str) -> PathBuf {
        self.directory.join(format!("{id}.{ending}"))
    }

    /// Removes all files of a job that are there.
    pub(super) fn remove(&self, id: &str) {
        for ending in ENDINGS {
            // What cannot be removed now goes at the next start.
            let _ = fs::remove_file(self.path(id, ending));
        }
    }

    /// Removes files of jobs that nobody knows any more, half-written journals, and the oldest journals beyond the bound.
    pub(super) fn sweep(&self, known: impl Fn(&str) -> bool) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let mut journals = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some((id, ending)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
            // Only our own.
            if !is_id(id) || !ENDINGS.contains(&ending) {
                continue;
            }
            if !known(id) || [Self::JOURNAL_NEW, Self::REJECTS_NEW].contains(&ending) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
