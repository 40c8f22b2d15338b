//! A record of the log as it lies in the ring, and reading records one after the other.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | length of the payload |
//! | 4..8 | CRC32C of the log's incarnation, the payload and bytes 8..20 |
//! | 8..16 | LSN: the position where the record begins |
//! | 16..18 | segment; 65,535 where the record only fills a block |
//! | 18..20 | zeros |
//! | 20.. | payload |

use super::{BLOCK, LogStart, Lsn, PAYLOAD_MAX};
use crate::error::{Error, Result};
use crate::storage::io::{AlignedBuffer, Disk};
use crate::storage::paged::page::{u16_at, u32_at, u64_at};
use std::io;

/// Bytes of a record before its payload.
pub const RECORD_HEADER: usize = 20;
/// The segment of a record that only fills a block.
pub const FILLER: u16 = u16::MAX;

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

/// Gives every record from `start` on to `each`, until there is none; answers where the last one ended.
///
/// # Errors
/// `storage_failed`, and what `each` refuses with.
pub fn replay(disk: &dyn Disk, capacity: u64, start: LogStart, each: &mut dyn FnMut(Record<'_>) -> Result<()>) -> Result<Lsn> {
    let length = disk.length().map_err(|error| failed(&error))?;
    let mut ring = Ring { disk, capacity, at: start.redo, read: Vec::new(), looked: 0, length };
    let mut lsn = start.redo;
    loop {
        if lsn - start.redo + RECORD_HEADER as u64 > capacity || !ring.fill(RECORD_HEADER)? {
            return Ok(lsn);
        }
        let payload = u32_at(ring.rest(), 0) as usize;
        let whole = RECORD_HEADER + payload;
        let fits = payload <= PAYLOAD_MAX && u64_at(ring.rest(), 8) == lsn && lsn - start.redo + whole as u64 <= capacity;
        if !fits || !ring.fill(whole)? {
            return Ok(lsn);
        }
        let (header, rest) = ring.rest().split_at(RECORD_HEADER);
        let payload = Payload::new(start.incarnation, &rest[..payload]);
        if u32_at(header, 4) != crc32c::crc32c_append(payload.crc, &header[8..]) {
            return Ok(lsn);
        }
        let segment = u16_at(header, 16);
        if segment != FILLER {
            each(Record { end: lsn + whole as u64, segment, payload: payload.bytes })?;
        }
        ring.looked += whole;
        lsn += whole as u64;
    }
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

impl Ring<'_> {
    fn rest(&self) -> &[u8] {
        &self.read[self.looked..]
    }

    /// Reads on until there are `wanted` bytes; `false` where the disk has no more.
    fn fill(&mut self, wanted: usize) -> Result<bool> {
        const STEP: u64 = 1024 * 1024;
        if self.rest().len() < wanted {
            self.read.drain(..self.looked);
            self.looked = 0;
        }
        while self.rest().len() < wanted {
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
