//! Fuzz targets: one function a decoder of bytes that come from a disk or a client. Each asserts more than that nothing
//! panics: what is read is written again as it was, a change is seen, a result is never longer than the input allows.
//!
//! `native/fuzz` runs them under coverage guidance, the tests here on any toolchain; see `docs/testing.md`.

pub(crate) mod manifest;
#[cfg(test)]
mod tests;

use crate::metrics::history_fuzz as history;
use tessera_jobs::history_fuzz as jobs;
use tessera_record::fuzz::{filter, json, msgpack, record};
use tessera_storage::device::fuzz as device;
use tessera_storage::paged::fuzz as paged;

pub struct Target {
    pub name: &'static str,
    /// Panics on a finding.
    pub run: fn(&[u8]),
    /// Inputs that real encoders make, to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// What reads the files of a data directory.
pub const DECODERS: [Target; 9] = [
    Target { name: "block", run: device::block, seeds: device::block_seeds },
    Target { name: "history", run: history::run, seeds: history::seeds },
    Target { name: "jobs", run: jobs::run, seeds: jobs::seeds },
    Target { name: "log", run: paged::log, seeds: paged::log_seeds },
    Target { name: "manifest", run: manifest::run, seeds: manifest::seeds },
    Target { name: "page", run: paged::page, seeds: paged::seeds },
    Target { name: "record", run: record::run, seeds: record::seeds },
    Target { name: "recovery", run: device::recovery, seeds: device::recovery_seeds },
    Target { name: "snapshot", run: device::snapshot, seeds: device::snapshot_seeds },
];

/// What reads the texts of clients.
pub const PARSERS: [Target; 4] = [
    Target { name: "filter", run: filter::run, seeds: filter::seeds },
    Target { name: "import", run: tessera_jobs::load::fuzz::run, seeds: tessera_jobs::load::fuzz::seeds },
    Target { name: "json", run: json::run, seeds: json::seeds },
    Target { name: "msgpack", run: msgpack::run, seeds: msgpack::seeds },
];

/// Runs the target of that name; none other is run.
pub fn run(name: &str, data: &[u8]) {
    DECODERS.iter().chain(&PARSERS).filter(|target| target.name == name).for_each(|target| (target.run)(data));
}
