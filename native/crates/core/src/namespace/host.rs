//! What a namespace shares with the others of its engine.

use crate::manifest::ManifestFile;
use crate::store::Resources;
use crate::store::remote::Remotes;
use std::sync::Arc;
use tessera_io::BackendChoice;

pub(crate) struct Host {
    pub(crate) manifest: Arc<ManifestFile>,
    pub(crate) io: BackendChoice,
    /// Opens what is kept by other machines.
    pub(crate) remotes: Option<Arc<dyn Remotes>>,
    /// What its records share.
    pub(crate) resources: Arc<Resources>,
}
