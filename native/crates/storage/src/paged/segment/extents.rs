//! The extents of one segment, and what each of their pages is: where its pages come from, and where the room in its data pages is known.
//!
//! Pages of kind Extents, in a row: the next of them (4 bytes at 20), and from byte 24 on an entry for each extent: its number plus one (4; 0 for a
//! hole), and a byte a page:
//!
//! | byte | page |
//! | --- | --- |
//! | 0 | free |
//! | 1..33 | of cells, so many 32nds of it used, less one |
//! | 128 + kind | of another kind |
//!
//! All of it is in memory too, and what an operation takes and gives back changes there first: `settle` writes it down in the operation's change,
//! `keep` or `undo` ends the operation. The first page of an extent for which the row was too short is the row's next page.

mod adopt;
mod kept;
mod pool;
mod room;
mod shares;

use crate::paged::change::Change;
use crate::paged::page::{Kind, PageId, PageSize, u32_at};
use crate::paged::space::{ExtentId, extent_pages};
use crate::paged::store::Store;
pub use adopt::Used;
use hashbrown::HashMap;
pub use pool::Pool;
pub use room::Held;
pub use shares::Shares;
use tessera_base::{Error, ErrorCode, Result};

const NEXT: usize = 20;
const ENTRIES: usize = 24;
/// How finely the fill of a data page is known.
pub const LEVELS: usize = 32;
const FREE: u8 = 0;
/// In memory: of a hole, and of a page that will be free when the operation ends.
const NONE: u8 = 255;
const GIVEN: u8 = 254;
const OTHER: u8 = 128;

/// What a page's byte says.
fn code(kind: Kind, level: usize) -> u8 {
    if kind == Kind::Data { 1 + level as u8 } else { OTHER + kind as u8 }
}

/// Kind of a page and, of a data page, its level.
fn meaning(code: u8) -> Option<(Kind, usize)> {
    match code {
        1..OTHER => (usize::from(code) <= LEVELS).then(|| (Kind::Data, usize::from(code) - 1)),
        _ => Kind::from_byte(code.checked_sub(OTHER)?).filter(|kind| *kind != Kind::Data).map(|kind| (kind, LEVELS - 1)),
    }
}

/// What is written down for a page.
fn written(code: u8) -> u8 {
    if code == GIVEN { FREE } else { code }
}

/// Bytes of an entry, and how many a page has.
fn shape(size: PageSize) -> (usize, usize) {
    let entry = 4 + extent_pages(size);
    (entry, (size.bytes() - ENTRIES) / entry)
}

/// The extents of one segment.
pub struct Extents {
    size: PageSize,
    /// Pages of an extent, bytes of an entry, entries of a page.
    each: usize,
    entry: usize,
    entries: usize,
    /// The row.
    row: Vec<PageId>,
    /// By place in the row; a hole's number means nothing.
    numbers: Vec<ExtentId>,
    holes: Vec<u32>,
    places: HashMap<ExtentId, u32>,
    /// A byte for each page of each place.
    codes: Vec<u8>,
    held: Shares,
    batches: kept::Batches,
    free: usize,
    /// Data pages of each level.
    levels: [u32; LEVELS],
    leaves: usize,
    /// Where the last free page, and the last page with room, were found.
    last_free: usize,
    last_room: usize,
    operation: Operation,
}

/// What the operation that is under way has done so far.
#[derive(Default)]
struct Operation {
    /// Bytes that have changed in memory: where, and what they were.
    changed: Vec<(u32, u8)>,
    /// Pages that will be free.
    given: Vec<u32>,
    /// Places that were filled, each with whether it was a hole, and how many pages the row had before.
    added: Vec<(u32, bool, usize)>,
    /// Places that will be holes.
    emptied: Vec<u32>,
    /// For `settle`.
    writes: Vec<(u32, u8)>,
}

impl Operation {
    fn clear(&mut self) {
        self.changed.clear();
        self.given.clear();
        self.added.clear();
        self.emptied.clear();
    }
}

impl Extents {
    pub fn new(size: PageSize) -> Self {
        let (entry, entries) = shape(size);
        Self {
            size,
            each: extent_pages(size),
            entry,
            entries,
            row: Vec::new(),
            numbers: Vec::new(),
            holes: Vec::new(),
            places: HashMap::new(),
            codes: Vec::new(),
            held: Shares::default(),
            batches: kept::Batches::default(),
            free: 0,
            levels: [0; LEVELS],
            leaves: 0,
            last_free: 0,
            last_room: 0,
            operation: Operation::default(),
        }
    }

    /// Reads the row that begins at `first`.
    ///
    /// # Errors
    /// As `Cache::read`; `record_damaged` where it is no row of extents.
    pub fn load(&mut self, store: &Store, first: PageId) -> Result<()> {
        let mut id = first;
        while id != PageId::NONE {
            if self.row.contains(&id) {
                return Err(damaged(id, "is in a row that has no end"));
            }
            let page = store.pages().cache().read(id)?;
            if Kind::of(&page) != Some(Kind::Extents) {
                return Err(damaged(id, "has no list of extents"));
            }
            self.row.push(id);
            for entry in page[ENTRIES..].chunks_exact(self.entry) {
                self.load_entry(id, entry)?;
            }
            id = PageId(u32_at(&page, NEXT));
        }
        // The row itself is in what it lists.
        if self.row.iter().any(|id| self.code_of(store, *id) != Some(code(Kind::Extents, 0))) {
            return Err(damaged(first, "lists extents that it is not in"));
        }
        self.holes.reverse();
        store.space().claim(&mut self.places.keys().copied())
    }

    fn load_entry(&mut self, id: PageId, entry: &[u8]) -> Result<()> {
        let place = self.numbers.len() as u32;
        let Some(number) = u32_at(entry, 0).checked_sub(1) else {
            self.numbers.push(0);
            self.holes.push(place);
            self.codes.resize(self.codes.len() + self.each, NONE);
            return Ok(());
        };
        if entry[4..].iter().any(|code| *code != FREE && meaning(*code).is_none()) {
            return Err(damaged(id, "says what no page can be"));
        }
        entry[4..].iter().for_each(|code| self.count(*code, true));
        self.numbers.push(number);
        self.codes.extend_from_slice(&entry[4..]);
        if self.places.insert(number, place).is_some() {
            return Err(damaged(id, "has an extent twice"));
        }
        Ok(())
    }

    /// The first page of the row.
    pub fn first(&self) -> PageId {
        self.row.first().copied().unwrap_or(PageId::NONE)
    }

    /// How many extents the segment has.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Every page that is in use: its kind, and how full a data page is, 255 for full.
    pub fn pages<'a>(&'a self, store: &'a Store) -> impl Iterator<Item = (PageId, Kind, u8)> + 'a {
        self.codes.iter().enumerate().filter_map(|(at, code)| {
            let (kind, level) = meaning(*code)?;
            Some((self.page(store, at), kind, ((level + 1) * 255 / LEVELS) as u8))
        })
    }

    fn page(&self, store: &Store, at: usize) -> PageId {
        store.space().page(self.numbers[at / self.each], at % self.each)
    }

    /// Where the byte of a page is.
    fn at(&self, store: &Store, page: PageId) -> Option<usize> {
        let (extent, at) = store.space().place(page)?;
        Some(*self.places.get(&extent)? as usize * self.each + at)
    }

    fn code_of(&self, store: &Store, page: PageId) -> Option<u8> {
        self.at(store, page).map(|at| self.codes[at])
    }

    /// What a page of the segment is; `None` for one that is free, or that is not the segment's.
    pub fn kind_of(&self, store: &Store, page: PageId) -> Option<Kind> {
        meaning(self.code_of(store, page)?).map(|(kind, _)| kind)
    }

    fn count(&mut self, code: u8, more: bool) {
        let step = |count: &mut u32| *count = if more { *count + 1 } else { *count - 1 };
        let step_wide = |count: &mut usize| *count = if more { *count + 1 } else { *count - 1 };
        match meaning(code) {
            Some((Kind::Data, level)) => step(&mut self.levels[level]),
            Some((Kind::Leaf, _)) => step_wide(&mut self.leaves),
            None if code == FREE => step_wide(&mut self.free),
            _ => {}
        }
    }

    fn put(&mut self, at: usize, code: u8) {
        let old = std::mem::replace(&mut self.codes[at], code);
        self.count(old, false);
        self.count(code, true);
    }

    fn set(&mut self, at: usize, code: u8) {
        self.operation.changed.push((at as u32, self.codes[at]));
        self.put(at, code);
    }

    /// A page that nothing refers to.
    ///
    /// # Errors
    /// `device_full`, and as `Cache::write`.
    pub fn take(&mut self, store: &Store, kind: Kind) -> Result<PageId> {
        let (mine, free) = (self.batches.mine(), self.free);
        if free <= self.batches.pages_of_others(mine) {
            self.add(store)?;
        }
        self.batches.change(mine, self.free - free, 1);
        let found = memchr::memchr(FREE, &self.codes[self.last_free..]).map(|at| at + self.last_free);
        let Some(at) = found.or_else(|| memchr::memchr(FREE, &self.codes[..self.last_free])) else {
            return Err(Error::new(ErrorCode::Internal, "a segment has counted free pages that it does not have"));
        };
        self.last_free = at;
        self.set(at, code(kind, 0));
        Ok(self.page(store, at))
    }

    /// Makes the segment one extent larger.
    fn add(&mut self, store: &Store) -> Result<()> {
        let number = store.take_extent()?;
        let rows = self.row.len();
        let (place, hole) = match self.holes.pop() {
            Some(place) => (place, true),
            None => {
                self.numbers.push(number);
                self.codes.resize(self.codes.len() + self.each, NONE);
                (self.numbers.len() as u32 - 1, false)
            }
        };
        let from = place as usize * self.each;
        self.numbers[place as usize] = number;
        self.places.insert(number, place);
        self.codes[from..from + self.each].fill(FREE);
        self.free += self.each;
        self.operation.added.push((place, hole, rows));
        if place as usize / self.entries == rows {
            // The row grows by a whole page of holes, of which this is the first.
            self.row.push(store.space().page(number, 0));
            self.set(from, code(Kind::Extents, 0));
        }
        self.last_free = from;
        Ok(())
    }

    /// Takes a page back, for operations that come after this one.
    ///
    /// # Errors
    /// `record_damaged` for a page that the segment does not use.
    pub fn give_back(&mut self, store: &Store, page: PageId) -> Result<()> {
        match self.at(store, page) {
            Some(at) if ![FREE, GIVEN].contains(&self.codes[at]) => {
                self.set(at, GIVEN);
                self.operation.given.push(at as u32);
                Ok(())
            }
            _ => Err(damaged(page, "is given back by a segment that does not own it")),
        }
    }

    /// Notes how much of a data page is used.
    pub fn note(&mut self, store: &Store, page: PageId, used: usize) {
        let code = code(Kind::Data, (used * LEVELS / self.size.bytes()).min(LEVELS - 1));
        if let Some(at) = self.at(store, page).filter(|at| self.codes[*at] != code) {
            self.set(at, code);
        }
    }

    /// A data page that has room for a cell of so many bytes, of those of at most `most` levels, and is not `but`.
    pub fn with_room(&mut self, store: &Store, bytes: usize, most: usize, but: PageId) -> Option<PageId> {
        // A page of level `l` has `(LEVELS - 1 - l) / LEVELS` of it left at least.
        let levels = (LEVELS - 1).checked_sub((bytes * LEVELS).div_ceil(self.size.bytes()))?.min(most.checked_sub(1)?) + 1;
        if self.levels[..levels].iter().all(|count| *count == 0) {
            return None;
        }
        let (but, hidden) = (self.at(store, but).unwrap_or(usize::MAX), self.hidden(store));
        let fits = |code: u8| code.wrapping_sub(1) < levels as u8;
        let (before, behind) = self.codes.split_at(self.last_room.min(self.codes.len()));
        let search = |codes: &[u8], from: usize| {
            // By blocks, which compilers make one comparison of.
            let blocks = codes.chunks(64).enumerate().filter(|(_, block)| block.iter().fold(false, |any, code| any | fits(*code)));
            let mut places = blocks.flat_map(|(n, block)| (n * 64..).zip(block)).filter(|(_, code)| fits(**code));
            places.find_map(|(at, _)| (at + from != but && !hidden.contains(&(at + from))).then_some(at + from))
        };
        let at = search(behind, before.len()).or_else(|| search(before, 0))?;
        self.last_room = at;
        Some(self.page(store, at))
    }

    /// The emptiest data page, and how many levels of it are used.
    pub fn emptiest(&self, store: &Store) -> Option<(PageId, usize)> {
        let level = self.levels.iter().position(|count| *count > 0)?;
        let at = memchr::memchr(code(Kind::Data, level), &self.codes)?;
        Some((self.page(store, at), level + 1))
    }

    /// Writes down what the operation has taken and given back. To be called once, and last.
    ///
    /// # Errors
    /// As `Cache::write`.
    pub fn settle(&mut self, change: &mut Change<'_>) -> Result<()> {
        self.find_emptied();
        for added in 0..self.operation.added.len() {
            self.write_row(change, self.operation.added[added])?;
        }
        let Operation { changed, added, writes, .. } = &mut self.operation;
        writes.clear();
        writes.extend(changed.iter().map(|(at, _)| (*at, written(self.codes[*at as usize]))));
        writes.retain(|(at, _)| added.iter().all(|(place, ..)| *place as usize != *at as usize / self.each));
        writes.sort_unstable();
        writes.dedup();
        let mut rest = &self.operation.writes[..];
        while let Some((at, _)) = rest.first() {
            let same = rest
                .iter()
                .enumerate()
                .take_while(|(n, (next, _))| *next as usize == *at as usize + n && self.together(*at, *next))
                .count();
            let (run, behind) = rest.split_at(same);
            let page = change.page(self.row[*at as usize / self.each / self.entries])?;
            let offset = self.offset(*at as usize / self.each) + 4 + *at as usize % self.each;
            let mut bytes = [0; 64];
            run.iter().zip(&mut bytes).for_each(|((_, code), byte)| *byte = *code);
            change.write(page, offset, &bytes[..run.len()]);
            rest = behind;
        }
        for place in &self.operation.emptied {
            let page = change.page(self.row[*place as usize / self.entries])?;
            change.write(page, self.offset(*place as usize), &0u32.to_le_bytes());
        }
        Ok(())
    }

    /// Whether the bytes of two pages are in one entry.
    fn together(&self, a: u32, b: u32) -> bool {
        a as usize / self.each == b as usize / self.each
    }

    /// Where in its page of the row the entry of a place begins.
    fn offset(&self, place: usize) -> usize {
        ENTRIES + place % self.entries * self.entry
    }

    /// The extents that have no page in use after the operation.
    fn find_emptied(&mut self) {
        let Operation { given, emptied, .. } = &mut self.operation;
        given.sort_unstable();
        // Some of its pages may be kept.
        let given = if self.batches.is_empty() { &given[..] } else { &[] };
        for at in given {
            let place = *at as usize / self.each;
            let from = place * self.each;
            let codes = &self.codes[from..from + self.each];
            if emptied.last() != Some(&(place as u32)) && codes.iter().all(|code| written(*code) == FREE) {
                emptied.push(place as u32);
            }
        }
    }

    /// Writes the entry of a new extent, and its page of the row where that is new.
    fn write_row(&self, change: &mut Change<'_>, (place, _, rows): (u32, bool, usize)) -> Result<()> {
        let (at, from) = (place as usize / self.entries, place as usize * self.each);
        let page = if at == rows {
            let page = change.format(self.row[at], Kind::Extents)?;
            if let Some(before) = at.checked_sub(1) {
                let before = change.page(self.row[before])?;
                change.write(before, NEXT, &self.row[at].0.to_le_bytes());
            }
            page
        } else {
            change.page(self.row[at])?
        };
        let mut entry = [0; 4 + 64];
        entry[..4].copy_from_slice(&(self.numbers[place as usize] + 1).to_le_bytes());
        self.codes[from..from + self.each].iter().zip(&mut entry[4..]).for_each(|(code, byte)| *byte = written(*code));
        change.write(page, self.offset(place as usize), &entry[..self.entry]);
        Ok(())
    }

    /// The operation's change is in the log.
    pub fn keep(&mut self, store: &Store) {
        let mut operation = std::mem::take(&mut self.operation);
        for at in &operation.given {
            self.put(*at as usize, FREE);
        }
        for place in &operation.emptied {
            let number = self.numbers[*place as usize];
            self.vacate(*place);
            store.space().give(number);
        }
        self.batches.keep(operation.given.len());
        operation.clear();
        self.operation = operation;
        self.held.keep();
    }

    /// The pages of a place, all free, are the segment's no more.
    fn vacate(&mut self, place: u32) {
        let from = place as usize * self.each;
        self.places.remove(&self.numbers[place as usize]);
        self.codes[from..from + self.each].fill(NONE);
        self.free -= self.each;
        self.holes.push(place);
    }

    /// The operation has failed: all is as it was before.
    pub fn undo(&mut self, store: &Store) {
        let mut operation = std::mem::take(&mut self.operation);
        for (at, old) in operation.changed.iter().rev() {
            self.put(*at as usize, *old);
        }
        for (place, hole, rows) in operation.added.iter().rev() {
            let number = self.numbers[*place as usize];
            self.vacate(*place);
            if !hole {
                self.holes.pop();
                self.numbers.pop();
                self.codes.truncate(self.numbers.len() * self.each);
            }
            self.row.truncate(*rows);
            store.space().give(number);
        }
        self.last_free = self.last_free.min(self.codes.len());
        self.held.undo();
        self.batches.undo();
        operation.clear();
        self.operation = operation;
    }

    pub fn heap_bytes(&self) -> usize {
        use tessera_base::heap::block;
        block(self.row.capacity() * 4)
            + block(self.numbers.capacity() * 4)
            + block(self.holes.capacity() * 4)
            + block(self.codes.capacity())
            + self.held.heap_bytes()
            + self.batches.heap_bytes()
            + block(self.places.allocation_size())
    }
}

fn damaged(id: PageId, what: &str) -> Error {
    Error::new(ErrorCode::RecordDamaged, format!("page {} {what}", id.0))
}

#[cfg(any(test, feature = "fuzzing"))]
mod checks;
#[cfg(any(test, feature = "fuzzing"))]
pub use checks::probe;
