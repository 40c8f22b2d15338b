//! Document, range and set indexes: long work that answers with its job.

use crate::choice::one_of;
use crate::jobs::JobInfo;
use crate::namespaces::DropReport;
use crate::numbers::threads;
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tessera_base::processors;
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
            engine.jobs().marks().add("config", format!("index {name} of {namespace} dropped"), None, Some(&namespace));
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
}
