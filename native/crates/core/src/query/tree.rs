//! The steps of a plan, as the API shows them: what each is thought to come to and, once carried
//! out, has come to.

use super::QuerySpec;
use serde::Serialize;
use serde_json::Value;
use tessera_base::limits::GROUPS;
use tessera_index::{IndexKind, IndexSpec};

/// A step of a plan; its children come before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanNode {
    /// `terms`, `range`: lookups; `range-order`: the order of a range index; `and`, `or` of lookups; `set-index`, `set-column`, `all`,
    /// `device-sequential`: scans; `filter`, `unnest`, `group`, `order`, `limit`: what is made of them.
    pub node: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// What is looked at: a bin, perhaps with a path, `record` for whole ones, or a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The first of what is looked up in a document index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<PlanTerm>,
    /// Records, rows or groups that come out of it, at most; `None` where nobody knows, as how long lists are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<u64>,
    /// Milliseconds that it took, lookups in one segment after the other; of `unnest` and `group` those of all threads together.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u32>,
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
    pub(super) fn new(node: &'static str, estimated: Option<u64>) -> Self {
        Self { node, index: None, on: None, terms: Vec::new(), estimated, actual: None, ms: None, segments: None, children: Vec::new() }
    }

    /// What an index is asked for.
    pub(super) fn of_index(spec: &IndexSpec, estimated: u64) -> Self {
        let bin = spec.bin.as_deref().unwrap_or("record");
        let on = spec.path.as_ref().map_or_else(|| bin.to_owned(), |path| format!("{bin}.{path}"));
        let node = match spec.kind {
            IndexKind::Document => "terms",
            IndexKind::Range => "range",
        };
        Self { index: Some(spec.name.clone()), on: Some(on), ..Self::new(node, Some(estimated)) }
    }

    /// A step after this one, from which no more comes out.
    pub(super) fn over(self, node: &'static str) -> Self {
        let estimated = self.estimated;
        Self { children: vec![self], ..Self::new(node, estimated) }
    }

    /// A step after this one, from which at most so many come out.
    pub(super) fn at_most(self, node: &'static str, most: u64) -> Self {
        let estimated = Some(self.estimated.map_or(most, |estimated| estimated.min(most)));
        Self { estimated, ..self.over(node) }
    }

    /// With what is made of the records that it brings. `in_order`: they come in the order that is wanted.
    pub(super) fn made(self, spec: &QuerySpec, in_order: bool) -> Self {
        let mut node = self;
        if spec.filter.is_some() {
            node = node.over("filter");
        }
        if let Some(on) = spec.rows.as_ref().and_then(|rows| rows.unnested()) {
            node = Self { on: Some(on), estimated: None, ..node.over("unnest") };
        }
        if let Some((by, top)) = spec.aggregate.as_ref().and_then(|aggregate| aggregate.grouped()) {
            node = Self { on: Some(by.join(", ")), ..node.at_most("group", top.min(GROUPS) as u64) };
        }
        if let Some(order) = spec.order.as_ref().filter(|_| !in_order) {
            node = Self { on: Some(order.on()), ..node.over("order") };
        }
        if let Some(limit) = spec.limit {
            node = node.at_most("limit", limit);
        }
        node
    }
}
