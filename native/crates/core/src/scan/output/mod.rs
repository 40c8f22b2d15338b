//! What is made of the records that a walk meets: whether each is wanted, its rows, chunks of them, and where a page ended.

mod answer;
mod backlog;
mod cursor;
mod matcher;
mod outbox;
mod segment_marks;
mod writer;

pub(super) use answer::add_left_out;
pub(crate) use answer::{add_costs, open_stream};
pub(super) use backlog::Backlog;
pub(super) use cursor::{Cursor, cursor_scope};
pub(crate) use matcher::Met;
pub(super) use matcher::{Left, Matcher, left};
pub(crate) use outbox::Outbox;
pub use outbox::WORKER_BYTES;
pub(super) use writer::Writer;
