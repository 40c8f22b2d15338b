//! Copies of records on a device that nobody refers to any more and that have no tombstone yet, as the device took none
//! when a move failed. A restart may find one, as it may find any write that failed; but not after a later write or
//! delete of the record was acknowledged, so those bury it first.

use super::Namespace;
use crate::error::Result;
use crate::record::Digest;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub(super) struct Unburied {
    any: AtomicBool,
    /// By digest: segments that have a copy.
    copies: Mutex<HashMap<Digest, Vec<u16>>>,
}

impl Unburied {
    pub(super) fn note(&self, digest: Digest, segment: u16) {
        self.copies.lock().entry(digest).or_default().push(segment);
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
    pub(super) fn bury(&self, set: &str, digest: &Digest) -> Result<()> {
        if !self.unburied.any() {
            return Ok(());
        }
        let mut copies = self.unburied.copies.lock();
        let segments = copies.get(digest).cloned().unwrap_or_default();
        segments.iter().try_for_each(|&id| self.segments[usize::from(id)].write(|segment| segment.bury(digest, set)))?;
        copies.remove(digest);
        self.unburied.any.store(!copies.is_empty(), Ordering::Release);
        Ok(())
    }
}
