//! Which slots a walk has met, if it does not meet them in order: one bit each.

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

pub(crate) struct Marks(Box<[CachePadded<Mutex<Vec<u64>>>]>);

impl Marks {
    pub(crate) fn new(segments: usize) -> Self {
        Self((0..segments).map(|_| CachePadded::default()).collect())
    }

    /// Marks a slot; `false` when it is marked already.
    pub(crate) fn claim(&self, segment: usize, slot: u32) -> bool {
        let mut words = self.0[segment].lock();
        let (at, bit) = place(slot);
        if at >= words.len() {
            words.resize(at + 1, 0);
        }
        let free = words[at] & bit == 0;
        words[at] |= bit;
        free
    }

    pub(crate) fn has(&self, segment: usize, slot: u32) -> bool {
        let (at, bit) = place(slot);
        self.0[segment].lock().get(at).is_some_and(|word| word & bit != 0)
    }

    /// Leaves the slots that are not marked.
    pub(crate) fn leave_unmarked(&self, segment: usize, slots: &mut Vec<u32>) {
        let words = self.0[segment].lock();
        slots.retain(|&slot| {
            let (at, bit) = place(slot);
            words.get(at).is_none_or(|word| word & bit == 0)
        });
    }
}

const fn place(slot: u32) -> (usize, u64) {
    (slot as usize / 64, 1 << (slot % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_claimed_once_in_its_segment() {
        let marks = Marks::new(2);
        for slot in [0, 63, 64, 100_000] {
            assert!(!marks.has(1, slot));
            assert!(marks.claim(1, slot) && !marks.claim(1, slot));
            assert!(marks.has(1, slot) && !marks.has(0, slot) && !marks.has(1, slot + 1));
        }
        let mut slots = vec![0, 1, 63, 64, 65, 100_000, 200_000];
        marks.leave_unmarked(1, &mut slots);
        assert_eq!(slots, [1, 65, 200_000]);
    }
}
