//! How a scan finds its records, and what the other ways would cost.

use super::cost::Extent;
use super::screen::Screen;
use super::spec::{PlanChoice, ScanSpec, UseIndex};
use crate::access::{Proposal, RangeOrder};
use crate::ownership::SegmentSet;
use crate::segment::Marks;
use crate::sets::{SetEntry, SetIndexState};
use crate::store::{Following, RecordStore};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, limits, processors};
use tessera_record::Digest;
use tessera_storage::DeviceCosts;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanMethod {
    /// Walks the set's index.
    SetIndex,
    /// Compares the set column.
    SetColumn,
    /// Takes every record.
    All,
    /// Reads the stored blocks one behind the other.
    DeviceSequential,
}

impl ScanMethod {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SetIndex => "set-index",
            Self::SetColumn => "set-column",
            Self::All => "all",
            Self::DeviceSequential => "device-sequential",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScanPlan {
    pub method: ScanMethod,
    pub estimated_ms: f64,
    /// Records the scan will look at.
    pub estimated_records: u64,
    pub namespace_records: u64,
    /// Segments that are visited.
    pub segments: u32,
    pub threads: u32,
    pub reason: String,
    pub alternatives: Vec<Alternative>,
    /// What the estimates of a device are made with.
    pub costs: Option<DeviceCosts>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alternative {
    pub method: ScanMethod,
    pub estimated_ms: f64,
}

/// The records that a scan visits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// `None`: every set.
    pub(crate) set: Option<Arc<SetEntry>>,
    pub(crate) use_index: bool,
    /// The one segment that is visited, if not all are.
    pub(crate) only: Option<u16>,
    /// The segments whose records are visited; `None`: all.
    pub(crate) segments: Option<Arc<SegmentSet>>,
    /// Whether one cell holds the records of all segments, so that each record is to be asked for its own.
    pub(crate) flat: bool,
    /// The slots that a document or range index proposes, if one is used.
    pub(crate) proposal: Option<Arc<Proposal>>,
    /// The range index whose order is walked first, if one is.
    pub(crate) order: Option<Arc<RangeOrder>>,
    /// Whether the stored blocks are read one behind the other.
    pub(crate) sequential: bool,
    /// What passes over records before their bodies are read, if anything does.
    pub(crate) screen: Option<Arc<Screen>>,
    /// Whether the sizes of records are asked for.
    pub(crate) sizes: bool,
    /// Whether bodies in memory are copied: what is made of them takes longer than a lock may be held.
    pub(crate) copies: bool,
    /// Whether no more than the beginnings of large bodies is likely to be looked at where they are in memory.
    pub(crate) glances: bool,
}

impl Selection {
    /// Whether a segment has nothing to visit; false when that takes a look to know.
    pub(crate) fn skips(&self, segment: usize) -> bool {
        let wanted = self.segments.as_ref().is_none_or(|segments| self.flat || segments.has(segment as u16));
        let elsewhere = !wanted || self.only.is_some_and(|only| usize::from(only) != segment);
        let nothing = self.use_index && self.set.as_ref().is_some_and(|set| !set.presence().has(segment));
        elsewhere || nothing || self.proposal.as_ref().is_some_and(|proposal| proposal.skips(segment))
    }

    /// Whether a record that is in a cell that is not skipped may be of another segment.
    pub(crate) fn asks_records(&self) -> bool {
        self.flat && self.segments.is_some()
    }

    /// Whether a record of a cell is of the segments wanted, of so many.
    #[inline]
    pub(super) fn wants(&self, cell: u16, digest: &Digest, segments: u32) -> bool {
        let Some(wanted) = &self.segments else { return true };
        wanted.has(if self.flat { digest.segment(segments) } else { cell })
    }

    /// About how many of so many records are in the segments wanted, of so many.
    pub(crate) fn part_of(&self, records: u64, segments: u32) -> u64 {
        let Some(wanted) = &self.segments else { return records };
        (records as f64 * f64::from(wanted.len()) / f64::from(segments)).round() as u64
    }

    /// Whether what a walk meets may go from segment to segment.
    pub(super) fn may_move(&self, store: &RecordStore) -> bool {
        let move_about = self.set.as_ref().map_or_else(|| store.any_distributed(), |set| set.distribution.is_some());
        move_about && self.only.is_none()
    }

    /// For a walk through all of the selection, if what it meets may move from segment to segment.
    pub(super) fn follow_moves(&self, store: &RecordStore, marks: Option<Arc<Marks>>) -> Option<Following> {
        self.may_move(store).then(|| store.follow_moves(marks))
    }

    fn method(&self) -> ScanMethod {
        match &self.set {
            _ if self.sequential => ScanMethod::DeviceSequential,
            None => ScanMethod::All,
            Some(_) if self.use_index => ScanMethod::SetIndex,
            Some(_) => ScanMethod::SetColumn,
        }
    }
}

/// How a scan would be done.
///
/// # Errors
/// `set_not_found`, `threads_invalid`, `sample_invalid`, `aggregate_invalid`; `index_not_found` when an index is forced that is off;
/// `config_invalid`, `unsupported` for a plan that this scan cannot have.
pub fn explain(store: &RecordStore, spec: &ScanSpec) -> Result<ScanPlan> {
    spec.check()?;
    Ok(plan_scan(store, spec)?.0)
}

pub(super) fn plan_scan(store: &RecordStore, spec: &ScanSpec) -> Result<(ScanPlan, Selection)> {
    plan_walk(store, spec, spec.reads_body() && !store.bodies_resident())
}

/// As `plan_scan`; `reads`: whether bodies are wanted that are not in memory.
pub(crate) fn plan_walk(store: &RecordStore, spec: &ScanSpec, reads: bool) -> Result<(ScanPlan, Selection)> {
    limits::check_threads(spec.threads)?;
    let by_slots = spec.by_slots();
    // Reading by the block takes an index in memory, to tell what of a block is current.
    let blocks = store.index_resident();
    check_plan(spec, by_slots, reads, blocks)?;
    let use_index = match spec.plan {
        PlanChoice::Auto => spec.use_index,
        PlanChoice::SetIndex => UseIndex::Force,
        PlanChoice::SetColumn | PlanChoice::Device => UseIndex::Never,
    };
    let mut selection = select(store, spec.set.as_deref(), use_index)?;
    selection.segments = store.scope(spec.segments.as_deref())?;
    let extent = extent(store, spec.threads, reads);
    let part = |records| selection.part_of(records, store.segment_count());
    let (all, records) = (part(extent.records), part(selection.set.as_ref().map_or(extent.records, |set| set.records())));
    let possible: &[ScanMethod] = match &selection.set {
        None => &[ScanMethod::All],
        Some(_) => &[ScanMethod::SetIndex, ScanMethod::SetColumn, ScanMethod::All],
    };
    let cost = |method| match method {
        ScanMethod::SetIndex => Some(extent.by_slot_ms(records, spec.part_of(records), false)),
        ScanMethod::SetColumn => Some(extent.by_slot_ms(records, spec.part_of(records), true)),
        ScanMethod::All => Some(extent.by_slot_ms(all, spec.part_of(all), false)),
        ScanMethod::DeviceSequential => extent.sequential_ms().filter(|_| blocks),
    };
    let sequential = [ScanMethod::DeviceSequential];
    let alternative = |&method| Some(Alternative { method, estimated_ms: cost(method)? });
    let alternatives = possible.iter().chain(&sequential).filter_map(alternative).collect();
    let by_slot = selection.method();
    selection.sequential = match spec.plan {
        PlanChoice::Device => true,
        PlanChoice::SetIndex | PlanChoice::SetColumn => false,
        PlanChoice::Auto => {
            let cheaper = cost(ScanMethod::DeviceSequential) < cost(by_slot);
            extent.device.is_some() && blocks && !by_slots && spec.use_index != UseIndex::Force && cheaper
        }
    };
    selection.use_index &= !selection.sequential;
    let method = selection.method();
    let segments = match &selection.set {
        Some(set) if selection.use_index => set.presence().count(),
        _ => store.cells().iter().enumerate().filter(|(id, cell)| cell.records() > 0 && !selection.skips(*id)).count() as u32,
    };
    let plan = ScanPlan {
        method,
        estimated_ms: cost(method).unwrap_or_default(),
        estimated_records: records,
        namespace_records: extent.records,
        segments,
        threads: spec.threads,
        reason: reason(spec, &selection, method).to_owned(),
        alternatives,
        costs: extent.device,
    };
    Ok((plan, selection))
}

/// Milliseconds for looking at so many records, each found at its place; `reads`: whether their bodies are wanted.
pub(crate) fn by_place_ms(store: &RecordStore, threads: u32, reads: bool) -> impl Fn(u64) -> f64 {
    let extent = extent(store, threads, reads && !store.bodies_resident());
    move |records| extent.by_slot_ms(records, records, false)
}

fn extent(store: &RecordStore, threads: u32, reads: bool) -> Extent {
    let device = reads.then(|| store.costs());
    let stored_bytes = if device.is_some() {
        let usage = store.usage();
        usage.device_bytes.saturating_sub(usage.free_bytes)
    } else {
        0
    };
    Extent { segments: store.cells().len() as u64, records: store.records(), stored_bytes, threads, processors: processors(), device }
}

/// # Errors
/// `set_not_found`; `index_not_found` when an index is forced that is off.
pub(crate) fn select(store: &RecordStore, set: Option<&str>, use_index: UseIndex) -> Result<Selection> {
    let Some(name) = set else { return Ok(Selection { flat: store.is_flat(), ..Selection::default() }) };
    let set = store.find_set(name)?;
    let ready = set.index_state() == SetIndexState::On;
    if use_index == UseIndex::Force && !ready {
        let message = format!("the index of the set {name:?} is {}", if set.indexed() { "still being built" } else { "off" });
        return Err(Error::new(ErrorCode::IndexNotFound, message).in_field("useIndex"));
    }
    Ok(Selection { use_index: ready && use_index != UseIndex::Never, set: Some(set), flat: store.is_flat(), ..Selection::default() })
}

/// # Errors
/// `config_invalid`, `unsupported` for a plan that this scan cannot have.
fn check_plan(spec: &ScanSpec, by_slots: bool, reads: bool, blocks: bool) -> Result<()> {
    let refuse = |code, why: &str| Err(Error::new(code, why).in_field("plan"));
    match spec.plan {
        PlanChoice::Auto => Ok(()),
        _ if spec.use_index != UseIndex::Auto => {
            refuse(ErrorCode::ConfigInvalid, "plan and useIndex cannot be combined; leave useIndex out")
        }
        PlanChoice::SetIndex if spec.set.is_none() => refuse(ErrorCode::ConfigInvalid, "the plan set-index needs a set"),
        PlanChoice::Device if !reads => {
            refuse(ErrorCode::Unsupported, "the plan device is not possible: the scan reads nothing from a device")
        }
        PlanChoice::Device if !blocks => refuse(ErrorCode::Unsupported, "the plan device is not possible in a paged namespace"),
        PlanChoice::Device if by_slots => refuse(
            ErrorCode::ConfigInvalid,
            "a scan with a limit, a cursor or marks of segments goes in the order of slots, not of the device",
        ),
        PlanChoice::SetIndex | PlanChoice::SetColumn | PlanChoice::Device => Ok(()),
    }
}

fn reason(spec: &ScanSpec, selection: &Selection, method: ScanMethod) -> &'static str {
    let state = selection.set.as_ref().map(|set| set.index_state());
    match (spec.plan, method) {
        (PlanChoice::Auto, ScanMethod::All) => "every record is wanted",
        (PlanChoice::Auto, ScanMethod::SetIndex) => "the set has an index",
        (PlanChoice::Auto, ScanMethod::DeviceSequential) => "reading all blocks is cheaper than reading each record at its place",
        (PlanChoice::Auto, ScanMethod::SetColumn) => match (spec.use_index, state) {
            (UseIndex::Never, _) => "the index is not to be used",
            (_, Some(SetIndexState::Building)) => "the index of the set is still being built",
            _ => "the set has no index; switching one on makes this scan cost only its own records",
        },
        _ => "the plan was asked for",
    }
}
