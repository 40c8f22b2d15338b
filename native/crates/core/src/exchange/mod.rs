//! Records as callers send and want them: JSON bytes in, JSON bytes out. What lies between is `namespace`.

mod batch;
mod import;
mod read;
mod read_batch;
mod write;

pub use batch::{BatchOptions, BatchReport, Reject, write_records};
pub use import::begin_import;
pub use read::{Answer, Form, read_record, read_resident, route_of_text};
pub use read_batch::{BATCH_KEYS, BatchReader, ReadBatch};
pub use write::write_record;

#[cfg(test)]
mod tests;
