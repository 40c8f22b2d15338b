//! Configurations and descriptions of namespaces and sets, both ways.

use crate::choice::one_of;
use crate::metrics::MemoryBytes;
use crate::numbers::{whole, whole_u32};
use crate::recovery::{RecoveryInfo, RecoveryProgress};
use napi_derive::napi;
use tessera_core::engine::Member;
use tessera_core::sets::SetIndexState;
use tessera_core::storage::StorageUsage;
use tessera_core::{DeviceConfig, Durability, EngineConfig, Error, ErrorCode, Result};

/// Where records live. The fields but `engine` are for `device`.
#[napi(object)]
pub struct StorageConfig {
    #[napi(ts_type = "'memory' | 'device'")]
    pub engine: String,
    /// Most bytes on disk; 0 or absent: as much as the file system gives.
    pub capacity_bytes: Option<f64>,
    pub flush_interval_ms: Option<f64>,
    pub write_block_bytes: Option<f64>,
}

/// What a namespace is made of. Absent fields take the defaults of the core.
#[napi(object, object_to_js = false)]
pub struct NamespaceConfig {
    pub name: String,
    pub storage: StorageConfig,
    pub segments: Option<f64>,
    #[napi(ts_type = "'none' | 'relaxed' | 'commit'")]
    pub durability: Option<String>,
    pub default_ttl_seconds: Option<f64>,
    pub max_record_bytes: Option<f64>,
}

/// What a namespace is made of, every field present.
#[napi(object, object_from_js = false)]
pub struct NamespaceSettings {
    pub name: String,
    pub storage: StorageConfig,
    pub segments: u32,
    #[napi(ts_type = "'none' | 'relaxed' | 'commit'")]
    pub durability: &'static str,
    pub default_ttl_seconds: u32,
    pub max_record_bytes: u32,
}

/// What may be changed while a namespace is in use.
#[napi(object, object_to_js = false)]
pub struct NamespacePatch {
    pub default_ttl_seconds: Option<f64>,
    pub max_record_bytes: Option<f64>,
}

#[napi(object, object_to_js = false)]
pub struct SetConfig {
    pub name: String,
    pub distribution_bin: Option<String>,
    pub index: Option<bool>,
}

/// Traffic and contents of a device namespace, bytes.
#[napi(object, object_from_js = false)]
pub struct DeviceInfo {
    pub bytes: f64,
    pub capacity_bytes: f64,
    pub live_bytes: f64,
    pub bytes_written: f64,
    pub bytes_read: f64,
    /// Reads that found a damaged record.
    pub damaged_reads: f64,
}

/// What a namespace can do.
#[napi(object, object_from_js = false)]
pub struct Capabilities {
    pub set_index: bool,
    pub document_index: bool,
    pub range_index: bool,
    pub ttl: bool,
    pub durability: Vec<&'static str>,
}

#[napi(object, object_from_js = false)]
pub struct NamespaceInfo {
    pub name: String,
    #[napi(ts_type = "'recovering' | 'ready' | 'read-only' | 'poisoned' | 'failed'")]
    pub state: &'static str,
    /// The error code of what is wrong, and the same in a sentence.
    pub state_code: Option<&'static str>,
    pub state_reason: Option<String>,
    pub created_at_ms: f64,
    pub config: NamespaceSettings,
    pub records: f64,
    pub sets: u32,
    pub indexes: u32,
    pub last_write_ms: Option<f64>,
    pub memory: MemoryBytes,
    pub device: Option<DeviceInfo>,
    /// Of an open device namespace.
    pub recovery: Option<RecoveryInfo>,
    /// While it recovers.
    pub progress: Option<RecoveryProgress>,
    pub capabilities: Capabilities,
    /// Settings that `updateNamespace` changes.
    pub mutable: Vec<&'static str>,
}

#[napi(object, object_from_js = false)]
pub struct SegmentInfo {
    pub segment: u32,
    pub records: f64,
    pub live_bytes: f64,
    pub allocated_bytes: f64,
}

/// The index of a set: whether a scan can visit the set alone.
#[napi(object, object_from_js = false)]
pub struct SetIndexInfo {
    #[napi(ts_type = "'off' | 'building' | 'on'")]
    pub state: &'static str,
    pub bytes: f64,
    pub job_id: Option<String>,
}

#[napi(object, object_from_js = false)]
pub struct SetInfo {
    /// Empty for records without a set.
    pub name: String,
    pub records: f64,
    pub bytes: f64,
    pub distribution_bin: Option<String>,
    pub index: SetIndexInfo,
}

impl TryFrom<NamespaceConfig> for tessera_core::NamespaceConfig {
    type Error = Error;

    fn try_from(config: NamespaceConfig) -> Result<Self> {
        let config_number = |n: f64, field: &str| whole_u32(n, field, ErrorCode::ConfigInvalid);
        let storage = config.storage;
        let mut made = match one_of(&storage.engine, "storage.engine", &[("memory", false), ("device", true)])? {
            false => Self::memory(config.name),
            true => {
                let mut device = DeviceConfig::default();
                if let Some(bytes) = storage.capacity_bytes {
                    device.capacity_bytes = whole(bytes, "capacityBytes", ErrorCode::ConfigInvalid)?;
                }
                if let Some(ms) = storage.flush_interval_ms {
                    device.flush_interval_ms = config_number(ms, "flushIntervalMs")?;
                }
                if let Some(bytes) = storage.write_block_bytes {
                    device.write_block_bytes = config_number(bytes, "writeBlockBytes")?;
                }
                Self::device(config.name, device)
            }
        };
        if let Some(segments) = config.segments {
            made.segments = whole_u32(segments, "segments", ErrorCode::SegmentCountInvalid)?;
        }
        if let Some(durability) = config.durability {
            let choices = [("none", Durability::None), ("relaxed", Durability::Relaxed), ("commit", Durability::Commit)];
            made.durability = one_of(&durability, "durability", &choices)?;
        }
        if let Some(seconds) = config.default_ttl_seconds {
            made.default_ttl_seconds = whole_u32(seconds, "defaultTtlSeconds", ErrorCode::TtlInvalid)?;
        }
        if let Some(bytes) = config.max_record_bytes {
            made.max_record_bytes = config_number(bytes, "maxRecordBytes")?;
        }
        Ok(made)
    }
}

impl From<tessera_core::NamespaceConfig> for NamespaceSettings {
    fn from(config: tessera_core::NamespaceConfig) -> Self {
        let storage = match &config.engine {
            EngineConfig::Memory => {
                StorageConfig { engine: "memory".to_owned(), capacity_bytes: None, flush_interval_ms: None, write_block_bytes: None }
            }
            EngineConfig::Device(device) => StorageConfig {
                engine: "device".to_owned(),
                capacity_bytes: Some(device.capacity_bytes as f64),
                flush_interval_ms: Some(device.flush_interval_ms.into()),
                write_block_bytes: Some(device.write_block_bytes.into()),
            },
        };
        let durability = match config.durability {
            Durability::None => "none",
            Durability::Relaxed => "relaxed",
            Durability::Commit => "commit",
        };
        Self {
            name: config.name,
            storage,
            segments: config.segments,
            durability,
            default_ttl_seconds: config.default_ttl_seconds,
            max_record_bytes: config.max_record_bytes,
        }
    }
}

impl NamespacePatch {
    pub fn numbers(&self) -> Result<(Option<u32>, Option<u32>)> {
        let ttl = self.default_ttl_seconds.map(|n| whole_u32(n, "defaultTtlSeconds", ErrorCode::TtlInvalid)).transpose()?;
        let bytes = self.max_record_bytes.map(|n| whole_u32(n, "maxRecordBytes", ErrorCode::ConfigInvalid)).transpose()?;
        Ok((ttl, bytes))
    }
}

impl From<SetConfig> for tessera_core::SetConfig {
    fn from(set: SetConfig) -> Self {
        Self { name: set.name, distribution_bin: set.distribution_bin, index: set.index.unwrap_or(false) }
    }
}

impl NamespaceInfo {
    pub fn of(member: &Member) -> Self {
        match member {
            Member::Open(namespace) => {
                let on_device = !matches!(namespace.config().engine, EngineConfig::Memory);
                Self {
                    records: namespace.size(None) as f64,
                    sets: namespace.set_count() as u32,
                    last_write_ms: namespace.last_write_ms().map(|ms| ms as f64),
                    memory: namespace.memory().into(),
                    device: on_device.then(|| namespace.usage().into()),
                    recovery: on_device.then(|| namespace.recovery().into()),
                    ..Self::listed(member, namespace.config(), namespace.created_at_ms())
                }
            }
            Member::Unopened(unopened) => {
                Self { progress: RecoveryProgress::of(member), ..Self::listed(member, unopened.config().clone(), unopened.created_at_ms()) }
            }
        }
    }

    /// What the manifest alone says.
    fn listed(member: &Member, config: tessera_core::NamespaceConfig, created_at_ms: u64) -> Self {
        let (state, error) = member.state();
        let durability = match config.engine {
            EngineConfig::Memory => vec!["none"],
            EngineConfig::Device(_) => vec!["relaxed", "commit"],
        };
        Self {
            name: config.name.clone(),
            state: state.as_str(),
            state_code: error.as_ref().map(|error| error.code.as_str()),
            state_reason: error.map(|error| error.message),
            created_at_ms: created_at_ms as f64,
            records: 0.0,
            sets: config.sets.len() as u32,
            indexes: config.indexes.len() as u32,
            last_write_ms: None,
            memory: tessera_core::metrics::MemoryBytes::default().into(),
            device: None,
            recovery: None,
            progress: None,
            capabilities: Capabilities { set_index: true, document_index: true, range_index: true, ttl: true, durability },
            mutable: vec!["defaultTtlSeconds", "maxRecordBytes"],
            config: config.into(),
        }
    }
}

impl From<StorageUsage> for DeviceInfo {
    fn from(usage: StorageUsage) -> Self {
        Self {
            bytes: usage.device_bytes as f64,
            capacity_bytes: usage.device_capacity_bytes as f64,
            live_bytes: usage.live_bytes as f64,
            bytes_written: usage.bytes_written as f64,
            bytes_read: usage.bytes_read as f64,
            damaged_reads: usage.damaged_reads as f64,
        }
    }
}

impl From<tessera_core::namespace::SegmentInfo> for SegmentInfo {
    fn from(segment: tessera_core::namespace::SegmentInfo) -> Self {
        Self {
            segment: segment.segment.into(),
            records: segment.records as f64,
            live_bytes: segment.bytes.live as f64,
            allocated_bytes: segment.bytes.allocated as f64,
        }
    }
}

impl From<tessera_core::namespace::SetInfo> for SetInfo {
    fn from(set: tessera_core::namespace::SetInfo) -> Self {
        let state = match set.index {
            SetIndexState::Off => "off",
            SetIndexState::Building => "building",
            SetIndexState::On => "on",
        };
        Self {
            name: set.name,
            records: set.records as f64,
            bytes: set.bytes as f64,
            distribution_bin: set.distribution_bin,
            index: SetIndexInfo { state, bytes: set.index_bytes as f64, job_id: set.index_job },
        }
    }
}
