//! How much each segment is asked for.

use std::sync::atomic::{AtomicU64, Ordering};

/// Reads and writes of single records by segment since the namespace was opened. Two at the same moment may count as one: a count of
/// where the load is must cost a read next to nothing.
pub(super) struct Heat(Box<[SegmentHeat]>);

#[derive(Default)]
struct SegmentHeat {
    reads: AtomicU64,
    writes: AtomicU64,
}

impl Heat {
    pub(super) fn new(segments: u32) -> Self {
        Self((0..segments).map(|_| SegmentHeat::default()).collect())
    }

    #[inline]
    pub(super) fn read(&self, segment: u16) {
        add(&self.0[usize::from(segment)].reads, 1);
    }

    #[inline]
    pub(super) fn wrote(&self, segment: u16, records: u64) {
        add(&self.0[usize::from(segment)].writes, records);
    }

    /// Reads and writes of a segment.
    pub(super) fn of(&self, segment: u16) -> (u64, u64) {
        let SegmentHeat { reads, writes } = &self.0[usize::from(segment)];
        (reads.load(Ordering::Relaxed), writes.load(Ordering::Relaxed))
    }
}

fn add(count: &AtomicU64, more: u64) {
    count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}
