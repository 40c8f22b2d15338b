//! A segment's parts of the namespace's document and range indexes.

use std::sync::Arc;
use tessera_index::{Due, Index, PartMerge, SegmentIndex};
use tessera_record::BodyRef;

#[derive(Debug)]
pub struct SegmentIndexes {
    segment: u16,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    index: Arc<Index>,
    own: SegmentIndex,
    /// Whether a merge was asked for that has not begun.
    asked: bool,
    /// Whether one has begun; whoever froze it installs it.
    merging: bool,
}

impl SegmentIndexes {
    pub(super) const fn new(segment: u16) -> Self {
        Self { segment, parts: Vec::new() }
    }

    pub(crate) fn attach(&mut self, index: Arc<Index>, own: SegmentIndex) {
        self.parts.push(Part { index, own, asked: false, merging: false });
    }

    pub(crate) fn detach(&mut self, index: &Arc<Index>) {
        self.parts.retain(|part| !Arc::ptr_eq(&part.index, index));
        self.parts.shrink_to_fit();
    }

    pub fn get(&self, index: &Arc<Index>) -> Option<&SegmentIndex> {
        self.parts.iter().find(|part| Arc::ptr_eq(&part.index, index)).map(|part| &part.own)
    }

    fn part(&mut self, index: &Arc<Index>) -> Option<&mut Part> {
        self.parts.iter_mut().find(|part| Arc::ptr_eq(&part.index, index))
    }

    /// Hands over what a build collected, unless the index was dropped meanwhile.
    pub(crate) fn adopt(&mut self, index: &Arc<Index>, built: SegmentIndex) {
        if let Some(part) = self.part(index) {
            part.own.adopt(built);
        }
    }

    /// Merges what writes have left in the part of an index.
    pub(crate) fn merge_now(&mut self, index: &Arc<Index>) {
        if let Some(part) = self.part(index) {
            part.own.merge_now();
        }
    }

    /// `slot` of `set` now holds `body`.
    pub(super) fn write(&mut self, set: &str, slot: u32, body: &[u8]) {
        let segment = self.segment;
        for part in self.parts.iter_mut().filter(|part| part.index.covers(set)) {
            part.own.insert(slot, part.index.kept(BodyRef::new(body)));
            part.look_after(segment);
        }
    }

    /// `slot` of `set` is free.
    pub(super) fn remove(&mut self, set: &str, slot: u32) {
        let segment = self.segment;
        for part in self.parts.iter_mut().filter(|part| part.index.covers(set)) {
            part.own.insert(slot, None);
            part.look_after(segment);
        }
    }

    /// Whether `settle` may have something to do.
    pub(crate) fn unsettled(&self) -> bool {
        self.parts.iter().any(|part| !part.asked && !part.merging && part.own.due_when_idle())
    }

    /// To be called now and then: asks for merges of what writes have left, once they have paused.
    pub(crate) fn settle(&mut self) {
        for part in &mut self.parts {
            if part.own.idle() && !part.asked && !part.merging && part.own.due_when_idle() {
                part.asked = true;
                part.index.ask_for_merge(self.segment);
            }
        }
    }

    /// Begins a merge that was asked for, if the part is still there and has anything to merge.
    pub(crate) fn freeze(&mut self, index: &Arc<Index>) -> Option<PartMerge> {
        let part = self.part(index)?;
        part.asked = false;
        let frozen = if part.merging { None } else { part.own.freeze() };
        part.merging |= frozen.is_some();
        frozen
    }

    /// Ends a merge that cannot be run to its end; the next write asks for another. Whether the part is there.
    pub(crate) fn give_up(&mut self, index: &Arc<Index>) -> bool {
        let part = self.part(index);
        part.map(|part| part.merging = false).is_some()
    }

    /// Ends a merge that has run, if the part is still there and has had no other since; whether it is there.
    pub(crate) fn install(&mut self, index: &Arc<Index>, merge: &mut PartMerge) -> bool {
        let segment = self.segment;
        let Some(part) = self.part(index) else { return false };
        part.own.install(merge);
        part.merging = false;
        part.look_after(segment);
        true
    }

    pub fn heap_bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(|part| part.own.heap_bytes()).sum();
        parts + self.parts.capacity() * size_of::<Part>()
    }
}

impl Part {
    /// Sees to a merge when one is due: here and now only when writes have come too far ahead.
    fn look_after(&mut self, segment: u16) {
        match self.own.due() {
            Due::No => {}
            Due::Soon if self.asked || self.merging => {}
            Due::Soon => {
                self.asked = true;
                self.index.ask_for_merge(segment);
            }
            Due::Now => self.own.merge_now(),
        }
    }
}

#[cfg(test)]
mod tests;
