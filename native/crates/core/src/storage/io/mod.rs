//! What a storage asks of a disk: positional reads and writes, and a promise about what survives a power loss.

#[cfg(test)]
pub mod faulty;
mod file;

pub use file::FileDisk;

use std::io::Result;

/// One file or device. All offsets and lengths are bytes; every method may be called from several threads at once.
pub trait Disk: Send + Sync {
    /// Fills `out` from `offset`.
    ///
    /// # Errors
    /// `UnexpectedEof` where the file ends before `out` is full; what the operating system reports.
    fn read_at(&self, out: &mut [u8], offset: u64) -> Result<()>;

    /// Writes all of `bytes` at `offset`, growing the file as needed. After an error any part may have been written.
    ///
    /// # Errors
    /// What the operating system reports; a write that cannot go on is `WriteZero`.
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()>;

    /// Returns once all that was written before is on stable storage. After an error nothing written since the last
    /// success may be taken as stored, and only writing it again (not another `sync`) can make it so.
    ///
    /// # Errors
    /// What the operating system reports.
    fn sync(&self) -> Result<()>;

    /// Length in bytes.
    ///
    /// # Errors
    /// What the operating system reports.
    fn length(&self) -> Result<u64>;

    /// Cuts or grows (with zeros) to `length` bytes.
    ///
    /// # Errors
    /// What the operating system reports.
    fn set_len(&self, length: u64) -> Result<()>;
}
