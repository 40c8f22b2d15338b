//! Hashes of scalars: equal ones share theirs, numbers by value.
//!
//! The hash of a scalar is the 64-bit xxh3 of its bytes with what it is hashed under, a path or nothing, and its kind as the seed.

use crate::ValueRef;
use crate::compare::as_integer;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The hash of the empty path.
pub const ROOT: u64 = 0x9e37_79b9_7f4a_7c15;
const PRIME: u64 = 0x9fb2_1c65_1e98_df25;

/// Kinds of scalar, mixed into the path's hash. 8 is not free: it marks lists in the terms of document indexes.
const NULL: u64 = 0x01 << 56;
const FALSE: u64 = 0x02 << 56;
const TRUE: u64 = 0x03 << 56;
const INTEGER: u64 = 0x04 << 56;
const DOUBLE: u64 = 0x05 << 56;
const STRING: u64 = 0x06 << 56;
const BYTES: u64 = 0x07 << 56;

/// A hash that equal scalars share, numbers by value; containers have none.
#[inline]
pub fn scalar_hash(value: &ValueRef<'_>) -> Option<u64> {
    (!matches!(value, ValueRef::List(_) | ValueRef::Map(_))).then(|| scalar(value, ROOT))
}

#[inline]
pub fn scalar(value: &ValueRef<'_>, path: u64) -> u64 {
    match value {
        ValueRef::Bool(false) => mix(path ^ FALSE),
        ValueRef::Bool(true) => mix(path ^ TRUE),
        ValueRef::Int(n) => number(*n as u64, path ^ INTEGER),
        ValueRef::Double(d) => match as_integer(*d) {
            Some(n) => number(n as u64, path ^ INTEGER),
            None => number(d.to_bits(), path ^ DOUBLE),
        },
        ValueRef::String(text) => string(text, path),
        ValueRef::Bytes(bytes) => xxh3_64_with_seed(bytes, path ^ BYTES),
        ValueRef::Null | ValueRef::List(_) | ValueRef::Map(_) => mix(path ^ NULL),
    }
}

#[inline]
pub fn string(text: &[u8], path: u64) -> u64 {
    xxh3_64_with_seed(text, path ^ STRING)
}

#[inline]
fn number(bits: u64, seed: u64) -> u64 {
    xxh3_64_with_seed(&bits.to_le_bytes(), seed)
}

/// The final mix of xxh3 (`XXH3_rrmxmx` without its length): every input bit reaches every output bit.
#[inline]
pub const fn mix(value: u64) -> u64 {
    let value = value ^ value.rotate_left(49) ^ value.rotate_left(24);
    let value = value.wrapping_mul(PRIME);
    let value = (value ^ (value >> 35)).wrapping_mul(PRIME);
    value ^ (value >> 28)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn equal_scalars_share_a_hash_and_no_others_do() {
        let hash = |value| scalar_hash(&value);
        assert_eq!(hash(ValueRef::Int(2)), hash(ValueRef::Double(2.0)));
        assert_eq!(hash(ValueRef::String(b"a")), Some(string(b"a", ROOT)));
        let scalars = [
            ValueRef::Null,
            ValueRef::Bool(false),
            ValueRef::Bool(true),
            ValueRef::Int(1),
            ValueRef::Int(-1),
            ValueRef::Double(1.5),
            ValueRef::String(b"a"),
            ValueRef::Bytes(b"a"),
        ];
        let paths = [ROOT, 1, 2];
        let all: BTreeSet<u64> = paths.iter().flat_map(|path| scalars.iter().map(|value| scalar(value, *path))).collect();
        assert_eq!(all.len(), paths.len() * scalars.len());
    }

    /// Images of indexes and filters hold these hashes, so they must stay what they are.
    #[test]
    fn hashes_stay_what_they_are() {
        let scalars = [
            ValueRef::Null,
            ValueRef::Bool(false),
            ValueRef::Bool(true),
            ValueRef::Int(-3),
            ValueRef::Double(1.5),
            ValueRef::String(b"a"),
            ValueRef::Bytes(b"a"),
        ];
        let sum = scalars.iter().fold(0_u64, |sum, value| sum.wrapping_mul(PRIME).wrapping_add(scalar(value, 0x0123_4567_89ab_cdef)));
        assert_eq!(sum, 18_188_613_751_739_665_030);
    }
}
