//! The map of pages: what each stretch of the file holds, how full, how hot and how old it is.

use super::{CELLS_MAX, KIND_NONE, KINDS, PageCell, PageMap};
use crate::paged::cache::Seen;
use crate::paged::log::{Log, Lsn};
use crate::paged::page::{Kind, PageId};

/// What is added up of the pages of a cell.
#[derive(Clone, Default)]
struct Tally {
    used: u32,
    kinds: [u32; KINDS.len()],
    /// 255 for each page that is full.
    fill: u64,
    hot: u32,
    newest: Option<Lsn>,
}

/// A map in the making, of the pages below a number.
pub struct Mapper {
    pages: u64,
    per_cell: u32,
    tallies: Vec<Tally>,
}

impl Mapper {
    /// Of at most `cells` cells.
    pub fn new(pages: u64, cells: usize) -> Self {
        let per_cell = u32::try_from(pages.div_ceil(cells.clamp(1, CELLS_MAX) as u64)).unwrap_or(u32::MAX).max(1);
        Self { pages, per_cell, tallies: vec![Tally::default(); pages.div_ceil(u64::from(per_cell)) as usize] }
    }

    fn cell(&mut self, page: PageId) -> Option<&mut Tally> {
        self.tallies.get_mut((page.0 / self.per_cell) as usize)
    }

    /// A page in use, and how full it is: 255 for full.
    pub fn add(&mut self, page: PageId, kind: Kind, fill: u8) {
        let Some(cell) = self.cell(page) else { return };
        cell.used += 1;
        cell.fill += u64::from(fill);
        if let Some(at) = KINDS.iter().position(|name| *name == kind.name()) {
            cell.kinds[at] += 1;
        }
    }

    /// A page in the cache.
    pub fn note(&mut self, seen: Seen) {
        let Some(cell) = self.cell(seen.page) else { return };
        cell.hot += u32::from(seen.visits > 0);
        cell.newest = cell.newest.max(seen.lsn);
    }

    pub fn finish(self, log: &Log) -> PageMap {
        let (end, ring) = (log.end(), log.capacity());
        let cell = |(at, tally): (usize, &Tally)| {
            let pages = u64::from(self.per_cell).min(self.pages - at as u64 * u64::from(self.per_cell)).max(1);
            let most = tally.kinds.iter().enumerate().max_by_key(|(_, count)| **count);
            let kind = most.filter(|(_, count)| **count > 0).map_or(KIND_NONE, |(at, _)| at as u8);
            let age = tally.newest.map_or(255, |lsn| (u128::from(end.saturating_sub(lsn)) * 255 / u128::from(ring)).min(255) as u8);
            PageCell {
                used: tally.used,
                kind,
                fill_percent: (tally.fill * 100 / (255 * u64::from(tally.used.max(1)))) as u8,
                heat: (u64::from(tally.hot) * 255 / pages).min(255) as u8,
                age,
            }
        };
        PageMap { pages: self.pages, pages_per_cell: self.per_cell, cells: self.tallies.iter().enumerate().map(cell).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paged::log::{LogStart, RING_MIN};
    use std::sync::Arc;
    use tessera_io::faulty::FaultyDisk;

    #[test]
    fn a_cell_says_what_most_of_its_pages_are() {
        let start = LogStart { redo: RING_MIN, incarnation: 1 };
        let log = Log::open(Arc::new(FaultyDisk::default()), RING_MIN, start.redo, start.incarnation).unwrap();
        let mut mapper = Mapper::new(CELLS_MAX as u64 * 4 - 2, CELLS_MAX);
        mapper.add(PageId(0), Kind::Data, 255);
        mapper.add(PageId(1), Kind::Data, 127);
        mapper.add(PageId(2), Kind::Leaf, 255);
        mapper.add(PageId(u32::MAX), Kind::Leaf, 255);
        let seen = |page, visits, lsn| Seen { page: PageId(page), kind: 3, dirty_since: None, visits, lsn };
        mapper.note(seen(0, 1, Some(RING_MIN / 2)));
        mapper.note(seen(1, 0, Some(RING_MIN)));
        mapper.note(seen(4 * CELLS_MAX as u32 - 4, 3, None));
        let map = mapper.finish(&log);
        let data = KINDS.iter().position(|kind| *kind == "data").unwrap() as u8;
        assert_eq!((map.pages, map.pages_per_cell, map.cells.len()), (CELLS_MAX as u64 * 4 - 2, 4, CELLS_MAX));
        assert_eq!(map.cells[0], PageCell { used: 3, kind: data, fill_percent: 83, heat: 63, age: 0 });
        assert_eq!(map.cells[1], PageCell { used: 0, kind: KIND_NONE, fill_percent: 0, heat: 0, age: 255 });
        assert_eq!(map.cells[CELLS_MAX - 1].heat, 127, "of two pages one");
        assert_eq!(Mapper::new(0, CELLS_MAX).finish(&log).cells.len(), 0);
    }
}
