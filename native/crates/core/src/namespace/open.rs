//! Opening a namespace: its storage, its sets and indexes as configured, then what is on its devices.

use super::costs::Costs;
use super::damage::Passed;
use super::fullness::Fullness;
use super::heat::Heat;
use super::hidden::Hidden;
use super::in_flight::Visibility;
use super::indexes::Indexes;
use super::owned::Owned;
use super::stale_copies::StaleCopies;
use super::{Host, Namespace, Progress, STRIPES};
use crate::config::{DeviceConfig, EngineConfig, PagedConfig};
use crate::manifest::NamespaceRecord;
use crate::metrics::LatencyRecorder;
use crate::segment::{Segment, SegmentCell};
use crate::sets::{SetIndexState, Sets};
use parking_lot::{Mutex, RwLock};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tessera_base::Result;
use tessera_base::poison::Poison;
use tessera_index::IndexOrigin;
use tessera_io::Access;
use tessera_storage::device::{DeviceOptions, DeviceStorage};
use tessera_storage::memory::MemoryStorage;
use tessera_storage::paged::{LOG_FILE, PAGES_FILE, PageSize, PagedOptions, PagedStorage};
use tessera_storage::{RecoveryReport, Storage};

/// How long a disk that a new namespace is to have is waited for where another process has it.
const NEW_PATIENCE: Duration = Duration::from_secs(1);

/// What is known of a namespace's files before it is opened.
pub(crate) enum Start<'a> {
    /// There are none yet.
    New,
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
        let (create, progress) = match start {
            Start::New => (true, &new),
            Start::Existing(progress) => (false, progress),
        };
        let storage = open_storage(record, directory, &host, create, progress)?;
        Self::on(record, directory, host, storage, create, progress)
    }

    /// As `open`, on a storage that is open, and was made just now if `create` says so.
    ///
    /// # Errors
    /// As `open`.
    pub(super) fn on(
        record: &NamespaceRecord,
        directory: &Path,
        host: Arc<Host>,
        storage: Arc<dyn Storage>,
        create: bool,
        progress: &Progress,
    ) -> Result<Arc<Self>> {
        let config = record.config.clone();
        let poison = Arc::new(Poison::default());
        let cell = |id: u32| SegmentCell::new(Segment::new(id as u16, storage.segment(id as u16)), poison.clone());
        let files = paths(&config.engine, directory).map(|paths| host.manifest.watch().add(record.number, paths));
        let mut namespace = Self {
            recovery: RecoveryReport::default(),
            losses: Vec::new(),
            segments: (0..config.cells()).map(cell).collect(),
            sets: Sets::new(config.cells()),
            heat: Heat::new(config.segments),
            changing: Mutex::default(),
            owned: RwLock::new(Owned::of(config.ownership, config.segments)),
            indexes: Indexes::default(),
            poison: poison.clone(),
            host,
            incarnation: RandomState::new().hash_one(record.number),
            latency: Arc::new(LatencyRecorder::new(&config.name)),
            default_ttl: AtomicU32::new(config.default_ttl_seconds),
            max_record_bytes: AtomicU32::new(config.max_record_bytes),
            stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(),
            moves: Arc::default(),
            stale_copies: StaleCopies::default(),
            visibility: Visibility::new(config.durability, config.reads),
            passed: Passed::default(),
            // No write may fall under a truncation that was made while the clock was ahead.
            update_floor: AtomicU64::new(record.truncations.iter().map(|t| t.until_ms + 1).max().unwrap_or(0)),
            stepped: Mutex::default(),
            hidden: Hidden::default(),
            sweep_at: Mutex::default(),
            eviction: Mutex::default(),
            fullness: Fullness::new(&config, storage.usage().device_capacity_bytes),
            closed: AtomicBool::new(false),
            scrub_damage: AtomicU64::new(0),
            costs: Costs::open(directory),
            created_at_ms: record.created_at_ms,
            files,
            storage,
            config,
        };
        for set in &namespace.config.sets {
            let entry = match set.distribution_bin.as_deref() {
                None => namespace.sets.find_or_create(&set.name)?,
                bin => namespace.sets.create(&set.name, bin)?,
            };
            entry.set_limits(set.limits);
            if set.index {
                entry.set_index_state(SetIndexState::On);
            }
        }
        namespace.attach_configured()?;
        let begun = Instant::now();
        namespace.recovery = namespace.recover(&record.truncations, progress)?;
        namespace.losses = namespace.settle_losses(record, progress)?;
        if create {
            // There was nothing to be brought back.
            namespace.recovery.indexes_rebuilt = 0;
            namespace.indexes.all().iter().for_each(|index| index.set_origin(IndexOrigin::Built));
        }
        namespace.recovery.elapsed = begun.elapsed();
        namespace.update_floor.fetch_max(namespace.newest_update(), Ordering::AcqRel);
        let namespace = Arc::new(namespace);
        if namespace.storage.defragments() {
            namespace.start_defragmentation()?;
        }
        // Last: what fails here leaves nothing at work.
        namespace.start_merges();
        namespace.note_stamp();
        namespace.build_missing();
        Ok(namespace)
    }
}

/// What has to stay where it is while the namespace is open: its folder, and the files that are not replaced.
fn paths(engine: &EngineConfig, folder: &Path) -> Option<Vec<PathBuf>> {
    let files = match engine {
        EngineConfig::Memory => return None,
        EngineConfig::Device(device) => device.places(folder).into_iter().map(|place| place.path().to_owned()).collect(),
        EngineConfig::Paged(_) => vec![folder.join(PAGES_FILE), folder.join(LOG_FILE)],
    };
    Some([vec![folder.to_owned()], files].concat())
}

fn open_storage(record: &NamespaceRecord, directory: &Path, host: &Host, create: bool, progress: &Progress) -> Result<Arc<dyn Storage>> {
    Ok(match &record.config.engine {
        EngineConfig::Memory => Arc::new(match record.config.max_memory_bytes {
            None => MemoryStorage::sharing(host.memory.clone()),
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
