//! A row of extents made anew around pages that are in use.

use super::{Extents, FREE, LEVELS, code};
use crate::paged::page::{Kind, PageId};
use crate::paged::space::ExtentId;
use crate::paged::store::Store;
use tessera_base::{Error, ErrorCode, Result};

/// A page that is in use, and how many bytes of a data page are.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    pub kind: Kind,
    pub bytes: usize,
}

impl Extents {
    /// Takes over pages, and the extents that they are in, which the space knows to be taken;
    /// answers how many pages the row has. All this is in memory alone until `list` has been called
    /// for each of them.
    ///
    /// # Errors
    /// `device_full` where there is no page left for the row, and as `Cache::write`.
    pub fn adopt(&mut self, store: &Store, used: impl Iterator<Item = (PageId, Used)>) -> Result<usize> {
        for (page, Used { kind, bytes }) in used {
            let Some((extent, at)) = store.space().place(page) else { continue };
            if !self.places.contains_key(&extent) {
                self.push(extent);
            }
            let at = self.places[&extent] as usize * self.each + at;
            self.put(at, code(kind, (bytes * LEVELS / self.size.bytes()).min(LEVELS - 1)));
        }
        while self.free < self.numbers.len().div_ceil(self.entries) {
            self.push(store.take_extent()?);
        }
        let mut from = 0;
        for _ in 0..self.numbers.len().div_ceil(self.entries) {
            let found = memchr::memchr(FREE, &self.codes[from..]);
            from += found.ok_or_else(|| Error::new(ErrorCode::Internal, "a segment has counted free pages that it does not have"))?;
            self.put(from, code(Kind::Extents, 0));
            self.row.push(self.page(store, from));
        }
        Ok(self.row.len())
    }

    fn push(&mut self, number: ExtentId) {
        self.places.insert(number, self.numbers.len() as u32);
        self.numbers.push(number);
        self.codes.resize(self.codes.len() + self.each, FREE);
        self.free += self.each;
    }

    /// Has the next `settle` write a page of the row.
    pub fn list(&mut self, row: usize) {
        let places = row * self.entries..self.numbers.len().min((row + 1) * self.entries);
        self.operation.added.extend(places.map(|place| (place as u32, false, row + usize::from(place % self.entries > 0))));
    }
}
