//! From digest to slot: buckets of sixteen cells, one cache line each, so that a lookup waits for memory once.
//!
//! A cell is a slot and as much of the hash as fits beside it. A full bucket overflows into the next one, and a lookup
//! goes on as long as buckets are full. The table grows by a quarter, so that little of it is ever empty.

use crate::arena::{PAGE, Paged, Plain};
use crate::heap::block;
use crate::prefetch;
use std::ops::Deref;

const CELLS: usize = 16;
/// Cells in use (removed ones included) of each sixteen at which the table is full.
const MOST: usize = 14;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket([u32; CELLS]);

// SAFETY: any bytes are numbers.
unsafe impl Plain for Bucket {}

/// A cell that never held anything.
const EMPTY: u32 = 0;
const VACANT: Bucket = Bucket([EMPTY; CELLS]);

pub(super) struct Table {
    buckets: Buckets,
    /// Bits of a cell that hold the slot plus one; the rest hold hash bits. All ones in the low bits: a removed record.
    bits: u32,
    len: usize,
    removed: usize,
}

enum Buckets {
    Few(Vec<Bucket>),
    Many(Paged<Bucket>),
}

impl Deref for Buckets {
    type Target = [Bucket];

    fn deref(&self) -> &[Bucket] {
        match self {
            Self::Few(buckets) => buckets,
            Self::Many(buckets) => buckets,
        }
    }
}

impl Table {
    /// A table for slots below `slots`, with room for as many and a quarter more.
    pub(super) fn for_slots(slots: usize) -> Self {
        let buckets = (slots + slots / 4).div_ceil(MOST).max(1);
        let buckets = if buckets * size_of::<Bucket>() < PAGE {
            Buckets::Few(vec![VACANT; buckets])
        } else {
            Buckets::Many(Paged::filled(buckets, VACANT))
        };
        // Slots never outnumber cells; one more for "none" and one for "removed".
        let bits = usize::BITS - (buckets.len() * CELLS + 1).leading_zeros();
        Self { buckets, bits, len: 0, removed: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether the next `insert` needs a larger table, or one without removed cells.
    pub(super) fn is_full(&self) -> bool {
        self.len + self.removed >= self.buckets.len() * MOST
    }

    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.buckets.len() as u64) >> 32) as usize
    }

    fn slot_mask(&self) -> u32 {
        ((1u64 << self.bits) - 1) as u32
    }

    /// The hash bits of a cell.
    fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.slot_mask()
    }

    pub(super) fn prefetch(&self, hash: u64) {
        prefetch::read(std::ptr::from_ref(&self.buckets[self.home(hash)]).cast());
    }

    /// The slot whose record `is` the wanted one, among those whose hash bits agree.
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let (tag, mask) = (self.tag(hash), self.slot_mask());
        let mut at = self.home(hash);
        for _ in 0..self.buckets.len() {
            let cells = &self.buckets[at].0;
            // All sixteen are compared before any is believed: no branch depends on where the record lies.
            let (mut agreeing, mut empty) = (0u32, false);
            for (n, &cell) in cells.iter().enumerate() {
                agreeing |= u32::from(cell & !mask == tag) << n;
                empty |= cell == EMPTY;
            }
            while agreeing != 0 {
                let low = cells[agreeing.trailing_zeros() as usize] & mask;
                if low != EMPTY && low != mask && is(low - 1) {
                    return Some(low - 1);
                }
                agreeing &= agreeing - 1;
            }
            if empty {
                return None;
            }
            at = if at + 1 == self.buckets.len() { 0 } else { at + 1 };
        }
        None
    }

    /// Adds a slot that is not there. The table must not be full.
    pub(super) fn insert(&mut self, hash: u64, slot: u32) {
        let (tag, mask) = (self.tag(hash), self.slot_mask());
        let mut at = self.home(hash);
        loop {
            let free = |&cell: &u32| cell & mask == EMPTY || cell & mask == mask;
            if let Some(n) = self.buckets[at].0.iter().position(free) {
                let cell = &mut self.bucket_mut(at).0[n];
                let reused = *cell != EMPTY;
                *cell = tag | (slot + 1);
                self.removed -= usize::from(reused);
                self.len += 1;
                return;
            }
            at = if at + 1 == self.buckets.len() { 0 } else { at + 1 };
        }
    }

    /// Takes a slot away that is there.
    pub(super) fn remove(&mut self, hash: u64, slot: u32) {
        let (wanted, mask) = (self.tag(hash) | (slot + 1), self.slot_mask());
        let mut at = self.home(hash);
        for _ in 0..self.buckets.len() {
            let cells = &self.buckets[at].0;
            if let Some(n) = cells.iter().position(|&cell| cell == wanted) {
                // A bucket that was full may have overflowed: lookups must go on past it.
                let full = cells.iter().all(|&cell| cell != EMPTY);
                self.bucket_mut(at).0[n] = if full { mask } else { EMPTY };
                self.removed += usize::from(full);
                self.len -= 1;
                return;
            }
            at = if at + 1 == self.buckets.len() { 0 } else { at + 1 };
        }
    }

    fn bucket_mut(&mut self, at: usize) -> &mut Bucket {
        match &mut self.buckets {
            Buckets::Few(buckets) => &mut buckets[at],
            Buckets::Many(buckets) => &mut buckets[at],
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match &self.buckets {
            Buckets::Few(buckets) => block(buckets.capacity() * size_of::<Bucket>()),
            Buckets::Many(buckets) => buckets.page_bytes(),
        }
    }
}

impl Default for Table {
    fn default() -> Self {
        Self::for_slots(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Few different hashes, so that buckets overflow and tags agree.
    fn hash(slot: u32) -> u64 {
        u64::from(slot % 37).wrapping_mul(0x0123_4567_89ab_cdef)
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(operations in prop::collection::vec((0..200u32, any::<bool>()), 1..2000)) {
            let mut table = Table::for_slots(200);
            let mut model: BTreeMap<u32, u64> = BTreeMap::new();
            for (slot, add) in operations {
                match (add, model.contains_key(&slot)) {
                    (true, false) => {
                        if table.is_full() {
                            table = Table::for_slots(200);
                            model.iter().for_each(|(slot, hash)| table.insert(*hash, *slot));
                        }
                        table.insert(hash(slot), slot);
                        model.insert(slot, hash(slot));
                    }
                    (false, true) => {
                        table.remove(hash(slot), slot);
                        model.remove(&slot);
                    }
                    _ => {}
                }
                prop_assert_eq!(table.len(), model.len());
            }
            for slot in 0..200 {
                let wanted = model.contains_key(&slot).then_some(slot);
                prop_assert_eq!(table.find(hash(slot), |found| found == slot), wanted);
            }
        }
    }
}
