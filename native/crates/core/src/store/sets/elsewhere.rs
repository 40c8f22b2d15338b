//! The sets of a namespace whose records are kept elsewhere: this process has an entry for each that it was asked for.

use crate::sets::SetEntry;
use crate::store::RecordStore;
use crate::store::remote::{Remote, RemoteSet};
use std::sync::Arc;
use tessera_base::Result;

impl RecordStore {
    /// Brings the sets that a cluster is known to have into the list of this process, with what they hold.
    pub(super) fn learn_sets(&self) {
        if let Some(remote) = &self.remote {
            // More than there are ids for are not listed.
            remote.sets().iter().for_each(|set| drop(self.entry_of(set)));
        }
    }

    /// A set of a cluster as this process has it.
    pub(super) fn find_elsewhere(&self, remote: &dyn Remote, name: &str) -> Option<Arc<SetEntry>> {
        self.entry_of(&remote.set(name)?).ok()
    }

    /// Records and bytes that a cluster is thought to hold, of one set or of all; `None` if the records are here.
    pub(in crate::store) fn held_elsewhere(&self, set: Option<&str>) -> Option<(u64, u64)> {
        let remote = self.remote.as_ref()?;
        Some(match set {
            Some(name) => remote.set(name).map_or((0, 0), |set| (set.records, set.bytes)),
            None => remote.held(),
        })
    }

    fn entry_of(&self, set: &RemoteSet) -> Result<Arc<SetEntry>> {
        let entry = self.sets.find_or_create(&set.name)?;
        entry.hold(set.records, set.bytes);
        Ok(entry)
    }
}
