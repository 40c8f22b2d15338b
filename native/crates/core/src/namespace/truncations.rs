//! Truncations in the manifest: written there before a record is hidden, so that a crash brings
//! none back, and forgotten once nothing can.

use super::Namespace;
use crate::manifest::{NamespaceRecord, Truncation};
use std::sync::Arc;
use tessera_base::Result;
use tessera_jobs::Job;

/// As `RecordStore::truncate`.
///
/// # Errors
/// As `RecordStore::truncate`, and what writing the manifest returns; then nothing is removed.
pub(super) fn truncate(namespace: &Namespace, set: Option<&str>, before_ms: Option<u64>) -> Result<Arc<Job>> {
    namespace.check_truncatable()?;
    let mut pending = namespace.pending.lock();
    let mut kept = None;
    let job = namespace.store.truncate(set, before_ms, |truncation| {
        keep(namespace, truncation)?;
        kept = Some(truncation.clone());
        Ok(())
    });
    // What it covers cannot be undone any more, whatever has become of it.
    if let Some(truncation) = kept {
        pending.retain(|one| !covers(&truncation, &one.kept.truncation));
    }
    job
}

/// Writes a truncation down, unless the records are in memory, and go with the process, or on a cluster, which keeps it.
///
/// # Errors
/// What writing the manifest returns.
pub(super) fn keep(namespace: &Namespace, truncation: &Truncation) -> Result<()> {
    if namespace.store.bodies_resident() || namespace.store.is_elsewhere() {
        return Ok(());
    }
    namespace.manifest.update(|manifest| {
        if let Some(record) = manifest.by_id_mut(&namespace.id) {
            settle(record, truncation);
        }
        Ok(())
    })
}

/// Adds a truncation for good. Those that it covers cannot be undone any more.
pub(super) fn settle(record: &mut NamespaceRecord, truncation: &Truncation) {
    record.pending.retain(|one| !covers(truncation, &one.truncation));
    add(&mut record.truncations, truncation.clone());
}

/// Takes those from the manifest that are over.
pub(super) fn forget(namespace: &Namespace) {
    let over = namespace.store.take_finished_truncations();
    if over.is_empty() {
        return;
    }
    // Where the manifest cannot be written the next start goes through them again, and finds nothing.
    let _ = namespace.manifest.update(|manifest| {
        if let Some(record) = manifest.by_id_mut(&namespace.id) {
            over.iter().for_each(|truncation| remove(&mut record.truncations, truncation));
        }
        Ok(())
    });
}

/// Adds a truncation to those of the manifest, which keeps no more than it needs: one covers another of a set that it has
/// too, up to an earlier moment or the same.
fn add(truncations: &mut Vec<Truncation>, new: Truncation) {
    if !truncations.iter().any(|old| covers(old, &new)) {
        truncations.retain(|old| !covers(&new, old));
        truncations.push(new);
    }
}

/// Takes one that is over, and what it covers, from those of the manifest.
fn remove(truncations: &mut Vec<Truncation>, over: &Truncation) {
    truncations.retain(|one| !covers(over, one));
}

pub(super) fn covers(one: &Truncation, other: &Truncation) -> bool {
    (one.set.is_none() || one.set == other.set) && one.until_ms >= other.until_ms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NamespaceConfig;
    use crate::manifest::PendingTruncation;

    #[test]
    fn the_manifest_keeps_what_no_other_truncation_covers() {
        let of = |set: Option<&str>, until_ms| Truncation { set: set.map(str::to_owned), until_ms };
        let mut all = vec![];
        for (set, until_ms, kept) in [
            (Some("a"), 5, 1),
            (Some("b"), 9, 2),
            // An earlier moment takes nothing back.
            (Some("a"), 3, 2),
            (Some("a"), 6, 2),
            (None, 7, 2),
            (Some("a"), 7, 2),
            (Some("c"), 8, 3),
            (None, 9, 1),
        ] {
            add(&mut all, of(set, until_ms));
            assert_eq!(all.len(), kept, "{set:?} until {until_ms}: {all:?}");
        }
        assert_eq!(all, [of(None, 9)]);
    }

    #[test]
    fn one_for_good_ends_what_it_covers_and_no_other() {
        let of = |set: Option<&str>, until_ms| Truncation { set: set.map(str::to_owned), until_ms };
        let pending = |id: &str, truncation| PendingTruncation { id: id.into(), truncation, truncated_at_ms: 1, final_at_ms: 2 };
        let config = NamespaceConfig::memory("n");
        let mut record = NamespaceRecord {
            pending: vec![pending("a", of(Some("a"), 5)), pending("b", of(Some("b"), 4)), pending("all", of(None, 3))],
            ..NamespaceRecord::new(1, [1; 16], 1, config)
        };
        settle(&mut record, &of(Some("a"), 9));
        assert_eq!(record.pending.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["b", "all"]);
        settle(&mut record, &of(None, 4));
        assert_eq!((record.pending.len(), record.truncations.len()), (0, 2));
    }

    #[test]
    fn one_that_is_over_takes_no_other_along_that_is_not() {
        let of = |set: Option<&str>, until_ms| Truncation { set: set.map(str::to_owned), until_ms };
        let mut all = vec![of(Some("a"), 5), of(Some("b"), 9), of(None, 4)];
        remove(&mut all, &of(Some("a"), 4));
        assert_eq!(all.len(), 3, "a later one of the set is still under way");
        remove(&mut all, &of(Some("a"), 5));
        assert_eq!(all, [of(Some("b"), 9), of(None, 4)]);
        remove(&mut all, &of(None, 8));
        assert_eq!(all, [of(Some("b"), 9)]);
    }
}
