//! The engine through its public interface. One program, because linking one is cheaper than linking many. A test that kills a
//! process, or changes something of its own process, has a program of its own beside this one.

#[path = "../bodies/mod.rs"]
mod bodies;
mod capacity;
mod damage;
mod defrag;
mod device;
mod device_scan;
mod distribution;
mod documents;
mod earlier;
mod engine;
mod expiry;
mod export;
mod expressions;
mod failed_namespaces;
mod groups;
mod index_snapshot;
mod json;
mod kept_generations;
mod limits;
mod metadata;
mod model;
mod nesting;
mod operate;
#[path = "../pages/mod.rs"]
mod pages;
mod remote;
mod resumed_exports;
mod rows;
mod scans;
mod scrub;
mod set_pages;
mod single_bin;
mod streams;
mod truncation;
mod undone;
mod windowed_reads;
