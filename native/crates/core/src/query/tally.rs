//! Counts in the background, which find their records as queries do, and scans that count.

use super::{QuerySpec, plan_query};
use crate::scan::{TallyPlan, TallySpec, launch_tally};
use crate::store::RecordStore;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};
use tessera_jobs::{Job, JobKind};

/// Starts a job of kind `Scan` or `Count`. Its result has `records` that pass the filter, `scanned` that were looked at
/// and, of a scan, the `bytes` of the records as they are encoded; and `aggregate`, where that was asked for.
///
/// # Errors
/// `sample_invalid`, `set_not_found`, `index_not_found`, `threads_invalid`, `job_limit`, `closed`; `internal` for another kind.
pub(crate) fn tally(store: &Arc<RecordStore>, spec: TallySpec) -> Result<Arc<Job>> {
    spec.sample.map_or(Ok(()), |sample| sample.check(false))?;
    let plan = match spec.kind {
        JobKind::Scan => spec.plan(store)?,
        JobKind::Count => {
            let query = QuerySpec { set: spec.set.clone(), filter: spec.filter.clone(), threads: spec.threads, ..QuerySpec::default() };
            let (plan, selection) = plan_query(store, &query, spec.reads_body())?;
            TallyPlan { verb: "Count", method: plan.method, estimated: plan.estimated_candidates, estimated_ms: None, selection }
        }
        other => return Err(Error::new(ErrorCode::Internal, format!("a job of kind {} counts nothing", other.as_str()))),
    };
    launch_tally(store, spec, plan)
}
