//! The four YCSB phases on Tessera's paged engine and on other embedded stores, one after the other in one run: the same operations
//! on the same keys by the same loop, with caches of as many bytes. Prints a table, or with `--json` one object on standard output.

mod fjall_store;
mod options;
mod phases;
mod redb_store;
mod store;
mod syncer;
mod table;
mod tessera;
mod values;

use clap::Parser;
use options::Options;
use serde_json::json;
use std::process::ExitCode;

/// Why there are no figures: a store that failed, or operations that did.
type Trouble = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("tessera-peers: {trouble}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Trouble> {
    let options = Options::parse();
    let mut rows = Vec::new();
    for engine in &options.engines {
        rows.extend(phases::measure(*engine, &options)?);
    }
    if options.json {
        println!("{}", json!({ "bench": "peers", "parameters": options.parameters(), "rows": rows }));
    } else {
        print!("{}", table::of(&rows));
    }
    Ok(())
}
