//! Backups of the namespaces of a data directory, and namespaces that are restored: see `docs/internals/backup.md`.

use super::Engine;
use super::make::Laid;
use crate::backup::{self, BackupInfo, BackupSpec, BackupState, Chain, Create, Place, Restore, RestoreTarget, Source, Use, Writer};
use crate::config::{Feature, NamespaceConfig};
use crate::namespace::{Namespace, Start};
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, heap, limits, sentence};
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Unit};

/// Between two looks whether the engine is being closed.
const LOOK: Duration = Duration::from_millis(50);

/// Where a backup is restored to, and how fast.
#[derive(Clone, Debug)]
pub struct RestoreSpec {
    /// The namespace.
    pub name: String,
    /// How a new namespace is stored; unset: as the one that was backed up. Its name counts nothing.
    pub config: Option<NamespaceConfig>,
    /// Writes into a namespace that has records: those of the backup take the place of records with their keys.
    pub merge: bool,
    /// 1 to 128.
    pub threads: u32,
    pub records_per_second: Option<u32>,
}

impl Engine {
    /// All backups of a place, oldest first.
    ///
    /// # Errors
    /// `storage_failed`, `closed`.
    pub fn backups(&self, place: &Place) -> Result<Vec<BackupInfo>> {
        self.check_open()?;
        backup::list(place)
    }

    /// # Errors
    /// `backup_not_found`, `closed`.
    pub fn backup_info(&self, place: &Place, id: &str) -> Result<BackupInfo> {
        self.check_open()?;
        backup::info(place, id)
    }

    /// Removes a backup, ended or not.
    ///
    /// # Errors
    /// `backup_not_found`, `backup_in_use`, `storage_failed`, `closed`.
    pub fn remove_backup(&self, place: &Place, id: &str) -> Result<BackupInfo> {
        self.check_open()?;
        backup::remove(place, id, &self.backups_in_use)
    }

    /// Starts the job that backs a namespace up.
    ///
    /// # Errors
    /// `namespace_not_found` and the like, `capability_unsupported`, `migration_active`, `threads_invalid`; `backup_in_use` while the
    /// namespace is backed up already; of the base `backup_not_found`, `backup_unfinished`, `backup_damaged`, `backup_base_invalid`;
    /// `job_limit`, `storage_failed`, `device_full`.
    pub fn backup(&self, place: &Place, name: &str, spec: &BackupSpec) -> Result<Arc<Job>> {
        check_threads(spec.threads)?;
        let namespace = self.namespace(name)?;
        let mut uses = vec![self.backups_in_use.alone(&format!("the namespace {name:?}"))?, self.backups_in_use.alone(&spec.id)?];
        if let Some(base) = &spec.base {
            uses.push(self.backups_in_use.shared(base)?);
        }
        let source = source(&namespace);
        let plan = source.plan(place, spec)?;
        let (create, job) = Create::new(&source, place, plan, spec, uses, self.jobs(), false)?;
        self.begin_backup(create, &job)
    }

    /// Goes on with a backup that was cut off: parts that are whole stay.
    ///
    /// # Errors
    /// As `backup`; `backup_not_found`, `backup_damaged` for its plan; `backup_unfinished` if what it began with is gone;
    /// `job_finished` if it has come to its end.
    pub fn resume_backup(&self, place: &Place, id: &str, threads: u32, records_per_second: Option<u32>) -> Result<Arc<Job>> {
        check_threads(threads)?;
        let found = self.backup_info(place, id)?;
        if found.state == BackupState::Complete {
            return Err(Error::said(ErrorCode::JobFinished, sentence!("the backup {id} has come to its end", id = id)));
        }
        let plan = backup::plan(place, id)?;
        let namespace = self.namespace(&plan.namespace)?;
        let name = format!("the namespace {:?}", plan.namespace);
        let mut uses = vec![self.backups_in_use.alone(&name)?, self.backups_in_use.alone(id)?];
        let base = plan.base.as_ref().map(|base| base.id.clone());
        if let Some(base) = &base {
            uses.push(self.backups_in_use.shared(base)?);
        }
        let source = source(&namespace);
        source.check_resumed(place, &plan)?;
        let spec = BackupSpec { id: id.to_owned(), base, threads, records_per_second };
        let (create, job) = Create::new(&source, place, plan, &spec, uses, self.jobs(), true)?;
        self.begin_backup(create, &job)
    }

    fn begin_backup(&self, create: Create, job: &Arc<Job>) -> Result<Arc<Job>> {
        let items = create.items();
        Crew::start(&self.host.resources.pool, job, items, create);
        Ok(job.clone())
    }

    /// Starts the job that reads a backup and all that it builds on, and names what is damaged.
    ///
    /// # Errors
    /// `backup_not_found`, `backup_unfinished`, `backup_damaged`, `backup_in_use`, `threads_invalid`, `job_limit`, `closed`.
    pub fn verify_backup(&self, place: &Place, id: &str, threads: u32) -> Result<Arc<Job>> {
        check_threads(threads)?;
        self.check_open()?;
        let (chain, uses) = self.chain(place, id)?;
        let name = chain.manifest().map(|manifest| manifest.plan.namespace.clone()).unwrap_or_default();
        let job = self.jobs().begin(JobSpec {
            unit: Unit::Bytes,
            parameters: serde_json::json!({ "backup": id, "target": place.target() }).to_string(),
            total: Some(chain.work()),
            threads,
            ..JobSpec::new(JobKind::Verify, name, format!("Verify the backup {id}"))
        })?;
        let restore = Restore::new(chain, None, uses, job.clone());
        Crew::start(&self.host.resources.pool, &job, restore.items(), restore);
        Ok(job)
    }

    /// Starts the job that restores a backup. A new namespace is listed once every record is in it. Before the first record is
    /// written, every file of the chain is checked.
    ///
    /// # Errors
    /// As `verify_backup`; `namespace_exists` if one of that name is being restored; `namespace_not_empty` without `merge`; `migration_active`;
    /// `config_invalid` for a configuration of a namespace that is there; what `NamespaceConfig::check` returns.
    pub fn restore_backup(self: &Arc<Self>, place: &Place, id: &str, spec: &RestoreSpec) -> Result<Arc<Job>> {
        check_threads(spec.threads)?;
        self.check_open()?;
        limits::check_name(&spec.name, "name")?;
        let (chain, mut uses) = self.chain(place, id)?;
        let target: Box<dyn RestoreTarget> = match self.member(&spec.name) {
            Ok(member) => {
                let namespace = member.open()?.clone();
                check_target(&namespace, spec)?;
                Box::new(Listed { namespace })
            }
            Err(error) if error.code == ErrorCode::NamespaceNotFound && !spec.merge => {
                let stored = chain.manifest().map(|manifest| manifest.plan.config.clone());
                let Some(stored) = stored else { return Err(error) };
                let config = config_of(spec, stored);
                config.check()?;
                config.require(Feature::Segments)?;
                Box::new(New { engine: Arc::downgrade(self), config, laid: Mutex::default() })
            }
            Err(error) => return Err(error),
        };
        uses.push(self.backups_in_use.alone(&format!("the restoring of the namespace {:?}", spec.name))?);
        let job = self.jobs().begin(JobSpec {
            unit: Unit::Bytes,
            parameters: serde_json::json!({ "backup": id, "merge": spec.merge, "target": place.target() }).to_string(),
            total: Some(chain.work()),
            threads: spec.threads,
            records_per_second: spec.records_per_second,
            ..JobSpec::new(JobKind::Restore, spec.name.clone(), format!("Restore {}", spec.name))
        })?;
        let restore = Restore::new(chain, Some(target), uses, job.clone());
        Crew::start(&self.host.resources.pool, &job, restore.items(), restore);
        Ok(job)
    }

    /// A chain that nobody writes or removes until the answer is dropped.
    fn chain(&self, place: &Place, id: &str) -> Result<(Chain, Vec<Use>)> {
        let mut uses = vec![self.backups_in_use.shared(id)?];
        let chain = Chain::read(place, id)?;
        for base in chain.ids().skip(1) {
            uses.push(self.backups_in_use.shared(base)?);
        }
        Ok((chain, uses))
    }
}

fn source(namespace: &Arc<Namespace>) -> Source {
    Source { store: namespace.store().clone(), id: *namespace.id(), losses: namespace.losses().to_vec() }
}

fn check_threads(threads: u32) -> Result<()> {
    if (1..=limits::THREADS).contains(&threads) {
        return Ok(());
    }
    let message = sentence!("threads must be 1 to {most}, got {given}", most = limits::THREADS, given = threads);
    Err(Error::said(ErrorCode::ThreadsInvalid, message).in_field("threads"))
}

/// Whether a backup may be written into a namespace that is there.
fn check_target(namespace: &Namespace, spec: &RestoreSpec) -> Result<()> {
    let name = &spec.name;
    if namespace.store().migrates() {
        let message = sentence!("\"{name}\" migrates: finish the migration or abandon it first", name = name);
        return Err(Error::said(ErrorCode::MigrationActive, message));
    }
    if spec.config.is_some() {
        let message =
            sentence!("the namespace \"{name}\" exists, so it keeps its storage; leave it out, or choose another name", name = name);
        return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("storage"));
    }
    if !spec.merge && namespace.records() > 0 {
        let message = sentence!(
            "the namespace \"{name}\" has {records} records; restore into a new one, or merge",
            name = name,
            records = namespace.records()
        );
        return Err(Error::said(ErrorCode::NamespaceNotEmpty, message).in_field("name"));
    }
    Ok(())
}

/// The configuration of a new namespace: stored as was asked, with the sets and indexes of the one that was backed up.
fn config_of(spec: &RestoreSpec, stored: NamespaceConfig) -> NamespaceConfig {
    let name = spec.name.clone();
    match &spec.config {
        None => NamespaceConfig { name, ..stored },
        Some(asked) => NamespaceConfig {
            name,
            sets: stored.sets,
            indexes: stored.indexes,
            single_bin: stored.single_bin,
            default_ttl_seconds: stored.default_ttl_seconds,
            max_record_bytes: stored.max_record_bytes,
            ..asked.clone()
        },
    }
}

/// A namespace that is made for it, and listed when it has every record.
struct New {
    engine: Weak<Engine>,
    config: NamespaceConfig,
    laid: Mutex<Option<Laid>>,
}

impl New {
    /// Runs `change` with the changes of the list of namespaces held off; not once the engine is being closed, which holds them, too.
    fn changing<T>(&self, change: impl FnOnce(&Engine) -> Result<T>) -> Result<T> {
        let closed = || Error::said(ErrorCode::Closed, sentence!("the engine is closed"));
        let engine = self.engine.upgrade().ok_or_else(closed)?;
        loop {
            engine.check_open()?;
            if let Some(_changes) = engine.changes.try_lock_for(LOOK) {
                return change(&engine);
            }
        }
    }

    fn list(&self, engine: &Engine, laid: &Laid) -> Result<()> {
        laid.namespace.store().sync()?;
        engine.check_name_free(&self.config.name)?;
        engine.list(laid, |manifest, record| manifest.namespaces.push(record.clone()))?;
        engine.members.add(laid.namespace.clone());
        Ok(())
    }
}

impl RestoreTarget for New {
    fn open(&self) -> Result<Arc<RecordStore>> {
        self.changing(|engine| {
            engine.check_name_free(&self.config.name)?;
            let laid = engine.lay(self.config.clone(), Start::Copy, None)?;
            engine.restoring.lock().insert(laid.record.number.to_string());
            let store = laid.namespace.store().clone();
            *self.laid.lock() = Some(laid);
            Ok(store)
        })
    }

    fn settle(&self, outcome: Result<()>) -> Result<()> {
        let Some(laid) = self.laid.lock().take() else { return outcome };
        let listed = outcome.and_then(|()| self.changing(|engine| self.list(engine, &laid)));
        if let Some(engine) = self.engine.upgrade() {
            if listed.is_err() {
                engine.take_up(&laid);
                heap::give_back();
            }
            engine.restoring.lock().remove(&laid.record.number.to_string());
        }
        listed
    }

    fn writer(&self) -> Writer {
        Writer::Exact
    }
}

/// A namespace that is there. What was written stays, also if the job is aborted: to restore again completes it.
struct Listed {
    namespace: Arc<Namespace>,
}

impl RestoreTarget for Listed {
    fn open(&self) -> Result<Arc<RecordStore>> {
        Ok(self.namespace.store().clone())
    }

    fn settle(&self, outcome: Result<()>) -> Result<()> {
        outcome.and_then(|()| self.namespace.store().sync())
    }

    fn writer(&self) -> Writer {
        Writer::Merge
    }
}

#[cfg(test)]
mod tests;
