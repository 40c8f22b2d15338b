//! A run at one moment, as callers see it and as its file keeps it.

use crate::figures::Summary;
use crate::spec::WorkloadSpec;
use serde::{Deserialize, Serialize};
use tessera_jobs::{JobError, JobInfo, JobState};

/// Times are Unix milliseconds. The id is that of the job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunInfo {
    pub id: String,
    /// As that of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_id: Option<String>,
    pub spec: WorkloadSpec,
    pub state: JobState,
    pub created_at_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    /// Also of a run that was aborted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Summary>,
    /// Why the end of the run is not on disk yet; its file never has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsaved: Option<String>,
}

impl RunInfo {
    /// A run whose job is as `job` says.
    pub(super) fn of(job: &JobInfo, spec: &WorkloadSpec) -> Self {
        Self {
            id: job.id.clone(),
            namespace_id: job.namespace_id.clone(),
            spec: spec.clone(),
            state: job.state,
            created_at_ms: job.created_at_ms,
            started_at_ms: job.started_at_ms,
            ended_at_ms: job.ended_at_ms,
            error: None,
            result: None,
            unsaved: None,
        }
    }
}
