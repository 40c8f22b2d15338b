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
//! | `pages`, `head` | all of it together: opening after a crash, checkpoints |

pub mod cache;
pub mod cells;
pub mod change;
mod head;
pub mod log;
pub mod page;
pub mod pages;
mod policy;
mod table;
pub mod tree;
