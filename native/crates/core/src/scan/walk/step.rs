//! Walking the records of one segment, or of a range of its slots, in steps, each under one hold of the segment's lock.
//!
//! Slots do not move, and a step begins where the last one ended, so a record that is there throughout is met exactly
//! once however much is written meanwhile; those that go to another segment are followed (`store::moves`).

use super::body_reads::PendingRead;
use super::damaged::unless_damaged;
use super::found::{End, Found};
use super::prefetch::{BodyUse, Prefetch, along};
use super::scratch::Scratch;
use super::steps::{COPIED_BYTES, DEVICE_STEP, STEP_WANTED, StepOutcome};
use super::walk::Walk;
use std::ops::{ControlFlow, Range};
use tessera_base::{Result, clock};
use tessera_jobs::chunk_stream::CHUNK_BYTES;

impl Walk<'_> {
    /// Meets the next records in a range of a segment's slots, at most `most`, or fewer where `each` ends the step or the
    /// bodies to read from a device fill a chunk. `each` is called with the lock held for reading when bodies are in
    /// memory: it must be quick, and must not write.
    ///
    /// # Errors
    /// `storage_failed`: what keeps one record from being read, or all.
    pub(crate) fn step(
        &self,
        segment_id: usize,
        range: Range<u32>,
        most: usize,
        scratch: &mut Scratch,
        each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<End>,
    ) -> Result<StepOutcome> {
        if self.selection.skips(segment_id) {
            return Ok(StepOutcome { met: 0, next: None, broken: false, damaged: Vec::new() });
        }
        let Scratch { slots, pending, bodies, body, looked_up } = scratch;
        slots.clear();
        pending.clear();
        bodies.clear();
        let cell = &self.store.cells()[segment_id];
        let resident = self.store.bodies_resident();
        let copies = self.selection.copies && resident;
        let most = if resident || !self.bodies { most } else { most.min(DEVICE_STEP) };
        let segment = cell.read_in_turn();
        let most = if cell.is_wanted() { most.min(STEP_WANTED) } else { most };
        let end = segment.end().min(range.end);
        let rest = |next| (next < end).then_some(next);
        let body_use = match self.selection.glances {
            _ if !(self.bodies && resident) => BodyUse::Unread,
            true => BodyUse::Beginning,
            false => BodyUse::Whole,
        };
        let plain = segment.slots().filter(|_| self.plain());
        if let Some(known) = plain.filter(|_| self.takes_every_slot(&segment)) {
            let to = end.min(range.start.saturating_add(most as u32));
            self.meet_slots(&segment, range.start..to, end, None);
            if let Some(records) = along(&segment, known, range.start..to, body_use) {
                return Ok(self.walk_seen(cell, &segment, records, each).step(to, rest));
            }
        }
        let from = range.start;
        let mut next = self.gather_unmet(&segment, range, most, slots, looked_up);
        if let Some(&beyond) = slots.get(most) {
            slots.truncate(most);
            next = beyond;
        }
        self.meet_slots(&segment, from..next, end, self.proposed(slots));
        if let Some(known) = plain {
            return Ok(self.walk_live(cell, &segment, known, slots, body_use, each).step(next, rest));
        }
        let mut step = StepOutcome { met: 0, next: rest(next), broken: false, damaged: Vec::new() };
        let mut to_read = 0;
        let now = clock::unix_seconds();
        let known = segment.slots();
        let prefetch = known.map(|known| Prefetch::begin(&segment, known, slots, body_use));
        for (at, &slot) in slots.iter().enumerate() {
            if at > 0 && at % STEP_WANTED == 0 && cell.is_wanted() {
                step.next = Some(slot);
                break;
            }
            if let Some(prefetch) = &prefetch {
                prefetch.before(at);
            }
            let record = match known {
                Some(known) => known.get(slot),
                None => segment.record(slot)?,
            };
            let Some(record) = record.filter(|record| self.meets(&segment, slot, record, now)) else { continue };
            step.met += 1;
            if self.passes_over(&segment, slot, &record) {
                continue;
            }
            let set = segment.sets().set_of(slot);
            let body = if self.bodies { segment.resident(record.location) } else { Some(&[][..]) };
            let size = self.size(&segment, &record);
            let end = if let Some(body) = body.filter(|_| copies) {
                bodies.copy(record.meta, size, body);
                pending.push(PendingRead { segment: segment.id(), slot, set, record });
                to_read += body.len();
                if to_read < COPIED_BYTES { ControlFlow::Continue(()) } else { ControlFlow::Break(End::Step) }
            } else if let Some(body) = body {
                each(&Found { segment: segment.id(), slot, set, digest: record.digest, meta: record.meta, size, body })
            } else {
                pending.push(PendingRead { segment: segment.id(), slot, set, record });
                to_read += segment.stored_bytes(record.location);
                if to_read < CHUNK_BYTES { ControlFlow::Continue(()) } else { ControlFlow::Break(End::Step) }
            };
            match end {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(End::Step) => {
                    step.next = rest(slot + 1);
                    break;
                }
                ControlFlow::Break(End::Walk) => {
                    step.broken = true;
                    return Ok(step);
                }
            }
        }
        self.passed(segment_id, step.next);
        drop(segment);
        if !pending.is_empty() && !copies {
            bodies.read(self.store, self.guard, pending)?;
        }
        for (at, &PendingRead { segment, slot, set, record }) in pending.iter().enumerate() {
            let read = match bodies.get(at) {
                Ok(Some((meta, size, body))) => Ok(Some(Found { segment, slot, set, digest: record.digest, meta, size, body })),
                Ok(None) => self.elsewhere(set, &record.digest, body),
                Err(error) => Err(error),
            };
            let found = unless_damaged(read, set, record.digest, &mut step.damaged)?;
            // The step has ended already: with bodies for about a chunk, whatever their rows come to.
            if found.is_some_and(|found| matches!(each(&found), ControlFlow::Break(End::Walk))) {
                step.broken = true;
                return Ok(step);
            }
        }
        Ok(step)
    }
}
