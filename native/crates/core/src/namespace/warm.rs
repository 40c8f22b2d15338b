//! The index as it goes to its snapshot at an orderly close, and comes from it at the next start.

use super::Namespace;
use crate::error::Result;
use crate::manifest::Truncation;
use crate::segment::{SlotRecord, Slots};
use crate::sets::SetEntry;
use crate::storage::{IndexSource, IndexTarget, SegmentImage, SlotImage};
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

impl Namespace {
    /// Saves the index, where a start that reads it would know all that one that reads the records does. Damage that is
    /// known has to be found and told again.
    pub(super) fn save_index(&self) {
        // A record on its way to another segment has its key's lock.
        self.stripes.iter().for_each(|stripe| drop(stripe.lock()));
        let whole = self.recovery.damaged + self.scrub_damage() == 0 && !self.unburied.any() && self.poisoned().is_none();
        if whole && self.config().indexes.is_empty() {
            // Without one the next start reads the records.
            let _ = self.storage.save_index(self);
        }
    }
}

impl IndexSource for Namespace {
    fn segments(&self) -> u32 {
        self.config.segments
    }

    fn sets(&self) -> Vec<String> {
        self.sets.all().iter().map(|set| set.name.to_string()).collect()
    }

    fn segment(&self, segment: u16, visit: &mut dyn FnMut(&SlotImage) -> Result<()>) -> Result<SegmentImage> {
        let Some(cell) = self.segments.get(usize::from(segment)) else { return Ok(SegmentImage::default()) };
        let segment = cell.read();
        let slots = segment.slots();
        for slot in 0..slots.end() {
            if let Some(SlotRecord { digest, location, meta }) = slots.get(slot) {
                visit(&SlotImage { digest, location, meta, set: slots.set_of(slot) })?;
            }
        }
        Ok(SegmentImage { records: segment.len() as u32, live_bytes: segment.bytes().live, newest_update: segment.newest_update() })
    }
}

/// An index image on its way into a namespace.
pub(super) struct Warm<'a> {
    namespace: &'a Namespace,
    truncations: &'a [Truncation],
    sets: OnceLock<ImageSets>,
    /// By segment.
    staged: Box<[Mutex<Option<Staged>>]>,
}

/// What was put aside of a segment.
struct Staged {
    slots: Slots,
    newest_update: u64,
}

/// The sets of an image.
struct ImageSets {
    /// By place in the image: the set's id here, and the time up to which its records are truncated.
    known: Vec<(u16, Option<u64>)>,
    by_id: Vec<Arc<SetEntry>>,
}

impl<'a> Warm<'a> {
    pub(super) fn new(namespace: &'a Namespace, truncations: &'a [Truncation]) -> Self {
        let staged = namespace.segments.iter().map(|_| Mutex::default()).collect();
        Self { namespace, truncations, sets: OnceLock::new(), staged }
    }
}

impl IndexTarget for Warm<'_> {
    fn segments(&self) -> u32 {
        self.namespace.config.segments
    }

    fn sets(&self, names: &[String]) -> Result<()> {
        let known = names.iter().map(|name| {
            let covers = |t: &&Truncation| t.set.as_deref().is_none_or(|set| set == name);
            let until = self.truncations.iter().filter(covers).map(|t| t.until_ms).max();
            Ok((self.namespace.sets.find_or_create(name)?.id, until))
        });
        let known = known.collect::<Result<_>>()?;
        self.sets.get_or_init(|| ImageSets { known, by_id: self.namespace.sets.all() });
        Ok(())
    }

    fn stage(&self, segment: u16, image: &SegmentImage, records: &mut dyn Iterator<Item = SlotImage>) {
        let number = usize::from(segment);
        let (Some(cell), Some(staged), Some(sets)) = (self.namespace.segments.get(number), self.staged.get(number), self.sets.get()) else {
            return;
        };
        let mut slots = cell.read().slots().sized(image.records as usize);
        for SlotImage { digest, location, meta, set } in records {
            let known = sets.known.get(usize::from(set)).filter(|(_, until)| until.is_none_or(|until| meta.updated_at > until));
            if let Some((set, _)) = known {
                slots.insert(*set, SlotRecord { digest, location, meta });
            }
        }
        *staged.lock() = Some(Staged { slots, newest_update: image.newest_update });
    }

    fn install(&self, segment: u16) {
        let number = usize::from(segment);
        let staged = self.staged.get(number).and_then(|staged| staged.lock().take());
        if let (Some(Staged { slots, newest_update }), Some(cell), Some(sets)) =
            (staged, self.namespace.segments.get(number), self.sets.get())
        {
            cell.write(|segment| segment.load(slots, newest_update, &sets.by_id));
        }
    }

    fn discard(&self) {
        self.staged.iter().for_each(|staged| drop(staged.lock().take()));
    }
}
