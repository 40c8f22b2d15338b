//! Tessera's paged engine, by the clients of the load generator itself.

use crate::Trouble;
use crate::options::Options;
use std::path::Path;
use std::sync::Arc;
use tessera_core::{Durability, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig};
use tessera_io::Access;
use tessera_storage::DiskUsage;

pub struct Tessera {
    engine: Arc<Engine>,
    pub namespace: Arc<Namespace>,
}

impl Tessera {
    /// # Errors
    /// What the engine refuses.
    pub fn create(directory: &Path, options: &Options, cached_io: bool) -> Result<Self, Trouble> {
        let engine = Engine::open(directory, EngineOptions::default())?;
        let paged = PagedConfig { page_bytes: options.page_bytes, cache_bytes: options.cache_bytes, cached_io, ..PagedConfig::default() };
        let config = NamespaceConfig { durability: Durability::Relaxed, ..NamespaceConfig::paged("peers", paged) };
        let namespace = engine.create_namespace(config)?;
        Ok(Self { engine, namespace })
    }

    /// `cached` where any of its files is read or written through the system's page cache, asked for or not; else `direct`.
    pub fn access(&self) -> &'static str {
        let direct = |disk: &DiskUsage| disk.access == Access::Direct;
        if self.namespace.disks().iter().all(direct) { "direct" } else { "cached" }
    }
}

impl Drop for Tessera {
    fn drop(&mut self) {
        // The directory goes next; nothing in it is wanted.
        let _ = self.engine.close();
    }
}
