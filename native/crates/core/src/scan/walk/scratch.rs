//! The memory that a worker keeps from step to step.

use super::body_reads::{BodyReads, PendingRead};
use crate::access::LookedUp;
use tessera_storage::DeviceReads;

/// Scratch of a walk, kept from step to step.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(in crate::scan) slots: Vec<u32>,
    pub(in crate::scan) pending: Vec<PendingRead>,
    pub(in crate::scan) bodies: BodyReads,
    pub(in crate::scan) body: Vec<u8>,
    pub(in crate::scan) looked_up: LookedUp,
}

impl Scratch {
    /// What was read from a device so far.
    pub(crate) fn reads(&self) -> DeviceReads {
        self.bodies.reads()
    }
}
