//! A load of records, 1 KB unless told, into a new `device` namespace, beside fio's sequential writes of a file as long in the same minute.

use crate::Failure;
use crate::arguments::Arguments;
use crate::device_stage::{BLOCK_BYTES, DeviceStage, VALUE_BYTES};
use crate::fio;
use crate::median::median;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

const WRITE_BYTES: usize = 128 * 1024;
const WRITE_DEPTH: usize = 8;

/// Figures, medians of the rounds: `megabytesPerSecond` that reached the device, until all were on stable storage,
/// `recordsPerSecond`; with fio installed `fioMegabytesPerSecond`, and `share` of it within a round.
///
/// # Errors
/// A failed call.
pub fn run(arguments: &Arguments) -> Result<Value, Failure> {
    let directory = Path::new(arguments.text("directory")?);
    let megabytes: u64 = arguments.number("megabytes", 2048)?;
    let threads: u64 = arguments.number("threads", 2)?;
    let rounds: usize = arguments.number("rounds", 3)?;
    let bytes: usize = arguments.number("bytes", VALUE_BYTES)?;
    let block: u32 = arguments.number("block", BLOCK_BYTES)?;
    let records = (megabytes << 20) / bytes.max(1) as u64;
    let yardstick = directory.join("fio");
    let has_fio = fio::is_installed();
    if has_fio {
        // Written over, not made: the file system has nothing to look for.
        std::fs::File::create(&yardstick)?.set_len(megabytes << 20)?;
        fio::sequential_writes(&yardstick, WRITE_BYTES, WRITE_DEPTH)?;
    }
    let (mut ours, mut fios, mut rates, mut shares) = (vec![], vec![], vec![], vec![]);
    for round in 0..rounds {
        let fio = || if has_fio { fio::sequential_writes(&yardstick, WRITE_BYTES, WRITE_DEPTH).map(|got| got.rate / 1e6) } else { Ok(0.0) };
        // There and back, so that a slope of the machine favours nobody.
        let before = if round.is_multiple_of(2) { Some(fio()?) } else { None };
        let home = directory.join(format!("write-{round}"));
        let stage = DeviceStage::open(&home, block)?;
        let begun = Instant::now();
        stage.load(records, bytes, threads)?;
        let seconds = begun.elapsed().as_secs_f64();
        let usage = stage.namespace.usage();
        drop(stage);
        std::fs::remove_dir_all(&home)?;
        let fio = before.map_or_else(fio, Ok)?;
        let (rate, speed) = (records as f64 / seconds, usage.bytes_written as f64 / 1e6 / seconds);
        eprintln!(
            "round {}: {speed:.0} MB/s in {} writes and {} syncs, {rate:.0} records/s; fio {fio:.0} MB/s",
            round + 1,
            usage.writes,
            usage.syncs
        );
        ours.push(speed);
        rates.push(rate);
        fios.push(fio);
        shares.push(speed / fio);
    }
    let mut figures = json!({ "megabytesPerSecond": median(&ours).round(), "recordsPerSecond": median(&rates).round() });
    if has_fio {
        figures["fioMegabytesPerSecond"] = json!(median(&fios).round());
        figures["share"] = json!((median(&shares) * 1000.0).round() / 1000.0);
    } else {
        eprintln!("fio is not installed: its figures are missing");
    }
    Ok(figures)
}
