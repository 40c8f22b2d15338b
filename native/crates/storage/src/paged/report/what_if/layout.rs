//! Which pages a read of a record visits, where pages have another size.

use crate::paged::cells;
use crate::paged::segment::bodies::{self, Place};

/// From pages of `own` bytes to pages of `page` bytes. Long and short records lie side by side in the pages of both; pages of
/// long bodies lie between those, so the pages of records are taken by their rank.
#[derive(Clone, Copy)]
pub struct Layout {
    own: usize,
    page: usize,
    /// How many records a page has: a fraction if they are not equally long.
    own_cells: f64,
    cells: f64,
}

impl Layout {
    /// `bodies`: of each record that is known, in bytes.
    pub fn new(own: usize, page: usize, bodies: impl Iterator<Item = usize> + Clone) -> Self {
        let cells = |size: usize| cells_of(size, bodies.clone().map(|body| bodies::shape(size, body).0));
        Self { own, page, own_cells: cells(own), cells: cells(page) }
    }

    /// How many pages a read visits.
    pub fn visits(self, place: Place) -> usize {
        1 + bodies::shape(self.page, bodies::body_bytes(place)).1
    }

    /// Calls `each` with a number of each page that a read visits; no two pages have the same. `rank`: of the page of the place,
    /// among those of records that are known.
    pub fn visit(self, place: Place, rank: u32, each: &mut impl FnMut(u64)) {
        let (_, parts) = bodies::shape(self.page, bodies::body_bytes(place));
        // Numbers of cells are taken for their order.
        let order = f64::from(rank) * self.own_cells + f64::from(place.cell) % self.own_cells;
        each(if self.own == self.page { u64::from(rank) } else { (order / self.cells) as u64 });
        // A record: page (32 bits), cell (12), and its part (19).
        let record = 1 << 63 | u64::from(place.page.0) << 31 | u64::from(place.cell) << 19;
        (0..parts as u64).for_each(|part| each(record | part));
    }
}

/// How many cells a page has room for. The end of a page is lost if the next cell is longer than that: half of one, if they are
/// not equally long.
fn cells_of(page: usize, cells: impl Iterator<Item = usize>) -> f64 {
    let (mut count, mut bytes, mut shortest, mut longest) = (0usize, 0usize, usize::MAX, 0);
    for cell in cells {
        (count, bytes) = (count + 1, bytes + cell);
        (shortest, longest) = (shortest.min(cell), longest.max(cell));
    }
    if count == 0 || shortest == longest {
        return cells::per_page(page, longest) as f64;
    }
    (cells::whole_room(page) as f64 / (bytes as f64 / count as f64 + cells::ENTRY as f64) - 0.5).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paged::page::PageId;
    use std::collections::BTreeSet;

    fn place(page: u32, cell: u16, body: usize) -> Place {
        Place { page: PageId(page), cell, bytes: bodies::put_bytes(body) }
    }

    /// The pages that reads of all records of so many pages of 16 KiB visit, and those that one read does.
    fn pages(page: usize, body: usize) -> (usize, usize) {
        let layout = Layout::new(16_384, page, std::iter::once(bodies::body_bytes(place(0, 0, body))));
        let (cell, _) = bodies::shape(16_384, body);
        let mut all = BTreeSet::new();
        for at in 0..16 {
            for cell in 0..cells::per_page(16_384, cell) {
                let before = all.len();
                let mut visits = 0;
                layout.visit(place(at, cell as u16, body), at, &mut |page| {
                    all.insert(page);
                    visits += 1;
                });
                assert!(visits == layout.visits(place(at, 0, body)) && all.len() <= before + visits);
            }
        }
        (all.len(), layout.visits(place(0, 0, body)))
    }

    #[test]
    fn neighbours_share_a_page_as_far_as_it_has_room_for_them() {
        assert_eq!(pages(16_384, 1000), (16, 1));
        assert_eq!(pages(65_536, 1000), (4, 1));
        // 16 cells of 1016 bytes fit in 16 KiB, 4 would in 4 KiB if nothing else were there: 3 do.
        assert_eq!(pages(4096, 1000), (86, 1));
    }

    #[test]
    fn a_page_of_the_same_size_is_one_page_whatever_lies_in_it() {
        let layout = Layout::new(4096, 4096, [100, 1000, 5000].into_iter());
        let mut all = BTreeSet::new();
        // A short one, one that fills a third of the page, and the cell of a long one.
        for (cell, body) in [(0, 100), (1, 1000), (7, 5000)] {
            let mut first = None;
            layout.visit(place(3, cell, body), 1, &mut |page| {
                first.get_or_insert(page);
            });
            all.extend(first);
        }
        assert_eq!(all.len(), 1);
    }

    #[test]
    fn long_bodies_have_pages_of_their_own() {
        // 5 records a page of 16 KiB, 80 in all; alone in a page of 4 KiB, and 127 cells of 28 bytes in one.
        assert_eq!(pages(4096, 3000), (80 + 1, 2));
        assert_eq!(pages(4096, 100_000).1, 26);
        assert_eq!(pages(65_536, 100_000).1, 3);
    }
}
