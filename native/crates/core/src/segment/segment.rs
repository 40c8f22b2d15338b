//! What a segment's lock guards.

use super::indexes::SegmentIndexes;
use super::slots::{SlotRecord, Slots};
use crate::error::Result;
use crate::record::{Digest, Meta};
use crate::sets::SetEntry;
use crate::slot_set::SlotSet;
use crate::storage::{Location, RecordImage, SegmentBytes, SegmentStore};
use hashbrown::HashMap;

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
    /// Sets with records here, by id.
    sets: HashMap<u16, SegmentSet>,
    indexes: SegmentIndexes,
    /// Records that have an expiry.
    expiring: u64,
    newest_update: u64,
}

/// One set's share of a segment.
#[derive(Default)]
struct SegmentSet {
    records: u32,
    /// Its slots, while the set index is on and has been built here.
    index: Option<SlotSet>,
}

impl Segment {
    pub(crate) fn new(id: u16, store: Box<dyn SegmentStore>) -> Self {
        Self { id, slots: Slots::default(), store, sets: HashMap::new(), indexes: SegmentIndexes::default(), expiring: 0, newest_update: 0 }
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

    pub fn find(&self, digest: &Digest) -> Option<u32> {
        self.slots.find(digest)
    }

    /// The record in a slot, expired or not.
    pub fn record(&self, slot: u32) -> Option<SlotRecord> {
        self.slots.get(slot)
    }

    /// A body, if it can be had without waiting.
    pub fn resident(&self, location: Location) -> Option<&[u8]> {
        self.store.resident(location)
    }

    pub(crate) fn prefetch(&self, location: Location) {
        self.store.prefetch(location);
    }

    /// Records of one set here.
    pub fn set_records(&self, set: u16) -> u32 {
        self.sets.get(&set).map_or(0, |s| s.records)
    }

    /// Slots of a set, if the segment has them indexed.
    pub fn set_slots(&self, set: u16) -> Option<&SlotSet> {
        self.sets.get(&set)?.index.as_ref()
    }

    /// Bytes of one set's index here.
    pub fn set_index_bytes(&self, set: u16) -> usize {
        self.set_slots(set).map_or(0, |slots| size_of::<SlotSet>() + slots.heap_bytes())
    }

    /// Bytes of all set indexes here.
    pub fn set_indexes_bytes(&self) -> usize {
        self.sets.keys().map(|&set| self.set_index_bytes(set)).sum()
    }

    /// Indexes the slots of a set, from the set column, unless that has been done.
    pub(crate) fn index_set(&mut self, set: &SetEntry) {
        let Some(share) = self.sets.get_mut(&set.id) else { return };
        // Switched off again in the meantime: nobody would free what is built now.
        if share.index.is_none() && set.indexed() {
            let mut members = Vec::with_capacity(share.records as usize);
            self.slots.members(set.id, 0, usize::MAX, &mut members);
            share.index = Some(SlotSet::from_sorted_iter(members));
        }
    }

    /// Frees the index of a set.
    pub(crate) fn unindex_set(&mut self, set: u16) {
        if let Some(share) = self.sets.get_mut(&set) {
            share.index = None;
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

    /// Time of the newest write, Unix milliseconds.
    pub fn newest_update(&self) -> u64 {
        self.newest_update
    }

    /// Bytes of the primary index: slab, hash table, set column, membership counts.
    pub fn index_bytes(&self) -> usize {
        self.slots.heap_bytes() + self.sets.allocation_size() - self.sets.len() * size_of::<Option<SlotSet>>()
    }

    /// Adds a record that is not there.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    pub(crate) fn insert(&mut self, set: &SetEntry, digest: Digest, meta: Meta, body: &[u8]) -> Result<u32> {
        let before = self.store.bytes().live;
        let image = RecordImage { digest, slot: self.slots.next_slot(), meta, set: &set.name, body };
        let location = self.store.put(&image, None)?;
        let slot = self.enter(set, SlotRecord { digest, location, meta });
        self.indexes.write(&set.name, slot, body);
        set.count(1, self.store.bytes().live as i64 - before as i64);
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

    fn enter(&mut self, set: &SetEntry, record: SlotRecord) -> u32 {
        // The directory learns of a record before the slots do: no candidates then means no record.
        if let Some(distribution) = &set.distribution {
            distribution.directory.add(&record.digest, self.id);
        }
        let slot = self.slots.insert(set.id, record);
        // The first record of an indexed set here begins the index; a set that has records waits for `index_set`.
        let first = || {
            set.presence().note(self.id, true);
            SegmentSet { records: 0, index: set.indexed().then(SlotSet::new) }
        };
        let share = self.sets.entry(set.id).or_insert_with(first);
        share.records += 1;
        if let Some(index) = &mut share.index {
            index.insert(slot);
        }
        self.expiring += u64::from(record.meta.expires_at != 0);
        self.newest_update = self.newest_update.max(record.meta.updated_at);
        slot
    }

    /// Gives the record in `slot` a new body; the slot stays.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    pub(crate) fn overwrite(&mut self, set: &SetEntry, slot: u32, old: &SlotRecord, meta: Meta, body: &[u8]) -> Result<()> {
        let before = self.store.bytes().live;
        let image = RecordImage { digest: old.digest, slot, meta, set: &set.name, body };
        let location = self.store.put(&image, Some(old.location))?;
        self.slots.update(slot, location, meta);
        self.indexes.write(&set.name, slot, body);
        self.expiring = self.expiring + u64::from(meta.expires_at != 0) - u64::from(old.meta.expires_at != 0);
        self.newest_update = self.newest_update.max(meta.updated_at);
        set.count(0, self.store.bytes().live as i64 - before as i64);
        self.tidy();
        Ok(())
    }

    /// Removes the record in `slot`; the caller calls `tidy` after its last removal.
    ///
    /// # Errors
    /// As `SegmentStore::remove`; then nothing has changed.
    pub(crate) fn remove(&mut self, set: &SetEntry, slot: u32, old: &SlotRecord, removal: Removal) -> Result<()> {
        let before = self.store.bytes().live;
        match removal {
            Removal::Logged => self.store.remove(&old.digest, &set.name, old.location)?,
            Removal::Silent => self.store.forget(old.location),
        }
        self.slots.remove(slot);
        self.indexes.remove(&set.name, slot);
        if let Some(share) = self.sets.get_mut(&set.id) {
            share.records -= 1;
            if let Some(index) = &mut share.index {
                index.remove(slot);
            }
            if share.records == 0 {
                self.sets.remove(&set.id);
                set.presence().note(self.id, false);
            }
        }
        self.expiring -= u64::from(old.meta.expires_at != 0);
        set.count(-1, self.store.bytes().live as i64 - before as i64);
        if let Some(distribution) = &set.distribution {
            distribution.directory.remove(&old.digest, self.id);
        }
        Ok(())
    }

    /// Gives space back after removals: rewrites bodies that lie too far apart, and forgets the slots of an empty segment.
    pub(crate) fn tidy(&mut self) {
        let Self { slots, store, .. } = self;
        if slots.is_empty() && slots.end() > 0 {
            *slots = Slots::default();
        }
        store.compact(&mut |slot, from, to| slots.relocate(slot, from, to));
    }
}
