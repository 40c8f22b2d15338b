//! A YCSB workload upon the core, in this process.

use crate::Failure;
use crate::arguments::Arguments;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig};
use tessera_storage::paged::report::PagesReport;
use tessera_workload::client::Embedded;
use tessera_workload::figures::{Counts, Frame, Summary};
use tessera_workload::run::{Stop, Watch, run as run_workload};
use tessera_workload::spec::{Mix, Object, WorkloadSpec};
use tessera_workload::ycsb::Distribution;

/// Seconds are not watched.
struct Unwatched;

impl Watch for Unwatched {
    fn second(&mut self, _frame: Frame, _counts: &Counts) -> tessera_base::Result<()> {
        Ok(())
    }
}

/// Figures: `operationsPerSecond`, `cpuMicrosPerOperation`, and of every kind of operation `X` that there was, `XPerSecond`, `XAvgUs`, `XMinUs`, `XMaxUs`,
/// `XP95Us`, `XP99Us`; of a `paged` namespace `pagesReadPerOperation` and `bytesReadPerOperation`, of the disk. With a directory that
/// has the records already they are not loaded again.
///
/// # Errors
/// Bad arguments, a failed call, or operations that failed.
pub fn run(arguments: &Arguments) -> Result<Value, Failure> {
    let workload = Mix::parse(&format!("YCSB,{}", arguments.text("workload")?))?;
    let mut spec = WorkloadSpec::ycsb("ycsb", workload);
    spec.keys = arguments.number("records", spec.keys)?;
    spec.threads = arguments.number("threads", 2)?;
    spec.window = arguments.number("window", spec.window)?;
    spec.bins = arguments.number("fields", spec.bins)?;
    spec.object = Object::text(arguments.number("field-length", tessera_workload::ycsb::FIELD_BYTES)?);
    spec.seed = arguments.number("seed", spec.seed)?;
    if arguments.has("distribution") {
        spec.distribution = Some(Distribution::parse(arguments.text("distribution")?)?);
    }
    if arguments.has("scan-length") {
        spec.scan_length = Some(arguments.number("scan-length", 0)?);
    }
    if arguments.has("operations") {
        spec.operations = Some(arguments.number("operations", 0)?);
    }
    if arguments.has("seconds") {
        spec.duration_seconds = Some(arguments.number("seconds", 0)?);
    }
    spec.check()?;
    let temporary = if arguments.has("directory") { None } else { Some(tempfile::tempdir()?) };
    let directory = match &temporary {
        Some(temporary) => temporary.path(),
        None => Path::new(arguments.text("directory")?),
    };
    let engine = Engine::open(directory, EngineOptions::default())?;
    let namespace = open(&engine, arguments)?;
    let there = namespace.size(Some(&spec.set));
    spec.fill = !workload.inserts() && there < spec.keys;
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
fn open(engine: &Arc<Engine>, arguments: &Arguments) -> Result<Arc<Namespace>, Failure> {
    let asked = if arguments.has("engine") { arguments.text("engine")? } else { "memory" };
    let config = match asked {
        "memory" => NamespaceConfig::memory("ycsb"),
        "device" => NamespaceConfig::device("ycsb", DeviceConfig::default()),
        "paged" => NamespaceConfig::paged("ycsb", paged(arguments)?),
        other => return Err(format!("--engine must be memory, device or paged, got '{other}'").into()),
    };
    let durability = if asked == "memory" { Durability::None } else { Durability::Relaxed };
    let config = NamespaceConfig { durability, ..config };
    match engine.namespace(&config.name) {
        Ok(namespace) => Ok(namespace),
        Err(error) if error.code == ErrorCode::NamespaceNotFound => Ok(engine.create_namespace(config)?),
        Err(error) => Err(error.into()),
    }
}

/// Of `--page-bytes` and `--cache-bytes`.
///
/// # Errors
/// When one is no number; which numbers there are the engine says.
pub fn paged(arguments: &Arguments) -> Result<PagedConfig, Failure> {
    let config = PagedConfig::default();
    let page_bytes = arguments.number("page-bytes", config.page_bytes)?;
    let cache_bytes = arguments.number("cache-bytes", config.cache_bytes)?;
    Ok(PagedConfig { page_bytes, cache_bytes, ..config })
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
