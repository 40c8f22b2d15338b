//! What a job is, as callers see it and as `jobs.log` keeps it.

use super::lanes::LaneInfo;
use super::progress::Progress;
use serde::{Deserialize, Serialize};
use tessera_base::Error;
use tessera_base::names::{Named, NamespaceId};

/// What kind of work a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobKind {
    IndexBuild,
    SetIndexBuild,
    Scan,
    Count,
    Query,
    Stream,
    Import,
    Export,
    Truncate,
    Workload,
    Scrub,
    Calibrate,
    Compaction,
    Migrate,
    Backup,
    Restore,
    Verify,
}

impl JobKind {
    pub const ALL: [Self; 17] = [
        Self::IndexBuild,
        Self::SetIndexBuild,
        Self::Scan,
        Self::Count,
        Self::Query,
        Self::Stream,
        Self::Import,
        Self::Export,
        Self::Truncate,
        Self::Workload,
        Self::Scrub,
        Self::Calibrate,
        Self::Compaction,
        Self::Migrate,
        Self::Backup,
        Self::Restore,
        Self::Verify,
    ];

    /// The stable text, as it appears in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IndexBuild => "index-build",
            Self::SetIndexBuild => "set-index-build",
            Self::Scan => "scan",
            Self::Count => "count",
            Self::Query => "query",
            Self::Stream => "stream",
            Self::Import => "import",
            Self::Export => "export",
            Self::Truncate => "truncate",
            Self::Workload => "workload",
            Self::Scrub => "scrub",
            Self::Calibrate => "calibrate",
            Self::Compaction => "compaction",
            Self::Migrate => "migrate",
            Self::Backup => "backup",
            Self::Restore => "restore",
            Self::Verify => "verify",
        }
    }

    /// Reads come by the thousand, so they are the first to be forgotten and are marked on charts only when long.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::Scan | Self::Count | Self::Query | Self::Stream)
    }
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    Queued,
    Running,
    Paused,
    Done,
    Failed,
    Aborted,
}

impl JobState {
    pub const ALL: [Self; 6] = [Self::Queued, Self::Running, Self::Paused, Self::Done, Self::Failed, Self::Aborted];

    /// The name that callers read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Aborted => "aborted",
        }
    }

    /// Whether it will not change any more.
    pub const fn ended(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Aborted)
    }
}

/// What `done` and `total` count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Records,
    Bytes,
    Segments,
    Operations,
}

impl Unit {
    /// The name that callers read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Bytes => "bytes",
            Self::Segments => "segments",
            Self::Operations => "operations",
        }
    }
}

/// What the owner of the work says when it begins a job.
#[derive(Clone, Debug)]
pub struct JobSpec {
    pub kind: JobKind,
    pub namespace: String,
    /// `None`: of the one that has the name when it begins.
    pub namespace_id: Option<NamespaceId>,
    pub set: Option<String>,
    /// One line for people: "Build index payload_idx".
    pub title: String,
    /// JSON object of what was asked.
    pub parameters: String,
    /// A name of the caller's own, by which it knows the job again.
    pub tag: Option<String>,
    pub unit: Unit,
    pub total: Option<u64>,
    /// Worker threads to start with, 1 to 128; of a workload as many as it was made with.
    pub threads: u32,
    pub records_per_second: Option<u32>,
}

impl JobSpec {
    /// A job counted in records, of unknown size, on one thread.
    pub fn new(kind: JobKind, namespace: impl Into<Named>, title: impl Into<String>) -> Self {
        let Named { name: namespace, id: namespace_id } = namespace.into();
        Self {
            kind,
            namespace,
            namespace_id,
            set: None,
            title: title.into(),
            parameters: "{}".to_owned(),
            tag: None,
            unit: Unit::Records,
            total: None,
            threads: 1,
            records_per_second: None,
        }
    }
}

/// A record that a job could not read and left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobDamage {
    /// Empty for a record without a set.
    pub set: String,
    pub digest: String,
    pub message: String,
    /// What `message` was made of, as JSON, if it has values.
    pub said: Option<String>,
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobError {
    pub code: String,
    pub message: String,
    /// What `message` was made of, as JSON, if it has values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

impl From<&Error> for JobError {
    fn from(error: &Error) -> Self {
        Self { code: error.code.as_str().to_owned(), message: error.message.clone(), said: error.said_as_json() }
    }
}

/// A job at one moment. Times are Unix milliseconds, rates are units a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobInfo {
    pub id: String,
    pub kind: JobKind,
    pub namespace: String,
    /// Empty: no namespace had the name. `None` of jobs from before there were ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    pub title: String,
    pub parameters: String,
    /// A name of the caller's own, by which it knows the job again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Whoever asked for it, as the gateway names callers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    pub state: JobState,
    /// Why it is paused, where nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub done: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    pub unit: Unit,
    pub rate_per_second: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eta_seconds: Option<f64>,
    /// Between these it most likely is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eta_least_seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eta_most_seconds: Option<f64>,
    pub threads: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records_per_second: Option<u32>,
    pub created_at_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    /// Records that could not be read and were left out.
    #[serde(default)]
    pub damaged: u64,
    /// The first 1,000 of them; not kept over a restart.
    #[serde(skip)]
    pub damage: Vec<JobDamage>,
    /// Its workers, while there are any; not in lists.
    #[serde(skip)]
    pub lanes: Vec<LaneInfo>,
    /// How far it was over time, if it took longer than a step; not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// JSON object that the work left behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}
