//! Scans: every record of a set, or of a namespace, segment by segment.
//!
//! `spec` is what a caller asks for, `plan` how it will be done, `cost` what that costs and `calibrate` measures it. `visit`
//! walks one segment, `ahead` asks the processor for what that looks at, `live_walk` goes where nothing
//! but time and truncations hides a record, `places` reads a device by the places of records, `sequential`
//! by the block; `traversal` are what their workers take in turn, `ranges` those of a container with one cell. `run` drives
//! workers and writes records to a stream (`answer`), `outbox` decides when, `page` walks in order for results with a limit, `cursor` says
//! where a page ended, `backlog` keeps rows that there was no room for, `segment_marks` says which segments are through, `screen` passes over records whose bodies need not be
//! read, `pick` decides what is wanted of the others, `sample` takes a part, `ranked` writes in an order, `ordered` walks in it where an
//! index has it, `tally` counts and writes nothing, `each` calls back, `steps` is what becomes of what is wanted while a query is
//! analysed.

mod ahead;
mod answer;
mod backlog;
mod backoff;
mod calibrate;
mod cost;
mod cursor;
mod each;
mod group;
mod launch;
mod live_walk;
mod ordered;
mod outbox;
mod page;
mod pick;
mod places;
mod plan;
mod ranges;
mod ranked;
mod run;
mod sample;
mod screen;
mod segment_marks;
mod sequential;
mod spec;
mod steps;
mod tally;
#[cfg(test)]
mod tests;
mod traversal;
mod visit;
mod waiting;
mod write;

pub(crate) use answer::{add_costs, open_stream};
pub(crate) use backoff::Backoff;
pub(crate) use calibrate::calibrate;
pub use each::VisitSpec;
pub(crate) use each::visit_all;
pub(crate) use launch::Launch;
pub(crate) use outbox::Outbox;
pub use outbox::WORKER_BYTES;
pub(crate) use pick::Met;
pub use plan::{Alternative, ScanMethod, ScanPlan};
pub(crate) use plan::{Selection, by_place_ms, explain, plan_walk, select};
pub(crate) use ranges::ALL_SLOTS;
pub(crate) use ranked::launch_ranked;
pub use run::Scan;
pub(crate) use run::{launch, start};
pub use sample::Sample;
pub(crate) use screen::Screen;
pub use spec::{CustomFormat, PlanChoice, ScanFormat, ScanSpec, UseIndex};
pub use steps::Steps;
pub use tally::TallySpec;
pub(crate) use tally::{TallyPlan, launch_tally};
pub(crate) use traversal::{Traversal, Visitor};
pub use visit::Found;
pub(crate) use visit::{Damaged, End, STEP, Scratch, Walk, note_damaged, step_size, write_damaged_lines};
