//! What the second store of a namespace is to be.

use crate::config::{Container, Durability, EngineConfig, NamespaceConfig, SetConfig};
use crate::manifest::Pace;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

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
    /// Workers of the copy; 0: two, or 32 from a cluster or to one, where each record waits for an answer.
    pub threads: u32,
    pub records_per_second: Option<u32>,
}

impl MigrationTarget {
    pub(super) fn threads(&self, remote: bool) -> u32 {
        match self.threads {
            0 if remote => 32,
            0 => 2,
            threads => threads.min(limits::THREADS),
        }
    }

    /// A job as fast as this one was asked to go.
    pub(super) fn at(pace: Pace) -> Self {
        Self { threads: pace.threads, records_per_second: pace.records_per_second, ..Self::default() }
    }

    pub(super) const fn pace(&self) -> Pace {
        Pace { threads: self.threads, records_per_second: self.records_per_second }
    }

    /// The configuration of the second store.
    ///
    /// # Errors
    /// `capability_unsupported` from a cluster to a cluster; `config_invalid` if nothing changes, or for records that a cluster has already.
    pub(super) fn of(&self, source: &NamespaceConfig) -> Result<NamespaceConfig> {
        let engine = self.engine.clone().unwrap_or_else(|| source.engine.clone());
        let (in_memory, is_remote) = (engine == EngineConfig::Memory, engine.is_remote());
        if source.engine.is_remote() && is_remote {
            let message = sentence!("records cannot be migrated from a cluster to a cluster; migrate them to this machine first");
            return Err(Error::said(ErrorCode::CapabilityUnsupported, message).in_field("storage"));
        }
        if matches!(&engine, EngineConfig::Cassandra(cassandra) if cassandra.attach) {
            let message = sentence!("a migration fills a keyspace of its own; leave attach out");
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("cluster.attach"));
        }
        let durability = self.durability.unwrap_or(match (in_memory, source.durability) {
            (true, _) => Durability::None,
            _ if is_remote => Durability::Relaxed,
            (false, Durability::None) => Durability::Commit,
            // How durable a write is was the cluster's to decide.
            (false, _) if source.engine.is_remote() => Durability::Commit,
            (false, durability) => durability,
        });
        let kept = source.max_memory_bytes.filter(|_| in_memory);
        let target = NamespaceConfig {
            segments: self.segments.unwrap_or(source.segments),
            container: self.container.unwrap_or(if in_memory { source.container } else { Container::Segmented }),
            durability,
            max_memory_bytes: self.max_memory_bytes.or(kept),
            // The cluster lists them once its records are there.
            indexes: if is_remote { Vec::new() } else { source.indexes.clone() },
            sets: source.sets.iter().map(|set| SetConfig { index: set.index && !is_remote, ..set.clone() }).collect(),
            engine,
            ..source.clone()
        };
        if target == *source {
            return Err(Error::said(
                ErrorCode::ConfigInvalid,
                sentence!("the namespace is like that already; change its engine, segments or container"),
            ));
        }
        Ok(target)
    }
}
