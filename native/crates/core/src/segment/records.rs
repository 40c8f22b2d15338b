//! The records of a segment in one of two forms: an index in memory beside bodies that an engine keeps by place, or index and bodies in pages.
//!
//! What asks the index for a record can fail: of pages, one may have to be read.

use super::bodies::Bodies;
use super::primary::{Hints, Slots};
use tessera_base::Result;
use tessera_index::set_column::{CHUNK, SetColumn};
use tessera_record::Digest;
use tessera_storage::paged::PagedSegment;
use tessera_storage::{Location, RecordImage, SegmentBytes, SegmentPart, SlotRecord};

#[expect(clippy::large_enum_variant, reason = "there is one a segment, and a box would be one more place to wait for")]
pub(super) enum Records {
    Indexed(Indexed),
    Paged(Box<PagedSegment>),
}

/// An index in memory, and where the bodies are: in this order, so that what a lookup takes lies together.
#[repr(C)]
pub(super) struct Indexed {
    pub(super) slots: Slots,
    pub(super) store: Bodies,
}

impl From<Bodies> for Records {
    fn from(store: Bodies) -> Self {
        Self::Indexed(Indexed { slots: Slots::new(store.prefetches()), store })
    }
}

impl From<SegmentPart> for Records {
    fn from(part: SegmentPart) -> Self {
        match part {
            SegmentPart::Memory(extents) => Bodies::Memory(extents).into(),
            SegmentPart::Bodies(engine) => Bodies::Engine(engine).into(),
            SegmentPart::Pages(pages) => Self::Paged(pages),
        }
    }
}

impl Records {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Indexed(indexed) => indexed.slots.len(),
            Self::Paged(pages) => pages.len(),
        }
    }

    pub(super) fn sets(&self) -> &SetColumn {
        match self {
            Self::Indexed(indexed) => indexed.slots.sets(),
            Self::Paged(pages) => pages.sets(),
        }
    }

    /// The index, if it is in memory.
    pub(super) fn slots(&self) -> Option<&Slots> {
        match self {
            Self::Indexed(indexed) => Some(&indexed.slots),
            Self::Paged(_) => None,
        }
    }

    #[inline]
    pub(super) fn find(&self, digest: &Digest) -> Result<Option<u32>> {
        match self {
            Self::Indexed(indexed) => Ok(indexed.slots.find(digest)),
            Self::Paged(pages) => pages.find(digest),
        }
    }

    /// Slot and record of a digest, with the body asked for meanwhile.
    #[inline]
    pub(super) fn seek(&self, digest: &Digest) -> Result<Option<(u32, SlotRecord)>> {
        match self {
            Self::Indexed(Indexed { slots, store }) => {
                let slot = slots.find_ahead(digest, |hint| store.prefetch(hint));
                Ok(slot.and_then(|slot| Some((slot, slots.get(slot)?))))
            }
            Self::Paged(pages) => pages.seek(digest),
        }
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> Result<Option<SlotRecord>> {
        match self {
            Self::Indexed(indexed) => Ok(indexed.slots.get(slot)),
            Self::Paged(pages) => pages.get(slot),
        }
    }

    pub(super) fn next_slot(&self) -> u32 {
        match self {
            Self::Indexed(indexed) => indexed.slots.next_slot(),
            Self::Paged(pages) => pages.next_slot(),
        }
    }

    /// How many of the records in 256 slots from `base` on, those whose bits are set, have not expired.
    pub(super) fn count_alive(&self, base: u32, words: &[u64; CHUNK / 64], now: u32) -> Result<u64> {
        match self {
            Self::Indexed(indexed) => Ok(indexed.slots.count_alive(base, words, now)),
            Self::Paged(pages) => {
                let mut alive = 0;
                for (at, &word) in words.iter().enumerate() {
                    let mut rest = word;
                    while rest != 0 {
                        let slot = base + at as u32 * 64 + rest.trailing_zeros();
                        rest &= rest - 1;
                        alive += u64::from(pages.get(slot)?.is_some_and(|record| !record.meta.expired(now)));
                    }
                }
                Ok(alive)
            }
        }
    }

    /// Adds a record that is not there, in `next_slot`; answers where its body is.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    pub(super) fn insert(&mut self, set: u16, image: &RecordImage<'_>) -> Result<Location> {
        match self {
            Self::Indexed(Indexed { slots, store }) => {
                let location = store.put(image, None)?;
                slots.insert(set, SlotRecord { digest: image.digest, location, meta: image.meta });
                Ok(location)
            }
            Self::Paged(pages) => pages.insert(set, image),
        }
    }

    /// Gives the record in `image.slot` a new body.
    ///
    /// # Errors
    /// As `SegmentStore::put`; then nothing has changed.
    pub(super) fn update(&mut self, set: u16, old: &SlotRecord, image: &RecordImage<'_>) -> Result<()> {
        match self {
            Self::Indexed(Indexed { slots, store }) => {
                let location = store.put(image, Some(old.location))?;
                slots.update(image.slot, location, image.meta);
                Ok(())
            }
            Self::Paged(pages) => pages.update(set, old, image).map(drop),
        }
    }

    /// Keeps room for bodies of so many bytes, until `end_batch`; answers how many extents have to be kept beside. Of pages alone.
    pub(super) fn keep_room(&mut self, bodies: &[usize]) -> usize {
        match self {
            Self::Indexed(_) => 0,
            Self::Paged(pages) => pages.keep_room(bodies),
        }
    }

    pub(super) fn end_batch(&mut self) {
        if let Self::Paged(pages) = self {
            pages.end_batch();
        }
    }

    pub(super) fn resident(&self, location: Location) -> Option<&[u8]> {
        match self {
            Self::Indexed(indexed) => indexed.store.resident(location),
            Self::Paged(_) => None,
        }
    }

    pub(super) fn stored_bytes(&self, location: Location) -> usize {
        match self {
            Self::Indexed(indexed) => indexed.store.stored_bytes(location),
            Self::Paged(_) => PagedSegment::stored_bytes(location),
        }
    }

    pub(super) fn put_bytes(&self, set: usize, body: usize) -> usize {
        match self {
            Self::Indexed(indexed) => indexed.store.put_bytes(set, body),
            Self::Paged(_) => PagedSegment::put_bytes(body),
        }
    }

    /// Asks the processor for a body ahead of its use, where it may be in memory.
    pub(super) fn prefetch_body(&self, hint: u32) {
        if let Self::Indexed(indexed) = self {
            indexed.store.prefetch(hint);
        }
    }

    pub(super) fn prefetch_beginning(&self, hint: u32) {
        if let Self::Indexed(indexed) = self {
            indexed.store.prefetch_beginning(hint);
        }
    }

    pub(super) fn note(&self, hints: &Hints) {
        if let Self::Indexed(Indexed { slots, store }) = self {
            hints.note(slots, store.extent_list());
        }
    }

    pub(super) fn bytes(&self) -> SegmentBytes {
        match self {
            Self::Indexed(indexed) => indexed.store.bytes(),
            Self::Paged(pages) => pages.bytes(),
        }
    }

    /// Bytes of memory for the index.
    pub(super) fn index_bytes(&self) -> usize {
        match self {
            Self::Indexed(indexed) => indexed.slots.heap_bytes(),
            Self::Paged(pages) => pages.heap_bytes(),
        }
    }
}
