//! Scans: every record of a set, or of a namespace, segment by segment.
//!
//! | room | what is in it | look here for |
//! | --- | --- | --- |
//! | `plan` | what a caller asks for, and how it will be done | `spec`, `selection`, `planner`, `cost`, `prefilter`, `sample` |
//! | `walk` | one segment, slot by slot, in steps under its lock | `step`, `gather`, `live`, `moved`, `count`, `prefetch` |
//! | `device` | bodies in the order of a device, or block by block | `rounds`, `ordered_reads`, `sequential` |
//! | `traverse` | all of a selection, in items that workers take in turn | `traversal`, `slot_ranges`, `index_order`, `backoff` |
//! | `output` | what is made of the records met | `matcher`, `writer`, `outbox`, `backlog`, `cursor` |
//! | `run` | scans as jobs, pages, counts and calls | `stream`, `page`, `ranked`, `tally`, `visit`, `calibrate` |
//!
//! Each room uses those above it only; `output` uses neither `device` nor `traverse`.

mod device;
mod output;
mod plan;
mod run;
#[cfg(test)]
mod tests;
mod traverse;
mod walk;

pub use output::WORKER_BYTES;
pub(crate) use output::{Met, Outbox, add_costs, open_stream};
pub use plan::{Alternative, CustomFormat, PlanChoice, QueryProfile, Sample, ScanFormat, ScanMethod, ScanPlan, ScanSpec, UseIndex};
pub(crate) use plan::{Launch, Prefilter, Selection, beats_all_rows, by_blocks, by_place_ms, explain, plan_walk, select};
pub use run::{Scan, TallySpec, VisitSpec};
pub(crate) use run::{TallyPlan, calibrate, launch, launch_ranked, launch_tally, start, visit_all};
pub(crate) use traverse::{Backoff, Traversal, Turn, WorkerScratch};
pub use walk::Found;
pub(crate) use walk::{ALL_SLOTS, Damaged, End, STEP, Scratch, Visitor, Walk, note_damaged, step_size, write_damaged_lines};
