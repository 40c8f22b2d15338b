//! The benchmarks that run inside the engine, and the HTTP load generator. Prints one JSON object on standard output.

mod arguments;
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

use arguments::Arguments;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Why a benchmark gave no figures: bad arguments, a failed call, or a wrong answer.
type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: tessera-bench <name> [--option value]...\n  point-read [--keys n] [--threads n] [--reads n] [--rounds n]\n  paged-cached [--directory d] [--page-bytes n] [--cache-bytes n] [--keys n] [--threads n] [--reads n] [--rounds n]\n  import --file events.csv [--set digest|routed] [--threads n] [--rounds n]\n  index-build --file events.csv [--rounds n] [--repeats n]\n  index-growth [--rows n] [--rounds n]\n  index-abort [--rows n] [--threads n] [--rounds n]\n  index-stall [--rows n] [--threads n] [--tps n] [--seconds n] [--rounds n]\n  set-scan [--records n] [--threads n] [--rounds n]\n  whole-scan [--records n] [--threads n] [--rounds n]\n  segments [--records n] [--large n] [--counted n] [--calls n] [--rounds n]\n  device-io --directory d [--megabytes n] [--seconds n] [--rounds n]\n  device-write --directory d [--megabytes n] [--bytes n] [--block n] [--threads n] [--rounds n]\n  device-read --directory d [--megabytes n] [--threads n] [--depth n] [--seconds n] [--rounds n]\n  device-scan --directory d [--megabytes n] [--threads n] [--rounds n]\n  scan-under-load --directory d [--storage memory|device|both] [--records n] [--threads n] [--tps n] [--seconds n] [--rounds n]\n  plan-choice --directory d [--records n] [--bytes n] [--threads n] [--rounds n] [--keep yes]\n  device-start --directory d [--megabytes n] [--records n] [--bytes n] [--indexed 0|1] [--rounds n]\n  index-start --directory d [--records n] [--threads n] [--rounds n]\n  ycsb --workload load|a|b|c|d|e|f|parts [--records n] [--threads n] [--window n] [--engine memory|device|paged] [--page-bytes n] [--cache-bytes n] [--directory d] [--distribution zipfian|latest|uniform|hotspot|exponential] [--operations n] [--seconds n] [--fields n] [--field-length n] [--scan-length n] [--seed n]\n  http-load --address host:port --path /p --token T [--keys n] [--connections n] [--seconds n]";

fn main() -> ExitCode {
    match run() {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Value, Failure> {
    let (name, arguments) = Arguments::from_command_line()?;
    let figures = match name.as_str() {
        "point-read" => point_read::run(&arguments)?,
        "paged-cached" => paged_cached::run(&arguments)?,
        "import" => import::run(&arguments)?,
        "index-build" => index_build::run(&arguments)?,
        "set-scan" => set_scan::run(&arguments)?,
        "whole-scan" => whole_scan::run(&arguments)?,
        "segments" => segments::run(&arguments)?,
        "device-io" => device_io::run(&arguments)?,
        "device-write" => device_write::run(&arguments)?,
        "device-read" => device_read::run(&arguments)?,
        "device-scan" => device_scan::run(&arguments)?,
        "scan-under-load" => scan_under_load::run(&arguments)?,
        "plan-choice" => plan_choice::run(&arguments)?,
        "device-start" => device_start::run(&arguments)?,
        "index-growth" => index_growth::run(&arguments)?,
        "index-abort" => index_abort::run(&arguments)?,
        "index-stall" => index_stall::run(&arguments)?,
        "index-start" => index_start::run(&arguments)?,
        "ycsb" => ycsb::run(&arguments)?,
        "http-load" => http_load::run(&arguments)?,
        _ => return Err(USAGE.into()),
    };
    Ok(json!({ "bench": name, "figures": figures }))
}
