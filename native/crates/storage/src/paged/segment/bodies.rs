//! Bodies of records: in cells of data pages, or, of long ones, in pages of their own.
//!
//! A location is page (32 bits), cell (12) and stored length in units of 16 bytes (20). A cell begins with the version of the record: slot (4 bytes; the
//! highest bit: a long body), the first 6 bytes of the digest, generation (2), low 32 bits of the last write (4). Then comes the body; or, where the cell would be
//! longer than a third of a page, length (4) and CRC32C (4) of the body, and the numbers (4) of its pages.
//!
//! These are of kind Overflow: number of the part (4 bytes at 20), the version (16), and from byte 40 on a part of the body. Where even their numbers
//! make the cell too long, they are the parts behind those of the body, and the cell has the numbers of these.

use crate::Location;
use crate::paged::cache::Cache;
use crate::paged::cells;
use crate::paged::page::{Kind, PageId, u32_at};
use crate::paged::store::Store;
use std::num::NonZeroU64;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::{BodyRef, Digest, Meta};

/// Bytes of a version.
pub const VERSION: usize = 16;
/// What locations count bytes in.
const UNIT: usize = 16;
const LONG: u32 = 1 << 31;
/// Where the numbers of pages begin in a cell.
const NUMBERS: usize = VERSION + 8;
/// Where a part of a long body begins in its page, and its number and version.
pub const PART: usize = 40;
pub const PART_NUMBER: usize = 20;

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub page: PageId,
    pub cell: u16,
    /// Stored bytes.
    pub bytes: usize,
}

impl Place {
    /// Numbers of cells are below this.
    pub const CELLS: u16 = 1 << 12;

    pub fn of(location: Location) -> Self {
        let bits = location.0.get();
        Self { page: PageId((bits >> 32) as u32), cell: (bits >> 20) as u16 % Self::CELLS, bytes: (bits % (1 << 20)) as usize * UNIT }
    }

    /// Whether it is this cell of this page.
    pub fn is_cell(self, page: PageId, cell: u16) -> bool {
        (self.page, self.cell) == (page, cell)
    }

    pub fn location(self) -> Location {
        let bits = u64::from(self.page.0) << 32 | u64::from(self.cell) << 20 | (self.bytes / UNIT) as u64;
        Location(NonZeroU64::MIN.saturating_add(bits.saturating_sub(1)))
    }
}

/// Bytes that a body of so many counts for.
pub const fn put_bytes(body: usize) -> usize {
    (VERSION + body).next_multiple_of(UNIT)
}

/// Bytes that a stored body counts for.
pub fn stored_bytes(location: Location) -> usize {
    Place::of(location).bytes
}

/// Which version of which record: what a cell, and every page of a long body, begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub slot: u32,
    rest: [u8; VERSION - 4],
}

impl Version {
    pub fn new(slot: u32, digest: &Digest, meta: &Meta) -> Self {
        let mut rest = [0; VERSION - 4];
        rest[..6].copy_from_slice(&digest.0[..6]);
        rest[6..8].copy_from_slice(&meta.generation.to_le_bytes());
        rest[8..].copy_from_slice(&(meta.updated_at as u32).to_le_bytes());
        Self { slot, rest }
    }

    /// What a cell or part begins with.
    pub fn bytes(self, long: bool) -> [u8; VERSION] {
        let mut out = [0; VERSION];
        out[..4].copy_from_slice(&(self.slot | if long { LONG } else { 0 }).to_le_bytes());
        out[4..].copy_from_slice(&self.rest);
        out
    }

    /// The version of a cell, and whether its body is long.
    fn read(cell: &[u8]) -> Option<(Self, bool)> {
        let (head, _) = cell.split_first_chunk::<VERSION>()?;
        let slot = u32_at(head, 0);
        Some((Self { slot: slot % LONG, rest: std::array::from_fn(|at| head[4 + at]) }, slot >= LONG))
    }

    /// Whether it is of this digest at this time, in whatever slot.
    fn is_of(self, digest: &Digest, meta: &Meta) -> bool {
        self == Self::new(self.slot, digest, meta)
    }
}

/// The slot of the record that a cell is, or was, of.
pub fn slot(cell: &[u8]) -> Option<u32> {
    Version::read(cell).map(|(version, _)| version.slot)
}

/// A long body, as its cell tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Long {
    pub version: Version,
    /// Bytes of the body, and their CRC32C.
    pub length: usize,
    pub crc: u32,
    /// The pages that the cell names: of the body, or of their numbers.
    pub pages: Vec<PageId>,
}

/// How a long body is spread over pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Bytes of a part.
    pub part: usize,
    /// Pages of the body, and of their numbers; 0 where the cell has them.
    pub bodies: usize,
    pub lists: usize,
}

impl Spread {
    pub const fn new(page_bytes: usize, length: usize) -> Self {
        let part = page_bytes - PART;
        let bodies = length.div_ceil(part);
        let lists = if NUMBERS + bodies * 4 <= cell_most(page_bytes) { 0 } else { (bodies * 4).div_ceil(part) };
        Self { part, bodies, lists }
    }

    /// How many pages the cell names.
    pub const fn named(&self) -> usize {
        if self.lists == 0 { self.bodies } else { self.lists }
    }
}

/// Longest cell.
pub const fn cell_most(page_bytes: usize) -> usize {
    page_bytes / 3
}

/// Whether a body goes into pages of its own.
pub const fn is_long(page_bytes: usize, body: usize) -> bool {
    VERSION + body > cell_most(page_bytes)
}

/// Bytes of the cell of a body of so many, and how many pages of its own it has.
pub const fn shape(page_bytes: usize, body: usize) -> (usize, usize) {
    if !is_long(page_bytes, body) {
        return (VERSION + body, 0);
    }
    let spread = Spread::new(page_bytes, body);
    (NUMBERS + spread.named() * 4, spread.bodies + spread.lists)
}

/// Bytes of the cell at a place, to within 16.
pub const fn cell_bytes(page_bytes: usize, place: Place) -> usize {
    // Of a body that is a few bytes too long to be in its cell the place does not tell that.
    if place.bytes <= cell_most(page_bytes).next_multiple_of(UNIT) { place.bytes } else { shape(page_bytes, body_bytes(place)).0 }
}

/// Whether the cell at a place may be left behind when its record goes: it is of a body, and so large that a page has few like it.
pub const fn is_large(page_bytes: usize, place: Place) -> bool {
    place.bytes >= page_bytes / 64 && place.bytes <= cell_most(page_bytes)
}

/// Whether a cell of so many bytes may be one that was left behind.
pub const fn may_be_left(page_bytes: usize, cell: usize) -> bool {
    cell.next_multiple_of(UNIT) >= page_bytes / 64
}

/// Bytes of the body at a place, to within 8, which is what its stored bytes tell.
pub const fn body_bytes(place: Place) -> usize {
    place.bytes.saturating_sub(VERSION + UNIT / 2)
}

/// Writes the cell of a body that is not long.
pub fn make_cell(out: &mut Vec<u8>, version: Version, body: &[u8]) {
    out.clear();
    out.extend_from_slice(&version.bytes(false));
    out.extend_from_slice(body);
}

/// Writes the cell of a long body.
pub fn make_long_cell(out: &mut Vec<u8>, version: Version, body: &[u8], named: &[PageId]) {
    out.clear();
    out.extend_from_slice(&version.bytes(true));
    out.extend_from_slice(&(body.len() as u32).to_le_bytes());
    out.extend_from_slice(&crc32c::crc32c(body).to_le_bytes());
    named.iter().for_each(|page| out.extend_from_slice(&page.0.to_le_bytes()));
}

/// What is in a cell.
#[derive(Debug, PartialEq, Eq)]
pub enum Content<'a> {
    Body(&'a [u8]),
    Long(Long),
}

/// Version and content of a cell of a page; `None` for what is none.
pub fn content(page: &[u8], cell: u16) -> Option<(Version, Content<'_>)> {
    if Kind::of(page) != Some(Kind::Data) {
        return None;
    }
    let cell = cells::get(page, cell)?;
    let (version, long) = Version::read(cell)?;
    if !long {
        return Some((version, Content::Body(&cell[VERSION..])));
    }
    let numbers = cell.get(NUMBERS..)?;
    let (length, crc) = (u32_at(cell, VERSION) as usize, u32_at(cell, VERSION + 4));
    if numbers.len() != Spread::new(page.len(), length).named().checked_mul(4)? {
        return None;
    }
    let pages = numbers.chunks_exact(4).map(|number| PageId(u32_at(number, 0))).collect();
    Some((version, Content::Long(Long { version, length, crc, pages })))
}

/// What a page holds for `location`, if that is this version of `digest`'s record.
pub fn find<'a>(page: &'a [u8], location: Location, digest: &Digest, meta: &Meta) -> Option<Content<'a>> {
    find_with_slot(page, location, digest, meta).map(|(_, content)| content)
}

/// As `find`, with the record's slot.
pub fn find_with_slot<'a>(page: &'a [u8], location: Location, digest: &Digest, meta: &Meta) -> Option<(u32, Content<'a>)> {
    let (version, content) = content(page, Place::of(location).cell)?;
    version.is_of(digest, meta).then_some((version.slot, content))
}

/// The bytes of a page that is part `number` of a version's body.
pub fn part(page: &[u8], version: Version, number: usize) -> Option<&[u8]> {
    let is = Kind::of(page) == Some(Kind::Overflow)
        && u32_at(page, PART_NUMBER) as usize == number
        && page[PART_NUMBER + 4..PART] == version.bytes(true);
    is.then(|| &page[PART..])
}

/// The pages of a long body, in its order, and those of their numbers; `None` where a page is of another version.
///
/// # Errors
/// As `Cache::read`.
pub fn pages_of(cache: &Cache, long: &Long) -> Result<Option<(Vec<PageId>, Vec<PageId>)>> {
    let spread = Spread::new(cache.size().bytes(), long.length);
    if spread.lists == 0 {
        return Ok(Some((long.pages.clone(), Vec::new())));
    }
    let mut bodies = Vec::new();
    for (n, id) in long.pages.iter().enumerate() {
        let page = cache.read(*id)?;
        let Some(numbers) = part(&page, long.version, spread.bodies + n) else { return Ok(None) };
        let left = spread.bodies.saturating_sub(bodies.len());
        bodies.extend(numbers.chunks_exact(4).take(left).map(|number| PageId(u32_at(number, 0))));
    }
    Ok(Some((bodies, long.pages.clone())))
}

/// Reads a body into `out`, cleared first. No lock is needed: `false` where the place now holds something else.
///
/// # Errors
/// `record_damaged`, `storage_failed`, `device_overload`.
pub fn read(store: &Store, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
    out.clear();
    let cache = store.pages().cache();
    let long = {
        let page = cache.read(Place::of(location).page)?;
        match find(&page, location, digest, meta) {
            Some(Content::Body(body)) => {
                check_nesting(body)?;
                out.extend_from_slice(body);
                return Ok(true);
            }
            Some(Content::Long(long)) => long,
            None => return Ok(false),
        }
    };
    read_long(cache, &long, out)
}

/// Reads a long body into `out`, cleared first, as its cell tells it: `false` where a page now holds something else.
///
/// # Errors
/// As `read`.
pub fn read_long(cache: &Cache, long: &Long, out: &mut Vec<u8>) -> Result<bool> {
    out.clear();
    let Some((bodies, _)) = pages_of(cache, long)? else { return Ok(false) };
    for (n, id) in bodies.iter().enumerate() {
        let page = cache.read(*id)?;
        let Some(part) = part(&page, long.version, n) else { return Ok(false) };
        out.extend_from_slice(&part[..part.len().min(long.length - out.len())]);
    }
    check(out, long)?;
    Ok(true)
}

/// Checks that what goes down into the values of a body comes to an end soon.
///
/// # Errors
/// `record_damaged`.
pub fn check_nesting(body: &[u8]) -> Result<()> {
    let allowed = BodyRef::new(body).nests_as_allowed();
    let damaged = || Error::new(ErrorCode::RecordDamaged, "a record has values that nest deeper than any that was ever taken");
    if allowed { Ok(()) } else { Err(damaged()) }
}

/// Checks a long body that was read.
///
/// # Errors
/// `record_damaged`.
pub fn check(body: &[u8], long: &Long) -> Result<()> {
    if body.len() == long.length && crc32c::crc32c(body) == long.crc {
        return check_nesting(body);
    }
    Err(Error::new(ErrorCode::RecordDamaged, format!("the parts of a record of {} bytes do not fit each other", long.length)))
}
