//! How a query finds its records: by the indexes that cost least, or by a scan.

use std::sync::Arc;

use serde::Serialize;

use super::tree::{Actual, PlanNode};
use super::{IndexUse, QuerySpec};
use crate::access::{Access, AccessKind, Around, Estimator, Lookup, Planned, Proposal, RangeOrder, scan_is_cheaper};
use crate::metrics::Operation;
use crate::scan::{Sample, ScanMethod, ScanPlan, Selection, UseIndex, by_place_ms, plan_walk, select};
use crate::sets::SetEntry;
use crate::store::{RecordStore, route_of};
use tessera_base::latency::Clock;
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};
use tessera_index::{Index, IndexKind, IndexState};
use tessera_record::ValueRef;
use tessera_record::filter::{Filter, Op};

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryPlan {
    /// `document-index`, `range-index`, `indexes` for more than one, `range-order` for the order of a range index, `set-index`, `set-column`, `all`,
    /// `device-sequential` or `token-ranges`.
    pub method: &'static str,
    /// The index that proposes the candidates, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// All that do, where they are more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<String>,
    /// Segments that are asked; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u32>,
    /// Records that will be checked; exact when indexes propose few. `None`, as the time, where nobody knows how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_candidates: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_ms: Option<f64>,
    /// Terms looked up in each segment of document indexes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<u32>,
    #[serde(flatten)]
    pub reason: Reason,
    /// What else was considered, and what was taken. Only where an explanation was asked for, as all that follows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<QueryAlternative>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<PlanNode>,
    /// What came of it, where it was carried out too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Actual>,
}

/// Why a way was chosen: in English, and what that was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    #[serde(rename = "reason")]
    pub text: String,
    pub said: Sentence,
}

impl From<Sentence> for Reason {
    fn from(said: Sentence) -> Self {
        Self { text: said.to_string(), said }
    }
}

/// A way that a query could go.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryAlternative {
    pub method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    pub estimated_ms: f64,
}

impl QueryPlan {
    /// The plan as the API shows it.
    ///
    /// # Errors
    /// `internal`.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::new(ErrorCode::Internal, format!("writing a plan: {error}")))
    }
}

/// A choice, with what it was chosen from.
pub(super) struct Way {
    pub selection: Selection,
    scan: ScanPlan,
    /// Until there are as many as the limit asks for.
    scan_ms: f64,
    /// The part of a scan that this takes.
    share: f64,
    /// What is looked up; `None` for a scan.
    pub access: Option<Arc<Access>>,
    index_ms: f64,
    /// The index that has the order, where there is one; and whether it was chosen: then `access`, or a scan, is for what it leaves.
    pub order: Option<Arc<RangeOrder>>,
    pub in_order: bool,
    /// Each way by indexes that there is, and what it alone would take.
    considered: Vec<(Access, f64)>,
    /// Whether indexes were left out at the caller's wish.
    never: bool,
    filtered: bool,
    asked: Option<u32>,
}

/// Chooses.
///
/// # Errors
/// As `start`.
pub(super) fn way(store: &RecordStore, spec: &QuerySpec, reads: bool) -> Result<Way> {
    limits::check_threads(spec.threads)?;
    let ranking = spec.ranking()?;
    let as_scan = spec.as_scan();
    let (scan, mut selection) = plan_walk(store, &as_scan, reads && !store.bodies_resident())?;
    let filter = spec.filter.as_deref();
    let only = routed_to(store, selection.set.as_deref(), spec.route, filter)?;
    let part_ms = by_place_ms(store, spec.threads, reads);
    let mut scan_ms = scan.estimated_ms.unwrap_or_default();
    if only.is_some() {
        let segments = selection.segments.take();
        selection = Selection { only, segments, ..select(store, spec.set.as_deref(), UseIndex::Auto)? };
        scan_ms = part_ms(as_scan.part_of(records_of(store, &selection)));
    }
    let indexes = indexes_for(store, spec)?;
    let check_ms = |slots: f64| part_ms(as_scan.part_of(slots.ceil() as u64));
    let costs = Estimator::new(store, only, &check_ms);
    let planned = match filter {
        Some(filter) if !indexes.is_empty() => Access::plan(filter.root(), spec.page_limit(), &indexes, &costs),
        _ => Planned { share: 1.0, ..Planned::default() },
    };
    // A page is read as far as its limit, whichever way it goes.
    let Planned { access, considered, share } = planned;
    scan_ms *= share;
    let ms = |access: &Access| costs.ms(&access.estimate, share);
    let index_ms = access.as_ref().map_or(f64::INFINITY, &ms);
    let named = matches!(spec.use_index, IndexUse::Named(_));
    let (by_access, others) = match &access {
        Some(access) if named || !scan_is_cheaper(scan_ms, index_ms) => (true, access.estimate.slots),
        _ => (false, records_of(store, &selection)),
    };
    let order = ranking.filter(|_| !matches!(spec.sample, Some(Sample::First(_)))).and_then(|ranking| {
        let records = records_of(store, &selection);
        let look = by_place_ms(store, 1, reads);
        let around = Around {
            records,
            sampled: as_scan.part_of(records),
            matches: access.as_ref().map(|access| access.estimate.slots),
            others_ms: if by_access { index_ms } else { scan_ms },
            others,
            look_ms: look(1) - look(0),
            forced: named && access.is_none(),
        };
        indexes.iter().find_map(|index| RangeOrder::plan(index, &ranking, filter, &costs, &around)).map(Arc::new)
    });
    let in_order = order.as_ref().is_some_and(|order| named && access.is_none() || order.ms < if by_access { index_ms } else { scan_ms });
    match &spec.use_index {
        IndexUse::Named(name) if access.is_none() && !in_order => {
            let why = sentence!("the index \"{name}\" cannot answer this filter; use another index, or auto", name = name.as_str());
            return Err(Error::said(ErrorCode::ConfigInvalid, why).in_field("useIndex"));
        }
        IndexUse::Named(_) | IndexUse::Auto | IndexUse::Never => {}
    }
    let access = access.filter(|_| by_access).map(Arc::new);
    selection.sequential &= access.is_none();
    let considered = considered.into_iter().map(|access| (ms(&access), access)).map(|(ms, access)| (access, ms)).collect();
    let asked = scan.segments.map(|_| if only.is_some() { 1 } else { store.segment_count() });
    let never = spec.use_index == IndexUse::Never;
    Ok(Way { selection, scan, scan_ms, share, access, index_ms, order, in_order, considered, never, filtered: filter.is_some(), asked })
}

/// Makes the first lookups of what was chosen.
pub(super) fn plan_way(store: &RecordStore, way: &Way) -> (QueryPlan, Selection) {
    let mut selection = way.selection.clone();
    if let Some(order) = way.order.as_ref().filter(|_| way.in_order) {
        selection.order = Some(Arc::clone(order));
        selection.proposal = way.access.clone().map(|access| Arc::new(Proposal::later(store, access)));
        return (way.in_order_plan(order), selection);
    }
    let scan_method = way.scan_method();
    let Some(access) = &way.access else {
        let plan = QueryPlan {
            method: scan_method.as_str(),
            index: None,
            indexes: Vec::new(),
            segments: way.asked,
            estimated_candidates: way.scan.estimated_records.map(|_| records_of(store, &selection)),
            estimated_ms: way.scan.estimated_ms.map(|_| way.scan_ms),
            terms: None,
            reason: way.scan_reason(scan_method).into(),
            alternatives: Vec::new(),
            tree: None,
            actual: None,
        };
        return (plan, selection);
    };
    let started = Clock::now();
    let proposal = Proposal::new(store, Arc::clone(access), |segment| selection.skips(segment));
    store.latency().record_since(Operation::IndexLookup, started, true);
    let estimated_candidates = proposal.total().unwrap_or_else(|| access.estimate.slots.max(proposal.known()));
    let (method, mut indexes) = names(access);
    let mut lookups = Vec::new();
    access.lookups(&mut lookups);
    let terms: usize = lookups.iter().filter(|lookup| lookup.kind() == IndexKind::Document).map(|lookup| lookup.steps()).sum();
    let mut reason = proposing(&indexes, estimated_candidates, way.considered.len() as u64);
    if selection.only.is_some() {
        reason = in_one_segment(reason);
    }
    selection.proposal = Some(Arc::new(proposal));
    let plan = QueryPlan {
        method,
        index: if indexes.len() == 1 { indexes.pop() } else { None },
        indexes,
        segments: way.asked,
        estimated_candidates: Some(estimated_candidates),
        estimated_ms: Some(way.index_ms),
        terms: (terms > 0).then(|| u32::try_from(terms).unwrap_or(u32::MAX)),
        reason: reason.into(),
        alternatives: Vec::new(),
        tree: None,
        actual: None,
    };
    (plan, selection)
}

/// The indexes that may be used.
///
/// # Errors
/// `index_not_found`, `index_building`, `config_invalid` for one that is named and cannot be used.
pub(super) fn indexes_for(store: &RecordStore, spec: &QuerySpec) -> Result<Vec<Arc<Index>>> {
    let usable = |set: Option<&str>| store.usable_indexes(set);
    match &spec.use_index {
        IndexUse::Never => Ok(Vec::new()),
        IndexUse::Auto => Ok(usable(spec.set.as_deref())),
        IndexUse::Named(name) => match usable(spec.set.as_deref()).into_iter().find(|index| index.spec().name == *name) {
            Some(index) => Ok(vec![index]),
            None => Err(unusable(store, name)),
        },
    }
}

/// Why an index that was asked for cannot be used.
fn unusable(store: &RecordStore, name: &str) -> Error {
    let error = match store.index(name) {
        Err(error) => error,
        Ok(info) if info.state == IndexState::Ready => Error::said(
            ErrorCode::ConfigInvalid,
            sentence!("the index \"{name}\" covers another set; use another index, or auto", name = name),
        ),
        Ok(_) => Error::said(ErrorCode::IndexBuilding, sentence!("the index \"{name}\" is not built yet", name = name)),
    };
    error.in_field("useIndex")
}

/// The one segment that has all matches, if the caller or the filter fixes the set's distribution bin.
pub(super) fn routed_to(store: &RecordStore, set: Option<&SetEntry>, route: Option<u64>, filter: Option<&Filter>) -> Result<Option<u16>> {
    let Some(distribution) = set.and_then(|set| set.distribution.as_ref()) else {
        return match route {
            None => Ok(None),
            Some(_) => Err(Error::said(ErrorCode::RouteInvalid, sentence!("route needs a set with a distribution bin")).in_field("route")),
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
    Ok(route.or_else(fixed).map(|route| store.segment_of_route(route) as u16))
}

/// Records that a scan of the selection looks at.
pub(super) fn records_of(store: &RecordStore, selection: &Selection) -> u64 {
    match (selection.only, &selection.set) {
        (Some(only), Some(set)) => {
            let cell = &store.cells()[usize::from(only)];
            // A segment that is locked for a change is not waited for: its counter is near enough.
            let indexed = cell.try_read().and_then(|segment| segment.set_slots(set.id).map(|slots| u64::from(slots.len())));
            indexed.unwrap_or_else(|| cell.records().min(set.records()))
        }
        (Some(only), None) => store.cells()[usize::from(only)].records(),
        (None, Some(set)) => selection.part_of(set.records(), store.segment_count()),
        (None, None) => selection.part_of(store.records(), store.segment_count()),
    }
}

impl Way {
    fn scan_method(&self) -> ScanMethod {
        match &self.selection.set {
            _ if self.scan.method == ScanMethod::TokenRanges => ScanMethod::TokenRanges,
            _ if self.selection.sequential => ScanMethod::DeviceSequential,
            None => ScanMethod::All,
            Some(_) if self.selection.use_index => ScanMethod::SetIndex,
            Some(_) => ScanMethod::SetColumn,
        }
    }

    fn in_order_plan(&self, order: &RangeOrder) -> QueryPlan {
        let name = &order.index().spec().name;
        let mut reason = sentence!(
            "the index \"{index}\" has this order: the query reads about {records, plural, one {# record} other {# records}} to find the first ones",
            index = name.as_str(),
            records = order.estimate
        );
        if self.selection.only.is_some() {
            reason = in_one_segment(reason);
        }
        QueryPlan {
            method: "range-order",
            index: Some(name.clone()),
            indexes: Vec::new(),
            segments: self.asked,
            estimated_candidates: Some(order.estimate),
            estimated_ms: Some(order.ms),
            terms: None,
            reason: reason.into(),
            alternatives: Vec::new(),
            tree: None,
            actual: None,
        }
    }

    fn scan_reason(&self, method: ScanMethod) -> Sentence {
        let why = match (self.never, self.filtered, self.considered.is_empty()) {
            (true, ..) => sentence!("no index is to be used"),
            (false, false, _) => sentence!("there is no filter"),
            (false, true, true) => sentence!("no index helps with what every match must pass"),
            (false, true, false) => sentence!("the indexes would propose so much that this is cheaper"),
        };
        let how = match (self.selection.only.is_some(), method) {
            (true, _) => sentence!("the one segment that the distribution bin names is scanned"),
            (false, ScanMethod::All) => sentence!("every record is scanned"),
            (false, ScanMethod::DeviceSequential) => sentence!("all blocks are read"),
            (false, ScanMethod::TokenRanges) => sentence!("all rows of the cluster are read"),
            (false, _) => sentence!("the set is scanned"),
        };
        sentence!("{why}; {how}", why = why, how = how)
    }

    /// By indexes in all ways that there are, and by scans.
    pub(super) fn alternatives(&self) -> Vec<QueryAlternative> {
        let mut all: Vec<QueryAlternative> = Vec::new();
        let mut add = |access: &Access, estimated_ms| {
            let (method, mut indexes) = names(access);
            let index = if indexes.len() == 1 { indexes.pop() } else { None };
            // The cheapest come first: of several lookups in one index, that one is shown.
            if !all.iter().any(|way| way.method == method && way.index == index) {
                all.push(QueryAlternative { method, index, estimated_ms });
            }
        };
        // What was chosen is among those that were considered, but for several of them together.
        if let Some(access) = self.access.as_ref().filter(|access| matches!(access.kind, AccessKind::And(_))) {
            add(access, self.index_ms);
        }
        self.considered.iter().for_each(|(access, ms)| add(access, *ms));
        if let Some(order) = &self.order {
            all.push(QueryAlternative { method: "range-order", index: Some(order.index().spec().name.clone()), estimated_ms: order.ms });
        }
        if self.selection.only.is_some() {
            all.push(QueryAlternative { method: self.scan_method().as_str(), index: None, estimated_ms: self.scan_ms });
        } else {
            let scans = self.scan.alternatives.iter();
            let ms = |scan_ms: f64| scan_ms * self.share;
            all.extend(scans.map(|scan| QueryAlternative {
                method: scan.method.as_str(),
                index: None,
                estimated_ms: ms(scan.estimated_ms),
            }));
        }
        all
    }
}

/// What a way by indexes is called, and the names of those it uses.
fn names(access: &Access) -> (&'static str, Vec<String>) {
    let mut lookups: Vec<&Lookup> = Vec::new();
    access.lookups(&mut lookups);
    let mut indexes: Vec<String> = Vec::new();
    for lookup in &lookups {
        let name = &lookup.index().spec().name;
        if !indexes.contains(name) {
            indexes.push(name.clone());
        }
    }
    let method = match (&indexes[..], lookups.first().map(|lookup| lookup.kind())) {
        ([_], Some(IndexKind::Document)) => "document-index",
        ([_], Some(IndexKind::Range)) => "range-index",
        _ => "indexes",
    };
    (method, indexes)
}

/// `considered`: lookups that could.
fn proposing(indexes: &[String], records: u64, considered: u64) -> Sentence {
    let names = indexes.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match (indexes.len(), considered) {
        (1, ..2) => {
            sentence!("the index {index} proposes {records, plural, one {# record} other {# records}}", index = names, records = records)
        }
        (1, 2..) => sentence!(
            "the index {index} proposes {records, plural, one {# record} other {# records}}, the cheapest of {considered, number} lookups that could",
            index = names,
            records = records,
            considered = considered
        ),
        (_, ..2) => sentence!(
            "the indexes {indexes} propose {records, plural, one {# record} other {# records}}",
            indexes = names,
            records = records
        ),
        (_, 2..) => sentence!(
            "the indexes {indexes} propose {records, plural, one {# record} other {# records}}, the cheapest of {considered, number} lookups that could",
            indexes = names,
            records = records,
            considered = considered
        ),
    }
}

fn in_one_segment(reason: Sentence) -> Sentence {
    sentence!("{reason}; the distribution bin names the segment", reason = reason)
}
