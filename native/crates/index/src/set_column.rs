//! The set of every record of a segment, by slot: 2 bytes each, in chunks, so that no doubling slack is held.

mod equal;

use equal::equal_bits;
use std::ops::Range;
use tessera_base::chunks::{grow, pointer_bytes_for};
use tessera_base::heap::block;

/// Slots in a chunk of a column.
pub const CHUNK: usize = 256;
/// What the column holds where there is no record.
const FREE: u16 = u16::MAX;

/// The set of each record of one segment, by slot; lives inside the segment's lock.
#[derive(Default)]
#[repr(C)]
pub struct SetColumn {
    /// First slot that was never used; at the beginning, where a lookup finds it with what it takes of the slots.
    end: u32,
    #[expect(clippy::vec_box, reason = "chunks in the vector itself would double with it")]
    chunks: Vec<Box<[u16; CHUNK]>>,
}

impl SetColumn {
    /// One past the highest slot ever used.
    #[inline]
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Id of the record's set; meaningless for a free slot.
    ///
    /// # Panics
    /// For a slot far past `end`.
    #[inline]
    pub fn set_of(&self, slot: u32) -> u16 {
        self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// Whether a slot has no record.
    #[inline]
    pub fn is_free(&self, slot: u32) -> bool {
        slot >= self.end || self.set_of(slot) == FREE
    }

    /// Notes that the record in `slot` is of `set`; the slots before it that were never used are free.
    #[inline]
    pub fn put(&mut self, slot: u32, set: u16) {
        while slot as usize / CHUNK >= self.chunks.len() {
            grow(&mut self.chunks, Box::new([FREE; CHUNK]));
        }
        self.chunks[slot as usize / CHUNK][slot as usize % CHUNK] = set;
        self.end = self.end.max(slot + 1);
    }

    /// Notes that the record in `slot` has gone.
    #[inline]
    pub fn free(&mut self, slot: u32) {
        self.chunks[slot as usize / CHUNK][slot as usize % CHUNK] = FREE;
    }

    /// Appends to `out` members of `set`, ascending from slot `from`, until there are `enough` or a few more. Returns
    /// where to go on; `end()` when there is nothing left.
    pub fn members(&self, set: u16, from: u32, enough: usize, out: &mut Vec<u32>) -> u32 {
        self.gather(Some(set), from..u32::MAX, enough, out)
    }

    /// As `members`, of all sets.
    pub fn all(&self, from: u32, enough: usize, out: &mut Vec<u32>) -> u32 {
        self.gather(None, from..u32::MAX, enough, out)
    }

    /// As `members`, of one set or of all, in a range of slots; where to go on is no further than its end.
    pub fn gather(&self, set: Option<u16>, slots: Range<u32>, enough: usize, out: &mut Vec<u32>) -> u32 {
        match set {
            Some(set) => self.gather_by(slots, enough, out, &|column| equal_bits(column, set)),
            None => self.gather_by(slots, enough, out, &|column| !equal_bits(column, FREE)),
        }
    }

    /// How many members a set has.
    pub fn count(&self, set: u16) -> u64 {
        let words = self.chunks.iter().flat_map(|chunk| chunk.chunks(64));
        words.map(|column| u64::from(equal_bits(column, set).count_ones())).sum()
    }

    /// Slots of a set, or of all, as bits: 256 slots of the column from `from` on, a multiple of that.
    #[inline]
    pub fn column(&self, set: Option<u16>, from: u32) -> [u64; CHUNK / 64] {
        let mut words = [0; CHUNK / 64];
        if let Some(column) = self.chunks.get(from as usize / CHUNK) {
            for (word, part) in words.iter_mut().zip(column.chunks(64)) {
                *word = set.map_or_else(|| !equal_bits(part, FREE), |set| equal_bits(part, set));
            }
        }
        words
    }

    fn gather_by(&self, slots: Range<u32>, enough: usize, out: &mut Vec<u32>, bits: &dyn Fn(&[u16]) -> u64) -> u32 {
        let end = self.end.min(slots.end);
        let mut base = slots.start & !63;
        while base < end && out.len() < enough {
            let column = &self.chunks[base as usize / CHUNK][base as usize % CHUNK..][..64];
            let mut found = bits(column);
            if base < slots.start {
                found &= u64::MAX << (slots.start - base);
            }
            if end - base < 64 {
                found &= !(u64::MAX << (end - base));
            }
            while found != 0 {
                out.push(base + found.trailing_zeros());
                found &= found - 1;
            }
            base += 64;
        }
        base.min(end)
    }

    /// Bytes held for so many records, put in one after the other.
    pub fn bytes_for(records: usize) -> usize {
        let chunks = records.div_ceil(CHUNK);
        chunks * block(size_of::<[u16; CHUNK]>()) + pointer_bytes_for(chunks, size_of::<usize>())
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.chunks.len() * block(size_of::<[u16; CHUNK]>()) + block(self.chunks.capacity() * size_of::<usize>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_have_their_slots_and_no_others(
            puts in prop::collection::vec((0..700u32, prop::option::weighted(0.8, 0..3u16)), 1..400),
            mut bounds in prop::collection::vec(0..900u32, 0..6),
            enough in 1..200usize,
        ) {
            let (mut column, mut model) = (SetColumn::default(), std::collections::BTreeMap::new());
            for (slot, set) in puts {
                match set {
                    Some(set) => {
                        column.put(slot, set);
                        model.insert(slot, set);
                    }
                    None if model.remove(&slot).is_some() => column.free(slot),
                    None => {}
                }
            }
            for slot in 0..900 {
                prop_assert_eq!(column.is_free(slot), !model.contains_key(&slot));
            }
            prop_assert!(model.iter().all(|(slot, set)| column.set_of(*slot) == *set && *slot < column.end()));
            bounds.extend([0, u32::MAX]);
            bounds.sort_unstable();
            for set in [None, Some(0), Some(2)] {
                let mut found = Vec::new();
                for range in bounds.windows(2) {
                    let (mut from, end) = (range[0], range[1]);
                    while from < end.min(column.end()) {
                        let mut some = Vec::new();
                        let next = column.gather(set, from..end, enough, &mut some);
                        prop_assert!(next > from && next <= end && some.len() < enough + 64);
                        prop_assert!(some.iter().all(|slot| (from..next).contains(slot)), "{:?} of {}..{}", some, from, next);
                        found.extend(some);
                        from = next;
                    }
                }
                let wanted: Vec<u32> = model.iter().filter(|(_, of)| set.is_none_or(|set| set == **of)).map(|(slot, _)| *slot).collect();
                let (mut members, mut chunks) = (Vec::new(), Vec::new());
                let end = match set {
                    Some(set) => column.members(set, 0, usize::MAX, &mut members),
                    None => column.all(0, usize::MAX, &mut members),
                };
                for from in (0..1024).step_by(CHUNK) {
                    for (at, word) in column.column(set, from).into_iter().enumerate() {
                        chunks.extend((0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| from + at as u32 * 64 + bit));
                    }
                }
                prop_assert_eq!(set.map_or(wanted.len() as u64, |set| column.count(set)), wanted.len() as u64);
                prop_assert_eq!((end, &members, &chunks, &found), (column.end(), &wanted, &wanted, &wanted));
            }
        }
    }

    #[test]
    fn gathering_ends_where_there_is_enough() {
        let mut column = SetColumn::default();
        (0..200).for_each(|slot| column.put(slot, 1));
        let mut found = Vec::new();
        assert_eq!((column.members(1, 3, 61, &mut found), column.end()), (64, 200));
        assert_eq!(found, (3..64).collect::<Vec<_>>());
    }

    #[test]
    fn bytes_are_known_before_records_come() {
        for records in [0, 1, 256, 257, 3000, 30_000] {
            let mut column = SetColumn::default();
            (0..records).for_each(|slot| column.put(slot as u32, 0));
            assert_eq!(SetColumn::bytes_for(records), column.heap_bytes());
        }
        assert_eq!(SetColumn::bytes_for(257), 2 * block(512) + block(4 * 8));
    }
}
