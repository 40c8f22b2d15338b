//! Backups of namespaces, and what is restored of them: see `docs/internals/backup.md`.
//!
//! A backup is a folder of parts, with a manifest that is written last. `format` is what a part looks
//! like, `part` writes one, `log` reads it, `manifest` says what a backup is made of, `folder` where
//! one is, `place` where all are, `remote` one in a bucket, `objects` what a bucket has to do. `create` is the job that makes one, `restore` the job that checks a chain and brings
//! it back, `in_use` keeps apart what must not be done at once.

mod create;
mod folder;
mod format;
mod in_use;
mod log;
mod manifest;
mod objects;
mod part;
mod place;
mod remote;
mod restore;

pub(crate) use create::{Create, Source};
pub(crate) use folder::plan;
pub use folder::{info, list};
pub(crate) use in_use::{InUse, Use};
pub use manifest::{BackupManifest, Plan};
pub use objects::{Body, Objects, Slice, Wanted};
pub use place::{Bucket, Place};
pub(crate) use restore::{Chain, Restore, RestoreTarget, Writer};

use crate::config::NamespaceConfig;
use tessera_base::sentence::Value;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// How a backup is made.
#[derive(Clone, Debug)]
pub struct BackupSpec {
    /// `20261231T235959Z-` and eight hexadecimal digits: when it was begun, UTC, and what tells it from others of that second.
    pub id: String,
    /// The backup that it builds on; unset: it has all records.
    pub base: Option<String>,
    /// 1 to 128.
    pub threads: u32,
    pub records_per_second: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupState {
    /// It has its manifest. Whether its parts are whole is for a verification to say.
    Complete,
    /// It is being made, or its job was cut off.
    Unfinished,
    /// Its manifest, or its plan, cannot be read.
    Damaged,
}

impl BackupState {
    /// The name that callers read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Unfinished => "unfinished",
            Self::Damaged => "damaged",
        }
    }
}

/// A backup as lists show it. Times are Unix milliseconds.
#[derive(Clone, Debug)]
pub struct BackupInfo {
    pub id: String,
    pub state: BackupState,
    /// Unset if its plan cannot be read, as is what follows from it.
    pub namespace: Option<String>,
    /// Of the namespace that it was made of.
    pub namespace_id: Option<String>,
    pub config: Option<NamespaceConfig>,
    pub base: Option<String>,
    pub created_at_ms: Option<u64>,
    /// What follows is unset of one that is not complete.
    pub ended_at_ms: Option<u64>,
    /// Earliest and latest moment of a segment: the point that a restore goes back to.
    pub moments_ms: Option<(u64, u64)>,
    /// As the namespace counted them.
    pub records: Option<u64>,
    /// Records whose bodies are in it; the rest are in its bases.
    pub bodies: Option<u64>,
    /// Of its files.
    pub bytes: Option<u64>,
    /// Records that could not be read.
    pub damaged: Option<u64>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

impl BackupInfo {
    fn planned(id: &str, plan: Option<Plan>, state: BackupState, problem: Option<String>) -> Self {
        let mut info = Self {
            id: id.to_owned(),
            state,
            namespace: None,
            namespace_id: None,
            config: None,
            base: None,
            created_at_ms: None,
            ended_at_ms: None,
            moments_ms: None,
            records: None,
            bodies: None,
            bytes: None,
            damaged: None,
            problem,
        };
        if let Some(plan) = plan {
            info.namespace = Some(plan.namespace);
            info.namespace_id = Some(plan.owner.unwrap_or(plan.namespace_id));
            info.config = Some(plan.config);
            info.base = plan.base.map(|base| base.id);
            info.created_at_ms = Some(plan.created_at_ms);
        }
        info
    }

    fn of(manifest: &BackupManifest) -> Self {
        Self {
            ended_at_ms: Some(manifest.ended_at_ms),
            moments_ms: Some(manifest.moments()),
            records: Some(manifest.segments().map(|segment| segment.records).sum()),
            bodies: Some(manifest.segments().map(|segment| segment.bodies).sum()),
            bytes: Some(manifest.bytes()),
            damaged: Some(manifest.damaged),
            ..Self::planned(&manifest.plan.id, Some(manifest.plan.clone()), BackupState::Complete, None)
        }
    }
}

/// Removes a backup, ended or not.
///
/// # Errors
/// `backup_not_found`; `backup_in_use` while a job is at work with it, or while others build on it; `storage_failed`.
pub(crate) fn remove(place: &Place, id: &str, in_use: &InUse) -> Result<BackupInfo> {
    let removed = info(place, id)?;
    let _alone = in_use.alone(id)?;
    if let Some(other) = list(place)?.iter().find(|other| other.base.as_deref() == Some(id)) {
        let message = sentence!("the backup {id} builds on {base}: remove that one first", id = &other.id, base = id);
        return Err(Error::said(ErrorCode::BackupInUse, message));
    }
    folder::remove(place, id)?;
    Ok(removed)
}

fn damaged(what: impl Into<Value>, why: impl Into<Value>) -> Error {
    Error::said(ErrorCode::BackupDamaged, sentence!("{what} is damaged: {why}", what = what, why = why))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
