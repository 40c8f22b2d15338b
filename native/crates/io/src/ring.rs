//! An io_uring and the transfers it has in flight.

use super::transfer::Transfer;
use io_uring::{IoUring, opcode, squeue, types};
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Between attempts when the kernel takes no entries for now.
const PAUSE: Duration = Duration::from_millis(1);
/// Most bytes of one read; the kernel would cut it shorter than 2 GiB anyhow.
const ENTRY_MAX: usize = 1 << 30;

pub struct Ring {
    ring: IoUring,
    in_flight: usize,
    /// Of those in flight: not yet shown to the kernel.
    unsubmitted: usize,
    /// Whether a wait may have an end.
    timed: bool,
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
        let timed = ring.params().is_feature_ext_arg();
        Ok(Self { ring, in_flight: 0, unsubmitted: 0, timed })
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Prepares reading what is left of `transfer` into the bytes at `address`, its own beginning; it starts with the next
    /// `submit` or `wait`. `pop` gives `token` back with the outcome.
    ///
    /// # Safety
    /// Until `pop` gives `token` back, the bytes that the transfer covers at `address` stay allocated and nobody else
    /// touches them.
    pub unsafe fn read(&mut self, transfer: &Transfer, file: BorrowedFd<'_>, address: *mut u8, token: u64) {
        let length = transfer.left().min(ENTRY_MAX) as u32;
        let address = address.wrapping_add(transfer.done());
        let entry = opcode::Read::new(types::Fd(file.as_raw_fd()), address, length).offset(transfer.position()).build();
        // SAFETY: the caller keeps the bytes until the entry has completed.
        unsafe { self.push(&entry.user_data(token)) };
    }

    /// Prepares writing `rest`, at most 1024 slices, at `position`; it starts with the next `submit` or `wait`. `pop` gives
    /// `token` back with the outcome.
    ///
    /// # Safety
    /// Until `pop` gives `token` back, the slices and their bytes stay allocated and nobody writes them.
    pub unsafe fn write(&mut self, rest: &[IoSlice<'_>], position: u64, file: BorrowedFd<'_>, token: u64) {
        // An `IoSlice` is an `iovec`, as the standard library promises.
        let entry = opcode::Writev::new(types::Fd(file.as_raw_fd()), rest.as_ptr().cast(), rest.len() as u32).offset(position).build();
        // SAFETY: the caller keeps the slices and their bytes until the entry has completed.
        unsafe { self.push(&entry.user_data(token)) };
    }

    /// # Safety
    /// What the entry points to stays until it has completed.
    unsafe fn push(&mut self, entry: &squeue::Entry) {
        self.in_flight += 1;
        self.unsubmitted += 1;
        // SAFETY: the caller keeps what the entry points to until it has completed.
        while unsafe { self.ring.submission().push(entry) }.is_err() {
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

    /// As `wait`, at most until `until`; before Linux 5.11 a wait has no end.
    pub fn wait_until(&mut self, until: Instant) {
        if !self.timed {
            return self.wait();
        }
        while self.in_flight > 0 && self.ring.completion().is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return self.submit();
            }
            let time = types::Timespec::from(left);
            let outcome = self.ring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&time));
            self.entered(&outcome);
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
        let outcome = self.ring.submit_and_wait(wanted);
        self.entered(&outcome);
    }

    fn entered(&mut self, outcome: &Result<usize>) {
        match outcome {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted || error.raw_os_error() == Some(libc::ETIME) => {}
            // Out of memory or of room for a moment.
            Err(_) => std::thread::sleep(PAUSE),
        }
        self.unsubmitted = self.ring.submission().len();
    }
}
