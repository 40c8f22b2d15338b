//! What the devices of a namespace cost a scan, kept in its folder from one calibration to the next.

use crate::manifest::sync_directory;
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tessera_base::{Error, Result, create_anew, thread_guard};
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

    /// They count from now on, kept or not. `look` says whether the folder is still ours.
    fn keep(&self, costs: DeviceCosts, look: impl Fn() -> Result<()>) -> Result<()> {
        thread_guard::may_wait("writes the costs of a device");
        *self.now.lock() = costs;
        let new = self.folder.join(format!("{NAME}.new"));
        let failed = |error| Error::io(&format!("writing {}", new.display()), &error);
        let write = || {
            let mut file = create_anew(&new)?;
            file.write_all(&serde_json::to_vec(&costs)?)?;
            file.sync_all()
        };
        look()?;
        write().map_err(failed)?;
        // The disk may have taken its time.
        look()?;
        fs::rename(&new, self.folder.join(NAME)).and_then(|()| sync_directory(&self.folder)).map_err(failed)
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
    /// `data_directory_unavailable`, `storage_failed`, `device_full`: they count until the next start.
    pub(crate) fn keep_costs(&self, costs: DeviceCosts) -> Result<()> {
        let kept = self.costs.keep(costs, || self.files.look());
        let check_ns = self.check_ns();
        self.indexes.all().iter().for_each(|index| index.set_check_ns(check_ns));
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use tessera_base::ErrorCode;

    #[test]
    fn costs_replace_none_in_a_folder_that_replaced_ours_and_count_all_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let kept = directory.path().join(NAME);
        let costs = Costs::open(directory.path());
        let of = |random_read_ns: f64| DeviceCosts { random_read_ns, ..DeviceCosts::default() };
        costs.keep(of(1000.0), || Ok(())).unwrap();
        let before = fs::read(&kept).unwrap();
        // Replaced before the first byte, and while they were written.
        for (number, lost_at) in [(2000.0, 1), (3000.0, 2)] {
            let looks = Cell::new(0);
            let look = || {
                looks.set(looks.get() + 1);
                if looks.get() < lost_at { Ok(()) } else { Err(Error::new(ErrorCode::DataDirectoryUnavailable, "replaced")) }
            };
            assert_eq!(costs.keep(of(number), look).unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
            assert_eq!((fs::read(&kept).unwrap(), *costs.now.lock()), (before.clone(), of(number)));
        }
    }
}
