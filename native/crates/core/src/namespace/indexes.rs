//! Making, building and dropping the document and range indexes of a namespace. A job builds, every
//! write keeps, a drop takes effect at once.

mod blocks;
mod build;
mod collected;
pub(super) mod elsewhere;

use super::{Namespace, settings};
use crate::store::remote::Covers;
use crate::store::{IndexInfo, RecordStore};
use blocks::{BlockReader, Blocks, Part, Passes};
use build::{Scratch, Source, build_segment};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tessera_base::{Error, ErrorCode, Result, clock, heap, limits, processors};
use tessera_index::{Index, IndexSpec, IndexState, SegmentIndex};
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Work};
use tessera_record::Digest;

/// Segments of a build from one estimate of what is left to the next.
const EXPECT_EVERY: u64 = 64;

/// Makes an index and builds it on `threads` threads, which the job can change. Writes go on; queries use the
/// index once the job is done. Aborting the job takes the index away.
///
/// # Errors
/// `index_exists`, `index_limit`, `single_bin`, `threads_invalid`, `job_limit`, what `IndexSpec::check` returns, and what
/// writing the manifest returns; then there is no index; `cluster_unavailable`.
pub(super) fn create(namespace: &Arc<Namespace>, mut spec: IndexSpec, threads: u32) -> Result<Arc<Job>> {
    let _changeable = namespace.check_changeable()?;
    spec.created_at_ms = clock::unix_millis();
    let store = namespace.store();
    store.created_as().check_bin(spec.bin.as_deref(), "bin")?;
    if let Some(remote) = store.remote() {
        spec.check()?;
        return elsewhere::create(namespace, remote, &Covers::Values(spec), threads);
    }
    let index = Arc::new(Index::new(spec, IndexState::Building, store.check_ns(), &store.indexes.merges)?);
    let changes = namespace.index_changes.lock();
    let job = store.indexes.enlist(&index, || begin_job(store, &index, threads))?;
    store.attach(&index);
    if let Err(error) = settings::save(namespace) {
        store.indexes.forget(&index);
        store.detach(&index);
        job.finish(Err(error.clone()));
        // The index is not on the list; the next change of the configuration writes that down.
        let _ = settings::save(namespace);
        return Err(error);
    }
    // Where no thread is to be had, the whole build runs here, and ends with a change.
    drop(changes);
    start_build(namespace, index, &job);
    Ok(job)
}

fn start_build(namespace: &Arc<Namespace>, index: Arc<Index>, job: &Arc<Job>) {
    let store = namespace.store();
    let (blocks, passes) = match Blocks::of(store, &index, job.target_threads()) {
        Some((blocks, passes)) => (Some(blocks), passes),
        None => (None, Passes::by_slot(namespace.cells().len())),
    };
    let build = Build { namespace: Arc::clone(namespace), index, job: Arc::clone(job), blocks, passes, built: AtomicUsize::new(0) };
    Crew::start(store.pool(), job, passes.items(), build);
}

/// Starts to build the indexes that opening the namespace has not brought: those that were being built at the last stop.
/// Where there are too many jobs they wait, and take writes; to be called again until none does.
pub(crate) fn build_missing(namespace: &Arc<Namespace>) {
    let (store, threads) = (namespace.store(), processors().min(limits::THREADS));
    if let Some(remote) = store.remote() {
        return elsewhere::take_over(namespace, remote);
    }
    for index in store.indexes.all().into_iter().filter(|index| index.state() == IndexState::Building && index.job().is_none()) {
        let begun = {
            let _changes = namespace.index_changes.lock();
            // It may have been dropped meanwhile, or have got its job.
            let wanted = store.indexes.find(&index.spec().name).is_ok_and(|found| Arc::ptr_eq(&found, &index)) && index.job().is_none();
            wanted.then(|| begin_job(store, &index, threads))
        };
        match begun {
            Some(Ok(job)) => start_build(namespace, index, &job),
            Some(Err(error)) if error.code == ErrorCode::JobLimit => return,
            // The engine is being closed; the next start tries again.
            Some(Err(_)) => {
                store.detach(&index);
                index.set_state(IndexState::Failed);
            }
            None => {}
        }
    }
}

fn begin_job(store: &RecordStore, index: &Index, threads: u32) -> Result<Arc<Job>> {
    let spec = index.spec();
    let job = store.jobs().begin(JobSpec {
        set: spec.set.clone(),
        parameters: parameters(spec).to_string(),
        total: Some(store.held(spec.set.as_deref())),
        threads,
        ..JobSpec::new(JobKind::IndexBuild, store.named(), format!("Build index {}", spec.name))
    })?;
    index.set_job(job.id());
    Ok(job)
}

fn parameters(spec: &IndexSpec) -> serde_json::Value {
    serde_json::json!({ "index": spec.name, "set": spec.set, "bin": spec.bin, "kind": spec.kind, "path": spec.path })
}

/// Drops an index at once; a build of it is aborted. Answers what it was.
///
/// # Errors
/// `index_not_found`, and what writing the manifest returns; then the index is gone from memory all the same; `cluster_unavailable`.
pub(super) fn remove(namespace: &Namespace, name: &str) -> Result<IndexInfo> {
    let store = namespace.store();
    let _changeable = namespace.check_changeable()?;
    if let Some(remote) = store.remote() {
        let info = store.index(name)?;
        let listed = remote.indexes().listed().find(|index| index.is_named(name)).cloned();
        return listed.map_or(Ok(()), |index| elsewhere::remove(namespace, remote, &index)).map(|()| info);
    }
    let _changes = namespace.index_changes.lock();
    let index = store.indexes.find(name)?;
    let info = store.describe_index(&index);
    store.indexes.forget(&index);
    if let Some(job) = index.job() {
        // A build that has ended cannot be aborted, and need not be.
        let _ = store.jobs().abort(&job);
    }
    store.detach(&index);
    store.pool().spawn(heap::give_back);
    settings::save(namespace)?;
    Ok(info)
}

struct Build {
    namespace: Arc<Namespace>,
    index: Arc<Index>,
    job: Arc<Job>,
    /// Of a device that is read by the block first.
    blocks: Option<Blocks>,
    passes: Passes,
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
        let records = self.namespace.store().held(self.index.spec().set.as_deref());
        // Of all segments, those that are built included; so that the others have as large a part of what is left.
        let found = self.blocks.as_ref().map_or(0, Blocks::found);
        let rest = records.saturating_sub(found);
        self.job.set_total(self.job.done() + (u128::from(rest) * u128::from(left) / u128::from(segments)) as u64);
    }

    fn reader(&self) -> Option<BlockReader<'_>> {
        let blocks = self.blocks.as_ref()?;
        Some(BlockReader { store: self.namespace.store(), index: &self.index, job: &self.job, blocks })
    }
}

impl Work for Build {
    type Worker = Scratch;

    fn begins_stage(&self, item: usize) -> bool {
        self.passes.begins_stage(item)
    }

    fn item(&self, scratch: &mut Scratch, item: usize) -> Result<()> {
        let segment = match (self.passes.part(item), self.reader()) {
            (Part::Run(run, segments), Some(reader)) => return reader.run(&mut scratch.reads, run, segments),
            (Part::Run(..), None) => return Ok(()),
            (Part::Segment(segment), Some(reader)) => reader.drain(&mut scratch.reads).map(|()| segment)?,
            (Part::Segment(segment), None) => segment,
        };
        let cell = &self.namespace.cells()[segment];
        let store = self.namespace.store();
        let set = self.index.spec().set.as_deref().map(|name| store.sets.find(name));
        if let Some(None) = set {
            // A set that begins during the build has only records that writes have indexed.
            cell.write(|segment| segment.indexes_mut().adopt(&self.index, SegmentIndex::new(self.index.spec().kind)));
            return Ok(());
        }
        let set = set.flatten().map(|set| set.id);
        let damaged = |set: u16, digest: &Digest, error: &Error| {
            let set = store.set_by_id(set).map(|set| set.name.to_string()).unwrap_or_default();
            self.job.damaged(set, digest, error);
        };
        let source = Source { id: segment, cell, storage: store.storage(), set, blocks: self.blocks.as_ref() };
        build_segment(&source, &self.index, &self.job, scratch, &damaged)?;
        self.expect();
        Ok(())
    }

    fn leave(&self, mut scratch: Scratch) -> Result<()> {
        self.reader().map_or(Ok(()), |reader| reader.drain(&mut scratch.reads))
    }

    fn finish(&self, outcome: Result<()>) {
        let (namespace, store) = (&self.namespace, self.namespace.store());
        let _changes = namespace.index_changes.lock();
        let result = outcome.map(|()| {
            self.index.set_state(IndexState::Ready);
            let stats = store.describe_index(&self.index).stats;
            serde_json::json!({ "entries": stats.entries, "terms": stats.terms, "bytes": stats.bytes }).to_string()
        });
        if let Err(error) = &result {
            store.detach(&self.index);
            // One that the engine's close has ended stays on the manifest, and is built after the next start.
            let wanted_away = error.code == ErrorCode::Aborted && !self.job.is_closing();
            if wanted_away && store.indexes.forget(&self.index) {
                // A manifest that still lists the index brings it back at the next start, complete.
                let _ = store.check_open().and_then(|()| settings::save(namespace));
            } else {
                self.index.set_state(IndexState::Failed);
            }
            // What it collected, and the buffers of its workers, which have left.
            store.pool().spawn(heap::give_back);
        }
        self.job.finish(result);
    }
}

#[cfg(test)]
mod tests;
