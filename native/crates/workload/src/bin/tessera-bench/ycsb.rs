//! A YCSB workload upon the core, in this process.

use crate::Failure;
use crate::arguments::Arguments;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, ErrorCode, Namespace, NamespaceConfig};
use tessera_workload::client::Embedded;
use tessera_workload::figures::{Counts, Frame, Summary};
use tessera_workload::run::{Stop, Watch, run as run_workload};
use tessera_workload::spec::{Mix, Object, WorkloadSpec};
use tessera_workload::ycsb::Distribution;

/// Seconds are not watched.
struct Unwatched;

impl Watch for Unwatched {
    fn second(&mut self, _frame: Frame, _counts: &Counts) -> tessera_core::Result<()> {
        Ok(())
    }
}

/// Figures: `operationsPerSecond`, and of every kind of operation `X` that there was, `XPerSecond`, `XAvgUs`, `XMinUs`, `XMaxUs`,
/// `XP95Us`, `XP99Us`. With a directory that has the records already they are not loaded again.
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
    if spec.fill {
        eprintln!("loading {} records", spec.keys);
    }
    let clients = Embedded::new(namespace, &spec)?;
    let summary = run_workload(&spec, &clients, &Stop::default(), &mut Unwatched)?;
    engine.close()?;
    eprint!("{}", summary.table());
    match summary.error_message {
        Some(message) => Err(format!("operations failed: {:?}, one of them: {message}", summary.errors).into()),
        None => Ok(figures(&summary)),
    }
}

/// The namespace of an earlier run, or a new one of the engine asked for.
fn open(engine: &Arc<Engine>, arguments: &Arguments) -> Result<Arc<Namespace>, Failure> {
    let asked = if arguments.has("engine") { arguments.text("engine")? } else { "memory" };
    let config = match asked {
        "memory" => NamespaceConfig::memory("ycsb"),
        "device" => NamespaceConfig {
            engine: EngineConfig::Device(DeviceConfig::default()),
            durability: Durability::Relaxed,
            ..NamespaceConfig::memory("ycsb")
        },
        other => return Err(format!("--engine is memory or device, not '{other}'").into()),
    };
    match engine.namespace(&config.name) {
        Ok(namespace) => Ok(namespace),
        Err(error) if error.code == ErrorCode::NamespaceNotFound => Ok(engine.create_namespace(config)?),
        Err(error) => Err(error.into()),
    }
}

fn figures(summary: &Summary) -> Value {
    let mut figures = Map::from_iter([("operationsPerSecond".to_owned(), json!(summary.tps.round()))]);
    for kind in &summary.kinds {
        let name = json!(kind.kind);
        let name = name.as_str().unwrap_or_default();
        figures.insert(format!("{name}PerSecond"), json!(kind.tps.round()));
        let times = [("Avg", kind.avg_us), ("Min", kind.min_us), ("Max", kind.max_us), ("P95", kind.p95_us), ("P99", kind.p99_us)];
        figures.extend(times.map(|(of, us)| (format!("{name}{of}Us"), json!(us))));
    }
    figures.into()
}
