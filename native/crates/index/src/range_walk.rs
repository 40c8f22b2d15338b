//! The entries of one segment's range index in order, as they were at one moment.
//!
//! Runs are shared, so a walk is begun under the segment's lock and read without it. What is written meanwhile is in none: whoever
//! reads finds each record with what it has by then. Stale entries come too, and a slot may come more than once.

use crate::range_key::{Keyed, RangeKey};
use crate::runs::{Era, Run};
use std::ops::{Range, RangeInclusive};

/// One entry of a range index.
#[derive(Clone, Copy, Debug)]
pub struct RangeEntry {
    /// What the index keeps of the value.
    pub key: RangeKey,
    /// Where the record is.
    pub slot: u32,
    /// The newest generation of its run, and where generations stood: see `Runs::was_stale`.
    pub(super) newest: u32,
    pub(super) era: Era,
}

/// The entries that are left, in order.
#[derive(Debug)]
pub struct RangeWalk {
    numbers: Rests<u128>,
    strings: Rests<[u64; 4]>,
    descending: bool,
}

/// What is left of the runs of one kind.
#[derive(Debug)]
struct Rests<P> {
    runs: Vec<(Run<P>, Range<usize>)>,
    era: Era,
}

impl RangeWalk {
    pub(super) fn new(
        numbers: (Vec<Run<u128>>, Era),
        strings: (Vec<Run<[u64; 4]>>, Era),
        keys: &RangeInclusive<RangeKey>,
        descending: bool,
    ) -> Self {
        Self { numbers: Rests::new(numbers, keys), strings: Rests::new(strings, keys), descending }
    }
}

impl<P: Keyed> Rests<P> {
    fn new((runs, era): (Vec<Run<P>>, Era), keys: &RangeInclusive<RangeKey>) -> Self {
        let rest = |run: Run<P>| (RangeKey::within(run.pairs(), keys), run);
        let runs = runs.into_iter().map(rest).filter(|(left, _)| !left.is_empty()).map(|(left, run)| (run, left)).collect();
        Self { runs, era }
    }

    /// The run whose pair comes next, and that pair.
    fn first(&self, descending: bool) -> Option<(usize, P)> {
        let heads = self.runs.iter().map(|(run, left)| run.pairs()[if descending { left.end - 1 } else { left.start }]);
        let heads = heads.enumerate();
        if descending { heads.max_by_key(|(_, pair)| *pair) } else { heads.min_by_key(|(_, pair)| *pair) }
    }

    fn take(&mut self, (at, pair): (usize, P), descending: bool) -> RangeEntry {
        let (run, left) = &mut self.runs[at];
        if descending {
            left.end -= 1
        } else {
            left.start += 1
        }
        let entry = RangeEntry { key: pair.key(), slot: pair.slot(), newest: run.newest(), era: self.era };
        if left.start == left.end {
            self.runs.swap_remove(at);
        }
        entry
    }
}

impl Iterator for RangeWalk {
    type Item = RangeEntry;

    fn next(&mut self) -> Option<RangeEntry> {
        let Self { numbers, strings, descending } = self;
        let (number, string) = (numbers.first(*descending), strings.first(*descending));
        let number_first = match (number, string) {
            (Some((_, number)), Some((_, string))) => (number.key() < string.key()) != *descending,
            (number, _) => number.is_some(),
        };
        if number_first {
            number.map(|first| numbers.take(first, *descending))
        } else {
            string.map(|first| strings.take(first, *descending))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::range::SegmentRangeIndex;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};
    use tessera_record::sample::encoded;
    use tessera_record::{Value, ValueRef};

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            (-3..3_i64).prop_map(Value::Int),
            prop::sample::select(vec![-0.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]).prop_map(Value::Double),
            "[ab]{0,2}".prop_map(Value::String),
            "[ab]{0,2}".prop_map(|end| Value::String("x".repeat(27) + &end)),
            any::<bool>().prop_map(Value::Bool),
            Just(Value::Bytes(vec![1])),
            Just(Value::Null),
        ]
    }

    fn write(index: &mut SegmentRangeIndex, writes: &[(u32, u32, Option<Value>)], now: &mut BTreeMap<u32, RangeKey>) {
        for (first, count, value) in writes {
            let bytes = value.as_ref().map(encoded);
            for slot in *first..first + count {
                index.insert(slot, bytes.as_deref().map(ValueRef::of));
                let mut alone = SegmentRangeIndex::new();
                alone.insert(slot, bytes.as_deref().map(ValueRef::of));
                match alone.walk(&RangeKey::ALL, false).next() {
                    Some(entry) => now.insert(slot, entry.key),
                    None => now.remove(&slot),
                };
            }
        }
    }

    fn writes() -> impl Strategy<Value = Vec<(u32, u32, Option<Value>)>> {
        prop::collection::vec((0..30_u32, prop_oneof![3 => 1..4_u32, 1 => 1..600_u32], prop::option::weighted(0.8, value())), 0..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// Of each slot what it had when the walk began, in order, whatever is written and merged while it is read.
        #[test]
        fn a_walk_has_everything_as_it_was(before in writes(), merged in any::<bool>(), more in writes(), during in writes(), descending in any::<bool>(), low in value(), high in value()) {
            let (mut index, mut now) = (SegmentRangeIndex::new(), BTreeMap::new());
            write(&mut index, &before, &mut now);
            if merged {
                index.merge_now();
            }
            write(&mut index, &more, &mut now);
            let key = |value: &Value, none| {
                let mut alone = SegmentRangeIndex::new();
                alone.insert(0, Some(ValueRef::of(&encoded(value))));
                alone.walk(&RangeKey::ALL, false).next().map_or(none, |entry| entry.key)
            };
            let keys = key(&low, RangeKey::Number(0))..=key(&high, RangeKey::True);
            let walk = index.walk(&keys, descending);
            let expected: BTreeSet<_> = now.iter().map(|(slot, key)| (*key, *slot)).filter(|(key, _)| keys.contains(key)).collect();
            prop_assert!(index.estimate_within(&keys) >= expected.len() as u64);
            write(&mut index, &during, &mut now);
            index.merge_now();
            let entries: Vec<RangeEntry> = walk.collect();
            let in_order = |a: &RangeEntry, b: &RangeEntry| if descending { a.key >= b.key } else { a.key <= b.key };
            prop_assert!(entries.is_sorted_by(in_order) && entries.iter().all(|entry| keys.contains(&entry.key)));
            let met: BTreeSet<_> = entries.iter().map(|entry| (entry.key, entry.slot)).collect();
            prop_assert!(met.is_superset(&expected));
            // What counted then is never said to have been stale.
            let kept: BTreeSet<_> = entries.iter().filter(|entry| !index.was_stale(entry)).map(|entry| (entry.key, entry.slot)).collect();
            prop_assert!(kept.is_superset(&expected));
        }
    }

    /// The second run is too short to be merged with the first, which keeps what was rewritten.
    #[test]
    fn what_was_rewritten_before_is_known_to_be_stale() {
        for values in [[Value::Int(1), Value::Int(2)], ["a", "b"].map(|text| Value::String(text.into()))] {
            let mut index = SegmentRangeIndex::new();
            for (value, slots) in values.iter().zip([2304, 256]) {
                (0..slots).for_each(|slot| index.insert(slot, Some(ValueRef::of(&encoded(value)))));
            }
            let (stale, counted): (Vec<_>, Vec<_>) = index.walk(&RangeKey::ALL, false).partition(|entry| index.was_stale(entry));
            assert_eq!(stale.iter().map(|entry| entry.slot).collect::<Vec<_>>(), (0..256).collect::<Vec<_>>());
            let mut slots: Vec<u32> = counted.iter().map(|entry| entry.slot).collect();
            slots.sort_unstable();
            assert_eq!(slots, (0..2304).collect::<Vec<_>>());
        }
    }
}
