//! Bulk load: a byte stream of rows into a namespace, on all threads, with a report of what was refused.
//!
//! | room | what is in it |
//! | --- | --- |
//! | `plan` | what is asked for (`spec`), the bins of a row (`map`), the types of cells, all resolved against the header |
//! | `rows` | a row of CSV, JSON or MessagePack into key, digest and body |
//! | `read` | the bounded queue (`input`), unpacking (`decode`), blocks of whole rows (`split`), handed to threads (`feed`) |
//! | `keep` | the report, and what stays in the data directory: `reject_file`, and `journal` for a resume |
//! | `session` | an import from its first chunk to its report: workers, each with a block at a time |
//!
//! `read` -> `session` -> `rows` -> `batch` -> a `RowSink`.

mod batch;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod keep;
mod plan;
mod read;
mod rows;
mod session;

pub use batch::{LoadMode, LoadOutcome, OtherSets, Row, RowBatch, RowSink};
pub use keep::import_files::Keep;
pub use keep::journal::Interrupted;
pub use keep::progress::{Counts, Mark};
pub use keep::reject_file::{RejectForm, RejectReader};
pub use keep::reject_info::{CutShort, RejectFileInfo};
pub use keep::report::{ImportReport, Reject};
pub use plan::cell::ColumnType;
pub use plan::exported;
pub use plan::map::{GITHUB_ARCHIVE, Mapped};
pub use plan::spec::{Encoding, Format, ImportSpec, KeyType};
pub use session::ImportSession;

#[cfg(test)]
mod tests;
