//! Where record bodies live: in memory, in write blocks on devices, in pages behind a cache. The index (segments, slots) knows a body only by its `Location`.
//!
//! Two levels: a `Storage` belongs to a namespace and owns files, buffers and threads; a `SegmentStore` is one
//! segment's handle on it and is only called under that segment's lock. An engine whose bodies are in memory answers
//! `SegmentStore::resident`; one whose bodies are on a device is asked with `Storage::read`, without any lock held.

pub mod device;
mod device_costs;
mod group_commit;
mod index_image;
mod kept_room;
pub mod memory;
mod monitor;
pub mod paged;
mod pages_counters;
mod scrub;
mod sequential;
mod snapshot;

pub use device_costs::DeviceCosts;
pub use group_commit::FlushFailure;
pub use index_image::{IndexSource, IndexTarget, SegmentImage, SlotImage};
pub use kept_room::KeptRoom;
pub use monitor::{BlockMap, DeviceGauge, DeviceReport, DiskGauge, DiskReport, MapCell, Monitor};
pub use pages_counters::{PageReads, PagesCounters, Traffic};
pub use scrub::{BlockCheck, Scrub};
pub use sequential::{DeviceReads, Run, RunReader, StoredRecord};

/// Most disks of one namespace.
const DISKS_MAX: usize = 16;

use std::time::{Duration, Instant};
use tessera_base::{Error, Result};
use tessera_io::{Access, FileKind};
use tessera_record::{Digest, Meta};

/// A body's place; the engine that made it gives it its meaning. Never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(pub std::num::NonZeroU64);

impl Location {
    /// The half of it that `SegmentStore::prefetch` needs.
    #[inline]
    pub const fn hint(self) -> u32 {
        self.0.get() as u32
    }
}

/// A record as the index knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRecord {
    pub digest: Digest,
    pub location: Location,
    pub meta: Meta,
}

/// Everything an engine stores of one record.
#[derive(Clone, Copy, Debug)]
pub struct RecordImage<'a> {
    pub digest: Digest,
    pub slot: u32,
    pub meta: Meta,
    /// Set name, empty for none.
    pub set: &'a str,
    /// `tessera_record::body` bytes.
    pub body: &'a [u8],
}

/// One segment's bodies. Every method is called with the segment's lock held (`&mut self`: for writing).
pub trait SegmentStore: Send + Sync {
    /// Stores a body and forgets the one at `replaces`. It does not wait for room: readers of the segment wait for the
    /// caller's lock.
    ///
    /// # Errors
    /// `device_full`, `memory_full`, `storage_failed`; `device_overload` if there is no room now: call `Storage::admit`
    /// without the lock, then try again. Nothing has changed then.
    fn put(&mut self, image: &RecordImage<'_>, replaces: Option<Location>) -> Result<Location>;

    /// Logs a tombstone, where the engine is durable: what the segment wrote of the record so far does not come back after
    /// a restart. Deletes are durable at every durability: the caller passes `write_point` to `Storage::sync` before it
    /// acknowledges one.
    ///
    /// # Errors
    /// As `put`.
    fn bury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        let _ = (digest, set);
        Ok(())
    }

    /// As `put` for a body that lies at `from`, to make room there.
    ///
    /// # Errors
    /// As `put`.
    fn relocate(&mut self, image: &RecordImage<'_>, from: Location) -> Result<Location> {
        self.put(image, Some(from))
    }

    /// As `bury`, for a tombstone that is there already and has to be kept.
    ///
    /// # Errors
    /// As `put`.
    fn rebury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        self.bury(digest, set)
    }

    /// Forgets a body; a tombstone, or a truncation in the manifest, sees to it that it does not come back.
    fn forget(&mut self, location: Location);

    /// The body, if it can be had without waiting.
    fn resident(&self, location: Location) -> Option<&[u8]>;

    /// How many of the bytes in `bytes().live` are this body's.
    fn stored_bytes(&self, location: Location) -> usize;

    /// How many that will be of a body of so many bytes, in a set whose name has `set` bytes.
    fn put_bytes(&self, set: usize, body: usize) -> usize;

    /// Recovery has decided: `current` is this segment's newest copy of a record (`None`: it is deleted) and the copy at
    /// `replaced`, reported earlier as current, is dead. Only counters change.
    fn recovered(&mut self, current: Option<Location>, replaced: Option<Location>) {
        let _ = (current, replaced);
    }

    /// As `recovered` for all records of a segment that was empty.
    fn loaded(&mut self, locations: &mut dyn Iterator<Item = Location>) {
        locations.for_each(|location| self.recovered(Some(location), None));
    }

    /// Asks the processor for a body ahead of its use. A wrong hint costs time, nothing else.
    fn prefetch(&self, hint: u32) {
        let _ = hint;
    }

    /// As `prefetch`, of the beginning alone where the body is large.
    fn prefetch_beginning(&self, hint: u32) {
        self.prefetch(hint);
    }

    /// Whether `prefetch` does anything: the hash table then keeps the hints, 4 bytes each.
    fn prefetches(&self) -> bool {
        false
    }

    /// Moves bodies together when too much space is dead; calls `moved(slot, from, to)` for each body moved.
    fn compact(&mut self, moved: &mut dyn FnMut(u32, Location, Location)) {
        let _ = moved;
    }

    /// Bytes of live bodies with their headers, and bytes held for them.
    fn bytes(&self) -> SegmentBytes;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentBytes {
    pub live: u64,
    pub allocated: u64,
}

/// What a storage keeps of a segment.
pub enum SegmentPart {
    /// Bodies in memory, beside the index.
    Memory(memory::Extents),
    /// Bodies alone: the index is in memory.
    Bodies(Box<dyn SegmentStore>),
    /// Index and bodies.
    Pages(Box<paged::PagedSegment>),
}

/// A namespace's storage.
pub trait Storage: Send + Sync {
    /// The handle of one segment; called once for each segment.
    fn segment(&self, segment: u16) -> SegmentPart;

    /// Reads a body that is not resident into `out` (cleared first), checking its checksum and that it is this version of
    /// `digest`'s record. Blocks; no lock is held. `Ok(false)` when the place now holds something else. As the place may have
    /// been used again since it was looked up, an error of the record counts only while the index still names the place.
    ///
    /// # Errors
    /// `record_damaged`, `storage_failed`.
    fn read(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool>;

    /// A reader of bodies that are not resident, up to `depth` of them in flight; `None` where all are resident.
    ///
    /// # Errors
    /// `config_invalid` for a depth that is not 1 to 4096; `storage_failed`.
    fn reader(&self, depth: usize) -> Result<Option<Box<dyn BodyReader>>> {
        let _ = depth;
        Ok(None)
    }

    /// A reader of bodies that are not resident, which are asked for by `order_of`: those with at most `gap` bytes between them
    /// are read together. How many may be asked for at once `BodyReader::has_room` says. `None` where all are resident.
    ///
    /// # Errors
    /// `storage_failed`.
    fn reader_of_neighbours(&self, gap: u64) -> Result<Option<Box<dyn BodyReader>>> {
        let _ = gap;
        Ok(None)
    }

    /// Grows with the place of a body, on each disk; bodies of several disks take turns.
    fn order_of(&self, location: Location) -> u64 {
        location.0.get()
    }

    /// The stored blocks that hold a current record; none where bodies are resident.
    fn runs(&self) -> Vec<Run> {
        Vec::new()
    }

    /// A reader of runs; `None` where bodies are resident.
    ///
    /// # Errors
    /// `storage_failed`.
    fn run_reader(&self) -> Result<Option<Box<dyn RunReader>>> {
        Ok(None)
    }

    /// Counts a read that found its record damaged.
    fn note_damaged_read(&self) {}

    /// Waits, with no lock held, until there is room to buffer writes; call it before taking a segment's lock to write.
    ///
    /// # Errors
    /// `device_overload` after a bounded time; `storage_failed`, `device_full` while writes cannot reach the device.
    fn admit(&self, admission: Admission) -> Result<()> {
        let _ = admission;
        Ok(())
    }

    /// As `admit`, for writes that this thread is going to make together: until there is room for all that they log, by the bytes of each
    /// (`SegmentStore::put_bytes`). It is kept for them until the answer is dropped.
    ///
    /// # Errors
    /// As `admit`; `device_full` where there is no room for all.
    fn admit_all(&self, entries: &[usize]) -> Result<KeptRoom> {
        let _ = entries;
        Ok(KeptRoom::default())
    }

    /// Whether the caller has to run `defragment`; from then on writers wait for it.
    fn defragments(&self) -> bool {
        false
    }

    /// Waits until there is something for `defragment` to do; `false` where there never is, or not any more. For one thread.
    fn await_defragmentation(&self) -> bool {
        false
    }

    /// Makes room on the device, a bounded step of it.
    ///
    /// # Errors
    /// As `SegmentStore::put` and `sync`; it is tried again later.
    fn defragment(&self, host: &dyn Relocator) -> Result<()> {
        let _ = host;
        Ok(())
    }

    /// What keeps writes from working now; reads go on meanwhile.
    fn failure(&self) -> Option<Error> {
        None
    }

    /// What does not work as it should, though reads and writes do.
    fn trouble(&self) -> Option<Error> {
        None
    }

    /// A number that grows with every write; what was written before it was taken is durable once `sync(point)` returns.
    fn write_point(&self) -> u64;

    /// What a copy of the files from before the last start or stop has less of, for the manifest to keep; 0 if there is no such number.
    fn stamp(&self) -> u64 {
        0
    }

    /// A number that is on stable storage in the files, and higher within a second of a sync: an older copy of all of them has
    /// a lower one. 0 if there is no such number.
    fn mark(&self) -> u64 {
        0
    }

    /// A write point: what was written before it is in the files for good, whatever becomes of a log.
    fn checkpointed(&self) -> u64 {
        0
    }

    /// The point up to which everything is on stable storage, or was a moment ago. Takes no lock.
    fn durable_point(&self) -> u64 {
        u64::MAX
    }

    /// Waits until everything up to `point` is on stable storage (group commit). Returns at once where there is no disk.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`: the writes since the last successful sync are not durable.
    fn sync(&self, point: u64) -> Result<()>;

    /// Replays what is on disk into `sink`, in parallel on `threads` and in no order; newest sequence wins, which `sink`
    /// decides. Must be called once, before the first write, for a new storage too.
    ///
    /// # Errors
    /// `storage_failed`, `data_file_version_unknown`, and what `sink` refuses with; then nothing has been written. Damaged records are counted and reported by place, not an error.
    fn recover(&self, threads: usize, sink: &dyn RecoverySink) -> Result<RecoveryReport>;

    fn usage(&self) -> StorageUsage;

    /// The files and block devices, in the order of the configuration.
    fn disks(&self) -> Vec<DiskUsage> {
        Vec::new()
    }

    /// `StorageUsage::live_bytes`, without a lock: every write that adds asks.
    fn live_bytes(&self) -> u64;

    /// What counts against the capacity of the namespace, without a lock: bytes of live records, or all that they and their index keep others from.
    fn occupied_bytes(&self) -> u64 {
        self.live_bytes()
    }

    /// Flushes, syncs and stops background threads. Idempotent.
    ///
    /// # Errors
    /// As `sync`.
    fn close(&self) -> Result<()>;

    /// What is stored, where a scrub can read it.
    fn scrub(&self) -> Option<&dyn Scrub> {
        None
    }

    /// The storage itself, where it keeps the index, too.
    fn paged(&self) -> Option<&paged::PagedStorage> {
        None
    }

    /// Its disks, where it writes to any.
    fn monitor(&self) -> Option<&dyn Monitor> {
        None
    }

    /// After a `close` that succeeded, once: saves the index for the next start, where the engine can. Does nothing where it
    /// should not.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; the next start reads all records then.
    fn save_index(&self, source: &dyn IndexSource) -> Result<()> {
        let _ = source;
        Ok(())
    }
}

/// Reads of bodies in flight, for one thread and with no lock held. Dropping it waits for them.
pub trait BodyReader: Send {
    /// Starts reading what is at `location`; `next` gives `tag` when it is there. For at most `depth` at once.
    ///
    /// # Errors
    /// `storage_failed`; then nothing was started.
    fn start(&mut self, tag: u64, location: Location) -> Result<()>;

    /// Whether another read may be started now, so that those in flight stay bounded.
    fn has_room(&self) -> bool;

    /// Waits until any read has ended and answers its tag; `None` when none is in flight.
    fn next(&mut self) -> Option<u64>;

    /// Waits until any read has ended, at most until `until`; whether `next` has one to give.
    fn wait_until(&mut self, until: Instant) -> bool;

    /// Checks what the read that `next` gave last has brought from `location`, as `Storage::read` does; where it is this
    /// version of `digest`'s record, `body` gives it.
    ///
    /// # Errors
    /// As `Storage::read`.
    fn check(&mut self, location: Location, digest: &Digest, meta: &Meta) -> Result<bool>;

    /// The body that `check` found; until the next call of `start` or `next`.
    fn body(&self) -> &[u8];

    /// What it has read from a device so far.
    fn reads(&self) -> DeviceReads;
}

/// What a caller of `Storage::admit` is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Write,
    /// Allowed for longer than writes, as deleting makes room.
    Delete,
}

/// The index, as defragmentation needs it.
pub trait Relocator {
    /// Stores the record anew with `SegmentStore::relocate` if the index still names `from` as its place.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    fn relocate(&self, segment: u16, image: &RecordImage<'_>, from: Location) -> Result<()>;

    /// Logs a tombstone anew with `SegmentStore::rebury`, unless the record is there again.
    ///
    /// # Errors
    /// As `SegmentStore::put`.
    fn rebury(&self, segment: u16, digest: &Digest, set: &str) -> Result<()>;
}

/// Receives records while a storage recovers; called from several threads. `segment` is the one that wrote the record.
/// Records moved between segments may be found in both: the newest sequence is the current one.
pub trait RecoverySink: Sync {
    /// A sound record image found at `location`, written as number `sequence`. Its slot means nothing.
    fn record(&self, segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64);
    /// An acknowledged record whose header is sound and whose body (empty here) is damaged. It takes part like any other,
    /// so that reading it says `record_damaged` and never an older copy.
    fn damaged(&self, segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64);
    /// A tombstone written as number `sequence`; it deletes only what is older, in its own segment.
    fn tombstone(&self, segment: u16, digest: &Digest, sequence: u64);
    /// Where an image of the index may go, or why it must not be used.
    ///
    /// # Errors
    /// The reason.
    fn target(&self) -> std::result::Result<&dyn IndexTarget, &'static str>;
    /// Progress: bytes read so far of all. Called once more when all is read, before the first byte is written.
    ///
    /// # Errors
    /// Ends the recovery, and fails it with that.
    fn progress(&self, done: u64, total: u64) -> Result<()>;
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Why all records were read; `None` where the index came from its image. Of pages: why its indexes are built anew.
    pub cold: Option<String>,
    pub records: u64,
    pub tombstones: u64,
    /// Write blocks read; of pages, records of the log done again.
    pub blocks: u64,
    /// Places of damaged records: file offset and reason. At most 1,000 are kept; `damaged` counts all.
    pub damage: Vec<(u64, String)>,
    pub damaged: u64,
    /// Incomplete writes at the end of a crashed run. They were never acknowledged, and are skipped.
    pub torn: u64,
    pub bytes_read: u64,
    /// How long it took, with the indexes that were filled on the way.
    pub elapsed: Duration,
    /// What is lost and was accepted as lost, because the storage was opened with `accept_loss`.
    pub losses: Vec<Error>,
    /// Document and range indexes that came from the image.
    pub indexes_loaded: u32,
    /// Those that did not: filled from the records on the way, or built by a job after it.
    pub indexes_rebuilt: u32,
}

/// One file or block device of a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskUsage {
    /// As configured; of the file in the namespace's folder its name.
    pub path: String,
    pub kind: FileKind,
    /// How it is really reached.
    pub access: Access,
    /// Most bytes it may hold; 0 means as much as the file system gives.
    pub capacity_bytes: u64,
    /// Bytes of write blocks in use, header included.
    pub used_bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StorageUsage {
    /// Bytes of memory held for bodies and buffers.
    pub memory_bytes: u64,
    /// Bytes of write blocks in use.
    pub device_bytes: u64,
    /// Most bytes the device may hold; 0 means as much as the file system gives.
    pub device_capacity_bytes: u64,
    /// Bytes of write blocks that were freed and wait to be used again.
    pub free_bytes: u64,
    /// Bytes of the live bodies, headers included.
    pub live_bytes: u64,
    /// Bytes of tombstones that may still be needed.
    pub tombstone_bytes: u64,
    /// Bytes that wait for stable storage.
    pub flush_queue_bytes: u64,
    /// Write blocks that wait to be rewritten.
    pub defrag_queue_blocks: u64,
    /// Bytes of records and tombstones logged for callers, and copied to make room; their sum by the former is the write
    /// amplification.
    pub appended_bytes: u64,
    pub moved_bytes: u64,
    /// By the disks' meters: headers, padding and what was read to start are in them.
    pub bytes_written: u64,
    pub bytes_read: u64,
    /// Reads that found a damaged record.
    pub damaged_reads: u64,
}
