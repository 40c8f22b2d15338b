//! What a document is found by: one term for each scalar in it.
//!
//! A term is the 64-bit xxh3 of (path without list positions, kind, scalar). A list inside the document adds a mark to
//! the path, so `{"a":1}` and `{"a":[1]}` differ; a list at the very top adds none, because there a list contains a
//! bare scalar. Numbers hash by value: 1 and 1.0 alike. If `stored` contains `wanted`, every term of `wanted` is a term
//! of `stored`; the reverse is for the recheck to decide. An empty map or list has no term, so a wanted document without
//! any scalar cannot be narrowed by the index (`QueryTerms::is_empty`).

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::record::ValueRef;
use crate::record::compare::as_integer;

/// The hash of the empty path.
const ROOT: u64 = 0x9e37_79b9_7f4a_7c15;
const PRIME: u64 = 0x9fb2_1c65_1e98_df25;

/// Kinds of scalar, mixed into the path's hash.
const NULL: u64 = 0x01 << 56;
const FALSE: u64 = 0x02 << 56;
const TRUE: u64 = 0x03 << 56;
const INTEGER: u64 = 0x04 << 56;
const DOUBLE: u64 = 0x05 << 56;
const STRING: u64 = 0x06 << 56;
const BYTES: u64 = 0x07 << 56;
const LIST: u64 = 0x08 << 56;

/// Calls `each` with every term of `value`; a term that occurs twice is given twice.
pub fn each_term(value: &ValueRef<'_>, each: &mut impl FnMut(u64)) {
    match value {
        ValueRef::List(items) => items.iter().for_each(|item| walk(&item, ROOT, each)),
        _ => walk(value, ROOT, each),
    }
}

/// A hash that equal scalars share, numbers by value; containers have none.
pub fn scalar_hash(value: &ValueRef<'_>) -> Option<u64> {
    (!matches!(value, ValueRef::List(_) | ValueRef::Map(_))).then(|| scalar(value, ROOT))
}

fn walk(value: &ValueRef<'_>, path: u64, each: &mut impl FnMut(u64)) {
    match value {
        ValueRef::Map(entries) => entries.iter().for_each(|(key, value)| walk(&value, xxh3_64_with_seed(key, path), each)),
        ValueRef::List(items) => {
            let inside = mix(path ^ LIST);
            items.iter().for_each(|item| walk(&item, inside, each));
        }
        _ => each(scalar(value, path)),
    }
}

#[inline]
fn scalar(value: &ValueRef<'_>, path: u64) -> u64 {
    match value {
        ValueRef::Bool(false) => mix(path ^ FALSE),
        ValueRef::Bool(true) => mix(path ^ TRUE),
        ValueRef::Int(n) => number(*n as u64, path ^ INTEGER),
        ValueRef::Double(d) => match as_integer(*d) {
            Some(n) => number(n as u64, path ^ INTEGER),
            None => number(d.to_bits(), path ^ DOUBLE),
        },
        ValueRef::String(text) => xxh3_64_with_seed(text, path ^ STRING),
        ValueRef::Bytes(bytes) => xxh3_64_with_seed(bytes, path ^ BYTES),
        ValueRef::Null | ValueRef::List(_) | ValueRef::Map(_) => mix(path ^ NULL),
    }
}

#[inline]
fn number(bits: u64, seed: u64) -> u64 {
    xxh3_64_with_seed(&bits.to_le_bytes(), seed)
}

/// The final mix of xxh3 (`XXH3_rrmxmx` without its length): every input bit reaches every output bit.
#[inline]
const fn mix(value: u64) -> u64 {
    let value = value ^ value.rotate_left(49) ^ value.rotate_left(24);
    let value = value.wrapping_mul(PRIME);
    let value = (value ^ (value >> 35)).wrapping_mul(PRIME);
    value ^ (value >> 28)
}

/// The part of a term that a dictionary keeps. With 32 bits, a lookup in a segment of a million terms goes wrong once
/// in 4,000 times, and then costs one recheck; an entry is 8 bytes instead of 12.
#[inline]
pub(super) const fn kept(term: u64) -> u32 {
    (term >> 32) as u32
}

/// The terms that a stored document must have to contain the wanted one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryTerms {
    kept: Vec<u32>,
}

impl QueryTerms {
    pub fn of(wanted: &ValueRef<'_>) -> Self {
        let mut terms = Vec::new();
        each_term(wanted, &mut |term| terms.push(kept(term)));
        Self { kept: terms }.normal()
    }

    /// What a document must have to contain both wanted ones.
    pub fn and(mut self, mut other: Self) -> Self {
        self.kept.append(&mut other.kept);
        self.normal()
    }

    fn normal(mut self) -> Self {
        self.kept.sort_unstable();
        self.kept.dedup();
        self
    }

    /// True when the wanted document has no scalar: any document may contain it.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub fn len(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn kept(&self) -> &[u32] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Encoder, Value};

    fn terms(value: &Value) -> QueryTerms {
        let mut bytes = Vec::new();
        Encoder::new(&mut bytes).value(value);
        QueryTerms::of(&ValueRef::of(&bytes))
    }

    fn map(key: &str, value: Value) -> Value {
        Value::Map(vec![(key.into(), value)])
    }

    #[test]
    fn equal_numbers_share_a_term() {
        for n in [0, 1, -1, 1 << 53, i64::MIN] {
            assert_eq!(terms(&map("n", Value::Int(n))), terms(&map("n", Value::Double(n as f64))));
        }
        assert_eq!(terms(&Value::Double(-0.0)), terms(&Value::Int(0)));
        assert_ne!(terms(&Value::Int((1 << 53) + 1)), terms(&Value::Double((1_i64 << 53) as f64)));
    }

    #[test]
    fn kinds_paths_and_lists_are_told_apart() {
        let values = [
            Value::Null,
            Value::Bool(false),
            Value::Bool(true),
            Value::Int(1),
            Value::Double(0.5),
            Value::String("1".into()),
            Value::Bytes(b"1".to_vec()),
        ];
        let mut all: Vec<QueryTerms> = values.iter().map(terms).collect();
        all.extend(values.iter().map(|v| terms(&map("a", v.clone()))));
        all.extend(values.iter().map(|v| terms(&map("a", Value::List(vec![v.clone()])))));
        all.extend(values.iter().map(|v| terms(&map("a", map("b", v.clone())))));
        for (i, left) in all.iter().enumerate() {
            assert_eq!(left.len(), 1);
            assert!(all[i + 1..].iter().all(|right| left != right));
        }
    }

    #[test]
    fn only_a_list_at_the_top_is_unmarked() {
        let one = Value::Int(1);
        let list = |v: &Value| Value::List(vec![v.clone()]);
        assert_eq!(terms(&one), terms(&list(&one)));
        assert_ne!(terms(&one), terms(&list(&list(&one))));
        assert!(terms(&map("a", Value::List(vec![]))).is_empty());
    }
}
