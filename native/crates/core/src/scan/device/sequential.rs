//! Scanning a device by reading its blocks one behind the other, instead of each record at its place.
//!
//! First the blocks that were stored when the scan began are read, in any order, by all workers. A record that is found in
//! one is met if the index says that this very version lies at this very place. Afterwards the segments are walked by slot,
//! for what was not met: records that were in write buffers, that were moved from a block not yet read to one that was
//! read or that is new, or that a block did not yield because it could not be read.
//!
//! The invariant: **a record is met by whoever claims its slot's mark, with the segment's lock held.** A record that is
//! there throughout keeps its slot, so it is claimed at most once; and the walk by slot claims all that the blocks did not
//! bring, so it is claimed at least once. Where bodies move meanwhile does not matter. A record that leaves its segment is
//! followed as in every scan (`store::moves`): whether it was met is then told by its mark.

use crate::scan::walk::{End, Found, Walk};
use crate::store::RecordStore;
use std::ops::ControlFlow;
use tessera_base::{Error, ErrorCode, Result, clock};
use tessera_storage::{DeviceReads, Run, RunReader, StoredRecord};

/// Records whose places in the index are asked for ahead of their use.
pub(in crate::scan) const AHEAD: usize = 16;

/// What all workers of such a scan share.
pub(crate) struct Sequential {
    pub(in crate::scan) runs: Vec<Run>,
}

impl Sequential {
    /// To be made once the scan follows moves: no mark is set before.
    pub(crate) fn begin(store: &RecordStore) -> Self {
        Self { runs: store.storage().runs() }
    }
}

/// The runs that one worker reads.
#[derive(Default)]
pub(in crate::scan) struct Runs {
    reader: Option<Box<dyn RunReader>>,
    records: Vec<StoredRecord>,
    /// The first of `records` that was not looked at.
    at: usize,
}

impl Runs {
    /// Begins to read a run; at most `depth` may be in flight.
    pub(in crate::scan) fn start(&mut self, store: &RecordStore, run: Run) -> Result<()> {
        if self.reader.is_none() {
            self.reader = store.storage().run_reader()?;
        }
        let missing = || Error::new(ErrorCode::Internal, "a device that is read by the block has no reader");
        self.reader.as_mut().ok_or_else(missing)?.start(run);
        Ok(())
    }

    /// Runs that may be left in flight while the next is asked for.
    pub(in crate::scan) fn most_left(&self) -> usize {
        self.reader.as_ref().map_or(0, |reader| reader.depth() - 1)
    }

    /// Whether more than `left` runs are in flight, or one is not looked at to its end.
    pub(in crate::scan) fn has_more_than(&self, left: usize) -> bool {
        self.at < self.records.len() || self.reader.as_ref().is_some_and(|reader| reader.in_flight() > left)
    }

    pub(in crate::scan) fn reads(&self) -> DeviceReads {
        self.reader.as_ref().map(|reader| reader.reads()).unwrap_or_default()
    }
}

/// A record that a walk meets.
pub(in crate::scan) struct Claimed {
    slot: u32,
    set: u16,
    size: u64,
    /// Whether it is not wanted, as its index tells.
    passed_over: bool,
}

impl Walk<'_> {
    /// Meets `most` records of the runs in flight, or fewer where a run or the step ends; returns how many, and whether `each`
    /// has ended the walk. `each` is called with no lock held.
    pub(in crate::scan) fn run_step(
        &self,
        most: usize,
        runs: &mut Runs,
        each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<End>,
    ) -> (u64, ControlFlow<()>) {
        let Runs { reader: Some(reader), records, at } = runs else { return (0, ControlFlow::Continue(())) };
        let cells = self.store.cells();
        let ahead = |record: &StoredRecord| {
            if let Some(cell) = cells.get(usize::from(record.segment)) {
                cell.prefetch(&record.digest);
            }
        };
        if *at >= records.len() {
            *at = 0;
            reader.next();
            reader.records(records);
            records.iter().take(AHEAD).for_each(ahead);
        }
        let (now, mut met) = (clock::unix_seconds(), 0);
        while let Some(record) = records.get(*at) {
            records.get(*at + AHEAD).into_iter().for_each(ahead);
            *at += 1;
            let Some(Claimed { slot, set, size, passed_over }) = self.claim(record, now) else { continue };
            met += 1;
            if passed_over {
                continue;
            }
            let (segment, body) = (record.segment, reader.body(record));
            let found = Found { segment, slot, set, digest: record.digest, meta: record.meta, size, body };
            match each(&found) {
                ControlFlow::Break(End::Walk) => return (met, ControlFlow::Break(())),
                ControlFlow::Break(End::Step) => break,
                ControlFlow::Continue(()) if met as usize >= most => break,
                ControlFlow::Continue(()) => {}
            }
        }
        (met, ControlFlow::Continue(()))
    }

    /// What the index knows of a record that was found in a block, if it is current and this walk is to meet it.
    pub(in crate::scan) fn claim(&self, found: &StoredRecord, now: u32) -> Option<Claimed> {
        let segment = self.store.cells().get(usize::from(found.segment))?.read();
        // Only devices are read by the block, and their index is in memory.
        let slots = segment.slots()?;
        let slot = slots.find(&found.digest)?;
        let record = slots.get(slot).filter(|record| record.location == found.location && record.meta == found.meta)?;
        let set = segment.sets().set_of(slot);
        let wanted = self.selection.set.as_ref().is_none_or(|wanted| wanted.id == set);
        let met = wanted && self.meets(&segment, slot, &record, now);
        met.then(|| Claimed { slot, set, size: self.size(&segment, &record), passed_over: self.passes_over(&segment, slot, &record) })
    }
}
