//! How a scan finds its records, and what the other ways would cost.

use super::cost::Extent;
use super::elsewhere;
use super::scan_plan::{Alternative, ScanMethod, ScanPlan};
use super::selection::{Selection, select};
use super::spec::{PlanChoice, ScanSpec, UseIndex};
use crate::sets::SetIndexState;
use crate::store::RecordStore;
use tessera_base::{Result, Sentence, limits, processors, sentence};

/// How a scan would be done.
///
/// # Errors
/// `set_not_found`, `threads_invalid`, `sample_invalid`, `aggregate_invalid`; `index_not_found` when an index is forced that is off;
/// `config_invalid`, `unsupported` for a plan that this scan cannot have.
pub fn explain(store: &RecordStore, spec: &ScanSpec) -> Result<ScanPlan> {
    spec.check()?;
    Ok(plan_scan(store, spec)?.0)
}

pub(in crate::scan) fn plan_scan(store: &RecordStore, spec: &ScanSpec) -> Result<(ScanPlan, Selection)> {
    plan_walk(store, spec, spec.reads_body() && !store.bodies_resident())
}

/// As `plan_scan`; `reads`: whether bodies are wanted that are not in memory.
pub(crate) fn plan_walk(store: &RecordStore, spec: &ScanSpec, reads: bool) -> Result<(ScanPlan, Selection)> {
    limits::check_threads(spec.threads)?;
    if let Some(listed) = store.indexes_elsewhere() {
        return elsewhere::plan(store, &listed, spec);
    }
    let by_slots = spec.by_slots();
    // OrderedReads by the block takes an index in memory, to tell what of a block is current.
    let blocks = store.index_resident();
    spec.check_plan(reads, blocks)?;
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
        ScanMethod::TokenRanges => None,
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
        estimated_ms: Some(cost(method).unwrap_or_default()),
        estimated_records: Some(records),
        namespace_records: Some(extent.records),
        segments: Some(segments),
        threads: spec.threads,
        reason: reason(spec, &selection, method),
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

/// What reading all blocks of a device costs, beside reading so many records each at its place.
pub(crate) struct ByBlocks {
    pub(crate) sequential_ms: f64,
    pub(crate) by_slot_ms: f64,
    /// Bytes that a record takes where it is stored, on average.
    pub(crate) record_bytes: u64,
}

/// `None` where bodies are in memory, or no index in memory tells what of a block is current.
pub(crate) fn by_blocks(store: &RecordStore, threads: u32, wanted: u64) -> Option<ByBlocks> {
    let extent = extent(store, threads, !store.bodies_resident());
    let sequential_ms = extent.sequential_ms().filter(|_| store.index_resident())?;
    let by_slot_ms = extent.by_slot_ms(wanted, wanted, true);
    Some(ByBlocks { sequential_ms, by_slot_ms, record_bytes: extent.stored_bytes / extent.records.max(1) })
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

fn reason(spec: &ScanSpec, selection: &Selection, method: ScanMethod) -> Sentence {
    let state = selection.set.as_ref().map(|set| set.index_state());
    match (spec.plan, method) {
        (PlanChoice::Auto, ScanMethod::All) => sentence!("nothing limits the scan to one set, so it reads every record"),
        (PlanChoice::Auto, ScanMethod::SetIndex) => sentence!("the set has an index"),
        (PlanChoice::Auto, ScanMethod::DeviceSequential) => {
            sentence!("reading all blocks is cheaper than reading each record at its place")
        }
        (PlanChoice::Auto, ScanMethod::SetColumn) => match (spec.use_index, state) {
            (UseIndex::Never, _) => sentence!("the request turns the set index off"),
            (_, Some(SetIndexState::Building)) => sentence!("the index of the set is still being built"),
            _ => sentence!("the set has no index; switching one on makes this scan cost only its own records"),
        },
        _ => sentence!("the request names this plan"),
    }
}
