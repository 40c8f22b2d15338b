//! Memory for what is met at random and there is much of: bodies, slots, hash tables. It comes in whole pages from regions
//! of 2 MiB that the kernel is asked to back with one huge page each: a random access then does not also wait for the
//! page tables, which in a virtual machine costs more than the access itself.

mod paged;
mod region;

pub(crate) use paged::{Paged, Plain};

use parking_lot::Mutex;
use region::{Mapping, PAGES, Region};
use std::ptr::NonNull;

/// Blocks are whole pages.
pub(crate) const PAGE: usize = 4096;
/// A huge page of the common processors.
const REGION: usize = PAGE * PAGES;

static ARENA: Mutex<Arena> = Mutex::new(Arena { regions: Vec::new(), vacant: Vec::new(), hints: [0; PAGES + 1], empty: 0 });

struct Arena {
    regions: Vec<Option<Region>>,
    /// Places in `regions` that hold none.
    vacant: Vec<u32>,
    /// By pages: no region before this one has a run of so many.
    hints: [u32; PAGES + 1],
    /// Regions without a block; one is kept for the next.
    empty: usize,
}

/// Whole pages, initialised (with anything), owned. Small, as there are many and they are met at random.
#[derive(Debug)]
pub(crate) struct Block {
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
    pub(crate) fn take(bytes: usize) -> Option<Self> {
        let pages = u32::try_from(bytes.max(1).div_ceil(PAGE)).ok()?;
        if pages as usize > PAGES {
            let at = Mapping::new(pages as usize * PAGE)?.release();
            return Some(Self { at, pages, region: OWN });
        }
        let (region, at) = ARENA.lock().take(pages as usize)?;
        Some(Self { at, pages, region })
    }

    pub(crate) fn len(&self) -> usize {
        self.pages as usize * PAGE
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the block owns `len` initialised bytes from `at` on: the kernel gives zeroed pages, and whoever had them
        // before left bytes.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len()) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as `bytes`, and `&mut self` makes this the only access.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.len()) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.region == OWN {
            // SAFETY: the block took this mapping over when it was made, and is its only owner.
            drop(unsafe { Mapping::of(self.at, self.len()) });
        } else {
            ARENA.lock().give_back(self.region, self.at, self.pages as usize);
        }
    }
}

impl Arena {
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
        Some((number as u32, region.take(pages)?))
    }

    fn add(&mut self) -> Option<usize> {
        let region = Region::new()?;
        self.empty += 1;
        Some(match self.vacant.pop() {
            Some(number) => {
                self.regions[number as usize] = Some(region);
                number as usize
            }
            None => {
                self.regions.push(Some(region));
                self.regions.len() - 1
            }
        })
    }

    fn give_back(&mut self, number: u32, at: NonNull<u8>, pages: usize) {
        let place = &mut self.regions[number as usize];
        let Some(region) = place else { return };
        region.give_back(at, pages);
        if region.is_empty() {
            if self.empty > 0 {
                *place = None;
                self.vacant.push(number);
                return;
            }
            self.empty += 1;
        }
        let longest = region.longest();
        for hint in &mut self.hints[..=longest] {
            *hint = number.min(*hint);
        }
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
                prop_assert!(block.bytes().iter().all(|byte| byte == mark));
            }
        }
    }

    #[test]
    fn a_region_is_filled_before_the_next_is_taken() {
        let mut arena = Arena { regions: Vec::new(), vacant: Vec::new(), hints: [0; PAGES + 1], empty: 0 };
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
}
