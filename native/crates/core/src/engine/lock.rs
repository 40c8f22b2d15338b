//! One process at a time in a data directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use tessera_base::{Error, ErrorCode, Result, open_regular, sentence};
use tessera_io::LOCK_FILE;

/// Holds the directory's lock file (an advisory lock of the kernel, gone with the process) until dropped.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    file: File,
}

impl DirectoryLock {
    /// # Errors
    /// `data_directory_locked` while another process or engine has it; `storage_failed`.
    pub(super) fn take(directory: &Path) -> Result<Self> {
        let path = directory.join(LOCK_FILE);
        let opened = open_regular(&path, OpenOptions::new().create(true).truncate(false).write(true));
        let file = opened.map_err(|error| Error::io(&format!("opening {}", path.display()), &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => {
                let message = sentence!("another process has the data directory {path} open", path = directory.display());
                Err(Error::said(ErrorCode::DataDirectoryLocked, message))
            }
            Err(TryLockError::Error(error)) => Err(Error::io(&format!("locking {}", path.display()), &error)),
        }
    }
}

impl Drop for DirectoryLock {
    /// Unlocks by name: a process that another thread just forked has a copy of the file until it executes its program.
    fn drop(&mut self) {
        // Where it fails, closing the file is what unlocks.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_or_a_link_in_its_place_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let refused = || DirectoryLock::take(directory.path()).unwrap_err().message.contains("it is no regular file");
        std::os::unix::fs::symlink("elsewhere", &path).unwrap();
        assert!(refused() && !directory.path().join("elsewhere").exists());
        std::fs::remove_file(&path).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        assert!(refused());
    }

    #[test]
    fn a_copy_of_the_file_in_a_forked_process_does_not_keep_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let lock = DirectoryLock::take(directory.path()).unwrap();
        assert_eq!(DirectoryLock::take(directory.path()).unwrap_err().code, ErrorCode::DataDirectoryLocked);
        let _copy = lock.file.try_clone().unwrap();
        drop(lock);
        DirectoryLock::take(directory.path()).unwrap();
    }
}
