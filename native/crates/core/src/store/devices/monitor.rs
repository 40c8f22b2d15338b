//! The disks of a namespace, for whoever watches.

use crate::config::Feature;
use crate::store::RecordStore;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_storage::{BlockMap, DeviceGauge, DeviceReport, Monitor};

/// Most cells of a map of write blocks.
pub const MAP_CELLS_MAX: u32 = 4096;

impl RecordStore {
    /// Traffic and queues; `None` of a memory namespace.
    pub(crate) fn device_gauge(&self) -> Option<DeviceGauge> {
        self.storage.monitor().map(|monitor| monitor.gauge())
    }

    /// Everything about the disks but for their write blocks.
    ///
    /// # Errors
    /// `unsupported` where records are in memory.
    pub fn device_report(&self) -> Result<DeviceReport> {
        Ok(self.monitor()?.report())
    }

    /// Of each disk, a map of its write blocks of at most `cells` cells.
    ///
    /// # Errors
    /// `config_invalid` for other than 1 to 4096 cells; `unsupported` where records are in memory.
    pub fn block_maps(&self, cells: u32) -> Result<Vec<BlockMap>> {
        if !(1..=MAP_CELLS_MAX).contains(&cells) {
            let message = sentence!("cells must be 1 to {most}, got {given}", most = MAP_CELLS_MAX, given = cells);
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("cells"));
        }
        Ok(self.monitor()?.maps(cells as usize))
    }

    fn monitor(&self) -> Result<&dyn Monitor> {
        self.require(Feature::Disks)?;
        let unsupported = || {
            Error::said(ErrorCode::Unsupported, sentence!("the namespace \"{name}\" does not use the device engine", name = self.name()))
        };
        self.storage.monitor().ok_or_else(unsupported)
    }
}
