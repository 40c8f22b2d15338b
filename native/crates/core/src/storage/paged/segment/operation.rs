//! One insert, update or removal while it is under way: what it does to pages, and to what is in memory of them.

use super::{ROOTS, Roots};
use crate::error::{Error, ErrorCode, Result};
use crate::record::Digest;
use crate::storage::Location;
use crate::storage::SlotRecord;
use crate::storage::paged::bodies::{self, Content, PART, PART_NUMBER, Place, Spread, Version};
use crate::storage::paged::cells;
use crate::storage::paged::change::{Change, Room, Touched};
use crate::storage::paged::extents::{Extents, LEVELS, Pool};
use crate::storage::paged::page::{Kind, PageId};
use crate::storage::paged::slot_map::SlotMap;
use crate::storage::paged::space::extent_pages;
use crate::storage::paged::store::Store;
use crate::storage::paged::tree;

pub struct Operation<'a> {
    pub store: &'a Store,
    pub id: u16,
    pub change: Change<'a>,
    /// As they are now, and as the segment's page has them.
    pub roots: &'a mut Roots,
    pub before: Roots,
    pub extents: &'a mut Extents,
    pub slots: &'a mut SlotMap,
    pub open: &'a mut PageId,
    /// What `place` stores, and the length of its body.
    pub cell: &'a [u8],
    pub body: usize,
}

fn is_damage(error: &Error) -> bool {
    error.code == ErrorCode::RecordDamaged
}

impl Operation<'_> {
    pub fn make_tree(&mut self) -> Result<()> {
        self.roots.tree = tree::create(&mut self.change, &mut Pool { extents: self.extents, store: self.store })?;
        Ok(())
    }

    pub fn add_digest(&mut self, digest: &Digest, slot: u32) -> Result<()> {
        let mut pool = Pool { extents: self.extents, store: self.store };
        self.roots.tree = tree::insert(self.store.pages().cache(), &mut self.change, &mut pool, self.roots.tree, digest, slot)?;
        Ok(())
    }

    pub fn remove_digest(&mut self, digest: &Digest) -> Result<()> {
        let mut pool = Pool { extents: self.extents, store: self.store };
        self.roots.tree = tree::remove(self.store.pages().cache(), &mut self.change, &mut pool, self.roots.tree, digest)?;
        Ok(())
    }

    pub fn set_record(&mut self, slot: u32, set: u16, record: &SlotRecord) -> Result<()> {
        self.slots.put(&mut self.change, self.extents, self.store, slot, set, record)
    }

    pub fn free_slot(&mut self, slot: u32) -> Result<()> {
        self.slots.free(&mut self.change, slot)
    }

    /// Puts the cell into a page: the open one; or one that is at most half full, or a new one, which is the open one from now on; or, when the disk
    /// is full, wherever there is room.
    pub fn place(&mut self) -> Result<Location> {
        let cell = self.cell;
        let place = self.place_cell(cell)?;
        Ok(Place { bytes: bodies::put_bytes(self.body), ..place }.location())
    }

    fn place_cell(&mut self, cell: &[u8]) -> Result<Place> {
        let mut tried = *self.open;
        if tried != PageId::NONE
            && let Some(place) = self.add(tried, cell)?
        {
            return Ok(place);
        }
        loop {
            let id = match self.extents.with_room(self.store, cell.len(), LEVELS / 2, tried) {
                Some(id) => id,
                None => match self.extents.take(self.store, Kind::Data) {
                    Ok(id) => {
                        self.change.format(id, Kind::Data)?;
                        id
                    }
                    Err(full) if full.code == ErrorCode::DeviceFull => {
                        self.extents.with_room(self.store, cell.len(), LEVELS, tried).ok_or(full)?
                    }
                    Err(error) => return Err(error),
                },
            };
            if let Some(place) = self.add(id, cell)? {
                *self.open = id;
                return Ok(place);
            }
            self.fill_up(id);
            tried = id;
        }
    }

    /// Nothing is put into a page any more that is damaged, or has less room than it was said to have.
    pub fn fill_up(&mut self, id: PageId) {
        self.extents.note(self.store, id, self.store.pages().cache().size().bytes());
    }

    /// A data page; `None` where it is damaged.
    pub fn data(&mut self, id: PageId) -> Result<Option<Touched>> {
        match self.change.page(id) {
            Ok(page) => Ok(Some(page).filter(|page| cells::is_sound(self.change.bytes(*page)))),
            Err(error) if is_damage(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Adds a cell to a page; `None` where that has no room, or is damaged.
    pub fn add(&mut self, id: PageId, cell: &[u8]) -> Result<Option<Place>> {
        let Some(page) = self.data(id)? else { return Ok(None) };
        let Some(number) = cells::add(&mut self.change, page, cell) else { return Ok(None) };
        self.note(page);
        Ok(Some(Place { page: id, cell: number, bytes: 0 }))
    }

    /// Puts the cell where the record `old` of a slot lies, if it has room there, or else elsewhere.
    pub fn replace(&mut self, slot: u32, old: &SlotRecord) -> Result<Location> {
        let Some(page) = self.hold(slot, old)? else { return self.place() };
        let place = Place::of(old.location);
        if cells::replace(&mut self.change, page, place.cell, self.cell) {
            self.note(page);
            return Ok(Place { bytes: bodies::put_bytes(self.body), ..place }.location());
        }
        self.take_out(page, place.cell)?;
        self.place()
    }

    /// Gives back what the record `old` of a slot takes.
    pub fn release(&mut self, slot: u32, old: &SlotRecord) -> Result<()> {
        match self.hold(slot, old)? {
            Some(page) => self.take_out(page, Place::of(old.location).cell),
            None => Ok(()),
        }
    }

    /// The page with the cell of `old`, whose further pages are given back; `None` where it is damaged.
    fn hold(&mut self, slot: u32, old: &SlotRecord) -> Result<Option<Touched>> {
        let place = Place::of(old.location);
        if self.extents.kind_of(self.store, place.page) != Some(Kind::Data) {
            return Ok(None);
        }
        let Some(page) = self.data(place.page)? else { return Ok(None) };
        let version = Version::new(slot, &old.digest, &old.meta);
        let long = match bodies::content(self.change.bytes(page), place.cell) {
            Some((found, Content::Body(_))) if found == version => return Ok(Some(page)),
            Some((found, Content::Long(long))) if found == version => long,
            _ => return Ok(None),
        };
        match bodies::pages_of(self.store.pages().cache(), &long) {
            Ok(Some((bodies, lists))) => bodies.iter().chain(&lists).try_for_each(|id| self.extents.give_back(self.store, *id))?,
            Ok(None) => {}
            Err(error) if is_damage(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(Some(page))
    }

    /// Takes a cell out of a page, and gives the page back with the last one.
    pub fn take_out(&mut self, page: Touched, cell: u16) -> Result<()> {
        cells::remove(&mut self.change, page, cell);
        if !cells::is_empty(self.change.bytes(page)) {
            self.note(page);
            return Ok(());
        }
        let id = self.change.id(page);
        if *self.open == id {
            *self.open = PageId::NONE;
        }
        self.extents.give_back(self.store, id)
    }

    /// Notes how full a data page is.
    pub fn note(&mut self, page: Touched) {
        let bytes = self.change.bytes(page);
        self.extents.note(self.store, self.change.id(page), bytes.len() - cells::room(bytes));
    }

    /// Writes down what has changed around the records, and logs it all.
    pub fn commit(mut self) -> Result<()> {
        self.extents.settle(&mut self.change)?;
        *self.roots = Roots { tree: self.roots.tree, extents: self.extents.first(), directories: self.slots.first() };
        if *self.roots != self.before {
            let page = self.change.page(Store::page_of(self.id))?;
            self.change.write(page, ROOTS, &self.roots.bytes());
        }
        self.change.commit()?;
        Ok(())
    }
}

/// Makes the cell of a body. The pages of a long one are taken, written and logged, but nothing refers to them yet.
pub fn make_cell(store: &Store, extents: &mut Extents, segment: u16, cell: &mut Vec<u8>, version: Version, body: &[u8]) -> Result<()> {
    let cache = store.pages().cache();
    let size = cache.size().bytes();
    if !bodies::is_long(size, body.len()) {
        bodies::make_cell(cell, version, body);
        return Ok(());
    }
    let spread = Spread::new(size, body.len());
    let pages = (0..spread.bodies + spread.lists).map(|_| extents.take(store, Kind::Overflow)).collect::<Result<Vec<_>>>()?;
    let (bodies, lists) = pages.split_at(spread.bodies);
    let numbers: Vec<u8> = if lists.is_empty() { Vec::new() } else { bodies.iter().flat_map(|page| page.0.to_le_bytes()).collect() };
    let parts: Vec<&[u8]> = body.chunks(spread.part).chain(numbers.chunks(spread.part)).collect();
    // As many pages as an extent has are held at once. Their room is not kept: a segment's own stays small.
    let (most, mut room) = (extent_pages(cache.size()), Room::default());
    for (n, (ids, parts)) in pages.chunks(most).zip(parts.chunks(most)).enumerate() {
        let mut change = Change::begin(cache, segment, &mut room);
        for ((number, id), part) in (n * most..).zip(ids).zip(parts) {
            let page = change.format(*id, Kind::Overflow)?;
            change.write(page, PART_NUMBER, &(number as u32).to_le_bytes());
            change.write(page, PART_NUMBER + 4, &version.bytes(true));
            change.write(page, PART, part);
        }
        change.commit()?;
    }
    bodies::make_long_cell(cell, version, body, if lists.is_empty() { bodies } else { lists });
    Ok(())
}
