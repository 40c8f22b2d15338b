//! Bulk load: a byte stream of rows into a namespace, on all threads, with a report of what was refused.
//!
//! `input` (bounded queue) -> `decode` (unpack) -> `split` (blocks of whole rows) -> `block_reader` with `csv` or JSON (rows,
//! in parallel) -> `row` (key, digest, body; `map` says which bins) -> `batch` -> a `RowSink`. `session` ties them together.
//! `keep` is what stays in the data directory: `reject_file` and `journal`, which says how far an import has come (`progress`).

mod batch;
mod block_reader;
mod cell;
mod csv;
mod decode;
mod feed;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod header_file;
mod input;
mod journal;
mod keep;
mod key;
mod map;
mod plan;
mod progress;
mod record_object;
mod reject_file;
mod reject_info;
mod report;
mod row;
mod session;
mod spec;
mod split;

pub use batch::{LoadMode, LoadOutcome, Row, RowBatch, RowSink};
pub use cell::ColumnType;
pub use journal::Interrupted;
pub use keep::Keep;
pub use map::{GITHUB_ARCHIVE, Mapped};
pub use progress::{Counts, Mark};
pub use reject_file::{RejectForm, RejectReader};
pub use reject_info::{CutShort, RejectFileInfo};
pub use report::{ImportReport, Reject};
pub use session::ImportSession;
pub use spec::{Encoding, Format, ImportSpec, KeyType};

#[cfg(test)]
mod tests;
