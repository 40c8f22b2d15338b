//! Copies of records on a device that nobody refers to any more and that have no tombstone yet, as the device took none: when a
//! move failed, or at a start. A restart may find one, as it may find any write that failed; but not after a later write or
//! delete of the record was acknowledged, so those bury it first. The others are buried by the sweep once there is room.

use super::Namespace;
use crate::error::Result;
use crate::record::Digest;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub(super) struct Unburied {
    any: AtomicBool,
    copies: Mutex<HashMap<Digest, Copies>>,
}

#[derive(Clone, Debug)]
struct Copies {
    set: String,
    segments: Vec<u16>,
}

impl Unburied {
    pub(super) fn note(&self, set: &str, digest: Digest, segment: u16) {
        let none = || Copies { set: set.to_owned(), segments: Vec::new() };
        self.copies.lock().entry(digest).or_insert_with(none).segments.push(segment);
        self.any.store(true, Ordering::Release);
    }

    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }
}

impl Namespace {
    /// Logs the tombstones that copies of a record still lack; the lock of its key is held.
    ///
    /// # Errors
    /// As `SegmentStore::bury`; then they still lack them.
    pub(super) fn bury(&self, digest: &Digest) -> Result<()> {
        if !self.unburied.any() {
            return Ok(());
        }
        let mut copies = self.unburied.copies.lock();
        let Some(Copies { set, segments }) = copies.get(digest).cloned() else { return Ok(()) };
        segments.iter().try_for_each(|&id| self.segments[usize::from(id)].write(|segment| segment.bury(digest, &set)))?;
        copies.remove(digest);
        self.unburied.any.store(!copies.is_empty(), Ordering::Release);
        Ok(())
    }

    /// As `bury`, of every record.
    ///
    /// # Errors
    /// As `bury`, for the first that fails.
    pub(super) fn bury_all(&self) -> Result<()> {
        if !self.unburied.any() {
            return Ok(());
        }
        let digests: Vec<Digest> = self.unburied.copies.lock().keys().copied().collect();
        digests.iter().try_for_each(|digest| {
            let _key = self.stripe(digest).lock();
            self.bury(digest)
        })
    }
}
