//! What the ways of scanning would cost: estimated from constants that are measured on the device.

use serde::{Deserialize, Serialize};

/// What one step costs in memory, nanoseconds, measured on one core.
const VISIT_NS: f64 = 250.0;
const COLUMN_NS: f64 = 0.15;
const SEGMENT_NS: f64 = 60.0;

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
    /// Whether it can have been measured; another is not to be compared with.
    pub fn is_sound(&self) -> bool {
        [self.random_read_ns, self.sequential_bytes_per_second, self.record_ns].iter().all(|value| value.is_finite() && *value > 0.0)
    }
}

/// What a scan goes over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) segments: u64,
    /// Of the namespace.
    pub(super) records: u64,
    /// Bytes of stored blocks.
    pub(super) stored_bytes: u64,
    pub(super) threads: u32,
    /// `None` where bodies are in memory.
    pub(super) device: Option<DeviceCosts>,
}

impl Extent {
    /// Milliseconds for `wanted` records, each at its place; `column`: found by comparing the set column.
    pub(super) fn by_slot_ms(&self, wanted: u64, column: bool) -> f64 {
        let threads = f64::from(self.threads);
        let column = if column { self.records as f64 * COLUMN_NS } else { 0.0 };
        // The device serves all threads; the processor's part is each thread's own.
        let reads = self.device.map_or(0.0, |device| wanted as f64 * device.random_read_ns);
        let visits = wanted as f64 * VISIT_NS / if self.device.is_some() { threads } else { 1.0 };
        (visits + reads + column + self.segments as f64 * SEGMENT_NS) / 1e6
    }

    /// Milliseconds for reading all blocks; `None` where there are none.
    pub(super) fn sequential_ms(&self) -> Option<f64> {
        let device = self.device?;
        // Blocks are read while those before are looked at.
        let reading = self.stored_bytes as f64 / device.sequential_bytes_per_second * 1e9;
        let looking = self.records as f64 * device.record_ns / f64::from(self.threads);
        let rest = self.records as f64 * COLUMN_NS + self.segments as f64 * SEGMENT_NS;
        Some((reading.max(looking) + rest) / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_read_by_the_block_when_most_of_it_is_wanted() {
        let extent = Extent { segments: 256, records: 1_000_000, stored_bytes: 1 << 30, threads: 2, device: Some(DeviceCosts::default()) };
        let sequential = extent.sequential_ms().unwrap();
        assert!(extent.by_slot_ms(1_000, true) < sequential);
        assert!(extent.by_slot_ms(500_000, false) > sequential);
        assert_eq!(Extent { device: None, ..extent }.sequential_ms(), None);
    }

    #[test]
    fn more_threads_help_while_the_processor_is_what_is_short() {
        let costs = DeviceCosts { record_ns: 10_000.0, ..DeviceCosts::default() };
        let extent = Extent { segments: 1, records: 1_000_000, stored_bytes: 1 << 30, threads: 1, device: Some(costs) };
        let ms = |threads| Extent { threads, ..extent }.sequential_ms().unwrap();
        assert!(ms(2) < ms(1));
        // Then the device is.
        assert_eq!(ms(64), ms(32));
    }
}
