//! An io_uring and the transfers it has in flight.

use super::transfer::{Direction, Transfer};
use io_uring::{IoUring, opcode, types};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// Between attempts when the kernel takes no entries for now.
const PAUSE: Duration = Duration::from_millis(1);
/// Most bytes of one entry; the kernel would cut it shorter than 2 GiB anyhow.
const ENTRY_MAX: usize = 1 << 30;

pub struct Ring {
    ring: IoUring,
    in_flight: usize,
    /// Of those in flight: not yet shown to the kernel.
    unsubmitted: usize,
}

impl Ring {
    /// A ring for `depth` transfers at once.
    ///
    /// # Errors
    /// What the operating system reports.
    pub fn open(depth: usize) -> Result<Self> {
        let entries = u32::try_from(depth).map_err(|_| ErrorKind::InvalidInput)?;
        // Completions wait for the thread to ask instead of interrupting it; before Linux 5.19 they cannot.
        let ring = match IoUring::builder().setup_coop_taskrun().build(entries) {
            Err(error) if error.kind() == ErrorKind::InvalidInput => IoUring::new(entries)?,
            other => other?,
        };
        Ok(Self { ring, in_flight: 0, unsubmitted: 0 })
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Prepares what is left of `transfer` from or to the bytes at `address`, its own beginning; it starts with the next
    /// `submit` or `wait`. `pop` gives `token` back with the outcome.
    ///
    /// # Safety
    /// Until `pop` gives `token` back, the bytes that the transfer covers at `address` stay allocated and nobody else
    /// writes them (for a read: touches them).
    pub unsafe fn push(&mut self, direction: Direction, transfer: &Transfer, file: BorrowedFd<'_>, address: *mut u8, token: u64) {
        let length = transfer.left().min(ENTRY_MAX) as u32;
        let file = types::Fd(file.as_raw_fd());
        let address = address.wrapping_add(transfer.done());
        let entry = match direction {
            Direction::Read => opcode::Read::new(file, address, length).offset(transfer.position()).build(),
            Direction::Write => opcode::Write::new(file, address, length).offset(transfer.position()).build(),
        };
        let entry = entry.user_data(token);
        self.in_flight += 1;
        self.unsubmitted += 1;
        // SAFETY: the caller keeps the bytes until the entry has completed.
        while unsafe { self.ring.submission().push(&entry) }.is_err() {
            self.enter(0);
        }
    }

    /// Prepared transfers that the kernel has not seen.
    pub fn unsubmitted(&self) -> usize {
        self.unsubmitted
    }

    /// Starts what was prepared.
    pub fn submit(&mut self) {
        if self.unsubmitted > 0 {
            self.enter(0);
        }
    }

    /// Starts what was prepared and waits until `pop` has something to give, if anything is in flight.
    pub fn wait(&mut self) {
        while self.in_flight > 0 && self.ring.completion().is_empty() {
            self.enter(1);
        }
    }

    /// A transfer that has ended, with how many bytes went over.
    pub fn pop(&mut self) -> Option<(u64, Result<usize>)> {
        let entry = self.ring.completion().next()?;
        self.in_flight -= 1;
        Some((entry.user_data(), usize::try_from(entry.result()).map_err(|_| Error::from_raw_os_error(-entry.result()))))
    }

    /// Never gives up: what is in flight may still be written to by the kernel, so that there is nothing else to do.
    fn enter(&mut self, wanted: usize) {
        match self.ring.submit_and_wait(wanted) {
            Ok(_) => self.unsubmitted = self.ring.submission().len(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Out of memory or of room for a moment.
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}
