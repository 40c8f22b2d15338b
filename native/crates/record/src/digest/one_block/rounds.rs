//! The rounds of RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996), on one word or on a vector of them.
//!
//! Each step waits for the one before it, so the five functions take their newest argument, `x`, as late as they can.

/// 32 bits, or as many of them as a vector has lanes.
pub trait Word: Copy {
    fn splat(value: u32) -> Self;
    fn add(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// `RIGHT` is 32 less `LEFT`.
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self;

    /// Keeps the compiler from computing one far ahead of the other.
    fn abreast(one: Self, other: Self) -> (Self, Self) {
        (one, other)
    }
}

impl Word for u32 {
    fn splat(value: u32) -> Self {
        value
    }

    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn and(self, other: Self) -> Self {
        self & other
    }

    fn or(self, other: Self) -> Self {
        self | other
    }

    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    fn not(self) -> Self {
        !self
    }

    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        self.rotate_left(LEFT as u32)
    }

    // Miri runs no assembler.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    fn abreast(mut one: Self, mut other: Self) -> (Self, Self) {
        // SAFETY: no instruction at all; only both values have to be there before either is used again.
        unsafe {
            std::arch::asm!("/* {0:e} {1:e} */", inout(reg) one, inout(reg) other, options(pure, nomem, nostack, preserves_flags));
        }
        (one, other)
    }
}

#[inline(always)]
fn f1<W: Word>(x: W, y: W, z: W) -> W {
    x.xor(y.xor(z))
}

#[inline(always)]
fn f2<W: Word>(x: W, y: W, z: W) -> W {
    z.xor(x.and(y.xor(z)))
}

#[inline(always)]
fn f3<W: Word>(x: W, y: W, z: W) -> W {
    z.xor(x.or(y.not()))
}

#[inline(always)]
fn f4<W: Word>(x: W, y: W, z: W) -> W {
    // The two parts have no bit in common: adding them leaves the sum's order to the compiler.
    x.and(z).add(y.and(z.not()))
}

#[inline(always)]
fn f5<W: Word>(x: W, y: W, z: W) -> W {
    x.xor(y.or(z.not()))
}

/// One step of one line, with its word of the message and its rotation.
macro_rules! step {
    ($s:ident, $block:ident, $f:ident, $k:ident, $word:literal, $bits:literal) => {
        let [a, b, c, d, e] = $s;
        let sum = a.add($block[$word].add($k)).add($f(b, c, d));
        $s = [e, sum.rotate::<$bits, { 32 - $bits }>().add(e), b, c.rotate::<10, 22>(), d];
    };
}

/// Sixteen steps of both lines, by turns: neither waits for the other, and the processor looks only so far ahead.
macro_rules! steps {
    ($l:ident $r:ident $block:ident, $fl:ident $kl:ident, $fr:ident $kr:ident,
     $($wl:literal $bl:literal $wr:literal $br:literal),+) => {
        $(
            step!($l, $block, $fl, $kl, $wl, $bl);
            step!($r, $block, $fr, $kr, $wr, $br);
            ($l[1], $r[1]) = W::abreast($l[1], $r[1]);
        )+
    };
}

const LEFT: [u32; 5] = [0, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xa953_fd4e];
const RIGHT: [u32; 5] = [0x50a2_8be6, 0x5c4d_d124, 0x6d70_3ef3, 0x7a6d_76e9, 0];

/// The state after the first and only block.
#[inline(always)]
pub fn compress<W: Word>(block: &[W; 16]) -> [W; 5] {
    let initial = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0].map(W::splat);
    let (mut l, mut r) = (initial, initial);
    // Opaque, as the compiler would add constants last, behind what the step waits for.
    let [kl1, kl2, kl3, kl4, kl5] = std::hint::black_box(LEFT).map(W::splat);
    let [kr1, kr2, kr3, kr4, kr5] = std::hint::black_box(RIGHT).map(W::splat);
    steps!(l r block, f1 kl1, f5 kr1,
        0 11 5 8, 1 14 14 9, 2 15 7 9, 3 12 0 11, 4 5 9 13, 5 8 2 15, 6 7 11 15, 7 9 4 5,
        8 11 13 7, 9 13 6 7, 10 14 15 8, 11 15 8 11, 12 6 1 14, 13 7 10 14, 14 9 3 12, 15 8 12 6
    );
    steps!(l r block, f2 kl2, f4 kr2,
        7 7 6 9, 4 6 11 13, 13 8 3 15, 1 13 7 7, 10 11 0 12, 6 9 13 8, 15 7 5 9, 3 15 10 11,
        12 7 14 7, 0 12 15 7, 9 15 8 12, 5 9 12 7, 2 11 4 6, 14 7 9 15, 11 13 1 13, 8 12 2 11
    );
    steps!(l r block, f3 kl3, f3 kr3,
        3 11 15 9, 10 13 5 7, 14 6 1 15, 4 7 3 11, 9 14 7 8, 15 9 14 6, 8 13 6 6, 1 15 9 14,
        2 14 11 12, 7 8 8 13, 0 13 12 5, 6 6 2 14, 13 5 10 13, 11 12 0 13, 5 7 4 7, 12 5 13 5
    );
    steps!(l r block, f4 kl4, f2 kr4,
        1 11 8 15, 9 12 6 5, 11 14 4 8, 10 15 1 11, 0 14 3 14, 8 15 11 14, 12 9 15 6, 4 8 0 14,
        13 9 5 6, 3 14 12 9, 7 5 2 12, 15 6 13 9, 14 8 9 12, 5 6 7 5, 6 5 10 15, 2 12 14 8
    );
    steps!(l r block, f5 kl5, f1 kr5,
        4 9 12 8, 0 15 15 5, 5 5 10 12, 9 11 4 9, 7 6 1 12, 12 8 5 5, 2 13 8 14, 10 12 7 6,
        14 5 6 8, 1 12 2 13, 3 13 13 6, 8 14 14 5, 11 11 0 15, 6 8 3 13, 15 5 9 11, 13 6 11 11
    );
    std::array::from_fn(|n| initial[(n + 1) % 5].add(l[(n + 2) % 5]).add(r[(n + 3) % 5]))
}
