//! One namespace: configuration, segments, sets, storage. The work is in the modules below, one capability each.

mod admission;
mod defrag;
mod evict;
mod expire;
mod fullness;
mod host;
mod indexes;
mod merge;
mod moves;
mod options;
mod progress;
mod read;
mod read_many;
mod reader;
mod recovery;
mod rows;
mod scrub;
mod set_index;
mod truncate;
mod unburied;
mod warm;
mod write;

pub use fullness::LimitsInfo;
pub(crate) use host::Host;
pub use indexes::IndexInfo;
pub(crate) use moves::{Follower, Following};
pub use options::{Exists, Lookup, RecordName, WriteOptions, Written, route_of};
pub use progress::Progress;
pub use read::{Each, Resident};
pub(crate) use reader::WINDOW;
pub use reader::{Answer, Reader};

use evict::Round;
use fullness::Fullness;
use indexes::Indexes;
use moves::Moves;
use unburied::Unburied;

use crate::config::{ConfigPatch, Durability, EngineConfig, NamespaceConfig, SetConfig, SetLimits};
use crate::error::{Error, ErrorCode, Result};
use crate::job::JobRegistry;
use crate::manifest::NamespaceRecord;
use crate::metrics::{LatencyRecorder, MemoryBytes};
use crate::poison::Poison;
use crate::pool::Pool;
use crate::segment::{Segment, SegmentCell};
use crate::sets::{SetEntry, SetIndexState, Sets};
use crate::storage::device::{DeviceOptions, DeviceStorage};
use crate::storage::io::Access;
use crate::storage::memory::MemoryStorage;
use crate::storage::{DiskUsage, RecoveryReport, SegmentBytes, Storage, StorageUsage};
use parking_lot::Mutex;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Locks of keys in sets with a distribution bin.
const STRIPES: usize = 256;

pub struct Namespace {
    /// As created; what can change lives in the fields below and in the manifest.
    config: NamespaceConfig,
    created_at_ms: u64,
    segments: Box<[SegmentCell]>,
    sets: Sets,
    indexes: Indexes,
    storage: Arc<dyn Storage>,
    recovery: RecoveryReport,
    poison: Arc<Poison>,
    host: Arc<Host>,
    /// Different each time the namespace is opened: slots, and so cursors, mean nothing after a restart.
    incarnation: u64,
    latency: Arc<LatencyRecorder>,
    default_ttl: AtomicU32,
    max_record_bytes: AtomicU32,
    stripes: Box<[Mutex<()>]>,
    moves: Arc<Moves>,
    unburied: Unburied,
    /// No write may be stamped earlier: one past the newest truncation.
    update_floor: AtomicU64,
    /// Where the sweeper goes on: segment and slot.
    sweep_at: Mutex<(usize, u32)>,
    eviction: Mutex<Round>,
    fullness: Fullness,
    closed: AtomicBool,
    /// Damaged places that the last scrub found.
    scrub_damage: AtomicU64,
}

/// What is known of a namespace's files before it is opened.
pub(crate) enum Start<'a> {
    /// There are none yet.
    New,
    /// They hold its records; how far reading them is shows here.
    Existing(&'a Progress),
}

/// One segment, as lists show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentInfo {
    pub segment: u16,
    pub records: u64,
    pub bytes: SegmentBytes,
}

/// One set, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetInfo {
    /// Empty for records without a set.
    pub name: String,
    pub records: u64,
    pub bytes: u64,
    pub distribution_bin: Option<String>,
    pub index: SetIndexState,
    /// The job that builds the index, while it does.
    pub index_job: Option<String>,
    /// Bytes of the set's index.
    pub index_bytes: u64,
    pub limits: SetLimits,
}

impl Namespace {
    /// Opens what `record` describes, with its files, if it has any, under `directory`. Files that cannot be opened are
    /// left as they are.
    ///
    /// # Errors
    /// What the storage returns; `closed` when the progress was called off.
    pub(crate) fn open(record: &NamespaceRecord, directory: &Path, host: Arc<Host>, start: Start<'_>) -> Result<Arc<Self>> {
        let config = record.config.clone();
        let storage: Arc<dyn Storage> = match &config.engine {
            EngineConfig::Memory => Arc::new(MemoryStorage::new(config.max_memory_bytes)),
            EngineConfig::Device(device) => {
                let options = DeviceOptions {
                    write_block_bytes: device.write_block_bytes,
                    capacity_bytes: device.capacity_bytes,
                    post_write_cache_bytes: device.post_write_cache_bytes,
                    defrag_below_percent: device.defrag_below_percent as u8,
                    defrag_bytes_per_second: device.defrag_bytes_per_second,
                    access: if device.cached_io { Access::Cached } else { Access::Direct },
                    flush_interval: Duration::from_millis(device.flush_interval_ms.into()),
                    backend: host.io.backend,
                    create: matches!(start, Start::New),
                    ..DeviceOptions::new(record.id)
                };
                Arc::new(DeviceStorage::open(&device.places(directory), options)?.with_snapshots_in(directory))
            }
        };
        let poison = Arc::new(Poison::default());
        let cell = |id: u32| SegmentCell::new(Segment::new(id as u16, storage.segment(id as u16)), poison.clone());
        let mut namespace = Self {
            recovery: RecoveryReport::default(),
            segments: (0..config.segments).map(cell).collect(),
            sets: Sets::new(config.segments),
            indexes: Indexes::default(),
            poison: poison.clone(),
            host,
            incarnation: RandomState::new().hash_one(record.number),
            latency: Arc::new(LatencyRecorder::new(&config.name)),
            default_ttl: AtomicU32::new(config.default_ttl_seconds),
            max_record_bytes: AtomicU32::new(config.max_record_bytes),
            stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(),
            moves: Arc::default(),
            unburied: Unburied::default(),
            // No write may fall under a truncation that was made while the clock was ahead.
            update_floor: AtomicU64::new(record.truncations.iter().map(|t| t.until_ms + 1).max().unwrap_or(0)),
            sweep_at: Mutex::default(),
            eviction: Mutex::default(),
            fullness: Fullness::new(&config, storage.usage().device_capacity_bytes),
            closed: AtomicBool::new(false),
            scrub_damage: AtomicU64::new(0),
            created_at_ms: record.created_at_ms,
            storage,
            config,
        };
        for set in &namespace.config.sets {
            let entry = namespace.sets.create(&set.name, set.distribution_bin.as_deref())?;
            entry.set_limits(set.limits);
            if set.index {
                entry.set_index_state(SetIndexState::On);
            }
        }
        namespace.attach_configured()?;
        let begun = Instant::now();
        let unwatched = Progress::default();
        let progress = if let Start::Existing(progress) = start { progress } else { &unwatched };
        namespace.recovery = namespace.recover(&record.truncations, progress)?;
        namespace.recovery.elapsed = begun.elapsed();
        let namespace = Arc::new(namespace);
        if namespace.storage.defragments() {
            namespace.start_defragmentation()?;
        }
        Ok(namespace)
    }

    /// What was found on disk when the namespace was opened: counts, and places of damage.
    pub fn recovery(&self) -> &RecoveryReport {
        &self.recovery
    }

    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The configuration as it stands.
    pub fn config(&self) -> NamespaceConfig {
        let configured =
            |set: &Arc<SetEntry>| !set.name.is_empty() && (set.distribution.is_some() || set.indexed() || !set.limits().is_none());
        NamespaceConfig {
            default_ttl_seconds: self.default_ttl.load(Ordering::Relaxed),
            max_record_bytes: self.max_record_bytes.load(Ordering::Relaxed),
            stop_writes_percent: self.fullness.stop_percent.load(Ordering::Relaxed),
            evict_at_percent: self.fullness.evict_percent.load(Ordering::Relaxed),
            sets: self.sets.all().iter().filter(|set| configured(set)).map(|set| set.config()).collect(),
            indexes: self.indexes.specs(),
            ..self.config.clone()
        }
    }

    /// The recorder of this namespace's latencies, for whoever measures a side of its own.
    pub fn latency(&self) -> &Arc<LatencyRecorder> {
        &self.latency
    }

    pub fn created_at_ms(&self) -> u64 {
        self.created_at_ms
    }

    /// Why writes are stopped until the next start (`namespace_poisoned`), if they are.
    pub fn poisoned(&self) -> Option<Error> {
        self.poison.check().err()
    }

    /// What keeps writes from reaching the device now, if anything does. It is tried again until it works.
    pub fn device_failure(&self) -> Option<Error> {
        self.storage.failure()
    }

    /// Records, of one set or of all. Constant time: counters are kept by every write.
    pub fn size(&self, set: Option<&str>) -> u64 {
        match set {
            Some(name) => self.sets.find(name).map_or(0, |set| set.records()),
            None => self.segments.iter().map(SegmentCell::records).sum(),
        }
    }

    /// Whether any set's records are placed by a bin, and so may go to another segment.
    pub(crate) fn any_distributed(&self) -> bool {
        self.sets.any_distributed()
    }

    /// For a scan: to be told, until the answer is dropped, of records that go to another segment.
    pub(crate) fn follow_moves(&self) -> Following {
        self.moves.follow(self.segments.len())
    }

    /// Every set that was ever written to or configured; records without a set come first, if there are any.
    pub fn sets(&self) -> Vec<SetInfo> {
        let listed = |set: &Arc<SetEntry>| !set.name.is_empty() || set.records() > 0;
        self.sets.all().iter().filter(|set| listed(set)).map(|set| self.describe(set)).collect()
    }

    /// Sets that have a name.
    pub fn set_count(&self) -> usize {
        self.sets.all().len() - 1
    }

    fn describe(&self, set: &SetEntry) -> SetInfo {
        SetInfo {
            name: set.name.to_string(),
            records: set.records(),
            bytes: set.bytes(),
            distribution_bin: set.distribution.as_ref().map(|d| d.bin.to_string()),
            index: set.index_state(),
            index_job: set.index_job(),
            // Sets by the thousand are listed; only those with an index are worth a look at every segment.
            index_bytes: match set.indexed() {
                true => self.segments.iter().map(|cell| cell.read().set_index_bytes(set.id) as u64).sum(),
                false => 0,
            },
            limits: set.limits(),
        }
    }

    pub fn segments(&self) -> Vec<SegmentInfo> {
        let describe =
            |(id, cell): (usize, &SegmentCell)| SegmentInfo { segment: id as u16, records: cell.records(), bytes: cell.read().bytes() };
        self.segments.iter().enumerate().map(describe).collect()
    }

    /// The segments themselves, for scans, queries and index builds.
    pub fn cells(&self) -> &[SegmentCell] {
        &self.segments
    }

    pub fn segment_count(&self) -> u32 {
        self.config.segments
    }

    pub fn memory(&self) -> MemoryBytes {
        let (names, directories) = self.sets.heap_bytes();
        let usage = self.storage.usage();
        let in_memory = matches!(self.config.engine, EngineConfig::Memory);
        let mut memory = MemoryBytes { directory: (names + directories) as u64, ..MemoryBytes::default() };
        *(if in_memory { &mut memory.records } else { &mut memory.buffers }) = usage.memory_bytes;
        memory.primary_index = (self.segments.len() * size_of::<SegmentCell>()) as u64;
        for cell in &self.segments {
            let segment = cell.read();
            memory.primary_index += segment.index_bytes() as u64;
            memory.set_indexes += segment.set_indexes_bytes() as u64;
            memory.document_indexes += segment.indexes().heap_bytes() as u64;
        }
        memory
    }

    pub fn usage(&self) -> StorageUsage {
        self.storage.usage()
    }

    /// The files and block devices; none of a memory namespace.
    pub fn disks(&self) -> Vec<DiskUsage> {
        self.storage.disks()
    }

    /// Time of the newest write, Unix milliseconds.
    pub fn last_write_ms(&self) -> Option<u64> {
        self.segments.iter().map(|cell| cell.read().newest_update()).max().filter(|&ms| ms > 0)
    }

    pub(crate) fn jobs(&self) -> &Arc<JobRegistry> {
        &self.host.jobs
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.host.pool
    }

    pub(crate) fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    pub(crate) fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Whether every body is in memory.
    pub(crate) fn bodies_resident(&self) -> bool {
        matches!(self.config.engine, EngineConfig::Memory)
    }

    pub(crate) fn set_by_id(&self, id: u16) -> Option<Arc<SetEntry>> {
        self.sets.by_id(id)
    }

    /// # Errors
    /// `set_not_found`.
    pub(crate) fn find_set(&self, name: &str) -> Result<Arc<SetEntry>> {
        let missing = || Error::new(ErrorCode::SetNotFound, format!("there is no set {name:?} in {:?}", self.name())).in_field("set");
        self.sets.find(name).ok_or_else(missing)
    }

    /// Makes a set ahead of its first record. A set that is there already keeps its index as it is, and its limits unless
    /// new ones are given.
    ///
    /// # Errors
    /// `name_invalid`, `bin_name_invalid`, `single_bin`, `set_limit`, `set_not_empty`, and what writing the manifest returns.
    pub fn create_set(&self, config: &SetConfig) -> Result<SetInfo> {
        config.check()?;
        self.config.check_bin(config.distribution_bin.as_deref(), "distributionBin")?;
        self.check_open()?;
        let placed = self.sets.distributed(&config.name).is_some();
        let set = self.sets.create(&config.name, config.distribution_bin.as_deref())?;
        if !config.limits.is_none() {
            set.set_limits(config.limits);
        }
        if config.index && set.records() == 0 && set.index_state() == SetIndexState::Off {
            // A record that comes in between has its segment indexed, here or by its writer.
            set.set_index_state(SetIndexState::Building);
            self.segments.iter().filter(|cell| cell.records() > 0).for_each(|cell| cell.write(|segment| segment.index_set(&set)));
            set.set_index_state(SetIndexState::On);
        }
        if let Err(error) = self.save_config() {
            // After a restart nobody would know that its records are placed by a bin.
            if !placed && set.distribution.is_some() {
                self.sets.place_by_digest(&set);
            }
            return Err(error);
        }
        Ok(self.describe(&set))
    }

    /// How much a set may hold from now on; what it holds already stays.
    ///
    /// # Errors
    /// `set_not_found`, and what writing the manifest returns; then the old limits stand.
    pub fn limit_set(&self, name: &str, limits: SetLimits) -> Result<SetInfo> {
        self.check_open()?;
        let set = self.find_set(name)?;
        let before = set.limits();
        set.set_limits(limits);
        self.save_config().inspect_err(|_| set.set_limits(before))?;
        Ok(self.describe(&set))
    }

    /// Changes settings while records are served.
    ///
    /// # Errors
    /// `ttl_invalid`, `config_invalid`, and what writing the manifest returns.
    pub fn update(&self, patch: ConfigPatch) -> Result<()> {
        self.check_open()?;
        let config = self.config().patched(patch);
        config.check()?;
        self.max_record_bytes.store(config.max_record_bytes, Ordering::Relaxed);
        self.default_ttl.store(config.default_ttl_seconds, Ordering::Relaxed);
        self.fullness.stop_percent.store(config.stop_writes_percent, Ordering::Relaxed);
        self.fullness.evict_percent.store(config.evict_at_percent, Ordering::Relaxed);
        self.save_config()
    }

    fn save_config(&self) -> Result<()> {
        self.host.manifest.update(|manifest| {
            if let Some(record) = manifest.find_mut(self.name()) {
                // Taken under the manifest's lock: an older state must not be written after a newer one.
                record.config = self.config();
            }
            Ok(())
        })
    }

    /// Waits until every write so far is on stable storage; returns at once where there is no disk.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; the storage then refuses writes, keeps what it has, and tries again until it is stored.
    pub fn sync(&self) -> Result<()> {
        self.storage.sync(self.storage.write_point())
    }

    /// Waits for what `durability` promises of writes made so far.
    fn settle(&self) -> Result<()> {
        if self.config.durability == Durability::Commit { self.sync() } else { Ok(()) }
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::new(ErrorCode::Closed, format!("the namespace {:?} is closed", self.name())));
        }
        self.poison.check()
    }

    /// Refuses further writes, then flushes and stops the storage, and saves the index for the next start. Idempotent.
    ///
    /// # Errors
    /// What the storage returns.
    pub(crate) fn close(&self) -> Result<()> {
        self.stop()?;
        self.save_index();
        Ok(())
    }

    /// As `close`, of a namespace that is not opened again.
    ///
    /// # Errors
    /// What the storage returns.
    pub(crate) fn stop(&self) -> Result<()> {
        self.closed.store(true, Ordering::Release);
        // A write that is under way holds a segment's lock; after passing each once, none is.
        for cell in &self.segments {
            cell.write(|_| ());
        }
        self.storage.close()
    }

    pub(crate) fn segment_of_route(&self, route: u64) -> usize {
        (route & u64::from(self.config.segments - 1)) as usize
    }

    fn stripe(&self, digest: &crate::record::Digest) -> &Mutex<()> {
        &self.stripes[digest.0[13] as usize % STRIPES]
    }
}
