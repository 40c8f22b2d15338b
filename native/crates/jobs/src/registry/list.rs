//! Pages of the list of jobs.

use super::history::decode;
use super::id::{base32, is_id, number_of};
use super::{JobRegistry, Table};
use crate::job::{JobInfo, JobKind, JobState};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Jobs of a page, unless the query says otherwise.
const PAGE_JOBS: usize = 500;
/// A page ends with the job that makes it longer than this.
const PAGE_BYTES: usize = 2 << 20;

/// Which jobs are asked for. An empty list takes all.
#[derive(Clone, Debug)]
pub struct JobQuery {
    pub kinds: Vec<JobKind>,
    pub states: Vec<JobState>,
    pub namespace: Option<String>,
    /// Created then or later, Unix milliseconds.
    pub from_ms: Option<u64>,
    /// Created before.
    pub to_ms: Option<u64>,
    /// Older than the job of this id, which need not be there any more.
    pub after: Option<String>,
    /// Most jobs of the page.
    pub limit: usize,
}

impl Default for JobQuery {
    /// The first page of all jobs.
    fn default() -> Self {
        Self { kinds: Vec::new(), states: Vec::new(), namespace: None, from_ms: None, to_ms: None, after: None, limit: PAGE_JOBS }
    }
}

/// Jobs, newest first, without lanes, damage and progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobPage {
    pub jobs: Vec<JobInfo>,
    /// Whether older ones follow.
    pub more: bool,
}

impl JobQuery {
    /// # Errors
    /// `cursor_invalid` if `after` is the id of no job.
    pub fn check(&self) -> Result<()> {
        if self.after.as_deref().is_none_or(is_id) {
            return Ok(());
        }
        let message = sentence!("the cursor does not belong to this list; start again without a cursor");
        Err(Error::said(ErrorCode::CursorInvalid, message).in_field("cursor"))
    }

    /// Whether a job of this kind and state is asked for.
    pub fn takes(&self, kind: JobKind, state: JobState, namespace: &str, created_at_ms: u64) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&kind))
            && (self.states.is_empty() || self.states.contains(&state))
            && self.namespace.as_deref().is_none_or(|wanted| wanted == namespace)
            && self.from_ms.is_none_or(|from| created_at_ms >= from)
            && self.to_ms.is_none_or(|to| created_at_ms < to)
    }
}

impl JobRegistry {
    /// A page of jobs, newest first.
    ///
    /// # Errors
    /// `cursor_invalid`.
    pub fn list(&self, query: &JobQuery) -> Result<JobPage> {
        query.check()?;
        let (running, ended) = self.table.lock().page(query);
        let mut jobs = running;
        jobs.extend(ended.iter().filter_map(|json| decode(json)).map(|job| JobInfo { progress: None, ..job }));
        jobs.sort_unstable_by(|a, b| b.id.cmp(&a.id));
        let more = jobs.len() > query.limit;
        jobs.truncate(query.limit);
        let mut bytes = 0;
        let fitting = jobs.iter().take_while(|job| {
            let fits = bytes <= PAGE_BYTES;
            bytes += job.parameters.len() + job.result.as_ref().map_or(0, String::len) + job.title.len();
            fits
        });
        let fitting = fitting.count();
        let more = more || fitting < jobs.len();
        jobs.truncate(fitting);
        Ok(JobPage { jobs, more })
    }
}

impl Table {
    /// As many of both as the page could need, and one more.
    fn page(&self, query: &JobQuery) -> (Vec<JobInfo>, Vec<Arc<[u8]>>) {
        let before = query.after.as_deref().map(number_of);
        let most = query.limit.saturating_add(1);
        let first = before.map(base32);
        let running = self.running.values().rev().filter(|job| first.as_deref().is_none_or(|first| job.id() < first));
        let running = running.map(|job| job.brief()).filter(|job| query.takes(job.kind, job.state, &job.namespace, job.created_at_ms));
        let running = running.take(most).collect();
        let ended = self.ended.newest_first(before, |kind, state, namespace, created| query.takes(kind, state, namespace, created));
        (running, ended.take(most).collect())
    }
}
