//! The document and range indexes of a namespace: built by a job, kept by every write, dropped at once.

mod build;

use super::{Namespace, merger};
use build::{Scratch, build_segment};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tessera_base::{Error, ErrorCode, Result, clock, heap, limits, processors};
use tessera_index::{Index, IndexOrigin, IndexSpec, IndexState, MergeCounts, MergeQueue, SegmentIndex, SegmentIndexStats};
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Work};
use tessera_record::Digest;

/// Segments of a build from one estimate of what is left to the next.
const EXPECT_EVERY: u64 = 64;

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
}

pub(super) struct Indexes {
    list: RwLock<Vec<Arc<Index>>>,
    pub(super) merges: Arc<MergeQueue>,
    /// Held while an index is attached to or detached from the segments.
    changes: Mutex<()>,
}

impl Default for Indexes {
    fn default() -> Self {
        Self { list: RwLock::default(), merges: Arc::new(merger::queue()), changes: Mutex::default() }
    }
}

impl Indexes {
    pub fn specs(&self) -> Vec<IndexSpec> {
        self.list.read().iter().map(|index| index.spec().clone()).collect()
    }

    pub fn count(&self) -> usize {
        self.list.read().len()
    }

    /// Oldest first.
    pub fn all(&self) -> Vec<Arc<Index>> {
        self.list.read().clone()
    }

    fn find(&self, name: &str) -> Result<Arc<Index>> {
        let list = self.list.read();
        let found = list.iter().find(|index| index.spec().name == name).cloned();
        found.ok_or_else(|| Error::new(ErrorCode::IndexNotFound, format!("there is no index {name:?}")))
    }

    /// Takes an index off the list; false when it is not on it.
    fn forget(&self, index: &Arc<Index>) -> bool {
        let mut list = self.list.write();
        let before = list.len();
        list.retain(|other| !Arc::ptr_eq(other, index));
        list.len() < before
    }
}

impl Namespace {
    /// Makes an index and builds it on `threads` threads, which the job can change. Writes go on; queries use the
    /// index once the job is done. Aborting the job takes the index away.
    ///
    /// # Errors
    /// `index_exists`, `index_limit`, `single_bin`, `threads_invalid`, `job_limit`, what `IndexSpec::check` returns, and what
    /// writing the manifest returns; then there is no index.
    pub fn create_index(self: &Arc<Self>, mut spec: IndexSpec, threads: u32) -> Result<Arc<Job>> {
        self.check_changeable()?;
        spec.created_at_ms = clock::unix_millis();
        self.config.check_bin(spec.bin.as_deref(), "bin")?;
        let index = Arc::new(Index::new(spec, IndexState::Building, self.check_ns(), &self.indexes.merges)?);
        let changes = self.indexes.changes.lock();
        let job = self.enlist(&index, threads)?;
        for cell in self.cells() {
            cell.write(|segment| segment.indexes_mut().attach(Arc::clone(&index), SegmentIndex::building(index.spec().kind)));
        }
        if let Err(error) = self.save_config() {
            self.indexes.forget(&index);
            self.detach(&index);
            job.finish(Err(error.clone()));
            // The index is not on the list; the next change of the configuration writes that down.
            let _ = self.save_config();
            return Err(error);
        }
        // Where no thread is to be had, the whole build runs here, and ends with a change.
        drop(changes);
        self.start_build(index, &job);
        Ok(job)
    }

    fn start_build(self: &Arc<Self>, index: Arc<Index>, job: &Arc<Job>) {
        let build = Build { namespace: Arc::clone(self), index, job: Arc::clone(job), built: AtomicUsize::new(0) };
        Crew::start(self.pool(), job, self.cells().len(), build);
    }

    /// Starts to build the indexes that opening the namespace has not brought: those that were being built at the last stop.
    /// Where there are too many jobs they wait, and take writes; to be called again until none does.
    pub(crate) fn build_missing(self: &Arc<Self>) {
        let threads = processors().min(limits::THREADS);
        for index in self.indexes.all().into_iter().filter(|index| index.state() == IndexState::Building && index.job().is_none()) {
            let begun = {
                let _changes = self.indexes.changes.lock();
                // It may have been dropped meanwhile, or have got its job.
                let wanted = self.indexes.find(&index.spec().name).is_ok_and(|found| Arc::ptr_eq(&found, &index)) && index.job().is_none();
                wanted.then(|| self.begin_job(&index, threads))
            };
            match begun {
                Some(Ok(job)) => self.start_build(index, &job),
                Some(Err(error)) if error.code == ErrorCode::JobLimit => return,
                // The engine is being closed; the next start tries again.
                Some(Err(_)) => {
                    self.detach(&index);
                    index.set_state(IndexState::Failed);
                }
                None => {}
            }
        }
    }

    fn enlist(&self, index: &Arc<Index>, threads: u32) -> Result<Arc<Job>> {
        let spec = index.spec();
        let mut list = self.indexes.list.write();
        if list.iter().any(|other| other.spec().name == spec.name) {
            return Err(Error::new(ErrorCode::IndexExists, format!("the index {:?} already exists", spec.name)).in_field("name"));
        }
        if list.len() >= limits::INDEXES {
            return Err(Error::new(ErrorCode::IndexLimit, format!("a namespace can have at most {} indexes", limits::INDEXES)));
        }
        let job = self.begin_job(index, threads)?;
        list.push(Arc::clone(index));
        Ok(job)
    }

    fn begin_job(&self, index: &Index, threads: u32) -> Result<Arc<Job>> {
        let spec = index.spec();
        let parameters = serde_json::json!({ "index": spec.name, "set": spec.set, "bin": spec.bin, "kind": spec.kind, "path": spec.path });
        let job = self.jobs().begin(JobSpec {
            set: spec.set.clone(),
            parameters: parameters.to_string(),
            total: Some(self.held(spec.set.as_deref())),
            threads,
            ..JobSpec::new(JobKind::IndexBuild, self.name(), format!("Build index {}", spec.name))
        })?;
        index.set_job(job.id());
        Ok(job)
    }

    /// Drops an index at once; a build of it is aborted. Answers what it was.
    ///
    /// # Errors
    /// `index_not_found`, and what writing the manifest returns; then the index is gone from memory all the same.
    pub fn drop_index(&self, name: &str) -> Result<IndexInfo> {
        self.check_changeable()?;
        let _changes = self.indexes.changes.lock();
        let index = self.indexes.find(name)?;
        let info = self.describe_index(&index);
        self.indexes.forget(&index);
        if let Some(job) = index.job() {
            // A build that has ended cannot be aborted, and need not be.
            let _ = self.jobs().abort(&job);
        }
        self.detach(&index);
        self.pool().spawn(heap::give_back);
        self.save_config()?;
        Ok(info)
    }

    /// How many document and range indexes there are.
    pub fn index_count(&self) -> usize {
        self.indexes.count()
    }

    /// All indexes, oldest first.
    pub fn indexes(&self) -> Vec<IndexInfo> {
        let list = self.indexes.list.read().clone();
        list.iter().map(|index| self.describe_index(index)).collect()
    }

    /// # Errors
    /// `index_not_found`.
    pub fn index(&self, name: &str) -> Result<IndexInfo> {
        self.indexes.find(name).map(|index| self.describe_index(&index))
    }

    /// The indexes that a query on `set` (on every set, if `None`) can use.
    pub(crate) fn usable_indexes(&self, set: Option<&str>) -> Vec<Arc<Index>> {
        let usable =
            |index: &&Arc<Index>| index.state() == IndexState::Ready && (index.spec().set.is_none() || index.spec().set.as_deref() == set);
        self.indexes.list.read().iter().filter(usable).cloned().collect()
    }

    /// Gives every segment the parts of the configured indexes, before it has any record. They wait for what opening brings.
    pub(super) fn attach_configured(&self) -> Result<()> {
        for spec in &self.config.indexes {
            let index = Arc::new(Index::new(spec.clone(), IndexState::Building, self.check_ns(), &self.indexes.merges)?);
            for cell in self.cells() {
                cell.write(|segment| segment.indexes_mut().attach(Arc::clone(&index), SegmentIndex::building(spec.kind)));
            }
            self.indexes.list.write().push(index);
        }
        Ok(())
    }

    fn detach(&self, index: &Arc<Index>) {
        for cell in self.cells() {
            cell.write(|segment| segment.indexes_mut().detach(index));
        }
        self.indexes.merges.forget(index);
    }

    fn describe_index(&self, index: &Arc<Index>) -> IndexInfo {
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
        }
    }
}

struct Build {
    namespace: Arc<Namespace>,
    index: Arc<Index>,
    job: Arc<Job>,
    /// Segments that are done.
    built: AtomicUsize,
}

impl Build {
    /// Writes add to what there is to do: the total is what is done and what the segments left should have.
    fn expect(&self) {
        let (segments, built) = (self.namespace.cells().len() as u64, self.built.fetch_add(1, Ordering::Relaxed) as u64 + 1);
        // The size of a namespace is counted by segment.
        if !built.is_multiple_of(EXPECT_EVERY) && built < segments {
            return;
        }
        let left = segments.saturating_sub(built);
        let records = self.namespace.held(self.index.spec().set.as_deref());
        self.job.set_total(self.job.done() + (u128::from(records) * u128::from(left) / u128::from(segments)) as u64);
    }
}

impl Work for Build {
    type Worker = Scratch;

    fn item(&self, scratch: &mut Scratch, segment: usize) -> Result<()> {
        let cell = &self.namespace.cells()[segment];
        let set = self.index.spec().set.as_deref().map(|name| self.namespace.sets.find(name));
        if let Some(None) = set {
            // A set that begins during the build has only records that writes have indexed.
            cell.write(|segment| segment.indexes_mut().adopt(&self.index, SegmentIndex::new(self.index.spec().kind)));
            return Ok(());
        }
        let set = set.flatten().map(|set| set.id);
        let damaged = |set: u16, digest: &Digest, error: &Error| {
            let set = self.namespace.set_by_id(set).map(|set| set.name.to_string()).unwrap_or_default();
            self.job.damaged(set, digest, error);
        };
        build_segment(cell, &*self.namespace.storage, &self.index, set, &self.job, scratch, &damaged)?;
        self.expect();
        Ok(())
    }

    fn leave(&self, _: Scratch) -> Result<()> {
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        let namespace = &self.namespace;
        let _changes = namespace.indexes.changes.lock();
        let result = outcome.map(|()| {
            self.index.set_state(IndexState::Ready);
            let stats = namespace.describe_index(&self.index).stats;
            serde_json::json!({ "entries": stats.entries, "terms": stats.terms, "bytes": stats.bytes }).to_string()
        });
        if let Err(error) = &result {
            namespace.detach(&self.index);
            // One that the engine's close has ended stays on the manifest, and is built after the next start.
            let wanted_away = error.code == ErrorCode::Aborted && !self.job.is_closing();
            if wanted_away && namespace.indexes.forget(&self.index) {
                // A manifest that still lists the index brings it back at the next start, complete.
                let _ = namespace.check_open().and_then(|()| namespace.save_config());
            } else {
                self.index.set_state(IndexState::Failed);
            }
            // What it collected, and the buffers of its workers, which have left.
            namespace.pool().spawn(heap::give_back);
        }
        self.job.finish(result);
    }
}

#[cfg(test)]
mod tests;
