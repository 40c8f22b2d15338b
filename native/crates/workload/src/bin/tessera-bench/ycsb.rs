//! A YCSB workload upon the core, in this process.

use crate::Failure;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig};
use tessera_storage::paged::report::PagesReport;
use tessera_workload::client::Embedded;
use tessera_workload::figures::{Counts, Frame, Summary};
use tessera_workload::run::{Watch, run as run_workload};
use tessera_workload::spec::{Mix, Object, WorkloadSpec, plain};
use tessera_workload::stop::Stop;
use tessera_workload::ycsb::{self, Distribution};

/// Seconds are not watched.
struct Unwatched;

impl Watch for Unwatched {
    fn second(&mut self, _frame: Frame, _counts: &Counts) -> tessera_base::Result<()> {
        Ok(())
    }
}

#[derive(Args)]
pub struct Options {
    /// load, a to f, or parts such as read:90,rmw:10
    #[arg(long, value_parser = plain(Mix::parse_ycsb))]
    workload: Mix,
    /// Records
    #[arg(long, default_value_t = 100_000)]
    records: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Reads in flight per thread
    #[arg(long, default_value_t = 1)]
    window: u32,
    /// Engine of the namespace
    #[arg(long, value_enum, default_value_t = EngineName::Memory)]
    engine: EngineName,
    #[command(flatten)]
    pages: Pages,
    /// Folder for the records, which later runs use again [default: a temporary one]
    #[arg(long)]
    directory: Option<PathBuf>,
    /// zipfian, latest, uniform, hotspot or exponential [default: depends on the workload]
    #[arg(long, value_parser = plain(Distribution::parse))]
    distribution: Option<Distribution>,
    /// Number of operations [default: until the seconds have passed]
    #[arg(long)]
    operations: Option<u64>,
    /// Longest duration [default: 10]
    #[arg(long)]
    seconds: Option<u32>,
    /// Fields per record
    #[arg(long, default_value_t = ycsb::FIELDS)]
    fields: u32,
    /// Bytes per field
    #[arg(long, default_value_t = ycsb::FIELD_BYTES)]
    field_length: u32,
    /// Most records per scan [default: 100]
    #[arg(long)]
    scan_length: Option<u32>,
    /// The same seed gives the same operations
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    Memory,
    Device,
    Paged,
}

/// Of a `paged` namespace; the engine says which numbers there are.
#[derive(Args)]
pub struct Pages {
    /// Page size in bytes, of a `paged` namespace
    #[arg(long, default_value_t = PagedConfig::default().page_bytes)]
    page_bytes: u32,
    /// Page cache in bytes, of a `paged` namespace
    #[arg(long, default_value_t = PagedConfig::default().cache_bytes)]
    cache_bytes: u64,
}

impl Pages {
    pub fn config(&self) -> PagedConfig {
        PagedConfig { page_bytes: self.page_bytes, cache_bytes: self.cache_bytes, ..PagedConfig::default() }
    }
}

/// Figures: `operationsPerSecond`, `cpuMicrosPerOperation`, and of every kind of operation `X` that there was, `XPerSecond`, `XAvgUs`, `XMinUs`, `XMaxUs`,
/// `XP95Us`, `XP99Us`; of a `paged` namespace `pagesReadPerOperation` and `bytesReadPerOperation`, of the disk. With a directory that
/// has the records already they are not loaded again.
///
/// # Errors
/// Options out of range, a failed call, or operations that failed.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let mut spec = WorkloadSpec {
        keys: options.records,
        threads: options.threads,
        window: options.window,
        bins: options.fields,
        object: Object::text(options.field_length),
        seed: options.seed,
        distribution: options.distribution,
        scan_length: options.scan_length,
        operations: options.operations,
        duration_seconds: options.seconds,
        ..WorkloadSpec::ycsb("ycsb", options.workload)
    };
    spec.check()?;
    let temporary = tempfile::tempdir()?;
    let directory = options.directory.as_deref().unwrap_or(temporary.path());
    let engine = Engine::open(directory, EngineOptions::default())?;
    let namespace = open(&engine, options)?;
    let there = namespace.size(Some(&spec.set));
    spec.fill = !options.workload.inserts() && there < spec.keys;
    let clients = Embedded::new(namespace.clone(), &spec)?;
    if let Some(fill) = spec.filling() {
        eprintln!("loading {} records", spec.keys);
        whole(run_workload(&fill, &clients, &Stop::default(), &mut Unwatched)?)?;
        // Apart, so that what it reads is not counted with the run.
        spec.fill = false;
    }
    let before = namespace.pages_report();
    let summary = whole(run_workload(&spec, &clients, &Stop::default(), &mut Unwatched)?)?;
    let mut figures = figures(&summary);
    if let (Some(before), Some(after)) = (before, namespace.pages_report()) {
        figures.extend(reads_of_pages(&before, &after, summary.operations));
    }
    engine.close()?;
    eprint!("{}", summary.table());
    Ok(figures.into())
}

/// # Errors
/// When operations failed.
fn whole(summary: Summary) -> Result<Summary, Failure> {
    match &summary.error_message {
        Some(message) => Err(format!("operations failed: {:?}; example: {message}", summary.errors).into()),
        None => Ok(summary),
    }
}

/// The namespace of an earlier run, or a new one of the engine asked for.
fn open(engine: &Arc<Engine>, options: &Options) -> Result<Arc<Namespace>, Failure> {
    let relaxed = |config| NamespaceConfig { durability: Durability::Relaxed, ..config };
    let config = match options.engine {
        EngineName::Memory => NamespaceConfig::memory("ycsb"),
        EngineName::Device => relaxed(NamespaceConfig::device("ycsb", DeviceConfig::default())),
        EngineName::Paged => relaxed(NamespaceConfig::paged("ycsb", options.pages.config())),
    };
    match engine.namespace(&config.name) {
        Ok(namespace) => Ok(namespace),
        Err(error) if error.code == ErrorCode::NamespaceNotFound => Ok(engine.create_namespace(config)?),
        Err(error) => Err(error.into()),
    }
}

/// What an operation made the disk read between two reports.
fn reads_of_pages(before: &PagesReport, after: &PagesReport, operations: u64) -> [(String, Value); 2] {
    let bytes = after.traffic.pages_read_bytes.saturating_sub(before.traffic.pages_read_bytes) as f64 / operations.max(1) as f64;
    let pages = bytes / f64::from(after.page_bytes.max(1));
    [
        ("pagesReadPerOperation".to_owned(), json!((pages * 1000.0).round() / 1000.0)),
        ("bytesReadPerOperation".to_owned(), json!(bytes.round())),
    ]
}

fn figures(summary: &Summary) -> Map<String, Value> {
    let mut figures = Map::from_iter([
        ("operationsPerSecond".to_owned(), json!(summary.tps.round())),
        ("cpuMicrosPerOperation".to_owned(), json!(summary.cpu_micros_per_operation)),
    ]);
    for kind in &summary.kinds {
        let name = json!(kind.kind);
        let name = name.as_str().unwrap_or_default();
        figures.insert(format!("{name}PerSecond"), json!(kind.tps.round()));
        let times = [("Avg", kind.avg_us), ("Min", kind.min_us), ("Max", kind.max_us), ("P95", kind.p95_us), ("P99", kind.p99_us)];
        figures.extend(times.map(|(of, us)| (format!("{name}{of}Us"), json!(us))));
    }
    figures
}
