//! Truncations that can be undone until their time is up, as drops can: what they hide is removed then.
//!
//! The manifest says what a truncation is, so a kill at any moment leaves it pending, or undone, or final. Of records in memory nothing is
//! written down: they go with the process.

use super::{Namespace, truncations};
use crate::config::EngineConfig;
use crate::manifest::{NamespaceRecord, PendingTruncation, Truncation};
use crate::store::{Hides, Progress, RecordStore};
use std::sync::Arc;
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, clock, limits, sentence};
use tessera_jobs::Job;

/// One that is pending, and what it hides.
pub(super) struct Pending {
    pub(super) kept: PendingTruncation,
    hides: Arc<Hides>,
}

/// A truncation that can be undone.
#[derive(Clone, Debug)]
pub struct UndoableTruncation {
    /// That of its job.
    pub id: String,
    /// `None`: of the whole namespace.
    pub set: Option<String>,
    /// Records that were changed before this moment are hidden.
    pub before_ms: u64,
    pub truncated_at_ms: u64,
    /// From this moment on it is final.
    pub final_at_ms: u64,
    /// Records that it hides, without those that another one hid before. Some may have been written again since.
    pub records: u64,
    pub bytes: u64,
}

/// What has begun, and until when it can be undone: `None` if it is for good.
pub struct Truncated {
    pub job: Arc<Job>,
    pub undo_until_ms: Option<u64>,
}

impl From<&Pending> for UndoableTruncation {
    fn from(Pending { kept, hides }: &Pending) -> Self {
        Self {
            id: kept.id.clone(),
            set: kept.truncation.set.clone(),
            before_ms: kept.truncation.until_ms.saturating_add(1),
            truncated_at_ms: kept.truncated_at_ms,
            final_at_ms: kept.final_at_ms,
            records: hides.records(),
            bytes: hides.bytes(),
        }
    }
}

/// Hides again what the manifest says is pending.
///
/// # Errors
/// As `RecordStore::hide_again`.
pub(super) fn hidden_again(store: &RecordStore, record: &NamespaceRecord, progress: &Progress) -> Result<Vec<Pending>> {
    let hide = |kept: &PendingTruncation| {
        let hides = store.hide_again(&kept.id, &kept.truncation, &|| progress.check())?;
        Ok(Pending { kept: kept.clone(), hides })
    };
    record.pending.iter().map(hide).collect()
}

/// Whether a truncation could be undone now: not on a cluster, not while it migrates, and not without room to spare.
pub(super) fn can_undo(namespace: &Namespace, undo: Duration) -> bool {
    let store = &namespace.store;
    !undo.is_zero() && !store.is_elsewhere() && !store.migrates() && !store.is_nearly_full()
}

/// As `Namespace::truncate_for`.
///
/// # Errors
/// As `truncations::truncate`.
pub(super) fn truncate(namespace: &Namespace, set: Option<&str>, before_ms: Option<u64>, undo: Duration) -> Result<Truncated> {
    // No second store is made meanwhile, which would lack what is hidden.
    let _twinning = namespace.twinning.read();
    if !can_undo(namespace, undo) {
        let job = truncations::truncate(namespace, set, before_ms)?;
        return Ok(Truncated { job, undo_until_ms: None });
    }
    namespace.check_truncatable()?;
    let mut pending = namespace.pending.lock();
    // A walk asks each of them about each record.
    if pending.len() >= limits::PENDING_TRUNCATIONS {
        settle(namespace, &mut pending, 0)?;
    }
    let truncated_at_ms = clock::unix_millis();
    let final_at_ms = truncated_at_ms.saturating_add(undo.as_millis() as u64);
    let of = |id: &str, truncation: &Truncation| PendingTruncation {
        id: id.to_owned(),
        truncation: truncation.clone(),
        truncated_at_ms,
        final_at_ms,
    };
    let keep = |id: &str, truncation: &Truncation| note(namespace, |record| record.pending.push(of(id, truncation)));
    let (job, truncation, hides) = namespace.store.hide(set, before_ms, final_at_ms, keep)?;
    pending.push(Pending { kept: of(job.id(), &truncation), hides });
    Ok(Truncated { job, undo_until_ms: Some(final_at_ms) })
}

/// As `Namespace::undo_truncation`.
pub(super) fn undo(namespace: &Namespace, id: &str) -> Result<Arc<Job>> {
    namespace.check_truncatable()?;
    let mut pending = namespace.pending.lock();
    let at = place_of(&pending, id)?;
    let Pending { kept, hides } = &pending[at];
    let job = namespace.store.begin_undo(&kept.truncation, hides)?;
    let (_undoing, undone_at_ms) = namespace.store.begin_undoing();
    let noted = note(namespace, |record| {
        record.pending.retain(|one| one.id != id);
        record.undone_at_ms = undone_at_ms.max(record.undone_at_ms);
    });
    if let Err(error) = noted {
        job.finish(Err(error.clone()));
        return Err(error);
    }
    namespace.store.bring_back(id, &job, undone_at_ms);
    pending.remove(at);
    Ok(job)
}

/// As `Namespace::settle_truncation`.
pub(super) fn settle_one(namespace: &Namespace, id: &str) -> Result<Arc<Job>> {
    namespace.check_truncatable()?;
    let mut pending = namespace.pending.lock();
    let at = place_of(&pending, id)?;
    settle(namespace, &mut pending, at)
}

/// Makes those final whose time is up, and the oldest if its room is needed.
pub(super) fn tend(namespace: &Namespace) {
    let mut pending = namespace.pending.lock();
    if pending.is_empty() || namespace.check_truncatable().is_err() {
        return;
    }
    let now = namespace.store.settled_millis();
    let mut next = namespace.store.takes_hidden_room().then_some(0);
    while let Some(at) = next.or_else(|| pending.iter().position(|one| one.kept.final_at_ms <= now)) {
        next = None;
        // It is tried again in a second.
        if settle(namespace, &mut pending, at).is_err() {
            return;
        }
    }
}

/// Makes one final, and those that it covers.
///
/// # Errors
/// `job_limit`, and what writing the manifest returns; then it stays as it is.
fn settle(namespace: &Namespace, pending: &mut Vec<Pending>, at: usize) -> Result<Arc<Job>> {
    let Pending { kept, hides } = &pending[at];
    let truncation = kept.truncation.clone();
    let job = namespace.store.begin_removal(&truncation, hides)?;
    if let Err(error) = note(namespace, |record| truncations::settle(record, &truncation)) {
        job.finish(Err(error.clone()));
        return Err(error);
    }
    pending.retain(|one| !truncations::covers(&truncation, &one.kept.truncation));
    namespace.store.remove_pending(truncation, &job);
    Ok(job)
}

/// Changes what the manifest says of the namespace, unless its records are in memory.
fn note(namespace: &Namespace, change: impl FnOnce(&mut NamespaceRecord)) -> Result<()> {
    if matches!(namespace.store.config().engine, EngineConfig::Memory) {
        return Ok(());
    }
    namespace.manifest.update(|manifest| {
        manifest.by_id_mut(&namespace.id).map(change);
        Ok(())
    })
}

fn place_of(pending: &[Pending], id: &str) -> Result<usize> {
    let found = pending.iter().position(|one| one.kept.id == id);
    found.ok_or_else(|| {
        let shown: String = id.chars().take(32).collect();
        let why = sentence!("no truncation {id} can be undone: its time is up, or another one was for good", id = shown);
        Error::said(ErrorCode::TruncationNotFound, why)
    })
}

#[cfg(test)]
mod tests;
