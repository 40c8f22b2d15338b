//! What a storage asks of a disk: positional reads and writes, and a promise about what survives a power loss.
//!
//! | part | what it does |
//! | --- | --- |
//! | `Disk`, `file`, `file_kind`, `access`, `aligned` | one file or device, past the page cache where that works, and buffers fit for it |
//! | `transfer` | short counts, interruptions, EAGAIN: what to do after each answer of the system |
//! | `read_window`, `idle_windows`, `write_window`, `span` | reads of one reader, writes of one writer, several in flight; adjacent writes as one |
//! | `coalesced_reads`, `read_range` | the records of one reader, and neighbours with one read |
//! | `backend`, `ring`, `threads` | what keeps them in flight: io_uring, or threads where the kernel forbids it |
//! | `watch` | whether files and folders are still those that were opened, where writes are taken |
//! | `meter`, `latencies`, `ends` | what a disk is asked to do: rates, latency, queue depth, busy time |

mod access;
mod aligned;
mod backend;
mod coalesced_reads;
mod ends;
#[cfg(any(test, feature = "test-support"))]
pub mod faulty;
mod file;
mod file_kind;
mod file_room;
mod idle_windows;
mod latencies;
mod meter;
mod read_range;
mod read_window;
mod ring;
mod span;
mod stall;
#[cfg(test)]
mod tests;
mod threads;
mod transfer;
mod watch;
mod write_window;

pub use access::Access;
pub use aligned::{AlignedBuffer, BufferFull};
pub use backend::{Backend, BackendChoice, BackendWish};
pub use coalesced_reads::{Arrived, CoalescedReads, NEIGHBOURS_DEPTH};
pub use file::FileDisk;
pub use file_kind::{FileKind, kind_of};
pub use file_room::FileRoom;
pub use idle_windows::IdleWindows;
pub use meter::{DiskCounters, Meter, Operation, OperationCounters};
pub use read_range::{MOST_BYTES_TOGETHER, ReadRange};
pub use read_window::{Completed, ReadWindow};
pub use span::Piece;
pub use stall::hold_syncs;
pub use watch::{LOCK_FILE, Place, Watch};
pub use write_window::WriteWindow;

use std::io::Result;
use std::ops::Range;
use std::os::fd::BorrowedFd;

/// One file or device. All offsets and lengths are bytes; every method may be called from several threads at once.
///
/// What breaks `alignment` fails with `InvalidInput` and does nothing.
pub trait Disk: Send + Sync {
    /// Fills `out` from `offset`.
    ///
    /// # Errors
    /// `UnexpectedEof` where the file ends before `out` is full, and `out` then begins with what there is; what the operating
    /// system reports.
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
    /// `Unsupported` on a block device; what the operating system reports.
    fn set_len(&self, length: u64) -> Result<()>;

    /// Makes room for the bytes of `range` ahead of the writes that will need it, which then cost less; what is not
    /// written yet reads as zeros. Does nothing where there is nothing to be gained.
    ///
    /// # Errors
    /// What the operating system reports; then no byte has changed, and writes still make their own room.
    fn reserve(&self, range: Range<u64>) -> Result<()> {
        let _ = range;
        Ok(())
    }

    /// Offset, length and address of every read and write are multiples of this many bytes: a power of two, at most
    /// `AlignedBuffer::ALIGNMENT`. 1 is no demand.
    fn alignment(&self) -> usize {
        1
    }

    /// Counts its operations: `read_at`, `write_at` and `sync` here, what goes through `descriptor` where that is done.
    fn meter(&self) -> &Meter;

    /// What `io_uring` reads and writes in place of `read_at` and `write_at`, where that comes to the same.
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}
