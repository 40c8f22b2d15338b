//! The range index: numbers and strings at one path, in order, for one segment.
//!
//! A number is kept as its nearest double, a string by its first 28 bytes. Neither changes the order of what it stands
//! for, so a range of what is kept holds at least the range that was asked for, and the recheck does the rest. Bytes and
//! booleans are kept without their value, among the numbers behind infinity: an order has them too. An entry is 16 bytes for
//! a number, 32 for a string, and 4 for each slot.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

pub use crate::range_key::PREFIX;
use crate::range_key::{BYTES, FALSE, INFINITY, TRUE, number_pair, prefix, string_of, string_pair};
use crate::runs::{Due, Frozen, Pair, Run, Runs, WriteMark};
use crate::{RangeEntry, RangeKey, RangeWalk};
use std::sync::Arc;
use tessera_record::ValueRef;

/// The values at one path of the records of one segment; lives inside the segment's lock.
#[derive(Debug)]
pub struct SegmentRangeIndex {
    /// Sortable bits of the double above the slot.
    numbers: Runs<u128>,
    strings: Runs<[u64; 4]>,
    building: bool,
    /// The writes that `idle` has seen: every write is one to both.
    seen: WriteMark,
}

/// A merge under way: everything as it was at `freeze`, to be merged without the segment's lock.
#[derive(Debug)]
pub(crate) struct RangeMerge {
    /// Whether a build had yet to bring the base.
    building: bool,
    numbers: Frozen<u128>,
    strings: Frozen<[u64; 4]>,
}

/// What comes of a merge.
#[derive(Debug)]
pub(crate) struct RangeMerged {
    numbers: Arc<Vec<u128>>,
    strings: Arc<Vec<[u64; 4]>>,
}

/// What to look up: values from `low` to `high`, both included, as the index keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeBounds {
    Numbers { low: u64, high: u64 },
    Strings { low: [u8; PREFIX], high: [u8; PREFIX] },
}

/// The values of a merged index, as it keeps them, each with its slot; by value, then by slot.
#[derive(Clone, Copy, Debug)]
pub struct RangeValues<'a> {
    numbers: &'a [u128],
    strings: &'a [[u64; 4]],
}

impl RangeValues<'_> {
    /// Sortable bits of the nearest double.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = (u64, u32)> {
        self.numbers.iter().map(|pair| ((pair >> 32) as u64, pair.slot()))
    }

    /// The first bytes, zeros after a shorter string.
    pub fn strings(&self) -> impl ExactSizeIterator<Item = ([u8; PREFIX], u32)> {
        self.strings.iter().map(|pair| (string_of(pair), pair.slot()))
    }
}

/// What a range index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeIndexStats {
    /// Values held, those of recent rewrites included.
    pub entries: u64,
    /// Those of them that are not in the sorted base yet.
    pub recent: u64,
    /// Bytes on the heap.
    pub bytes: u64,
}

impl Default for SegmentRangeIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl SegmentRangeIndex {
    /// An index of no records.
    pub const fn new() -> Self {
        Self { numbers: Runs::new(), strings: Runs::new(), building: false, seen: WriteMark::NONE }
    }

    /// An index that takes writes from now on and waits for `adopt` to bring the records that are already there.
    pub fn building() -> Self {
        Self { building: true, ..Self::new() }
    }

    /// Indexes what `slot` now holds and forgets what it had; values without an order are left out.
    pub fn insert(&mut self, slot: u32, value: Option<ValueRef<'_>>) {
        self.numbers.begin(slot);
        self.strings.begin(slot);
        match value {
            Some(ValueRef::String(text)) => self.strings.push(string_pair(prefix(text, 0), slot)),
            Some(value) => {
                if let Some(kept) = number(&value).or_else(|| other(&value)) {
                    self.numbers.push(number_pair(kept, slot));
                }
            }
            None => {}
        }
        self.numbers.finish();
        self.strings.finish();
    }

    /// Forgets what `slot` had.
    pub fn remove(&mut self, slot: u32) {
        self.insert(slot, None);
    }

    /// Takes over what a build collected; slots written since `building` keep what was written.
    pub fn adopt(&mut self, built: SegmentRangeIndex) {
        debug_assert!(self.building, "only an index that waits for a build adopts one");
        self.numbers.adopt(built.numbers.into_merged());
        self.strings.adopt(built.strings.into_merged());
        self.building = false;
    }

    /// When recent writes should be merged into the base.
    pub(crate) fn due(&self) -> Due {
        if self.building {
            return self.numbers.due_without_base().max(self.strings.due_without_base());
        }
        self.numbers.due(self.numbers.base().len()).max(self.strings.due(self.strings.base().len()))
    }

    /// Whether there is enough for a merge, once writes pause.
    pub(crate) fn due_when_idle(&self) -> bool {
        let (numbers, strings) = (self.numbers.base().len(), self.strings.base().len());
        !self.building && (self.numbers.due_when_idle(numbers) || self.strings.due_when_idle(strings))
    }

    /// To be called now and then: whether there was no write between the last two calls.
    pub(crate) fn idle(&mut self) -> bool {
        let mark = self.numbers.mark().and(self.strings.mark());
        std::mem::replace(&mut self.seen, mark) == mark
    }

    /// Begins a merge of recent writes into the base, if there are any; one that was begun before is void.
    pub(crate) fn freeze(&mut self) -> Option<RangeMerge> {
        let (wanted, building) = (!self.numbers.is_untouched(), self.building);
        wanted.then(|| RangeMerge { building, numbers: self.numbers.freeze(), strings: self.strings.freeze() })
    }

    /// Ends a merge: `merged` is what came of it. Nothing happens where it has become void.
    pub(crate) fn install(&mut self, merge: &RangeMerge, merged: RangeMerged) {
        let (numbers, strings) = (merge.numbers.ticket(), merge.strings.ticket());
        match (self.building, merge.building) {
            (false, false) => {
                self.numbers.install_base(numbers, merged.numbers);
                self.strings.install_base(strings, merged.strings);
            }
            (true, true) => {
                self.numbers.install_run(numbers, merged.numbers);
                self.strings.install_run(strings, merged.strings);
            }
            // The build has brought the base meanwhile.
            (false, true) | (true, false) => {}
        }
    }

    /// Makes one sorted run of everything, without what rewrites have left; while a build is under way, of the writes.
    pub fn merge_now(&mut self) {
        if let Some(merge) = self.freeze() {
            self.install(&merge, merge.merge());
        }
    }

    /// What the index keeps, in order, when it is one sorted run: after `merge_now`, unless a build is under way.
    pub fn sorted(&self) -> Option<RangeValues<'_>> {
        let merged = !self.building && self.numbers.is_untouched();
        merged.then(|| RangeValues { numbers: self.numbers.base(), strings: self.strings.base() })
    }

    /// The index of sorted values that may be damaged: `None` unless they strictly rise, and their slots lie below `slots`.
    pub fn from_sorted(numbers: &[(u64, u32)], strings: &[([u8; PREFIX], u32)], slots: u32) -> Option<Self> {
        let sound = numbers.is_sorted_by(|a, b| a < b)
            && strings.is_sorted_by(|a, b| a < b)
            && numbers.iter().map(|(_, slot)| slot).chain(strings.iter().map(|(_, slot)| slot)).all(|slot| *slot < slots);
        sound.then(|| {
            let mut index = Self::new();
            index.numbers.adopt(numbers.iter().map(|&(number, slot)| number_pair(number, slot)).collect());
            index.strings.adopt(strings.iter().map(|&(kept, slot)| string_pair(kept, slot)).collect());
            index
        })
    }

    /// Puts into `out` (cleared first) the slots whose values may lie in the range, ascending.
    pub fn candidates(&self, bounds: &RangeBounds, out: &mut Vec<u32>) {
        out.clear();
        match bounds {
            RangeBounds::Numbers { low, high } => collect(&self.numbers, number_pair(*low, 0), number_pair(*high, u32::MAX), out),
            RangeBounds::Strings { low, high } => collect(&self.strings, string_pair(*low, 0), string_pair(*high, u32::MAX), out),
        }
        out.sort_unstable();
    }

    /// At most how many candidates there are.
    pub fn estimate(&self, bounds: &RangeBounds) -> u64 {
        match bounds {
            RangeBounds::Numbers { low, high } => count(&self.numbers, number_pair(*low, 0), number_pair(*high, u32::MAX)),
            RangeBounds::Strings { low, high } => count(&self.strings, string_pair(*low, 0), string_pair(*high, u32::MAX)),
        }
    }

    /// What there is now within `keys`, in order, to be read beyond the segment's lock. Memory for some pairs; it keeps those that are
    /// merged meanwhile.
    pub fn walk(&self, keys: &RangeInclusive<RangeKey>, descending: bool) -> RangeWalk {
        RangeWalk::new(self.numbers.copy(), self.strings.copy(), keys, descending)
    }

    /// Whether an entry of a walk had been superseded when the walk began, as far as that can be told still.
    #[inline]
    pub fn was_stale(&self, entry: &RangeEntry) -> bool {
        match entry.key {
            RangeKey::String(_) => self.strings.was_stale(entry.slot, entry.newest, entry.era),
            _ => self.numbers.was_stale(entry.slot, entry.newest, entry.era),
        }
    }

    /// At most how many values lie within `keys`.
    pub fn estimate_within(&self, keys: &RangeInclusive<RangeKey>) -> u64 {
        let numbers: usize = self.numbers.runs().iter().map(|run| RangeKey::within(run.pairs(), keys).len()).sum();
        let strings: usize = self.strings.runs().iter().map(|run| RangeKey::within(run.pairs(), keys).len()).sum();
        (numbers + strings + self.numbers.tail().len() + self.strings.tail().len()) as u64
    }

    /// What it holds.
    pub fn stats(&self) -> RangeIndexStats {
        let recent = self.numbers.recent() + self.strings.recent();
        let base = self.numbers.base().len() + self.strings.base().len();
        RangeIndexStats { entries: (base + recent) as u64, recent: recent as u64, bytes: self.heap_bytes() as u64 }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.numbers.heap_bytes() + self.strings.heap_bytes()
    }
}

impl RangeMerge {
    pub(crate) fn merge(&self) -> RangeMerged {
        let (numbers, strings) = (self.numbers.merge(Vec::new()), self.strings.merge(Vec::new()));
        RangeMerged { numbers: Arc::new(numbers), strings: Arc::new(strings) }
    }
}

impl RangeBounds {
    /// The range of the values that are in one of `orders` to `operand`; `None` when the index does not keep its kind.
    pub fn of(orders: &[Ordering], operand: &ValueRef<'_>) -> Option<Self> {
        let below = orders.contains(&Ordering::Less);
        let above = orders.contains(&Ordering::Greater);
        if let ValueRef::String(text) = operand {
            let at = prefix(text, 0);
            return Some(Self::Strings { low: if below { [0; PREFIX] } else { at }, high: if above { [u8::MAX; PREFIX] } else { at } });
        }
        number(operand).map(|at| Self::Numbers { low: if below { 0 } else { at }, high: if above { INFINITY } else { at } })
    }

    /// The same, as keys.
    pub fn keys(&self) -> RangeInclusive<RangeKey> {
        match *self {
            Self::Numbers { low, high } => RangeKey::Number(low)..=RangeKey::Number(high),
            Self::Strings { low, high } => RangeKey::String(low)..=RangeKey::String(high),
        }
    }

    /// The range of the strings that begin with `text`.
    pub fn of_prefix(text: &[u8]) -> Self {
        Self::Strings { low: prefix(text, 0), high: prefix(text, u8::MAX) }
    }

    /// The values in both ranges; `None` when one is of numbers and the other of strings, so that no value is in both.
    pub fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Numbers { low, high }, Self::Numbers { low: l, high: h }) => Some(Self::Numbers { low: low.max(l), high: high.min(h) }),
            (Self::Strings { low, high }, Self::Strings { low: l, high: h }) => Some(Self::Strings { low: low.max(l), high: high.min(h) }),
            _ => None,
        }
    }
}

/// What stands for bytes and booleans among the numbers.
const fn other(value: &ValueRef<'_>) -> Option<u64> {
    match value {
        ValueRef::Bytes(_) => Some(BYTES),
        ValueRef::Bool(false) => Some(FALSE),
        ValueRef::Bool(true) => Some(TRUE),
        _ => None,
    }
}

/// The bits of the nearest double, so that they order as the numbers do; `None` for NaN and for what is no number.
fn number(value: &ValueRef<'_>) -> Option<u64> {
    let double = match value {
        ValueRef::Int(n) => *n as f64,
        // Adding zero makes -0.0 zero.
        ValueRef::Double(d) if !d.is_nan() => *d + 0.0,
        _ => return None,
    };
    let bits = double.to_bits();
    Some(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
}

fn collect<P: Pair>(runs: &Runs<P>, first: P, last: P, out: &mut Vec<u32>) {
    let mut add = |run: &Run<P>| {
        let found = between(run, first, last).iter().map(|pair| pair.slot());
        out.extend(found.filter(|&slot| runs.current(slot, run.newest())));
    };
    runs.runs().iter().for_each(&mut add);
    out.extend(runs.tail().iter().filter(|&&pair| first <= pair && pair <= last).map(|pair| pair.slot()));
}

fn count<P: Pair>(runs: &Runs<P>, first: P, last: P) -> u64 {
    let sorted: usize = runs.runs().iter().map(|run| between(run, first, last).len()).sum();
    (sorted + runs.tail().iter().filter(|&&pair| first <= pair && pair <= last).count()) as u64
}

fn between<P: Pair>(run: &Run<P>, first: P, last: P) -> &[P] {
    if first <= last { run.between(first, last) } else { &[] }
}

#[cfg(test)]
mod tests;
