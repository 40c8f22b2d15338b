//! What the work behind a stream of records tells of itself.

use tessera_jobs::chunk_stream::{self, LeftOut};
use tessera_storage::DeviceReads;

/// Records as text, for one reader.
pub type ChunkStream = chunk_stream::ChunkStream<StreamSummary>;
/// Where their workers bring them.
pub type ChunkSink = chunk_stream::ChunkSink<StreamSummary>;

/// What the work behind a stream has done; final once the stream has ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamSummary {
    /// Records written to the stream.
    pub returned: u64,
    /// Records looked at.
    pub scanned: u64,
    /// Records that could not be read and were left out.
    pub damaged: u64,
    /// Records that an index proposed.
    pub candidates: u64,
    /// Records that the plan of a query said would be looked at.
    pub estimated_candidates: Option<u64>,
    pub elapsed_ms: f64,
    /// What the plan said that it would take, where it did.
    pub estimated_ms: Option<f64>,
    /// What was read from a device, where that is counted.
    pub reads: Option<DeviceReads>,
    pub threads: u32,
    /// How records were found: `set-index`, `document-index`, ...
    pub method: &'static str,
    /// Whether `limit` cut the result off.
    pub truncated: bool,
    /// Groups that were left out, of a query that groups its records.
    pub others: Option<u64>,
    /// Where the next page begins.
    pub cursor: Option<String>,
    /// What had no column, of an answer in CSV whose columns are those of its beginning.
    pub csv_left_out: Option<LeftOut>,
}
