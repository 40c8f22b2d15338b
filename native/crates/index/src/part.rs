//! One segment's part of one index, whatever its kind.

use crate::document::{DocumentMerge, DocumentMerged, SegmentDocumentIndex};
use crate::range::{RangeMerge, RangeMerged, SegmentRangeIndex};
use crate::runs::Due;
use crate::{IndexKind, Indexed};

/// What one index keeps of one segment's records; lives inside the segment's lock.
#[derive(Debug)]
pub enum SegmentIndex {
    Document(SegmentDocumentIndex),
    Range(SegmentRangeIndex),
}

/// What a part holds.
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
pub struct PartMerge(Kinds);

#[derive(Debug)]
enum Kinds {
    Document(DocumentMerge, Option<DocumentMerged>),
    Range(RangeMerge, Option<RangeMerged>),
}

impl PartMerge {
    /// Merges, which takes time and memory in proportion to the part, and no lock.
    pub fn run(&mut self) {
        match &mut self.0 {
            Kinds::Document(merge, merged) => *merged = Some(merge.merge()),
            Kinds::Range(merge, merged) => *merged = Some(merge.merge()),
        }
    }
}

impl SegmentIndex {
    /// A part of no records.
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
    #[inline]
    pub fn due(&self) -> Due {
        match self {
            Self::Document(part) => part.due(),
            Self::Range(part) => part.due(),
        }
    }

    /// Whether there is enough for a merge, once writes pause.
    pub fn due_when_idle(&self) -> bool {
        match self {
            Self::Document(part) => part.due_when_idle(),
            Self::Range(part) => part.due_when_idle(),
        }
    }

    /// To be called now and then: whether there was no write between the last two calls.
    pub fn idle(&mut self) -> bool {
        match self {
            Self::Document(part) => part.idle(),
            Self::Range(part) => part.idle(),
        }
    }

    /// Begins a merge, if there is anything to merge: the time of copying four bytes a slot. One begun before is void.
    pub fn freeze(&mut self) -> Option<PartMerge> {
        match self {
            Self::Document(part) => part.freeze().map(|merge| PartMerge(Kinds::Document(merge, None))),
            Self::Range(part) => part.freeze().map(|merge| PartMerge(Kinds::Range(merge, None))),
        }
    }

    /// Ends a merge that has run; nothing happens where it has become void. What it replaces is freed with `merge`.
    pub fn install(&mut self, merge: &mut PartMerge) {
        match (self, &mut merge.0) {
            (Self::Document(part), Kinds::Document(merge, merged)) => {
                if let Some(merged) = merged.take() {
                    part.install(merge, merged);
                }
            }
            (Self::Range(part), Kinds::Range(merge, merged)) => {
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

    /// What it holds.
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

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Document(part) => part.heap_bytes(),
            Self::Range(part) => part.heap_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::writable;
    use tessera_record::{BodyBuilder, BodyRef, KeyRef, ValueRef};

    const KINDS: [IndexKind; 2] = [IndexKind::Document, IndexKind::Range];

    fn put(part: &mut SegmentIndex, slot: u32, value: i64) {
        part.insert(slot, Some(Indexed::Value(ValueRef::Int(value))));
    }

    fn held(part: &SegmentIndex) -> (u64, u64, u64) {
        let SegmentIndexStats { entries, recent, terms, bytes } = part.stats();
        assert_eq!(bytes, part.heap_bytes() as u64);
        (entries, recent, terms)
    }

    #[test]
    fn writes_are_recent_until_they_are_merged() {
        for (kind, terms) in [(IndexKind::Document, 1), (IndexKind::Range, 0)] {
            let mut part = SegmentIndex::new(kind);
            assert!(part.freeze().is_none() && writable(&part) && !part.due_when_idle());
            (0..3).for_each(|slot| put(&mut part, slot, 7));
            assert!(part.heap_bytes() > 100 && part.due_when_idle() && part.due() == Due::No && !writable(&part));
            assert_eq!(held(&part), (3, 3, 3 * terms));
            let mut merge = part.freeze().unwrap();
            part.install(&mut merge);
            assert_eq!(held(&part).1, 3, "it has not run");
            merge.run();
            part.install(&mut merge);
            assert_eq!(held(&part), (3, 0, terms));
            assert!(part.heap_bytes() > 20 && part.freeze().is_none() && writable(&part) && !part.due_when_idle());
            put(&mut part, 9, 8);
            put(&mut part, 0, 7);
            assert_eq!(held(&part), (5, 2, 3 * terms));
            part.insert(1, None);
            part.merge_now();
            assert_eq!(held(&part), (3, 0, 2 * terms));
            (0..9000).for_each(|slot| put(&mut part, slot, 7));
            assert_eq!(part.due(), Due::Soon);
        }
    }

    #[test]
    fn a_part_is_idle_between_two_looks_without_a_write() {
        for kind in KINDS {
            let mut part = SegmentIndex::new(kind);
            part.idle();
            assert!(part.idle());
            put(&mut part, 0, 1);
            assert_eq!([part.idle(), part.idle(), part.idle()], [false, true, true]);
            part.insert(0, None);
            assert_eq!([part.idle(), part.idle()], [false, true]);
        }
    }

    #[test]
    fn what_is_written_during_a_build_counts_and_is_merged_by_itself() {
        for (kind, terms) in [(IndexKind::Document, 1), (IndexKind::Range, 0)] {
            let (mut part, mut built) = (SegmentIndex::building(kind), SegmentIndex::new(kind));
            (0..2).for_each(|value| (0..300).for_each(|slot| put(&mut part, slot, value)));
            assert_eq!((part.due_when_idle(), part.due(), writable(&part)), (false, Due::No, false));
            part.merge_now();
            assert_eq!(held(&part).1, 300);
            let mut late = part.freeze().unwrap();
            late.run();
            (200..400).for_each(|slot| put(&mut built, slot, 2));
            built.merge_now();
            part.adopt(built);
            part.install(&mut late);
            assert_eq!(held(&part).0, 500);
            part.merge_now();
            assert_eq!((held(&part), writable(&part)), ((400, 0, 2 * terms), true));
        }
    }

    #[test]
    fn a_document_index_keeps_whole_records() {
        let mut bytes = Vec::new();
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
        body.encoded_bin("b", &tessera_record::sample::encode(r#"{"a":5}"#)).unwrap();
        body.finish();
        let mut part = SegmentIndex::new(IndexKind::Document);
        part.insert(0, Some(Indexed::Record(BodyRef::new(&bytes))));
        // The key at the top of the bin, and the number.
        assert_eq!(held(&part), (2, 2, 2));
    }
}
