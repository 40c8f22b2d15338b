//! What a namespace does to be closed, and what is done for it while it is open: so that the
//! manifest and the disk have what they have to.

use super::{Namespace, indexes, truncations};
use crate::config::Feature;
use std::sync::Arc;
use tessera_base::{Error, Result};

impl Namespace {
    /// Refuses further writes, then flushes and stops the storage, and saves the index for the next start. Idempotent.
    ///
    /// # Errors
    /// What the storage returns, with what is not on disk.
    pub(crate) fn close(&self) -> Result<()> {
        self.store.stop().map_err(|error| {
            let (name, bytes) = (self.name(), self.usage().flush_queue_bytes);
            Error { message: format!("the namespace {name:?} has {bytes} bytes that are not on disk: {}", error.message), ..error }
        })?;
        truncations::forget(self);
        self.note_stamp();
        if self.store.files.look().is_ok() {
            self.store.save_index(self.recovery.damaged);
        }
        Ok(())
    }

    /// Now and then: builds indexes that wait for a job, goes on with truncations that were cut off, and forgets those that are over.
    pub(crate) fn tend(self: &Arc<Self>) {
        self.store.sweep_what_is_left();
        indexes::build_missing(self);
        truncations::forget(self);
    }

    /// For a change of what the manifest keeps.
    ///
    /// # Errors
    /// `closed`, `namespace_poisoned`, `data_directory_unavailable`.
    pub(super) fn check_changeable(&self) -> Result<()> {
        self.store.check_open()?;
        self.store.files.look()
    }

    /// Keeps in the manifest what an older copy of all the files together does not have.
    pub(super) fn note_stamp(&self) {
        let stamp = self.store.storage().stamp();
        if self.manifest.read().find(self.name()).is_some_and(|record| record.stamp < stamp) {
            // Without it such a copy is not told from the files, and all else is as before.
            let _ = self.manifest.update(|manifest| {
                manifest.find_mut(self.name()).into_iter().for_each(|record| record.stamp = stamp);
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
