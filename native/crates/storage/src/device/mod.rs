//! Engine `device`: records in write blocks on one or several disks, the index in memory.
//!
//! | part | what it does |
//! | --- | --- |
//! | `options` | typed configuration |
//! | `format` | entries, blocks and headers as bytes; see `docs/on-disk-format.md` |
//! | `disks` | the files and block devices themselves: opened, measured, removed; all of them as one row of bytes |
//! | `write` | appending, the queue of blocks, which block is next, group commit, one segment's handle, what defragmentation is told |
//! | `read` | reading one record, many at once, neighbours together, and all by the block |
//! | `defrag` | making room |
//! | `recovery` | a start that reads all blocks |
//! | `snapshot` | the index on disk from an orderly close to the next start |
//! | `monitor` | what the console's device panel shows |

mod defrag;
mod disks;
#[cfg(any(test, feature = "test-support"))]
mod faulty;
mod format;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod monitor;
mod options;
mod read;
mod recovery;
mod snapshot;
#[cfg(test)]
mod tests;
mod write;

pub use disks::disk_place::{DATA_FILE, DiskPlace, Held, erase};
pub use format::entry::ENTRY_HEADER_BYTES;
pub use format::place::padded;
pub use options::{DeviceOptions, WRITE_BLOCK_DEFAULT, WRITE_BLOCK_MAX, WRITE_BLOCK_MIN};
pub use write::write_block::{OVERHEAD as BLOCK_OVERHEAD, usable};

pub use super::snapshot::SNAPSHOT_FILE;
use super::{
    Admission, BodyReader, DISKS_MAX, DiskUsage, IndexSource, Location, Monitor, RecoveryReport, RecoverySink, Relocator, Run, RunReader,
    Scrub, SegmentPart, SegmentStore, Storage, StorageUsage,
};
use defrag::Defragmenter;
use disks::data_file::Opened;
use disks::volume::{Member, Volume};
use format::entry::{Entry, EntryKind};
use format::place::Place;
use parking_lot::Mutex;
use read::device_reader::DeviceReader;
use read::sequential::DeviceRunReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use tessera_base::{Error, Result, sentence};
use tessera_record::{Digest, Meta};
use write::segment::DeviceSegment;
use write::shared::{Phase, Shared};
use write::space::Purpose;

/// Write blocks' buffers that a namespace keeps once it has been written to: the open block, and spare ones.
pub const BUFFERS: usize = 1 + write::queue::SPARE_BUFFERS;

pub struct DeviceStorage {
    shared: Arc<Shared>,
    flusher: Mutex<Option<JoinHandle<()>>>,
    /// For whoever runs a round.
    defragmenter: Mutex<Defragmenter>,
    opened: Opened,
    /// Where its snapshot goes.
    directory: Option<PathBuf>,
    /// Set by a close in order, until a snapshot is asked for: the place of its mark, if the run wrote anything.
    ended: Mutex<Option<Option<Location>>>,
    /// Its last mark says that it was closed in order.
    closed: AtomicBool,
}

impl DeviceStorage {
    /// Opens the files and block devices that `places` name, making files where there are none and `options.create` says so.
    /// `recover` must follow; before it has succeeded nothing is written to a file that was there. A disk that another process
    /// has is waited for as long as `may_wait` says so.
    ///
    /// # Errors
    /// `config_invalid` (with `options.create` also for what cannot be a data file), `data_file_missing`, `data_file_damaged`,
    /// `data_file_foreign`, `data_file_version_unknown`, `storage_failed`, `device_full`.
    pub fn open(places: &[DiskPlace], options: DeviceOptions, may_wait: &dyn Fn() -> bool) -> Result<Self> {
        options.check()?;
        let members = places.iter().map(|place| place.open(&options, may_wait)).collect::<Result<_>>()?;
        Self::on_disks(members, options)
    }

    /// The bodies of a segment.
    fn bodies(&self, segment: u16) -> impl SegmentStore + use<> {
        DeviceSegment::new(Arc::clone(&self.shared), segment)
    }

    /// Lets the storage keep the index in `directory` from an orderly close to the next start.
    #[must_use]
    pub fn with_snapshots_in(mut self, directory: &Path) -> Self {
        self.directory = Some(directory.to_owned());
        self
    }

    /// As `open`, on disks that are open.
    ///
    /// # Errors
    /// As `open`.
    fn on_disks(members: Vec<Member>, mut options: DeviceOptions) -> Result<Self> {
        options.check()?;
        let volume = Volume::new(members);
        let opened = disks::data_file::open(&volume, &options)?;
        options.write_block_bytes = opened.block_bytes;
        // Writers must be able to fill a block and begin the next before they wait.
        options.buffer_bytes = options.buffer_bytes.max(4 * u64::from(options.write_block_bytes));
        let shared = Arc::new(Shared::new(volume, options));
        Ok(Self {
            shared,
            flusher: Mutex::new(None),
            defragmenter: Mutex::default(),
            opened,
            directory: None,
            ended: Mutex::new(None),
            closed: AtomicBool::new(false),
        })
    }

    /// Ends writing: from here on nothing can be appended. A run that wrote something gets the mark of an orderly close,
    /// which speaks for all before it and so must not be on its way together with any of it.
    fn finish(&self) -> Result<()> {
        let mark = Entry::mark(EntryKind::Close);
        let phase = {
            let mut state = self.shared.state.lock();
            let phase = std::mem::replace(&mut state.phase, Phase::Closed);
            self.shared.publish(&state);
            phase
        };
        self.shared.sync(u64::MAX)?;
        self.shared.settle_marks()?;
        let mut state = self.shared.state.lock();
        let mut ended = (phase == Phase::Ready).then_some(None);
        if phase == Phase::Ready && state.queue.begun() {
            if !state.queue.has_room(&mark, Purpose::Move) {
                let _ = self.shared.ask_for_room(&mut state, Purpose::Move, 1);
            }
            // Where no block can be had for the mark, the next start only knows less about what a damaged tail means.
            ended = state.queue.append(&mark, mark.body_crc(), Purpose::Move).ok().map(Some);
            // The marks of the next run take the place of those that have its parity until now.
            state.queue.close_block();
            self.shared.publish(&state);
        }
        drop(state);
        self.shared.sync(u64::MAX)?;
        if ended.is_some() {
            let mut state = self.shared.state.lock();
            // Without them the next start reads all blocks.
            let marked = self.shared.mark_both_slots(&mut state, true).is_ok();
            drop(state);
            *self.ended.lock() = ended.filter(|_| marked);
            self.closed.store(marked, Relaxed);
        }
        Ok(())
    }
}

impl Storage for DeviceStorage {
    fn segment(&self, segment: u16) -> SegmentPart {
        SegmentPart::Bodies(Box::new(self.bodies(segment)))
    }

    fn read(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
        self.shared.read(location, digest, meta, out)
    }

    fn reader(&self, depth: usize) -> Result<Option<Box<dyn BodyReader>>> {
        Ok(Some(Box::new(DeviceReader::open(Arc::clone(&self.shared), depth)?)))
    }

    fn reader_of_neighbours(&self, gap: u64) -> Result<Option<Box<dyn BodyReader>>> {
        Ok(Some(Box::new(DeviceReader::of_neighbours(Arc::clone(&self.shared), gap)?)))
    }

    fn order_of(&self, location: Location) -> u64 {
        let (disk, local) = Volume::split(Place::unpack(location).offset);
        local * DISKS_MAX as u64 + disk as u64
    }

    fn runs(&self) -> Vec<Run> {
        self.shared.runs()
    }

    fn run_reader(&self) -> Result<Option<Box<dyn RunReader>>> {
        Ok(Some(Box::new(DeviceRunReader::open(Arc::clone(&self.shared))?)))
    }

    fn note_damaged_read(&self) {
        self.shared.counters.damaged_reads.fetch_add(1, Relaxed);
    }

    fn admit(&self, admission: Admission) -> Result<()> {
        self.shared.admit(admission)
    }

    fn admit_all(&self, entries: &[usize]) -> Result<crate::KeptRoom> {
        self.shared.admit_all(entries)
    }

    fn defragments(&self) -> bool {
        self.shared.defrag.attach();
        true
    }

    fn await_defragmentation(&self) -> bool {
        self.shared.defrag.wait()
    }

    fn defragment(&self, host: &dyn Relocator) -> Result<()> {
        self.defragmenter.lock().run(&self.shared, host)
    }

    fn failure(&self) -> Option<Error> {
        self.shared.state.lock().flushes.failure().cloned()
    }

    fn trouble(&self) -> Option<Error> {
        let state = self.shared.state.lock();
        let failed = |error: &Error| {
            let message = sentence!(
                "the mark of the newest sync could not be written to one of its two places: {message}; it goes to the other one alone, so that damage there may keep the namespace from opening",
                message = (&error).to_string()
            );
            Error::said(error.code, message)
        };
        state.queue.mark_failure().map(failed)
    }

    fn write_point(&self) -> u64 {
        self.shared.appended.last_sequence.load(Relaxed)
    }

    /// Twice the run, and one more once it was closed in order.
    fn stamp(&self) -> u64 {
        2 * u64::from(self.shared.state.lock().queue.run()) + u64::from(self.closed.load(Relaxed))
    }

    fn mark(&self) -> u64 {
        self.shared.state.lock().queue.settled_mark()
    }

    fn durable_point(&self) -> u64 {
        self.shared.durable()
    }

    fn sync(&self, point: u64) -> Result<()> {
        self.shared.sync(point)
    }

    fn recover(&self, threads: usize, sink: &dyn RecoverySink) -> Result<RecoveryReport> {
        let report = recovery::recover(&self.shared, threads, sink, &self.opened, self.directory.as_deref())?;
        if let Some(directory) = &self.directory {
            super::snapshot::remove(directory);
        }
        let shared = Arc::clone(&self.shared);
        let flusher = std::thread::Builder::new()
            .name("tessera-flush".to_owned())
            .spawn(move || shared.keep_flushing())
            .map_err(|e| Error::io("starting the flusher thread", &e))?;
        *self.flusher.lock() = Some(flusher);
        Ok(report)
    }

    fn usage(&self) -> StorageUsage {
        let counters = &self.shared.counters;
        let metered: Vec<_> = self.shared.volume.members().iter().map(|member| member.disk.meter().read()).collect();
        let block_bytes = self.shared.block_bytes();
        let state = self.shared.state.lock();
        let space = state.queue.space();
        StorageUsage {
            memory_bytes: state.queue.memory_bytes() + self.shared.blocks.heap_bytes() as u64,
            device_bytes: space.used() * block_bytes,
            device_capacity_bytes: space.capacity_bytes().unwrap_or(0),
            free_bytes: space.free() * block_bytes,
            live_bytes: self.shared.live_bytes(),
            tombstone_bytes: counters.tombstone_bytes.load(Relaxed),
            flush_queue_bytes: state.queue.unsynced(),
            defrag_queue_blocks: self.shared.defrag.queued(),
            appended_bytes: self.shared.appended.for_callers.load(Relaxed),
            moved_bytes: self.shared.appended.moved.load(Relaxed),
            bytes_written: metered.iter().map(|disk| disk.writes.bytes).sum(),
            bytes_read: metered.iter().map(|disk| disk.reads.bytes).sum(),
            damaged_reads: counters.damaged_reads.load(Relaxed),
        }
    }

    fn disks(&self) -> Vec<DiskUsage> {
        self.shared.disk_usages()
    }

    fn live_bytes(&self) -> u64 {
        self.shared.live_bytes()
    }

    fn scrub(&self) -> Option<&dyn Scrub> {
        Some(&*self.shared)
    }

    fn monitor(&self) -> Option<&dyn Monitor> {
        Some(&*self.shared)
    }

    fn save_index(&self, source: &dyn IndexSource) -> Result<()> {
        let ended = self.ended.lock().take();
        match (&self.directory, ended) {
            (Some(directory), Some(close)) if self.shared.counters.damaged_reads.load(Relaxed) == 0 => {
                snapshot::save(&self.shared, directory, close, source)
            }
            _ => Ok(()),
        }
    }

    fn close(&self) -> Result<()> {
        self.shared.defrag.stop();
        let result = self.finish();
        self.shared.work.notify_all();
        self.shared.flushed.notify_all();
        if let Some(flusher) = self.flusher.lock().take() {
            // A panic in the flusher has been reported by the panic hook; closing goes on.
            let _ = flusher.join();
        }
        result
    }
}

impl Drop for DeviceStorage {
    fn drop(&mut self) {
        // Whoever wants to know whether the last writes were stored calls `close` first.
        let _ = self.close();
    }
}
