//! A segment of the paged engine: its slot map, its tree of digests, and the bodies of its records, changed together.
//!
//! Every insert, update and removal is one change of the log, made whole or not at all; the parts of a long body go ahead of it, in changes of their own, into
//! pages that are free until the last one says otherwise. Each method is called with the segment's lock held, `&mut self` for writing.
//!
//! The segment's page, kind Segment: root of the tree (4 bytes at 20), first page of the row of extents (4 at 24), and of that of directories (4 at 28).

mod adopt;
mod batch;
pub mod bodies;
mod compact;
pub mod extents;
mod free_slots;
mod hints;
mod operation;
pub mod slot_map;
pub mod tree;

use super::change::{Change, Room};
use super::page::{Kind, PageId, u32_at};
use super::store::Store;
use crate::{Location, RecordImage, SegmentBytes, SlotRecord};
pub(super) use adopt::{Left, in_tree, retire};
use bodies::Version;
use extents::{Extents, Held, Shares};
use free_slots::FreeSlots;
use hints::Hints;
pub(super) use hints::frames_bytes;
use operation::Operation;
use slot_map::SlotMap;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};
use tessera_index::set_column::SetColumn;
use tessera_record::Digest;

const ROOTS: usize = 20;
/// Pages' worth of room that is kept for the next operation: one that has images of its pages needs no more.
const PAGES_KEPT: usize = 4;

/// Where everything of a segment begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Roots {
    tree: PageId,
    extents: PageId,
    directories: PageId,
}

impl Roots {
    fn read(page: &[u8]) -> Self {
        let id = |at: usize| PageId(u32_at(page, ROOTS + at * 4));
        Self { tree: id(0), extents: id(1), directories: id(2) }
    }

    fn bytes(self) -> [u8; 12] {
        let ids = [self.tree, self.extents, self.directories];
        std::array::from_fn(|at| ids[at / 4].0.to_le_bytes()[at % 4])
    }
}

pub struct PagedSegment {
    store: Arc<Store>,
    id: u16,
    /// Its page was used before.
    used: bool,
    roots: Roots,
    extents: Extents,
    slots: SlotMap,
    sets: SetColumn,
    free: FreeSlots,
    hints: Hints,
    len: usize,
    live: u64,
    /// Bytes of the extents that the space was told can be used again.
    reusable: u64,
    /// The data page that takes what has no place yet.
    open: PageId,
    room: Room,
    cell: Vec<u8>,
}

impl PagedSegment {
    /// A segment without records; of a store that was opened `load` comes next.
    pub fn new(store: Arc<Store>, id: u16) -> Self {
        let size = store.pages().cache().size();
        let hints = Hints::new(hints::bytes(store.pages().cache().bytes()) / u64::from(store.segments()));
        Self {
            store,
            id,
            used: false,
            roots: Roots::default(),
            extents: Extents::new(size),
            slots: SlotMap::new(size),
            sets: SetColumn::default(),
            free: FreeSlots::default(),
            hints,
            len: 0,
            live: 0,
            reusable: 0,
            open: PageId::NONE,
            room: Room::default(),
            cell: Vec::new(),
        }
    }

    /// Part of opening: reads the segment's page, its extents and its slot map, and gives every record to `each` in the order of slots: slot, id of the set,
    /// record. `Store::bind` has been called.
    ///
    /// # Errors
    /// `record_damaged` for pages that are not whole or make no sense, `storage_failed`, and what `each` refuses with: then the segment is of no use.
    pub fn load(&mut self, each: &mut dyn FnMut(u32, u16, &SlotRecord) -> Result<()>) -> Result<()> {
        let Self { store, id, sets, len, live, extents, slots, .. } = self;
        let mut shares = Shares::default();
        self.used = store.is_used(*id)?;
        if self.used {
            let page = Store::page_of(*id);
            self.roots = {
                let page = store.pages().cache().read(page)?;
                if Kind::of(&page) != Some(Kind::Segment) {
                    return Err(Error::new(ErrorCode::RecordDamaged, format!("segment {id} has no page of its own")));
                }
                Roots::read(&page)
            };
            extents.load(store, self.roots.extents)?;
            slots.load(store, extents, self.roots.directories, &mut |slot, number, record| {
                let set = store.set_id(number).ok_or_else(|| {
                    Error::new(ErrorCode::RecordDamaged, format!("slot {slot} of segment {id} refers to set {number}, which has no name"))
                })?;
                sets.put(slot, set);
                *len += 1;
                *live += bodies::stored_bytes(record.location) as u64;
                extents.tally(store, &mut shares, record.location);
                each(slot, set, record)
            })?;
            extents.hold(shares);
            self.free.load(&self.sets, self.len);
            self.hints.fit(self.len);
            store.pages().records().found(*live);
            self.tell_room();
        }
        self.store.space().loaded();
        Ok(())
    }

    /// How many records there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slot that the next `insert` takes.
    pub fn next_slot(&self) -> u32 {
        self.free.next().unwrap_or_else(|| self.sets.end())
    }

    /// The set of each record.
    #[inline]
    pub fn sets(&self) -> &SetColumn {
        &self.sets
    }

    /// The slot of a digest.
    ///
    /// # Errors
    /// As `Cache::read`.
    #[inline]
    pub fn find(&self, digest: &Digest) -> Result<Option<u32>> {
        Ok(self.seek(digest)?.map(|(slot, _)| slot))
    }

    /// The record in a slot; `None` where that is free.
    ///
    /// # Errors
    /// As `Cache::read`.
    pub fn get(&self, slot: u32) -> Result<Option<SlotRecord>> {
        if self.sets.is_free(slot) {
            return Ok(None);
        }
        Ok(self.slots.get(self.store.pages().cache(), slot)?.map(|(record, _)| record))
    }

    /// The record of a digest, and its slot.
    ///
    /// # Errors
    /// As `Cache::read`; `record_damaged` where the tree and the slot map do not agree.
    pub fn seek(&self, digest: &Digest) -> Result<Option<(u32, SlotRecord)>> {
        for slot in self.hints.of(digest) {
            // A guess that ends at a damaged page is none: the tree says whether the digest is really there.
            if let Ok(Some(record)) = self.get(slot)
                && record.digest == *digest
            {
                return Ok(Some((slot, record)));
            }
        }
        if self.roots.tree == PageId::NONE {
            return Ok(None);
        }
        let Some(slot) = tree::find(self.store.pages().cache(), self.roots.tree, digest)? else { return Ok(None) };
        self.hints.note(digest, slot);
        match self.get(slot)? {
            Some(record) if record.digest == *digest => Ok(Some((slot, record))),
            _ => Err(Error::new(ErrorCode::RecordDamaged, format!("slot {slot} of segment {} does not hold {digest}", self.id))),
        }
    }

    /// Adds a record that is not there, into `next_slot()`.
    ///
    /// # Errors
    /// `device_full`, `device_overload` where the log is full, `set_limit`, `record_damaged`, `storage_failed`; then nothing has changed.
    pub fn insert(&mut self, set: u16, image: &RecordImage<'_>) -> Result<Location> {
        let RecordImage { digest, meta, slot, .. } = *image;
        let number = self.begin(set, image)?;
        let location = self.operate(Some(image), |operation| {
            operation.add_digest(&digest, slot)?;
            let location = operation.place()?;
            operation.set_record(slot, number, &SlotRecord { digest, location, meta })?;
            Ok(location)
        })?;
        self.sets.put(slot, set);
        self.free.taken(slot, &self.sets);
        self.len += 1;
        self.live += bodies::stored_bytes(location) as u64;
        self.store.pages().records().wrote(image.body.len(), bodies::stored_bytes(location), 0);
        self.hints.fit(self.len);
        self.hints.note(&digest, slot);
        Ok(location)
    }

    /// Replaces the record `old` in slot `image.slot`.
    ///
    /// # Errors
    /// As `insert`.
    pub fn update(&mut self, set: u16, old: &SlotRecord, image: &RecordImage<'_>) -> Result<Location> {
        let RecordImage { digest, meta, slot, .. } = *image;
        let number = self.begin(set, image)?;
        let location = self.operate(Some(image), |operation| {
            let location = operation.replace(slot, old)?;
            operation.set_record(slot, number, &SlotRecord { digest, location, meta })?;
            Ok(location)
        })?;
        self.sets.put(slot, set);
        self.live += bodies::stored_bytes(location) as u64;
        self.live -= bodies::stored_bytes(old.location) as u64;
        self.store.pages().records().wrote(image.body.len(), bodies::stored_bytes(location), bodies::stored_bytes(old.location));
        Ok(location)
    }

    /// Removes the record `old` in a slot. The body of one whose page is damaged stays where it is; its room is lost.
    ///
    /// # Errors
    /// As `insert`.
    pub fn remove(&mut self, slot: u32, old: &SlotRecord) -> Result<()> {
        self.operate(None, |operation| {
            operation.remove_digest(&old.digest)?;
            operation.free_slot(slot)?;
            operation.release(slot, old)
        })?;
        self.sets.free(slot);
        self.free.freed(slot);
        self.len -= 1;
        self.live -= bodies::stored_bytes(old.location) as u64;
        self.store.pages().records().wrote(0, 0, bodies::stored_bytes(old.location));
        Ok(())
    }

    /// Bytes of the records' cells, and of the segment's extents.
    pub fn bytes(&self) -> SegmentBytes {
        SegmentBytes { live: self.live, allocated: self.extents.len() as u64 * u64::from(super::space::EXTENT_BYTES) }
    }

    /// Bytes of memory that the segment holds for itself.
    pub fn heap_bytes(&self) -> usize {
        self.extents.heap_bytes()
            + self.slots.heap_bytes()
            + self.sets.heap_bytes()
            + self.free.heap_bytes()
            + self.hints.heap_bytes()
            + self.room.heap_bytes()
    }

    /// Bytes that a body of so many will count for.
    #[inline]
    pub fn put_bytes(body: usize) -> usize {
        bodies::put_bytes(body)
    }

    /// Bytes that a stored body counts for.
    #[inline]
    pub fn stored_bytes(location: Location) -> usize {
        bodies::stored_bytes(location)
    }

    /// Every page in use but the segment's own: kind, and how full a data page is, 255 for full. Nothing is read from the disk.
    pub fn pages(&self) -> impl Iterator<Item = (PageId, Kind, u8)> + '_ {
        self.extents.pages(&self.store)
    }

    /// What comes before an operation that stores a record: the number of its set, and a tree.
    fn begin(&mut self, set: u16, image: &RecordImage<'_>) -> Result<u16> {
        let number = self.store.set_number(set, image.set)?;
        if !self.used {
            self.make_page()?;
        }
        if self.roots.tree == PageId::NONE {
            self.operate(None, |operation| operation.make_tree())?;
        }
        Ok(number)
    }

    /// Makes the segment's own page.
    fn make_page(&mut self) -> Result<()> {
        let page = Store::page_of(self.id);
        let mut change = Change::begin(self.store.pages().cache(), self.id, &mut self.room);
        change.format(page, Kind::Segment)?;
        change.commit()?;
        self.store.set_used(self.id)?;
        self.used = true;
        Ok(())
    }

    /// Does `work` as one change; `image` is what `work` will place. Where anything fails all is as before.
    fn operate<R>(&mut self, image: Option<&RecordImage<'_>>, work: impl FnOnce(&mut Operation<'_>) -> Result<R>) -> Result<R> {
        let Self { store, id, roots, extents, slots, open, room, cell, .. } = self;
        let of_batch = extents.open_of_batch();
        let (mut roots_now, mut open_now) = (*roots, of_batch.unwrap_or(*open));
        let whole = || {
            let body = image.map_or(0, |image| image.body.len());
            if let Some(image) = image {
                let version = Version::new(image.slot, &image.digest, &image.meta);
                operation::make_cell(store, extents, *id, cell, version, image.body)?;
            }
            let change = Change::begin(store.pages().cache(), *id, room);
            let before = *roots;
            let (roots, open) = (&mut roots_now, &mut open_now);
            let mut operation = Operation { store, id: *id, change, roots, before, extents, slots, open, cell, body };
            let done = work(&mut operation)?;
            operation.commit()?;
            Ok(done)
        };
        let done = whole();
        let touched = extents.are_touched();
        if done.is_ok() {
            extents.keep(store);
            slots.keep();
            *roots = roots_now;
            match of_batch {
                Some(_) => extents.set_open_of_batch(open_now),
                None => *open = open_now,
            }
        } else {
            extents.undo(store);
            slots.undo();
        }
        room.shrink(store.pages().cache().size().bytes() * PAGES_KEPT);
        if touched && done.is_ok() {
            self.tell_room();
        }
        done
    }

    /// Tells the space how much of the extents what is stored next can use.
    fn tell_room(&mut self) {
        let space = self.store.space();
        if !space.is_bounded() {
            return;
        }
        let free_slots = (self.sets.end() as usize).saturating_sub(self.len) * slot_map::ENTRY;
        let now = self.extents.room(Held { records: self.len, free_slots: free_slots as u64, live: self.live });
        space.tell_room(std::mem::replace(&mut self.reusable, now), now);
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod verify;
