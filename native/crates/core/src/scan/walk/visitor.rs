//! Who meets the records of a walk.

use super::damaged::Damaged;
use super::found::{End, Found};
use std::ops::ControlFlow;
use tessera_base::Result;

/// What is made of the records that a worker meets.
pub(crate) trait Visitor {
    /// Records that the next step is to meet, or a few more.
    fn most(&self) -> usize;

    /// Whether others are to find the device free: no more than one block is then in flight.
    fn gives_way(&self) -> bool {
        false
    }

    /// May be called with a segment locked for reading: it must be quick, and must not write.
    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End>;

    /// After each step, with no lock held.
    ///
    /// # Errors
    /// Any error ends the walk with it.
    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()>;
}
