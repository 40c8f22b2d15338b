//! Going through all records of a store, of whatever it is made, for who asks for each of them again.

use crate::store::RecordStore;
use tessera_base::Result;
use tessera_record::{Digest, Meta};

/// A record that a walk has met.
pub(crate) struct MetRecord {
    pub(crate) set: u16,
    pub(crate) digest: Digest,
    /// What came with it from a cluster, if bodies were wanted.
    pub(super) version: Option<(Meta, Box<[u8]>)>,
}

/// Takes some records.
pub(super) type EachOf<'a> = dyn FnMut(&[MetRecord]) -> Result<()> + 'a;

impl RecordStore {
    /// So many parts all records are in.
    pub(crate) fn walk_parts(&self) -> usize {
        self.token_ranges().unwrap_or(self.segments.len())
    }

    /// The records of a part, expired or not, `most` at a time. A record that moves to another part meanwhile may not come: it is changed
    /// then. `bodies`: whether a cluster is to send them.
    ///
    /// # Errors
    /// As `Segment::record`; `cluster_unavailable`; those of `each`.
    pub(crate) fn walk_part(&self, part: usize, most: usize, bodies: bool, each: &mut EachOf<'_>) -> Result<()> {
        if let Some(remote) = self.remote() {
            return self.walk_elsewhere(remote.walk(part, bodies), most, bodies, each);
        }
        let (mut found, mut from) = (Vec::new(), Some(0));
        while let Some(slot) = from {
            found.clear();
            from = self.records_from(part, slot, most, &mut found)?;
            each(&found)?;
        }
        Ok(())
    }

    /// Those in `most` slots of a cell from `from` on; where to go on.
    fn records_from(&self, cell: usize, from: u32, most: usize, out: &mut Vec<MetRecord>) -> Result<Option<u32>> {
        let (segment, mut slots) = (self.segments[cell].read_in_turn(), Vec::with_capacity(most));
        let next = segment.sets().all(from, most, &mut slots);
        for slot in slots {
            let set = segment.sets().set_of(slot);
            out.extend(segment.record(slot)?.map(|record| MetRecord { set, digest: record.digest, version: None }));
        }
        Ok((next < segment.end()).then_some(next))
    }
}
