//! 2 MiB of address space, aligned, handed out in runs of pages.

use super::{PAGE, REGION};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ptr::NonNull;

/// Pages of a region.
pub(super) const PAGES: usize = 512;
const WORDS: usize = PAGES / 64;

/// Mapped memory that begins at a multiple of `REGION`.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping is the only owner of its memory.
unsafe impl Send for Mapping {}

impl Mapping {
    /// `bytes`: a multiple of the page size.
    pub(super) fn new(bytes: usize) -> Option<Self> {
        let whole = bytes.checked_add(REGION)?;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches nothing that is there.
        let raw = unsafe { mmap_anonymous(std::ptr::null_mut(), whole, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) }.ok()?;
        let before = raw.cast::<u8>().align_offset(REGION);
        let start = raw.cast::<u8>().wrapping_add(before);
        let after = whole - before - bytes;
        // SAFETY: what is unmapped is the beginning and the end of the mapping just made; nobody knows of it yet.
        unsafe {
            if before > 0 {
                munmap(raw, before).ok()?;
            }
            if after > 0 {
                munmap(start.wrapping_add(bytes).cast(), after).ok()?;
            }
            #[cfg(target_os = "linux")]
            // A hint: without huge pages everything works, slower.
            let _ = rustix::mm::madvise(start.cast(), bytes, rustix::mm::Advice::LinuxHugepage);
        }
        Some(Self { start: NonNull::new(start)?, bytes })
    }

    /// Leaves the memory mapped, and to the caller.
    pub(super) fn release(self) -> NonNull<u8> {
        std::mem::ManuallyDrop::new(self).start
    }

    /// Takes back what `release` gave.
    ///
    /// # Safety
    /// `start` and `bytes` are those of a released mapping that nobody else has taken back.
    pub(super) unsafe fn of(start: NonNull<u8>, bytes: usize) -> Self {
        Self { start, bytes }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own, and its owner is gone. A failure leaves the memory mapped, which is sound.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

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
        Some(unsafe { self.mapping.start.add(first * PAGE) })
    }

    pub(super) fn give_back(&mut self, at: NonNull<u8>, pages: usize) {
        self.mark((at.as_ptr() as usize - self.mapping.start.as_ptr() as usize) / PAGE, pages);
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
