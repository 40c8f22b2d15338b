//! Writing and deleting single records.

use super::old::{Old, Stored};
use super::options::{Lookup, WriteOptions, Written};
use super::read::live;
use super::rules::{self, Change, Rules, check_generation};
use crate::metrics::{About, Operation};
use crate::segment::{Effect, Removal, Segment};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use crate::store::visibility::{Awaited, uncertain};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, clock, sentence};
use tessera_record::filter::Filter;
use tessera_record::{Digest, Meta};
use tessera_storage::{Admission, SlotRecord};

/// Device reads that lose a race with another writer this often in a row are given up.
pub(super) const ATTEMPTS: usize = 64;
/// While the clock is behind, times of last update go on by a millisecond this often at most.
const STEP: Duration = Duration::from_millis(2);

/// One attempt under a segment's lock.
pub(super) enum Attempt {
    Done(Written),
    /// The record's body has to be read from the device before bins can be merged.
    Read(SlotRecord),
}

/// What reading a body from the device came to, and the version that it is of; the error is that it is damaged.
pub(super) type Fetched = Option<(SlotRecord, Result<Vec<u8>>)>;

impl RecordStore {
    /// Writes a record whose body is `body` (key and bins, `tessera_record::body`).
    ///
    /// # Errors
    /// `record_too_large`, `single_bin`, `stop_writes`, `set_quota`, `record_exists`, `record_not_found`, `generation_mismatch`, `ttl_invalid`, key, set and
    /// storage errors. After an error nothing has changed, except that `write_uncertain` from the final sync leaves
    /// it open whether the write will survive a restart.
    pub fn put<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, body: &[u8], options: &WriteOptions) -> Result<Written> {
        self.put_if(set, key, body, options, None)
    }

    /// As `put`, of a record that passes `filter` or is not there yet.
    ///
    /// # Errors
    /// As `put`; `filtered_out`.
    pub fn put_if<'a>(
        &self,
        set: &str,
        key: impl Into<Lookup<'a>>,
        body: &[u8],
        options: &WriteOptions,
        filter: Option<&Filter>,
    ) -> Result<Written> {
        let lookup = key.into();
        let about = || About { filter, ..lookup.name.about(set) };
        self.latency.time(options.operation(), about, || self.change(set, lookup, Change::Put(body), options, filter))
    }

    /// As `put`, for a caller that counts its latency as a whole.
    pub(crate) fn put_of_batch(&self, set: &str, lookup: Lookup<'_>, body: &[u8], options: &WriteOptions) -> Result<Written> {
        self.change(set, lookup, Change::Put(body), options, None)
    }

    /// Makes one change, all at once.
    pub(super) fn change(
        &self,
        set: &str,
        lookup: Lookup<'_>,
        change: Change<'_>,
        options: &WriteOptions,
        filter: Option<&Filter>,
    ) -> Result<Written> {
        self.deciding(&|store| store.change_here(set, lookup, change, options, filter))
    }

    fn change_here(
        &self,
        set: &str,
        lookup: Lookup<'_>,
        change: Change<'_>,
        options: &WriteOptions,
        filter: Option<&Filter>,
    ) -> Result<Written> {
        self.check_open()?;
        let digest = lookup.digest(set, self.key_limit())?;
        let rules = self.rules(change, options, filter);
        // Behind the key: a body holds it, and a key that is too long is to be told as that.
        rules.check(self.max_record_bytes())?;
        if let Some(remote) = self.remote() {
            return self.carried(set, &digest, || self.change_remote(remote, set, &digest, &rules));
        }
        self.cell(self.home(&digest)).prefetch(&digest);
        let set = self.sets.lend_or_create(set)?;
        let write = Write { store: self, set: &set, digest, rules };
        let written = self.admitted(admission(change), || write.run());
        if written.as_ref().is_err_and(|error| error.code.is_of_room()) {
            self.want_hidden_room();
        }
        // Also after an error: it may have left a part of the change.
        self.carry(&digest)?;
        let written = written?;
        match (options.defer_sync, written.removed) {
            (true, _) => {}
            (false, false) => self.settle()?,
            // A delete is durable whatever the namespace's durability.
            (false, true) => self.sync()?,
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
        let lookup = key.into();
        self.latency.time(Operation::Delete, || lookup.name.about(set), || self.delete_of_batch(set, lookup, options))
    }

    /// As `delete_with`, for a caller that counts its latency as a whole.
    pub(crate) fn delete_of_batch(&self, set: &str, lookup: Lookup<'_>, options: &WriteOptions) -> Result<bool> {
        self.deciding(&|store| store.delete_here(set, lookup, options))
    }

    fn delete_here(&self, set: &str, lookup: Lookup<'_>, options: &WriteOptions) -> Result<bool> {
        self.check_open()?;
        let digest = lookup.digest(set, self.key_limit())?;
        if let Some(remote) = self.remote() {
            return self.carried(set, &digest, || self.delete_remote(remote, set, &digest, options));
        }
        let Some(set) = self.sets.find(set) else { return Ok(false) };
        let awaited = Awaited::default();
        let mut taken = Taken::default();
        let done = self.take_away(&set, &digest, Taker::Caller(options, &awaited), &mut taken);
        self.carry(&digest)?;
        if !taken.seen {
            // Whatever it was refused for, or not found for, must not be taken back.
            self.answer(&awaited)?;
        }
        done.map_err(|error| if taken.any() { uncertain(error, "a part of the delete") } else { error })?;
        if taken.any() && !options.defer_sync {
            // A delete is durable whatever the namespace's durability.
            self.sync()?;
        }
        Ok(taken.seen)
    }

    /// Removes a record that no caller can see, and that the undo of a truncation would bring back. For an answer that there is none.
    fn take_hidden(&self, set: &SetEntry, digest: &Digest, awaited: &Awaited, defer_sync: bool) -> Result<()> {
        let mut taken = Taken::default();
        self.take_away(set, digest, Taker::Missed(awaited), &mut taken)?;
        if taken.hidden && !defer_sync { self.sync() } else { Ok(()) }
    }

    /// Removes a record from wherever it is, and notes what it was.
    pub(in crate::store) fn take_away(&self, set: &SetEntry, digest: &Digest, taker: Taker<'_>, taken: &mut Taken) -> Result<()> {
        let check = || match taker {
            Taker::Caller(..) | Taker::Missed(_) => self.check_open(),
            Taker::Mirror => self.check_whole(),
        };
        let mut remove = |segment: &mut Segment| -> Result<()> {
            // Under the lock, as a write: what has passed this segment since must not meet a change.
            check()?;
            if let Taker::Caller(_, awaited) | Taker::Missed(awaited) = taker {
                self.meet(segment, digest, awaited);
            }
            let Some((slot, record)) = segment.seek(digest)? else { return Ok(()) };
            // An expired or truncated record is gone for the caller.
            let hidden = self.hides(segment, slot, &record.meta);
            let gone = hidden || record.meta.expired(clock::unix_seconds());
            match taker {
                Taker::Caller(options, _) if !gone => check_generation(record.meta.generation, options)?,
                // What it expects of a record is not so: it changes nothing.
                Taker::Caller(options, _) if options.expected_generation.is_some() => return Ok(()),
                Taker::Missed(_) if !hidden => return Ok(()),
                Taker::Caller(..) | Taker::Missed(_) | Taker::Mirror => {}
            }
            segment.remove(set, slot, &record, Removal::Logged)?;
            segment.tidy();
            self.enter(segment, set, digest, slot, Effect::Removed);
            taken.hidden |= hidden;
            taken.seen |= !gone || matches!(taker, Taker::Mirror);
            Ok(())
        };
        self.admitted(Admission::Delete, || {
            match &set.distribution {
                None => {
                    let home = self.home(digest);
                    self.heat.wrote(home, 1);
                    self.cell(home).write(&mut remove)?;
                }
                Some(distribution) => {
                    let _key = self.hold_key(digest);
                    check()?;
                    self.bury(digest)?;
                    if let Taker::Caller(_, awaited) | Taker::Missed(awaited) = taker {
                        self.miss(digest, awaited);
                    }
                    for id in distribution.directory.candidates(digest) {
                        self.heat.wrote(id, 1);
                        self.segments[usize::from(id)].write(&mut remove)?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Most bytes of a record's body.
    pub(crate) fn max_record_bytes(&self) -> usize {
        let own = self.max_record_bytes.load(Ordering::Relaxed) as usize;
        self.link.bounds().map_or(own, |bounds| own.min(bounds.record_bytes))
    }

    pub(crate) fn check_length(&self, bytes: usize) -> Result<()> {
        rules::check_length(bytes, self.max_record_bytes())
    }

    /// Time of a write, Unix milliseconds; never before an earlier one, or a truncation that has begun.
    pub(crate) fn stamp(&self) -> u64 {
        let (now, floor) = (clock::unix_millis(), self.update_floor.load(Ordering::Acquire));
        // Raised once a millisecond, not by every write.
        if now > floor {
            self.update_floor.fetch_max(now, Ordering::AcqRel).max(now)
        } else if floor - now <= 1 {
            floor
        } else {
            self.step_on()
        }
    }

    /// The time of a write while the clock is behind earlier ones. It goes on at half the clock's pace at most, so that the clock
    /// catches up. If it stood still, a record that is deleted and written again could not be told from its older copies.
    fn step_on(&self) -> u64 {
        let mut stepped = self.stepped.lock();
        if stepped.is_some_and(|at| at.elapsed() < STEP) {
            return self.update_floor.load(Ordering::Acquire);
        }
        *stepped = Some(Instant::now());
        self.update_floor.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// Who takes a record away.
#[derive(Clone, Copy)]
pub(in crate::store) enum Taker<'a> {
    /// With its policy, and what the answer waits for.
    Caller(&'a WriteOptions, &'a Awaited),
    /// A caller whose delete found none: what is hidden goes, and nothing else.
    Missed(&'a Awaited),
    /// Another store has none.
    Mirror,
}

/// What was taken away.
#[derive(Clone, Copy, Default)]
pub(in crate::store) struct Taken {
    /// The caller could see it, or another store's copy was there.
    pub(in crate::store) seen: bool,
    /// A truncation hid it, and its undo would have brought it back.
    hidden: bool,
}

impl Taken {
    const fn any(self) -> bool {
        self.seen || self.hidden
    }
}

/// What only deletes goes on where there is no room left.
fn admission(change: Change<'_>) -> Admission {
    match change {
        Change::Operate(run) if run.only_deletes() => Admission::Delete,
        _ => Admission::Write,
    }
}

/// One write on its way in.
pub(in crate::store) struct Write<'a> {
    pub(in crate::store) store: &'a RecordStore,
    pub(in crate::store) set: &'a SetEntry,
    pub(in crate::store) digest: Digest,
    pub(in crate::store) rules: Rules<'a>,
}

impl<'a> Write<'a> {
    pub(in crate::store) fn run(&self) -> Result<Written> {
        let done = match &self.set.distribution {
            None => self.placed_by_digest(),
            Some(distribution) => self.placed_by_bin(distribution),
        };
        done.or_else(|refused| {
            // Refused for what a record is, or is not: that must not be taken back.
            if refused.code.is_of_storage() {
                return Err(refused);
            }
            let awaited = Awaited::default();
            self.store.seek_everywhere(&self.set.name, &self.digest, None, &awaited, &mut |_, _| ())?;
            self.store.answer(&awaited)?;
            if self.misses(&refused) {
                self.store.take_hidden(self.set, &self.digest, &awaited, self.rules.options.defer_sync)?;
            }
            Err(refused)
        })
    }

    /// Whether it is a delete without a condition that found no record.
    fn misses(&self, refused: &Error) -> bool {
        let deletes = matches!(self.rules.change, Change::Operate(run) if run.deletes());
        let condition = self.rules.filter.is_some() || self.rules.options.expected_generation.is_some();
        deletes && !condition && refused.code == ErrorCode::RecordNotFound
    }

    /// Whether it may change something now.
    pub(super) fn check(&self) -> Result<()> {
        if self.copies() { self.store.check_whole() } else { self.store.check_open() }
    }

    /// Whether another store has decided it. Then the set's limits were that store's to look at: a record may come here before
    /// another has gone.
    pub(super) const fn copies(&self) -> bool {
        matches!(self.rules.change, Change::Copy(..))
    }

    fn placed_by_digest(&self) -> Result<Written> {
        let home = self.store.home(&self.digest);
        self.store.heat.wrote(home, 1);
        let cell = self.store.cell(home);
        let (mut fetched, mut turn): (Fetched, _) = (None, None);
        for _ in 0..ATTEMPTS {
            match cell.write(|segment| self.step(segment, &fetched))? {
                Attempt::Done(written) => return Ok(written),
                Attempt::Read(record) => {
                    // In turn: each of many writers of one record would make the others read again.
                    turn.get_or_insert_with(|| self.store.hold_key(&self.digest));
                    fetched = self.fetch(record)?;
                }
            }
        }
        Err(self.lost())
    }

    /// One attempt in the segment of the record; the caller holds its lock.
    pub(super) fn step(&self, segment: &mut Segment, fetched: &Fetched) -> Result<Attempt> {
        // Checked again under the lock: after `close` has passed this segment nothing changes any more.
        self.check()?;
        let there = segment.seek(&self.digest)?;
        let old = self.admit(segment, there)?;
        let stored = self.stored(old.as_ref().map(|record| Old::new(segment, record)).as_ref(), fetched)?;
        let meta = self.next_meta(old.as_ref());
        let body = match stored {
            Stored::Body(body) => body,
            Stored::Read(record) => return Ok(Attempt::Read(record)),
            Stored::Nothing => {
                if let Some((slot, record)) = there {
                    segment.remove(self.set, slot, &record, Removal::Logged)?;
                    segment.tidy();
                    self.store.enter(segment, self.set, &self.digest, slot, Effect::Removed);
                }
                return Ok(Attempt::Done(self.removed(meta)));
            }
        };
        let had = there.map_or(0, |(_, record)| segment.stored_bytes(record.location));
        self.store.check_growth(had, segment.put_bytes(self.set, body.len()))?;
        let (slot, effect) = match there {
            Some((slot, record)) => {
                match self.copies() {
                    false => segment.overwrite(self.set, slot, &record, meta, &body)?,
                    true => segment.overwrite_with(self.set, slot, &record, meta, &body)?,
                }
                (slot, Effect::Replaced)
            }
            None if self.copies() => (segment.receive(self.set, self.digest, meta, &body)?, Effect::Created),
            None => (segment.insert(self.set, self.digest, meta, &body)?, Effect::Created),
        };
        self.store.enter(segment, self.set, &self.digest, slot, effect);
        Ok(Attempt::Done(Written { digest: self.digest, meta, created: old.is_none(), removed: false }))
    }

    pub(super) fn removed(&self, meta: Meta) -> Written {
        Written { digest: self.digest, meta, created: false, removed: true }
    }

    /// The record of a segment as the caller sees it (an expired or truncated one is absent), unless the options refuse the write.
    pub(super) fn admit(&self, segment: &Segment, there: Option<(u32, SlotRecord)>) -> Result<Option<SlotRecord>> {
        let seen = |(slot, record): &(u32, SlotRecord)| live(&record.meta) && !self.store.hides(segment, *slot, &record.meta);
        self.allow(there.filter(seen).map(|(_, record)| record))
    }

    pub(super) fn allow(&self, old: Option<SlotRecord>) -> Result<Option<SlotRecord>> {
        self.rules.allow(old.as_ref().map(|record| &record.meta))?;
        Ok(old)
    }

    /// Metadata of the next version of a record.
    pub(super) fn next_meta(&self, old: Option<&SlotRecord>) -> Meta {
        let default_ttl = self.store.default_ttl.load(Ordering::Relaxed);
        self.rules.next_meta(old.map(|record| &record.meta), self.store.stamp(), default_ttl)
    }

    pub(super) fn fetch(&self, record: SlotRecord) -> Result<Fetched> {
        let mut body = Vec::new();
        let mut read = || self.store.storage.read(record.location, &self.digest, &record.meta, &mut body);
        let found = match read() {
            // It may have been removed and put again while it was read: see `fetch_body`.
            Err(error) if error.code == ErrorCode::RecordDamaged => read(),
            found => found,
        };
        match found {
            Ok(found) => Ok(found.then_some((record, Ok(body)))),
            Err(error) if error.code == ErrorCode::RecordDamaged => Ok(Some((record, Err(error)))),
            Err(error) => Err(error),
        }
    }

    /// As `fetch_body` does: the index and the device disagree.
    pub(super) fn lost(&self) -> Error {
        self.store.storage.note_damaged_read();
        Error::said(
            ErrorCode::RecordDamaged,
            sentence!("the record {digest} is not where the index says it is", digest = self.digest.to_string()),
        )
    }
}

#[cfg(test)]
mod tests;
