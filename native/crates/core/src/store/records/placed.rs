//! Writing a record of a set with a distribution bin, which goes where the bin says.

use super::old::{Old, Stored};
use super::options::{Written, route_of_body};
use super::write::{ATTEMPTS, Fetched, Write};
use crate::segment::{Effect, Removal, Segment, SegmentCell};
use crate::sets::Distribution;
use crate::store::visibility::uncertain;
use std::borrow::Cow;
use tessera_base::Result;
use tessera_record::{BodyRef, Meta};
use tessera_storage::SlotRecord;

/// Where a record is before it is stored. Nobody but the writer changes that, who holds the key's lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    /// In no segment, so that none has to be looked into.
    Nowhere,
    /// In the segment that it is to be in; expiry may take it from there at any time.
    Here,
    Elsewhere,
}

/// A record, if there is one, and the body to store; `None`: nothing is left of it.
type Gathered<'a> = (Option<SlotRecord>, Option<Cow<'a, [u8]>>);

impl<'a> Write<'a> {
    /// Puts the record where its distribution bin says, and takes it away from where it was. The key's lock is held,
    /// so nobody else writes this record; segments are locked one at a time, the new one first, so that a reader
    /// always finds one of the two.
    pub(super) fn placed_by_bin(&self, distribution: &Distribution) -> Result<Written> {
        let _key = self.store.hold_key(&self.digest);
        self.check()?;
        self.store.bury(&self.digest)?;
        let cells = &self.store.segments;
        let candidates = distribution.directory.candidates(&self.digest);
        let mut holder = None;
        for id in candidates.into_iter().map(usize::from) {
            if cells[id].read().find(&self.digest)?.is_some() {
                holder = Some(id);
                break;
            }
        }
        let (old, body) = match self.gather(holder.map(|id| &cells[id]))? {
            (old, Some(body)) => (old, body),
            (old, None) => {
                let enter = |segment: &mut Segment, slot| self.store.enter(segment, self.set, &self.digest, slot, Effect::Removed);
                holder.map_or(Ok(()), |id| self.take_from(&cells[id], Removal::Logged, enter))?;
                let meta = self.next_meta(old.as_ref());
                return Ok(self.removed(meta));
            }
        };
        let target = self.store.segment_of_route(route_of_body(BodyRef::new(&body), &distribution.bin));
        let had = holder.map_or(Ok(0), |id| self.stored_in(&cells[id]))?;
        let takes = cells[target].read().put_bytes(self.set, body.len());
        self.store.check_growth(had, takes)?;
        let meta = match holder {
            None => self.place(target, Home::Nowhere, old.as_ref(), &body)?,
            Some(id) if id == target => self.place(target, Home::Here, old.as_ref(), &body)?,
            Some(left) => {
                // While it moves it is counted twice; its growth is claimed before, and let go after.
                let growth = takes.saturating_sub(had);
                if !self.copies() {
                    self.set.claim(0, growth as u64)?;
                }
                let moved = self.relocate(left, target, old.as_ref(), &body);
                if !self.copies() {
                    self.set.count(0, -(growth as i64));
                }
                moved?
            }
        };
        Ok(Written { digest: self.digest, meta, created: old.is_none(), removed: false })
    }

    fn stored_in(&self, cell: &SegmentCell) -> Result<usize> {
        let segment = cell.read();
        Ok(segment.seek(&self.digest)?.map_or(0, |(_, record)| segment.stored_bytes(record.location)))
    }

    /// Stores the record in a segment, where it may be already, or coming from another one.
    fn place(&self, target: usize, from: Home, old: Option<&SlotRecord>, body: &[u8]) -> Result<Meta> {
        self.store.heat.wrote(target as u16, 1);
        self.store.segments[target].write(|segment| -> Result<Meta> {
            self.check()?;
            // Stamped under the lock, as a truncation that has passed this segment must not cover it after a restart.
            let meta = self.next_meta(old);
            let here = if from == Home::Nowhere { None } else { segment.seek(&self.digest)? };
            let (slot, effect) = match (here, from) {
                (Some((slot, record)), _) => {
                    match self.copies() {
                        false => segment.overwrite(self.set, slot, &record, meta, body)?,
                        true => segment.overwrite_with(self.set, slot, &record, meta, body)?,
                    }
                    (slot, Effect::Replaced)
                }
                (None, Home::Elsewhere) => (segment.receive(self.set, self.digest, meta, body)?, Effect::Replaced),
                (None, _) if self.copies() => (segment.receive(self.set, self.digest, meta, body)?, Effect::Created),
                (None, Home::Nowhere | Home::Here) => (segment.insert(self.set, self.digest, meta, body)?, Effect::Created),
            };
            self.store.enter(segment, self.set, &self.digest, slot, effect);
            Ok(meta)
        })
    }

    fn relocate(&self, left: usize, target: usize, old: Option<&SlotRecord>, body: &[u8]) -> Result<Meta> {
        let cells = &self.store.segments;
        let _moving = self.store.announce(left, self.set.id, &self.digest)?;
        let meta = self.place(target, Home::Elsewhere, old, body)?;
        // The tombstone must never be on disk without the record's new copy.
        let moved = self.store.sync().and_then(|()| self.take_from(&cells[left], Removal::Logged, |_, _| ()));
        if let Err(error) = moved {
            // It stays where it was, and is shown as it was.
            let undo = |segment: &mut Segment, _| segment.in_flight_mut().forget(&self.digest);
            if self.take_from(&cells[target], Removal::Logged, undo).is_err() {
                // What is in pages stays in both places until the log takes a removal.
                if self.store.index_resident() {
                    self.take_from(&cells[target], Removal::Silent, undo)?;
                }
                self.store.stale_copies.note(&self.set.name, self.digest, target as u16);
            }
            // The new version may be on the disk by then, and nothing that takes it back: a crash now may bring it.
            return Err(uncertain(error, "a write"));
        }
        Ok(meta)
    }

    fn take_from(&self, cell: &SegmentCell, removal: Removal, then: impl FnOnce(&mut Segment, u32)) -> Result<()> {
        cell.write(|segment| match segment.seek(&self.digest)? {
            Some((slot, record)) => {
                segment.remove(self.set, slot, &record, removal)?;
                segment.tidy();
                then(segment, slot);
                Ok(())
            }
            None => Ok(()),
        })
    }

    /// The record as it is in `holder`, and what becomes of it.
    fn gather(&self, holder: Option<&SegmentCell>) -> Result<Gathered<'a>> {
        let mut fetched: Fetched = None;
        for _ in 0..ATTEMPTS {
            let stored = match holder {
                None => (self.allow(None)?, self.stored(None, &None)?),
                Some(cell) => {
                    let segment = cell.read();
                    let old = self.admit(&segment, segment.seek(&self.digest)?)?;
                    let stored = self.stored(old.as_ref().map(|record| Old::new(&segment, record)).as_ref(), &fetched)?;
                    (old, stored)
                }
            };
            match stored {
                (old, Stored::Body(body)) => return Ok((old, Some(body))),
                (old, Stored::Nothing) => return Ok((old, None)),
                (_, Stored::Read(record)) => fetched = self.fetch(record)?,
            }
        }
        Err(self.lost())
    }
}
