//! Buckets of an endpoint that does all that is right, and whatever is wrong.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod backups;
mod fake;
mod faults;
