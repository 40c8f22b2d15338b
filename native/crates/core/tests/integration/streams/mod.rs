//! Streams against what plain Rust makes of the same records, and what they do when they are aborted, held up or asked for too much.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod flow;
mod model;
mod random;
mod refused;
mod segments;
mod store;
