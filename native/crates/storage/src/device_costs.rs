//! What reads of the devices of a namespace cost.

use serde::{Deserialize, Serialize};

/// Bounds of the bytes between records that are read together.
const GAP_MIN: u64 = 4 * 1024;
const GAP_MAX: u64 = 64 * 1024;

/// What the devices of a namespace cost a scan. Until it was measured: an ordinary NVMe drive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceCosts {
    /// Of one read of a record, as many being in flight as a scan has.
    pub random_read_ns: f64,
    pub sequential_bytes_per_second: f64,
    /// Of the processor: checking a record of a block and looking it up.
    pub record_ns: f64,
    /// Unix milliseconds; `None` before the first calibration.
    pub measured_at_ms: Option<u64>,
}

impl Default for DeviceCosts {
    fn default() -> Self {
        Self { random_read_ns: 10_000.0, sequential_bytes_per_second: 1e9, record_ns: 400.0, measured_at_ms: None }
    }
}

impl DeviceCosts {
    /// Bytes that are read as fast as a read of its own is begun: records that lie no further apart are read together.
    pub fn gap_bytes(&self) -> u64 {
        let bytes = self.random_read_ns * self.sequential_bytes_per_second / 1e9;
        (bytes as u64).clamp(GAP_MIN, GAP_MAX)
    }

    /// Whether it can have been measured; another is not to be compared with.
    pub fn is_sound(&self) -> bool {
        [self.random_read_ns, self.sequential_bytes_per_second, self.record_ns].iter().all(|value| value.is_finite() && *value > 0.0)
    }
}
