//! One cache line of sixteen numbers, compared with one value all at once: no branch depends on where it lies.

use tessera_base::arena::Plain;

pub(super) const CELLS: usize = 16;

#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(pub(super) [u32; CELLS]);

// SAFETY: any bytes are numbers.
unsafe impl Plain for Line {}

impl Line {
    /// One bit for each number: whether it is `wanted`, as far as `mask` goes.
    pub(super) fn equal_bits(&self, mask: u32, wanted: u32) -> u32 {
        #[cfg(target_arch = "x86_64")]
        return self.sse2(mask, wanted);
        #[cfg(not(target_arch = "x86_64"))]
        self.portable(mask, wanted)
    }

    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn portable(&self, mask: u32, wanted: u32) -> u32 {
        self.0.iter().enumerate().fold(0, |bits, (n, &number)| bits | (u32::from(number & mask == wanted) << n))
    }

    /// SSE2 is part of every x86-64 processor.
    #[cfg(target_arch = "x86_64")]
    fn sse2(&self, mask: u32, wanted: u32) -> u32 {
        use std::arch::x86_64::{
            __m128i, _mm_and_si128, _mm_cmpeq_epi32, _mm_load_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi32,
        };
        // SAFETY: SSE2 is always there, and the four loads of 16 bytes are the 64 bytes of the line, which is aligned to more.
        unsafe {
            let (mask, wanted) = (_mm_set1_epi32(mask as i32), _mm_set1_epi32(wanted as i32));
            let at = self.0.as_ptr().cast::<__m128i>();
            let quarter = |n: usize| _mm_cmpeq_epi32(_mm_and_si128(_mm_load_si128(at.add(n)), mask), wanted);
            let halves = (_mm_packs_epi32(quarter(0), quarter(1)), _mm_packs_epi32(quarter(2), quarter(3)));
            _mm_movemask_epi8(_mm_packs_epi16(halves.0, halves.1)) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_portable_form(numbers: [u32; CELLS], few in 0..3u32, mask: u32, wanted: u32) {
            let line = Line(numbers.map(|number| if number % 4 < few { wanted } else { number }));
            for mask in [mask, u32::MAX, 0] {
                prop_assert_eq!(line.equal_bits(mask, wanted), line.portable(mask, wanted));
                prop_assert_eq!(line.equal_bits(mask, wanted & mask), line.portable(mask, wanted & mask));
            }
        }
    }
}
