//! Records of Tessera on a Cassandra cluster.
//!
//! The API is synchronous. The driver needs an async runtime, which `session` owns and nobody else
//! sees. Records are the core's own bodies, and what a write makes of one is decided by the core's
//! rules (`tessera_core::store::rules`).

mod errors;
mod ranges;
mod records;
mod schema;
mod session;
mod settings;

pub use ranges::{Cursor, Row, WalkSpec};
pub use records::{Limits, Records};
pub use session::{Cluster, Health, NodeHealth};
pub use settings::{Consistency, Credentials, Replication, Serial, Settings, Speculation};
