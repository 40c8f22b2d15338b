//! A truncation that can be undone until its time is up, as the manifest keeps it.

use super::Truncation;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingTruncation {
    /// Of the job that hid the records; no other truncation has it.
    pub id: String,
    pub truncation: Truncation,
    pub truncated_at_ms: u64,
    /// From this moment on it is final.
    pub final_at_ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn is_never(at_ms: &u64) -> bool {
    *at_ms == 0
}
