//! The storage engine of Tessera. Pure Rust: no Node, no HTTP, no async runtime.

pub mod clock;
pub mod config;
mod directory;
pub mod engine;
pub mod error;
pub mod filter;
pub mod index;
pub mod job;
pub mod limits;
pub mod load;
pub mod manifest;
pub mod metrics;
pub mod namespace;
mod poison;
mod prefetch;
pub mod record;
pub mod segment;
pub mod sets;
pub mod storage;

pub use config::{DeviceConfig, Durability, EngineConfig, NamespaceConfig, SetConfig};
pub use engine::{Engine, EngineOptions};
pub use error::{Error, ErrorCode, Result};
pub use namespace::{Exists, Lookup, Namespace, WriteOptions, Written};
pub use record::Ttl;
