//! How a device storage is set up, with units and limits.

use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use tessera_io::{Access, Backend};

/// Smallest, default and largest write block, bytes; always a power of two.
pub const WRITE_BLOCK_MIN: u32 = 16 * 1024;
pub const WRITE_BLOCK_DEFAULT: u32 = 128 * 1024;
pub const WRITE_BLOCK_MAX: u32 = 8 * 1024 * 1024;
/// Longest interval between flushes.
const FLUSH_INTERVAL_MAX: Duration = Duration::from_secs(3600);
/// Fewest blocks a disk must have room for: the header's, some for records, and room to make room.
const BLOCKS_MIN: u64 = 8;

#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// Random bytes that name the namespace this file belongs to; they take part in every checksum.
    pub namespace_id: [u8; 16],
    /// Bytes of a write block: the unit of flushing, and the bound of a record.
    pub write_block_bytes: u32,
    /// Most bytes a disk without a bound of its own may hold; 0 means as much as it has.
    pub capacity_bytes: u64,
    /// A write that nobody syncs is on stable storage after this.
    pub flush_interval: Duration,
    /// A sync is told of in a mark on the disks after this at the latest.
    pub mark_after: Duration,
    /// The run and how it ended that the manifest knows (`Storage::stamp`); 0 for nothing.
    pub stamp: u64,
    /// The newest mark that the data directory knows of (`Storage::mark`); 0 for none.
    pub mark: u64,
    /// `admit` waits while this many bytes are not yet on stable storage; at twice as many, `append`
    /// refuses with `device_overload` and does not wait. Half of it makes the flusher sync. It is
    /// raised to at least four write blocks.
    pub buffer_bytes: u64,
    /// How long `admit` waits for room in the buffers, and then for a free block, before `device_overload`.
    pub stall_timeout: Duration,
    /// Bytes of the newest blocks that stay in memory after they are stored.
    pub post_write_cache_bytes: u64,
    /// Blocks with less than this share of wanted bytes are rewritten: percent.
    pub defrag_below_percent: u8,
    /// Most bytes a second that rewriting such blocks reads; 0 means no bound. Where space is short there is none.
    pub defrag_bytes_per_second: u64,
    /// What keeps reads and writes in flight.
    pub backend: Backend,
    /// How the files are reached, where their file systems offer it.
    pub access: Access,
    /// Whether the file is a new one, made where there is none; otherwise it must be there.
    pub create: bool,
    /// Whether to go on with what is left where the files show a loss (`log_damaged`, `data_rolled_back`). Each loss is then
    /// reported in `RecoveryReport::losses`.
    pub accept_loss: bool,
}

impl DeviceOptions {
    pub const fn new(namespace_id: [u8; 16]) -> Self {
        Self {
            namespace_id,
            write_block_bytes: WRITE_BLOCK_DEFAULT,
            capacity_bytes: 0,
            flush_interval: Duration::from_secs(1),
            mark_after: Duration::from_millis(500),
            stamp: 0,
            mark: 0,
            buffer_bytes: 32 * 1024 * 1024,
            stall_timeout: Duration::from_secs(5),
            post_write_cache_bytes: 8 * 1024 * 1024,
            defrag_below_percent: 50,
            defrag_bytes_per_second: 64 * 1024 * 1024,
            backend: Backend::IoUring,
            access: Access::Direct,
            create: false,
            accept_loss: false,
        }
    }

    /// # Errors
    /// `config_invalid`, naming the field.
    pub fn check(&self) -> Result<()> {
        let invalid = |field: &str, message: Sentence| Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(field));
        let block = self.write_block_bytes;
        if !block.is_power_of_two() || !(WRITE_BLOCK_MIN..=WRITE_BLOCK_MAX).contains(&block) {
            return invalid(
                "writeBlockBytes",
                sentence!(
                    "a write block must be a power of two from {low} to {high} bytes, got {given}",
                    low = WRITE_BLOCK_MIN,
                    high = WRITE_BLOCK_MAX,
                    given = block
                ),
            );
        }
        if self.capacity_bytes != 0 && self.capacity_bytes < BLOCKS_MIN * u64::from(block) {
            return invalid(
                "capacityBytes",
                sentence!(
                    "the capacity must be at least {least} write blocks of {block} bytes, got {given} bytes",
                    least = BLOCKS_MIN,
                    block = block,
                    given = self.capacity_bytes
                ),
            );
        }
        if self.flush_interval.is_zero() || self.flush_interval > FLUSH_INTERVAL_MAX {
            return invalid(
                "flushIntervalMs",
                sentence!("the flush interval must be 1 millisecond to 1 hour, got {given}", given = format!("{:?}", self.flush_interval)),
            );
        }
        if self.defrag_below_percent > 95 {
            return invalid(
                "defragBelowPercent",
                sentence!("defragBelowPercent must be 0 to 95, got {given}", given = self.defrag_below_percent),
            );
        }
        Ok(())
    }
}
