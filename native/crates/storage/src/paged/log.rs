//! The write-ahead log: a ring of bytes on a disk of its own, and one position in it that all agree on.
//!
//! The LSN of a record (see `record`) is the position where it begins, in bytes since the log was made; it lies at that position modulo the ring, which begins behind the log's head (see `head`). So what an
//! earlier lap left is never taken for a record, and neither is, as every start has its own incarnation, what a write that was lost in a crash was followed by.
//!
//! Group commit: the first that waits for its record writes all that there is, and syncs; those who come meanwhile wait for the next round.
//! A tail that ends within a block is written again with what follows, the same bytes at the same place, so that tearing it loses nothing.
//!
//! Where writing or syncing fails, all that is not known to be on stable storage is kept and written again from there, by whoever waits next; until that has
//! worked nothing more is appended.

#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod head;
pub mod note;
mod pending;
mod record;

pub use head::LogHead;
pub use record::{Behind, Mark, RECORD_HEADER, RING_AT, Replayed, look_behind, replay};

use crate::FlushFailure;
use crate::group_commit::{Flushed, Flushes, wait_until_stable};
use parking_lot::{Condvar, Mutex, MutexGuard};
use pending::{Batch, Pending};
use record::{FILLER, MARK, Payload};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{AlignedBuffer, Disk};

/// Longest payload of a record: pages of the largest change, with room.
pub const PAYLOAD_MAX: usize = 32 * 1024 * 1024;
/// Fewest bytes of the ring: two of the longest records.
pub const RING_MIN: u64 = (2 * (RECORD_HEADER + PAYLOAD_MAX) as u64).next_multiple_of(BLOCK);
/// Bytes that wait to be written from which writers wait.
const PENDING_MAX: u64 = 4 * 1024 * 1024;
/// What the disk is written in.
pub const BLOCK: u64 = AlignedBuffer::ALIGNMENT as u64;

/// A position in the log, bytes since it was made.
pub type Lsn = u64;

/// Where a log goes on, as the head of the pages keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogStart {
    /// Where redo begins: a multiple of 4 KiB, and a record's beginning or the end.
    pub redo: Lsn,
    /// Grows with every start.
    pub incarnation: u32,
}

pub struct Log {
    disk: Arc<dyn Disk>,
    capacity: u64,
    incarnation: u32,
    state: Mutex<State>,
    /// A round of writing or a checkpoint has ended.
    flushed: Condvar,
    /// Where the last record ends that is no mark. Changed under the lock of `state` alone, and read without it.
    end: AtomicU64,
    /// Up to where the log has been taken to be written.
    taken: AtomicU64,
    durable: AtomicU64,
    /// The oldest record that a crash would need.
    needed: AtomicU64,
    /// What a page has to be as new as for its image not to be needed: where redo will begin.
    redo: AtomicU64,
    /// Up to where the note says that it is stable.
    noted: AtomicU64,
    /// Sequence of the newest head of the pages that is on stable storage.
    head: AtomicU64,
    /// Nothing is appended now: see `State::refusal`.
    refuses: AtomicBool,
    image_bytes: AtomicU64,
}

struct State {
    pending: Pending,
    flushes: Flushes,
    /// Why there will be no further round.
    over: Option<Error>,
    records: u64,
    syncs: u64,
}

impl Flushed for State {
    fn flushes(&self) -> &Flushes {
        &self.flushes
    }
}

impl State {
    fn refusal(&self) -> Option<&Error> {
        self.over.as_ref().or(self.flushes.failure())
    }
}

/// What a log has done and has to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogCounters {
    pub ring_bytes: u64,
    /// What a crash would have to read now.
    pub needed_bytes: u64,
    pub end: Lsn,
    pub durable: Lsn,
    /// Since the start: records, bytes of pages' images in them, and rounds of writing.
    pub records: u64,
    pub image_bytes: u64,
    pub syncs: u64,
    /// Bytes of memory for what waits.
    pub heap_bytes: u64,
}

/// What `append` could not do.
#[derive(Debug)]
pub enum Refused {
    /// Redo begins later than the caller believed: it has to look again which pages need an image.
    RedoMoved,
    /// There is no room until a checkpoint has moved the redo point.
    Full,
    Failed(Error),
}

impl Log {
    /// A log that goes on at `end`, a multiple of 4 KiB, where a checkpoint has put the redo point too.
    ///
    /// # Errors
    /// `config_invalid` for a ring that is not a multiple of 4 KiB or shorter than two of the longest records.
    pub fn open(disk: Arc<dyn Disk>, capacity: u64, end: Lsn, incarnation: u32) -> Result<Self> {
        if !capacity.is_multiple_of(BLOCK) || capacity < RING_MIN {
            return Err(Error::said(ErrorCode::ConfigInvalid, sentence!("a log of {capacity} bytes is too short", capacity = capacity)));
        }
        let state = State { pending: Pending::new(end), flushes: Flushes::default(), over: None, records: 0, syncs: 0 };
        let at = || AtomicU64::new(end);
        Ok(Self {
            disk,
            capacity,
            incarnation,
            state: Mutex::new(state),
            flushed: Condvar::new(),
            end: at(),
            taken: at(),
            durable: at(),
            needed: at(),
            redo: at(),
            noted: at(),
            head: AtomicU64::new(0),
            refuses: AtomicBool::new(false),
            image_bytes: AtomicU64::new(0),
        })
    }

    /// Where redo begins after a crash from now on, or soon: pages that are older need an image in their first record.
    pub fn redo(&self) -> Lsn {
        self.redo.load(Acquire)
    }

    /// One past the last record.
    pub fn end(&self) -> Lsn {
        self.end.load(Acquire)
    }

    pub fn durable(&self) -> Lsn {
        self.durable.load(Acquire)
    }

    /// Up to where what was appended is on stable storage; what is only a mark does not count.
    pub fn stable(&self) -> Lsn {
        self.durable().min(self.end())
    }

    /// Whether more is stable than the note says.
    pub fn has_news(&self) -> bool {
        self.stable() > self.noted.load(Relaxed)
    }

    /// Notes up to where the log is stable, for one thread: what fails is noted by the next call that has more to say.
    pub fn note_stable(&self) {
        let stable = self.stable();
        self.noted.store(stable, Relaxed);
        let _ = note::write(&*self.disk, self.incarnation, stable);
    }

    /// The head of the pages with this sequence is on stable storage from now on.
    pub fn note_head(&self, sequence: u64) {
        self.head.store(sequence, Relaxed);
    }

    /// Writes the head of the log, and syncs it.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`.
    pub fn write_head(&self, head: &LogHead) -> Result<()> {
        head.write(&*self.disk)
    }

    /// Bytes that a crash would have to read now.
    pub fn needed_bytes(&self) -> u64 {
        self.end().saturating_sub(self.needed.load(Acquire))
    }

    /// Bytes of the ring.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Why nothing is appended now, other than that the log was closed. Reading and writing pages that the log is not needed for go on.
    pub fn failure(&self) -> Option<Error> {
        let refusal = if self.refuses.load(Relaxed) { self.state.lock().refusal().cloned() } else { None };
        refusal.filter(|error| error.code != ErrorCode::Closed)
    }

    /// How often it could not be written, and the newest of these failures.
    pub fn failures(&self) -> (u64, Option<FlushFailure>) {
        let state = self.state.lock();
        (state.flushes.failed(), state.flushes.last_failure().cloned())
    }

    pub fn counters(&self) -> LogCounters {
        let state = self.state.lock();
        LogCounters {
            ring_bytes: self.capacity,
            needed_bytes: self.needed_bytes(),
            end: self.end(),
            durable: self.stable(),
            records: state.records,
            image_bytes: self.image_bytes.load(Relaxed),
            syncs: state.syncs,
            heap_bytes: state.pending.heap_bytes() as u64,
        }
    }

    /// Appends a record, `images` bytes of which are of pages' images; answers the position after it. `redo`: what `Log::redo` said when the payload was made.
    ///
    /// # Errors
    /// See `Refused`; then nothing was appended.
    pub fn append(&self, segment: u16, payload: &[u8], images: usize, redo: Lsn) -> std::result::Result<Lsn, Refused> {
        let payload = Payload::new(self.incarnation, payload);
        let mut state = self.state.lock();
        if let Some(refusal) = state.refusal() {
            return Err(Refused::Failed(refusal.clone()));
        }
        if self.redo() != redo {
            return Err(Refused::RedoMoved);
        }
        let bytes = (RECORD_HEADER + payload.bytes.len()) as u64;
        // The block in which the last record ends is written whole, and a checkpoint and marks need room, too.
        if (state.pending.end() + bytes).next_multiple_of(BLOCK) + 4 * BLOCK - self.needed.load(Relaxed) > self.capacity {
            return Err(Refused::Full);
        }
        let end = self.push(&mut state, segment, &payload).map_err(Refused::Failed)?;
        state.records += 1;
        if images > 0 {
            self.image_bytes.fetch_add(images as u64, Relaxed);
        }
        Ok(end)
    }

    fn push(&self, state: &mut State, segment: u16, payload: &Payload<'_>) -> Result<Lsn> {
        let end = state.pending.append(segment, payload).map_err(|error| Error::io("appending to the log", &error))?;
        self.end.store(end, Release);
        Ok(end)
    }

    /// Bytes that nobody has begun to write.
    pub fn pending_bytes(&self) -> u64 {
        self.end().saturating_sub(self.taken.load(Relaxed))
    }

    /// Whether `admit` would not wait.
    pub fn calm(&self) -> bool {
        self.pending_bytes() < PENDING_MAX && self.needed_bytes() <= self.capacity / 8 * 7 && !self.refuses.load(Relaxed)
    }

    /// Waits, with no page held, until appends may add to what waits to be written and to what a crash would read: while less than
    /// an eighth of the ring is free, for a checkpoint.
    ///
    /// # Errors
    /// `device_overload` at the `deadline`; as `sync`.
    pub fn admit(&self, deadline: Instant) -> Result<()> {
        if self.calm() {
            return Ok(());
        }
        let mut state = self.state.lock();
        while !self.calm() {
            if let Some(refusal) = state.refusal() {
                return Err(refusal.clone());
            }
            if !state.flushes.under_way() && self.pending_bytes() >= PENDING_MAX {
                self.flush(&mut state)?;
            } else if self.flushed.wait_until(&mut state, deadline).timed_out() && !self.calm() {
                return Err(Error::said(ErrorCode::DeviceOverload, sentence!("the log cannot keep up with the writes; try again later")));
            }
        }
        Ok(())
    }

    /// Waits until everything before `lsn`, as far as there is something, is on stable storage.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`: nothing is appended until a later call has succeeded.
    pub fn sync(&self, lsn: Lsn) -> Result<()> {
        let lsn = lsn.min(self.end());
        if self.durable() >= lsn {
            return Ok(());
        }
        let mut state = self.state.lock();
        let is_stable = |state: &mut State| match &state.over {
            _ if self.durable() >= lsn => Ok(true),
            Some(over) => Err(over.clone()),
            None => Ok(false),
        };
        wait_until_stable(&mut state, &self.flushed, is_stable, |state| self.flush(state))
    }

    /// Writes and syncs what there is; others append meanwhile. A panic ends the log, as nobody knows what it has left.
    fn flush(&self, state: &mut MutexGuard<'_, State>) -> Result<()> {
        if let Some(over) = &state.over {
            return Err(over.clone());
        }
        let failed = |error: io::Error| Error::io("writing the log", &error);
        let batch = self.mark(state).and_then(|()| state.pending.take()).map_err(failed)?;
        self.taken.store(batch.end, Relaxed);
        state.flushes.begin();
        let written = catch_unwind(AssertUnwindSafe(|| MutexGuard::unlocked(state, || self.write(&batch).and_then(|()| self.disk.sync()))));
        state.flushes.end();
        let written = written.unwrap_or_else(|panic| {
            let error = Error::said(ErrorCode::NamespacePoisoned, sentence!("writes are stopped: a worker failed while writing the log"));
            state.over.get_or_insert(error);
            self.refuses.store(true, Relaxed);
            self.flushed.notify_all();
            resume_unwind(panic)
        });
        state.syncs += 1;
        match written {
            Ok(()) => {
                self.durable.fetch_max(batch.end, Release);
                state.pending.written(batch);
                state.flushes.succeeded();
            }
            Err(error) => {
                self.taken.store(self.durable(), Relaxed);
                state.flushes.fail(failed(error));
                state.over = state.over.take().or(state.pending.restore(batch).err().map(failed));
            }
        }
        self.refuses.store(state.refusal().is_some(), Relaxed);
        self.flushed.notify_all();
        state.flushes.check()
    }

    /// Says behind what is about to be written what is on stable storage. Without room it is left out.
    fn mark(&self, state: &mut State) -> io::Result<()> {
        let end = state.pending.end() + (RECORD_HEADER + Mark::BYTES) as u64;
        if end.next_multiple_of(BLOCK) - self.needed.load(Relaxed) <= self.capacity {
            let mark = Mark { stable: self.durable(), head: self.head.load(Relaxed) };
            state.pending.append(MARK, &Payload::new(self.incarnation, &mark.payload()))?;
        }
        Ok(())
    }

    fn write(&self, batch: &Batch) -> io::Result<()> {
        let at = batch.begins % self.capacity;
        let (first, second) = batch.bytes.split_at(batch.bytes.len().min((self.capacity - at) as usize));
        self.disk.write_at(first, RING_AT + at)?;
        if second.is_empty() { Ok(()) } else { self.disk.write_at(second, RING_AT) }
    }

    /// Begins a checkpoint: what is appended from now on, beginning at the answer, is what redo will read once it has ended. A record of
    /// nothing fills the block before, so that the answer is a multiple of 4 KiB.
    ///
    /// # Errors
    /// `storage_failed`; `device_full` where there is no room for that: then a checkpoint that is under way has to end first.
    pub fn begin_checkpoint(&self) -> Result<Lsn> {
        let mut state = self.state.lock();
        let end = state.pending.end();
        if !end.is_multiple_of(BLOCK) {
            let redo = (end + RECORD_HEADER as u64).next_multiple_of(BLOCK);
            if redo - self.needed.load(Relaxed) > self.capacity {
                return Err(Error::said(ErrorCode::DeviceFull, sentence!("the log is full")));
            }
            let filler = vec![0; (redo - end) as usize - RECORD_HEADER];
            self.push(&mut state, FILLER, &Payload::new(self.incarnation, &filler))?;
        }
        let redo = state.pending.end();
        self.end.store(redo, Release);
        self.redo.store(redo, Release);
        Ok(redo)
    }

    /// Ends a checkpoint, once the head on stable storage names `redo`: what lies before is not needed any more.
    pub fn end_checkpoint(&self, redo: Lsn) {
        let _state = self.state.lock();
        self.needed.store(redo, Release);
        self.flushed.notify_all();
    }

    /// Nothing is appended from now on, and `over` says why.
    pub fn close(&self, over: Error) {
        let mut state = self.state.lock();
        state.over.get_or_insert(over);
        self.refuses.store(true, Relaxed);
        self.flushed.notify_all();
    }
}

#[cfg(test)]
mod tests;
