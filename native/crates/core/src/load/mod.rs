//! Bulk load: a byte stream of rows into a namespace, on all threads, with a report of what was refused.

pub mod batch;

pub use batch::{LoadMode, LoadOutcome, Row, RowBatch, RowSink};
