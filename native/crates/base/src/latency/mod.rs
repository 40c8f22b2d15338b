//! Durations: the clock that they are taken with, histograms of them, and counters that many threads add to without a lock.

mod cells;
mod clock;
mod histogram;
mod lease;
mod packed;
pub mod split;
mod stripe;

pub use cells::{BUCKETS, OVERFLOW_NS, SLO_EDGES_NS, bucket_bounds, bucket_of};
pub use clock::{Clock, Tick};
pub use histogram::Histogram;
pub use lease::{EXCLUSIVE, SHARED, stripe_number};
pub use packed::PackedHistogram;
pub use stripe::{Stripe, Totals};
