//! Random reads of 1 KB records of a `device` namespace, beside fio's random reads of the same file in the same minute.

use crate::Failure;
use crate::device_stage::{BLOCK_BYTES, DeviceStage};
use crate::fio::{self, Got};
use crate::median::{median, quantile};
use crate::random::Random;
use crate::threads::on_threads;
use crate::values::{SET, VALUE_BYTES, check};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tessera_core::Namespace;
use tessera_record::KeyRef;

const FIO_BYTES: usize = 4096;

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files
    #[arg(long)]
    directory: PathBuf,
    /// MiB of records
    #[arg(long, default_value_t = 2048)]
    megabytes: u64,
    /// Threads
    #[arg(long, default_value_t = 4)]
    threads: u64,
    /// Reads in flight per thread
    #[arg(long, default_value_t = 8)]
    depth: usize,
    /// Seconds per measurement
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Figures, medians of the rounds: `readsPerSecond`, `p99Micros`; with fio installed `fioReadsPerSecond`, `fioP99Micros`,
/// and, of the same round, `share` of its reads and `p99Times` its p99.
///
/// # Errors
/// A failed call, or a value that is not the one written.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let directory = options.directory.as_path();
    let &Options { megabytes, threads, depth, seconds, rounds, .. } = options;
    let records = (megabytes << 20) / VALUE_BYTES as u64;
    eprintln!("writing {records} records");
    let stage = DeviceStage::open(&directory.join("read"), BLOCK_BYTES)?;
    stage.load(records, VALUE_BYTES, 2)?;
    let file = stage.data_file()?;
    let has_fio = fio::is_installed();
    let (mut ours, mut fios) = (vec![], vec![]);
    for round in 0..rounds {
        let fio = || if has_fio { fio::random_reads(&file, FIO_BYTES, threads as usize, depth, seconds) } else { Ok(Got::default()) };
        // There and back, so that a slope of the machine favours nobody.
        let before = if round.is_multiple_of(2) { Some(fio()?) } else { None };
        let got = reads(&stage.namespace, records, threads, depth, Duration::from_secs(seconds), round as u64)?;
        let fio = before.map_or_else(fio, Ok)?;
        eprintln!("round {}: {:.0} reads/s, p99 {:.0} us; fio {:.0}, {:.0}", round + 1, got.rate, got.p99_us, fio.rate, fio.p99_us);
        ours.push(got);
        fios.push(fio);
    }
    let rates = |got: &[Got]| median(&got.iter().map(|got| got.rate).collect::<Vec<_>>()).round();
    let p99s = |got: &[Got]| median(&got.iter().map(|got| got.p99_us).collect::<Vec<_>>()).round();
    let mut figures = json!({ "readsPerSecond": rates(&ours), "p99Micros": p99s(&ours) });
    if has_fio {
        let of_fio = |ratio: fn(&Got, &Got) -> f64| {
            let ratios: Vec<f64> = ours.iter().zip(&fios).map(|(ours, fio)| ratio(ours, fio)).collect();
            (median(&ratios) * 1000.0).round() / 1000.0
        };
        figures["fioReadsPerSecond"] = json!(rates(&fios));
        figures["fioP99Micros"] = json!(p99s(&fios));
        figures["share"] = json!(of_fio(|ours, fio| ours.rate / fio.rate));
        figures["p99Times"] = json!(of_fio(|ours, fio| ours.p99_us / fio.p99_us));
    } else {
        eprintln!("fio is not installed; its figures are left out");
    }
    Ok(figures)
}

fn reads(namespace: &Namespace, records: u64, threads: u64, depth: usize, time: Duration, seed: u64) -> Result<Got, Failure> {
    let begun = Instant::now();
    let micros = on_threads(threads, |thread| read(namespace, records, depth, time, seed << 8 | thread))?.concat();
    let elapsed = begun.elapsed().as_secs_f64();
    Ok(Got { rate: micros.len() as f64 / elapsed, p99_us: quantile(&micros, 0.99) })
}

/// One reader; the microseconds that each read took, from its start until its value was there.
fn read(namespace: &Namespace, records: u64, depth: usize, time: Duration, seed: u64) -> Result<Vec<f64>, Failure> {
    let mut random = Random::new(seed);
    let mut reader = namespace.reader(depth)?;
    let mut micros = vec![];
    // By tag: the record asked for, and when.
    let mut asked = vec![(0, Instant::now()); depth];
    let end = Instant::now() + time;
    let mut free: Option<usize> = None;
    let mut begun = 0;
    loop {
        let tag = free.take().or_else(|| (begun < depth).then_some(begun));
        if let Some(tag) = tag.filter(|_| Instant::now() < end) {
            begun = begun.max(tag + 1);
            let id = random.below(records);
            asked[tag] = (id, Instant::now());
            reader.start(SET, KeyRef::Integer(id as i64), tag as u64)?;
            if begun < depth {
                continue;
            }
        }
        let Some((tag, found)) = reader.next() else { return Ok(micros) };
        let (id, since) = asked[tag as usize];
        check(found?.ok_or("a record is missing")?.1, id)?;
        micros.push(since.elapsed().as_nanos() as f64 / 1000.0);
        free = Some(tag as usize);
    }
}
