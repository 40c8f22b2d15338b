//! Point reads while half of the operations write and a scan of everything goes on, beside the same without a scan in the same seconds.

use crate::Failure;
use crate::median::median;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tessera_core::scan::ScanSpec;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig};
use tessera_workload::client::Embedded;
use tessera_workload::figures::{Counts, Frame, OperationSummary, Summary};
use tessera_workload::run::{self, Watch};
use tessera_workload::spec::{Mix, Object, WorkloadSpec};
use tessera_workload::stop::Stop;

/// Workers of a scan.
const SCANS: [u32; 3] = [1, 2, 4];
/// Seconds in which the highest rate is looked for.
const PEAK_SECONDS: u32 = 3;
/// How long the load is there before the scan: a scan of an idle namespace has much in flight, which is another thing to measure.
const BEFORE_SCAN: Duration = Duration::from_millis(100);
/// More operations a second than there can be.
const ALL: u64 = 50_000_000;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Storage {
    Memory,
    Device,
    Both,
}

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files
    #[arg(long)]
    directory: PathBuf,
    /// Engines to measure
    #[arg(long, value_enum, default_value_t = Storage::Both)]
    storage: Storage,
    /// Records
    #[arg(long, default_value_t = 1_500_000)]
    records: u64,
    /// Threads that read and write [default: one per core]
    #[arg(long)]
    threads: Option<u32>,
    /// Operations per second; 0: half of the highest rate
    #[arg(long, default_value_t = 0)]
    tps: u64,
    /// Seconds per measurement
    #[arg(long, default_value_t = 2)]
    seconds: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Figures for `memory` (records of 100 bytes) and `device` (of 1 KB): `peakTps`; under half of it in an open loop, for
/// `none` and for scans of 1, 2 and 4 threads, `readP50Ms`, `readP99Ms` and `readP999Ms` from when a read was due, medians of
/// the rounds; for scans also `p99Times` those of the run without a scan just before, and `scannedPerSecond`.
///
/// # Errors
/// A failed call or operation.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let directory = options.directory.join("scan-under-load");
    let &Options { records: keys, seconds, rounds, .. } = options;
    let threads = options.threads.map_or_else(|| std::thread::available_parallelism().map(|cores| cores.get() as u32), Ok)?;
    let mut figures = Map::new();
    for (name, other, window, object) in [("memory", Storage::Device, 1, "B:100"), ("device", Storage::Memory, 32, "B:1000")] {
        if options.storage == other {
            continue;
        }
        let engine = Engine::open(&directory, EngineOptions::default())?;
        let config = match name {
            "memory" => NamespaceConfig::memory(name),
            _ => NamespaceConfig { durability: Durability::Relaxed, ..NamespaceConfig::device(name, DeviceConfig::default()) },
        };
        let stage = Stage {
            namespace: engine.create_namespace(config)?,
            spec: WorkloadSpec {
                workload: Mix::ReadUpdate { read_percent: 50 },
                object: Object::parse(object)?,
                duration_seconds: Some(seconds),
                keys,
                threads,
                window,
                ..WorkloadSpec::new(name)
            },
        };
        figures.insert(name.to_owned(), stage.measure(rounds, options.tps)?);
        drop(stage);
        engine.close()?;
        drop(engine);
        std::fs::remove_dir_all(&directory)?;
    }
    Ok(figures.into())
}

struct Stage {
    namespace: Arc<Namespace>,
    spec: WorkloadSpec,
}

/// What the rounds of one kind came to.
#[derive(Default)]
struct Rounds {
    p50: Vec<f64>,
    p99: Vec<f64>,
    p99_9: Vec<f64>,
    times: Vec<f64>,
    scanned: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, read: &OperationSummary) {
        self.p50.push(read.p50_ms);
        self.p99.push(read.p99_ms);
        self.p99_9.push(read.p99_9_ms);
    }

    fn figures(&self) -> Value {
        let thousandths = |values: &[f64]| (median(values) * 1000.0).round() / 1000.0;
        let mut figures =
            json!({ "readP50Ms": thousandths(&self.p50), "readP99Ms": thousandths(&self.p99), "readP999Ms": thousandths(&self.p99_9) });
        if !self.times.is_empty() {
            figures["p99Times"] = thousandths(&self.times).into();
            figures["scannedPerSecond"] = median(&self.scanned).round().into();
        }
        figures
    }
}

impl Stage {
    /// `tps`: operations a second; 0: half of the most there can be.
    fn measure(&self, rounds: usize, tps: u64) -> Result<Value, Failure> {
        // All of it is due at once: an operation of an open loop costs more than one of a closed one.
        let most = WorkloadSpec { fill: true, duration_seconds: Some(PEAK_SECONDS), target_tps: Some(ALL), ..self.spec.clone() };
        let peak = self.load(&most)?.tps;
        let tps = if tps > 0 { tps } else { (peak / 2.0) as u64 };
        let half = WorkloadSpec { target_tps: Some(tps), ..self.spec.clone() };
        eprintln!("{}: {peak:.0} operations/s at most, {tps} from here on", self.spec.namespace);
        let (mut none, mut scans) = (Rounds::default(), SCANS.map(|_| Rounds::default()));
        for round in 1..=rounds {
            for (threads, of) in SCANS.into_iter().zip(&mut scans) {
                let before = self.load(&half)?.read;
                let (with, rate) = self.scanning(threads, || self.load(&half))?;
                let read = with.read;
                eprintln!(
                    "round {round}, {threads} threads: {:.3} {:.3} {:.3} ms without, {:.3} {:.3} {:.3} ms with, {rate:.0} records/s scanned, {} missed",
                    before.p50_ms, before.p99_ms, before.p99_9_ms, read.p50_ms, read.p99_ms, read.p99_9_ms, with.missed
                );
                of.times.push(read.p99_ms / before.p99_ms);
                of.scanned.push(rate);
                none.add(&before);
                of.add(&read);
            }
        }
        let mut figures = json!({ "peakTps": peak.round(), "tps": tps, "none": none.figures() });
        for (threads, of) in SCANS.iter().zip(&scans) {
            figures[format!("threads{threads}")] = of.figures();
        }
        Ok(figures)
    }

    fn load(&self, spec: &WorkloadSpec) -> Result<Summary, Failure> {
        let summary = run::run(spec, &Embedded::new(self.namespace.clone(), spec)?, &Stop::default(), &mut Unwatched)?;
        if let Some((code, message)) = summary.errors.keys().next().zip(summary.error_message.as_ref()) {
            return Err(format!("{code}: {message}").into());
        }
        Ok(summary)
    }

    /// Does `work` while, from a moment after its beginning, one scan follows the other, its rows dropped as they come; and the records scanned a second.
    fn scanning<T>(&self, threads: u32, work: impl FnOnce() -> Result<T, Failure>) -> Result<(T, f64), Failure> {
        let (over, scanned, begun) = (AtomicBool::new(false), AtomicU64::new(0), Instant::now());
        let scan = || -> tessera_base::Result<()> {
            std::thread::sleep(BEFORE_SCAN);
            while !over.load(Ordering::Relaxed) {
                let scan = self.namespace.scan(ScanSpec { threads, ..ScanSpec::default() })?;
                while !over.load(Ordering::Relaxed) {
                    if scan.stream.next_blocking()?.is_none() {
                        break;
                    }
                }
                scanned.fetch_add(scan.job.done(), Ordering::Relaxed);
            }
            Ok(())
        };
        let (answer, scan) = std::thread::scope(|scope| {
            let scanner = scope.spawn(scan);
            let answer = work();
            over.store(true, Ordering::Relaxed);
            (answer, scanner.join())
        });
        scan.map_err(|_| "the scan panicked")??;
        Ok((answer?, scanned.into_inner() as f64 / begun.elapsed().as_secs_f64()))
    }
}

struct Unwatched;

impl Watch for Unwatched {
    fn second(&mut self, _: Frame, _: &Counts) -> tessera_base::Result<()> {
        Ok(())
    }
}
