//! The range index: numbers and strings at one path, in order, for one segment.
//!
//! A number is kept as its nearest double, a string by its first 28 bytes. Neither changes the order of what it stands
//! for, so a range of what is kept holds at least the range that was asked for, and the recheck does the rest. An entry
//! is 16 bytes for a number, 32 for a string, and 4 for each slot.

use std::cmp::Ordering;

use super::runs::{Pair, Run, Runs};
use crate::record::ValueRef;

/// Bytes of a string that are kept.
pub const PREFIX: usize = 28;
/// Dead entries of rewritten slots are dropped when they may be half of all, and at least this many.
const REBASE_SLOTS: usize = 1024;

/// The values at one path of the records of one segment; lives inside the segment's lock.
#[derive(Debug)]
pub struct SegmentRangeIndex {
    /// Sortable bits of the double above the slot.
    numbers: Runs<u128>,
    strings: Runs<[u64; 4]>,
    building: bool,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeIndexStats {
    /// Values held, those of recent rewrites included.
    pub entries: u64,
    /// Bytes on the heap.
    pub bytes: u64,
}

impl Default for SegmentRangeIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl SegmentRangeIndex {
    pub const fn new() -> Self {
        Self { numbers: Runs::new(), strings: Runs::new(), building: false }
    }

    /// An index that takes writes from now on and waits for `adopt` to bring the records that are already there.
    pub const fn building() -> Self {
        Self { numbers: Runs::new(), strings: Runs::new(), building: true }
    }

    /// Indexes what `slot` now holds and forgets what it had; values without an order are left out.
    pub fn insert(&mut self, slot: u32, value: Option<ValueRef<'_>>) {
        self.numbers.begin(slot);
        self.strings.begin(slot);
        match value {
            Some(ValueRef::String(text)) => self.strings.push(string_pair(prefix(text, 0), slot)),
            Some(value) => {
                if let Some(number) = number(&value) {
                    self.numbers.push(number_pair(number, slot));
                }
            }
            None => {}
        }
        self.numbers.finish();
        self.strings.finish();
        let (touched, slots) = self.numbers.touched();
        if touched > REBASE_SLOTS.max(slots / 2) && !self.building {
            self.merge_now();
        }
    }

    /// Forgets what `slot` had.
    pub fn remove(&mut self, slot: u32) {
        self.insert(slot, None);
    }

    /// Takes over what a build collected; slots written since `building` keep what was written.
    pub fn adopt(&mut self, mut built: SegmentRangeIndex) {
        debug_assert!(self.building, "only an index that waits for a build adopts one");
        self.numbers.adopt(built.numbers.take_merged(Vec::new()));
        self.strings.adopt(built.strings.take_merged(Vec::new()));
        self.building = false;
    }

    /// Makes one sorted run of everything, without what rewrites have left; nothing while a build is under way.
    pub fn merge_now(&mut self) {
        if !self.building {
            self.numbers.rebase();
            self.strings.rebase();
        }
    }

    /// What the index keeps, in order, when it is one sorted run: after `merge_now`, unless a build is under way.
    pub fn sorted(&self) -> Option<RangeValues<'_>> {
        let merged = !self.building && self.numbers.touched().0 == 0;
        merged.then(|| RangeValues { numbers: self.numbers.merged(), strings: self.strings.merged() })
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

    pub fn stats(&self) -> RangeIndexStats {
        RangeIndexStats { entries: (self.numbers.pairs() + self.strings.pairs()) as u64, bytes: self.heap_bytes() as u64 }
    }

    pub fn heap_bytes(&self) -> usize {
        self.numbers.heap_bytes() + self.strings.heap_bytes()
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
        number(operand).map(|at| Self::Numbers { low: if below { 0 } else { at }, high: if above { u64::MAX } else { at } })
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

fn prefix(text: &[u8], fill: u8) -> [u8; PREFIX] {
    let mut kept = [fill; PREFIX];
    let length = text.len().min(PREFIX);
    kept[..length].copy_from_slice(&text[..length]);
    kept
}

fn number_pair(number: u64, slot: u32) -> u128 {
    u128::from(number) << 32 | u128::from(slot)
}

fn string_pair(kept: [u8; PREFIX], slot: u32) -> [u64; 4] {
    let mut bytes = [0; 32];
    bytes[..PREFIX].copy_from_slice(&kept);
    bytes[PREFIX..].copy_from_slice(&slot.to_be_bytes());
    let mut pair = [0; 4];
    for (word, bytes) in pair.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    pair
}

fn string_of(pair: &[u64; 4]) -> [u8; PREFIX] {
    let mut kept = [0; PREFIX];
    let bytes = pair.iter().flat_map(|word| word.to_be_bytes());
    kept.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    kept
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
