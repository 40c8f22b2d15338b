//! A start without a snapshot: all blocks are read, damage is told from what a crash cut short, and the queue goes on behind it.

pub use start::recover;

mod block_note;
mod closing;
mod last_block;
pub mod loss;
mod lost_names;
mod start;
pub mod survey;
mod verdict;
