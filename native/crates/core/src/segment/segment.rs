//! What a segment's lock guards.

mod batch;
mod hidden;
mod load;

use super::in_flight::InFlight;
use super::indexes::SegmentIndexes;
use super::primary::Hints;
use super::primary::Slots;
use super::records::{Indexed, Records};
use crate::sets::{SetEntry, SetIndexState};
use hashbrown::HashMap;
use tessera_base::{Error, ErrorCode, Result};
use tessera_index::set_column::{CHUNK, SetColumn};
use tessera_index::slot_set::SlotSet;
use tessera_record::{Digest, Meta};
use tessera_storage::paged::{Kind, PageId};
use tessera_storage::{Location, RecordImage, SegmentBytes, SegmentPart, SlotRecord};

/// How a record leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// For good: a durable engine logs it.
    Logged,
    /// A truncation in the manifest sees to it that the record does not come back.
    Silent,
}

/// In this order: what a lookup takes comes first, see `SegmentCell`.
#[repr(C)]
pub struct Segment {
    records: Records,
    /// Slots of the sets whose index is on and that have records here, by id of the set. Nothing is kept of the others:
    /// a namespace may have 65,000 sets.
    sets: HashMap<u16, SlotSet>,
    indexes: SegmentIndexes,
    /// Records that have an expiry.
    expiring: u64,
    newest_update: u64,
    in_flight: InFlight,
    /// Slots of records that a truncation hides and that are counted nowhere; `None` for none.
    left_out: Option<Box<SlotSet>>,
    id: u16,
}

impl Segment {
    pub(crate) fn new(id: u16, part: SegmentPart) -> Self {
        Self {
            records: part.into(),
            sets: HashMap::new(),
            indexes: SegmentIndexes::new(id),
            expiring: 0,
            newest_update: 0,
            in_flight: InFlight::default(),
            left_out: None,
            id,
        }
    }

    pub fn id(&self) -> u16 {
        self.id
    }

    /// Records in it, hidden ones included.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One past the highest slot ever used.
    pub fn end(&self) -> u32 {
        self.sets().end()
    }

    /// The index, if it is in memory.
    pub(crate) fn slots(&self) -> Option<&Slots> {
        self.records.slots()
    }

    /// The sets of the records, by slot.
    pub fn sets(&self) -> &SetColumn {
        self.records.sets()
    }

    /// The slot of a digest's record.
    ///
    /// # Errors
    /// Of pages `record_damaged`, `storage_failed`, `device_overload`; so for all that looks at the index.
    pub fn find(&self, digest: &Digest) -> Result<Option<u32>> {
        self.records.find(digest)
    }

    /// The record of a digest, expired or not, and its slot, with the body asked for meanwhile.
    ///
    /// # Errors
    /// As `find`.
    pub(crate) fn seek(&self, digest: &Digest) -> Result<Option<(u32, SlotRecord)>> {
        self.records.seek(digest)
    }

    /// Asks the processor for what a `seek` of the digest will probably need; the hash table must be there already.
    pub(crate) fn prefetch_seek(&self, digest: &Digest) -> Option<u32> {
        self.slots()?.probable(digest, |hint| self.records.prefetch_body(hint))
    }

    /// The record in a slot, expired or not.
    ///
    /// # Errors
    /// As `find`.
    #[inline]
    pub fn record(&self, slot: u32) -> Result<Option<SlotRecord>> {
        self.records.get(slot)
    }

    /// How many of the records in 256 slots from `base` on, those whose bits are set, have not expired.
    ///
    /// # Errors
    /// As `find`.
    pub(crate) fn count_alive(&self, base: u32, words: &[u64; CHUNK / 64], now: u32) -> Result<u64> {
        self.records.count_alive(base, words, now)
    }

    /// A body, if it can be had without waiting.
    pub fn resident(&self, location: Location) -> Option<&[u8]> {
        self.records.resident(location)
    }

    /// How many bytes a body takes with its header.
    pub(crate) fn stored_bytes(&self, location: Location) -> usize {
        self.records.stored_bytes(location)
    }

    /// How many bytes a body of so many bytes would take with its header.
    pub(crate) fn put_bytes(&self, set: &SetEntry, body: usize) -> usize {
        self.entry_bytes(set.name.len(), body)
    }

    /// As `put_bytes`, in a set whose name has `set` bytes.
    pub(crate) fn entry_bytes(&self, set: usize, body: usize) -> usize {
        self.records.put_bytes(set, body)
    }

    /// Asks the processor for a body, by the hint of its location.
    pub(crate) fn prefetch_body(&self, hint: u32) {
        self.records.prefetch_body(hint);
    }

    /// As `prefetch_body`, of the beginning alone where the body is large.
    pub(crate) fn prefetch_beginning(&self, hint: u32) {
        self.records.prefetch_beginning(hint);
    }

    /// Asks the processor for what is known of a slot, ahead of its use.
    pub(crate) fn prefetch_slot(&self, slot: u32) {
        if let Some(slots) = self.slots() {
            slots.prefetch(slot);
        }
    }

    /// Notes where the parts are now that a lookup takes.
    pub(super) fn note(&self, hints: &Hints) {
        self.records.note(hints);
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
        let sets = self.sets.allocation_size() + self.sets.values().map(SlotSet::heap_bytes).sum::<usize>();
        sets + hidden::heap_bytes(self.left_out.as_deref())
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
        self.records.bytes()
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

    /// What may not be on stable storage yet, of a namespace whose writes wait for that.
    #[inline]
    pub(crate) const fn in_flight(&self) -> &InFlight {
        &self.in_flight
    }

    pub(crate) const fn in_flight_mut(&mut self) -> &mut InFlight {
        &mut self.in_flight
    }

    /// Notes the time of a write that recovery found, whether or not it counts.
    pub(crate) fn saw_update(&mut self, at_ms: u64) {
        self.newest_update = self.newest_update.max(at_ms);
    }

    /// Time of the newest write, Unix milliseconds.
    pub fn newest_update(&self) -> u64 {
        self.newest_update
    }

    /// Bytes of memory for the primary index: slab, hash table, set column.
    pub fn index_bytes(&self) -> usize {
        self.records.index_bytes()
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
        let slot = self.records.next_slot();
        // The directory learns of a record before the index does: no candidates then means no record.
        set.place(&digest, self.id);
        self.records
            .insert(set.id, &RecordImage { digest, slot, meta, set: &set.name, body })
            .inspect_err(|_| set.displace(&digest, self.id))?;
        self.entered(set, slot, &meta);
        self.indexes.write(&set.name, slot, body);
        Ok(slot)
    }

    /// The index in memory with what keeps the bodies.
    fn indexed(&mut self) -> Result<&mut Indexed> {
        match &mut self.records {
            Records::Indexed(indexed) => Ok(indexed),
            Records::Paged(_) => Err(Error::new(ErrorCode::Internal, "pages bring their own index")),
        }
    }

    /// Adds a record whose body is already at `location`: what recovery found.
    ///
    /// # Errors
    /// `internal` for a segment of pages.
    pub(crate) fn adopt(&mut self, set: &SetEntry, image: &RecordImage<'_>, location: Location) -> Result<u32> {
        set.place(&image.digest, self.id);
        let Indexed { slots, store } = self.indexed()?;
        let before = store.bytes().live;
        let slot = slots.insert(set.id, SlotRecord { digest: image.digest, location, meta: image.meta });
        store.recovered(Some(location), None);
        set.count(1, store.bytes().live as i64 - before as i64);
        self.entered(set, slot, &image.meta);
        self.indexes.write(&set.name, slot, image.body);
        Ok(slot)
    }

    /// As `adopt`, for a newer copy of the record in `slot`.
    ///
    /// # Errors
    /// As `adopt`.
    pub(crate) fn readopt(
        &mut self,
        set: &SetEntry,
        slot: u32,
        old: &SlotRecord,
        image: &RecordImage<'_>,
        location: Location,
    ) -> Result<()> {
        let Indexed { slots, store } = self.indexed()?;
        let before = store.bytes().live;
        store.recovered(Some(location), Some(old.location));
        slots.update(slot, location, image.meta);
        set.count(0, store.bytes().live as i64 - before as i64);
        self.indexes.write(&set.name, slot, image.body);
        self.expiring = self.expiring + u64::from(image.meta.expires_at != 0) - u64::from(old.meta.expires_at != 0);
        self.newest_update = self.newest_update.max(image.meta.updated_at);
        Ok(())
    }

    /// Keeps indexes and counters for a record that has come into `slot`.
    fn entered(&mut self, set: &SetEntry, slot: u32, meta: &Meta) {
        self.index_slot(set, slot);
        self.expiring += u64::from(meta.expires_at != 0);
        self.newest_update = self.newest_update.max(meta.updated_at);
    }

    /// Gives the record in `slot` a new body; the slot stays.
    ///
    /// # Errors
    /// As `SegmentStore::put`, and `set_quota`; then nothing has changed.
    pub(crate) fn overwrite(&mut self, set: &SetEntry, slot: u32, old: &SlotRecord, meta: Meta, body: &[u8]) -> Result<()> {
        let takes = self.put_bytes(set, body.len()) as i64;
        // What is hidden is not counted: this is a record more.
        let (records, bytes) = match self.leaves_out(slot) {
            true => (1, takes),
            false => (0, (takes - self.stored_bytes(old.location) as i64).max(0)),
        };
        set.claim(records, bytes as u64)?;
        let done = self.overwrite_with(set, slot, old, meta, body);
        // From here on it is counted as what it takes.
        set.count(-(records as i64), -bytes);
        done
    }

    /// As `overwrite`, whatever the set may hold.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    pub(crate) fn overwrite_with(&mut self, set: &SetEntry, slot: u32, old: &SlotRecord, meta: Meta, body: &[u8]) -> Result<()> {
        let (takes, took) = (self.put_bytes(set, body.len()) as i64, self.stored_bytes(old.location) as i64);
        let image = RecordImage { digest: old.digest, slot, meta, set: &set.name, body };
        self.records.update(set.id, old, &image)?;
        match self.take_in(slot) {
            true => set.count(1, takes),
            false => set.count(0, takes - took),
        }
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
        let (before, took) = (self.bytes().live, self.stored_bytes(old.location) as i64);
        match &mut self.records {
            Records::Indexed(Indexed { slots, store }) => {
                match removal {
                    Removal::Logged => store.bury(&old.digest, &set.name)?,
                    Removal::Silent => {}
                }
                store.forget(old.location);
                slots.remove(slot);
            }
            // What is in the pages is there after a restart, so it goes in any case.
            Records::Paged(pages) => pages.remove(slot, old)?,
        }
        self.indexes.remove(&set.name, slot);
        self.unindex_slot(set, slot);
        self.expiring -= u64::from(old.meta.expires_at != 0);
        let growth = self.bytes().live as i64 - before as i64;
        match self.take_in(slot) {
            // Its bytes were taken off when it was left out.
            true => set.count(0, growth + took),
            false => set.count(-1, growth),
        }
        set.displace(&old.digest, self.id);
        Ok(())
    }

    /// Stores the record of `image` anew, to make room at `from`; nothing happens where it is not there any more.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    pub(crate) fn relocate(&mut self, image: &RecordImage<'_>, from: Location) -> Result<()> {
        let Indexed { slots, store } = self.indexed()?;
        let found = slots.find(&image.digest).filter(|slot| slots.get(*slot).is_some_and(|record| record.location == from));
        let Some(slot) = found else { return Ok(()) };
        let to = store.relocate(&RecordImage { slot, ..*image }, from)?;
        slots.relocate(slot, from, to);
        Ok(())
    }

    /// Logs a tombstone anew, unless the record is there again.
    ///
    /// # Errors
    /// As `SegmentStore::put`.
    pub(crate) fn rebury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        let Indexed { slots, store } = self.indexed()?;
        if slots.find(digest).is_some() { Ok(()) } else { store.rebury(digest, set) }
    }

    /// Logs a tombstone for copies of a record that are on the device and not in the index.
    ///
    /// # Errors
    /// As `SegmentStore::bury`.
    pub(crate) fn bury(&mut self, digest: &Digest, set: &str) -> Result<()> {
        match &mut self.records {
            Records::Indexed(indexed) => indexed.store.bury(digest, set),
            // What goes from the pages leaves no copy.
            Records::Paged(_) => Ok(()),
        }
    }

    /// A bounded step of giving the room of half-empty pages back; whether another may find something to do. There is nothing to do where records are in no
    /// pages.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then the step has changed nothing.
    pub(crate) fn compact(&mut self) -> Result<bool> {
        match &mut self.records {
            Records::Indexed(_) => Ok(false),
            Records::Paged(pages) => pages.compact(),
        }
    }

    /// Every page in use, with its kind and how full it is: 255 for full.
    pub(crate) fn pages(&self, each: &mut dyn FnMut(PageId, Kind, u8)) {
        if let Records::Paged(pages) = &self.records {
            pages.pages().for_each(|(page, kind, fill)| each(page, kind, fill));
        }
    }

    /// Gives space back after removals: rewrites bodies that lie too far apart, and forgets the slots of an empty segment.
    pub(crate) fn tidy(&mut self) {
        let Records::Indexed(Indexed { slots, store }) = &mut self.records else { return };
        if slots.is_empty() && slots.end() > 0 {
            slots.clear();
        }
        store.compact(&mut |slot, from, to| slots.relocate(slot, from, to));
    }
}
