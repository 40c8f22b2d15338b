//! A record of the log as it lies in the ring, and reading records one after the other.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | length of the payload |
//! | 4..8 | CRC32C of the log's incarnation, the payload and bytes 8..20 |
//! | 8..16 | LSN: the position where the record begins |
//! | 16..18 | segment; 65,535 if the record only fills a block, 65,533 if it is a mark |
//! | 18..20 | zeros |
//! | 20.. | payload |
//!
//! A mark says what was on stable storage when the records before it were written: the log up to an LSN (8 bytes), and a head of the pages, by its sequence (8).
//! One ends each round of writing, so damage in one round is seen by the next.

use super::{BLOCK, LogStart, Lsn, PAYLOAD_MAX};
use crate::paged::page::{u16_at, u32_at, u64_at};
use std::io;
use tessera_base::{Error, Result};
use tessera_io::{AlignedBuffer, Disk};

/// Bytes of a record before its payload.
pub const RECORD_HEADER: usize = 20;
/// The segment of a record that only fills a block.
pub const FILLER: u16 = u16::MAX;
/// How far behind the last record others are looked for: as long a record as there may be, damaged, is passed over.
const AHEAD: u64 = super::RING_MIN;
/// The segment of a mark.
pub const MARK: u16 = 0xfffd;
/// Where the ring begins in its file: behind the two copies of the log's head, and the note.
pub const RING_AT: u64 = 3 * BLOCK;

/// What was on stable storage when something was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The log was, up to here.
    pub stable: Lsn,
    /// The head of the pages with this sequence was.
    pub head: u64,
}

impl Mark {
    /// Bytes of the payload.
    pub const BYTES: usize = 16;

    pub fn payload(self) -> [u8; Self::BYTES] {
        std::array::from_fn(|at| if at < 8 { self.stable.to_le_bytes()[at] } else { self.head.to_le_bytes()[at - 8] })
    }

    /// Takes note of what a mark in the log says.
    fn learn(&mut self, payload: &[u8]) {
        if payload.len() == Self::BYTES {
            self.stable = self.stable.max(u64_at(payload, 0));
            self.head = self.head.max(u64_at(payload, 8));
        }
    }
}

/// A payload with its part of the checksum, which is made before the log is locked.
#[derive(Clone, Copy)]
pub struct Payload<'a> {
    pub bytes: &'a [u8],
    crc: u32,
}

impl<'a> Payload<'a> {
    pub fn new(incarnation: u32, bytes: &'a [u8]) -> Self {
        Self { bytes, crc: crc32c::crc32c_append(crc32c::crc32c(&incarnation.to_le_bytes()), bytes) }
    }

    /// What stands before the payload.
    pub fn header(&self, lsn: Lsn, segment: u16) -> [u8; RECORD_HEADER] {
        let mut header = [0; RECORD_HEADER];
        header[..4].copy_from_slice(&(self.bytes.len() as u32).to_le_bytes());
        header[8..16].copy_from_slice(&lsn.to_le_bytes());
        header[16..18].copy_from_slice(&segment.to_le_bytes());
        let crc = crc32c::crc32c_append(self.crc, &header[8..]);
        header[4..8].copy_from_slice(&crc.to_le_bytes());
        header
    }
}

/// What stands before a payload at a position.
#[cfg(any(test, feature = "fuzzing"))]
pub fn header_of(incarnation: u32, lsn: Lsn, segment: u16, payload: &[u8]) -> [u8; RECORD_HEADER] {
    Payload::new(incarnation, payload).header(lsn, segment)
}

/// A record that was found.
#[derive(Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The position after it: the LSN of what it changes.
    pub end: Lsn,
    pub segment: u16,
    pub payload: &'a [u8],
}

/// What reading the log one record after the other came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Where the last whole record ends, marks and fillers included.
    pub end: Lsn,
    /// Those that were given to `each`.
    pub records: u64,
    pub mark: Mark,
}

/// Gives every record from `start` on to `each`, until there is none.
///
/// # Errors
/// `storage_failed`, and what `each` refuses with.
pub fn replay(disk: &dyn Disk, capacity: u64, start: LogStart, each: &mut dyn FnMut(Record<'_>) -> Result<()>) -> Result<Replayed> {
    let mut ring = Ring::open(disk, capacity, start.redo)?;
    let mut found = Replayed { end: start.redo, ..Replayed::default() };
    loop {
        let lsn = found.end;
        if lsn - start.redo + RECORD_HEADER as u64 > capacity || !ring.fill(RECORD_HEADER)? {
            return Ok(found);
        }
        let whole = RECORD_HEADER + u32_at(ring.rest(), 0) as usize;
        let fits = whole <= RECORD_HEADER + PAYLOAD_MAX && u64_at(ring.rest(), 8) == lsn && lsn - start.redo + whole as u64 <= capacity;
        if !fits || !ring.fill(whole)? {
            return Ok(found);
        }
        let Some((segment, payload)) = sound(&ring.rest()[..whole], start.incarnation) else { return Ok(found) };
        found.end = lsn + whole as u64;
        match segment {
            FILLER => {}
            MARK => found.mark.learn(payload),
            _ => {
                found.records += 1;
                each(Record { end: found.end, segment, payload })?;
            }
        }
        ring.looked += whole;
    }
}

/// Segment and payload of a record, if its checksum is right.
fn sound(record: &[u8], incarnation: u32) -> Option<(u16, &[u8])> {
    let (header, payload) = record.split_at(RECORD_HEADER);
    let whole = u32_at(header, 4) == crc32c::crc32c_append(Payload::new(incarnation, payload).crc, &header[8..]);
    whole.then(|| (u16_at(header, 16), payload))
}

/// Whole records behind the place where `replay` ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// Changes, and bytes that these and the other records take.
    pub records: u64,
    pub bytes: u64,
    /// Where the last one ends; 0 without one.
    pub end: Lsn,
    pub mark: Mark,
}

/// Looks for records of the same run behind `from`, at every byte, as nobody knows where one begins: up to `AHEAD` bytes behind the last that was found.
/// One of a later lap counts, too.
///
/// # Errors
/// `storage_failed`.
pub fn look_behind(disk: &dyn Disk, capacity: u64, start: LogStart, from: Lsn) -> Result<Behind> {
    /// Zeros are passed over in stretches of so many bytes.
    const ZEROS: [u8; 256] = [0; 256];
    let mut ring = Ring::open(disk, capacity, from / BLOCK * BLOCK)?;
    let (mut found, mut at, mut until) = (Behind::default(), from, from + AHEAD.min(capacity));
    if !ring.fill((from % BLOCK) as usize)? {
        return Ok(found);
    }
    ring.looked = (from % BLOCK) as usize;
    while at < until {
        let more = ring.fill(BLOCK as usize)?;
        if !more && ring.rest().len() < RECORD_HEADER {
            break;
        }
        let mut step = 1;
        if ring.rest().starts_with(&ZEROS) {
            // A header may begin with zeros.
            step = ZEROS.len() - (RECORD_HEADER - 1);
        } else if let Some(lsn) = header_at(ring.rest(), at, from, capacity) {
            let whole = RECORD_HEADER + u32_at(ring.rest(), 0) as usize;
            if ring.fill(whole)?
                && let Some((segment, payload)) = sound(&ring.rest()[..whole], start.incarnation)
            {
                match segment {
                    FILLER => {}
                    MARK => found.mark.learn(payload),
                    _ => found.records += 1,
                }
                step = whole;
                found.bytes += whole as u64;
                found.end = found.end.max(lsn + whole as u64);
                until = (at + whole as u64 + AHEAD).min(from + capacity);
            }
        }
        ring.looked += step;
        at += step as u64;
    }
    Ok(found)
}

/// The LSN of a header that may lie at `at`.
fn header_at(header: &[u8], at: Lsn, from: Lsn, capacity: u64) -> Option<Lsn> {
    /// Far more than a log comes to; hardly any other eight bytes are a number below it.
    const FAR: u64 = 1 << 46;
    let lsn = u64_at(header, 8);
    let fits = lsn.wrapping_sub(from) < FAR && lsn % capacity == at % capacity && u32_at(header, 0) as usize <= PAYLOAD_MAX;
    fits.then_some(lsn)
}

fn failed(error: &io::Error) -> Error {
    Error::io("reading the log", error)
}

/// The ring, read from a position on.
struct Ring<'a> {
    disk: &'a dyn Disk,
    capacity: u64,
    /// What `read` ends at.
    at: Lsn,
    read: Vec<u8>,
    /// Bytes of `read` that are done with.
    looked: usize,
    length: u64,
}

impl<'a> Ring<'a> {
    /// From `at` on, a multiple of a block.
    fn open(disk: &'a dyn Disk, capacity: u64, at: Lsn) -> Result<Self> {
        let length = disk.length().map_err(|error| failed(&error))?;
        Ok(Self { disk, capacity, at, read: Vec::new(), looked: 0, length })
    }

    fn rest(&self) -> &[u8] {
        &self.read[self.looked..]
    }

    /// Reads on until there are `wanted` bytes; `false` if the disk has no more.
    fn fill(&mut self, wanted: usize) -> Result<bool> {
        const STEP: u64 = 1024 * 1024;
        if self.rest().len() < wanted {
            self.read.drain(..self.looked);
            self.looked = 0;
        }
        while self.rest().len() < wanted {
            let at = self.at % self.capacity;
            let step = STEP.min(self.capacity - at).min(self.length.saturating_sub(RING_AT + at) / BLOCK * BLOCK);
            if step == 0 {
                return Ok(false);
            }
            let mut buffer = AlignedBuffer::new(step as usize).map_err(|error| failed(&error))?;
            buffer.set_len(step as usize).map_err(|error| failed(&error.into()))?;
            self.disk.read_at(&mut buffer, RING_AT + at).map_err(|error| failed(&error))?;
            self.read.extend_from_slice(&buffer);
            self.at += step;
        }
        Ok(true)
    }
}
