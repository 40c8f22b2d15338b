//! A walk in the order of a range index: the entries of all segments as they were when it began, merged, until what comes is behind
//! the last record that is wanted.
//!
//! A record is met with what it has when it is met, wherever the index had it, and where it stands among the others is told by that
//! alone; its slot is marked, so it is met once. One whose entry is not reached had a place behind all that are wanted when the walk
//! began: so each record that is there throughout is considered once, as in every scan. Those that go to another segment are followed.

use super::worker_scratch::WorkerScratch;
use crate::access::RangeOrder;
use crate::scan::walk::{ALL_SLOTS, End, Found, Visitor, Walk};
use crate::segment::{Segment, SegmentCell};
use parking_lot::RwLockReadGuard;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::sync::Arc;
use tessera_base::{Result, clock};
use tessera_index::{RangeEntry, RangeKey, RangeWalk};

/// Entries of one batch: at first no more than are wanted, then twice as many each time.
const FEWEST: usize = 16;
const MOST: usize = 512;

/// Who meets what comes in order.
pub(in crate::scan) trait Ranker: Visitor {
    /// How many records are still missing, and with none the last that is wanted: `None` where it has no value.
    ///
    /// # Errors
    /// Any error ends the walk with it.
    fn standing(&mut self) -> Result<(usize, Option<RangeKey>)>;
}

/// How far a walk has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scan) enum Reached {
    /// Nothing else is wanted.
    End,
    /// What it has not met is to be met in another way.
    Others,
    /// As far as it was to go.
    Here,
}

/// How a segment is read.
pub(in crate::scan) type ReadSegment = for<'a> fn(&'a SegmentCell) -> Option<RwLockReadGuard<'a, Segment>>;

/// A walk that goes on where it was left.
#[derive(Debug)]
pub(in crate::scan) struct IndexOrderWalk {
    order: Arc<RangeOrder>,
    /// By segment; `None` where nothing is left.
    walks: Vec<Option<RangeWalk>>,
    heads: BinaryHeap<Head>,
    batch: Vec<(u16, RangeEntry)>,
    met: u64,
    /// Whether there is an index to walk.
    able: bool,
}

/// The next entry of a segment.
#[derive(Debug)]
struct Head {
    entry: RangeEntry,
    segment: u16,
    descending: bool,
}

impl Head {
    /// The greatest comes first out of a heap.
    fn rank(&self, other: &Self) -> Ordering {
        let by_key = self.entry.key.cmp(&other.entry.key);
        let by_key = if self.descending { by_key } else { by_key.reverse() };
        by_key.then_with(|| other.segment.cmp(&self.segment))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.rank(other).is_eq()
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank(other)
    }
}

impl IndexOrderWalk {
    /// Copies what the index has now, segment by segment; `None` where `read` is not to wait for one that is taken.
    pub(in crate::scan) fn begin(walk: &Walk<'_>, order: Arc<RangeOrder>, read: ReadSegment) -> Option<Self> {
        let (cells, descending) = (walk.store.cells(), order.descends());
        let mut all = Self { order, walks: Vec::new(), heads: BinaryHeap::new(), batch: Vec::new(), met: 0, able: true };
        all.walks.resize_with(cells.len(), || None);
        for (id, cell) in cells.iter().enumerate().filter(|(id, _)| !walk.selection.skips(*id)) {
            let segment = read(cell)?;
            // What has another value now is not where it was; what is met is looked at then.
            walk.meet_slots(&segment, ALL_SLOTS, 0, Some(&[]));
            let Some(mut entries) = all.order.walk(&segment) else {
                return Some(Self { able: false, ..all });
            };
            drop(segment);
            if let Some(entry) = entries.next() {
                all.heads.push(Head { entry, segment: id as u16, descending });
                all.walks[id] = Some(entries);
            }
        }
        Some(all)
    }

    /// The next entries, `most` at most, up to those behind `last`; whether there are such.
    fn gather(&mut self, most: usize, last: Option<RangeKey>) -> bool {
        self.batch.clear();
        while self.batch.len() < most
            && let Some(mut head) = self.heads.peek_mut()
        {
            let behind = |last| if head.descending { head.entry.key < last } else { head.entry.key > last };
            if last.is_some_and(behind) {
                return true;
            }
            self.batch.push((head.segment, head.entry));
            let walk = &mut self.walks[usize::from(head.segment)];
            match walk.as_mut().and_then(Iterator::next) {
                Some(entry) => head.entry = entry,
                None => {
                    *walk = None;
                    std::collections::binary_heap::PeekMut::pop(head);
                }
            }
        }
        false
    }
}

impl Walk<'_> {
    /// Goes on with a walk in order, through about `most` entries. The bodies are read in batches, from a device several at once; `ranker`
    /// meets each with no lock held.
    ///
    /// # Errors
    /// As `step`, and those of `ranker`.
    pub(in crate::scan) fn go_on(
        &self,
        state: &mut IndexOrderWalk,
        most: u64,
        scratch: &mut WorkerScratch,
        ranker: &mut dyn Ranker,
    ) -> Result<Reached> {
        let until = state.met.saturating_add(most);
        let mut size = FEWEST;
        while state.able && state.met < state.order.most {
            if state.met >= until {
                return Ok(Reached::Here);
            }
            let (missing, last) = ranker.standing()?;
            if missing > 0 {
                size = size.max(missing.min(MOST));
            }
            if state.gather(size.min(MOST), last) && state.batch.is_empty() {
                return Ok(Reached::End);
            }
            if state.batch.is_empty() {
                return Ok(if state.order.complete || (missing == 0 && last.is_some()) { Reached::End } else { Reached::Others });
            }
            size *= 2;
            state.met += state.batch.len() as u64;
            let end = if self.store.bodies_resident() {
                self.meet_entries(state, scratch, ranker)?
            } else {
                let fresh = state.batch.iter().filter(|(segment, entry)| {
                    let segment = self.store.cells()[usize::from(*segment)].read_in_turn();
                    !state.order.was_stale(&segment, entry)
                });
                self.note_entries(fresh.map(|(segment, entry)| (*segment, entry.slot)), &mut scratch.ordered)?;
                self.read_noted(false, &mut scratch.ordered, ranker)?
            };
            if end.is_break() {
                return Ok(Reached::End);
            }
        }
        Ok(Reached::Others)
    }

    /// Meets the records of a batch whose bodies are in memory.
    fn meet_entries(&self, state: &IndexOrderWalk, scratch: &mut WorkerScratch, ranker: &mut dyn Ranker) -> Result<ControlFlow<()>> {
        let (now, mut met) = (clock::unix_seconds(), 0);
        let mut end = ControlFlow::Continue(());
        for (id, entry) in &state.batch {
            let segment = self.store.cells()[usize::from(*id)].read_in_turn();
            let Some(record) = segment.record(entry.slot)?.filter(|_| !state.order.was_stale(&segment, entry)) else { continue };
            let set = segment.sets().set_of(entry.slot);
            let selected = self.selection.set.as_ref().is_none_or(|wanted| wanted.id == set);
            if !selected || !self.meets(&segment, entry.slot, &record, now) {
                continue;
            }
            met += 1;
            if self.passes_over(&segment, entry.slot, &record) {
                continue;
            }
            let Some(body) = segment.resident(record.location) else { continue };
            scratch.step.body.clear();
            scratch.step.body.extend_from_slice(body);
            let size = self.size(&segment, &record);
            drop(segment);
            let found =
                Found { segment: *id, slot: entry.slot, set, digest: record.digest, meta: record.meta, size, body: &scratch.step.body };
            match ranker.meet(&found) {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(End::Step) => ranker.stepped(std::mem::take(&mut met), &[])?,
                ControlFlow::Break(End::Walk) => {
                    end = ControlFlow::Break(());
                    break;
                }
            }
        }
        ranker.stepped(met, &[])?;
        Ok(end)
    }
}
