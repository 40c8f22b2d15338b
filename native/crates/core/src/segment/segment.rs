//! What a segment's lock guards.

use super::indexes::SegmentIndexes;
use super::set_column::SetColumn;
use super::slots::{SlotRecord, Slots};
use crate::error::Result;
use crate::record::{Digest, Meta};
use crate::sets::{SetEntry, SetIndexState};
use crate::slot_set::SlotSet;
use crate::storage::paged::report::Compacted;
use crate::storage::{Location, RecordImage, SegmentBytes, SegmentStore};
use hashbrown::HashMap;
use std::sync::Arc;

/// How a record leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// For good: a durable engine logs it.
    Logged,
    /// A truncation in the manifest sees to it that the record does not come back.
    Silent,
}

pub struct Segment {
    id: u16,
    slots: Slots,
    store: Box<dyn SegmentStore>,
    /// Slots of the sets whose index is on and that have records here, by id of the set. Nothing is kept of the others:
    /// a namespace may have 65,000 sets.
    sets: HashMap<u16, SlotSet>,
    indexes: SegmentIndexes,
    /// Records that have an expiry.
    expiring: u64,
    newest_update: u64,
}

impl Segment {
    pub(crate) fn new(id: u16, store: Box<dyn SegmentStore>) -> Self {
        Self {
            id,
            slots: Slots::new(store.prefetches()),
            store,
            sets: HashMap::new(),
            indexes: SegmentIndexes::new(id),
            expiring: 0,
            newest_update: 0,
        }
    }

    pub fn id(&self) -> u16 {
        self.id
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// The sets of the records, by slot.
    pub fn sets(&self) -> &SetColumn {
        self.slots.sets()
    }

    pub fn find(&self, digest: &Digest) -> Option<u32> {
        self.slots.find(digest)
    }

    /// The record of a digest, expired or not, with its body asked for meanwhile.
    pub(crate) fn seek(&self, digest: &Digest) -> Option<SlotRecord> {
        self.slots.find_ahead(digest, |hint| self.store.prefetch(hint)).and_then(|slot| self.slots.get(slot))
    }

    /// Asks the processor for what a `seek` of the digest will probably need; the hash table must be there already.
    pub(crate) fn prefetch_seek(&self, digest: &Digest) -> Option<u32> {
        self.slots.probable(digest, |hint| self.store.prefetch(hint))
    }

    /// The record in a slot, expired or not.
    pub fn record(&self, slot: u32) -> Option<SlotRecord> {
        self.slots.get(slot)
    }

    /// A body, if it can be had without waiting.
    pub fn resident(&self, location: Location) -> Option<&[u8]> {
        self.store.resident(location)
    }

    /// How many bytes a body takes with its header.
    pub(crate) fn stored_bytes(&self, location: Location) -> usize {
        self.store.stored_bytes(location)
    }

    /// How many bytes a body of so many bytes would take with its header.
    pub(crate) fn put_bytes(&self, set: &SetEntry, body: usize) -> usize {
        self.store.put_bytes(set.name.len(), body)
    }

    pub(crate) fn prefetch(&self, location: Location) {
        self.store.prefetch(location.hint());
    }

    /// Slots of a set, if its index is on and has any here.
    pub fn set_slots(&self, set: u16) -> Option<&SlotSet> {
        self.sets.get(&set)
    }

    /// Bytes of one set's index here.
    pub fn set_index_bytes(&self, set: u16) -> usize {
        self.set_slots(set).map_or(0, |slots| size_of::<SlotSet>() + slots.heap_bytes())
    }

    /// Bytes of all set indexes here.
    pub fn set_indexes_bytes(&self) -> usize {
        self.sets.allocation_size() + self.sets.values().map(SlotSet::heap_bytes).sum::<usize>()
    }

    /// Bytes of the table that finds the indexes of so many sets, where each has records here.
    pub(crate) fn set_table_bytes(sets: usize) -> usize {
        HashMap::<u16, SlotSet>::with_capacity(sets).allocation_size()
    }

    /// Indexes the slots of a set, from the set column, unless that has been done or the index is off again.
    pub(crate) fn index_set(&mut self, set: &SetEntry) {
        if !set.indexed() || self.sets.contains_key(&set.id) {
            return;
        }
        let mut members = Vec::new();
        self.sets().members(set.id, 0, usize::MAX, &mut members);
        set.presence().note(self.id, !members.is_empty());
        if !members.is_empty() {
            self.sets.insert(set.id, SlotSet::from_sorted_iter(members));
        }
    }

    /// Frees the index of a set.
    pub(crate) fn unindex_set(&mut self, set: u16) {
        self.sets.remove(&set);
        if self.sets.is_empty() {
            self.sets = HashMap::new();
        }
    }

    /// Keeps the index of a set for a record that has come into `slot`.
    fn index_slot(&mut self, set: &SetEntry, slot: u32) {
        if let Some(slots) = self.sets.get_mut(&set.id) {
            slots.insert(slot);
            return;
        }
        match set.index_state() {
            SetIndexState::Off => {}
            // The build may have passed here already, when there was nothing: it is done now, with this record.
            SetIndexState::Building => self.index_set(set),
            SetIndexState::On => {
                set.presence().note(self.id, true);
                self.sets.insert(set.id, SlotSet::from_sorted_iter([slot]));
            }
        }
    }

    fn unindex_slot(&mut self, set: &SetEntry, slot: u32) {
        let Some(slots) = self.sets.get_mut(&set.id) else { return };
        slots.remove(slot);
        if slots.is_empty() {
            self.unindex_set(set.id);
            set.presence().note(self.id, false);
        }
    }

    pub fn bytes(&self) -> SegmentBytes {
        self.store.bytes()
    }

    /// Records that have an expiry; 0 lets the sweeper pass.
    pub(crate) fn expiring(&self) -> u64 {
        self.expiring
    }

    /// Parts of the document and range indexes.
    pub fn indexes(&self) -> &SegmentIndexes {
        &self.indexes
    }

    pub(crate) fn indexes_mut(&mut self) -> &mut SegmentIndexes {
        &mut self.indexes
    }

    /// Notes the time of a write that recovery found, whether or not it counts.
    pub(crate) fn saw_update(&mut self, at_ms: u64) {
        self.newest_update = self.newest_update.max(at_ms);
    }

    /// Time of the newest write, Unix milliseconds.
    pub fn newest_update(&self) -> u64 {
        self.newest_update
    }

    /// Bytes of the primary index: slab, hash table, set column.
    pub fn index_bytes(&self) -> usize {
        self.slots.heap_bytes()
    }

    /// Adds a record that is not there.
    ///
    /// # Errors
    /// As `SegmentStore::put`, and `set_quota`; then nothing has changed.
    pub(crate) fn insert(&mut self, set: &SetEntry, digest: Digest, meta: Meta, body: &[u8]) -> Result<u32> {
        let bytes = self.put_bytes(set, body.len());
        set.claim(1, bytes as u64)?;
        self.insert_counted(set, digest, meta, body).inspect_err(|_| set.count(-1, -(bytes as i64)))
    }

    /// As `insert`, for a record that comes from another segment and is counted in both until it has left that.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    pub(crate) fn receive(&mut self, set: &SetEntry, digest: Digest, meta: Meta, body: &[u8]) -> Result<u32> {
        let slot = self.insert_counted(set, digest, meta, body)?;
        set.count(1, self.put_bytes(set, body.len()) as i64);
        Ok(slot)
    }

    fn insert_counted(&mut self, set: &SetEntry, digest: Digest, meta: Meta, body: &[u8]) -> Result<u32> {
        let image = RecordImage { digest, slot: self.slots.next_slot(), meta, set: &set.name, body };
        let location = self.store.put(&image, None)?;
        let slot = self.enter(set, SlotRecord { digest, location, meta });
        self.indexes.write(&set.name, slot, body);
        Ok(slot)
    }

    /// Adds a record whose body is already at `location`: what recovery found.
    pub(crate) fn adopt(&mut self, set: &SetEntry, image: &RecordImage<'_>, location: Location) -> u32 {
        let before = self.store.bytes().live;
        let slot = self.enter(set, SlotRecord { digest: image.digest, location, meta: image.meta });
        self.indexes.write(&set.name, slot, image.body);
        self.store.recovered(Some(location), None);
        set.count(1, self.store.bytes().live as i64 - before as i64);
        slot
    }

    /// As `adopt`, for a newer copy of the record in `slot`.
    pub(crate) fn readopt(&mut self, set: &SetEntry, slot: u32, old: &SlotRecord, image: &RecordImage<'_>, location: Location) {
        let before = self.store.bytes().live;
        self.store.recovered(Some(location), Some(old.location));
        self.slots.update(slot, location, image.meta);
        self.indexes.write(&set.name, slot, image.body);
        self.expiring = self.expiring + u64::from(image.meta.expires_at != 0) - u64::from(old.meta.expires_at != 0);
        self.newest_update = self.newest_update.max(image.meta.updated_at);
        set.count(0, self.store.bytes().live as i64 - before as i64);
    }

    /// Takes the records of an index image; the segment is empty. `sets`: all sets by id.
    pub(crate) fn load(&mut self, slots: Slots, newest_update: u64, sets: &[Arc<SetEntry>]) {
        #[derive(Default)]
        struct Share {
            bytes: i64,
            slots: Vec<u32>,
        }
        let mut shares: HashMap<u16, Share> = HashMap::new();
        let records = || (0..slots.end()).filter_map(|slot| slots.get(slot).map(|record| (slot, record)));
        for (slot, record) in records() {
            let share = shares.entry(slots.sets().set_of(slot)).or_default();
            share.bytes += self.store.stored_bytes(record.location) as i64;
            share.slots.push(slot);
            self.expiring += u64::from(record.meta.expires_at != 0);
        }
        self.store.loaded(&mut records().map(|(_, record)| record.location));
        for (id, share) in shares {
            let Some(set) = sets.get(usize::from(id)) else { continue };
            set.count(share.slots.len() as i64, share.bytes);
            if let Some(distribution) = &set.distribution {
                let digests = share.slots.iter().filter_map(|slot| slots.get(*slot)).map(|record| record.digest);
                digests.for_each(|digest| distribution.directory.add(&digest, self.id));
            }
            if set.indexed() {
                set.presence().note(self.id, true);
                self.sets.insert(id, SlotSet::from_sorted_iter(share.slots));
            }
        }
        self.newest_update = newest_update;
        self.slots = slots;
    }

    fn enter(&mut self, set: &SetEntry, record: SlotRecord) -> u32 {
        // The directory learns of a record before the slots do: no candidates then means no record.
        if let Some(distribution) = &set.distribution {
            distribution.directory.add(&record.digest, self.id);
        }
        let slot = self.slots.insert(set.id, record);
        self.index_slot(set, slot);
        self.expiring += u64::from(record.meta.expires_at != 0);
        self.newest_update = self.newest_update.max(record.meta.updated_at);
        slot
    }

    /// Gives the record in `slot` a new body; the slot stays.
    ///
    /// # Errors
    /// As `SegmentStore::put`, and `set_quota`; then nothing has changed.
    pub(crate) fn overwrite(&mut self, set: &SetEntry, slot: u32, old: &SlotRecord, meta: Meta, body: &[u8]) -> Result<()> {
        let growth = self.put_bytes(set, body.len()) as i64 - self.stored_bytes(old.location) as i64;
        let claimed = growth.max(0);
        set.claim(0, claimed as u64)?;
        let image = RecordImage { digest: old.digest, slot, meta, set: &set.name, body };
        let location = self.store.put(&image, Some(old.location)).inspect_err(|_| set.count(0, -claimed))?;
        set.count(0, growth - claimed);
        self.slots.update(slot, location, meta);
        self.indexes.write(&set.name, slot, body);
        self.expiring = self.expiring + u64::from(meta.expires_at != 0) - u64::from(old.meta.expires_at != 0);
        self.newest_update = self.newest_update.max(meta.updated_at);
        self.tidy();
        Ok(())
    }

    /// Removes the record in `slot`; the caller calls `tidy` after its last removal.
    ///
    /// # Errors
    /// As `SegmentStore::bury`; then nothing has changed.
    pub(crate) fn remove(&mut self, set: &SetEntry, slot: u32, old: &SlotRecord, removal: Removal) -> Result<()> {
        let before = self.store.bytes().live;
        match removal {
            Removal::Logged => self.store.bury(&old.digest, &set.name)?,
            Removal::Silent => {}
        }
        self.store.forget(old.location);
        self.slots.remove(slot);
        self.indexes.remove(&set.name, slot);
        self.unindex_slot(set, slot);
        self.expiring -= u64::from(old.meta.expires_at != 0);
        set.count(-1, self.store.bytes().live as i64 - before as i64);
        if let Some(distribution) = &set.distribution {
            distribution.directory.remove(&old.digest, self.id);
        }
        Ok(())
    }

    /// Stores the record of `image` anew, to make room at `from`; nothing happens where it is not there any more.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    pub(crate) fn relocate(&mut self, image: &RecordImage<'_>, from: Location) -> Result<()> {
        let found = self.find(&image.digest).filter(|slot| self.record(*slot).is_some_and(|record| record.location == from));
        let Some(slot) = found else { return Ok(()) };
        let to = self.store.relocate(&RecordImage { slot, ..*image }, from)?;
        self.slots.relocate(slot, from, to);
        Ok(())
    }

    /// Logs a tombstone anew, unless the record is there again.
    ///
    /// # Errors
    /// As `SegmentStore::put`.
    pub(crate) fn rebury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        if self.find(digest).is_some() { Ok(()) } else { self.store.rebury(digest, set) }
    }

    /// Logs a tombstone for copies of a record that are on the device and not in the index.
    ///
    /// # Errors
    /// As `SegmentStore::bury`.
    pub(crate) fn bury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        self.store.bury(digest, set)
    }

    /// Gives the room of half-empty pages back, a bounded step of it that begins at `from`, at first 0. There is nothing to do where records are
    /// in no pages.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; then the step has changed nothing.
    pub(crate) fn compact(&mut self, from: u32) -> Result<Compacted> {
        let _ = from;
        Ok(Compacted::default())
    }

    /// Gives space back after removals: rewrites bodies that lie too far apart, and forgets the slots of an empty segment.
    pub(crate) fn tidy(&mut self) {
        let Self { slots, store, .. } = self;
        if slots.is_empty() && slots.end() > 0 {
            slots.clear();
        }
        store.compact(&mut |slot, from, to| slots.relocate(slot, from, to));
    }
}
