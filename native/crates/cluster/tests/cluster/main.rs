//! The store against a real cluster, and how it connects. Tests that need nodes are left out unless they are asked for.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod copies;
mod doors;
mod faults;
mod guarded;
mod indexes;
mod migrations;
mod nodes;
mod records;
mod rig;
mod sets;
mod walks;
