//! What of a record is decided before its body is read.

use super::sample::{Sample, Share};
use crate::segment::Segment;
use crate::store::RecordStore;
use std::ops::Range;
use std::sync::Arc;
use tessera_record::filter::{Filter, Subject};
use tessera_record::{BodyRef, Digest, Meta};
use tessera_storage::SlotRecord;

#[derive(Clone, Debug)]
pub(crate) struct Prefilter {
    filter: Option<Arc<Filter>>,
    share: Option<Share>,
    partitions: Option<Range<u16>>,
}

/// A record as the index knows it.
struct Indexed<'a> {
    store: &'a RecordStore,
    segment: &'a Segment,
    slot: u32,
    record: &'a SlotRecord,
}

impl Prefilter {
    /// `None` where nothing can be decided early.
    pub(crate) fn new(filter: Option<&Arc<Filter>>, sample: Option<&Sample>, partitions: Option<Range<u16>>) -> Option<Arc<Self>> {
        let filter = filter.filter(|filter| filter.reads_index()).cloned();
        let share = sample.and_then(Sample::share);
        let decides = filter.is_some() || share.is_some() || partitions.is_some();
        decides.then(|| Arc::new(Self { filter, share, partitions }))
    }

    /// Whether a record is of the sample and of the partitions.
    pub(in crate::scan) fn samples(&self, digest: &Digest) -> bool {
        self.partitions.as_ref().is_none_or(|wanted| wanted.contains(&digest.partition()))
            && self.share.as_ref().is_none_or(|share| share.takes(digest))
    }

    /// Whether a record may be wanted.
    pub(in crate::scan) fn lets_through(&self, store: &RecordStore, segment: &Segment, slot: u32, record: &SlotRecord) -> bool {
        let indexed = Indexed { store, segment, slot, record };
        self.samples(&record.digest) && self.filter.as_ref().is_none_or(|filter| filter.holds(&indexed) != Some(false))
    }
}

impl Subject for Indexed<'_> {
    fn digest(&self) -> &Digest {
        &self.record.digest
    }

    fn meta(&self) -> &Meta {
        &self.record.meta
    }

    fn size(&self) -> u64 {
        self.segment.stored_bytes(self.record.location) as u64
    }

    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
        let set = self.store.set_by_id(self.segment.sets().set_of(self.slot));
        with(set.as_ref().map_or("", |set| &set.name))
    }

    fn body(&self) -> Option<BodyRef<'_>> {
        None
    }
}
