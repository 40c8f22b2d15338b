//! A shard of a namespace: its slice of the primary index, of every set, of every index, and of the bodies.

mod bodies;
mod cell;
mod entry;
mod fetch;
mod gauge;
mod hints;
mod in_flight;
mod indexes;
mod line;
mod marks;
mod records;
#[allow(clippy::module_inception, reason = "the module is named after the one struct it holds")]
mod segment;
mod slots;
mod table;

pub use cell::SegmentCell;
pub(crate) use fetch::{Fetches, fetch_body};
pub use gauge::Footprint;
pub(crate) use in_flight::{Change, Effect, InFlight};
pub use indexes::SegmentIndexes;
pub(crate) use marks::Marks;
pub use segment::{Removal, Segment};
pub(crate) use slots::Seen;
pub use slots::Slots;

/// Slots looked at in one hold of a lock if few of them are met, or none: they are counted, or a sequential read has brought
/// them.
pub(crate) const LOOKED_AT: u32 = 16 * 1024;
