//! 256 slots: their bits, and the shortest of three forms to keep them in.

/// One bit a slot.
pub(super) type Words = [u64; 4];

/// Bytes of a chunk as bits; also its code.
pub(super) const BITMAP: u8 = 32;
/// Code of a chunk that holds all 256 slots, and no bytes.
pub(super) const FULL: u8 = 0;
/// A bitmap turns into a list when it has shrunk to this many, well below the size at which a list turns into a bitmap.
pub(super) const LIST_AGAIN: u32 = 24;

pub(super) fn count(words: &Words) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

/// Appends the chunk to `out` in its shortest form and returns its code: the number of bytes appended.
pub(super) fn encode(words: &Words, out: &mut Vec<u8>) -> u8 {
    match count(words) {
        256 => FULL,
        members if members < u32::from(BITMAP) => {
            for (at, word) in words.iter().enumerate() {
                let mut rest = *word;
                while rest != 0 {
                    out.push((at * 64) as u8 + rest.trailing_zeros() as u8);
                    rest &= rest - 1;
                }
            }
            members as u8
        }
        _ => {
            words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
            BITMAP
        }
    }
}

/// The bits of a chunk of the given code.
pub(super) fn decode(code: u8, data: &[u8]) -> Words {
    let mut words = [0; 4];
    match code {
        FULL => words = [u64::MAX; 4],
        BITMAP => {
            for (word, bytes) in words.iter_mut().zip(data.chunks_exact(8)) {
                *word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            }
        }
        _ => data.iter().for_each(|&member| words[usize::from(member) / 64] |= 1 << (member % 64)),
    }
    words
}
