//! The primary index in memory: entries in slots, a hash table over them, and what prefetching a lookup takes.

mod entry;
mod hints;
mod line;
mod slots;
mod table;

pub(super) use hints::Hints;
pub(crate) use slots::Seen;
pub use slots::Slots;
