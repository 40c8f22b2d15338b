//! What a store shares with the others of its engine.

use crate::budget::Budget;
use crate::metrics::SlowLog;
use std::sync::Arc;
use tessera_base::pool::Pool;
use tessera_jobs::JobRegistry;
use tessera_storage::memory::MemoryShare;

pub(crate) struct Resources {
    pub(crate) jobs: Arc<JobRegistry>,
    pub(crate) pool: Arc<Pool>,
    /// What requests may hold together.
    pub(crate) budget: Arc<Budget>,
    /// What memory namespaces without a limit may hold together.
    pub(crate) memory: Arc<MemoryShare>,
    /// Operations that took long.
    pub(crate) slow: Arc<SlowLog>,
}
