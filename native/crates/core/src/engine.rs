//! An open data directory: its lock, its manifest, its namespaces.

mod gauges;
mod lock;

use crate::clock;
use crate::config::NamespaceConfig;
use crate::error::{Error, ErrorCode, Result};
use crate::heap;
use crate::job::{JobLimits, JobRegistry};
use crate::limits;
use crate::manifest::{ManifestFile, NamespaceRecord, sync_directory};
use crate::metrics::{Gauges, MetricsRing};
use crate::namespace::{Host, Namespace};
use crate::pool::Pool;
use crate::sweeper::Sweeper;
use lock::DirectoryLock;
use parking_lot::{Mutex, RwLock};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Folder of the namespaces' own folders.
const NAMESPACES: &str = "namespaces";
/// How long a close waits for aborted jobs; they stop within a tenth of a second unless the device hangs.
const JOBS_PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, Default)]
pub struct EngineOptions {}

pub struct Engine {
    directory: PathBuf,
    host: Arc<Host>,
    namespaces: RwLock<Vec<Arc<Namespace>>>,
    metrics: Arc<MetricsRing>,
    sweeper: Sweeper,
    /// Held while namespaces are made or dropped, so that this is done one at a time.
    changes: Mutex<()>,
    closed: AtomicBool,
    /// Let go by `close`, after everything else.
    lock: Mutex<Option<DirectoryLock>>,
}

impl Engine {
    /// Opens a data directory, making it if it is not there, and every namespace in it.
    ///
    /// # Errors
    /// `data_directory_locked`, `manifest_damaged`, `manifest_version_unknown`, `storage_failed`.
    pub fn open(directory: &Path, _options: EngineOptions) -> Result<Arc<Self>> {
        fs::create_dir_all(directory.join(NAMESPACES)).map_err(|error| Error::io(&format!("making {}", directory.display()), &error))?;
        let lock = DirectoryLock::take(directory)?;
        let manifest = Arc::new(ManifestFile::open(directory)?);
        let records = manifest.read().namespaces;
        sweep_dropped(directory, &records)?;
        let jobs = JobRegistry::open(Some(directory), JobLimits::default())?;
        let opened: Arc<OnceLock<Weak<Self>>> = Arc::default();
        let source = opened.clone();
        let metrics = MetricsRing::start(move || match source.get() {
            None => Some(Gauges::default()),
            Some(engine) => engine.upgrade().map(|engine| engine.gauges()),
        })?;
        let weak = opened.clone();
        let sweeper = Sweeper::start(move || weak.get().and_then(Weak::upgrade).map(|engine| engine.namespaces()))?;
        let engine = Self {
            directory: directory.to_owned(),
            host: Arc::new(Host { manifest, jobs, pool: Pool::new() }),
            namespaces: RwLock::new(Vec::new()),
            metrics,
            sweeper,
            changes: Mutex::new(()),
            closed: AtomicBool::new(false),
            lock: Mutex::new(Some(lock)),
        };
        for record in &records {
            let namespace = engine.open_namespace(record)?;
            engine.namespaces.write().push(namespace);
        }
        let engine = Arc::new(engine);
        let _ = opened.set(Arc::downgrade(&engine));
        Ok(engine)
    }

    fn folder(&self, number: u64) -> PathBuf {
        self.directory.join(NAMESPACES).join(number.to_string())
    }

    fn open_namespace(&self, record: &NamespaceRecord) -> Result<Arc<Namespace>> {
        let namespace = Namespace::open(record, &self.folder(record.number), self.host.clone())?;
        self.metrics.register(namespace.latency());
        Ok(namespace)
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn jobs(&self) -> &Arc<JobRegistry> {
        &self.host.jobs
    }

    /// Threads for work that may block.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.host.pool
    }

    pub fn metrics(&self) -> &Arc<MetricsRing> {
        &self.metrics
    }

    /// # Errors
    /// `namespace_exists`, `namespace_limit`, `closed`, what `NamespaceConfig::check` returns, and storage errors.
    pub fn create_namespace(&self, config: NamespaceConfig) -> Result<Arc<Namespace>> {
        let _changes = self.changes.lock();
        self.check_open()?;
        config.check()?;
        {
            let namespaces = self.namespaces.read();
            if namespaces.iter().any(|namespace| namespace.name() == config.name) {
                return Err(
                    Error::new(ErrorCode::NamespaceExists, format!("there is a namespace {:?} already", config.name)).in_field("name")
                );
            }
            if namespaces.len() >= limits::NAMESPACES {
                let message = format!("a data directory has at most {} namespaces", limits::NAMESPACES);
                return Err(Error::new(ErrorCode::NamespaceLimit, message));
            }
        }
        // The number is durable before the folder is made, so that no folder is ever used twice.
        let number = self.host.manifest.update(|manifest| {
            manifest.next += 1;
            Ok(manifest.next)
        })?;
        let record = NamespaceRecord { number, id: random_id(), created_at_ms: clock::unix_millis(), config, truncations: Vec::new() };
        let folder = self.folder(number);
        let make = || {
            fs::create_dir_all(&folder)?;
            sync_directory(&self.directory.join(NAMESPACES))
        };
        make().map_err(|error| Error::io(&format!("making {}", folder.display()), &error))?;
        let made = self.open_namespace(&record).and_then(|namespace| {
            self.host.manifest.update(|manifest| {
                manifest.namespaces.push(record);
                Ok(())
            })?;
            Ok(namespace)
        });
        match made {
            Ok(namespace) => {
                self.namespaces.write().push(namespace.clone());
                Ok(namespace)
            }
            Err(error) => {
                // Nothing lists the folder; if it cannot be removed now, the next start removes it.
                let _ = fs::remove_dir_all(&folder);
                Err(error)
            }
        }
    }

    /// # Errors
    /// `namespace_not_found`, `closed`.
    pub fn namespace(&self, name: &str) -> Result<Arc<Namespace>> {
        self.check_open()?;
        let namespaces = self.namespaces.read();
        let found = namespaces.iter().find(|namespace| namespace.name() == name);
        found.cloned().ok_or_else(|| Error::new(ErrorCode::NamespaceNotFound, format!("there is no namespace {name:?}")))
    }

    /// All namespaces, oldest first.
    pub fn namespaces(&self) -> Vec<Arc<Namespace>> {
        self.namespaces.read().clone()
    }

    /// Drops a namespace and everything in it. The manifest forgets it first, so that a crash cannot bring half of it back.
    ///
    /// # Errors
    /// `namespace_not_found`, `closed`, `storage_failed`.
    pub fn drop_namespace(&self, name: &str) -> Result<()> {
        let _changes = self.changes.lock();
        let namespace = self.namespace(name)?;
        let number = self.host.manifest.update(|manifest| {
            let position = manifest.namespaces.iter().position(|record| record.config.name == name);
            let position = position.ok_or_else(|| Error::new(ErrorCode::NamespaceNotFound, format!("there is no namespace {name:?}")))?;
            Ok(manifest.namespaces.remove(position).number)
        })?;
        self.namespaces.write().retain(|other| !Arc::ptr_eq(other, &namespace));
        self.host.jobs.abort_where(|job| job.namespace == name);
        // What the storage fails to flush is about to be removed anyway.
        let _ = namespace.close();
        drop(namespace);
        heap::give_back();
        let folder = self.folder(number);
        fs::remove_dir_all(&folder).map_err(|error| Error::io(&format!("removing {}", folder.display()), &error))
    }

    fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) { Err(Error::new(ErrorCode::Closed, "the engine is closed")) } else { Ok(()) }
    }

    /// Refuses further calls, aborts the jobs at work, flushes and stops every namespace, and lets the directory go.
    /// Idempotent.
    ///
    /// # Errors
    /// The first failure of a storage; the others are closed all the same.
    pub fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::Release);
        let _changes = self.changes.lock();
        self.sweeper.close();
        let mut outcome = self.host.jobs.close(JOBS_PATIENCE);
        for namespace in self.namespaces.write().drain(..) {
            outcome = outcome.and(namespace.close());
        }
        self.metrics.close();
        self.lock.lock().take();
        outcome
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Whoever wants to know how it went calls `close` first.
        let _ = self.close();
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

/// Removes folders of namespaces that were dropped, or never finished being made, before a crash. Only our own: numbers.
fn sweep_dropped(directory: &Path, records: &[NamespaceRecord]) -> Result<()> {
    let path = directory.join(NAMESPACES);
    let failed = |error: &std::io::Error| Error::io(&format!("reading {}", path.display()), error);
    for entry in fs::read_dir(&path).map_err(|error| failed(&error))? {
        let entry = entry.map_err(|error| failed(&error))?;
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok()) else { continue };
        if records.iter().all(|record| record.number != number) {
            fs::remove_dir_all(entry.path()).map_err(|error| Error::io(&format!("removing {}", entry.path().display()), &error))?;
        }
    }
    Ok(())
}
