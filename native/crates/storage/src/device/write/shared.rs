//! What the storage, its segments' handles and its threads share.

use super::agenda::Defrag;
use super::batches::Batches;
use super::blocks::{BlockState, Blocks};
use super::buffered::Buffered;
use super::marks::Marks;
use super::queue::{Parts, Queue};
use super::space::{Purpose, Space};
use super::writer::Writer;
use crate::device::disks::volume::Volume;
use crate::device::format::entry::{Entry, EntryKind};
use crate::device::format::place::padded;
use crate::device::format::seal::Seal;
use crate::device::options::DeviceOptions;
use crate::group_commit::{Flushed, Flushes};
use crate::{Admission, Location};
use crossbeam_utils::CachePadded;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use tessera_base::latency::split::{self, Part};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{FileKind, IdleWindows};

/// Fewest bytes written at once.
const SECTOR: usize = 512;

/// Where a storage is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not yet recovered: nothing may be written.
    New,
    Ready,
    Closed,
}

pub struct State {
    pub phase: Phase,
    pub queue: Queue,
    pub flushes: Flushes,
    /// The highest sequence that a thread waits for while another flushes.
    pub wanted: u64,
    /// The flusher sleeps without a deadline, as nothing is dirty.
    pub idle: bool,
    pub batches: Batches,
}

/// What appending counts. Written under the lock alone, and read without it.
#[derive(Debug, Default)]
pub struct Appended {
    /// `Queue::last_sequence`.
    pub last_sequence: AtomicU64,
    /// Bytes of entries appended for callers, and by defragmentation.
    pub for_callers: AtomicU64,
    pub moved: AtomicU64,
    /// Of both: those of records.
    pub records: AtomicU64,
}

impl Appended {
    fn count(&self, kind: EntryKind, purpose: Purpose, bytes: u64) {
        let add = |counter: &AtomicU64| counter.store(counter.load(Relaxed) + bytes, Relaxed);
        add(if purpose == Purpose::Move { &self.moved } else { &self.for_callers });
        if kind == EntryKind::Record {
            add(&self.records);
        }
    }
}

#[derive(Debug, Default)]
pub struct Counters {
    /// Bytes of records that recovery found.
    pub found_bytes: AtomicU64,
    pub tombstone_bytes: AtomicU64,
    /// Bytes of records that were replaced or removed, ever.
    pub died_bytes: AtomicU64,
    pub damaged_reads: AtomicU64,
    /// Reads of records that memory answered, and those that a disk did.
    pub memory_reads: AtomicU64,
    pub disk_reads: AtomicU64,
}

pub struct Shared {
    pub volume: Volume,
    pub options: DeviceOptions,
    pub seal: Seal,
    pub blocks: Arc<Blocks>,
    pub buffered: Arc<Buffered>,
    pub state: CachePadded<Mutex<State>>,
    /// For whoever flushes.
    pub writer: Mutex<Writer>,
    /// Windows that nobody uses now, for the next readers.
    pub idle_windows: IdleWindows,
    /// The flusher has something to look at.
    pub work: Condvar,
    /// A flush has ended.
    pub flushed: Condvar,
    pub defrag: Defrag,
    pub appended: CachePadded<Appended>,
    /// Nobody who writes has to wait. May be a moment old: `append` looks again.
    calm: AtomicBool,
    /// `Queue::durable`, which may be a moment ahead of this.
    durable: AtomicU64,
    pub counters: CachePadded<Counters>,
}

impl Shared {
    pub fn new(volume: Volume, options: DeviceOptions) -> Self {
        let block_bytes = u64::from(options.write_block_bytes);
        let blocks = Arc::new(Blocks::new(volume.members().len(), block_bytes));
        let buffered = Arc::<Buffered>::default();
        let space = Space::new(volume.members(), block_bytes);
        let parts = Parts { blocks: blocks.clone(), buffered: buffered.clone(), space, alignment: volume.alignment().max(SECTOR) };
        let queue = Queue::new(&options, parts, 1, 0, Marks::default());
        let state = State { phase: Phase::New, queue, flushes: Flushes::default(), wanted: 0, idle: false, batches: Batches::default() };
        Self {
            volume,
            seal: Seal::new(&options.namespace_id),
            options,
            blocks,
            buffered,
            state: CachePadded::new(Mutex::new(state)),
            writer: Mutex::default(),
            idle_windows: IdleWindows::default(),
            work: Condvar::new(),
            flushed: Condvar::new(),
            defrag: Defrag::default(),
            appended: CachePadded::default(),
            calm: AtomicBool::new(false),
            durable: AtomicU64::new(0),
            counters: CachePadded::default(),
        }
    }

    /// What a queue over these blocks works with.
    pub fn parts(&self, space: Space) -> Parts {
        Parts { blocks: self.blocks.clone(), buffered: self.buffered.clone(), space, alignment: self.alignment() }
    }

    /// Of every write, as `Parts::alignment`.
    pub fn alignment(&self) -> usize {
        self.volume.alignment().max(SECTOR)
    }

    pub fn block_bytes(&self) -> u64 {
        u64::from(self.options.write_block_bytes)
    }

    /// Whether a block lies on a block device.
    pub fn is_device(&self, number: u64) -> bool {
        self.volume.members().get(self.disk_of(number)).is_some_and(|member| member.kind == FileKind::Device)
    }

    /// The disk of a block.
    pub fn disk_of(&self, number: u64) -> usize {
        Volume::split(number * self.block_bytes()).0
    }

    /// Appends an entry to the buffers. It never waits, because callers hold a segment's lock and would keep its readers
    /// waiting for the disk: if the buffers are full it says so at once, and the caller waits in `admit`, without the lock.
    ///
    /// `admit` lets writers in while less than the limit is unsynced. The room between the limit and twice the limit is
    /// reserved for those who were let in together. Who finds that used up, too, has to be let in again, so however many
    /// come together, the buffers hold at most twice their limit and one entry. If the flusher has not made a file longer
    /// ahead of it, it asks the file system for the room itself.
    ///
    /// # Errors
    /// `record_too_large`, `device_full`, `device_overload`, `storage_failed`, `closed`; then nothing has changed.
    pub fn append(&self, entry: &Entry<'_>, purpose: Purpose) -> Result<Location> {
        let body_crc = entry.body_crc();
        let mut state = self.state.lock();
        state.check_writable()?;
        if state.queue.unsynced() >= self.most_unsynced() {
            return Err(too_slow());
        }
        let purpose = state.batches.purpose(purpose);
        // What is taken must find room when it is written: a full file system refuses it here, where nothing has changed.
        if !state.queue.has_room(entry, purpose) {
            self.ask_for_room(&mut state, purpose, 1)?;
            state.check_writable()?;
        }
        let is_kept = purpose != Purpose::Kept && !state.batches.is_empty();
        let location = state.queue.append(entry, body_crc, purpose).map_err(|error| match error.code {
            ErrorCode::DeviceFull if is_kept => kept_for_batches(),
            ErrorCode::DeviceFull if self.hopeful() => overloaded("defragmentation cannot keep up with the writes"),
            _ => error,
        })?;
        let length = padded(entry.length()) as u64;
        self.appended.count(entry.kind, purpose, length);
        if purpose == Purpose::Kept {
            state.batches.came(length);
            self.keep(&mut state);
        } else {
            self.publish(&state);
        }
        if state.idle || state.queue.has_full_blocks() {
            self.work.notify_one();
        }
        if state.queue.space().low() {
            self.defrag.wake();
        }
        drop(state);
        if entry.kind == EntryKind::Tombstone {
            self.counters.tombstone_bytes.fetch_add(length, Relaxed);
        }
        Ok(location)
    }

    /// Sees to it that the next blocks lie in room that their files have, and leave the reserve there. A file system that gives no more is
    /// noted: then it is for `Space::may_open` to say whether a block may be begun. It gives the lock up meanwhile.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn ask_for_room(&self, state: &mut MutexGuard<'_, State>, purpose: Purpose, blocks: u64) -> Result<()> {
        let mut refused = 0;
        loop {
            let space = state.queue.space();
            // There may be room again where there was none.
            let again = !space.may_open_all(purpose, blocks);
            let Some((disk, end)) = space.wants((purpose, blocks), again, refused) else { return Ok(()) };
            let made = match self.volume.has_room(disk, end) {
                true => Ok(()),
                false => MutexGuard::unlocked(state, || self.volume.make_room(disk, end)),
            };
            let full = match made {
                Err(error) if error.code == ErrorCode::DeviceFull => true,
                made => made.map(|()| false)?,
            };
            if full {
                refused |= 1 << disk;
            }
            let reached = self.volume.reached(disk);
            state.queue.space_mut().reaches(disk, reached, purpose, full);
            if full {
                // Who is let in without a look would come again at once, and without end.
                self.publish(state);
                if state.queue.space().low() {
                    self.defrag.wake();
                }
            }
        }
    }

    /// Makes what is read without the lock agree with `state`.
    pub fn publish(&self, state: &State) {
        self.appended.last_sequence.store(state.queue.last_sequence(), Relaxed);
        let room = state.queue.unsynced() < self.options.buffer_bytes && state.queue.space().may_open(Purpose::Write);
        let calm = room && state.check_writable().is_ok();
        // Not written needlessly, so that all processors keep their line.
        if calm != self.calm.load(Relaxed) {
            self.calm.store(calm, Relaxed);
        }
        if state.queue.durable() != self.durable.load(Relaxed) {
            self.durable.store(state.queue.durable(), Relaxed);
        }
    }

    /// The sequence up to which everything is on stable storage, or was a moment ago.
    pub fn durable(&self) -> u64 {
        self.durable.load(Relaxed)
    }

    /// Bytes of records that are neither replaced nor removed.
    pub fn live_bytes(&self) -> u64 {
        let died = self.counters.died_bytes.load(Relaxed);
        (self.counters.found_bytes.load(Relaxed) + self.appended.records.load(Relaxed)).saturating_sub(died)
    }

    /// Waits a bounded time until there is room in the buffers and on the disks.
    ///
    /// # Errors
    /// `device_overload` after the stall timeout; `device_full` where defragmentation cannot help; what `State::check_writable` says.
    pub fn admit(&self, admission: Admission) -> Result<()> {
        if self.calm.load(Relaxed) {
            return Ok(());
        }
        let mut state = self.state.lock();
        self.wait_for_room(&mut state, self.options.buffer_bytes)?;
        let purpose = state.batches.purpose(if admission == Admission::Delete { Purpose::Tombstone } else { Purpose::Write });
        if purpose == Purpose::Kept || state.queue.space().may_open(purpose) {
            return Ok(());
        }
        // Where there is no hope the open block may have room still.
        self.wait_for_blocks(&mut state, purpose, 1).map(drop)
    }

    /// Waits a bounded time until so many blocks may be begun. `false` where neither a file system nor defragmentation gives them.
    ///
    /// # Errors
    /// `device_overload` after the stall timeout; what `State::check_writable` says.
    pub fn wait_for_blocks(&self, state: &mut MutexGuard<'_, State>, purpose: Purpose, blocks: u64) -> Result<bool> {
        let may_open = |state: &State| state.queue.space().may_open_all(purpose, blocks);
        let _wait = split::wait(Part::Queue);
        let deadline = Instant::now() + self.options.stall_timeout;
        loop {
            self.ask_for_room(state, purpose, blocks)?;
            state.check_writable()?;
            if may_open(state) {
                return Ok(true);
            }
            // With more than a few blocks left, reclaiming is in no hurry and never tells that it is at its end.
            if state.batches.is_empty() && (!self.hopeful() || !state.queue.space().low()) {
                return Ok(false);
            }
            self.defrag.wake();
            if self.flushed.wait_until(state, deadline).timed_out() && !may_open(state) {
                let kept = !state.batches.is_empty();
                return Err(if kept { kept_for_batches() } else { overloaded("defragmentation cannot keep up with the writes") });
            }
            state.check_writable()?;
        }
    }

    /// Waits until fewer than `limit` bytes are on their way to stable storage.
    ///
    /// # Errors
    /// `device_overload` after the stall timeout; what `State::check_writable` says.
    pub fn wait_for_room(&self, state: &mut MutexGuard<'_, State>, limit: u64) -> Result<()> {
        state.check_writable()?;
        if state.queue.unsynced() < limit {
            return Ok(());
        }
        let _wait = split::wait(Part::Queue);
        let deadline = Instant::now() + self.options.stall_timeout;
        while state.queue.unsynced() >= limit {
            self.work.notify_one();
            if self.flushed.wait_until(state, deadline).timed_out() && state.queue.unsynced() >= limit {
                return Err(too_slow());
            }
            state.check_writable()?;
        }
        Ok(())
    }

    /// Bytes on their way to stable storage from which `append` refuses.
    const fn most_unsynced(&self) -> u64 {
        self.options.buffer_bytes * 2
    }

    /// Whether defragmentation may still make room.
    pub fn hopeful(&self) -> bool {
        self.defrag.hopeful(self.counters.died_bytes.load(Relaxed))
    }

    /// Runs a move of defragmentation once the buffers have room for it, and again if writers took that meanwhile. The
    /// caller holds no segment's lock.
    ///
    /// # Errors
    /// As `wait_for_room`, and what `make` returns.
    pub fn make_move(&self, mut make: impl FnMut() -> Result<()>) -> Result<()> {
        let is_full = || self.state.lock().queue.unsynced() >= self.most_unsynced();
        let is_kept = || self.state.lock().queue.space().kept() > 0;
        loop {
            if !self.calm.load(Relaxed) {
                self.wait_for_room(&mut self.state.lock(), self.most_unsynced())?;
            }
            match make() {
                Err(error) if error.code == ErrorCode::DeviceOverload && is_full() => {}
                Err(error) if error.code == ErrorCode::DeviceOverload && is_kept() => self.await_batches(),
                made => return made,
            }
        }
    }

    /// Counts a record out of its block; a block that holds little after it is offered to defragmentation.
    pub fn record_dies(&self, number: u64, length: u32) {
        let (before, after) = self.blocks.record_dies(number, length);
        self.counters.died_bytes.fetch_add(u64::from(length), Relaxed);
        let line = self.defrag_line();
        if before >= line && after < line && self.is_stored(number) {
            self.defrag.offer(number);
        }
    }

    /// Counts a tombstone that recovery found.
    pub fn tombstone_lives(&self, number: u64, length: u32) {
        self.blocks.tombstone_lives(number, length);
        self.counters.tombstone_bytes.fetch_add(u64::from(length), Relaxed);
    }

    pub fn tombstone_dies(&self, number: u64, length: u32) {
        self.blocks.tombstone_dies(number, length);
        let less = |bytes: u64| Some(bytes.saturating_sub(u64::from(length)));
        let _ = self.counters.tombstone_bytes.fetch_update(Relaxed, Relaxed, less);
    }

    pub fn is_stored(&self, number: u64) -> bool {
        matches!(self.blocks.state(number), BlockState::Cached | BlockState::Stored)
    }

    /// Wanted bytes below which a block is rewritten.
    pub fn defrag_line(&self) -> u32 {
        (self.block_bytes() * u64::from(self.options.defrag_below_percent) / 100) as u32
    }
}

pub fn overloaded(why: &str) -> Error {
    Error::said(ErrorCode::DeviceOverload, sentence!("{why}; try again later", why = why))
}

pub fn kept_for_batches() -> Error {
    overloaded("the last room on the device is kept for batches that are under way")
}

fn too_slow() -> Error {
    overloaded("the device cannot keep up with the writes")
}

impl Flushed for State {
    fn flushes(&self) -> &Flushes {
        &self.flushes
    }
}

impl State {
    /// # Errors
    /// Why nothing can be written now. After a failed flush, until one succeeds.
    pub fn check_writable(&self) -> Result<()> {
        match self.phase {
            Phase::New => Err(Error::new(ErrorCode::Internal, "the storage must be recovered before it is written to")),
            Phase::Closed => Err(Error::said(ErrorCode::Closed, sentence!("the namespace is closed"))),
            Phase::Ready => self.flushes.check(),
        }
    }
}
