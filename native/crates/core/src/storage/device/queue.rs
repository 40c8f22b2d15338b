//! Entries on their way to stable storage. Nothing here does I/O or waits; one lock around it is held for a copy at most.
//!
//! Entries go to the open block. A block too full for the next entry is closed and never changes again. Pieces of blocks
//! are taken to be written; a block leaves the queue when a sync covered it, because after a failed sync only writing
//! everything since the last good one again makes it stored.

use super::blocks::{BlockState, Blocks};
use super::buffered::Buffered;
use super::entry::{ENTRY_HEADER_BYTES, Entry, EntryKind};
use super::headers::{BlockHeader, BlockUse, HEADER_BYTES};
use super::options::DeviceOptions;
use super::place::{Place, padded};
use super::seal::Seal;
use super::space::{Purpose, Space};
use crate::error::{Error, ErrorCode, Result};
use crate::storage::Location;
use crate::storage::io::AlignedBuffer;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// An empty end of a block is written with it where it is at most this part of the block.
const TAIL_PART: usize = 8;
/// Most marks written in one go, each in a buffer of its own.
const MARKS_MOST: usize = 1024;
/// Closed blocks' buffers kept for the next blocks while nothing waits to be stored.
pub(super) const SPARE_BUFFERS: usize = 8;

#[derive(Debug)]
struct Block<B> {
    number: u64,
    bytes: B,
    /// How far the bytes are filled, handed to the disk, and on stable storage.
    filled: usize,
    written: usize,
    synced: usize,
}

/// Bytes to be written at `offset`: `bytes[range]`, aligned.
#[derive(Debug)]
pub struct Piece {
    pub offset: u64,
    pub bytes: Arc<AlignedBuffer>,
    pub range: Range<usize>,
}

/// What one flush writes; `upto` is the last sequence number in it or before it.
#[derive(Debug, Default)]
pub struct Batch {
    pub pieces: Vec<Piece>,
    pub upto: u64,
}

/// What a queue works with.
pub struct Parts {
    pub blocks: Arc<Blocks>,
    pub buffered: Arc<Buffered>,
    pub space: Space,
    /// Of every write: offset, length and address. At least what a disk writes whole or not at all, so that no sector has
    /// both new bytes and such as are left from an earlier use.
    pub alignment: usize,
}

pub struct Queue {
    namespace_id: [u8; 16],
    block_bytes: usize,
    cached_blocks: usize,
    seal: Seal,
    run: u32,
    parts: Parts,
    closed: VecDeque<Block<Arc<AlignedBuffer>>>,
    open: Option<Block<AlignedBuffer>>,
    /// Bytes of the open block's records that its count does not have yet.
    uncounted: u32,
    /// Blocks of the post-write cache, oldest first.
    cached: VecDeque<u64>,
    spare: Vec<AlignedBuffer>,
    /// Buffers kept during a load: as many as wait to be stored before writers do.
    most_spare: usize,
    /// Blocks whose marks have to be written, and those on their way to the disk.
    unmarked: Vec<u64>,
    marking: Vec<u64>,
    next_sequence: u64,
    durable: u64,
    unsynced: u64,
    dirty_since: Option<Instant>,
}

impl Queue {
    /// A queue of run `run` that goes on after the entries up to `durable`.
    pub fn new(options: &DeviceOptions, parts: Parts, run: u32, durable: u64) -> Self {
        let block_bytes = options.write_block_bytes as usize;
        Self {
            namespace_id: options.namespace_id,
            block_bytes,
            cached_blocks: (options.post_write_cache_bytes / block_bytes as u64) as usize,
            seal: Seal::new(&options.namespace_id),
            run,
            parts,
            closed: VecDeque::new(),
            open: None,
            uncounted: 0,
            cached: VecDeque::new(),
            spare: Vec::new(),
            most_spare: SPARE_BUFFERS.max((options.buffer_bytes / block_bytes as u64) as usize),
            unmarked: Vec::new(),
            marking: Vec::new(),
            next_sequence: durable.saturating_add(1),
            durable,
            unsynced: 0,
            dirty_since: None,
        }
    }

    /// Appends an entry and counts it in its block; nothing changes on an error.
    ///
    /// # Errors
    /// `record_too_large` for a block, `device_full` when no block may be begun for `purpose`, `storage_failed` without memory.
    pub fn append(&mut self, entry: &Entry<'_>, body_crc: u32, purpose: Purpose) -> Result<Location> {
        let length = padded(entry.length());
        if length > self.block_bytes - HEADER_BYTES {
            return Err(Error::new(
                ErrorCode::RecordTooLarge,
                format!("a record of {length} bytes does not fit into a write block of {} bytes", self.block_bytes),
            ));
        }
        let fits = self.open.as_ref().is_some_and(|open| open.filled + length <= self.block_bytes);
        let allowed = if fits { self.parts.space.may_fill(purpose) } else { self.parts.space.may_open(purpose) };
        if !allowed {
            return Err(Error::new(ErrorCode::DeviceFull, "the namespace's device has no room left"));
        }
        if !fits {
            self.open_block()?;
        }
        let internal = |what: &str| Error::new(ErrorCode::Internal, what.to_owned());
        let open = self.open.as_mut().ok_or_else(|| internal("no write block is open"))?;
        let (start, end) = (open.filled, open.filled + length);
        let place = Place { offset: open.number * self.block_bytes as u64 + start as u64, length: length as u32 };
        let location = place.pack().ok_or_else(|| Error::new(ErrorCode::DeviceFull, "the data file is at its largest size"))?;
        open.bytes.set_len(end).map_err(|_| internal("a write block is larger than its buffer"))?;
        entry.encode(self.next_sequence, body_crc, self.seal, place.offset, &mut open.bytes[start..end]);
        open.filled = end;
        match entry.kind {
            EntryKind::Record => self.uncounted += length as u32,
            EntryKind::Tombstone => self.parts.blocks.tombstone_lives(open.number, length as u32),
            EntryKind::Close | EntryKind::End => {}
        }
        self.next_sequence += 1;
        self.unsynced += length as u64;
        self.dirty_since.get_or_insert_with(Instant::now);
        Ok(location)
    }

    /// The disk that has to have room for an entry, and how far; `None` where the open block has it. A write leaves room for another block,
    /// so that what is full can be deleted from.
    pub fn wants_room(&self, entry: &Entry<'_>, purpose: Purpose) -> Option<(usize, u64)> {
        let fits = self.open.as_ref().is_some_and(|open| open.filled + padded(entry.length()) <= self.block_bytes);
        if fits { None } else { self.parts.space.next_end(purpose == Purpose::Write) }
    }

    fn open_block(&mut self) -> Result<()> {
        let bytes = self.spare.pop().map_or_else(|| AlignedBuffer::new(self.block_bytes), Ok);
        let mut bytes = bytes.map_err(|e| Error::io("getting memory for a write block", &e))?;
        let full = || Error::new(ErrorCode::DeviceFull, "the namespace's device has no room left");
        let number = self.parts.space.take().ok_or_else(full)?;
        self.close_block();
        let header = self.header(number, BlockUse::Entries, self.next_sequence);
        bytes.clear();
        bytes.extend_from_slice(&header).map_err(|e| Error::io("beginning a write block", &e.into()))?;
        self.parts.blocks.empty(number);
        self.parts.blocks.set_state(number, BlockState::Open);
        self.unsynced += HEADER_BYTES as u64;
        self.open = Some(Block { number, bytes, filled: HEADER_BYTES, written: 0, synced: 0 });
        Ok(())
    }

    fn close_block(&mut self) {
        // Before it can be stored: a stored block without kept bytes is taken for empty.
        self.count();
        let Some(Block { number, mut bytes, filled, written, synced }) = self.open.take() else { return };
        let end = filled + padded(ENTRY_HEADER_BYTES);
        let mut filled = filled;
        // Where there is no room for the mark, what is left of the last sector is zeros.
        if end <= self.block_bytes && bytes.set_len(end).is_ok() {
            let mark = Entry::mark(EntryKind::End);
            let offset = number * self.block_bytes as u64 + filled as u64;
            mark.encode(self.next_sequence, mark.body_crc(), self.seal, offset, &mut bytes[filled..end]);
            self.next_sequence += 1;
            self.unsynced += (end - filled) as u64;
            filled = end;
        }
        // Up to the next block where it is near: blocks one behind the other then go to the disk as one write.
        let near = self.block_bytes - filled <= self.block_bytes / TAIL_PART;
        let end = if near { self.block_bytes } else { filled.next_multiple_of(self.parts.alignment) };
        // Never past the capacity, as a block is a multiple of any alignment.
        let _ = bytes.resize_zeroed(end);
        let bytes = Arc::new(bytes);
        self.parts.buffered.insert(number, Arc::clone(&bytes));
        self.parts.blocks.set_filled(number, filled as u32);
        self.parts.blocks.set_state(number, BlockState::Buffered);
        self.closed.push_back(Block { number, bytes, filled, written, synced });
    }

    fn header(&self, number: u64, holds: BlockUse, first_sequence: u64) -> [u8; HEADER_BYTES] {
        let header = BlockHeader {
            holds,
            namespace_id: self.namespace_id,
            block_bytes: self.block_bytes as u32,
            number,
            run: self.run,
            first_sequence,
            durable_sequence: self.durable,
        };
        header.encode()
    }

    /// Takes what is not yet written: closed blocks, and with `all` the open one's part (a copy) and the marks too.
    ///
    /// # Errors
    /// `OutOfMemory`; what was taken has to be given back with `failed`.
    pub fn take(&mut self, all: bool) -> std::io::Result<Batch> {
        let (block_bytes, alignment) = (self.block_bytes as u64, self.parts.alignment);
        let aligned = |from: usize, to: usize| from / alignment * alignment..to.next_multiple_of(alignment);
        let mut batch = Batch { pieces: Vec::new(), upto: self.durable };
        for block in self.closed.iter_mut().filter(|b| b.written < b.filled) {
            let range = aligned(block.written, block.bytes.len());
            let offset = block.number * block_bytes + range.start as u64;
            batch.pieces.push(Piece { offset, bytes: Arc::clone(&block.bytes), range });
            block.written = block.filled;
        }
        if !all {
            return Ok(batch);
        }
        if let Some(open) = self.open.as_mut().filter(|b| b.written < b.filled) {
            let range = aligned(open.written, open.filled);
            let mut copy = AlignedBuffer::new(range.len())?;
            copy.extend_from_slice(&open.bytes[range.start..open.filled])?;
            copy.resize_zeroed(range.len())?;
            let offset = open.number * block_bytes + range.start as u64;
            batch.pieces.push(Piece { offset, bytes: Arc::new(copy), range: 0..range.len() });
            open.written = open.filled;
        }
        let more = self.unmarked.len().min(MARKS_MOST.saturating_sub(self.marking.len()));
        self.marking.extend(self.unmarked.drain(..more));
        for &number in &self.marking {
            let mut mark = AlignedBuffer::new(alignment.max(HEADER_BYTES))?;
            mark.extend_from_slice(&self.header(number, BlockUse::Nothing, self.last_sequence()))?;
            mark.resize_zeroed(HEADER_BYTES.next_multiple_of(alignment))?;
            let range = 0..mark.len();
            batch.pieces.push(Piece { offset: number * block_bytes, bytes: Arc::new(mark), range });
        }
        batch.upto = self.last_sequence();
        Ok(batch)
    }

    /// A sync covered `batch` and all that was taken before it. `stored` hears of each block that is now on stable storage as
    /// a whole.
    pub fn synced(&mut self, batch: Batch, stored: &mut dyn FnMut(u64)) {
        self.durable = self.durable.max(batch.upto);
        drop(batch);
        while self.closed.front().is_some_and(|block| block.written == block.filled) {
            let Some(block) = self.closed.pop_front() else { break };
            self.unsynced -= (block.filled - block.synced) as u64;
            drop(block.bytes);
            self.parts.blocks.set_state(block.number, BlockState::Cached);
            self.cached.push_back(block.number);
            stored(block.number);
        }
        while self.cached.len() > self.cached_blocks {
            let Some(number) = self.cached.pop_front() else { break };
            self.parts.blocks.set_state(number, BlockState::Stored);
            self.uncache(number);
        }
        for block in &mut self.closed {
            self.unsynced -= (block.written - block.synced) as u64;
            block.synced = block.written;
        }
        if let Some(open) = &mut self.open {
            self.unsynced -= (open.written - open.synced) as u64;
            open.synced = open.written;
        }
        std::mem::take(&mut self.marking).into_iter().for_each(|number| self.reclaim(number));
        self.dirty_since = (self.unsynced > 0 || !self.unmarked.is_empty()).then(Instant::now);
    }

    fn uncache(&mut self, number: u64) {
        // A reader may still hold the buffer; then it is simply not used again.
        if let Some(bytes) = self.parts.buffered.remove(number).and_then(|bytes| Arc::try_unwrap(bytes).ok())
            && self.spare.len() < self.most_spare
        {
            self.spare.push(bytes);
        }
    }

    /// Whether buffers are kept for a load.
    pub fn has_many_spare(&self) -> bool {
        self.spare.len() > SPARE_BUFFERS
    }

    /// No load runs: gives back the buffers that were kept for it.
    pub fn rest(&mut self) {
        self.spare.truncate(SPARE_BUFFERS);
    }

    /// A write or sync failed: everything since the last good sync has to be written again.
    pub fn failed(&mut self) {
        for block in &mut self.closed {
            block.written = block.synced;
        }
        if let Some(open) = &mut self.open {
            open.written = open.synced;
        }
        self.unmarked.append(&mut self.marking);
    }

    /// Gives up a stored block of which nothing is wanted: it is free once its mark is on stable storage.
    pub fn release(&mut self, number: u64) {
        if let Some(at) = self.cached.iter().position(|cached| *cached == number) {
            self.cached.remove(at);
            self.uncache(number);
        }
        self.parts.blocks.empty(number);
        self.parts.blocks.set_state(number, BlockState::Freeing);
        self.unmarked.push(number);
        self.dirty_since.get_or_insert_with(Instant::now);
    }

    /// Takes a block that is marked as free on the disk.
    pub fn reclaim(&mut self, number: u64) {
        self.parts.blocks.set_state(number, BlockState::Free);
        self.parts.space.give(number);
    }

    /// Whether blocks wait for their marks.
    pub fn has_marks(&self) -> bool {
        self.freeing_blocks() > 0
    }

    /// Blocks that wait for their marks.
    pub fn freeing_blocks(&self) -> u64 {
        (self.unmarked.len() + self.marking.len()) as u64
    }

    /// Blocks of the post-write cache.
    pub fn cached_blocks(&self) -> u64 {
        self.cached.len() as u64
    }

    /// Copies the entry at `place` into `out` (cleared first), if its block is the open one.
    pub fn copy(&self, place: Place, out: &mut Vec<u8>) -> bool {
        let (number, start) = (place.offset / self.block_bytes as u64, (place.offset % self.block_bytes as u64) as usize);
        let open = self.open.as_ref().filter(|open| open.number == number);
        let Some(found) = open.and_then(|open| open.bytes.get(start..start + place.length as usize)) else { return false };
        out.clear();
        out.extend_from_slice(found);
        true
    }

    /// Counts the records of the open block. Not done as each comes: its count is in a line that all who replace records share.
    pub fn count(&mut self) {
        if let Some(open) = &self.open {
            self.parts.blocks.record_lives(open.number, std::mem::take(&mut self.uncounted));
        }
    }

    pub const fn space(&self) -> &Space {
        &self.parts.space
    }

    pub const fn last_sequence(&self) -> u64 {
        self.next_sequence - 1
    }

    /// Everything up to this sequence number is on stable storage.
    pub const fn durable(&self) -> u64 {
        self.durable
    }

    /// Bytes not yet on stable storage.
    pub const fn unsynced(&self) -> u64 {
        self.unsynced
    }

    /// Since when there has been something that is not on stable storage.
    pub const fn dirty_since(&self) -> Option<Instant> {
        self.dirty_since
    }

    /// Whether a closed block waits to be written.
    pub fn has_full_blocks(&self) -> bool {
        self.closed.back().is_some_and(|b| b.written < b.filled)
    }

    /// Whether this run has begun a block.
    pub const fn begun(&self) -> bool {
        self.open.is_some()
    }

    /// The open block, and how far entries go in it.
    pub fn open_end(&self) -> Option<(u64, u32)> {
        self.open.as_ref().map(|open| (open.number, open.filled as u32))
    }

    /// The run that the queue writes.
    pub const fn run(&self) -> u32 {
        self.run
    }

    /// Memory held by buffers, bytes.
    pub fn memory_bytes(&self) -> u64 {
        let buffers = self.parts.buffered.len() + self.spare.len() + usize::from(self.open.is_some());
        (buffers * self.block_bytes) as u64
    }
}
