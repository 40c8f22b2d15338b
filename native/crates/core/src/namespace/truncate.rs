//! Emptying a set or a namespace.
//!
//! A truncation is a time: records last written up to it are gone. It is in the manifest before the first record is
//! removed, so a crash cannot bring any back and nothing has to be logged for each; later writes are stamped after it.

use super::Namespace;
use crate::error::Result;
use crate::heap;
use crate::job::{Job, JobKind, JobSpec, Unit};
use crate::manifest::Truncation;
use crate::segment::{Removal, Segment};
use crate::sets::SetEntry;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Records removed in one hold of a segment's lock.
const STEP: usize = 1024;

impl Namespace {
    /// Removes all records of a set, or of the namespace, that were written before this call. The job cannot be aborted:
    /// the records are gone for good once this returns.
    ///
    /// # Errors
    /// `set_not_found`, `job_limit`, and what writing the manifest returns; then nothing is removed.
    pub fn truncate(self: &Arc<Self>, set: Option<&str>) -> Result<Arc<Job>> {
        self.check_open()?;
        let set = set.map(|name| self.find_set(name)).transpose()?;
        let total = set.as_ref().map_or_else(|| self.size(None), |set| set.records());
        let title = match &set {
            None => format!("Truncate {}", self.name()),
            Some(set) => format!("Truncate {}.{}", self.name(), &*set.name),
        };
        let job = self.host.jobs.begin(JobSpec {
            set: set.as_ref().map(|set| set.name.to_string()),
            unit: Unit::Records,
            total: Some(total),
            ..JobSpec::new(JobKind::Truncate, self.name(), title)
        })?;
        // Never before an earlier truncation, which it replaces, though the clock may have gone back.
        let until_ms = self.newest_update().max(self.stamp());
        // Writes that begin from here on are stamped later; those under way before are still counted as before.
        self.update_floor.fetch_max(until_ms + 1, Ordering::AcqRel);
        if let Err(error) = self.save_truncation(set.as_deref(), until_ms) {
            job.finish(Err(error.clone()));
            return Err(error);
        }
        let (namespace, running) = (self.clone(), job.clone());
        let work = move || {
            running.start();
            let outcome = namespace.remove_until(set.as_deref(), until_ms, &running);
            running.finish(outcome.map(|removed| format!("{{\"records\":{removed}}}")));
        };
        if total < 10_000 {
            work()
        } else {
            self.host.pool.spawn(work)
        }
        Ok(job)
    }

    fn newest_update(&self) -> u64 {
        self.segments.iter().map(|cell| cell.read().newest_update()).max().unwrap_or(0)
    }

    fn save_truncation(&self, set: Option<&SetEntry>, until_ms: u64) -> Result<()> {
        if self.bodies_resident() {
            return Ok(());
        }
        let set = set.map(|set| set.name.to_string());
        self.host.manifest.update(|manifest| {
            if let Some(record) = manifest.find_mut(self.name()) {
                // Of each set only the last counts, and of the whole namespace it covers every earlier one.
                record.truncations.retain(|old| set.is_some() && old.set != set);
                record.truncations.push(Truncation { set, until_ms });
            }
            Ok(())
        })
    }

    fn remove_until(&self, set: Option<&SetEntry>, until_ms: u64, job: &Job) -> Result<u64> {
        let mut removed = 0;
        for cell in &self.segments {
            let mut from = Some(0);
            while let Some(slot) = from {
                let (count, next) = cell.write(|segment| self.remove_step(segment, set, until_ms, slot))?;
                job.advance(count);
                removed += count;
                from = next;
            }
        }
        heap::give_back();
        Ok(removed)
    }

    fn remove_step(&self, segment: &mut Segment, set: Option<&SetEntry>, until_ms: u64, from: u32) -> Result<(u64, Option<u32>)> {
        let mut slots = Vec::with_capacity(STEP);
        let next = match set {
            Some(set) => segment.slots().members(set.id, from, STEP, &mut slots),
            None => segment.slots().all(from, STEP, &mut slots),
        };
        let more = next < segment.slots().end();
        let mut removed = 0;
        for slot in slots {
            let Some(record) = segment.record(slot).filter(|record| record.meta.updated_at <= until_ms) else { continue };
            match set {
                Some(set) => segment.remove(set, slot, &record, Removal::Silent)?,
                None => {
                    let Some(set) = self.sets.by_id(segment.slots().set_of(slot)) else { continue };
                    segment.remove(&set, slot, &record, Removal::Silent)?;
                }
            }
            removed += 1;
        }
        segment.tidy();
        Ok((removed, more.then_some(next)))
    }
}
