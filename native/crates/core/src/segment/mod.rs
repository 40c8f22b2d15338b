//! A shard of a namespace: its slice of the primary index, of every set, of every index, and of the bodies.
//!
//! | part | what it is |
//! | --- | --- |
//! | `cell`, `gauge` | a segment behind its lock, and figures that are readable without it |
//! | `segment`, `records` | what the lock guards: an index in memory beside bodies, or both in pages |
//! | `primary` | the primary index in memory |
//! | `bodies`, `fetch` | bodies in memory or an engine's; reading them without the lock |
//! | `indexes` | its parts of the document and range indexes |
//! | `in_flight`, `marks` | changes that may not be durable yet; which slots a walk has met |

mod bodies;
mod cell;
mod fetch;
mod gauge;
mod in_flight;
mod indexes;
mod marks;
mod primary;
mod records;
#[allow(clippy::module_inception, reason = "the module is named after the one struct it holds")]
mod segment;

pub use cell::SegmentCell;
pub(crate) use fetch::{Fetches, fetch_body};
pub use gauge::Footprint;
pub(crate) use in_flight::{Change, Effect, InFlight};
pub use indexes::SegmentIndexes;
pub(crate) use marks::Marks;
pub(crate) use primary::Seen;
pub use primary::Slots;
pub use segment::{Removal, Segment};

/// Slots looked at in one hold of a lock if few of them are met, or none: they are counted, or a sequential read has brought
/// them.
pub(crate) const LOOKED_AT: u32 = 16 * 1024;
