//! How a query finds its records: by the index that proposes the fewest, or by a scan.

use std::sync::Arc;

use super::QuerySpec;
use super::lookup::Lookup;
use super::proposal::Proposal;
use crate::error::{Error, ErrorCode, Result};
use crate::filter::{Filter, Op};
use crate::index::IndexKind;
use crate::limits;
use crate::metrics::{Clock, Operation};
use crate::namespace::{Namespace, route_of};
use crate::record::ValueRef;
use crate::scan::{ScanMethod, Selection, UseIndex};
use crate::sets::SetEntry;

/// Indexes are compared by what they propose in this many segments.
const SAMPLE: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    /// `document-index`, `range-index`, `set-index`, `set-column` or `all`.
    pub method: &'static str,
    /// The index that proposes the candidates.
    pub index: Option<String>,
    /// Segments that are asked.
    pub segments: u32,
    /// Records that will be checked; exact when an index proposes few.
    pub estimated_candidates: u64,
    /// Terms looked up in each segment of a document index.
    pub terms: Option<u32>,
    pub reason: String,
}

impl Namespace {
    /// How a query would be answered.
    ///
    /// # Errors
    /// `set_not_found`, `route_invalid`, `threads_invalid`.
    pub fn explain_query(&self, spec: &QuerySpec) -> Result<QueryPlan> {
        self.plan_query(spec).map(|(plan, _)| plan)
    }

    pub(crate) fn plan_query(&self, spec: &QuerySpec) -> Result<(QueryPlan, Selection)> {
        limits::check_threads(spec.threads)?;
        let mut selection = self.select(spec.set.as_deref(), UseIndex::Auto)?;
        let filter = spec.filter.as_deref();
        selection.only = self.routed_to(selection.set.as_deref(), spec.route, filter)?;
        let asked = if selection.only.is_some() { 1 } else { self.segment_count() };
        let lookups = filter.map(|filter| self.lookups(spec.set.as_deref(), filter)).unwrap_or_default();
        let considered = lookups.len();
        let Some(lookup) = self.most_selective(lookups, selection.only) else {
            let (method, reason) = scanned(&selection, filter.is_some());
            let estimated_candidates = self.records_of(&selection);
            let plan = QueryPlan { method: method.as_str(), index: None, segments: asked, estimated_candidates, terms: None, reason };
            return Ok((plan, selection));
        };
        let index = lookup.index().spec().clone();
        let (method, terms) = match index.kind {
            IndexKind::Document => ("document-index", u32::try_from(lookup.terms()).ok()),
            IndexKind::Range => ("range-index", None),
        };
        let started = Clock::now();
        let proposal = Proposal::new(self, lookup, selection.only);
        self.latency().record_since(Operation::IndexLookup, started, true);
        let estimated_candidates = proposal.total().unwrap_or_else(|| self.estimate(&proposal.lookup, selection.only, usize::MAX));
        let mut reason = format!("the index {:?} proposes {estimated_candidates} records", index.name);
        if considered > 1 {
            reason.push_str(&format!(", the fewest of {considered} that could"));
        }
        if selection.only.is_some() {
            reason.push_str("; the distribution bin names the segment");
        }
        selection.proposal = Some(Arc::new(proposal));
        Ok((QueryPlan { method, index: Some(index.name), segments: asked, estimated_candidates, terms, reason }, selection))
    }

    /// The one segment that has all matches, if the caller or the filter fixes the set's distribution bin.
    fn routed_to(&self, set: Option<&SetEntry>, route: Option<u64>, filter: Option<&Filter>) -> Result<Option<u16>> {
        let Some(distribution) = set.and_then(|set| set.distribution.as_ref()) else {
            return match route {
                None => Ok(None),
                Some(_) => {
                    Err(Error::new(ErrorCode::RouteInvalid, "only a set with a distribution bin can be asked by route").in_field("route"))
                }
            };
        };
        let fixed = || {
            filter?.required().into_iter().find_map(|test| match &test.op {
                // Equal lists and maps may be encoded differently; scalars may not, but for numbers, which `route_of` knows.
                Op::Equal(operand) if *test.bin == *distribution.bin && test.path.is_empty() => match operand.value() {
                    ValueRef::List(_) | ValueRef::Map(_) => None,
                    _ => Some(route_of(operand.as_bytes())),
                },
                _ => None,
            })
        };
        Ok(route.or_else(fixed).map(|route| self.segment_of_route(route) as u16))
    }

    fn lookups(&self, set: Option<&str>, filter: &Filter) -> Vec<Lookup> {
        self.usable_indexes(set).into_iter().filter_map(|index| Lookup::new(index, filter)).collect()
    }

    fn most_selective(&self, mut lookups: Vec<Lookup>, only: Option<u16>) -> Option<Lookup> {
        if lookups.len() > 1 {
            lookups.sort_by_cached_key(|lookup| self.estimate(lookup, only, SAMPLE));
        }
        lookups.into_iter().next()
    }

    /// At most how many records a lookup proposes, from a sample of the segments.
    fn estimate(&self, lookup: &Lookup, only: Option<u16>, sample: usize) -> u64 {
        let of = |segment: usize| lookup.estimate(&self.cells()[segment].read());
        match only {
            Some(only) => of(usize::from(only)),
            None => {
                let segments = self.cells().len();
                let step = (segments / sample.min(segments)).max(1);
                (0..segments).step_by(step).map(of).sum::<u64>() * step as u64
            }
        }
    }

    /// Records that a scan of the selection looks at.
    fn records_of(&self, selection: &Selection) -> u64 {
        match (selection.only, &selection.set) {
            (Some(only), Some(set)) => {
                let cell = &self.cells()[usize::from(only)];
                let indexed = cell.read().set_slots(set.id).map(|slots| u64::from(slots.len()));
                indexed.unwrap_or_else(|| cell.records().min(set.records()))
            }
            (Some(only), None) => self.cells()[usize::from(only)].records(),
            (None, Some(set)) => set.records(),
            (None, None) => self.size(None),
        }
    }
}

fn scanned(selection: &Selection, filtered: bool) -> (ScanMethod, String) {
    let method = match &selection.set {
        None => ScanMethod::All,
        Some(_) if selection.use_index => ScanMethod::SetIndex,
        Some(_) => ScanMethod::SetColumn,
    };
    let why = if filtered { "no index covers a test that every match must pass" } else { "there is no filter" };
    let how = match (selection.only.is_some(), method) {
        (true, _) => "the one segment that the distribution bin names is scanned",
        (false, ScanMethod::All) => "every record is scanned",
        (false, _) => "the set is scanned",
    };
    (method, format!("{why}; {how}"))
}
