//! Room in a file, made ahead of the changes that need it: so a full file system refuses a change, and not the writing of one that was
//! taken already.

use super::Disk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_base::{Error, ErrorCode, Result};

/// A file grows ahead by this part of its length, between these bounds: bytes.
const AHEAD_PART: u64 = 4;
const AHEAD_MIN: u64 = 1024 * 1024;
const AHEAD_MAX: u64 = 256 * 1024 * 1024;

pub struct FileRoom {
    /// How far there is room: bytes.
    reach: AtomicU64,
    most: u64,
    /// Held by whoever makes the file longer.
    growing: Mutex<()>,
}

impl FileRoom {
    /// Of a disk that holds at most `most` bytes.
    pub fn new(disk: &dyn Disk, most: u64) -> Self {
        Self { reach: AtomicU64::new(disk.length().unwrap_or(0)), most, growing: Mutex::new(()) }
    }

    /// Whether `reach` has nothing to do.
    pub fn reaches(&self, end: u64) -> bool {
        self.reach.load(Relaxed) >= end
    }

    /// Sees to it that there is room up to `end`. On a disk that makes room only as it is written it does nothing.
    ///
    /// # Errors
    /// `device_full`, `storage_failed`.
    pub fn reach(&self, disk: &dyn Disk, end: u64) -> Result<()> {
        if self.reaches(end) {
            return Ok(());
        }
        let _growing = self.growing.lock();
        if self.reaches(end) {
            return Ok(());
        }
        let failed = |error: std::io::Error| Error::io("making room in a data file", &error);
        let ahead = (end + (end / AHEAD_PART).clamp(AHEAD_MIN, AHEAD_MAX)).min(self.most.max(end));
        let reached = match disk.reserve(ahead).map_err(failed) {
            Err(error) if error.code == ErrorCode::DeviceFull => disk.reserve(end).map(|()| end).map_err(failed)?,
            other => other.map(|()| ahead)?,
        };
        self.reach.store(reached, Relaxed);
        Ok(())
    }
}
