//! Emptying a set or a namespace, all of it or up to a moment.
//!
//! A truncation is a time: records last updated up to it are gone. It is in the manifest, and hides them from whoever looks,
//! before the first record is removed, so a crash cannot bring any back and nothing has to be logged for each.

mod undo;

pub(crate) use undo::Hides;

use crate::manifest::Truncation;
use crate::segment::{Removal, Segment};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::{Error, ErrorCode, Result, clock, heap, sentence};
use tessera_jobs::{Job, JobKind, JobSpec, Unit};

/// Records removed in one hold of a segment's lock.
const STEP: usize = 1024;

/// What a truncation has come to so far.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::store) struct Removed {
    pub records: u64,
    /// Those that are left, as the index is damaged there, and have to be hidden for ever. Some may not be the truncation's.
    pub damaged: u64,
}

impl Removed {
    /// For a job's result.
    fn json(self) -> String {
        match self {
            Self { records, damaged: 0 } => format!("{{\"records\":{records}}}"),
            Self { records, damaged } => format!("{{\"records\":{records},\"damaged\":{damaged}}}"),
        }
    }
}

impl RecordStore {
    /// Removes the records of a set, or of the namespace, that were last updated before `before_ms` (Unix milliseconds), or,
    /// without it, before this call. The job cannot be aborted: nobody finds the records once this returns, and it only makes
    /// room. `keep` writes the truncation where a crash leaves it, before any record is hidden.
    ///
    /// # Errors
    /// `set_not_found`, `time_in_future`, `job_limit`, and what `keep` returns; then nothing is removed.
    pub(crate) fn truncate(
        self: &Arc<Self>,
        set: Option<&str>,
        before_ms: Option<u64>,
        keep: impl FnOnce(&Truncation) -> Result<()>,
    ) -> Result<Arc<Job>> {
        // Both stores are truncated, or none.
        let _long = self.link.hold_off();
        let set = self.check_truncation(set, before_ms)?;
        let title = self.truncation_title(set.as_deref());
        if let Some(remote) = self.remote() {
            return self.truncate_elsewhere(remote, set.as_ref().map(|set| &*set.name), before_ms, title);
        }
        let total = self.most_truncated(set.as_deref());
        let job = self.begin_truncation(set.as_deref(), title, total, before_ms, None)?;
        let until_ms = self.truncates_until(before_ms);
        let truncation = Truncation { set: set.as_ref().map(|set| set.name.to_string()), until_ms };
        if let Err(error) = keep(&truncation) {
            job.finish(Err(error.clone()));
            return Err(error);
        }
        let hidden = set.as_ref().map(|set| set.id);
        let carried = self.mirrored_truncation(&truncation, || self.hidden.begin(hidden, until_ms));
        self.remove_hidden(set, truncation, total, &job);
        carried?;
        Ok(job)
    }

    /// The set of a truncation, if there is one.
    ///
    /// # Errors
    /// `closed`, `set_not_found`, `time_in_future`.
    pub(super) fn check_truncation(&self, set: Option<&str>, before_ms: Option<u64>) -> Result<Option<Arc<SetEntry>>> {
        self.check_open()?;
        if before_ms.is_some_and(|before| before > clock::unix_millis()) {
            let message = sentence!("before must not be in the future");
            return Err(Error::said(ErrorCode::TimeInFuture, message).in_field("before"));
        }
        set.map(|name| self.find_set(name)).transpose()
    }

    fn truncation_title(&self, set: Option<&SetEntry>) -> String {
        match set {
            None => format!("Truncate {}", self.name()),
            Some(set) => format!("Truncate {}.{}", self.name(), &*set.name),
        }
    }

    /// Records that a truncation may have to look at: those that another one hides are among them.
    fn most_truncated(&self, set: Option<&SetEntry>) -> u64 {
        set.map_or_else(|| self.records(), SetEntry::records) + self.left_out()
    }

    /// `undo_until_ms`: until when it can be undone.
    ///
    /// # Errors
    /// `job_limit`.
    fn begin_truncation(
        &self,
        set: Option<&SetEntry>,
        title: String,
        total: u64,
        before_ms: Option<u64>,
        undo_until_ms: Option<u64>,
    ) -> Result<Arc<Job>> {
        let mut parameters = json!({ "before": before_ms });
        if let Some(until) = undo_until_ms {
            parameters["undoUntil"] = until.into();
        }
        self.resources.jobs.begin(JobSpec {
            parameters: parameters.to_string(),
            set: set.map(|set| set.name.to_string()),
            unit: Unit::Records,
            total: Some(total),
            ..JobSpec::new(JobKind::Truncate, self.named(), title)
        })
    }

    /// Up to when records go that were last updated before a moment, or before now. Whatever is written from here on is later.
    fn truncates_until(&self, before_ms: Option<u64>) -> u64 {
        // All of them: not before an earlier truncation, though the clock may have gone back.
        let until_ms = before_ms.map_or_else(|| self.newest_update().max(self.stamp()), |before| before.saturating_sub(1));
        // Writes that begin from here on are stamped later; those under way before are still counted as before.
        self.update_floor.fetch_max(until_ms + 1, Ordering::AcqRel);
        until_ms
    }

    /// Hides what another store has truncated, up to the same moment. Whoever calls this has written it down, and calls `remove_as` with
    /// the answer. `None`: the set has no record here, or a cluster has them, which is swept once this store decides.
    ///
    /// # Errors
    /// `cluster_unavailable`, `write_uncertain`.
    pub(in crate::store) fn hide_as(&self, truncation: &Truncation) -> Result<Option<Option<Arc<SetEntry>>>> {
        if let Some(remote) = self.remote() {
            return remote.truncate(truncation.set.as_deref(), Some(truncation.until_ms + 1)).map(|_| None);
        }
        let set = match truncation.set.as_deref().map(|name| self.sets.find(name)) {
            Some(None) => return Ok(None),
            found => found.flatten(),
        };
        self.update_floor.fetch_max(truncation.until_ms + 1, Ordering::AcqRel);
        self.hidden.begin(set.as_ref().map(|set| set.id), truncation.until_ms);
        Ok(Some(set))
    }

    /// Makes room of what `hide_as` has hidden.
    ///
    /// # Errors
    /// `closed`: a start goes on.
    pub(in crate::store) fn remove_as(self: &Arc<Self>, set: Option<Arc<SetEntry>>, truncation: &Truncation) -> Result<()> {
        let total = self.most_truncated(set.as_deref());
        let job = self.resources.jobs.begin_unlisted(JobSpec::new(JobKind::Truncate, self.named(), "Truncate the second store"))?;
        self.remove_hidden(set, truncation.clone(), total, &job);
        Ok(())
    }

    /// Makes room of what a truncation has hidden, here or behind the caller's back.
    fn remove_hidden(self: &Arc<Self>, set: Option<Arc<SetEntry>>, truncation: Truncation, total: u64, job: &Arc<Job>) {
        let (hidden, until_ms) = (set.as_ref().map(|set| set.id), truncation.until_ms);
        let (store, running) = (self.clone(), job.clone());
        let work = move || {
            running.start();
            let removing = store.hidden.removing();
            let outcome = store.remove_until(set.as_deref(), until_ms, &running);
            drop(removing);
            if outcome.as_ref().is_ok_and(|removed| removed.damaged == 0) {
                store.hidden.end(hidden, until_ms);
                store.forget_truncation(truncation);
            }
            running.finish(outcome.map(Removed::json));
        };
        self.here_or_in_pool(total, work);
    }

    /// Does work on so many records before this returns if they are few.
    fn here_or_in_pool(&self, records: u64, work: impl FnOnce() + Send + 'static) {
        if records < 10_000 {
            work();
        } else {
            self.resources.pool.spawn(work);
        }
    }

    pub(in crate::store) fn newest_update(&self) -> u64 {
        self.segments.iter().map(|cell| cell.read().newest_update()).max().unwrap_or(0)
    }

    /// All that a truncation has taken has left the pages: once a checkpoint has written that, nothing can bring it back, and no start has to look for it.
    /// A log that has it is not enough, as it may be lost. On a device the truncation stays: copies of the records do.
    pub(in crate::store) fn forget_truncation(&self, truncation: Truncation) {
        if !self.index_resident() {
            self.hidden.emptied.lock().push((truncation, self.storage.write_point()));
        }
    }

    /// Those truncations whose removals a checkpoint has written since: nothing has to know of them
    /// any more. Each is told once.
    pub(crate) fn take_finished_truncations(&self) -> Vec<Truncation> {
        let mut emptied = self.hidden.emptied.lock();
        if emptied.is_empty() {
            return Vec::new();
        }
        let checkpointed = self.storage.checkpointed();
        emptied.extract_if(.., |(_, point)| *point <= checkpointed).map(|(truncation, _)| truncation).collect()
    }

    fn remove_until(&self, set: Option<&SetEntry>, until_ms: u64, job: &Job) -> Result<Removed> {
        let mut removed = Removed::default();
        for cell in &self.segments {
            let mut from = Some(0);
            while let Some(slot) = from {
                let before = removed.records;
                from = self.admitted_removal(|| cell.write(|segment| self.remove_step(segment, set, until_ms, slot, &mut removed)))?;
                job.advance(removed.records - before);
            }
        }
        heap::give_back();
        Ok(removed)
    }

    /// Removes some from slot `from` on, counting them in `removed`; answers where to go on.
    pub(in crate::store) fn remove_step(
        &self,
        segment: &mut Segment,
        set: Option<&SetEntry>,
        until_ms: u64,
        from: u32,
        removed: &mut Removed,
    ) -> Result<Option<u32>> {
        let step = self.removed_at_once(STEP);
        let mut slots = Vec::with_capacity(step);
        let next = match set {
            Some(set) => segment.sets().members(set.id, from, step, &mut slots),
            None => segment.sets().all(from, step, &mut slots),
        };
        let more = next < segment.end();
        let mut damaged = 0;
        for slot in slots {
            let Some(found) = self.past_damage(segment.id(), slot, segment.record(slot))? else {
                damaged += 1;
                continue;
            };
            let Some(record) = found.filter(|record| record.meta.updated_at <= until_ms) else { continue };
            let gone = match set {
                Some(set) => segment.remove(set, slot, &record, Removal::Silent),
                None => {
                    let Some(set) = self.sets.by_id(segment.sets().set_of(slot)) else { continue };
                    segment.remove(&set, slot, &record, Removal::Silent)
                }
            };
            match self.past_damage(segment.id(), slot, gone)? {
                Some(()) => removed.records += 1,
                None => damaged += 1,
            }
        }
        // Here, as a step that fails is done again.
        removed.damaged += damaged;
        segment.tidy();
        Ok(more.then_some(next))
    }
}
