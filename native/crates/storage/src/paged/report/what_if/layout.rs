//! Which pages a read of a record visits, where pages have another size.

use crate::paged::cells;
use crate::paged::page::PageSize;
use crate::paged::segment::bodies::{self, Place};

/// From pages of `own` bytes to pages of `page` bytes.
#[derive(Clone, Copy)]
pub struct Layout {
    pub own: usize,
    pub page: usize,
}

impl Layout {
    /// How many pages a read visits.
    pub fn visits(self, place: Place) -> usize {
        1 + bodies::shape(self.page, bodies::body_bytes(place)).1
    }

    /// Calls `each` with a number of each page that a read visits; no two pages have the same.
    pub fn visit(self, place: Place, each: &mut impl FnMut(u64)) {
        let body = bodies::body_bytes(place);
        let (own_cell, _) = bodies::shape(self.own, body);
        let (cell, parts) = bodies::shape(self.page, body);
        let own_cells = cells::per_page(self.own, own_cell);
        let pages = PageSize::MAX / self.own as u32;
        // Numbers of cells are taken for their order. Where cells of other lengths share the page there are more of them than such cells.
        let order = (place.page.0 % pages) as usize * own_cells + usize::from(place.cell) % own_cells;
        let page = order / cells::per_page(self.page, cell);
        // A region (32 bits), whether its cells are of long bodies, and a page in it (at most 4096 cells of each of 16 pages).
        each(u64::from(place.page.0 / pages) << 24 | u64::from(parts > 0) << 23 | page as u64);
        // A record: page (32 bits), cell (12), and its part (19).
        let record = 1 << 63 | u64::from(place.page.0) << 31 | u64::from(place.cell) << 19;
        (0..parts as u64).for_each(|part| each(record | part));
    }
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
        let layout = Layout { own: 16_384, page };
        let (cell, _) = bodies::shape(16_384, body);
        let mut all = BTreeSet::new();
        for at in 0..16 {
            for cell in 0..cells::per_page(16_384, cell) {
                let before = all.len();
                let mut visits = 0;
                layout.visit(place(at, cell as u16, body), &mut |page| {
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
        assert_eq!(pages(4096, 1000), (4 * 22, 1));
    }

    #[test]
    fn long_bodies_have_pages_of_their_own() {
        // 5 records a page of 16 KiB; alone in a page of 4 KiB, 67 cells of 28 bytes in one: 20 of each region are.
        assert_eq!(pages(4096, 3000), (80 + 4, 2));
        assert_eq!(pages(4096, 100_000).1, 26);
        assert_eq!(pages(65_536, 100_000).1, 3);
    }
}
