//! Scanning the records of a selection by their places on a device, however their slots are strewn.
//!
//! A scan goes in rounds, so that what it notes stays bounded. In a round the workers first look through segments and note
//! where each wanted record lies; once all have, each takes one stretch of the device after the other, and reads what was
//! noted of it, neighbours together.
//!
//! The invariant: **a record is met by whoever finds it in a noted slot, with the segment's lock held**, when the read is
//! about to begin. A record that is there throughout keeps its slot, and a slot is noted once and belongs to one stretch.
//! Only the slot is noted, and the place for the order alone: a record that lies elsewhere by then is read there. One that
//! leaves its segment is followed as in every scan (`namespace::moves`): whether it was met is told by its slot's mark.

use super::traversal::Visitor;
use super::visit::{End, Found, STEP, STEP_WANTED, Scratch, VisitStep, Walk, unless_damaged};
use crate::segment::{Fetches, Marks, SegmentCell};
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};
use tessera_base::{Error, ErrorCode, Result, clock};
use tessera_record::Digest;
use tessera_storage::{DeviceReads, SlotRecord};

/// Records noted in a round, 16 bytes each.
pub(super) const NOTED: u64 = 2 * 1024 * 1024;
/// Most stretches of a round, and records of one that are worth their own.
const STRETCHES: u64 = 256;
const STRETCH_RECORDS: u64 = 1024;
/// Slots looked through in one hold of a segment's lock.
const LOOKED_THROUGH: usize = 4096;
/// Records that a worker has asked for ahead.
const ASKED_FOR: usize = 16 * 1024;
/// Records whose slots are asked for ahead of their use.
const AHEAD: usize = 8;
/// Noted places of a segment that the bounds of the stretches are chosen from.
const SAMPLES: usize = 16;

/// A slot of the selection, and where its record lay.
#[derive(Clone, Copy)]
struct Noted {
    order: u64,
    slot: u32,
    segment: u16,
}

/// What the workers of such a scan share.
pub(crate) struct Places {
    rounds: Vec<Round>,
    stretches: usize,
    pub(super) marks: Option<Arc<Marks>>,
    /// By segment of the round, in order.
    noted: Box<[Mutex<Vec<Noted>>]>,
}

struct Round {
    first_item: usize,
    segments: Range<usize>,
    slots: Range<u32>,
    /// Where each stretch but the first begins.
    bounds: OnceLock<Vec<u64>>,
}

/// One item of such a scan.
enum Task<'a> {
    /// Note the places of a segment.
    Note(&'a Round, usize),
    /// Read a stretch.
    Read(&'a Round, usize),
}

impl Places {
    /// For about `wanted` records, which may be anywhere if they are `uneven`. `marks`: where the scan follows moves.
    pub(super) fn begin(store: &RecordStore, wanted: u64, uneven: bool, marks: Option<Arc<Marks>>) -> Self {
        Self::of_size(store, wanted, uneven, marks, NOTED, STRETCH_RECORDS)
    }

    /// With about so many records in a round, and at least so many in a stretch.
    pub(super) fn of_size(store: &RecordStore, wanted: u64, uneven: bool, marks: Option<Arc<Marks>>, round: u64, stretch: u64) -> Self {
        let cells = store.cells();
        let even = wanted.div_ceil(cells.len() as u64);
        let share = |cell: &SegmentCell| if uneven { cell.records().min(wanted) } else { even };
        let stretches = (wanted.min(round) / stretch).clamp(1, STRETCHES) as usize;
        let (mut rounds, mut first_item, mut first, mut widest) = (Vec::new(), 0, 0, 0);
        while let Some(cell) = cells.get(first) {
            let (mut records, mut end) = (share(cell), first + 1);
            while let Some(more) = cells.get(end).map(share).filter(|more| records + more <= round) {
                records += more;
                end += 1;
            }
            // A segment too large for one round is looked through in parts.
            let parts = records.div_ceil(round).max(1) as u32;
            let part = if parts == 1 { u32::MAX } else { cell.read().end() / parts + 1 };
            for number in 0..parts {
                let slots = part.saturating_mul(number)..if number + 1 == parts { u32::MAX } else { part.saturating_mul(number + 1) };
                rounds.push(Round { first_item, segments: first..end, slots, bounds: OnceLock::new() });
                first_item += end - first + stretches;
            }
            widest = widest.max(end - first);
            first = end;
        }
        Self { rounds, stretches, marks, noted: (0..widest).map(|_| Mutex::default()).collect() }
    }

    pub(super) fn items(&self) -> usize {
        self.rounds.last().map_or(0, |round| round.first_item + round.segments.len() + self.stretches)
    }

    /// Whether an item may begin only when all before are done.
    pub(super) fn begins_stage(&self, item: usize) -> bool {
        match self.task(item) {
            Some(Task::Note(round, segment)) => segment == round.segments.start,
            Some(Task::Read(_, stretch)) => stretch == 0,
            None => false,
        }
    }

    /// Takes on the stretch that an item is, if it is one.
    pub(super) fn take_on(&self, item: usize, reading: &mut Reading) -> bool {
        let Some(Task::Read(round, stretch)) = self.task(item) else { return false };
        self.load(round, stretch, &mut reading.noted);
        reading.at = 0;
        true
    }

    fn task(&self, item: usize) -> Option<Task<'_>> {
        let at = self.rounds.partition_point(|round| round.first_item <= item);
        let round = self.rounds.get(at.checked_sub(1)?)?;
        let item = item - round.first_item;
        let segments = round.segments.len();
        Some(if item < segments { Task::Note(round, round.segments.start + item) } else { Task::Read(round, item - segments) })
    }

    /// What a round has noted; behind it may lie what is left of a longer one.
    fn noted_in(&self, round: &Round) -> &[Mutex<Vec<Noted>>] {
        &self.noted[..round.segments.len()]
    }

    fn bounds<'r>(&self, round: &'r Round) -> &'r [u64] {
        round.bounds.get_or_init(|| {
            let mut sample = Vec::new();
            for noted in self.noted_in(round) {
                let noted = noted.lock();
                let step = noted.len().div_ceil(SAMPLES).max(1);
                // Weighed, so that a stretch has its share of the records and not of the segments.
                sample.extend(noted.iter().skip(step / 2).step_by(step).map(|noted| (noted.order, step)));
            }
            bounds(sample, self.stretches)
        })
    }

    /// What was noted of a stretch, in the order of the device.
    fn load(&self, round: &Round, stretch: usize, out: &mut Vec<Noted>) {
        let bounds = self.bounds(round);
        let from = stretch.checked_sub(1).map_or(Some(0), |before| bounds.get(before).copied());
        out.clear();
        let Some(from) = from else { return };
        let to = bounds.get(stretch).copied().unwrap_or(u64::MAX);
        for noted in self.noted_in(round) {
            let noted = noted.lock();
            let place = |bound| noted.partition_point(|noted| noted.order < bound);
            out.extend_from_slice(&noted[place(from)..place(to)]);
        }
        out.sort_unstable_by_key(|noted| noted.order);
    }
}

/// Cuts sorted places, each standing for so many, into at most so many stretches of about the same weight.
fn bounds(mut sample: Vec<(u64, usize)>, stretches: usize) -> Vec<u64> {
    sample.sort_unstable();
    let all: usize = sample.iter().map(|(_, weight)| weight).sum();
    let (mut bounds, mut before) = (Vec::with_capacity(stretches), 0);
    for (order, weight) in sample {
        if before * stretches >= all * (bounds.len() + 1) && bounds.last() != Some(&order) {
            bounds.push(order);
        }
        before += weight;
    }
    bounds
}

/// What one worker reads.
#[derive(Default)]
pub(super) struct Reading {
    noted: Vec<Noted>,
    /// The first of `noted` that was not asked for.
    at: usize,
    fetches: Option<Fetches<Wanted>>,
}

#[derive(Clone, Copy)]
struct Wanted {
    segment: u16,
    slot: u32,
    set: u16,
    digest: Digest,
}

impl Reading {
    pub(super) fn reads(&self) -> DeviceReads {
        self.fetches.as_ref().map(Fetches::reads).unwrap_or_default()
    }

    /// Whether records of it are still to be met.
    pub(super) fn is_under_way(&self) -> bool {
        self.at < self.noted.len() || self.in_flight() > 0
    }

    fn in_flight(&self) -> usize {
        self.fetches.as_ref().map_or(0, Fetches::len)
    }
}

impl Walk<'_> {
    /// Does one item of a scan by places. Reads are still in flight when it is done.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    pub(super) fn place_item(
        &self,
        places: &Places,
        item: usize,
        scratch: &mut Scratch,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        if let Some(Task::Note(round, segment)) = places.task(item) {
            return self.note(places, round, segment, scratch, visitor);
        }
        if places.take_on(item, &mut scratch.reading) { self.read_noted(true, scratch, visitor) } else { Ok(ControlFlow::Continue(())) }
    }

    /// Notes where the records of a segment lie that are wanted.
    fn note(
        &self,
        places: &Places,
        round: &Round,
        segment_id: usize,
        scratch: &mut Scratch,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        let place = &places.noted[segment_id - round.segments.start];
        let mut noted = std::mem::take(&mut *place.lock());
        noted.clear();
        let mut from = (!self.selection.skips(segment_id)).then_some(round.slots.start);
        while let Some(slot) = from {
            let (met, next) = self.note_some(segment_id, slot, round.slots.end, scratch, &mut noted)?;
            visitor.stepped(met, &[])?;
            from = next;
        }
        noted.sort_unstable_by_key(|noted| noted.order);
        *place.lock() = noted;
        Ok(ControlFlow::Continue(()))
    }

    /// Notes some from slot `from` on, and before `end`; returns how many were met and are not wanted, and where to go on.
    ///
    /// # Errors
    /// As `Segment::find`.
    fn note_some(
        &self,
        segment_id: usize,
        from: u32,
        end: u32,
        scratch: &mut Scratch,
        noted: &mut Vec<Noted>,
    ) -> Result<(u64, Option<u32>)> {
        let (Scratch { slots, looked_up, .. }, storage) = (scratch, self.store.storage());
        slots.clear();
        let cell = &self.store.cells()[segment_id];
        let segment = cell.read_in_turn();
        let most = if cell.is_wanted() { STEP_WANTED } else { LOOKED_THROUGH };
        let mut next = self.gather(&segment, from..end, most, slots, looked_up);
        self.meet_slots(&segment, from..next, segment.end().min(end), self.proposed(slots));
        let (mut met, now) = (0, clock::unix_seconds());
        for (at, &slot) in slots.iter().enumerate() {
            if at >= STEP_WANTED && cell.is_wanted() {
                next = slot;
                break;
            }
            slots.get(at + 2 * AHEAD).into_iter().for_each(|&slot| segment.prefetch_slot(slot));
            let Some(record) = segment.record(slot)? else { continue };
            if !self.passes_over(&segment, slot, &record) {
                noted.push(Noted { order: storage.order_of(record.location), slot, segment: segment_id as u16 });
            } else if self.meets(&segment, slot, &record, now) {
                met += 1;
            }
        }
        Ok((met, (next < segment.end().min(end)).then_some(next)))
    }

    /// Notes slots that were found otherwise, for `read_noted`.
    ///
    /// # Errors
    /// As `Segment::find`.
    pub(super) fn note_entries(&self, entries: impl Iterator<Item = (u16, u32)>, scratch: &mut Scratch) -> Result<()> {
        let storage = self.store.storage();
        let reading = &mut scratch.reading;
        reading.noted.clear();
        reading.at = 0;
        for (segment, slot) in entries {
            let record = self.store.cells()[usize::from(segment)].read_in_turn().record(slot)?;
            reading.noted.extend(record.map(|record| Noted { order: storage.order_of(record.location), slot, segment }));
        }
        reading.noted.sort_unstable_by_key(|noted| noted.order);
        Ok(())
    }

    /// Meets what was noted of the stretch at hand. With `begin` it leaves reads in flight once all are asked for, else none.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    pub(super) fn read_noted(&self, begin: bool, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        while if begin { scratch.reading.at < scratch.reading.noted.len() } else { scratch.reading.is_under_way() } {
            let step = self.read_step(visitor.most(), scratch, &mut |found| visitor.meet(found))?;
            visitor.stepped(step.met, &step.damaged)?;
            if step.broken {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Gives about `most` noted records to `each`, with no lock held, or fewer where `each` ends the step or there are no
    /// more. Those that it begins to read for later count as met.
    ///
    /// # Errors
    /// As `step`.
    pub(super) fn read_step(
        &self,
        most: usize,
        scratch: &mut Scratch,
        each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<End>,
    ) -> Result<VisitStep> {
        let Scratch { reading: Reading { noted, at, fetches }, body, .. } = scratch;
        let (mut step, cells, now) = (VisitStep::default(), self.store.cells(), clock::unix_seconds());
        let fetches = match fetches {
            Some(fetches) => fetches,
            none => none.insert(Fetches::new(self.reader_of_places()?)),
        };
        // Whoever is slow reads little ahead, so that what it gives is not old.
        let asked_for = if most < STEP { most } else { ASKED_FOR };
        for _ in 0..most {
            while fetches.len() < asked_for
                && fetches.has_room()
                && let Some(&Noted { slot, segment, .. }) = noted.get(*at)
            {
                if let Some(ahead) = noted.get(*at + AHEAD) {
                    cells[usize::from(ahead.segment)].read().prefetch_slot(ahead.slot);
                }
                *at += 1;
                if let Some((set, record)) = self.claim_slot(segment, slot, now, &mut step.met)? {
                    fetches.start(Wanted { segment, slot, set, digest: record.digest }, record)?;
                }
            }
            let current = |wanted: &Wanted, met: &SlotRecord| {
                self.store.still_there(&cells[usize::from(wanted.segment)].read(), wanted.slot, &met.digest, self.guard)
            };
            let Some(fetched) = fetches.next(self.store.storage(), &current) else { break };
            let Wanted { segment, slot, set, digest } = fetched.what;
            let read = match fetched.record {
                Ok(Some(record)) => {
                    let size =
                        if self.selection.sizes { cells[usize::from(segment)].read().stored_bytes(record.location) as u64 } else { 0 };
                    Ok(Some(Found { segment, slot, set, digest, meta: record.meta, size, body: fetches.body() }))
                }
                Ok(None) => self.elsewhere(set, &digest, body),
                Err(error) => Err(error),
            };
            let Some(found) = unless_damaged(read, set, digest, &mut step.damaged)? else { continue };
            match each(&found) {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(End::Step) => break,
                ControlFlow::Break(End::Walk) => {
                    step.broken = true;
                    break;
                }
            }
        }
        Ok(step)
    }

    /// The record in a noted slot, with its set, if this walk is to meet it and wants it; `met` counts it.
    fn claim_slot(&self, segment: u16, slot: u32, now: u32, met: &mut u64) -> Result<Option<(u16, SlotRecord)>> {
        let segment = self.store.cells()[usize::from(segment)].read();
        self.store.meet_slots(&segment, &(slot..slot + 1), None, None, self.guard);
        let Some(record) = segment.record(slot)? else { return Ok(None) };
        let set = segment.sets().set_of(slot);
        let wanted = self.selection.set.as_ref().is_none_or(|wanted| wanted.id == set);
        if !wanted || !self.meets(&segment, slot, &record, now) {
            return Ok(None);
        }
        *met += 1;
        Ok((!self.passes_over(&segment, slot, &record)).then_some((set, record)))
    }

    fn reader_of_places(&self) -> Result<Box<dyn tessera_storage::BodyReader>> {
        let missing = || Error::new(ErrorCode::Internal, "a body that is not in memory has no reader");
        self.store.storage().reader_of_neighbours(self.store.costs().gap_bytes())?.ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_have_about_the_same_weight() {
        let even: Vec<_> = (0..1000).rev().map(|order| (order, 1)).collect();
        assert_eq!(bounds(even, 4), [250, 500, 750]);
        // What stands for more is cut finer.
        let dense = (0..100).map(|order| (order, 9)).chain((100..1000).map(|order| (order, 1)));
        assert_eq!(bounds(dense.collect(), 2), [100]);
        assert_eq!(bounds(vec![(7, 1); 50], 4), [7]);
        assert_eq!(bounds(Vec::new(), 4), [0; 0]);
        assert_eq!(bounds(vec![(1, 1), (2, 1)], 1), [0; 0]);
    }
}
