//! The benchmarks that run inside the engine, and the HTTP load generator. Prints one JSON object on standard output.

mod device_io;
mod device_read;
mod device_scan;
mod device_stage;
mod device_start;
mod device_write;
mod event_rows;
mod expected;
mod fio;
mod http_load;
mod import;
mod index_abort;
mod index_build;
mod index_growth;
mod index_stall;
mod index_start;
mod median;
mod memory;
mod paged_cached;
mod plan_choice;
mod point_read;
mod random;
mod scan_under_load;
mod segments;
mod set_scan;
mod stage;
mod threads;
mod values;
mod warm_start;
mod whole_scan;
mod ycsb;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Why a benchmark gave no figures: a failed call, or a wrong answer.
type Failure = Box<dyn std::error::Error>;

/// Runs a benchmark of the engine and prints its figures as one JSON object.
#[derive(Parser)]
#[command(name = "tessera-bench", args_override_self = true, disable_help_subcommand = true)]
struct Command {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// Random reads of a `memory` namespace
    PointRead(point_read::Options),
    /// Random reads of a `paged` namespace with all pages in its cache
    PagedCached(paged_cached::Options),
    /// Imports of CSV
    Import(import::Options),
    /// Builds of a document index, and queries over it
    IndexBuild(index_build::Options),
    /// Builds of a document index over one to eight times the events
    IndexGrowth(index_growth::Options),
    /// Memory during and after a build that is aborted
    IndexAbort(index_abort::Options),
    /// Reads and writes during a build, an import and merges of an index
    IndexStall(index_stall::Options),
    /// Scans of small sets with and without their index
    SetScan(set_scan::Options),
    /// Scans of a whole `memory` namespace
    WholeScan(whole_scan::Options),
    /// Calls on a whole `memory` namespace and on single records of it
    Segments(segments::Options),
    /// Direct reads and writes of a file, beside fio
    DeviceIo(device_io::Options),
    /// A load of records into a `device` namespace, beside fio
    DeviceWrite(device_write::Options),
    /// Random reads of a `device` namespace, beside fio
    DeviceRead(device_read::Options),
    /// A scan of a `device` namespace, beside fio
    DeviceScan(device_scan::Options),
    /// Reads and writes beside a scan
    ScanUnderLoad(scan_under_load::Options),
    /// Scans of sets of many sizes by every plan
    PlanChoice(plan_choice::Options),
    /// Starts of a `device` namespace after a kill and after an orderly stop
    DeviceStart(device_start::Options),
    /// Starts of a `device` namespace with two indexes
    IndexStart(index_start::Options),
    /// A YCSB workload on the core
    Ycsb(ycsb::Options),
    /// GET requests to a running gateway
    HttpLoad(http_load::Options),
}

fn main() -> ExitCode {
    let matches = Command::command().get_matches();
    let command = Command::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match command.bench.run() {
        Ok(figures) => {
            println!("{}", json!({ "bench": matches.subcommand_name(), "figures": figures }));
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

impl Bench {
    fn run(&self) -> Result<Value, Failure> {
        match self {
            Self::PointRead(options) => point_read::run(options),
            Self::PagedCached(options) => paged_cached::run(options),
            Self::Import(options) => import::run(options),
            Self::IndexBuild(options) => index_build::run(options),
            Self::IndexGrowth(options) => index_growth::run(options),
            Self::IndexAbort(options) => index_abort::run(options),
            Self::IndexStall(options) => index_stall::run(options),
            Self::SetScan(options) => set_scan::run(options),
            Self::WholeScan(options) => whole_scan::run(options),
            Self::Segments(options) => segments::run(options),
            Self::DeviceIo(options) => device_io::run(options),
            Self::DeviceWrite(options) => device_write::run(options),
            Self::DeviceRead(options) => device_read::run(options),
            Self::DeviceScan(options) => device_scan::run(options),
            Self::ScanUnderLoad(options) => scan_under_load::run(options),
            Self::PlanChoice(options) => plan_choice::run(options),
            Self::DeviceStart(options) => device_start::run(options),
            Self::IndexStart(options) => index_start::run(options),
            Self::Ycsb(options) => ycsb::run(options),
            Self::HttpLoad(options) => http_load::run(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_declared_once_and_those_of_the_docs_are_read() {
        Command::command().debug_assert();
        for words in [
            "point-read --keys 20000 --threads 1 --reads 200000 --rounds 1",
            "paged-cached --directory d --page-bytes 4096",
            "import --file f --set routed --threads 1 --rounds 1",
            "segments --rounds 41 --large 10000000",
            "device-write --directory d --rounds 3 --bytes 8192",
            "device-start --directory d --crash 1 --megabytes 1024 --records 2000000 --indexed 1 --rounds 3",
            "scan-under-load --directory d --storage memory --seconds 2 --rounds 5 --tps 400000",
            "plan-choice --directory d --rounds 3 --keep yes",
            "ycsb --workload read:50,rmw:50 --engine paged --page-bytes 16384 --cache-bytes 268435456 --distribution latest",
            "http-load --address 127.0.0.1:80 --path / --token -t --keys 9 --connections 8 --seconds 0.5",
        ] {
            if let Err(error) = Command::try_parse_from(std::iter::once("tessera-bench").chain(words.split(' '))) {
                panic!("{words}: {error}");
            }
        }
        assert!(Command::try_parse_from(["tessera-bench", "point-read", "--colour", "1"]).is_err());
    }
}
