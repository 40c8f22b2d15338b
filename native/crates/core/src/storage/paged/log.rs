//! The write-ahead log: a ring of bytes on a disk of its own, and one position in it that all agree on.
//!
//! A record is 20 bytes of header and a payload: length of the payload (4 bytes), CRC32C (4) of the rest of the record seeded with the log's
//! incarnation, LSN (8), segment (2), two of zeros. The LSN of a record is the position where it begins, in bytes since the log was made; it lies at
//! that position modulo the ring. So what an earlier lap left is never taken for a record, and neither is, as every start has its own incarnation, what
//! a write that was lost in a crash was followed by.
//!
//! Group commit: the first that waits for its record writes all that there is, and syncs; those who come meanwhile wait for the next round.
//! A tail that ends within a block is written again with what follows, the same bytes at the same place, so that tearing it loses nothing.

use super::page::{u16_at, u32_at, u64_at};
use crate::error::{Error, ErrorCode, Result};
use crate::storage::io::{AlignedBuffer, Disk};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};

pub const RECORD_HEADER: usize = 20;
/// Longest payload of a record: pages of the largest change, with room.
pub const PAYLOAD_MAX: usize = 32 * 1024 * 1024;
/// Fewest bytes of the ring: two of the longest records.
pub const RING_MIN: u64 = (2 * (RECORD_HEADER + PAYLOAD_MAX) as u64).next_multiple_of(BLOCK);
/// Bytes that wait to be written before an append writes them itself.
const PENDING_MAX: u64 = 4 * 1024 * 1024;
/// The segment of a record that only fills a block.
const FILLER: u16 = u16::MAX;
/// What the disk is written in.
const BLOCK: u64 = AlignedBuffer::ALIGNMENT as u64;

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
    flushed: Condvar,
    durable: AtomicU64,
    /// What a page has to be as new as for its image not to be needed: where redo will begin.
    redo: AtomicU64,
}

struct State {
    /// What was appended since `begins`, which is a multiple of `BLOCK`.
    pending: Vec<u8>,
    begins: Lsn,
    /// Up to where `pending` has been taken to be written.
    taken: Lsn,
    /// The oldest record that a crash would need.
    needed: Lsn,
    flushing: bool,
    /// Why the last write failed: from then on nothing is appended.
    failure: Option<Error>,
}

impl State {
    fn end(&self) -> Lsn {
        self.begins + self.pending.len() as u64
    }
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
    /// `storage_failed`; `config_invalid` for a ring that is not a multiple of 4 KiB or shorter than two of the longest records.
    pub fn open(disk: Arc<dyn Disk>, capacity: u64, end: Lsn, incarnation: u32) -> Result<Self> {
        if !capacity.is_multiple_of(BLOCK) || capacity < RING_MIN {
            return Err(Error::new(ErrorCode::ConfigInvalid, format!("a log of {capacity} bytes is too short")));
        }
        let state = State { pending: Vec::new(), begins: end, taken: end, needed: end, flushing: false, failure: None };
        let (durable, redo) = (AtomicU64::new(end), AtomicU64::new(end));
        Ok(Self { disk, capacity, incarnation, state: Mutex::new(state), flushed: Condvar::new(), durable, redo })
    }

    /// Where redo begins after a crash from now on, or soon: pages that are older need an image in their first record.
    pub fn redo(&self) -> Lsn {
        self.redo.load(Acquire)
    }

    /// One past the last record.
    pub fn end(&self) -> Lsn {
        self.state.lock().end()
    }

    pub fn durable(&self) -> Lsn {
        self.durable.load(Acquire)
    }

    /// Bytes that a crash would have to read now.
    pub fn needed_bytes(&self) -> u64 {
        let state = self.state.lock();
        state.end() - state.needed
    }

    /// Appends a record; answers the position after it. `redo`: what `Log::redo` said when the payload was made.
    ///
    /// # Errors
    /// See `Refused`; then nothing was appended.
    pub fn append(&self, segment: u16, payload: &[u8], redo: Lsn) -> std::result::Result<Lsn, Refused> {
        let mut state = self.state.lock();
        if let Some(failure) = &state.failure {
            return Err(Refused::Failed(failure.clone()));
        }
        if self.redo() != redo {
            return Err(Refused::RedoMoved);
        }
        let bytes = (RECORD_HEADER + payload.len()) as u64;
        // The block in which the last record ends is written whole.
        if (state.end() + bytes).next_multiple_of(BLOCK) - state.needed > self.capacity {
            return Err(Refused::Full);
        }
        let end = self.push(&mut state, segment, payload);
        Ok(end)
    }

    fn push(&self, state: &mut State, segment: u16, payload: &[u8]) -> Lsn {
        let lsn = state.end();
        push_record(&mut state.pending, lsn, self.incarnation, segment, payload);
        state.end()
    }

    /// Waits, with no page held, until an append may add to what waits to be written.
    ///
    /// # Errors
    /// As `sync`.
    pub fn admit(&self) -> Result<()> {
        let mut state = self.state.lock();
        while state.end() - state.taken >= PENDING_MAX {
            self.turn(&mut state)?;
        }
        Ok(())
    }

    /// Takes part in one round of writing.
    fn turn(&self, state: &mut MutexGuard<'_, State>) -> Result<()> {
        match &state.failure {
            Some(failure) => return Err(failure.clone()),
            None if state.flushing => self.flushed.wait(state),
            None => self.flush(state)?,
        }
        Ok(())
    }

    /// Waits until everything before `lsn` is on stable storage.
    ///
    /// # Errors
    /// `storage_failed`: from then on nothing is appended.
    pub fn sync(&self, lsn: Lsn) -> Result<()> {
        if self.durable() >= lsn {
            return Ok(());
        }
        let mut state = self.state.lock();
        while self.durable() < lsn {
            self.turn(&mut state)?;
        }
        Ok(())
    }

    /// Writes and syncs what there is; others append meanwhile.
    fn flush(&self, state: &mut MutexGuard<'_, State>) -> Result<()> {
        let (begins, end) = (state.begins, state.end());
        let blocks = whole_blocks(&state.pending);
        state.taken = end;
        state.flushing = true;
        let written = MutexGuard::unlocked(state, || self.write(begins, &blocks?).and_then(|()| self.disk.sync()));
        state.flushing = false;
        match &written {
            Ok(()) => {
                // What fills whole blocks is done with; the rest is written again with what follows.
                let whole = end / BLOCK * BLOCK - begins;
                state.pending.drain(..whole as usize);
                state.begins += whole;
                self.durable.fetch_max(end, Release);
            }
            Err(error) => state.failure = Some(Error::io("writing the log", error)),
        }
        self.flushed.notify_all();
        state.failure.clone().map_or(Ok(()), Err)
    }

    fn write(&self, begins: Lsn, blocks: &[u8]) -> io::Result<()> {
        let at = begins % self.capacity;
        let (first, second) = blocks.split_at(blocks.len().min((self.capacity - at) as usize));
        self.disk.write_at(first, at)?;
        if second.is_empty() { Ok(()) } else { self.disk.write_at(second, 0) }
    }

    /// Begins a checkpoint: what is appended from now on, beginning at the answer, is what redo will read once it has ended. A record of
    /// nothing fills the block before, so that the answer is a multiple of 4 KiB.
    ///
    /// # Errors
    /// `storage_failed`; `device_full` where there is no room for that: then a checkpoint that is under way has to end first.
    pub fn begin_checkpoint(&self) -> Result<Lsn> {
        let mut state = self.state.lock();
        let end = state.end();
        if !end.is_multiple_of(BLOCK) {
            let redo = (end + RECORD_HEADER as u64).next_multiple_of(BLOCK);
            if redo - state.needed > self.capacity {
                return Err(Error::new(ErrorCode::DeviceFull, "the log is full"));
            }
            let filler = vec![0; (redo - end) as usize - RECORD_HEADER];
            self.push(&mut state, FILLER, &filler);
        }
        let redo = state.end();
        self.redo.store(redo, Release);
        Ok(redo)
    }

    /// Ends a checkpoint, once the head on stable storage names `redo`: what lies before is not needed any more.
    pub fn end_checkpoint(&self, redo: Lsn) {
        self.state.lock().needed = redo;
    }
}

fn whole_blocks(bytes: &[u8]) -> io::Result<AlignedBuffer> {
    let mut blocks = AlignedBuffer::new(bytes.len())?;
    blocks.extend_from_slice(bytes)?;
    blocks.resize_zeroed(bytes.len().next_multiple_of(BLOCK as usize))?;
    Ok(blocks)
}

fn crc_of(incarnation: u32, rest: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&incarnation.to_le_bytes()), rest)
}

fn push_record(out: &mut Vec<u8>, lsn: Lsn, incarnation: u32, segment: u16, payload: &[u8]) {
    let from = out.len();
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&lsn.to_le_bytes());
    out.extend_from_slice(&segment.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out.extend_from_slice(payload);
    let crc = crc_of(incarnation, &out[from + 8..]);
    out[from + 4..from + 8].copy_from_slice(&crc.to_le_bytes());
}

/// A record that was found.
#[derive(Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The position after it: the LSN of what it changes.
    pub end: Lsn,
    pub segment: u16,
    pub payload: &'a [u8],
}

/// Gives every record from `start` on to `each`, until there is none; answers where the last one ended.
///
/// # Errors
/// `storage_failed`, and what `each` refuses with.
pub fn replay(disk: &dyn Disk, capacity: u64, start: LogStart, each: &mut dyn FnMut(Record<'_>) -> Result<()>) -> Result<Lsn> {
    let mut bytes = Bytes { disk, capacity, at: start.redo, read: Vec::new(), length: disk.length().map_err(|error| failed(&error))? };
    let mut lsn = start.redo;
    loop {
        if lsn - start.redo + RECORD_HEADER as u64 > capacity || !bytes.fill(RECORD_HEADER)? {
            return Ok(lsn);
        }
        let length = u32_at(&bytes.read, 0) as usize;
        let whole = RECORD_HEADER + length;
        let fits = length <= PAYLOAD_MAX && u64_at(&bytes.read, 8) == lsn && lsn - start.redo + whole as u64 <= capacity;
        if !fits || !bytes.fill(whole)? {
            return Ok(lsn);
        }
        let record = &bytes.read[..whole];
        if u32_at(record, 4) != crc_of(start.incarnation, &record[8..]) {
            return Ok(lsn);
        }
        let segment = u16_at(record, 16);
        if segment != FILLER {
            each(Record { end: lsn + whole as u64, segment, payload: &record[RECORD_HEADER..] })?;
        }
        bytes.read.drain(..whole);
        lsn += whole as u64;
    }
}

fn failed(error: &io::Error) -> Error {
    Error::io("reading the log", error)
}

/// The ring, read from a position on.
struct Bytes<'a> {
    disk: &'a dyn Disk,
    capacity: u64,
    /// What `read` ends at.
    at: Lsn,
    read: Vec<u8>,
    length: u64,
}

impl Bytes<'_> {
    /// Reads on until there are `wanted` bytes; `false` where the disk has no more.
    fn fill(&mut self, wanted: usize) -> Result<bool> {
        const STEP: u64 = 1024 * 1024;
        while self.read.len() < wanted {
            let at = self.at % self.capacity;
            let step = STEP.min(self.capacity - at).min(self.length.saturating_sub(at) / BLOCK * BLOCK);
            if step == 0 {
                return Ok(false);
            }
            let mut buffer = AlignedBuffer::new(step as usize).map_err(|error| failed(&error))?;
            buffer.set_len(step as usize).map_err(|error| failed(&error.into()))?;
            self.disk.read_at(&mut buffer, at).map_err(|error| failed(&error))?;
            self.read.extend_from_slice(&buffer);
            self.at += step;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
