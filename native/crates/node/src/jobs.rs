//! Jobs as JavaScript sees them.

use napi_derive::napi;

/// A failure that a job ended with.
#[napi(object, object_from_js = false)]
pub struct JobError {
    pub code: String,
    pub message: String,
}

/// A record that a job could not read and left out.
#[napi(object, object_from_js = false)]
pub struct JobDamage {
    /// Empty for a record without a set.
    pub set: String,
    pub digest: String,
    pub message: String,
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

/// A job at one moment. Times are Unix milliseconds, rates units a second.
#[napi(object, object_from_js = false)]
pub struct JobInfo {
    pub id: String,
    #[napi(
        ts_type = "'index-build' | 'set-index-build' | 'scan' | 'count' | 'query' | 'import' | 'export' | 'truncate' | 'workload' | 'scrub' | 'calibrate' | 'compaction'"
    )]
    pub kind: &'static str,
    pub namespace: String,
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
    /// JSON object that the work left behind.
    pub result: Option<String>,
}

impl From<tessera_jobs::JobInfo> for JobInfo {
    fn from(job: tessera_jobs::JobInfo) -> Self {
        Self {
            id: job.id,
            kind: job.kind.as_str(),
            namespace: job.namespace,
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
            threads: job.threads,
            records_per_second: job.records_per_second,
            created_at_ms: job.created_at_ms as f64,
            started_at_ms: job.started_at_ms.map(|ms| ms as f64),
            ended_at_ms: job.ended_at_ms.map(|ms| ms as f64),
            damaged: job.damaged as f64,
            damage: (!job.damage.is_empty()).then(|| job.damage.into_iter().map(JobDamage::from).collect()),
            error: job.error.map(|error| JobError { code: error.code, message: error.message }),
            lanes: (!job.lanes.is_empty()).then(|| job.lanes.into_iter().map(JobLane::from).collect()),
            result: job.result,
        }
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
    fn from(tessera_jobs::JobDamage { set, digest, message }: tessera_jobs::JobDamage) -> Self {
        Self { set, digest, message }
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
