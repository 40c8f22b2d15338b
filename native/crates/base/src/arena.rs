//! Memory for what is met at random and there is much of: bodies, slots, hash tables. It comes in whole pages from regions
//! of 2 MiB that the kernel is asked to back with one huge page each: a random access then does not also wait for the
//! page tables, which in a virtual machine costs more than the access itself.
//!
//! Regions that have become empty are kept for a moment (`age`): whoever drops much and stores as much anew does not wait for
//! the kernel to clear it all, nor, in a virtual machine whose host takes back what is free, for the host to bring it again
//! (measured there: 2.6 ms a region, where one that is kept takes 0.05 ms).

mod mapping;
mod paged;
mod region;

pub use paged::{Paged, Plain};

use mapping::Mapping;
use parking_lot::Mutex;
use region::{PAGES, Region};
use std::ptr::NonNull;

/// Blocks are whole pages.
pub const PAGE: usize = 4096;
/// A huge page of the common processors.
const REGION: usize = PAGE * PAGES;

static ARENA: Mutex<Arena> = Mutex::new(Arena::new());

struct Arena {
    regions: Vec<Option<Region>>,
    /// Places in `regions` that hold none.
    vacant: Vec<u32>,
    /// By pages: no region before this one has a run of so many.
    hints: [u32; PAGES + 1],
    /// Regions without a block.
    empty: usize,
    /// The fewest of them since the last `age`.
    idle: usize,
}

/// Whole pages, initialised (with anything), owned. Small, as there are many and they are met at random.
#[derive(Debug)]
pub struct Block {
    at: NonNull<u8>,
    pages: u32,
    /// Where it came from; `OWN` when it is larger than a region and mapped by itself.
    region: u32,
}

const OWN: u32 = u32::MAX;
const _: () = assert!(size_of::<Option<Block>>() == 16);

// SAFETY: a block is the only owner of its memory, as a boxed slice of bytes would be.
unsafe impl Send for Block {}
// SAFETY: a shared block gives out shared slices only.
unsafe impl Sync for Block {}

impl Block {
    /// At least `bytes`, rounded up to whole pages; `None` when the system has no memory left.
    pub fn take(bytes: usize) -> Option<Self> {
        let pages = u32::try_from(bytes.max(1).div_ceil(PAGE)).ok()?;
        if pages as usize > PAGES {
            let at = Mapping::new(pages as usize * PAGE)?.release();
            return Some(Self { at, pages, region: OWN });
        }
        let (region, at) = ARENA.lock().take(pages as usize)?;
        Some(Self { at, pages, region })
    }

    #[inline]
    pub fn page_bytes(&self) -> usize {
        self.pages as usize * PAGE
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the block owns `page_bytes` initialised bytes from `at` on: the kernel gives zeroed pages, and whoever had them
        // before left bytes.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.page_bytes()) }
    }

    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as `bytes`, and `&mut self` makes this the only access.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.page_bytes()) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.region == OWN {
            // SAFETY: the block took this mapping over when it was made, and is its only owner.
            drop(unsafe { Mapping::of(self.at, self.page_bytes()) });
        } else {
            ARENA.lock().give_back(self.region, self.at, self.pages as usize);
        }
    }
}

/// To be called now and then, once a second: gives back as many regions as were empty all the time since the last call. One
/// is kept for the next block.
pub fn age() {
    // Unmapped without the lock, as that takes the kernel a while.
    let idle = ARENA.lock().idle_regions();
    drop(idle);
}

/// Gives back all regions that are empty.
pub fn give_back() {
    let empty = ARENA.lock().empty_regions();
    drop(empty);
}

impl Arena {
    const fn new() -> Self {
        Self { regions: Vec::new(), vacant: Vec::new(), hints: [0; PAGES + 1], empty: 0, idle: 0 }
    }

    fn take(&mut self, pages: usize) -> Option<(u32, NonNull<u8>)> {
        let from = self.hints[pages] as usize;
        let fitting = (from..self.regions.len()).find(|&n| self.regions[n].as_ref().is_some_and(|region| region.longest() >= pages));
        let number = match fitting {
            Some(number) => number,
            None => self.add()?,
        };
        self.hints[pages] = number as u32;
        let region = self.regions[number].as_mut()?;
        self.empty -= usize::from(region.is_empty());
        self.idle = self.idle.min(self.empty);
        Some((number as u32, region.take(pages)?))
    }

    fn add(&mut self) -> Option<usize> {
        let region = Region::new()?;
        self.empty += 1;
        let number = match self.vacant.pop() {
            Some(number) => {
                self.regions[number as usize] = Some(region);
                number
            }
            None => {
                self.regions.push(Some(region));
                (self.regions.len() - 1) as u32
            }
        };
        self.hint(number, PAGES);
        Some(number as usize)
    }

    fn give_back(&mut self, number: u32, at: NonNull<u8>, pages: usize) {
        let Some(region) = &mut self.regions[number as usize] else { return };
        region.give_back(at, pages);
        self.empty += usize::from(region.is_empty());
        let longest = region.longest();
        self.hint(number, longest);
    }

    /// Notes that a region has a run of so many free pages.
    fn hint(&mut self, number: u32, longest: usize) {
        for hint in &mut self.hints[..=longest] {
            *hint = number.min(*hint);
        }
    }

    fn idle_regions(&mut self) -> Vec<Region> {
        let idle = self.remove_empty(self.idle.saturating_sub(1));
        self.idle = self.empty;
        idle
    }

    fn empty_regions(&mut self) -> Vec<Region> {
        let empty = self.remove_empty(self.empty);
        self.idle = 0;
        empty
    }

    /// Takes away so many of the empty regions, the last ones, as blocks come from the first.
    fn remove_empty(&mut self, count: usize) -> Vec<Region> {
        let mut removed = Vec::with_capacity(count);
        for number in (0..self.regions.len()).rev() {
            if removed.len() == count {
                break;
            }
            if let Some(region) = self.regions[number].take_if(|region| region.is_empty()) {
                removed.push(region);
                self.vacant.push(number as u32);
            }
        }
        self.empty -= removed.len();
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_never_overlap_and_keep_their_bytes(operations in prop::collection::vec((1..3_000_000usize, any::<bool>()), 1..80)) {
            let mut blocks: Vec<(Block, u8)> = vec![];
            for (n, (bytes, small)) in operations.into_iter().enumerate() {
                if n % 3 == 2 && !blocks.is_empty() {
                    blocks.swap_remove(bytes % blocks.len());
                    continue;
                }
                let mut block = Block::take(if small { bytes % 50_000 } else { bytes }).unwrap();
                let mark = n as u8;
                block.bytes_mut().fill(mark);
                prop_assert_eq!(block.bytes().as_ptr() as usize % PAGE, 0);
                blocks.push((block, mark));
            }
            for (block, mark) in &blocks {
                // Compared as a whole, which Miri does at once.
                prop_assert!(block.bytes() == vec![*mark; block.page_bytes()]);
            }
        }
    }

    #[test]
    fn a_region_is_filled_before_the_next_is_taken() {
        let mut arena = Arena::new();
        let taken: Vec<_> = (0..PAGES).map(|_| arena.take(1).unwrap()).collect();
        assert!(taken.iter().all(|(region, _)| *region == 0));
        assert_eq!(arena.take(2).unwrap().0, 1);
        for (region, at) in &taken[10..14] {
            arena.give_back(*region, *at, 1);
        }
        assert_eq!(arena.take(4).unwrap(), taken[10]);
        assert_eq!(arena.take(1).unwrap().0, 1);
        assert_eq!(arena.empty, 0);
    }
    #[test]
    fn empty_regions_are_kept_for_one_period_and_the_last_of_them() {
        let mut arena = Arena::new();
        let fill = |arena: &mut Arena| -> Vec<_> { (0..4).map(|_| arena.take(PAGES).unwrap()).collect() };
        let clear = |arena: &mut Arena, taken: Vec<(u32, NonNull<u8>)>| {
            taken.into_iter().for_each(|(region, at)| arena.give_back(region, at, PAGES));
        };
        let taken = fill(&mut arena);
        let before: Vec<_> = taken.iter().map(|(_, at)| *at).collect();
        clear(&mut arena, taken);
        assert_eq!((arena.empty, arena.idle_regions().len()), (4, 0));
        // Used again within the period, they are the same, and stay for another.
        let taken = fill(&mut arena);
        assert_eq!(taken.iter().map(|(_, at)| *at).collect::<Vec<_>>(), before);
        clear(&mut arena, taken);
        assert_eq!((arena.empty, arena.idle_regions().len()), (4, 0));
        assert_eq!((arena.idle_regions().len(), arena.empty), (3, 1));
        assert_eq!((arena.idle_regions().len(), arena.empty), (0, 1));
        let taken = fill(&mut arena);
        assert_eq!(arena.regions.iter().flatten().count(), 4);
        clear(&mut arena, taken);
        assert_eq!((arena.empty_regions().len(), arena.empty), (4, 0));
    }
}
