//! Under `commit` a read shows only what a crash cannot take back.
//!
//! A write changes the index first, and waits for its flush with no lock held. So each change is entered in its segment's table of changes
//! in flight, under the lock under which it is made, with the write point that its flush has to reach. Who reads a record, or finds that
//! there is none, and meets a change of it there waits for that point before it answers: it joins the group commit of the writer. After that
//! what it saw is durable, whatever was written since, so it never looks again. Who reads another record meets nothing and does not wait.
//!
//! Expiry enters nothing: what has expired is as absent after a crash. Copies that are moved to make room are of the same version, and a
//! truncation is in the manifest before anybody sees it.

use crate::config::{Durability, Reads};
use crate::segment::{Change, Effect, InFlight, Segment};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use tessera_base::{Error, ErrorCode, Result, thread_guard};
use tessera_jobs::chunk_stream::Gate;
use tessera_record::Digest;
use tessera_storage::Storage;

/// The greatest write point of the changes in flight that a read has met; 0 for none.
#[derive(Debug, Default)]
pub(crate) struct Awaited(AtomicU64);

impl Awaited {
    #[inline]
    fn note(&self, point: u64) {
        if point > 0 {
            self.0.fetch_max(point, Relaxed);
        }
    }

    /// Whether nothing has to be waited for.
    #[inline]
    pub(crate) fn is_nothing(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

/// What walks of many threads wait for before they give away what they have met.
pub(crate) struct Guard {
    storage: Arc<dyn Storage>,
    waits: Arc<AtomicU64>,
    pub(crate) awaited: Awaited,
}

impl Gate for Guard {
    /// Waits until all that was met so far is durable.
    ///
    /// # Errors
    /// `write_uncertain`.
    fn pass(&self) -> Result<()> {
        answer(&*self.storage, &self.awaited, &self.waits)
    }
}

/// What a namespace keeps for it, beside the tables of its segments.
pub(in crate::store) struct Visibility {
    commit: bool,
    latest: AtomicBool,
    /// Reads wait for changes in flight.
    committed: AtomicBool,
    /// How often a read had to wait.
    waits: Arc<AtomicU64>,
    /// Removals from sets with a distribution bin: where nothing is left, no segment is looked into.
    vanished: Mutex<InFlight>,
}

impl Visibility {
    pub(in crate::store) fn new(durability: Durability, reads: Reads) -> Self {
        let (commit, flag) = (durability == Durability::Commit, || AtomicBool::new(false));
        let made = Self { commit, latest: flag(), committed: flag(), waits: Arc::default(), vanished: Mutex::default() };
        made.choose(reads);
        made
    }

    pub(in crate::store) fn choose(&self, reads: Reads) {
        self.latest.store(reads == Reads::Latest, Relaxed);
        self.committed.store(self.commit && reads == Reads::Committed, Relaxed);
    }

    pub(in crate::store) fn reads(&self) -> Reads {
        if self.latest.load(Relaxed) { Reads::Latest } else { Reads::Committed }
    }
}

impl RecordStore {
    /// Enters a change that was made just now, for reads and for a mirror; the segment's lock is held since before.
    pub(in crate::store) fn enter(&self, segment: &mut Segment, set: &SetEntry, digest: &Digest, slot: u32, effect: Effect) {
        self.link.note(digest, set.id);
        self.watch.note(segment.id(), digest, set.id);
        if !self.visibility.commit {
            return;
        }
        let (point, durable) = (self.storage.write_point(), self.storage.durable_point());
        let change = Change { digest: *digest, slot, set: set.id, effect, point };
        if effect == Effect::Removed && set.distribution.is_some() {
            self.visibility.vanished.lock().enter(change, durable);
        }
        segment.in_flight_mut().enter(change, durable);
    }

    /// Notes the change of a record that is in flight, if there is one; with the segment locked under which the record was looked for.
    #[inline]
    pub(in crate::store) fn meet(&self, segment: &Segment, digest: &Digest, awaited: &Awaited) {
        if self.visibility.committed.load(Relaxed) && !segment.in_flight().is_untouched() {
            awaited.note(segment.in_flight().of_record(digest, self.storage.durable_point()));
        }
    }

    /// As `meet`, of a record of a set with a distribution bin that no segment is known to have.
    pub(in crate::store) fn miss(&self, digest: &Digest, awaited: &Awaited) {
        if self.visibility.committed.load(Relaxed) {
            awaited.note(self.visibility.vanished.lock().of_record(digest, self.storage.durable_point()));
        }
    }

    /// As `meet`, of all records of some slots, or of those of a set. `candidates`: slots in order, where the others are left out because an
    /// index says so.
    pub(crate) fn meet_slots(
        &self,
        segment: &Segment,
        slots: &Range<u32>,
        set: Option<u16>,
        candidates: Option<&[u32]>,
        guard: Option<&Guard>,
    ) {
        let Some(guard) = guard else { return };
        if !segment.in_flight().is_untouched() {
            guard.awaited.note(segment.in_flight().of_slots(slots, set, candidates, self.storage.durable_point()));
        }
    }

    /// What a walk waits for; `None` where it waits for nothing.
    pub(crate) fn guard(&self) -> Option<Arc<Guard>> {
        let committed = self.visibility.committed.load(Relaxed);
        let guard = || Guard { storage: self.storage.clone(), waits: self.visibility.waits.clone(), awaited: Awaited::default() };
        committed.then(|| Arc::new(guard()))
    }

    /// Waits until what was met is durable, with no lock held.
    ///
    /// # Errors
    /// `write_uncertain`.
    #[inline]
    pub(in crate::store) fn answer(&self, awaited: &Awaited) -> Result<()> {
        if awaited.is_nothing() { Ok(()) } else { answer(&*self.storage, awaited, &self.visibility.waits) }
    }

    /// How often a read has waited for the flush of a change that it met.
    pub fn reads_waited(&self) -> u64 {
        self.visibility.waits.load(Relaxed)
    }
}

fn answer(storage: &dyn Storage, awaited: &Awaited, waits: &AtomicU64) -> Result<()> {
    let point = awaited.0.load(Relaxed);
    if point <= storage.durable_point() {
        return Ok(());
    }
    thread_guard::may_wait("waits for a flush");
    waits.fetch_add(1, Relaxed);
    storage.sync(point).map_err(|error| uncertain(error, "a change of what is read"))
}

/// What a failed flush means for changes that are made: it is tried again, so nobody knows.
pub(in crate::store) fn uncertain(error: Error, what: &str) -> Error {
    match error.code {
        ErrorCode::StorageFailed | ErrorCode::DeviceFull => {
            let message = format!("{what} is not on stable storage yet; the server keeps trying: {}", error.message);
            Error { code: ErrorCode::WriteUncertain, message, ..error }
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests;
