//! For tests: a storage on disks in memory, which fail as they are told to.

use super::{Member, PagedStorage};
use crate::paged::cache::ledger::Ledger;
use crate::paged::{LOG_FILE, PAGES_FILE, PagedOptions};
use std::sync::Arc;
use tessera_base::Result;
use tessera_io::Access;
use tessera_io::faulty::FaultyDisk;

impl PagedStorage {
    /// As `open`, on disks of a test: pages and log.
    ///
    /// # Errors
    /// As `open`.
    pub fn on_faulty(disks: &[FaultyDisk], options: PagedOptions) -> Result<Self> {
        let member = |at: usize, name| Member { disk: Arc::new(disks[at].clone()), name, access: Access::Cached };
        Self::on_disks([member(0, PAGES_FILE), member(1, LOG_FILE)], options, None, Ledger::default())
    }
}
