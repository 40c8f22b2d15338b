//! A walk in items, for workers that take them in turn: segments, or ranges of the one that holds all; where a device is read by the
//! block, runs of blocks before them; where it is read by the places of records, what `places` makes of them.

use super::backoff::{Backoff, Turn};
use super::places::Places;
use super::plan::Selection;
use super::ranges::{ALL_SLOTS, Ranges};
use super::sequential::Sequential;
use super::visit::{Damaged, End, Found, Scratch, Walk};
use crate::budget::Share;
use crate::segment::{Marks, Segment};
use crate::store::{Following, Guard, RecordStore};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use tessera_base::Result;
use tessera_jobs::chunk_stream::Gate;
use tessera_storage::Run;

/// What is made of the records that a worker meets.
pub(crate) trait Visitor {
    /// Records that the next step is to meet, or a few more.
    fn most(&self) -> usize;

    /// Whether others are to find the device free: no more than one block is then in flight.
    fn gives_way(&self) -> bool {
        false
    }

    /// May be called with a segment locked for reading: it must be quick, and must not write.
    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End>;

    /// After each step, with no lock held.
    ///
    /// # Errors
    /// Any error ends the walk with it.
    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()>;
}

/// What the walk through all of a selection keeps from its beginning to its end.
#[derive(Default)]
pub(crate) struct Traversal {
    following: Option<Following>,
    sequential: Option<Sequential>,
    places: Option<Places>,
    /// Where one segment is shared by several workers.
    ranges: Option<Ranges>,
    /// Of a walk that goes in an order first.
    marks: Option<Arc<Marks>>,
    /// What all workers wait for before what they have met is given away, if for anything.
    guard: Option<Arc<Guard>>,
    /// For the workers that give way to others.
    turn: Turn,
}

impl Traversal {
    /// For a walk that goes from segment to segment, and follows none.
    pub(super) fn in_pages(store: &RecordStore) -> Self {
        Self { guard: store.guard(), ..Self::default() }
    }

    /// What is to be waited for before anything that was met is given away.
    pub(crate) fn guard(&self) -> Option<Arc<Guard>> {
        self.guard.clone()
    }

    /// Waits until all that was met so far is durable.
    ///
    /// # Errors
    /// `write_uncertain`.
    pub(crate) fn settle(&self) -> Result<()> {
        self.guard.as_ref().map_or(Ok(()), |guard| guard.pass())
    }

    /// For about `wanted` records. `by_places`: whether bodies are wanted, and on a device may be read in its order.
    pub(crate) fn begin(store: &RecordStore, selection: &Selection, wanted: u64, by_places: bool) -> Self {
        let by_places = by_places && !selection.sequential && !store.bodies_resident();
        let in_order = selection.order.is_some();
        let marked = in_order || selection.sequential || by_places && selection.may_move(store);
        let marks = marked.then(|| Arc::new(Marks::new(store.cells().len())));
        let following = selection.follow_moves(store, marks.clone());
        let traversal = Self { following, marks: marks.clone().filter(|_| in_order), guard: store.guard(), ..Self::default() };
        if by_places {
            let uneven = selection.only.is_some() || selection.may_move(store);
            return Self { places: Some(Places::begin(store, wanted, uneven, marks)), ..traversal };
        }
        let sequential = marks.filter(|_| selection.sequential).map(|marks| Sequential::begin(store, marks));
        // Who follows moves takes a segment from its beginning to its end.
        let shared = store.bodies_resident() && traversal.following.is_none();
        let ranges = if shared { Ranges::of(store.cells()) } else { None };
        Self { sequential, ranges, ..traversal }
    }

    /// Those of one worker.
    pub(crate) fn backoff(&self, store: &RecordStore, share: &Arc<Share>) -> Backoff {
        Backoff::new(store, self.turn.clone()).member_of(share)
    }

    pub(crate) fn walk<'a>(&'a self, store: &'a RecordStore, selection: &'a Selection, bodies: bool) -> Walk<'a> {
        let follower = self.following.as_ref().map(Following::follower);
        let (sequential, places, marks) = (self.sequential.as_ref(), self.places.as_ref(), self.marks.as_deref());
        let (ranges, guard) = (self.ranges.as_ref(), self.guard.as_deref());
        Walk { store, selection, bodies, follower, sequential, places, ranges, marks, guard }
    }

    /// How many items there are.
    pub(crate) fn items(&self, store: &RecordStore) -> usize {
        let by_slots = || self.runs() + self.ranges.as_ref().map_or(store.cells().len(), Ranges::count);
        self.places.as_ref().map_or_else(by_slots, Places::items)
    }

    /// Whether an item is only a part of its segment, and others have the rest.
    pub(super) const fn shares_segments(&self) -> bool {
        self.ranges.is_some()
    }

    /// Whether an item may be begun only when all before it are done and their workers have left.
    pub(crate) fn begins_stage(&self, item: usize) -> bool {
        // What a run would have brought is read by the record otherwise.
        self.places.as_ref().map_or_else(|| item == self.runs(), |places| places.begins_stage(item))
    }

    /// The first items, which are runs.
    pub(super) fn runs(&self) -> usize {
        self.sequential.as_ref().map_or(0, |sequential| sequential.runs.len())
    }
}

#[cfg(test)]
impl Traversal {
    /// One block a run, so that there are many of few records.
    pub(super) fn split_runs(&mut self) {
        let Some(sequential) = &mut self.sequential else { return };
        let blocks = |run: &Run| (run.first..run.first + u64::from(run.blocks)).map(|first| Run { first, blocks: 1 });
        sequential.runs = sequential.runs.iter().flat_map(blocks).collect();
    }

    /// Rounds and stretches of few records.
    pub(super) fn split_rounds(&mut self, store: &RecordStore, wanted: u64) {
        if let Some(places) = self.places.take() {
            self.places = Some(Places::of_size(store, wanted, places.marks.is_some(), places.marks, 10, 3));
        }
    }

    /// Ranges of so few slots that there are many.
    pub(super) fn split_ranges(&mut self, store: &RecordStore, slots: u32) {
        if let ([cell], None) = (store.cells(), &self.following) {
            self.ranges = Ranges::up_to(cell.read().end(), slots);
        }
    }
}

impl Walk<'_> {
    /// Does one item. Reads may be in flight still when it is done; `drain` meets what they bring.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    pub(crate) fn item(&self, item: usize, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        if let Some(places) = self.places {
            return self.place_item(places, item, scratch, visitor);
        }
        let runs = self.sequential.map_or(&[][..], |sequential| &sequential.runs);
        if let Some(run) = runs.get(item) {
            if visitor.gives_way() {
                return self.run_by_the_block(*run, scratch, visitor);
            }
            scratch.runs.start(self.store, *run)?;
            let left = scratch.runs.most_left();
            return self.drain_runs(left, scratch, visitor);
        }
        if self.drain_runs(0, scratch, visitor)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let (segment, slots) = self.slots_of(item - runs.len());
        let mut from = Some(slots.start);
        while let Some(slot) = from {
            let step = self.step(segment, slot..slots.end, visitor.most(), scratch, &mut |found| visitor.meet(found))?;
            visitor.stepped(step.met, &step.damaged)?;
            if step.broken {
                return Ok(ControlFlow::Break(()));
            }
            from = step.next;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Notes the changes in flight of the slots that a step goes through, up to the last where they end at `end`: records have gone from
    /// behind it. `candidates`: see `InFlight::of_slots`.
    pub(super) fn meet_slots(&self, segment: &Segment, slots: Range<u32>, end: u32, candidates: Option<&[u32]>) {
        let to = if slots.end >= end { u32::MAX } else { slots.end };
        let set = self.selection.set.as_ref().map(|set| set.id);
        self.store.meet_slots(segment, &(slots.start..to), set, candidates, self.guard);
    }

    /// Gathered slots, if an index has left others out.
    pub(super) fn proposed<'s>(&self, gathered: &'s [u32]) -> Option<&'s [u32]> {
        self.selection.proposal.is_some().then_some(gathered)
    }

    /// What an item behind the runs goes over: a segment, or a part of the one there is.
    pub(super) fn slots_of(&self, item: usize) -> (usize, Range<u32>) {
        self.ranges.map_or((item, ALL_SLOTS), |ranges| (0, ranges.get(item)))
    }

    /// Meets what is in flight; for a worker that is through.
    ///
    /// # Errors
    /// As `item`.
    pub(crate) fn drain(&self, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        match self.drain_runs(0, scratch, visitor)? {
            ControlFlow::Continue(()) => self.read_noted(false, scratch, visitor),
            end => Ok(end),
        }
    }

    /// Does a run while others are to find the device free: block by block.
    ///
    /// # Errors
    /// Those of the visitor.
    fn run_by_the_block(&self, run: Run, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        if self.drain_runs(0, scratch, visitor)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for first in run.first..run.first + u64::from(run.blocks) {
            scratch.runs.start(self.store, Run { first, blocks: 1 })?;
            let (met, end) = self.run_step(visitor.most(), &mut scratch.runs, &mut |found| visitor.meet(found));
            visitor.stepped(met, &[])?;
            if end.is_break() || self.drain_runs(0, scratch, visitor)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Meets what the runs in flight bring, until at most `left` are.
    ///
    /// # Errors
    /// Those of the visitor.
    fn drain_runs(&self, left: usize, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        while scratch.runs.has_more_than(left) {
            let (met, end) = self.run_step(visitor.most(), &mut scratch.runs, &mut |found| visitor.meet(found));
            visitor.stepped(met, &[])?;
            if end.is_break() {
                return Ok(end);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
