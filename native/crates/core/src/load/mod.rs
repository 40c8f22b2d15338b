//! Bulk load: a byte stream of rows into a namespace, on all threads, with a report of what was refused.
//!
//! `input` (bounded queue) -> `decode` (unpack) -> `split` (blocks of whole rows) -> `reader` with `csv` or JSON (rows,
//! in parallel) -> `row` (key, digest, body; `map` says which bins) -> `batch` -> a `RowSink`. `session` ties them together.

pub mod batch;
mod cell;
mod csv;
mod decode;
mod feed;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod input;
mod key;
mod map;
mod plan;
mod reader;
mod record_object;
mod report;
mod row;
mod session;
mod spec;
mod split;

pub use batch::{LoadMode, LoadOutcome, Row, RowBatch, RowSink};
pub use map::{GITHUB_ARCHIVE, Mapped};
pub use report::{ImportReport, Reject};
pub use session::ImportSession;
pub use spec::{ColumnType, Encoding, Format, ImportSpec, KeyType};

#[cfg(test)]
mod tests;
