//! What finds records by what is in them. Each part belongs to one segment and answers with slots.
//!
//! | part | what it does |
//! | --- | --- |
//! | `set_column`, `slot_set` | the set of each slot; the slots of one set |
//! | `spec`, `entry` | what an index covers; where it stands, as its namespace and all its segments know it |
//! | `part`: `document`, `range` | one segment's part of one index: documents by what they contain, values in order |
//! | `runs`, `merges` | what writes leave beside the sorted layer; the queue of parts that want to be merged |
//! | `range_key`, `range_walk` | values as a range index keeps them; its entries in order |
//! | `uses` | how often queries used an index |
//! | `image`, `renumbering` | a part as a snapshot keeps it; new numbers for its slots |

pub mod document;
mod entry;
pub mod image;
mod merges;
mod part;
pub mod range;
mod range_image;
mod range_key;
mod range_walk;
mod renumbering;
mod runs;
pub mod set_column;
pub mod slot_set;
mod spec;
mod uses;

pub use entry::{Index, IndexOrigin, IndexState, Indexed};
pub use merges::{MergeCounts, MergeQueue, Wanted};
pub use part::{PartMerge, SegmentIndex, SegmentIndexStats};
pub use range_key::RangeKey;
pub use range_walk::{RangeEntry, RangeWalk};
pub use renumbering::{Renumber, Renumbering};
pub use runs::Due;
pub use spec::{IndexKind, IndexSpec};
pub use uses::IndexUses;
