//! Migrations of namespaces, as JavaScript sees them.

use crate::choice::one_of;
use crate::config::{NamespaceInfo, NamespaceSettings};
use crate::devices::{Made, StorageConfig};
use crate::jobs::JobInfo;
use crate::numbers::{rate, threads, whole_u32};
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::engine::{MigratingStore, MigrationInfo as CoreInfo};
use tessera_core::{Container, Durability, Engine, EngineConfig};

/// What changes of a namespace, and how fast. Absent fields stay as they are; `storage` is as of a new namespace.
#[napi(object, object_to_js = false)]
pub struct MigrationTarget {
    pub storage: Option<StorageConfig>,
    pub segments: Option<f64>,
    #[napi(ts_type = "'segmented' | 'flat'")]
    pub container: Option<String>,
    #[napi(ts_type = "'none' | 'relaxed' | 'commit'")]
    pub durability: Option<String>,
    pub threads: Option<f64>,
    pub records_per_second: Option<f64>,
}

/// How fast a migration goes on.
#[napi(object, object_to_js = false)]
pub struct MigrationPace {
    pub threads: Option<f64>,
    pub records_per_second: Option<f64>,
}

#[napi(object, object_from_js = false)]
pub struct MigrationStore {
    pub config: NamespaceSettings,
    /// Absent if it could not be opened, or is being filled on a cluster.
    pub records: Option<f64>,
}

/// Why a migration has failed.
#[napi(object, object_from_js = false)]
pub struct MigrationFailure {
    pub code: &'static str,
    pub message: String,
}

#[napi(object, object_from_js = false)]
pub struct MigrationInfo {
    #[napi(ts_type = "'copying' | 'verifying' | 'doubled' | 'failed'")]
    pub phase: &'static str,
    pub cut_over: bool,
    /// What the namespace was made as, and what it is to be.
    pub source: MigrationStore,
    pub target: MigrationStore,
    /// Since the job began.
    pub copied: f64,
    pub compared: f64,
    pub repaired: f64,
    pub failure: Option<MigrationFailure>,
    /// The job that makes, or made, both the same.
    pub job_id: Option<String>,
}

impl From<MigratingStore> for MigrationStore {
    fn from(store: MigratingStore) -> Self {
        Self { config: store.config.into(), records: store.records.map(|records| records as f64) }
    }
}

impl From<CoreInfo> for MigrationInfo {
    fn from(info: CoreInfo) -> Self {
        let (source, target) = if info.cut_over { (info.follower, info.leader) } else { (info.leader, info.follower) };
        Self {
            phase: info.phase.as_str(),
            cut_over: info.cut_over,
            source: source.into(),
            target: target.into(),
            copied: info.counts.copied as f64,
            compared: info.counts.compared as f64,
            repaired: info.counts.repaired as f64,
            failure: info.failure.map(|error| MigrationFailure { code: error.code.as_str(), message: error.message }),
            job_id: info.job,
        }
    }
}

impl TryFrom<MigrationTarget> for tessera_core::engine::MigrationTarget {
    type Error = Error;

    fn try_from(target: MigrationTarget) -> Result<Self> {
        let MigrationTarget { storage, segments, container, durability, threads, records_per_second } = target;
        let mut made = Self::try_from(MigrationPace { threads, records_per_second })?;
        if let Some(storage) = storage {
            let engine = match storage.made()? {
                Made::Memory(max_memory_bytes) => {
                    made.max_memory_bytes = max_memory_bytes;
                    EngineConfig::Memory
                }
                Made::Device(device) => EngineConfig::Device(device),
                Made::Paged(paged) => EngineConfig::Paged(paged),
                Made::Cassandra(cassandra) => EngineConfig::Cassandra(cassandra),
            };
            made.engine = Some(engine);
        }
        made.segments = segments.map(|n| whole_u32(n, "segments", ErrorCode::SegmentCountInvalid)).transpose()?;
        let containers = [("segmented", Container::Segmented), ("flat", Container::Flat)];
        made.container = container.map(|name| one_of(&name, "container", &containers)).transpose()?;
        let durabilities = [("none", Durability::None), ("relaxed", Durability::Relaxed), ("commit", Durability::Commit)];
        made.durability = durability.map(|name| one_of(&name, "durability", &durabilities)).transpose()?;
        Ok(made)
    }
}

impl TryFrom<MigrationPace> for tessera_core::engine::MigrationTarget {
    type Error = Error;

    fn try_from(pace: MigrationPace) -> Result<Self> {
        Ok(Self { threads: pace.threads.map_or(Ok(0), threads)?, records_per_second: rate(pace.records_per_second)?, ..Self::default() })
    }
}

/// How far it is; one that has ended meanwhile is not there.
fn told(engine: &Engine, name: &str) -> Result<MigrationInfo> {
    let missing = || Error::said(ErrorCode::MigrationNotFound, sentence!("\"{name}\" does not migrate", name = name));
    Ok(engine.migration(name)?.ok_or_else(missing)?.into())
}

#[napi]
impl NativeStore {
    /// Makes a second store of a namespace and starts the job that fills it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn migrate<'env>(&self, env: &'env Env, name: String, target: MigrationTarget) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let job = engine.migrate(&name, &target.try_into()?)?;
            engine.jobs().marks().add("config", format!("migration of namespace {name} begun"), None, Some(&name));
            Ok(JobInfo::from(job.info()))
        })
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | MigrationInfo>")]
    pub fn migration<'env>(&self, env: &'env Env, name: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| told(engine, &name))
    }

    /// Starts the job again, after it failed or was aborted.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn resume_migration<'env>(&self, env: &'env Env, name: String, pace: MigrationPace) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(JobInfo::from(engine.resume_migration(&name, &pace.try_into()?)?.info())))
    }

    /// Lets the second store decide, or the first one again.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | MigrationInfo>")]
    pub fn swap_stores<'env>(&self, env: &'env Env, name: String, cut_over: bool) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            if cut_over { engine.cut_over(&name) } else { engine.roll_back(&name) }?;
            let how = if cut_over { "cut over" } else { "rolled back" };
            engine.jobs().marks().add("config", format!("namespace {name} {how}"), None, Some(&name));
            told(engine, &name)
        })
    }

    /// Removes the store that does not decide: the first one if it is cut over, else the second.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NamespaceInfo>")]
    pub fn end_migration<'env>(&self, env: &'env Env, name: String, cut_over: bool) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            engine.end_migration(&name, cut_over)?;
            let how = if cut_over { "finished" } else { "abandoned" };
            engine.jobs().marks().add("config", format!("migration of namespace {name} {how}"), None, Some(&name));
            engine.member(&name).map(|member| NamespaceInfo::of(engine, &member))
        })
    }
}
