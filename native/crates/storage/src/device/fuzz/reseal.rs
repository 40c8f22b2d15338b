//! Makes the checksums of a block right, so that mutated bytes get past them. See `docs/on-disk-format.md`.

use super::memory_disk::{BLOCK, ID};
use crate::device::format::entry::ENTRY_HEADER_BYTES;
use crate::device::format::headers::{BlockHeader, BlockUse, HEADER_BYTES};
use crate::device::format::place::UNIT;
use crate::device::format::seal::Seal;

/// What to make right: the block's header, the headers of entries, their bodies' checksums.
pub const HEADER: u8 = 1;
pub const ENTRIES: u8 = 2;
pub const BODIES: u8 = 4;

pub fn reseal(block: &mut [u8], number: u64, flags: u8) {
    if flags & HEADER != 0 {
        header(block, number);
    }
    // Back to front: an entry's body may hold the bytes of another one.
    for at in (HEADER_BYTES..block.len()).step_by(UNIT).rev().filter(|_| flags & ENTRIES != 0) {
        entry(&mut block[at..], number * BLOCK as u64 + at as u64, flags & BODIES != 0);
    }
}

fn header(block: &mut [u8], number: u64) {
    let Some(bytes) = block.first_chunk_mut::<HEADER_BYTES>() else { return };
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    *bytes = BlockHeader {
        holds: if bytes[10] & 1 == 0 { BlockUse::Entries } else { BlockUse::Nothing },
        namespace_id: ID,
        block_bytes: BLOCK as u32,
        number,
        run: word(12) as u32,
        first_sequence: word(40),
        durable_sequence: word(48),
    }
    .encode();
}

fn entry(bytes: &mut [u8], offset: u64, body_too: bool) {
    if bytes.len() < ENTRY_HEADER_BYTES || !bytes.starts_with(b"Ts") {
        return;
    }
    let length = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize;
    let body = ENTRY_HEADER_BYTES + usize::from(bytes[59]);
    let Some(content) = bytes.get(body..length) else { return };
    if body_too {
        let crc = crc32c::crc32c(content);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
    }
    let crc = Seal::new(&ID).over(offset, &[&bytes[2..4], &bytes[8..ENTRY_HEADER_BYTES], &bytes[ENTRY_HEADER_BYTES..body]]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
}
