//! The bytes on the disks: entries, blocks, headers, and what checks them; see `docs/on-disk-format.md`. Nothing here reads or writes.

pub mod entry;
pub mod headers;
pub mod identity;
pub mod parity;
pub mod place;
pub mod seal;
pub mod summary;
pub mod walk;
