//! A scan of all records, 1 KB, of a `device` namespace much larger than its caches, beside fio's sequential reads of its file in
//! the same minute: block by block, and each record at its place.

use crate::Failure;
use crate::device_stage::{BLOCK_BYTES, DeviceStage};
use crate::fio;
use crate::median::median;
use crate::values::VALUE_BYTES;
use clap::Args;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use tessera_core::scan::{PlanChoice, VisitSpec};

const FIO_BYTES: usize = 1024 * 1024;
const FIO_DEPTH: usize = 8;

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files
    #[arg(long)]
    directory: PathBuf,
    /// MiB of records
    #[arg(long, default_value_t = 4096)]
    megabytes: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Figures, medians of the rounds: `megabytesPerSecond` that came from the device while all records were met block by block,
/// `recordsPerSecond`, and `atTheirPlacesRecordsPerSecond`; with fio installed `fioMegabytesPerSecond`, and `share` of it within
/// a round.
///
/// # Errors
/// A failed call, or a scan that meets other than what was written.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let directory = options.directory.join("scan");
    let &Options { megabytes, threads, rounds, .. } = options;
    let records = (megabytes << 20) / VALUE_BYTES as u64;
    let has_fio = fio::is_installed();
    let stage = DeviceStage::open(&directory, BLOCK_BYTES)?;
    stage.load(records, VALUE_BYTES, 2)?;
    let file = stage.data_file()?;
    let (mut ours, mut rates, mut slots, mut fios, mut shares) = (vec![], vec![], vec![], vec![], vec![]);
    let fio = || if has_fio { Ok::<f64, Failure>(fio::sequential_reads(&file, FIO_BYTES, FIO_DEPTH)?.rate / 1e6) } else { Ok(0.0) };
    for round in 0..rounds {
        // There and back, so that a slope of the machine favours nobody.
        let before = if round.is_multiple_of(2) { Some(fio()?) } else { None };
        let (seconds, bytes) = scan(&stage, threads, PlanChoice::Device, records)?;
        let yardstick = before.map_or_else(fio, Ok)?;
        let (by_slot, _) = scan(&stage, threads, PlanChoice::SetColumn, records)?;
        let (speed, rate) = (bytes as f64 / 1e6 / seconds, records as f64 / seconds);
        eprintln!(
            "round {}: {speed:.0} MB/s, {rate:.0} records/s; at their places {:.0} records/s; fio {yardstick:.0} MB/s",
            round + 1,
            records as f64 / by_slot
        );
        ours.push(speed);
        rates.push(rate);
        slots.push(records as f64 / by_slot);
        fios.push(yardstick);
        shares.push(speed / yardstick);
    }
    drop(stage);
    std::fs::remove_dir_all(&directory)?;
    let mut figures = json!({
        "megabytesPerSecond": median(&ours).round(),
        "recordsPerSecond": median(&rates).round(),
        "atTheirPlacesRecordsPerSecond": median(&slots).round(),
    });
    if has_fio {
        figures["fioMegabytesPerSecond"] = json!(median(&fios).round());
        figures["share"] = json!((median(&shares) * 1000.0).round() / 1000.0);
    } else {
        eprintln!("fio is not installed; its figures are left out");
    }
    Ok(figures)
}

/// What one thread has met, in a line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Count(AtomicU64);

/// Seconds of a scan, and the bytes that came from the device.
fn scan(stage: &DeviceStage, threads: u32, plan: PlanChoice, records: u64) -> Result<(f64, u64), Failure> {
    let counts: Vec<Count> = (0..threads).map(|_| Count::default()).collect();
    let before = stage.namespace.usage().bytes_read;
    let begun = Instant::now();
    stage.namespace.scan_visit(&VisitSpec { threads, plan, ..VisitSpec::default() }, &|worker, found| {
        std::hint::black_box(found.body);
        counts[worker].0.fetch_add(1, Relaxed);
        ControlFlow::Continue(())
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    let met: u64 = counts.iter().map(|count| count.0.load(Relaxed)).sum();
    if met != records {
        return Err(format!("the scan returned {met} of {records} records").into());
    }
    Ok((seconds, stage.namespace.usage().bytes_read - before))
}
