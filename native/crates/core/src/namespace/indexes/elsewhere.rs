//! Indexes of records that a cluster has: listed there, built by a walk through all its rows, and dropped.
//!
//! One list has those of sets and of values, for all servers. From the moment that an index is listed, each server's writes keep it
//! as soon as the server has learned of it. The build waits for that, and then gives the records that were there the entries that
//! they lack. A server that is gone leaves its build to the others.

use crate::namespace::Namespace;
use crate::store::remote::{Covers, Remote, RemoteIndex, RemoteIndexState, RemoteRecord};
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tessera_base::{Error, ErrorCode, Result, limits, processors, sentence};
use tessera_index::IndexState;
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Work};

/// Lists an index and begins to build it.
///
/// # Errors
/// `index_exists`, `index_limit`, `job_limit`, `threads_invalid`, `cluster_unavailable`.
pub(in crate::namespace) fn create(namespace: &Arc<Namespace>, remote: &dyn Remote, covers: &Covers, threads: u32) -> Result<Arc<Job>> {
    let job = begin_job(namespace, covers, threads)?;
    match remote.list_index(covers) {
        Ok(index) => start(namespace, remote, index, &job),
        Err(error) => {
            job.finish(Err(error.clone()));
            return Err(error);
        }
    }
    Ok(job)
}

/// Drops an index at once; a build of it that this process does is aborted.
///
/// # Errors
/// `cluster_unavailable`.
pub(in crate::namespace) fn remove(namespace: &Namespace, remote: &dyn Remote, index: &RemoteIndex) -> Result<()> {
    remote.drop_index(index.id)?;
    if let Some(job) = namespace.store().indexes.builds.lock().get(&index.id) {
        // It may just have ended.
        let _ = namespace.store().jobs().abort(job);
    }
    Ok(())
}

/// Builds what servers that are gone have left.
pub(super) fn take_over(namespace: &Arc<Namespace>, remote: &dyn Remote) {
    let building = remote.indexes().listed().any(|index| index.state == RemoteIndexState::Building);
    if !building || remote.trouble().is_some() {
        return;
    }
    // With too many jobs, or without an answer, it is tried again in a second.
    if let Ok(Some(index)) = remote.take_over_build()
        && let Ok(job) = begin_job(namespace, &index.covers, processors().min(limits::THREADS))
    {
        start(namespace, remote, index, &job);
    }
}

fn begin_job(namespace: &Namespace, covers: &Covers, threads: u32) -> Result<Arc<Job>> {
    let store = namespace.store();
    let spec = match covers {
        Covers::Values(spec) => JobSpec {
            set: spec.set.clone(),
            parameters: super::parameters(spec).to_string(),
            ..JobSpec::new(JobKind::IndexBuild, store.named(), format!("Build index {}", spec.name))
        },
        Covers::Set(set) => {
            JobSpec { set: Some(set.clone()), ..JobSpec::new(JobKind::SetIndexBuild, store.named(), format!("Index the set {set}")) }
        }
    };
    // It walks through the records of all sets.
    store.jobs().begin(JobSpec { total: Some(store.held(None)), threads, ..spec })
}

fn start(namespace: &Arc<Namespace>, remote: &dyn Remote, index: RemoteIndex, job: &Arc<Job>) {
    let (namespace, job) = (namespace.clone(), job.clone());
    namespace.store().indexes.builds.lock().insert(index.id, job.id().to_owned());
    if let Some((_, known)) = remote.indexes().of_values().find(|(listed, _)| listed.id == index.id) {
        known.set_job(job.id());
    }
    let pool = namespace.store().pool().clone();
    let build = Build { namespace, index, job: job.clone(), ready: OnceLock::new(), records: AtomicU64::new(0) };
    Crew::start(&pool, &job, remote.ranges(), build);
}

struct Build {
    namespace: Arc<Namespace>,
    index: RemoteIndex,
    job: Arc<Job>,
    /// What came of waiting for the writes of all servers, which the first worker does.
    ready: OnceLock<Result<()>>,
    /// Those that have entries.
    records: AtomicU64,
}

impl Build {
    fn await_writers(&self, remote: &dyn Remote) -> Result<()> {
        remote.await_writers(self.index.id, &mut || {
            self.namespace.store().check_whole()?;
            self.job.look_again()
        })
    }

    fn meet(&self, record: &RemoteRecord<'_>, has_entries: bool) -> Result<()> {
        self.namespace.store().check_whole()?;
        if let Err(error) = &record.meta {
            self.job.damaged(record.set.to_owned(), &record.digest, error);
        }
        self.records.fetch_add(has_entries.into(), Ordering::Relaxed);
        self.job.advance(1);
        self.job.pace(1, |_| Ok(()))
    }
}

impl Work for Build {
    type Worker = ();

    fn item(&self, (): &mut (), range: usize) -> Result<()> {
        let Some(remote) = self.namespace.store().remote() else { return Ok(()) };
        self.ready.get_or_init(|| self.await_writers(remote)).clone()?;
        remote.build_index(self.index.id, range, &mut |record, has_entries| self.meet(record, has_entries))
    }

    fn leave(&self, (): ()) -> Result<()> {
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        let (id, records) = (self.index.id, self.records.load(Ordering::Relaxed));
        self.namespace.store().indexes.builds.lock().remove(&id);
        let Some(remote) = self.namespace.store().remote() else { return };
        let built = outcome.and_then(|()| remote.note_built(id, records)).map(|()| json!({ "records": records }).to_string());
        let result = built.map_err(|error| match error.code {
            ErrorCode::IndexNotFound => Error::said(ErrorCode::Aborted, sentence!("the index was dropped during its build")),
            _ => error,
        });
        if let Err(error) = &result {
            // One that the engine's close has ended is built by the next start, or by another server.
            let unwanted = error.code == ErrorCode::Aborted && !self.job.is_closing();
            if !(unwanted && remote.drop_index(id).is_ok())
                && let Some((_, known)) = remote.indexes().of_values().find(|(listed, _)| listed.id == id)
            {
                known.set_state(IndexState::Failed);
            }
        }
        self.job.finish(result);
    }
}
