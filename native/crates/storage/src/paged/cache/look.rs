//! What is in the cache, for who asks and changes nothing.

use super::frame::{Frame, Seen};
use super::table::Place;
use super::{CLEAN, Cache, CacheCounters};
use crate::paged::counters::{KINDS, kind_at};
use crate::paged::page::PageId;
use std::sync::atomic::Ordering::Relaxed;

impl Cache {
    /// Bytes that its frames may take.
    pub fn bytes(&self) -> u64 {
        (self.frames.len() * self.size.bytes()) as u64
    }

    /// Whether a page is in memory now.
    pub fn has(&self, id: PageId) -> bool {
        matches!(self.table.get(id), Place::Frame(_))
    }

    /// Whether a page is in memory, and is to be written anyway.
    pub fn is_dirty(&self, id: PageId) -> bool {
        match self.table.get(id) {
            // A frame that is given to another page meanwhile answers for that one: who asks loses a write, no more.
            Place::Frame(at) => self.frames[at as usize].dirty_since.load(Relaxed) != CLEAN,
            _ => false,
        }
    }

    /// Looks at every frame.
    pub fn counters(&self) -> CacheCounters {
        let mut counters = CacheCounters {
            frames: self.frames.len() as u32,
            used: self.policy.lock().used(self.frames.len()) as u32,
            dirty: self.dirty.load(Relaxed),
            written: self.written.load(Relaxed),
            cached: [0; KINDS],
            hits: self.hits.read(),
            misses: self.misses.read(),
        };
        for frame in self.frames.iter().filter(|frame| frame.page.load(Relaxed) != PageId::NONE.0) {
            let kind = kind_at(frame.kind.load(Relaxed));
            counters.cached[kind] += 1;
            counters.hits[kind] += frame.hits.load(Relaxed);
        }
        counters
    }

    /// Most pages that are here at once.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// What each frame with a page holds now.
    pub fn seen(&self) -> impl Iterator<Item = Seen> {
        self.frames.iter().map(Frame::seen).filter(|seen| seen.page != PageId::NONE)
    }

    /// Bytes of memory of the frames in use and of what is kept of each page.
    pub fn heap_bytes(&self) -> u64 {
        let used = self.policy.lock().used(self.frames.len()) as u64;
        used * self.size.bytes() as u64 + (size_of::<Frame>() * self.frames.len()) as u64 + self.table.heap_bytes()
    }
}
