//! Starting with a `device` namespace that was not closed, beside fio's sequential reads of its file in the same minute.

use crate::Failure;
use crate::device_stage::{BLOCK_BYTES, DeviceStage};
use crate::fio;
use crate::median::median;
use crate::values::VALUE_BYTES;
use crate::warm_start;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

const FIO_BYTES: usize = 1024 * 1024;
const FIO_DEPTH: usize = 8;

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files
    #[arg(long)]
    directory: PathBuf,
    /// MiB of records of the starts after a kill
    #[arg(long, default_value_t = 2048)]
    megabytes: u64,
    #[command(flatten)]
    warm: warm_start::Records,
    /// Rounds; figures are medians [default: 3 after a kill, 5 warm ones]
    #[arg(long)]
    rounds: Option<usize>,
    /// 1: only writes the records, and kills itself
    #[arg(long, hide = true, default_value_t = 0)]
    crash: u8,
}

/// Figures, medians of the rounds: `seconds` until the namespace serves, `megabytesPerSecond` of its file; with fio installed
/// `fioMegabytesPerSecond`, and `share` of it within a round; and those of `warm_start`.
///
/// # Errors
/// A failed call, or a start that finds other than what was written.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let directory = options.directory.join("start");
    let megabytes = options.megabytes;
    let records = (megabytes << 20) / VALUE_BYTES as u64;
    if options.crash == 1 {
        let stage = DeviceStage::open(&directory, BLOCK_BYTES)?;
        stage.load(records, VALUE_BYTES, 2)?;
        // Nothing is closed.
        std::process::abort();
    }
    let has_fio = fio::is_installed();
    let (mut times, mut ours, mut fios, mut shares) = (vec![], vec![], vec![], vec![]);
    for round in 0..options.rounds.unwrap_or(3) {
        if directory.exists() {
            std::fs::remove_dir_all(&directory)?;
        }
        std::fs::create_dir_all(&directory)?;
        let child = Command::new(std::env::current_exe()?)
            .args(["device-start", "--crash", "1", "--megabytes", &megabytes.to_string(), "--directory"])
            .arg(&options.directory)
            .output()?;
        if child.status.code().is_some() {
            return Err(format!("the load ended before it was killed: {}", String::from_utf8_lossy(&child.stderr)).into());
        }
        let begun = Instant::now();
        let stage = DeviceStage::open(&directory, BLOCK_BYTES)?;
        let seconds = begun.elapsed().as_secs_f64();
        if stage.namespace.size(None) != records {
            return Err(format!("{} of {records} records were recovered", stage.namespace.size(None)).into());
        }
        let file = stage.data_file()?;
        let speed = file.metadata()?.len() as f64 / 1e6 / seconds;
        let fio = if has_fio { fio::sequential_reads(&file, FIO_BYTES, FIO_DEPTH)?.rate / 1e6 } else { 0.0 };
        eprintln!("round {}: {seconds:.2} s, {speed:.0} MB/s; fio {fio:.0} MB/s", round + 1);
        times.push(seconds);
        ours.push(speed);
        fios.push(fio);
        shares.push(speed / fio);
    }
    let thousandths = |value: f64| (value * 1000.0).round() / 1000.0;
    let mut figures = json!({ "seconds": thousandths(median(&times)), "megabytesPerSecond": median(&ours).round() });
    if has_fio {
        figures["fioMegabytesPerSecond"] = json!(median(&fios).round());
        figures["share"] = json!(thousandths(median(&shares)));
    } else {
        eprintln!("fio is not installed; its figures are left out");
    }
    warm_start::measure(&options.directory, &options.warm, options.rounds.unwrap_or(5), &mut figures)?;
    Ok(figures)
}
