//! What the second store of a namespace is to be.

use crate::config::{Container, Durability, EngineConfig, NamespaceConfig};
use tessera_base::{Error, ErrorCode, Result, limits};

/// What changes; unset fields stay as they are.
#[derive(Clone, Debug, Default)]
pub struct MigrationTarget {
    pub engine: Option<EngineConfig>,
    pub segments: Option<u32>,
    pub container: Option<Container>,
    /// Unset: as it is, or what the engine begins with if it cannot have that.
    pub durability: Option<Durability>,
    /// Of a namespace in memory.
    pub max_memory_bytes: Option<u64>,
    /// Workers of the copy; 0: two.
    pub threads: u32,
    pub records_per_second: Option<u32>,
}

impl MigrationTarget {
    pub(super) fn threads(&self) -> u32 {
        if self.threads == 0 { 2 } else { self.threads.min(limits::THREADS) }
    }

    /// The configuration of the second store.
    ///
    /// # Errors
    /// `capability_unsupported` for records on a cluster; `config_invalid` if nothing changes.
    pub(super) fn of(&self, source: &NamespaceConfig) -> Result<NamespaceConfig> {
        let engine = self.engine.clone().unwrap_or_else(|| source.engine.clone());
        if source.engine.is_remote() || engine.is_remote() {
            return Err(Error::new(ErrorCode::CapabilityUnsupported, "records on a cluster cannot be migrated"));
        }
        let in_memory = engine == EngineConfig::Memory;
        let durability = self.durability.unwrap_or(match (in_memory, source.durability) {
            (true, _) => Durability::None,
            (false, Durability::None) => Durability::Commit,
            (false, durability) => durability,
        });
        let kept = source.max_memory_bytes.filter(|_| in_memory);
        let target = NamespaceConfig {
            segments: self.segments.unwrap_or(source.segments),
            container: self.container.unwrap_or(if in_memory { source.container } else { Container::Segmented }),
            durability,
            max_memory_bytes: self.max_memory_bytes.or(kept),
            engine,
            ..source.clone()
        };
        if target == *source {
            return Err(Error::new(
                ErrorCode::ConfigInvalid,
                "the namespace is like that already; change its engine, segments or container",
            ));
        }
        Ok(target)
    }
}
