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

use super::log::LogStart;
use super::page::{PageSize, u32_at, u64_at};
use crate::error::{Error, ErrorCode, Result};
use crate::storage::io::{AlignedBuffer, Disk};

const MAGIC: &[u8; 8] = b"TESSPAGE";
const VERSION: u32 = 1;
const LENGTH: usize = 64;
/// Pages that the two copies take.
pub const PAGES: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub page_size: PageSize,
    pub namespace_id: [u8; 16],
    pub sequence: u64,
    pub log: LogStart,
    pub log_bytes: u64,
}

impl Head {
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
        out[60..].copy_from_slice(&crc.to_le_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::io::faulty::FaultyDisk;

    #[test]
    fn the_newer_whole_copy_counts() {
        for bytes in [4096, 16_384, 65_536] {
            let log = LogStart { redo: 4096, incarnation: 3 };
            let head = Head { page_size: PageSize::new(bytes).unwrap(), namespace_id: [5; 16], sequence: 6, log, log_bytes: 1 << 30 };
            let disk = FaultyDisk::default();
            assert_eq!(Head::read(&disk).unwrap_err().code, ErrorCode::DataFileDamaged);
            head.write(&disk).unwrap();
            assert_eq!(Head::read(&disk).unwrap(), head);
            let newer = Head { sequence: 7, ..head };
            newer.write(&disk).unwrap();
            assert_eq!(Head::read(&disk).unwrap(), newer);
            disk.sync().unwrap();
            disk.flip(u64::from(bytes) + 33, 1);
            assert_eq!(Head::read(&disk).unwrap(), head);
        }
    }
}
