//! Walking the records of one segment, or of a range of its slots, in steps, each under one hold of the segment's lock.
//!
//! Slots do not move, and a step begins where the last one ended, so a record that is there throughout is met exactly
//! once however much is written meanwhile; those that go to another segment are followed (`namespace::moves`).

use super::ahead::{Ahead, Looks, along};
use super::places::{Places, Reading};
use super::plan::Selection;
use super::ranges::{ALL_SLOTS, Ranges};
use super::sequential::{Runs, Sequential};
use super::waiting::{Bodies, Waiting};
use crate::access::LookedUp;
use crate::segment::{LOOKED_AT, Marks, Segment};
use crate::store::{Follower, Guard, RecordStore};
use std::ops::{ControlFlow, Range};
use tessera_base::{Error, ErrorCode, Result, clock};
use tessera_index::set_column::CHUNK;
use tessera_jobs::Job;
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_record::json::write_damaged;
use tessera_record::{Digest, Meta};
use tessera_storage::{DeviceReads, SlotRecord};

/// Records gathered in one hold of a lock whose bodies are in memory.
pub(crate) const STEP: usize = 512;
/// Records gathered in one hold whose bodies are then read from a device: small, so that an abort is prompt.
const DEVICE_STEP: usize = 64;
/// And while a writer waits: so few that it is not for long, so many that a hold is worth its price.
pub(super) const STEP_WANTED: usize = 32;
/// Bytes of bodies copied in one hold of a lock: every worker keeps room for so many, while its reader does not read, too.
pub(crate) const COPIED_BYTES: usize = 64 * 1024;

/// A record met by a scan.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    pub segment: u16,
    pub slot: u32,
    /// Id of its set; `RecordStore::set_by_id` knows the name.
    pub set: u16,
    pub digest: Digest,
    pub meta: Meta,
    /// Bytes that it takes where it is stored, if the selection asks for them: finding out may wait for memory.
    pub size: u64,
    /// Empty when bodies were not asked for.
    pub body: &'a [u8],
}

/// One walk through a segment.
pub(crate) struct Walk<'a> {
    pub(crate) store: &'a RecordStore,
    pub(crate) selection: &'a Selection,
    pub(crate) bodies: bool,
    /// For moves between segments; a page of a scan follows none.
    pub(crate) follower: Option<&'a Follower>,
    /// For a scan that reads the device by the block.
    pub(crate) sequential: Option<&'a Sequential>,
    /// For a scan that reads records by their places.
    pub(crate) places: Option<&'a Places>,
    /// For a scan whose workers share one segment.
    pub(crate) ranges: Option<&'a Ranges>,
    /// For a scan that goes in an order first: what it has met then.
    pub(crate) marks: Option<&'a Marks>,
    /// Where it notes changes in flight; what it has met is not to be given away before they are durable.
    pub(crate) guard: Option<&'a Guard>,
}

/// Scratch of a walk, kept from step to step.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(super) slots: Vec<u32>,
    waiting: Vec<Waiting>,
    bodies: Bodies,
    pub(super) body: Vec<u8>,
    pub(super) looked_up: LookedUp,
    pub(super) runs: Runs,
    pub(super) reading: Reading,
}

impl Scratch {
    /// What was read from a device so far.
    pub(crate) fn reads(&self) -> DeviceReads {
        let mut reads = self.runs.reads();
        reads += self.bodies.reads();
        reads += self.reading.reads();
        reads
    }
}

/// Records to ask a step for.
pub(crate) fn step_size(job: &Job) -> usize {
    job.step_of(STEP)
}

/// What a call of `each` ends.
pub(crate) enum End {
    /// The step: its rows fill a chunk, and the walk goes on with the next record.
    Step,
    Walk,
}

/// A record whose body cannot be read; the scan goes on without it.
#[derive(Debug)]
pub(crate) struct Damaged {
    pub(crate) set: u16,
    pub(crate) digest: Digest,
    pub(crate) error: Error,
}

/// What the search for records that moved has done.
#[derive(Default)]
pub(crate) struct Moved {
    pub(crate) met: u64,
    pub(crate) damaged: Vec<Damaged>,
}

/// What one step has done.
#[derive(Default)]
pub(crate) struct VisitStep {
    /// Records met.
    pub(crate) met: u64,
    /// Where the next step begins; `None` when the segment, or the range, is through.
    pub(crate) next: Option<u32>,
    /// Whether `each` has broken off.
    pub(crate) broken: bool,
    /// Records met that could not be read; `each` was not called for them.
    pub(crate) damaged: Vec<Damaged>,
}

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
    ) -> Result<VisitStep> {
        if self.selection.skips(segment_id) {
            return Ok(VisitStep { met: 0, next: None, broken: false, damaged: Vec::new() });
        }
        let Scratch { slots, waiting, bodies, body, looked_up, .. } = scratch;
        slots.clear();
        waiting.clear();
        bodies.clear();
        let cell = &self.store.cells()[segment_id];
        let resident = self.store.bodies_resident();
        let copies = self.selection.copies && resident;
        let most = if resident || !self.bodies { most } else { most.min(DEVICE_STEP) };
        let segment = cell.read_in_turn();
        let most = if cell.is_wanted() { most.min(STEP_WANTED) } else { most };
        let end = segment.end().min(range.end);
        let rest = |next| (next < end).then_some(next);
        let looks = match self.selection.glances {
            _ if !(self.bodies && resident) => Looks::Nowhere,
            true => Looks::AtBeginnings,
            false => Looks::Everywhere,
        };
        let plain = segment.slots().filter(|_| self.plain());
        if let Some(known) = plain.filter(|_| self.takes_every_slot(&segment)) {
            let to = end.min(range.start.saturating_add(most as u32));
            self.meet_slots(&segment, range.start..to, end, None);
            if let Some(records) = along(&segment, known, range.start..to, looks) {
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
            return Ok(self.walk_live(cell, &segment, known, slots, looks, each).step(next, rest));
        }
        let mut step = VisitStep { met: 0, next: rest(next), broken: false, damaged: Vec::new() };
        let mut to_read = 0;
        let now = clock::unix_seconds();
        let known = segment.slots();
        let ahead = known.map(|known| Ahead::begin(&segment, known, slots, looks));
        for (at, &slot) in slots.iter().enumerate() {
            if at > 0 && at % STEP_WANTED == 0 && cell.is_wanted() {
                step.next = Some(slot);
                break;
            }
            if let Some(ahead) = &ahead {
                ahead.of(at);
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
                waiting.push(Waiting { slot, set, record });
                to_read += body.len();
                if to_read < COPIED_BYTES { ControlFlow::Continue(()) } else { ControlFlow::Break(End::Step) }
            } else if let Some(body) = body {
                each(&Found { segment: segment.id(), slot, set, digest: record.digest, meta: record.meta, size, body })
            } else {
                waiting.push(Waiting { slot, set, record });
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
        if !waiting.is_empty() && !copies {
            bodies.read(self, segment_id, waiting)?;
        }
        for (at, &Waiting { slot, set, record }) in waiting.iter().enumerate() {
            let read = match bodies.get(at) {
                Ok(Some((meta, size, body))) => {
                    Ok(Some(Found { segment: segment_id as u16, slot, set, digest: record.digest, meta, size, body }))
                }
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

    /// As `gather`, without those that a sequential read has brought.
    fn gather_unmet(&self, segment: &Segment, range: Range<u32>, most: usize, out: &mut Vec<u32>, looked_up: &mut LookedUp) -> u32 {
        let Some(sequential) = self.sequential else { return self.gather(segment, range, most, out, looked_up) };
        let mut next = range.start;
        let last = range.start.saturating_add(LOOKED_AT).min(segment.end()).min(range.end);
        loop {
            next = self.gather(segment, next..range.end, out.len() + most, out, looked_up);
            sequential.marks.leave_unmarked(usize::from(segment.id()), out);
            if out.len() >= most || next >= last {
                return next;
            }
        }
    }

    /// Slots of the selection in a range, about `most` or all; returns where to go on.
    pub(super) fn gather(&self, segment: &Segment, range: Range<u32>, most: usize, out: &mut Vec<u32>, looked_up: &mut LookedUp) -> u32 {
        let end = segment.end().min(range.end);
        if let Some(proposed) = self.selection.proposal.as_ref().and_then(|proposal| proposal.slots(segment, range.start, looked_up)) {
            let rest = &proposed[proposed.partition_point(|&slot| slot < range.start)..];
            // What was looked up before a truncation may be beyond the slots there are now.
            let rest = &rest[..rest.partition_point(|&slot| slot < end)];
            let wanted = |slot: &&u32| self.selection.set.as_ref().is_none_or(|set| segment.sets().set_of(**slot) == set.id);
            out.extend(rest.iter().take(most).filter(wanted));
            return rest.get(most).copied().unwrap_or(end);
        }
        let set = self.selection.set.as_ref().map(|set| set.id);
        // A segment without an index of the set has nothing of it, or has just had it freed: the column knows.
        let Some(index) = set.filter(|_| self.selection.use_index).and_then(|set| segment.set_slots(set)) else {
            return segment.sets().gather(set, range, most, out);
        };
        for (base, words) in index.chunks_from(range.start) {
            if out.len() >= most || base >= end {
                return base.min(end);
            }
            for (at, mut word) in words.into_iter().enumerate() {
                while word != 0 {
                    let slot = base + at as u32 * 64 + word.trailing_zeros();
                    word &= word - 1;
                    if range.contains(&slot) {
                        out.push(slot);
                    }
                }
            }
        }
        end
    }

    /// How many records of the selection an item has, where none can come twice or be hidden: from the counters of its segment where none
    /// expires, or from the times of expiry alone.
    ///
    /// # Errors
    /// As `Segment::find`.
    pub(crate) fn count(&self, item: usize) -> Result<Option<u64>> {
        let Selection { proposal, screen, .. } = self.selection;
        let asks = self.follower.is_some() || proposal.is_some() || screen.is_some() || self.selection.asks_records();
        if self.bodies || self.sequential.is_some() || asks {
            return Ok(None);
        }
        let (segment_id, range) = self.slots_of(item);
        if self.selection.skips(segment_id) {
            return Ok(Some(0));
        }
        let counted = || self.counted(segment_id);
        if let Some(all) = self.ranges.map_or_else(counted, |ranges| *ranges.counted.get_or_init(counted)) {
            // Whoever has the first range says it for the others.
            return Ok(Some(if range.start == 0 { all } else { 0 }));
        }
        let (mut from, mut alive) = (range.start, 0);
        loop {
            let segment = self.store.cells()[segment_id].read_in_turn();
            if self.store.hides_any() {
                return Ok(None);
            }
            let (to, end) = (from.saturating_add(LOOKED_AT), segment.end().min(range.end));
            self.meet_slots(&segment, from..to, end, None);
            alive += self.count_alive(&segment, from..to.min(end))?;
            if to >= end {
                return Ok(Some(alive));
            }
            from = to;
        }
    }

    /// As `count` of a whole segment, where its counters know.
    fn counted(&self, segment_id: usize) -> Option<u64> {
        let segment = self.store.cells()[segment_id].read_in_turn();
        if self.store.hides_any() || segment.expiring() > 0 {
            return None;
        }
        self.meet_slots(&segment, ALL_SLOTS, 0, None);
        Some(match &self.selection.set {
            None => segment.len() as u64,
            Some(set) => segment.set_slots(set.id).map_or_else(|| segment.sets().count(set.id), |slots| slots.len().into()),
        })
    }

    /// Records of the selection in a range of slots that begins at a chunk of them.
    fn count_alive(&self, segment: &Segment, range: Range<u32>) -> Result<u64> {
        let (now, set) = (clock::unix_seconds(), self.selection.set.as_ref().map(|set| set.id));
        let count = |(base, words): (u32, [u64; CHUNK / 64])| segment.count_alive(base, &words, now);
        match set.and_then(|set| segment.set_slots(set)) {
            Some(index) => index.chunks_from(range.start).take_while(|(base, _)| *base < range.end).map(count).sum(),
            None => range.step_by(CHUNK).map(|base| (base, segment.sets().column(set, base))).map(count).sum(),
        }
    }

    /// To be told with the segment's lock held.
    pub(crate) fn passed(&self, segment: usize, next: Option<u32>) {
        if let Some(follower) = self.follower {
            follower.passed(segment, next);
        }
    }

    /// Whether a record come across counts: it is alive, and not met before, in its slot or in another segment. To be asked
    /// with the segment's lock held.
    pub(super) fn meets(&self, segment: &Segment, slot: u32, record: &SlotRecord, now: u32) -> bool {
        let gone = record.meta.expired(now) || self.store.hides(segment, slot, &record.meta);
        !gone
            && self.selection.wants(segment.id(), &record.digest, self.store.segment_count())
            && self.marks().is_none_or(|marks| marks.claim(usize::from(segment.id()), slot))
            && self.follower.is_none_or(|follower| follower.meets(&record.digest))
    }

    pub(super) fn marks(&self) -> Option<&Marks> {
        let by_places = || self.places.and_then(|places| places.marks.as_deref());
        self.marks.or_else(|| self.sequential.map(|sequential| &*sequential.marks)).or_else(by_places)
    }

    pub(super) fn size(&self, segment: &Segment, record: &SlotRecord) -> u64 {
        if self.selection.sizes { segment.stored_bytes(record.location) as u64 } else { 0 }
    }

    /// Whether a record that is met is not wanted, as can be told without its body.
    pub(super) fn passes_over(&self, segment: &Segment, slot: u32, record: &SlotRecord) -> bool {
        self.selection.screen.as_ref().is_some_and(|screen| !screen.lets_through(self.store, segment, slot, record))
    }

    /// Meets the records that went from segments the walk had yet to come to into ones it was through with; for the end of
    /// a walk. `each` is called as in `step`.
    ///
    /// # Errors
    /// As `step`.
    pub(crate) fn moved(&self, scratch: &mut Scratch, each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>) -> Result<Moved> {
        let Moved { mut met, mut damaged } = Moved::default();
        for (set, digest) in self.unmet() {
            let mut end = ControlFlow::Continue(());
            self.meet_moved(set, digest, scratch, &mut damaged, &mut |found| {
                met += 1;
                end = each(found);
            })?;
            if end.is_break() {
                break;
            }
        }
        Ok(Moved { met, damaged })
    }

    /// The records, by set and digest, that `moved` meets: to be asked for once, at the end of a walk.
    pub(crate) fn unmet(&self) -> Vec<(u16, Digest)> {
        let mut unmet = self.follower.map(Follower::unmet).unwrap_or_default();
        unmet.retain(|(set, digest)| {
            let sampled = self.selection.screen.as_ref().is_none_or(|screen| screen.samples(digest));
            sampled && self.selection.set.as_ref().is_none_or(|wanted| wanted.id == *set)
        });
        unmet
    }

    /// Meets one of them, if it is there still.
    ///
    /// # Errors
    /// As `step`.
    pub(crate) fn meet_moved(
        &self,
        set: u16,
        digest: Digest,
        scratch: &mut Scratch,
        damaged: &mut Vec<Damaged>,
        each: &mut dyn FnMut(&Found<'_>),
    ) -> Result<()> {
        let read = self.elsewhere(set, &digest, &mut scratch.body);
        if let Some(found) = unless_damaged(read, set, digest, damaged)? {
            each(&found);
        }
        Ok(())
    }

    /// A record of a set with a distribution bin, wherever it is now.
    pub(super) fn elsewhere<'b>(&self, set: u16, digest: &Digest, body: &'b mut Vec<u8>) -> Result<Option<Found<'b>>> {
        let Some((segment, slot, record)) = self.store.find_placed(set, digest, self.guard, body)? else { return Ok(None) };
        if self.selection.segments.as_ref().is_some_and(|wanted| !wanted.has(segment)) {
            return Ok(None);
        }
        let size = stored_size(self.store, segment, set, body.len());
        Ok(Some(Found { segment, slot, set, digest: *digest, meta: record.meta, size, body }))
    }
}

/// What was read, or `None` where only that record cannot be: then it is noted.
pub(super) fn unless_damaged<T>(read: Result<Option<T>>, set: u16, digest: Digest, damaged: &mut Vec<Damaged>) -> Result<Option<T>> {
    match read {
        Err(error) if error.code == ErrorCode::RecordDamaged => {
            damaged.push(Damaged { set, digest, error });
            Ok(None)
        }
        read => read,
    }
}

/// Counts records that a job could not read, by place.
pub(crate) fn note_damaged(store: &RecordStore, job: &Job, damaged: &[Damaged]) {
    for Damaged { set, digest, error } in damaged {
        let set = store.set_by_id(*set).map(|set| set.name.to_string()).unwrap_or_default();
        job.damaged(set, digest, error);
    }
}

/// Writes the lines that stand for records that could not be read.
pub(crate) fn write_damaged_lines(store: &RecordStore, damaged: &[Damaged], out: &mut Vec<u8>) {
    for Damaged { set, digest, error } in damaged {
        let set = store.set_by_id(*set);
        write_damaged(out, set.as_ref().map_or("", |set| &*set.name), digest, error);
        out.push(b'\n');
    }
}

/// Bytes that a record with a body of so many bytes takes where it is stored.
fn stored_size(store: &RecordStore, segment: u16, set: u16, body: usize) -> u64 {
    let set = store.set_by_id(set);
    set.map_or(0, |set| store.cells()[usize::from(segment)].read().put_bytes(&set, body) as u64)
}
