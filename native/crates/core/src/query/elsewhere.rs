//! Queries over records that a cluster has: by what its indexes bring, or through all rows.

use super::plan::{QueryPlan, routed_to, unusable};
use super::tree::PlanNode;
use super::{IndexUse, QuerySpec};
use crate::access::elsewhere::{self, Elsewhere};
use crate::scan::{Selection, beats_all_rows, plan_walk};
use crate::store::RecordStore;
use crate::store::remote::Remote;
use tessera_base::{Error, ErrorCode, Result};
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
    let (listed, named) = (remote.indexes(), named(store, spec)?);
    let asked = match filter.filter(|_| spec.use_index != IndexUse::Never) {
        Some(filter) => elsewhere::plan(remote, &listed, spec.set.as_deref(), filter.root(), named)?,
        None => None,
    };
    if let (Some(name), None) = (named, &asked) {
        let message = format!("the index {name:?} cannot answer this filter; use another index, or auto");
        return Err(Error::new(ErrorCode::ConfigInvalid, message).in_field("useIndex"));
    }
    let of_set = scan.estimated_records;
    let cheaper = |asked: &Elsewhere| {
        let rows = asked.asks.estimate;
        named.is_some() || of_set.is_none_or(|others| rows < others) && beats_all_rows(rows, store.records())
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
        reason: String::new(),
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
                (IndexUse::Never, ..) => "no index of values is to be used",
                (_, None, _) => "there is no filter",
                (_, Some(_), false) => "no index helps with what every match must pass",
                (_, Some(_), true) => "the indexes would bring so many rows that this is cheaper",
            };
            let how = if of_set.is_some() { "the index of the set is asked" } else { "all rows of the cluster are read" };
            plan.reason = format!("{why}; {how}");
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
            let mut parts: Vec<PlanNode> = asked
                .parts
                .iter()
                .map(|(index, rows)| {
                    let spec = index.spec();
                    let bin = spec.bin.as_deref().unwrap_or("record");
                    let on = spec.path.as_ref().map_or_else(|| bin.to_owned(), |path| format!("{bin}.{path}"));
                    let node = if spec.kind == IndexKind::Document { "terms" } else { "range" };
                    PlanNode { index: Some(spec.name.clone()), on: Some(on), ..PlanNode::new(node, Some(*rows)) }
                })
                .collect();
            match parts.pop() {
                Some(only) if parts.is_empty() => only,
                last => PlanNode { children: parts.into_iter().chain(last).collect(), ..PlanNode::new("or", plan.estimated_candidates) },
            }
        }
    };
    plan.tree = Some(node.made(spec, false));
    plan
}

/// The index that the caller names, if it does.
///
/// # Errors
/// `index_not_found`, `index_building`, `config_invalid` for one that cannot be used.
fn named<'a>(store: &RecordStore, spec: &'a QuerySpec) -> Result<Option<&'a str>> {
    let IndexUse::Named(name) = &spec.use_index else { return Ok(None) };
    let usable = store.usable_indexes(spec.set.as_deref());
    if usable.iter().any(|index| index.spec().name == *name) { Ok(Some(name)) } else { Err(unusable(store, name)) }
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
    plan.reason = format!("the cluster is asked by {}, which brings about {rows} rows", names.join(", "));
    plan.index = if names.len() == 1 { names.pop() } else { None };
    plan.indexes = names;
}
