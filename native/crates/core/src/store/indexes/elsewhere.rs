//! The indexes of a namespace whose records are kept elsewhere, as the store shows them.

use super::listed::{RemoteIndex, RemoteIndexState, RemoteIndexes};
use super::{IndexInfo, missing};
use crate::sets::{SetEntry, SetIndexState};
use crate::store::RecordStore;
use std::sync::Arc;
use tessera_base::Result;
use tessera_index::{Index, MergeCounts, SegmentIndexStats};

impl RecordStore {
    /// What a cluster lists; `None` if the records are here. Waits for nobody.
    pub(crate) fn indexes_elsewhere(&self) -> Option<Arc<RemoteIndexes>> {
        self.shared_remote().map(|remote| remote.indexes())
    }

    /// The job that builds the index of a set, while this process does.
    pub(crate) fn set_index_job(&self, set: &SetEntry) -> Option<String> {
        let Some(listed) = self.indexes_elsewhere() else { return set.index_job() };
        listed.of_set(&set.name).and_then(|index| self.indexes.builds.lock().get(&index.id).cloned())
    }

    /// Where the index of a set stands.
    pub(crate) fn set_index_state(&self, set: &SetEntry) -> SetIndexState {
        let Some(listed) = self.indexes_elsewhere() else { return set.index_state() };
        match listed.of_set(&set.name).map(|index| index.state) {
            Some(RemoteIndexState::Ready) => SetIndexState::On,
            Some(RemoteIndexState::Building) => SetIndexState::Building,
            Some(RemoteIndexState::Dropped) | None => SetIndexState::Off,
        }
    }
}

/// # Errors
/// `index_not_found`.
pub(super) fn find_elsewhere(listed: &RemoteIndexes, name: &str) -> Result<(RemoteIndex, Arc<Index>)> {
    let found = listed.of_values().find(|(index, _)| index.is_named(name));
    found.map(|(index, known)| (index.clone(), known.clone())).ok_or_else(|| missing(name))
}

/// What it takes of the cluster nobody here knows, and of this process nothing.
pub(super) fn describe_elsewhere(listed: &RemoteIndex, index: &Arc<Index>) -> IndexInfo {
    IndexInfo {
        spec: index.spec().clone(),
        state: index.state(),
        origin: index.origin(),
        job: index.job(),
        stats: SegmentIndexStats { entries: listed.records, ..SegmentIndexStats::default() },
        merges: MergeCounts::default(),
        uses: index.uses(),
    }
}
