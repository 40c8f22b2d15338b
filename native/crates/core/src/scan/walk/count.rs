//! Counting records without meeting each.

use super::steps::ALL_SLOTS;
use super::walk::Walk;
use crate::scan::plan::Selection;
use crate::segment::{LOOKED_AT, Segment};
use std::ops::Range;
use tessera_base::{Result, clock};
use tessera_index::set_column::CHUNK;

impl Walk<'_> {
    /// Whether records can be counted without being met: none can come twice, and nothing is asked of them.
    pub(in crate::scan) fn counts(&self) -> bool {
        let Selection { proposal, prefilter, .. } = self.selection;
        let asks = self.follower.is_some() || proposal.is_some() || prefilter.is_some() || self.selection.asks_records();
        !(self.bodies || self.after_blocks || asks)
    }

    /// How many records of the selection a range of slots has, from their times of expiry alone; `None` if some may be hidden.
    ///
    /// # Errors
    /// As `Segment::find`.
    pub(in crate::scan) fn count_slots(&self, segment_id: usize, range: &Range<u32>) -> Result<Option<u64>> {
        let (mut from, mut alive) = (range.start, 0);
        loop {
            let segment = self.store.cells()[segment_id].read_in_turn();
            if self.store.hides_any() {
                return Ok(None);
            }
            let (to, end) = (from.saturating_add(LOOKED_AT), segment.end().min(range.end));
            self.meet_slots(&segment, from..to, end, None);
            alive += self.count_alive(&segment, from..to.min(end))?;
            if to >= end {
                return Ok(Some(alive));
            }
            from = to;
        }
    }

    /// How many records of the selection a whole segment has, if its counters know.
    pub(in crate::scan) fn count_segment(&self, segment_id: usize) -> Option<u64> {
        let segment = self.store.cells()[segment_id].read_in_turn();
        if self.store.hides_any() || segment.expiring() > 0 {
            return None;
        }
        self.meet_slots(&segment, ALL_SLOTS, 0, None);
        Some(match &self.selection.set {
            None => segment.len() as u64,
            Some(set) => segment.set_slots(set.id).map_or_else(|| segment.sets().count(set.id), |slots| slots.len().into()),
        })
    }

    /// Records of the selection in a range of slots that begins at a chunk of them.
    fn count_alive(&self, segment: &Segment, range: Range<u32>) -> Result<u64> {
        let (now, set) = (clock::unix_seconds(), self.selection.set.as_ref().map(|set| set.id));
        let count = |(base, words): (u32, [u64; CHUNK / 64])| segment.count_alive(base, &words, now);
        match set.and_then(|set| segment.set_slots(set)) {
            Some(index) => index.chunks_from(range.start).take_while(|(base, _)| *base < range.end).map(count).sum(),
            None => range.step_by(CHUNK).map(|base| (base, segment.sets().column(set, base))).map(count).sum(),
        }
    }
}
