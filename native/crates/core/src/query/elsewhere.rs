//! Queries over records that a cluster has: by what its indexes bring, or through all rows.

use super::plan::{QueryPlan, indexes_for, routed_to};
use super::tree::PlanNode;
use super::{IndexUse, QuerySpec};
use crate::access::elsewhere::{self, Elsewhere};
use crate::scan::{Selection, beats_all_rows, plan_walk};
use crate::store::RecordStore;
use crate::store::remote::Remote;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_index::IndexKind;

/// How a query would be answered.
pub(super) struct WayElsewhere {
    pub(super) plan: QueryPlan,
    pub(super) selection: Selection,
    /// What indexes of values are asked, if they are.
    asked: Option<Elsewhere>,
}

/// # Errors
/// As `start`; `cluster_unavailable`.
pub(super) fn way(store: &RecordStore, remote: &dyn Remote, spec: &QuerySpec, reads: bool) -> Result<WayElsewhere> {
    spec.ranking()?;
    let (scan, mut selection) = plan_walk(store, &spec.as_scan(), reads)?;
    let filter = spec.filter.as_deref();
    routed_to(store, selection.set.as_deref(), spec.route, filter)?;
    let (listed, usable) = (remote.indexes(), indexes_for(store, spec)?);
    let asked = filter.map_or(Ok(None), |filter| elsewhere::plan(remote, &listed, &usable, filter.root()))?;
    let named = matches!(spec.use_index, IndexUse::Named(_));
    if let (IndexUse::Named(name), None) = (&spec.use_index, &asked) {
        let why = sentence!("the index \"{name}\" cannot answer this filter; use another index, or auto", name = name.as_str());
        return Err(Error::said(ErrorCode::ConfigInvalid, why).in_field("useIndex"));
    }
    let of_set = scan.estimated_records;
    let cheaper = |asked: &Elsewhere| {
        let rows = asked.asks.estimate;
        named || of_set.is_none_or(|others| rows < others) && beats_all_rows(rows, store.records())
    };
    let helps = asked.is_some();
    let asked = asked.filter(cheaper);
    let mut plan = QueryPlan {
        method: scan.method.as_str(),
        index: None,
        indexes: Vec::new(),
        segments: None,
        estimated_candidates: of_set,
        estimated_ms: None,
        terms: None,
        reason: sentence!("all rows of the cluster are read").into(),
        alternatives: Vec::new(),
        tree: None,
        actual: None,
    };
    match &asked {
        Some(asked) => {
            selection.asks = Some(asked.asks.clone());
            describe(&mut plan, asked);
        }
        None => {
            let why = match (&spec.use_index, filter, helps) {
                (IndexUse::Never, ..) => sentence!("no index of values is to be used"),
                (_, None, _) => sentence!("there is no filter"),
                (_, Some(_), false) => sentence!("no index helps with what every match must pass"),
                (_, Some(_), true) => sentence!("the indexes would bring so many rows that this is cheaper"),
            };
            let how = match of_set {
                Some(_) => sentence!("the index of the set is asked"),
                None => sentence!("all rows of the cluster are read"),
            };
            plan.reason = sentence!("{why}; {how}", why = why, how = how).into();
        }
    }
    Ok(WayElsewhere { plan, selection, asked })
}

/// The plan with the tree of its steps.
pub(super) fn explain(spec: &QuerySpec, way: WayElsewhere) -> QueryPlan {
    let WayElsewhere { mut plan, asked, .. } = way;
    let node = match &asked {
        None => PlanNode { on: spec.set.clone(), ..PlanNode::new(plan.method, plan.estimated_candidates) },
        Some(asked) => {
            let mut parts: Vec<PlanNode> = asked.parts.iter().map(|(index, rows)| PlanNode::of_index(index.spec(), *rows)).collect();
            match parts.pop() {
                Some(only) if parts.is_empty() => only,
                last => PlanNode { children: parts.into_iter().chain(last).collect(), ..PlanNode::new("or", plan.estimated_candidates) },
            }
        }
    };
    plan.tree = Some(node.made(spec, false));
    plan
}

fn describe(plan: &mut QueryPlan, asked: &Elsewhere) {
    let mut names: Vec<String> = asked.indexes.iter().map(|index| index.spec().name.clone()).collect();
    plan.method = match &asked.indexes[..] {
        [only] if only.spec().kind == IndexKind::Document => "document-index",
        [_] => "range-index",
        _ => "indexes",
    };
    let rows = asked.asks.estimate;
    plan.estimated_candidates = Some(rows);
    let terms = asked.parts.iter().filter(|(index, _)| index.spec().kind == IndexKind::Document).count();
    plan.terms = u32::try_from(terms).ok().filter(|terms| *terms > 0);
    plan.reason = sentence!(
        "the cluster is asked by {indexes}, which brings about {rows, plural, one {# row} other {# rows}}",
        indexes = names.join(", "),
        rows = rows
    )
    .into();
    plan.index = if names.len() == 1 { names.pop() } else { None };
    plan.indexes = names;
}
