//! 2 MiB of address space, aligned, handed out in runs of pages.

use super::mapping::Mapping;
use super::{PAGE, REGION};
use std::ptr::NonNull;

/// Pages of a region.
pub(super) const PAGES: usize = 512;
const WORDS: usize = PAGES / 64;

pub(super) struct Region {
    mapping: Mapping,
    /// One bit a page.
    used: [u64; WORDS],
    /// Longest run of free pages.
    longest: usize,
}

impl Region {
    pub(super) fn new() -> Option<Self> {
        Some(Self { mapping: Mapping::new(REGION)?, used: [0; WORDS], longest: PAGES })
    }

    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    pub(super) fn is_empty(&self) -> bool {
        self.used == [0; WORDS]
    }

    /// The first run of so many free pages.
    pub(super) fn take(&mut self, pages: usize) -> Option<NonNull<u8>> {
        let first = self.runs().find(|(_, length)| *length >= pages)?.0;
        self.mark(first, pages);
        // SAFETY: the run lies inside the region.
        Some(unsafe { self.mapping.start().add(first * PAGE) })
    }

    pub(super) fn give_back(&mut self, at: NonNull<u8>, pages: usize) {
        self.mark((at.as_ptr() as usize - self.mapping.start().as_ptr() as usize) / PAGE, pages);
    }

    /// Turns free pages into used ones, or the other way round.
    fn mark(&mut self, first: usize, pages: usize) {
        for page in first..first + pages {
            self.used[page / 64] ^= 1 << (page % 64);
        }
        self.longest = self.runs().map(|(_, length)| length).max().unwrap_or(0);
    }

    /// Runs of free pages: first page and length.
    fn runs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut page = 0;
        std::iter::from_fn(move || {
            page = self.next(page, false);
            if page == PAGES {
                return None;
            }
            let first = page;
            page = self.next(page, true);
            Some((first, page - first))
        })
    }

    /// The first page from `page` on that is used, or free; `PAGES` when there is none.
    fn next(&self, mut page: usize, used: bool) -> usize {
        while page < PAGES {
            let word = if used { self.used[page / 64] } else { !self.used[page / 64] } >> (page % 64);
            if word != 0 {
                return page + word.trailing_zeros() as usize;
            }
            page = (page / 64 + 1) * 64;
        }
        PAGES
    }
}
