//! MessagePack to encoded values and back, for the compatible API.
//!
//! Integers are exact in 64 bits, and bytes are bytes. What a record cannot hold is refused: keys of maps that are not strings,
//! extensions, doubles that are not finite.

mod decode;
mod encode;
mod records;

pub use decode::{unpack_bins, unpack_value};
pub use encode::pack_value;
pub use records::{pack_record, pack_results, pack_row};

#[cfg(test)]
mod tests;
