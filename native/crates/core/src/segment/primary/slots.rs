//! The primary index of one segment: a slab of 36-byte entries, a hash table of slots over it, and columns of what does not fit.
//!
//! The slab and the columns grow by chunks, so that no doubling slack is held; freed slots form a list through the
//! entries themselves and are used again first. Nothing is allocated per record.

mod contiguous;

use super::entry::{ENTRIES, Entry, FREE};
use super::table::{Table, TableSite};
use tessera_base::arena::{PAGE, Paged};
use tessera_base::chunks::{grow, pointer_bytes_for};
use tessera_base::heap::block;
use tessera_index::set_column::{CHUNK, SetColumn};
use tessera_record::{Digest, Meta};
use tessera_storage::{Location, SlotRecord};

/// A record in its slot.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) digest: &'a Digest,
    pub(crate) location: Location,
    pub(crate) meta: Meta,
}

/// What a lookup takes comes first and together: of many segments, each has its own.
#[repr(C)]
pub struct Slots {
    table: Table,
    chunks: Vec<Paged<Entry>>,
    sets: SetColumn,
    /// What does not fit in the entries; none where locations are short.
    #[expect(clippy::vec_box, reason = "chunks in the vector itself would double with it")]
    rest: Vec<Box<[u32; CHUNK]>>,
    /// Head of the free list, plus one; 0 when there is none.
    free: u32,
}

impl Slots {
    /// `hinted`: whether the hash table keeps the hints of the locations, and these are short.
    pub fn new(hinted: bool) -> Self {
        Self { chunks: Vec::new(), sets: SetColumn::default(), rest: Vec::new(), table: Table::for_slots(0, hinted), free: 0 }
    }

    /// An empty one of the same kind, whose hash table has room for so many records.
    pub fn sized(&self, records: usize) -> Self {
        Self { table: Table::for_slots(records, self.table.hinted()), ..Self::new(self.table.hinted()) }
    }

    /// Forgets every record.
    pub fn clear(&mut self) {
        *self = Self::new(self.table.hinted());
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn is_empty(&self) -> bool {
        self.table.len() == 0
    }

    /// One past the highest slot ever used.
    pub fn end(&self) -> u32 {
        self.sets.end()
    }

    /// The sets of the records.
    pub fn sets(&self) -> &SetColumn {
        &self.sets
    }

    fn entry(&self, slot: u32) -> &Entry {
        &self.chunks[slot as usize / ENTRIES][slot as usize % ENTRIES]
    }

    fn entry_mut(&mut self, slot: u32) -> &mut Entry {
        &mut self.chunks[slot as usize / ENTRIES][slot as usize % ENTRIES]
    }

    /// What does not fit in the entry of a slot.
    fn rest(&self, slot: u32) -> u32 {
        self.rest.get(slot as usize / CHUNK).map_or(0, |chunk| chunk[slot as usize % CHUNK])
    }

    fn set_rest(&mut self, slot: u32, rest: u32) {
        if let Some(chunk) = self.rest.get_mut(slot as usize / CHUNK) {
            chunk[slot as usize % CHUNK] = rest;
        }
    }

    pub fn find(&self, digest: &Digest) -> Option<u32> {
        self.table.find(digest.hash64(), |slot| self.entry(slot).digest == *digest)
    }

    /// Asks the processor for the part of the hash table that knows the digest.
    pub fn prefetch_digest(&self, digest: &Digest) {
        self.table.prefetch(digest.hash64());
    }

    /// Notes where the hash table is now.
    pub fn note_site(&self, site: &TableSite) {
        site.note(&self.table);
    }

    /// The list of the slab's chunks.
    pub(super) fn chunk_list(&self) -> *const u8 {
        self.chunks.as_ptr().cast()
    }

    /// As `find`, but gives the hints of probable records to `ahead` before it waits for their entries.
    pub fn find_ahead(&self, digest: &Digest, ahead: impl Fn(u32)) -> Option<u32> {
        self.probe(digest, ahead, |slot| self.holds(slot, digest))
    }

    /// The first slot whose hash bits fit the digest, unverified, its entry asked for and its hint given to `ahead`.
    pub fn probable(&self, digest: &Digest, ahead: impl Fn(u32)) -> Option<u32> {
        self.probe(digest, ahead, |_| true)
    }

    fn probe(&self, digest: &Digest, ahead: impl Fn(u32), is: impl Fn(u32) -> bool) -> Option<u32> {
        self.table.find_hinted(digest.hash64(), |slot, hint| {
            self.prefetch(slot);
            hint.into_iter().for_each(&ahead);
            is(slot)
        })
    }

    /// The digest of the record in a slot that is in use.
    #[inline]
    pub fn digest(&self, slot: u32) -> &Digest {
        &self.entry(slot).digest
    }

    /// Whether `slot` holds the record of `digest`.
    pub fn holds(&self, slot: u32, digest: &Digest) -> bool {
        self.entry(slot).digest == *digest
    }

    /// Asks the processor for the entry ahead of its use.
    pub fn prefetch(&self, slot: u32) {
        if slot >= self.end() {
            return;
        }
        let entry = std::ptr::from_ref(self.entry(slot)).cast::<u8>();
        tessera_base::prefetch::read(entry);
        // Half of the entries lie across two cache lines.
        tessera_base::prefetch::read(entry.wrapping_add(size_of::<Entry>() - 1));
        if let Some(rest) = self.rest.get(slot as usize / CHUNK) {
            tessera_base::prefetch::read((&raw const rest[slot as usize % CHUNK]).cast());
        }
    }

    /// The record in `slot`, or `None` when the slot is free or was never used.
    #[inline]
    pub fn get(&self, slot: u32) -> Option<SlotRecord> {
        if slot >= self.end() {
            return None;
        }
        let (entry, rest) = (self.entry(slot), self.rest(slot));
        Some(SlotRecord { digest: entry.digest, location: entry.location(rest)?, meta: entry.meta(rest) })
    }

    /// As `get`, without a copy of the digest.
    #[inline]
    pub(crate) fn see(&self, slot: u32) -> Option<Seen<'_>> {
        if slot >= self.end() {
            return None;
        }
        let (entry, rest) = (self.entry(slot), self.rest(slot));
        Some(Seen { digest: &entry.digest, location: entry.location(rest)?, meta: entry.meta(rest) })
    }

    /// Where the body of the record in `slot` is; `None` as of `get`.
    #[inline]
    pub fn location(&self, slot: u32) -> Option<Location> {
        if slot >= self.end() {
            return None;
        }
        self.entry(slot).location(self.rest(slot))
    }

    /// The slot that the next `insert` takes.
    pub fn next_slot(&self) -> u32 {
        if self.free == 0 { self.end() } else { self.free - 1 }
    }

    /// Adds a record that is not there; returns its slot, `next_slot()` before the call.
    pub fn insert(&mut self, set: u16, record: SlotRecord) -> u32 {
        let slot = self.next_slot();
        if self.free == 0 {
            if slot as usize / ENTRIES == self.chunks.len() {
                grow(&mut self.chunks, Paged::filled(ENTRIES, FREE));
            }
            if slot as usize / CHUNK == self.rest.len() && !self.table.hinted() {
                grow(&mut self.rest, Box::new([0; CHUNK]));
            }
        } else {
            self.free = self.entry(slot).expires_at.wrapping_add(1);
        }
        let (entry, rest) = Entry::of(&record, !self.table.hinted());
        *self.entry_mut(slot) = entry;
        self.set_rest(slot, rest);
        self.sets.put(slot, set);
        if self.table.is_full() {
            self.rehash();
        } else {
            self.table.insert(record.digest.hash64(), slot, record.location.hint());
        }
        slot
    }

    /// Makes the table anew, of the slots that are in use.
    fn rehash(&mut self) {
        let mut table = Table::for_slots(self.end() as usize, self.table.hinted());
        for slot in 0..self.end() {
            let entry = self.entry(slot);
            if entry.taken(self.rest(slot)) {
                table.insert(entry.digest.hash64(), slot, entry.hint());
            }
        }
        self.table = table;
    }

    pub fn update(&mut self, slot: u32, location: Location, meta: Meta) {
        let (whole, known) = (!self.table.hinted(), self.rest(slot));
        let entry = self.entry_mut(slot);
        let moved = entry.location(known) != Some(location);
        let rest = entry.set(location, meta, whole);
        if moved {
            let hash = entry.digest.hash64();
            self.table.hint(hash, slot, location.hint());
        }
        self.set_rest(slot, rest);
    }

    /// A body has moved; nothing else of the record has changed.
    pub fn relocate(&mut self, slot: u32, from: Location, to: Location) {
        let known = self.rest(slot);
        let entry = self.entry_mut(slot);
        debug_assert_eq!(entry.location(known), Some(from));
        if entry.location(known) == Some(from) {
            let rest = entry.set_location(to, known);
            let hash = entry.digest.hash64();
            self.table.hint(hash, slot, to.hint());
            self.set_rest(slot, rest);
        }
    }

    pub fn remove(&mut self, slot: u32) {
        let digest = self.entry(slot).digest;
        self.table.remove(digest.hash64(), slot);
        let next = self.free.wrapping_sub(1);
        *self.entry_mut(slot) = Entry::before(next);
        self.set_rest(slot, 0);
        self.sets.free(slot);
        self.free = slot + 1;
    }

    /// How many of the records in 256 slots from `base` on, those whose bits are set, have not expired.
    pub fn count_alive(&self, base: u32, words: &[u64; CHUNK / 64], now: u32) -> u64 {
        let mut alive = 0;
        for (at, &word) in words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let slot = base + at as u32 * 64 + rest.trailing_zeros();
                rest &= rest - 1;
                alive += u64::from(!self.entry(slot).expired(now));
            }
        }
        alive
    }

    /// Bytes held for so many records, put in one after the other.
    pub fn bytes_for(records: usize, hinted: bool) -> usize {
        let (chunks, columns) = (records.div_ceil(ENTRIES), records.div_ceil(CHUNK));
        chunks * PAGE
            + SetColumn::bytes_for(records)
            + pointer_bytes_for(chunks, size_of::<Paged<Entry>>())
            + if hinted { 0 } else { columns * rest_bytes() + pointer_bytes_for(columns, size_of::<usize>()) }
            + Table::bytes_for(records, hinted)
    }

    /// Bytes held: slab, table, columns.
    pub fn heap_bytes(&self) -> usize {
        let slab: usize = self.chunks.iter().map(Paged::page_bytes).sum();
        let rest = self.rest.len() * rest_bytes() + block(self.rest.capacity() * size_of::<usize>());
        slab + self.sets.heap_bytes() + rest + block(self.chunks.capacity() * size_of::<Paged<Entry>>()) + self.table.heap_bytes()
    }
}

/// Bytes of a chunk of the column of what does not fit in the entries.
const fn rest_bytes() -> usize {
    block(size_of::<[u32; CHUNK]>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::num::NonZeroU64;
    use tessera_base::clock::EPOCH_MS;
    use tessera_record::KeyRef;

    fn record(n: i64, generation: u16) -> SlotRecord {
        let location = Location(NonZeroU64::new(n as u64 + 1).unwrap());
        let meta = Meta { generation, expires_at: n as u32, updated_at: EPOCH_MS + n as u64 };
        SlotRecord { digest: Digest::of("s", KeyRef::Integer(n)), location, meta }
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(operations in prop::collection::vec((0..600i64, 0..3u8), 1..2000), hinted: bool) {
            let mut slots = Slots::new(hinted);
            let mut model = BTreeMap::new();
            for (n, operation) in operations {
                let record = record(n, operation.into());
                match (slots.find(&record.digest), operation) {
                    (Some(slot), 0) => {
                        slots.remove(slot);
                        model.remove(&n);
                    }
                    (None, 0) => prop_assert!(!model.contains_key(&n)),
                    (Some(slot), _) => {
                        slots.update(slot, record.location, record.meta);
                        model.insert(n, (slot, record.meta));
                    }
                    (None, _) => {
                        let expected = slots.next_slot();
                        let slot = slots.insert((n % 3) as u16, record);
                        prop_assert_eq!(slot, expected);
                        model.insert(n, (slot, record.meta));
                    }
                }
                prop_assert_eq!(slots.len(), model.len());
            }
            for (n, (slot, meta)) in &model {
                prop_assert_eq!(slots.find(&record(*n, 0).digest), Some(*slot));
                prop_assert_eq!(slots.get(*slot).unwrap().meta, *meta);
                let (seen, got) = (slots.see(*slot).unwrap(), slots.get(*slot).unwrap());
                prop_assert_eq!((*seen.digest, seen.location, seen.meta), (got.digest, got.location, got.meta));
                prop_assert_eq!(slots.location(*slot), Some(got.location));
                prop_assert_eq!(slots.sets().set_of(*slot), (n % 3) as u16);
            }
            for set in 0..3u16 {
                let (mut found, mut from) = (vec![], 0);
                while from < slots.end() {
                    let mut some = vec![];
                    from = slots.sets().members(set, from, 10, &mut some);
                    found.extend(some);
                }
                let mut wanted: Vec<u32> = model.iter().filter(|(n, _)| (**n % 3) as u16 == set).map(|(_, (slot, _))| *slot).collect();
                wanted.sort_unstable();
                prop_assert_eq!(slots.sets().count(set), wanted.len() as u64);
                prop_assert_eq!(found, wanted);
            }
            for (set, now) in [(None, 0), (None, 300), (Some(1), 300), (Some(2), 301), (None, u32::MAX)] {
                let alive = |(n, (_, meta)): &(&i64, &(u32, Meta))| set.is_none_or(|set| (**n % 3) as u16 == set) && !meta.expired(now);
                let counted = (0..slots.end()).step_by(CHUNK).map(|base| slots.count_alive(base, &slots.sets().column(set, base), now)).sum::<u64>();
                prop_assert_eq!(counted, model.iter().filter(alive).count() as u64, "{:?} at {}", set, now);
            }
        }
    }

    #[test]
    fn the_size_for_so_many_records_is_foretold() {
        for (records, hinted) in [(0, true), (1, false), (14, true), (15, true), (1000, false), (20_000, true)] {
            let mut slots = Slots::new(hinted);
            for n in 0..records {
                slots.insert(1, record(n, 1));
            }
            assert_eq!(Slots::bytes_for(records as usize, hinted), slots.heap_bytes(), "{records}");
        }
    }

    #[test]
    fn freed_slots_are_used_again_first() {
        let mut slots = Slots::new(true);
        for n in 0..10 {
            slots.insert(1, record(n, 1));
        }
        slots.remove(3);
        slots.remove(7);
        assert_eq!(slots.insert(1, record(20, 1)), 7);
        assert_eq!(slots.insert(1, record(21, 1)), 3);
        assert_eq!(slots.insert(1, record(22, 1)), 10);
        assert!(slots.get(11).is_none());
    }
}
