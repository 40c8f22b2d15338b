//! What a store is made of and holds, for those above it.

use super::{Following, RecordStore};
use crate::budget::Budget;
use crate::config::{Durability, EngineConfig};
use crate::metrics::{LatencyRecorder, MemoryBytes};
use crate::segment::{Marks, SegmentCell};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use tessera_base::latency::split::{self, Part};
use tessera_base::names::{Named, NamespaceId};
use tessera_base::pool::Pool;
use tessera_base::thread_guard;
use tessera_jobs::JobRegistry;
use tessera_record::{Digest, KeyLimit};
use tessera_storage::{DiskUsage, Storage, StorageUsage};

/// Locks of keys in sets with a distribution bin.
pub(super) const STRIPES: usize = 256;

impl RecordStore {
    /// The namespace's: messages and jobs say it.
    /// The same over restarts and migrations.
    pub const fn id(&self) -> NamespaceId {
        self.id
    }

    /// Its name and its id, for what is kept of it.
    pub fn named(&self) -> Named {
        Named { name: self.name().to_owned(), id: Some(self.id) }
    }

    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// How long keys may be.
    pub fn key_limit(&self) -> KeyLimit {
        let own = self.config.key_limit();
        self.link.bounds().map_or(own, |bounds| own.min(bounds.key))
    }

    pub fn segment_count(&self) -> u32 {
        self.config.segments
    }

    /// What is promised of a write when it is acknowledged.
    pub fn durability(&self) -> Durability {
        self.config.durability
    }

    /// Whether records have one bin, `value`, stored without its name.
    pub fn single_bin(&self) -> bool {
        self.config.single_bin
    }

    /// Whether the index is in memory, so that looking into it waits for no disk and no cluster.
    pub fn index_resident(&self) -> bool {
        !matches!(self.config.engine, EngineConfig::Paged(_) | EngineConfig::Cassandra(_))
    }

    /// Whether every body is in memory, so that neither a read nor a write waits for a disk or a cluster.
    pub fn bodies_resident(&self) -> bool {
        matches!(self.config.engine, EngineConfig::Memory)
    }

    /// Whether bodies are read from disks of its own.
    pub fn reads_disks(&self) -> bool {
        !self.bodies_resident() && self.remote.is_none()
    }

    /// Whether its memory is part of what such namespaces share.
    pub fn shares_memory(&self) -> bool {
        self.bodies_resident() && self.config.max_memory_bytes.is_none()
    }

    pub(crate) fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// The recorder of this namespace's latencies, for whoever measures a side of its own.
    pub fn latency(&self) -> &Arc<LatencyRecorder> {
        &self.latency
    }

    pub(crate) fn jobs(&self) -> &Arc<JobRegistry> {
        &self.resources.jobs
    }

    /// What requests may hold together.
    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.resources.budget
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.resources.pool
    }

    pub(crate) fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// What holds the records, for scans, queries and index builds: the segments, or the one cell of a flat container.
    pub fn cells(&self) -> &[SegmentCell] {
        &self.segments
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

    /// As `StorageUsage::live_bytes`, without the rest: it waits for nobody.
    pub fn live_bytes(&self) -> u64 {
        self.held_elsewhere(None).map_or_else(|| self.storage.live_bytes(), |(_, bytes)| bytes)
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

    /// As `Storage::mark`.
    pub(crate) fn mark(&self) -> u64 {
        self.storage.mark()
    }

    pub(crate) fn segment_of_route(&self, route: u64) -> usize {
        (route & u64::from(self.config.segments - 1)) as usize
    }

    /// What holds the records of a segment.
    #[inline]
    pub(in crate::store) fn cell(&self, segment: u16) -> &SegmentCell {
        // A power of two, one in a flat container.
        &self.segments[usize::from(segment) & (self.segments.len() - 1)]
    }

    /// The segment of a record that no bin places.
    #[inline]
    pub(in crate::store) fn home(&self, digest: &Digest) -> u16 {
        digest.segment(self.config.segments)
    }

    pub(in crate::store) fn stripe(&self, digest: &Digest) -> &Mutex<()> {
        &self.stripes[digest.0[13] as usize % STRIPES]
    }

    /// Holds off others who write a key.
    pub(in crate::store) fn hold_key(&self, digest: &Digest) -> MutexGuard<'_, ()> {
        held(self.stripe(digest))
    }
}

/// Takes a lock; a wait for it counts for the operation of this thread.
pub(in crate::store) fn held(lock: &Mutex<()>) -> MutexGuard<'_, ()> {
    lock.try_lock().unwrap_or_else(|| {
        let _wait = split::wait(Part::Queue);
        lock.lock()
    })
}
