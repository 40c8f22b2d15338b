//! The memory of one segment: extents that are filled from the start, and one rewritten now and then.

use super::Usage;
use super::place::{EXTENT_MAX, EXTENTS_MAX, HEADER, hinted, parts, place, room};
use super::site::{SITE_BYTES_MAX, Site};
use crate::{Location, RecordImage, SegmentBytes, SegmentStore};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::arena::{Block, PAGE};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

const DEAD: u32 = u32::MAX;
const EXTENT_MIN: usize = PAGE;
/// A new extent is this part of what the segment has, or a smaller one where memory is short.
const EXTENT_PART: usize = 8;
const EXTENT_PART_CROWDED: usize = 64;
/// A segment is tidied when this part of its bytes is dead: a quarter, or a sixteenth where memory is short.
const DEAD_SHARE: u64 = 4;
const DEAD_SHARE_CROWDED: u64 = 16;
/// Bodies of more cache lines are large: of those that are only glanced at, the first line is asked for.
const SMALL_LINES: usize = 3;
/// Fewer dead bytes than this in a segment are left alone.
const DEAD_MIN: u64 = 4 << 10;

const _: () = assert!(room(limits::RECORD_BYTES_MAX) + PAGE <= SITE_BYTES_MAX);

/// Bytes that one segment allocates for so many bodies of one size, with memory to spare.
pub fn bytes_for(bodies: u64, body: usize) -> u64 {
    let each = room(body);
    let (mut allocated, mut held) = (0u64, 0u64);
    while held < bodies {
        let extent = Extents::next_extent(allocated as usize, EXTENT_PART, each);
        let holds = (extent / each) as u64;
        // From the largest size on, extents are all the same.
        let count = if extent >= EXTENT_MAX { (bodies - held).div_ceil(holds) } else { 1 };
        allocated += count * extent as u64;
        held += count * holds;
    }
    allocated
}

/// One segment's extents.
#[repr(C)]
pub struct Extents {
    /// Of each extent, where its memory is: what a read needs of it, and nothing else.
    sites: Vec<Site>,
    extents: Vec<Extent>,
    /// Places in `extents` whose memory is given back.
    vacant: Vec<u32>,
    /// The extent that takes the next body.
    tail: Option<u32>,
    bytes: SegmentBytes,
    dead: u64,
    usage: Arc<Usage>,
}

/// Memory of a fixed size, filled from the start.
struct Extent {
    /// `None` once it is given back, and then the site is `NONE`. Reached by the site alone.
    block: Option<Block>,
    used: u32,
    dead: u32,
}

impl Extents {
    pub(super) fn new(usage: Arc<Usage>) -> Self {
        Self { sites: Vec::new(), extents: Vec::new(), vacant: Vec::new(), tail: None, bytes: SegmentBytes::default(), dead: 0, usage }
    }

    /// The list that a read looks its extent up in.
    #[inline]
    pub const fn list(&self) -> *const u8 {
        self.sites.as_ptr().cast()
    }

    /// The bytes of an extent; none where it has been given back.
    #[inline]
    fn bytes_of(&self, extent: usize) -> &[u8] {
        let site = self.sites.get(extent).copied().unwrap_or(Site::NONE);
        // SAFETY: the block belongs to the extent of the same number, which cannot be given back nor written to while `self` is borrowed.
        unsafe { site.bytes() }
    }

    #[inline]
    fn bytes_of_mut(&mut self, extent: usize) -> &mut [u8] {
        let site = self.sites.get(extent).copied().unwrap_or(Site::NONE);
        // SAFETY: as of `bytes_of`, and `&mut self` makes this the only access.
        unsafe { site.bytes_mut() }
    }

    /// Length and slot of the body at an offset.
    #[inline]
    fn header(&self, extent: usize, at: usize) -> (usize, u32) {
        let bytes = self.bytes_of(extent);
        let word = |from: usize| u32::from_le_bytes([bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]]);
        (word(at) as usize, word(at + 4))
    }

    /// Marks the body at an offset as dead.
    #[inline]
    fn kill(&mut self, extent: usize, at: usize) {
        self.bytes_of_mut(extent)[at + 4..at + HEADER].copy_from_slice(&DEAD.to_le_bytes());
    }

    /// Bytes of the next extent of a segment that has so many, for a body of so many with its header.
    fn next_extent(allocated: usize, part: usize, bytes: usize) -> usize {
        (allocated / part).clamp(EXTENT_MIN, EXTENT_MAX).max(bytes).next_multiple_of(PAGE)
    }

    /// Makes room for `bytes` at the tail.
    fn reserve(&mut self, bytes: usize, limited: bool) -> Result<u32> {
        if let Some(tail) = self.tail {
            let used = self.extents[tail as usize].used as usize;
            // What begins beyond the usual size has no place that could be named.
            if self.bytes_of(tail as usize).len() - used >= bytes && used < EXTENT_MAX {
                return Ok(tail);
            }
        }
        if self.vacant.is_empty() && self.extents.len() == EXTENTS_MAX {
            return Err(Error::said(ErrorCode::MemoryFull, sentence!("a segment has reached its largest size; use more segments")));
        }
        // A small part of what is there: slack stays small and the number of extents too.
        let part = if self.usage.crowded() { EXTENT_PART_CROWDED } else { EXTENT_PART };
        let wanted = Self::next_extent(self.bytes.allocated as usize, part, bytes);
        self.usage.take(wanted as u64, limited)?;
        let Some(mut block) = Block::take(wanted) else {
            self.usage.give(wanted as u64);
            return Err(Error::said(
                ErrorCode::MemoryFull,
                sentence!("the machine has no memory left for records; delete records, or add memory"),
            ));
        };
        self.bytes.allocated += wanted as u64;
        let site = Site::of(&mut block);
        let extent = Extent { block: Some(block), used: 0, dead: 0 };
        let index = match self.vacant.pop() {
            Some(index) => {
                (self.sites[index as usize], self.extents[index as usize]) = (site, extent);
                index
            }
            None => {
                self.sites.push(site);
                self.extents.push(extent);
                (self.extents.len() - 1) as u32
            }
        };
        self.tail = Some(index);
        Ok(index)
    }

    #[inline]
    fn append(&mut self, slot: u32, body: &[u8], limited: bool) -> Result<Location> {
        let bytes = room(body.len());
        let index = self.reserve(bytes, limited)?;
        let at = self.extents[index as usize].used as usize;
        let room = &mut self.bytes_of_mut(index as usize)[at..at + HEADER + body.len()];
        room[..4].copy_from_slice(&(body.len() as u32).to_le_bytes());
        room[4..HEADER].copy_from_slice(&slot.to_le_bytes());
        room[HEADER..].copy_from_slice(body);
        self.extents[index as usize].used += bytes as u32;
        Ok(place(index, at, body.len()))
    }

    fn free(&mut self, index: usize) {
        let extent = std::mem::replace(&mut self.extents[index], Extent { block: None, used: 0, dead: 0 });
        self.sites[index] = Site::NONE;
        self.dead -= u64::from(extent.dead);
        let bytes = extent.block.as_ref().map_or(0, Block::page_bytes) as u64;
        self.bytes.allocated -= bytes;
        self.usage.give(bytes);
        self.vacant.push(index as u32);
        if self.tail == Some(index as u32) {
            self.tail = None;
        }
    }

    #[inline]
    fn live(&mut self, more: usize) {
        self.bytes.live += more as u64;
        self.usage.live.fetch_add(more as u64, Ordering::Relaxed);
    }
}

impl SegmentStore for Extents {
    #[inline]
    fn put(&mut self, image: &RecordImage<'_>, replaces: Option<Location>) -> Result<Location> {
        if let Some(old) = replaces {
            let (extent, at) = parts(old);
            let bytes = self.bytes_of_mut(extent);
            if bytes[at..at + 4] == (image.body.len() as u32).to_le_bytes() {
                bytes[at + HEADER..at + HEADER + image.body.len()].copy_from_slice(image.body);
                return Ok(old);
            }
        }
        let location = self.append(image.slot, image.body, true)?;
        self.live(room(image.body.len()));
        if let Some(old) = replaces {
            self.forget(old);
        }
        Ok(location)
    }

    #[inline]
    fn forget(&mut self, location: Location) {
        let (index, at) = parts(location);
        let bytes = room(self.header(index, at).0);
        self.kill(index, at);
        let extent = &mut self.extents[index];
        extent.dead += bytes as u32;
        let empty = extent.dead == extent.used;
        self.dead += bytes as u64;
        self.bytes.live -= bytes as u64;
        self.usage.live.fetch_sub(bytes as u64, Ordering::Relaxed);
        if empty {
            self.free(index);
        }
    }

    #[inline]
    fn resident(&self, location: Location) -> Option<&[u8]> {
        let (extent, at) = parts(location);
        let from = self.bytes_of(extent).get(at..)?;
        let length = u32::from_le_bytes(*from.first_chunk()?) as usize;
        from.get(HEADER..HEADER + length)
    }

    #[inline]
    fn stored_bytes(&self, location: Location) -> usize {
        self.resident(location).map_or(HEADER, |body| room(body.len()))
    }

    #[inline]
    fn put_bytes(&self, _set: usize, body: usize) -> usize {
        room(body)
    }

    #[inline]
    fn prefetch(&self, hint: u32) {
        let (extent, start, lines) = hinted(hint);
        tessera_base::prefetch::slice(self.bytes_of(extent).get(start..).unwrap_or_default(), lines);
    }

    #[inline]
    fn prefetch_beginning(&self, hint: u32) {
        let (extent, start, lines) = hinted(hint);
        let lines = if lines > SMALL_LINES { 1 } else { lines };
        tessera_base::prefetch::slice(self.bytes_of(extent).get(start..).unwrap_or_default(), lines);
    }

    #[inline]
    fn prefetches(&self) -> bool {
        true
    }

    fn compact(&mut self, moved: &mut dyn FnMut(u32, Location, Location)) {
        let share = if self.usage.crowded() { DEAD_SHARE_CROWDED } else { DEAD_SHARE };
        if self.dead < DEAD_MIN || self.dead * share < self.bytes.live + self.dead {
            return;
        }
        let Some(victim) = (0..self.extents.len()).max_by_key(|&n| self.extents[n].dead) else { return };
        if self.tail == Some(victim as u32) {
            self.tail = None;
        }
        // The copies go elsewhere, so the victim stays whole until its last record has moved.
        let (mut at, mut body) = (0, Vec::new());
        while at < self.extents[victim].used as usize {
            let (length, slot) = self.header(victim, at);
            if slot != DEAD {
                body.clear();
                body.extend_from_slice(&self.bytes_of(victim)[at + HEADER..at + HEADER + length]);
                let Ok(to) = self.append(slot, &body, false) else { return };
                self.kill(victim, at);
                self.extents[victim].dead += room(length) as u32;
                self.dead += room(length) as u64;
                moved(slot, place(victim as u32, at, length), to);
            }
            at += room(length);
        }
        self.free(victim);
    }

    #[inline]
    fn bytes(&self) -> SegmentBytes {
        self.bytes
    }
}

impl Drop for Extents {
    fn drop(&mut self) {
        self.usage.give(self.bytes.allocated);
        self.usage.live.fetch_sub(self.bytes.live, Ordering::Relaxed);
    }
}
