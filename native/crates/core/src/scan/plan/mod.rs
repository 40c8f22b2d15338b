//! What a caller asks for, and how it will be done: the records that are visited, the method, and its cost.

mod cost;
mod elsewhere;
mod launch;
mod planner;
mod prefilter;
mod profile;
mod sample;
mod scan_plan;
mod selection;
mod spec;

pub(super) use cost::ROUND_RECORDS;
pub(crate) use elsewhere::beats_all_rows;
pub(crate) use launch::Launch;
pub(super) use planner::plan_scan;
pub(crate) use planner::{by_blocks, by_place_ms, explain, plan_walk};
pub(crate) use prefilter::Prefilter;
pub use profile::QueryProfile;
pub(super) use profile::{WorkerProfile, timed};
pub use sample::Sample;
pub use scan_plan::{Alternative, ScanMethod, ScanPlan};
pub(crate) use selection::{Selection, select};
pub(super) use spec::reads_size;
pub use spec::{CustomFormat, PlanChoice, ScanFormat, ScanSpec, UseIndex};
