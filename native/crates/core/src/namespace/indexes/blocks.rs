//! Collecting what an index is built of from the stored blocks of a device, one behind the other, in place of a read for
//! each record.
//!
//! A record that is found in a block counts if the index of records says that this very version lies at this very place,
//! and if nobody has claimed its slot. What is claimed is collected by segment. Then each segment is built by slot as always,
//! without the slots that are claimed: what is left are records in write buffers, records that were rewritten or moved meanwhile,
//! and those that their block did not yield. A slot that is written during the build keeps what the write has put there, so it
//! does not matter which version was claimed.
//!
//! The invariant: **a slot is claimed, and its record collected, under one hold of its segment's part**, and who builds the
//! segment takes the part away first. So no slot is claimed whose record does not come into the index.
//!
//! What is collected and not yet built is held in memory, so a large namespace is read in several passes, each for some of its
//! segments.

use super::collected::Collected;
use crate::scan::{Backoff, Turn, by_blocks};
use crate::segment::Marks;
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tessera_base::{Error, ErrorCode, Result};
use tessera_index::{Index, IndexKind};
use tessera_jobs::Job;
use tessera_record::BodyRef;
use tessera_storage::{Run, RunReader, StoredRecord};

/// What one pass is to collect at most, as is thought before. If it comes to twice as much, the rest is read by slot.
const PASS_BYTES: u64 = 256 * 1024 * 1024;
/// Of a number or a text in a range index.
const RANGE_BYTES: u64 = 32;
/// A document of so many bytes has one term, whose pair takes eight: from JSON as applications have it.
const BYTES_OF_A_TERM: u64 = 16;
const PAIR_BYTES: u64 = 8;

/// The blocks, and what was found in them.
pub(super) struct Blocks {
    runs: Vec<Run>,
    /// The one set whose records are wanted, by id.
    set: Option<u16>,
    /// Slots that were found in a block.
    claimed: Marks,
    found: AtomicU64,
    /// By segment; `None` once it is being built. Locked before the segment, never behind it.
    parts: Box<[Mutex<Option<Collected>>]>,
    /// Of all parts.
    bytes: AtomicUsize,
    most_bytes: usize,
    turn: Turn,
}

/// The order of the work: runs for some segments, then these segments, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passes {
    runs: usize,
    segments: usize,
    /// Segments of a pass.
    each: usize,
}

/// An item of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A run of blocks, for the records of some segments.
    Run(usize, Range<usize>),
    Segment(usize),
}

impl Passes {
    /// Without any blocks.
    pub(super) const fn by_slot(segments: usize) -> Self {
        Self { runs: 0, segments, each: segments }
    }

    fn count(self) -> usize {
        self.segments.div_ceil(self.each.max(1))
    }

    pub(super) fn items(self) -> usize {
        self.count() * self.runs + self.segments
    }

    pub(super) fn part(self, item: usize) -> Part {
        let whole = self.runs + self.each;
        let (pass, at) = (item / whole.max(1), item % whole.max(1));
        let first = pass * self.each;
        if at < self.runs { Part::Run(at, first..(first + self.each).min(self.segments)) } else { Part::Segment(first + at - self.runs) }
    }

    /// Whether what was before has to be done: a segment is built once its blocks are read, and a pass begins with nothing collected.
    pub(super) fn begins_stage(self, item: usize) -> bool {
        let at = item % (self.runs + self.each).max(1);
        self.runs > 0 && item > 0 && (at == 0 || at == self.runs)
    }
}

impl Blocks {
    /// Those of a store, if reading them takes less time than a read for each record that is wanted.
    pub(super) fn of(store: &RecordStore, index: &Index, threads: u32) -> Option<(Self, Passes)> {
        let set = match &index.spec().set {
            Some(name) => Some(store.sets.find(name)?.id),
            None => None,
        };
        let wanted = store.held(index.spec().set.as_deref());
        let blocks = by_blocks(store, threads, wanted)?;
        let each = match index.spec().kind {
            IndexKind::Document => blocks.record_bytes / BYTES_OF_A_TERM * PAIR_BYTES,
            IndexKind::Range => RANGE_BYTES,
        };
        let passes = (wanted * each).div_ceil(PASS_BYTES).max(1);
        if passes as f64 * blocks.sequential_ms >= blocks.by_slot_ms {
            return None;
        }
        Self::in_passes(store, set, store.storage().runs(), passes as usize)
    }

    fn in_passes(store: &RecordStore, set: Option<u16>, runs: Vec<Run>, passes: usize) -> Option<(Self, Passes)> {
        let segments = store.cells().len();
        let each = segments.div_ceil(passes).max(1);
        let order = Passes { runs: runs.len(), segments, each };
        let blocks = Self {
            runs,
            set,
            claimed: Marks::new(segments),
            found: AtomicU64::new(0),
            parts: (0..segments).map(|_| Mutex::new(Some(Collected::default()))).collect(),
            bytes: AtomicUsize::new(0),
            most_bytes: 2 * PASS_BYTES as usize,
            turn: Turn::default(),
        };
        (!blocks.runs.is_empty()).then_some((blocks, order))
    }

    /// Records that were found in blocks.
    pub(super) fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    /// Whether the slot of a segment was found in a block. To be asked with the segment's lock held.
    pub(super) fn has(&self, segment: usize, slot: u32) -> bool {
        self.claimed.has(segment, slot)
    }

    /// What was found of a segment. No more is looked for.
    pub(super) fn take(&self, segment: usize) -> Collected {
        let part = self.parts[segment].lock().take().unwrap_or_default();
        self.bytes.fetch_sub(part.bytes(), Ordering::Relaxed);
        part
    }

    /// Collects a record, if it is current, wanted, and of a segment that nobody builds yet; whether it is.
    fn collect(&self, store: &RecordStore, index: &Index, found: &StoredRecord, body: &[u8]) -> bool {
        let mut part = match self.parts.get(usize::from(found.segment)) {
            Some(part) => part.lock(),
            None => return false,
        };
        let Some(part) = part.as_mut() else { return false };
        let Some(slot) = self.claim(store, found) else { return false };
        let before = part.bytes();
        part.add(index.spec().kind, slot, index.kept(BodyRef::new(body)));
        // What it adds may let a part merge, and take less than before.
        self.bytes.fetch_add(part.bytes().wrapping_sub(before), Ordering::Relaxed);
        self.found.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn claim(&self, store: &RecordStore, found: &StoredRecord) -> Option<u32> {
        let id = usize::from(found.segment);
        let segment = store.cells().get(id)?.read();
        let slots = segment.slots()?;
        let slot = slots.find(&found.digest)?;
        let current = slots.get(slot).is_some_and(|record| record.location == found.location && record.meta == found.meta);
        let wanted = current && self.set.is_none_or(|set| segment.sets().set_of(slot) == set);
        (wanted && self.claimed.claim(id, slot)).then_some(slot)
    }
}

/// The runs that one worker reads.
#[derive(Default)]
pub(super) struct Reads {
    reader: Option<Box<dyn RunReader>>,
    records: Vec<StoredRecord>,
    backoff: Option<Backoff>,
    /// For whose records the runs in flight are read.
    segments: Range<usize>,
}

/// One worker at the blocks.
pub(super) struct BlockReader<'a> {
    pub(super) store: &'a RecordStore,
    pub(super) index: &'a Index,
    pub(super) job: &'a Job,
    pub(super) blocks: &'a Blocks,
}

impl BlockReader<'_> {
    /// Reads a run, for the records of some segments; others may be in flight when it returns. While others read and write
    /// records, one block is read at a time, and the worker rests as one of a scan does.
    ///
    /// # Errors
    /// `aborted`, `storage_failed`.
    pub(super) fn run(&self, reads: &mut Reads, run: usize, segments: Range<usize>) -> Result<()> {
        let Some(run) = self.blocks.runs.get(run).copied() else { return Ok(()) };
        if reads.segments != segments {
            self.drain(reads)?;
            reads.segments = segments;
        }
        let missing = || Error::new(ErrorCode::Internal, "a device that is read by the block has no reader");
        if reads.reader.is_none() {
            reads.reader = Some(self.store.storage().run_reader()?.ok_or_else(missing)?);
        }
        let backoff = reads.backoff.get_or_insert_with(|| Backoff::new(self.store, self.blocks.turn.clone()));
        if !backoff.gives_way() {
            return self.start(reads, run, true);
        }
        self.drain(reads)?;
        (run.first..run.first + u64::from(run.blocks)).try_for_each(|first| self.start(reads, Run { first, blocks: 1 }, false))
    }

    /// Begins to read a run, and takes what is there; `ahead`: as much as may be stays in flight.
    fn start(&self, reads: &mut Reads, run: Run, ahead: bool) -> Result<()> {
        let Some(reader) = &mut reads.reader else { return Ok(()) };
        reader.start(run);
        let left = if ahead { reader.depth() - 1 } else { 0 };
        self.meet(reads, left)
    }

    /// Takes what is in flight; for a worker that is through with the runs of a pass.
    ///
    /// # Errors
    /// As `run`.
    pub(super) fn drain(&self, reads: &mut Reads) -> Result<()> {
        self.meet(reads, 0)
    }

    /// Takes what the runs in flight bring, until at most `left` are.
    fn meet(&self, reads: &mut Reads, left: usize) -> Result<()> {
        let Self { store, index, job, blocks } = self;
        let Reads { reader: Some(reader), records, backoff: Some(backoff), segments } = reads else { return Ok(()) };
        if reader.in_flight() <= left {
            return Ok(());
        }
        backoff.begin();
        while reader.in_flight() > left {
            reader.next();
            reader.records(records);
            let mut rest = &records[..];
            while !rest.is_empty() {
                job.checkpoint()?;
                let (step, after) = rest.split_at(backoff.most(job).clamp(1, rest.len()));
                rest = after;
                let wanted = step.iter().filter(|found| segments.contains(&usize::from(found.segment)));
                let room = |_: &&StoredRecord| blocks.bytes.load(Ordering::Relaxed) < blocks.most_bytes;
                let met = wanted.take_while(room).filter(|found| blocks.collect(store, index, found, reader.body(found))).count();
                backoff.stepped(store, job, met as u64, || Ok(()))?;
            }
        }
        backoff.end();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
