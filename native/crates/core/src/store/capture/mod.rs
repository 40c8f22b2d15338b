//! The records of one segment as they are at one moment, for a backup: see `docs/internals/backup.md`.
//!
//! They are walked while others write. What changes meanwhile is noted, and brought again in rounds,
//! until a look under the lock finds nothing that was not brought. That look is the moment.

mod watch;

pub(in crate::store) use watch::Watch;

use super::RecordStore;
use super::records::live;
use crate::segment::{Fetches, Segment, fetch_body};
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::{Digest, Meta};
use tessera_storage::SlotRecord;
use watch::{Noted, Watching};

/// Slots looked at in one hold of a segment's lock.
const STEP: usize = 256;
/// Bodies copied under the lock in one hold, bytes.
const STEP_BYTES: usize = 256 << 10;
/// Bodies asked for at once.
const WINDOW: usize = 32;
/// Rounds before what is left is brought under the lock, however much it is.
const ROUNDS: usize = 32;
/// So many changes are brought under the lock at once, if memory has their bodies.
const FEW: usize = 16;

/// Takes the records of a segment, in an order in which the last word about a digest counts.
pub(crate) trait CaptureSink {
    /// # Errors
    /// Any; it ends the capture.
    fn body(&mut self, set: u16, digest: &Digest, meta: &Meta, body: &[u8]) -> Result<()>;

    /// A record that has not changed since the base.
    ///
    /// # Errors
    /// As `body`.
    fn kept(&mut self, set: u16, digest: &Digest, meta: &Meta) -> Result<()>;

    /// There is no such record any more.
    ///
    /// # Errors
    /// As `body`.
    fn gone(&mut self, set: u16, digest: &Digest) -> Result<()>;

    /// A body that cannot be read.
    fn damaged(&mut self, set: u16, digest: &Digest, error: &Error);

    /// So many records have been looked at; no lock is held.
    ///
    /// # Errors
    /// As `body`.
    fn pace(&mut self, records: usize) -> Result<()>;
}

/// A segment at its moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Captured {
    /// Every later change of the segment has this time of last update or a later one, Unix milliseconds.
    pub(crate) moment_ms: u64,
    /// Records in it, expired ones that are not removed yet included.
    pub(crate) records: u64,
}

/// One record that a walk has met and whose body is not in memory.
struct Pending {
    set: u16,
    record: SlotRecord,
}

/// What a step under the lock has copied, until it is handed on.
#[derive(Default)]
struct Step {
    bytes: Vec<u8>,
    bodies: Vec<(u16, Digest, Meta, usize)>,
    kept: Vec<(u16, Digest, Meta)>,
    pending: Vec<Pending>,
    /// Unset where every body is in memory, and after an error.
    fetches: Option<Fetches<usize>>,
}

impl Step {
    fn clear(&mut self) {
        self.bytes.clear();
        self.bodies.clear();
        self.kept.clear();
        self.pending.clear();
    }

    fn take(&mut self, segment: &Segment, set: u16, record: SlotRecord, since: Option<u64>) {
        if since.is_some_and(|since| record.meta.updated_at < since) {
            self.kept.push((set, record.digest, record.meta));
        } else if let Some(body) = segment.resident(record.location) {
            self.bytes.extend_from_slice(body);
            self.bodies.push((set, record.digest, record.meta, self.bytes.len()));
        } else {
            self.pending.push(Pending { set, record });
        }
    }
}

impl RecordStore {
    /// Brings the records of one cell as they are at one moment. `since`: those last updated before are `kept`. `None` if a
    /// truncation came in between: what was brought is of no moment, and the caller begins again.
    ///
    /// # Errors
    /// `storage_failed`, `record_damaged` of an index page, `closed`; those of the sink.
    pub(crate) fn capture(&self, cell: u16, since: Option<u64>, sink: &mut dyn CaptureSink) -> Result<Option<Captured>> {
        let truncations = self.hidden.begun();
        let watching = self.watch.begin(cell);
        self.walk(cell, since, sink)?;
        let mut rounds = 0;
        loop {
            match self.last_look(cell, since, truncations, &watching, rounds >= ROUNDS, sink)? {
                Round::Again(noted) => self.bring_noted(cell, since, &noted, sink)?,
                Round::Truncated => return Ok(None),
                Round::Moment(captured) => return Ok(Some(captured)),
            }
            rounds += 1;
        }
    }

    /// Walks the cell, with the lock held for a step at a time.
    fn walk(&self, cell: u16, since: Option<u64>, sink: &mut dyn CaptureSink) -> Result<()> {
        let (mut from, mut step, mut slots) = (Some(0), Step::default(), Vec::with_capacity(STEP));
        while let Some(at) = from {
            self.check_whole()?;
            step.clear();
            slots.clear();
            from = {
                let segment = self.segments[usize::from(cell)].read_in_turn();
                let mut next = segment.sets().all(at, STEP, &mut slots);
                for &slot in &slots {
                    let Some(record) = segment.record(slot)?.filter(|record| self.shows(&segment, slot, record)) else { continue };
                    step.take(&segment, segment.sets().set_of(slot), record, since);
                    if step.bytes.len() >= STEP_BYTES {
                        next = slot + 1;
                        break;
                    }
                }
                (next < segment.end()).then_some(next)
            };
            self.hand_on(cell, &mut step, sink)?;
            sink.pace(slots.len())?;
        }
        Ok(())
    }

    fn shows(&self, segment: &Segment, slot: u32, record: &SlotRecord) -> bool {
        live(&record.meta) && !self.hides(segment, slot, &record.meta)
    }

    /// Hands on what was copied, and reads the bodies that were not in memory.
    fn hand_on(&self, cell: u16, step: &mut Step, sink: &mut dyn CaptureSink) -> Result<()> {
        let mut from = 0;
        for (set, digest, meta, end) in &step.bodies {
            sink.body(*set, digest, meta, &step.bytes[from..*end])?;
            from = *end;
        }
        step.kept.iter().try_for_each(|(set, digest, meta)| sink.kept(*set, digest, meta))?;
        if step.pending.is_empty() {
            return Ok(());
        }
        step.pending.sort_unstable_by_key(|pending| pending.record.location);
        let no_reader = || Error::new(ErrorCode::Internal, "a body that is not in memory has no reader");
        let mut fetches = match step.fetches.take() {
            Some(fetches) => fetches,
            None => Fetches::new(self.storage.reader(WINDOW)?.ok_or_else(no_reader)?),
        };
        let current = |_: &usize, met: &SlotRecord| self.seek_shown(&self.segments[usize::from(cell)].read(), &met.digest);
        let mut order = 0..step.pending.len();
        loop {
            while fetches.len() < WINDOW
                && fetches.has_room()
                && let Some(at) = order.next()
            {
                fetches.start(at, step.pending[at].record)?;
            }
            let Some(fetched) = fetches.next(&*self.storage, &current) else { break };
            let Pending { set, record } = &step.pending[fetched.what];
            match fetched.record {
                Ok(Some(read)) => sink.body(*set, &read.digest, &read.meta, fetches.body())?,
                // Whoever removed it has noted it.
                Ok(None) => {}
                Err(error) if error.code == ErrorCode::RecordDamaged => sink.damaged(*set, &record.digest, &error),
                Err(error) => return Err(error),
            }
        }
        step.fetches = Some(fetches);
        Ok(())
    }

    fn seek_shown(&self, segment: &Segment, digest: &Digest) -> Result<Option<SlotRecord>> {
        Ok(segment.seek(digest)?.filter(|(slot, record)| self.shows(segment, *slot, record)).map(|(_, record)| record))
    }

    /// Looks under the lock whether anything is left to bring: if not, this is the moment.
    fn last_look(
        &self,
        cell: u16,
        since: Option<u64>,
        truncations: u64,
        watching: &Watching<'_>,
        last: bool,
        sink: &mut dyn CaptureSink,
    ) -> Result<Round> {
        let segment = self.segments[usize::from(cell)].read_in_turn();
        // Under the lock, as a write: a store that is closed or handed over has no moment.
        self.check_open()?;
        if self.hidden.is_undoing() || self.hidden.begun() != truncations {
            return Ok(Round::Truncated);
        }
        let left = watching.count();
        if !last && left > 0 && !(left <= FEW && self.bodies_resident()) {
            return Ok(Round::Again(watching.take()));
        }
        let mut body = Vec::new();
        for (digest, set) in watching.take() {
            match self.seek_shown(&segment, &digest)? {
                None => sink.gone(set, &digest)?,
                Some(record) if since.is_some_and(|since| record.meta.updated_at < since) => sink.kept(set, &digest, &record.meta)?,
                Some(record) => match segment.resident(record.location) {
                    Some(body) => sink.body(set, &digest, &record.meta, body)?,
                    None => {
                        let current = || self.seek_shown(&segment, &digest);
                        match fetch_body(&*self.storage, record, &current, &mut body) {
                            Ok(Some(read)) => sink.body(set, &digest, &read.meta, &body)?,
                            Ok(None) => sink.gone(set, &digest)?,
                            Err(error) if error.code == ErrorCode::RecordDamaged => sink.damaged(set, &digest, &error),
                            Err(error) => return Err(error),
                        }
                    }
                },
            }
        }
        // Writers stamp under this lock: none that comes later has an earlier time.
        Ok(Round::Moment(Captured { moment_ms: self.stamp(), records: segment.len() as u64 - segment.left_out() }))
    }

    /// Brings what has changed, as it is by now; a change after that is noted again.
    fn bring_noted(&self, cell: u16, since: Option<u64>, noted: &Noted, sink: &mut dyn CaptureSink) -> Result<()> {
        let mut step = Step::default();
        let noted: Vec<(&Digest, &u16)> = noted.iter().collect();
        for some in noted.chunks(STEP) {
            step.clear();
            let mut gone = Vec::new();
            {
                let segment = self.segments[usize::from(cell)].read_in_turn();
                for (digest, set) in some {
                    match self.seek_shown(&segment, digest)? {
                        Some(record) => step.take(&segment, **set, record, since),
                        None => gone.push((**set, **digest)),
                    }
                }
            }
            gone.iter().try_for_each(|(set, digest)| sink.gone(*set, digest))?;
            self.hand_on(cell, &mut step, sink)?;
            sink.pace(0)?;
        }
        Ok(())
    }

    /// A record as it is now, wherever it is; its body in `out`. `None` if there is none, or it has expired.
    ///
    /// # Errors
    /// `record_damaged`, `storage_failed`.
    pub(crate) fn capture_record(&self, set: &str, digest: &Digest, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        Ok(self.current(set, digest, out)?.filter(live))
    }
}

/// What a look under the lock has come to.
enum Round {
    /// Bring these, and look again.
    Again(Noted),
    Truncated,
    Moment(Captured),
}
