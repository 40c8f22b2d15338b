//! What the devices of a namespace cost a scan, kept in its folder from one calibration to the next.

use crate::manifest::sync_directory;
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use tessera_base::{Error, Result, thread_guard};
use tessera_storage::DeviceCosts;

/// Name of the file in the namespace's folder.
const NAME: &str = "costs.json";

pub(in crate::store) struct Costs {
    folder: PathBuf,
    now: Mutex<DeviceCosts>,
}

impl Costs {
    /// What was measured last; what cannot be read was never measured.
    pub(in crate::store) fn open(folder: &Path) -> Self {
        let kept = fs::read(folder.join(NAME)).ok().and_then(|bytes| serde_json::from_slice::<DeviceCosts>(&bytes).ok());
        let now = kept.filter(DeviceCosts::is_sound).unwrap_or_default();
        Self { folder: folder.to_owned(), now: Mutex::new(now) }
    }

    fn keep(&self, costs: DeviceCosts) -> Result<()> {
        thread_guard::may_wait("writes the costs of a device");
        *self.now.lock() = costs;
        let new = self.folder.join(format!("{NAME}.new"));
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(&serde_json::to_vec(&costs)?)?;
            file.sync_all()?;
            fs::rename(&new, self.folder.join(NAME))?;
            sync_directory(&self.folder)
        };
        write().map_err(|error| Error::io(&format!("writing {}", new.display()), &error))
    }
}

/// Nanoseconds for finding and asking a record in memory that an index proposes, measured on one core.
const CHECK_NS: u32 = 400;

impl RecordStore {
    /// Nanoseconds that checking a candidate of an index takes.
    pub(crate) fn check_ns(&self) -> u32 {
        if self.bodies_resident() { CHECK_NS } else { CHECK_NS.saturating_add(self.costs().random_read_ns as u32) }
    }

    /// What a scan's plan reckons with.
    pub fn costs(&self) -> DeviceCosts {
        *self.costs.now.lock()
    }

    /// Reckons with `costs` from now on, over restarts too.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`: they count until the next start.
    pub(crate) fn keep_costs(&self, costs: DeviceCosts) -> Result<()> {
        let kept = self.files.look().and_then(|()| self.costs.keep(costs));
        let check_ns = self.check_ns();
        self.indexes.all().iter().for_each(|index| index.set_check_ns(check_ns));
        kept
    }
}
