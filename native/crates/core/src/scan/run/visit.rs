//! Scans within the process: a call for every record, from several threads.

use crate::scan::plan::{PlanChoice, ScanSpec, UseIndex, plan_walk};
use crate::scan::traverse::{Traversal, WorkerScratch};
use crate::scan::walk::{Damaged, End, Found, STEP, Scratch, Visitor};
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tessera_base::Result;

/// Below this many records a scan is done before a second thread has woken up.
const ALONE: u64 = 20_000;

/// What `visit_all` visits.
#[derive(Clone, Debug)]
pub struct VisitSpec {
    /// `None`: every record; `Some("")`: records without a set.
    pub set: Option<String>,
    /// Most threads, 1 to 128; small scans use the calling one only.
    pub threads: u32,
    pub use_index: UseIndex,
    pub plan: PlanChoice,
    /// Whether bodies are wanted; without them nothing is read from a device.
    pub bodies: bool,
}

impl Default for VisitSpec {
    fn default() -> Self {
        Self { set: None, threads: 1, use_index: UseIndex::Auto, plan: PlanChoice::Auto, bodies: true }
    }
}

/// One thread of a visit.
struct Caller<'a> {
    worker: usize,
    visit: &'a (dyn Fn(usize, &Found<'_>) -> ControlFlow<()> + Sync),
    stop: &'a AtomicBool,
}

impl Visitor for Caller<'_> {
    fn most(&self) -> usize {
        STEP
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(End::Walk);
        }
        (self.visit)(self.worker, found).map_break(|()| End::Walk)
    }

    fn stepped(&mut self, _: u64, _: &[Damaged]) -> Result<()> {
        Ok(())
    }
}

/// Calls `visit` with every record of a set, or of the namespace, from up to `threads` threads; the first argument
/// tells them apart. Ends early when a call breaks. Records that are there throughout are met exactly once. `visit`
/// may run with a segment locked for reading: it must neither write to the namespace nor scan it. Records that cannot be
/// read are left out. What a `commit` namespace has shown is durable once this returns.
///
/// # Errors
/// As `explain`; `storage_failed`, `write_uncertain`.
pub fn visit_all(store: &RecordStore, spec: &VisitSpec, visit: &(dyn Fn(usize, &Found<'_>) -> ControlFlow<()> + Sync)) -> Result<()> {
    let asked =
        ScanSpec { set: spec.set.clone(), threads: spec.threads, use_index: spec.use_index, plan: spec.plan, ..ScanSpec::default() };
    let (plan, mut selection) = plan_walk(store, &asked, spec.bodies && !store.bodies_resident())?;
    selection.glances = true;
    let traversal = Traversal::begin(store, &selection, plan.estimated_records.unwrap_or_default(), spec.bodies);
    let walk = traversal.walk(store, &selection, spec.bodies);
    let looked_at = if selection.asks_records() { Some(store.records()) } else { plan.estimated_records };
    let alone = looked_at.is_some_and(|records| records < ALONE);
    if alone && spec.bodies && store.bodies_resident() {
        let each = &mut |found: &Found<'_>| visit(0, found);
        if walk.everything(each).1.is_break() {
            return Ok(());
        }
        return walk.moved(&mut Scratch::default(), each).map(drop);
    }
    let (stop, failure) = (AtomicBool::new(false), Mutex::new(Ok(())));
    let workers = if alone { 1 } else { spec.threads as usize };
    let share = |items: Range<usize>| {
        let next = AtomicUsize::new(items.start);
        store.pool().run(workers.min(items.len()), |worker| {
            let (mut scratch, mut caller) = (WorkerScratch::default(), Caller { worker, visit, stop: &stop });
            let mut work = || -> Result<ControlFlow<()>> {
                while !stop.load(Ordering::Relaxed) {
                    let item = next.fetch_add(1, Ordering::Relaxed);
                    if item >= items.end {
                        return traversal.drain(&walk, &mut scratch, &mut caller);
                    }
                    if traversal.item(&walk, item, &mut scratch, &mut caller)?.is_break() {
                        break;
                    }
                }
                Ok(ControlFlow::Break(()))
            };
            match work() {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => stop.store(true, Ordering::Relaxed),
                Err(error) => {
                    *failure.lock() = Err(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
    };
    let items = traversal.items(store);
    let mut from = 0;
    while from < items {
        let to = (from + 1..items).find(|&item| traversal.begins_stage(item)).unwrap_or(items);
        share(from..to);
        from = to;
    }
    failure.into_inner()?;
    if !stop.into_inner() {
        walk.moved(&mut Scratch::default(), &mut |found| visit(0, found))?;
    }
    traversal.settle()
}
