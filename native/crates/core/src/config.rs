//! What a namespace is made of: typed, with units, checked before anything is created. Kept in the manifest.

mod capabilities;
mod cassandra;
mod device;
mod paged;

pub use capabilities::Feature;
pub use cassandra::{CassandraConfig, Consistency, Replication, Serial, Speculation};
pub use device::{DeviceConfig, DeviceFile};
pub use paged::PagedConfig;

use crate::ownership::Ownership;
use serde::{Deserialize, Serialize};
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};
use tessera_index::IndexSpec;
use tessera_record::KeyLimit;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamespaceConfig {
    pub name: String,
    pub engine: EngineConfig,
    /// A power of two, 1 to 4096.
    pub segments: u32,
    /// What holds the records of the segments. Fixed for the namespace's life.
    #[serde(default, skip_serializing_if = "Container::is_segmented")]
    pub container: Container,
    /// Which segments are this node's, where several nodes share them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ownership: Option<Ownership>,
    pub durability: Durability,
    /// What reads show of writes that are not acknowledged yet; matters with `commit` alone.
    #[serde(default, skip_serializing_if = "Reads::is_committed")]
    pub reads: Reads,
    /// Time to live of records that name none, seconds; 0 means never.
    pub default_ttl_seconds: u32,
    /// Largest record body, bytes.
    pub max_record_bytes: u32,
    /// Most bytes of memory for the bodies of a memory namespace; `None` means as much as there is.
    pub max_memory_bytes: Option<u64>,
    /// Writes that add are refused while what counts against the capacity (`Storage::occupied_bytes`) is this share of it, or of `max_memory_bytes`. 1 to 100.
    #[serde(default = "stop_writes_default")]
    pub stop_writes_percent: u32,
    /// Records that will expire are evicted, the soonest first, while it is more than this share; 0 means never.
    #[serde(default)]
    pub evict_at_percent: u32,
    /// Records have one bin, which is stored without its name. Fixed for the namespace's life.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single_bin: bool,
    pub sets: Vec<SetConfig>,
    pub indexes: Vec<IndexSpec>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineConfig {
    /// Records in memory; a restart brings the namespace back empty.
    Memory,
    /// Records on a device, the index in memory.
    Device(DeviceConfig),
    /// Records and index in pages on disk, behind a cache.
    Paged(PagedConfig),
    /// Records on a Cassandra cluster; this process has none.
    Cassandra(CassandraConfig),
}

/// What holds the records of a namespace's segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Container {
    /// Each segment holds its own.
    #[default]
    Segmented,
    /// One map holds those of all segments: to measure what segments are worth. In memory only.
    Flat,
}

/// What a write has promised when it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Nothing: memory only.
    None,
    /// On disk within the flush interval.
    Relaxed,
    /// On stable storage.
    Commit,
}

/// What reads show, of a namespace whose writes are acknowledged once they are on stable storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reads {
    /// What a crash cannot take back: who reads a record that is being written waits for its flush.
    #[default]
    Committed,
    /// The newest version, which a crash may take back.
    Latest,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetConfig {
    pub name: String,
    /// Records go to the segment of this bin's value.
    pub distribution_bin: Option<String>,
    /// Whether the set index is on.
    pub index: bool,
    #[serde(default, skip_serializing_if = "SetLimits::is_none")]
    pub limits: SetLimits,
}

/// How much a set may hold; 0 means as much as the namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetLimits {
    pub max_records: u64,
    /// Of the bodies as stored, headers included.
    pub max_bytes: u64,
}

/// What can be changed while a namespace is in use; absent fields stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConfigPatch {
    pub default_ttl_seconds: Option<u32>,
    pub max_record_bytes: Option<u32>,
    pub stop_writes_percent: Option<u32>,
    pub evict_at_percent: Option<u32>,
    pub reads: Option<Reads>,
    /// `Some(None)`: every segment is this node's.
    pub ownership: Option<Option<Ownership>>,
}

impl Reads {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    const fn is_committed(&self) -> bool {
        matches!(self, Self::Committed)
    }
}

impl Container {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    const fn is_segmented(&self) -> bool {
        matches!(self, Self::Segmented)
    }
}

const fn stop_writes_default() -> u32 {
    limits::STOP_WRITES_PERCENT_DEFAULT
}

impl SetLimits {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl NamespaceConfig {
    /// # Errors
    /// `single_bin`, naming the field, when no record of the namespace can have the bin.
    pub fn check_bin(&self, bin: Option<&str>, field: &str) -> Result<()> {
        bin.filter(|_| self.single_bin).map_or(Ok(()), |bin| limits::check_single_bin(bin, field))
    }

    /// # Errors
    /// As `check_bin`; `unsupported` in a flat container, which has no segment to place records in by a bin.
    pub fn check_distribution(&self, bin: Option<&str>) -> Result<()> {
        if bin.is_some() && self.container == Container::Flat {
            let message = sentence!("a flat container cannot have a distribution bin; create the namespace with segments");
            return Err(Error::said(ErrorCode::Unsupported, message).in_field("distributionBin"));
        }
        self.check_bin(bin, "distributionBin")
    }

    /// How many segments hold records by themselves.
    pub const fn cells(&self) -> u32 {
        match self.container {
            // It is empty: the cluster has the records.
            Container::Segmented if self.engine.is_remote() => 1,
            Container::Segmented => self.segments,
            Container::Flat => 1,
        }
    }

    /// How long keys may be.
    pub fn key_limit(&self) -> KeyLimit {
        match &self.engine {
            EngineConfig::Paged(paged) => KeyLimit::of_page(paged.page_bytes),
            EngineConfig::Memory | EngineConfig::Device(_) | EngineConfig::Cassandra(_) => KeyLimit::default(),
        }
    }

    /// The configuration with a patch applied.
    #[must_use]
    pub fn patched(self, patch: ConfigPatch) -> Self {
        Self {
            default_ttl_seconds: patch.default_ttl_seconds.unwrap_or(self.default_ttl_seconds),
            max_record_bytes: patch.max_record_bytes.unwrap_or(self.max_record_bytes),
            stop_writes_percent: patch.stop_writes_percent.unwrap_or(self.stop_writes_percent),
            evict_at_percent: patch.evict_at_percent.unwrap_or(self.evict_at_percent),
            reads: patch.reads.unwrap_or(self.reads),
            ownership: patch.ownership.unwrap_or(self.ownership),
            ..self
        }
    }

    /// A memory namespace with the defaults.
    pub fn memory(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            engine: EngineConfig::Memory,
            segments: limits::SEGMENTS_DEFAULT,
            container: Container::Segmented,
            ownership: None,
            durability: Durability::None,
            reads: Reads::Committed,
            default_ttl_seconds: 0,
            max_record_bytes: limits::RECORD_BYTES_DEFAULT as u32,
            max_memory_bytes: None,
            stop_writes_percent: limits::STOP_WRITES_PERCENT_DEFAULT,
            evict_at_percent: 0,
            single_bin: false,
            sets: Vec::new(),
            indexes: Vec::new(),
        }
    }

    /// A device namespace with the defaults: `commit` durability.
    pub fn device(name: impl Into<String>, device: DeviceConfig) -> Self {
        Self { engine: EngineConfig::Device(device), durability: Durability::Commit, ..Self::memory(name) }
    }

    /// A paged namespace with the defaults: `commit` durability.
    pub fn paged(name: impl Into<String>, paged: PagedConfig) -> Self {
        Self { engine: EngineConfig::Paged(paged), durability: Durability::Commit, ..Self::memory(name) }
    }

    /// # Errors
    /// `name_invalid`, `segment_count_invalid`, `ttl_invalid`, `bin_name_invalid`, `single_bin`, `set_limit`, `index_limit`,
    /// `config_invalid`, `capability_unsupported`, each naming the field.
    pub fn check(&self) -> Result<()> {
        limits::check_name(&self.name, "name")?;
        let range = limits::SEGMENTS_MIN..=limits::SEGMENTS_MAX;
        if !range.contains(&self.segments) || !self.segments.is_power_of_two() {
            let message = sentence!(
                "segments must be a power of two from {low} to {high}, got {given}",
                low = range.start().to_string(),
                high = range.end().to_string(),
                given = self.segments
            );
            return Err(Error::said(ErrorCode::SegmentCountInvalid, message).in_field("segments"));
        }
        check_ttl(self.default_ttl_seconds, "defaultTtlSeconds")?;
        check_record_limit(self.max_record_bytes)?;
        if !(1..=100).contains(&self.stop_writes_percent) {
            return invalid(
                "stopWritesPercent",
                sentence!("stopWritesPercent must be 1 to 100, got {given}", given = self.stop_writes_percent),
            );
        }
        if self.evict_at_percent >= self.stop_writes_percent {
            let (evict, stop) = (self.evict_at_percent, self.stop_writes_percent);
            let message = sentence!(
                "evictAtPercent must be below stopWritesPercent ({stop}), got {evict}; 0 switches eviction off",
                stop = stop,
                evict = evict
            );
            return invalid("evictAtPercent", message);
        }
        if self.max_memory_bytes.is_some() && self.engine != EngineConfig::Memory {
            return invalid("maxMemoryBytes", sentence!("only a memory namespace can have maxMemoryBytes"));
        }
        if self.container == Container::Flat && self.engine != EngineConfig::Memory {
            return invalid("container", sentence!("only a memory namespace can have a flat container"));
        }
        self.ownership.map_or(Ok(()), |ownership| ownership.check())?;
        match (&self.engine, self.durability) {
            (EngineConfig::Memory, Durability::None) => {}
            (EngineConfig::Memory, _) => return invalid("durability", sentence!("durability of a memory namespace must be \"none\"")),
            (EngineConfig::Device(_) | EngineConfig::Paged(_), Durability::None) => {
                return invalid("durability", sentence!("durability of a namespace on disk must be \"relaxed\" or \"commit\""));
            }
            (EngineConfig::Cassandra(cassandra), Durability::Relaxed) => {
                cassandra.check()?;
                self.check_remote()?;
            }
            (EngineConfig::Cassandra(_), _) => {
                return invalid("durability", sentence!("durability of a cassandra namespace must be \"relaxed\": the cluster decides it"));
            }
            (EngineConfig::Device(device), _) => device.check(self.max_record_bytes)?,
            (EngineConfig::Paged(paged), _) => paged.check(self.max_record_bytes, self.segments)?,
        }
        if self.sets.len() > limits::SETS {
            return Err(Error::said(
                ErrorCode::SetLimit,
                sentence!("a namespace can have at most {most} sets, got {given}", most = limits::SETS, given = self.sets.len()),
            )
            .in_field("sets"));
        }
        for (position, set) in self.sets.iter().enumerate() {
            set.check()?;
            self.check_distribution(set.distribution_bin.as_deref())?;
            if self.sets[..position].iter().any(|other| other.name == set.name) {
                return invalid("sets", sentence!("the set \"{name}\" is listed twice", name = &set.name));
            }
        }
        if self.indexes.len() > limits::INDEXES {
            return Err(Error::said(
                ErrorCode::IndexLimit,
                sentence!("a namespace can have at most {most} indexes, got {given}", most = limits::INDEXES, given = self.indexes.len()),
            )
            .in_field("indexes"));
        }
        for (position, index) in self.indexes.iter().enumerate() {
            index.check()?;
            self.check_bin(index.bin.as_deref(), "bin")?;
            if self.indexes[..position].iter().any(|other| other.name == index.name) {
                return invalid("indexes", sentence!("the index \"{name}\" is listed twice", name = &index.name));
            }
        }
        Ok(())
    }
}

impl SetConfig {
    /// # Errors
    /// `name_invalid`, `bin_name_invalid`.
    pub fn check(&self) -> Result<()> {
        // Records without a set have a set index and limits, too; each of them is placed by its digest.
        if !self.name.is_empty() || self.distribution_bin.is_some() {
            limits::check_name(&self.name, "set")?;
        }
        self.distribution_bin.as_deref().map_or(Ok(()), limits::check_bin_name)
    }
}

fn invalid(field: &str, message: Sentence) -> Result<()> {
    Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(field))
}

/// # Errors
/// `ttl_invalid` past ten years.
pub fn check_ttl(seconds: u32, field: &str) -> Result<()> {
    if seconds > limits::TTL_SECONDS {
        let message = sentence!(
            "a time to live must be at most {most} seconds (ten years), got {given}",
            most = limits::TTL_SECONDS,
            given = seconds
        );
        return Err(Error::said(ErrorCode::TtlInvalid, message).in_field(field));
    }
    Ok(())
}

/// # Errors
/// `config_invalid` outside of 128 bytes to the largest body any namespace may allow.
pub fn check_record_limit(bytes: u32) -> Result<()> {
    if !(128..=limits::RECORD_BYTES_MAX as u32).contains(&bytes) {
        let message = sentence!("maxRecordBytes must be 128 to {most}, got {given}", most = limits::RECORD_BYTES_MAX, given = bytes);
        return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("maxRecordBytes"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(change: impl FnOnce(&mut NamespaceConfig)) -> (ErrorCode, String) {
        let mut config = NamespaceConfig::memory("events");
        config.check().unwrap();
        change(&mut config);
        let error = config.check().unwrap_err();
        (error.code, error.field.unwrap_or_default())
    }

    #[test]
    fn every_field_is_checked_and_named() {
        assert_eq!(fault(|c| c.name = "..".into()), (ErrorCode::NameInvalid, "name".into()));
        assert_eq!(fault(|c| c.segments = 0), (ErrorCode::SegmentCountInvalid, "segments".into()));
        assert_eq!(fault(|c| c.segments = 100), (ErrorCode::SegmentCountInvalid, "segments".into()));
        assert_eq!(fault(|c| c.segments = 8192), (ErrorCode::SegmentCountInvalid, "segments".into()));
        assert_eq!(fault(|c| c.default_ttl_seconds = u32::MAX), (ErrorCode::TtlInvalid, "defaultTtlSeconds".into()));
        assert_eq!(fault(|c| c.max_record_bytes = 1), (ErrorCode::ConfigInvalid, "maxRecordBytes".into()));
        assert_eq!(fault(|c| c.durability = Durability::Commit), (ErrorCode::ConfigInvalid, "durability".into()));
        assert_eq!(fault(|c| c.stop_writes_percent = 0), (ErrorCode::ConfigInvalid, "stopWritesPercent".into()));
        assert_eq!(fault(|c| c.stop_writes_percent = 101), (ErrorCode::ConfigInvalid, "stopWritesPercent".into()));
        assert_eq!(fault(|c| c.evict_at_percent = 90), (ErrorCode::ConfigInvalid, "evictAtPercent".into()));
        let nobody = Ownership { nodes: 4, owners: 2, this: 4 };
        assert_eq!(fault(|c| c.ownership = Some(nobody)), (ErrorCode::ConfigInvalid, "ownership.self".into()));
        let flat = NamespaceConfig { container: Container::Flat, ..NamespaceConfig::device("d", DeviceConfig::default()) };
        assert_eq!(flat.check().unwrap_err().field.as_deref(), Some("container"));
        let device = DeviceConfig { write_block_bytes: 1000, ..DeviceConfig::default() };
        let full = NamespaceConfig::device("d", device).check().unwrap_err();
        assert_eq!((full.code, full.field.as_deref()), (ErrorCode::ConfigInvalid, Some("writeBlockBytes")));
        let bounded = NamespaceConfig { max_memory_bytes: Some(1 << 30), ..NamespaceConfig::device("d", DeviceConfig::default()) };
        assert_eq!(bounded.check().unwrap_err().field.as_deref(), Some("maxMemoryBytes"));
        let placed = |bin: &str| vec![SetConfig { name: "a".into(), distribution_bin: Some(bin.into()), ..SetConfig::default() }];
        let single = |bin: &str| NamespaceConfig { single_bin: true, sets: placed(bin), ..NamespaceConfig::memory("a") };
        single("value").check().unwrap();
        assert_eq!(single("other").check().unwrap_err().code, ErrorCode::SingleBin);
        let flat = NamespaceConfig { container: Container::Flat, sets: placed("bin"), ..NamespaceConfig::memory("a") };
        assert_eq!(flat.check().unwrap_err().code, ErrorCode::Unsupported);
        let set = SetConfig { name: "a".into(), ..SetConfig::default() };
        assert_eq!(fault(|c| c.sets = vec![set.clone(), set]), (ErrorCode::ConfigInvalid, "sets".into()));
    }
}
