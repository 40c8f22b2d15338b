//! Two copies in pages of one record whose set has a distribution bin, in two segments: what a move leaves that was cut short by a stop, or by a log
//! that took neither of its removals. The newest stays, as no later write of the record was acknowledged.

use super::Follower;
use crate::segment::Removal;
use crate::sets::SetEntry;
use crate::store::RecordStore;
use parking_lot::RwLockReadGuard;
use std::sync::Arc;
use tessera_base::Result;
use tessera_record::Digest;

impl RecordStore {
    /// Tells running scans that a record is about to leave a segment; to be held until it has. No segment is held.
    ///
    /// # Errors
    /// As `Segment::find`.
    pub(in crate::store) fn announce(&self, leaves: usize, set: u16, digest: &Digest) -> Result<RwLockReadGuard<'_, Vec<Arc<Follower>>>> {
        let followers = self.moves.begin();
        if !followers.is_empty() {
            self.segments[leaves].write(|segment| -> Result<()> {
                if let Some(slot) = segment.find(digest)? {
                    followers.iter().for_each(|follower| follower.leaves(leaves, slot, set, *digest));
                }
                Ok(())
            })?;
        }
        Ok(followers)
    }

    /// Removes all copies of a record from the pages but the newest. The lock of its key is held, or nobody writes yet.
    ///
    /// # Errors
    /// As a removal; the newest copy is there in any case.
    pub(in crate::store) fn keep_newest(&self, set: &SetEntry, digest: &Digest) -> Result<()> {
        let candidates = set.distribution.as_ref().map(|distribution| distribution.directory.candidates(digest)).unwrap_or_default();
        if candidates.len() < 2 {
            return Ok(());
        }
        let mut copies = Vec::with_capacity(candidates.len());
        for id in candidates {
            if let Some((_, record)) = self.segments[usize::from(id)].read().seek(digest)? {
                copies.push((record.meta.updated_at, record.meta.generation, id));
            }
        }
        copies.sort_unstable();
        copies.dedup();
        copies.pop();
        for (_, _, id) in copies {
            let id = usize::from(id);
            self.admitted_removal(|| {
                let _moving = self.announce(id, set.id, digest)?;
                self.segments[id].write(|segment| match segment.seek(digest)? {
                    Some((slot, record)) => segment.remove(set, slot, &record, Removal::Logged),
                    None => Ok(()),
                })
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::namespace::rig::{Rig, value};
    use crate::{Namespace, NamespaceConfig, PagedConfig, SetConfig};
    use tessera_base::ErrorCode;
    use tessera_io::faulty::Fault;

    const KEY: i64 = 7;

    fn config() -> NamespaceConfig {
        let set = SetConfig { name: "s".into(), distribution_bin: Some("v".into()), ..SetConfig::default() };
        NamespaceConfig { segments: 8, sets: vec![set], ..NamespaceConfig::paged("a", PagedConfig::smallest()) }
    }

    /// A record whose move to another segment has failed, on a log that takes writes again.
    fn moved_half() -> (Rig, std::sync::Arc<Namespace>) {
        let (rig, namespace) = Rig::create(config());
        rig.put(&namespace, KEY, 1).unwrap();
        rig.disks[1].set_fault(Some(Fault::Write(5)));
        assert_eq!(rig.put(&namespace, KEY, 2).unwrap_err().code, ErrorCode::WriteUncertain);
        rig.disks[1].set_fault(None);
        namespace.sync().unwrap();
        assert_eq!(namespace.size(None), 2, "the log took neither removal");
        (rig, namespace)
    }

    #[test]
    fn the_next_write_of_a_record_whose_move_failed_leaves_one_copy() {
        let (rig, namespace) = moved_half();
        rig.put(&namespace, KEY, 3).unwrap();
        assert_eq!((value(&namespace, KEY), namespace.size(None), namespace.sets()[0].records), (Some(3), 1, 1));
        rig.remove(&namespace, KEY);
        assert_eq!((value(&namespace, KEY), namespace.size(None)), (None, 0));
        let again = rig.after_power_loss();
        assert_eq!((value(&again, KEY), again.size(None)), (None, 0));
    }

    #[test]
    fn the_sweep_keeps_the_newest_copy_as_a_start_does() {
        let (rig, namespace) = moved_half();
        let restarted = rig.after_power_loss();
        assert_eq!((value(&restarted, KEY), restarted.size(None)), (Some(2), 1));
        namespace.store().sweep(1).unwrap();
        assert_eq!((value(&namespace, KEY), namespace.size(None), namespace.store().stale_copies.any()), (Some(2), 1, false));
    }

    #[test]
    fn a_copy_that_the_log_does_not_let_go_is_noted_until_it_does() {
        let (rig, namespace) = moved_half();
        rig.disks[1].set_fault(Some(Fault::Write(5)));
        assert!(rig.put(&namespace, 100, 1).is_err(), "the log fails again");
        assert!(namespace.store().bury_all().is_err() && rig.put(&namespace, KEY, 3).is_err());
        assert!(namespace.store().stale_copies.any() && namespace.size(None) >= 2);
        rig.disks[1].set_fault(None);
        namespace.sync().unwrap();
        namespace.store().bury_all().unwrap();
        assert_eq!((value(&namespace, KEY), namespace.store().stale_copies.any()), (Some(2), false));
    }
}
