//! Records that a truncation hides and that could come back: they stay in their slots and in the indexes, and are counted nowhere.

use super::Segment;
use crate::sets::SetEntry;
use tessera_index::slot_set::SlotSet;
use tessera_storage::SlotRecord;

impl Segment {
    /// Records that are counted nowhere.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out.as_ref().map_or(0, |slots| u64::from(slots.len()))
    }

    /// As `left_out`, of one set.
    pub(crate) fn left_out_of(&self, set: u16) -> u64 {
        let slots = self.left_out.iter().flat_map(|slots| slots.iter());
        slots.filter(|&slot| self.sets().set_of(slot) == set).count() as u64
    }

    /// Whether the record in a slot is counted nowhere.
    #[inline]
    pub(crate) fn leaves_out(&self, slot: u32) -> bool {
        self.left_out.as_ref().is_some_and(|slots| slots.contains(slot))
    }

    /// Up to `most` slots from `from` on whose records are counted nowhere, and a few more.
    pub(crate) fn left_out_from(&self, from: u32, most: usize) -> Vec<u32> {
        let mut found = Vec::new();
        for (base, words) in self.left_out.iter().flat_map(|slots| slots.chunks_from(from)) {
            for (at, mut word) in words.into_iter().enumerate() {
                while word != 0 {
                    let slot = base + at as u32 * 64 + word.trailing_zeros();
                    word &= word - 1;
                    if slot >= from {
                        found.push(slot);
                    }
                }
            }
            if found.len() >= most {
                break;
            }
        }
        found
    }

    /// Takes a hidden record off the counts; its bytes.
    pub(crate) fn leave_out(&mut self, set: &SetEntry, slot: u32, record: &SlotRecord) -> u64 {
        let bytes = self.stored_bytes(record.location);
        self.left_out.get_or_insert_default().insert(slot);
        set.count(-1, -(bytes as i64));
        bytes as u64
    }

    /// Counts a record again that is hidden no more.
    pub(crate) fn count_in(&mut self, set: &SetEntry, slot: u32, record: &SlotRecord) {
        if self.take_in(slot) {
            set.count(1, self.stored_bytes(record.location) as i64);
        }
    }

    /// Notes that a slot has another record now, or none; whether its record was counted nowhere.
    pub(super) fn take_in(&mut self, slot: u32) -> bool {
        let Some(slots) = &mut self.left_out else { return false };
        let was = slots.remove(slot);
        if slots.is_empty() {
            self.left_out = None;
        }
        was
    }
}

/// Bytes of the slots that are left out.
pub(super) fn heap_bytes(slots: Option<&SlotSet>) -> usize {
    slots.map_or(0, |slots| size_of::<SlotSet>() + slots.heap_bytes())
}
