//! What a start does with namespaces that were migrating.

use super::copy;
use super::migration::Migration;
use super::target::MigrationTarget;
use crate::config::EngineConfig;
use crate::manifest::ManifestFile;
use crate::namespace::{Host, Namespace, Progress, Start};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::pool::caught;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// A namespace that was cut over to memory has lost its records with the process. The store on disk has followed it, and decides again.
///
/// # Errors
/// What writing the manifest returns.
pub(in crate::engine) fn go_back_to_disks(manifest: &ManifestFile) -> Result<()> {
    let listed = manifest.read();
    let lost = listed.twins.iter().filter(|twin| {
        let leads = listed.by_id(&twin.of).map(|record| &record.config.engine);
        twin.cut_over && twin.failed.is_none() && leads == Some(&EngineConfig::Memory) && twin.record.config.engine != EngineConfig::Memory
    });
    lost.map(|twin| twin.of).try_for_each(|of| manifest.update(|manifest| manifest.exchange(&of)))
}

/// Opens the second store of a namespace that was just opened, if it has one, and begins to make it the same again: a crash may have
/// come between the two writes of a change, or have taken the end of one store and not of the other. `folders`: of all namespaces.
pub(in crate::engine) fn open_twin(
    host: &Arc<Host>,
    folders: &Path,
    namespace: &Arc<Namespace>,
    disks_until: Instant,
) -> Option<Arc<Migration>> {
    let manifest = host.manifest.read();
    let twin = manifest.twin_of(namespace.id())?;
    let failed = twin.failed.as_ref().map(|loss| {
        let code = ErrorCode::ALL.iter().find(|code| code.as_str() == loss.code);
        Error::new(code.copied().unwrap_or(ErrorCode::MigrationFailed), loss.message.clone())
    });
    let (follower, unopened) = match try_twin(host, folders, namespace, disks_until) {
        Ok(follower) => (Some(follower), None),
        Err(error) => (None, Some(error)),
    };
    // The namespace is served without it.
    let begin = || Migration::begin_job(host, namespace, &twin.record.config, &MigrationTarget::at(twin.pace));
    let job = failed.or(unopened).map_or_else(begin, Err);
    let migration = Migration::new(host.clone(), namespace.clone(), follower, twin.cut_over, job.as_ref().err().cloned());
    if let Ok(job) = job {
        copy::begin(&migration, &job);
    }
    Some(migration)
}

/// Opens the second store of a namespace.
///
/// # Errors
/// `migration_not_found`; why it cannot be opened.
pub(in crate::engine) fn try_twin(host: &Arc<Host>, folders: &Path, namespace: &Namespace, disks_until: Instant) -> Result<Arc<Namespace>> {
    open_as(host, folders, namespace, Start::Existing(&Progress::new(0, disks_until)))
}

/// Opens the second store of a namespace whose migration has failed, and which is to follow again. `follower`: that store, if it is open.
///
/// A target on a cluster is made anew. What was sent there last may be on its way still, and nobody knows any more which records that
/// were: one that is removed here meanwhile would come back there.
///
/// # Errors
/// As `try_twin`; `cluster_unavailable`.
pub(super) fn open_again(
    host: &Arc<Host>,
    folders: &Path,
    namespace: &Namespace,
    follower: Option<Arc<Namespace>>,
    disks_until: Instant,
) -> Result<Arc<Namespace>> {
    let manifest = host.manifest.read();
    let is_target = manifest.twin_of(namespace.id()).is_some_and(|twin| !twin.cut_over && twin.record.config.engine.is_remote());
    let opened = follower.map_or_else(|| try_twin(host, folders, namespace, disks_until), Ok);
    match opened {
        Ok(follower) if is_target => {
            follower.store().remove_elsewhere()?;
            // Nothing of it is left to be written.
            let _ = follower.store().stop();
            open_as(host, folders, namespace, Start::Copy)
        }
        // That was cut off half-way.
        Err(error) if is_target && error.code == ErrorCode::DataFileMissing => open_as(host, folders, namespace, Start::Copy),
        opened => opened,
    }
}

fn open_as(host: &Arc<Host>, folders: &Path, namespace: &Namespace, start: Start<'_>) -> Result<Arc<Namespace>> {
    let manifest = host.manifest.read();
    let missing = || Error::said(ErrorCode::MigrationNotFound, sentence!("the namespace has no second store"));
    let record = &manifest.twin_of(namespace.id()).ok_or_else(missing)?.record;
    caught(|| Namespace::open(record, &folders.join(record.number.to_string()), host.clone(), start))
}
