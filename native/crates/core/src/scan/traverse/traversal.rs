//! A walk in items, for workers that take them in turn: segments, or ranges of the one that holds all; where a device is read by the
//! block, runs of blocks before them; where it is read in the order of the device, its rounds; those of the order of digests; ranges of
//! tokens where a cluster has the records.

use super::DigestOrder;
use super::backoff::{Backoff, Turn};
use super::slot_ranges::SlotRanges;
use super::token_ranges::TokenRanges;
use super::turns::Turns;
use super::worker_scratch::WorkerScratch;
use crate::budget::Share;
use crate::scan::device::{Rounds, Runs, Sequential};
use crate::scan::plan::Selection;
use crate::scan::walk::{ALL_SLOTS, Visitor, Walk};
use crate::segment::Marks;
use crate::store::{Following, Guard, RecordStore};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use tessera_base::Result;
use tessera_jobs::chunk_stream::Gate;
use tessera_record::Digest;
use tessera_storage::Run;

/// What the walk through all of a selection keeps from its beginning to its end.
#[derive(Default)]
pub(crate) struct Traversal {
    following: Option<Following>,
    pub(in crate::scan) sequential: Option<Sequential>,
    pub(in crate::scan) rounds: Option<Rounds>,
    /// Where records come in the order of their digests.
    digests: Option<DigestOrder>,
    /// Where one segment is shared by several workers.
    ranges: Option<SlotRanges>,
    /// Where a cluster has the records.
    tokens: Option<TokenRanges>,
    /// What was met, if records are also found otherwise than by slot.
    marks: Option<Arc<Marks>>,
    /// What all workers wait for before what they have met is given away, if for anything.
    guard: Option<Arc<Guard>>,
    /// For the workers that give way to others.
    turn: Turn,
}

impl Traversal {
    /// For a walk that goes from segment to segment, and follows none.
    pub(in crate::scan) fn in_pages(store: &RecordStore) -> Self {
        Self { guard: store.guard(), ..Self::default() }
    }

    /// For a walk in the order of digests, through about `wanted` records, those behind `after`. It follows no moves.
    pub(in crate::scan) fn in_order(store: &RecordStore, selection: &Selection, wanted: u64, after: Option<Digest>) -> Self {
        Self { digests: Some(DigestOrder::begin(store, selection, wanted, after)), ..Self::in_pages(store) }
    }

    /// Whose rows come next, if they come in an order.
    pub(in crate::scan) fn turns(&self) -> Option<&Turns> {
        self.digests.as_ref().map(|digests| &digests.turns)
    }

    /// Whether an item may have rows.
    pub(in crate::scan) fn has_rows(&self, item: usize) -> bool {
        self.digests.as_ref().is_none_or(|digests| digests.has_rows(item))
    }

    /// What is to be waited for before anything that was met is given away.
    pub(crate) fn guard(&self) -> Option<Arc<Guard>> {
        self.guard.clone()
    }

    /// The walk has ended. Waits until all that was met is durable.
    ///
    /// # Errors
    /// `write_uncertain`.
    pub(crate) fn settle(&self) -> Result<()> {
        self.tokens.iter().for_each(TokenRanges::settle);
        self.guard.as_ref().map_or(Ok(()), |guard| guard.pass())
    }

    /// For about `wanted` records. `by_places`: whether bodies are wanted, and on a device may be read in its order.
    pub(crate) fn begin(store: &RecordStore, selection: &Selection, wanted: u64, by_places: bool) -> Self {
        if let Some(tokens) = TokenRanges::of(store, selection.asks.clone()) {
            return Self { tokens: Some(tokens), ..Self::in_pages(store) };
        }
        let by_places = by_places && !selection.sequential && !store.bodies_resident();
        let marked = selection.order.is_some() || selection.sequential || by_places && selection.may_move(store);
        let marks = marked.then(|| Arc::new(Marks::new(store.cells().len())));
        let following = selection.follow_moves(store, marks.clone());
        let traversal = Self { following, marks, guard: store.guard(), ..Self::default() };
        if by_places {
            let uneven = selection.only.is_some() || selection.may_move(store);
            return Self { rounds: Some(Rounds::begin(store, wanted, uneven)), ..traversal };
        }
        let sequential = selection.sequential.then(|| Sequential::begin(store));
        // Who follows moves takes a segment from its beginning to its end.
        let shared = store.bodies_resident() && traversal.following.is_none();
        let ranges = if shared { SlotRanges::of(store.cells()) } else { None };
        Self { sequential, ranges, ..traversal }
    }

    /// Those of one worker.
    pub(crate) fn backoff(&self, store: &RecordStore, share: &Arc<Share>) -> Backoff {
        Backoff::new(store, self.turn.clone()).member_of(share)
    }

    pub(crate) fn walk<'a>(&'a self, store: &'a RecordStore, selection: &'a Selection, bodies: bool) -> Walk<'a> {
        let follower = self.following.as_ref().map(Following::follower);
        let (marks, after_blocks, guard) = (self.marks.as_deref(), self.sequential.is_some(), self.guard.as_deref());
        Walk { store, selection, bodies, follower, marks, after_blocks, guard }
    }

    /// How many items there are.
    pub(crate) fn items(&self, store: &RecordStore) -> usize {
        if let Some(tokens) = &self.tokens {
            return tokens.count();
        }
        if let Some(digests) = &self.digests {
            return digests.items();
        }
        let by_slots = || self.runs() + self.ranges.as_ref().map_or(store.cells().len(), SlotRanges::count);
        self.rounds.as_ref().map_or_else(by_slots, Rounds::items)
    }

    /// Whether an item is only a part of its segment, and others have the rest.
    pub(in crate::scan) const fn shares_segments(&self) -> bool {
        self.ranges.is_some()
    }

    /// Whether an item may be begun only when all before it are done and their workers have left.
    pub(crate) fn begins_stage(&self, item: usize) -> bool {
        if let Some(digests) = &self.digests {
            return digests.begins_stage(item);
        }
        // What a run would have brought is read by the record otherwise.
        self.rounds.as_ref().map_or_else(|| item == self.runs(), |rounds| rounds.begins_stage(item))
    }

    /// The first items, which are runs.
    pub(in crate::scan) fn runs(&self) -> usize {
        self.sequential.as_ref().map_or(0, |sequential| sequential.runs.len())
    }
}

#[cfg(test)]
impl Traversal {
    /// One block a run, so that there are many of few records.
    pub(in crate::scan) fn split_runs(&mut self) {
        let Some(sequential) = &mut self.sequential else { return };
        let blocks = |run: &Run| (run.first..run.first + u64::from(run.blocks)).map(|first| Run { first, blocks: 1 });
        sequential.runs = sequential.runs.iter().flat_map(blocks).collect();
    }

    /// Rounds and regions of few records.
    pub(in crate::scan) fn split_rounds(&mut self, store: &RecordStore, wanted: u64) {
        if self.rounds.is_some() {
            self.rounds = Some(Rounds::of_size(store, wanted, self.marks.is_some(), 10, 3));
        }
    }

    /// In the order of digests, with so few records in a round and in a part that there are many.
    pub(in crate::scan) fn in_small_parts(store: &RecordStore, selection: &Selection, wanted: u64, after: Option<Digest>) -> Self {
        Self { digests: Some(DigestOrder::of_size(store, selection, wanted, after, 30, 7)), ..Self::in_pages(store) }
    }

    /// Ranges of so few slots that there are many.
    pub(in crate::scan) fn split_ranges(&mut self, store: &RecordStore, slots: u32) {
        if let ([cell], None) = (store.cells(), &self.following) {
            self.ranges = SlotRanges::up_to(cell.read().end(), slots);
        }
    }
}

impl Traversal {
    /// Does one item. Reads may be in flight still when it is done; `drain` meets what they bring.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    pub(crate) fn item(
        &self,
        walk: &Walk<'_>,
        item: usize,
        scratch: &mut WorkerScratch,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        if let Some(tokens) = &self.tokens {
            return tokens.item(walk, item, &mut scratch.sets, visitor);
        }
        if let Some(digests) = &self.digests {
            return digests.item(walk, item, &mut scratch.noted, &mut scratch.step, visitor);
        }
        if let Some(rounds) = &self.rounds {
            return walk.round_item(rounds, item, &mut scratch.step, &mut scratch.ordered, visitor);
        }
        let runs = self.sequential.as_ref().map_or(&[][..], |sequential| &sequential.runs);
        if let Some(run) = runs.get(item) {
            if visitor.gives_way() {
                return run_by_the_block(walk, *run, &mut scratch.runs, visitor);
            }
            scratch.runs.start(walk.store, *run)?;
            let left = scratch.runs.most_left();
            return drain_runs(walk, left, &mut scratch.runs, visitor);
        }
        if drain_runs(walk, 0, &mut scratch.runs, visitor)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let (segment, slots) = self.slots_of(item - runs.len());
        let mut from = Some(slots.start);
        while let Some(slot) = from {
            let step = walk.step(segment, slot..slots.end, visitor.most(), &mut scratch.step, &mut |found| visitor.meet(found))?;
            visitor.stepped(step.met, &step.damaged)?;
            if step.broken {
                return Ok(ControlFlow::Break(()));
            }
            from = step.next;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// What an item behind the runs goes over: a segment, or a part of the one there is.
    pub(in crate::scan) fn slots_of(&self, item: usize) -> (usize, Range<u32>) {
        self.ranges.as_ref().map_or((item, ALL_SLOTS), |ranges| (0, ranges.get(item)))
    }

    /// Meets what is in flight; for a worker that is through.
    ///
    /// # Errors
    /// As `item`.
    pub(crate) fn drain(&self, walk: &Walk<'_>, scratch: &mut WorkerScratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        match drain_runs(walk, 0, &mut scratch.runs, visitor)? {
            ControlFlow::Continue(()) => walk.read_noted(false, &mut scratch.ordered, visitor),
            end => Ok(end),
        }
    }

    /// How many records of the selection an item has, if they can be counted without being met: from the counters of its segment
    /// if none expires, or from the times of expiry alone.
    ///
    /// # Errors
    /// As `Segment::find`.
    pub(crate) fn count(&self, walk: &Walk<'_>, item: usize) -> Result<Option<u64>> {
        // A cluster keeps no counters.
        if self.tokens.is_some() || !walk.counts() {
            return Ok(None);
        }
        let (segment, range) = self.slots_of(item);
        if walk.selection.skips(segment) {
            return Ok(Some(0));
        }
        let counted = || walk.count_segment(segment);
        match self.ranges.as_ref().map_or_else(counted, |ranges| *ranges.counted.get_or_init(counted)) {
            // Whoever has the first range says it for the others.
            Some(all) => Ok(Some(if range.start == 0 { all } else { 0 })),
            None => walk.count_slots(segment, &range),
        }
    }
}

/// Does a run while others are to find the device free: block by block.
///
/// # Errors
/// Those of the visitor.
fn run_by_the_block(walk: &Walk<'_>, run: Run, runs: &mut Runs, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
    if drain_runs(walk, 0, runs, visitor)?.is_break() {
        return Ok(ControlFlow::Break(()));
    }
    for first in run.first..run.first + u64::from(run.blocks) {
        runs.start(walk.store, Run { first, blocks: 1 })?;
        let (met, end) = walk.run_step(visitor.most(), runs, &mut |found| visitor.meet(found));
        visitor.stepped(met, &[])?;
        if end.is_break() || drain_runs(walk, 0, runs, visitor)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Meets what the runs in flight bring, until at most `left` are.
///
/// # Errors
/// Those of the visitor.
fn drain_runs(walk: &Walk<'_>, left: usize, runs: &mut Runs, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
    while runs.has_more_than(left) {
        let (met, end) = walk.run_step(visitor.most(), runs, &mut |found| visitor.meet(found));
        visitor.stepped(met, &[])?;
        if end.is_break() {
            return Ok(end);
        }
    }
    Ok(ControlFlow::Continue(()))
}
