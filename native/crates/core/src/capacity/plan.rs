//! The arithmetic: sizes of one record, of the index, of the flash; traffic.

use super::spec::CapacitySpec;
use super::write_amplification;
use crate::segment::{Segment, SegmentCell, Slots};
use crate::sets::Sets;
use tessera_base::Result;
use tessera_index::slot_set::SlotSet;
use tessera_record::body;
use tessera_storage::device::{self, ENTRY_HEADER_BYTES, padded};
use tessera_storage::memory;

/// A read of the device takes whole pages of this size.
const PAGE: u64 = 4096;
/// Slots that stand for a longer set index, whose bytes grow with its length from there on.
const SAMPLE: u64 = 1 << 18;
/// Steps of the spread of records over segments, each as likely as the others: standard deviations from the mean.
const SPREAD: [f64; 8] = [-1.534, -0.887, -0.489, -0.157, 0.157, 0.489, 0.887, 1.534];

/// What a namespace takes. Totals are of all copies.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    pub record: RecordBytes,
    pub dram: Dram,
    pub flash: Option<Flash>,
    pub device: Option<DeviceLoad>,
}

/// Bytes of one record, by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordBytes {
    /// The engine's own header.
    pub header: u64,
    pub set_name: u64,
    /// The key with its type and length.
    pub key: u64,
    /// Names and lengths of the bins.
    pub bin_names: u64,
    pub bin_values: u64,
    pub padding: u64,
    /// Key and bins.
    pub body: u64,
    /// All of it.
    pub stored: u64,
}

/// Bytes of memory, of all copies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dram {
    /// Bodies, of a memory namespace.
    pub records: u64,
    pub primary_index: u64,
    pub set_indexes: u64,
    /// Names and counters of sets.
    pub sets: u64,
    /// Write buffers, of a device namespace.
    pub buffers: u64,
    pub total: u64,
    pub per_record: f64,
}

/// Bytes of flash, of all copies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flash {
    /// Records with their headers.
    pub live: u64,
    /// Write blocks that hold them, when nothing in them is dead.
    pub blocks: u64,
    /// What is needed so that live records take the share that was asked for.
    pub total: u64,
    pub per_record: f64,
}

/// What the devices do, all copies together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceLoad {
    pub write_amplification: f64,
    /// Reads of records, and of blocks that are rewritten.
    pub read_iops: f64,
    /// Write blocks.
    pub write_iops: f64,
    pub read_bytes_per_second: f64,
    pub write_bytes_per_second: f64,
}

impl CapacitySpec {
    pub(super) fn record(&self) -> RecordBytes {
        let set_name = if self.sets == 0 { 0 } else { self.set_name_bytes as usize };
        let key = body::KEY_OVERHEAD + self.key.length();
        let names = if self.single_bin { 0 } else { self.bins.iter().map(|bin| bin.name_bytes as usize).sum() };
        let bin_names = body::COUNT_BYTES + self.bins.len() * body::BIN_OVERHEAD + names;
        let bin_values: usize = self.bins.iter().map(|bin| bin.value_bytes()).sum();
        let body = key + bin_names + bin_values;
        // Where records are in memory, the set is known by its id.
        let (header, set_name) = if self.on_device { (ENTRY_HEADER_BYTES, set_name) } else { (memory::HEADER, 0) };
        let bare = header + set_name + body;
        let stored = if self.on_device { padded(bare) } else { memory::room(body) };
        let [header, set_name, key, bin_names, bin_values, padding, body, stored] =
            [header, set_name, key, bin_names, bin_values, stored - bare, body, stored].map(|bytes| bytes as u64);
        RecordBytes { header, set_name, key, bin_names, bin_values, padding, body, stored }
    }

    /// # Errors
    /// `config_invalid`, `segment_count_invalid`, `key_too_long`, `too_many_bins`, `single_bin`, `record_too_large`, naming the
    /// field.
    pub fn plan(&self) -> Result<Capacity> {
        self.check()?;
        let record = self.record();
        let flash = self.on_device.then(|| self.flash(&record));
        Ok(Capacity { record, dram: self.dram(&record), flash, device: self.on_device.then(|| self.load(&record)) })
    }

    /// The sum over all segments of what one with so many records takes. The digest spreads records as dice do.
    fn over_segments(&self, records: u64, bytes: impl Fn(u64) -> u64) -> u64 {
        let segments = f64::from(self.segments);
        let mean = records as f64 / segments;
        let sum: f64 = SPREAD.iter().map(|deviations| bytes((mean + deviations * mean.sqrt()).round().max(0.0) as u64) as f64).sum();
        (sum / SPREAD.len() as f64 * segments) as u64
    }

    fn dram(&self, record: &RecordBytes) -> Dram {
        let copies = u64::from(self.replication);
        let cells = self.segments as usize * size_of::<SegmentCell>();
        let slots = self.over_segments(self.records, |records| Slots::bytes_for(records as usize, !self.on_device) as u64);
        let records = match self.on_device {
            true => 0,
            false => copies * self.over_segments(self.records, |records| memory::bytes_for(records, record.body as usize)),
        };
        let primary_index = copies * (slots + cells as u64);
        let set_indexes = copies * if self.set_indexes && self.sets > 0 { self.set_indexes() } else { 0 };
        // Records without a set have an entry of their own.
        let sets = copies * (Sets::bytes_for(self.sets as usize, self.set_name_bytes as usize, self.segments) as u64);
        let buffers = if self.on_device { copies * device::BUFFERS as u64 * u64::from(self.write_block_bytes) } else { 0 };
        let total = records + primary_index + set_indexes + sets + buffers;
        Dram { records, primary_index, set_indexes, sets, buffers, total, per_record: total as f64 / (self.records * copies) as f64 }
    }

    /// Records of all sets come in turn, so those of one lie as far apart as there are sets.
    fn set_indexes(&self) -> u64 {
        let sets = u64::from(self.sets);
        let index = |records: u64| {
            let sampled = records.min(SAMPLE.div_ceil(sets).max(1));
            let slots = (0..sampled).map(|n| (n * sets) as u32);
            let bytes = SlotSet::from_sorted_iter(slots).heap_bytes() as u64;
            (u128::from(bytes) * u128::from(records) / u128::from(sampled.max(1))) as u64
        };
        let maps = u64::from(self.segments) * Segment::set_table_bytes(self.sets as usize) as u64;
        sets * self.over_segments(self.records / sets, index) + maps
    }

    /// Records in a block.
    fn in_block(&self, record: &RecordBytes) -> u64 {
        let header = ENTRY_HEADER_BYTES + if self.sets > 0 { self.set_name_bytes as usize } else { 0 };
        (device::usable(self.write_block_bytes as usize, record.stored as usize, header) as u64 / record.stored).max(1)
    }

    fn flash(&self, record: &RecordBytes) -> Flash {
        let (copies, block) = (u64::from(self.replication), u64::from(self.write_block_bytes));
        let in_block = self.in_block(record);
        // One more for the file's own header.
        let blocks = (self.records.div_ceil(in_block) + 1) * block;
        let total = (blocks * 100).div_ceil(u64::from(self.utilisation_percent)).next_multiple_of(block);
        let per_record = total as f64 / self.records as f64;
        Flash { live: copies * self.records * record.stored, blocks: copies * blocks, total: copies * total, per_record }
    }

    fn load(&self, record: &RecordBytes) -> DeviceLoad {
        let block = f64::from(self.write_block_bytes);
        let amplification = write_amplification(f64::from(self.utilisation_percent) / 100.0);
        let (reads, writes) = (self.reads_per_second as f64, self.writes_per_second as f64 * f64::from(self.replication));
        let in_block = self.in_block(record);
        let write_iops = writes * amplification / in_block as f64;
        // For each block written, one is emptied, once the device has been filled: it is read whole where anything in it lives.
        let emptied = if amplification > 1.0 { write_iops } else { 0.0 };
        // A record begins anywhere in a page, in steps of the padding.
        let pages = (record.stored + PAGE - padded(1) as u64) as f64;
        DeviceLoad {
            write_amplification: amplification,
            read_iops: reads + emptied,
            write_iops,
            read_bytes_per_second: reads * pages + emptied * block,
            write_bytes_per_second: write_iops * block,
        }
    }
}
