//! What a write finds in a segment, and what it leaves there.

use crate::segment::Segment;
use std::borrow::Cow;
use tessera_storage::SlotRecord;

/// A record that a write finds.
pub(super) struct Old<'a> {
    pub(super) segment: &'a Segment,
    pub(super) record: &'a SlotRecord,
    pub(super) resident: Option<&'a [u8]>,
}

impl<'a> Old<'a> {
    pub(super) fn new(segment: &'a Segment, record: &'a SlotRecord) -> Self {
        Self { segment, record, resident: segment.resident(record.location) }
    }

    /// One whose body has to be read.
    #[cfg(test)]
    pub(super) const fn on_device(segment: &'a Segment, record: &'a SlotRecord) -> Self {
        Self { segment, record, resident: None }
    }
}

/// What goes into the segment.
pub(super) enum Stored<'a> {
    Body(Cow<'a, [u8]>),
    /// The record goes.
    Nothing,
    /// The old body has to be read from the device first.
    Read(SlotRecord),
}
