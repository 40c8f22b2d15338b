//! Records in memory: each segment appends bodies to extents of its own, so that slot order is about memory order and
//! every byte is accounted for.
//!
//! A body lies behind a header of `u32` length and `u32` slot. A forgotten one only has its slot overwritten; when
//! enough of what is used is dead, the extent with the most dead bytes is rewritten at the tail and freed.

use super::{Location, RecordImage, RecoveryReport, RecoverySink, SegmentBytes, SegmentStore, Storage, StorageUsage};
use crate::arena::{Block, PAGE};
use crate::error::{Error, ErrorCode, Result};
use crate::limits;
use crate::record::{Digest, Meta};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) const HEADER: usize = 8;
const DEAD: u32 = u32::MAX;
const LINE: usize = 64;
/// The largest body with its header ends below 16 MiB.
const OFFSET_BITS: usize = 24;
const _: () = assert!(limits::RECORD_BYTES_MAX + HEADER + PAGE < 1 << OFFSET_BITS);
const LINE_BITS: usize = LINE.ilog2() as usize;
/// Bits of a hint: a line of an extent of usual size, the low bits of an extent's number, a count of lines.
const HINT_LINE_BITS: usize = 14;
const HINT_EXTENT_BITS: usize = 13;
/// Bits of an offset that do not fit in the hint.
const OFFSET_REST_BITS: usize = OFFSET_BITS - HINT_LINE_BITS;
const _: () = assert!(EXTENT_MAX / LINE == 1 << HINT_LINE_BITS && LINES_MAX < 1 << (32 - HINT_LINE_BITS - HINT_EXTENT_BITS));
const EXTENT_MIN: usize = PAGE;
const EXTENT_MAX: usize = 1 << 20;
/// Most cache lines asked for ahead of a read: the processor keeps no more requests in flight, and goes on by itself.
const LINES_MAX: usize = 20;
/// A new extent is this part of what the segment has, or a smaller one where memory is short.
const EXTENT_PART: usize = 8;
const EXTENT_PART_CROWDED: usize = 64;
/// A segment is tidied when this part of its bytes is dead: a quarter, or a sixteenth where memory is short.
const DEAD_SHARE: u64 = 4;
const DEAD_SHARE_CROWDED: u64 = 16;
/// Fewer dead bytes than this in a segment are left alone.
const DEAD_MIN: u64 = 4 << 10;

/// The bodies of one memory namespace.
#[derive(Debug)]
pub struct MemoryStorage {
    usage: Arc<Usage>,
}

#[derive(Debug)]
struct Usage {
    allocated: AtomicU64,
    live: AtomicU64,
    writes: AtomicU64,
    /// Most bytes of extents; `u64::MAX` without a limit.
    limit: u64,
}

impl Usage {
    /// Whether so much is allocated that slack and dead bytes keep live ones out.
    fn crowded(&self) -> bool {
        self.allocated.load(Ordering::Relaxed) > self.limit / 4 * 3
    }
}

impl MemoryStorage {
    /// `limit`: most bytes of memory for bodies.
    pub fn new(limit: Option<u64>) -> Self {
        let usage =
            Usage { allocated: AtomicU64::new(0), live: AtomicU64::new(0), writes: AtomicU64::new(0), limit: limit.unwrap_or(u64::MAX) };
        Self { usage: Arc::new(usage) }
    }
}

/// Bytes that one segment allocates for so many bodies of one size, with memory to spare.
pub(crate) fn bytes_for(bodies: u64, body: usize) -> u64 {
    let each = HEADER + body;
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

impl Storage for MemoryStorage {
    fn segment(&self, _segment: u16) -> Box<dyn SegmentStore> {
        Box::new(Extents {
            extents: Vec::new(),
            vacant: Vec::new(),
            tail: None,
            bytes: SegmentBytes::default(),
            dead: 0,
            usage: self.usage.clone(),
        })
    }

    fn read(&self, _location: Location, _digest: &Digest, _meta: &Meta, _out: &mut Vec<u8>) -> Result<bool> {
        // Every body is resident; a caller that gets here lost a race with a write and looks again.
        Ok(false)
    }

    fn write_point(&self) -> u64 {
        0
    }

    fn sync(&self, _point: u64) -> Result<()> {
        Ok(())
    }

    fn recover(&self, _threads: usize, _sink: &dyn RecoverySink) -> Result<RecoveryReport> {
        Ok(RecoveryReport::default())
    }

    fn usage(&self) -> StorageUsage {
        StorageUsage {
            memory_bytes: self.usage.allocated.load(Ordering::Relaxed),
            live_bytes: self.usage.live.load(Ordering::Relaxed),
            writes: self.usage.writes.load(Ordering::Relaxed),
            ..StorageUsage::default()
        }
    }

    fn live_bytes(&self) -> u64 {
        self.usage.live.load(Ordering::Relaxed)
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }
}

/// One segment's extents.
struct Extents {
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
    /// `None` once its memory is given back.
    block: Option<Block>,
    used: u32,
    dead: u32,
}

impl Extent {
    fn bytes(&self) -> &[u8] {
        self.block.as_ref().map_or(&[], Block::bytes)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self.block.as_mut().map_or(&mut [], Block::bytes_mut)
    }

    /// Length and slot of the body at an offset.
    fn header(&self, at: usize) -> (usize, u32) {
        let bytes = self.bytes();
        let word = |from: usize| u32::from_le_bytes([bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]]);
        (word(at) as usize, word(at + 4))
    }
}

/// The low half is the hint: line in the extent, extent, and lines to ask for, the first two as far as they fit. The high
/// half has the rest: byte in the line, line, extent.
fn place(extent: u32, at: usize, body: usize) -> Location {
    let lines = (at % LINE + HEADER + body).div_ceil(LINE).min(LINES_MAX);
    let (line, extent) = (at / LINE, extent as usize);
    let hint = lines << (HINT_LINE_BITS + HINT_EXTENT_BITS) | low(extent, HINT_EXTENT_BITS) << HINT_LINE_BITS | low(line, HINT_LINE_BITS);
    let rest = (extent >> HINT_EXTENT_BITS) << OFFSET_REST_BITS | (line >> HINT_LINE_BITS) << LINE_BITS | low(at, LINE_BITS);
    // There is at least the header's line.
    Location(NonZeroU64::new((rest as u64) << 32 | hint as u64).unwrap_or(NonZeroU64::MIN))
}

/// Extent and offset in it.
fn parts(location: Location) -> (usize, usize) {
    let (hint, rest) = (location.hint() as usize, (location.0.get() >> 32) as usize);
    let line = (low(rest, OFFSET_REST_BITS) >> LINE_BITS) << HINT_LINE_BITS | low(hint, HINT_LINE_BITS);
    let extent = (rest >> OFFSET_REST_BITS) << HINT_EXTENT_BITS | low(hint >> HINT_LINE_BITS, HINT_EXTENT_BITS);
    (extent, line << LINE_BITS | low(rest, LINE_BITS))
}

fn low(value: usize, bits: usize) -> usize {
    value & ((1 << bits) - 1)
}

impl Extents {
    /// Bytes of the next extent of a segment that has so many, for a body of so many with its header.
    fn next_extent(allocated: usize, part: usize, bytes: usize) -> usize {
        (allocated / part).clamp(EXTENT_MIN, EXTENT_MAX).max(bytes).next_multiple_of(PAGE)
    }

    /// Makes room for `bytes` at the tail.
    fn reserve(&mut self, bytes: usize, limited: bool) -> Result<u32> {
        if let Some(tail) = self.tail {
            let extent = &self.extents[tail as usize];
            if extent.bytes().len() - extent.used as usize >= bytes {
                return Ok(tail);
            }
        }
        // A small part of what is there: slack stays small and the number of extents too.
        let part = if self.usage.crowded() { EXTENT_PART_CROWDED } else { EXTENT_PART };
        let wanted = Self::next_extent(self.bytes.allocated as usize, part, bytes);
        let before = self.usage.allocated.fetch_add(wanted as u64, Ordering::Relaxed);
        if limited && before + wanted as u64 > self.usage.limit {
            self.usage.allocated.fetch_sub(wanted as u64, Ordering::Relaxed);
            let message = format!("the namespace has used its {} bytes of memory for records", self.usage.limit);
            return Err(Error::new(ErrorCode::MemoryFull, message));
        }
        let Some(block) = Block::take(wanted) else {
            self.usage.allocated.fetch_sub(wanted as u64, Ordering::Relaxed);
            return Err(Error::new(ErrorCode::MemoryFull, "the machine has no memory left for records"));
        };
        self.bytes.allocated += wanted as u64;
        let extent = Extent { block: Some(block), used: 0, dead: 0 };
        let index = match self.vacant.pop() {
            Some(index) => {
                self.extents[index as usize] = extent;
                index
            }
            None => {
                self.extents.push(extent);
                (self.extents.len() - 1) as u32
            }
        };
        self.tail = Some(index);
        Ok(index)
    }

    fn append(&mut self, slot: u32, body: &[u8], limited: bool) -> Result<Location> {
        let index = self.reserve(HEADER + body.len(), limited)?;
        let extent = &mut self.extents[index as usize];
        let at = extent.used as usize;
        let room = &mut extent.bytes_mut()[at..at + HEADER + body.len()];
        room[..4].copy_from_slice(&(body.len() as u32).to_le_bytes());
        room[4..HEADER].copy_from_slice(&slot.to_le_bytes());
        room[HEADER..].copy_from_slice(body);
        extent.used += (HEADER + body.len()) as u32;
        Ok(place(index, at, body.len()))
    }

    fn free(&mut self, index: usize) {
        let extent = std::mem::replace(&mut self.extents[index], Extent { block: None, used: 0, dead: 0 });
        self.dead -= u64::from(extent.dead);
        let bytes = extent.bytes().len() as u64;
        self.bytes.allocated -= bytes;
        self.usage.allocated.fetch_sub(bytes, Ordering::Relaxed);
        self.vacant.push(index as u32);
        if self.tail == Some(index as u32) {
            self.tail = None;
        }
    }

    fn live(&mut self, more: usize) {
        self.bytes.live += more as u64;
        self.usage.live.fetch_add(more as u64, Ordering::Relaxed);
    }
}

impl SegmentStore for Extents {
    fn put(&mut self, image: &RecordImage<'_>, replaces: Option<Location>) -> Result<Location> {
        self.usage.writes.fetch_add(1, Ordering::Relaxed);
        if let Some(old) = replaces {
            let (extent, at) = parts(old);
            let bytes = self.extents[extent].bytes_mut();
            if bytes[at..at + 4] == (image.body.len() as u32).to_le_bytes() {
                bytes[at + HEADER..at + HEADER + image.body.len()].copy_from_slice(image.body);
                return Ok(old);
            }
        }
        let location = self.append(image.slot, image.body, true)?;
        self.live(HEADER + image.body.len());
        if let Some(old) = replaces {
            self.forget(old);
        }
        Ok(location)
    }

    fn forget(&mut self, location: Location) {
        let (index, at) = parts(location);
        let extent = &mut self.extents[index];
        let bytes = HEADER + extent.header(at).0;
        extent.bytes_mut()[at + 4..at + HEADER].copy_from_slice(&DEAD.to_le_bytes());
        extent.dead += bytes as u32;
        self.dead += bytes as u64;
        self.bytes.live -= bytes as u64;
        self.usage.live.fetch_sub(bytes as u64, Ordering::Relaxed);
        if extent.dead == extent.used {
            self.free(index);
        }
    }

    fn resident(&self, location: Location) -> Option<&[u8]> {
        let (extent, at) = parts(location);
        let extent = self.extents.get(extent)?;
        let (length, _) = extent.header(at);
        extent.bytes().get(at + HEADER..at + HEADER + length)
    }

    fn stored_bytes(&self, location: Location) -> usize {
        HEADER + self.resident(location).map_or(0, <[u8]>::len)
    }

    fn put_bytes(&self, _set: usize, body: usize) -> usize {
        HEADER + body
    }

    fn prefetch(&self, hint: u32) {
        let hint = hint as usize;
        if let Some(extent) = self.extents.get(low(hint >> HINT_LINE_BITS, HINT_EXTENT_BITS)) {
            let lines = extent.bytes().get(low(hint, HINT_LINE_BITS) << LINE_BITS..).unwrap_or_default();
            crate::prefetch::slice(lines, hint >> (HINT_LINE_BITS + HINT_EXTENT_BITS));
        }
    }

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
            let (length, slot) = self.extents[victim].header(at);
            if slot != DEAD {
                body.clear();
                body.extend_from_slice(&self.extents[victim].bytes()[at + HEADER..at + HEADER + length]);
                let Ok(to) = self.append(slot, &body, false) else { return };
                let extent = &mut self.extents[victim];
                extent.bytes_mut()[at + 4..at + HEADER].copy_from_slice(&DEAD.to_le_bytes());
                extent.dead += (HEADER + length) as u32;
                self.dead += (HEADER + length) as u64;
                moved(slot, place(victim as u32, at, length), to);
            }
            at += HEADER + length;
        }
        self.free(victim);
    }

    fn bytes(&self) -> SegmentBytes {
        self.bytes
    }
}

impl Drop for Extents {
    fn drop(&mut self) {
        self.usage.allocated.fetch_sub(self.bytes.allocated, Ordering::Relaxed);
        self.usage.live.fetch_sub(self.bytes.live, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Meta;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn image(slot: u32, body: &[u8]) -> RecordImage<'_> {
        RecordImage { digest: Digest::default(), slot, meta: Meta::default(), set: "", body }
    }

    proptest! {
        #[test]
        fn bodies_survive_updates_removals_and_compaction(
            operations in prop::collection::vec((0..40u32, 0..3000usize, any::<bool>()), 1..600)
        ) {
            let storage = MemoryStorage::new(None);
            let mut store = storage.segment(0);
            let mut model: BTreeMap<u32, (Location, Vec<u8>)> = BTreeMap::new();
            for (n, (slot, length, remove)) in operations.into_iter().enumerate() {
                if remove {
                    if let Some((location, _)) = model.remove(&slot) {
                        store.forget(location);
                    }
                } else {
                    let body = vec![n as u8; length];
                    let location = store.put(&image(slot, &body), model.get(&slot).map(|m| m.0)).unwrap();
                    model.insert(slot, (location, body));
                }
                store.compact(&mut |slot, from, to| {
                    let known = model.get_mut(&slot).unwrap();
                    assert_eq!(known.0, from);
                    known.0 = to;
                });
                let live: usize = model.values().map(|(_, body)| body.len() + HEADER).sum();
                prop_assert_eq!(store.bytes().live, live as u64);
                prop_assert!(store.bytes().allocated >= live as u64);
            }
            for (location, body) in model.values() {
                prop_assert_eq!(store.resident(*location).unwrap(), &body[..]);
            }
            prop_assert_eq!(storage.usage().memory_bytes, store.bytes().allocated);
            drop(store);
            prop_assert_eq!(storage.usage(), StorageUsage { writes: storage.usage().writes, ..StorageUsage::default() });
        }
    }

    #[test]
    fn updates_run_for_ever_in_bounded_space() {
        let storage = MemoryStorage::new(None);
        let mut store = storage.segment(0);
        let mut places: Vec<Option<Location>> = vec![None; 500];
        for round in 0..40usize {
            for slot in 0..places.len() {
                let body = vec![round as u8; 900 + (slot * 7 + round * 13) % 200];
                places[slot] = Some(store.put(&image(slot as u32, &body), places[slot]).unwrap());
                store.compact(&mut |slot, _, to| places[slot as usize] = Some(to));
            }
        }
        let bytes = store.bytes();
        assert!(bytes.allocated < bytes.live * 2, "{bytes:?}");
    }

    proptest! {
        #[test]
        fn a_place_is_unpacked_as_packed(extent: u32, at in 0..1usize << OFFSET_BITS, body in 0..limits::RECORD_BYTES_MAX) {
            prop_assert_eq!(parts(place(extent, at, body)), (extent as usize, at));
        }
    }

    #[test]
    fn a_limit_refuses_the_write_and_changes_nothing() {
        let storage = MemoryStorage::new(Some(10_000));
        let mut store = storage.segment(0);
        let first = store.put(&image(0, &[1; 3000]), None).unwrap();
        store.put(&image(1, &[2; 3000]), None).unwrap();
        let before = store.bytes();
        let error = store.put(&image(0, &[3; 5000]), Some(first)).unwrap_err();
        assert_eq!(error.code, ErrorCode::MemoryFull);
        assert!(error.retryable());
        assert_eq!(store.bytes(), before);
        assert_eq!(store.resident(first).unwrap(), [1; 3000]);
    }
}
