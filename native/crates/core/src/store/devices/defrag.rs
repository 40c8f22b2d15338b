//! The index's part in making room on a device, and the thread that does it.

use crate::store::RecordStore;
use std::sync::{Arc, Weak};
use tessera_base::{Error, Result, sentence};
use tessera_record::Digest;
use tessera_storage::{Location, RecordImage, Relocator};

impl Relocator for RecordStore {
    fn relocate(&self, segment: u16, image: &RecordImage<'_>, from: Location) -> Result<()> {
        // A record of a segment that is not ours is no record of the index.
        let Some(cell) = self.segments.get(usize::from(segment)) else { return Ok(()) };
        cell.write(|segment| segment.relocate(image, from))
    }

    fn rebury(&self, segment: u16, digest: &Digest, set: &str) -> Result<()> {
        let Some(cell) = self.segments.get(usize::from(segment)) else { return Ok(()) };
        cell.write(|segment| segment.rebury(digest, set))
    }
}

impl RecordStore {
    /// Starts the thread that makes room, until the storage is closed or the namespace is gone.
    ///
    /// # Errors
    /// `storage_failed` when the system refuses a thread.
    pub(in crate::store) fn start_defragmentation(self: &Arc<Self>) -> Result<()> {
        let (storage, store): (_, Weak<Self>) = (self.storage.clone(), Arc::downgrade(self));
        let run = move || {
            while storage.await_defragmentation() {
                let Some(store) = store.upgrade().filter(|store| store.poisoned().is_none()) else { return };
                store.or_poison(
                    || sentence!("making room on the device"),
                    || {
                        // A device that refuses is tried again; writers meet its error meanwhile.
                        let _ = storage.defragment(&*store);
                    },
                );
            }
        };
        let thread = std::thread::Builder::new().name("tessera-defrag".to_owned()).spawn(run);
        thread.map(drop).map_err(|e| Error::io("starting the defragmentation thread", &e))
    }
}
