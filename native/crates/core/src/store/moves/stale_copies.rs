//! Copies of records on a device that nobody refers to any more and that have no tombstone yet, as the device took none: when a
//! move failed, or at a start. A restart may find one, as it may find any write that failed; but not after a later write or
//! delete of the record was acknowledged, so those bury it first. The others are buried by the sweep once there is room.
//!
//! Pages have no tombstones, and what is in them is referred to: there a move that failed has left the record in two segments, and all but the newest
//! copy are removed instead.

use crate::store::RecordStore;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use tessera_base::{ErrorCode, Result};
use tessera_record::Digest;

#[derive(Default)]
pub(in crate::store) struct StaleCopies {
    any: AtomicBool,
    copies: Mutex<HashMap<Digest, Copies>>,
}

#[derive(Clone, Debug)]
struct Copies {
    set: String,
    segments: Vec<u16>,
}

impl StaleCopies {
    pub(in crate::store) fn note(&self, set: &str, digest: Digest, segment: u16) {
        let none = || Copies { set: set.to_owned(), segments: Vec::new() };
        self.copies.lock().entry(digest).or_insert_with(none).segments.push(segment);
        self.any.store(true, Ordering::Release);
    }

    fn forget(&self, digest: &Digest) {
        let mut copies = self.copies.lock();
        copies.remove(digest);
        self.any.store(!copies.is_empty(), Ordering::Release);
    }

    pub(in crate::store) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }
}

impl RecordStore {
    /// Logs the tombstones that copies of a record still lack, or removes them from the pages; the lock of its key is held.
    ///
    /// # Errors
    /// As `SegmentStore::bury`, and of pages as a removal; then it is still to be done.
    pub(in crate::store) fn bury(&self, digest: &Digest) -> Result<()> {
        if !self.stale_copies.any() {
            return Ok(());
        }
        // The lock of the key keeps it from being noted meanwhile.
        let Some(Copies { set, segments }) = self.stale_copies.copies.lock().get(digest).cloned() else { return Ok(()) };
        if self.index_resident() {
            segments.iter().try_for_each(|&id| self.segments[usize::from(id)].write(|segment| segment.bury(digest, &set)))?;
        } else if let Some(set) = self.sets.find(&set) {
            self.keep_newest(&set, digest)?;
        }
        self.stale_copies.forget(digest);
        Ok(())
    }

    /// As `bury`, of every record.
    ///
    /// # Errors
    /// As `bury`, for the first that fails otherwise than by damage.
    pub(in crate::store) fn bury_all(&self) -> Result<()> {
        if !self.stale_copies.any() {
            return Ok(());
        }
        let digests: Vec<Digest> = self.stale_copies.copies.lock().keys().copied().collect();
        digests.iter().try_for_each(|digest| {
            let _key = self.stripe(digest).lock();
            match self.bury(digest) {
                // Who writes the record meets that; the others do not wait for it.
                Err(error) if error.code == ErrorCode::RecordDamaged => Ok(()),
                buried => buried,
            }
        })
    }
}
