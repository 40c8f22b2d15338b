//! Fuzz targets over what the disks hold; `tessera_core::fuzz` lists them.

mod block;
mod memory_disk;
mod recovery;
mod reseal;

pub use super::snapshot::fuzz::{snapshot, snapshot_seeds};
pub use block::{block, block_seeds};
pub(crate) use memory_disk::MemoryDisk;
pub(super) use memory_disk::{BLOCK, ID, shared};
pub use recovery::{recovery, recovery_seeds};
