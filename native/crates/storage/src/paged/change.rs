//! What one operation does to the pages of one segment: applied as it is made, logged whole, undone whole where it fails.
//!
//! A change is one record of the log, and the pages that it has touched stay locked until the record is there. So redo is all that a start needs (ARIES, Mohan et al.,
//! 1992, without its undo): what lies on the disk is of changes that are in the log.
//!
//! The payload is a row of entries, numbers little-endian:
//!
//! | first byte | then |
//! | --- | --- |
//! | 1: image | page (4 bytes), begin and length of a hole of zeros (2, 2), the rest of the page |
//! | 2: format | page (4), kind (1): the page is zeros, but for its header |
//! | 3: write | page (4), offset (2), length (2), bytes |
//! | 4: shift | page (4), from (2), to (2), length (2): bytes move within the page |
//!
//! Images come first and show the page after the change; the record's other entries of those pages are passed over. A page has an image in the first record that changes it
//! after a checkpoint has begun, so that a page torn by a crash is never read.

use super::cache::{Cache, PageMut};
use super::log::{Lsn, Refused};
use super::page::{self, Kind, PageId, u16_at, u32_at};
use smallvec::SmallVec;
use tessera_base::{Error, ErrorCode, Result, sentence};

const IMAGE: u8 = 1;
const FORMAT: u8 = 2;
const WRITE: u8 = 3;
const SHIFT: u8 = 4;

/// A page of a change, for as long as that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched(usize);

/// Room that changes of a segment use one after the other.
#[derive(Debug, Default)]
pub struct Room {
    entries: Vec<u8>,
    payload: Vec<u8>,
    undo: Vec<u8>,
    /// What has to be undone, the oldest first.
    steps: Vec<ChangeStep>,
}

impl Room {
    /// Gives back what is larger than `bytes` each.
    pub fn shrink(&mut self, bytes: usize) {
        for buffer in [&mut self.entries, &mut self.payload, &mut self.undo] {
            if buffer.capacity() > bytes {
                buffer.clear();
                buffer.shrink_to(bytes);
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.entries.capacity() + self.payload.capacity() + self.undo.capacity() + self.steps.capacity() * size_of::<ChangeStep>()
    }
}

pub struct Change<'a> {
    cache: &'a Cache,
    segment: u16,
    /// As many as nearly every change has are kept without allocating.
    pages: SmallVec<[Page<'a>; 8]>,
    room: &'a mut Room,
}

struct Page<'a> {
    id: PageId,
    page: PageMut<'a>,
    formatted: bool,
    changed: bool,
}

#[derive(Debug)]
struct ChangeStep {
    page: usize,
    at: usize,
    /// Where its old bytes begin in `Room::undo`.
    old: usize,
}

impl<'a> Change<'a> {
    pub fn begin(cache: &'a Cache, segment: u16, room: &'a mut Room) -> Self {
        room.entries.clear();
        room.undo.clear();
        room.steps.clear();
        Self { cache, segment, pages: SmallVec::new(), room }
    }

    /// A page, locked until the change ends.
    ///
    /// # Errors
    /// As `Cache::write`.
    pub fn page(&mut self, id: PageId) -> Result<Touched> {
        if let Some(at) = self.pages.iter().position(|page| page.id == id) {
            return Ok(Touched(at));
        }
        let page = self.cache.write(id)?;
        Ok(self.hold(id, page, false))
    }

    /// Looks at a page, as the change has left it.
    ///
    /// # Errors
    /// As `Cache::read`.
    pub fn look<R>(&self, id: PageId, look: impl FnOnce(&[u8]) -> R) -> Result<R> {
        match self.pages.iter().find(|page| page.id == id) {
            Some(page) => Ok(look(page.page.bytes())),
            None => self.cache.read(id).map(|page| look(&page)),
        }
    }

    /// Makes a page that nothing refers to one of `kind`.
    ///
    /// # Errors
    /// As `Cache::fresh`.
    pub fn format(&mut self, id: PageId, kind: Kind) -> Result<Touched> {
        let mut page = self.cache.fresh(id)?;
        // What it was is of no use to anybody, so it is not undone; but it is written only behind what has freed it.
        let lsn = page::lsn(page.bytes()).max(self.cache.log().end());
        page::format(page.bytes_mut(), id, kind, self.segment);
        page::set_lsn(page.bytes_mut(), lsn);
        self.room.entries.push(FORMAT);
        self.room.entries.extend_from_slice(&id.0.to_le_bytes());
        self.room.entries.push(kind as u8);
        Ok(self.hold(id, page, true))
    }

    fn hold(&mut self, id: PageId, page: PageMut<'a>, formatted: bool) -> Touched {
        self.pages.push(Page { id, page, formatted, changed: formatted });
        Touched(self.pages.len() - 1)
    }

    pub fn id(&self, page: Touched) -> PageId {
        self.pages[page.0].id
    }

    pub fn bytes(&self, page: Touched) -> &[u8] {
        self.pages[page.0].page.bytes()
    }

    /// Writes `bytes` at offset `at` of a page, behind its header.
    pub fn write(&mut self, page: Touched, at: usize, bytes: &[u8]) {
        self.keep(page, at, bytes.len());
        let Page { id, page, .. } = &mut self.pages[page.0];
        page.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
        let entries = &mut self.room.entries;
        entries.push(WRITE);
        entries.extend_from_slice(&id.0.to_le_bytes());
        entries.extend_from_slice(&(at as u16).to_le_bytes());
        entries.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
        entries.extend_from_slice(bytes);
    }

    /// Moves `length` bytes of a page; where they were and are no more they stay as they are.
    pub fn shift(&mut self, page: Touched, from: usize, to: usize, length: usize) {
        if length == 0 || from == to {
            return;
        }
        self.keep(page, to, length);
        let Page { id, page, .. } = &mut self.pages[page.0];
        page.bytes_mut().copy_within(from..from + length, to);
        let entries = &mut self.room.entries;
        entries.push(SHIFT);
        entries.extend_from_slice(&id.0.to_le_bytes());
        [from, to, length].iter().for_each(|number| entries.extend_from_slice(&(*number as u16).to_le_bytes()));
    }

    /// Keeps what is about to be overwritten.
    fn keep(&mut self, page: Touched, at: usize, length: usize) {
        debug_assert!(at >= page::HEADER, "the header is the change's own");
        let Page { page: bytes, formatted, changed, .. } = &mut self.pages[page.0];
        *changed = true;
        if !*formatted {
            self.room.steps.push(ChangeStep { page: page.0, at, old: self.room.undo.len() });
            self.room.undo.extend_from_slice(&bytes.bytes()[at..at + length]);
        }
    }

    /// Logs the change, and lets its pages go; answers the LSN that is to be waited for where the change has to be durable.
    ///
    /// # Errors
    /// `storage_failed`; `device_overload` where the log is full and no checkpoint has made room: then nothing has changed.
    pub fn commit(mut self) -> Result<Lsn> {
        if !self.pages.iter().any(|page| page.changed) {
            return Ok(0);
        }
        let log = self.cache.log();
        let before = log.end();
        self.pages.iter_mut().filter(|page| page.changed).for_each(|page| page.page.mark(before));
        loop {
            let redo = log.redo();
            let images = self.make_payload(redo);
            match log.append(self.segment, &self.room.payload, images, redo) {
                Ok(lsn) => {
                    self.pages.iter_mut().filter(|page| page.changed).for_each(|page| page::set_lsn(page.page.bytes_mut(), lsn));
                    self.room.steps.clear();
                    return Ok(lsn);
                }
                Err(Refused::RedoMoved) => {}
                Err(Refused::Full) => {
                    return Err(Error::said(
                        ErrorCode::DeviceOverload,
                        sentence!("the log is full until the next checkpoint; try again later"),
                    ));
                }
                Err(Refused::Failed(error)) => return Err(error),
            }
        }
    }

    /// Answers how many bytes of it are images.
    fn make_payload(&mut self, redo: Lsn) -> usize {
        let Room { entries, payload, .. } = &mut *self.room;
        payload.clear();
        for page in self.pages.iter().filter(|page| page.changed && !page.formatted && page::lsn(page.page.bytes()) <= redo) {
            push_image(payload, page.id, page.page.bytes());
        }
        let images = payload.len();
        payload.extend_from_slice(entries);
        images
    }
}

impl Drop for Change<'_> {
    /// Undoes what was not committed.
    fn drop(&mut self) {
        while let Some(ChangeStep { page, at, old }) = self.room.steps.pop() {
            let bytes = &self.room.undo[old..];
            self.pages[page].page.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
            self.room.undo.truncate(old);
        }
    }
}

fn push_image(out: &mut Vec<u8>, id: PageId, page: &[u8]) {
    let (hole, length) = longest_hole(page);
    out.push(IMAGE);
    out.extend_from_slice(&id.0.to_le_bytes());
    [hole, length].iter().for_each(|number| out.extend_from_slice(&(*number as u16).to_le_bytes()));
    out.extend_from_slice(&page[..hole]);
    out.extend_from_slice(&page[hole + length..]);
}

/// The longest run of zeros, by words of eight bytes: begin and length.
fn longest_hole(page: &[u8]) -> (usize, usize) {
    let (mut best, mut run) = ((0, 0), 0);
    for (at, word) in page.chunks_exact(8).enumerate() {
        run = if word == [0; 8] { run + 8 } else { 0 };
        if run > best.1 {
            best = (at * 8 + 8 - run, run);
        }
    }
    best
}

/// An entry of a payload.
#[derive(Debug, PartialEq, Eq)]
enum Entry<'a> {
    Image { hole: usize, length: usize, rest: &'a [u8] },
    Format(Kind),
    Write { at: usize, bytes: &'a [u8] },
    Shift { from: usize, to: usize, length: usize },
}

/// The next entry of a payload of pages of `size` bytes: its page, itself, and what follows; `None` where it is none.
fn parse(bytes: &[u8], size: usize) -> Option<(PageId, Entry<'_>, &[u8])> {
    let (head, rest) = bytes.split_at_checked(5)?;
    let number = |at: usize| rest.get(at..at + 2).map(|_| usize::from(u16_at(rest, at)));
    let (entry, length) = match head[0] {
        IMAGE => {
            let (hole, zeros) = (number(0)?, number(2)?);
            let length = 4 + size.checked_sub(zeros).filter(|kept| hole <= *kept)?;
            (Entry::Image { hole, length: zeros, rest: rest.get(4..length)? }, length)
        }
        FORMAT => (Entry::Format(Kind::from_byte(*rest.first()?)?), 1),
        WRITE => {
            let (at, length) = (number(0)?, number(2)?);
            (Entry::Write { at, bytes: rest.get(4..4 + length).filter(|_| at >= page::HEADER && at + length <= size)? }, 4 + length)
        }
        SHIFT => {
            let (from, to, length) = (number(0)?, number(2)?, number(4)?);
            let inside = from.min(to) >= page::HEADER && from.max(to) + length <= size;
            (Entry::Shift { from, to, length: inside.then_some(length)? }, 6)
        }
        _ => return None,
    };
    Some((PageId(u32_at(head, 1)), entry, &rest[length..]))
}

/// Does again what a record says, where its pages are older. They stay locked until all of it is done: what is written back meanwhile has a record whole or
/// not at all, as it is told by the LSN. A record that makes no sense, or one page of which cannot be had, changes none. `past_damage`: pages that are
/// damaged are left as they are.
///
/// # Errors
/// `storage_failed` for a payload that is none, and as `Cache::write`.
pub fn redo(cache: &Cache, segment: u16, payload: &[u8], lsn: Lsn, past_damage: bool) -> Result<()> {
    let mut pages: SmallVec<[Redone<'_>; 8]> = SmallVec::new();
    let mut entries: SmallVec<[(usize, Entry<'_>); 16]> = SmallVec::new();
    let mut rest = payload;
    while !rest.is_empty() {
        let Some((id, entry, behind)) = parse(rest, cache.size().bytes()) else {
            return Err(Error::new(ErrorCode::StorageFailed, format!("the log record before byte {lsn} is invalid")));
        };
        rest = behind;
        let at = match pages.iter().position(|page| page.id == id) {
            Some(at) => at,
            None => {
                let whole = matches!(entry, Entry::Image { .. } | Entry::Format(_));
                let page = match if whole { cache.fresh(id) } else { cache.write(id) } {
                    Err(error) if past_damage && error.code == ErrorCode::RecordDamaged => continue,
                    page => page?,
                };
                let older = page::lsn(page.bytes()) < lsn;
                pages.push(Redone { id, page, older, imaged: false });
                pages.len() - 1
            }
        };
        entries.push((at, entry));
    }
    for (at, entry) in &entries {
        let page = &mut pages[*at];
        if page.older && !page.imaged {
            page.imaged = matches!(entry, Entry::Image { .. });
            apply(page.page.bytes_mut(), page.id, segment, entry);
        }
    }
    for Redone { page, .. } in pages.iter_mut().filter(|page| page.older) {
        page.mark(lsn - 1);
        page::set_lsn(page.bytes_mut(), lsn);
    }
    Ok(())
}

struct Redone<'a> {
    id: PageId,
    page: PageMut<'a>,
    /// It does not have the record yet.
    older: bool,
    /// It has all of the record at once.
    imaged: bool,
}

fn apply(bytes: &mut [u8], id: PageId, segment: u16, entry: &Entry<'_>) {
    match *entry {
        Entry::Image { hole, length, rest } => {
            bytes[..hole].copy_from_slice(&rest[..hole]);
            bytes[hole..hole + length].fill(0);
            bytes[hole + length..].copy_from_slice(&rest[hole..]);
        }
        Entry::Format(kind) => page::format(bytes, id, kind, segment),
        Entry::Write { at, bytes: new } => bytes[at..at + new.len()].copy_from_slice(new),
        Entry::Shift { from, to, length } => bytes.copy_within(from..from + length, to),
    }
}

#[cfg(test)]
mod tests;
