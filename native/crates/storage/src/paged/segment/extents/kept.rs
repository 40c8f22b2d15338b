//! Free pages that are kept for batches which take effect whole or not at all: other threads take a page only if it is not one of them.
//!
//! A batch has an open page of its own, so that no record of others takes room in it.

use super::Extents;
use crate::paged::page::PageId;
use crate::paged::store::Store;
use smallvec::SmallVec;
use std::thread::{self, ThreadId};

#[derive(Debug)]
struct Kept {
    thread: ThreadId,
    /// Free pages that only it takes.
    pages: usize,
    open: PageId,
}

/// The batches that keep pages of a segment.
#[derive(Debug, Default)]
pub struct Batches {
    all: Vec<Kept>,
    /// Which of them the operation under way is of, and how many pages it kept before.
    before: Option<(usize, usize)>,
}

impl Batches {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Which of them this thread writes.
    pub(super) fn mine(&self) -> Option<usize> {
        if self.all.is_empty() {
            return None;
        }
        let thread = thread::current().id();
        self.all.iter().position(|kept| kept.thread == thread)
    }

    pub(super) fn pages_of_others(&self, mine: Option<usize>) -> usize {
        self.all.iter().enumerate().filter(|(at, _)| Some(*at) != mine).map(|(_, kept)| kept.pages).sum()
    }

    /// The operation under way adds pages to those of a batch, and takes some of them.
    pub(super) fn change(&mut self, mine: Option<usize>, added: usize, taken: usize) {
        let Some((at, kept)) = mine.and_then(|at| Some((at, self.all.get_mut(at)?))) else { return };
        self.before.get_or_insert((at, kept.pages));
        kept.pages = (kept.pages + added).saturating_sub(taken);
    }

    /// The operation has ended, and gave so many pages back.
    pub(super) fn keep(&mut self, given: usize) {
        if given > 0 {
            self.change(self.mine(), given, 0);
        }
        self.before = None;
    }

    pub(super) fn undo(&mut self) {
        if let Some((at, pages)) = self.before.take()
            && let Some(kept) = self.all.get_mut(at)
        {
            kept.pages = pages;
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        tessera_base::heap::block(self.all.capacity() * size_of::<Kept>())
    }
}

impl Extents {
    /// Keeps so many pages for this thread's batch, from now until `end_batch`: those that are free, and those of extents that have to be kept for it
    /// beside; answers how many of these.
    pub fn keep_pages(&mut self, pages: usize) -> usize {
        let here = self.free.saturating_sub(self.batches.pages_of_others(None)).min(pages);
        self.batches.all.push(Kept { thread: thread::current().id(), pages: here, open: PageId::NONE });
        (pages - here).div_ceil(self.each)
    }

    /// Ends this thread's batch; answers its open page.
    pub fn end_batch(&mut self) -> PageId {
        let ended = self.batches.mine().map(|at| self.batches.all.swap_remove(at));
        ended.map_or(PageId::NONE, |kept| kept.open)
    }

    /// The open page of this thread's batch, if it writes one.
    pub fn open_of_batch(&self) -> Option<PageId> {
        self.batches.mine().map(|at| self.batches.all[at].open)
    }

    pub fn set_open_of_batch(&mut self, open: PageId) {
        if let Some(kept) = self.batches.mine().and_then(|at| self.batches.all.get_mut(at)) {
            kept.open = open;
        }
    }

    /// Whether a page is the open one of a batch that another thread writes: nothing is put into it, and it stays.
    pub fn is_of_other_batch(&self, page: PageId) -> bool {
        !self.batches.is_empty() && {
            let mine = self.batches.mine();
            self.batches.all.iter().enumerate().any(|(at, kept)| Some(at) != mine && kept.open == page)
        }
    }

    /// Where the bytes of such pages are.
    pub(super) fn hidden(&self, store: &Store) -> SmallVec<[usize; 4]> {
        let mine = self.batches.mine();
        let others = self.batches.all.iter().enumerate().filter(|(at, _)| Some(*at) != mine);
        others.filter_map(|(_, kept)| self.at(store, kept.open)).collect()
    }

    /// Whether batches keep pages.
    pub fn has_batches(&self) -> bool {
        !self.batches.is_empty()
    }

    /// Pages of the row that are needed for so many pages more.
    pub fn rows_for(&self, pages: usize) -> usize {
        (self.numbers.len() + pages.div_ceil(self.each) + 1).div_ceil(self.entries).saturating_sub(self.row.len())
    }

    /// Leaves of the tree.
    pub fn leaves(&self) -> usize {
        self.leaves
    }
}
