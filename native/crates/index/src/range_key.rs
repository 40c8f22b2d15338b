//! A value as a range index keeps it, and the pairs of such values and slots.

use crate::runs::Pair;
use std::ops::{Range, RangeInclusive};

/// Bytes of a string that are kept.
pub const PREFIX: usize = 28;

/// Sortable bits of infinity, past which no number is.
pub(crate) const INFINITY: u64 = f64::INFINITY.to_bits() | 1 << 63;
/// Past it: what has a place in an order and is neither a number nor a string.
pub(crate) const BYTES: u64 = u64::MAX - 2;
pub(crate) const FALSE: u64 = u64::MAX - 1;
pub(crate) const TRUE: u64 = u64::MAX;

/// A value as a range index keeps it. The order is that of the values: of equal keys it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RangeKey {
    /// Sortable bits of the nearest double.
    Number(u64),
    /// The first bytes, zeros after a shorter string.
    String([u8; PREFIX]),
    Bytes,
    False,
    True,
}

/// A pair of a range index.
pub(crate) trait Keyed: Pair {
    fn key(self) -> RangeKey;
}

impl Keyed for u128 {
    fn key(self) -> RangeKey {
        match (self >> 32) as u64 {
            number if number <= INFINITY => RangeKey::Number(number),
            ..=BYTES => RangeKey::Bytes,
            FALSE => RangeKey::False,
            TRUE => RangeKey::True,
        }
    }
}

impl Keyed for [u64; 4] {
    fn key(self) -> RangeKey {
        RangeKey::String(string_of(&self))
    }
}

impl RangeKey {
    /// Every key there is.
    pub const ALL: RangeInclusive<Self> = Self::Number(0)..=Self::True;

    /// That of a string.
    pub fn of_text(text: &[u8]) -> Self {
        Self::String(prefix(text, 0))
    }

    /// The sorted pairs whose keys lie within `keys`.
    pub(crate) fn within<P: Keyed>(pairs: &[P], keys: &RangeInclusive<Self>) -> Range<usize> {
        let start = pairs.partition_point(|pair| pair.key() < *keys.start());
        start..start + pairs[start..].partition_point(|pair| pair.key() <= *keys.end())
    }
}

/// The bytes of a string that are kept, with `fill` after a shorter one.
pub(crate) fn prefix(text: &[u8], fill: u8) -> [u8; PREFIX] {
    let mut kept = [fill; PREFIX];
    let length = text.len().min(PREFIX);
    kept[..length].copy_from_slice(&text[..length]);
    kept
}

pub(crate) fn number_pair(number: u64, slot: u32) -> u128 {
    u128::from(number) << 32 | u128::from(slot)
}

pub(crate) fn string_pair(kept: [u8; PREFIX], slot: u32) -> [u64; 4] {
    let mut bytes = [0; 32];
    bytes[..PREFIX].copy_from_slice(&kept);
    bytes[PREFIX..].copy_from_slice(&slot.to_be_bytes());
    let mut pair = [0; 4];
    for (word, bytes) in pair.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    pair
}

pub(crate) fn string_of(pair: &[u64; 4]) -> [u8; PREFIX] {
    let mut kept = [0; PREFIX];
    let bytes = pair.iter().flat_map(|word| word.to_be_bytes());
    kept.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    kept
}
