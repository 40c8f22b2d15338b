//! What an engine tells of the disks it writes to.

use crate::pages_counters::PagesCounters;
use crate::{DiskUsage, FlushFailure};
use std::sync::Arc;
use tessera_base::Error;
use tessera_io::DiskCounters;

/// An engine's disks, to be watched.
pub trait Monitor: Sync {
    /// What is asked for once a second: cheap.
    fn gauge(&self) -> DeviceGauge;

    /// All there is to know but for the write blocks: cheap too.
    fn report(&self) -> DeviceReport;

    /// Of each disk, a map of its write blocks of at most `cells` cells. Looks at every block that was ever used, a few
    /// nanoseconds each, and holds no lock meanwhile.
    fn maps(&self, cells: usize) -> Vec<BlockMap>;
}

/// Counters since the start, and what waits now.
#[derive(Clone, Debug, Default)]
pub struct DeviceGauge {
    pub disks: Vec<DiskGauge>,
    /// Bytes that wait for stable storage.
    pub flush_queue_bytes: u64,
    /// Write blocks that wait to be rewritten.
    pub defrag_queue_blocks: u64,
    /// Bytes of records and tombstones logged for callers, and copied to make room.
    pub appended_bytes: u64,
    pub moved_bytes: u64,
    /// Of the pages, where the engine has some.
    pub pages: Option<PagesCounters>,
}

#[derive(Clone, Debug)]
pub struct DiskGauge {
    /// As `DiskUsage::path`.
    pub path: Arc<str>,
    pub counters: DiskCounters,
}

#[derive(Clone, Debug)]
pub struct DeviceReport {
    pub gauge: DeviceGauge,
    /// In the order of `gauge.disks`.
    pub disks: Vec<DiskReport>,
    /// Bytes of a write block.
    pub block_bytes: u64,
    /// Bytes in the flush queue from which writers wait.
    pub flush_queue_limit_bytes: u64,
    /// Blocks kept back for defragmentation, which needs room to make room.
    pub reserved_blocks: u64,
    /// Blocks given up, which can be used again once their marks are on stable storage.
    pub freeing_blocks: u64,
    /// The newest stored blocks that memory still has, and how many may be.
    pub cached_blocks: u64,
    pub cached_blocks_most: u64,
    /// Reads of records that memory answered, and those that a disk did.
    pub memory_reads: u64,
    pub disk_reads: u64,
    /// Flushes that failed since the start, and the failure that keeps writes out now.
    pub failed_flushes: u64,
    pub failure: Option<Error>,
    /// The newest of the failed flushes, whether it still keeps writes out or not.
    pub last_failure: Option<FlushFailure>,
}

#[derive(Clone, Debug)]
pub struct DiskReport {
    pub usage: DiskUsage,
    /// Median and 99th percentile of all latencies so far, nanoseconds: of reads, writes and syncs.
    pub latencies: [Option<(u64, u64)>; 3],
}

/// The write blocks of a disk in cells of neighbours, all of one size but for the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockMap {
    /// As far as the disk may be used; where that has no bound, as far as it was.
    pub blocks: u64,
    pub blocks_per_cell: u64,
    pub cells: Vec<MapCell>,
}

/// Blocks by state, and bytes of those that are in use by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapCell {
    pub free: u64,
    /// Not yet on stable storage as a whole.
    pub writing: u64,
    /// On stable storage. The disk's first block, which has its header, is one of them; it has no bytes of records.
    pub stored: u64,
    /// See `DeviceReport::freeing_blocks`.
    pub freeing: u64,
    /// Could not be read, and left alone.
    pub unreadable: u64,
    /// Of records that the index refers to.
    pub live_bytes: u64,
    /// Of tombstones that may still be needed.
    pub tombstone_bytes: u64,
    /// Of stored blocks: what nobody wants any more, and the room that entries left at their ends.
    pub dead_bytes: u64,
}

impl MapCell {
    pub const fn blocks(&self) -> u64 {
        self.free + self.used()
    }

    pub const fn used(&self) -> u64 {
        self.writing + self.stored + self.freeing + self.unreadable
    }
}
