//! The sets of a namespace: found, and listed.

use crate::config::SetLimits;
use crate::sets::{SetEntry, SetIndexState};
use crate::store::RecordStore;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence, thread_guard};

/// One set, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetInfo {
    /// Empty for records without a set.
    pub name: String,
    pub records: u64,
    pub bytes: u64,
    pub distribution_bin: Option<String>,
    pub index: SetIndexState,
    /// The job that builds the index, while it does.
    pub index_job: Option<String>,
    /// Bytes of the set's index.
    pub index_bytes: u64,
    pub limits: SetLimits,
}

impl RecordStore {
    /// Every set that was ever written to or configured; records without a set come first, if there are any.
    pub fn sets(&self) -> Vec<SetInfo> {
        thread_guard::may_wait("walks all sets");
        self.learn_sets();
        self.sets.all().iter().filter(|set| self.is_listed(set)).map(|set| self.describe_set(set)).collect()
    }

    /// Records without a set are listed if there are any.
    pub(super) fn is_listed(&self, set: &SetEntry) -> bool {
        !set.name.is_empty() || set.records() > 0
    }

    /// Sets that have a name.
    pub fn set_count(&self) -> usize {
        match &self.remote {
            Some(remote) => remote.sets().iter().filter(|set| !set.name.is_empty()).count(),
            None => self.sets.all().len() - 1,
        }
    }

    /// As lists show it.
    pub(crate) fn describe_set(&self, set: &SetEntry) -> SetInfo {
        SetInfo {
            name: set.name.to_string(),
            records: set.records(),
            bytes: set.bytes(),
            distribution_bin: set.distribution.as_ref().map(|d| d.bin.to_string()),
            index: self.set_index_state(set),
            index_job: self.set_index_job(set),
            // Sets by the thousand are listed; only those with an index are worth a look at every segment.
            index_bytes: match set.indexed() {
                true => self.segments.iter().map(|cell| cell.read().set_index_bytes(set.id) as u64).sum(),
                false => 0,
            },
            limits: set.limits(),
        }
    }

    pub(crate) fn set_by_id(&self, id: u16) -> Option<Arc<SetEntry>> {
        self.sets.by_id(id)
    }

    /// # Errors
    /// `set_not_found`.
    pub(crate) fn find_set(&self, name: &str) -> Result<Arc<SetEntry>> {
        let missing = || {
            Error::said(
                ErrorCode::SetNotFound,
                sentence!("there is no set \"{name}\" in \"{namespace}\"", name = name, namespace = self.name()),
            )
            .in_field("set")
        };
        let found = match &self.remote {
            Some(remote) => self.find_elsewhere(&**remote, name),
            None => self.sets.find(name),
        };
        found.ok_or_else(missing)
    }
}
