//! A load of records, 1 KB unless told, into a new `device` namespace, beside fio's sequential writes of a file as long in the
//! same minute: of a new one whose space is reserved, as the namespace's is, and over one that was written before.

use crate::Failure;
use crate::device_stage::{BLOCK_BYTES, DeviceStage};
use crate::fio::{self, Ground};
use crate::median::median;
use crate::values::VALUE_BYTES;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

const WRITE_BYTES: usize = 128 * 1024;
const WRITE_DEPTH: usize = 8;

/// fio's rates on one ground, and our shares of them.
#[derive(Default)]
struct Fios {
    rates: Vec<f64>,
    shares: Vec<f64>,
}

impl Fios {
    fn add(&mut self, ours: f64, fio: f64) {
        self.rates.push(fio);
        self.shares.push(ours / fio);
    }
}

fn share(shares: &[f64]) -> f64 {
    (median(shares) * 1000.0).round() / 1000.0
}

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files
    #[arg(long)]
    directory: PathBuf,
    /// MiB of records
    #[arg(long, default_value_t = 2048)]
    megabytes: u64,
    /// Bytes per record
    #[arg(long, default_value_t = VALUE_BYTES)]
    bytes: usize,
    /// Write block size in bytes
    #[arg(long, default_value_t = BLOCK_BYTES)]
    block: u32,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Figures, medians of the rounds: `megabytesPerSecond` that reached the device, until all were on stable storage,
/// `recordsPerSecond`; with fio installed `fioMegabytesPerSecond` for a new file, and `share` of it within a round; the same over a
/// file that was written before.
///
/// # Errors
/// A failed call.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let directory = options.directory.as_path();
    let &Options { megabytes, threads, rounds, bytes, block, .. } = options;
    let records = (megabytes << 20) / bytes.max(1) as u64;
    let yardstick = directory.join("fio");
    let has_fio = fio::is_installed();
    let fio = |ground| {
        let got = || fio::sequential_writes(&yardstick, ground, megabytes << 20, WRITE_BYTES, WRITE_DEPTH);
        if has_fio { Ok::<f64, Failure>(got()?.rate / 1e6) } else { Ok(0.0) }
    };
    let (mut ours, mut rates, mut reserved, mut written) = (vec![], vec![], Fios::default(), Fios::default());
    for round in 0..rounds {
        // There and back, so that a slope of the machine favours nobody.
        let first = round.is_multiple_of(2);
        let before = if first { (fio(Ground::Reserved)?, fio(Ground::Written)?) } else { (0.0, 0.0) };
        let home = directory.join(format!("write-{round}"));
        let stage = DeviceStage::open(&home, block)?;
        let begun = Instant::now();
        stage.load(records, bytes, threads)?;
        let seconds = begun.elapsed().as_secs_f64();
        let usage = stage.namespace.usage();
        let disks = stage.namespace.device_report()?.gauge.disks;
        drop(stage);
        std::fs::remove_dir_all(&home)?;
        let fio = if first { before } else { (fio(Ground::Reserved)?, fio(Ground::Written)?) };
        let (rate, speed) = (records as f64 / seconds, usage.bytes_written as f64 / 1e6 / seconds);
        eprintln!(
            "round {}: {speed:.0} MB/s in {} writes and {} syncs, {rate:.0} records/s; fio {:.0} MB/s in reserved space, {:.0} MB/s over what was written",
            round + 1,
            disks.iter().map(|disk| disk.counters.writes.count).sum::<u64>(),
            disks.iter().map(|disk| disk.counters.syncs.count).sum::<u64>(),
            fio.0,
            fio.1
        );
        ours.push(speed);
        rates.push(rate);
        reserved.add(speed, fio.0);
        written.add(speed, fio.1);
    }
    let mut figures = json!({ "megabytesPerSecond": median(&ours).round(), "recordsPerSecond": median(&rates).round() });
    if has_fio {
        std::fs::remove_file(&yardstick)?;
        figures["fioMegabytesPerSecond"] = json!(median(&reserved.rates).round());
        figures["share"] = json!(share(&reserved.shares));
        figures["fioOverWrittenMegabytesPerSecond"] = json!(median(&written.rates).round());
        figures["shareOfOverWritten"] = json!(share(&written.shares));
    } else {
        eprintln!("fio is not installed; its figures are left out");
    }
    Ok(figures)
}
