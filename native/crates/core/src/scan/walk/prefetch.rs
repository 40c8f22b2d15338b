//! Asking the processor for what a step will look at, a few records ahead: waits for memory overlap, and what was asked for is still in the
//! cache when its turn comes.

use crate::segment::{Seen, Segment, Slots};
use std::ops::Range;

/// So many records ahead for what the index knows of them.
const ENTRIES: usize = 48;
/// And for their bodies: where only their beginnings are looked at, and where all of them is.
const GLANCES: usize = 24;
const BODIES: usize = 12;

/// What is looked at of bodies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyUse {
    /// Nothing: they are not wanted, or not there.
    Unread,
    /// Their lengths and perhaps their beginnings: of large ones no more is asked for.
    Beginning,
    Whole,
}

/// Ahead of one step.
pub(super) struct Prefetch<'a> {
    segment: &'a Segment,
    known: &'a Slots,
    slots: &'a [u32],
    body_use: BodyUse,
    distance: usize,
}

/// The records in `slots`, which follow each other, with their bodies asked for so far ahead; `None` where the index does not give hints of them.
#[inline]
pub(super) fn along<'a>(
    segment: &'a Segment,
    known: &'a Slots,
    slots: Range<u32>,
    body_use: BodyUse,
) -> Option<impl Iterator<Item = (u32, Option<Seen<'a>>)>> {
    let (seen, mut hints) = known.contiguous(slots.clone())?;
    hints.by_ref().take(body_use.distance()).for_each(|hint| body_use.ask(segment, hint));
    Some(slots.zip(seen).inspect(move |_| {
        if let Some(hint) = hints.next() {
            body_use.ask(segment, hint);
        }
    }))
}

impl BodyUse {
    const fn distance(self) -> usize {
        if matches!(self, Self::Beginning) { GLANCES } else { BODIES }
    }

    /// Asks for what is looked at of a body.
    #[inline]
    fn ask(self, segment: &Segment, hint: u32) {
        match self {
            Self::Unread => {}
            Self::Beginning => segment.prefetch_beginning(hint),
            Self::Whole => segment.prefetch_body(hint),
        }
    }
}

impl<'a> Prefetch<'a> {
    /// Asks for what the first of `slots` take.
    pub(super) fn begin(segment: &'a Segment, known: &'a Slots, slots: &'a [u32], body_use: BodyUse) -> Self {
        let distance = body_use.distance();
        slots.iter().take(ENTRIES).for_each(|&slot| known.prefetch(slot));
        let prefetch = Self { segment, known, slots, body_use, distance };
        slots.iter().take(distance).for_each(|&slot| prefetch.body(slot));
        prefetch
    }

    /// To be called before the record at a position in the slots is looked at.
    #[inline]
    pub(super) fn before(&self, position: usize) {
        if let Some(&[before, slot]) = self.slots.get(position + ENTRIES - 1..=position + ENTRIES) {
            // Of two neighbours the first brings most of the second along.
            if slot % 2 == 0 || before + 1 != slot {
                self.known.prefetch(slot);
            }
        }
        if let Some(&slot) = self.slots.get(position + self.distance) {
            self.body(slot);
        }
    }

    #[inline]
    fn body(&self, slot: u32) {
        if let Some(location) = Some(slot).filter(|_| self.body_use != BodyUse::Unread).and_then(|slot| self.known.location(slot)) {
            self.body_use.ask(self.segment, location.hint());
        }
    }
}
