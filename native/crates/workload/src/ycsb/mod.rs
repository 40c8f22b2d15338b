//! The YCSB core workloads: which operations, on which keys.
//!
//! Sources: B. F. Cooper, A. Silberstein, E. Tam, R. Ramakrishnan, R. Sears, "Benchmarking Cloud Serving Systems with YCSB", SoCC
//! 2010; the core workload and the generators of YCSB 0.17 (github.com/brianfrankcooper/YCSB), which are followed where the paper
//! leaves room, bounds and redrawing included. Random numbers are SplitMix64 by the number of the operation instead of Java's
//! `ThreadLocalRandom`, so that the same seed gives the same operations whatever the threads.
//!
//! `hash` gives keys their names, `zipfian` draws ranks, `inserts` knows which records there are, `chooser` draws the record of an
//! operation, `proportions` what is done with it.

mod chooser;
mod hash;
mod inserts;
mod proportions;
mod zipfian;

pub use chooser::{Chooser, Distribution};
pub use hash::fnv64;
pub use inserts::Inserts;
pub use proportions::Proportions;
pub use zipfian::{ScrambledZipfian, Zipfian, zeta};

/// What YCSB calls the table.
pub const TABLE: &str = "usertable";
/// Fields of a record, and bytes of each.
pub const FIELDS: u32 = 10;
pub const FIELD_BYTES: u32 = 100;
/// Most records of a scan of workload E; YCSB's own default of 1,000 is of none of its workloads.
pub const SCAN_LENGTH: u32 = 100;
/// The skew of all its zipfian draws.
pub const ZIPFIAN_CONSTANT: f64 = 0.99;
