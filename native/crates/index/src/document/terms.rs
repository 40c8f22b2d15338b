//! What a document is found by: one term for each scalar in it.
//!
//! A term is the 64-bit xxh3 of (path without list positions, kind, scalar). A list inside the document adds a mark to
//! the path, so `{"a":1}` and `{"a":[1]}` differ; a list at the very top adds none, because there a list contains a
//! bare scalar. Numbers hash by value: 1 and 1.0 alike. If `stored` contains `wanted`, every term of `wanted` is a term
//! of `stored`; the reverse is for the recheck to decide.
//!
//! Each key of a map at the top has the term of that string, as if it were an item of a list there: what PostgreSQL's `?`
//! asks is then one term. Beside that an empty map or list has no term, so a wanted document without any scalar cannot be
//! narrowed by the index (`QueryTerms::is_empty`).
//!
//! In an index over whole records a record is the map of its bins. What would be at the top of a bin is then one step down,
//! where lists are marked; keys, and strings in lists, have the term of that string beside. Bins themselves have none.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use tessera_record::scalar::{ROOT, mix, scalar, string};
use tessera_record::{BodyRef, ValueRef};

/// Mixed into the path's hash where a list is, beside the kinds of `tessera_record::scalar`.
const LIST: u64 = 0x08 << 56;

/// Calls `each` with every term of `value`; a term that occurs twice is given twice.
pub fn each_term(value: &ValueRef<'_>, each: &mut impl FnMut(u64)) {
    if let ValueRef::Map(entries) = value {
        entries.iter().for_each(|(key, _)| each(string(key, ROOT)));
    }
    each_scalar(value, each);
}

fn each_scalar(value: &ValueRef<'_>, each: &mut impl FnMut(u64)) {
    match value {
        ValueRef::List(items) => items.iter().for_each(|item| walk(&item, ROOT, each)),
        _ => walk(value, ROOT, each),
    }
}

/// As `each_term`, of a whole record.
pub fn each_term_of_record(body: &BodyRef<'_>, each: &mut impl FnMut(u64)) {
    for (name, encoded) in body.raw_bins() {
        let (value, path) = (ValueRef::of(encoded), xxh3_64_with_seed(name, ROOT));
        match &value {
            ValueRef::Map(entries) => entries.iter().for_each(|(key, _)| each(string(key, path))),
            ValueRef::List(items) => items.iter().for_each(|item| {
                if let ValueRef::String(text) = item {
                    each(string(text, path));
                }
            }),
            _ => {}
        }
        walk(&value, path, each);
    }
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

/// The part of a term that a dictionary keeps. With 32 bits, a lookup in a segment of a million terms goes wrong once
/// in 4,000 times, and then costs one recheck; an entry is 8 bytes instead of 12.
#[inline]
pub(crate) const fn kept(term: u64) -> u32 {
    (term >> 32) as u32
}

/// The terms that a stored document must have to contain the wanted one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryTerms {
    kept: Vec<u32>,
}

impl QueryTerms {
    /// Of the scalars: keys are in more documents than what lies below them.
    pub fn of(wanted: &ValueRef<'_>) -> Self {
        let mut terms = Vec::new();
        each_scalar(wanted, &mut |term| terms.push(kept(term)));
        Self { kept: terms }.normal()
    }

    /// As `of`, of an index over whole records: `wanted` is a map of bins.
    pub fn of_record(wanted: &ValueRef<'_>) -> Self {
        let mut terms = Vec::new();
        walk(wanted, ROOT, &mut |term| terms.push(kept(term)));
        Self { kept: terms }.normal()
    }

    /// The one term of documents that have `key` at the top: as a key of a map, as a string in a list, or as the string
    /// itself (PostgreSQL's `?`). All of several keys: `and`; any of them: one lookup each.
    pub fn of_key(key: &str) -> Self {
        Self { kept: vec![kept(string(key.as_bytes(), ROOT))] }
    }

    /// As `of_key`, of the document in `bin`, of an index over whole records.
    pub fn of_key_in(bin: &str, key: &str) -> Self {
        Self { kept: vec![kept(string(key.as_bytes(), xxh3_64_with_seed(bin.as_bytes(), ROOT)))] }
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

    /// So many of them: what has all has these.
    pub fn first(mut self, most: usize) -> Self {
        self.kept.truncate(most);
        self
    }

    /// True when the wanted document has no scalar: any document may contain it.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many terms.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// The terms, as an index keeps them.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::{BodyBuilder, Encoder, KeyRef, Value};

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

    #[test]
    fn documents_are_found_by_their_keys_at_the_top() {
        let text = |text: &str| Value::String(text.into());
        for (value, has) in [
            (map("a", Value::Null), true),
            (map("b", map("a", Value::Null)), false),
            (Value::List(vec![Value::Int(1), text("a")]), true),
            (Value::List(vec![Value::List(vec![text("a")])]), false),
            (text("a"), true),
        ] {
            let mut bytes = Vec::new();
            Encoder::new(&mut bytes).value(&value);
            let mut found = Vec::new();
            each_term(&ValueRef::of(&bytes), &mut |term| found.push(kept(term)));
            assert_eq!(found.contains(&QueryTerms::of_key("a").kept[0]), has, "{value:?}");

            let mut body = Vec::new();
            let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(1));
            builder
                .bin("d", |out| {
                    out.value(&value);
                    Ok(())
                })
                .unwrap();
            builder.finish();
            found.clear();
            each_term_of_record(&BodyRef::new(&body), &mut |term| found.push(kept(term)));
            assert_eq!(found.contains(&QueryTerms::of_key_in("d", "a").kept[0]), has, "{value:?} in a record");
            assert!(!found.contains(&QueryTerms::of_key_in("e", "a").kept[0]));
            bytes.clear();
            Encoder::new(&mut bytes).value(&map("d", value));
            assert!(QueryTerms::of_record(&ValueRef::of(&bytes)).kept.iter().all(|term| found.contains(term)));
        }
    }

    #[test]
    fn terms_of_two_documents_are_put_together() {
        let (a, b) = (QueryTerms { kept: vec![1, 4] }, QueryTerms { kept: vec![0, 4] });
        assert_eq!(a.and(b), QueryTerms { kept: vec![0, 1, 4] });
        let some = |most| QueryTerms { kept: vec![1, 4] }.first(most);
        assert_eq!([0, 1, 2, 3].map(|most| some(most).len()), [0, 1, 2, 2]);
        assert_eq!([0, 1].map(|most| some(most).is_empty()), [true, false]);
    }

    /// Images of indexes hold terms: `image::FORM` is to be raised with any change of them.
    #[test]
    fn terms_are_those_of_the_form() {
        let list = Value::List(vec![Value::Int(7), Value::String("c".into()), map("d", Value::Double(0.5))]);
        let document = Value::Map(vec![("a".into(), list), ("b".into(), Value::Null), ("e".into(), Value::Bool(true))]);
        let (mut bytes, mut body) = (Vec::new(), Vec::new());
        Encoder::new(&mut bytes).value(&document);
        let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(1));
        builder
            .bin("doc", |out| {
                out.value(&document);
                Ok(())
            })
            .unwrap();
        builder.finish();
        const PRIME: u64 = 0x9fb2_1c65_1e98_df25;
        let mut sum = 0_u64;
        each_term(&ValueRef::of(&bytes), &mut |term| sum = sum.wrapping_mul(PRIME).wrapping_add(term));
        each_term_of_record(&BodyRef::new(&body), &mut |term| sum = sum.wrapping_mul(PRIME).wrapping_add(term));
        assert_eq!((crate::image::FORM, sum), (3, 5_902_362_259_571_198_312));
    }
}
