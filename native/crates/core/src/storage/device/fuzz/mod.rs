//! Fuzz targets over what the disks hold; see `crate::fuzz`.

mod block;
mod memory_disk;
mod recovery;
mod reseal;

pub use super::snapshot::fuzz::{snapshot, snapshot_seeds};
pub use block::{block, block_seeds};
pub(in crate::storage) use memory_disk::MemoryDisk;
pub(super) use memory_disk::{BLOCK, ID, shared};
pub use recovery::{recovery, recovery_seeds};
