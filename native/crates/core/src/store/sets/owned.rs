//! Operations over all entries take those of the segments of which this node is the primary owner. In a flat container the entries
//! of a segment are found by asking each one.

use crate::config::Container;
use crate::ownership::{Ownership, OwnershipMap, SegmentSet};
use crate::segment::{LOOKED_AT, Segment, SegmentCell};
use crate::store::RecordStore;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence, thread_guard};
use tessera_index::set_column::CHUNK;
use tessera_storage::SegmentBytes;

/// Which segments are whose.
pub(in crate::store) struct Owned {
    map: OwnershipMap,
    primary: Arc<SegmentSet>,
}

/// One segment, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentInfo {
    pub segment: u16,
    pub records: u64,
    pub live_bytes: u64,
    /// `None` in a flat container, where memory is that of all segments.
    pub allocated_bytes: Option<u64>,
    /// The nodes that own it, the primary owner first; none where there is one node alone.
    pub owners: Vec<u16>,
    /// Whether this node is its primary owner.
    pub primary: bool,
    /// Reads and writes of single records since the namespace was opened.
    pub reads: u64,
    pub writes: u64,
}

impl Owned {
    pub(in crate::store) fn of(ownership: Option<Ownership>, segments: u32) -> Option<Arc<Self>> {
        let map = OwnershipMap::new(ownership?, segments);
        Some(Arc::new(Self { primary: Arc::new(map.primary()), map }))
    }
}

impl RecordStore {
    /// The place among the nodes that share the segments, if there are several.
    pub fn ownership(&self) -> Option<Ownership> {
        self.owned.read().as_ref().map(|owned| owned.map.ownership())
    }

    pub(in crate::store) fn set_ownership(&self, ownership: Option<Ownership>) {
        *self.owned.write() = Owned::of(ownership, self.config.segments);
    }

    /// Records held, owned or not, expired ones that the sweeper has not met included. Constant time. Of a cluster an estimate.
    pub fn records(&self) -> u64 {
        thread_guard::may_wait("walks all segments for their records");
        if let Some((records, _)) = self.held_elsewhere(None) {
            return records;
        }
        self.segments.iter().map(SegmentCell::records).sum()
    }

    /// Records that a truncation hides and that could come back.
    pub(crate) fn left_out(&self) -> u64 {
        if self.hides_any() { self.segments.iter().map(SegmentCell::left_out).sum() } else { 0 }
    }

    /// As `records`, of one set or of all.
    pub(crate) fn held(&self, set: Option<&str>) -> u64 {
        if let Some((records, _)) = self.held_elsewhere(set) {
            return records;
        }
        set.map_or_else(|| self.records(), |name| self.sets.find(name).map_or(0, |set| set.records()))
    }

    /// Records of one set or of all, expired ones that the sweeper has not met included: of the segments of which this node is the
    /// primary owner. A sum of counters, which every write keeps, but for a set where ownership is shared (its slots are counted in the
    /// primary segments) and in a flat container that shares it (each record is asked for its segment).
    pub fn size(&self, set: Option<&str>) -> u64 {
        let primary = match self.sum_of_counters(set) {
            Ok(records) => return records,
            Err(primary) => primary,
        };
        let id = match set.map(|name| self.sets.find(name)) {
            Some(Some(set)) => Some(set.id),
            Some(None) => return 0,
            None => None,
        };
        match id.filter(|_| !self.is_flat()) {
            Some(id) => {
                let count = |segment: &Segment| {
                    let all = segment.set_slots(id).map_or_else(|| segment.sets().count(id), |slots| slots.len().into());
                    all - segment.left_out_of(id)
                };
                self.primary_cells(&primary).map(|cell| count(&cell.read())).sum()
            }
            None => {
                let mut records = 0;
                self.each_by_segment(id, |segment, _, _| records += u64::from(primary.has(segment)));
                records
            }
        }
    }

    /// As `size`, where a sum of counters says it.
    pub fn size_at_once(&self, set: &str) -> Option<u64> {
        self.primary_segments().is_none().then(|| self.held(Some(set)))
    }

    /// The size, or the segments whose records have to be looked at for it.
    fn sum_of_counters(&self, set: Option<&str>) -> std::result::Result<u64, Arc<SegmentSet>> {
        match self.primary_segments() {
            None => Ok(self.held(set)),
            Some(primary) if set.is_none() && !self.is_flat() => Ok(self.primary_cells(&primary).map(SegmentCell::records).sum()),
            Some(primary) => Err(primary),
        }
    }

    /// The segments of which this node is the primary owner, where several nodes share them.
    fn primary_segments(&self) -> Option<Arc<SegmentSet>> {
        self.owned.read().as_ref().map(|owned| Arc::clone(&owned.primary))
    }

    fn primary_cells<'a>(&'a self, primary: &'a SegmentSet) -> impl Iterator<Item = &'a SegmentCell> {
        self.segments.iter().enumerate().filter(|(id, _)| primary.has(*id as u16)).map(|(_, cell)| cell)
    }

    /// The segments that an operation over all entries takes; `None` for all. `wanted`: those that the caller names.
    ///
    /// # Errors
    /// `config_invalid` for a segment that there is not, or none at all.
    pub(crate) fn scope(&self, wanted: Option<&[u16]>) -> Result<Option<Arc<SegmentSet>>> {
        let Some(wanted) = wanted else { return Ok(self.primary_segments()) };
        let last = self.config.segments - 1;
        if wanted.is_empty() || wanted.iter().any(|segment| u32::from(*segment) > last) {
            let message = sentence!("must be a list of segments from 0 to {last}; leave it out for all", last = last);
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("segments"));
        }
        Ok(Some(Arc::new(SegmentSet::of(self.config.segments, wanted.iter().copied()))))
    }

    /// Whether one map holds the records of all segments.
    pub(crate) fn is_flat(&self) -> bool {
        self.config.container == Container::Flat
    }

    /// Of a segment that a writer has, bytes are as they were at the last call that found it free: this waits for none. In a flat
    /// container every record is looked at.
    pub fn segments(&self) -> Vec<SegmentInfo> {
        thread_guard::may_wait("walks all segments");
        let owned = self.owned.read().clone();
        let describe = |segment: u16, records: u64, bytes: SegmentBytes, allocated_bytes: Option<u64>| {
            let (reads, writes) = self.heat.of(segment);
            let owners = owned.as_ref().map_or_else(Vec::new, |owned| owned.map.owners(segment).to_vec());
            let primary = owned.as_ref().is_none_or(|owned| owned.primary.has(segment));
            SegmentInfo { segment, records, live_bytes: bytes.live, allocated_bytes, owners, primary, reads, writes }
        };
        if !self.is_flat() {
            let each = |(id, cell): (usize, &SegmentCell)| {
                let bytes = cell.bytes();
                describe(id as u16, cell.records(), bytes, Some(bytes.allocated))
            };
            return self.segments.iter().enumerate().map(each).collect();
        }
        let mut counted = vec![(0, SegmentBytes::default()); self.config.segments as usize];
        self.each_by_segment(None, |id, segment, slot| {
            let (records, bytes) = &mut counted[usize::from(id)];
            *records += 1;
            let record = segment.slots().and_then(|slots| slots.get(slot));
            bytes.live += record.map_or(0, |record| segment.stored_bytes(record.location) as u64);
        });
        counted.into_iter().enumerate().map(|(id, (records, bytes))| describe(id as u16, records, bytes, None)).collect()
    }

    /// Calls `each` with the segment of every record of a set, or of all, that is counted, in a container whose index is in memory, and with where it is.
    fn each_by_segment(&self, set: Option<u16>, mut each: impl FnMut(u16, &Segment, u32)) {
        for cell in &self.segments {
            let mut from = 0;
            loop {
                let segment = cell.read_in_turn();
                let to = from + LOOKED_AT;
                for base in (from..to.min(segment.end())).step_by(CHUNK) {
                    for (at, mut word) in segment.sets().column(set, base).into_iter().enumerate() {
                        while word != 0 {
                            let slot = base + at as u32 * 64 + word.trailing_zeros();
                            word &= word - 1;
                            if segment.leaves_out(slot) {
                                continue;
                            }
                            let digest = segment.slots().map(|slots| slots.digest(slot));
                            digest.into_iter().for_each(|digest| each(digest.segment(self.config.segments), &segment, slot));
                        }
                    }
                }
                if to >= segment.end() {
                    break;
                }
                from = to;
            }
        }
    }
}
