//! The page cache: pages of a disk in frames of memory.
//!
//! A frame's lock is its page's pin and its latch in one: who reads a page holds it for reading, who changes a page holds it for writing until the change is
//! in the log, and a frame whose lock is held is not thrown out. What keeps two threads from waiting for each other's pages: each page belongs
//! to one segment; who holds pages asks for more of that segment alone, with the segment's lock held; and everybody else holds one page at a time, or
//! takes only locks that are free.
//!
//! A page that was changed is written once the log is durable up to its LSN.

use super::log::{Log, Lsn};
use super::page::{self, PageId, PageSize, Seal};
use super::policy::{Policy, Queue, Visits};
use super::table::{Evictions, Place, Table};
use crate::error::{Error, ErrorCode, Result};
use crate::storage::io::{AlignedBuffer, Disk};
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Fewest frames: each of 128 threads may hold the pages of a change.
pub const FRAMES_MIN: u32 = 2048;
/// How many changed pages are passed over before one is written to make room.
const DIRTY_PASSED: usize = 32;
/// How long a free frame is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// `dirty_since` of a page that is as on the disk.
const CLEAN: Lsn = Lsn::MAX;

pub struct Cache {
    size: PageSize,
    seal: Seal,
    disk: Arc<dyn Disk>,
    log: Arc<Log>,
    frames: Box<[Frame]>,
    table: Table,
    policy: Mutex<Policy>,
    evictions: Evictions,
    misses: AtomicU64,
    written: AtomicU64,
}

struct Frame {
    /// Empty until the frame is first used.
    bytes: RwLock<AlignedBuffer>,
    /// Changed with `bytes` locked for writing.
    page: AtomicU32,
    /// Where the log was before the first change that is not on the disk; changed with `bytes` locked.
    dirty_since: AtomicU64,
    visits: Visits,
    /// Somebody writes the page to the disk.
    writing: AtomicBool,
}

/// A page, locked for reading.
pub struct PageRef<'a>(RwLockReadGuard<'a, AlignedBuffer>);

impl Deref for PageRef<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A page, locked for writing. What is changed has to be in the log before it is let go of.
pub struct PageMut<'a> {
    frame: &'a Frame,
    bytes: RwLockWriteGuard<'a, AlignedBuffer>,
}

impl PageMut<'_> {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Notes that a record at `lsn` or later changes the page: call it before the record is appended.
    pub fn mark(&mut self, lsn: Lsn) {
        self.frame.dirty_since.fetch_min(lsn, Relaxed);
    }
}

/// How a page comes into its frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    Read,
    Zeros,
}

impl Cache {
    /// A cache of `bytes`, for pages below `pages`.
    ///
    /// # Errors
    /// `config_invalid` for fewer bytes than 2048 pages, or more than 2^31 of them.
    pub fn new(size: PageSize, bytes: u64, pages: u32, seal: Seal, disk: Arc<dyn Disk>, log: Arc<Log>) -> Result<Self> {
        let frames = u32::try_from(bytes / size.bytes() as u64).ok().filter(|frames| (FRAMES_MIN..1 << 31).contains(frames));
        let Some(frames) = frames else {
            let least = u64::from(FRAMES_MIN) * size.bytes() as u64;
            let message = format!("the cache has at least {least} bytes ({FRAMES_MIN} pages), and less than 2^31 pages");
            return Err(Error::new(ErrorCode::ConfigInvalid, message).in_field("cacheBytes"));
        };
        let empty = || Frame {
            bytes: RwLock::new(AlignedBuffer::empty()),
            page: AtomicU32::new(PageId::NONE.0),
            dirty_since: AtomicU64::new(CLEAN),
            visits: Visits::default(),
            writing: AtomicBool::new(false),
        };
        Ok(Self {
            size,
            seal,
            disk,
            log,
            frames: (0..frames).map(|_| empty()).collect(),
            table: Table::new(pages),
            policy: Mutex::new(Policy::new(frames)),
            evictions: Evictions::default(),
            misses: AtomicU64::new(0),
            written: AtomicU64::new(0),
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
        (self.misses.load(Relaxed), self.written.load(Relaxed))
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
                    frame.visits.note();
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
    /// As `read`, without `record_damaged`.
    pub fn fresh(&self, id: PageId) -> Result<PageMut<'_>> {
        self.locked(id, Fill::Zeros)
    }

    fn locked(&self, id: PageId, fill: Fill) -> Result<PageMut<'_>> {
        loop {
            if let Place::Frame(at) = self.table.get(id) {
                let frame = &self.frames[at as usize];
                let bytes = frame.bytes.write();
                if frame.page.load(Relaxed) == id.0 {
                    frame.visits.note();
                    return Ok(PageMut { frame, bytes });
                }
            } else if let Some((frame, bytes)) = self.bring(id, fill)? {
                return Ok(PageMut { frame, bytes });
            }
        }
    }

    /// Brings a page in; `None` when somebody else has begun to.
    fn bring(&self, id: PageId, fill: Fill) -> Result<Option<(&Frame, RwLockWriteGuard<'_, AlignedBuffer>)>> {
        if u64::from(id.0) >= self.table.pages() || id == PageId::NONE {
            return Err(Error::new(ErrorCode::RecordDamaged, format!("there is no page {}", id.0)));
        }
        let (at, mut bytes) = self.vacate()?;
        let frame = &self.frames[at as usize];
        let queue = {
            let mut policy = self.policy.lock();
            let queue = match self.table.get(id) {
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
        let filled = self.fill(&mut bytes, id, fill);
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

    fn fill(&self, bytes: &mut AlignedBuffer, id: PageId, fill: Fill) -> Result<()> {
        let failed = |error: std::io::Error| Error::io("reading a page", &error);
        if bytes.capacity() == 0 {
            *bytes = AlignedBuffer::new(self.size.bytes()).map_err(failed)?;
        }
        match fill {
            Fill::Zeros => {
                bytes.clear();
                bytes.resize_zeroed(self.size.bytes()).map_err(|error| failed(error.into()))
            }
            Fill::Read => {
                bytes.set_len(self.size.bytes()).map_err(|error| failed(error.into()))?;
                self.misses.fetch_add(1, Relaxed);
                self.disk.read_at(bytes, id.offset(self.size)).map_err(failed)?;
                self.seal.check(bytes, id)
            }
        }
    }

    /// A frame without a page, in no queue, locked.
    fn vacate(&self) -> Result<(u32, RwLockWriteGuard<'_, AlignedBuffer>)> {
        let (mut passed, begun) = (0, Instant::now());
        loop {
            let mut policy = self.policy.lock();
            let Some((at, from)) = policy.next(&|frame| &self.frames[frame as usize].visits) else {
                drop(policy);
                wait(begun)?;
                continue;
            };
            let frame = &self.frames[at as usize];
            let back = from.unwrap_or(Queue::Small);
            let Some(bytes) = frame.bytes.try_write() else {
                policy.add(at, back);
                drop(policy);
                wait(begun)?;
                continue;
            };
            if frame.dirty_since.load(Relaxed) == CLEAN {
                self.forget(frame, from);
                return Ok((at, bytes));
            }
            drop(bytes);
            policy.add(at, back);
            drop(policy);
            passed += 1;
            if passed > DIRTY_PASSED {
                self.write_back(frame, Locking::Try)?;
            }
        }
    }

    /// The page of a frame that is locked for writing leaves it.
    fn forget(&self, frame: &Frame, from: Option<Queue>) {
        let left = PageId(frame.page.swap(PageId::NONE.0, Relaxed));
        if left != PageId::NONE {
            let place = if from == Some(Queue::Small) { Place::Ghost(self.evictions.count()) } else { Place::Unknown };
            self.table.set(left, place);
        }
        frame.visits.clear();
    }

    /// Writes every page that was first changed before `lsn`, in their order, until `goes_on` says no; whether all were written.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn write_all_before(&self, lsn: Lsn, goes_on: &mut dyn FnMut() -> bool) -> Result<bool> {
        let mut dirty: Vec<(u32, usize)> = Vec::new();
        for (at, frame) in self.frames.iter().enumerate() {
            if frame.dirty_since.load(Relaxed) < lsn {
                dirty.push((frame.page.load(Relaxed), at));
            }
        }
        dirty.sort_unstable();
        for (_, at) in dirty {
            let frame = &self.frames[at];
            while frame.dirty_since.load(Relaxed) < lsn {
                if !goes_on() {
                    return Ok(false);
                }
                self.write_back(frame, Locking::Wait)?;
            }
        }
        Ok(true)
    }

    /// Writes the page of a frame, if it was changed and nobody else is at it.
    fn write_back(&self, frame: &Frame, locking: Locking) -> Result<()> {
        if frame.writing.swap(true, std::sync::atomic::Ordering::AcqRel) {
            std::thread::yield_now();
            return Ok(());
        }
        let written = self.copy_out(frame, locking);
        frame.writing.store(false, std::sync::atomic::Ordering::Release);
        written
    }

    fn copy_out(&self, frame: &Frame, locking: Locking) -> Result<()> {
        let failed = |error: std::io::Error| Error::io("writing a page", &error);
        let mut copy = AlignedBuffer::new(self.size.bytes()).map_err(failed)?;
        let id = {
            let Some(bytes) = locking.read(&frame.bytes) else { return Ok(()) };
            if frame.dirty_since.load(Relaxed) == CLEAN {
                return Ok(());
            }
            copy.extend_from_slice(&bytes).map_err(|error| failed(error.into()))?;
            PageId(frame.page.load(Relaxed))
        };
        let lsn = page::lsn(&copy);
        self.seal.set(&mut copy, id);
        self.log.sync(lsn)?;
        self.disk.write_at(&copy, id.offset(self.size)).map_err(failed)?;
        self.written.fetch_add(1, Relaxed);
        // Whoever changes it holds the lock: what was changed since the copy was changed after `lsn`. A changed page stays in its frame.
        if let Some(bytes) = locking.read(&frame.bytes) {
            frame.dirty_since.store(if page::lsn(&bytes) == lsn { CLEAN } else { lsn }, Relaxed);
        }
        Ok(())
    }

    /// Makes what was written so far durable.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn sync(&self) -> Result<()> {
        self.disk.sync().map_err(|error| Error::io("syncing the pages", &error))
    }
}

/// Whether a lock is waited for: not by who holds another page.
#[derive(Clone, Copy)]
enum Locking {
    Wait,
    Try,
}

impl Locking {
    fn read<T>(self, lock: &RwLock<T>) -> Option<RwLockReadGuard<'_, T>> {
        match self {
            Self::Wait => Some(lock.read()),
            Self::Try => lock.try_read(),
        }
    }
}

/// Lets others run, for a bounded time.
fn wait(begun: Instant) -> Result<()> {
    if begun.elapsed() > PATIENCE {
        return Err(Error::new(ErrorCode::DeviceOverload, "every page of the cache is in use"));
    }
    std::thread::yield_now();
    Ok(())
}

#[cfg(test)]
mod tests;
