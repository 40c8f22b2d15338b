//! The one cell of a flat container in ranges of slots, which workers take in turn as they take the segments of others.
//!
//! Slots do not move, so a record that is there throughout is in one range. The last range has no end: slots that come into use while the
//! walk is under way are in it.

use crate::segment::{CHUNK, SegmentCell};
use std::ops::Range;

/// Every slot that there may be.
pub(crate) const ALL_SLOTS: Range<u32> = 0..u32::MAX;

/// Fewest slots of a range: where there are no more, one worker is through with all before another has woken up.
const FEWEST: u32 = 4096;
/// Most ranges: as many as a namespace has segments where nothing else is said.
const MOST: u32 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ranges {
    /// Of each but the last; of a walk whole chunks of a column, as counts take them.
    slots: u32,
    count: u32,
}

impl Ranges {
    /// `None` where there are several cells to share out, or only one range.
    pub(super) fn of(cells: &[SegmentCell]) -> Option<Self> {
        let [cell] = cells else { return None };
        let end = cell.read().end();
        Self::up_to(end, end.div_ceil(MOST).max(FEWEST).next_multiple_of(CHUNK as u32))
    }

    /// Of so many slots each.
    pub(super) fn up_to(end: u32, slots: u32) -> Option<Self> {
        let count = end.div_ceil(slots);
        (count > 1).then_some(Self { slots, count })
    }

    pub(super) fn count(self) -> usize {
        self.count as usize
    }

    pub(super) fn get(self, number: usize) -> Range<u32> {
        let from = self.slots * number as u32;
        from..if number + 1 < self.count() { from + self.slots } else { ALL_SLOTS.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_side_by_side_and_the_last_has_no_end() {
        for (end, slots, wanted) in [
            (7, 3, vec![0..3, 3..6, 6..u32::MAX]),
            (6, 3, vec![0..3, 3..u32::MAX]),
            (u32::MAX, 1 << 30, vec![0..1 << 30, 1 << 30..2 << 30, 2 << 30..3 << 30, 3 << 30..u32::MAX]),
        ] {
            let ranges = Ranges::up_to(end, slots).unwrap();
            assert_eq!((0..ranges.count()).map(|number| ranges.get(number)).collect::<Vec<_>>(), wanted);
        }
        assert_eq!((Ranges::up_to(0, 3), Ranges::up_to(3, 3)), (None, None));
    }
}
