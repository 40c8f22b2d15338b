//! Room in a file, made ahead of the changes that need it: so a full file system refuses a change, and not the writing of one that was
//! taken already.

use super::Disk;
use parking_lot::Mutex;
use std::ops::Range;
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
        let reached = match disk.reserve(0..ahead).map_err(failed) {
            Err(error) if error.code == ErrorCode::DeviceFull => disk.reserve(0..end).map(|()| end).map_err(failed)?,
            other => other.map(|()| ahead)?,
        };
        self.reach.store(reached, Relaxed);
        Ok(())
    }

    /// How far there is room: bytes.
    pub fn reached(&self) -> u64 {
        self.reach.load(Relaxed)
    }

    /// Fills the holes in `range`, which ends where the file ends, in whole steps of `step` bytes: as far as there is room for it. What is
    /// left of them is no room to count on.
    pub fn fill(&self, disk: &dyn Disk, range: Range<u64>, step: u64) {
        let _growing = self.growing.lock();
        let fill = |steps: u64| match disk.reserve(range.start..(range.start + steps * step).min(range.end)) {
            Err(error) => Error::io("making room in a data file", &error).code != ErrorCode::DeviceFull,
            Ok(()) => true,
        };
        let (mut filled, mut refused) = (0, range.end.saturating_sub(range.start).div_ceil(step));
        if fill(refused) {
            return self.reach.store(range.end, Relaxed);
        }
        while refused - filled > 1 {
            let middle = filled.midpoint(refused);
            (filled, refused) = if fill(middle) { (middle, refused) } else { (filled, middle) };
        }
        self.reach.store(range.start + filled * step, Relaxed);
    }
}
