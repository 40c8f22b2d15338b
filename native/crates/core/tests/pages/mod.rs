//! Namespaces of the paged engine for tests that run over every engine.

use tessera_core::{NamespaceConfig, PagedConfig};

/// A namespace of pages of so many bytes, with the smallest cache and log.
pub fn paged(name: &str, page_bytes: u32) -> NamespaceConfig {
    let cache_bytes = 2048 * u64::from(page_bytes);
    NamespaceConfig::paged(
        name,
        PagedConfig { page_bytes, cache_bytes, checkpoint_log_bytes: 65 << 20, flush_interval_ms: 10, ..PagedConfig::default() },
    )
}
