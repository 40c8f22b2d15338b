//! Walking few records fast: those of several segments are asked for before the first is used, so that the waits for
//! memory overlap.

use super::found::Found;
use super::steps::{ALL_SLOTS, STEP};
use super::walk::Walk;
use crate::access::LookedUp;
use crate::segment::Segment;
use parking_lot::RwLockReadGuard;
use std::ops::ControlFlow;
use tessera_base::clock;
use tessera_storage::SlotRecord;

/// Segments held for reading together.
const SEGMENTS: usize = 16;

struct Group<'a> {
    segments: Vec<(u16, RwLockReadGuard<'a, Segment>)>,
    /// Position in `segments`, and slot.
    slots: Vec<(usize, u32)>,
    records: Vec<(usize, u32, SlotRecord)>,
}

impl Walk<'_> {
    /// Meets every record, when all bodies are in memory and there are not many; returns how many, and whether `each` has
    /// broken off. `each` runs with locks held for reading: it must be quick, and must not write.
    pub(crate) fn everything(&self, each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>) -> (u64, ControlFlow<()>) {
        let mut group = Group { segments: Vec::with_capacity(SEGMENTS), slots: Vec::new(), records: Vec::new() };
        let (mut met, mut slots, mut looked_up) = (0, Vec::new(), LookedUp::default());
        for (id, cell) in self.store.cells().iter().enumerate().filter(|(id, _)| !self.selection.skips(*id)) {
            let segment = cell.read();
            slots.clear();
            self.gather(&segment, ALL_SLOTS, usize::MAX, &mut slots, &mut looked_up);
            self.passed(id, None);
            slots.iter().for_each(|&slot| segment.prefetch_slot(slot));
            let place = group.segments.len();
            group.slots.extend(slots.iter().map(|&slot| (place, slot)));
            group.segments.push((id as u16, segment));
            let full = group.segments.len() == SEGMENTS || group.slots.len() >= STEP;
            if full && group.meet(self, &mut met, each).is_break() {
                return (met, ControlFlow::Break(()));
            }
        }
        let end = group.meet(self, &mut met, each);
        (met, end)
    }
}

impl Group<'_> {
    fn meet(&mut self, walk: &Walk<'_>, met: &mut u64, each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let Self { segments, slots, records } = self;
        let now = clock::unix_seconds();
        for (place, slot) in slots.drain(..) {
            let segment = &segments[place].1;
            if let Some(record) = segment.slots().and_then(|slots| slots.get(slot)).filter(|record| walk.meets(segment, slot, record, now))
            {
                *met += 1;
                if !walk.passes_over(segment, slot, &record) {
                    segment.prefetch_body(record.location.hint());
                    records.push((place, slot, record));
                }
            }
        }
        for (place, slot, record) in records.drain(..) {
            let (id, segment) = &segments[place];
            let Some(body) = segment.resident(record.location) else { continue };
            let (set, size) = (segment.sets().set_of(slot), walk.size(segment, &record));
            each(&Found { segment: *id, slot, set, digest: record.digest, meta: record.meta, size, body })?;
        }
        segments.clear();
        ControlFlow::Continue(())
    }
}
