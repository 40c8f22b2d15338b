//! The open store: its life, its state, its jobs and its metrics.

mod room;
pub(crate) mod work;

use crate::choice::one_of;
use crate::failure::{NativeFailure, outcome};
use crate::history::{HistoryRange, NativeHistory};
use crate::jobs::{JobInfo, JobPage, JobPatch, JobQuery};
use crate::metrics::{HistoryStatus, MemoryBytes, MetricsFrame, ProcessUse};
use crate::numbers::whole;
use crate::promise::promise;
use crate::recovery::RecoveryProgress;
use crate::store::room::{MemoryShare, RequestMemory};
use crate::store::work::{Calls, alone};
use napi::bindgen_prelude::{Function, Object};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi::{Either, Env};
use napi_derive::napi;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::{ErrorCode, clock, processors, thread_guard};
use tessera_cluster::Clusters;
use tessera_core::engine::Notice;
use tessera_core::metrics::{self, DiskSpace, Operation, Outcome, ProcessSampler, SeriesKind, Side, Subscription};
use tessera_core::{Engine, EngineOptions};
use tessera_io::{BackendChoice, BackendWish};
use tessera_workload::runs::Runs;

/// Frames that may wait for a busy event loop; more are dropped, and the gap shows in `seq`.
const FRAMES_QUEUED: usize = 4;
/// Longest wait for a job in one call.
const WAIT_MAX: Duration = Duration::from_secs(600);

const WISHES: [(&str, BackendWish); 3] =
    [("auto", BackendWish::Auto), ("io_uring", BackendWish::IoUring), ("threads", BackendWish::Threads)];

#[napi]
pub struct NativeStore {
    pub(crate) engine: Arc<Engine>,
    pub(crate) calls: Calls,
    pub(crate) workloads: Arc<Runs>,
    pub(crate) clusters: Arc<Clusters>,
    started_at_ms: u64,
    process: Arc<Mutex<ProcessSampler>>,
    subscriptions: Mutex<(u32, HashMap<u32, Subscription>)>,
    /// The number by which other threads attach to it, and what they have in common, once it is shared.
    pub(crate) shared: Mutex<Option<(u32, Arc<dyn Any + Send + Sync>)>>,
}

/// What a store is made of, whichever thread uses it.
#[derive(Clone)]
pub struct Parts {
    engine: Arc<Engine>,
    calls: Calls,
    workloads: Arc<Runs>,
    clusters: Arc<Clusters>,
    started_at_ms: u64,
    process: Arc<Mutex<ProcessSampler>>,
}

impl NativeStore {
    pub(crate) fn of(Parts { engine, calls, workloads, clusters, started_at_ms, process }: Parts) -> Self {
        let subscriptions = Mutex::new((0, HashMap::new()));
        Self { engine, calls, workloads, clusters, started_at_ms, process, subscriptions, shared: Mutex::new(None) }
    }

    pub(crate) fn parts(&self) -> Parts {
        Parts {
            engine: self.engine.clone(),
            calls: self.calls.clone(),
            workloads: self.workloads.clone(),
            clusters: self.clusters.clone(),
            started_at_ms: self.started_at_ms,
            process: self.process.clone(),
        }
    }
}

/// The state of the store and the machine it is on.
#[napi(object, object_from_js = false)]
pub struct StoreStatus {
    pub version: &'static str,
    pub started_at_ms: f64,
    pub data_directory: String,
    pub cpus: u32,
    pub memory_total_bytes: f64,
    pub memory: MemoryBytes,
    pub memory_share: MemoryShare,
    pub request_memory: RequestMemory,
    pub resident_bytes: f64,
    pub cpu_percent: f64,
    pub disk_free_bytes: f64,
    pub disk_total_bytes: f64,
    pub io: IoBackend,
    pub healthy: bool,
    /// Why it is not.
    pub reasons: Vec<String>,
    /// Absent while the data directory is ours and takes writes.
    pub data_directory_failure: Option<DirectoryFailure>,
    /// What is worth knowing about namespaces, the reasons among it.
    pub notices: Vec<NamespaceNotice>,
    /// Folders that no namespace has, as they were last seen.
    pub orphans: Vec<String>,
    pub recovering: bool,
    /// Namespaces that recover, or wait for it.
    pub progress: Vec<RecoveryProgress>,
    pub namespaces: u32,
    pub records: f64,
    pub running_jobs: u32,
    pub history: HistoryStatus,
    /// Of jobs and of runs of the load generator.
    pub job_history: HistoryStatus,
    /// Of operations that took long.
    pub slow_log: HistoryStatus,
}

/// What is wrong with the data directory.
#[napi(object, object_from_js = false)]
pub struct DirectoryFailure {
    pub code: &'static str,
    pub message: String,
}

/// How reads and writes are kept in flight, and why so.
#[napi(object, object_from_js = false)]
pub struct IoBackend {
    #[napi(ts_type = "'io_uring' | 'threads'")]
    pub backend: &'static str,
    pub reason: String,
}

/// What is wrong with a namespace, or was found when it was opened (then its state is `ready`).
#[napi(object, object_from_js = false)]
pub struct NamespaceNotice {
    pub namespace: String,
    #[napi(ts_type = "'ready' | 'read-only' | 'poisoned' | 'failed'")]
    pub state: &'static str,
    pub code: &'static str,
    pub message: String,
    /// What `message` was made of, as JSON. Absent if it has no values.
    pub said: Option<String>,
}

/// How much memory the store may use; what is absent is a share of what the process may use.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct MemoryLimits {
    /// Of memory namespaces without a limit of their own, together.
    pub memory_bytes: Option<f64>,
    /// Of what requests hold, together.
    pub request_bytes: Option<f64>,
    /// How long a request waits for its turn.
    pub request_patience_ms: Option<f64>,
}

impl MemoryLimits {
    fn apply(self, options: EngineOptions) -> tessera_base::Result<EngineOptions> {
        let given = |number: Option<f64>, field: &str| number.map(|number| whole(number, field, ErrorCode::ConfigInvalid)).transpose();
        let patience = given(self.request_patience_ms, "requestPatienceMs")?.map(Duration::from_millis);
        Ok(EngineOptions {
            memory_bytes: given(self.memory_bytes, "memoryBytes")?,
            request_bytes: given(self.request_bytes, "requestBytes")?,
            request_patience: patience.unwrap_or(options.request_patience),
            ..options
        })
    }
}

/// Opens a data directory, making it if it is not there. Namespaces may still recover when this resolves.
#[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeStore>")]
pub fn open_store<'env>(
    env: &'env Env,
    data_directory: String,
    #[napi(ts_arg_type = "'auto' | 'io_uring' | 'threads' | undefined | null")] io: Option<String>,
    device_paths: Option<Vec<String>>,
    memory: Option<MemoryLimits>,
    clusters_file: Option<String>,
    undo_ms: Option<f64>,
) -> napi::Result<Object<'env>> {
    thread_guard::mark();
    promise(env, |completer| {
        alone(completer, move || {
            let io = io.map_or(Ok(BackendWish::Auto), |io| one_of(&io, "io", &WISHES))?;
            let device_paths = device_paths.unwrap_or_default().into_iter().map(PathBuf::from).collect();
            let clusters = Arc::new(Clusters { file: clusters_file.map(PathBuf::from) });
            let undo = undo_ms.map(|ms| whole(ms, "undoMs", ErrorCode::ConfigInvalid)).transpose()?.map(Duration::from_millis);
            let undo = undo.unwrap_or_default();
            let options = EngineOptions { io, device_paths, undo, remotes: Some(clusters.clone()), ..EngineOptions::default() };
            let options = memory.unwrap_or_default().apply(options)?;
            let engine = Engine::start(&PathBuf::from(data_directory), options)?;
            Ok(NativeStore::of(Parts {
                workloads: Runs::open(&engine),
                clusters,
                engine,
                calls: Calls::new(),
                started_at_ms: clock::unix_millis(),
                process: Arc::new(Mutex::new(ProcessSampler::new())),
            }))
        });
    })
}

impl From<&BackendChoice> for IoBackend {
    fn from(choice: &BackendChoice) -> Self {
        Self { backend: choice.backend.as_str(), reason: choice.reason.clone() }
    }
}

impl From<Notice> for NamespaceNotice {
    fn from(Notice { namespace, state, error }: Notice) -> Self {
        Self { namespace, state: state.as_str(), code: error.code.as_str(), said: error.said_as_json(), message: error.message }
    }
}

#[napi]
impl NativeStore {
    /// Aborts the jobs at work, flushes, and lets the data directory go.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | boolean>")]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.subscriptions.lock().1.clear();
        drop(self.shared.lock().take());
        let workloads = self.workloads.clone();
        self.later(env, move |engine| {
            workloads.save_again();
            engine.close().map(|()| true)
        })
    }

    /// Calls off the jobs at work, and refuses further ones: the first step of a close. What they were to build is built after
    /// the next start.
    #[napi(catch_unwind)]
    pub fn call_off_jobs(&self) {
        self.engine.call_off_jobs();
    }

    /// Resolves when no namespace is recovering any more.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | boolean>")]
    pub fn settled<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            engine.settle();
            Ok(true)
        })
    }

    /// A promise: memory is added up over all segments, and the free room of the disk is asked for.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | StoreStatus>")]
    pub fn status<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (process, workloads, started_at_ms) = (self.process.clone(), self.workloads.clone(), self.started_at_ms as f64);
        self.later(env, move |engine| {
            let ProcessUse { cpu_percent, resident_bytes } = process.lock().sample().into();
            let cpu_percent = engine.metrics().latest().map_or(cpu_percent, |frame| frame.process.cpu_percent());
            // As writes are told, and before they are.
            let lost = engine.directory_failure().or_else(|| engine.check_directory().err());
            // What is not there has no space.
            let disk = metrics::disk_space(engine.directory())
                .or_else(|error| if lost.is_some() { Ok(DiskSpace::default()) } else { Err(error) })?;
            let members = engine.members();
            let notices = engine.notices();
            let wrong = notices.iter().filter(|notice| notice.wrong());
            // What is wrong with the directory is said once.
            let wrong = wrong.filter(|notice| lost.as_ref() != Some(&notice.error)).map(Notice::to_string);
            let reasons: Vec<String> = lost.iter().map(|error| error.message.clone()).chain(wrong).collect();
            let progress: Vec<RecoveryProgress> = members.iter().filter_map(RecoveryProgress::of).collect();
            Ok(StoreStatus {
                version: env!("CARGO_PKG_VERSION"),
                started_at_ms,
                data_directory: engine.directory().to_string_lossy().into_owned(),
                cpus: processors(),
                memory_total_bytes: metrics::memory_total_bytes() as f64,
                memory: engine.memory().into(),
                memory_share: MemoryShare::of(engine),
                request_memory: RequestMemory::of(engine),
                resident_bytes,
                cpu_percent,
                disk_free_bytes: disk.free as f64,
                disk_total_bytes: disk.total as f64,
                io: engine.io().into(),
                healthy: reasons.is_empty(),
                reasons,
                data_directory_failure: lost.map(|error| DirectoryFailure { code: error.code.as_str(), message: error.message }),
                notices: notices.into_iter().map(NamespaceNotice::from).collect(),
                orphans: engine.orphan_names(),
                recovering: !progress.is_empty(),
                progress,
                namespaces: members.len() as u32,
                records: engine.namespaces().iter().map(|namespace| namespace.records()).sum::<u64>() as f64,
                running_jobs: engine.jobs().running_count() as u32,
                history: engine.metrics().history().status().into(),
                job_history: HistoryStatus::of_jobs(engine.jobs().history(), workloads.damaged()),
                slow_log: engine.slow().status().into(),
            })
        })
    }

    /// The jobs that have not ended, newest first.
    #[napi(catch_unwind)]
    pub fn running_jobs(&self) -> Vec<JobInfo> {
        self.engine.jobs().list_running().into_iter().map(JobInfo::from).collect()
    }

    /// A page of jobs, newest first. A promise, because there may be many that ended.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobPage>")]
    pub fn jobs<'env>(&self, env: &'env Env, query: JobQuery) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(JobPage::from(engine.jobs().list(&query.try_into()?)?)))
    }

    #[napi(catch_unwind)]
    pub fn job(&self, id: String) -> Either<NativeFailure, JobInfo> {
        outcome(self.engine.jobs().info(&id).map(JobInfo::from))
    }

    /// Notes who asked for a job; only the first note counts.
    #[napi(catch_unwind)]
    pub fn attribute_job(&self, id: String, who: String) -> Either<NativeFailure, bool> {
        outcome(self.engine.jobs().attribute(&id, &who).map(|()| true))
    }

    #[napi(catch_unwind)]
    pub fn patch_job(&self, id: String, patch: JobPatch) -> Either<NativeFailure, JobInfo> {
        outcome(self.engine.jobs().patch(&id, patch.into()).map(JobInfo::from))
    }

    #[napi(catch_unwind)]
    pub fn abort_job(&self, id: String) -> Either<NativeFailure, JobInfo> {
        outcome(self.engine.jobs().abort(&id).map(JobInfo::from))
    }

    /// Resolves when the job has ended, or after `timeout_ms`.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn wait_job<'env>(&self, env: &'env Env, id: String, timeout_ms: f64) -> napi::Result<Object<'env>> {
        // Negative, NaN: no wait.
        let timeout = Duration::try_from_secs_f64(timeout_ms / 1000.0).unwrap_or_default().min(WAIT_MAX);
        promise(env, |completer| {
            // The registry drops the callback of a job it does not know; then the failure is ours to report.
            match self.engine.jobs().info(&id) {
                Err(error) => completer.complete(Err(error)),
                Ok(_) => {
                    let _ = self.engine.jobs().wait_with(&id, timeout, move |job| completer.complete(Ok(JobInfo::from(job))));
                }
            }
        })
    }

    /// Counts what the gateway measured, in nanoseconds each: HTTP in to last byte. `op` is a place in `operations()`. A
    /// namespace that is gone is no failure: the request that dropped it is measured too.
    #[napi(catch_unwind)]
    pub fn record_latencies(&self, namespace: String, op: u32, ok: bool, nanos: &[f64]) {
        let (Some(&op), Ok(namespace)) = (Operation::ALL.get(op as usize), self.engine.namespace(&namespace)) else { return };
        let outcome = if ok { Outcome::Ok } else { Outcome::Error };
        let series = SeriesKind { op, outcome, side: Side::Gateway };
        // Negative, NaN: 0.
        nanos.iter().for_each(|&nanos| namespace.latency().record(series, nanos as u64));
    }

    /// Calls back once a second with the newest frame, without keeping the process alive. Returns a number for `off_frame`.
    #[napi(catch_unwind, ts_args_type = "callback: (frame: MetricsFrame) => void")]
    pub fn on_frame(&self, callback: Function<'_, MetricsFrame, ()>) -> napi::Result<u32> {
        let call = callback
            .build_threadsafe_function::<MetricsFrame>()
            .callee_handled::<false>()
            .weak::<true>()
            .max_queue_size::<FRAMES_QUEUED>()
            .build()?;
        let subscription = self.engine.metrics().subscribe(move |frame| {
            call.call(MetricsFrame::from(&**frame), ThreadsafeFunctionCallMode::NonBlocking);
        });
        let mut subscriptions = self.subscriptions.lock();
        subscriptions.0 += 1;
        let number = subscriptions.0;
        subscriptions.1.insert(number, subscription);
        Ok(number)
    }

    #[napi(catch_unwind)]
    pub fn off_frame(&self, number: u32) {
        // Dropped outside of the lock: the ticker may be calling.
        let ended = self.subscriptions.lock().1.remove(&number);
        drop(ended);
    }

    /// A promise: the first access reads the files.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeHistory>")]
    pub fn history<'env>(&self, env: &'env Env, range: HistoryRange) -> napi::Result<Object<'env>> {
        let calls = self.calls.control.clone();
        self.later(env, move |engine| NativeHistory::open(calls, engine.metrics().history().clone(), range))
    }
}

/// What the JavaScript thread was about to do that it must not: only builds with debug assertions look for it.
#[napi]
pub fn thread_breaches() -> Vec<&'static str> {
    thread_guard::breaches()
}

/// For tests: from now on no sync of a disk ends, or all do. False: only builds with debug assertions can.
#[napi]
pub fn hold_syncs(held: bool) -> bool {
    tessera_io::hold_syncs(held)
}

/// The operations that latency is kept of, in a fixed order.
#[napi]
pub fn operations() -> Vec<&'static str> {
    Operation::ALL.map(Operation::as_str).to_vec()
}
