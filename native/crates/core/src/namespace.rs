//! A namespace: records with a name, a configuration and a place in the manifest.
//!
//! Everything that a caller can do with one stands here, in one line each. What it does is said and
//! done where it leads: in `store` for records, sets and disks, in `scan`, `query`, `stream`,
//! `iterate` and `export` for what goes over many records, and below `namespace` for what the
//! manifest keeps. Its errors are said there, too.

mod host;
mod indexes;
mod losses;
mod open;
#[cfg(test)]
pub(crate) mod rig;
mod rows;
mod set_index;
mod sets;
mod settings;
mod truncations;
mod undo;
mod upkeep;

pub(crate) use host::Host;
pub(crate) use open::Start;
pub use undo::{Truncated, UndoableTruncation};

pub use crate::store::{
    Answer, Each, Exists, IndexInfo, LimitsInfo, Lookup, Operate, Operated, Progress, RecordName, RecordReader, Resident, SegmentInfo,
    SetInfo, SetOrder, SetPage, SetPlace, SetQuery, WriteOptions, Written, route_of,
};

use crate::config::{ConfigPatch, Durability, NamespaceConfig, SetConfig, SetLimits};
use crate::export::{self, Export, ExportSpec};
use crate::iterate::{self, IterateSpec, Iteration};
use crate::manifest::{Loss, ManifestFile, Truncation};
use crate::metrics::{LatencyRecorder, MemoryBytes};
use crate::ownership::Ownership;
use crate::query::{self, Query, QueryPlan, QuerySpec};
use crate::scan::{self, Found, Scan, ScanPlan, ScanSpec, TallySpec, VisitSpec};
use crate::segment::SegmentCell;
use crate::store::RecordStore;
use crate::stream::{self, Stream, StreamSpec};
use parking_lot::{Mutex, RwLock};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::{Error, Result};
use tessera_index::IndexSpec;
use tessera_jobs::Job;
use tessera_record::filter::Filter;
use tessera_record::{KeyLimit, KeyRef, Meta};
use tessera_storage::paged::report::{PageMap, PagesReport, WhatIf};
use tessera_storage::{BlockMap, DeviceCosts, DeviceReport, DiskUsage, RecoveryReport, StorageUsage};

/// What has a name. Its records, and all that a read or a write of one meets, are in its
/// `RecordStore`.
///
/// What is here no record knows of: the manifest, what keeps changes of it apart, and what its
/// opening has found. The configuration as it was created is the store's, as what a record looks
/// like depends on it; how it stands is asked of the store, and written down here.
pub struct Namespace {
    store: Arc<RecordStore>,
    /// The manifest knows it by this: two may have its name while it migrates.
    id: [u8; 16],
    manifest: Arc<ManifestFile>,
    created_at_ms: u64,
    /// Held while settings change.
    changing: Mutex<()>,
    /// Held for reading by what changes settings, sets or indexes, and for writing while a second store is made that has them.
    twinning: RwLock<()>,
    /// Held while an index is attached to or detached from the segments.
    index_changes: Mutex<()>,
    /// Truncations that can be undone, oldest first; locked while any begins or ends.
    pending: Mutex<Vec<undo::Pending>>,
    recovery: RecoveryReport,
    /// Accepted at this opening or an earlier one, oldest first.
    losses: Vec<Loss>,
}

/// Its name, its configuration, its state.
impl Namespace {
    pub fn name(&self) -> &str {
        self.store.name()
    }
    /// How the manifest knows it.
    pub(crate) fn id(&self) -> &[u8; 16] {
        &self.id
    }
    /// What holds the records.
    pub fn store(&self) -> &Arc<RecordStore> {
        &self.store
    }
    pub fn created_at_ms(&self) -> u64 {
        self.created_at_ms
    }
    /// The configuration as it stands.
    pub fn config(&self) -> NamespaceConfig {
        self.store.config()
    }
    /// Changes settings while records are served.
    pub fn update(&self, patch: ConfigPatch) -> Result<()> {
        settings::update(self, patch)
    }
    /// How long keys may be.
    pub fn key_limit(&self) -> KeyLimit {
        self.store.key_limit()
    }
    pub fn segment_count(&self) -> u32 {
        self.store.segment_count()
    }
    /// What is promised of a write when it is acknowledged.
    pub fn durability(&self) -> Durability {
        self.store.durability()
    }
    /// Whether records have one bin, `value`, stored without its name.
    pub fn single_bin(&self) -> bool {
        self.store.single_bin()
    }
    /// Whether looking into the index waits for no disk.
    pub fn index_resident(&self) -> bool {
        self.store.index_resident()
    }
    /// Whether every body is in memory and goes nowhere else, so that neither a read nor a write waits for a disk.
    pub fn bodies_resident(&self) -> bool {
        self.store.bodies_resident() && !self.store.migrates()
    }
    /// Whether its memory is part of what such namespaces share.
    pub fn shares_memory(&self) -> bool {
        self.store.shares_memory()
    }
    /// What was found on disk when it was opened: counts, and places of damage.
    pub fn recovery(&self) -> &RecoveryReport {
        &self.recovery
    }
    /// Losses that were accepted to open it, now or earlier, oldest first.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }
    /// What does not work as it should, though reads and writes do.
    pub fn trouble(&self) -> Option<Error> {
        self.store.trouble()
    }
    /// Why writes are stopped until the next start, if they are.
    pub fn poisoned(&self) -> Option<Error> {
        self.store.poisoned()
    }
    /// What keeps writes from reaching the device now, if anything does.
    pub fn device_failure(&self) -> Option<Error> {
        self.store.device_failure()
    }
}

/// Records, one by one.
impl Namespace {
    /// Copies the body of a record into `out`.
    #[inline]
    pub fn get<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        self.store.get(set, key, out)
    }
    /// Shows a record to `look` where it lies, if memory has it.
    #[inline]
    pub fn look<'a, T>(&self, set: &str, key: impl Into<Lookup<'a>>, look: impl FnOnce(Meta, &[u8]) -> T) -> Result<Resident<T>> {
        self.store.look(set, key, look)
    }
    /// Reads many records of one set.
    #[inline]
    pub fn get_many(&self, set: &str, keys: &[KeyRef<'_>], each: &mut Each<'_>) -> Result<()> {
        self.store.get_many(set, keys, each)
    }
    /// A reader of up to `depth` records at once.
    pub fn reader(&self, depth: usize) -> Result<RecordReader<'_>> {
        self.store.reader(depth)
    }
    /// What is known of a record without reading its body.
    pub fn meta<'a>(&self, set: &str, key: impl Into<Lookup<'a>>) -> Result<Option<Meta>> {
        self.store.meta(set, key)
    }
    /// Writes a record.
    #[inline]
    pub fn put<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, body: &[u8], options: &WriteOptions) -> Result<Written> {
        self.store.put(set, key, body, options)
    }
    /// Writes a record that passes `filter` or is not there yet.
    #[inline]
    pub fn put_if<'a>(
        &self,
        set: &str,
        key: impl Into<Lookup<'a>>,
        body: &[u8],
        options: &WriteOptions,
        filter: Option<&Filter>,
    ) -> Result<Written> {
        self.store.put_if(set, key, body, options, filter)
    }
    /// Runs operations on a record in their order, as one step.
    pub fn operate<'k>(&self, set: &str, lookup: impl Into<Lookup<'k>>, asked: &Operate<'_>) -> Result<Option<Operated>> {
        self.store.operate(set, lookup, asked)
    }
    /// Deletes a record; `false` when there is none.
    #[inline]
    pub fn delete<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, expected_generation: Option<u16>) -> Result<bool> {
        self.store.delete(set, key, expected_generation)
    }
    /// As `delete`, with the generation policy and the sync of `options`.
    #[inline]
    pub fn delete_with<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, options: &WriteOptions) -> Result<bool> {
        self.store.delete_with(set, key, options)
    }
    /// Waits until every write so far is on stable storage.
    pub fn sync(&self) -> Result<()> {
        self.store.sync()
    }
}

/// Many records.
impl Namespace {
    /// Starts a scan. Records come as they are found; with a limit, in order.
    pub fn scan(&self, spec: ScanSpec) -> Result<Scan> {
        scan::start(&self.store, spec)
    }
    /// How a scan would be done.
    pub fn explain_scan(&self, spec: &ScanSpec) -> Result<ScanPlan> {
        scan::explain(&self.store, spec)
    }
    /// Calls `visit` with every record of a set or of all, from several threads.
    pub fn scan_visit(&self, spec: &VisitSpec, visit: &(dyn Fn(usize, &Found<'_>) -> ControlFlow<()> + Sync)) -> Result<()> {
        scan::visit_all(&self.store, spec, visit)
    }
    /// Goes through records on the thread of the caller, batch by batch.
    pub fn iterate(&self, spec: &IterateSpec) -> Result<Iteration<'_>> {
        iterate::begin(&self.store, spec)
    }
    /// Starts a query.
    pub fn query(&self, spec: QuerySpec) -> Result<Query> {
        query::start(&self.store, spec)
    }
    /// How a query would be answered.
    pub fn explain_query(&self, spec: &QuerySpec) -> Result<QueryPlan> {
        query::explain(&self.store, spec)
    }
    /// Carries a query out without bringing its records: the stream brings the plan with what each
    /// step came to.
    pub fn analyze_query(&self, spec: QuerySpec) -> Result<Query> {
        query::analyze(&self.store, spec)
    }
    /// Starts a stream: records go through steps where they are met.
    pub fn stream(&self, spec: StreamSpec) -> Result<Stream> {
        stream::start(&self.store, spec)
    }
    /// How a stream would find its records.
    pub fn explain_stream(&self, spec: &StreamSpec) -> Result<QueryPlan> {
        stream::explain(&self.store, spec)
    }
    /// Starts a job of kind `Scan` or `Count`.
    pub fn tally(&self, spec: TallySpec) -> Result<Arc<Job>> {
        query::tally(&self.store, spec)
    }
    /// Starts an export.
    pub fn export(&self, spec: ExportSpec) -> Result<Export> {
        export::start(&self.store, spec)
    }
    /// Writes down a truncation that another store of this namespace has decided.
    pub(crate) fn keep_truncation(&self, truncation: &Truncation) -> Result<()> {
        truncations::keep(self, truncation)
    }
    /// Removes the records of a set, or all, that were last updated before a moment.
    pub fn truncate(&self, set: Option<&str>, before_ms: Option<u64>) -> Result<Arc<Job>> {
        truncations::truncate(self, set, before_ms)
    }
    /// As `truncate`, and it can be undone for so long, if the namespace can do that now: see `can_undo_truncations`.
    pub fn truncate_for(&self, set: Option<&str>, before_ms: Option<u64>, undo: Duration) -> Result<Truncated> {
        undo::truncate(self, set, before_ms, undo)
    }
    /// Whether a truncation now could be undone.
    pub fn can_undo_truncations(&self, undo: Duration) -> bool {
        undo::can_undo(self, undo)
    }
    /// The truncations that can be undone, oldest first.
    pub fn undoable_truncations(&self) -> Vec<UndoableTruncation> {
        self.pending.lock().iter().map(UndoableTruncation::from).collect()
    }
    /// Brings back what a truncation hides, but for records that were written, deleted or expired since. They are there when this
    /// returns; the job counts them. Fails with `truncation_not_found`, `job_limit`, `closed`, and what writing the manifest returns.
    pub fn undo_truncation(&self, id: &str) -> Result<Arc<Job>> {
        undo::undo(self, id)
    }
    /// Makes a truncation final before its time is up; the job removes what it hides. Fails as `undo_truncation`.
    pub fn settle_truncation(&self, id: &str) -> Result<Arc<Job>> {
        undo::settle_one(self, id)
    }
}

/// Sets.
impl Namespace {
    pub fn sets(&self) -> Vec<SetInfo> {
        self.store.sets()
    }
    /// One page of them, found by a part of their name and in an order.
    pub fn set_page(&self, query: &SetQuery) -> Result<SetPage> {
        self.store.set_page(query)
    }
    pub fn set(&self, name: &str) -> Result<SetInfo> {
        self.store.set(name)
    }
    /// Sets that have a name.
    pub fn set_count(&self) -> usize {
        self.store.set_count()
    }
    /// Makes a set ahead of its first record.
    pub fn create_set(self: &Arc<Self>, config: &SetConfig) -> Result<SetInfo> {
        sets::create_indexed(self, config)
    }
    /// How much a set may hold from now on.
    pub fn limit_set(&self, name: &str, limits: SetLimits) -> Result<SetInfo> {
        sets::limit(self, name, limits)
    }
    /// Switches the index of a set on; scans use it once the job has ended.
    pub fn set_index_on(self: &Arc<Self>, set: &str, threads: u32) -> Result<Arc<Job>> {
        set_index::switch_on(self, set, threads)
    }
    /// Switches the index of a set off and frees it.
    pub fn set_index_off(&self, set: &str) -> Result<()> {
        set_index::switch_off(self, set)
    }
}

/// Document and range indexes.
impl Namespace {
    /// Makes an index, and builds it in a job.
    pub fn create_index(self: &Arc<Self>, spec: IndexSpec, threads: u32) -> Result<Arc<Job>> {
        indexes::create(self, spec, threads)
    }
    /// Drops an index at once; a build of it is aborted. Answers what it was.
    pub fn drop_index(&self, name: &str) -> Result<IndexInfo> {
        indexes::remove(self, name)
    }
    pub fn index_count(&self) -> usize {
        self.store.index_count()
    }
    /// All indexes, oldest first.
    pub fn indexes(&self) -> Vec<IndexInfo> {
        self.store.indexes()
    }
    pub fn index(&self, name: &str) -> Result<IndexInfo> {
        self.store.index(name)
    }
}

/// Segments, sizes and limits.
impl Namespace {
    /// What holds the records: the segments, or the one cell of a flat container.
    pub fn cells(&self) -> &[SegmentCell] {
        self.store.cells()
    }
    pub fn segments(&self) -> Vec<SegmentInfo> {
        self.store.segments()
    }
    /// The place among the nodes that share the segments, if there are several.
    pub fn ownership(&self) -> Option<Ownership> {
        self.store.ownership()
    }
    /// Records held, owned or not.
    pub fn records(&self) -> u64 {
        self.store.records()
    }
    /// Records of one set or of all, of the segments of which this node is the primary owner.
    pub fn size(&self, set: Option<&str>) -> u64 {
        self.store.size(set)
    }
    /// As `size`, where a sum of counters says it.
    pub fn size_at_once(&self, set: &str) -> Option<u64> {
        self.store.size_at_once(set)
    }
    /// Memory by part.
    pub fn memory(&self) -> MemoryBytes {
        self.store.memory()
    }
    /// How near it is to its limits.
    pub fn limits(&self) -> LimitsInfo {
        self.store.limits()
    }
    /// Why writes that add are refused, if they are.
    pub fn writes_stopped(&self) -> Option<Error> {
        self.store.writes_stopped()
    }
    /// Time of the newest write, Unix milliseconds.
    pub fn last_write_ms(&self) -> Option<u64> {
        self.store.last_write_ms()
    }
    /// How often a read has waited for the flush of a change that it met.
    pub fn reads_waited(&self) -> u64 {
        self.store.reads_waited()
    }
    /// The recorder of its latencies, for whoever measures a side of its own.
    pub fn latency(&self) -> &Arc<LatencyRecorder> {
        self.store.latency()
    }
}

/// Disks.
impl Namespace {
    pub fn usage(&self) -> StorageUsage {
        self.store.usage()
    }
    /// The files and block devices; none of a memory namespace.
    pub fn disks(&self) -> Vec<DiskUsage> {
        self.store.disks()
    }
    /// Everything about the disks but for their write blocks.
    pub fn device_report(&self) -> Result<DeviceReport> {
        self.store.device_report()
    }
    /// Of each disk, a map of its write blocks of at most `cells` cells.
    pub fn block_maps(&self, cells: u32) -> Result<Vec<BlockMap>> {
        self.store.block_maps(cells)
    }
    /// Cache, log, checkpoints and traffic of pages.
    pub fn pages_report(&self) -> Option<PagesReport> {
        self.store.pages_report()
    }
    /// A map of the pages of at most `cells` cells.
    pub fn page_map(&self, cells: usize) -> Option<PageMap> {
        self.store.page_map(cells)
    }
    /// What the reads there were would cost with pages of another size.
    pub fn page_what_if(&self) -> Option<WhatIf> {
        self.store.page_what_if()
    }
    /// Makes a checkpoint now; does nothing for another engine.
    pub fn checkpoint(&self) -> Result<()> {
        upkeep::checkpoint(self)
    }
    /// Starts a job that moves records out of half-empty pages.
    pub fn compact(&self) -> Result<Arc<Job>> {
        self.store.compact()
    }
    /// Starts a job that reads all that is stored and names the records that are damaged.
    pub fn scrub(&self, bytes_per_second: Option<u32>) -> Result<Arc<Job>> {
        self.store.scrub(bytes_per_second)
    }
    /// Damaged records and block headers that the last scrub found.
    pub fn scrub_damage(&self) -> u64 {
        self.store.scrub_damage()
    }
    /// Starts a job that measures what reads of the devices cost.
    pub fn calibrate(&self) -> Result<Arc<Job>> {
        scan::calibrate(&self.store)
    }
    /// What a scan's plan reckons with.
    pub fn costs(&self) -> DeviceCosts {
        self.store.costs()
    }
}
