//! The paged engine: fixed pages behind a cache, for data and indexes larger than memory.
//!
//! | part | what it does |
//! | --- | --- |
//! | `page` | what every page begins with, and its checksum |
//! | `log` | the write-ahead log: a ring of records, group commit |

pub mod log;
pub mod page;
