//! Scans: every record of a set, or of a namespace, segment by segment.
//!
//! `spec` is what a caller asks for, `plan` how it will be done, `visit` walks one segment, `run` drives workers and
//! writes records to a stream, `outbox` decides when, `page` walks in order for results with a limit, `cursor` says where a page ended,
//! `tally` counts and writes nothing.

mod cursor;
mod group;
mod outbox;
mod page;
mod plan;
mod run;
mod spec;
mod tally;
#[cfg(test)]
mod tests;
mod visit;
mod waiting;
mod write;

pub(crate) use plan::Selection;
pub use plan::{Alternative, ScanMethod, ScanPlan};
pub(crate) use run::Launch;
pub use run::Scan;
pub use spec::{CustomFormat, ScanFormat, ScanSpec, UseIndex};
pub use tally::TallySpec;
#[cfg(test)]
pub(crate) use visit::{End, Scratch, Walk};
pub use visit::{Found, VisitSpec};
