//! What every part of Tessera stands on: errors, limits, clocks, memory, threads, latency counters. It knows no records.

pub mod arena;
#[cfg(any(test, feature = "test-support"))]
mod cases;
pub mod chunks;
pub mod clock;
#[cfg(any(test, feature = "test-support"))]
pub mod dice;
pub mod error;
pub mod frames;
pub mod heap;
pub mod latency;
pub mod limits;
pub mod names;
pub mod notify;
pub mod poison;
pub mod pool;
pub mod prefetch;
mod prefix;
mod processors;
mod regular;
pub mod sentence;
pub mod settled_clock;
pub mod sync;
pub mod thread_guard;
pub mod ticker;
pub mod varint;
#[cfg(any(test, feature = "test-support"))]
mod wait_until;

#[cfg(any(test, feature = "test-support"))]
pub use cases::{cases, one_in};
pub use error::{Error, ErrorCode, Result};
pub use prefix::prefix;
pub use processors::processors;
pub use regular::{create_anew, open_regular, open_to_append, read_regular};
pub use sentence::{Sentence, Value as SentenceValue};
#[cfg(any(test, feature = "test-support"))]
pub use wait_until::wait_until;
