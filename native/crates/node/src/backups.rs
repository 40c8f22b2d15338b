//! Backups of namespaces, as JavaScript sees them.

use crate::config::{NamespaceConfig, NamespaceSettings};
use crate::jobs::JobInfo;
use crate::numbers::{rate, threads};
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::{Error, Result};
use tessera_bucket::S3Bucket;
use tessera_core::backup::{BackupSpec, Bucket, Place};

/// A backup. Times are Unix milliseconds.
#[napi(object, object_from_js = false)]
pub struct BackupInfo {
    pub id: String,
    #[napi(ts_type = "'complete' | 'unfinished' | 'damaged'")]
    pub state: &'static str,
    /// Absent if its plan cannot be read, as is what follows from it.
    pub namespace: Option<String>,
    /// Of the namespace that it was made of.
    pub namespace_id: Option<String>,
    pub config: Option<NamespaceSettings>,
    /// The backup that it builds on.
    pub base: Option<String>,
    pub created_at_ms: Option<f64>,
    /// What follows is absent of one that is not complete.
    pub ended_at_ms: Option<f64>,
    /// Earliest and latest moment of a segment.
    pub from_ms: Option<f64>,
    pub to_ms: Option<f64>,
    pub records: Option<f64>,
    /// Records whose bodies are in it, not in a base.
    pub bodies: Option<f64>,
    pub bytes: Option<f64>,
    /// Records that could not be read.
    pub damaged: Option<f64>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

/// Where backups are.
#[napi(object, object_to_js = false)]
pub struct BackupPlace {
    /// The directory of backups, if there is no target.
    pub directory: String,
    /// Name of a target of the file.
    pub target: Option<String>,
    /// The file that describes the targets.
    pub targets_file: Option<String>,
    /// A directory for the parts that are on their way to a target.
    pub scratch: String,
}

impl BackupPlace {
    fn open(&self) -> Result<Place> {
        let Some(name) = &self.target else { return Ok(Place::from(Path::new(&self.directory))) };
        let known = tessera_bucket::find(self.targets_file.as_deref().map(Path::new), name)?;
        let objects = Arc::new(S3Bucket::open(name, &known)?);
        Ok(Place::Bucket(Bucket { name: name.clone(), objects, scratch: PathBuf::from(&self.scratch) }))
    }
}

/// A new backup; one without `base` has all records.
#[napi(object, object_to_js = false)]
pub struct BackupRequest {
    pub id: String,
    pub base: Option<String>,
    pub threads: Option<f64>,
    pub records_per_second: Option<f64>,
}

#[napi(object, object_to_js = false)]
pub struct BackupPace {
    pub threads: Option<f64>,
    pub records_per_second: Option<f64>,
}

/// Where a backup is restored to.
#[napi(object, object_to_js = false)]
pub struct RestoreRequest {
    pub namespace: String,
    /// How a new namespace is stored; absent: as the one that was backed up.
    pub config: Option<NamespaceConfig>,
    /// Writes into a namespace that has records.
    pub merge: Option<bool>,
    pub threads: Option<f64>,
    pub records_per_second: Option<f64>,
}

/// Workers if nobody says how many.
const THREADS: u32 = 2;

fn workers(number: Option<f64>) -> Result<u32> {
    number.map_or(Ok(THREADS), threads)
}

impl From<tessera_core::backup::BackupInfo> for BackupInfo {
    fn from(info: tessera_core::backup::BackupInfo) -> Self {
        let number = |number: Option<u64>| number.map(|number| number as f64);
        Self {
            id: info.id,
            state: info.state.as_str(),
            namespace: info.namespace,
            namespace_id: info.namespace_id,
            config: info.config.map(NamespaceSettings::from),
            base: info.base,
            created_at_ms: number(info.created_at_ms),
            ended_at_ms: number(info.ended_at_ms),
            from_ms: number(info.moments_ms.map(|(from, _)| from)),
            to_ms: number(info.moments_ms.map(|(_, to)| to)),
            records: number(info.records),
            bodies: number(info.bodies),
            bytes: number(info.bytes),
            damaged: number(info.damaged),
            problem: info.problem,
        }
    }
}

impl TryFrom<BackupRequest> for BackupSpec {
    type Error = Error;

    fn try_from(request: BackupRequest) -> Result<Self> {
        let BackupRequest { id, base, .. } = request;
        Ok(Self { id, base, threads: workers(request.threads)?, records_per_second: rate(request.records_per_second)? })
    }
}

impl TryFrom<RestoreRequest> for tessera_core::engine::RestoreSpec {
    type Error = Error;

    fn try_from(request: RestoreRequest) -> Result<Self> {
        Ok(Self {
            name: request.namespace,
            config: request.config.map(TryInto::try_into).transpose()?,
            merge: request.merge.unwrap_or_default(),
            threads: workers(request.threads)?,
            records_per_second: rate(request.records_per_second)?,
        })
    }
}

#[napi]
impl NativeStore {
    /// All backups of a place, oldest first.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | BackupInfo[]>")]
    pub fn backups<'env>(&self, env: &'env Env, place: BackupPlace) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(engine.backups(&place.open()?)?.into_iter().map(BackupInfo::from).collect::<Vec<_>>()))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | BackupInfo>")]
    pub fn backup_info<'env>(&self, env: &'env Env, place: BackupPlace, id: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| engine.backup_info(&place.open()?, &id).map(BackupInfo::from))
    }

    /// Removes a backup and answers what it was.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | BackupInfo>")]
    pub fn remove_backup<'env>(&self, env: &'env Env, place: BackupPlace, id: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| engine.remove_backup(&place.open()?, &id).map(BackupInfo::from))
    }

    /// Starts the job that backs a namespace up.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn start_backup<'env>(
        &self,
        env: &'env Env,
        place: BackupPlace,
        name: String,
        request: BackupRequest,
    ) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(JobInfo::from(engine.backup(&place.open()?, &name, &request.try_into()?)?.info())))
    }

    /// Goes on with a backup that was cut off.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn resume_backup<'env>(&self, env: &'env Env, place: BackupPlace, id: String, pace: BackupPace) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let job = engine.resume_backup(&place.open()?, &id, workers(pace.threads)?, rate(pace.records_per_second)?)?;
            Ok(JobInfo::from(job.info()))
        })
    }

    /// Starts the job that reads a backup, and all that it builds on.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn verify_backup<'env>(&self, env: &'env Env, place: BackupPlace, id: String, threads: Option<f64>) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(JobInfo::from(engine.verify_backup(&place.open()?, &id, workers(threads)?)?.info())))
    }

    /// Starts the job that restores a backup.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn restore_backup<'env>(
        &self,
        env: &'env Env,
        place: BackupPlace,
        id: String,
        request: RestoreRequest,
    ) -> napi::Result<Object<'env>> {
        let shared = self.engine.clone();
        self.later(env, move |_| {
            let job = shared.restore_backup(&place.open()?, &id, &request.try_into()?)?;
            Ok(JobInfo::from(job.info()))
        })
    }
}
