//! A record's identity: RIPEMD-160 over set name, key type and key, as Aerospike clients compute it.

mod one_block;

pub use one_block::digests;

use crate::key::KeyRef;
use ripemd::{Digest as _, Ripemd160};
use std::fmt;

/// Partitions of the digest space; segments are a power of two of them.
pub const PARTITIONS: u16 = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Digest(pub [u8; 20]);

impl Digest {
    /// Digest of a key in a set; an empty set name means "no set".
    #[inline]
    pub fn of(set: &str, key: KeyRef<'_>) -> Self {
        if let Some(block) = one_block::block_of(set, key) {
            return one_block::digest(&block);
        }
        let mut hash = Ripemd160::new();
        hash.update(set.as_bytes());
        hash.update([key.type_byte()]);
        key.with_bytes(|bytes| hash.update(bytes));
        Self(hash.finalize().into())
    }

    /// The low 12 bits of the first two bytes, little-endian.
    #[inline]
    pub const fn partition(&self) -> u16 {
        u16::from_le_bytes([self.0[0], self.0[1]]) & (PARTITIONS - 1)
    }

    /// The segment of this digest among `count` (a power of two, 1 to 4096).
    #[inline]
    pub const fn segment(&self, count: u32) -> u16 {
        (self.partition() as u32 & (count - 1)) as u16
    }

    /// Where it stands in the order in which the digests of a segment are side by side, among however many segments.
    #[inline]
    pub const fn place(&self) -> u64 {
        let partition = self.partition().reverse_bits() >> 4;
        (partition as u64) << 52 | self.hash64() >> 12
    }

    /// The places of a segment's digests among `count` segments.
    pub const fn places_of(segment: u16, count: u32) -> (u64, u64) {
        let bits = count.trailing_zeros();
        if bits == 0 {
            return (0, u64::MAX);
        }
        let first = ((segment.reverse_bits() >> (16 - bits)) as u64) << (64 - bits);
        (first, first | (u64::MAX >> bits))
    }

    /// Eight well-mixed bytes that do not take part in choosing the partition: the hash for tables.
    #[inline]
    pub const fn hash64(&self) -> u64 {
        let d = &self.0;
        u64::from_le_bytes([d[4], d[5], d[6], d[7], d[8], d[9], d[10], d[11]])
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_ripemd160_over_set_type_and_key() {
        // RIPEMD-160("abc") by RFC-style test vector; set "ab" + type byte 'c' is not possible, so check composition.
        let whole: [u8; 20] = Ripemd160::digest(b"demo\x03user-1").into();
        assert_eq!(Digest::of("demo", KeyRef::String("user-1")).0, whole);
        let integer: [u8; 20] = Ripemd160::digest(b"demo\x01\0\0\0\0\0\0\0\x2a").into();
        assert_eq!(Digest::of("demo", KeyRef::Integer(42)).0, integer);
        let abc: [u8; 20] = Ripemd160::digest(b"abc").into();
        assert_eq!(Digest(abc).to_string(), "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
        assert_eq!(format!("{:?}", Digest(abc)), "Digest(8eb208f7e05d987a9b044a8e98c6b087f15a0bfc)");
        assert_eq!(Digest(abc).hash64(), u64::from_le_bytes(*b"\xe0\x5d\x98\x7a\x9b\x04\x4a\x8e"));
    }

    #[test]
    fn places_have_the_digests_of_a_segment_side_by_side() {
        for count in (0..=12).map(|bits| 1 << bits) {
            let mut all: Vec<_> = (0..count as u16).map(|segment| Digest::places_of(segment, count)).collect();
            for number in 0..200 {
                let digest = Digest::of("s", KeyRef::Integer(number));
                let (first, last) = all[usize::from(digest.segment(count))];
                assert!((first..=last).contains(&digest.place()), "{count} {digest}");
            }
            all.sort_unstable();
            assert_eq!((all[0].0, all.last().map(|last| last.1)), (0, Some(u64::MAX)));
            assert!(all.windows(2).all(|two| two[0].1.checked_add(1) == Some(two[1].0)), "{count}");
        }
    }

    #[test]
    fn partition_is_the_low_twelve_bits_little_endian() {
        let mut d = Digest::default();
        d.0[0] = 0xcd;
        d.0[1] = 0xfa;
        assert_eq!(d.partition(), 0xacd);
        assert_eq!(d.segment(256), 0xcd);
        assert_eq!(d.segment(1), 0);
    }
}
