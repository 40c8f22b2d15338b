//! The slots of a selection, from an index, from what an index proposes, or from the set column.

use super::walk::Walk;
use crate::access::LookedUp;
use crate::segment::{LOOKED_AT, Segment};
use std::ops::Range;

impl Walk<'_> {
    /// As `gather`, without those that a sequential read has brought.
    pub(super) fn gather_unmet(
        &self,
        segment: &Segment,
        range: Range<u32>,
        most: usize,
        out: &mut Vec<u32>,
        looked_up: &mut LookedUp,
    ) -> u32 {
        let Some(marks) = self.marks.filter(|_| self.after_blocks) else { return self.gather(segment, range, most, out, looked_up) };
        let mut next = range.start;
        let last = range.start.saturating_add(LOOKED_AT).min(segment.end()).min(range.end);
        loop {
            next = self.gather(segment, next..range.end, out.len() + most, out, looked_up);
            marks.leave_unmarked(usize::from(segment.id()), out);
            if out.len() >= most || next >= last {
                return next;
            }
        }
    }

    /// Slots of the selection in a range, about `most` or all; returns where to go on.
    pub(in crate::scan) fn gather(
        &self,
        segment: &Segment,
        range: Range<u32>,
        most: usize,
        out: &mut Vec<u32>,
        looked_up: &mut LookedUp,
    ) -> u32 {
        let end = segment.end().min(range.end);
        if let Some(proposed) = self.selection.proposal.as_ref().and_then(|proposal| proposal.slots(segment, range.start, looked_up)) {
            let rest = &proposed[proposed.partition_point(|&slot| slot < range.start)..];
            // What was looked up before a truncation may be beyond the slots there are now.
            let rest = &rest[..rest.partition_point(|&slot| slot < end)];
            let wanted = |slot: &&u32| self.selection.set.as_ref().is_none_or(|set| segment.sets().set_of(**slot) == set.id);
            out.extend(rest.iter().take(most).filter(wanted));
            return rest.get(most).copied().unwrap_or(end);
        }
        let set = self.selection.set.as_ref().map(|set| set.id);
        // A segment without an index of the set has nothing of it, or has just had it freed: the column knows.
        let Some(index) = set.filter(|_| self.selection.use_index).and_then(|set| segment.set_slots(set)) else {
            return segment.sets().gather(set, range, most, out);
        };
        for (base, words) in index.chunks_from(range.start) {
            if out.len() >= most || base >= end {
                return base.min(end);
            }
            for (at, mut word) in words.into_iter().enumerate() {
                while word != 0 {
                    let slot = base + at as u32 * 64 + word.trailing_zeros();
                    word &= word - 1;
                    if range.contains(&slot) {
                        out.push(slot);
                    }
                }
            }
        }
        end
    }
}
