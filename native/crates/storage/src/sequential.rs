//! Reading stored records by the block instead of one at a time, for a scan that wants most of them.

use super::Location;
use std::ops::Range;
use tessera_record::{Digest, Meta};

/// Stored blocks one behind the other, read in one transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub first: u64,
    pub blocks: u32,
}

/// A sound record of a run that was read. Only the index knows whether it is current.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    /// The segment that wrote it.
    pub segment: u16,
    pub digest: Digest,
    pub meta: Meta,
    pub location: Location,
    /// Where in the run its body is.
    pub body: Range<usize>,
}

/// Runs in flight, for one thread and with no lock held. Dropping it waits for them.
pub trait RunReader: Send {
    /// Most runs in flight.
    fn depth(&self) -> usize;

    /// Runs that were started and that `next` has not given.
    fn in_flight(&self) -> usize;

    /// Starts reading a run. One that cannot be read has no records.
    fn start(&mut self, run: Run);

    /// Waits until any run has been read; `false` when none is in flight.
    fn next(&mut self) -> bool;

    /// The sound records of the run that `next` waited for replace those in `records`.
    fn records(&self, records: &mut Vec<StoredRecord>);

    /// The body of one of these records.
    fn body(&self, record: &StoredRecord) -> &[u8];

    /// What was read so far.
    fn reads(&self) -> DeviceReads;
}

/// What was read from a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceReads {
    /// Records that were read one at a time.
    pub records: u64,
    /// Blocks that were read whole.
    pub blocks: u64,
    /// Bytes of both, with the sectors around them.
    pub bytes: u64,
}

impl std::ops::AddAssign for DeviceReads {
    fn add_assign(&mut self, more: Self) {
        self.records += more.records;
        self.blocks += more.blocks;
        self.bytes += more.bytes;
    }
}
