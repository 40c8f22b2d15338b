//! JSON text to encoded values and back, without a tree in between.
//!
//! Integers are exact in 64 bits; doubles are printed with a '.' or an 'e' and the fewest digits that read back the
//! same, so both survive a round trip. Bytes, which JSON lacks, are `{"$bytes":"<base64>"}` (`Shape::Record`) or what
//! the compatible API does (`Shape::V1`).

mod batch;
mod bins;
mod bytes;
mod digits;
mod escape;
mod fault;
mod key;
pub(super) mod keys;
mod number;
mod object;
mod parse;
mod results;
mod scan;
mod time;
mod write;

pub use batch::{BatchLine, BatchOp, BatchParser};
pub(super) use bins::replace_typed;
pub use bins::{check_v1_name, parse_bins};
pub use bytes::typed;
pub use escape::write_string;
pub use fault::Fault;
pub use key::{KEY_OBJECT, bytes_key, parse_key, parse_keys, write_key};
pub use number::{Number, read as read_number};
pub(crate) use object::write_hex;
pub use object::{RecordView, write_bins, write_damaged, write_error, write_head, write_record, write_row, write_v1_record, write_v1_row};
pub use parse::{Parser, Workspace, parse_shaped, parse_value};
pub use results::write_v1_results;
pub use time::{parse_seconds, parse_time, write_millis, write_seconds};
pub use write::write_value;

/// Which of the two APIs the text belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// `/api/v1`: bytes are `{"$bytes":"<base64>"}` both ways.
    #[default]
    Record,
    /// `/v1`, as the Aerospike REST Gateway: bytes come in as `{"type":"BYTE_ARRAY","value":"<base64>"}` and go out as
    /// a plain base64 string.
    V1,
    /// `/v1` in MessagePack (`msgpack`).
    Packed,
}

#[cfg(test)]
mod tests;
