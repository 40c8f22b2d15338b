//! What a namespace will take: memory, flash and traffic for records of a given shape, from the constants and the size
//! functions of the engines themselves.

mod amplification;
mod plan;
mod spec;

pub use amplification::write_amplification;
pub use plan::{Capacity, DeviceLoad, Dram, Flash, RecordBytes};
pub use spec::{BinKind, BinShape, CapacitySpec, KeyKind, KeyShape};
