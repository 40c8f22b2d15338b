//! From digest to slot: buckets of sixteen cells, one cache line each, so that a lookup waits for memory once.
//!
//! A cell is a slot and as much of the hash as fits beside it. A full bucket overflows into the next one, and a lookup
//! goes on as long as buckets are full. The table grows by a sixteenth, so that little of it is ever empty.
//!
//! Behind each bucket there may be a line of hints: where the bodies lie, good enough for prefetching them while the
//! entries are still on their way.

use super::line::{CELLS, Line};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::Relaxed};
use tessera_base::arena::{PAGE, Paged};
use tessera_base::heap::block;
use tessera_base::prefetch;

/// Cells in use (removed ones included) of each sixteen at which the table is full.
const MOST: usize = 15;
/// The table grows by one part of so many.
const PART: usize = 16;

/// A cell that never held anything.
const EMPTY: u32 = 0;
const VACANT: Line = Line([EMPTY; CELLS]);

pub(super) struct Table {
    lines: Lines,
    buckets: usize,
    /// Whether each bucket is two lines: its cells, and their hints.
    hinted: bool,
    /// Bits of a cell that hold the slot plus one; the rest hold hash bits. All ones in the low bits: a removed record.
    bits: u32,
    len: usize,
    removed: usize,
}

enum Lines {
    Few(Vec<Line>),
    Many(Paged<Line>),
}

impl Deref for Lines {
    type Target = [Line];

    fn deref(&self) -> &[Line] {
        match self {
            Self::Few(lines) => lines,
            Self::Many(lines) => lines,
        }
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [Line] {
        match self {
            Self::Few(lines) => lines,
            Self::Many(lines) => lines,
        }
    }
}

/// Where a table was a moment ago, for prefetching without the lock that guards it.
#[derive(Default)]
pub struct TableSite {
    lines: AtomicPtr<Line>,
    buckets: AtomicUsize,
    hinted: AtomicBool,
}

impl TableSite {
    pub(super) fn note(&self, table: &Table) {
        self.lines.store(table.lines.as_ptr().cast_mut(), Relaxed);
        self.buckets.store(table.buckets, Relaxed);
        self.hinted.store(table.hinted, Relaxed);
    }

    /// Asks the processor for the line where a lookup begins; it does not matter when that is not there any more.
    pub(super) fn prefetch(&self, hash: u64) {
        let at = home(hash, self.buckets.load(Relaxed)) << usize::from(self.hinted.load(Relaxed));
        // Where there are hints, the line behind has them.
        prefetch::lines(self.lines.load(Relaxed).wrapping_add(at).cast(), 2);
    }
}

/// Buckets of a table with room for slots below `slots` and a part more: of a large one, as many as fill its pages.
fn buckets_for(slots: usize, hinted: bool) -> usize {
    let lines = |slots: usize| slots.div_ceil(MOST).max(1) << usize::from(hinted);
    let (least, wanted) = (lines(slots) * size_of::<Line>(), lines(slots + slots / PART) * size_of::<Line>());
    let bytes = if wanted < PAGE { wanted } else { (wanted / PAGE).max(least / PAGE + 1) * PAGE };
    (bytes / size_of::<Line>()) >> usize::from(hinted)
}

/// The bucket of a hash, of so many.
fn home(hash: u64, buckets: usize) -> usize {
    (((hash >> 32) * buckets as u64) >> 32) as usize
}

impl Table {
    /// A table for slots below `slots`, with room for as many and a part more.
    pub(super) fn for_slots(slots: usize, hinted: bool) -> Self {
        let buckets = buckets_for(slots, hinted);
        let lines = buckets << usize::from(hinted);
        let lines =
            if lines * size_of::<Line>() < PAGE { Lines::Few(vec![VACANT; lines]) } else { Lines::Many(Paged::filled(lines, VACANT)) };
        // Slots never outnumber cells; one more for "none" and one for "removed".
        let bits = usize::BITS - (buckets * CELLS + 1).leading_zeros();
        Self { lines, buckets, hinted, bits, len: 0, removed: 0 }
    }

    pub(super) fn hinted(&self) -> bool {
        self.hinted
    }

    fn line(&self, bucket: usize) -> &Line {
        &self.lines[bucket << usize::from(self.hinted)]
    }

    fn cells_mut(&mut self, bucket: usize) -> &mut [u32; CELLS] {
        &mut self.lines[bucket << usize::from(self.hinted)].0
    }

    fn set_hint(&mut self, (bucket, n): (usize, usize), hint: u32) {
        if self.hinted {
            self.lines[bucket * 2 + 1].0[n] = hint;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether the next `insert` needs a larger table, or one without removed cells.
    pub(super) fn is_full(&self) -> bool {
        self.len + self.removed >= self.buckets * MOST
    }

    fn home(&self, hash: u64) -> usize {
        home(hash, self.buckets)
    }

    fn slot_mask(&self) -> u32 {
        ((1u64 << self.bits) - 1) as u32
    }

    /// The hash bits of a cell.
    fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.slot_mask()
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 == self.buckets { 0 } else { at + 1 }
    }

    pub(super) fn prefetch(&self, hash: u64) {
        let cells = std::ptr::from_ref(self.line(self.home(hash))).cast::<u8>();
        prefetch::read(cells);
        if self.hinted {
            prefetch::read(cells.wrapping_add(size_of::<Line>()));
        }
    }

    /// The slot whose record `is` the wanted one, among those whose hash bits agree.
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.find_cell(hash, |slot, _| is(slot)).map(|(slot, _)| slot)
    }

    /// As `find`, but `is` gets the hint as well, if there is one, and may use it before it looks at the slot.
    // A call for each get costs 4% of them, and across crates the compiler leaves one.
    #[inline(always)]
    pub(super) fn find_hinted(&self, hash: u64, is: impl Fn(u32, Option<u32>) -> bool) -> Option<u32> {
        self.prefetch(hash);
        let hint = |(bucket, n): (usize, usize)| self.hinted.then(|| self.lines[bucket * 2 + 1].0[n]);
        self.find_cell(hash, |slot, cell| is(slot, hint(cell))).map(|(slot, _)| slot)
    }

    /// Slot and place of the cell that `is` the wanted one.
    #[inline(always)]
    fn find_cell(&self, hash: u64, is: impl Fn(u32, (usize, usize)) -> bool) -> Option<(u32, (usize, usize))> {
        let (tag, mask) = (self.tag(hash), self.slot_mask());
        let mut at = self.home(hash);
        for _ in 0..self.buckets {
            let line = self.line(at);
            let mut agreeing = line.equal_bits(!mask, tag);
            while agreeing != 0 {
                let n = agreeing.trailing_zeros() as usize;
                let low = line.0[n] & mask;
                if low != EMPTY && low != mask && is(low - 1, (at, n)) {
                    return Some((low - 1, (at, n)));
                }
                agreeing &= agreeing - 1;
            }
            if line.equal_bits(u32::MAX, EMPTY) != 0 {
                return None;
            }
            at = self.next(at);
        }
        None
    }

    /// Adds a slot that is not there. The table must not be full.
    pub(super) fn insert(&mut self, hash: u64, slot: u32, hint: u32) {
        let (tag, mask) = (self.tag(hash), self.slot_mask());
        let mut at = self.home(hash);
        loop {
            let line = self.line(at);
            let free = line.equal_bits(mask, EMPTY) | line.equal_bits(mask, mask);
            if free != 0 {
                let n = free.trailing_zeros() as usize;
                let cell = &mut self.cells_mut(at)[n];
                let reused = *cell != EMPTY;
                *cell = tag | (slot + 1);
                self.removed -= usize::from(reused);
                self.len += 1;
                self.set_hint((at, n), hint);
                return;
            }
            at = self.next(at);
        }
    }

    /// Changes the hint of a slot that is there.
    pub(super) fn hint(&mut self, hash: u64, slot: u32, hint: u32) {
        if let Some((_, cell)) = self.hinted.then(|| self.find_cell(hash, |found, _| found == slot)).flatten() {
            self.set_hint(cell, hint);
        }
    }

    /// Takes a slot away that is there.
    pub(super) fn remove(&mut self, hash: u64, slot: u32) {
        let (wanted, mask) = (self.tag(hash) | (slot + 1), self.slot_mask());
        let mut at = self.home(hash);
        for _ in 0..self.buckets {
            let line = self.line(at);
            let there = line.equal_bits(u32::MAX, wanted);
            if there != 0 {
                // A bucket that was full may have overflowed: lookups must go on past it.
                let full = line.equal_bits(u32::MAX, EMPTY) == 0;
                self.cells_mut(at)[there.trailing_zeros() as usize] = if full { mask } else { EMPTY };
                self.removed += usize::from(full);
                self.len -= 1;
                return;
            }
            at = self.next(at);
        }
    }

    /// Bytes of the table that so many records, put in one after the other, lead to.
    pub(super) fn bytes_for(records: usize, hinted: bool) -> usize {
        let mut buckets = buckets_for(0, hinted);
        while buckets * MOST < records {
            buckets = buckets_for(buckets * MOST + 1, hinted);
        }
        let bytes = (buckets << usize::from(hinted)) * size_of::<Line>();
        if bytes < PAGE { block(bytes) } else { bytes }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match &self.lines {
            Lines::Few(lines) => block(lines.capacity() * size_of::<Line>()),
            Lines::Many(lines) => lines.page_bytes(),
        }
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
        fn agrees_with_a_map(operations in prop::collection::vec((0..200u32, 0..3u8), 1..2000), hinted: bool) {
            let mut table = Table::for_slots(200, hinted);
            let mut model: BTreeMap<u32, u32> = BTreeMap::new();
            for (n, (slot, operation)) in operations.into_iter().enumerate() {
                let hint = n as u32;
                match (operation, model.contains_key(&slot)) {
                    (0, true) => {
                        table.remove(hash(slot), slot);
                        model.remove(&slot);
                    }
                    (1, true) => {
                        table.hint(hash(slot), slot, hint);
                        model.insert(slot, hint);
                    }
                    (2, false) => {
                        if table.is_full() {
                            table = Table::for_slots(200, hinted);
                            model.iter().for_each(|(slot, hint)| table.insert(hash(*slot), *slot, *hint));
                        }
                        table.insert(hash(slot), slot, hint);
                        model.insert(slot, hint);
                    }
                    _ => {}
                }
                prop_assert_eq!(table.len(), model.len());
            }
            for slot in 0..200 {
                let wanted = model.get(&slot);
                prop_assert_eq!(table.find(hash(slot), |found| found == slot), wanted.map(|_| slot));
                let exact = |found, hint: Option<u32>| found == slot && hint == wanted.copied().filter(|_| hinted);
                prop_assert_eq!(table.find_hinted(hash(slot), exact), wanted.map(|_| slot));
            }
        }
    }
}
