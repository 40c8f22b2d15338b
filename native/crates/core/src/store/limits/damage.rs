//! Records that cannot be looked at, or not be removed, because a page of the index is damaged. Who goes over all slots, to make room or to end a
//! truncation, passes over them: they keep nothing else from being done, and nobody sees them who would not without the damage.

use crate::segment::Segment;
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use tessera_base::{ErrorCode, Result};
use tessera_storage::SlotRecord;

/// Most slots that are remembered: a MiB or two. Others are looked at, and counted, again.
const SLOTS: usize = 65_536;

/// Segments and slots that were passed over since the start.
#[derive(Default)]
pub(in crate::store) struct Passed {
    any: AtomicBool,
    slots: Mutex<HashSet<(u16, u32)>>,
}

impl Passed {
    fn has(&self, segment: u16, slot: u32) -> bool {
        self.any.load(Ordering::Acquire) && self.slots.lock().contains(&(segment, slot))
    }

    /// Whether it was not known.
    fn note(&self, segment: u16, slot: u32) -> bool {
        let mut slots = self.slots.lock();
        self.any.store(true, Ordering::Release);
        if slots.len() < SLOTS { slots.insert((segment, slot)) } else { !slots.contains(&(segment, slot)) }
    }
}

impl RecordStore {
    /// What came of looking at the record in a slot, or of removing it: `None` where the index is damaged there, which counts as one damaged read.
    ///
    /// # Errors
    /// Those of `outcome` but `record_damaged`.
    pub(in crate::store) fn past_damage<T>(&self, segment: u16, slot: u32, outcome: Result<T>) -> Result<Option<T>> {
        match outcome {
            Err(error) if error.code == ErrorCode::RecordDamaged => {
                if self.passed.note(segment, slot) {
                    self.storage.note_damaged_read();
                }
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }

    /// The record in a slot, expired or not, for who looks again and again: `None` also of one that was passed over, now or before.
    ///
    /// # Errors
    /// As `Segment::record` but `record_damaged`.
    pub(in crate::store) fn sound_record(&self, segment: &Segment, slot: u32) -> Result<Option<SlotRecord>> {
        if self.passed.has(segment.id(), slot) {
            return Ok(None);
        }
        Ok(self.past_damage(segment.id(), slot, segment.record(slot))?.flatten())
    }
}

#[cfg(test)]
mod tests {
    use crate::manifest::Truncation;
    use crate::namespace::Progress;
    use crate::namespace::rig::{Rig, census, value};
    use crate::{Namespace, NamespaceConfig, PagedConfig};
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use tessera_base::{ErrorCode, clock};
    use tessera_jobs::JobState;
    use tessera_record::Ttl;
    use tessera_storage::paged::{KIND, Kind};

    const KEYS: i64 = 2000;
    const PAGE: usize = 4096;

    fn config() -> NamespaceConfig {
        let pages = PagedConfig { capacity_bytes: 2 << 20, ..PagedConfig::smallest() };
        NamespaceConfig { segments: 1, max_record_bytes: 4096, ..NamespaceConfig::paged("a", pages) }
    }

    /// Records on disks where one page of the tree of digests is not whole; the namespace is closed.
    fn with_a_damaged_leaf(ttl: Ttl) -> Rig {
        let (rig, namespace) = Rig::create(config());
        (0..KEYS).for_each(|key| rig.put_for(&namespace, key, key, ttl).unwrap());
        namespace.close().unwrap();
        let image = rig.disks[0].image();
        let leaves = image.chunks_exact(PAGE).enumerate().filter(|(_, page)| page[KIND] == Kind::Leaf as u8);
        let (victim, _) = leaves.max_by_key(|(_, page)| page[20]).unwrap();
        rig.disks[0].flip((victim * PAGE + 2000) as u64, 1);
        rig
    }

    fn open(rig: &Rig) -> Arc<Namespace> {
        rig.open(false, &Progress::default()).unwrap()
    }

    /// How many records the damage costs: those of one leaf.
    fn damaged(namespace: &Namespace) -> u64 {
        let (_, _, damaged) = census(namespace, KEYS);
        assert!((40..400).contains(&damaged), "{damaged}");
        damaged
    }

    fn until(what: &str, mut done: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !done() {
            assert!(Instant::now() < deadline, "{what}");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_truncation_passes_over_a_damaged_page_and_hides_what_it_leaves() {
        let rig = with_a_damaged_leaf(Ttl::Never);
        let namespace = open(&rig);
        let lost = damaged(&namespace);
        let before = namespace.usage().damaged_reads;
        let job = namespace.truncate(None, None).unwrap().info();
        assert_eq!((job.state, namespace.size(None)), (JobState::Done, lost));
        assert_eq!(job.result, Some(format!("{{\"records\":{},\"damaged\":{lost}}}", KEYS as u64 - lost)));
        assert_eq!(namespace.usage().damaged_reads - before, lost);
        assert!(namespace.store().hides_any());
        assert_eq!(rig.record().truncations.len(), 1, "it is not over");
        // Another one passes over the same.
        namespace.truncate(None, None).unwrap();
        assert_eq!(namespace.usage().damaged_reads - before, lost, "each counts once");
        rig.put(&namespace, KEYS, 1).unwrap();
        assert_eq!((value(&namespace, KEYS), namespace.size(None)), (Some(1), lost + 1));
    }

    #[test]
    fn a_start_passes_over_a_damaged_page_in_a_truncation_that_is_to_be_finished() {
        let rig = with_a_damaged_leaf(Ttl::Never);
        let truncation = Truncation { set: Some("s".into()), until_ms: clock::unix_millis() + 60_000 };
        let add = rig.host.manifest.update(|manifest| {
            manifest.namespaces[0].truncations.push(truncation.clone());
            Ok(())
        });
        add.unwrap();
        let namespace = open(&rig);
        let lost = namespace.size(None);
        assert!((40..400).contains(&lost), "{lost}");
        assert_eq!((namespace.usage().damaged_reads, namespace.store().hides_any()), (lost, true));
        assert_eq!(census(&namespace, KEYS), (0, KEYS as u64 - lost, lost));
        assert_eq!(rig.record().truncations, [truncation], "the next start hides them, too");
    }

    #[test]
    fn the_sweep_removes_what_has_expired_around_a_damaged_page() {
        let rig = with_a_damaged_leaf(Ttl::Seconds(1));
        let namespace = open(&rig);
        // No more are counted than stay, so that they are as many only in the end.
        until("what has expired goes", || {
            namespace.store().sweep(10_000).is_ok() && namespace.size(None) == namespace.usage().damaged_reads
        });
        let lost = namespace.size(None);
        assert!((40..400).contains(&lost), "{lost}");
        namespace.store().sweep(10_000).unwrap();
        assert_eq!(namespace.usage().damaged_reads, lost, "each counts once");
    }

    #[test]
    fn eviction_makes_room_around_a_damaged_page() {
        let rig = with_a_damaged_leaf(Ttl::Seconds(3600));
        let namespace = open(&rig);
        let lost = damaged(&namespace);
        namespace.store().fullness.evict_percent.store(1, std::sync::atomic::Ordering::Relaxed);
        until("eviction comes everywhere", || {
            namespace.store().evict(100_000).unwrap();
            namespace.size(None) == lost || namespace.store().to_evict() == Some(0)
        });
        assert!(namespace.size(None) < KEYS as u64 && namespace.usage().damaged_reads > 0);
    }

    #[test]
    fn a_page_of_the_slot_map_that_is_damaged_later_keeps_the_others_from_nothing() {
        let (rig, namespace) = Rig::create(config());
        (0..KEYS).for_each(|key| rig.put(&namespace, key, key).unwrap());
        let segment = namespace.cells()[0].read();
        let failing = |slot: u32| match slot {
            100..200 => Err(tessera_base::Error::new(ErrorCode::RecordDamaged, "a page is not whole")),
            _ => segment.record(slot),
        };
        let seen = (0..segment.end()).filter(|slot| matches!(namespace.store().past_damage(0, *slot, failing(*slot)), Ok(Some(Some(_)))));
        assert_eq!(seen.count() as i64, KEYS - 100);
        // They are let be from now on.
        let seen = (0..segment.end()).filter(|slot| namespace.store().sound_record(&segment, *slot).unwrap().is_some());
        assert_eq!((seen.count() as i64, namespace.usage().damaged_reads), (KEYS - 100, 100));
        let refused = tessera_base::Error::new(ErrorCode::DeviceOverload, "later");
        assert_eq!(namespace.store().past_damage(0, 1, Err::<(), _>(refused)).unwrap_err().code, ErrorCode::DeviceOverload);
    }
}
