//! A frame of the cache: a page in memory, and what is known of it; and a page as somebody holds it.

use super::policy::Visits;
use super::{CLEAN, Cache};
use crate::paged::log::Lsn;
use crate::paged::page::{self, PageId};
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use tessera_io::AlignedBuffer;

/// On lines of its own, as whoever uses a page writes to its frame.
#[repr(align(64))]
pub(super) struct Frame {
    /// Empty until the frame is first used.
    pub(super) bytes: RwLock<AlignedBuffer>,
    /// Where the log was before the first change that is not on the disk; changed with `bytes` locked.
    pub(super) dirty_since: AtomicU64,
    /// How often the page was found here. One of two visits at the same moment may be lost.
    pub(super) hits: AtomicU64,
    /// Changed with `bytes` locked for writing.
    pub(super) page: AtomicU32,
    /// Kind of the page, as it was when that was last looked at.
    pub(super) kind: AtomicU8,
    pub(super) visits: Visits,
    /// Somebody writes the page to the disk.
    pub(super) writing: AtomicBool,
}

impl Frame {
    pub(super) fn seen(&self) -> Seen {
        Seen {
            page: PageId(self.page.load(Relaxed)),
            kind: self.kind.load(Relaxed),
            dirty_since: Some(self.dirty_since.load(Relaxed)).filter(|lsn| *lsn != CLEAN),
            visits: self.visits.count(),
            lsn: self.bytes.try_read().filter(|bytes| bytes.len() >= page::HEADER).map(|bytes| page::lsn(&bytes)),
        }
    }

    pub(super) fn note_hit(&self) {
        self.visits.note();
        self.hits.store(self.hits.load(Relaxed).wrapping_add(1), Relaxed);
    }
}

/// What is in a frame, as it was seen without a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub page: PageId,
    pub kind: u8,
    /// See `Frame::dirty_since`; `None` of a page that is as on the disk.
    pub dirty_since: Option<Lsn>,
    /// How often it was asked for lately: 0 to 3.
    pub visits: u8,
    /// LSN of its newest change; `None` where somebody changes it now.
    pub lsn: Option<Lsn>,
}

/// A page, locked for reading.
pub struct PageRef<'a>(pub(super) RwLockReadGuard<'a, AlignedBuffer>);

impl Deref for PageRef<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A page, locked for writing. What is changed has to be in the log before it is let go of.
pub struct PageMut<'a> {
    pub(super) cache: &'a Cache,
    pub(super) frame: &'a Frame,
    pub(super) bytes: RwLockWriteGuard<'a, AlignedBuffer>,
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
        if self.frame.dirty_since.fetch_min(lsn, Relaxed) == CLEAN {
            self.cache.dirty.fetch_add(1, Relaxed);
        }
        self.frame.kind.store(self.bytes[page::KIND], Relaxed);
    }
}
