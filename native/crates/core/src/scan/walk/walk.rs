//! A walk through the slots of segments: what it goes over, and whether a record that it comes across counts.

use super::found::Found;
use crate::scan::plan::Selection;
use crate::segment::{Marks, Segment};
use crate::store::{Follower, Guard, RecordStore};
use std::ops::Range;
use tessera_base::Result;
use tessera_record::Digest;
use tessera_storage::SlotRecord;

/// One walk through a segment.
pub(crate) struct Walk<'a> {
    pub(crate) store: &'a RecordStore,
    pub(crate) selection: &'a Selection,
    pub(crate) bodies: bool,
    /// For moves between segments; a page of a scan follows none.
    pub(crate) follower: Option<&'a Follower>,
    /// For a scan that also finds records otherwise than by slot: what it has met.
    pub(crate) marks: Option<&'a Marks>,
    /// Whether it goes behind a read by the block: then marked slots are left out.
    pub(crate) after_blocks: bool,
    /// Where it notes changes in flight; what it has met is not to be given away before they are durable.
    pub(crate) guard: Option<&'a Guard>,
}

impl Walk<'_> {
    /// To be told with the segment's lock held.
    pub(crate) fn passed(&self, segment: usize, next: Option<u32>) {
        if let Some(follower) = self.follower {
            follower.passed(segment, next);
        }
    }

    /// Whether a record come across counts: it is alive, and not met before, in its slot or in another segment. To be asked
    /// with the segment's lock held.
    #[inline]
    pub(in crate::scan) fn meets(&self, segment: &Segment, slot: u32, record: &SlotRecord, now: u32) -> bool {
        let gone = record.meta.expired(now) || self.store.hides(segment, slot, &record.meta);
        !gone
            && self.selection.wants(segment.id(), &record.digest, self.store.segment_count())
            && self.marks.is_none_or(|marks| marks.claim(usize::from(segment.id()), slot))
            && self.follower.is_none_or(|follower| follower.meets(&record.digest))
    }

    #[inline]
    pub(in crate::scan) fn size(&self, segment: &Segment, record: &SlotRecord) -> u64 {
        if self.selection.sizes { segment.stored_bytes(record.location) as u64 } else { 0 }
    }

    /// Whether a record that is met is not wanted, as can be told without its body.
    #[inline]
    pub(in crate::scan) fn passes_over(&self, segment: &Segment, slot: u32, record: &SlotRecord) -> bool {
        self.selection.prefilter.as_ref().is_some_and(|prefilter| !prefilter.lets_through(self.store, segment, slot, record))
    }

    /// Notes the changes in flight of the slots that a step goes through, up to the last where they end at `end`: records have gone from
    /// behind it. `candidates`: see `InFlight::of_slots`.
    #[inline]
    pub(in crate::scan) fn meet_slots(&self, segment: &Segment, slots: Range<u32>, end: u32, candidates: Option<&[u32]>) {
        let to = if slots.end >= end { u32::MAX } else { slots.end };
        let set = self.selection.set.as_ref().map(|set| set.id);
        self.store.meet_slots(segment, &(slots.start..to), set, candidates, self.guard);
    }

    /// Gathered slots, if an index has left others out.
    #[inline]
    pub(in crate::scan) fn proposed<'s>(&self, gathered: &'s [u32]) -> Option<&'s [u32]> {
        self.selection.proposal.is_some().then_some(gathered)
    }

    /// A record of a set with a distribution bin, wherever it is now.
    pub(in crate::scan) fn elsewhere<'b>(&self, set: u16, digest: &Digest, body: &'b mut Vec<u8>) -> Result<Option<Found<'b>>> {
        let Some((segment, slot, record)) = self.store.find_placed(set, digest, self.guard, body)? else { return Ok(None) };
        if self.selection.segments.as_ref().is_some_and(|wanted| !wanted.has(segment)) {
            return Ok(None);
        }
        let size = stored_size(self.store, segment, set, body.len());
        Ok(Some(Found { segment, slot, set, digest: *digest, meta: record.meta, size, body }))
    }
}

/// Bytes that a record with a body of so many bytes takes where it is stored.
fn stored_size(store: &RecordStore, segment: u16, set: u16, body: usize) -> u64 {
    let set = store.set_by_id(set);
    set.map_or(0, |set| store.cells()[usize::from(segment)].read().put_bytes(&set, body) as u64)
}
