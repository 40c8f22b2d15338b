//! Document and range indexes, set indexes and truncation: long work that answers with its job.

use crate::choice::one_of;
use crate::jobs::JobInfo;
use crate::namespaces::DropReport;
use crate::numbers::{threads, whole};
use crate::store::NativeStore;
use napi::bindgen_prelude::Object;
use napi::{Either, Env};
use napi_derive::napi;
use tessera_base::{Error, ErrorCode, processors};
use tessera_core::Namespace;
use tessera_core::namespace::IndexInfo as CoreIndexInfo;
use tessera_index::{IndexKind, IndexOrigin, IndexState};
use tessera_jobs::{JobKind, JobSpec};

#[napi(object, object_to_js = false)]
pub struct IndexSpec {
    pub name: String,
    /// Absent: every record of the namespace.
    pub set: Option<String>,
    /// Absent: the whole record.
    pub bin: Option<String>,
    #[napi(ts_type = "'document' | 'range'")]
    pub kind: String,
    /// Dotted path inside the bin, for a range index.
    pub path: Option<String>,
    /// 1 to 128; absent: all cores.
    pub threads: Option<f64>,
}

#[napi(object, object_from_js = false)]
pub struct IndexMerges {
    pub running: u32,
    pub waiting: u32,
}

#[napi(object, object_from_js = false)]
pub struct IndexInfo {
    pub name: String,
    pub namespace: String,
    pub set: Option<String>,
    pub bin: Option<String>,
    #[napi(ts_type = "'document' | 'range'")]
    pub kind: &'static str,
    pub path: Option<String>,
    #[napi(ts_type = "'building' | 'ready' | 'failed'")]
    pub state: &'static str,
    #[napi(ts_type = "'built' | 'snapshot' | 'recovered'")]
    pub origin: &'static str,
    pub job_id: Option<String>,
    pub entries: f64,
    pub recent_entries: f64,
    pub merges: IndexMerges,
    /// Absent if a cluster has the records: nobody counts them there.
    pub terms: Option<f64>,
    pub bytes: f64,
    /// Queries that found records by it since the engine began.
    pub uses: f64,
    pub last_used_ms: Option<f64>,
    pub created_at_ms: f64,
}

impl IndexInfo {
    fn new(namespace: &Namespace, index: CoreIndexInfo) -> Self {
        Self {
            name: index.spec.name,
            namespace: namespace.name().to_owned(),
            set: index.spec.set,
            bin: index.spec.bin,
            kind: match index.spec.kind {
                IndexKind::Document => "document",
                IndexKind::Range => "range",
            },
            path: index.spec.path,
            state: match index.state {
                IndexState::Building => "building",
                IndexState::Ready => "ready",
                IndexState::Failed => "failed",
            },
            origin: match index.origin {
                IndexOrigin::Built => "built",
                IndexOrigin::Snapshot => "snapshot",
                IndexOrigin::Recovered => "recovered",
            },
            job_id: index.job,
            entries: index.stats.entries as f64,
            recent_entries: index.stats.recent as f64,
            merges: IndexMerges { running: index.merges.running, waiting: index.merges.waiting },
            terms: (!namespace.config().engine.is_remote()).then_some(index.stats.terms as f64),
            bytes: index.stats.bytes as f64,
            uses: index.uses.count as f64,
            last_used_ms: index.uses.last_ms.map(|ms| ms as f64),
            created_at_ms: index.spec.created_at_ms as f64,
        }
    }
}

/// What a truncation would remove.
fn preview(namespace: &Namespace, set: Option<&str>) -> tessera_base::Result<DropReport> {
    let sets = namespace.sets();
    let picked: Vec<_> = sets.iter().filter(|info| set.is_none_or(|name| info.name == name)).collect();
    if picked.is_empty() && set.is_some_and(|name| !name.is_empty()) {
        let message = format!("there is no such set in \"{}\"", namespace.name());
        return Err(Error::new(ErrorCode::SetNotFound, message).in_field("set"));
    }
    let sum = |of: fn(&tessera_core::namespace::SetInfo) -> u64| picked.iter().map(|info| of(info)).sum::<u64>() as f64;
    Ok(DropReport::new(sum(|info| info.records), sum(|info| info.bytes), 0))
}

#[napi]
impl NativeStore {
    /// Starts the build of an index. A promise, because the manifest is written first.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn create_index<'env>(&self, env: &'env Env, namespace: String, spec: IndexSpec) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let kind = one_of(&spec.kind, "kind", &[("document", IndexKind::Document), ("range", IndexKind::Range)])?;
            let threads = spec.threads.map_or_else(|| Ok(processors()), threads)?;
            let IndexSpec { name, set, bin, path, .. } = spec;
            let spec = tessera_index::IndexSpec { name, set, bin, kind, path, created_at_ms: 0 };
            Ok(JobInfo::from(engine.namespace(&namespace)?.create_index(spec, threads)?.info()))
        })
    }

    /// A promise: each segment is asked for its parts.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | IndexInfo[]>")]
    pub fn indexes<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let namespace = engine.namespace(&namespace)?;
            Ok(namespace.indexes().into_iter().map(|index| IndexInfo::new(&namespace, index)).collect::<Vec<_>>())
        })
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | IndexInfo>")]
    pub fn index<'env>(&self, env: &'env Env, namespace: String, name: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let namespace = engine.namespace(&namespace)?;
            Ok(IndexInfo::new(&namespace, namespace.index(&name)?))
        })
    }

    /// Drops an index at once; a build of it is aborted.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DropReport>")]
    pub fn drop_index<'env>(&self, env: &'env Env, namespace: String, name: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let index = engine.namespace(&namespace)?.drop_index(&name)?;
            engine.jobs().marks().add("config", format!("index {name} of {namespace} dropped"), None);
            Ok(DropReport::new(0.0, index.stats.bytes as f64, 1))
        })
    }

    /// Switches the index of a set on or off. Off is done at once; its job has ended when this resolves.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn switch_set_index<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: String,
        on: bool,
        wanted: Option<f64>,
    ) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let found = engine.namespace(&namespace)?;
            if on {
                let threads = wanted.map_or_else(|| Ok(processors()), threads)?;
                return Ok(JobInfo::from(found.set_index_on(&set, threads)?.info()));
            }
            found.set_index_off(&set)?;
            let title = format!("Switch the index of the set {set} off");
            let job = engine.jobs().begin(JobSpec { set: Some(set), ..JobSpec::new(JobKind::SetIndexBuild, namespace, title) })?;
            job.run(|_| Ok("{}".to_owned()));
            Ok(JobInfo::from(job.info()))
        })
    }

    /// Empties a set or a namespace, of what was updated before `before` (Unix milliseconds) if that is given, or says what would
    /// go without it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DropReport | JobInfo>")]
    pub fn truncate<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: Option<String>,
        dry_run: bool,
        before: Option<f64>,
    ) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let before = before.map(|ms| whole(ms, "before", ErrorCode::ConfigInvalid)).transpose()?;
            let found = engine.namespace(&namespace)?;
            if dry_run {
                return preview(&found, set.as_deref()).map(Either::A);
            }
            Ok(Either::B(JobInfo::from(found.truncate(set.as_deref(), before)?.info())))
        })
    }
}
