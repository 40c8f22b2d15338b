//! The page cache: pages of a disk in frames of memory.
//!
//! The lock of a frame is pin and latch of its page. A reader holds it for reading. A thread that
//! changes a page holds it for writing until the change is in the log. A frame whose lock is held
//! keeps its page.
//!
//! No two threads wait for each other's pages:
//!
//! - A page belongs to one segment, or to the namespace itself.
//! - A thread that holds pages of a segment has that segment's lock. It waits only for more pages of
//!   that segment, or for pages of the namespace (`Store::change`, one thread at a time).
//! - A thread that holds pages of the namespace waits for no page of a segment.
//! - Any other thread holds one page at a time, or takes only locks that are free (`Locking::Try`).
//!
//! A page that was changed is written once the log is durable up to its LSN: see `write_back`.

mod frame;
pub mod ledger;
mod look;
pub mod policy;
mod table;
mod waiting;
mod write_back;

pub use write_back::Written;

use super::counters::{ByKind, KINDS};
use super::log::{Log, Lsn};
use super::page::{self, PageId, PageSize, Seal};
use crate::FlushFailure;
use frame::Frame;
pub use frame::{PageMut, PageRef, Seen};
use ledger::Ledger;
use parking_lot::{Condvar, Mutex, RwLock, RwLockWriteGuard};
use policy::{Policy, Queue, Visits};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use table::{Evictions, Place, Table};
use tessera_base::notify::Notify;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{AlignedBuffer, Backend, Disk, FileRoom};
use waiting::Failure;
use write_back::{Locking, Writers};

/// Fewest frames: each of 128 threads may hold the pages of a change.
pub const FRAMES_MIN: u32 = 2048;
/// How many changed pages are passed over before they are written to make room, and frames in use before they are waited for.
const PASSED: usize = 32;
/// Counters of writes: pages whose numbers are the same modulo this share one.
const STAMPS: usize = 4096;
/// `dirty_since` of a page that is as on the disk.
const CLEAN: Lsn = Lsn::MAX;

pub struct Cache {
    size: PageSize,
    seal: Seal,
    disk: Arc<dyn Disk>,
    log: Arc<Log>,
    ledger: Ledger,
    frames: Box<[Frame]>,
    table: Table,
    policy: Mutex<Policy>,
    evictions: Evictions,
    /// Rung where a changed page stood in the way of one that was to come in.
    late: Notify,
    writers: Writers,
    /// Writes of pages so far, by a part of their numbers.
    stamps: Box<[AtomicU32]>,
    /// Where `write_some` goes on.
    sweep: AtomicUsize,
    room: FileRoom,
    /// Frames whose page was changed since it was last written.
    dirty: AtomicU32,
    written: AtomicU64,
    /// Of pages that have left; those of the others are in their frames.
    hits: ByKind,
    misses: ByKind,
    /// Why the last batch could not be written, and whether there is such a reason.
    failure: Mutex<Option<Error>>,
    fails: AtomicBool,
    failures: AtomicU64,
    last_failure: Mutex<Option<FlushFailure>>,
    /// A batch was written, or could not be; goes with `failure`.
    cleaned: Condvar,
    /// Why what was written may not be on the disk: what a checkpoint would rely on is not known any more.
    lost: OnceLock<Error>,
}

/// What a cache has done, and what it holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheCounters {
    pub frames: u32,
    pub used: u32,
    pub dirty: u32,
    /// Pages written to the disk.
    pub written: u64,
    /// By the byte of a page's kind: pages that are here, reads that found theirs here, and those that did not.
    pub cached: [u32; KINDS],
    pub hits: [u64; KINDS],
    pub misses: [u64; KINDS],
}

/// How a page comes into its frame.
#[derive(Clone, Copy)]
enum Fill<'a> {
    Read,
    Zeros,
    /// As it was read past the cache, when its stamp was this.
    Copy(&'a [u8], u32),
}

impl Cache {
    /// A cache of `bytes`, for pages below `pages`, which writes by `backend`.
    ///
    /// # Errors
    /// `config_invalid` for fewer bytes than 2048 pages, or more than 2^31 of them.
    pub fn new(size: PageSize, bytes: u64, pages: u32, seal: Seal, disk: Arc<dyn Disk>, log: Arc<Log>, backend: Backend) -> Result<Self> {
        let frames = u32::try_from(bytes / size.bytes() as u64).ok().filter(|frames| (FRAMES_MIN..1 << 31).contains(frames));
        let Some(frames) = frames else {
            let least = u64::from(FRAMES_MIN) * size.bytes() as u64;
            let message = sentence!(
                "cacheBytes must be at least {least} ({pages} pages) and less than 2^31 pages",
                least = least,
                pages = FRAMES_MIN
            );
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("cacheBytes"));
        };
        let empty = || Frame {
            bytes: RwLock::new(AlignedBuffer::empty()),
            dirty_since: AtomicU64::new(CLEAN),
            hits: AtomicU64::new(0),
            page: AtomicU32::new(PageId::NONE.0),
            kind: AtomicU8::new(0),
            visits: Visits::default(),
            writing: AtomicBool::new(false),
        };
        Ok(Self {
            size,
            seal,
            room: FileRoom::new(&*disk, u64::from(pages) * size.bytes() as u64),
            disk,
            log,
            ledger: Ledger::default(),
            frames: (0..frames).map(|_| empty()).collect(),
            table: Table::new(pages),
            policy: Mutex::new(Policy::new(frames)),
            evictions: Evictions::default(),
            late: Notify::default(),
            writers: Writers::new(backend, size),
            stamps: (0..STAMPS).map(|_| AtomicU32::new(0)).collect(),
            sweep: AtomicUsize::new(0),
            dirty: AtomicU32::new(0),
            written: AtomicU64::new(0),
            hits: ByKind::default(),
            misses: ByKind::default(),
            failure: Mutex::new(None),
            fails: AtomicBool::new(false),
            failures: AtomicU64::new(0),
            last_failure: Mutex::new(None),
            cleaned: Condvar::new(),
            lost: OnceLock::new(),
        })
    }

    pub fn size(&self) -> PageSize {
        self.size
    }

    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Pages read from the disk so far, and written to it.
    pub fn transfers(&self) -> (u64, u64) {
        (self.misses.read().iter().sum(), self.written.load(Relaxed))
    }

    /// Rung where a changed page stood in the way of another, or cleaning ahead is to end.
    pub fn late(&self) -> &Notify {
        &self.late
    }

    /// Pages that were changed and not yet written.
    pub fn dirty(&self) -> u32 {
        self.dirty.load(Relaxed)
    }

    /// Share of the frames whose page was changed and not yet written: percent.
    pub fn dirty_percent(&self) -> u32 {
        (u64::from(self.dirty()) * 100 / self.frames.len() as u64) as u32
    }

    /// Waits, with no page held, until at most this share of the frames has a page to be written.
    ///
    /// # Errors
    /// `device_overload` at the `deadline`; why pages cannot be written.
    pub fn await_clean(&self, percent: u32, deadline: Instant) -> Result<()> {
        let mut failure = self.failure.lock();
        while self.dirty_percent() > percent {
            if let Some(error) = &*failure {
                return Err(error.clone());
            }
            self.late.notify();
            if self.cleaned.wait_until(&mut failure, deadline).timed_out() && self.dirty_percent() > percent {
                return Err(Error::said(
                    ErrorCode::DeviceOverload,
                    sentence!("the pages cannot be written as fast as they are changed; try again later"),
                ));
            }
        }
        Ok(())
    }

    /// How often changed pages could not be written, and the newest of these failures.
    pub fn failures(&self) -> (u64, Option<FlushFailure>) {
        (self.failures.load(Relaxed), self.last_failure.lock().clone())
    }

    /// Why changed pages could not be written when that was last tried, or were lost.
    pub fn failure(&self) -> Option<Error> {
        let failing = if self.fails.load(Relaxed) { self.failure.lock().clone() } else { None };
        failing.or_else(|| self.lost())
    }

    /// With what is known of pages that were written before.
    pub fn with_ledger(self, ledger: Ledger) -> Self {
        Self { ledger, ..self }
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Checks a page that was read past the cache, and counts it as one that was not here.
    ///
    /// # Errors
    /// As `Seal::check`.
    pub fn check_passing(&self, id: PageId, bytes: &[u8]) -> Result<()> {
        let checked = self.seal.check(bytes, id).and_then(|()| self.ledger.check(id, bytes));
        self.misses.add(if checked.is_ok() { bytes[page::KIND] } else { 0 }, 1);
        checked
    }

    /// A page, for reading; read from the disk where it is not here.
    ///
    /// # Errors
    /// `record_damaged` for a page that is not whole, `storage_failed`, `device_overload` where no frame becomes free.
    pub fn read(&self, id: PageId) -> Result<PageRef<'_>> {
        loop {
            if let Place::Frame(at) = self.table.get(id) {
                let frame = &self.frames[at as usize];
                let bytes = frame.bytes.read();
                if frame.page.load(Relaxed) == id.0 {
                    frame.note_hit();
                    return Ok(PageRef(bytes));
                }
            } else if let Some((_, bytes)) = self.bring(id, Fill::Read)? {
                return Ok(PageRef(RwLockWriteGuard::downgrade(bytes)));
            }
        }
    }

    /// A page, for changing; read from the disk where it is not here.
    ///
    /// # Errors
    /// As `read`.
    pub fn write(&self, id: PageId) -> Result<PageMut<'_>> {
        self.locked(id, Fill::Read)
    }

    /// A page that is made anew, whatever it was: its bytes are zeros, or what it was if it is here.
    ///
    /// # Errors
    /// As `read`, without `record_damaged`; `device_full` where the file system has no room for it.
    pub fn fresh(&self, id: PageId) -> Result<PageMut<'_>> {
        self.make_room(id)?;
        self.locked(id, Fill::Zeros)
    }

    /// Sees to it that the file has room up to a page, and for it.
    ///
    /// # Errors
    /// `device_full`, `storage_failed`.
    pub fn make_room(&self, last: PageId) -> Result<()> {
        self.room.reach(&*self.disk, last.offset(self.size) + self.size.bytes() as u64)
    }

    /// A number that is another once a page is written to the disk: note it before reading past the cache.
    pub fn stamp(&self, id: PageId) -> u32 {
        self.stamps[id.0 as usize % STAMPS].load(Acquire)
    }

    /// Keeps a page that was read past the cache, and checked, if it is not here, not another on the disk by now, and some frame can be had at once.
    ///
    /// # Errors
    /// As `read`.
    pub fn offer(&self, id: PageId, bytes: &[u8], stamp: u32) -> Result<()> {
        self.bring(id, Fill::Copy(bytes, stamp)).map(|_| ())
    }

    fn locked(&self, id: PageId, fill: Fill<'_>) -> Result<PageMut<'_>> {
        loop {
            if let Place::Frame(at) = self.table.get(id) {
                let frame = &self.frames[at as usize];
                let bytes = frame.bytes.write();
                if frame.page.load(Relaxed) == id.0 {
                    frame.note_hit();
                    return Ok(PageMut { cache: self, frame, bytes });
                }
            } else if let Some((frame, bytes)) = self.bring(id, fill)? {
                return Ok(PageMut { cache: self, frame, bytes });
            }
        }
    }

    /// Brings a page in; `None` when somebody else has begun to, or what is offered is old or would have to wait for a frame.
    fn bring(&self, id: PageId, fill: Fill<'_>) -> Result<Option<(&Frame, RwLockWriteGuard<'_, AlignedBuffer>)>> {
        if u64::from(id.0) >= self.table.pages() || id == PageId::NONE {
            return Err(Error::new(ErrorCode::RecordDamaged, format!("there is no page {}", id.0)));
        }
        let Some((at, mut bytes)) = self.vacate(!matches!(fill, Fill::Copy(..)))? else { return Ok(None) };
        let frame = &self.frames[at as usize];
        let queue = {
            let mut policy = self.policy.lock();
            let queue = match self.table.get(id) {
                // A page that was changed since was here until it was written, and its stamp is another since.
                _ if matches!(fill, Fill::Copy(_, stamp) if stamp != self.stamp(id)) => {
                    policy.free(at);
                    return Ok(None);
                }
                Place::Frame(_) => {
                    policy.free(at);
                    return Ok(None);
                }
                Place::Ghost(number) if self.evictions.since(number) < Policy::memory(self.frames.len() as u32) => Queue::Main,
                Place::Ghost(_) | Place::Unknown => Queue::Small,
            };
            frame.page.store(id.0, Relaxed);
            self.table.set(id, Place::Frame(at));
            queue
        };
        let filled = self.fill(frame, &mut bytes, id, fill);
        let mut policy = self.policy.lock();
        match filled {
            Ok(()) => {
                policy.add(at, queue);
                Ok(Some((frame, bytes)))
            }
            Err(error) => {
                frame.page.store(PageId::NONE.0, Relaxed);
                self.table.set(id, Place::Unknown);
                policy.free(at);
                Err(error)
            }
        }
    }

    fn fill(&self, frame: &Frame, bytes: &mut AlignedBuffer, id: PageId, fill: Fill<'_>) -> Result<()> {
        let failed = |error: std::io::Error| Error::io("reading a page", &error);
        if bytes.capacity() == 0 {
            *bytes = AlignedBuffer::new(self.size.bytes()).map_err(failed)?;
        }
        match fill {
            Fill::Zeros => {
                bytes.clear();
                bytes.resize_zeroed(self.size.bytes()).map_err(|error| failed(error.into()))?;
                frame.kind.store(0, Relaxed);
                Ok(())
            }
            Fill::Copy(copy, _) => {
                bytes.clear();
                bytes.extend_from_slice(copy).map_err(|error| failed(error.into()))?;
                frame.kind.store(copy[page::KIND], Relaxed);
                Ok(())
            }
            Fill::Read => {
                bytes.set_len(self.size.bytes()).map_err(|error| failed(error.into()))?;
                let read = self.disk.read_at(bytes, id.offset(self.size)).map_err(failed);
                let read = read.and_then(|()| self.seal.check(bytes, id)).and_then(|()| self.ledger.check(id, bytes));
                let kind = if read.is_ok() { bytes[page::KIND] } else { 0 };
                self.misses.add(kind, 1);
                frame.kind.store(kind, Relaxed);
                read
            }
        }
    }

    /// A frame without a page, in no queue, locked; `None` where one would have to be waited for, or a page written first, and the caller does not.
    fn vacate(&self, waits: bool) -> Result<Option<(u32, RwLockWriteGuard<'_, AlignedBuffer>)>> {
        let begun = Instant::now();
        let mut locked = 0;
        let mut dirty: SmallVec<[u32; PASSED]> = SmallVec::new();
        let mut failure = Failure::default();
        loop {
            let mut policy = self.policy.lock();
            let Some((at, from)) = policy.next(&|frame| &self.frames[frame as usize].visits) else {
                drop(policy);
                if !waits {
                    return Ok(None);
                }
                self.wait(begun)?;
                continue;
            };
            let frame = &self.frames[at as usize];
            let back = from.unwrap_or(Queue::Small);
            let Some(bytes) = frame.bytes.try_write() else {
                policy.add(at, back);
                drop(policy);
                locked += 1;
                if locked % PASSED == 0 {
                    if !waits {
                        return Ok(None);
                    }
                    self.wait(begun)?;
                }
                continue;
            };
            if frame.dirty_since.load(Relaxed) == CLEAN {
                self.forget(frame, from);
                return Ok(Some((at, bytes)));
            }
            drop(bytes);
            policy.add(at, back);
            drop(policy);
            self.late.notify();
            dirty.push(at);
            if dirty.len() < PASSED {
                continue;
            }
            if !waits {
                return Ok(None);
            }
            // Where writing fails, a page that is as on the disk can still give way.
            if failure.passed == 0 {
                match self.write_back(&dirty, Locking::Try) {
                    Ok(0) => self.wait(begun)?,
                    Ok(_) => {}
                    Err(error) => failure.error = Some(error),
                }
            }
            if let Some(error) = &failure.error {
                failure.passed += dirty.len();
                if failure.passed > 4 * self.frames.len() {
                    return Err(error.clone());
                }
            }
            dirty.clear();
        }
    }

    /// The page of a frame that is locked for writing leaves it.
    fn forget(&self, frame: &Frame, from: Option<Queue>) {
        let left = PageId(frame.page.swap(PageId::NONE.0, Relaxed));
        if left != PageId::NONE {
            let place = if from == Some(Queue::Small) { Place::Ghost(self.evictions.count()) } else { Place::Unknown };
            self.table.set(left, place);
            self.hits.add(frame.kind.load(Relaxed), frame.hits.swap(0, Relaxed));
        }
        frame.visits.clear();
    }

    /// Makes what was written so far durable.
    ///
    /// # Errors
    /// `storage_failed`; from then on for ever, as nobody knows which of the pages written since the last success are on the disk.
    pub fn sync(&self) -> Result<()> {
        self.lost().map_or(Ok(()), Err)?;
        let synced = self.disk.sync().map_err(|error| Error::io("syncing the pages", &error));
        synced.map_err(|error| {
            self.note_failure(&error);
            self.lost.get_or_init(|| error).clone()
        })
    }

    /// Why no checkpoint can be made any more.
    pub fn lost(&self) -> Option<Error> {
        self.lost.get().cloned()
    }
}

#[cfg(test)]
pub(super) mod tests;
