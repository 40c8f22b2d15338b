//! Blocks that are not yet on stable storage. Nothing here does I/O or waits; one lock around it is held for a copy at most.
//!
//! Entries go to the open block. A block too full for the next entry is closed and never changes again. Pieces of blocks
//! are taken to be written; a block leaves the queue when a sync covered it, because after a failed sync only writing
//! everything since the last good one again makes it stored.

use super::entry::Entry;
use super::headers::{BlockHeader, HEADER_BYTES};
use super::options::DeviceOptions;
use super::place::{Place, padded};
use super::seal::Seal;
use crate::error::{Error, ErrorCode, Result};
use crate::storage::Location;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Closed blocks' buffers kept for the next blocks.
const SPARE_BUFFERS: usize = 8;

#[derive(Debug)]
struct Block<B> {
    number: u64,
    bytes: B,
    /// How far the bytes are handed to the disk, and how far they are on stable storage.
    written: usize,
    synced: usize,
}

/// Bytes to be written at `offset`: `bytes[range]`.
#[derive(Debug)]
pub struct Piece {
    pub offset: u64,
    pub bytes: Arc<Vec<u8>>,
    pub range: Range<usize>,
}

/// What one flush writes; `upto` is the last sequence number in it or before it.
#[derive(Debug, Default)]
pub struct Batch {
    pub pieces: Vec<Piece>,
    pub upto: u64,
}

#[derive(Debug)]
pub struct Queue {
    namespace_id: [u8; 16],
    block_bytes: usize,
    capacity_bytes: u64,
    seal: Seal,
    run: u32,
    closed: VecDeque<Block<Arc<Vec<u8>>>>,
    open: Option<Block<Vec<u8>>>,
    spare: Vec<Vec<u8>>,
    next_block: u64,
    next_sequence: u64,
    durable: u64,
    unsynced: u64,
    dirty_since: Option<Instant>,
}

impl Queue {
    /// A queue that goes on after the blocks below `next_block` and the entries up to `durable`.
    pub fn new(options: &DeviceOptions, run: u32, next_block: u64, durable: u64) -> Self {
        Self {
            namespace_id: options.namespace_id,
            block_bytes: options.write_block_bytes as usize,
            capacity_bytes: options.capacity_bytes,
            seal: Seal::new(&options.namespace_id),
            run,
            closed: VecDeque::new(),
            open: None,
            spare: Vec::new(),
            next_block,
            next_sequence: durable.saturating_add(1),
            durable,
            unsynced: 0,
            dirty_since: None,
        }
    }

    /// Appends an entry; nothing changes on an error.
    ///
    /// # Errors
    /// `record_too_large` for a block, `device_full` when a new block would pass the capacity.
    pub fn append(&mut self, entry: &Entry<'_>, body_crc: u32) -> Result<Location> {
        let length = padded(entry.length());
        if length > self.block_bytes - HEADER_BYTES {
            return Err(Error::new(
                ErrorCode::RecordTooLarge,
                format!("a record of {length} bytes does not fit into a write block of {} bytes", self.block_bytes),
            ));
        }
        let fits = self.open.as_ref().is_some_and(|open| open.bytes.len() + length <= self.block_bytes);
        if !fits {
            self.open_block()?;
        }
        let Some(open) = &mut self.open else {
            return Err(Error::new(ErrorCode::Internal, "no write block is open"));
        };
        let offset = open.number * self.block_bytes as u64 + open.bytes.len() as u64;
        let place = Place { offset, length: length as u32 };
        let location = place.pack().ok_or_else(|| Error::new(ErrorCode::DeviceFull, "the data file is at its largest size"))?;
        entry.encode(self.next_sequence, body_crc, self.seal, offset, &mut open.bytes);
        self.next_sequence += 1;
        self.unsynced += length as u64;
        self.dirty_since.get_or_insert_with(Instant::now);
        Ok(location)
    }

    fn open_block(&mut self) -> Result<()> {
        let end = (self.next_block + 1).saturating_mul(self.block_bytes as u64);
        if self.capacity_bytes != 0 && end > self.capacity_bytes {
            return Err(Error::new(ErrorCode::DeviceFull, format!("the namespace's capacity of {} bytes is used up", self.capacity_bytes)));
        }
        if let Some(Block { number, bytes, written, synced }) = self.open.take() {
            self.closed.push_back(Block { number, bytes: Arc::new(bytes), written, synced });
        }
        let mut bytes = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.block_bytes));
        let header = BlockHeader {
            namespace_id: self.namespace_id,
            block_bytes: self.block_bytes as u32,
            number: self.next_block,
            run: self.run,
            first_sequence: self.next_sequence,
            durable_sequence: self.durable,
        };
        bytes.extend_from_slice(&header.encode());
        self.unsynced += HEADER_BYTES as u64;
        self.open = Some(Block { number: self.next_block, bytes, written: 0, synced: 0 });
        self.next_block += 1;
        Ok(())
    }

    /// Takes what is not yet written: closed blocks, and with `all` the open one's part too (a copy).
    pub fn take(&mut self, all: bool) -> Batch {
        let block_bytes = self.block_bytes as u64;
        let offset = |number: u64, from: usize| number * block_bytes + from as u64;
        let mut batch = Batch { pieces: Vec::new(), upto: self.durable };
        for block in self.closed.iter_mut().filter(|b| b.written < b.bytes.len()) {
            let range = block.written..block.bytes.len();
            batch.pieces.push(Piece { offset: offset(block.number, range.start), bytes: Arc::clone(&block.bytes), range });
            block.written = block.bytes.len();
        }
        if all {
            if let Some(open) = self.open.as_mut().filter(|b| b.written < b.bytes.len()) {
                let copy = open.bytes[open.written..].to_vec();
                let range = 0..copy.len();
                batch.pieces.push(Piece { offset: offset(open.number, open.written), bytes: Arc::new(copy), range });
                open.written = open.bytes.len();
            }
            batch.upto = self.last_sequence();
        }
        batch
    }

    /// A sync covered `batch` and all that was taken before it.
    pub fn synced(&mut self, batch: Batch) {
        self.durable = self.durable.max(batch.upto);
        drop(batch);
        while self.closed.front().is_some_and(|block| block.written == block.bytes.len()) {
            let Some(block) = self.closed.pop_front() else { break };
            self.unsynced -= (block.bytes.len() - block.synced) as u64;
            // A reader may still hold the buffer; then it is simply not reused.
            if let Ok(mut bytes) = Arc::try_unwrap(block.bytes)
                && self.spare.len() < SPARE_BUFFERS
            {
                bytes.clear();
                self.spare.push(bytes);
            }
        }
        for block in &mut self.closed {
            self.unsynced -= (block.written - block.synced) as u64;
            block.synced = block.written;
        }
        if let Some(open) = &mut self.open {
            self.unsynced -= (open.written - open.synced) as u64;
            open.synced = open.written;
        }
        self.dirty_since = (self.unsynced > 0).then(Instant::now);
    }

    /// A write or sync failed: everything since the last good sync has to be written again.
    pub fn failed(&mut self) {
        for block in &mut self.closed {
            block.written = block.synced;
        }
        if let Some(open) = &mut self.open {
            open.written = open.synced;
        }
    }

    /// Copies the entry at `place` into `out` (cleared first), if its block is still here.
    pub fn copy(&self, place: Place, out: &mut Vec<u8>) -> bool {
        let number = place.offset / self.block_bytes as u64;
        let start = (place.offset % self.block_bytes as u64) as usize;
        let bytes = match &self.open {
            Some(open) if open.number == number => Some(&open.bytes),
            _ => number.checked_sub(self.first_buffered()).and_then(|at| self.closed.get(at as usize)).map(|b| &*b.bytes),
        };
        let Some(found) = bytes.and_then(|bytes| bytes.get(start..start + place.length as usize)) else { return false };
        out.clear();
        out.extend_from_slice(found);
        true
    }

    /// The lowest block that may have to be read from here; grows only.
    pub fn first_buffered(&self) -> u64 {
        let open = self.open.as_ref().map_or(self.next_block, |b| b.number);
        self.closed.front().map_or(open, |b| b.number)
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

    /// Since when there have been bytes that are not on stable storage.
    pub const fn dirty_since(&self) -> Option<Instant> {
        self.dirty_since
    }

    /// Whether a closed block waits to be written.
    pub fn has_full_blocks(&self) -> bool {
        self.closed.back().is_some_and(|b| b.written < b.bytes.len())
    }

    /// Whether this run has begun a block.
    pub const fn begun(&self) -> bool {
        self.open.is_some()
    }

    /// End of the last block begun, bytes.
    pub const fn end(&self) -> u64 {
        self.next_block * self.block_bytes as u64
    }

    /// Memory held by buffers, bytes.
    pub fn memory_bytes(&self) -> u64 {
        let buffers = self.closed.len() + self.spare.len() + usize::from(self.open.is_some());
        (buffers * self.block_bytes) as u64
    }
}
