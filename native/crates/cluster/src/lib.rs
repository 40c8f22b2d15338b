//! Records of Tessera on a Cassandra cluster.
//!
//! The API is synchronous. The driver needs an async runtime, which `session` owns and nobody else
//! sees. Records are the core's own bodies, and what a write makes of one is decided by the core's
//! rules (`tessera_core::store::rules`).

mod asks;
mod build;
mod clocks;
mod connections;
mod errors;
mod indexes;
mod known;
mod link;
mod nodes;
mod open;
mod pause;
mod ranges;
mod reads;
mod records;
mod schema;
mod session;
mod sets;
mod silence;
mod sweep;
mod tables;
mod tls;
mod truncations;

pub use known::{Described, KnownCluster};
pub use open::Clusters;
pub use records::Records;
pub use schema::Whose;
pub use session::Cluster;
pub use tls::Tls;
