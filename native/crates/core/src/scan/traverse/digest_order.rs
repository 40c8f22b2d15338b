//! A walk in the order of digests, for answers that another scan can go on with from any record on.
//!
//! The order is the same however many segments there are and whichever slots records have, so it outlives restarts. In a round the
//! workers note the digests of a range of places, segment by segment, and sort them; once all have, each reads one part of the range
//! after the other. Rows of parts are written in turn (`turns`). What is noted stays bounded, as rounds have a number of records.
//!
//! The invariant: **a record that is there throughout is met exactly once, and behind all records before it.** It keeps its slot, and a
//! place belongs to one round and one part. Records that go from segment to segment are looked up by key; one that goes past the worker
//! that notes is missed, because it would come late.

use super::turns::Turns;
use crate::scan::plan::{ROUND_RECORDS, Selection};
use crate::scan::walk::{COPIED_BYTES, End, Found, PendingRead, STEP, STEP_WANTED, Scratch, Visitor, Walk, unless_damaged};
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::ops::ControlFlow;
use tessera_base::{Result, clock};
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_record::Digest;

/// What is noted of a round is 40 bytes a record.
const NOTED_RECORDS: u64 = ROUND_RECORDS / 2;
/// Most parts of a round, and records of one that are worth their own.
const PARTS: u64 = 16 * 1024;
const PART_RECORDS: u64 = 16;
/// Slots looked through in one hold of a segment's lock.
const LOOKED_THROUGH: usize = 4096;
/// Records whose slots are asked for ahead of their use.
const AHEAD: usize = 8;

/// A record of the selection, in the order of the walk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::scan) struct Noted {
    place: u64,
    digest: Digest,
    segment: u16,
    set: u16,
    slot: u32,
}

pub(crate) struct DigestOrder {
    after: Option<Digest>,
    rounds: Vec<Round>,
    /// By cell of the round, in order.
    noted: Box<[Mutex<Vec<Noted>>]>,
    pub(in crate::scan) turns: Turns,
}

struct Round {
    first_item: usize,
    /// Where its records may be.
    cells: Vec<u16>,
    /// The first and the last place.
    places: (u64, u64),
    parts: u64,
}

enum Task<'a> {
    Note(&'a Round, usize),
    Read(&'a Round, u64),
}

impl DigestOrder {
    /// For about `wanted` records, of which those behind `after` are met.
    pub(in crate::scan) fn begin(store: &RecordStore, selection: &Selection, wanted: u64, after: Option<Digest>) -> Self {
        let bytes = store.usage().live_bytes / store.records().max(1);
        let part = (CHUNK_BYTES as u64 / bytes.max(1)).max(PART_RECORDS);
        Self::of_size(store, selection, wanted, after, NOTED_RECORDS, part)
    }

    /// With about so many records in a round and in a part.
    pub(in crate::scan) fn of_size(
        store: &RecordStore,
        selection: &Selection,
        wanted: u64,
        after: Option<Digest>,
        round: u64,
        part: u64,
    ) -> Self {
        let places = (after.as_ref().map_or(0, Digest::place), u64::MAX);
        let wanted = ((u128::from(wanted) * (u128::from(places.1 - places.0) + 1)) >> 64) as u64;
        let anywhere = store.is_flat() || selection.may_move(store);
        let mut first_item = 0;
        let count = wanted.div_ceil(round).max(1);
        let rounds: Vec<Round> = (0..count)
            .filter_map(|number| part_of(places, count, number))
            .map(|places| {
                let overlaps = |cell: &u16| {
                    let (first, last) = Digest::places_of(*cell, store.segment_count());
                    anywhere || first <= places.1 && places.0 <= last
                };
                let cells: Vec<u16> = (0..store.cells().len() as u16).filter(overlaps).collect();
                let round = Round { first_item, cells, places, parts: (wanted.min(round) / part).clamp(1, PARTS) };
                first_item = round.end();
                round
            })
            .collect();
        let widest = rounds.iter().map(|round| round.cells.len()).max().unwrap_or(0);
        Self { after, rounds, noted: (0..widest).map(|_| Mutex::default()).collect(), turns: Turns::default() }
    }

    pub(in crate::scan) fn items(&self) -> usize {
        self.rounds.last().map_or(0, Round::end)
    }

    /// Whether an item may begin only when all before are done.
    pub(in crate::scan) fn begins_stage(&self, item: usize) -> bool {
        matches!(self.task(item), Some(Task::Note(_, 0) | Task::Read(_, 0)))
    }

    fn task(&self, item: usize) -> Option<Task<'_>> {
        let at = self.rounds.partition_point(|round| round.first_item <= item);
        let round = self.rounds.get(at.checked_sub(1)?)?;
        let item = item - round.first_item;
        let cells = round.cells.len();
        Some(if item < cells { Task::Note(round, item) } else { Task::Read(round, (item - cells) as u64) })
    }

    /// Does an item.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    pub(in crate::scan) fn item(
        &self,
        walk: &Walk<'_>,
        item: usize,
        noted: &mut Vec<Noted>,
        scratch: &mut Scratch,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        match self.task(item) {
            Some(Task::Note(round, cell)) => {
                self.note(walk, round, cell, scratch, visitor)?;
                Ok(ControlFlow::Continue(()))
            }
            Some(Task::Read(round, part)) => {
                self.load(round, part, noted);
                walk.read_in_order(noted, scratch, visitor)
            }
            None => Ok(ControlFlow::Continue(())),
        }
    }

    /// Whether an item brings rows.
    pub(in crate::scan) fn has_rows(&self, item: usize) -> bool {
        matches!(self.task(item), Some(Task::Read(..)))
    }

    /// Notes the records of a cell that are of the round.
    fn note(&self, walk: &Walk<'_>, round: &Round, cell: usize, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<()> {
        let id = usize::from(round.cells[cell]);
        let mut noted = std::mem::take(&mut *self.noted[cell].lock());
        noted.clear();
        let after = self.after.map(|digest| (digest.place(), digest));
        let wants = |digest: &Digest| {
            let place = digest.place();
            round.places.0 <= place && place <= round.places.1 && after.is_none_or(|after| (place, *digest) > after)
        };
        let mut from = (!walk.selection.skips(id)).then_some(0);
        while let Some(slot) = from {
            let (met, next) = walk.note_places(id, slot, scratch, &wants, &mut |slot, set, digest| {
                noted.push(Noted { place: digest.place(), digest, segment: id as u16, set, slot });
            })?;
            visitor.stepped(met, &[])?;
            from = next;
        }
        noted.sort_unstable();
        *self.noted[cell].lock() = noted;
        Ok(())
    }

    /// What was noted of a part, in order.
    fn load(&self, round: &Round, part: u64, out: &mut Vec<Noted>) {
        out.clear();
        let Some((first, last)) = part_of(round.places, round.parts, part) else { return };
        for noted in &self.noted[..round.cells.len()] {
            let noted = noted.lock();
            let from = noted.partition_point(|noted| noted.place < first);
            let to = noted.partition_point(|noted| noted.place <= last);
            out.extend_from_slice(&noted[from..to]);
        }
        out.sort_unstable();
    }
}

impl Round {
    fn end(&self) -> usize {
        self.first_item + self.cells.len() + self.parts as usize
    }
}

/// A range of places is cut into so many parts of about the same length: one of them. Fewer places than parts are a part each.
fn part_of((first, last): (u64, u64), parts: u64, part: u64) -> Option<(u64, u64)> {
    let all = u128::from(last - first) + 1;
    let parts = u128::from(parts).min(all);
    let begin = |part: u128| first + (all * part / parts) as u64;
    let part = u128::from(part);
    (part < parts).then(|| (begin(part), if part + 1 == parts { last } else { begin(part + 1) - 1 }))
}

impl Walk<'_> {
    /// Shows some records from slot `from` on to `note` if `wants` says so of their digests; returns how many of those are left out
    /// without their bodies, and where to go on.
    ///
    /// # Errors
    /// As `Segment::find`.
    fn note_places(
        &self,
        cell: usize,
        from: u32,
        scratch: &mut Scratch,
        wants: &dyn Fn(&Digest) -> bool,
        note: &mut dyn FnMut(u32, u16, Digest),
    ) -> Result<(u64, Option<u32>)> {
        let Scratch { slots, looked_up, .. } = scratch;
        slots.clear();
        let cell = &self.store.cells()[cell];
        let segment = cell.read_in_turn();
        let most = if cell.is_wanted() { STEP_WANTED } else { LOOKED_THROUGH };
        let mut next = self.gather(&segment, from..u32::MAX, most, slots, looked_up);
        self.meet_slots(&segment, from..next, segment.end(), self.proposed(slots));
        let (mut met, now) = (0, clock::unix_seconds());
        for (at, &slot) in slots.iter().enumerate() {
            if at >= STEP_WANTED && cell.is_wanted() {
                next = slot;
                break;
            }
            slots.get(at + 2 * AHEAD).into_iter().for_each(|&slot| segment.prefetch_slot(slot));
            let Some(record) = segment.record(slot)?.filter(|record| wants(&record.digest)) else { continue };
            if !self.passes_over(&segment, slot, &record) {
                note(slot, segment.sets().set_of(slot), record.digest);
            } else if self.meets(&segment, slot, &record, now) {
                met += 1;
            }
        }
        Ok((met, (next < segment.end()).then_some(next)))
    }

    /// Meets what was noted, in order.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    fn read_in_order(&self, noted: &[Noted], scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        let mut at = 0;
        while at < noted.len() {
            let moved = self.claim_in_order(noted, &mut at, visitor.most(), scratch)?;
            if self.meet_claimed(moved, scratch, visitor)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes the next of what was noted into `scratch`, as far as it is there still; a record that has left its slot, which comes behind
    /// those.
    fn claim_in_order(&self, noted: &[Noted], at: &mut usize, most: usize, scratch: &mut Scratch) -> Result<Option<Noted>> {
        let Scratch { pending, bodies, .. } = scratch;
        pending.clear();
        bodies.clear();
        let (resident, now, mut bytes) = (self.store.bodies_resident(), clock::unix_seconds(), 0);
        let room = if resident { COPIED_BYTES } else { CHUNK_BYTES };
        let (most, mut moved) = (most.clamp(1, STEP), None);
        while let Some(&Noted { segment: id, .. }) = noted.get(*at).filter(|_| moved.is_none() && pending.len() < most && bytes < room) {
            let cell = &self.store.cells()[usize::from(id)];
            let segment = cell.read_in_turn();
            let mut held = 0;
            while let Some(&one) = noted.get(*at).filter(|one| one.segment == id && pending.len() < most && bytes < room) {
                held += 1;
                if held > STEP_WANTED && cell.is_wanted() {
                    break;
                }
                noted.get(*at + AHEAD).filter(|ahead| ahead.segment == id).into_iter().for_each(|ahead| segment.prefetch_slot(ahead.slot));
                *at += 1;
                // It was noted in two segments, one behind the other: whoever has it now has shown it, or shows it.
                if at.checked_sub(2).is_some_and(|before| noted[before].digest == one.digest) {
                    continue;
                }
                self.store.meet_slots(&segment, &(one.slot..one.slot + 1), None, None, self.guard);
                let Some(record) = segment.record(one.slot)?.filter(|record| record.digest == one.digest) else {
                    if !self.moves(one.set) {
                        continue;
                    }
                    moved = Some(one);
                    break;
                };
                if !self.meets(&segment, one.slot, &record, now) || self.passes_over(&segment, one.slot, &record) {
                    continue;
                }
                match segment.resident(record.location).filter(|_| resident) {
                    Some(body) => {
                        bodies.copy(record.meta, self.size(&segment, &record), body);
                        bytes += body.len();
                    }
                    None => bytes += segment.stored_bytes(record.location),
                }
                pending.push(PendingRead { segment: id, slot: one.slot, set: segment.sets().set_of(one.slot), record });
            }
        }
        if !resident && !pending.is_empty() {
            bodies.read(self.store, self.guard, pending)?;
        }
        Ok(moved)
    }

    /// Whether records of a set may go from segment to segment.
    fn moves(&self, set: u16) -> bool {
        self.store.set_by_id(set).is_some_and(|set| set.distribution.is_some())
    }

    /// Meets what was claimed, and then what has moved. No lock is held.
    fn meet_claimed(&self, moved: Option<Noted>, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        let Scratch { pending, bodies, body, .. } = scratch;
        let (mut met, mut damaged) = (0, Vec::new());
        let moved = moved.map(|Noted { set, digest, .. }| (set, digest, None));
        let claimed = pending.iter().enumerate().map(|(at, read)| (read.set, read.record.digest, Some((at, read))));
        for (set, digest, claimed) in claimed.chain(moved) {
            let read = match claimed.map(|(at, read)| Ok::<_, tessera_base::Error>((bodies.get(at)?, read))) {
                Some(Ok((Some((meta, size, body)), &PendingRead { segment, slot, .. }))) => {
                    Ok(Some(Found { segment, slot, set, digest, meta, size, body }))
                }
                None | Some(Ok((None, _))) => self.elsewhere(set, &digest, body),
                Some(Err(error)) => Err(error),
            };
            let found = unless_damaged(read, set, digest, &mut damaged)?;
            met += 1;
            let end = found.map_or(ControlFlow::Continue(()), |found| visitor.meet(&found));
            if matches!(end, ControlFlow::Break(End::Walk)) {
                visitor.stepped(met, &damaged)?;
                return Ok(ControlFlow::Break(()));
            }
            // The line of a damaged record is to stand where it is met.
            if end.is_break() || !damaged.is_empty() {
                visitor.stepped(std::mem::take(&mut met), &std::mem::take(&mut damaged))?;
            }
        }
        visitor.stepped(met, &damaged)?;
        Ok(ControlFlow::Continue(()))
    }
}
