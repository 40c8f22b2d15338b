//! One namespace: configuration, segments, sets, storage. The work is in the modules below, one capability each.

mod admission;
mod change;
mod compact;
mod copies;
mod costs;
mod damage;
mod defrag;
mod evict;
mod expire;
mod fullness;
mod heat;
mod hidden;
mod host;
mod in_flight;
mod indexes;
mod load_pages;
mod losses;
mod merge;
mod merge_indexes;
mod merger;
mod monitor;
mod moves;
mod open;
mod operate;
mod options;
mod owned;
mod pages;
mod placed;
mod progress;
mod read;
mod read_many;
mod record_reader;
mod recovery;
#[cfg(test)]
pub(crate) mod rig;
mod rows;
mod scrub;
mod set_index;
mod sets;
mod settings;
mod stale_copies;
mod truncate;
mod warm;
mod write;

pub use fullness::LimitsInfo;
pub(crate) use host::Host;
pub(crate) use in_flight::Guard;
pub use indexes::IndexInfo;
pub(crate) use moves::{Follower, Following};
pub(crate) use open::Start;
pub use operate::{Operate, Operated};
pub use options::{Exists, Lookup, RecordName, WriteOptions, Written, route_of};
pub use owned::SegmentInfo;
pub use progress::Progress;
pub use read::{Each, Resident};
pub(crate) use record_reader::WINDOW;
pub use record_reader::{Answer, RecordReader};
pub use sets::SetInfo;

use costs::Costs;
use damage::Passed;
use evict::Round;
use fullness::Fullness;
use heat::Heat;
use hidden::Hidden;
use in_flight::{Visibility, uncertain};
use indexes::Indexes;
use moves::Moves;
use owned::Owned;
use stale_copies::StaleCopies;

use crate::budget::Budget;
use crate::config::{Durability, EngineConfig, NamespaceConfig};
use crate::manifest::Loss;
use crate::metrics::{LatencyRecorder, MemoryBytes};
use crate::segment::{Marks, SegmentCell};
use crate::sets::Sets;
use parking_lot::{Mutex, RwLock};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;
use tessera_base::poison::Poison;
use tessera_base::pool::Pool;
use tessera_base::{Error, ErrorCode, Result, thread_guard};
use tessera_io::Place;
use tessera_jobs::JobRegistry;
use tessera_record::{Digest, KeyLimit};
use tessera_storage::{DiskUsage, RecoveryReport, Storage, StorageUsage};

/// Locks of keys in sets with a distribution bin.
const STRIPES: usize = 256;

pub struct Namespace {
    /// As created; what can change lives in the fields below and in the manifest.
    config: NamespaceConfig,
    created_at_ms: u64,
    /// One in a flat container.
    segments: Box<[SegmentCell]>,
    heat: Heat,
    /// None where every segment is this node's.
    owned: RwLock<Option<Arc<Owned>>>,
    /// Held while settings change.
    changing: Mutex<()>,
    sets: Sets,
    indexes: Indexes,
    storage: Arc<dyn Storage>,
    /// Its folder and files, watched; `None` in memory.
    files: Option<Arc<Place>>,
    recovery: RecoveryReport,
    /// Accepted at this opening or an earlier one, oldest first.
    losses: Vec<Loss>,
    poison: Arc<Poison>,
    host: Arc<Host>,
    /// Different each time the namespace is opened: slots, and so cursors, mean nothing after a restart.
    incarnation: u64,
    latency: Arc<LatencyRecorder>,
    default_ttl: AtomicU32,
    max_record_bytes: AtomicU32,
    stripes: Box<[Mutex<()>]>,
    moves: Arc<Moves>,
    stale_copies: StaleCopies,
    visibility: Visibility,
    passed: Passed,
    /// The latest time of last update there is, or one past the newest truncation: none goes back, whatever the clock does, so
    /// that a record's older copies on a device are never later than its newest.
    update_floor: AtomicU64,
    /// When it last went on by itself, because the clock is behind it.
    stepped: Mutex<Option<Instant>>,
    hidden: Hidden,
    /// Where the sweeper goes on: segment and slot.
    sweep_at: Mutex<(usize, u32)>,
    eviction: Mutex<Round>,
    fullness: Fullness,
    closed: AtomicBool,
    /// Damaged places that the last scrub found.
    scrub_damage: AtomicU64,
    costs: Costs,
}

impl Namespace {
    /// What was found on disk when the namespace was opened: counts, and places of damage.
    pub fn recovery(&self) -> &RecoveryReport {
        &self.recovery
    }

    /// Losses that were accepted to open it, now or earlier, oldest first.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// What does not work as it should, though reads and writes do.
    pub fn trouble(&self) -> Option<Error> {
        self.storage.trouble()
    }

    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The recorder of this namespace's latencies, for whoever measures a side of its own.
    pub fn latency(&self) -> &Arc<LatencyRecorder> {
        &self.latency
    }

    /// How long keys may be.
    pub fn key_limit(&self) -> KeyLimit {
        self.config.key_limit()
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
        self.check_files().err().or_else(|| self.storage.failure())
    }

    /// What the watch found wrong with the data directory or with the files of the namespace; in memory there are none.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    fn check_files(&self) -> Result<()> {
        match &self.files {
            Some(files) => self.host.manifest.watch().directory().check().and_then(|()| files.check()),
            None => Ok(()),
        }
    }

    /// Looks at the data directory and the files now, for who writes there by a path.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    fn look_at_files(&self) -> Result<()> {
        self.host.manifest.watch().directory().look()?;
        self.files.as_ref().map_or(Ok(()), |files| files.look())
    }

    /// As `check_open`, for a change of what the manifest keeps.
    fn check_changeable(&self) -> Result<()> {
        self.check_open()?;
        self.look_at_files()
    }

    /// Whether any set's records are placed by a bin, and so may go to another segment.
    pub(crate) fn any_distributed(&self) -> bool {
        self.sets.any_distributed()
    }

    /// For a scan: to be told, until the answer is dropped, of records that go to another segment. `marks`: of those that it
    /// has met elsewhere than in the order of slots.
    pub(crate) fn follow_moves(&self, marks: Option<Arc<Marks>>) -> Following {
        self.moves.follow(self.segments.len(), marks)
    }

    /// What holds the records, for scans, queries and index builds: the segments, or the one cell of a flat container.
    pub fn cells(&self) -> &[SegmentCell] {
        &self.segments
    }

    pub fn segment_count(&self) -> u32 {
        self.config.segments
    }

    /// Memory by part. Waits for no writer, as `segments`.
    pub fn memory(&self) -> MemoryBytes {
        thread_guard::may_wait("walks all segments for their memory");
        let (names, directories) = self.sets.heap_bytes();
        let usage = self.storage.usage();
        let in_memory = matches!(self.config.engine, EngineConfig::Memory);
        let mut memory = MemoryBytes { directory: (names + directories) as u64, ..MemoryBytes::default() };
        *(if in_memory { &mut memory.records } else { &mut memory.buffers }) = usage.memory_bytes;
        memory.primary_index = (self.segments.len() * size_of::<SegmentCell>()) as u64;
        for cell in &self.segments {
            let footprint = cell.footprint();
            memory.primary_index += footprint.primary_index;
            memory.set_indexes += footprint.set_indexes;
            memory.document_indexes += footprint.document_indexes;
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

    /// Time of the newest write, Unix milliseconds. Waits for no writer.
    pub fn last_write_ms(&self) -> Option<u64> {
        thread_guard::may_wait("walks all segments for the newest write");
        self.segments.iter().map(SegmentCell::newest_update).max().filter(|&ms| ms > 0)
    }

    pub(crate) fn jobs(&self) -> &Arc<JobRegistry> {
        &self.host.jobs
    }

    /// What requests may hold together.
    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.host.budget
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

    /// Whether the index is in memory, so that looking into it waits for no disk.
    pub fn index_resident(&self) -> bool {
        !matches!(self.config.engine, EngineConfig::Paged(_))
    }

    /// Whether every body is in memory, so that neither a read nor a write waits for a disk.
    pub fn bodies_resident(&self) -> bool {
        matches!(self.config.engine, EngineConfig::Memory)
    }

    /// Whether its memory is part of what such namespaces share.
    pub fn shares_memory(&self) -> bool {
        self.bodies_resident() && self.config.max_memory_bytes.is_none()
    }

    /// Whether records have one bin, `value`, stored without its name.
    pub fn single_bin(&self) -> bool {
        self.config.single_bin
    }

    /// What is promised of a write when it is acknowledged.
    pub fn durability(&self) -> Durability {
        self.config.durability
    }

    /// Waits until every write so far is on stable storage; returns at once where there is no disk.
    ///
    /// # Errors
    /// `write_uncertain`: the storage then refuses writes, keeps what it has, and tries again until it is stored.
    pub fn sync(&self) -> Result<()> {
        if !self.bodies_resident() {
            thread_guard::may_wait("waits for a flush");
        }
        self.storage.sync(self.storage.write_point()).map_err(|error| uncertain(error, "a write"))
    }

    /// Waits for what `durability` promises of writes made so far.
    fn settle(&self) -> Result<()> {
        if self.durability() == Durability::Commit { self.sync() } else { Ok(()) }
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::new(ErrorCode::Closed, format!("the namespace {:?} is closed", self.name())));
        }
        self.poison.check()
    }

    /// Does `work` for this namespace on a thread that serves others too, or serves it for long: a panic stops the
    /// namespace, not the thread.
    pub(crate) fn or_poison(&self, what: &str, work: impl FnOnce()) {
        let guarded = || {
            let _guard = self.poison.on_panic(what);
            work();
        };
        // The panic hook has reported it, and the namespace says why it was stopped.
        let _ = catch_unwind(AssertUnwindSafe(guarded));
    }

    /// Refuses further writes, then flushes and stops the storage, and saves the index for the next start. Idempotent.
    ///
    /// # Errors
    /// What the storage returns, with what is not on disk.
    pub(crate) fn close(&self) -> Result<()> {
        self.stop().map_err(|error| {
            let (name, bytes) = (self.name(), self.storage.usage().flush_queue_bytes);
            Error { message: format!("the namespace {name:?} has {bytes} bytes that are not on disk: {}", error.message), ..error }
        })?;
        self.forget_truncations();
        self.note_stamp();
        if self.look_at_files().is_ok() {
            self.save_index();
        }
        Ok(())
    }

    /// As `Storage::mark`.
    pub(crate) fn mark(&self) -> u64 {
        self.storage.mark()
    }

    /// Keeps in the manifest what an older copy of all the files together does not have.
    fn note_stamp(&self) {
        let stamp = self.storage.stamp();
        if self.host.manifest.read().find(self.name()).is_some_and(|record| record.stamp < stamp) {
            // Without it such a copy is not told from the files, and all else is as before.
            let _ = self.host.manifest.update(|manifest| {
                manifest.find_mut(self.name()).into_iter().for_each(|record| record.stamp = stamp);
                Ok(())
            });
        }
    }

    /// As `close`, of a namespace that is not opened again.
    ///
    /// # Errors
    /// What the storage returns.
    pub(crate) fn stop(&self) -> Result<()> {
        thread_guard::may_wait("stops a namespace");
        self.closed.store(true, Ordering::Release);
        // A write that is under way holds a segment's lock; after passing each once, none is.
        for cell in &self.segments {
            cell.write(|_| ());
        }
        self.indexes.merges.stop();
        self.storage.close()
    }

    pub(crate) fn segment_of_route(&self, route: u64) -> usize {
        (route & u64::from(self.config.segments - 1)) as usize
    }

    /// What holds the records of a segment.
    #[inline]
    fn cell(&self, segment: u16) -> &SegmentCell {
        // A power of two, one in a flat container.
        &self.segments[usize::from(segment) & (self.segments.len() - 1)]
    }

    /// The segment of a record that no bin places.
    #[inline]
    fn home(&self, digest: &Digest) -> u16 {
        digest.segment(self.config.segments)
    }

    fn stripe(&self, digest: &Digest) -> &Mutex<()> {
        &self.stripes[digest.0[13] as usize % STRIPES]
    }
}
