//! Records in memory: each segment appends bodies to extents of its own, so that slot order is about memory order and
//! every byte is accounted for.
//!
//! A body lies behind a header of `u32` length and `u32` slot. A forgotten one only has its slot overwritten; when a
//! quarter of what is used is dead, the extent with the most dead bytes is rewritten at the tail and freed.

use super::{Location, RecordImage, RecoveryReport, RecoverySink, SegmentBytes, SegmentStore, Storage, StorageUsage};
use crate::error::{Error, ErrorCode, Result};
use crate::record::Digest;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const HEADER: usize = 8;
const DEAD: u32 = u32::MAX;
const EXTENT_MIN: usize = 4 << 10;
const EXTENT_MAX: usize = 1 << 20;
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

impl MemoryStorage {
    /// `limit`: most bytes of memory for bodies.
    pub fn new(limit: Option<u64>) -> Self {
        let usage =
            Usage { allocated: AtomicU64::new(0), live: AtomicU64::new(0), writes: AtomicU64::new(0), limit: limit.unwrap_or(u64::MAX) };
        Self { usage: Arc::new(usage) }
    }
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

    fn read(&self, _location: Location, _digest: &Digest, _out: &mut Vec<u8>) -> Result<bool> {
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

/// Memory of a fixed capacity, filled from the start. The vector never grows past what it was made with.
#[derive(Default)]
struct Extent {
    data: Vec<u8>,
    dead: u32,
}

impl Extent {
    fn header(&self, at: usize) -> (usize, u32) {
        let word = |from: usize| u32::from_le_bytes([self.data[from], self.data[from + 1], self.data[from + 2], self.data[from + 3]]);
        (word(at) as usize, word(at + 4))
    }
}

fn place(extent: u32, at: usize) -> Location {
    Location(NonZeroU64::MIN.saturating_add((u64::from(extent) << 32) + at as u64))
}

fn parts(location: Location) -> (usize, usize) {
    let packed = location.0.get() - 1;
    ((packed >> 32) as usize, packed as u32 as usize)
}

impl Extents {
    /// Makes room for `bytes` at the tail.
    fn reserve(&mut self, bytes: usize, limited: bool) -> Result<u32> {
        if let Some(tail) = self.tail {
            let data = &self.extents[tail as usize].data;
            if data.capacity() - data.len() >= bytes {
                return Ok(tail);
            }
        }
        // An eighth of what is there: slack stays small and the number of extents too.
        let wanted = (self.bytes.allocated as usize / 8).next_multiple_of(EXTENT_MIN).clamp(EXTENT_MIN, EXTENT_MAX).max(bytes);
        let before = self.usage.allocated.fetch_add(wanted as u64, Ordering::Relaxed);
        if limited && before + wanted as u64 > self.usage.limit {
            self.usage.allocated.fetch_sub(wanted as u64, Ordering::Relaxed);
            let message = format!("the namespace has used its {} bytes of memory for records", self.usage.limit);
            return Err(Error::new(ErrorCode::MemoryFull, message));
        }
        let mut data = Vec::new();
        if data.try_reserve_exact(wanted).is_err() {
            self.usage.allocated.fetch_sub(wanted as u64, Ordering::Relaxed);
            return Err(Error::new(ErrorCode::MemoryFull, "the machine has no memory left for records"));
        }
        self.bytes.allocated += wanted as u64;
        let extent = Extent { data, dead: 0 };
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
        let data = &mut self.extents[index as usize].data;
        let at = data.len();
        data.extend_from_slice(&(body.len() as u32).to_le_bytes());
        data.extend_from_slice(&slot.to_le_bytes());
        data.extend_from_slice(body);
        Ok(place(index, at))
    }

    fn free(&mut self, index: usize) {
        let extent = std::mem::take(&mut self.extents[index]);
        self.dead -= u64::from(extent.dead);
        self.bytes.allocated -= extent.data.capacity() as u64;
        self.usage.allocated.fetch_sub(extent.data.capacity() as u64, Ordering::Relaxed);
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
            let data = &mut self.extents[extent].data;
            if data[at..at + 4] == (image.body.len() as u32).to_le_bytes() {
                data[at + HEADER..at + HEADER + image.body.len()].copy_from_slice(image.body);
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

    fn remove(&mut self, _digest: &Digest, _set: &str, location: Location) -> Result<()> {
        self.forget(location);
        Ok(())
    }

    fn forget(&mut self, location: Location) {
        let (index, at) = parts(location);
        let extent = &mut self.extents[index];
        let bytes = HEADER + extent.header(at).0;
        extent.data[at + 4..at + HEADER].copy_from_slice(&DEAD.to_le_bytes());
        extent.dead += bytes as u32;
        self.dead += bytes as u64;
        self.bytes.live -= bytes as u64;
        self.usage.live.fetch_sub(bytes as u64, Ordering::Relaxed);
        if extent.dead as usize == extent.data.len() {
            self.free(index);
        }
    }

    fn resident(&self, location: Location) -> Option<&[u8]> {
        let (extent, at) = parts(location);
        let extent = self.extents.get(extent)?;
        let (length, _) = extent.header(at);
        extent.data.get(at + HEADER..at + HEADER + length)
    }

    fn prefetch(&self, location: Location) {
        let (extent, at) = parts(location);
        if let Some(extent) = self.extents.get(extent) {
            crate::prefetch::read(extent.data.as_ptr().wrapping_add(at));
        }
    }

    fn compact(&mut self, moved: &mut dyn FnMut(u32, Location, Location)) {
        if self.dead < DEAD_MIN || self.dead * 4 < self.bytes.live + self.dead {
            return;
        }
        let Some(victim) = (0..self.extents.len()).max_by_key(|&n| self.extents[n].dead) else { return };
        if self.tail == Some(victim as u32) {
            self.tail = None;
        }
        // The copies go elsewhere, so the victim stays whole until its last record has moved.
        let mut at = 0;
        while at < self.extents[victim].data.len() {
            let (length, slot) = self.extents[victim].header(at);
            if slot != DEAD {
                let data = std::mem::take(&mut self.extents[victim].data);
                let copied = self.append(slot, &data[at + HEADER..at + HEADER + length], false);
                self.extents[victim].data = data;
                let Ok(to) = copied else { return };
                let header = at + 4..at + HEADER;
                self.extents[victim].data[header].copy_from_slice(&DEAD.to_le_bytes());
                self.extents[victim].dead += (HEADER + length) as u32;
                self.dead += (HEADER + length) as u64;
                moved(slot, place(victim as u32, at), to);
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
                        store.remove(&Digest::default(), "", location).unwrap();
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
