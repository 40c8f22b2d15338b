//! The head of a snapshot: 512 bytes, little-endian, ending in a CRC32C. See `docs/on-disk-format.md`.

use crate::{DISKS_MAX, Location};
use std::num::NonZeroU64;

pub const HEAD_BYTES: usize = 512;
const MAGIC: [u8; 8] = *b"TSRINDEX";
const VERSION: u16 = 3;
const DISKS_AT: usize = 96;
const CRC_AT: usize = HEAD_BYTES - 4;

/// One disk when the snapshot was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskNote {
    /// Bytes of the file or device.
    pub length: u64,
    /// Number within the disk of the first block that was never used.
    pub end: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotHead {
    pub namespace_id: [u8; 16],
    /// Of a write block, or of a page.
    pub block_bytes: u32,
    /// What no later opening has: the run, or the log's incarnation.
    pub run: u32,
    pub segments: u32,
    pub sets: u32,
    /// Secondary indexes.
    pub indexes: u32,
    pub records: u64,
    /// Of pages the mark of their head.
    pub last_sequence: u64,
    /// Place of the run's close; `None` where the run wrote nothing.
    pub close: Option<Location>,
    /// Offset of the section `Segments`.
    pub segments_at: u64,
    /// Length of the snapshot.
    pub file_bytes: u64,
    /// 1 to `DISKS_MAX`; none where the records are in pages, and the snapshot has none of them.
    pub disks: Vec<DiskNote>,
}

impl SnapshotHead {
    /// Whether the snapshot has the records, too.
    pub fn has_records(&self) -> bool {
        !self.disks.is_empty()
    }

    pub fn encode(&self) -> [u8; HEAD_BYTES] {
        let mut out = [0; HEAD_BYTES];
        out[..8].copy_from_slice(&MAGIC);
        out[8..10].copy_from_slice(&VERSION.to_le_bytes());
        out[10] = self.disks.len() as u8;
        out[12..16].copy_from_slice(&self.block_bytes.to_le_bytes());
        out[16..32].copy_from_slice(&self.namespace_id);
        for (at, word) in [(32, self.run), (36, self.segments), (40, self.sets), (44, self.indexes)] {
            out[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let close = self.close.map_or(0, |location| location.0.get());
        for (at, word) in [(48, self.last_sequence), (56, close), (64, self.records), (72, self.segments_at), (80, self.file_bytes)] {
            out[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        for (disk, at) in self.disks.iter().zip((DISKS_AT..).step_by(16)) {
            out[at..at + 8].copy_from_slice(&disk.length.to_le_bytes());
            out[at + 8..at + 16].copy_from_slice(&disk.end.to_le_bytes());
        }
        let crc = crc32c::crc32c(&out[..CRC_AT]);
        out[CRC_AT..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// # Errors
    /// What is wrong with `bytes`.
    pub fn decode(bytes: &[u8; HEAD_BYTES]) -> Result<Self, &'static str> {
        if bytes[..8] != MAGIC || word32(bytes, CRC_AT) != crc32c::crc32c(&bytes[..CRC_AT]) {
            return Err("its head is damaged");
        }
        if u16::from_le_bytes(part(bytes, 8)) != VERSION {
            return Err("it has another version");
        }
        let disks = usize::from(bytes[10]);
        if disks > DISKS_MAX {
            return Err("its number of disks is not possible");
        }
        let disk = |at| DiskNote { length: word64(bytes, at), end: word64(bytes, at + 8) };
        Ok(Self {
            namespace_id: part(bytes, 16),
            block_bytes: word32(bytes, 12),
            run: word32(bytes, 32),
            segments: word32(bytes, 36),
            sets: word32(bytes, 40),
            indexes: word32(bytes, 44),
            last_sequence: word64(bytes, 48),
            close: NonZeroU64::new(word64(bytes, 56)).map(Location),
            records: word64(bytes, 64),
            segments_at: word64(bytes, 72),
            file_bytes: word64(bytes, 80),
            disks: (DISKS_AT..).step_by(16).take(disks).map(disk).collect(),
        })
    }
}

fn word32(bytes: &[u8; HEAD_BYTES], at: usize) -> u32 {
    u32::from_le_bytes(part(bytes, at))
}

fn word64(bytes: &[u8; HEAD_BYTES], at: usize) -> u64 {
    u64::from_le_bytes(part(bytes, at))
}

/// `N` bytes at `at`; every caller's range lies inside a head.
fn part<const N: usize>(bytes: &[u8; HEAD_BYTES], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_survives_encoding_and_every_flipped_bit_is_seen() {
        let head = SnapshotHead {
            namespace_id: [9; 16],
            block_bytes: 131_072,
            run: 4,
            segments: 4096,
            sets: 3,
            indexes: 2,
            records: 1 << 40,
            last_sequence: 1 << 33,
            close: NonZeroU64::new(77).map(Location),
            segments_at: 5000,
            file_bytes: 9000,
            disks: vec![DiskNote { length: 10, end: 2 }; DISKS_MAX],
        };
        assert_eq!(SnapshotHead::decode(&head.encode()), Ok(head.clone()));
        for bit in 0..HEAD_BYTES * 8 {
            let mut bytes = head.encode();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(SnapshotHead::decode(&bytes).is_err(), "bit {bit}");
        }
    }
}
