//! Eight blocks at once, in AVX2.

use super::rounds::{self, Word};
use super::{Block, Digest, LANES, word_of};
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_or_si256, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_slli_epi32,
    _mm256_srli_epi32, _mm256_xor_si256,
};

/// A word of each lane. Made in `compress` only, so where there is one the processor has AVX2.
#[derive(Clone, Copy)]
struct Lanes(__m256i);

macro_rules! avx2 {
    ($call:expr) => {
        // SAFETY: nothing makes a `Lanes` where the processor has no AVX2.
        Lanes(unsafe { $call })
    };
}

impl Word for Lanes {
    #[inline(always)]
    fn splat(value: u32) -> Self {
        avx2!(_mm256_set1_epi32(value as i32))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        avx2!(_mm256_add_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        avx2!(_mm256_and_si256(self.0, other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        avx2!(_mm256_or_si256(self.0, other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        avx2!(_mm256_xor_si256(self.0, other.0))
    }

    #[inline(always)]
    fn not(self) -> Self {
        self.xor(Self::splat(u32::MAX))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        avx2!(_mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0)))
    }
}

/// The digests of eight padded one-block messages.
#[target_feature(enable = "avx2")]
pub(super) fn compress(blocks: &[Block; LANES]) -> [Digest; LANES] {
    let block: [Lanes; 16] = std::array::from_fn(|at| {
        let w = |lane: usize| word_of(&blocks[lane], at) as i32;
        Lanes(_mm256_setr_epi32(w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7)))
    });
    let mut digests = [Digest::default(); LANES];
    for (n, words) in rounds::compress(&block).into_iter().enumerate() {
        // SAFETY: both are 32 bytes without padding, and every bit pattern is a valid array of words.
        let words: [u32; LANES] = unsafe { std::mem::transmute(words.0) };
        for (digest, word) in digests.iter_mut().zip(words) {
            digest.0[n * 4..n * 4 + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
    digests
}
