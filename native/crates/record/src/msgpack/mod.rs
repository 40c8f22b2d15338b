//! MessagePack to encoded values and back, for the compatible API, imports and exports.
//!
//! Integers are exact in 64 bits, and bytes are bytes. What a record cannot hold is refused: keys of maps that are not strings,
//! extensions, doubles that are not finite.

mod decode;
mod encode;
mod objects;
mod records;
mod walk;

pub use decode::{unpack_bins, unpack_row, unpack_value};
pub use encode::pack_value;
pub use objects::{pack_damaged, pack_object};
pub use records::{pack_record, pack_results, pack_row};
pub use walk::{Walk, Walked};

#[cfg(test)]
mod tests;
