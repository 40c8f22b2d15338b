//! The walk through records in memory of which each counts that is alive: nothing else is asked of them, and none is copied on the way.

use super::found::{End, Found};
use super::prefetch::{BodyUse, Prefetch, along};
use super::steps::{STEP_WANTED, StepOutcome};
use super::walk::Walk;
use crate::segment::{Seen, Segment, SegmentCell, Slots};
use std::ops::{ControlFlow, Range};
use tessera_base::clock;
use tessera_record::Meta;

/// What one call of it has done.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) met: u64,
    /// Whether `each` has broken off the walk.
    pub(super) broken: bool,
    /// Where the step goes on, if not behind all slots that it was to look at.
    pub(super) next: Option<u32>,
}

impl Walked {
    /// As a step, which else goes on at `next` if there is a `rest` from there on.
    pub(super) fn step(self, next: u32, rest: impl Fn(u32) -> Option<u32>) -> StepOutcome {
        StepOutcome { met: self.met, next: rest(self.next.unwrap_or(next)), broken: self.broken, damaged: Vec::new() }
    }
}

impl Walk<'_> {
    /// Whether no slot of a segment is left out, and none is free: then there is nothing to gather.
    pub(super) fn takes_every_slot(&self, segment: &Segment) -> bool {
        let selection = self.selection;
        selection.set.is_none() && selection.proposal.is_none() && !self.after_blocks && segment.len() == segment.end() as usize
    }

    /// Whether a record that is alive and not hidden is met, once and where it lies.
    pub(super) fn plain(&self) -> bool {
        let selection = self.selection;
        let met_elsewhere = self.follower.is_some() || self.marks.is_some();
        let bodies_at_hand = !self.bodies || self.store.bodies_resident() && !selection.copies;
        bodies_at_hand && !met_elsewhere && selection.prefilter.is_none() && !selection.sizes
    }

    /// Meets the records in `slots` of a segment, which is locked for reading.
    pub(super) fn walk_live(
        &self,
        cell: &SegmentCell,
        segment: &Segment,
        known: &Slots,
        slots: &[u32],
        body_use: BodyUse,
        each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<End>,
    ) -> Walked {
        if let Some(records) = consecutive(slots).and_then(|slots| along(segment, known, slots, body_use)) {
            return self.walk_seen(cell, segment, records, each);
        }
        let prefetch = Prefetch::begin(segment, known, slots, body_use);
        let seen = slots.iter().enumerate().map(|(at, &slot)| {
            prefetch.before(at);
            (slot, known.see(slot))
        });
        self.walk_seen(cell, segment, seen, each)
    }

    /// As `walk_live`, of records as they come.
    #[inline]
    pub(super) fn walk_seen<'a>(
        &self,
        cell: &SegmentCell,
        segment: &Segment,
        records: impl Iterator<Item = (u32, Option<Seen<'a>>)>,
        each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<End>,
    ) -> Walked {
        let mut walked = Walked::default();
        let (now, id, sets) = (clock::unix_seconds(), segment.id(), segment.sets());
        let (asks, segments) = (self.selection.asks_records(), self.store.segment_count());
        for (at, (slot, seen)) in records.enumerate() {
            if at > 0 && at % STEP_WANTED == 0 && cell.is_wanted() {
                walked.next = Some(slot);
                break;
            }
            let Some(Seen { digest, location, meta }) = seen else { continue };
            // `hides` takes a copy of its own: what is known of a record met is then never written to memory in parts and read as a whole, which
            // processors are slow at.
            if meta.expired(now) || meta.updated_at <= self.store.hides_until() && self.store.hides(segment, slot, &Meta { ..meta }) {
                continue;
            }
            if asks && !self.selection.wants(id, digest, segments) {
                continue;
            }
            walked.met += 1;
            let body = if self.bodies { segment.resident(location).unwrap_or_default() } else { &[] };
            match each(&Found { segment: id, slot, set: sets.set_of(slot), digest: *digest, meta, size: 0, body }) {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(End::Step) => {
                    walked.next = Some(slot + 1);
                    break;
                }
                ControlFlow::Break(End::Walk) => {
                    walked.broken = true;
                    break;
                }
            }
        }
        walked
    }
}

/// The range that they are, if no slot between the first and the last is left out.
fn consecutive(slots: &[u32]) -> Option<Range<u32>> {
    let (first, last) = (*slots.first()?, *slots.last()?);
    ((last - first) as usize == slots.len() - 1).then_some(first..last + 1)
}
