//! Making a record in one store what it is in the other.

use super::{MetRecord, Mirror, Seen, none_follows};
use crate::segment::{Segment, fetch_body};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use crate::store::records::{Change, Taken, Taker, Write, WriteOptions};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::{BodyRef, Digest, Meta};
use tessera_storage::{Admission, SlotRecord};

/// A change waits so long for a cluster that does not take it, before the store there is given up.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Why a record is made the same, which says whether the other store is looked at before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It was changed, so it differs.
    Change,
    /// It is copied. A copy that is being filled lacks it, most likely.
    Copy,
    /// It seems to differ, or a change of it is on its way.
    Difference,
}

/// What making a record the same has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was, or was about to be: a change of it was on its way.
    Same,
    Written,
    Removed,
}

impl Mirror {
    /// Carries a change that was noted, unless another has.
    ///
    /// # Errors
    /// As `give_up`.
    fn carry(&self, leader: &RecordStore, digest: &Digest) -> Result<()> {
        if let Some(error) = self.failure() {
            leader.link.take(digest);
            return self.give_up(&error);
        }
        let _turn = self.turn(digest);
        // Taken before the look: a change behind it is noted again.
        let Some(set) = leader.link.take(digest).and_then(|id| leader.sets.by_id(id)) else { return Ok(()) };
        let began = Instant::now();
        loop {
            match self.bring(leader, &set.name, digest, Reason::Change) {
                // To bring it twice does no harm.
                Err(error) if passes(&error) && began.elapsed() < PATIENCE => thread::sleep(PAUSE),
                brought => return brought.map(drop).or_else(|error| self.give_up(&error)),
            }
        }
    }

    /// Looks at a record here and makes it the same there; its turn is held.
    fn bring(&self, leader: &RecordStore, set: &str, digest: &Digest, why: Reason) -> Result<Outcome> {
        let (mut body, target) = (Vec::new(), &self.target);
        let here = leader.current(set, digest, &mut body)?;
        let Some(meta) = here.filter(|meta| target.takes(meta)) else {
            return Ok(if target.drop_copy(set, digest, why)? { Outcome::Removed } else { Outcome::Same });
        };
        let looks = match why {
            Reason::Change => false,
            Reason::Copy => !target.fills(),
            Reason::Difference => true,
        };
        if looks && target.has(set, digest, meta, &body)? {
            return Ok(Outcome::Same);
        }
        target.take_over(set, *digest, meta, &body)?;
        Ok(Outcome::Written)
    }
}

/// Whether what a store answered may be over soon: a cluster is slow, or a node of it has just gone.
pub(crate) fn passes(error: &Error) -> bool {
    matches!(error.code, ErrorCode::ClusterUnavailable | ErrorCode::WriteUncertain)
}

impl RecordStore {
    /// Carries the change of a record to the store that follows, if one does, and none has yet.
    ///
    /// # Errors
    /// `write_uncertain`: see `Mirror::give_up`. What the other store refuses is no error of this one.
    #[inline]
    pub(in crate::store) fn carry(&self, digest: &Digest) -> Result<()> {
        self.link.carrying(|mirror| mirror.carry(self, digest)).unwrap_or(Ok(()))
    }

    /// Carries all changes that are noted.
    ///
    /// # Errors
    /// As `carry`.
    pub(in crate::store) fn carry_all(&self) -> Result<()> {
        self.link.carrying(|mirror| mirror.carry_all(self)).unwrap_or(Ok(()))
    }

    /// Makes a record in the store that follows the same as it is here. A change on its way counts as the same.
    ///
    /// # Errors
    /// What reading here and writing there returns; `migration_failed` if no store follows.
    pub(crate) fn converge(&self, set: &str, digest: &Digest, why: Reason) -> Result<Outcome> {
        let converged = self.link.carrying(|mirror| {
            mirror.check()?;
            let _turn = mirror.turn(digest);
            let was_noted = self.link.take(digest).is_some();
            let outcome = mirror.bring(self, set, digest, why)?;
            Ok(if was_noted || self.link.is_noted(digest) { Outcome::Same } else { outcome })
        });
        converged.unwrap_or_else(|| Err(none_follows()))
    }

    /// Whether a record that a walk has met in one of the two stores is the same in the other. One that is not, or cannot be read, is for
    /// `converge`: a change of it may be on its way. `seen`: of the other store, where it is noted.
    pub(crate) fn is_same(&self, met_here: bool, set: &str, met: &MetRecord, seen: Option<&Seen>) -> bool {
        let compared: Option<Result<bool>> = self.link.carrying(|mirror| {
            mirror.check()?;
            let (walked, other) = if met_here { (self, &*mirror.target) } else { (&*mirror.target, self) };
            let mut read = Vec::new();
            let (meta, body) = match &met.version {
                Some((meta, body)) => (*meta, &body[..]),
                None => match walked.current(set, &met.digest, &mut read)? {
                    Some(meta) => (meta, &read[..]),
                    None => return Ok(false),
                },
            };
            let same = mirror.target.takes(&meta) && other.has(set, &met.digest, meta, body)?;
            if let Some(seen) = seen.filter(|_| same) {
                other.see(seen, &met.digest)?;
            }
            Ok(same)
        });
        matches!(compared, Some(Ok(true)))
    }

    /// A record as it is here, expired or not, unless a truncation has taken it; its body in `out`.
    pub(in crate::store) fn current(&self, set: &str, digest: &Digest, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        match self.remote() {
            Some(remote) => self.version_elsewhere(remote, digest, out),
            None => self.sets.find(set).map_or(Ok(None), |set| self.version(&set, digest, out)),
        }
    }

    fn version(&self, set: &SetEntry, digest: &Digest, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        let Some(distribution) = &set.distribution else { return self.version_in(self.home(digest), digest, out) };
        let _key = self.hold_key(digest);
        for id in distribution.directory.candidates(digest) {
            if let Some(meta) = self.version_in(id, digest, out)? {
                return Ok(Some(meta));
            }
        }
        Ok(None)
    }

    fn version_in(&self, id: u16, digest: &Digest, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        let cell = self.cell(id);
        let seek = |segment: &Segment| -> Result<Option<SlotRecord>> {
            let found = segment.seek(digest)?.filter(|(slot, record)| !self.hides(segment, *slot, &record.meta));
            Ok(found.map(|(_, record)| record))
        };
        let met = {
            let segment = cell.read_in_turn();
            let Some(record) = seek(&segment)? else { return Ok(None) };
            if let Some(body) = segment.resident(record.location) {
                out.clear();
                out.extend_from_slice(body);
                return Ok(Some(record.meta));
            }
            record
        };
        Ok(fetch_body(&*self.storage, met, &|| seek(&cell.read_in_turn()), out)?.map(|record| record.meta))
    }

    /// Whether a record is here, whole and the same.
    fn has(&self, set: &str, digest: &Digest, meta: Meta, body: &[u8]) -> Result<bool> {
        if let Some(remote) = self.remote() {
            return self.has_elsewhere(remote, digest, meta, body);
        }
        let mut mine = Vec::new();
        Ok(self.current(set, digest, &mut mine)? == Some(meta) && mine == body)
    }

    /// Stores a version that another store has decided, as it is.
    ///
    /// # Errors
    /// `key_too_long`, `record_too_large`; those of a write whose rules let it pass.
    pub(crate) fn take_over(&self, set: &str, digest: Digest, meta: Meta, body: &[u8]) -> Result<()> {
        self.check_whole()?;
        self.key_limit().check(BodyRef::new(body).key())?;
        let options = WriteOptions::default();
        let rules = self.rules(Change::Copy(meta, body), &options, None);
        rules.check(self.max_record_bytes())?;
        if let Some(remote) = self.remote() {
            return match remote.fills() {
                true => self.fill(remote, set, &digest, Some((meta, body))),
                false => self.change_remote(remote, set, &digest, &rules).map(drop),
            };
        }
        // What is truncated here later is never taken for older than this.
        self.update_floor.fetch_max(meta.updated_at, Ordering::AcqRel);
        let set = self.sets.find_or_create(set)?;
        let write = Write { store: self, set: &set, digest, rules };
        self.admitted(Admission::Write, || write.run()).map(drop)
    }

    /// For tests: a record that no other store has.
    #[cfg(test)]
    pub(crate) fn plant(&self, set: &str, digest: Digest, body: &[u8]) {
        self.take_over(set, digest, Meta { generation: 1, expires_at: 0, updated_at: 1 }, body).unwrap();
    }

    /// Removes a record that another store does not have; whether there was one.
    pub(crate) fn drop_copy(&self, set: &str, digest: &Digest, why: Reason) -> Result<bool> {
        self.check_whole()?;
        if let Some(remote) = self.remote() {
            return match remote.fills() {
                true => self.clear(remote, set, digest, why),
                false => remote.delete(set, digest, &|_| Ok(())),
            };
        }
        let Some(set) = self.sets.find(set) else { return Ok(false) };
        if self.version(&set, digest, &mut Vec::new())?.is_none() {
            return Ok(false);
        }
        let mut taken = Taken::default();
        self.take_away(&set, digest, Taker::Mirror, &mut taken)?;
        Ok(taken.seen)
    }
}

impl Mirror {
    pub(super) fn carry_all(&self, leader: &RecordStore) -> Result<()> {
        leader.link.all_noted().iter().try_for_each(|digest| self.carry(leader, digest))
    }
}
