//! From an entry to stable storage: the open block, the queue behind it, which block is next, group commit, and marks of what is stable.

mod admit_batch;
pub mod agenda;
mod batches;
pub mod blocks;
mod buffered;
mod flush;
pub mod gaps;
pub mod mark;
pub mod marks;
pub mod queue;
pub mod segment;
pub mod shared;
pub mod space;
pub mod write_block;
pub mod writer;
