//! Items of a snapshot's sections, little-endian.

use crate::{Location, SegmentImage, SlotImage};
use std::num::NonZeroU64;
use tessera_record::{Digest, Meta};

pub const SLOT_BYTES: usize = 42;
pub const BLOCK_BYTES: usize = 13;
pub const SEGMENT_BYTES: usize = 28;

/// Digest, location, last update (6 bytes), generation, expiry, set.
pub fn encode_slot(slot: &SlotImage) -> [u8; SLOT_BYTES] {
    let mut out = [0; SLOT_BYTES];
    out[..20].copy_from_slice(&slot.digest.0);
    out[20..28].copy_from_slice(&slot.location.0.get().to_le_bytes());
    out[28..34].copy_from_slice(&slot.meta.updated_at.to_le_bytes()[..6]);
    out[34..36].copy_from_slice(&slot.meta.generation.to_le_bytes());
    out[36..40].copy_from_slice(&slot.meta.expires_at.to_le_bytes());
    out[40..].copy_from_slice(&slot.set.to_le_bytes());
    out
}

/// `None` where the location is 0.
pub fn decode_slot(bytes: &[u8; SLOT_BYTES]) -> Option<SlotImage> {
    let location = Location(NonZeroU64::new(u64::from_le_bytes(part(bytes, 20)))?);
    let [a, b, c, d, e, f] = part(bytes, 28);
    let meta = Meta {
        generation: u16::from_le_bytes(part(bytes, 34)),
        expires_at: u32::from_le_bytes(part(bytes, 36)),
        updated_at: u64::from_le_bytes([a, b, c, d, e, f, 0, 0]),
    };
    Some(SlotImage { digest: Digest(part(bytes, 0)), location, meta, set: u16::from_le_bytes(part(bytes, 40)) })
}

/// One write block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockImage {
    /// Marked as free on the disk.
    pub free: bool,
    /// Bytes of tombstones that may still be needed.
    pub tombstones: u32,
    /// Where entries begin, and how far they go, bytes.
    pub begin: u32,
    pub filled: u32,
}

pub fn encode_block(block: &BlockImage) -> [u8; BLOCK_BYTES] {
    let mut out = [0; BLOCK_BYTES];
    out[0] = u8::from(block.free);
    out[1..5].copy_from_slice(&block.tombstones.to_le_bytes());
    out[5..9].copy_from_slice(&block.filled.to_le_bytes());
    out[9..].copy_from_slice(&block.begin.to_le_bytes());
    out
}

/// `None` where the state is none.
pub fn decode_block(bytes: &[u8; BLOCK_BYTES]) -> Option<BlockImage> {
    let free = match bytes[0] {
        0 => false,
        1 => true,
        _ => return None,
    };
    let word = |at| u32::from_le_bytes(part(bytes, at));
    Some(BlockImage { free, tombstones: word(1), filled: word(5), begin: word(9) })
}

/// A segment, and where its records are.
pub fn encode_segment(image: &SegmentImage, offset: u64) -> [u8; SEGMENT_BYTES] {
    let mut out = [0; SEGMENT_BYTES];
    out[..8].copy_from_slice(&offset.to_le_bytes());
    out[8..16].copy_from_slice(&image.live_bytes.to_le_bytes());
    out[16..24].copy_from_slice(&image.newest_update.to_le_bytes());
    out[24..].copy_from_slice(&image.records.to_le_bytes());
    out
}

pub fn decode_segment(bytes: &[u8; SEGMENT_BYTES]) -> (SegmentImage, u64) {
    let image = SegmentImage {
        records: u32::from_le_bytes(part(bytes, 24)),
        live_bytes: u64::from_le_bytes(part(bytes, 8)),
        newest_update: u64::from_le_bytes(part(bytes, 16)),
    };
    (image, u64::from_le_bytes(part(bytes, 0)))
}

/// `N` bytes at `at`; every caller's range lies inside an item.
fn part<const N: usize, const M: usize>(bytes: &[u8; M], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_survive_encoding(digest: [u8; 20], location in 1u64.., generation: u16, expires_at: u32, updated_at in 0u64..1 << 48, set: u16) {
            let location = Location(NonZeroU64::new(location).unwrap());
            let slot = SlotImage { digest: Digest(digest), location, meta: Meta { generation, expires_at, updated_at }, set };
            prop_assert_eq!(decode_slot(&encode_slot(&slot)), Some(slot));
            let block = BlockImage { free: set.is_multiple_of(2), tombstones: expires_at, begin: expires_at / 3, filled: !expires_at };
            prop_assert_eq!(decode_block(&encode_block(&block)), Some(block));
            let segment = SegmentImage { records: expires_at, live_bytes: updated_at, newest_update: location.0.get() };
            prop_assert_eq!(decode_segment(&encode_segment(&segment, updated_at ^ 7)), (segment, updated_at ^ 7));
        }
    }
}
