//! Load generator and measuring loops over the public API of `tessera-core`.
//!
//! `spec` says what to do, a `client` does one `operation`, `worker` keeps them going, `tally` counts, `run` puts a run together, and
//! `runs` keeps those of a store as jobs with their history. `ycsb` has the generators of the YCSB workloads.

pub mod client;
pub mod compare;
pub mod figures;
pub mod hdr_log;
pub mod operation;
pub mod run;
pub mod runs;
pub mod spec;
pub mod stop;
mod tally;
mod worker;
pub mod ycsb;

pub use tessera_events as events;
use tessera_events::rng;
