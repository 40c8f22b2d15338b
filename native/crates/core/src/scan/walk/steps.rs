//! How many records one step meets, and what it has done.

use super::damaged::Damaged;
use std::ops::Range;
use tessera_jobs::Job;

/// Every slot that there may be.
pub(crate) const ALL_SLOTS: Range<u32> = 0..u32::MAX;

/// Records gathered in one hold of a lock whose bodies are in memory.
pub(crate) const STEP: usize = 512;
/// Records gathered in one hold whose bodies are then read from a device: small, so that an abort is prompt.
pub(super) const DEVICE_STEP: usize = 64;
/// And while a writer waits: so few that it is not for long, so many that a hold is worth its price.
pub(in crate::scan) const STEP_WANTED: usize = 32;
/// Bytes of bodies copied in one hold of a lock: every worker keeps room for so many, while its reader does not read, too.
pub(crate) const COPIED_BYTES: usize = 64 * 1024;

/// Records to ask a step for.
pub(crate) fn step_size(job: &Job) -> usize {
    job.step_of(STEP)
}

/// What one step has done.
#[derive(Default)]
pub(crate) struct StepOutcome {
    /// Records met.
    pub(crate) met: u64,
    /// Where the next step begins; `None` when the segment, or the range, is through.
    pub(crate) next: Option<u32>,
    /// Whether `each` has broken off.
    pub(crate) broken: bool,
    /// Records met that could not be read; `each` was not called for them.
    pub(crate) damaged: Vec<Damaged>,
}
