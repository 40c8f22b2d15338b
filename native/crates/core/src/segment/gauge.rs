//! What a segment takes and when it was last written to, readable while a writer has it: a writer of pages may wait for a disk.

use super::segment::Segment;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_storage::SegmentBytes;

/// What a segment takes, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Of its records, as stored.
    pub bytes: SegmentBytes,
    /// Of memory, by part.
    pub primary_index: u64,
    pub set_indexes: u64,
    pub document_indexes: u64,
}

impl Footprint {
    fn of(segment: &Segment) -> Self {
        Self {
            bytes: segment.bytes(),
            primary_index: segment.index_bytes() as u64,
            set_indexes: segment.set_indexes_bytes() as u64,
            document_indexes: segment.indexes().heap_bytes() as u64,
        }
    }
}

/// The numbers outside of the lock. Each is right by itself: together they may be of two moments.
#[derive(Default)]
pub(super) struct Gauge {
    newest_update: AtomicU64,
    left_out: AtomicU64,
    live: AtomicU64,
    allocated: AtomicU64,
    primary_index: AtomicU64,
    set_indexes: AtomicU64,
    document_indexes: AtomicU64,
}

impl Gauge {
    /// After a change. Only what costs nothing to know: the indexes' bytes are added up over all sets.
    pub fn changed(&self, segment: &Segment) {
        self.newest_update.store(segment.newest_update(), Relaxed);
        self.left_out.store(segment.left_out(), Relaxed);
    }

    pub fn left_out(&self) -> u64 {
        self.left_out.load(Relaxed)
    }

    pub fn newest_update(&self) -> u64 {
        self.newest_update.load(Relaxed)
    }

    /// The segment's footprint now where it can be had, and else what it was at the last look.
    pub fn footprint(&self, segment: Option<&Segment>) -> Footprint {
        let Some(segment) = segment else { return self.last() };
        self.bytes(Some(segment));
        let now = Footprint::of(segment);
        self.primary_index.store(now.primary_index, Relaxed);
        self.set_indexes.store(now.set_indexes, Relaxed);
        self.document_indexes.store(now.document_indexes, Relaxed);
        now
    }

    /// As `footprint`, of its records alone.
    pub fn bytes(&self, segment: Option<&Segment>) -> SegmentBytes {
        let Some(segment) = segment else { return self.last().bytes };
        let now = segment.bytes();
        self.live.store(now.live, Relaxed);
        self.allocated.store(now.allocated, Relaxed);
        now
    }

    fn last(&self) -> Footprint {
        Footprint {
            bytes: SegmentBytes { live: self.live.load(Relaxed), allocated: self.allocated.load(Relaxed) },
            primary_index: self.primary_index.load(Relaxed),
            set_indexes: self.set_indexes.load(Relaxed),
            document_indexes: self.document_indexes.load(Relaxed),
        }
    }
}
