//! What a namespace does to be closed, and what is done for it while it is open: so that the
//! manifest and the disk have what they have to.

use super::{Namespace, indexes, truncations, undo};
use crate::config::{Feature, NamespaceConfig, SetConfig};
use crate::sets::SetIndexState;
use crate::store::remote::{Covers, Remote, RemoteIndexState};
use crate::store::{IndexInfo, SetInfo};
use parking_lot::RwLockReadGuard;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, limits, processors, sentence};
use tessera_index::IndexState;

impl Namespace {
    /// Refuses further writes, then flushes and stops the storage, and saves the index for the next start. Idempotent.
    ///
    /// # Errors
    /// What the storage returns, with what is not on disk.
    pub(crate) fn close(&self) -> Result<()> {
        self.store.stop().map_err(|error| {
            let (name, bytes) = (self.name(), self.usage().flush_queue_bytes);
            error.within(|why| {
                sentence!("the namespace \"{name}\" has {bytes} bytes that are not on disk: {why}", name = name, bytes = bytes, why = why)
            })
        })?;
        truncations::forget(self);
        self.note_stamp();
        if self.store.files.look().is_ok() {
            self.store.save_index(self.recovery.damaged);
        }
        Ok(())
    }

    /// Now and then, before records are evicted: makes truncations final whose time is up or whose room is needed.
    pub(crate) fn tend_truncations(&self) {
        undo::tend(self);
    }

    /// Now and then: builds indexes that wait for a job, goes on with truncations that were cut off, and forgets those that are over.
    pub(crate) fn tend(self: &Arc<Self>) {
        self.store.sweep_what_is_left();
        self.tend_indexes();
        truncations::forget(self);
    }

    /// Now and then: builds indexes that wait for a job.
    pub(crate) fn tend_indexes(self: &Arc<Self>) {
        indexes::build_missing(self);
    }

    /// For a change of settings, sets or indexes, to be held until it is made.
    ///
    /// # Errors
    /// `migration_active`, `closed`, `namespace_poisoned`, `data_directory_unavailable`.
    pub(super) fn check_changeable(&self) -> Result<RwLockReadGuard<'_, ()>> {
        let twinning = self.twinning.read();
        if self.store.migrates() {
            let message = sentence!(
                "\"{name}\" migrates: its settings, sets and indexes stay as they are until the migration ends",
                name = self.name()
            );
            return Err(Error::said(ErrorCode::MigrationActive, message));
        }
        self.check_truncatable().map(|()| twinning)
    }

    /// Makes a second store with the settings, sets and indexes as they are: nobody changes them meanwhile.
    ///
    /// # Errors
    /// `index_building`, `truncation_undoable`; those of `make`.
    pub(crate) fn twin<T>(&self, make: impl FnOnce(NamespaceConfig) -> Result<T>) -> Result<T> {
        let _twinning = self.twinning.write();
        // The second store would not have what is hidden.
        if let Some(one) = self.undoable_truncations().first() {
            let message = sentence!("the truncation {id} can still be undone; undo it, or make it final, and migrate then", id = &one.id);
            return Err(Error::said(ErrorCode::TruncationUndoable, message));
        }
        self.check_indexes_are_built()?;
        make(self.whole_config())
    }

    /// The configuration, with the indexes that a cluster lists.
    fn whole_config(&self) -> NamespaceConfig {
        let mut config = self.config();
        let listed = self.store.remote().map(Remote::indexes);
        for index in listed.iter().flat_map(|list| list.listed()).filter(|index| index.state != RemoteIndexState::Dropped) {
            match &index.covers {
                Covers::Set(name) => config.sets.push(SetConfig { name: name.clone(), index: true, ..SetConfig::default() }),
                Covers::Values(spec) => config.indexes.push(spec.clone()),
            }
        }
        config
    }

    /// Lists and builds the indexes that `source` has and that are missing here, where a cluster lists them.
    ///
    /// # Errors
    /// `index_limit`, `job_limit`, `cluster_unavailable`.
    pub(crate) fn index_as(self: &Arc<Self>, source: &Self) -> Result<()> {
        let Some(remote) = self.store.remote() else { return Ok(()) };
        let wanted = source.whole_config();
        let of_sets = wanted.sets.iter().filter(|set| set.index).map(|set| Covers::Set(set.name.clone()));
        for covers in of_sets.chain(wanted.indexes.into_iter().map(Covers::Values)) {
            let is_listed = remote.indexes().listed().any(|index| index.state != RemoteIndexState::Dropped && index.covers == covers);
            if !is_listed {
                indexes::elsewhere::create(self, remote, &covers, processors().min(limits::THREADS))?;
            }
        }
        Ok(())
    }

    /// # Errors
    /// `index_building`.
    pub(crate) fn check_indexes_are_built(&self) -> Result<()> {
        let building = |index: &IndexInfo| index.state == IndexState::Building;
        let set_building = |set: &SetInfo| set.index == SetIndexState::Building;
        if self.indexes().iter().any(building) || self.sets().iter().any(set_building) {
            return Err(Error::said(ErrorCode::IndexBuilding, sentence!("an index is being built; try again when it is ready")));
        }
        Ok(())
    }

    /// For a truncation, also while it migrates.
    ///
    /// # Errors
    /// `closed`, `namespace_poisoned`, `data_directory_unavailable`.
    pub(super) fn check_truncatable(&self) -> Result<()> {
        self.store.check_open()?;
        self.store.files.look()
    }

    /// Keeps in the manifest what an older copy of all the files together does not have.
    pub(super) fn note_stamp(&self) {
        let stamp = self.store.storage().stamp();
        if self.manifest.read().by_id(&self.id).is_some_and(|record| record.stamp < stamp) {
            // Without it such a copy is not told from the files, and all else is as before.
            let _ = self.manifest.update(|manifest| {
                manifest.by_id_mut(&self.id).into_iter().for_each(|record| record.stamp = stamp);
                Ok(())
            });
        }
    }
}

/// Makes a checkpoint now, where records are in pages; truncations that it has written are over.
///
/// # Errors
/// `storage_failed`, `device_full`.
pub(super) fn checkpoint(namespace: &Namespace) -> Result<()> {
    namespace.store.require(Feature::Disks)?;
    let made = namespace.store.checkpoint();
    truncations::forget(namespace);
    made
}
