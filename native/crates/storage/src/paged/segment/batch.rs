//! Room for the records of a batch which takes effect whole or not at all.

use super::bodies;
use super::extents::Extents;
use super::{PagedSegment, slot_map, tree};
use crate::paged::cells;
use crate::paged::page::{Kind, PageId};

impl PagedSegment {
    /// Keeps the pages that storing bodies of so many bytes may take, for this thread, until `end_batch`. Answers how many extents have to be kept
    /// beside those that the segment has.
    pub fn keep_room(&mut self, bodies: &[usize]) -> usize {
        let pages = most_pages(self.store.pages().cache().size().bytes(), &self.extents, bodies);
        self.extents.keep_pages(pages)
    }

    /// Ends this thread's batch.
    pub fn end_batch(&mut self) {
        let open = self.extents.end_batch();
        // Else its room is found again by how full it is.
        if self.open == PageId::NONE {
            self.open = open;
        }
    }
}

/// Others fill pages of the index meanwhile. One page in so many records is for that: others would have to insert two records for each of the batch.
const OF_OTHERS: usize = 32;

/// The most pages that records with these bodies take, whatever others store meanwhile.
fn most_pages(page: usize, extents: &Extents, bodies: &[usize]) -> usize {
    let records = bodies.len();
    let (mut data, mut own, mut left) = (0, 0, 0);
    for body in bodies {
        let (cell, pages) = bodies::shape(page, *body);
        own += pages;
        let takes = cell + cells::ENTRY;
        if takes > left {
            (data, left) = (data + 1, cells::whole_room(page));
        }
        left = left.saturating_sub(takes);
    }
    let slots = records.min(2 + records / slot_map::per_page(page) + records / OF_OTHERS);
    let index = 1 + most_splits(page, extents.leaves(), records);
    let pages = data + own + slots + 1 + index;
    pages + extents.rows_for(pages)
}

/// The most pages that so many entries more make of a tree: a page that has been split has to fill up again before it is split once more.
fn most_splits(page: usize, leaves: usize, entries: usize) -> usize {
    let (mut pages, mut splits, mut all) = (leaves, entries, 0);
    let mut kind = Kind::Leaf;
    for _ in 0..tree::DEPTH {
        let capacity = tree::capacity(kind, page);
        splits = splits.min(pages + splits.div_ceil(capacity / 2) + if kind == Kind::Leaf { 4 + entries / OF_OTHERS } else { 1 });
        all += splits + usize::from(pages <= 1);
        if splits == 0 || (pages <= 1 && splits <= 1) {
            break;
        }
        // A page is a quarter full at least.
        pages = pages.div_ceil(capacity / 4);
        kind = Kind::Inner;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_needs_few_pages_and_many_need_few_each() {
        let extents = Extents::new(crate::paged::page::PageSize::new(4096).unwrap());
        let pages = |records: usize, body: usize| most_pages(4096, &extents, &vec![body; records]);
        assert!((5..=9).contains(&pages(1, 100)), "{}", pages(1, 100));
        assert!((3_400..4_600).contains(&pages(10_000, 1000)), "{}", pages(10_000, 1000));
        assert!((250..270).contains(&pages(1, 1_000_000)), "{}", pages(1, 1_000_000));
    }
}
