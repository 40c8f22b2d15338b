//! Configurations and descriptions of namespaces, both ways.

use crate::choice::one_of;
use crate::clusters::ClusterInfo;
use crate::devices::{DeviceInfo, Made, StorageConfig};
use crate::metrics::MemoryBytes;
use crate::numbers::whole_u32;
use crate::recovery::{AcceptedLoss, RecoveryInfo, RecoveryProgress};
use napi::Either;
use napi::bindgen_prelude::Null;
use napi_derive::napi;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::config::Feature;
use tessera_core::engine::Member;
use tessera_core::{Container, Durability, Engine, EngineConfig, Reads};

/// What a namespace is made of. Absent fields take the defaults of the core.
#[napi(object, object_to_js = false)]
pub struct NamespaceConfig {
    pub name: String,
    pub storage: StorageConfig,
    pub segments: Option<f64>,
    #[napi(ts_type = "'segmented' | 'flat'")]
    pub container: Option<String>,
    pub ownership: Option<Ownership>,
    #[napi(ts_type = "'none' | 'relaxed' | 'commit'")]
    pub durability: Option<String>,
    #[napi(ts_type = "'committed' | 'latest'")]
    pub reads: Option<String>,
    pub default_ttl_seconds: Option<f64>,
    pub max_record_bytes: Option<f64>,
    pub stop_writes_percent: Option<f64>,
    pub evict_at_percent: Option<f64>,
    /// Records have one bin, `value`, stored without its name.
    pub single_bin: Option<bool>,
}

/// What a namespace is made of, every field present.
#[napi(object, object_from_js = false)]
pub struct NamespaceSettings {
    pub name: String,
    pub storage: StorageConfig,
    pub segments: u32,
    #[napi(ts_type = "'segmented' | 'flat'")]
    pub container: &'static str,
    pub ownership: Option<Ownership>,
    #[napi(ts_type = "'none' | 'relaxed' | 'commit'")]
    pub durability: &'static str,
    #[napi(ts_type = "'committed' | 'latest'")]
    pub reads: &'static str,
    pub default_ttl_seconds: u32,
    pub max_record_bytes: u32,
    pub stop_writes_percent: u32,
    pub evict_at_percent: u32,
    pub single_bin: bool,
}

/// The place of a namespace among the nodes that share its segments.
#[napi(object)]
pub struct Ownership {
    pub nodes: f64,
    pub owners: f64,
    #[napi(js_name = "self")]
    pub this: f64,
}

/// What may be changed while a namespace is in use.
#[napi(object, object_to_js = false)]
pub struct NamespacePatch {
    /// Null: every segment is this node's.
    pub ownership: Option<Either<Ownership, Null>>,
    pub default_ttl_seconds: Option<f64>,
    pub max_record_bytes: Option<f64>,
    pub stop_writes_percent: Option<f64>,
    pub evict_at_percent: Option<f64>,
    #[napi(ts_type = "'committed' | 'latest'")]
    pub reads: Option<String>,
}

/// How near a namespace is to its limits.
#[napi(object, object_from_js = false)]
pub struct LimitsInfo {
    /// Most bytes of live records, where there is a limit.
    pub capacity_bytes: Option<f64>,
    /// Of a memory namespace without a limit: what all such may hold together, and do.
    pub shared_limit_bytes: Option<f64>,
    pub shared_used_bytes: Option<f64>,
    /// Bytes of live records.
    pub used_bytes: f64,
    /// Whether writes that add are refused, and why.
    pub writes_stopped: bool,
    pub reason: Option<String>,
    /// What `reason` was made of, as JSON.
    pub said: Option<String>,
    /// Since the namespace was opened.
    pub evicted_records: f64,
    pub expired_records: f64,
}

/// What a namespace can do.
#[napi(object, object_from_js = false)]
pub struct Capabilities {
    pub set_index: bool,
    pub document_index: bool,
    pub range_index: bool,
    pub ttl: bool,
    pub durability: Vec<&'static str>,
    /// Whether numbers of records and bytes are estimates, which scans correct.
    #[napi(ts_type = "'exact' | 'estimated'")]
    pub counts: &'static str,
    /// Whether truncations can be undone for a while.
    pub undo_truncate: bool,
    /// What the engine cannot do, which answers `capability_unsupported`.
    #[napi(ts_type = "('segments' | 'disks' | 'limits')[]")]
    pub missing: Vec<&'static str>,
}

/// What is told of a migration beside its namespace.
#[napi(object, object_from_js = false)]
pub struct MigrationMark {
    #[napi(ts_type = "'copying' | 'verifying' | 'doubled' | 'failed'")]
    pub phase: &'static str,
    pub cut_over: bool,
}

impl MigrationMark {
    /// `None` unless it migrates.
    pub fn of(engine: &Engine, member: &Member) -> Option<Self> {
        let (phase, cut_over) = engine.migration_mark(member)?;
        Some(Self { phase: phase.as_str(), cut_over })
    }
}

#[napi(object, object_from_js = false)]
pub struct NamespaceInfo {
    pub name: String,
    /// 32 hexadecimal digits: no other namespace has had it, or will.
    pub id: String,
    #[napi(ts_type = "'recovering' | 'ready' | 'read-only' | 'poisoned' | 'failed'")]
    pub state: &'static str,
    /// The error code of what is wrong, and the same in a sentence.
    pub state_code: Option<&'static str>,
    pub state_reason: Option<String>,
    /// What `state_reason` was made of, as JSON. Absent if it has no values.
    pub state_said: Option<String>,
    pub created_at_ms: f64,
    pub config: NamespaceSettings,
    pub records: f64,
    pub sets: u32,
    pub indexes: u32,
    pub last_write_ms: Option<f64>,
    pub memory: MemoryBytes,
    pub device: Option<DeviceInfo>,
    /// Of an open cassandra namespace.
    pub cluster: Option<ClusterInfo>,
    /// Of an open namespace.
    pub limits: Option<LimitsInfo>,
    /// Of an open device namespace.
    pub recovery: Option<RecoveryInfo>,
    /// Of an open namespace, while it migrates.
    pub migration: Option<MigrationMark>,
    /// While it recovers.
    pub progress: Option<RecoveryProgress>,
    /// Losses that were accepted to open it, oldest first.
    pub losses: Vec<AcceptedLoss>,
    pub capabilities: Capabilities,
    /// Settings that `updateNamespace` changes.
    pub mutable: Vec<&'static str>,
}

#[napi(object, object_from_js = false)]
pub struct SegmentInfo {
    pub segment: u32,
    pub records: f64,
    pub live_bytes: f64,
    /// Not of a flat container.
    pub allocated_bytes: Option<f64>,
    /// Where nodes share the segments, the primary owner first.
    pub owners: Option<Vec<u32>>,
    /// Whether this node is the primary owner.
    pub primary: bool,
    /// Of single records, since the namespace was opened.
    pub reads: f64,
    pub writes: f64,
}

impl TryFrom<Ownership> for tessera_core::Ownership {
    type Error = Error;

    fn try_from(ownership: Ownership) -> Result<Self> {
        let number = |n: f64, field: &str| {
            let field = format!("ownership.{field}");
            let number = whole_u32(n, &field, ErrorCode::ConfigInvalid)?;
            u16::try_from(number).map_err(|_| {
                Error::said(
                    ErrorCode::ConfigInvalid,
                    sentence!("{field} must be at most 65535, got {given}", field = &field, given = number),
                )
                .in_field(field)
            })
        };
        let Ownership { nodes, owners, this } = ownership;
        Ok(Self { nodes: number(nodes, "nodes")?, owners: number(owners, "owners")?, this: number(this, "self")? })
    }
}

impl From<tessera_core::Ownership> for Ownership {
    fn from(tessera_core::Ownership { nodes, owners, this }: tessera_core::Ownership) -> Self {
        Self { nodes: nodes.into(), owners: owners.into(), this: this.into() }
    }
}

impl TryFrom<NamespaceConfig> for tessera_core::NamespaceConfig {
    type Error = Error;

    fn try_from(config: NamespaceConfig) -> Result<Self> {
        let config_number = |n: f64, field: &str| whole_u32(n, field, ErrorCode::ConfigInvalid);
        let mut made = match config.storage.made()? {
            Made::Memory(max_memory_bytes) => Self { max_memory_bytes, ..Self::memory(config.name) },
            Made::Device(device) => Self::device(config.name, device),
            Made::Paged(paged) => Self::paged(config.name, paged),
            Made::Cassandra(cassandra) => Self::cassandra(config.name, cassandra),
        };
        if let Some(segments) = config.segments {
            made.segments = whole_u32(segments, "segments", ErrorCode::SegmentCountInvalid)?;
        }
        if let Some(container) = config.container {
            made.container = one_of(&container, "container", &[("segmented", Container::Segmented), ("flat", Container::Flat)])?;
        }
        made.ownership = config.ownership.map(TryInto::try_into).transpose()?;
        if let Some(durability) = config.durability {
            let choices = [("none", Durability::None), ("relaxed", Durability::Relaxed), ("commit", Durability::Commit)];
            made.durability = one_of(&durability, "durability", &choices)?;
        }
        made.reads = reads_of(config.reads.as_deref())?.unwrap_or_default();
        if let Some(seconds) = config.default_ttl_seconds {
            made.default_ttl_seconds = whole_u32(seconds, "defaultTtlSeconds", ErrorCode::TtlInvalid)?;
        }
        if let Some(bytes) = config.max_record_bytes {
            made.max_record_bytes = config_number(bytes, "maxRecordBytes")?;
        }
        if let Some(percent) = config.stop_writes_percent {
            made.stop_writes_percent = config_number(percent, "stopWritesPercent")?;
        }
        if let Some(percent) = config.evict_at_percent {
            made.evict_at_percent = config_number(percent, "evictAtPercent")?;
        }
        made.single_bin = config.single_bin.unwrap_or(false);
        Ok(made)
    }
}

impl From<tessera_core::NamespaceConfig> for NamespaceSettings {
    fn from(config: tessera_core::NamespaceConfig) -> Self {
        let storage = StorageConfig::of(&config);
        let durability = match config.durability {
            Durability::None => "none",
            Durability::Relaxed => "relaxed",
            Durability::Commit => "commit",
        };
        Self {
            name: config.name,
            storage,
            segments: config.segments,
            container: match config.container {
                Container::Segmented => "segmented",
                Container::Flat => "flat",
            },
            ownership: config.ownership.map(Into::into),
            durability,
            reads: match config.reads {
                Reads::Committed => "committed",
                Reads::Latest => "latest",
            },
            default_ttl_seconds: config.default_ttl_seconds,
            max_record_bytes: config.max_record_bytes,
            stop_writes_percent: config.stop_writes_percent,
            evict_at_percent: config.evict_at_percent,
            single_bin: config.single_bin,
        }
    }
}

impl TryFrom<NamespacePatch> for tessera_core::ConfigPatch {
    type Error = Error;

    fn try_from(patch: NamespacePatch) -> Result<Self> {
        let number = |n: Option<f64>, field: &str, code| n.map(|n| whole_u32(n, field, code)).transpose();
        let ownership = match patch.ownership {
            None => None,
            Some(Either::A(ownership)) => Some(Some(ownership.try_into()?)),
            Some(Either::B(Null)) => Some(None),
        };
        Ok(Self {
            ownership,
            default_ttl_seconds: number(patch.default_ttl_seconds, "defaultTtlSeconds", ErrorCode::TtlInvalid)?,
            max_record_bytes: number(patch.max_record_bytes, "maxRecordBytes", ErrorCode::ConfigInvalid)?,
            stop_writes_percent: number(patch.stop_writes_percent, "stopWritesPercent", ErrorCode::ConfigInvalid)?,
            evict_at_percent: number(patch.evict_at_percent, "evictAtPercent", ErrorCode::ConfigInvalid)?,
            reads: reads_of(patch.reads.as_deref())?,
        })
    }
}

fn reads_of(reads: Option<&str>) -> Result<Option<Reads>> {
    reads.map(|reads| one_of(reads, "reads", &[("committed", Reads::Committed), ("latest", Reads::Latest)])).transpose()
}

impl From<tessera_core::namespace::LimitsInfo> for LimitsInfo {
    fn from(limits: tessera_core::namespace::LimitsInfo) -> Self {
        Self {
            capacity_bytes: limits.capacity_bytes.map(|bytes| bytes as f64),
            shared_limit_bytes: limits.shared.map(|(limit, _)| limit as f64),
            shared_used_bytes: limits.shared.map(|(_, used)| used as f64),
            used_bytes: limits.used_bytes as f64,
            writes_stopped: limits.stopped.is_some(),
            said: limits.stopped.as_ref().and_then(Error::said_as_json),
            reason: limits.stopped.map(|error| error.message),
            evicted_records: limits.evicted as f64,
            expired_records: limits.expired as f64,
        }
    }
}

/// Settings that can change, with what an engine has to be able to do for it.
const MUTABLE: [(Option<Feature>, &str); 6] = [
    (None, "defaultTtlSeconds"),
    (None, "maxRecordBytes"),
    (Some(Feature::Limits), "stopWritesPercent"),
    (Some(Feature::Limits), "evictAtPercent"),
    (Some(Feature::Disks), "reads"),
    (Some(Feature::Segments), "ownership"),
];

impl NamespaceInfo {
    pub fn of(engine: &Engine, member: &Member) -> Self {
        match member {
            Member::Open(namespace) => {
                let on_device = namespace.store().reads_disks();
                Self {
                    records: namespace.records() as f64,
                    sets: namespace.set_count() as u32,
                    last_write_ms: namespace.last_write_ms().map(|ms| ms as f64),
                    memory: namespace.memory().into(),
                    device: on_device.then(|| DeviceInfo::of(namespace)),
                    cluster: namespace.store().health().map(ClusterInfo::from),
                    limits: namespace.store().can(Feature::Limits).then(|| namespace.limits().into()),
                    recovery: on_device.then(|| namespace.recovery().into()),
                    migration: MigrationMark::of(engine, member),
                    ..Self::listed(engine, member, namespace.config(), namespace.created_at_ms())
                }
            }
            Member::Unopened(unopened) => {
                let migration = MigrationMark::of(engine, member);
                let progress = RecoveryProgress::of(member);
                Self { migration, progress, ..Self::listed(engine, member, unopened.config().clone(), unopened.created_at_ms()) }
            }
        }
    }

    /// What the manifest alone says.
    fn listed(engine: &Engine, member: &Member, config: tessera_core::NamespaceConfig, created_at_ms: u64) -> Self {
        let (state, error) = member.state();
        let lacks = |feature: Feature| config.engine.lacks().contains(&feature);
        let durability = match config.engine {
            EngineConfig::Memory => vec!["none"],
            EngineConfig::Cassandra(_) => vec!["relaxed"],
            EngineConfig::Device(_) | EngineConfig::Paged(_) => vec!["relaxed", "commit"],
        };
        Self {
            id: engine.names().of(&config.name).id.to_string(),
            name: config.name.clone(),
            state: state.as_str(),
            state_code: error.as_ref().map(|error| error.code.as_str()),
            state_said: error.as_ref().and_then(Error::said_as_json),
            state_reason: error.map(|error| error.message),
            created_at_ms: created_at_ms as f64,
            records: 0.0,
            sets: config.sets.len() as u32,
            indexes: config.indexes.len() as u32,
            last_write_ms: None,
            memory: tessera_core::metrics::MemoryBytes::default().into(),
            device: None,
            cluster: None,
            limits: None,
            recovery: None,
            migration: None,
            progress: None,
            losses: member.losses().iter().map(AcceptedLoss::from).collect(),
            capabilities: Capabilities {
                set_index: true,
                document_index: true,
                range_index: true,
                ttl: true,
                durability,
                counts: if config.engine.estimates() { "estimated" } else { "exact" },
                undo_truncate: !config.engine.is_remote(),
                missing: config.engine.lacks().iter().map(|feature| feature.as_str()).collect(),
            },
            mutable: MUTABLE.iter().filter(|(feature, _)| feature.is_none_or(|feature| !lacks(feature))).map(|(_, name)| *name).collect(),
            config: config.into(),
        }
    }
}

impl From<tessera_core::namespace::SegmentInfo> for SegmentInfo {
    fn from(segment: tessera_core::namespace::SegmentInfo) -> Self {
        Self {
            segment: segment.segment.into(),
            records: segment.records as f64,
            live_bytes: segment.live_bytes as f64,
            allocated_bytes: segment.allocated_bytes.map(|bytes| bytes as f64),
            owners: (!segment.owners.is_empty()).then(|| segment.owners.into_iter().map(Into::into).collect()),
            primary: segment.primary,
            reads: segment.reads as f64,
            writes: segment.writes as f64,
        }
    }
}
