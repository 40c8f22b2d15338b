//! One write block in memory, from its first entry until a sync has covered it whole.

use super::mark::Partial;
use super::writer::Piece;
use crate::device::format::headers::HEADER_BYTES;
use crate::device::format::parity::{HEADER_MOST, Need, Parity, headers};
use crate::device::format::place::{UNIT, padded};
use crate::device::format::seal::Seal;
use crate::device::format::summary::{BlockUseId, FRONT_AT, FRONT_PARITY_AT, SUMMARY_BYTES, Summary, Use, end_at};
use std::ops::Range;
use std::sync::Arc;
use tessera_io::AlignedBuffer;

/// Bytes of a block that no entry can have.
pub const OVERHEAD: usize = FRONT_PARITY_AT + (SUMMARY_BYTES + HEADER_MOST).next_multiple_of(UNIT);
/// An empty end of a block is written with it where it is at most this part of the block.
const TAIL_PART: usize = 8;
/// Parity takes at most this part of a block, before the entries and again behind them.
pub const PARITY_PART: usize = 16;

/// Bytes of a block's entries at most, if all are records of `length` bytes, padded, with headers of `header` bytes.
pub fn usable(block_bytes: usize, length: usize, header: usize) -> usize {
    let mut need = Need::default();
    (0..block_bytes.min(4 * 4096) / length.max(UNIT)).for_each(|n| need.add(n * length, header));
    let parity = need.rows(block_bytes / PARITY_PART) * need.width();
    block_bytes - padded(FRONT_PARITY_AT + parity) - SUMMARY_BYTES - parity
}

/// The parity of a block before it has entries.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub rows: usize,
    pub bytes: usize,
}

#[derive(Debug)]
pub struct WriteBlock<B> {
    pub id: BlockUseId,
    previous: BlockUseId,
    run: u32,
    pub bytes: B,
    /// Where its entries begin, and how many there are.
    pub begin: usize,
    count: u32,
    need: Need,
    /// Over the headers of all its entries; of at least as many rows as the block before needed.
    parity: Parity,
    rows: usize,
    /// How far the bytes are filled, handed to the disk, and on stable storage.
    pub filled: usize,
    pub written: usize,
    pub synced: usize,
    /// Of a closed block: where its parity and summary at the end begin, and whether they and those at the front were handed to the disk.
    tail: usize,
    sealed: bool,
}

impl WriteBlock<AlignedBuffer> {
    /// An empty block in `bytes`, with `header`, and with room for an entry of `length` bytes; `front` is the parity that it is
    /// going to have.
    ///
    /// # Errors
    /// Where `bytes` are too few.
    pub fn begin(
        (id, previous): (BlockUseId, BlockUseId),
        run: u32,
        header: &[u8; HEADER_BYTES],
        mut bytes: AlignedBuffer,
        (front, length): (Expected, usize),
        (seal, block_bytes): (Seal, usize),
    ) -> std::io::Result<Self> {
        let room = block_bytes.saturating_sub(OVERHEAD + length);
        let parity = front.bytes.next_multiple_of(UNIT).min(block_bytes / PARITY_PART);
        let begin = FRONT_PARITY_AT + parity.min(room) / UNIT * UNIT;
        let mut block = Self {
            id,
            previous,
            run,
            begin,
            count: 0,
            need: Need::default(),
            parity: Parity::default(),
            rows: front.rows,
            filled: begin,
            written: 0,
            synced: 0,
            tail: block_bytes,
            sealed: false,
            bytes: AlignedBuffer::empty(),
        };
        bytes.clear();
        bytes.extend_from_slice(header)?;
        let summary = block.summary(Use::Open);
        bytes.extend_from_slice(&summary.encode(&Parity::default(), seal, id.number * block_bytes as u64 + FRONT_AT as u64))?;
        bytes.resize_zeroed(begin)?;
        block.bytes = bytes;
        Ok(block)
    }

    /// Whether an entry of `length` bytes, padded, with a header of `header` bytes, has room beside the summary and parity.
    pub fn fits(&self, length: usize, header: usize, block_bytes: usize) -> bool {
        let parity = self.need.bytes_with(header, block_bytes / PARITY_PART);
        self.filled + length + SUMMARY_BYTES + parity <= block_bytes
    }

    /// Counts the entry that was put behind the others, of `length` bytes, padded, with a header of `header` bytes.
    pub fn appended(&mut self, length: usize, header: usize) {
        self.need.add(self.filled, header);
        let most = self.bytes.capacity() / PARITY_PART;
        let (rows, width) = (self.need.rows(most).max(self.rows), self.need.width());
        let entry = self.filled..self.filled + header;
        self.filled += length;
        if rows > self.parity.rows() || width > self.parity.width() {
            let entries = self.bytes.get(self.begin..self.filled).unwrap_or_default();
            (self.parity, self.rows) = (Parity::over(rows, width, headers(entries)), rows);
        } else {
            self.parity.fold(self.count as usize, self.bytes.get(entry).unwrap_or_default());
        }
        self.count += 1;
    }

    /// Ends it: no entry follows. Also says what parity the next one is going to have, if it is like this one.
    pub fn close(self, seal: Seal, block_bytes: usize) -> (WriteBlock<Arc<AlignedBuffer>>, Expected) {
        let summary = self.summary(Use::Closed);
        let Self { id, previous, run, mut bytes, begin, count, need, parity, rows, filled, written, synced, .. } = self;
        let fits = |most: usize| Some(&parity).filter(|parity| parity.bytes().len() <= most).cloned();
        let over = |bytes: &AlignedBuffer, most: usize| {
            let entries = bytes.get(begin..filled).unwrap_or_default();
            fits(most).unwrap_or_else(|| Parity::over(need.rows(most), need.width(), headers(entries)))
        };
        let room = (block_bytes - SUMMARY_BYTES).saturating_sub(filled).min(block_bytes / PARITY_PART);
        let end = over(&bytes, room);
        let front_room = begin - FRONT_PARITY_AT;
        let front = if end.bytes().len() <= front_room { end.clone() } else { over(&bytes, front_room) };
        let tail = end_at(block_bytes) - end.bytes().len();
        // Never past the capacity.
        let _ = bytes.resize_zeroed(block_bytes);
        summary.put(&mut bytes, (&front, &end), seal, id.number * block_bytes as u64);
        let next = need.rows(block_bytes / PARITY_PART);
        let next = Expected { rows: next, bytes: next * need.width() };
        let bytes = Arc::new(bytes);
        let block = WriteBlock { id, previous, run, bytes, begin, count, need, parity, rows, filled, written, synced, tail, sealed: false };
        (block, next)
    }
}

impl<B> WriteBlock<B> {
    fn summary(&self, state: Use) -> Summary {
        Summary {
            state,
            run: self.run,
            first: self.id.first,
            count: if state == Use::Closed { self.count } else { 0 },
            begin: self.begin as u32,
            filled: self.filled as u32,
            previous: self.previous,
        }
    }

    /// What a mark tells of it, with at most `most` bytes of parity; `bytes` are its own. Nothing where none of it is on stable storage.
    pub fn partial(&self, bytes: &[u8], most: usize) -> Option<Partial> {
        let entries = bytes.get(self.begin..self.synced)?;
        let parity = if self.parity.bytes().len() <= most {
            let mut parity = self.parity.clone();
            let later = || headers(bytes.get(self.synced..self.filled).unwrap_or_default());
            let first = self.count as usize - later().count();
            later().enumerate().for_each(|(at, header)| parity.fold(first + at, header));
            parity
        } else {
            Parity::over(self.need.rows(most), self.need.width(), headers(entries))
        };
        Some(Partial { id: self.id, begin: self.begin as u32, parity })
    }
}

impl WriteBlock<Arc<AlignedBuffer>> {
    /// Whether all of it was handed to the disk.
    pub const fn is_written(&self) -> bool {
        self.written == self.filled && self.sealed
    }

    /// The rest of it is handed to the disk: what lies between the entries and the summary only if that is little.
    pub fn take(&mut self, alignment: usize) -> Vec<Piece> {
        let block_bytes = self.bytes.len();
        let near = self.tail - self.filled <= block_bytes / TAIL_PART;
        let entries = self.written..if near { block_bytes } else { self.filled };
        let mut parts: Vec<Range<usize>> = vec![];
        for part in [0..self.begin, entries, self.tail..block_bytes] {
            let part = part.start / alignment * alignment..part.end.next_multiple_of(alignment);
            match parts.last_mut() {
                Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
                _ => parts.push(part),
            }
        }
        (self.written, self.sealed) = (self.filled, true);
        let offset = self.id.number * block_bytes as u64;
        parts.into_iter().map(|range| Piece { offset: offset + range.start as u64, bytes: Arc::clone(&self.bytes), range }).collect()
    }

    /// What was handed to the disk may not be there.
    pub const fn failed(&mut self) {
        (self.written, self.sealed) = (self.synced, false);
    }
}
