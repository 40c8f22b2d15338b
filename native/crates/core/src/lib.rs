//! The storage engine of Tessera. Pure Rust: no Node, no HTTP, no async runtime.

mod access;
pub mod aggregate;
pub mod backup;
pub mod budget;
pub mod capacity;
pub mod config;
mod directory;
pub mod engine;
pub mod exchange;
pub mod export;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
pub mod iterate;
pub mod manifest;
pub mod metrics;
pub mod namespace;
mod output;
pub mod ownership;
pub mod query;
pub mod scan;
pub mod segment;
pub mod sets;
pub mod store;
pub mod stream;
pub mod stream_summary;
mod sweeper;

pub use config::{
    CassandraConfig, ConfigPatch, Container, DeviceConfig, DeviceFile, Durability, EngineConfig, NamespaceConfig, PagedConfig, Reads,
    SetConfig, SetLimits,
};
pub use engine::{Engine, EngineOptions};
pub use namespace::{Exists, Lookup, Namespace, RecordReader, Resident, WriteOptions, Written};
pub use ownership::Ownership;
