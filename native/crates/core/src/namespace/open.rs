//! Opening a namespace: its storage, its sets and indexes as configured, then what is on its devices.

use super::{Host, Namespace, indexes, losses, truncations, undo};
use crate::config::{DeviceConfig, EngineConfig, PagedConfig};
use crate::manifest::NamespaceRecord;
use crate::store::remote::{Asked, Origin};
use crate::store::{Files, Kept, Progress, RecordStore};
use parking_lot::{Mutex, RwLock};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_index::IndexOrigin;
use tessera_io::Access;
use tessera_storage::Storage;
use tessera_storage::device::{DeviceOptions, DeviceStorage};
use tessera_storage::memory::MemoryStorage;
use tessera_storage::paged::{LOG_FILE, PAGES_FILE, PageSize, PagedOptions, PagedStorage};

/// How long a disk that a new namespace is to have is waited for where another process has it.
const NEW_PATIENCE: Duration = Duration::from_secs(1);

/// What is known of a namespace's files before it is opened.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    /// There are none yet.
    New,
    /// There are none yet; its records will be a copy of another store's.
    Copy,
    /// They hold its records; how far reading them is shows here.
    Existing(&'a Progress),
}

impl Namespace {
    /// Opens what `record` describes, with its files, if it has any, under `directory`. Files that cannot be opened are
    /// left as they are.
    ///
    /// # Errors
    /// What the storage returns; `closed` when the progress was called off.
    pub(crate) fn open(record: &NamespaceRecord, directory: &Path, host: Arc<Host>, start: Start<'_>) -> Result<Arc<Self>> {
        let new = Progress::new(0, Instant::now() + NEW_PATIENCE);
        let (origin, progress) = match start {
            Start::New => (Origin::New, &new),
            Start::Copy => (Origin::Copy, &new),
            Start::Existing(progress) => (Origin::There, progress),
        };
        let create = origin != Origin::There;
        let storage = open_storage(record, directory, &host, create, progress)?;
        let remote = Asked::of(&record.config, record.id, origin).map(|asked| match &host.remotes {
            Some(remotes) => remotes.open(&asked),
            None => Err(Error::said(ErrorCode::CapabilityUnsupported, sentence!("this program has no driver for clusters"))),
        });
        Self::on(record, directory, host, Kept { storage, remote: remote.transpose()? }, create, progress)
    }

    /// As `open`, on a storage that is open, and was made just now if `create` says so.
    ///
    /// # Errors
    /// As `open`.
    pub(super) fn on(
        record: &NamespaceRecord,
        directory: &Path,
        host: Arc<Host>,
        kept: impl Into<Kept>,
        create: bool,
        progress: &Progress,
    ) -> Result<Arc<Self>> {
        let (watch, config) = (host.manifest.watch(), &record.config);
        let own = paths(&config.engine, directory).map(|paths| watch.add(record.number, paths));
        let files = Files { directory: watch.directory().clone(), own };
        let incarnation = RandomState::new().hash_one(record.number);
        let resources = host.resources.clone();
        let store = RecordStore::new(config.clone(), directory, kept.into(), files, resources, incarnation, record)?;
        let begun = Instant::now();
        let mut recovery = store.recover(&record.truncations, progress)?;
        let pending = undo::hidden_again(&store, record, progress)?;
        let losses = losses::settle(&host.manifest, record, &recovery, progress)?;
        if create {
            // There was nothing to be brought back.
            recovery.indexes_rebuilt = 0;
            store.indexes.all().iter().for_each(|index| index.set_origin(IndexOrigin::Built));
        }
        recovery.elapsed = begun.elapsed();
        let namespace = Arc::new(Self {
            store: Arc::new(store),
            id: record.id,
            manifest: host.manifest.clone(),
            created_at_ms: record.created_at_ms,
            changing: Mutex::default(),
            twinning: RwLock::default(),
            index_changes: Mutex::default(),
            pending: Mutex::new(pending),
            recovery,
            losses,
        });
        truncations::forget(&namespace);
        namespace.store.begin()?;
        namespace.note_stamp();
        indexes::build_missing(&namespace);
        Ok(namespace)
    }
}

/// What has to stay where it is while the namespace is open: its folder, and the files that are not replaced.
fn paths(engine: &EngineConfig, folder: &Path) -> Option<Vec<PathBuf>> {
    let files = match engine {
        EngineConfig::Memory | EngineConfig::Cassandra(_) => return None,
        EngineConfig::Device(device) => device.places(folder).into_iter().map(|place| place.path().to_owned()).collect(),
        EngineConfig::Paged(_) => vec![folder.join(PAGES_FILE), folder.join(LOG_FILE)],
    };
    Some([vec![folder.to_owned()], files].concat())
}

fn open_storage(record: &NamespaceRecord, directory: &Path, host: &Host, create: bool, progress: &Progress) -> Result<Arc<dyn Storage>> {
    Ok(match &record.config.engine {
        EngineConfig::Cassandra(_) => Arc::new(MemoryStorage::new(None)),
        EngineConfig::Memory => Arc::new(match record.config.max_memory_bytes {
            None => MemoryStorage::sharing(host.resources.memory.clone()),
            limit => MemoryStorage::new(limit),
        }),
        EngineConfig::Device(device) => {
            let options = DeviceOptions { accept_loss: progress.accepts_loss(), ..device_options(record, device, host, create) };
            let storage = DeviceStorage::open(&device.places(directory), options, &|| progress.may_wait());
            let storage = storage.or_else(|error| progress.check().and(Err(error)))?;
            Arc::new(storage.with_snapshots_in(directory))
        }
        EngineConfig::Paged(paged) => {
            let options = PagedOptions { accept_loss: progress.accepts_loss(), ..paged_options(record, paged, host, create)? };
            let storage = PagedStorage::open(directory, options, &|| progress.may_wait());
            Arc::new(storage.or_else(|error| progress.check().and(Err(error)))?)
        }
    })
}

pub(super) fn device_options(record: &NamespaceRecord, device: &DeviceConfig, host: &Host, create: bool) -> DeviceOptions {
    DeviceOptions {
        write_block_bytes: device.write_block_bytes,
        capacity_bytes: device.capacity_bytes,
        post_write_cache_bytes: device.post_write_cache_bytes,
        defrag_below_percent: device.defrag_below_percent as u8,
        defrag_bytes_per_second: device.defrag_bytes_per_second,
        access: if device.cached_io { Access::Cached } else { Access::Direct },
        flush_interval: Duration::from_millis(device.flush_interval_ms.into()),
        backend: host.io.backend,
        create,
        stamp: record.stamp,
        mark: host.manifest.witness().mark_of(&record.id),
        ..DeviceOptions::new(record.id)
    }
}

/// # Errors
/// `config_invalid` for a size that pages do not have.
pub(super) fn paged_options(record: &NamespaceRecord, paged: &PagedConfig, host: &Host, create: bool) -> Result<PagedOptions> {
    Ok(PagedOptions {
        cache_bytes: paged.cache_bytes,
        capacity_bytes: paged.capacity_bytes,
        log_bytes: paged.checkpoint_log_bytes,
        checkpoint_interval: Duration::from_secs(paged.checkpoint_interval_seconds.into()),
        access: if paged.cached_io { Access::Cached } else { Access::Direct },
        flush_interval: Duration::from_millis(paged.flush_interval_ms.into()),
        backend: host.io.backend,
        create,
        stamp: record.stamp.max(host.manifest.witness().mark_of(&record.id)),
        ..PagedOptions::new(record.id, record.config.segments, PageSize::new(paged.page_bytes)?)
    })
}
