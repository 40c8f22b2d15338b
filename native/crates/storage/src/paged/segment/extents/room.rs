//! How much of what a segment has taken can be used by what is stored next.

use super::{Extents, LEVELS};
use crate::paged::segment::bodies::cell_most;
use crate::paged::segment::tree;

/// What a segment holds.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub records: usize,
    /// Bytes of the slot map that are of free slots.
    pub free_slots: u64,
    /// Stored bytes of the records.
    pub live: u64,
}

impl Extents {
    /// Whether the operation that is under way has changed what any page is, or how full.
    pub fn are_touched(&self) -> bool {
        !(self.operation.changed.is_empty() && self.operation.added.is_empty())
    }

    /// Bytes that further records like those there are can use.
    ///
    /// Of data pages whole cells count; of leaves what they have below half full, as those of a tree that grows are on average; and free slots. Of free
    /// pages as many as one extent has count as taken: a segment without one takes a whole extent, which is of no use to the others.
    pub fn room(&self, held: Held) -> u64 {
        let page = self.size.bytes();
        let cell = (held.live / held.records.max(1) as u64).clamp(1, cell_most(page) as u64) as usize;
        let cells = |(level, count): (usize, &u32)| {
            // A page of level `l` has `(LEVELS - 1 - l) / LEVELS` of it left at least.
            let left = (LEVELS - 1 - level) * page / LEVELS;
            if *count == 0 { 0 } else { *count as usize * (left / cell * cell) }
        };
        let data: usize = self.levels.iter().enumerate().map(cells).sum();
        let leaves = (self.leaves * page).saturating_sub(2 * held.records * tree::ENTRY);
        let free = self.free.saturating_sub(self.each) * page;
        (data + leaves + free) as u64 + held.free_slots
    }
}
