//! What an engine cannot do. It stands here alone: the records' code asks before it begins, and the API tells.

use super::{CassandraConfig, Durability, EngineConfig, NamespaceConfig};
use tessera_base::{Error, ErrorCode, Result, limits};

/// Work that not every engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// How many records there are.
    Count,
    /// Which sets there are; sets made ahead of their records, and their limits.
    Sets,
    SetIndex,
    /// Document and range indexes.
    Index,
    Truncate,
    /// Records by segment, and the segments of a node.
    Segments,
    /// Files and devices: their reports, scrubs, checkpoints and compactions.
    Disks,
    /// Limits of a namespace's size, and eviction.
    Limits,
}

impl Feature {
    pub const ALL: [Self; 8] =
        [Self::Count, Self::Sets, Self::SetIndex, Self::Index, Self::Truncate, Self::Segments, Self::Disks, Self::Limits];

    /// As the API names it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sets => "sets",
            Self::SetIndex => "setIndex",
            Self::Index => "index",
            Self::Truncate => "truncate",
            Self::Segments => "segments",
            Self::Disks => "disks",
            Self::Limits => "limits",
        }
    }

    /// As a sentence names it, behind "no".
    pub const fn what(self) -> &'static str {
        match self {
            Self::Count => "counts of records",
            Self::Sets => "lists and settings of sets",
            Self::SetIndex => "set indexes",
            Self::Index => "document and range indexes",
            Self::Truncate => "truncations",
            Self::Segments => "segments",
            Self::Disks => "disks of its own",
            Self::Limits => "limits of its size and no eviction",
        }
    }
}

impl EngineConfig {
    /// As the API names it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Device(_) => "device",
            Self::Paged(_) => "paged",
            Self::Cassandra(_) => "cassandra",
        }
    }

    /// What it cannot do. What an engine of this machine refuses for itself is not here.
    pub const fn lacks(&self) -> &'static [Feature] {
        match self {
            Self::Memory | Self::Device(_) | Self::Paged(_) => &[],
            Self::Cassandra(_) => &Feature::ALL,
        }
    }

    /// Whether records are kept by other machines.
    pub const fn is_remote(&self) -> bool {
        matches!(self, Self::Cassandra(_))
    }
}

impl NamespaceConfig {
    /// A namespace on a cluster, with the defaults. How durable a write is the cluster decides.
    pub fn cassandra(name: impl Into<String>, cassandra: CassandraConfig) -> Self {
        Self { engine: EngineConfig::Cassandra(cassandra), durability: Durability::Relaxed, ..Self::memory(name) }
    }

    /// Refuses settings that the engine has no use for.
    pub(super) fn check_remote(&self) -> Result<()> {
        let settings = [
            (self.ownership.is_some(), Feature::Segments, "ownership"),
            (self.stop_writes_percent != limits::STOP_WRITES_PERCENT_DEFAULT, Feature::Limits, "stopWritesPercent"),
            (self.evict_at_percent != 0, Feature::Limits, "evictAtPercent"),
            (!self.sets.is_empty(), Feature::Sets, "sets"),
            (!self.indexes.is_empty(), Feature::Index, "indexes"),
        ];
        let refused = settings.iter().find(|(given, feature, _)| *given && self.engine.lacks().contains(feature));
        refused.map_or(Ok(()), |(_, feature, field)| Err(self.lacking(*feature).in_field(*field)))
    }

    /// # Errors
    /// `capability_unsupported` if the engine cannot do it.
    pub fn require(&self, feature: Feature) -> Result<()> {
        if self.engine.lacks().contains(&feature) { Err(self.lacking(feature)) } else { Ok(()) }
    }

    fn lacking(&self, feature: Feature) -> Error {
        let (name, engine, what) = (&self.name, self.engine.name(), feature.what());
        Error::new(ErrorCode::CapabilityUnsupported, format!("the namespace {name:?} has the engine {engine}, which has no {what} yet"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ownership;
    use crate::config::{Container, SetConfig};

    #[test]
    fn what_the_cluster_decides_or_cannot_do_is_no_setting() {
        let good = NamespaceConfig::cassandra("far", CassandraConfig::new("prod"));
        good.check().unwrap();
        let fault = |change: fn(&mut NamespaceConfig)| {
            let mut config = good.clone();
            change(&mut config);
            let error = config.check().unwrap_err();
            (error.code, error.field.unwrap_or_default())
        };
        for durability in [Durability::None, Durability::Commit] {
            let error = NamespaceConfig { durability, ..good.clone() }.check().unwrap_err();
            assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("durability")));
        }
        let lacking = ErrorCode::CapabilityUnsupported;
        assert_eq!(fault(|c| c.evict_at_percent = 1), (lacking, "evictAtPercent".into()));
        assert_eq!(fault(|c| c.stop_writes_percent = 50), (lacking, "stopWritesPercent".into()));
        assert_eq!(fault(|c| c.ownership = Some(Ownership { nodes: 2, owners: 1, this: 0 })), (lacking, "ownership".into()));
        assert_eq!(fault(|c| c.sets.push(SetConfig { name: "s".into(), ..SetConfig::default() })), (lacking, "sets".into()));
        assert_eq!(fault(|c| c.container = Container::Flat), (ErrorCode::ConfigInvalid, "container".into()));
        assert_eq!(fault(|c| c.max_memory_bytes = Some(1)), (ErrorCode::ConfigInvalid, "maxMemoryBytes".into()));
        let message = good.require(Feature::Sets).unwrap_err().message;
        assert_eq!(message, "the namespace \"far\" has the engine cassandra, which has no lists and settings of sets yet");
        assert_eq!(NamespaceConfig::memory("near").require(Feature::Sets), Ok(()));
    }
}
