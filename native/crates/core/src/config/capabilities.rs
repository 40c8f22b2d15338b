//! What an engine cannot do. It stands here alone: the records' code asks before it begins, and the API tells.

use super::{CassandraConfig, Durability, EngineConfig, NamespaceConfig, SetConfig};
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};

/// Work that not every engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Records by segment, the segments of a node, and sets that a bin distributes.
    Segments,
    /// Files and devices: their reports, scrubs, checkpoints and compactions.
    Disks,
    /// Limits of the size of a namespace or a set, and eviction.
    Limits,
}

impl Feature {
    pub const ALL: [Self; 3] = [Self::Segments, Self::Disks, Self::Limits];

    /// As the API names it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Segments => "segments",
            Self::Disks => "disks",
            Self::Limits => "limits",
        }
    }

    /// As a sentence names it, behind "no".
    fn what(self) -> Sentence {
        match self {
            Self::Segments => sentence!("segments"),
            Self::Disks => sentence!("disks of its own"),
            Self::Limits => sentence!("limits of its size and no eviction"),
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

    /// Whether numbers of records and bytes are estimates, which scans correct.
    pub const fn estimates(&self) -> bool {
        self.is_remote()
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
        ];
        self.refuse(&settings)?;
        // The cluster lists them, and has to be there for that.
        let indexed = [(!self.indexes.is_empty(), "indexes"), (self.sets.iter().any(|set| set.index), "sets")];
        if let Some((_, field)) = indexed.iter().find(|(given, _)| *given) {
            let message = sentence!("indexes of a namespace on a cluster are made once the namespace is there");
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(*field));
        }
        self.sets.iter().try_for_each(|set| self.check_remote_set(set).map_err(|error| error.in_field("sets")))
    }

    /// Refuses settings of a set that the engine has no use for.
    ///
    /// # Errors
    /// `capability_unsupported`.
    pub(crate) fn check_remote_set(&self, set: &SetConfig) -> Result<()> {
        self.refuse(&[
            (set.distribution_bin.is_some(), Feature::Segments, "distributionBin"),
            (set.limits.max_records != 0, Feature::Limits, "maxRecords"),
            (set.limits.max_bytes != 0, Feature::Limits, "maxBytes"),
        ])
    }

    fn refuse(&self, settings: &[(bool, Feature, &str)]) -> Result<()> {
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
        Error::said(
            ErrorCode::CapabilityUnsupported,
            sentence!("the namespace \"{name}\" has the engine {engine}, which has no {what}", name = name, engine = engine, what = what),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ownership;
    use crate::config::{Container, SetLimits};

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
        let set = || SetConfig { name: "s".into(), ..SetConfig::default() };
        let indexed = NamespaceConfig { sets: vec![SetConfig { index: true, ..set() }], ..good.clone() };
        let error = indexed.check().unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("sets")));
        let plain = NamespaceConfig { sets: vec![set()], ..good.clone() };
        plain.check().unwrap();
        let limited = SetConfig { limits: SetLimits { max_records: 1, max_bytes: 0 }, ..set() };
        let error = good.check_remote_set(&limited).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (lacking, Some("maxRecords")));
        assert_eq!(fault(|c| c.container = Container::Flat), (ErrorCode::ConfigInvalid, "container".into()));
        assert_eq!(fault(|c| c.max_memory_bytes = Some(1)), (ErrorCode::ConfigInvalid, "maxMemoryBytes".into()));
        let message = good.require(Feature::Segments).unwrap_err().message;
        assert_eq!(message, "the namespace \"far\" has the engine cassandra, which has no segments");
        assert_eq!(NamespaceConfig::memory("near").require(Feature::Segments), Ok(()));
    }
}
