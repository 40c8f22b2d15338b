//! What the storage, its segments' handles and its flusher thread share.

use super::entry::Entry;
use super::options::DeviceOptions;
use super::queue::Queue;
use super::seal::Seal;
use crate::error::{Error, ErrorCode, Result};
use crate::storage::Location;
use crate::storage::io::Disk;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Where a storage is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not yet recovered: nothing may be written.
    New,
    Ready,
    Closed,
}

#[derive(Debug)]
pub struct State {
    pub phase: Phase,
    pub queue: Queue,
    /// One thread at a time writes; the others wait for it.
    pub flushing: bool,
    /// Why the last flush failed; writes are refused until one succeeds.
    pub failure: Option<Error>,
    /// Flushes that failed so far.
    pub failures: u64,
    /// The flusher sleeps without a deadline, as nothing is dirty.
    pub idle: bool,
}

#[derive(Debug, Default)]
pub struct Counters {
    pub live_bytes: AtomicU64,
    pub bytes_written: AtomicU64,
    pub bytes_read: AtomicU64,
    pub writes: AtomicU64,
    pub reads: AtomicU64,
    pub syncs: AtomicU64,
    pub damaged_reads: AtomicU64,
}

pub struct Shared {
    pub disk: Box<dyn Disk>,
    /// The data file, for messages.
    pub label: String,
    pub options: DeviceOptions,
    pub seal: Seal,
    pub state: Mutex<State>,
    /// The flusher has something to look at.
    pub work: Condvar,
    /// A flush has ended.
    pub flushed: Condvar,
    /// `Queue::first_buffered` and `Queue::last_sequence`, readable without the lock.
    pub first_buffered: AtomicU64,
    pub last_sequence: AtomicU64,
    pub counters: Counters,
}

impl Shared {
    pub fn new(disk: Box<dyn Disk>, label: String, options: DeviceOptions) -> Self {
        let state =
            State { phase: Phase::New, queue: Queue::new(&options, 1, 1, 0), flushing: false, failure: None, failures: 0, idle: false };
        Self {
            disk,
            label,
            seal: Seal::new(&options.namespace_id),
            options,
            state: Mutex::new(state),
            work: Condvar::new(),
            flushed: Condvar::new(),
            // Before recovery nothing is buffered; reads go to the disk.
            first_buffered: AtomicU64::new(u64::MAX),
            last_sequence: AtomicU64::new(0),
            counters: Counters::default(),
        }
    }

    pub fn block_bytes(&self) -> u64 {
        u64::from(self.options.write_block_bytes)
    }

    /// Appends an entry to the buffers; waits a bounded time while they are at twice their limit.
    ///
    /// # Errors
    /// `record_too_large`, `device_full`, `device_overload`, `storage_failed`, `closed`; then nothing has changed.
    pub fn append(&self, entry: &Entry<'_>) -> Result<Location> {
        let body_crc = entry.body_crc();
        let mut state = self.state.lock();
        self.wait_for_room(&mut state, self.options.buffer_bytes * 2)?;
        let location = state.queue.append(entry, body_crc)?;
        self.publish(&state);
        if state.idle || state.queue.has_full_blocks() {
            self.work.notify_one();
        }
        Ok(location)
    }

    /// Makes what is read without the lock agree with `state`.
    pub fn publish(&self, state: &State) {
        self.last_sequence.store(state.queue.last_sequence(), Relaxed);
        self.first_buffered.store(state.queue.first_buffered(), Relaxed);
    }

    /// Waits until fewer than `limit` bytes are on their way to stable storage.
    ///
    /// # Errors
    /// `device_overload` after the stall timeout; what `State::check_writable` says.
    pub fn wait_for_room(&self, state: &mut MutexGuard<'_, State>, limit: u64) -> Result<()> {
        state.check_writable()?;
        if state.queue.unsynced() < limit {
            return Ok(());
        }
        let deadline = Instant::now() + self.options.stall_timeout;
        while state.queue.unsynced() >= limit {
            self.work.notify_one();
            if self.flushed.wait_until(state, deadline).timed_out() && state.queue.unsynced() >= limit {
                return Err(Error::new(ErrorCode::DeviceOverload, "the device cannot keep up with the writes; try again later"));
            }
            state.check_writable()?;
        }
        Ok(())
    }
}

impl State {
    /// # Errors
    /// Why nothing can be written now.
    pub fn check_writable(&self) -> Result<()> {
        match self.phase {
            Phase::New => Err(Error::new(ErrorCode::Internal, "the storage must be recovered before it is written to")),
            Phase::Closed => Err(Error::new(ErrorCode::Closed, "the namespace is closed")),
            Phase::Ready => self.failure.clone().map_or(Ok(()), Err),
        }
    }
}
