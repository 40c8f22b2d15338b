//! How far a migration is, and its steps.

use super::counts::{Counters, MigrationCounts};
use super::target::MigrationTarget;
use crate::config::NamespaceConfig;
use crate::manifest::{Loss, Truncation};
use crate::namespace::{Host, Namespace};
use crate::store::{Keeper, RecordStore};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tessera_base::{Error, ErrorCode, Result, Sentence, clock, sentence};
use tessera_jobs::{Job, JobKind, JobSpec, Unit};

/// Where a migration stands. Only whether it is cut over, and whether it has failed, is in the manifest: after a restart the two stores are
/// not known to hold the same, and are made the same again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigrationPhase {
    /// Records are copied; changes go to both stores.
    Copying,
    /// Each record of each store is compared.
    Verifying,
    /// Both hold the same, and go on to.
    Doubled,
    /// The store that follows lacks changes.
    Failed,
}

impl MigrationPhase {
    /// The name that callers read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Copying => "copying",
            Self::Verifying => "verifying",
            Self::Doubled => "doubled",
            Self::Failed => "failed",
        }
    }
}

/// A migration as callers see it.
#[derive(Clone, Debug)]
pub struct MigrationInfo {
    pub phase: MigrationPhase,
    /// Whether the second store decides.
    pub cut_over: bool,
    /// The store that decides.
    pub leader: MigratingStore,
    /// The other one.
    pub follower: MigratingStore,
    /// Since the job began.
    pub counts: MigrationCounts,
    /// Why it has failed.
    pub failure: Option<Error>,
    /// The job that made, or makes, both the same.
    pub job: Option<String>,
}

/// One of the two stores of a namespace that migrates.
#[derive(Clone, Debug)]
pub struct MigratingStore {
    pub config: NamespaceConfig,
    /// `None` if it could not be opened, or is a copy on a cluster that has never decided a write.
    pub records: Option<u64>,
}

pub(in crate::engine) struct Migration {
    host: Arc<Host>,
    /// The engine is being closed: what fails now has not failed.
    closing: Arc<AtomicBool>,
    state: Mutex<State>,
}

struct State {
    leader: Arc<Namespace>,
    follower: Option<Arc<Namespace>>,
    cut_over: bool,
    phase: MigrationPhase,
    failure: Option<Error>,
    job: Option<Arc<Job>>,
    counters: Arc<Counters>,
}

/// What the manifest is told of the store that follows.
struct InManifest {
    host: Arc<Host>,
    closing: Arc<AtomicBool>,
    leader: [u8; 16],
    follower: Arc<Namespace>,
}

impl Keeper for InManifest {
    fn keep(&self, truncation: &Truncation) -> Result<()> {
        self.follower.keep_truncation(truncation)
    }

    fn failed(&self, error: &Error) -> Result<()> {
        if self.closing.load(Ordering::Acquire) {
            return Ok(());
        }
        let failed = Loss::of(clock::unix_millis(), error);
        self.host.manifest.update(|manifest| {
            if let Some(twin) = manifest.twin_of_mut(&self.leader) {
                twin.failed = Some(failed);
            }
            Ok(())
        })
    }
}

impl Migration {
    /// Nothing is done for it yet: `double` does. `failure`: why nothing is to be.
    pub(super) fn new(
        host: Arc<Host>,
        leader: Arc<Namespace>,
        follower: Option<Arc<Namespace>>,
        cut_over: bool,
        failure: Option<Error>,
    ) -> Arc<Self> {
        let phase = if failure.is_some() { MigrationPhase::Failed } else { MigrationPhase::Copying };
        let state = Mutex::new(State { leader, follower, cut_over, phase, failure, job: None, counters: Arc::default() });
        Arc::new(Self { host, closing: Arc::default(), state })
    }

    /// # Errors
    /// `job_limit`, `closed`, `threads_invalid`.
    /// `other`: as the second store is configured.
    pub(super) fn begin_job(host: &Host, namespace: &Namespace, other: &NamespaceConfig, target: &MigrationTarget) -> Result<Arc<Job>> {
        let remote = namespace.store().is_elsewhere() || other.engine.is_remote();
        let engine = target.engine.as_ref().map(|engine| engine.name());
        host.resources.jobs.begin(JobSpec {
            unit: Unit::Records,
            parameters: serde_json::json!({ "engine": engine, "segments": target.segments }).to_string(),
            // Each is copied, compared here, and compared there.
            total: Some(namespace.records() * 3),
            threads: target.threads(remote),
            records_per_second: target.records_per_second,
            ..JobSpec::new(JobKind::Migrate, namespace.store().named(), format!("Migrate {}", namespace.name()))
        })
    }

    /// Opens the window in which changes go to both stores, which `job` is to make the same: the one that leads, and the other.
    ///
    /// # Errors
    /// `migration_failed` if the other is not open.
    pub(super) fn double(&self, job: &Arc<Job>) -> Result<(Arc<RecordStore>, Arc<RecordStore>, Arc<Counters>)> {
        let mut state = self.state.lock();
        let not_open = || Error::said(ErrorCode::MigrationFailed, sentence!("the second store is not open"));
        let follower = state.follower.clone().ok_or_else(not_open)?;
        let leader = state.leader.clone();
        (state.phase, state.failure, state.job) = (MigrationPhase::Copying, None, Some(job.clone()));
        leader.store().lead(follower.store(), self.keeper(&leader, &follower), state.cut_over);
        state.counters = Arc::default();
        Ok((leader.store().clone(), follower.store().clone(), state.counters.clone()))
    }

    fn keeper(&self, leader: &Namespace, follower: &Arc<Namespace>) -> Arc<dyn Keeper> {
        Arc::new(InManifest { host: self.host.clone(), closing: self.closing.clone(), leader: *leader.id(), follower: follower.clone() })
    }

    /// The copy is through, and each record is compared now.
    pub(super) fn verifies(&self, job: &Job) {
        let mut state = self.state.lock();
        if state.is_of(job) && state.phase == MigrationPhase::Copying {
            state.phase = MigrationPhase::Verifying;
        }
    }

    /// The job has come to its end.
    ///
    /// # Errors
    /// Those of `outcome`, and what writing the manifest returns.
    pub(super) fn settle(&self, job: &Job, outcome: Result<()>) -> Result<()> {
        let mut state = self.state.lock();
        // The end of another one, which has been ended meanwhile, or of the engine.
        if !state.is_of(job) || job.is_closing() {
            return outcome;
        }
        let done = outcome.and_then(|()| {
            // One that had failed has caught up, unless it fails just now: that is written down behind this.
            let leader = &state.leader;
            self.host.manifest.update(|manifest| {
                leader.store().check_mirror()?;
                manifest.twin_of_mut(leader.id()).into_iter().for_each(|twin| twin.failed = None);
                Ok(())
            })
        });
        match &done {
            Ok(()) => state.phase = MigrationPhase::Doubled,
            Err(error) => {
                (state.phase, state.failure) = (MigrationPhase::Failed, Some(error.clone()));
                let leader = state.leader.clone();
                drop(state);
                // Who writes writes it down if this cannot.
                let _ = leader.store().give_mirror_up(error);
            }
        }
        done
    }

    /// `listed`: the second store as the manifest has it.
    pub(super) fn info(&self, listed: NamespaceConfig) -> MigrationInfo {
        let state = self.state.lock();
        // Nobody counts what comes into a copy on a cluster.
        let count = |namespace: &Namespace| (!namespace.store().fills()).then(|| namespace.records());
        let store = |namespace: &Arc<Namespace>| MigratingStore { config: namespace.config(), records: count(namespace) };
        let failure = state.failure();
        MigrationInfo {
            phase: if failure.is_some() { MigrationPhase::Failed } else { state.phase },
            cut_over: state.cut_over,
            leader: store(&state.leader),
            follower: state.follower.as_ref().map_or(MigratingStore { config: listed, records: None }, store),
            counts: state.counters.read(),
            failure,
            job: state.job.as_ref().map(|job| job.id().to_owned()),
        }
    }

    /// Gives the store that follows the indexes that it lacks, where a cluster has it: it had none when it was made.
    ///
    /// # Errors
    /// As `Namespace::index_as`.
    pub(super) fn index_follower(&self) -> Result<()> {
        let (leader, follower) = {
            let state = self.state.lock();
            (state.leader.clone(), state.follower.clone())
        };
        follower.map_or(Ok(()), |follower| follower.index_as(&leader))
    }

    /// Lets other servers write again, where a cluster has one of the stores.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(super) fn release(&self) -> Result<()> {
        let state = self.state.lock();
        let stores: Vec<_> = [Some(&state.leader), state.follower.as_ref()].into_iter().flatten().cloned().collect();
        drop(state);
        stores.iter().try_for_each(|namespace| namespace.store().release())
    }

    /// After an end that came half-way: other servers may write to a store that a cluster has, and the two have to be compared again.
    pub(super) fn doubt(&self, why: &Error) {
        let (leader, follower) = {
            let state = self.state.lock();
            (state.leader.clone(), state.follower.clone())
        };
        if leader.store().is_elsewhere() || follower.is_some_and(|follower| follower.store().is_elsewhere()) {
            // Who writes writes it down if this cannot.
            let _ = leader.store().give_mirror_up(why);
        }
    }

    pub(in crate::engine) fn follower(&self) -> Option<Arc<Namespace>> {
        self.state.lock().follower.clone()
    }

    pub(super) fn adopt(&self, follower: Arc<Namespace>) {
        self.state.lock().follower = Some(follower);
    }

    /// # Errors
    /// `migration_active` unless it has failed.
    pub(super) fn check_failed(&self) -> Result<()> {
        let state = self.state.lock();
        match state.failure() {
            Some(_) => Ok(()),
            None => Err(Error::said(ErrorCode::MigrationActive, sentence!("the migration is {phase}", phase = state.phase.as_str()))),
        }
    }

    /// Lets the other store decide. `listed` is called with it at the moment when it does.
    ///
    /// # Errors
    /// `migration_not_ready`, `migration_failed`, `index_building`; as `RecordStore::hand_over`.
    pub(super) fn swap(&self, cut_over: bool, listed: impl FnOnce(Arc<Namespace>)) -> Result<()> {
        let (leader, follower) = {
            let state = self.state.lock();
            if let Some(error) = state.failure() {
                let message = sentence!("the second store does not follow any more: {message}", message = &error);
                return Err(Error::said(ErrorCode::MigrationFailed, message));
            }
            let not_ready = |message: Sentence| Error::said(ErrorCode::MigrationNotReady, message);
            if state.cut_over == cut_over {
                let name = state.leader.name();
                return Err(not_ready(match cut_over {
                    true => sentence!("\"{name}\" is cut over already", name = name),
                    false => sentence!("\"{name}\" is not cut over", name = name),
                }));
            }
            match (state.phase, &state.follower) {
                (MigrationPhase::Doubled, Some(follower)) => (state.leader.clone(), follower.clone()),
                (phase, _) => return Err(not_ready(sentence!("the migration is {phase}; wait for its job", phase = phase.as_str()))),
            }
        };
        follower.check_indexes_are_built()?;
        let id = *leader.id();
        let commit = || {
            self.host.manifest.update(|manifest| manifest.exchange(&id))?;
            listed(follower.clone());
            Ok(())
        };
        let handed = leader.store().hand_over(self.keeper(&follower, &leader), cut_over, commit);
        if let Err(error) = handed.as_ref().map_err(Clone::clone)
            && error.code == ErrorCode::MigrationFailed
        {
            leader.store().give_mirror_up(&error)?;
        }
        handed?;
        let mut state = self.state.lock();
        (state.leader, state.follower, state.cut_over) = (follower, Some(leader), cut_over);
        Ok(())
    }

    /// Ends it: nothing is carried any more. The store that followed.
    pub(super) fn end(&self) -> Option<Arc<Namespace>> {
        let mut state = self.state.lock();
        if let Some(job) = state.job.take() {
            // One that has ended cannot be aborted, and need not be.
            let _ = job.abort();
        }
        state.leader.store().lead_no_more();
        state.follower.take()
    }

    /// The engine is being closed.
    pub(in crate::engine) fn close(&self) {
        self.closing.store(true, Ordering::Release);
    }
}

impl State {
    fn is_of(&self, job: &Job) -> bool {
        self.job.as_ref().is_some_and(|own| std::ptr::eq(&raw const **own, job))
    }

    /// Why it has failed, whoever has found it out.
    fn failure(&self) -> Option<Error> {
        self.failure.clone().or_else(|| self.leader.store().mirror_failure())
    }
}
