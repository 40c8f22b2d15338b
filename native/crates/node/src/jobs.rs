//! Jobs as JavaScript sees them.

use crate::choice::one_of;
use crate::numbers::whole;
use napi_derive::napi;
use tessera_base::{ErrorCode, Result};
use tessera_jobs::{JobKind, JobState};

/// A failure that a job ended with.
#[napi(object, object_from_js = false)]
pub struct JobError {
    pub code: String,
    pub message: String,
    /// What `message` was made of, as JSON. Absent if it has no values.
    pub said: Option<String>,
}

/// A record that a job could not read and left out.
#[napi(object, object_from_js = false)]
pub struct JobDamage {
    /// Empty for a record without a set.
    pub set: String,
    pub digest: String,
    pub message: String,
    /// What `message` was made of, as JSON. Absent if it has no values.
    pub said: Option<String>,
}

/// A worker of a job at one moment.
#[napi(object, object_from_js = false)]
pub struct JobLane {
    /// From 0.
    pub worker: u32,
    #[napi(ts_type = "'working' | 'throttled' | 'paused' | 'sending'")]
    pub state: &'static str,
    /// Which part of the work it is at, from 0.
    pub item: Option<u32>,
    /// How many parts there are.
    pub items: Option<u32>,
    pub done: f64,
    pub rate_per_second: f64,
}

/// How far a job was over time.
#[napi(object, object_from_js = false)]
pub struct JobProgress {
    pub step_ms: f64,
    /// Units done at each step since the start: the first after one step.
    pub done: Vec<f64>,
}

/// A job at one moment. Times are Unix milliseconds, rates units a second.
#[napi(object, object_from_js = false)]
pub struct JobInfo {
    pub id: String,
    #[napi(
        ts_type = "'index-build' | 'set-index-build' | 'scan' | 'count' | 'query' | 'stream' | 'import' | 'export' | 'truncate' | 'workload' | 'scrub' | 'calibrate' | 'compaction' | 'migrate' | 'backup' | 'restore' | 'verify'"
    )]
    pub kind: &'static str,
    pub namespace: String,
    /// Empty: no namespace had the name. Unset of jobs from before there were ids.
    pub namespace_id: Option<String>,
    pub set: Option<String>,
    pub title: String,
    /// JSON object.
    pub parameters: String,
    /// A name of the caller's own, by which it knows the job again.
    pub tag: Option<String>,
    /// Whoever asked for it.
    pub who: Option<String>,
    #[napi(ts_type = "'queued' | 'running' | 'paused' | 'done' | 'failed' | 'aborted'")]
    pub state: &'static str,
    /// Why it is paused, where nobody asked for it.
    pub reason: Option<String>,
    pub done: f64,
    pub total: Option<f64>,
    #[napi(ts_type = "'records' | 'bytes' | 'segments' | 'operations'")]
    pub unit: &'static str,
    pub rate_per_second: f64,
    pub eta_seconds: Option<f64>,
    /// Between these it most likely is.
    pub eta_least_seconds: Option<f64>,
    pub eta_most_seconds: Option<f64>,
    pub threads: u32,
    pub records_per_second: Option<u32>,
    pub created_at_ms: f64,
    pub started_at_ms: Option<f64>,
    pub ended_at_ms: Option<f64>,
    /// Records that could not be read and were left out.
    pub damaged: f64,
    /// The first 1,000 of them; not in lists.
    pub damage: Option<Vec<JobDamage>>,
    pub error: Option<JobError>,
    /// Its workers, while there are any; not in lists.
    pub lanes: Option<Vec<JobLane>>,
    /// If it took longer than a step; not in lists.
    pub progress: Option<JobProgress>,
    /// JSON object that the work left behind.
    pub result: Option<String>,
}

impl From<tessera_jobs::JobInfo> for JobInfo {
    fn from(job: tessera_jobs::JobInfo) -> Self {
        Self {
            id: job.id,
            kind: job.kind.as_str(),
            namespace: job.namespace,
            namespace_id: job.namespace_id,
            set: job.set,
            title: job.title,
            parameters: job.parameters,
            tag: job.tag,
            who: job.who,
            state: job.state.as_str(),
            reason: job.reason,
            done: job.done as f64,
            total: job.total.map(|n| n as f64),
            unit: job.unit.as_str(),
            rate_per_second: job.rate_per_second,
            eta_seconds: job.eta_seconds,
            eta_least_seconds: job.eta_least_seconds,
            eta_most_seconds: job.eta_most_seconds,
            threads: job.threads,
            records_per_second: job.records_per_second,
            created_at_ms: job.created_at_ms as f64,
            started_at_ms: job.started_at_ms.map(|ms| ms as f64),
            ended_at_ms: job.ended_at_ms.map(|ms| ms as f64),
            damaged: job.damaged as f64,
            damage: (!job.damage.is_empty()).then(|| job.damage.into_iter().map(JobDamage::from).collect()),
            error: job.error.map(|error| JobError { code: error.code, message: error.message, said: error.said }),
            lanes: (!job.lanes.is_empty()).then(|| job.lanes.into_iter().map(JobLane::from).collect()),
            progress: job.progress.map(JobProgress::from),
            result: job.result,
        }
    }
}

impl From<tessera_jobs::Progress> for JobProgress {
    fn from(tessera_jobs::Progress { step_ms, done }: tessera_jobs::Progress) -> Self {
        Self { step_ms: step_ms as f64, done: done.into_iter().map(|done| done as f64).collect() }
    }
}

impl From<tessera_jobs::LaneInfo> for JobLane {
    fn from(lane: tessera_jobs::LaneInfo) -> Self {
        Self {
            worker: lane.worker,
            state: lane.state.as_str(),
            item: lane.item,
            items: lane.items,
            done: lane.done as f64,
            rate_per_second: lane.rate_per_second,
        }
    }
}

impl From<tessera_jobs::JobDamage> for JobDamage {
    fn from(tessera_jobs::JobDamage { set, digest, message, said }: tessera_jobs::JobDamage) -> Self {
        Self { set, digest, message, said }
    }
}

/// What may be changed while a job runs. Absent fields stay; 0 records a second takes the limit away.
#[napi(object, object_to_js = false)]
pub struct JobPatch {
    pub threads: Option<u32>,
    pub records_per_second: Option<u32>,
    pub paused: Option<bool>,
}

impl From<JobPatch> for tessera_jobs::JobPatch {
    fn from(patch: JobPatch) -> Self {
        Self { threads: patch.threads, records_per_second: patch.records_per_second, paused: patch.paused }
    }
}

/// Which jobs or runs a page is of; absent and empty fields take all.
#[napi(object, object_to_js = false)]
pub struct JobQuery {
    pub kinds: Option<Vec<String>>,
    pub states: Option<Vec<String>>,
    pub namespace: Option<String>,
    /// Created then or later, Unix milliseconds.
    pub from_ms: Option<f64>,
    /// Created before.
    pub to_ms: Option<f64>,
    /// Older than the one of this id.
    pub after: Option<String>,
    pub limit: u32,
}

impl TryFrom<JobQuery> for tessera_jobs::JobQuery {
    type Error = tessera_base::Error;

    fn try_from(query: JobQuery) -> Result<Self> {
        let moment = |ms: Option<f64>, field: &str| ms.map(|ms| whole(ms, field, ErrorCode::ConfigInvalid)).transpose();
        Ok(Self {
            kinds: named(query.kinds, "kinds", &JobKind::ALL.map(|kind| (kind.as_str(), kind)))?,
            states: named(query.states, "states", &JobState::ALL.map(|state| (state.as_str(), state)))?,
            namespace: query.namespace,
            from_ms: moment(query.from_ms, "fromMs")?,
            to_ms: moment(query.to_ms, "toMs")?,
            after: query.after,
            limit: query.limit as usize,
        })
    }
}

fn named<T: Copy>(texts: Option<Vec<String>>, field: &str, choices: &[(&str, T)]) -> Result<Vec<T>> {
    texts.iter().flatten().map(|text| one_of(text, field, choices)).collect()
}

/// Jobs, newest first, without lanes, damage and progress.
#[napi(object, object_from_js = false)]
pub struct JobPage {
    pub jobs: Vec<JobInfo>,
    /// Whether older ones follow.
    pub more: bool,
}

impl From<tessera_jobs::JobPage> for JobPage {
    fn from(page: tessera_jobs::JobPage) -> Self {
        Self { jobs: page.jobs.into_iter().map(JobInfo::from).collect(), more: page.more }
    }
}
