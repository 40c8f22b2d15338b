//! The document and range indexes of a store: which there are, what they have grown to, and the
//! merges that keep them fast. `listed` is what a cluster has of them if it has the records, `elsewhere`
//! the store's side of that.
//!
//! Every write keeps the parts of all indexes in its segment (`crate::segment`). Making, building
//! and dropping one is the namespace's.

mod elsewhere;
mod listed;
mod merge_all;
mod merger;

pub use listed::{Ask, Asks, COLUMNS, Covers, Entries, RemoteIndex, RemoteIndexState, RemoteIndexes};

use super::RecordStore;
use elsewhere::{describe_elsewhere, find_elsewhere};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_index::{Index, IndexOrigin, IndexSpec, IndexState, IndexUses, MergeCounts, MergeQueue, SegmentIndex, SegmentIndexStats};

/// One index, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexInfo {
    pub spec: IndexSpec,
    pub state: IndexState,
    pub origin: IndexOrigin,
    /// The build, if this run of the engine built it.
    pub job: Option<String>,
    pub stats: SegmentIndexStats,
    pub merges: MergeCounts,
    /// In this run of the engine.
    pub uses: IndexUses,
}

pub(crate) struct Indexes {
    list: RwLock<Vec<Arc<Index>>>,
    pub(crate) merges: Arc<MergeQueue<Index>>,
    /// Jobs by the ids of indexes that this process builds on a cluster.
    pub(crate) builds: Mutex<HashMap<u32, String>>,
}

impl Default for Indexes {
    fn default() -> Self {
        Self { list: RwLock::default(), merges: Arc::new(merger::queue()), builds: Mutex::default() }
    }
}

impl Indexes {
    pub(super) fn specs(&self) -> Vec<IndexSpec> {
        self.list.read().iter().map(|index| index.spec().clone()).collect()
    }

    /// Oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<Index>> {
        self.list.read().clone()
    }

    pub(crate) fn find(&self, name: &str) -> Result<Arc<Index>> {
        let list = self.list.read();
        let found = list.iter().find(|index| index.spec().name == name).cloned();
        found.ok_or_else(|| missing(name))
    }

    /// Adds an index whose name is free, once `begun` has made its job.
    ///
    /// # Errors
    /// `index_exists`, `index_limit`, and what `begun` returns.
    pub(crate) fn enlist<T>(&self, index: &Arc<Index>, begun: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut list = self.list.write();
        let name = &index.spec().name;
        if list.iter().any(|other| other.spec().name == *name) {
            return Err(Error::said(ErrorCode::IndexExists, sentence!("the index \"{name}\" already exists", name = name.as_str()))
                .in_field("name"));
        }
        if list.len() >= limits::INDEXES {
            return Err(Error::said(
                ErrorCode::IndexLimit,
                sentence!("a namespace can have at most {most, number} indexes", most = limits::INDEXES as u64),
            ));
        }
        let job = begun()?;
        list.push(Arc::clone(index));
        Ok(job)
    }

    /// Takes an index off the list; false when it is not on it.
    pub(crate) fn forget(&self, index: &Arc<Index>) -> bool {
        let mut list = self.list.write();
        let before = list.len();
        list.retain(|other| !Arc::ptr_eq(other, index));
        list.len() < before
    }
}

fn missing(name: &str) -> Error {
    Error::said(ErrorCode::IndexNotFound, sentence!("there is no index \"{name}\"", name = name))
}

impl RecordStore {
    /// How many document and range indexes there are.
    pub fn index_count(&self) -> usize {
        self.indexes_elsewhere().map_or_else(|| self.indexes.list.read().len(), |listed| listed.of_values().count())
    }

    /// All indexes, oldest first.
    pub fn indexes(&self) -> Vec<IndexInfo> {
        match self.indexes_elsewhere() {
            Some(listed) => listed.of_values().map(|(listed, index)| describe_elsewhere(listed, index)).collect(),
            None => self.indexes.all().iter().map(|index| self.describe_index(index)).collect(),
        }
    }

    /// # Errors
    /// `index_not_found`.
    pub fn index(&self, name: &str) -> Result<IndexInfo> {
        match self.indexes_elsewhere() {
            Some(listed) => find_elsewhere(&listed, name).map(|(listed, index)| describe_elsewhere(&listed, &index)),
            None => self.indexes.find(name).map(|index| self.describe_index(&index)),
        }
    }

    /// The indexes that a query on `set` (on every set, if `None`) can use.
    pub(crate) fn usable_indexes(&self, set: Option<&str>) -> Vec<Arc<Index>> {
        let usable =
            |index: &&Arc<Index>| index.state() == IndexState::Ready && (index.spec().set.is_none() || index.spec().set.as_deref() == set);
        match self.indexes_elsewhere() {
            Some(listed) => listed.of_values().map(|(_, index)| index).filter(usable).cloned().collect(),
            None => self.indexes.list.read().iter().filter(usable).cloned().collect(),
        }
    }

    /// Gives every segment the parts of the configured indexes, before it has any record. They wait for what opening brings.
    pub(super) fn attach_configured(&self) -> Result<()> {
        for spec in &self.config.indexes {
            let index = Arc::new(Index::new(spec.clone(), IndexState::Building, self.check_ns(), &self.indexes.merges)?);
            self.attach(&index);
            self.indexes.list.write().push(index);
        }
        Ok(())
    }

    /// Gives every segment a part that takes writes, and waits for a build.
    pub(crate) fn attach(&self, index: &Arc<Index>) {
        for cell in self.cells() {
            cell.write(|segment| segment.indexes_mut().attach(Arc::clone(index), SegmentIndex::building(index.spec().kind)));
        }
    }

    pub(crate) fn detach(&self, index: &Arc<Index>) {
        for cell in self.cells() {
            cell.write(|segment| segment.indexes_mut().detach(index));
        }
        self.indexes.merges.forget(index);
    }

    /// As lists show it.
    pub(crate) fn describe_index(&self, index: &Arc<Index>) -> IndexInfo {
        let mut stats = SegmentIndexStats::default();
        for cell in self.cells() {
            if let Some(part) = cell.read().indexes().get(index).map(SegmentIndex::stats) {
                stats.entries += part.entries;
                stats.recent += part.recent;
                stats.terms += part.terms;
                stats.bytes += part.bytes;
            }
        }
        IndexInfo {
            spec: index.spec().clone(),
            state: index.state(),
            origin: index.origin(),
            job: index.job(),
            stats,
            merges: index.merges(),
            uses: index.uses(),
        }
    }
}
