//! Room that is kept for a batch which takes effect whole or not at all.

use super::Segment;

impl Segment {
    /// As `Records::keep_room`.
    pub(crate) fn keep_room(&mut self, bodies: &[usize]) -> usize {
        self.records.keep_room(bodies)
    }

    pub(crate) fn end_batch(&mut self) {
        self.records.end_batch();
    }
}
