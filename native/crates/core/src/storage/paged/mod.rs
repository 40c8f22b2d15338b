//! The paged engine: fixed pages behind a cache, for data and indexes larger than memory.
//!
//! | part | what it does |
//! | --- | --- |
//! | `page` | what every page begins with, and its checksum |
//! | `cache`, `policy`, `table` | pages in frames of memory: which stay, which are written when, who may look |
//! | `log` | the write-ahead log: a ring of records, group commit |
//! | `change` | what one operation does to some pages: logged whole, undone whole |
//! | `cells` | a page of cells: bytes of any length, which keep their number |
//! | `tree` | a B+tree of a segment: from digest to slot |
//! | `pages`, `head`, `loss` | all of it together: opening after a crash, what is lost, checkpoints |
//! | `ledger` | older copies of pages of the index are known |
//! | `rebuild` | the index made anew from what a loss has left |
//! | `space`, `extents` | which pages are whose, which are free, and where there is room |
//! | `slot_map` | what is known of a record, by slot |
//! | `bodies` | the bytes of a record: a cell, and pages of its own where it is long |
//! | `names` | sets, as pages refer to them |
//! | `store`, `segment` | what a namespace's segments share, and a segment: its records, changed as one |
//! | `storage`, `options`, `files` | a namespace's storage: its files, opened and closed; what writers wait for |
//! | `snapshot` | document and range indexes from a close to the next start |
//! | `checkpointer`, `page_writer`, `log_flusher` | its threads |
//! | `cache_reader` | reading the bodies of many records, several at once, and neighbours together |
//! | `report`, `counters`, `map` | what is told of all this |
//! | `what_if` | a sample of reads, and what they would cost with pages of another size |

pub mod bodies;
pub mod cache;
mod cache_reader;
pub mod cells;
pub mod change;
mod checkpointer;
mod counters;
mod extents;
mod files;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod head;
mod ledger;
pub mod log;
mod log_flusher;
mod loss;
mod map;
mod names;
mod options;
pub mod page;
mod page_writer;
pub mod pages;
mod policy;
mod rebuild;
pub mod report;
pub mod segment;
mod slot_map;
mod snapshot;
pub mod space;
mod storage;
pub mod store;
mod table;
pub mod tree;
mod what_if;

pub use options::PagedOptions;
pub use storage::{EachPage, PagedStorage};

use std::path::Path;

/// The pages, and their log, in a namespace's folder.
pub const PAGES_FILE: &str = "pages";
pub const LOG_FILE: &str = "log";

/// Bytes of both files in a namespace's folder.
pub fn file_bytes(folder: &Path) -> u64 {
    let length = |name: &str| folder.join(name).metadata().map_or(0, |found| found.len());
    length(PAGES_FILE) + length(LOG_FILE)
}
