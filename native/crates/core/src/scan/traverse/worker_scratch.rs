//! The memory that a worker keeps from item to item.

use super::Noted;
use crate::scan::device::{OrderedReads, Runs};
use crate::scan::walk::{Scratch, SetsMet};
use tessera_storage::DeviceReads;

#[derive(Default)]
pub(crate) struct WorkerScratch {
    pub(in crate::scan) step: Scratch,
    pub(in crate::scan) runs: Runs,
    pub(in crate::scan) ordered: OrderedReads,
    pub(in crate::scan) sets: SetsMet,
    pub(super) noted: Vec<Noted>,
}

impl WorkerScratch {
    /// What was read from a device so far.
    pub(crate) fn reads(&self) -> DeviceReads {
        let mut reads = self.runs.reads();
        reads += self.step.reads();
        reads += self.ordered.reads();
        reads
    }
}
