//! Comparing a stretch of the set column with one set id, sixteen slots at a time.

/// One bit for each of 64 ids: whether it equals `wanted`.
///
/// # Panics
/// Never for a slice of 64; shorter ones are compared one by one.
pub fn equal_bits(column: &[u16], wanted: u16) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Ok(column) = <&[u16; 64]>::try_from(column) {
        return sse2(column, wanted);
    }
    portable(column, wanted)
}

fn portable(column: &[u16], wanted: u16) -> u64 {
    column.iter().take(64).enumerate().fold(0, |bits, (n, &id)| bits | (u64::from(id == wanted) << n))
}

/// SSE2 is part of every x86-64 processor.
#[cfg(target_arch = "x86_64")]
fn sse2(column: &[u16; 64], wanted: u16) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi16, _mm_loadu_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_set1_epi16};
    let mut bits = 0;
    // SAFETY: SSE2 is always there, and the eight unaligned loads of 16 bytes stay inside the 128 bytes of `column`.
    unsafe {
        let pattern = _mm_set1_epi16(wanted as i16);
        let at = column.as_ptr().cast::<__m128i>();
        for quarter in 0..4 {
            let low = _mm_cmpeq_epi16(_mm_loadu_si128(at.add(quarter * 2)), pattern);
            let high = _mm_cmpeq_epi16(_mm_loadu_si128(at.add(quarter * 2 + 1)), pattern);
            bits |= (_mm_movemask_epi8(_mm_packs_epi16(low, high)) as u32 as u64) << (quarter * 16);
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_portable_form(column in prop::collection::vec(0..4u16, 64), wanted in 0..4u16) {
            prop_assert_eq!(equal_bits(&column, wanted), portable(&column, wanted));
        }
    }

    #[test]
    fn the_highest_id_is_compared_whole() {
        let mut column = [0xffffu16; 64];
        column[5] = 0x00ff;
        assert_eq!(equal_bits(&column, 0xffff), !(1 << 5));
        assert_eq!(equal_bits(&column, 0x00ff), 1 << 5);
    }
}
