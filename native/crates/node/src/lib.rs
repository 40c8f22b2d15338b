//! The binding of tessera-core and tessera-workload to Node. It converts types and errors and owns no logic.
//!
//! Records cross as bytes, everything else as typed objects. A failure is a value (`NativeFailure`), never an exception;
//! what may wait is a promise that a thread of the core completes. The TypeScript beside it (`ts/`) is the public face.

#![cfg_attr(test, allow(dead_code, reason = "napi exports nothing from a build for tests"))]

mod backups;
mod batch_reads;
mod bytes;
mod capacity;
mod choice;
mod cluster_view;
mod clusters;
mod completions;
mod config;
mod devices;
mod dropped;
mod events;
mod failure;
mod filters;
mod history;
mod imports;
mod indexes;
mod jobs;
mod known_clusters;
mod listeners;
mod metrics;
mod migrations;
mod monitor;
mod namespaces;
mod numbers;
mod operations;
mod orphans;
mod pages;
mod pipelines;
mod plain;
mod promise;
mod queries;
mod reads;
mod records;
mod recovery;
mod rejects;
mod scans;
mod sets;
mod sharing;
mod slow;
mod store;
mod streams;
mod tallies;
mod text;
mod truncations;
mod workloads;
