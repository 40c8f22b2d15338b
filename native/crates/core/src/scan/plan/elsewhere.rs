//! The plan of a walk over records that a cluster has: all rows, or those that the index of a set brings.

use super::scan_plan::{ScanMethod, ScanPlan};
use super::selection::{Selection, select};
use super::spec::{PlanChoice, ScanSpec, UseIndex};
use crate::config::Feature;
use crate::store::RecordStore;
use crate::store::remote::{RemoteIndexState, RemoteIndexes};
use tessera_base::{Result, sentence};

/// An index brings so few rows in less time than it takes to ask for all ranges.
const FEW: u64 = 1000;
/// A row that an index brings takes as long as so many that are read one behind the other.
const ROWS: u64 = 5;

/// Whether to ask an index for so many rows is cheaper than to read all of them.
pub(crate) const fn beats_all_rows(rows: u64, all: u64) -> bool {
    rows <= FEW || rows.saturating_mul(ROWS) <= all
}

/// # Errors
/// As `plan_scan`; `capability_unsupported` for what goes by segments and slots.
pub(super) fn plan(store: &RecordStore, listed: &RemoteIndexes, spec: &ScanSpec) -> Result<(ScanPlan, Selection)> {
    if spec.segments.is_some() || spec.segment_marks {
        store.require(Feature::Segments)?;
    }
    spec.check_plan(false, false)?;
    let use_index = match spec.plan {
        PlanChoice::SetIndex => UseIndex::Force,
        PlanChoice::SetColumn => UseIndex::Never,
        PlanChoice::Auto | PlanChoice::Device => spec.use_index,
    };
    let mut selection = select(store, spec.set.as_deref(), use_index)?;
    let wanted = std::mem::take(&mut selection.use_index);
    let (records, forced) = (selection.set.as_ref().map_or(0, |set| set.records()), use_index == UseIndex::Force);
    // Perhaps that is another list than the one that made it wanted.
    let found = selection.set.as_ref().filter(|_| wanted).and_then(|set| listed.of_set(&set.name));
    let ready = found.filter(|index| index.state == RemoteIndexState::Ready);
    let index = ready.filter(|_| forced || beats_all_rows(records, store.records()));
    let (method, reason) = match index {
        Some(_) if forced => (ScanMethod::SetIndex, sentence!("the request names this plan")),
        Some(_) => (ScanMethod::SetIndex, sentence!("the set has an index")),
        None if ready.is_some() => (
            ScanMethod::TokenRanges,
            sentence!("the set has an index, and so many records that reading each row of the cluster is cheaper"),
        ),
        None => (ScanMethod::TokenRanges, sentence!("a cluster has the records, and each of its rows is read")),
    };
    selection.asks = index.map(|index| listed.asks(vec![index.ask_set()], records));
    let plan = ScanPlan {
        method,
        estimated_ms: None,
        estimated_records: index.map(|_| records),
        namespace_records: None,
        segments: None,
        threads: spec.threads,
        reason,
        alternatives: Vec::new(),
        costs: None,
    };
    Ok((plan, selection))
}
