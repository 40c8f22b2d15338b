//! How a scan finds its records, and what the other ways would cost.

use super::spec::{ScanSpec, UseIndex};
use crate::error::{Error, ErrorCode, Result};
use crate::limits;
use crate::namespace::{Following, Namespace};
use crate::query::Proposal;
use crate::sets::{SetEntry, SetIndexState};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanMethod {
    /// Walks the set's index.
    SetIndex,
    /// Compares the set column.
    SetColumn,
    /// Takes every record.
    All,
}

impl ScanMethod {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SetIndex => "set-index",
            Self::SetColumn => "set-column",
            Self::All => "all",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScanPlan {
    pub method: ScanMethod,
    /// Records the scan will look at.
    pub estimated_records: u64,
    pub namespace_records: u64,
    /// Segments that are visited.
    pub segments: u32,
    pub threads: u32,
    pub reason: String,
    pub alternatives: Vec<Alternative>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alternative {
    pub method: ScanMethod,
    pub estimated_ms: f64,
}

/// What one step costs, nanoseconds, measured on one core; only compared with each other.
const VISIT_NS: f64 = 250.0;
const COLUMN_NS: f64 = 0.15;
const SEGMENT_NS: f64 = 60.0;

/// The records that a scan visits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// `None`: every set.
    pub(crate) set: Option<Arc<SetEntry>>,
    pub(crate) use_index: bool,
    /// The one segment that is visited, if not all are.
    pub(crate) only: Option<u16>,
    /// The slots that a document or range index proposes, if one is used.
    pub(crate) proposal: Option<Arc<Proposal>>,
}

impl Selection {
    /// Whether a segment has nothing to visit; false when that takes a look to know.
    pub(crate) fn skips(&self, segment: usize) -> bool {
        let elsewhere = self.only.is_some_and(|only| usize::from(only) != segment);
        let nothing = self.use_index && self.set.as_ref().is_some_and(|set| !set.presence().has(segment));
        elsewhere || nothing || self.proposal.as_ref().is_some_and(|proposal| proposal.skips(segment))
    }

    /// For a walk through all of the selection, if what it meets may move from segment to segment.
    pub(crate) fn follow_moves(&self, namespace: &Namespace) -> Option<Following> {
        let move_about = self.set.as_ref().map_or_else(|| namespace.any_distributed(), |set| set.distribution.is_some());
        (move_about && self.only.is_none()).then(|| namespace.follow_moves())
    }
}

impl Namespace {
    /// How a scan would be done.
    ///
    /// # Errors
    /// `set_not_found`, `threads_invalid`; `index_not_found` when an index is forced that is off.
    pub fn explain_scan(&self, spec: &ScanSpec) -> Result<ScanPlan> {
        Ok(self.plan_scan(spec)?.0)
    }

    pub(super) fn plan_scan(&self, spec: &ScanSpec) -> Result<(ScanPlan, Selection)> {
        limits::check_threads(spec.threads)?;
        let selection = self.select(spec.set.as_deref(), spec.use_index)?;
        let total = self.size(None);
        let records = selection.set.as_ref().map_or(total, |set| set.records());
        let segments = match &selection.set {
            Some(set) if selection.use_index => set.presence().count(),
            _ => self.cells().iter().filter(|cell| cell.records() > 0).count() as u32,
        };
        let (method, reason) = match &selection.set {
            None => (ScanMethod::All, "every record is wanted".to_owned()),
            Some(_) if selection.use_index => (ScanMethod::SetIndex, "the set has an index".to_owned()),
            Some(set) => {
                let reason = match (spec.use_index, set.index_state()) {
                    (UseIndex::Never, _) => "the index is not to be used",
                    (_, SetIndexState::Building) => "the index of the set is still being built",
                    _ => "the set has no index; switching one on makes this scan cost only its own records",
                };
                (ScanMethod::SetColumn, reason.to_owned())
            }
        };
        let cost = |method| {
            let visits = (if method == ScanMethod::All { total } else { records }) as f64 * VISIT_NS;
            let column = if method == ScanMethod::SetColumn { total as f64 * COLUMN_NS } else { 0.0 };
            (visits + column + self.cells().len() as f64 * SEGMENT_NS) / 1e6
        };
        let possible: &[ScanMethod] = match &selection.set {
            None => &[ScanMethod::All],
            Some(_) => &[ScanMethod::SetIndex, ScanMethod::SetColumn, ScanMethod::All],
        };
        let alternatives = possible.iter().map(|&method| Alternative { method, estimated_ms: cost(method) }).collect();
        let plan = ScanPlan {
            method,
            estimated_records: records,
            namespace_records: total,
            segments,
            threads: spec.threads,
            reason,
            alternatives,
        };
        Ok((plan, selection))
    }

    /// # Errors
    /// `set_not_found`; `index_not_found` when an index is forced that is off.
    pub(crate) fn select(&self, set: Option<&str>, use_index: UseIndex) -> Result<Selection> {
        let Some(name) = set else { return Ok(Selection::default()) };
        let set = self.find_set(name)?;
        let ready = set.index_state() == SetIndexState::On;
        if use_index == UseIndex::Force && !ready {
            let message = format!("the index of the set {name:?} is {}", if set.indexed() { "still being built" } else { "off" });
            return Err(Error::new(ErrorCode::IndexNotFound, message).in_field("useIndex"));
        }
        Ok(Selection { use_index: ready && use_index != UseIndex::Never, set: Some(set), ..Selection::default() })
    }
}
