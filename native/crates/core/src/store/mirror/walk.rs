//! Going through all records of a store, of whatever it is made, for who asks for each of them again.

use crate::store::RecordStore;
use tessera_base::Result;
use tessera_record::Digest;

impl RecordStore {
    /// Sets and digests of the records in `most` slots of a cell from `from` on, expired or not; where to go on. A record that moves to another
    /// cell meanwhile may not come: it is changed then.
    ///
    /// # Errors
    /// As `Segment::record`.
    pub(crate) fn records_from(&self, cell: usize, from: u32, most: usize, out: &mut Vec<(u16, Digest)>) -> Result<Option<u32>> {
        let (segment, mut slots) = (self.segments[cell].read_in_turn(), Vec::with_capacity(most));
        let next = segment.sets().all(from, most, &mut slots);
        for slot in slots {
            let set = segment.sets().set_of(slot);
            out.extend(segment.record(slot)?.map(|record| (set, record.digest)));
        }
        Ok((next < segment.end()).then_some(next))
    }
}
