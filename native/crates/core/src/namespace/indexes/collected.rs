//! What a build collects of one segment before the segment's part takes it over.

use tessera_index::document::DocumentBuilder;
use tessera_index::range::SegmentRangeIndex;
use tessera_index::{IndexKind, Indexed, SegmentIndex};

/// What is collected of one segment.
#[derive(Default)]
pub(super) struct Collected {
    documents: DocumentBuilder,
    range: SegmentRangeIndex,
}

impl Collected {
    /// Adds a record; each slot once.
    pub(super) fn add(&mut self, kind: IndexKind, slot: u32, kept: Option<Indexed<'_>>) {
        match (kind, kept) {
            (IndexKind::Document, Some(Indexed::Value(value))) => self.documents.add(slot, value),
            (IndexKind::Document, Some(Indexed::Record(body))) => self.documents.add_record(slot, &body),
            (IndexKind::Range, Some(Indexed::Value(value))) => self.range.insert(slot, Some(value)),
            (IndexKind::Range, Some(Indexed::Record(_))) | (_, None) => {}
        }
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        self.documents.heap_bytes() + self.range.heap_bytes()
    }

    /// Forgets what was added.
    pub(super) fn clear(&mut self) {
        self.documents.clear();
        self.range = SegmentRangeIndex::new();
    }

    /// The part of the segment; what was added is then gone from here.
    pub(super) fn finish(&mut self, kind: IndexKind) -> SegmentIndex {
        match kind {
            IndexKind::Document => SegmentIndex::Document(self.documents.finish()),
            IndexKind::Range => SegmentIndex::Range(std::mem::take(&mut self.range)),
        }
    }
}
