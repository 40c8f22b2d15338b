//! The index as it goes to its snapshot at an orderly close, and comes from it at the next start.

use crate::manifest::Truncation;
use crate::segment::{Segment, Slots};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use tessera_base::{Error, ErrorCode, Result};
use tessera_index::image::{self, IndexNote};
use tessera_index::{Index, IndexState, Renumber, Renumbering, SegmentIndex};
use tessera_storage::{IndexSource, IndexTarget, SegmentImage, SlotImage, SlotRecord};

impl RecordStore {
    /// Saves the index, where a start that reads it would know all that one that reads the records does. Damage that is
    /// known has to be found and told again. `damaged_at_start`: places that the last start found.
    pub(crate) fn save_index(&self, damaged_at_start: u64) {
        // A record on its way to another segment has its key's lock.
        self.stripes.iter().for_each(|stripe| drop(stripe.lock()));
        let whole = damaged_at_start + self.scrub_damage() == 0 && !self.stale_copies.any() && self.poisoned().is_none();
        if whole && !self.bodies_resident() {
            // Without one the next start reads the records.
            let _ = self.storage.save_index(&Saved::of(self));
        }
    }
}

/// The index on its way to its image.
struct Saved<'a> {
    store: &'a RecordStore,
    /// Those that are whole; the others are built at the next start.
    indexes: Vec<Arc<Index>>,
    /// By segment: the records that were saved. A truncation may still be removing some, which moves what parts tell of the others.
    records: Box<[AtomicUsize]>,
}

impl<'a> Saved<'a> {
    fn of(store: &'a RecordStore) -> Self {
        let mut indexes = store.indexes.all();
        indexes.retain(|index| index.state() == IndexState::Ready);
        if !indexes.is_empty() {
            store.merge_indexes(&|| true);
        }
        let writable = |index: &Arc<Index>| store.segments.iter().all(|cell| cell.read().indexes().get(index).is_some_and(image::writable));
        indexes.retain(writable);
        let records = store.segments.iter().map(|_| AtomicUsize::default()).collect();
        Self { store, indexes, records }
    }
}

impl IndexSource for Saved<'_> {
    fn segments(&self) -> u32 {
        self.store.config.segments
    }

    fn sets(&self) -> Vec<String> {
        self.store.sets.all().iter().map(|set| set.name.to_string()).collect()
    }

    fn segment(&self, segment: u16, visit: &mut dyn FnMut(&SlotImage) -> Result<()>) -> Result<SegmentImage> {
        let number = usize::from(segment);
        let Some((cell, records)) = self.store.segments.get(number).zip(self.records.get(number)) else {
            return Ok(SegmentImage::default());
        };
        let segment = cell.read();
        records.store(segment.len(), Relaxed);
        // Pages have their records themselves.
        if let Some(slots) = segment.slots() {
            for slot in 0..slots.end() {
                if let Some(SlotRecord { digest, location, meta }) = slots.get(slot) {
                    visit(&SlotImage { digest, location, meta, set: slots.sets().set_of(slot) })?;
                }
            }
        }
        Ok(SegmentImage { records: segment.len() as u32, live_bytes: segment.bytes().live, newest_update: segment.newest_update() })
    }

    fn notes(&self) -> Vec<Vec<u8>> {
        self.indexes.iter().map(|index| IndexNote::of(index.spec()).encode()).collect()
    }

    fn part(&self, index: usize, segment: u16, out: &mut Vec<u8>) -> Result<()> {
        let mut written = || {
            let number = usize::from(segment);
            let segment = self.store.segments.get(number)?.read();
            if self.records.get(number)?.load(Relaxed) != segment.len() {
                return None;
            }
            let places = match segment.slots() {
                Some(slots) => Renumbering::of((0..slots.end()).map(|slot| slots.get(slot).is_some())),
                // They keep their slots.
                None => Renumbering::same(segment.end()),
            };
            image::write(segment.indexes().get(self.indexes.get(index)?)?, &places, out)
        };
        written().ok_or_else(|| Error::new(ErrorCode::Internal, "an index changed while it was saved"))
    }
}

/// An index image on its way into a namespace.
pub(in crate::store) struct Warm<'a> {
    store: &'a RecordStore,
    truncations: &'a [Truncation],
    sets: OnceLock<ImageSets>,
    /// By place in the image; `None` of what is not an index here any more.
    indexes: OnceLock<Vec<Option<Arc<Index>>>>,
    /// By segment.
    staged: Box<[Mutex<Option<Staged>>]>,
    /// All of it was sound.
    installed: AtomicBool,
}

/// What was put aside of a segment.
struct Staged {
    /// `None` where the segment has its records: they are in pages.
    slots: Option<Slots>,
    newest_update: u64,
    /// The slots of the records, by place in the image.
    places: Renumbering,
    parts: Vec<(Arc<Index>, SegmentIndex)>,
}

/// The sets of an image.
struct ImageSets {
    /// By place in the image: the set's id here, and the time up to which its records are truncated.
    known: Vec<(u16, Option<u64>)>,
    by_id: Vec<Arc<SetEntry>>,
}

impl<'a> Warm<'a> {
    pub(in crate::store) fn new(store: &'a RecordStore, truncations: &'a [Truncation]) -> Self {
        let staged = store.segments.iter().map(|_| Mutex::default()).collect();
        Self { store, truncations, sets: OnceLock::new(), indexes: OnceLock::new(), staged, installed: AtomicBool::new(false) }
    }

    /// The indexes that an image brought; `None` where none came.
    pub(in crate::store) fn indexes(&self) -> Option<impl Iterator<Item = &Arc<Index>>> {
        self.indexes.get().filter(|_| self.installed.load(Relaxed)).map(|indexes| indexes.iter().flatten())
    }
}

/// What begins a segment that has its records, where they are those of the image.
fn in_pages(segment: &Segment, image: &SegmentImage) -> Option<Staged> {
    let same = (segment.len() as u64, segment.bytes().live) == (u64::from(image.records), image.live_bytes);
    let places = Renumbering::same(segment.end());
    same.then(|| Staged { slots: None, newest_update: image.newest_update, places, parts: Vec::new() })
}

impl IndexTarget for Warm<'_> {
    fn segments(&self) -> u32 {
        self.store.config.segments
    }

    fn sets(&self, names: &[String]) -> Result<()> {
        let known = names.iter().map(|name| {
            let covers = |t: &&Truncation| t.set.as_deref().is_none_or(|set| set == name);
            let until = self.truncations.iter().filter(covers).map(|t| t.until_ms).max();
            Ok((self.store.sets.find_or_create(name)?.id, until))
        });
        let known = known.collect::<Result<_>>()?;
        self.sets.get_or_init(|| ImageSets { known, by_id: self.store.sets.all() });
        Ok(())
    }

    fn notes(&self, notes: &[Vec<u8>]) -> std::result::Result<(), &'static str> {
        let own = self.store.indexes.all();
        let mut indexes: Vec<Option<Arc<Index>>> = Vec::with_capacity(notes.len());
        for note in notes {
            let note = IndexNote::decode(note).ok_or("the note of an index is none")?;
            let index = own.iter().find(|index| note.fits(index.spec())).cloned();
            if index.as_ref().is_some_and(|index| indexes.iter().flatten().any(|other| Arc::ptr_eq(other, index))) {
                return Err("it lists an index twice");
            }
            indexes.push(index);
        }
        self.indexes.get_or_init(|| indexes);
        Ok(())
    }

    fn stage(&self, segment: u16, image: &SegmentImage, records: &mut dyn Iterator<Item = SlotImage>) {
        let number = usize::from(segment);
        let (Some(cell), Some(staged), Some(sets)) = (self.store.segments.get(number), self.staged.get(number), self.sets.get()) else {
            return;
        };
        let Some(mut slots) = cell.read().slots().map(|slots| slots.sized(image.records as usize)) else {
            *staged.lock() = in_pages(&cell.read(), image);
            return;
        };
        let mut places = Renumber::default();
        for SlotImage { digest, location, meta, set } in records {
            let known = sets.known.get(usize::from(set)).filter(|(_, until)| until.is_none_or(|until| meta.updated_at > until));
            if let Some((set, _)) = known {
                // Each takes the next slot, as `places` says.
                slots.insert(*set, SlotRecord { digest, location, meta });
            }
            places.push(known.is_some());
        }
        *staged.lock() =
            Some(Staged { slots: Some(slots), newest_update: image.newest_update, places: places.finish(), parts: Vec::new() });
    }

    fn stage_part(&self, index: usize, segment: u16, part: &[u8]) -> std::result::Result<(), &'static str> {
        let index = self.indexes.get().and_then(|indexes| indexes.get(index)?.as_ref());
        let (Some(index), Some(staged)) = (index, self.staged.get(usize::from(segment))) else { return Ok(()) };
        let mut staged = staged.lock();
        let Staged { places, parts, .. } = staged.as_mut().ok_or("a segment has other records than it should")?;
        let part = image::read(index.spec().kind, part, places).ok_or("a part of an index is not sound")?;
        parts.push((Arc::clone(index), part));
        Ok(())
    }

    fn install(&self, segment: u16) {
        self.installed.store(true, Relaxed);
        let number = usize::from(segment);
        let staged = self.staged.get(number).and_then(|staged| staged.lock().take());
        if let (Some(Staged { slots, newest_update, parts, .. }), Some(cell), Some(sets)) =
            (staged, self.store.segments.get(number), self.sets.get())
        {
            cell.write(|segment| {
                if let Some(slots) = slots
                    && segment.load(slots, newest_update, &sets.by_id).is_err()
                {
                    return;
                }
                for (index, part) in parts {
                    segment.indexes_mut().adopt(&index, part);
                }
            });
        }
    }

    fn discard(&self) {
        self.staged.iter().for_each(|staged| drop(staged.lock().take()));
    }
}
