//! A query's plan as a tree of steps, with what each was thought to come to and, once carried out, has come to.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::QuerySpec;
use super::access::{Access, AccessKind};
use super::cost::Estimator;
use super::lookup::Lookup;
use super::plan::{QueryPlan, Way};
use crate::error::Result;
use crate::index::IndexKind;
use crate::index::document::Candidates;
use crate::metrics::Clock;
use crate::namespace::Namespace;

/// Terms of one lookup that are shown.
const TERMS: usize = 16;

/// A step of a plan; its children come before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanNode {
    /// `terms`, `range`: lookups; `range-order`: the order of a range index; `and`, `or` of lookups; `set-index`, `set-column`, `all`, `device-sequential`: scans; `filter`, `order`, `limit`: what is made of them.
    pub node: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// What is looked at: a bin, perhaps with a path, `record` for whole ones, or a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The first of what is looked up in a document index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<PlanTerm>,
    /// Records that come out of it, at most.
    pub estimated: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<u64>,
    /// Milliseconds that it took, lookups in one segment after the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// Segments where something came out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<PlanNode>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanTerm {
    pub path: String,
    pub value: Value,
    /// Records that have it, at most.
    pub estimated: u64,
}

/// What a query has come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Actual {
    /// Records that indexes proposed; 0 for a scan without.
    pub candidates: u64,
    pub scanned: u64,
    pub returned: u64,
    pub ms: f64,
    pub segments: u32,
    /// From a device, where the records lie on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<ActualReads>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActualReads {
    pub records: u64,
    pub blocks: u64,
    pub bytes: u64,
}

impl PlanNode {
    fn new(node: &'static str, estimated: u64) -> Self {
        Self { node, index: None, on: None, terms: Vec::new(), estimated, actual: None, ms: None, segments: None, children: Vec::new() }
    }

    fn over(self, node: &'static str, estimated: u64) -> Self {
        Self { children: vec![self], ..Self::new(node, estimated) }
    }
}

impl Namespace {
    /// Carries a query out without bringing its records, and tells what each step came to. Takes as long as the query, and the lookups
    /// once more: not for a thread that must not wait.
    ///
    /// # Errors
    /// As `query`, and what keeps it from its end.
    pub fn analyze_query(self: &Arc<Self>, spec: QuerySpec) -> Result<QueryPlan> {
        let way = self.way(&spec, spec.as_scan().reads_body())?;
        let mut plan = self.explain_query(&spec)?;
        let only = way.selection.only;
        let mut segments = plan.segments;
        if let (Some(access), Some(tree)) = (way.access.as_ref().filter(|_| !way.in_order), &mut plan.tree) {
            let found = found_mut(tree);
            self.measure_lookups(access, only, found)?;
            segments = found.segments.unwrap_or(segments);
        }
        let query = self.query(spec)?;
        while query.stream.next_blocking()?.is_some() {}
        let summary = query.stream.summary();
        plan.actual = Some(Actual {
            candidates: if way.access.is_some() || way.in_order { summary.candidates } else { 0 },
            scanned: summary.scanned,
            returned: summary.returned,
            ms: summary.elapsed_ms,
            segments,
            reads: summary.reads.map(|reads| ActualReads { records: reads.records, blocks: reads.blocks, bytes: reads.bytes }),
        });
        if let Some(tree) = &mut plan.tree {
            tree.ms = Some(summary.elapsed_ms);
            fill(tree, summary.returned, summary.scanned);
        }
        Ok(plan)
    }

    pub(super) fn describe_way(&self, spec: &QuerySpec, way: &Way, plan: &QueryPlan, only: Option<u16>) -> PlanNode {
        let mut node = match &way.access {
            _ if way.in_order => PlanNode {
                index: plan.index.clone(),
                on: spec.order.as_ref().map(|order| order.on()),
                ..PlanNode::new(plan.method, plan.estimated_candidates)
            },
            Some(access) => describe(access, &Estimator::new(self, only, &|_| 0.0)),
            None => PlanNode { on: spec.set.clone(), ..PlanNode::new(plan.method, plan.estimated_candidates) },
        };
        if spec.filter.is_some() {
            let estimated = node.estimated;
            node = node.over("filter", estimated);
        }
        if let Some(order) = spec.order.as_ref().filter(|_| !way.in_order) {
            let estimated = node.estimated;
            node = PlanNode { on: Some(order.on()), ..node.over("order", estimated) };
        }
        if let Some(limit) = spec.limit {
            let estimated = node.estimated.min(limit);
            node = node.over("limit", estimated);
        }
        node
    }

    /// Makes the lookups of a way, and of each of its parts.
    fn measure_lookups(&self, access: &Access, only: Option<u16>, node: &mut PlanNode) -> Result<()> {
        let started = Clock::now();
        let (mut slots, mut total, mut segments) = (Vec::new(), 0, 0);
        for (id, cell) in self.cells().iter().enumerate() {
            if only.is_some_and(|only| usize::from(only) != id) {
                continue;
            }
            self.check_open()?;
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
                parts.iter().zip(&mut node.children).try_for_each(|(part, node)| self.measure_lookups(part, only, node))
            }
        }
    }
}

/// The node that finds the records: below all that is made of them.
fn found_mut(node: &mut PlanNode) -> &mut PlanNode {
    if matches!(node.node, "filter" | "order" | "limit") && !node.children.is_empty() { found_mut(&mut node.children[0]) } else { node }
}

fn fill(node: &mut PlanNode, returned: u64, scanned: u64) {
    if node.actual.is_some() {
        return;
    }
    node.actual = Some(if matches!(node.node, "filter" | "order" | "limit") { returned } else { scanned });
    node.children.iter_mut().for_each(|child| fill(child, returned, scanned));
}

fn describe(access: &Access, costs: &Estimator<'_>) -> PlanNode {
    let of = |node, parts: &[Access]| PlanNode {
        children: parts.iter().map(|part| describe(part, costs)).collect(),
        ..PlanNode::new(node, access.estimate.slots)
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
    let bin = spec.bin.as_deref().unwrap_or("record");
    let on = spec.path.as_ref().map_or_else(|| bin.to_owned(), |path| format!("{bin}.{path}"));
    let node = match spec.kind {
        IndexKind::Document => "terms",
        IndexKind::Range => "range",
    };
    PlanNode { index: Some(spec.name.clone()), on: Some(on), terms: terms.collect(), ..PlanNode::new(node, estimated) }
}
