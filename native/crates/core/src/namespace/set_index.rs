//! Switching the index of a set on and off while writes go on.

use super::indexes::elsewhere;
use super::{Namespace, settings};
use crate::sets::{SetEntry, SetIndexState};
use crate::store::RecordStore;
use crate::store::remote::Covers;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Unit, Work};

/// Builds the index of a set, a segment at a time, from the set column.
struct Build {
    namespace: Arc<Namespace>,
    set: Arc<SetEntry>,
    job: Arc<Job>,
}

/// Switches the index of a set on; scans use it once the job has ended. From here on writes keep it.
///
/// # Errors
/// `set_not_found`, `index_exists` when it is on or being built, `threads_invalid`, `job_limit`, and what writing
/// the manifest returns; `index_limit`, `cluster_unavailable`.
pub(super) fn switch_on(namespace: &Arc<Namespace>, set: &str, threads: u32) -> Result<Arc<Job>> {
    let store = namespace.store();
    let _changeable = namespace.check_changeable()?;
    let set = store.find_set(set)?;
    if let Some(remote) = store.remote() {
        return elsewhere::create(namespace, remote, &Covers::Set(set.name.to_string()), threads);
    }
    let job = {
        let mut build = set.build();
        if set.indexed() {
            return Err(Error::said(ErrorCode::IndexExists, sentence!("the set \"{name}\" already has an index", name = &*set.name))
                .in_field("set"));
        }
        let job = store.jobs().begin(JobSpec {
            set: Some(set.name.to_string()),
            unit: Unit::Segments,
            total: Some(store.cells().len() as u64),
            threads,
            ..JobSpec::new(JobKind::SetIndexBuild, store.named(), format!("Index the set {}", &*set.name))
        })?;
        set.set_index_state(SetIndexState::Building);
        *build = Some(job.clone());
        job
    };
    let work = Build { namespace: namespace.clone(), set, job: job.clone() };
    if let Err(error) = settings::save(namespace) {
        work.finish(Err(error.clone()));
        return Err(error);
    }
    // A small set is indexed before another thread has woken up.
    if store.records() < 50_000 {
        Crew::run_here(store.pool(), &job, store.cells().len(), work);
    } else {
        Crew::start(store.pool(), &job, store.cells().len(), work);
    }
    Ok(job)
}

/// Switches the index of a set off and frees it; a build that is at work is aborted.
///
/// # Errors
/// `set_not_found`, `index_not_found` when it is off, and what writing the manifest returns; `cluster_unavailable`.
pub(super) fn switch_off(namespace: &Namespace, set: &str) -> Result<()> {
    let store = namespace.store();
    let _changeable = namespace.check_changeable()?;
    let set = store.find_set(set)?;
    let missing = || Error::said(ErrorCode::IndexNotFound, sentence!("the set \"{name}\" has no index", name = &*set.name)).in_field("set");
    if let Some(remote) = store.remote() {
        let index = remote.indexes().of_set(&set.name).cloned().ok_or_else(missing)?;
        return elsewhere::remove(namespace, remote, &index);
    }
    {
        let mut build = set.build();
        if !set.indexed() {
            return Err(missing());
        }
        set.set_index_state(SetIndexState::Off);
        if let Some(job) = build.take() {
            // It may just have ended; then there is nothing to abort.
            let _ = job.abort();
        }
    }
    free(store, &set);
    settings::save(namespace)
}

fn free(store: &RecordStore, set: &SetEntry) {
    for cell in store.cells() {
        if cell.read().set_slots(set.id).is_some() {
            cell.write(|segment| segment.unindex_set(set.id));
        }
    }
}

impl Work for Build {
    type Worker = ();

    fn item(&self, _: &mut (), segment: usize) -> Result<()> {
        self.namespace.cells()[segment].write(|segment| segment.index_set(&self.set));
        self.job.advance(1);
        Ok(())
    }

    fn leave(&self, (): ()) -> Result<()> {
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        // What the engine's close has ended stays switched on, and is there after the next start.
        let kept = outcome.is_err() && self.job.is_closing();
        let mine = {
            let mut build = self.set.build();
            // Switched off, and perhaps on again by another build, while this one was at work.
            let mine = build.as_ref().is_some_and(|job| Arc::ptr_eq(job, &self.job));
            if mine {
                *build = None;
                self.set.set_index_state(match outcome {
                    Ok(()) => SetIndexState::On,
                    Err(_) if kept => SetIndexState::Building,
                    Err(_) => SetIndexState::Off,
                });
            }
            mine
        };
        let outcome = match outcome {
            Ok(()) if mine => Ok(format!("{{\"records\":{}}}", self.set.records())),
            Ok(()) => Err(Error::said(ErrorCode::Aborted, sentence!("the index was switched off during its build"))),
            Err(error) if kept => Err(error),
            Err(error) => {
                if mine {
                    free(self.namespace.store(), &self.set);
                }
                // The manifest still says on: at worst the next start builds the index again.
                let _ = settings::save(&self.namespace);
                Err(error)
            }
        };
        self.job.finish(outcome);
    }
}
