//! How much each segment is asked for.

use std::sync::atomic::{AtomicU64, Ordering};

/// Reads and writes of single records by segment since the namespace was opened.
pub(in crate::store) struct Heat(Box<[SegmentHeat]>);

#[derive(Default)]
struct SegmentHeat {
    reads: AtomicU64,
    writes: AtomicU64,
}

impl Heat {
    pub(in crate::store) fn new(segments: u32) -> Self {
        Self((0..segments).map(|_| SegmentHeat::default()).collect())
    }

    #[inline]
    pub(in crate::store) fn read(&self, segment: u16) {
        self.0[usize::from(segment)].reads.fetch_add(1, Ordering::Relaxed);
    }

    #[inline]
    pub(in crate::store) fn wrote(&self, segment: u16, records: u64) {
        self.0[usize::from(segment)].writes.fetch_add(records, Ordering::Relaxed);
    }

    /// Reads and writes of a segment.
    pub(in crate::store) fn of(&self, segment: u16) -> (u64, u64) {
        let SegmentHeat { reads, writes } = &self.0[usize::from(segment)];
        (reads.load(Ordering::Relaxed), writes.load(Ordering::Relaxed))
    }
}
