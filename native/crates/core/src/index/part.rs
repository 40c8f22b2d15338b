//! One segment's part of one index, whatever its kind.

use super::IndexKind;
use super::document::SegmentDocumentIndex;
use super::range::SegmentRangeIndex;
use crate::record::ValueRef;

#[derive(Debug)]
pub enum SegmentIndex {
    Document(SegmentDocumentIndex),
    Range(SegmentRangeIndex),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentIndexStats {
    /// (term or value, slot) pairs, those of recent rewrites included.
    pub entries: u64,
    /// Distinct terms of a document index; 0 for others.
    pub terms: u64,
    /// Bytes on the heap.
    pub bytes: u64,
}

impl SegmentIndex {
    pub const fn new(kind: IndexKind) -> Self {
        match kind {
            IndexKind::Document => Self::Document(SegmentDocumentIndex::new()),
            IndexKind::Range => Self::Range(SegmentRangeIndex::new()),
        }
    }

    /// A part that takes writes from now on and waits for `adopt` to bring the records that are already there.
    pub const fn building(kind: IndexKind) -> Self {
        match kind {
            IndexKind::Document => Self::Document(SegmentDocumentIndex::building()),
            IndexKind::Range => Self::Range(SegmentRangeIndex::building()),
        }
    }

    /// Indexes what `slot` now holds and forgets what it had.
    pub fn insert(&mut self, slot: u32, value: Option<ValueRef<'_>>) {
        match self {
            Self::Document(part) => part.insert(slot, value),
            Self::Range(part) => part.insert(slot, value),
        }
    }

    /// Takes over what a build collected; slots written since `building` keep what was written.
    pub fn adopt(&mut self, built: Self) {
        match (self, built) {
            (Self::Document(part), Self::Document(built)) => part.adopt(built),
            (Self::Range(part), Self::Range(built)) => part.adopt(built),
            _ => debug_assert!(false, "an index is built as what it is"),
        }
    }

    /// Merges all that writes have left, so that one sorted layer is all there is; nothing while a build is under way. Time
    /// in proportion to the segment's index.
    pub fn merge_now(&mut self) {
        match self {
            Self::Document(part) => part.merge_now(),
            Self::Range(part) => part.merge_now(),
        }
    }

    pub fn stats(&self) -> SegmentIndexStats {
        match self {
            Self::Document(part) => {
                let stats = part.stats();
                SegmentIndexStats { entries: stats.postings, terms: stats.terms, bytes: stats.bytes }
            }
            Self::Range(part) => {
                let stats = part.stats();
                SegmentIndexStats { entries: stats.entries, terms: 0, bytes: stats.bytes }
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Document(part) => part.heap_bytes(),
            Self::Range(part) => part.heap_bytes(),
        }
    }
}
