//! One insert, update or removal while it is under way: what it does to pages, and to what is in memory of them.

use super::bodies::{self, Content, PART, PART_NUMBER, Place, Spread, Version};
use super::extents::{Extents, LEVELS, Pool};
use super::slot_map::SlotMap;
use super::tree;
use super::{ROOTS, Roots};
use crate::paged::cells;
use crate::paged::change::{Change, Room, Touched};
use crate::paged::page::{Kind, PageId};
use crate::paged::space::extent_pages;
use crate::paged::store::Store;
use crate::{Location, SlotRecord};
use smallvec::SmallVec;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::Digest;

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

pub fn is_damage(error: &Error) -> bool {
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

    /// Makes pages of a tree of entries in order, so many a page; answers what the level above has.
    pub fn lay(&mut self, kind: Kind, entries: &[(Digest, u32)], each: usize) -> Result<tree::Level> {
        let mut pool = Pool { extents: self.extents, store: self.store };
        let mut lay = |entries: &[(Digest, u32)]| Ok((entries[0].0, tree::lay(&mut self.change, &mut pool, kind, entries)?.0));
        entries.chunks(each).map(&mut lay).collect()
    }

    pub fn set_record(&mut self, slot: u32, set: u16, record: &SlotRecord) -> Result<()> {
        self.slots.put(&mut self.change, self.extents, self.store, slot, set, record)
    }

    pub fn free_slot(&mut self, slot: u32) -> Result<()> {
        self.slots.free(&mut self.change, slot)
    }

    /// Puts the cell into a page: the open one; or one that is at most half full, or a new one, which is the open one from now on; or, when the disk
    /// is nearly full, wherever there is room: what is left of it is for the index, which can use nothing else.
    pub fn place(&mut self) -> Result<Location> {
        let (cell, bytes) = (self.cell, bodies::put_bytes(self.body));
        let mut tried = *self.open;
        if tried != PageId::NONE
            && let Some(location) = self.add(tried, cell, bytes)?
        {
            return Ok(location);
        }
        loop {
            let levels = if self.store.space().is_short() { LEVELS } else { LEVELS / 2 };
            let id = match self.extents.with_room(self.store, cell.len(), levels, tried) {
                Some(id) => id,
                None => match self.new_page() {
                    Err(full) if full.code == ErrorCode::DeviceFull => {
                        self.extents.with_room(self.store, cell.len(), LEVELS, tried).ok_or(full)?
                    }
                    page => page?,
                },
            };
            if let Some(location) = self.add(id, cell, bytes)? {
                *self.open = id;
                return Ok(location);
            }
            self.fill_up(id);
            tried = id;
        }
    }

    /// A data page without cells.
    fn new_page(&mut self) -> Result<PageId> {
        let id = self.extents.take(self.store, Kind::Data)?;
        if let Err(error) = self.change.format(id, Kind::Data) {
            self.extents.give_back(self.store, id)?;
            return Err(error);
        }
        Ok(id)
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

    /// Adds the cell of a record of so many stored bytes to a page; `None` where that has no room, or is damaged.
    pub fn add(&mut self, id: PageId, cell: &[u8], bytes: usize) -> Result<Option<Location>> {
        let Some(page) = self.data(id)? else { return Ok(None) };
        let number = match cells::add(&mut self.change, page, cell) {
            Some(number) => number,
            None => {
                self.clear_out(page, cell.len())?;
                let Some(number) = cells::add(&mut self.change, page, cell) else {
                    self.note(page);
                    return Ok(None);
                };
                number
            }
        };
        let location = Place { page: id, cell: number, bytes }.location();
        self.extents.arrive(self.store, location);
        self.note(page);
        Ok(Some(location))
    }

    /// Takes cells that records have left behind out of a page, until it has so many bytes of room. What a damaged page may refer to stays.
    fn clear_out(&mut self, page: Touched, room: usize) -> Result<()> {
        let (id, bytes) = (self.change.id(page), self.change.bytes(page));
        if cells::count(bytes) <= usize::from(self.extents.share(self.store, id).cells) {
            return Ok(());
        }
        let size = bytes.len();
        let large = cells::all(bytes).filter(|(_, cell)| bodies::may_be_left(size, cell.len()));
        let large: SmallVec<[(u16, Option<u32>); 64]> = large.map(|(number, cell)| (number, bodies::slot(cell))).collect();
        for (number, slot) in large {
            let record = match slot.map(|slot| self.slots.seen(&self.change, slot)).transpose() {
                Err(error) if is_damage(&error) => continue,
                record => record?.flatten(),
            };
            if !record.is_some_and(|record| Place::of(record.location).is_cell(id, number)) {
                cells::remove(&mut self.change, page, number);
                if cells::room(self.change.bytes(page)) >= room {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Puts the cell where the record `old` of a slot lies, if it has room there, or else elsewhere.
    pub fn replace(&mut self, slot: u32, old: &SlotRecord) -> Result<Location> {
        if self.leaves_behind(Place::of(old.location)) {
            match self.place() {
                Ok(location) => {
                    self.leave_behind(old.location)?;
                    return Ok(location);
                }
                // Where it lies it needs no more room.
                Err(full) if full.code == ErrorCode::DeviceFull => {}
                Err(error) => return Err(error),
            }
        }
        let held = self.hold(slot, old)?;
        self.extents.leave(self.store, old.location);
        let Some(page) = held else { return self.place() };
        let place = Place::of(old.location);
        if !self.extents.is_of_other_batch(place.page) && cells::replace(&mut self.change, page, place.cell, self.cell) {
            let location = Place { bytes: bodies::put_bytes(self.body), ..place }.location();
            self.extents.arrive(self.store, location);
            self.note(page);
            return Ok(location);
        }
        self.take_out(page, place.cell)?;
        self.place()
    }

    /// Whether a record that is changed goes elsewhere, and its page stays as it is: one that would have to be written, in the log and in its place, for
    /// one record alone.
    fn leaves_behind(&self, place: Place) -> bool {
        let cache = self.store.pages().cache();
        bodies::is_large(cache.size().bytes(), place)
            && place.page != *self.open
            && !cache.is_dirty(place.page)
            && self.extents.kind_of(self.store, place.page) == Some(Kind::Data)
            && self.store.space().is_roomy()
    }

    /// Leaves a cell in its page, and gives the page back with the last one.
    fn leave_behind(&mut self, location: Location) -> Result<()> {
        let id = Place::of(location).page;
        let left = self.extents.leave(self.store, location);
        if left.cells == 0 && !self.extents.is_of_other_batch(id) {
            return self.extents.give_back(self.store, id);
        }
        self.extents.note_left(self.store, id, left);
        Ok(())
    }

    /// Gives back what the record `old` of a slot takes.
    pub fn release(&mut self, slot: u32, old: &SlotRecord) -> Result<()> {
        let held = self.hold(slot, old)?;
        self.extents.leave(self.store, old.location);
        match held {
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

    /// Takes a cell that no record refers to out of a page, and gives the page back where none refers to any.
    pub fn take_out(&mut self, page: Touched, cell: u16) -> Result<()> {
        cells::remove(&mut self.change, page, cell);
        let id = self.change.id(page);
        if self.extents.share(self.store, id).cells > 0 || self.extents.is_of_other_batch(id) {
            self.note(page);
            return Ok(());
        }
        if *self.open == id {
            *self.open = PageId::NONE;
        }
        self.extents.give_back(self.store, id)
    }

    /// Notes how full a data page is.
    pub fn note(&mut self, page: Touched) {
        let (id, bytes) = (self.change.id(page), self.change.bytes(page));
        let share = self.extents.share(self.store, id);
        let all = bytes.len() - cells::room(bytes);
        let used = if cells::count(bytes) > usize::from(share.cells) { all.min(share.used()) } else { all };
        self.extents.note(self.store, id, used);
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
