//! What the process holds before a document index is built, while it is, and two seconds after the build was aborted.

use crate::event_rows::PUBLISHED;
use crate::import::payload_index;
use crate::median::median;
use crate::stage::Stage;
use crate::{Failure, memory};
use clap::Args;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tessera_jobs::JobState;

/// How long the memory of an aborted build may take to come back.
const WITHIN: Duration = Duration::from_secs(2);
/// Longer than any build.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Args)]
pub struct Options {
    /// Events
    #[arg(long, default_value_t = 4 * PUBLISHED)]
    rows: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Figures in resident bytes of the process, medians of the rounds: `beforeBytes`, `buildingBytes` when three quarters of the records were read,
/// `afterBytes` two seconds after the abort, `takenBytes` by the build, and `leftBytes` of them after the abort; `mostLeftBytes` of any round.
///
/// # Errors
/// A failed call, or a build that could not be aborted.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let &Options { rows, threads, rounds, .. } = options;
    eprintln!("loading {rows} events");
    let stage = Stage::events("index-abort")?;
    stage.import_rows(0..rows, 2)?;
    // What the load has left is given back first.
    stage.build_index(payload_index(), threads)?;
    stage.namespace.drop_index("payload")?;
    std::thread::sleep(WITHIN);
    let (mut before, mut building, mut after) = (vec![], vec![], vec![]);
    for round in 1..=rounds {
        before.push(memory::resident()? as f64);
        let job = stage.namespace.create_index(payload_index(), threads)?;
        let begun = Instant::now();
        while job.done() < rows * 3 / 4 {
            if begun.elapsed() > PATIENCE {
                return Err("the build made no progress".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        building.push(memory::resident()? as f64);
        job.abort()?;
        let aborted = Instant::now();
        let info = job.wait_blocking(PATIENCE);
        if info.state != JobState::Aborted {
            return Err(format!("the build ended before it was aborted: {:?}", info.state).into());
        }
        std::thread::sleep(WITHIN.saturating_sub(aborted.elapsed()));
        after.push(memory::resident()? as f64);
        let megabytes = |of: &[f64]| of[round - 1] / 1e6;
        eprintln!("round {round}: {:.1} MB, {:.1} MB, {:.1} MB", megabytes(&before), megabytes(&building), megabytes(&after));
    }
    let less = |of: &[f64]| -> Vec<f64> { of.iter().zip(&before).map(|(held, before)| held - before).collect() };
    let left = less(&after);
    Ok(json!({
        "rows": rows,
        "beforeBytes": median(&before),
        "buildingBytes": median(&building),
        "afterBytes": median(&after),
        "takenBytes": median(&less(&building)),
        "leftBytes": median(&left),
        "mostLeftBytes": left.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    }))
}
