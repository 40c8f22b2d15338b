//! An engine in a directory of its own with one `memory` namespace, removed at the end.

use crate::Failure;
use std::sync::Arc;
use tempfile::TempDir;
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig};

pub struct Stage {
    pub namespace: Arc<Namespace>,
    engine: Arc<Engine>,
    _directory: TempDir,
}

impl Stage {
    /// # Errors
    /// What the engine refuses, or a temporary directory that cannot be made.
    pub fn memory(name: &str, sets: Vec<SetConfig>) -> Result<Self, Failure> {
        let directory = tempfile::tempdir()?;
        let engine = Engine::open(directory.path(), EngineOptions::default())?;
        let namespace = engine.create_namespace(NamespaceConfig { sets, ..NamespaceConfig::memory(name) })?;
        Ok(Self { namespace, engine, _directory: directory })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // The directory goes next; nothing in it is wanted.
        let _ = self.engine.close();
    }
}
