//! One process at a time in a data directory.

use crate::error::{Error, ErrorCode, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// Holds the directory's lock file (an advisory lock of the kernel, gone with the process) until dropped.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// # Errors
    /// `data_directory_locked` while another process or engine has it; `storage_failed`.
    pub(super) fn take(directory: &Path) -> Result<Self> {
        let path = directory.join("lock");
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(|error| Error::io(&format!("opening {}", path.display()), &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                let message = format!("another process has the data directory {} open", directory.display());
                Err(Error::new(ErrorCode::DataDirectoryLocked, message))
            }
            Err(TryLockError::Error(error)) => Err(Error::io(&format!("locking {}", path.display()), &error)),
        }
    }
}
