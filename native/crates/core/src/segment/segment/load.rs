//! Filling a segment at a start with records that come all at once.

use super::Segment;
use crate::segment::primary::Slots;
use crate::segment::records::Records;
use crate::sets::SetEntry;
use hashbrown::HashMap;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};
use tessera_index::slot_set::SlotSet;
use tessera_storage::SlotRecord;
use tessera_storage::paged::PagedSegment;

impl Segment {
    /// Takes the records of an index image; the segment is empty. `sets`: all sets by id.
    ///
    /// # Errors
    /// As `adopt`.
    pub(crate) fn load(&mut self, slots: Slots, newest_update: u64, sets: &[Arc<SetEntry>]) -> Result<()> {
        let id = self.id;
        let indexed = self.indexed()?;
        let records = || (0..slots.end()).filter_map(|slot| slots.get(slot).map(|record| (slot, record)));
        indexed.store.loaded(&mut records().map(|(_, record)| record.location));
        let mut shares = Shares::default();
        for (slot, record) in records() {
            let set = slots.sets().set_of(slot);
            shares.add(slot, set, &record, indexed.store.stored_bytes(record.location));
            if let Some(set) = sets.get(usize::from(set)) {
                set.place(&record.digest, id);
            }
        }
        indexed.slots = slots;
        self.take(shares, sets);
        self.newest_update = newest_update;
        Ok(())
    }

    /// Reads what the pages of the segment, which is empty, have. `sets`: all sets by id.
    ///
    /// # Errors
    /// What reading them fails with; `internal` for a segment without pages.
    pub(crate) fn load_pages(&mut self, sets: &[Arc<SetEntry>]) -> Result<()> {
        let Records::Paged(pages) = &mut self.records else {
            return Err(Error::new(ErrorCode::Internal, "the segment has no pages"));
        };
        let segment = self.id;
        let (mut shares, mut newest) = (Shares::default(), 0);
        pages.load(&mut |slot, id, record| {
            newest = record.meta.updated_at.max(newest);
            shares.add(slot, id, record, PagedSegment::stored_bytes(record.location));
            if let Some(set) = sets.get(usize::from(id)) {
                set.place(&record.digest, segment);
            }
            Ok(())
        })?;
        self.take(shares, sets);
        self.newest_update = newest;
        Ok(())
    }

    /// Counts and indexes records that have come all at once.
    fn take(&mut self, shares: Shares, sets: &[Arc<SetEntry>]) {
        self.expiring += shares.expiring;
        for (id, share) in shares.by_set {
            let Some(set) = sets.get(usize::from(id)) else { continue };
            set.count(share.slots.len() as i64, share.bytes);
            if set.indexed() {
                set.presence().note(self.id, true);
                self.sets.insert(id, SlotSet::from_sorted_iter(share.slots));
            }
        }
    }
}

/// What records that come all at once are of each set.
#[derive(Default)]
struct Shares {
    by_set: HashMap<u16, Share>,
    expiring: u64,
}

#[derive(Default)]
struct Share {
    bytes: i64,
    slots: Vec<u32>,
}

impl Shares {
    fn add(&mut self, slot: u32, set: u16, record: &SlotRecord, bytes: usize) {
        let share = self.by_set.entry(set).or_default();
        share.bytes += bytes as i64;
        share.slots.push(slot);
        self.expiring += u64::from(record.meta.expires_at != 0);
    }
}
