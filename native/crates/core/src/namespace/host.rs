//! What a namespace shares with the others of its engine.

use crate::manifest::ManifestFile;
use crate::store::Resources;
use std::sync::Arc;
use tessera_io::BackendChoice;

pub(crate) struct Host {
    pub(crate) manifest: Arc<ManifestFile>,
    pub(crate) io: BackendChoice,
    /// What its records share.
    pub(crate) resources: Arc<Resources>,
}
