//! Queries: the records that pass a filter, found by an index where one helps.
//!
//! `plan` chooses between indexes (`crate::access`) and a scan, `elsewhere` does so if a cluster has the
//! records, `explain` shows it as a tree,
//! `tally` counts and brings no record. The records are then walked as a scan walks them
//! (`crate::scan`): every candidate is checked with the whole filter, so indexes may propose too
//! much.

mod elsewhere;
mod explain;
mod plan;
mod tally;
mod tree;

use crate::stream_summary::ChunkStream;
use plan::{plan_way, way};
use std::ops::Range;
use std::sync::Arc;

use serde_json::json;

use crate::aggregate::Aggregates;
use crate::metrics::Operation;
use crate::output::Ranking;
use crate::scan::{self, Launch, QueryProfile, Sample, ScanFormat, ScanSpec, Selection};
use crate::store::RecordStore;
use tessera_base::clock::unix_millis;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::{Job, JobKind, JobSpec};
use tessera_record::filter::Filter;

pub use crate::output::{ORDERED_MOST, Order, Rows};
pub(crate) use explain::{analyze, explain, explain_reading};
pub use plan::{QueryAlternative, QueryPlan};
pub(crate) use tally::tally;
pub use tree::{Actual, ActualReads, PlanNode, PlanTerm};

/// Which document and range indexes a query may use. The index of a set is another matter: it is used where it is on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IndexUse {
    /// Those that make it cheapest.
    #[default]
    Auto,
    Never,
    /// This one, whatever it costs.
    Named(String),
}

impl IndexUse {
    /// `auto`, `never`, or the name of an index.
    pub fn parse(text: String) -> Self {
        match text.as_str() {
            "auto" => Self::Auto,
            "never" => Self::Never,
            _ => Self::Named(text),
        }
    }
}

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
    /// The segments wanted, whoever owns them; `None`: those of which this node is the primary owner.
    pub segments: Option<Arc<[u16]>>,
    /// The bins wanted; `None`: all; empty: none.
    pub select: Option<Vec<String>>,
    /// Instead of records as `select` leaves them: rows with columns of their own, or for each item of a list.
    pub rows: Option<Arc<Rows>>,
    /// `route_of` the distribution bin's value: asks the one segment that has its records.
    pub route: Option<u64>,
    /// Most rows returned; then in the order of segments and slots, and with a cursor where more may follow.
    pub limit: Option<u64>,
    /// Goes on where a page with a limit has ended.
    pub cursor: Option<String>,
    pub use_index: IndexUse,
    /// Results come in this order, the first `limit` of them.
    pub order: Option<Order>,
    /// 1 to 128; a query with few candidates uses the calling thread only.
    pub threads: u32,
    pub format: ScanFormat,
    /// Where what becomes of the records is counted; set by `analyze`.
    pub steps: Option<Arc<QueryProfile>>,
}

impl Default for QuerySpec {
    fn default() -> Self {
        Self {
            set: None,
            filter: None,
            sample: None,
            aggregate: None,
            partitions: None,
            segments: None,
            select: None,
            rows: None,
            route: None,
            limit: None,
            cursor: None,
            use_index: IndexUse::Auto,
            order: None,
            threads: 1,
            format: ScanFormat::Record,
            steps: None,
        }
    }
}

/// A running query.
pub struct Query {
    pub stream: ChunkStream,
    pub job: Arc<Job>,
    pub plan: QueryPlan,
}

impl QuerySpec {
    /// The walk that answers it, whichever way it finds the records.
    fn as_scan(&self) -> ScanSpec {
        ScanSpec {
            set: self.set.clone(),
            threads: self.threads,
            bins: self.select.clone(),
            rows: self.rows.clone(),
            filter: self.filter.clone(),
            sample: self.sample,
            aggregate: self.aggregate.clone(),
            partitions: self.partitions.clone(),
            segments: self.segments.clone(),
            limit: self.page_limit(),
            cursor: self.cursor.clone().filter(|_| self.order.is_none()),
            format: self.format.clone(),
            steps: self.steps.clone(),
            ..ScanSpec::default()
        }
    }

    /// The limit of a page that ends where it is reached.
    const fn page_limit(&self) -> Option<u64> {
        if self.order.is_some() { None } else { self.limit }
    }

    /// # Errors
    /// `order_needs_limit`, `cursor_invalid`; `query_invalid` with `unnest`; `aggregate_invalid` where no records would come in that order.
    fn ranking(&self) -> Result<Option<Ranking>> {
        let Some(order) = &self.order else { return Ok(None) };
        if self.aggregate.is_some() {
            let message = sentence!("aggregates cannot be combined with an order");
            return Err(Error::said(ErrorCode::AggregateInvalid, message).in_field("order"));
        }
        if self.rows.as_ref().is_some_and(|rows| rows.unnests()) {
            let message = sentence!("an order cannot be combined with unnest");
            return Err(Error::said(ErrorCode::QueryInvalid, message).in_field("order"));
        }
        let scope = self.set.as_ref().map_or_else(|| vec![0], |set| [&[1], set.as_bytes()].concat());
        Ranking::new(order.clone(), self.limit, self.cursor.as_deref(), &scope).map(Some)
    }
}

/// The plan of a query that runs. `reads`: whether what is made of the records takes their bodies.
///
/// # Errors
/// As `start`.
pub(crate) fn plan_query(store: &RecordStore, spec: &QuerySpec, reads: bool) -> Result<(QueryPlan, Selection)> {
    let (plan, selection) = match store.remote() {
        Some(remote) => {
            let way = elsewhere::way(store, remote, spec, reads)?;
            (way.plan, way.selection)
        }
        None => plan_way(store, &way(store, spec, reads)?),
    };
    note_uses(store, spec, &plan);
    Ok((plan, selection))
}

/// Counts a query for the indexes by which it finds its records.
fn note_uses(store: &RecordStore, spec: &QuerySpec, plan: &QueryPlan) {
    let used = |name: &String| plan.index.as_ref() == Some(name) || plan.indexes.contains(name);
    if plan.index.is_none() && plan.indexes.is_empty() {
        return;
    }
    let now = unix_millis();
    store.usable_indexes(spec.set.as_deref()).iter().filter(|index| used(&index.spec().name)).for_each(|index| index.note_use(now));
}

/// Starts a query. Records come as they are found; with a limit, in the order of segments and slots, or in that asked for.
///
/// # Errors
/// `set_not_found`, `route_invalid`, `threads_invalid`, `cursor_invalid`, `sample_invalid`, `aggregate_invalid`,
/// `query_invalid`, `job_limit`, `closed`; `index_not_found`, `index_building`, `config_invalid` for an index that is named
/// and cannot be used; `order_needs_limit`.
pub fn start(store: &Arc<RecordStore>, spec: QuerySpec) -> Result<Query> {
    let (plan, selection) = plan_query(store, &spec, spec.as_scan().reads_body())?;
    let parameters =
        json!({ "method": plan.method, "index": plan.index, "segments": plan.segments, "select": spec.select, "limit": spec.limit });
    let job = JobSpec {
        set: spec.set.clone(),
        parameters: parameters.to_string(),
        total: plan.estimated_candidates,
        threads: spec.threads,
        ..JobSpec::new(
            JobKind::Query,
            store.named(),
            match spec.set.as_deref() {
                None => format!("Query {}", store.name()),
                Some(set) => format!("Query {}.{set}", store.name()),
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
    let (stream, job) = match spec.ranking()? {
        Some(ranking) => scan::launch_ranked(store, spec.as_scan(), launch, ranking)?,
        None => scan::launch(store, spec.as_scan(), launch)?,
    };
    Ok(Query { stream, job, plan })
}
