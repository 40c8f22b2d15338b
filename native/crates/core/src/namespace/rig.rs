//! For tests: a paged namespace on two disks in memory, or one on a device, which fail as they are told to.

use super::{Host, Namespace, Progress, open};
use crate::budget::Budget;
use crate::config::EngineConfig;
use crate::manifest::{ManifestFile, NamespaceRecord};
use crate::store::Resources;
use crate::{NamespaceConfig, WriteOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tessera_base::pool::Pool;
use tessera_base::{ErrorCode, Result};
use tessera_io::faulty::FaultyDisk;
use tessera_io::{Backend, BackendChoice};
use tessera_jobs::{JobLimits, JobRegistry};
use tessera_record::{BodyBuilder, BodyRef, KeyRef, Ttl, Value};
use tessera_storage::Storage;
use tessera_storage::device::DeviceStorage;
use tessera_storage::memory::MemoryShare;
use tessera_storage::paged::{PagedOptions, PagedStorage};

const SET: &str = "s";

pub struct Rig {
    pub host: Arc<Host>,
    /// Pages and log; of a device the first alone.
    pub disks: Vec<FaultyDisk>,
    directory: TempDir,
}

/// The bin `v` of a record; `None` where there is no record.
pub fn value(namespace: &Namespace, key: i64) -> Option<i64> {
    let mut out = vec![];
    namespace.get(SET, KeyRef::Integer(key), &mut out).unwrap()?;
    match BodyRef::new(&out).bin("v").map(|value| value.to_value()) {
        Some(Value::Int(value)) => Some(value),
        other => panic!("the bin holds {other:?}"),
    }
}

fn record(config: NamespaceConfig) -> NamespaceRecord {
    NamespaceRecord::new(1, [1; 16], 1, config)
}

/// What a namespace shares with others, its jobs on the threads of `pool`, and a manifest that lists it alone.
pub fn host_in(directory: &Path, record: NamespaceRecord, pool: Arc<Pool>) -> Arc<Host> {
    let manifest = Arc::new(ManifestFile::open(directory, false).unwrap());
    let listed = manifest.update(|manifest| {
        manifest.next = 1;
        manifest.namespaces = vec![record];
        Ok(())
    });
    listed.unwrap();
    Arc::new(Host {
        manifest,
        io: BackendChoice { backend: Backend::Threads, reason: String::new() },
        remotes: None,
        resources: Arc::new(Resources {
            jobs: JobRegistry::open(None, JobLimits::default()).unwrap(),
            pool,
            budget: Budget::new(u64::MAX, Duration::ZERO),
            memory: Arc::new(MemoryShare::new(u64::MAX)),
            slow: Arc::default(),
        }),
    })
}

fn host(record: NamespaceRecord, pool: Arc<Pool>) -> (TempDir, Arc<Host>) {
    let directory = tempfile::tempdir().unwrap();
    let host = host_in(directory.path(), record, pool);
    (directory, host)
}

/// A new namespace on a storage of the test.
pub fn on(config: NamespaceConfig, storage: Arc<dyn Storage>, pool: Arc<Pool>) -> (TempDir, Arc<Namespace>) {
    let (directory, host) = host(record(config), pool);
    let record = host.manifest.read().namespaces.remove(0);
    let namespace = Namespace::on(&record, directory.path(), host, storage, true, &Progress::default()).unwrap();
    (directory, namespace)
}

impl Rig {
    /// A new namespace; its cache and log are made as small as they may be.
    pub fn create(mut config: NamespaceConfig) -> (Self, Arc<Namespace>) {
        if let EngineConfig::Paged(paged) = &mut config.engine {
            paged.page_bytes = 4096;
            paged.cache_bytes = 2048 * 4096;
            paged.checkpoint_log_bytes = 65 << 20;
            paged.flush_interval_ms = 60_000;
        }
        if let EngineConfig::Device(device) = &mut config.engine {
            device.flush_interval_ms = 60_000;
        }
        let rig = Self::with(record(config), FaultyDisk::several([vec![], vec![]]));
        let namespace = rig.open(true, &Progress::default()).unwrap();
        (rig, namespace)
    }

    /// On disks as they are, with a manifest of its own.
    fn with(record: NamespaceRecord, disks: Vec<FaultyDisk>) -> Self {
        let (directory, host) = host(record, Pool::new());
        Self { host, disks, directory }
    }

    /// Opens what is on the disks.
    pub fn open(&self, create: bool, progress: &Progress) -> Result<Arc<Namespace>> {
        let record = self.record();
        let storage: Arc<dyn Storage> = match &record.config.engine {
            EngineConfig::Memory | EngineConfig::Cassandra(_) => panic!("the namespace has no disks"),
            EngineConfig::Device(device) => {
                let options = open::device_options(&record, device, &self.host, create);
                Arc::new(DeviceStorage::on_faulty(&self.disks[..1], options)?)
            }
            EngineConfig::Paged(paged) => {
                let options =
                    PagedOptions { accept_loss: progress.accepts_loss(), ..open::paged_options(&record, paged, &self.host, create)? };
                Arc::new(PagedStorage::on_faulty(&self.disks, options)?)
            }
        };
        Namespace::on(&record, self.directory.path(), self.host.clone(), storage, create, progress)
    }

    /// Opens what a power loss now would leave, on disks of its own.
    pub fn after_power_loss(&self) -> Arc<Namespace> {
        let disks = FaultyDisk::several(self.disks.iter().map(FaultyDisk::stable_image));
        Self::with(self.record(), disks).open(false, &Progress::default()).unwrap()
    }

    /// As `after_power_loss`, with nothing in the log, and that accepted.
    pub fn after_power_loss_without_log(&self) -> Arc<Namespace> {
        let disks = FaultyDisk::several([self.disks[0].stable_image(), vec![]]);
        Self::with(self.record(), disks).open(false, &Progress::default().accepting_loss()).unwrap()
    }

    /// What the manifest says of the namespace.
    pub fn record(&self) -> NamespaceRecord {
        self.host.manifest.read().namespaces.remove(0)
    }

    pub fn put(&self, namespace: &Namespace, key: i64, value: i64) -> Result<()> {
        self.put_for(namespace, key, value, Ttl::Never)
    }

    pub fn put_for(&self, namespace: &Namespace, key: i64, value: i64, ttl: Ttl) -> Result<()> {
        let (mut body, key) = (vec![], KeyRef::Integer(key));
        let mut builder = BodyBuilder::new(&mut body, key);
        let bin = builder.bin("v", |out| {
            out.int(value);
            Ok(())
        });
        bin.unwrap();
        builder.finish();
        namespace.put(SET, key, &body, &WriteOptions { ttl, ..WriteOptions::default() }).map(drop)
    }

    pub fn remove(&self, namespace: &Namespace, key: i64) {
        assert!(namespace.delete(SET, KeyRef::Integer(key), None).unwrap());
    }
}

/// Keys below `end` whose records can be read, are not there, and are damaged.
pub fn census(namespace: &Namespace, end: i64) -> (u64, u64, u64) {
    let mut found = (0, 0, 0);
    for key in 0..end {
        match namespace.get(SET, KeyRef::Integer(key), &mut vec![]) {
            Ok(Some(_)) => found.0 += 1,
            Ok(None) => found.1 += 1,
            Err(error) if error.code == ErrorCode::RecordDamaged => found.2 += 1,
            Err(error) => panic!("{error}"),
        }
    }
    found
}
