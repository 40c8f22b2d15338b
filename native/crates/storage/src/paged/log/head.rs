//! The head of the log: which run has it, and how it was left. Two copies of the same, in the first two blocks of the file; the note (see `note`) and the ring
//! follow.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | `TESSLOG`, 0 |
//! | 8..12 | version of the format, 2 |
//! | 12..16 | incarnation: the run that has it |
//! | 16..32 | id of the namespace |
//! | 32..40 | closed in order: sequence of the pages' head then; otherwise 0 |
//! | 40..44 | CRC32C of the 40 bytes before |
//!
//! A start writes it once the pages name the new run, and a close before they say that they are closed. So of two files that were not together the one
//! that is older is known.

use super::BLOCK;
use crate::paged::page::{u32_at, u64_at};
use std::io;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{AlignedBuffer, Disk};

const MAGIC: &[u8; 8] = b"TESSLOG\0";
const VERSION: u32 = 2;
const LENGTH: usize = 44;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogHead {
    pub namespace_id: [u8; 16],
    pub incarnation: u32,
    /// Sequence of the pages' head when the log was closed in order; 0 while it is in use.
    pub closed: u64,
}

impl LogHead {
    fn encode(&self) -> [u8; LENGTH] {
        let mut out = [0; LENGTH];
        out[..8].copy_from_slice(MAGIC);
        out[8..12].copy_from_slice(&VERSION.to_le_bytes());
        out[12..16].copy_from_slice(&self.incarnation.to_le_bytes());
        out[16..32].copy_from_slice(&self.namespace_id);
        out[32..40].copy_from_slice(&self.closed.to_le_bytes());
        let crc = crc32c::crc32c(&out[..40]);
        out[40..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Result<Option<Self>> {
        if bytes[..8] != *MAGIC || u32_at(bytes, 40) != crc32c::crc32c(&bytes[..40]) {
            return Ok(None);
        }
        if u32_at(bytes, 8) != VERSION {
            let message =
                sentence!("the log has format {version}; this version reads format {known}", version = u32_at(bytes, 8), known = VERSION);
            return Err(Error::said(ErrorCode::DataFileVersionUnknown, message));
        }
        Ok(Some(Self { namespace_id: std::array::from_fn(|at| bytes[16 + at]), incarnation: u32_at(bytes, 12), closed: u64_at(bytes, 32) }))
    }

    /// Writes both copies, one after the other.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; then one of before or this one counts.
    pub fn write(&self, disk: &dyn Disk) -> Result<()> {
        let write = || -> io::Result<()> {
            let mut block = AlignedBuffer::new(BLOCK as usize)?;
            block.extend_from_slice(&self.encode())?;
            block.resize_zeroed(BLOCK as usize)?;
            [0, BLOCK].into_iter().try_for_each(|at| disk.write_at(&block, at).and_then(|()| disk.sync()))
        };
        write().map_err(|error| Error::io("writing the head of the log", &error))
    }

    /// The newer of the copies that are whole; `None` without one.
    ///
    /// # Errors
    /// `data_file_version_unknown`, `storage_failed`.
    pub fn read(disk: &dyn Disk) -> Result<Option<Self>> {
        let failed = |error: io::Error| Error::io("reading the head of the log", &error);
        let length = disk.length().map_err(failed)?;
        let mut newest: Option<Self> = None;
        for at in [0, BLOCK].into_iter().filter(|at| at + BLOCK <= length) {
            let mut block = AlignedBuffer::new(BLOCK as usize).map_err(failed)?;
            block.set_len(BLOCK as usize).map_err(|error| failed(error.into()))?;
            disk.read_at(&mut block, at).map_err(failed)?;
            newest = newest.into_iter().chain(Self::decode(&block)?).max_by_key(|head| (head.incarnation, head.closed));
        }
        Ok(newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_io::faulty::FaultyDisk;

    #[test]
    fn the_newer_whole_copy_counts() {
        let disk = FaultyDisk::default();
        assert_eq!(LogHead::read(&disk).unwrap(), None);
        let older = LogHead { namespace_id: [4; 16], incarnation: 3, closed: 0 };
        older.write(&disk).unwrap();
        let before = disk.image();
        let newer = LogHead { closed: 9, ..older };
        newer.write(&disk).unwrap();
        assert_eq!(LogHead::read(&disk).unwrap(), Some(newer));
        let mixed = [&disk.image()[..BLOCK as usize], &before[BLOCK as usize..]].concat();
        assert_eq!(LogHead::read(&FaultyDisk::with(mixed.clone())).unwrap(), Some(newer), "the second was not written yet");
        for bit in 0..LENGTH * 8 {
            let torn = FaultyDisk::with(mixed.clone());
            torn.flip(bit as u64 / 8, 1 << (bit % 8));
            assert_eq!(LogHead::read(&torn).unwrap(), Some(older), "bit {bit}");
        }
    }
}
