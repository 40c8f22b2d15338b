//! The head of the pages: what a start has to know before it can read the log. Two copies, in the first two pages, written in turn.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | `TESSPAGE` |
//! | 8..12 | version of the format, 3 |
//! | 12..16 | page size, bytes |
//! | 16..32 | id of the namespace |
//! | 32..40 | sequence: the copy with the higher one counts |
//! | 40..48 | LSN at which redo begins |
//! | 48..52 | incarnation of the log |
//! | 52..60 | bytes of the log's ring |
//! | 60..68 | mark: random, another for each state that is written |
//! | 68..76 | LSN up to which the log was on stable storage |
//! | 76..84 | bytes of the pages' file, at least |
//! | 84..92 | bytes of the log's file, at least |
//! | 92..96 | incarnation that the log's own head has, at least |
//! | 96 | 1: closed in order; 0: in use |
//! | 97 | 1: the index is being rebuilt, and is of no use until that has ended |
//! | 98..100 | zeros |
//! | 100..104 | CRC32C of the 100 bytes before |

use crate::paged::log::{LogStart, Lsn};
use crate::paged::page::{PageSize, u32_at, u64_at};
use std::hash::{BuildHasher, RandomState};
use tessera_base::{Error, ErrorCode, Result, clock, sentence};
use tessera_io::{AlignedBuffer, Disk};

const MAGIC: &[u8; 8] = b"TESSPAGE";
const VERSION: u32 = 3;
const LENGTH: usize = 104;
const CRC: usize = LENGTH - 4;
/// Pages that the two copies take.
pub const PAGES: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub page_size: PageSize,
    pub namespace_id: [u8; 16],
    pub sequence: u64,
    pub log: LogStart,
    pub log_bytes: u64,
    /// What no other state has, of this namespace or of a copy of it.
    pub mark: u64,
    /// Up to where the log was on stable storage; more of it may have been.
    pub stable: Lsn,
    /// Bytes that the two files had, and have for ever.
    pub pages_length: u64,
    pub log_length: u64,
    /// The run that the log's own head names, or an earlier one.
    pub log_run: u32,
    /// Both files were closed in order.
    pub closed: bool,
    /// The index is being rebuilt from what a loss has left.
    pub rebuilding: bool,
}

impl Head {
    /// The one of new pages.
    pub fn first(page_size: PageSize, namespace_id: [u8; 16], log: LogStart, log_bytes: u64) -> Self {
        let (sequence, mark, stable, log_run) = (1, new_mark(), log.redo, log.incarnation);
        Self {
            page_size,
            namespace_id,
            sequence,
            log,
            log_bytes,
            mark,
            stable,
            pages_length: 0,
            log_length: 0,
            log_run,
            closed: false,
            rebuilding: false,
        }
    }

    /// The next one, of a state of its own.
    pub fn next(&self) -> Self {
        Self { sequence: self.sequence + 1, mark: new_mark(), ..*self }
    }

    fn encode(&self) -> [u8; LENGTH] {
        let mut out = [0; LENGTH];
        out[..8].copy_from_slice(MAGIC);
        out[16..32].copy_from_slice(&self.namespace_id);
        for (at, word) in [
            (8, VERSION),
            (12, self.page_size.bytes() as u32),
            (48, self.log.incarnation),
            (92, self.log_run),
            (96, u32::from(self.closed)),
        ] {
            out[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let (lengths, log) =
            ([(76, self.pages_length), (84, self.log_length)], [(40, self.log.redo), (52, self.log_bytes), (68, self.stable)]);
        for (at, word) in [(32, self.sequence), (60, self.mark)].into_iter().chain(lengths).chain(log) {
            out[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        out[97] = u8::from(self.rebuilding);
        let crc = crc32c::crc32c(&out[..CRC]);
        out[CRC..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// `None` for what is no whole copy; an error for one that this version cannot read.
    fn decode(bytes: &[u8]) -> Result<Option<Self>> {
        if bytes[..8] != *MAGIC || u32_at(bytes, CRC) != crc32c::crc32c(&bytes[..CRC]) {
            return Ok(None);
        }
        if u32_at(bytes, 8) != VERSION {
            let message = sentence!(
                "the pages have format {version}; this version reads format {known}",
                version = u32_at(bytes, 8),
                known = VERSION
            );
            return Err(Error::said(ErrorCode::DataFileVersionUnknown, message));
        }
        Ok(Some(Self {
            page_size: PageSize::new(u32_at(bytes, 12))?,
            namespace_id: std::array::from_fn(|at| bytes[16 + at]),
            sequence: u64_at(bytes, 32),
            log: LogStart { redo: u64_at(bytes, 40), incarnation: u32_at(bytes, 48) },
            log_bytes: u64_at(bytes, 52),
            mark: u64_at(bytes, 60),
            stable: u64_at(bytes, 68),
            pages_length: u64_at(bytes, 76),
            log_length: u64_at(bytes, 84),
            log_run: u32_at(bytes, 92),
            closed: bytes[96] != 0,
            rebuilding: bytes[97] != 0,
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

    /// The newer of the two copies, and whether the other is whole too: a newer one may have been damaged. Where the second lies
    /// depends on the page size, so every size is looked at.
    ///
    /// # Errors
    /// `data_file_damaged` where there is none, `data_file_version_unknown`, `storage_failed`.
    pub fn read_both(disk: &dyn Disk) -> Result<(Self, bool)> {
        let failed = |error: std::io::Error| Error::io("reading the head of the pages", &error);
        let length = disk.length().map_err(failed)?;
        let (mut newest, mut copies) = (None::<Self>, 0);
        let places = std::iter::successors(Some(PageSize::MIN), |size| (*size < PageSize::MAX).then_some(size * 2));
        for at in std::iter::once(0).chain(places.map(u64::from)) {
            let mut block = AlignedBuffer::new(AlignedBuffer::ALIGNMENT).map_err(failed)?;
            block.set_len(AlignedBuffer::ALIGNMENT).map_err(|error| failed(error.into()))?;
            if at + block.len() as u64 > length {
                continue;
            }
            disk.read_at(&mut block, at).map_err(failed)?;
            let found = Self::decode(&block)?.filter(|head| head.offset() == at);
            copies += u32::from(found.is_some());
            newest = newest.into_iter().chain(found).max_by_key(|head| head.sequence);
        }
        let newest =
            newest.ok_or_else(|| Error::said(ErrorCode::DataFileDamaged, sentence!("both copies of the head of the pages are damaged")))?;
        // Of the first one there is no other yet.
        Ok((newest, copies > 1 || newest.sequence == 1))
    }

    /// As `read_both`, the newer one alone.
    ///
    /// # Errors
    /// As `read_both`.
    pub fn read(disk: &dyn Disk) -> Result<Self> {
        Self::read_both(disk).map(|(newest, _)| newest)
    }
}

fn new_mark() -> u64 {
    RandomState::new().hash_one(clock::unix_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_io::faulty::FaultyDisk;

    #[test]
    fn the_newer_whole_copy_counts() {
        for bytes in [4096, 16_384, 65_536] {
            let log = LogStart { redo: 4096, incarnation: 3 };
            let first = Head::first(PageSize::new(bytes).unwrap(), [5; 16], log, 1 << 30);
            let head = Head { sequence: 6, stable: 8192, pages_length: 1 << 20, log_length: 1 << 30, closed: true, ..first };
            let disk = FaultyDisk::default();
            assert_eq!(Head::read(&disk).unwrap_err().code, ErrorCode::DataFileDamaged);
            head.write(&disk).unwrap();
            assert_eq!(Head::read(&disk).unwrap(), head);
            let newer = Head { log_run: 9, ..head.next() };
            assert!(newer.sequence == 7 && newer.mark != head.mark);
            newer.write(&disk).unwrap();
            assert_eq!(Head::read(&disk).unwrap(), newer);
            disk.sync().unwrap();
            for bit in 0..LENGTH * 8 {
                disk.flip(u64::from(bytes) + bit as u64 / 8, 1 << (bit % 8));
                assert_eq!(Head::read(&disk).unwrap(), head, "bit {bit}");
                disk.flip(u64::from(bytes) + bit as u64 / 8, 1 << (bit % 8));
            }
        }
    }
}
