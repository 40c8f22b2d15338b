//! The slot map of a segment: an entry of 42 bytes for every slot, in order, from byte 24 of pages of kind `SlotMap`.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..20 | digest |
//! | 20..28 | location; 0 for a free slot |
//! | 28..32 | expiry, Unix seconds |
//! | 32..38 | last write, Unix milliseconds |
//! | 38..40 | generation |
//! | 40..42 | number of the set |
//!
//! Where these pages are is in pages of kind Directory, in a row: the next of them (4 bytes at 20), and from byte 24 on 4 bytes a page.

use super::extents::Extents;
use crate::paged::cache::Cache;
use crate::paged::cells::write_changed;
use crate::paged::change::{Change, Touched};
use crate::paged::page::{Kind, PageId, PageSize, u16_at, u32_at, u64_at};
use crate::paged::store::Store;
use crate::{Location, SlotRecord};
use std::num::NonZeroU64;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::{Digest, Meta};

pub const ENTRY: usize = 42;
const NEXT: usize = 20;
const FIRST: usize = 24;
const LOCATION: usize = 20;
/// Slots are below this: cells use the highest bit of a slot for something else.
pub const SLOTS: u32 = 1 << 31;

/// Where the pages of a slot map are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Grown {
    pages: usize,
    directories: usize,
}

pub struct SlotMap {
    /// Entries of a page, and pages of a directory page.
    per_page: usize,
    per_directory: usize,
    directories: Vec<PageId>,
    pages: Vec<PageId>,
    /// What there was before the operation that is under way.
    before: Grown,
}

fn encode(record: &SlotRecord, set: u16) -> [u8; ENTRY] {
    let mut out = [0; ENTRY];
    out[..20].copy_from_slice(&record.digest.0);
    out[LOCATION..28].copy_from_slice(&record.location.0.get().to_le_bytes());
    out[28..32].copy_from_slice(&record.meta.expires_at.to_le_bytes());
    out[32..38].copy_from_slice(&record.meta.updated_at.to_le_bytes()[..6]);
    out[38..40].copy_from_slice(&record.meta.generation.to_le_bytes());
    out[40..].copy_from_slice(&set.to_le_bytes());
    out
}

/// The record of an entry, and the number of its set; `None` for one of a free slot.
fn decode(entry: &[u8]) -> Option<(SlotRecord, u16)> {
    let location = Location(NonZeroU64::new(u64_at(entry, LOCATION))?);
    let updated_at = u64::from(u32_at(entry, 32)) | u64::from(u16_at(entry, 36)) << 32;
    let meta = Meta { generation: u16_at(entry, 38), expires_at: u32_at(entry, 28), updated_at };
    Some((SlotRecord { digest: Digest(std::array::from_fn(|at| entry[at])), location, meta }, u16_at(entry, 40)))
}

/// How many entries a page of so many bytes has.
pub fn per_page(page_bytes: usize) -> usize {
    (page_bytes - FIRST) / ENTRY
}

/// The records of a page: which of its entries each is, the record, and the number of its set.
pub fn entries(page: &[u8]) -> impl Iterator<Item = (usize, SlotRecord, u16)> {
    let entries = page[FIRST..].chunks_exact(ENTRY).enumerate();
    entries.filter_map(|(at, entry)| decode(entry).map(|(record, set)| (at, record, set)))
}

fn damaged(id: PageId) -> Error {
    Error::new(ErrorCode::RecordDamaged, format!("page {} does not belong to the slot map of its segment", id.0))
}

impl SlotMap {
    pub fn new(size: PageSize) -> Self {
        Self {
            per_page: per_page(size.bytes()),
            per_directory: (size.bytes() - FIRST) / 4,
            directories: Vec::new(),
            pages: Vec::new(),
            before: Grown::default(),
        }
    }

    /// Reads the row of directories that begins at `first`, and gives every record to `each`: slot, set number, record.
    ///
    /// # Errors
    /// As `Cache::read`, `record_damaged`, and what `each` refuses with.
    pub fn load(
        &mut self,
        store: &Store,
        extents: &Extents,
        first: PageId,
        each: &mut dyn FnMut(u32, u16, &SlotRecord) -> Result<()>,
    ) -> Result<()> {
        let mut id = first;
        while id != PageId::NONE {
            // Each but the last is full, and none comes twice.
            let full = self.directories.len() * self.per_directory == self.pages.len();
            if !full || self.directories.contains(&id) || extents.kind_of(store, id) != Some(Kind::Directory) {
                return Err(damaged(id));
            }
            let page = store.pages().cache().read(id)?;
            if Kind::of(&page) != Some(Kind::Directory) {
                return Err(damaged(id));
            }
            self.directories.push(id);
            let numbers = page[FIRST..FIRST + self.per_directory * 4].chunks_exact(4).map(|number| PageId(u32_at(number, 0)));
            self.pages.extend(numbers.take_while(|number| *number != PageId::NONE));
            id = PageId(u32_at(&page, NEXT));
        }
        let mut sorted = self.pages.clone();
        sorted.sort_unstable();
        if self.pages.len() > SLOTS as usize / self.per_page || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(damaged(first));
        }
        self.keep();
        for (at, id) in self.pages.iter().enumerate() {
            if extents.kind_of(store, *id) != Some(Kind::SlotMap) {
                return Err(damaged(*id));
            }
            let page = store.pages().cache().read(*id)?;
            if Kind::of(&page) != Some(Kind::SlotMap) {
                return Err(damaged(*id));
            }
            for (n, entry) in page[FIRST..].chunks_exact(ENTRY).enumerate() {
                if let Some((record, set)) = decode(entry) {
                    each((at * self.per_page + n) as u32, set, &record)?;
                }
            }
        }
        Ok(())
    }

    /// The first page of the row of directories.
    pub fn first(&self) -> PageId {
        self.directories.first().copied().unwrap_or(PageId::NONE)
    }

    /// The page of a slot, and where in it.
    fn place(&self, slot: u32) -> Option<(PageId, usize)> {
        let slot = slot as usize;
        self.pages.get(slot / self.per_page).map(|id| (*id, FIRST + slot % self.per_page * ENTRY))
    }

    /// The record in a slot, and the number of its set.
    ///
    /// # Errors
    /// As `Cache::read`.
    pub fn get(&self, cache: &Cache, slot: u32) -> Result<Option<(SlotRecord, u16)>> {
        let Some((id, at)) = self.place(slot) else { return Ok(None) };
        let page = cache.read(id)?;
        if Kind::of(&page) != Some(Kind::SlotMap) {
            return Err(damaged(id));
        }
        Ok(decode(&page[at..at + ENTRY]))
    }

    fn touch(&self, change: &mut Change<'_>, slot: u32) -> Result<(Touched, usize)> {
        let (id, at) = self.place(slot).ok_or_else(|| Error::new(ErrorCode::Internal, format!("slot {slot} has no entry")))?;
        let page = change.page(id)?;
        if Kind::of(change.bytes(page)) == Some(Kind::SlotMap) { Ok((page, at)) } else { Err(damaged(id)) }
    }

    /// As `get`, for who may have changed pages of the slot map.
    ///
    /// # Errors
    /// As `Cache::read`.
    pub fn seen(&self, change: &Change<'_>, slot: u32) -> Result<Option<SlotRecord>> {
        let Some((id, at)) = self.place(slot) else { return Ok(None) };
        change.look(id, |page| match Kind::of(page) {
            Some(Kind::SlotMap) => Ok(decode(&page[at..at + ENTRY]).map(|(record, _)| record)),
            _ => Err(damaged(id)),
        })?
    }

    /// Notes the record of a slot. One that is past all others may need pages.
    ///
    /// # Errors
    /// `device_full`, `record_damaged`, and as `Cache::write`.
    pub fn put(
        &mut self,
        change: &mut Change<'_>,
        extents: &mut Extents,
        store: &Store,
        slot: u32,
        set: u16,
        record: &SlotRecord,
    ) -> Result<()> {
        if slot >= SLOTS {
            return Err(Error::said(ErrorCode::DeviceFull, sentence!("a segment can have at most 2^31 records; use more segments")));
        }
        while slot as usize / self.per_page >= self.pages.len() {
            self.grow(change, extents, store, None)?;
        }
        let (page, at) = self.touch(change, slot)?;
        write_changed(change, page, at, &encode(record, set));
        Ok(())
    }

    /// Notes that a record lies elsewhere.
    ///
    /// # Errors
    /// As `Cache::write`.
    pub fn set_location(&self, change: &mut Change<'_>, slot: u32, location: Location) -> Result<()> {
        let (page, at) = self.touch(change, slot)?;
        change.write(page, at + LOCATION, &location.0.get().to_le_bytes());
        Ok(())
    }

    /// Notes that a slot is free.
    ///
    /// # Errors
    /// As `Cache::write`.
    pub fn free(&self, change: &mut Change<'_>, slot: u32) -> Result<()> {
        let (page, at) = self.touch(change, slot)?;
        change.write(page, at + LOCATION, &[0; 8]);
        Ok(())
    }

    /// Adds a page: `kept`, which has entries already, or a new one.
    pub(super) fn grow(&mut self, change: &mut Change<'_>, extents: &mut Extents, store: &Store, kept: Option<PageId>) -> Result<()> {
        let (directory, at) = (self.pages.len() / self.per_directory, self.pages.len() % self.per_directory);
        if directory == self.directories.len() {
            let id = extents.take(store, Kind::Directory)?;
            change.format(id, Kind::Directory)?;
            if let Some(last) = self.directories.last() {
                let last = change.page(*last)?;
                change.write(last, NEXT, &id.0.to_le_bytes());
            }
            self.directories.push(id);
        }
        let id = match kept {
            Some(id) => id,
            None => {
                let id = extents.take(store, Kind::SlotMap)?;
                change.format(id, Kind::SlotMap)?;
                id
            }
        };
        let directory = change.page(self.directories[directory])?;
        change.write(directory, FIRST + at * 4, &id.0.to_le_bytes());
        self.pages.push(id);
        Ok(())
    }

    /// The operation's change is in the log.
    pub fn keep(&mut self) {
        self.before = Grown { pages: self.pages.len(), directories: self.directories.len() };
    }

    /// The operation has failed: all is as it was before.
    pub fn undo(&mut self) {
        self.pages.truncate(self.before.pages);
        self.directories.truncate(self.before.directories);
    }

    pub fn heap_bytes(&self) -> usize {
        tessera_base::heap::block(self.pages.capacity() * 4) + tessera_base::heap::block(self.directories.capacity() * 4)
    }
}

/// Reads what may be a page of a slot map: what is an entry is written as it was.
#[cfg(any(test, feature = "fuzzing"))]
pub fn probe(page: &[u8]) {
    for entry in page[FIRST..].chunks_exact(ENTRY) {
        if let Some((record, set)) = decode(entry) {
            assert_eq!(encode(&record, set), entry);
        }
    }
}

/// For tests that look at a segment as a whole.
#[cfg(test)]
impl SlotMap {
    pub fn same_as(&self, known: &Self) {
        assert_eq!((&self.directories, &self.pages), (&known.directories, &known.pages), "slot map on the disk, and in memory");
    }

    pub fn row(&self) -> impl Iterator<Item = (PageId, Kind)> {
        let directories = self.directories.iter().map(|id| (*id, Kind::Directory));
        directories.chain(self.pages.iter().map(|id| (*id, Kind::SlotMap)))
    }
}
