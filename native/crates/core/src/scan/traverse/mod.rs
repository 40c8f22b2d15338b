//! A walk through all of a selection: the items that workers take in turn, the order of an index, and giving way to others.

mod backoff;
mod index_order;
mod slot_ranges;
mod token_ranges;
mod traversal;
mod worker_scratch;

pub(crate) use backoff::{Backoff, Turn};
pub(super) use index_order::{IndexOrderWalk, Ranker, Reached, ReadSegment};
pub(crate) use traversal::Traversal;
pub(crate) use worker_scratch::WorkerScratch;
