//! Reading what is stored: one record, many at once, neighbours together, whole blocks for scans and for a scrub.

pub mod device_reader;
mod record;
mod scrub;
pub mod sequential;
mod stored;
