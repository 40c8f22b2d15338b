//! Records as callers send and want them: JSON bytes in, JSON bytes out. What lies between is `namespace`.

mod batch;
mod import;
mod operate;
mod operations;
mod plain;
mod read;
mod read_batch;
mod wire;
mod write;

pub use batch::{BatchOptions, BatchReport, Reject, write_records};
pub use import::{begin_import, resume_import};
pub use operate::{OperateForm, operate};
pub use operations::{Dialect, parse_operations};
pub use plain::{read_plain, read_plain_resident, write_plain};
pub use read::{Answer, Form, read_record, read_resident, route_of_text};
pub use read_batch::{BATCH_KEYS, BatchReader, ReadBatch};
pub use write::{BinsForm, delete_record, write_record};

#[cfg(test)]
mod tests;
