//! One segment's handle on the device storage: counts its bytes, appends to the common log.

use super::shared::Shared;
use super::space::Purpose;
use crate::device::format::entry::{ENTRY_HEADER_BYTES, Entry, EntryKind};
use crate::device::format::place::{Place, padded};
use crate::{Location, RecordImage, SegmentBytes, SegmentStore};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tessera_base::Result;
use tessera_record::{Digest, Meta};

pub struct DeviceSegment {
    shared: Arc<Shared>,
    segment: u16,
    bytes: SegmentBytes,
}

impl DeviceSegment {
    pub const fn new(shared: Arc<Shared>, segment: u16) -> Self {
        Self { shared, segment, bytes: SegmentBytes { live: 0, allocated: 0 } }
    }

    fn lives(&mut self, location: Location) {
        let length = u64::from(Place::unpack(location).length);
        self.bytes.live += length;
        self.bytes.allocated += length;
    }

    fn dies(&mut self, location: Location) {
        let Place { offset, length } = Place::unpack(location);
        let bytes = u64::from(length).min(self.bytes.live);
        self.bytes.live -= bytes;
        self.bytes.allocated -= bytes;
        self.shared.record_dies(offset / self.shared.block_bytes(), length);
    }

    fn store(&mut self, image: &RecordImage<'_>, replaces: Option<Location>, purpose: Purpose) -> Result<Location> {
        let entry = Entry {
            kind: EntryKind::Record,
            segment: self.segment,
            digest: image.digest,
            meta: image.meta,
            set: image.set,
            body: image.body,
        };
        let location = self.shared.append(&entry, purpose)?;
        self.lives(location);
        if let Some(location) = replaces {
            self.dies(location);
        }
        Ok(location)
    }

    fn log_tombstone(&self, digest: &Digest, set: &str, purpose: Purpose) -> Result<()> {
        let entry = Entry { kind: EntryKind::Tombstone, segment: self.segment, digest: *digest, meta: Meta::default(), set, body: &[] };
        self.shared.append(&entry, purpose).map(drop)
    }
}

impl SegmentStore for DeviceSegment {
    fn put(&mut self, image: &RecordImage<'_>, replaces: Option<Location>) -> Result<Location> {
        self.store(image, replaces, Purpose::Write)
    }

    fn relocate(&mut self, image: &RecordImage<'_>, from: Location) -> Result<Location> {
        self.store(image, Some(from), Purpose::Move)
    }

    fn bury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        self.log_tombstone(digest, set, Purpose::Tombstone)
    }

    fn rebury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        self.log_tombstone(digest, set, Purpose::Move)
    }

    fn forget(&mut self, location: Location) {
        self.dies(location);
    }

    fn resident(&self, _: Location) -> Option<&[u8]> {
        None
    }

    fn stored_bytes(&self, location: Location) -> usize {
        Place::unpack(location).length as usize
    }

    fn put_bytes(&self, set: usize, body: usize) -> usize {
        padded(ENTRY_HEADER_BYTES + set + body)
    }

    fn recovered(&mut self, current: Option<Location>, replaced: Option<Location>) {
        if let Some(location) = current {
            let Place { offset, length } = Place::unpack(location);
            self.shared.blocks.record_lives(offset / self.shared.block_bytes(), length);
            self.shared.counters.found_bytes.fetch_add(u64::from(length), Relaxed);
            self.lives(location);
        }
        if let Some(location) = replaced {
            self.dies(location);
        }
    }

    fn loaded(&mut self, locations: &mut dyn Iterator<Item = Location>) {
        let mut live = 0;
        for location in locations {
            let Place { offset, length } = Place::unpack(location);
            self.shared.blocks.record_lives(offset / self.shared.block_bytes(), length);
            live += u64::from(length);
        }
        self.bytes.live += live;
        self.bytes.allocated += live;
        self.shared.counters.found_bytes.fetch_add(live, Relaxed);
    }

    fn bytes(&self) -> SegmentBytes {
        self.bytes
    }
}
