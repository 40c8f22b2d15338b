//! One segment's part of one index, whatever its kind.

use super::document::{DocumentMerge, DocumentMerged, SegmentDocumentIndex};
use super::range::{RangeMerge, RangeMerged, SegmentRangeIndex};
use super::runs::Due;
use super::{IndexKind, Indexed};

#[derive(Debug)]
pub enum SegmentIndex {
    Document(SegmentDocumentIndex),
    Range(SegmentRangeIndex),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentIndexStats {
    /// (term or value, slot) pairs, those of recent rewrites included.
    pub entries: u64,
    /// Those of them that wait to be merged.
    pub recent: u64,
    /// Distinct terms of a document index; 0 for others.
    pub terms: u64,
    /// Bytes on the heap.
    pub bytes: u64,
}

/// A merge of one part under way: what it had, and what comes of it once `run` has ended.
#[derive(Debug)]
pub(crate) enum PartMerge {
    Document(DocumentMerge, Option<DocumentMerged>),
    Range(RangeMerge, Option<RangeMerged>),
}

impl PartMerge {
    /// Merges, which takes time and memory in proportion to the part, and no lock.
    pub(crate) fn run(&mut self) {
        match self {
            Self::Document(merge, merged) => *merged = Some(merge.merge()),
            Self::Range(merge, merged) => *merged = Some(merge.merge()),
        }
    }
}

impl SegmentIndex {
    pub fn new(kind: IndexKind) -> Self {
        match kind {
            IndexKind::Document => Self::Document(SegmentDocumentIndex::new()),
            IndexKind::Range => Self::Range(SegmentRangeIndex::new()),
        }
    }

    /// A part that takes writes from now on and waits for `adopt` to bring the records that are already there.
    pub fn building(kind: IndexKind) -> Self {
        match kind {
            IndexKind::Document => Self::Document(SegmentDocumentIndex::building()),
            IndexKind::Range => Self::Range(SegmentRangeIndex::building()),
        }
    }

    /// Indexes what `slot` now holds and forgets what it had.
    pub fn insert(&mut self, slot: u32, kept: Option<Indexed<'_>>) {
        match (self, kept) {
            (Self::Document(part), Some(Indexed::Record(body))) => part.insert_record(slot, &body),
            (Self::Document(part), Some(Indexed::Value(value))) => part.insert(slot, Some(value)),
            (Self::Document(part), None) => part.remove(slot),
            (Self::Range(part), Some(Indexed::Value(value))) => part.insert(slot, Some(value)),
            (Self::Range(part), _) => part.remove(slot),
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

    /// When what writes have left should be merged.
    pub(crate) fn due(&self) -> Due {
        match self {
            Self::Document(part) => part.due(),
            Self::Range(part) => part.due(),
        }
    }

    /// Whether there is enough for a merge, once writes pause.
    pub(crate) fn due_when_idle(&self) -> bool {
        match self {
            Self::Document(part) => part.due_when_idle(),
            Self::Range(part) => part.due_when_idle(),
        }
    }

    /// To be called now and then: whether there was no write between the last two calls.
    pub(crate) fn idle(&mut self) -> bool {
        match self {
            Self::Document(part) => part.idle(),
            Self::Range(part) => part.idle(),
        }
    }

    /// Begins a merge, if there is anything to merge: the time of copying four bytes a slot. One begun before is void.
    pub(crate) fn freeze(&mut self) -> Option<PartMerge> {
        match self {
            Self::Document(part) => part.freeze().map(|merge| PartMerge::Document(merge, None)),
            Self::Range(part) => part.freeze().map(|merge| PartMerge::Range(merge, None)),
        }
    }

    /// Ends a merge that has run; nothing happens where it has become void. What it replaces is freed with `merge`.
    pub(crate) fn install(&mut self, merge: &mut PartMerge) {
        match (self, merge) {
            (Self::Document(part), PartMerge::Document(merge, merged)) => {
                if let Some(merged) = merged.take() {
                    part.install(merge, merged);
                }
            }
            (Self::Range(part), PartMerge::Range(merge, merged)) => {
                if let Some(merged) = merged.take() {
                    part.install(merge, merged);
                }
            }
            _ => debug_assert!(false, "a part is merged as what it is"),
        }
    }

    /// Merges all that writes have left, so that one sorted layer is all there is; while a build is under way one run of the
    /// writes. Time in proportion to the segment's index.
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
                SegmentIndexStats { entries: stats.postings, recent: stats.recent, terms: stats.terms, bytes: stats.bytes }
            }
            Self::Range(part) => {
                let stats = part.stats();
                SegmentIndexStats { entries: stats.entries, recent: stats.recent, terms: 0, bytes: stats.bytes }
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
