//! Reading what the rounds have noted, in the order of the device.

use super::rounds::{Noted, Round, Rounds, Task};
use crate::scan::walk::{End, Found, STEP, STEP_WANTED, Scratch, StepOutcome, Visitor, Walk, unless_damaged};
use crate::segment::Fetches;
use std::ops::ControlFlow;
use tessera_base::{Error, ErrorCode, Result, clock};
use tessera_record::Digest;
use tessera_storage::{DeviceReads, SlotRecord};

/// Slots looked through in one hold of a segment's lock.
const LOOKED_THROUGH: usize = 4096;
/// Records that a worker has asked for ahead.
const ASKED_FOR: usize = 16 * 1024;
/// Records whose slots are asked for ahead of their use.
const AHEAD: usize = 8;

/// What one worker reads.
#[derive(Default)]
pub(in crate::scan) struct OrderedReads {
    noted: Vec<Noted>,
    /// The first of `noted` that was not asked for.
    at: usize,
    fetches: Option<Fetches<Wanted>>,
    /// The body of a record that has moved.
    body: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Wanted {
    segment: u16,
    slot: u32,
    set: u16,
    digest: Digest,
}

impl OrderedReads {
    /// Takes on the region that an item is, if it is one.
    pub(in crate::scan) fn take_on(&mut self, rounds: &Rounds, item: usize) -> bool {
        let Some(Task::Read(round, region)) = rounds.task(item) else { return false };
        rounds.load(round, region, &mut self.noted);
        self.at = 0;
        true
    }

    pub(in crate::scan) fn reads(&self) -> DeviceReads {
        self.fetches.as_ref().map(Fetches::reads).unwrap_or_default()
    }

    /// Whether records of it are still to be met.
    pub(in crate::scan) fn is_under_way(&self) -> bool {
        self.at < self.noted.len() || self.in_flight() > 0
    }

    fn in_flight(&self) -> usize {
        self.fetches.as_ref().map_or(0, Fetches::len)
    }
}

impl Walk<'_> {
    /// Does one item of a scan in rounds. Reads are still in flight when it is done.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    pub(in crate::scan) fn round_item(
        &self,
        rounds: &Rounds,
        item: usize,
        scratch: &mut Scratch,
        reads: &mut OrderedReads,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        if let Some(Task::Note(round, segment)) = rounds.task(item) {
            return self.note(rounds, round, segment, scratch, visitor);
        }
        if reads.take_on(rounds, item) { self.read_noted(true, reads, visitor) } else { Ok(ControlFlow::Continue(())) }
    }

    /// Notes where the records of a segment lie that are wanted.
    fn note(
        &self,
        rounds: &Rounds,
        round: &Round,
        segment_id: usize,
        scratch: &mut Scratch,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        let place = &rounds.noted[segment_id - round.segments.start];
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
    pub(in crate::scan) fn note_entries(&self, entries: impl Iterator<Item = (u16, u32)>, reads: &mut OrderedReads) -> Result<()> {
        let storage = self.store.storage();
        reads.noted.clear();
        reads.at = 0;
        for (segment, slot) in entries {
            let record = self.store.cells()[usize::from(segment)].read_in_turn().record(slot)?;
            reads.noted.extend(record.map(|record| Noted { order: storage.order_of(record.location), slot, segment }));
        }
        reads.noted.sort_unstable_by_key(|noted| noted.order);
        Ok(())
    }

    /// Meets what was noted of the region at hand. With `begin` it leaves reads in flight once all are asked for, else none.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    pub(in crate::scan) fn read_noted(&self, begin: bool, reads: &mut OrderedReads, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        while if begin { reads.at < reads.noted.len() } else { reads.is_under_way() } {
            let step = self.read_step(visitor.most(), reads, &mut |found| visitor.meet(found))?;
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
    pub(in crate::scan) fn read_step(
        &self,
        most: usize,
        reads: &mut OrderedReads,
        each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<End>,
    ) -> Result<StepOutcome> {
        let OrderedReads { noted, at, fetches, body } = reads;
        let (mut step, cells, now) = (StepOutcome::default(), self.store.cells(), clock::unix_seconds());
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
