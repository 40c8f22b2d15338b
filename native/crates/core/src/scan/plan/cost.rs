//! What the ways of scanning would cost: estimated from constants that are measured on the device.

use tessera_io::MOST_BYTES_TOGETHER as MOST_BYTES;
use tessera_storage::DeviceCosts;

/// Records whose places a scan notes in one round, 16 bytes each.
pub(in crate::scan) const ROUND_RECORDS: u64 = 2 * 1024 * 1024;

/// What one step costs in memory, nanoseconds, measured on one core.
const VISIT_NS: f64 = 250.0;
/// Of two things that go on at the same time, this share of the quicker one shows all the same.
const NOT_HIDDEN: f64 = 0.125;
/// Noting where a record of a device lies, and looking at it once it is read.
const NOTE_NS: f64 = 25.0;
const READ_NS: f64 = 125.0;
const COLUMN_NS: f64 = 0.15;
const SEGMENT_NS: f64 = 60.0;

/// What the smallest read of a device brings.
const SECTOR: f64 = 4096.0;

/// What a scan goes over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) segments: u64,
    /// Of the namespace.
    pub(super) records: u64,
    /// Bytes of stored blocks.
    pub(super) stored_bytes: u64,
    pub(super) threads: u32,
    /// Of the machine.
    pub(super) processors: u32,
    /// `None` where bodies are in memory.
    pub(super) device: Option<DeviceCosts>,
}

/// What reading records by their places asks of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reads {
    count: f64,
    bytes: f64,
}

impl Extent {
    /// Milliseconds for `met` records, of which `wanted` are read, each at its place; `column`: found by comparing the set column.
    pub(super) fn by_slot_ms(&self, met: u64, wanted: u64, column: bool) -> f64 {
        let column = if column { self.records as f64 * COLUMN_NS } else { 0.0 };
        let work = match self.device {
            None => met as f64 * VISIT_NS,
            Some(device) => {
                let reads = self.reads(wanted, device);
                let (begun, brought) = (reads.count * device.random_read_ns, reads.bytes / device.sequential_bytes_per_second * 1e9);
                // One thread waits for the device and looks in turn, several do both at once, as far as that can be.
                let looking = (met as f64 * NOTE_NS + wanted as f64 * READ_NS) / self.at_once();
                let reading = begun.max(brought) + begun.min(brought) * NOT_HIDDEN;
                reading.max(looking) + reading.min(looking) * NOT_HIDDEN.max(1.0 / f64::from(self.threads.max(1)))
            }
        };
        (work + column + self.segments as f64 * SEGMENT_NS) / 1e6
    }

    /// Reads of records that are strewn evenly over the blocks, neighbours of a round together.
    fn reads(&self, wanted: u64, device: DeviceCosts) -> Reads {
        let rounds = wanted.div_ceil(ROUND_RECORDS) as f64;
        let (wanted, stored) = (wanted as f64 / rounds.max(1.0), self.stored_bytes as f64);
        if wanted == 0.0 || stored == 0.0 {
            return Reads { count: 0.0, bytes: 0.0 };
        }
        let spacing = stored / wanted;
        // The distance to the next one is more than so much in this share of all.
        let joined = device.gap_bytes() as f64 + SECTOR;
        let apart = (-joined / spacing).exp();
        let between = wanted * (spacing - (spacing + joined) * apart);
        let record = stored / self.records.max(1) as f64;
        let alone = 1.0 + (wanted - 1.0) * apart;
        let bytes = (alone * (record + SECTOR) + between).min(stored);
        Reads { count: rounds * alone.max(bytes / MOST_BYTES as f64), bytes: rounds * bytes }
    }

    /// Threads that the processors serve at once.
    fn at_once(&self) -> f64 {
        f64::from(self.threads.min(self.processors).max(1))
    }

    /// Milliseconds for reading all blocks; `None` where there are none.
    pub(super) fn sequential_ms(&self) -> Option<f64> {
        let device = self.device?;
        let reading = self.stored_bytes as f64 / device.sequential_bytes_per_second * 1e9;
        let looking = self.records as f64 * device.record_ns / self.at_once();
        let rest = self.records as f64 * COLUMN_NS + self.segments as f64 * SEGMENT_NS;
        Some((reading.max(looking) + reading.min(looking) * NOT_HIDDEN + rest) / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENT: Extent = Extent { segments: 256, records: 1_000_000, stored_bytes: 1 << 30, threads: 2, processors: 8, device: None };

    fn on_a_device() -> Extent {
        Extent { device: Some(DeviceCosts::default()), ..EXTENT }
    }

    #[test]
    fn records_are_read_at_their_places_unless_that_takes_more_than_one_round() {
        let by_slot = |extent: Extent, wanted| extent.by_slot_ms(wanted, wanted, true);
        let sequential = on_a_device().sequential_ms().unwrap();
        assert!(by_slot(on_a_device(), 1_000) < sequential / 10.0);
        assert!(by_slot(on_a_device(), 200_000) < sequential);
        let large = Extent { records: 20_000_000, stored_bytes: 20 << 30, ..on_a_device() };
        assert!(by_slot(large, 10_000_000) > large.sequential_ms().unwrap());
        assert!(by_slot(large, 500_000) < large.sequential_ms().unwrap());
        assert_eq!(EXTENT.sequential_ms(), None);
    }

    #[test]
    fn what_a_sample_leaves_out_is_not_read() {
        let ms = |wanted| on_a_device().by_slot_ms(100_000, wanted, false);
        assert!(ms(1_000) < ms(100_000) / 5.0);
        assert!(ms(0) > EXTENT.segments as f64 * SEGMENT_NS / 1e6, "each is looked at");
    }

    #[test]
    fn neighbours_are_read_together() {
        let reads = |wanted| on_a_device().reads(wanted, DeviceCosts::default());
        assert_eq!(reads(0), Reads { count: 0.0, bytes: 0.0 });
        // Far apart: a read each, of a sector and what it may lie across.
        let few = reads(100);
        assert!(few.count > 99.0 && few.bytes < 100.0 * 3.0 * SECTOR, "{few:?}");
        // All of them: all blocks, in reads of the largest size.
        let all = reads(1_000_000);
        assert!((all.bytes - (1u64 << 30) as f64).abs() < 1e7 && all.count < 9000.0, "{all:?}");
    }

    #[test]
    fn more_threads_help_while_the_processor_is_what_is_short() {
        let costs = DeviceCosts { record_ns: 10_000.0, ..DeviceCosts::default() };
        let extent = Extent { threads: 1, processors: 16, device: Some(costs), ..EXTENT };
        let ms = |threads| Extent { threads, ..extent }.sequential_ms().unwrap();
        assert!(ms(2) < ms(1));
        // Then the device is, or there are no more processors.
        assert!((ms(64) / ms(16) - 1.0).abs() < 0.1);
    }
}
