//! Slots that were used before and are free: some of them by number, all of them by count. The set column knows which the others are.

use tessera_index::set_column::{CHUNK, SetColumn};

/// Most numbers that are kept.
const KEPT: usize = 1024;

#[derive(Debug, Default)]
pub struct FreeSlots {
    /// The next one last.
    kept: Vec<u32>,
    count: usize,
    /// Where the search for more goes on.
    from: u32,
}

impl FreeSlots {
    /// Of a column that has so many records.
    pub fn load(&mut self, sets: &SetColumn, records: usize) {
        *self = Self { count: (sets.end() as usize).saturating_sub(records), ..Self::default() };
        self.search(sets);
    }

    /// The one to be used next; `None` where no slot is free.
    pub fn next(&self) -> Option<u32> {
        self.kept.last().copied()
    }

    /// A slot was used, `next` or a new one; the column knows it already.
    pub fn taken(&mut self, slot: u32, sets: &SetColumn) {
        if self.kept.last() == Some(&slot) {
            self.kept.pop();
            self.count -= 1;
            if self.kept.is_empty() && self.count > 0 {
                self.search(sets);
            }
        }
    }

    /// A slot has become free.
    pub fn freed(&mut self, slot: u32) {
        self.count += 1;
        if self.kept.len() < KEPT {
            self.kept.push(slot);
        }
    }

    /// Looks for free slots, once around the column.
    fn search(&mut self, sets: &SetColumn) {
        let chunks = sets.end().div_ceil(CHUNK as u32);
        let first = self.from / CHUNK as u32;
        for chunk in (first..chunks).chain(0..first.min(chunks)) {
            let base = chunk * CHUNK as u32;
            for (word, used) in (0..).zip(sets.column(None, base)) {
                let mut free = !used;
                while free != 0 {
                    let slot = base + word * 64 + free.trailing_zeros();
                    free &= free - 1;
                    if slot < sets.end() {
                        self.kept.push(slot);
                    }
                }
            }
            if self.kept.len() >= KEPT || self.kept.len() == self.count {
                self.from = base;
                break;
            }
        }
        self.kept.reverse();
    }

    pub fn heap_bytes(&self) -> usize {
        tessera_base::heap::block(self.kept.capacity() * size_of::<u32>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        /// Long rows of removals, so that not all of them are kept by number.
        #[test]
        fn every_free_slot_is_used_again_before_a_new_one(steps in prop::collection::vec((any::<bool>(), 1..4000usize, any::<u32>()), 1..30), load: bool) {
            let (mut sets, mut free, mut used) = (SetColumn::default(), FreeSlots::default(), BTreeSet::new());
            for (insert, times, random) in steps {
                for n in 0..times {
                    if insert {
                        let end = sets.end();
                        let slot = free.next().unwrap_or(end);
                        prop_assert!(used.insert(slot), "slot {} is used", slot);
                        prop_assert_eq!(slot == end, used.len() > end as usize, "a free slot was passed over");
                        sets.put(slot, 1);
                        free.taken(slot, &sets);
                    } else {
                        let chosen = random.wrapping_mul(n as u32 | 1) % sets.end().max(1);
                        let Some(slot) = used.range(chosen..).next().copied() else { continue };
                        used.remove(&slot);
                        sets.free(slot);
                        free.freed(slot);
                    }
                }
                if load {
                    free.load(&sets, used.len());
                }
            }
        }
    }
}
