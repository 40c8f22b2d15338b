//! The one cell of a flat container in ranges of slots, which workers take in turn as they take the segments of others.
//!
//! Slots do not move, so a record that is there throughout is in one range. The last range has no end: slots that come into use while the
//! walk is under way are in it.

use crate::scan::walk::ALL_SLOTS;
use crate::segment::SegmentCell;
use std::ops::Range;
use std::sync::OnceLock;
use tessera_index::set_column::CHUNK;

/// Fewest slots of a range, where their records are not large: of fewer one worker is through with all before another has woken up.
const FEWEST: u32 = 4096;
/// Of large records, so many bytes are enough.
const ENOUGH_BYTES: u64 = 1 << 20;
/// Most ranges: as many as a namespace has segments where nothing else is said.
const MOST: u32 = 256;

#[derive(Debug)]
pub(crate) struct SlotRanges {
    /// Of each but the last; of a walk whole chunks of a column, as counts take them.
    slots: u32,
    count: u32,
    /// What counters said of all of them together, once they were asked: see `Traversal::count`.
    pub(in crate::scan) counted: OnceLock<Option<u64>>,
}

impl SlotRanges {
    /// `None` where there are several cells to share out, or only one range.
    pub(in crate::scan) fn of(cells: &[SegmentCell]) -> Option<Self> {
        let [cell] = cells else { return None };
        let records = cell.records();
        // Whoever starts a scan waits for no writer. Any end will do, as the last range has none.
        let end = cell.try_read().map_or_else(|| u32::try_from(records).unwrap_or(u32::MAX), |segment| segment.end());
        let each = cell.bytes().live.checked_div(records).unwrap_or(0).max(1);
        let fewest = (ENOUGH_BYTES / each).clamp(CHUNK as u64, FEWEST.into()) as u32;
        Self::up_to(end, end.div_ceil(MOST).max(fewest).next_multiple_of(CHUNK as u32))
    }

    /// Of so many slots each.
    pub(in crate::scan) fn up_to(end: u32, slots: u32) -> Option<Self> {
        let count = end.div_ceil(slots);
        (count > 1).then(|| Self { slots, count, counted: OnceLock::new() })
    }

    pub(in crate::scan) fn count(&self) -> usize {
        self.count as usize
    }

    pub(in crate::scan) fn get(&self, number: usize) -> Range<u32> {
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
            let ranges = SlotRanges::up_to(end, slots).unwrap();
            assert_eq!((0..ranges.count()).map(|number| ranges.get(number)).collect::<Vec<_>>(), wanted);
        }
        assert!(SlotRanges::up_to(0, 3).is_none() && SlotRanges::up_to(3, 3).is_none());
    }
}
