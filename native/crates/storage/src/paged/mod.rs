//! The paged engine: fixed pages behind a cache, for data and indexes larger than memory.
//!
//! | part | what it does |
//! | --- | --- |
//! | `page`, `cells` | what every page begins with, and its checksum; a page of cells, which keep their number |
//! | `cache` | pages in frames of memory: which stay, which are written when, who may look; the ledger of their LSNs |
//! | `log` | the write-ahead log: a ring of records, group commit |
//! | `change` | what one operation does to some pages: logged whole, undone whole |
//! | `pages` | cache, log and head together: opening after a crash, what is lost, checkpoints |
//! | `space`, `store` | what the segments of a namespace share: extents, and sets as pages refer to them |
//! | `segment` | a segment: tree of digests, slot map, bodies, extents; its records, changed as one |
//! | `rebuild` | the index made anew from what a loss has left |
//! | `storage`, `options` | a namespace's storage: its files, opened and closed; what writers wait for; reading many bodies at once |
//! | `threads` | its threads |
//! | `report`, `counters` | what is told of all this: the map of pages, and what reads would cost with pages of another size |

mod cache;
mod cells;
mod change;
mod counters;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod log;
mod options;
mod page;
mod pages;
mod rebuild;
pub mod report;
mod segment;
mod space;
mod storage;
mod store;
mod threads;

pub use cache::FRAMES_MIN;
pub use log::RING_MIN;
pub use options::PagedOptions;
pub use page::{KIND, Kind, PageId, PageSize};
pub use segment::PagedSegment;
pub use storage::PagedStorage;

use std::path::Path;

/// The pages, and their log, in a namespace's folder.
pub const PAGES_FILE: &str = "pages";
pub const LOG_FILE: &str = "log";

/// Bytes of both files in a namespace's folder.
pub fn file_bytes(folder: &Path) -> u64 {
    let length = |name: &str| folder.join(name).metadata().map_or(0, |found| found.len());
    length(PAGES_FILE) + length(LOG_FILE)
}
