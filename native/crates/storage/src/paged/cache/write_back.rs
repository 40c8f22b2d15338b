//! Writing changed pages back: several at once, neighbours together, and each once the log is durable up to its LSN.
//!
//! A page is copied with its lock held for reading, and written from the copy with no lock held. What was changed meanwhile is told by its LSN, and
//! leaves the page changed.

use super::policy::Queue;
use super::table::Place;
use super::{CLEAN, Cache, Frame, STAMPS};
use crate::FlushFailure;
use crate::paged::log::Lsn;
use crate::paged::page::{self, PageId, PageSize};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use std::sync::atomic::{Ordering::AcqRel, Ordering::Relaxed, Ordering::Release};
use tessera_base::clock::unix_millis;
use tessera_base::{Error, Result};
use tessera_io::{AlignedBuffer, Backend, Piece, WriteWindow};

/// Writes in flight of one writer.
const DEPTH: usize = 8;
/// Bytes of pages that a writer takes at once, and the bounds of their number.
const BATCH_BYTES: usize = 1024 * 1024;
const BATCH_MIN: usize = 16;
const BATCH_MAX: usize = 64;
/// Writers whose buffers are kept for the next.
const IDLE_WRITERS: usize = 4;
/// Frames at the head of each queue that are kept clean: a share of all, between these bounds.
const AHEAD_PART: usize = 16;
const AHEAD_MIN: usize = 64;
const AHEAD_MAX: usize = 4096;
/// Changed neighbours that a page takes along, on each side.
const NEIGHBOURS: u32 = 8;

/// Whether a lock is waited for: not by who holds another page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Locking {
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

/// What writing all changed pages came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub pages: u64,
    /// Nothing was left out.
    pub whole: bool,
}

/// Buffers and windows for those who write; each is used by one thread at a time.
pub struct Writers {
    backend: Backend,
    /// Most pages of one batch.
    batch: usize,
    idle: Mutex<Vec<Writer>>,
}

struct Writer {
    window: WriteWindow,
    copies: Vec<AlignedBuffer>,
}

/// A page on its way to the disk, whose frame says `writing`; its copy has the same place.
struct Member<'a> {
    frame: &'a Frame,
    id: PageId,
    lsn: Lsn,
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        self.frame.writing.store(false, Release);
    }
}

impl Writers {
    pub fn new(backend: Backend, size: PageSize) -> Self {
        Self { backend, batch: (BATCH_BYTES / size.bytes()).clamp(BATCH_MIN, BATCH_MAX), idle: Mutex::default() }
    }

    fn take(&self) -> std::io::Result<Writer> {
        let idle = self.idle.lock().pop();
        idle.map_or_else(|| Ok(Writer { window: WriteWindow::open(self.backend, DEPTH)?, copies: Vec::new() }), Ok)
    }

    fn give_back(&self, writer: Writer) {
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_WRITERS {
            idle.push(writer);
        }
    }
}

impl Cache {
    /// Writes every page that was first changed before `lsn`, in the order of the disk, until `goes_on`, which is asked before each page, says no.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; what was not written is still to be.
    pub fn write_all_before(&self, lsn: Lsn, goes_on: &mut dyn FnMut() -> bool) -> Result<Written> {
        let is_due = |frame: &Frame| frame.dirty_since.load(Relaxed) < lsn;
        let due = self.frames.iter().enumerate().filter(|(_, frame)| is_due(frame));
        let mut due: Vec<(u32, u32)> = due.map(|(at, frame)| (frame.page.load(Relaxed), at as u32)).collect();
        due.sort_unstable();
        let mut left: Vec<u32> = due.into_iter().map(|(_, at)| at).collect();
        let mut pages = 0;
        while !left.is_empty() {
            let before = pages;
            for batch in left.chunks(self.writers.batch) {
                let allowed = batch.iter().take_while(|_| goes_on()).count();
                pages += self.write_back(&batch[..allowed], Locking::Wait)? as u64;
                if allowed < batch.len() {
                    return Ok(Written { pages, whole: false });
                }
            }
            // What another writes, and what was changed meanwhile, is looked at again.
            left.retain(|at| is_due(&self.frames[*at as usize]));
            if pages == before {
                std::thread::yield_now();
            }
        }
        Ok(Written { pages, whole: true })
    }

    /// Writes the changed pages that are next to leave the cache, and their changed neighbours; answers how many. `given` is the cache's own memory of
    /// the last call: where nothing has come in since, there is nothing to do.
    ///
    /// # Errors
    /// As `write_all_before`.
    pub fn clean_ahead(&self, given: &mut u64) -> Result<usize> {
        if self.dirty.load(Relaxed) == 0 {
            return Ok(0);
        }
        let mut ahead = Vec::new();
        let now = self.policy.lock().ahead((self.frames.len() / AHEAD_PART).clamp(AHEAD_MIN, AHEAD_MAX), &mut ahead);
        if std::mem::replace(given, now) == now {
            return Ok(0);
        }
        let mut frames: Vec<(u32, u32)> = Vec::new();
        for (at, queue) in ahead {
            let frame = &self.frames[at as usize];
            if frame.dirty_since.load(Relaxed) != CLEAN && !frame.visits.stays(queue) {
                let id = frame.page.load(Relaxed);
                frames.push((id, at));
                frames.extend((1..=NEIGHBOURS).map_while(|more| self.changed(id.checked_add(more)?)));
                frames.extend((1..=NEIGHBOURS).map_while(|less| self.changed(id.checked_sub(less)?)));
            }
        }
        frames.sort_unstable();
        frames.dedup();
        let mut written = 0;
        for batch in frames.chunks(self.writers.batch) {
            let batch: Vec<u32> = batch.iter().map(|(_, at)| *at).collect();
            written += self.write_back(&batch, Locking::Try)?;
        }
        Ok(written)
    }

    /// The frame of a page that is here, changed, and not asked for so often that it will be changed again soon.
    fn changed(&self, id: u32) -> Option<(u32, u32)> {
        let Place::Frame(at) = self.table.get(PageId(id)) else { return None };
        let frame = &self.frames[at as usize];
        (frame.dirty_since.load(Relaxed) != CLEAN && !frame.visits.stays(Queue::Small)).then_some((id, at))
    }

    /// Writes the pages of some frames, at most a batch of them, where they were changed and nobody else is at it; answers how many.
    ///
    /// # Errors
    /// As `write_all_before`.
    pub(super) fn write_back(&self, frames: &[u32], locking: Locking) -> Result<usize> {
        let mut writer = self.writers.take().map_err(|error| failed(&error))?;
        let written = self.write_by(&mut writer, frames, locking);
        self.writers.give_back(writer);
        written
    }

    /// Writes changed pages, whichever they are, a batch of them at most; answers how many. For when there are too many, and for trying again where
    /// writing has failed.
    ///
    /// # Errors
    /// As `write_all_before`.
    pub fn write_some(&self) -> Result<usize> {
        let from = self.sweep.load(Relaxed) % self.frames.len();
        let round = (from..self.frames.len()).chain(0..from);
        let dirty = round.filter(|at| self.frames[*at].dirty_since.load(Relaxed) != CLEAN);
        let some: Vec<u32> = dirty.map(|at| at as u32).take(self.writers.batch).collect();
        self.sweep.store(some.last().map_or(0, |at| *at as usize + 1), Relaxed);
        if some.is_empty() {
            self.note(None);
        }
        self.write_back(&some, Locking::Try)
    }

    pub(super) fn note_failure(&self, error: &Error) {
        self.failures.fetch_add(1, Relaxed);
        *self.last_failure.lock() = Some(FlushFailure { at_ms: unix_millis(), error: error.clone() });
    }

    /// Keeps why pages cannot be written, or that they can.
    fn note(&self, failure: Option<Error>) {
        failure.iter().for_each(|error| self.note_failure(error));
        let mut kept = self.failure.lock();
        self.fails.store(failure.is_some(), Relaxed);
        *kept = failure;
        self.cleaned.notify_all();
    }

    fn write_by(&self, writer: &mut Writer, frames: &[u32], locking: Locking) -> Result<usize> {
        let mut members = Vec::with_capacity(frames.len());
        for at in frames {
            if let Some(member) = self.copy_out(&self.frames[*at as usize], locking, &mut writer.copies, members.len())? {
                members.push(member);
            }
        }
        let Some(newest) = members.iter().map(|member: &Member<'_>| member.lsn).max() else { return Ok(0) };
        self.log.sync(newest)?;
        let mut pieces: Vec<Piece<'_>> = members
            .iter()
            .zip(&writer.copies)
            .map(|(member, copy)| Piece { disk: &*self.disk, offset: member.id.offset(self.size), bytes: copy })
            .collect();
        pieces.sort_unstable_by_key(|piece| piece.offset);
        for member in &members {
            self.stamps[member.id.0 as usize % STAMPS].fetch_add(1, AcqRel);
        }
        if let Err(error) = writer.window.write(&pieces) {
            let error = failed(&error);
            self.note(Some(error.clone()));
            return Err(error);
        }
        // Before any of them may leave its frame.
        self.ledger.note(members.iter().zip(&writer.copies).map(|(member, copy)| (member.id, &copy[..])));
        self.written.fetch_add(members.len() as u64, Relaxed);
        for Member { frame, lsn, .. } in &members {
            // Whoever changes a page holds its lock: what was changed since the copy was changed after `lsn`. A changed page stays in its frame.
            let Some(bytes) = locking.read(&frame.bytes) else { continue };
            if page::lsn(&bytes) == *lsn {
                frame.dirty_since.store(CLEAN, Relaxed);
                self.dirty.fetch_sub(1, Relaxed);
            } else {
                frame.dirty_since.store(*lsn, Relaxed);
            }
        }
        self.note(None);
        Ok(members.len())
    }

    /// Copies a page to place `to` of `copies`, sealed; `None` where there is nothing to write.
    fn copy_out<'a>(
        &'a self,
        frame: &'a Frame,
        locking: Locking,
        copies: &mut Vec<AlignedBuffer>,
        to: usize,
    ) -> Result<Option<Member<'a>>> {
        if frame.dirty_since.load(Relaxed) == CLEAN || frame.writing.swap(true, AcqRel) {
            return Ok(None);
        }
        let mut member = Member { frame, id: PageId::NONE, lsn: 0 };
        if copies.len() == to {
            copies.push(AlignedBuffer::new(self.size.bytes()).map_err(|error| failed(&error))?);
        }
        let copy = &mut copies[to];
        {
            let Some(bytes) = locking.read(&frame.bytes) else { return Ok(None) };
            if frame.dirty_since.load(Relaxed) == CLEAN {
                return Ok(None);
            }
            copy.clear();
            copy.extend_from_slice(&bytes).map_err(|error| failed(&error.into()))?;
            member.id = PageId(frame.page.load(Relaxed));
        }
        member.lsn = page::lsn(copy);
        self.seal.set(copy, member.id);
        Ok(Some(member))
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::io("writing pages", error)
}
