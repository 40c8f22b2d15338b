//! An open data directory: its lock, its manifest, its namespaces.

mod backups;
mod devices;
mod dropped;
mod files;
mod gauges;
mod lock;
#[cfg(test)]
mod lost_directory;
mod make;
mod member;
mod members;
mod migrate;
mod notices;
mod orphans;
#[cfg(test)]
mod rolled_back;
#[cfg(test)]
mod same_namespace;
mod slow;

pub use backups::RestoreSpec;
pub use dropped::Dropped;
pub use member::{Member, NamespaceState, Unopened};
pub use migrate::{MigratingStore, MigrationCounts, MigrationInfo, MigrationPhase, MigrationTarget};
pub use notices::Notice;
pub use orphans::Orphan;

use crate::backup::InUse;
use crate::budget::{self, Budget};
use crate::config::NamespaceConfig;
use crate::manifest::{ManifestFile, NAMESPACES, NamespaceRecord, folder};
use crate::metrics::{self, Gauges, History, MetricsRing, SlowLog};
use crate::namespace::{Host, Namespace, Start};
use crate::store::Resources;
use crate::store::remote::Remotes;
use crate::sweeper;
use lock::DirectoryLock;
use members::Members;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use tessera_base::names::Names;
use tessera_base::pool::Pool;
use tessera_base::ticker::Ticker;
use tessera_base::{Error, ErrorCode, Result, arena, clock, heap, limits, sentence, thread_guard};
use tessera_io::{BackendChoice, BackendWish};
use tessera_jobs::{JobLimits, JobRegistry};
use tessera_storage::device::Held;
use tessera_storage::memory::MemoryShare;

/// How long a close waits for aborted jobs; they stop within a tenth of a second unless the device hangs.
const JOBS_PATIENCE: Duration = Duration::from_secs(10);

/// How often marks are looked at: together with the time until a mark is written, a sync is known of within a second.
const MARK_PERIOD: Duration = Duration::from_millis(250);
/// Shares of the memory that the process may use, unless the options say how much; and the least of them.
const REQUESTS_PERCENT: u64 = 25;
const MEMORY_PERCENT: u64 = 40;
const SHARE_LEAST: u64 = 32 << 20;

#[derive(Clone, Debug)]
pub struct EngineOptions {
    pub io: BackendWish,
    /// Folders below which new namespaces may have files, and block devices; none, unless given.
    pub device_paths: Vec<PathBuf>,
    /// How long a start waits for disks that another process has, all together: a killed one's transfers go on after it.
    pub disk_patience: Duration,
    /// Most bytes that memory namespaces without a limit of their own may hold together; `None`: 40 percent of the memory that
    /// the process may use.
    pub memory_bytes: Option<u64>,
    /// Most bytes that all requests may hold at once; `None`: a quarter of the memory that the process may use.
    pub request_bytes: Option<u64>,
    /// How long a request waits for its turn if others hold them.
    pub request_patience: Duration,
    /// How long a dropped namespace can be restored, and a truncation be undone by who asks for that. Zero: not at all.
    pub undo: Duration,
    /// Opens the records of namespaces on clusters; `None`: such namespaces cannot be opened.
    pub remotes: Option<Arc<dyn Remotes>>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            io: BackendWish::default(),
            device_paths: Vec::new(),
            disk_patience: Duration::from_secs(10),
            memory_bytes: None,
            request_bytes: None,
            request_patience: budget::PATIENCE,
            undo: Duration::ZERO,
            remotes: None,
        }
    }
}

pub struct Engine {
    directory: PathBuf,
    device_paths: Vec<PathBuf>,
    disk_patience: Duration,
    host: Arc<Host>,
    members: Arc<Members>,
    metrics: Arc<MetricsRing>,
    sweeper: Ticker,
    /// Lets the data directory bear witness of marks.
    marker: Ticker,
    /// `EngineOptions::undo`.
    undo: Duration,
    /// Removes dropped namespaces whose time is up.
    remover: Ticker,
    /// Held while namespaces are made or dropped, so that this is done one at a time.
    changes: Arc<Mutex<()>>,
    /// Names of what lies beside the namespaces' folders, as it was last seen.
    orphans: Mutex<Vec<String>>,
    closed: AtomicBool,
    /// Folders of namespaces that are being restored: the manifest lists them once they are whole.
    restoring: Mutex<BTreeSet<String>>,
    backups_in_use: InUse,
    /// Let go by `close`, after everything else.
    lock: Mutex<Option<DirectoryLock>>,
}

impl Engine {
    /// As `start`, and waits until every namespace is open or has failed to.
    ///
    /// # Errors
    /// As `start`.
    pub fn open(directory: &Path, options: EngineOptions) -> Result<Arc<Self>> {
        let engine = Self::start(directory, options)?;
        engine.settle();
        Ok(engine)
    }

    /// Opens a data directory, making it if it is not there, and begins to open every namespace in it. One that cannot be
    /// opened is listed as failed and stops nobody else.
    ///
    /// # Errors
    /// `config_invalid` if io_uring is asked for and does not work, or if too few files may be open;
    /// `data_directory_unavailable`, `data_directory_locked`, `manifest_damaged`, `manifest_version_unknown`, `storage_failed`.
    pub fn start(directory: &Path, options: EngineOptions) -> Result<Arc<Self>> {
        heap::bound_arenas();
        let io = BackendChoice::make(options.io).map_err(|error| Error::new(ErrorCode::ConfigInvalid, error.to_string()).in_field("io"))?;
        files::check_open_files(files::LEAST)?;
        files::prepare(directory)?;
        let lock = DirectoryLock::take(directory)?;
        let entries = orphans::entries(directory)?;
        let in_use = entries.iter().any(|(name, _)| name.parse::<u64>().is_ok());
        let manifest = Arc::new(ManifestFile::open(directory, in_use)?);
        migrate::go_back_to_disks(&manifest)?;
        let listed = manifest.read();
        let orphans = Mutex::new(orphans::settle(entries, &listed, options.disk_patience));
        let records = listed.namespaces;
        let jobs = JobRegistry::open_with(Some(directory), JobLimits::default(), manifest.names().clone())?;
        // None of these threads holds the engine: whoever drops it last waits for them, and the directory is free then.
        let opened: Arc<OnceLock<Weak<Members>>> = Arc::default();
        let source = opened.clone();
        let place = manifest.watch().clone();
        let (folder, of_slow) = (directory.join("history"), place.clone());
        let slow = SlowLog::start(folder.clone(), manifest.names(), move || of_slow.look(None))?;
        let history = History::start(folder, move || place.look(None))?;
        let metrics = MetricsRing::start(history, move || match source.get() {
            None => Some(Gauges::default()),
            Some(members) => members.upgrade().map(|members| members.gauges()),
        })?;
        let total = metrics::memory_total_bytes();
        let of_total = |percent: u64| (total / 100 * percent).max(SHARE_LEAST);
        let budget = Budget::new(options.request_bytes.unwrap_or_else(|| of_total(REQUESTS_PERCENT)), options.request_patience);
        let memory = Arc::new(MemoryShare::new(options.memory_bytes.unwrap_or_else(|| of_total(MEMORY_PERCENT))));
        let resources = Arc::new(Resources { jobs, pool: Pool::new(), budget, memory, slow });
        let host = Arc::new(Host { manifest, io, remotes: options.remotes, resources });
        let watch = host.manifest.watch().clone();
        let members = Members::start(directory.join(NAMESPACES), host.clone(), metrics.clone(), options.disk_patience, records);
        let _ = opened.set(Arc::downgrade(&members));
        let (swept, followed) = (members.clone(), members.clone());
        let sweeper = sweeper::start(move || swept.open(), move || followed.followers())?;
        let marked = members.clone();
        let marker = Ticker::start("marker", MARK_PERIOD, move || marked.bear_witness())?;
        let changes = Arc::<Mutex<()>>::default();
        let remover = dropped::start_remover(&members, &changes, options.disk_patience)?;
        let engine = Arc::new(Self {
            directory: directory.to_owned(),
            device_paths: options.device_paths,
            disk_patience: options.disk_patience,
            host,
            members,
            metrics,
            sweeper,
            marker,
            undo: options.undo,
            remover,
            changes,
            orphans,
            restoring: Mutex::default(),
            backups_in_use: InUse::default(),
            closed: AtomicBool::new(false),
            lock: Mutex::new(Some(lock)),
        });
        watch.start()?;
        Ok(engine)
    }

    /// Waits until no namespace is recovering any more.
    pub fn settle(&self) {
        self.members.settle();
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// How this process keeps reads and writes in flight.
    pub fn io(&self) -> &BackendChoice {
        &self.host.io
    }

    /// How long drops and truncations can be undone; zero: they cannot.
    pub const fn undo(&self) -> Duration {
        self.undo
    }

    /// Who has which name.
    pub fn names(&self) -> &Arc<Names> {
        self.host.manifest.names()
    }

    pub fn jobs(&self) -> &Arc<JobRegistry> {
        &self.host.resources.jobs
    }

    pub fn metrics(&self) -> &Arc<MetricsRing> {
        &self.metrics
    }

    /// # Errors
    /// `namespace_exists`, `namespace_limit`, `device_not_allowed`, `closed`, what `NamespaceConfig::check` returns, and storage errors.
    pub fn create_namespace(&self, config: NamespaceConfig) -> Result<Arc<Namespace>> {
        let _changes = self.changes.lock();
        self.check_open()?;
        config.check()?;
        self.check_name_free(&config.name)?;
        let namespace = self.make(config, Start::New, None, |manifest, record| manifest.namespaces.push(record.clone()))?;
        self.members.add(namespace.clone());
        Ok(namespace)
    }

    /// A namespace that is open.
    ///
    /// # Errors
    /// `namespace_not_found`, `starting` while it recovers, `namespace_failed` where it could not be opened, `closed`.
    pub fn namespace(&self, name: &str) -> Result<Arc<Namespace>> {
        self.check_open()?;
        self.members.find(name, |member| member.open().cloned())
    }

    /// The namespaces that are open, oldest first.
    pub fn namespaces(&self) -> Vec<Arc<Namespace>> {
        self.members.open()
    }

    /// A namespace, open or not.
    ///
    /// # Errors
    /// `namespace_not_found`, `closed`.
    pub fn member(&self, name: &str) -> Result<Member> {
        self.check_open()?;
        self.members.find(name, |member| Ok(member.clone()))
    }

    /// All namespaces, open or not, oldest first.
    pub fn members(&self) -> Vec<Member> {
        self.members.all()
    }

    /// Tries once more to open a namespace that failed, and returns it when its records are back; an open one as it is.
    /// With `accept_loss`, one that failed because acknowledged data is gone is opened with what is left. The manifest keeps
    /// what was lost.
    ///
    /// # Errors
    /// `namespace_not_found`, `closed`; `starting` while it recovers; `no_loss` if there is none to accept; why it still
    /// cannot be opened.
    pub fn reopen_namespace(&self, name: &str, accept_loss: bool) -> Result<Arc<Namespace>> {
        let unopened = {
            let _changes = self.changes.lock();
            self.check_open()?;
            self.members.retry(name, accept_loss)?
        };
        match unopened {
            Some(unopened) => self.members.bring_up(&unopened),
            None => self.namespace(name),
        }
    }

    /// Drops a namespace and everything in it for good, also one that failed. Its folder is marked and the manifest forgets it before
    /// anything goes, so that a crash cannot bring half of it back, and the next start goes on.
    ///
    /// # Errors
    /// `namespace_not_found`, `starting` while it recovers, `migration_active`, `closed`; `storage_failed`: if its files could not be removed
    /// it is gone all the same, and the next start tries again.
    pub fn drop_namespace(&self, name: &str) -> Result<()> {
        let _changes = self.changes.lock();
        let (member, record) = self.droppable(name)?;
        let path = self.members.folder_of(record.number);
        folder::mark_discarded(&path, &record)?;
        self.unlist(&record.id).inspect_err(|_| drop(folder::unmark(&path)))?;
        self.members.remove(name);
        self.slow().forget_threshold(name);
        self.host.resources.jobs.abort_where(|job| job.namespace == name);
        let until = Instant::now() + self.disk_patience;
        let may_wait = || !self.closed.load(Ordering::Acquire) && Instant::now() < until;
        let held = match member.open() {
            Ok(namespace) => {
                // What the storage fails to flush is about to be removed anyway.
                let _ = namespace.store().stop();
                Held::Here
            }
            Err(_) => Held::Unknown { may_wait: &may_wait },
        };
        drop(member);
        heap::give_back();
        devices::release(&path, &record.id, held)
    }

    /// A namespace that may be dropped now. `changes` is held.
    ///
    /// # Errors
    /// As `drop_namespace`.
    fn droppable(&self, name: &str) -> Result<(Member, NamespaceRecord)> {
        let member = self.member(name)?;
        if let (NamespaceState::Recovering, _) = member.state() {
            member.open()?;
        }
        let missing = || Error::said(ErrorCode::NamespaceNotFound, sentence!("there is no namespace \"{name}\"", name = name));
        let record = self.host.manifest.read().find(name).cloned().ok_or_else(missing)?;
        self.check_not_migrating(&record)?;
        self.check_directory()?;
        self.host.manifest.watch().check_own(record.number)?;
        Ok((member, record))
    }

    /// # Errors
    /// `namespace_exists`, `namespace_limit`.
    fn check_name_free(&self, name: &str) -> Result<()> {
        let members = self.members.all();
        if members.iter().any(|member| member.name() == name) {
            return Err(
                Error::said(ErrorCode::NamespaceExists, sentence!("the namespace \"{name}\" already exists", name = name)).in_field("name")
            );
        }
        if members.len() >= limits::NAMESPACES {
            let message = sentence!("a data directory can have at most {most} namespaces", most = limits::NAMESPACES);
            return Err(Error::said(ErrorCode::NamespaceLimit, message));
        }
        Ok(())
    }

    fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) { Err(Error::said(ErrorCode::Closed, sentence!("the engine is closed"))) } else { Ok(()) }
    }

    #[cfg(test)]
    pub(crate) fn watch(&self) -> &Arc<tessera_io::Watch> {
        self.host.manifest.watch()
    }

    /// What requests may hold together.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.host.resources.budget
    }

    /// What memory namespaces without a limit of their own may hold together.
    pub fn memory_share(&self) -> &MemoryShare {
        &self.host.resources.memory
    }

    /// Looks whether the data directory is still the one that was opened, and takes writes.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    pub fn check_directory(&self) -> Result<()> {
        self.host.manifest.watch().look(None)
    }

    /// As `check_directory`, for who keeps files there on its own.
    pub fn directory_check(&self) -> impl Fn() -> Result<()> + Send + Sync + use<> {
        let watch = self.host.manifest.watch().clone();
        move || watch.look(None)
    }

    /// What is wrong with the data directory, as it was last seen.
    pub fn directory_failure(&self) -> Option<Error> {
        self.host.manifest.watch().directory().check().err()
    }

    /// Refuses further jobs and calls off those at work, as `close` does: what they were to build is built after the next start.
    pub fn call_off_jobs(&self) {
        self.host.resources.jobs.call_off();
    }

    /// Refuses further calls, calls off what recovers and the jobs at work, flushes and stops every namespace, and lets the
    /// directory go. Idempotent.
    ///
    /// # Errors
    /// The code of the first failure, and the messages of all: what is not on disk, by namespace. Everything is closed all the
    /// same.
    pub fn close(&self) -> Result<()> {
        thread_guard::may_wait("closes the engine");
        self.closed.store(true, Ordering::Release);
        // It takes `changes` by itself.
        self.remover.close();
        let _changes = self.changes.lock();
        self.sweeper.close();
        self.marker.close();
        self.host.manifest.watch().close();
        let mut migrations = self.members.end_migrations();
        let mut outcome = self.host.resources.jobs.close(JOBS_PATIENCE);
        for namespace in self.members.clear() {
            outcome = both(outcome, namespace.close());
        }
        // Behind those that lead: nothing is carried any more.
        migrations.extend(self.members.end_migrations());
        for follower in migrations.iter().filter_map(|migration| migration.follower()) {
            outcome = both(outcome, follower.close());
        }
        arena::give_back();
        self.slow().close();
        self.metrics.close();
        self.lock.lock().take();
        outcome
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Whoever wants to know how it went calls `close` first. At the end of a process nobody waits behind this.
        let _ = thread_guard::unmarked(|| self.close());
    }
}

/// Both outcomes, with what both say if they are failures.
fn both(first: Result<()>, second: Result<()>) -> Result<()> {
    match (first, second) {
        (Err(first), Err(second)) => Err(Error::said(first.code, sentence!("{first}; {second}", first = &first, second = second))),
        (first, second) => first.and(second),
    }
}

/// Sixteen bytes that no other namespace has: the standard library's hash keys come from the system's random source.
fn random_id() -> [u8; 16] {
    let word = || RandomState::new().hash_one(clock::unix_millis()).to_le_bytes();
    let mut id = [0; 16];
    id[..8].copy_from_slice(&word());
    id[8..].copy_from_slice(&word());
    id
}
