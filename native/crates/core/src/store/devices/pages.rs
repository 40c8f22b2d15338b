//! The pages of a paged namespace, for whoever watches.

use crate::store::RecordStore;
use tessera_storage::paged::report::{PageMap, PagesReport, WhatIf};

impl RecordStore {
    /// Cache, log, checkpoints and traffic; `None` of another engine. Waits for no disk.
    pub fn pages_report(&self) -> Option<PagesReport> {
        self.storage.paged().map(|paged| paged.report())
    }

    /// A map of the pages of at most `cells` cells, taken as the nearest of 1 to `CELLS_MAX`; `None` of another engine. A segment that is being written to
    /// is waited for.
    pub fn page_map(&self, cells: usize) -> Option<PageMap> {
        let paged = self.storage.paged()?;
        Some(paged.map(cells, &mut |each| self.segments.iter().for_each(|cell| cell.read().pages(each))))
    }

    /// What the reads there were would cost with pages of another size; `None` of another engine. Works for milliseconds, and waits for no disk.
    pub fn page_what_if(&self) -> Option<WhatIf> {
        self.storage.paged().map(|paged| paged.what_if())
    }

    /// Makes a checkpoint now; does nothing for another engine.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`.
    pub(crate) fn checkpoint(&self) -> tessera_base::Result<()> {
        self.storage.paged().map_or(Ok(()), |paged| paged.checkpoint())
    }
}
