//! Finds the bytes that matter inside a string, sixteen or eight at a time.

/// The first byte at or after `at` that ends a plain run inside a JSON string: a quote, a backslash or a control
/// character; `bytes.len()` if there is none.
#[inline]
pub fn special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<WIDTH>()) {
        let found = specials(chunk);
        if found != 0 {
            return at + place(found);
        }
        at += WIDTH;
    }
    while at < bytes.len() && !is_special(bytes[at]) {
        at += 1;
    }
    at
}

const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

#[cfg(not(target_arch = "x86_64"))]
use portable::{WIDTH, place, specials};
#[cfg(target_arch = "x86_64")]
use sse2::{WIDTH, place, specials};

#[cfg(target_arch = "x86_64")]
mod sse2 {
    pub const WIDTH: usize = 16;

    /// A bit for each special byte.
    #[inline]
    pub fn specials(chunk: &[u8; WIDTH]) -> u32 {
        use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8};
        // SAFETY: SSE2 is part of every x86_64, and the unaligned load reads the 16 bytes of `chunk`.
        unsafe {
            let bytes = _mm_loadu_si128(chunk.as_ptr().cast());
            let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
            let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
            let control = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x1f)), _mm_set1_epi8(0x1f));
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)) as u32
        }
    }

    #[inline]
    pub fn place(found: u32) -> usize {
        found.trailing_zeros() as usize
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    pub const WIDTH: usize = 8;

    /// The high bit of the first special byte (later ones may be wrong); "Hacker's Delight", 6-1.
    #[inline]
    pub fn specials(chunk: &[u8; WIDTH]) -> u64 {
        const LOW: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        let word = u64::from_le_bytes(*chunk);
        let zero = |x: u64| x.wrapping_sub(LOW) & !x;
        let quote = zero(word ^ (LOW * b'"' as u64));
        let backslash = zero(word ^ (LOW * b'\\' as u64));
        let control = word.wrapping_sub(LOW * 0x20) & !word;
        (quote | backslash | control) & HIGH
    }

    #[inline]
    pub fn place(found: u64) -> usize {
        (found.trailing_zeros() / 8) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_every_special_byte_at_every_place() {
        // Miri takes a thousand times as long, so there only a few.
        let few = |byte: &u8| !cfg!(miri) || matches!(byte, 0 | b'"' | b'\\' | b'x' | 0xff);
        for length in (0..70).step_by(if cfg!(miri) { 9 } else { 1 }) {
            for place in 0..length {
                for byte in (0..=255u8).filter(few) {
                    let mut bytes = vec![b'x'; length];
                    bytes[place] = byte;
                    let expected = if is_special(byte) { place } else { length };
                    assert_eq!(special(&bytes, 0), expected);
                    assert_eq!(special(&bytes, place), expected);
                    assert_eq!(special(&bytes, place + 1), length);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn eight_bytes_are_looked_at_as_one_by_one(
            chunk in prop::array::uniform8(prop::sample::select(b"\0\x01\x1f \x21\"#[\\]x\x7f\x80\x9f\xa2\xdc\xff".to_vec())),
        ) {
            let found = portable::specials(&chunk);
            let place = (found != 0).then(|| portable::place(found));
            prop_assert_eq!(place, chunk.iter().position(|&byte| is_special(byte)));
        }
    }
}
