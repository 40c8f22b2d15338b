//! What a namespace shares with the others of its engine.

use crate::budget::Budget;
use crate::manifest::ManifestFile;
use std::sync::Arc;
use tessera_base::pool::Pool;
use tessera_io::BackendChoice;
use tessera_jobs::JobRegistry;
use tessera_storage::memory::MemoryShare;

pub(crate) struct Host {
    pub(crate) manifest: Arc<ManifestFile>,
    pub(crate) jobs: Arc<JobRegistry>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) io: BackendChoice,
    /// What requests may hold together.
    pub(crate) budget: Arc<Budget>,
    /// What memory namespaces without a limit may hold together.
    pub(crate) memory: Arc<MemoryShare>,
}
