//! Records as callers send and want them: JSON bytes in, JSON bytes out. What lies between is `namespace`.

mod batch;
mod import;
mod read;
mod write;

pub use batch::{BatchOptions, BatchReport, Reject, write_records};
pub use import::begin_import;
pub use read::{Answer, BATCH_BYTES, BATCH_KEYS, Form, read_record, read_records, read_resident, route_of_text};
pub use write::write_record;

#[cfg(test)]
mod tests;
