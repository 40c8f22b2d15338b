//! The storage engine of Tessera. Pure Rust: no Node, no HTTP, no async runtime.

pub mod clock;
pub mod error;
pub mod filter;
pub mod index;
pub mod job;
pub mod limits;
pub mod load;
pub mod metrics;
pub mod record;
pub mod storage;

pub use error::{Error, ErrorCode, Result};
