//! Opening a namespace whose index is in pages: each segment reads its own, and what is derived from them is made anew.

use super::Progress;
use crate::manifest::Truncation;
use crate::segment::SegmentCell;
use crate::sets::SetEntry;
use crate::store::RecordStore;
use crate::store::limits::Removed;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tessera_base::{ErrorCode, Result};
use tessera_record::Digest;
use tessera_storage::paged::PagedStorage;

/// Segments that are read at once: their readers wait for the disk more than they work.
const READERS: usize = 8;

impl RecordStore {
    /// Reads the slot maps of all segments: set indexes, counters and directories come from there. Document and range indexes come from the
    /// snapshot, or are built by jobs once the namespace is open.
    ///
    /// # Errors
    /// What reading the pages fails with; `closed` when `progress` was called off; `set_limit` when the pages and the limits disagree.
    pub(in crate::store) fn load_pages(&self, paged: &PagedStorage, progress: &Progress) -> Result<()> {
        paged.store().bind(&|name| Ok(self.sets.find_or_create(name)?.id))?;
        let sets = self.sets.all();
        let (next, done, failure) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
        let (_, total) = progress.bytes();
        let load = || -> Result<()> {
            while let Some(cell) = self.segments.get(next.fetch_add(1, Relaxed)) {
                cell.write(|segment| segment.load_pages(&sets))?;
                let done = done.fetch_add(1, Relaxed) as u64 + 1;
                progress.set(total / self.segments.len() as u64 * done, total)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            for _ in 0..READERS {
                scope.spawn(|| {
                    if let Err(error) = load() {
                        next.store(self.segments.len(), Relaxed);
                        failure.lock().get_or_insert(error);
                    }
                });
            }
        });
        failure.into_inner().map_or(Ok(()), Err)
    }

    /// Finishes what the stop has interrupted.
    ///
    /// # Errors
    /// As a removal; `closed` when `progress` was called off.
    pub(in crate::store) fn settle_pages(&self, truncations: &[Truncation], progress: &Progress) -> Result<()> {
        truncations.iter().try_for_each(|truncation| self.finish_truncation(truncation, progress))?;
        self.settle_copies(progress)
    }

    /// Removes what a truncation before the stop has left; what cannot be removed stays hidden.
    fn finish_truncation(&self, truncation: &Truncation, progress: &Progress) -> Result<()> {
        let set = truncation.set.as_deref().map(|name| self.sets.find(name));
        let mut removed = Removed::default();
        // Of a set that is in no page there is nothing.
        if !matches!(set, Some(None)) {
            let set = set.flatten();
            for cell in &self.segments {
                let mut from = Some(0);
                while let Some(slot) = from {
                    progress.check()?;
                    from = self.admitted_removal(|| {
                        cell.write(|segment| self.remove_step(segment, set.as_deref(), truncation.until_ms, slot, &mut removed))
                    })?;
                }
            }
            if removed.damaged > 0 {
                self.hidden.begin(set.map(|set| set.id), truncation.until_ms);
                return Ok(());
            }
        }
        self.forget_truncation(truncation.clone());
        Ok(())
    }

    /// A record of a set with a distribution bin that was on its way between segments is in two.
    fn settle_copies(&self, progress: &Progress) -> Result<()> {
        for set in self.sets.all() {
            if set.distribution.is_none() {
                continue;
            }
            for (id, cell) in self.segments.iter().enumerate() {
                for digest in self.digests(cell, &set)? {
                    progress.check()?;
                    match self.keep_newest(&set, &digest) {
                        // Whoever writes the record meets the damage.
                        Err(error) if error.code == ErrorCode::RecordDamaged => self.stale_copies.note(&set.name, digest, id as u16),
                        settled => settled?,
                    }
                }
            }
        }
        Ok(())
    }

    fn digests(&self, cell: &SegmentCell, set: &SetEntry) -> Result<Vec<Digest>> {
        let (segment, mut slots) = (cell.read(), Vec::new());
        segment.sets().members(set.id, 0, usize::MAX, &mut slots);
        let mut digests = Vec::with_capacity(slots.len());
        for slot in slots {
            digests.extend(self.sound_record(&segment, slot)?.map(|record| record.digest));
        }
        Ok(digests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespace::rig::{Rig, census, value};
    use crate::{Namespace, NamespaceConfig, PagedConfig};
    use std::sync::Arc;
    use tessera_base::clock;

    const KEYS: i64 = 500;

    fn filled() -> (Rig, Arc<Namespace>) {
        let config = NamespaceConfig { segments: 4, ..NamespaceConfig::paged("a", PagedConfig::smallest()) };
        let (rig, namespace) = Rig::create(config);
        (0..KEYS).for_each(|key| rig.put(&namespace, key, key).unwrap());
        (rig, namespace)
    }

    #[test]
    fn a_truncation_leaves_the_manifest_once_what_it_took_is_gone_for_good() {
        let (rig, namespace) = filled();
        namespace.checkpoint().unwrap();
        namespace.truncate(Some("s"), None).unwrap();
        namespace.tend();
        assert_eq!((namespace.size(None), namespace.store().hides_any(), rig.record().truncations.len()), (0, false, 1));
        // The log that has the removals is lost.
        let again = rig.after_power_loss_without_log();
        assert_eq!((again.size(None), again.recovery().losses.len()), (0, 1));
        drop(again);
        namespace.checkpoint().unwrap();
        assert_eq!(rig.record().truncations, vec![]);
        rig.put(&namespace, 1, 5).unwrap();
        // Nothing in the manifest hides what the truncation took: no page has it.
        let again = rig.after_power_loss();
        assert_eq!((again.size(None), value(&again, 1), value(&again, 2)), (1, Some(5), None));
    }

    #[test]
    fn what_the_log_has_not_taken_stays_in_the_manifest() {
        let (rig, namespace) = filled();
        let namespace = namespace;
        namespace.sync().unwrap();
        let held = rig.disks[1].hold_syncs();
        std::thread::scope(|scope| {
            let truncating = scope.spawn(|| namespace.truncate(None, None).map(drop));
            while rig.record().truncations.is_empty() || namespace.size(None) > 0 {
                std::thread::yield_now();
            }
            // Removed in memory, and on no disk: a power loss now needs the manifest.
            assert_eq!(rig.record().truncations.len(), 1);
            let again = rig.after_power_loss();
            assert_eq!(census(&again, KEYS), (0, KEYS as u64, 0));
            drop(held);
            truncating.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_start_finishes_truncations_once_and_can_be_called_off_meanwhile() {
        let (rig, namespace) = filled();
        let truncation = Truncation { set: Some("s".into()), until_ms: clock::unix_millis() + 60_000 };
        let gone = Truncation { set: Some("never".into()), until_ms: 1 };
        let add = rig.host.manifest.update(|manifest| {
            manifest.namespaces[0].truncations.extend([gone, truncation.clone()]);
            Ok(())
        });
        add.unwrap();
        let progress = Progress::default();
        progress.cancel();
        let stopped = namespace.store().settle_pages(&[truncation], &progress);
        assert_eq!((stopped.unwrap_err().code, namespace.size(None)), (ErrorCode::Closed, KEYS as u64));
        namespace.close().unwrap();
        let again = rig.open(false, &Progress::default()).unwrap();
        assert_eq!((again.size(None), rig.record().truncations.len()), (0, 1), "of the other there was nothing");
        again.checkpoint().unwrap();
        assert_eq!(rig.record().truncations, vec![]);
    }
}
