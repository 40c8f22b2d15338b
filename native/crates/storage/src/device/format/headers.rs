//! The header of a file and those of its blocks: 64 bytes each, little-endian, ending in a CRC32C. See `docs/on-disk-format.md`.

use std::ops::{Range, RangeInclusive};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Version of everything in the data file. A file of another version is refused, never guessed at.
pub const VERSION: u16 = 5;
pub const HEADER_BYTES: usize = 64;

/// Where both headers name the namespace, in every version.
pub const NAMESPACE_ID: Range<usize> = 16..32;

const FILE_MAGIC: [u8; 8] = *b"TSRFILE\0";
const BLOCK_MAGIC: [u8; 8] = *b"TSRBLOCK";

/// At offset 0 of the file, alone in the first block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileHeader {
    pub namespace_id: [u8; 16],
    pub block_bytes: u32,
    /// Counts openings of the namespace for writing: it is raised before the first write.
    pub run: u32,
    /// Which of the namespace's disks this is, from 0, and how many it has.
    pub disk: u8,
    pub disks: u8,
    /// What the runs before had left torn when this one began.
    pub torn: TornRuns,
}

/// Most torn runs that a file header names.
const TORN_MOST: usize = 5;

/// The runs before a file header's own that had left something torn when it began: what is doubtful later in any other of them
/// is damage. Or nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TornRuns {
    known: bool,
    /// From 1; 0 for none.
    runs: [u32; TORN_MOST],
}

impl TornRuns {
    pub const UNKNOWN: Self = Self { known: false, runs: [0; TORN_MOST] };
    pub const NONE: Self = Self { known: true, runs: [0; TORN_MOST] };

    /// With the runs `which` too; unknown where they are too many, or not known themselves (0).
    pub fn and(mut self, which: RangeInclusive<u32>) -> Self {
        let more = which.end().checked_sub(*which.start());
        if !self.known || *which.start() == 0 || more.is_none_or(|more| more >= TORN_MOST as u32) {
            return Self::UNKNOWN;
        }
        for run in which {
            if self.runs.contains(&run) {
                continue;
            }
            match self.runs.iter_mut().find(|place| **place == 0) {
                Some(place) => *place = run,
                None => return Self::UNKNOWN,
            }
        }
        self
    }

    /// Whether it is known that none of the runs `which` is torn.
    pub fn has_none_of(&self, which: &RangeInclusive<u32>) -> bool {
        self.known && !self.runs.iter().any(|run| *run != 0 && which.contains(run))
    }

    /// What is certain where two disks say of the same run what was torn.
    pub fn agreed(self, other: Self) -> Self {
        if self == other { self } else { Self::UNKNOWN }
    }
}

/// What a block is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockUse {
    Entries = 0,
    /// Whatever lies behind the header is not wanted any more.
    Nothing = 1,
}

/// At the start of every other block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    pub holds: BlockUse,
    pub namespace_id: [u8; 16],
    pub block_bytes: u32,
    /// The block's global offset, in blocks.
    pub number: u64,
    /// The run that wrote it; sequence numbers of crashed runs are told apart by it.
    pub run: u32,
    /// Entries with lower sequences are left from an earlier use of the block.
    pub first_sequence: u64,
    /// Everything up to here was on stable storage when the block was begun.
    pub durable_sequence: u64,
}

/// Why 64 bytes are not a header of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderFault {
    /// Nothing but zeros: never written.
    Blank,
    /// Wrong magic or checksum.
    Damaged,
    /// Sound, of a version we do not know.
    Version(u16),
}

impl FileHeader {
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut out = [0; HEADER_BYTES];
        out[..8].copy_from_slice(&FILE_MAGIC);
        out[8..10].copy_from_slice(&VERSION.to_le_bytes());
        out[12..16].copy_from_slice(&self.block_bytes.to_le_bytes());
        out[NAMESPACE_ID].copy_from_slice(&self.namespace_id);
        out[32..36].copy_from_slice(&self.run.to_le_bytes());
        out[36..39].copy_from_slice(&[self.disk, self.disks, u8::from(self.torn.known)]);
        for (place, run) in out[40..60].as_chunks_mut::<4>().0.iter_mut().zip(self.torn.runs) {
            *place = run.to_le_bytes();
        }
        close(out)
    }

    /// # Errors
    /// What is wrong with `bytes`.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> std::result::Result<Self, HeaderFault> {
        check(bytes, &FILE_MAGIC)?;
        Ok(Self {
            block_bytes: u32::from_le_bytes(part(bytes, 12)),
            namespace_id: part(bytes, NAMESPACE_ID.start),
            run: u32::from_le_bytes(part(bytes, 32)),
            disk: bytes[36],
            disks: bytes[37],
            torn: TornRuns { known: bytes[38] == 1, runs: std::array::from_fn(|at| u32::from_le_bytes(part(bytes, 40 + 4 * at))) },
        })
    }
}

impl BlockHeader {
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut out = [0; HEADER_BYTES];
        out[..8].copy_from_slice(&BLOCK_MAGIC);
        out[8..10].copy_from_slice(&VERSION.to_le_bytes());
        out[10] = self.holds as u8;
        out[12..16].copy_from_slice(&self.run.to_le_bytes());
        out[NAMESPACE_ID].copy_from_slice(&self.namespace_id);
        out[32..40].copy_from_slice(&self.number.to_le_bytes());
        out[40..48].copy_from_slice(&self.first_sequence.to_le_bytes());
        out[48..56].copy_from_slice(&self.durable_sequence.to_le_bytes());
        out[56..60].copy_from_slice(&self.block_bytes.to_le_bytes());
        close(out)
    }

    /// # Errors
    /// What is wrong with `bytes`.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> std::result::Result<Self, HeaderFault> {
        check(bytes, &BLOCK_MAGIC)?;
        let holds = match bytes[10] {
            0 => BlockUse::Entries,
            1 => BlockUse::Nothing,
            _ => return Err(HeaderFault::Damaged),
        };
        Ok(Self {
            holds,
            run: u32::from_le_bytes(part(bytes, 12)),
            namespace_id: part(bytes, NAMESPACE_ID.start),
            number: u64::from_le_bytes(part(bytes, 32)),
            first_sequence: u64::from_le_bytes(part(bytes, 40)),
            durable_sequence: u64::from_le_bytes(part(bytes, 48)),
            block_bytes: u32::from_le_bytes(part(bytes, 56)),
        })
    }
}

/// The error for a version this program does not know.
pub fn unknown_version(version: u16) -> Error {
    Error::said(
        ErrorCode::DataFileVersionUnknown,
        sentence!("the data file has format version {version}; this program reads version {known}", version = version, known = VERSION),
    )
}

/// The error for a file whose namespace is another one.
pub fn foreign() -> Error {
    Error::said(ErrorCode::DataFileForeign, sentence!("the data file does not belong to this namespace"))
}

fn close(mut out: [u8; HEADER_BYTES]) -> [u8; HEADER_BYTES] {
    let crc = crc32c::crc32c(&out[..60]);
    out[60..].copy_from_slice(&crc.to_le_bytes());
    out
}

fn check(bytes: &[u8; HEADER_BYTES], magic: &[u8; 8]) -> std::result::Result<(), HeaderFault> {
    if bytes.iter().all(|b| *b == 0) {
        return Err(HeaderFault::Blank);
    }
    if part::<8>(bytes, 0) != *magic || u32::from_le_bytes(part(bytes, 60)) != crc32c::crc32c(&bytes[..60]) {
        return Err(HeaderFault::Damaged);
    }
    match u16::from_le_bytes(part(bytes, 8)) {
        VERSION => Ok(()),
        other => Err(HeaderFault::Version(other)),
    }
}

/// `N` bytes at `at`; every caller's range lies inside a header.
fn part<const N: usize>(bytes: &[u8; HEADER_BYTES], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

/// Checks that a header names `namespace_id`.
///
/// # Errors
/// `data_file_foreign`.
pub fn check_owner(found: &[u8; 16], namespace_id: &[u8; 16]) -> Result<()> {
    if found == namespace_id { Ok(()) } else { Err(foreign()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_encoding_and_every_flipped_bit_is_seen() {
        let file =
            FileHeader { namespace_id: [7; 16], block_bytes: 131_072, run: 77, disk: 2, disks: 5, torn: TornRuns::NONE.and(70..=73) };
        assert_eq!(FileHeader::decode(&file.encode()), Ok(file));
        let block = BlockHeader {
            holds: BlockUse::Entries,
            namespace_id: [7; 16],
            block_bytes: 16_384,
            number: 3,
            run: 2,
            first_sequence: 900,
            durable_sequence: 870,
        };
        for holds in [BlockUse::Entries, BlockUse::Nothing] {
            let block = BlockHeader { holds, ..block };
            assert_eq!(BlockHeader::decode(&block.encode()), Ok(block));
        }
        for bit in 0..HEADER_BYTES * 8 {
            let mut bytes = block.encode();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(BlockHeader::decode(&bytes), Err(HeaderFault::Damaged));
        }
        assert_eq!(BlockHeader::decode(&[0; 64]), Err(HeaderFault::Blank));
        assert_eq!(BlockHeader::decode(&file.encode()), Err(HeaderFault::Damaged));
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes =
            FileHeader { namespace_id: [7; 16], block_bytes: 131_072, run: 1, disk: 0, disks: 1, torn: TornRuns::UNKNOWN }.encode();
        bytes[8] = 9;
        assert_eq!(FileHeader::decode(&close(bytes)), Err(HeaderFault::Version(9)));
    }
}
