//! The rounds of RIPEMD-160 on eight blocks, in AVX2.

use super::LANES;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256, _mm256_or_si256, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_slli_epi32, _mm256_srli_epi32, _mm256_xor_si256,
};

const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

macro_rules! add {
    ($a:expr, $b:expr) => {
        _mm256_add_epi32($a, $b)
    };
}

macro_rules! rotate {
    ($a:expr, $bits:literal) => {{
        let a = $a;
        _mm256_or_si256(_mm256_slli_epi32::<$bits>(a), _mm256_srli_epi32::<{ 32 - $bits }>(a))
    }};
}

/// The five functions; the right line uses them in the opposite order.
macro_rules! function {
    (1, $x:expr, $y:expr, $z:expr, $ones:expr) => {
        _mm256_xor_si256(_mm256_xor_si256($x, $y), $z)
    };
    (2, $x:expr, $y:expr, $z:expr, $ones:expr) => {
        _mm256_or_si256(_mm256_and_si256($x, $y), _mm256_andnot_si256($x, $z))
    };
    (3, $x:expr, $y:expr, $z:expr, $ones:expr) => {
        _mm256_xor_si256(_mm256_or_si256($x, _mm256_xor_si256($y, $ones)), $z)
    };
    (4, $x:expr, $y:expr, $z:expr, $ones:expr) => {
        _mm256_or_si256(_mm256_and_si256($x, $z), _mm256_andnot_si256($z, $y))
    };
    (5, $x:expr, $y:expr, $z:expr, $ones:expr) => {
        _mm256_xor_si256($x, _mm256_or_si256($y, _mm256_xor_si256($z, $ones)))
    };
}

/// Sixteen steps of one line: word of the message and rotation of each.
macro_rules! line {
    ($s:ident, $block:ident, $ones:ident, $f:tt, $k:literal, $($word:literal $bits:literal),+) => {
        let k = _mm256_set1_epi32($k as i32);
        $(
            let [a, b, c, d, e] = $s;
            let sum = add!(add!(a, function!($f, b, c, d, $ones)), add!($block[$word], k));
            $s = [e, add!(rotate!(sum, $bits), e), b, rotate!(c, 10), d];
        )+
    };
}

/// The digests of eight padded one-block messages.
#[target_feature(enable = "avx2")]
pub(super) fn compress(blocks: &[[u8; 64]; LANES]) -> [[u8; 20]; LANES] {
    let word = |at: usize, lane: usize| {
        let bytes = &blocks[lane];
        i32::from_le_bytes([bytes[at * 4], bytes[at * 4 + 1], bytes[at * 4 + 2], bytes[at * 4 + 3]])
    };
    let ones = _mm256_set1_epi32(-1);
    let mut block = [ones; 16];
    for (at, words) in block.iter_mut().enumerate() {
        let w = |lane| word(at, lane);
        *words = _mm256_setr_epi32(w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7));
    }
    let mut initial = [ones; 5];
    for (words, value) in initial.iter_mut().zip(INITIAL) {
        *words = _mm256_set1_epi32(value as i32);
    }
    let (mut l, mut r) = (initial, initial);
    line!(l, block, ones, 1, 0u32, 0 11, 1 14, 2 15, 3 12, 4 5, 5 8, 6 7, 7 9, 8 11, 9 13, 10 14, 11 15, 12 6, 13 7, 14 9, 15 8);
    line!(r, block, ones, 5, 0x50a2_8be6u32, 5 8, 14 9, 7 9, 0 11, 9 13, 2 15, 11 15, 4 5, 13 7, 6 7, 15 8, 8 11, 1 14, 10 14, 3 12, 12 6);
    line!(l, block, ones, 2, 0x5a82_7999u32, 7 7, 4 6, 13 8, 1 13, 10 11, 6 9, 15 7, 3 15, 12 7, 0 12, 9 15, 5 9, 2 11, 14 7, 11 13, 8 12);
    line!(r, block, ones, 4, 0x5c4d_d124u32, 6 9, 11 13, 3 15, 7 7, 0 12, 13 8, 5 9, 10 11, 14 7, 15 7, 8 12, 12 7, 4 6, 9 15, 1 13, 2 11);
    line!(l, block, ones, 3, 0x6ed9_eba1u32, 3 11, 10 13, 14 6, 4 7, 9 14, 15 9, 8 13, 1 15, 2 14, 7 8, 0 13, 6 6, 13 5, 11 12, 5 7, 12 5);
    line!(r, block, ones, 3, 0x6d70_3ef3u32, 15 9, 5 7, 1 15, 3 11, 7 8, 14 6, 6 6, 9 14, 11 12, 8 13, 12 5, 2 14, 10 13, 0 13, 4 7, 13 5);
    line!(l, block, ones, 4, 0x8f1b_bcdcu32, 1 11, 9 12, 11 14, 10 15, 0 14, 8 15, 12 9, 4 8, 13 9, 3 14, 7 5, 15 6, 14 8, 5 6, 6 5, 2 12);
    line!(r, block, ones, 2, 0x7a6d_76e9u32, 8 15, 6 5, 4 8, 1 11, 3 14, 11 14, 15 6, 0 14, 5 6, 12 9, 2 12, 13 9, 9 12, 7 5, 10 15, 14 8);
    line!(l, block, ones, 5, 0xa953_fd4eu32, 4 9, 0 15, 5 5, 9 11, 7 6, 12 8, 2 13, 10 12, 14 5, 1 12, 3 13, 8 14, 11 11, 6 8, 15 5, 13 6);
    line!(r, block, ones, 1, 0u32, 12 8, 15 5, 10 12, 4 9, 1 12, 5 5, 8 14, 7 6, 6 8, 2 13, 13 6, 14 5, 0 15, 3 13, 9 11, 11 11);
    let mut digests = [[0; 20]; LANES];
    for n in 0..5 {
        let words = words_of(add!(initial[(n + 1) % 5], add!(l[(n + 2) % 5], r[(n + 3) % 5])));
        for (digest, word) in digests.iter_mut().zip(words) {
            digest[n * 4..n * 4 + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
    digests
}

fn words_of(vector: __m256i) -> [u32; LANES] {
    // SAFETY: both are 32 bytes without padding, and every bit pattern is a valid array of words.
    unsafe { std::mem::transmute(vector) }
}
