//! What records refer to in each data page: how many cells, and about how many bytes. Known in memory only, from the slot map.
//!
//! A page may have more cells than that: a record that was changed while its page was as on the disk has gone to another page, and what it leaves is
//! of nobody. So one page is written for many changes, and not one for each, and what changes often comes to lie together (the idea is the log-structured file
//! system's, Rosenblum and Ousterhout, 1992; here single records go, and pages stay).

use super::{Extents, LEVELS, code, meaning};
use crate::Location;
use crate::paged::cells;
use crate::paged::page::{Kind, PageId};
use crate::paged::segment::bodies::{self, Place};
use crate::paged::store::Store;

/// What bytes are counted in.
const UNIT: usize = 16;

/// What records refer to in a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub cells: u16,
    units: u16,
}

impl Share {
    fn of(page_bytes: usize, location: Location) -> Self {
        Self { cells: 1, units: bodies::cell_bytes(page_bytes, Place::of(location)).div_ceil(UNIT) as u16 }
    }

    fn plus(self, other: Self) -> Self {
        Self { cells: self.cells.saturating_add(other.cells), units: self.units.saturating_add(other.units) }
    }

    fn minus(self, other: Self) -> Self {
        Self { cells: self.cells.saturating_sub(other.cells), units: self.units.saturating_sub(other.units) }
    }

    /// Bytes of a page with these cells alone that are used, at most.
    pub fn used(self) -> usize {
        cells::used_by(usize::from(self.cells), usize::from(self.units) * UNIT)
    }
}

/// By where the byte of a page is in `Extents::codes`; what is behind the last one is of no record.
#[derive(Default)]
pub struct Shares {
    shares: Vec<Share>,
    /// What the operation that is under way has changed: where, and what it was.
    changed: Vec<(u32, Share)>,
}

impl Shares {
    pub(super) fn get(&self, at: usize) -> Share {
        self.shares.get(at).copied().unwrap_or_default()
    }

    /// Answers what it was.
    fn put(&mut self, at: usize, share: Share) -> Share {
        if at >= self.shares.len() {
            self.shares.resize(at + 1, Share::default());
        }
        std::mem::replace(&mut self.shares[at], share)
    }

    fn set(&mut self, at: usize, share: Share) {
        let old = self.put(at, share);
        self.changed.push((at as u32, old));
    }

    pub(super) fn keep(&mut self) {
        self.changed.clear();
    }

    pub(super) fn undo(&mut self) {
        while let Some((at, old)) = self.changed.pop() {
            self.shares[at as usize] = old;
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        tessera_base::heap::block(self.shares.capacity() * size_of::<Share>())
    }
}

impl Extents {
    /// A record lies here from now on.
    pub fn arrive(&mut self, store: &Store, location: Location) {
        if let Some(at) = self.at(store, Place::of(location).page) {
            self.held.set(at, self.held.get(at).plus(Share::of(self.size.bytes(), location)));
        }
    }

    /// A record lies here no more; answers what is left of its page.
    pub fn leave(&mut self, store: &Store, location: Location) -> Share {
        let Some(at) = self.at(store, Place::of(location).page) else { return Share::default() };
        let left = self.held.get(at).minus(Share::of(self.size.bytes(), location));
        self.held.set(at, left);
        left
    }

    /// What records refer to in a page.
    pub fn share(&self, store: &Store, page: PageId) -> Share {
        self.at(store, page).map_or(Share::default(), |at| self.held.get(at))
    }

    /// Adds a record to the shares of a segment that is being loaded: `hold` takes them.
    pub fn tally(&self, store: &Store, shares: &mut Shares, location: Location) {
        if let Some(at) = self.at(store, Place::of(location).page) {
            shares.put(at, shares.get(at).plus(Share::of(self.size.bytes(), location)));
        }
    }

    /// What records refer to, as the slot map has told it.
    pub fn hold(&mut self, shares: Shares) {
        self.held = shares;
    }

    /// Notes that less of a data page is used than was known.
    pub fn note_left(&mut self, store: &Store, page: PageId, left: Share) {
        let level = (left.used() * LEVELS / self.size.bytes()).min(LEVELS - 1);
        if let Some(at) = self.at(store, page)
            && meaning(self.codes[at]).is_some_and(|(kind, known)| kind == Kind::Data && level < known)
        {
            self.set(at, code(Kind::Data, level));
        }
    }
}
