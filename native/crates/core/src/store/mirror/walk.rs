//! Going through all records of a store, of whatever it is made, for who asks for each of them again.

use crate::store::RecordStore;
use parking_lot::Mutex;
use tessera_base::Result;
use tessera_index::slot_set::SlotSet;
use tessera_record::{Digest, Meta};

/// A record that a walk has met.
pub(crate) struct MetRecord {
    pub(crate) set: u16,
    pub(crate) digest: Digest,
    /// What came with it from a cluster, if bodies were wanted.
    pub(super) version: Option<(Meta, Box<[u8]>)>,
    /// Whether a walk through the other store has found it to be the same.
    pub(crate) seen: bool,
}

/// Records of a store that a walk through the other one has found to be the same, by cell and slot. A slot that gets another record
/// stays here: that record was written since then, and so it was carried.
pub(crate) struct Seen(Box<[Mutex<SlotSet>]>);

/// Takes some records.
pub(super) type EachOf<'a> = dyn FnMut(&[MetRecord]) -> Result<()> + 'a;

impl RecordStore {
    /// So many parts all records are in.
    pub(crate) fn walk_parts(&self) -> usize {
        self.token_ranges().unwrap_or(self.segments.len())
    }

    /// Nothing is seen yet. `None` where records are not told by slots: on a cluster, and in pages, where they move unchanged.
    pub(crate) fn unseen(&self) -> Option<Seen> {
        let told = self.remote.is_none() && self.segments.iter().all(|cell| cell.read_in_turn().slots().is_some());
        told.then(|| Seen(self.segments.iter().map(|_| Mutex::default()).collect()))
    }

    /// Notes that the record of a digest was seen, if it is here.
    pub(super) fn see(&self, seen: &Seen, digest: &Digest) -> Result<()> {
        let cell = usize::from(self.home(digest)) & (self.segments.len() - 1);
        let segment = self.segments[cell].read_in_turn();
        if let Some((slot, _)) = segment.seek(digest)? {
            seen.0[cell].lock().insert(slot);
        }
        Ok(())
    }

    /// The records of a part, expired or not, `most` at a time. A record that moves to another part meanwhile may not come: it is changed
    /// then. `bodies`: whether a cluster is to send them; `seen`: of a store that is none.
    ///
    /// # Errors
    /// As `Segment::record`; `cluster_unavailable`; those of `each`.
    pub(crate) fn walk_part(&self, part: usize, most: usize, bodies: bool, seen: Option<&Seen>, each: &mut EachOf<'_>) -> Result<()> {
        if let Some(remote) = self.remote() {
            return self.walk_elsewhere(remote.walk(part, bodies), most, bodies, each);
        }
        let (mut found, mut from) = (Vec::new(), Some(0));
        while let Some(slot) = from {
            found.clear();
            from = self.records_from(part, slot, most, seen, &mut found)?;
            each(&found)?;
        }
        Ok(())
    }

    /// Those in `most` slots of a cell from `from` on; where to go on.
    fn records_from(&self, cell: usize, from: u32, most: usize, seen: Option<&Seen>, out: &mut Vec<MetRecord>) -> Result<Option<u32>> {
        let (segment, mut slots) = (self.segments[cell].read_in_turn(), Vec::with_capacity(most));
        let next = segment.sets().all(from, most, &mut slots);
        for slot in slots {
            let set = segment.sets().set_of(slot);
            let seen = seen.is_some_and(|seen| seen.0[cell].lock().contains(slot));
            out.extend(segment.record(slot)?.map(|record| MetRecord { set, digest: record.digest, version: None, seen }));
        }
        Ok((next < segment.end()).then_some(next))
    }
}
