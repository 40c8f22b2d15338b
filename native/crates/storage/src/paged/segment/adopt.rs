//! A segment made anew around the records that are left of it: their bodies and the pages of their
//! slot maps stay where they are, and the rest is built.

use super::extents::Used;
use super::operation::Operation;
use super::tree;
use super::{PagedSegment, ROOTS, Roots};
use crate::paged::change::{Change, Room};
use crate::paged::log::Lsn;
use crate::paged::page::{self, Kind, PageId};
use crate::paged::pages::Pages;
use crate::paged::store::Store;
use hashbrown::HashSet;
use std::collections::BTreeMap;
use tessera_base::Result;
use tessera_record::Digest;

/// Pages that one change makes at most.
const PAGES: usize = 16;
/// Slots that one change frees at most.
const SLOTS: usize = 64;
/// Bytes of the log that wait to be written.
const PENDING: u64 = 1024 * 1024;

/// What is left of a segment.
#[derive(Default)]
pub struct Left {
    /// Digest and slot of each record, by digest.
    pub records: tree::Level,
    /// The pages of the slot map, by which of them each is.
    pub maps: BTreeMap<usize, PageId>,
    /// Slots whose entries in these pages are of no record.
    pub free: Vec<u32>,
    /// Every page that the records and their slot maps are in, with its LSN.
    pub pages: BTreeMap<PageId, (Used, Lsn)>,
    /// Pages of slot maps that are of no use any more, each with its LSN.
    pub retired: Vec<(PageId, Lsn)>,
    /// Digests of entries without a body.
    pub lost: HashSet<Digest>,
}

impl PagedSegment {
    /// Builds all that is derived from the records. The segment is of no use afterwards: it is to
    /// be loaded.
    ///
    /// # Errors
    /// `device_full`, `storage_failed`.
    pub fn adopt(&mut self, left: Left) -> Result<()> {
        let Left { records, maps, free, pages, .. } = left;
        self.make_page()?;
        let rows = self.extents.adopt(&self.store, pages.into_iter().map(|(id, (used, _))| (id, used)))?;
        (0..rows).try_for_each(|row| self.list(row))?;
        let count = maps.last_key_value().map_or(0, |(last, _)| last + 1);
        let maps: Vec<Option<PageId>> = (0..count).map(|index| maps.get(&index).copied()).collect();
        for maps in maps.chunks(PAGES) {
            self.step(|operation| {
                maps.iter().try_for_each(|kept| operation.slots.grow(&mut operation.change, operation.extents, operation.store, *kept))
            })?;
        }
        for slots in free.chunks(SLOTS) {
            self.step(|operation| slots.iter().try_for_each(|slot| operation.free_slot(*slot)))?;
        }
        self.plant(records)
    }

    /// Builds the tree.
    fn plant(&mut self, mut level: tree::Level) -> Result<()> {
        let (mut kind, bytes) = (Kind::Leaf, self.store.pages().cache().size().bytes());
        loop {
            let each = tree::per_page(kind, bytes, level.len());
            let mut above = tree::Level::new();
            for entries in level.chunks(each * PAGES) {
                above.extend(self.step(|operation| operation.lay(kind, entries, each))?);
            }
            match above[..] {
                [] => return Ok(()),
                [(_, root)] => {
                    return self.step(|operation| {
                        operation.roots.tree = PageId(root);
                        Ok(())
                    });
                }
                _ => (level, kind) = (above, Kind::Inner),
            }
        }
    }

    fn step<R>(&mut self, work: impl FnOnce(&mut Operation<'_>) -> Result<R>) -> Result<R> {
        let done = self.operate(None, work)?;
        breathe(self.store.pages())?;
        Ok(done)
    }

    /// Writes a page of the row of extents.
    fn list(&mut self, row: usize) -> Result<()> {
        let mut change = Change::begin(self.store.pages().cache(), self.id, &mut self.room);
        self.extents.list(row);
        self.extents.settle(&mut change)?;
        self.roots.extents = self.extents.first();
        let page = change.page(Store::page_of(self.id))?;
        change.write(page, ROOTS, &self.roots.bytes());
        change.commit()?;
        self.extents.keep(&self.store);
        breathe(self.store.pages())
    }
}

/// Makes pages of slot maps that are not used any more, each with its LSN, hold nothing, and the
/// segment's own where it is `empty`: what they say must not be found again.
///
/// # Errors
/// As `PagedSegment::adopt`.
pub fn retire(store: &Store, segment: u16, maps: &[(PageId, Lsn)], empty: bool) -> Result<()> {
    let cache = store.pages().cache();
    let mut pages = vec![];
    for (id, lsn) in maps {
        // It may be another page by now.
        if cache.read(*id).is_ok_and(|page| Kind::of(&page) == Some(Kind::SlotMap) && page::lsn(&page) == *lsn) {
            pages.push((*id, Kind::Directory));
        }
    }
    let own = Store::page_of(segment);
    if empty && cache.read(own).is_ok() {
        pages.push((own, Kind::Segment));
    }
    for pages in pages.chunks(PAGES) {
        let mut room = Room::default();
        let mut change = Change::begin(cache, segment, &mut room);
        pages.iter().try_for_each(|(id, kind)| change.format(*id, *kind).map(drop))?;
        change.commit()?;
        breathe(store.pages())?;
    }
    Ok(())
}

/// Every digest in what can be read of the tree of a segment.
pub fn in_tree(store: &Store, segment: u16) -> Vec<Digest> {
    let cache = store.pages().cache();
    let root =
        cache.read(Store::page_of(segment)).ok().filter(|page| Kind::of(page) == Some(Kind::Segment)).map(|page| Roots::read(&page).tree);
    root.map_or_else(Vec::new, |root| tree::left(cache, root))
}

/// Lets the log be written, and makes a checkpoint where half of it is needed: nobody else does.
fn breathe(pages: &Pages) -> Result<()> {
    let log = pages.log();
    if log.needed_bytes() >= log.capacity() / 2 {
        return pages.checkpoint(&mut || true).map(drop);
    }
    if log.pending_bytes() >= PENDING { log.sync(log.end()) } else { Ok(()) }
}
