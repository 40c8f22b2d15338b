//! What a namespace shares with the others of its engine.

use crate::budget::Budget;
use crate::job::JobRegistry;
use crate::manifest::ManifestFile;
use crate::pool::Pool;
use crate::storage::io::BackendChoice;
use std::sync::Arc;

pub(crate) struct Host {
    pub(crate) manifest: Arc<ManifestFile>,
    pub(crate) jobs: Arc<JobRegistry>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) io: BackendChoice,
    pub(crate) budget: Arc<Budget>,
}
