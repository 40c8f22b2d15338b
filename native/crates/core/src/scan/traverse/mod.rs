//! A walk through all of a selection: the items that workers take in turn, the order of an index, and giving way to others.

mod backoff;
mod digest_order;
mod index_order;
mod slot_ranges;
mod token_ranges;
mod traversal;
mod turns;
mod worker_scratch;

pub(crate) use backoff::{Backoff, Turn};
use digest_order::{DigestOrder, Noted};
pub(super) use index_order::{IndexOrderWalk, Ranker, Reached, ReadSegment};
pub(crate) use traversal::Traversal;
pub(crate) use turns::Turns;
pub(crate) use worker_scratch::WorkerScratch;
