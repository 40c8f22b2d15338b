//! Where each page is in memory: four bytes a page of the file, 1/4096 of the data with pages of 16 KiB.

use crate::paged::page::PageId;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

const CHUNK: usize = 64 * 1024;
/// From here on an entry is not a frame but when the page last left the small queue.
const GHOST: u32 = 1 << 31;

/// What is known of a page's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this frame, or about to be.
    Frame(u32),
    /// It was thrown out as the so-manieth (modulo 2^31) of the small queue.
    Ghost(u32),
    Unknown,
}

/// Entries are made as pages are first met.
pub struct Table {
    chunks: Box<[OnceLock<Box<[AtomicU32]>>]>,
}

impl Table {
    /// For pages below `pages`.
    pub fn new(pages: u32) -> Self {
        Self { chunks: (0..(pages as usize).div_ceil(CHUNK)).map(|_| OnceLock::new()).collect() }
    }

    /// Most pages there can be.
    pub fn pages(&self) -> u64 {
        (self.chunks.len() * CHUNK) as u64
    }

    /// Bytes of memory of the entries made so far.
    pub fn heap_bytes(&self) -> u64 {
        let made = self.chunks.iter().filter(|chunk| chunk.get().is_some()).count();
        (made * CHUNK * size_of::<AtomicU32>() + size_of_val(&*self.chunks)) as u64
    }

    pub fn get(&self, page: PageId) -> Place {
        let chunk = self.chunks.get(page.0 as usize / CHUNK).and_then(OnceLock::get);
        match chunk.map_or(0, |chunk| chunk[page.0 as usize % CHUNK].load(Acquire)) {
            0 => Place::Unknown,
            ghost if ghost >= GHOST => Place::Ghost(ghost - GHOST),
            frame => Place::Frame(frame - 1),
        }
    }

    /// Does nothing for a page that there cannot be.
    pub fn set(&self, page: PageId, place: Place) {
        let entry = match place {
            Place::Frame(frame) => frame + 1,
            Place::Ghost(evicted) => GHOST | evicted,
            Place::Unknown => 0,
        };
        if let Some(chunk) = self.chunks.get(page.0 as usize / CHUNK) {
            chunk.get_or_init(|| (0..CHUNK).map(|_| AtomicU32::new(0)).collect())[page.0 as usize % CHUNK].store(entry, Release);
        }
    }
}

/// A count of 31 bits that goes round.
#[derive(Debug, Default)]
pub struct Evictions(AtomicU32);

impl Evictions {
    pub fn now(&self) -> u32 {
        self.0.load(Relaxed) & (GHOST - 1)
    }

    /// Counts one; answers its number.
    pub fn count(&self) -> u32 {
        self.0.fetch_add(1, Relaxed) & (GHOST - 1)
    }

    /// How many there have been since number `then`.
    pub fn since(&self, then: u32) -> u32 {
        self.now().wrapping_sub(then) & (GHOST - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_it_is_told_and_nothing_of_pages_that_there_cannot_be() {
        let table = Table::new(100_000);
        assert_eq!((table.pages(), table.get(PageId(99_999))), (2 * 65_536, Place::Unknown));
        for place in [Place::Frame(0), Place::Frame(GHOST - 2), Place::Ghost(0), Place::Ghost(GHOST - 1), Place::Unknown] {
            table.set(PageId(70_000), place);
            assert_eq!(table.get(PageId(70_000)), place);
        }
        table.set(PageId(u32::MAX), Place::Frame(1));
        assert_eq!(table.get(PageId(u32::MAX)), Place::Unknown);
    }

    #[test]
    fn evictions_are_counted_round() {
        let evictions = Evictions(AtomicU32::new(GHOST - 1));
        let last = evictions.count();
        assert_eq!((last, evictions.now(), evictions.since(last)), (GHOST - 1, 0, 1));
    }
}
