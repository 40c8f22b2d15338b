//! Queries: the records that pass a filter, found by an index where one helps.
//!
//! `lookup` is what an index is asked for, `proposal` what it answers, `plan` chooses. The records are then walked as a
//! scan walks them (`crate::scan`): every candidate is checked with the whole filter, so an index may propose too much.

mod lookup;
mod plan;
mod proposal;

use std::ops::Range;
use std::sync::Arc;

use serde_json::json;

use crate::aggregate::Aggregates;
use crate::chunk_stream::ChunkStream;
use crate::error::Result;
use crate::filter::Filter;
use crate::job::{Job, JobKind, JobSpec};
use crate::metrics::Operation;
use crate::namespace::Namespace;
use crate::scan::{Launch, Sample, ScanFormat, ScanSpec};

pub use plan::QueryPlan;
pub(crate) use proposal::{LookedUp, Proposal};

/// What a caller asks.
#[derive(Clone, Debug)]
pub struct QuerySpec {
    /// `None`: every record; `Some("")`: records without a set.
    pub set: Option<String>,
    pub filter: Option<Arc<Filter>>,
    pub sample: Option<Sample>,
    /// Instead of records the stream then brings one JSON object: what came of each.
    pub aggregate: Option<Arc<Aggregates>>,
    /// The partitions wanted; `None`: all.
    pub partitions: Option<Range<u16>>,
    /// The bins wanted; `None`: all; empty: none.
    pub select: Option<Vec<String>>,
    /// `route_of` the distribution bin's value: asks the one segment that has its records.
    pub route: Option<u64>,
    /// Most records returned; then in the order of segments and slots, and with a cursor where more may follow.
    pub limit: Option<u64>,
    /// Goes on where a page with a limit has ended.
    pub cursor: Option<String>,
    /// 1 to 128; a query with few candidates uses the calling thread only.
    pub threads: u32,
    pub format: ScanFormat,
}

impl Default for QuerySpec {
    fn default() -> Self {
        Self {
            set: None,
            filter: None,
            sample: None,
            aggregate: None,
            partitions: None,
            select: None,
            route: None,
            limit: None,
            cursor: None,
            threads: 1,
            format: ScanFormat::Record,
        }
    }
}

/// A running query.
pub struct Query {
    pub stream: ChunkStream,
    pub job: Arc<Job>,
    pub plan: QueryPlan,
}

impl Namespace {
    /// Starts a query. Records come as they are found; with a limit, in order.
    ///
    /// # Errors
    /// `set_not_found`, `route_invalid`, `threads_invalid`, `cursor_invalid`, `sample_invalid`, `aggregate_invalid`, `job_limit`, `closed`.
    pub fn query(self: &Arc<Self>, spec: QuerySpec) -> Result<Query> {
        let (plan, selection) = self.plan_query(&spec)?;
        let parameters =
            json!({ "method": plan.method, "index": plan.index, "segments": plan.segments, "select": spec.select, "limit": spec.limit });
        let job = JobSpec {
            set: spec.set.clone(),
            parameters: parameters.to_string(),
            total: Some(plan.estimated_candidates),
            threads: spec.threads,
            ..JobSpec::new(
                JobKind::Query,
                self.name(),
                match spec.set.as_deref() {
                    None => format!("Query {}", self.name()),
                    Some(set) => format!("Query {}.{set}", self.name()),
                },
            )
        };
        let launch = Launch {
            selection,
            job,
            operation: Operation::Query,
            method: plan.method,
            estimated: plan.estimated_candidates,
            estimated_ms: None,
        };
        let scan = ScanSpec {
            set: spec.set,
            threads: spec.threads,
            bins: spec.select,
            filter: spec.filter,
            sample: spec.sample,
            aggregate: spec.aggregate,
            partitions: spec.partitions,
            limit: spec.limit,
            cursor: spec.cursor,
            format: spec.format,
            ..ScanSpec::default()
        };
        let (stream, job) = self.launch(scan, launch)?;
        Ok(Query { stream, job, plan })
    }
}
