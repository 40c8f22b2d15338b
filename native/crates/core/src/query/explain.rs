//! A query's plan as a tree of its steps, and the query carried out to see what each comes to.

use crate::stream_summary::ChunkStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::elsewhere;
use super::plan::{QueryPlan, Way, plan_way, way};
use super::tree::{Actual, ActualReads, PlanNode, PlanTerm};
use super::{Query, QuerySpec, start};
use crate::access::{Access, AccessKind, Estimator, Lookup};
use crate::scan::{QueryProfile, ScanFormat};
use crate::store::RecordStore;
use tessera_base::latency::Clock;
use tessera_base::pool::caught;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_index::document::Candidates;
use tessera_jobs::chunk_stream::chunk_stream;

/// Terms of one lookup that are shown.
const TERMS: usize = 16;
/// Nodes of what is made of records once they are found.
const MADE: [&str; 5] = ["filter", "unnest", "group", "order", "limit"];

/// A query that is carried out for what its steps come to.
struct Analysis {
    store: Arc<RecordStore>,
    /// What is looked up here, and in which segment if not in all; none where the order of an index is gone by.
    access: Option<Arc<Access>>,
    only: Option<u16>,
    rows: Arc<ChunkStream>,
    steps: Arc<QueryProfile>,
    /// Whether nobody waits for it any more.
    given_up: Arc<AtomicBool>,
}

/// What came out of the steps that are made of records.
struct Came {
    /// Records that passed the filter, and rows that were made of them.
    matched: u64,
    rows: u64,
    unnest_ms: f64,
    group_ms: f64,
    groups: u64,
    returned: u64,
    scanned: u64,
}

/// How a query would be answered, with what else was considered and the tree of its steps.
///
/// # Errors
/// As `start`.
pub fn explain(store: &RecordStore, spec: &QuerySpec) -> Result<QueryPlan> {
    explain_reading(store, spec, spec.as_scan().reads_body())
}

/// `reads`: as of `plan_query`.
///
/// # Errors
/// As `start`.
pub(crate) fn explain_reading(store: &RecordStore, spec: &QuerySpec, reads: bool) -> Result<QueryPlan> {
    if let Some(remote) = store.remote() {
        return Ok(elsewhere::explain(spec, elsewhere::way(store, remote, spec, reads)?));
    }
    let way = way(store, spec, reads)?;
    let (mut plan, selection) = plan_way(store, &way);
    plan.alternatives = way.alternatives();
    plan.tree = Some(describe_way(store, spec, &way, &plan, selection.only));
    Ok(plan)
}

/// Carries a query out without bringing its records: the stream brings the plan as JSON, with what each step came to, in one
/// chunk. The lookups are made once more for it, on a thread of the engine's pool; aborting the stream stops all of it.
///
/// # Errors
/// As `start`; the stream has what keeps the query from its end.
pub fn analyze(store: &Arc<RecordStore>, spec: QuerySpec) -> Result<Query> {
    let steps = Arc::new(QueryProfile::default());
    // Lines are counted, of whichever form the answer would be.
    let spec = QuerySpec { steps: Some(Arc::clone(&steps)), format: ScanFormat::Record, ..spec };
    let here = if store.token_ranges().is_some() { None } else { Some(way(store, &spec, spec.as_scan().reads_body())?) };
    let plan = explain(store, &spec)?;
    let Query { stream: rows, job, .. } = start(store, spec)?;
    let (rows, given_up) = (Arc::new(rows), Arc::new(AtomicBool::new(false)));
    let (sink, stream) = chunk_stream({
        let (rows, given_up) = (Arc::clone(&rows), Arc::clone(&given_up));
        move || {
            given_up.store(true, Relaxed);
            rows.abort();
        }
    });
    let only = here.as_ref().and_then(|way| way.selection.only);
    let access = here.filter(|way| !way.in_order).and_then(|way| way.access);
    let analysis = Analysis { store: store.clone(), access, only, rows, steps, given_up };
    let mut measured = plan.clone();
    store.pool().spawn(move || {
        let outcome = caught(|| {
            analysis.carry_out(&mut measured)?;
            sink.send(measured.to_json()?.into_bytes())
        });
        sink.finish(outcome, analysis.rows.summary());
    });
    Ok(Query { stream, job, plan })
}

fn describe_way(store: &RecordStore, spec: &QuerySpec, way: &Way, plan: &QueryPlan, only: Option<u16>) -> PlanNode {
    let node = match &way.access {
        _ if way.in_order => PlanNode {
            index: plan.index.clone(),
            on: spec.order.as_ref().map(|order| order.on()),
            ..PlanNode::new(plan.method, plan.estimated_candidates)
        },
        Some(access) => describe(access, &Estimator::new(store, only, &|_| 0.0)),
        None => PlanNode { on: spec.set.clone(), ..PlanNode::new(plan.method, plan.estimated_candidates) },
    };
    node.made(spec, way.in_order)
}

impl Analysis {
    /// Reads the query to its end, and then makes its lookups, so that neither is in the way of the other.
    fn carry_out(&self, plan: &mut QueryPlan) -> Result<()> {
        let mut lines = 0;
        while let Some(chunk) = self.rows.next_blocking()? {
            lines += memchr::memchr_iter(b'\n', &chunk).count() as u64;
        }
        let summary = self.rows.summary();
        let mut segments = plan.segments;
        if let (Some(access), Some(tree)) = (&self.access, &mut plan.tree) {
            let found = found_mut(tree);
            self.measure_lookups(access, found)?;
            segments = found.segments.or(segments);
        }
        plan.actual = Some(Actual {
            candidates: if plan.index.is_some() || !plan.indexes.is_empty() { summary.candidates } else { 0 },
            scanned: summary.scanned,
            returned: summary.returned,
            ms: summary.elapsed_ms,
            segments,
            reads: summary.reads.map(|reads| ActualReads { records: reads.records, blocks: reads.blocks, bytes: reads.bytes }),
        });
        if let Some(tree) = &mut plan.tree {
            let (returned, scanned, steps) = (summary.returned, summary.scanned, &self.steps);
            let (unnest_ms, group_ms) = (steps.unnest_ms(), steps.group_ms());
            fill(tree, &Came { matched: steps.matched(), rows: steps.rows(), unnest_ms, group_ms, groups: lines, returned, scanned });
            tree.ms = tree.ms.or(Some(summary.elapsed_ms));
        }
        Ok(())
    }

    /// Makes the lookups of a way, and of each of its parts.
    fn measure_lookups(&self, access: &Access, node: &mut PlanNode) -> Result<()> {
        let started = Clock::now();
        let (mut slots, mut total, mut segments) = (Vec::new(), 0, 0);
        for (id, cell) in self.store.cells().iter().enumerate() {
            if self.only.is_some_and(|only| usize::from(only) != id) {
                continue;
            }
            self.store.check_open()?;
            if self.given_up.load(Relaxed) {
                return Err(Error::said(ErrorCode::Aborted, sentence!("the client stopped waiting for the plan")));
            }
            let segment = cell.read_in_turn();
            let found = match access.candidates(&segment, &mut slots) {
                Candidates::Slots => slots.len(),
                Candidates::All => segment.len(),
            };
            total += found as u64;
            segments += u32::from(found > 0);
        }
        node.actual = Some(total);
        node.ms = Some(Clock::nanos_since(started) as f64 / 1e6);
        node.segments = Some(segments);
        match &access.kind {
            AccessKind::Lookup(_) => Ok(()),
            AccessKind::And(parts) | AccessKind::Or(parts) => {
                parts.iter().zip(&mut node.children).try_for_each(|(part, node)| self.measure_lookups(part, node))
            }
        }
    }
}

/// The node that finds the records: below all that is made of them.
fn found_mut(node: &mut PlanNode) -> &mut PlanNode {
    if MADE.contains(&node.node) && !node.children.is_empty() { found_mut(&mut node.children[0]) } else { node }
}

fn fill(node: &mut PlanNode, came: &Came) {
    if node.actual.is_some() {
        return;
    }
    let (actual, ms) = match node.node {
        "order" | "limit" => (came.returned, None),
        "group" => (came.groups, Some(came.group_ms)),
        "unnest" => (came.rows, Some(came.unnest_ms)),
        "filter" => (came.matched, None),
        _ => (came.scanned, None),
    };
    (node.actual, node.ms) = (Some(actual), ms);
    node.children.iter_mut().for_each(|child| fill(child, came));
}

fn describe(access: &Access, costs: &Estimator<'_>) -> PlanNode {
    let of = |node, parts: &[Access]| PlanNode {
        children: parts.iter().map(|part| describe(part, costs)).collect(),
        ..PlanNode::new(node, Some(access.estimate.slots))
    };
    match &access.kind {
        AccessKind::Lookup(lookup) => describe_lookup(lookup, access.estimate.slots, costs),
        AccessKind::And(parts) => of("and", parts),
        AccessKind::Or(parts) => of("or", parts),
    }
}

fn describe_lookup(lookup: &Lookup, estimated: u64, costs: &Estimator<'_>) -> PlanNode {
    let spec = lookup.index().spec();
    let terms = lookup.terms(TERMS).into_iter().map(|term| PlanTerm {
        path: term.path.to_string(),
        value: serde_json::from_str(&term.value).unwrap_or_default(),
        estimated: costs.of_term(lookup, &term),
    });
    PlanNode { terms: terms.collect(), ..PlanNode::of_index(spec, estimated) }
}
