//! For tests: a storage on disks in memory, which fail as they are told to.

use super::disks::volume::Member;
use super::{DATA_FILE, DeviceOptions, DeviceStorage};
use std::sync::Arc;
use tessera_base::Result;
use tessera_io::faulty::FaultyDisk;

impl DeviceStorage {
    /// As `open`, on disks of a test.
    ///
    /// # Errors
    /// As `open`.
    pub fn on_faulty(disks: &[FaultyDisk], options: DeviceOptions) -> Result<Self> {
        let member = |disk: &FaultyDisk| Member::of(Arc::new(disk.clone()), DATA_FILE, options.capacity_bytes);
        Self::on_disks(disks.iter().map(member).collect(), options)
    }

    /// Whether the disks say up to where everything is on stable storage.
    pub fn is_marked(&self) -> bool {
        self.shared.state.lock().queue.is_marked()
    }
}
