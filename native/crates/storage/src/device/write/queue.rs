//! Entries on their way to stable storage. Nothing here does I/O or waits; one lock around it is held for a copy at most.
//!
//! Entries go to the open block. A block too full for the next entry is closed: its summaries and parity are filled in, and it
//! never changes again. Pieces of blocks are taken to be written; a block leaves the queue when a sync covered it, because after
//! a failed sync only writing everything since the last good one again makes it stored.

use super::blocks::{BlockState, Blocks};
use super::buffered::Buffered;
use super::mark::{Known, parity_most};
use super::marks::{Marks, Next};
use super::space::{Purpose, Space};
use super::write_block::{Expected, OVERHEAD, PARITY_PART, WriteBlock};
use super::writer::Piece;
use crate::Location;
use crate::device::format::entry::{ENTRY_HEADER_BYTES, Entry, EntryKind, Stamp};
use crate::device::format::headers::{BlockHeader, BlockUse, HEADER_BYTES};
use crate::device::format::parity::Parity;
use crate::device::format::place::{Place, padded};
use crate::device::format::seal::Seal;
use crate::device::format::summary::{BlockUseId, FRONT_AT, SUMMARY_BYTES, Summary, Use, end_at};
use crate::device::options::DeviceOptions;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::AlignedBuffer;

/// Most marks of free blocks written in one go, each in buffers of its own.
const MARKS_MOST: usize = 1024;
/// Closed blocks' buffers kept for the next blocks while nothing waits to be stored.
pub const SPARE_BUFFERS: usize = 8;
/// Parity of the first block before there is one to go by.
const PARITY_FIRST: Expected = Expected { rows: 0, bytes: 256 };

/// What one flush writes; `upto` is the last sequence number in it or before it.
#[derive(Debug, Default)]
pub struct Batch {
    pub pieces: Vec<Piece>,
    pub upto: u64,
    /// The mark of the newest sync, if one is written, and what each disk gets of it.
    mark: Option<Next>,
    pub marks: Vec<Piece>,
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
    closed: VecDeque<WriteBlock<Arc<AlignedBuffer>>>,
    open: Option<WriteBlock<AlignedBuffer>>,
    /// The parity that a block is going to have, if it is like the last one that was closed.
    parity: Expected,
    marks: Marks,
    /// Bytes of the open block's records that its count does not have yet.
    uncounted: u32,
    /// Blocks of the post-write cache, oldest first.
    cached: VecDeque<u64>,
    spare: Vec<AlignedBuffer>,
    /// Buffers kept during a load: as many as wait to be stored before writers do.
    most_spare: usize,
    /// Blocks whose marks have to be written, and those on their way to the disk.
    unmarked: Vec<u64>,
    marking: Vec<BlockUseId>,
    next_sequence: u64,
    durable: u64,
    unsynced: u64,
    dirty_since: Option<Instant>,
}

impl Queue {
    /// A queue of run `run` that goes on after the entries up to `durable`, and after `marks`.
    pub fn new(options: &DeviceOptions, parts: Parts, run: u32, durable: u64, marks: Marks) -> Self {
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
            parity: PARITY_FIRST,
            marks,
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
        let (length, header) = (padded(entry.length()), ENTRY_HEADER_BYTES + entry.set.len());
        if length > self.block_bytes - OVERHEAD {
            return Err(Error::said(
                ErrorCode::RecordTooLarge,
                sentence!(
                    "a record of {length} bytes does not fit into a write block of {block} bytes",
                    length = length,
                    block = self.block_bytes
                ),
            ));
        }
        let fits = self.fits(entry);
        let allowed = if fits { self.parts.space.may_fill(purpose) } else { self.parts.space.may_open(purpose) };
        if !allowed {
            return Err(self.full_error());
        }
        if !fits {
            self.open_block(length)?;
        }
        let stamp = Stamp { sequence: self.next_sequence, durable: self.durable };
        let internal = |what: &str| Error::new(ErrorCode::Internal, what.to_owned());
        let open = self.open.as_mut().ok_or_else(|| internal("no write block is open"))?;
        let (start, end) = (open.filled, open.filled + length);
        let number = open.id.number;
        let place = Place { offset: number * self.block_bytes as u64 + start as u64, length: length as u32 };
        let location = place.pack().ok_or_else(|| Error::said(ErrorCode::DeviceFull, sentence!("the data file is at its largest size")))?;
        open.bytes.set_len(end).map_err(|_| internal("a write block is larger than its buffer"))?;
        entry.encode(stamp, body_crc, self.seal, place.offset, &mut open.bytes[start..end]);
        open.appended(length, header);
        match entry.kind {
            EntryKind::Record => self.uncounted += length as u32,
            EntryKind::Tombstone => self.parts.blocks.tombstone_lives(number, length as u32),
            EntryKind::Close => {}
        }
        self.next_sequence += 1;
        self.unsynced += length as u64;
        self.dirty_since.get_or_insert_with(Instant::now);
        Ok(location)
    }

    /// Whether no room has to be had for an entry: the open block has it, and may be filled.
    pub fn has_room(&self, entry: &Entry<'_>, purpose: Purpose) -> bool {
        self.fits(entry) && self.parts.space.may_fill(purpose)
    }

    fn fits(&self, entry: &Entry<'_>) -> bool {
        let (length, header) = (padded(entry.length()), ENTRY_HEADER_BYTES + entry.set.len());
        self.open.as_ref().is_some_and(|open| open.fits(length, header, self.block_bytes))
    }

    /// Why no block can be begun.
    pub fn full_error(&self) -> Error {
        let why = match self.parts.space.is_refused() {
            true => sentence!("the file system of the device is full"),
            false => sentence!("the device of the namespace has no room left"),
        };
        Error::said(ErrorCode::DeviceFull, why)
    }

    /// Begins a block that has room for an entry of `length` bytes.
    fn open_block(&mut self, length: usize) -> Result<()> {
        let bytes = self.spare.pop().map_or_else(|| AlignedBuffer::new(self.block_bytes), Ok);
        let bytes = bytes.map_err(|e| Error::io("getting memory for a write block", &e))?;
        let number = self.parts.space.take().ok_or_else(|| self.full_error())?;
        self.close_block();
        let id = BlockUseId { number, first: self.next_sequence };
        let header = self.header(number, BlockUse::Entries, id.first);
        let (ids, room, format) = ((id, self.marks.previous()), (self.parity, length), (self.seal, self.block_bytes));
        let open = WriteBlock::begin(ids, self.run, &header, bytes, room, format);
        let open = open.map_err(|e| Error::io("beginning a write block", &e))?;
        self.marks.note(Known { id, run: self.run, free: false, count: 0 });
        self.parts.blocks.empty(number);
        self.parts.blocks.set_state(number, BlockState::Open);
        self.unsynced += open.begin as u64;
        self.open = Some(open);
        Ok(())
    }

    /// Ends the open block: the next flush writes its summaries and parity.
    pub fn close_block(&mut self) {
        // Before it can be stored: a stored block without kept bytes is taken for empty.
        self.count();
        let Some(open) = self.open.take() else { return };
        let (block, parity) = open.close(self.seal, self.block_bytes);
        self.parity = parity;
        self.parts.buffered.insert(block.id.number, Arc::clone(&block.bytes));
        self.parts.blocks.set_filled(block.id.number, block.filled as u32);
        self.parts.blocks.set_begin(block.id.number, block.begin as u32);
        self.parts.blocks.set_state(block.id.number, BlockState::Buffered);
        self.closed.push_back(block);
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
        let mut batch = Batch { pieces: Vec::new(), upto: self.durable, ..Batch::default() };
        for block in self.closed.iter_mut().filter(|block| !block.is_written()) {
            batch.pieces.append(&mut block.take(alignment));
        }
        if !all {
            return Ok(batch);
        }
        let mark = self.marks.is_due().then(|| self.next_mark());
        if let Some(open) = self.open.as_mut().filter(|b| b.written < b.filled) {
            let range = open.written / alignment * alignment..open.filled.next_multiple_of(alignment);
            let mut copy = AlignedBuffer::new(range.len())?;
            copy.extend_from_slice(&open.bytes[range.start..open.filled])?;
            copy.resize_zeroed(range.len())?;
            let offset = open.id.number * block_bytes + range.start as u64;
            batch.pieces.push(Piece { offset, bytes: Arc::new(copy), range: 0..range.len() });
            open.written = open.filled;
        }
        let more = self.unmarked.len().min(MARKS_MOST.saturating_sub(self.marking.len()));
        let first = self.last_sequence();
        self.marking.extend(self.unmarked.drain(..more).map(|number| BlockUseId { number, first }));
        for id in &self.marking {
            batch.pieces.extend(self.free_mark(*id)?);
        }
        if let Some(mark) = mark {
            batch.marks = self.marks.pieces(&mark, self.seal)?;
            batch.mark = Some(mark);
        }
        batch.upto = self.last_sequence();
        Ok(batch)
    }

    /// What marks a block as free: a header and summary at its front, and a summary at its end, each the only thing in its sectors.
    fn free_mark(&self, id: BlockUseId) -> std::io::Result<[Piece; 2]> {
        let (block_bytes, alignment) = (self.block_bytes, self.parts.alignment);
        let start = id.number * block_bytes as u64;
        let summary =
            Summary { state: Use::Free, run: self.run, first: id.first, count: 0, begin: 0, filled: 0, previous: BlockUseId::default() };
        let sealed = |at: usize| summary.encode(&Parity::default(), self.seal, start + at as u64);
        let mut front = AlignedBuffer::new((FRONT_AT + SUMMARY_BYTES).next_multiple_of(alignment))?;
        front.extend_from_slice(&self.header(id.number, BlockUse::Nothing, id.first))?;
        front.extend_from_slice(&sealed(FRONT_AT))?;
        front.resize_zeroed((FRONT_AT + SUMMARY_BYTES).next_multiple_of(alignment))?;
        let tail = end_at(block_bytes) / alignment * alignment;
        let mut end = AlignedBuffer::new(block_bytes - tail)?;
        end.resize_zeroed(end_at(block_bytes) - tail)?;
        end.extend_from_slice(&sealed(end_at(block_bytes)))?;
        let piece = |offset: u64, bytes: AlignedBuffer| Piece { offset, range: 0..bytes.len(), bytes: Arc::new(bytes) };
        Ok([piece(start, front), piece(start + tail as u64, end)])
    }

    /// The mark of the newest sync.
    fn next_mark(&mut self) -> Next {
        let most = parity_most(self.block_bytes);
        let partial = match (self.closed.front(), &self.open) {
            (Some(block), _) => block.partial(&block.bytes, most),
            (None, Some(block)) => block.partial(&block.bytes, most),
            (None, None) => None,
        };
        let partial = partial.unwrap_or_default();
        self.marks.next(self.run, self.durable, partial)
    }

    /// The next flush writes a mark; one that says that the run was `closed` vouches for everything.
    pub fn ask_for_mark(&mut self, closed: bool) {
        self.marks.ask(closed);
    }

    /// Puts the mark off that was on its way; `false` if none was.
    pub fn put_mark_off(&mut self) -> bool {
        self.marks.put_off()
    }

    /// All could be written but the mark, for which something failed with `error`.
    pub fn mark_failed(&mut self, error: Error) {
        self.marks.failed(error);
    }

    /// The number of the newest mark that every disk has.
    pub const fn settled_mark(&self) -> u64 {
        self.marks.settled()
    }

    /// Why marks cannot be written to one of their slots, until one can.
    pub fn mark_failure(&self) -> Option<&Error> {
        self.marks.failure()
    }

    /// Whether a mark vouches for everything that is on stable storage.
    #[cfg(any(test, feature = "test-support"))]
    pub const fn is_marked(&self) -> bool {
        self.marks.upto() >= self.durable
    }

    /// When the next mark is due, if one is.
    pub const fn mark_due(&self) -> Option<Instant> {
        self.marks.due()
    }

    /// A sync covered `batch` and all that was taken before it. `stored` hears of each block that is now on stable storage as
    /// a whole.
    pub fn synced(&mut self, batch: Batch, stored: &mut dyn FnMut(u64)) {
        self.durable = self.durable.max(batch.upto);
        let Batch { pieces, mark, .. } = batch;
        self.marks.synced(&pieces, mark, self.durable);
        drop(pieces);
        while self.closed.front().is_some_and(WriteBlock::is_written) {
            let Some(block) = self.closed.pop_front() else { break };
            self.unsynced -= (block.filled - block.synced) as u64;
            drop(block.bytes);
            self.parts.blocks.set_state(block.id.number, BlockState::Cached);
            self.cached.push_back(block.id.number);
            stored(block.id.number);
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
        for id in std::mem::take(&mut self.marking) {
            self.marks.note(Known { id, run: self.run, free: true, count: 0 });
            self.reclaim(id.number);
        }
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
        self.closed.iter_mut().for_each(WriteBlock::failed);
        if let Some(open) = &mut self.open {
            open.written = open.synced;
        }
        self.unmarked.extend(self.marking.drain(..).map(|id| id.number));
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
        let open = self.open.as_ref().filter(|open| open.id.number == number);
        let Some(found) = open.and_then(|open| open.bytes.get(start..start + place.length as usize)) else { return false };
        out.clear();
        out.extend_from_slice(found);
        true
    }

    /// Counts the records of the open block. Not done as each comes: its count is in a line that all who replace records share.
    pub fn count(&mut self) {
        if let Some(open) = &self.open {
            self.parts.blocks.record_lives(open.id.number, std::mem::take(&mut self.uncounted));
        }
    }

    pub const fn space(&self) -> &Space {
        &self.parts.space
    }

    pub const fn space_mut(&mut self) -> &mut Space {
        &mut self.parts.space
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
        self.closed.back().is_some_and(|block| !block.is_written())
    }

    /// Whether this run has begun a block.
    pub const fn begun(&self) -> bool {
        self.open.is_some()
    }

    /// The open block, and how far entries go in it.
    pub fn open_end(&self) -> Option<(u64, u32)> {
        self.open.as_ref().map(|open| (open.id.number, open.filled as u32))
    }

    /// Bytes for entries of a block like the last one, and those that are left in the open one.
    pub fn usable(&self) -> (u64, u64) {
        let parity = self.parity.bytes.min(self.block_bytes / PARITY_PART);
        let left = self.open.as_ref().map_or(0, |open| self.block_bytes.saturating_sub(open.filled + OVERHEAD + parity));
        ((self.block_bytes - OVERHEAD - 2 * parity) as u64, left as u64)
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
