//! The head of the pages: what a start has to know before it can read the log. Two copies, in the first two pages, written in turn.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | `TESSPAGE` |
//! | 8..12 | version of the format, 1 |
//! | 12..16 | page size, bytes |
//! | 16..32 | id of the namespace |
//! | 32..40 | sequence: the copy with the higher one counts |
//! | 40..48 | LSN at which redo begins |
//! | 48..52 | incarnation of the log |
//! | 52..60 | bytes of the log's ring |
//! | 60..64 | CRC32C of the 60 bytes before |
//! | 64..72 | mark: random, another in each head that is written |
//! | 72..76 | CRC32C of the 72 bytes before; heads of before there were marks have zeros here |

use super::log::LogStart;
use super::page::{PageSize, u32_at, u64_at};
use crate::clock;
use crate::error::{Error, ErrorCode, Result};
use crate::storage::io::{AlignedBuffer, Disk};
use std::hash::{BuildHasher, RandomState};

const MAGIC: &[u8; 8] = b"TESSPAGE";
const VERSION: u32 = 1;
const LENGTH: usize = 76;
/// Pages that the two copies take.
pub const PAGES: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub page_size: PageSize,
    pub namespace_id: [u8; 16],
    pub sequence: u64,
    pub log: LogStart,
    pub log_bytes: u64,
    /// What no other head has, of this namespace or of a copy of it; `None` of one that was written without.
    pub mark: Option<u64>,
}

impl Head {
    /// The one of new pages.
    pub fn first(page_size: PageSize, namespace_id: [u8; 16], log: LogStart, log_bytes: u64) -> Self {
        Self { page_size, namespace_id, sequence: 0, log, log_bytes, mark: Some(new_mark()) }
    }

    /// The next one, with redo from elsewhere.
    pub fn next(&self, log: LogStart) -> Self {
        Self { sequence: self.sequence + 1, log, mark: Some(new_mark()), ..*self }
    }

    fn encode(&self) -> [u8; LENGTH] {
        let mut out = [0; LENGTH];
        out[..8].copy_from_slice(MAGIC);
        out[8..12].copy_from_slice(&VERSION.to_le_bytes());
        out[12..16].copy_from_slice(&(self.page_size.bytes() as u32).to_le_bytes());
        out[16..32].copy_from_slice(&self.namespace_id);
        out[32..40].copy_from_slice(&self.sequence.to_le_bytes());
        out[40..48].copy_from_slice(&self.log.redo.to_le_bytes());
        out[48..52].copy_from_slice(&self.log.incarnation.to_le_bytes());
        out[52..60].copy_from_slice(&self.log_bytes.to_le_bytes());
        let crc = crc32c::crc32c(&out[..60]);
        out[60..64].copy_from_slice(&crc.to_le_bytes());
        if let Some(mark) = self.mark {
            out[64..72].copy_from_slice(&mark.to_le_bytes());
            let crc = crc32c::crc32c(&out[..72]);
            out[72..].copy_from_slice(&crc.to_le_bytes());
        }
        out
    }

    /// `None` for what is no whole copy; an error for one that this version cannot read.
    fn decode(bytes: &[u8]) -> Result<Option<Self>> {
        if bytes[..8] != *MAGIC || u32_at(bytes, 60) != crc32c::crc32c(&bytes[..60]) {
            return Ok(None);
        }
        if u32_at(bytes, 8) != VERSION {
            let message = format!("the pages have format {}, and this version reads {VERSION}", u32_at(bytes, 8));
            return Err(Error::new(ErrorCode::DataFileVersionUnknown, message));
        }
        Ok(Some(Self {
            page_size: PageSize::new(u32_at(bytes, 12))?,
            namespace_id: std::array::from_fn(|at| bytes[16 + at]),
            sequence: u64_at(bytes, 32),
            log: LogStart { redo: u64_at(bytes, 40), incarnation: u32_at(bytes, 48) },
            log_bytes: u64_at(bytes, 52),
            mark: (u32_at(bytes, 72) == crc32c::crc32c(&bytes[..72])).then(|| u64_at(bytes, 64)),
        }))
    }

    fn offset(&self) -> u64 {
        self.sequence % 2 * self.page_size.bytes() as u64
    }

    /// Writes this copy over the older one. It counts once the disk is synced.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`.
    pub fn write(&self, disk: &dyn Disk) -> Result<()> {
        let failed = |error: std::io::Error| Error::io("writing the head of the pages", &error);
        let mut page = AlignedBuffer::new(self.page_size.bytes()).map_err(failed)?;
        page.extend_from_slice(&self.encode()).map_err(|error| failed(error.into()))?;
        page.resize_zeroed(self.page_size.bytes()).map_err(|error| failed(error.into()))?;
        disk.write_at(&page, self.offset()).map_err(failed)
    }

    /// The newer of the two copies. Where the second lies depends on the page size, so every size is looked at.
    ///
    /// # Errors
    /// `data_file_damaged` where there is none, `data_file_version_unknown`, `storage_failed`.
    pub fn read(disk: &dyn Disk) -> Result<Self> {
        let failed = |error: std::io::Error| Error::io("reading the head of the pages", &error);
        let length = disk.length().map_err(failed)?;
        let mut newest: Option<Self> = None;
        let places = std::iter::successors(Some(PageSize::MIN), |size| (*size < PageSize::MAX).then_some(size * 2));
        for at in std::iter::once(0).chain(places.map(u64::from)) {
            let mut block = AlignedBuffer::new(AlignedBuffer::ALIGNMENT).map_err(failed)?;
            block.set_len(AlignedBuffer::ALIGNMENT).map_err(|error| failed(error.into()))?;
            if at + block.len() as u64 > length {
                continue;
            }
            disk.read_at(&mut block, at).map_err(failed)?;
            let found = Self::decode(&block)?.filter(|head| head.offset() == at);
            newest = newest.into_iter().chain(found).max_by_key(|head| head.sequence);
        }
        newest.ok_or_else(|| Error::new(ErrorCode::DataFileDamaged, "the pages have no head that is whole"))
    }
}

fn new_mark() -> u64 {
    RandomState::new().hash_one(clock::unix_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::io::faulty::FaultyDisk;

    #[test]
    fn the_newer_whole_copy_counts() {
        for bytes in [4096, 16_384, 65_536] {
            let log = LogStart { redo: 4096, incarnation: 3 };
            let first = Head::first(PageSize::new(bytes).unwrap(), [5; 16], log, 1 << 30);
            let head = Head { sequence: 6, mark: None, ..first };
            let disk = FaultyDisk::default();
            assert_eq!(Head::read(&disk).unwrap_err().code, ErrorCode::DataFileDamaged);
            head.write(&disk).unwrap();
            assert_eq!(Head::read(&disk).unwrap(), head);
            let newer = head.next(log);
            assert!(newer.sequence == 7 && newer.mark.is_some() && newer.mark != first.mark);
            newer.write(&disk).unwrap();
            assert_eq!(Head::read(&disk).unwrap(), newer);
            disk.sync().unwrap();
            // Without its mark all else still counts.
            disk.flip(u64::from(bytes) + 65, 1);
            assert_eq!(Head::read(&disk).unwrap(), Head { mark: None, ..newer });
            disk.flip(u64::from(bytes) + 33, 1);
            assert_eq!(Head::read(&disk).unwrap(), head);
        }
    }
}
