//! The three threads of a namespace: they sync the log, write changed pages ahead of need, and make checkpoints.

pub mod checkpointer;
pub mod log_flusher;
pub mod page_writer;
