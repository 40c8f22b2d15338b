//! A segment's parts of the namespace's document and range indexes.

use crate::index::{Index, SegmentIndex};
use crate::record::BodyRef;
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct SegmentIndexes {
    parts: Vec<(Arc<Index>, SegmentIndex)>,
}

impl SegmentIndexes {
    pub(crate) fn attach(&mut self, index: Arc<Index>, part: SegmentIndex) {
        self.parts.push((index, part));
    }

    pub(crate) fn detach(&mut self, index: &Arc<Index>) {
        self.parts.retain(|(own, _)| !Arc::ptr_eq(own, index));
        self.parts.shrink_to_fit();
    }

    pub fn get(&self, index: &Arc<Index>) -> Option<&SegmentIndex> {
        self.parts.iter().find(|(own, _)| Arc::ptr_eq(own, index)).map(|(_, part)| part)
    }

    /// Hands over what a build collected, unless the index was dropped meanwhile.
    pub(crate) fn adopt(&mut self, index: &Arc<Index>, built: SegmentIndex) {
        if let Some((_, part)) = self.parts.iter_mut().find(|(own, _)| Arc::ptr_eq(own, index)) {
            part.adopt(built);
        }
    }

    /// Merges what writes have left in the part of an index.
    pub(crate) fn merge_now(&mut self, index: &Arc<Index>) {
        if let Some((_, part)) = self.parts.iter_mut().find(|(own, _)| Arc::ptr_eq(own, index)) {
            part.merge_now();
        }
    }

    /// `slot` of `set` now holds `body`.
    pub(super) fn write(&mut self, set: &str, slot: u32, body: &[u8]) {
        for (index, part) in &mut self.parts {
            if index.covers(set) {
                part.insert(slot, index.value(&BodyRef::new(body)));
            }
        }
    }

    /// `slot` of `set` is free.
    pub(super) fn remove(&mut self, set: &str, slot: u32) {
        for (index, part) in &mut self.parts {
            if index.covers(set) {
                part.insert(slot, None);
            }
        }
    }

    /// Whether `settle` may have something to do.
    pub(crate) fn unsettled(&self) -> bool {
        self.parts.iter().any(|(_, part)| matches!(part, SegmentIndex::Document(part) if part.unsettled()))
    }

    /// Merges what writes have left in document indexes, once they have paused.
    pub(crate) fn settle(&mut self) {
        for (_, part) in &mut self.parts {
            if let SegmentIndex::Document(part) = part {
                part.settle();
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(|(_, part)| part.heap_bytes()).sum();
        parts + self.parts.capacity() * size_of::<(Arc<Index>, SegmentIndex)>()
    }
}
