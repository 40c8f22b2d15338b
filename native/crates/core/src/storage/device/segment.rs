//! One segment's handle on the device storage: counts its bytes, appends to the common log.

use super::entry::{Entry, EntryKind};
use super::place::Place;
use super::shared::Shared;
use crate::error::Result;
use crate::record::{Digest, Meta};
use crate::storage::{Location, RecordImage, SegmentBytes, SegmentStore};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

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
        self.shared.counters.live_bytes.fetch_add(length, Relaxed);
    }

    fn dies(&mut self, location: Location) {
        let length = u64::from(Place::unpack(location).length).min(self.bytes.live);
        self.bytes.live -= length;
        self.shared.counters.live_bytes.fetch_sub(length, Relaxed);
    }
}

impl SegmentStore for DeviceSegment {
    fn put(&mut self, image: &RecordImage<'_>, replaces: Option<Location>) -> Result<Location> {
        let location = self.shared.append(&Entry {
            kind: EntryKind::Record,
            segment: self.segment,
            digest: image.digest,
            meta: image.meta,
            set: image.set,
            body: image.body,
        })?;
        self.recovered(Some(location), replaces);
        Ok(location)
    }

    fn bury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        let tombstone = self.shared.append(&Entry {
            kind: EntryKind::Tombstone,
            segment: self.segment,
            digest: *digest,
            meta: Meta::default(),
            set,
            body: &[],
        })?;
        self.bytes.allocated += u64::from(Place::unpack(tombstone).length);
        Ok(())
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

    fn recovered(&mut self, current: Option<Location>, replaced: Option<Location>) {
        if let Some(location) = current {
            self.lives(location);
        }
        if let Some(location) = replaced {
            self.dies(location);
        }
    }

    fn bytes(&self) -> SegmentBytes {
        self.bytes
    }
}
