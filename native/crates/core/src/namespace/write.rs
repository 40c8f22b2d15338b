//! Writing and deleting single records.

use super::Namespace;
use super::merge::{merge, without_nulls};
use super::moves::Follower;
use super::options::{Exists, Lookup, WriteOptions, Written, route_of_body};
use super::read::live;
use crate::clock;
use crate::error::{Error, ErrorCode, Result};
use crate::limits;
use crate::metrics::Operation;
use crate::record::{BodyRef, Digest, Meta, Ttl};
use crate::segment::{Removal, Segment, SegmentCell, SlotRecord};
use crate::sets::{Distribution, SetEntry};
use crate::storage::Admission;
use parking_lot::RwLockReadGuard;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Device reads that lose a race with another writer this often in a row are given up.
const ATTEMPTS: usize = 64;

/// One attempt under a segment's lock.
pub(super) enum Step {
    Done(Written),
    /// The record's body has to be read from the device before bins can be merged.
    Read(SlotRecord),
}

/// What goes into the segment.
enum Stored<'a> {
    Body(Cow<'a, [u8]>),
    Read(SlotRecord),
}

/// How a segment takes a record that it does not have.
type Add = fn(&mut Segment, &SetEntry, Digest, Meta, &[u8]) -> Result<u32>;

/// What reading a body from the device came to, and the version that it is of; the error is that it is damaged.
pub(super) type Fetched = Option<(SlotRecord, Result<Vec<u8>>)>;

impl Namespace {
    /// Writes a record whose body is `body` (key and bins, `record::body`).
    ///
    /// # Errors
    /// `record_too_large`, `single_bin`, `stop_writes`, `set_quota`, `record_exists`, `record_not_found`, `generation_mismatch`, `ttl_invalid`, key, set and
    /// storage errors. After an error nothing has changed, except that `storage_failed` from the final sync leaves
    /// it open whether the write will survive a restart.
    pub fn put<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, body: &[u8], options: &WriteOptions) -> Result<Written> {
        let op = if matches!(options.exists, Exists::UpdateOnly | Exists::Merge) { Operation::Update } else { Operation::Put };
        self.latency.time(op, || self.put_of_batch(set, key.into(), body, options))
    }

    /// As `put`, for a caller that counts its latency as a whole.
    pub(crate) fn put_of_batch(&self, set: &str, lookup: Lookup<'_>, body: &[u8], options: &WriteOptions) -> Result<Written> {
        self.check_open()?;
        self.check_length(body.len())?;
        let digest = lookup.digest(set)?;
        self.segments[usize::from(digest.segment(self.config.segments))].prefetch(&digest);
        if let Ttl::Seconds(seconds) = options.ttl {
            crate::config::check_ttl(seconds, "ttl")?;
        }
        let set = self.sets.lend_or_create(set)?;
        let write = Write { namespace: self, set: &set, digest, body, options };
        let written = self.admitted(Admission::Write, || write.run())?;
        if !options.defer_sync {
            self.settle()?;
        }
        Ok(written)
    }

    /// Deletes a record; `false` when there is none. `expected_generation`, when given, must be the record's.
    ///
    /// # Errors
    /// `generation_mismatch`, key and storage errors.
    pub fn delete<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, expected_generation: Option<u16>) -> Result<bool> {
        let options = WriteOptions { expected_generation, ..WriteOptions::default() };
        self.delete_with(set, key, &options)
    }

    /// As `delete`, with the generation policy and the sync of `options`; the rest of `options` does not matter.
    ///
    /// # Errors
    /// As `delete`.
    pub fn delete_with<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, options: &WriteOptions) -> Result<bool> {
        self.latency.time(Operation::Delete, || self.delete_of_batch(set, key.into(), options))
    }

    /// As `delete_with`, for a caller that counts its latency as a whole.
    pub(crate) fn delete_of_batch(&self, set: &str, lookup: Lookup<'_>, options: &WriteOptions) -> Result<bool> {
        self.check_open()?;
        let digest = lookup.digest(set)?;
        let Some(set) = self.sets.find(set) else { return Ok(false) };
        let remove = |segment: &mut Segment| -> Result<bool> {
            let Some((slot, record)) = find(segment, &digest) else { return Ok(false) };
            // An expired or truncated record is gone for the caller; taking it away now is others' work done early.
            let expired = record.meta.expired(clock::unix_seconds()) || self.hides(segment, &digest, &record.meta);
            if !expired {
                check_generation(record.meta.generation, options)?;
            }
            segment.remove(&set, slot, &record, Removal::Logged)?;
            segment.tidy();
            Ok(!expired)
        };
        let mut removed = false;
        self.admitted(Admission::Delete, || {
            match &set.distribution {
                None => removed = self.segments[usize::from(digest.segment(self.config.segments))].write(remove)?,
                Some(distribution) => {
                    let _key = self.stripe(&digest).lock();
                    self.bury(&digest)?;
                    for id in distribution.directory.candidates(&digest) {
                        removed |= self.segments[usize::from(id)].write(remove)?;
                    }
                }
            }
            Ok(())
        })?;
        if removed && !options.defer_sync {
            // A delete is durable whatever the namespace's durability.
            self.sync()?;
        }
        Ok(removed)
    }

    pub(crate) fn check_length(&self, bytes: usize) -> Result<()> {
        let most = self.max_record_bytes.load(Ordering::Relaxed) as usize;
        if bytes > most {
            return Err(Error::new(ErrorCode::RecordTooLarge, format!("a record is at most {most} bytes here, not {bytes}")));
        }
        Ok(())
    }

    /// Time of a write, Unix milliseconds; never before an earlier one, or a truncation that has begun.
    pub(super) fn stamp(&self) -> u64 {
        let (now, floor) = (clock::unix_millis(), self.update_floor.load(Ordering::Acquire));
        // Raised once a millisecond, not by every write.
        if now > floor { self.update_floor.fetch_max(now, Ordering::AcqRel).max(now) } else { floor }
    }

    /// Metadata of the next version of a record.
    pub(super) fn next_meta(&self, old: Option<&Meta>, ttl: Ttl) -> Meta {
        let updated_at = self.stamp();
        // By the clock: times of last update may be ahead of it.
        let lasts = |seconds: u32| if seconds == 0 { 0 } else { clock::unix_seconds().saturating_add(seconds) };
        let default = || lasts(self.default_ttl.load(Ordering::Relaxed));
        let expires_at = match ttl {
            Ttl::Default => default(),
            Ttl::Never => 0,
            Ttl::Keep => old.map_or_else(default, |meta| meta.expires_at),
            Ttl::Seconds(seconds) => lasts(seconds.min(limits::TTL_SECONDS)),
        };
        let generation = old.map_or(1, |meta| meta.generation.checked_add(1).unwrap_or(1));
        Meta { generation, expires_at, updated_at }
    }
}

pub(super) fn find(segment: &Segment, digest: &Digest) -> Option<(u32, SlotRecord)> {
    let slot = segment.find(digest)?;
    Some((slot, segment.record(slot)?))
}

fn check_generation(found: u16, options: &WriteOptions) -> Result<()> {
    let fits = |expected: u16| if options.generation_greater { expected > found } else { expected == found };
    match options.expected_generation {
        Some(expected) if !fits(expected) => {
            Err(Error::new(ErrorCode::GenerationMismatch, format!("the record's generation is {found}, not {expected}"))
                .in_field("generation"))
        }
        _ => Ok(()),
    }
}

/// One write on its way in.
pub(super) struct Write<'a> {
    pub(super) namespace: &'a Namespace,
    pub(super) set: &'a SetEntry,
    pub(super) digest: Digest,
    pub(super) body: &'a [u8],
    pub(super) options: &'a WriteOptions,
}

impl<'a> Write<'a> {
    pub(super) fn run(&self) -> Result<Written> {
        match &self.set.distribution {
            None => self.placed_by_digest(),
            Some(distribution) => self.placed_by_bin(distribution),
        }
    }

    fn placed_by_digest(&self) -> Result<Written> {
        let cell = &self.namespace.segments[usize::from(self.digest.segment(self.namespace.config.segments))];
        let mut fetched: Fetched = None;
        for _ in 0..ATTEMPTS {
            match cell.write(|segment| self.step(segment, &fetched))? {
                Step::Done(written) => return Ok(written),
                Step::Read(record) => fetched = self.fetch(record)?,
            }
        }
        Err(self.lost())
    }

    /// One attempt in the segment of the record; the caller holds its lock.
    pub(super) fn step(&self, segment: &mut Segment, fetched: &Fetched) -> Result<Step> {
        // Checked again under the lock: after `close` has passed this segment nothing changes any more.
        self.namespace.check_open()?;
        let there = find(segment, &self.digest);
        let old = self.admit(segment, there.map(|(_, record)| record))?;
        let resident = old.as_ref().and_then(|record| segment.resident(record.location));
        let body = match self.stored(old.as_ref(), resident, fetched)? {
            Stored::Body(body) => body,
            Stored::Read(record) => return Ok(Step::Read(record)),
        };
        let had = there.map_or(0, |(_, record)| segment.stored_bytes(record.location));
        self.namespace.check_growth(had, segment.put_bytes(self.set, body.len()))?;
        let meta = self.namespace.next_meta(old.as_ref().map(|record| &record.meta), self.options.ttl);
        match there {
            Some((slot, record)) => segment.overwrite(self.set, slot, &record, meta, &body)?,
            None => {
                segment.insert(self.set, self.digest, meta, &body)?;
            }
        }
        Ok(Step::Done(Written { digest: self.digest, meta, created: old.is_none() }))
    }

    /// The record of a segment as the caller sees it (an expired or truncated one is absent), unless the options refuse the write.
    fn admit(&self, segment: &Segment, there: Option<SlotRecord>) -> Result<Option<SlotRecord>> {
        self.allow(there.filter(|record| live(&record.meta) && !self.namespace.hides(segment, &self.digest, &record.meta)))
    }

    fn allow(&self, old: Option<SlotRecord>) -> Result<Option<SlotRecord>> {
        match (self.options.exists, &old) {
            (Exists::CreateOnly, Some(_)) => return Err(Error::new(ErrorCode::RecordExists, "the record exists already")),
            (Exists::ReplaceOnly | Exists::UpdateOnly, None) => {
                return Err(Error::new(ErrorCode::RecordNotFound, "there is no such record"));
            }
            _ => {}
        }
        check_generation(old.map_or(0, |record| record.meta.generation), self.options)?;
        Ok(old)
    }

    /// The body to store, merged with the old one where the options say so.
    fn stored(&self, old: Option<&SlotRecord>, resident: Option<&[u8]>, fetched: &Fetched) -> Result<Stored<'a>> {
        if !matches!(self.options.exists, Exists::Merge | Exists::UpdateOnly) {
            return Ok(Stored::Body(match self.namespace.config.single_bin {
                true => Cow::Owned(BodyRef::new(self.body).unnamed()?),
                false => Cow::Borrowed(self.body),
            }));
        }
        let new = BodyRef::new(self.body);
        if self.namespace.config.single_bin {
            new.raw_bins().try_for_each(|(name, _)| limits::check_single_bin(&String::from_utf8_lossy(name), "bins"))?;
        }
        let mut merged = Vec::new();
        match old {
            None => without_nulls(new, &mut merged)?,
            Some(record) => {
                let known = fetched.as_ref().filter(|(read, _)| read == record);
                let body = match (resident, known) {
                    (Some(body), _) => body,
                    (None, Some((_, Ok(body)))) => body.as_slice(),
                    (None, Some((_, Err(damaged)))) => {
                        self.namespace.storage.note_damaged_read();
                        return Err(damaged.clone());
                    }
                    (None, None) => return Ok(Stored::Read(*record)),
                };
                merge(BodyRef::new(body), new, &mut merged)?;
            }
        }
        if self.namespace.config.single_bin {
            merged = BodyRef::new(&merged).unnamed()?;
        }
        self.namespace.check_length(merged.len())?;
        Ok(Stored::Body(Cow::Owned(merged)))
    }

    fn fetch(&self, record: SlotRecord) -> Result<Fetched> {
        let mut body = Vec::new();
        match self.namespace.storage.read(record.location, &self.digest, &record.meta, &mut body) {
            Ok(found) => Ok(found.then_some((record, Ok(body)))),
            Err(error) if error.code == ErrorCode::RecordDamaged => Ok(Some((record, Err(error)))),
            Err(error) => Err(error),
        }
    }

    fn lost(&self) -> Error {
        Error::new(ErrorCode::RecordDamaged, format!("the record {} is not where the index says it is", self.digest))
    }

    /// Puts the record where its distribution bin says, and takes it away from where it was. The key's lock is held,
    /// so nobody else writes this record; segments are locked one at a time, the new one first, so that a reader
    /// always finds one of the two.
    fn placed_by_bin(&self, distribution: &Distribution) -> Result<Written> {
        let _key = self.namespace.stripe(&self.digest).lock();
        self.namespace.bury(&self.digest)?;
        let cells = &self.namespace.segments;
        let candidates = distribution.directory.candidates(&self.digest);
        let holder = candidates.into_iter().map(usize::from).find(|&id| cells[id].read().find(&self.digest).is_some());
        let (old, body) = self.gather(holder.map(|id| &cells[id]))?;
        let target = self.namespace.segment_of_route(route_of_body(BodyRef::new(&body), &distribution.bin));
        let had = holder.map_or(0, |id| self.stored_in(&cells[id]));
        let takes = cells[target].read().put_bytes(self.set, body.len());
        self.namespace.check_growth(had, takes)?;
        let meta = match holder.filter(|&id| id != target) {
            None => self.place(target, old.as_ref(), &body, Segment::insert)?,
            Some(left) => {
                // While it moves it is counted twice; its growth is claimed before, and let go after.
                let growth = takes.saturating_sub(had);
                self.set.claim(0, growth as u64)?;
                let moved = self.relocate(left, target, old.as_ref(), &body);
                self.set.count(0, -(growth as i64));
                moved?
            }
        };
        Ok(Written { digest: self.digest, meta, created: old.is_none() })
    }

    fn stored_in(&self, cell: &SegmentCell) -> usize {
        let segment = cell.read();
        find(&segment, &self.digest).map_or(0, |(_, record)| segment.stored_bytes(record.location))
    }

    /// Stores the record in a segment, with `add` where it is new there.
    fn place(&self, target: usize, old: Option<&SlotRecord>, body: &[u8], add: Add) -> Result<Meta> {
        self.namespace.segments[target].write(|segment| -> Result<Meta> {
            self.namespace.check_open()?;
            // Stamped under the lock, as a truncation that has passed this segment must not cover it after a restart.
            let meta = self.namespace.next_meta(old.map(|record| &record.meta), self.options.ttl);
            match find(segment, &self.digest) {
                Some((slot, record)) => segment.overwrite(self.set, slot, &record, meta, body)?,
                None => add(segment, self.set, self.digest, meta, body).map(drop)?,
            }
            Ok(meta)
        })
    }

    fn relocate(&self, left: usize, target: usize, old: Option<&SlotRecord>, body: &[u8]) -> Result<Meta> {
        let cells = &self.namespace.segments;
        let _moving = self.announce(left);
        let meta = self.place(target, old, body, Segment::receive)?;
        // The tombstone must never be on disk without the record's new copy.
        let moved = self.namespace.sync().and_then(|()| self.take_from(&cells[left], Removal::Logged));
        if let Err(error) = moved {
            // It stays where it was.
            if self.take_from(&cells[target], Removal::Logged).is_err() {
                self.take_from(&cells[target], Removal::Silent)?;
                self.namespace.unburied.note(&self.set.name, self.digest, target as u16);
            }
            return Err(error);
        }
        Ok(meta)
    }

    fn take_from(&self, cell: &SegmentCell, removal: Removal) -> Result<()> {
        cell.write(|segment| match find(segment, &self.digest) {
            Some((slot, record)) => segment.remove(self.set, slot, &record, removal).map(|()| segment.tidy()),
            None => Ok(()),
        })
    }

    /// Tells running scans that the record is about to leave a segment; to be held until it has.
    fn announce(&self, leaves: usize) -> RwLockReadGuard<'a, Vec<Arc<Follower>>> {
        let followers = self.namespace.moves.begin();
        if !followers.is_empty() {
            self.namespace.segments[leaves].write(|segment| {
                if let Some(slot) = segment.find(&self.digest) {
                    followers.iter().for_each(|follower| follower.leaves(leaves, slot, self.set.id, self.digest));
                }
            });
        }
        followers
    }

    /// The record as it is in `holder`, if it is anywhere, and the body to store.
    fn gather(&self, holder: Option<&SegmentCell>) -> Result<(Option<SlotRecord>, Cow<'a, [u8]>)> {
        let mut fetched: Fetched = None;
        for _ in 0..ATTEMPTS {
            let stored = match holder {
                None => (self.allow(None)?, self.stored(None, None, &None)?),
                Some(cell) => {
                    let segment = cell.read();
                    let old = self.admit(&segment, find(&segment, &self.digest).map(|(_, record)| record))?;
                    let resident = old.as_ref().and_then(|record| segment.resident(record.location));
                    (old, self.stored(old.as_ref(), resident, &fetched)?)
                }
            };
            match stored {
                (old, Stored::Body(body)) => return Ok((old, body)),
                (_, Stored::Read(record)) => fetched = self.fetch(record)?,
            }
        }
        Err(self.lost())
    }
}

#[cfg(test)]
mod tests;
