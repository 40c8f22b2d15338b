//! Truncations that can be undone for a while: they hide records, and remove none until they are final.
//!
//! A hidden record stays in its slot, in the indexes and in the storage, and is counted nowhere. A write to its key replaces it, a delete
//! removes it, and so may expiry. Then an undo does not bring it back.

use crate::manifest::Truncation;
use crate::segment::Segment;
use crate::sets::SetEntry;
use crate::store::RecordStore;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tessera_base::{Result, heap};
use tessera_jobs::{Job, JobKind, JobSpec, Unit};

/// Slots looked at in one hold of a segment's lock.
const STEP: usize = 1024;

/// What a truncation hides that can be undone.
#[derive(Debug, Default)]
pub(crate) struct Hides {
    /// Those that it has taken off the counts. Some may have been written again since.
    records: AtomicU64,
    bytes: AtomicU64,
    /// Those that are left in the counts, as the index is damaged there.
    damaged: AtomicU64,
}

impl Hides {
    pub(crate) fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn json(&self) -> String {
        match self.damaged.load(Ordering::Relaxed) {
            0 => json!({ "records": self.records() }),
            damaged => json!({ "records": self.records(), "damaged": damaged }),
        }
        .to_string()
    }
}

impl RecordStore {
    /// As `truncate`, and `bring_back` undoes it: the records are hidden when this returns, and the job takes them off the counts.
    /// `undo_until_ms` is for the job to tell.
    ///
    /// # Errors
    /// As `truncate`.
    pub(crate) fn hide(
        self: &Arc<Self>,
        set: Option<&str>,
        before_ms: Option<u64>,
        undo_until_ms: u64,
        keep: impl FnOnce(&str, &Truncation) -> Result<()>,
    ) -> Result<(Arc<Job>, Truncation, Arc<Hides>)> {
        let set = self.check_truncation(set, before_ms)?;
        let title = self.truncation_title(set.as_deref());
        let total = self.most_truncated(set.as_deref());
        let job = self.begin_truncation(set.as_deref(), title, total, before_ms, Some(undo_until_ms))?;
        let until_ms = self.truncates_until(before_ms);
        let truncation = Truncation { set: set.as_ref().map(|set| set.name.to_string()), until_ms };
        if let Err(error) = keep(job.id(), &truncation) {
            job.finish(Err(error.clone()));
            return Err(error);
        }
        self.hidden.begin_pending(job.id(), set.as_ref().map(|set| set.id), until_ms);
        let hides = Arc::new(Hides::default());
        let (store, running, counted) = (self.clone(), job.clone(), hides.clone());
        self.here_or_in_pool(total, move || {
            running.start();
            let go_on = |more| {
                running.advance(more);
                store.check_whole()
            };
            let outcome = store.take_off_counts(set.as_deref(), running.id(), until_ms, &counted, &go_on);
            running.finish(outcome.map(|()| counted.json()));
        });
        Ok((job, truncation, hides))
    }

    /// As `hide`, of a truncation of before this start.
    ///
    /// # Errors
    /// As looking at a record, and those of `go_on`, which is asked now and then.
    pub(crate) fn hide_again(&self, id: &str, truncation: &Truncation, go_on: &dyn Fn() -> Result<()>) -> Result<Arc<Hides>> {
        let hides = Arc::new(Hides::default());
        let set = truncation.set.as_deref().map(|name| self.sets.find(name));
        // Of a set that has no record there is nothing.
        if !matches!(set, Some(None)) {
            let set = set.flatten();
            self.hidden.begin_pending(id, set.as_ref().map(|set| set.id), truncation.until_ms);
            self.take_off_counts(set.as_deref(), id, truncation.until_ms, &hides, &|_| go_on())?;
        }
        Ok(hides)
    }

    /// Shows the records again that only this truncation hides: all of them when this returns, and the job counts them. Whoever calls
    /// this has written it down.
    pub(crate) fn bring_back(self: &Arc<Self>, id: &str, job: &Arc<Job>, undone_at_ms: u64) {
        self.hidden.undone_at_ms.fetch_max(undone_at_ms, Ordering::AcqRel);
        self.update_floor.fetch_max(undone_at_ms + 1, Ordering::AcqRel);
        self.hidden.bring_back(id);
        let (store, running) = (self.clone(), job.clone());
        self.here_or_in_pool(self.segments.iter().map(|cell| cell.left_out()).sum(), move || {
            running.start();
            let mut records = 0;
            let outcome = store.put_on_counts(&mut records, &running);
            running.finish(outcome.map(|()| json!({ "records": records }).to_string()));
        });
    }

    /// A job that undoes a truncation.
    ///
    /// # Errors
    /// `job_limit`.
    pub(crate) fn begin_undo(&self, truncation: &Truncation, hides: &Hides) -> Result<Arc<Job>> {
        let title = format!("Undo the truncation of {}", self.truncated(truncation));
        self.begin_after(truncation, title, hides.records().max(self.left_out()))
    }

    /// A job that removes what a truncation hides that is final now.
    ///
    /// # Errors
    /// `job_limit`.
    pub(crate) fn begin_removal(&self, truncation: &Truncation, hides: &Hides) -> Result<Arc<Job>> {
        let title = format!("Remove what was truncated in {}", self.truncated(truncation));
        self.begin_after(truncation, title, hides.records())
    }

    fn truncated(&self, truncation: &Truncation) -> String {
        truncation.set.as_ref().map_or_else(|| self.name().to_owned(), |set| format!("{}.{set}", self.name()))
    }

    fn begin_after(&self, truncation: &Truncation, title: String, total: u64) -> Result<Arc<Job>> {
        self.resources.jobs.begin(JobSpec {
            set: truncation.set.clone(),
            unit: Unit::Records,
            total: Some(total),
            ..JobSpec::new(JobKind::Truncate, self.named(), title)
        })
    }

    /// Hides for good what could be brought back until now, and removes it. Whoever calls this has written it down.
    pub(crate) fn remove_pending(self: &Arc<Self>, truncation: Truncation, job: &Arc<Job>) {
        let set = match truncation.set.as_deref().map(|name| self.sets.find(name)) {
            Some(None) => {
                job.run(|_| Ok("{\"records\":0}".to_owned()));
                return;
            }
            found => found.flatten(),
        };
        self.hidden.begin(set.as_ref().map(|set| set.id), truncation.until_ms);
        let total = self.most_truncated(set.as_deref());
        self.remove_hidden(set, truncation, total, job);
    }

    fn take_off_counts(
        &self,
        set: Option<&SetEntry>,
        id: &str,
        until_ms: u64,
        hides: &Hides,
        go_on: &dyn Fn(u64) -> Result<()>,
    ) -> Result<()> {
        for cell in &self.segments {
            let mut from = Some(0);
            while let Some(slot) = from {
                let before = hides.records();
                from = cell.write(|segment| self.take_off_step(segment, set, id, until_ms, slot, hides))?;
                go_on(hides.records() - before)?;
            }
        }
        Ok(())
    }

    /// Takes some off the counts from slot `from` on; answers where to go on.
    fn take_off_step(
        &self,
        segment: &mut Segment,
        set: Option<&SetEntry>,
        id: &str,
        until_ms: u64,
        from: u32,
        hides: &Hides,
    ) -> Result<Option<u32>> {
        // Under the lock: who undoes it, or removes what it hides, comes here later.
        if !self.hidden.is_pending(id) {
            return Ok(None);
        }
        let step = self.removed_at_once(STEP);
        let mut slots = Vec::with_capacity(step);
        let next = match set {
            Some(set) => segment.sets().members(set.id, from, step, &mut slots),
            None => segment.sets().all(from, step, &mut slots),
        };
        for slot in slots {
            if segment.leaves_out(slot) {
                continue;
            }
            let Some(found) = self.past_damage(segment.id(), slot, segment.record(slot))? else {
                hides.damaged.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            let Some(record) = found.filter(|record| record.meta.updated_at <= until_ms) else { continue };
            let bytes = match set {
                Some(set) => segment.leave_out(set, slot, &record),
                None => {
                    let Some(set) = self.sets.by_id(segment.sets().set_of(slot)) else { continue };
                    segment.leave_out(&set, slot, &record)
                }
            };
            hides.records.fetch_add(1, Ordering::Relaxed);
            hides.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok((next < segment.end()).then_some(next))
    }

    fn put_on_counts(&self, records: &mut u64, job: &Job) -> Result<()> {
        for cell in &self.segments {
            let mut from = Some(0);
            while let Some(slot) = from {
                let before = *records;
                from = cell.write(|segment| self.put_on_step(segment, slot, records))?;
                job.advance(*records - before);
                self.check_whole()?;
            }
        }
        heap::give_back();
        Ok(())
    }

    /// Counts some again from slot `from` on that nothing hides any more; answers where to go on.
    fn put_on_step(&self, segment: &mut Segment, from: u32, records: &mut u64) -> Result<Option<u32>> {
        let slots = segment.left_out_from(from, self.removed_at_once(STEP));
        let next = slots.last().map(|last| last + 1);
        for slot in slots {
            // Who reads the record meets the damage.
            let Some(Some(record)) = self.past_damage(segment.id(), slot, segment.record(slot))? else { continue };
            let id = segment.sets().set_of(slot);
            if self.hidden.covers(id, &record.meta) {
                continue;
            }
            let Some(set) = self.sets.by_id(id) else { continue };
            segment.count_in(&set, slot, &record);
            *records += 1;
        }
        Ok(next)
    }
}
