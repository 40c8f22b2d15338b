//! Starts of a `device` namespace with a document index and a range index: warm ones from the snapshot, and cold ones from the records.

use crate::import::payload_index;
use crate::median::median;
use crate::stage::{Stage, done};
use crate::{Failure, event_rows, expected};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tessera_core::query::QuerySpec;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig};
use tessera_index::{IndexKind, IndexOrigin, IndexSpec, IndexState};
use tessera_jobs::load::{Format, ImportSession, ImportSpec};
use tessera_jobs::{JobKind, JobSpec, Unit};
use tessera_record::filter::Filter;
use tessera_storage::device::{DATA_FILE, SNAPSHOT_FILE};
use tessera_workload::events::marks;

const NAMESPACE: &str = "index-start";

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files
    #[arg(long)]
    directory: PathBuf,
    /// Records
    #[arg(long, default_value_t = 1_000_000)]
    records: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Figures, medians of the rounds: `warmSeconds` and `coldSeconds` from opening the directory until the namespace serves with both
/// indexes, `warmMegabytesPerSecond` of the snapshot and `coldMegabytesPerSecond` of the data file, `closeSeconds` with the snapshot
/// written; and `records`, `snapshotBytes`, `indexBytes` in memory after a warm start.
///
/// # Errors
/// A failed call, a start of the wrong kind, or a query that does not find what it should.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let directory = options.directory.join(NAMESPACE);
    let &Options { records, threads, rounds, .. } = options;
    std::fs::create_dir_all(&directory)?;
    eprintln!("loading {records} events");
    fill(&directory, records, threads)?;
    let folder = directory.join("namespaces/1");
    let (snapshot, data) = (folder.join(SNAPSHOT_FILE), folder.join(DATA_FILE));
    let (snapshot_bytes, data_bytes) = (std::fs::metadata(&snapshot)?.len(), std::fs::metadata(&data)?.len());
    let (mut warm, mut cold, mut closes, mut index_bytes) = (vec![], vec![], vec![], 0);
    for round in 1..=rounds {
        let (engine, seconds, bytes) = start(&directory, records, IndexOrigin::Snapshot)?;
        warm.push(seconds);
        index_bytes = bytes;
        let begun = Instant::now();
        engine.close()?;
        closes.push(begun.elapsed().as_secs_f64());
        drop(engine);
        std::fs::remove_file(&snapshot)?;
        let (engine, seconds, _) = start(&directory, records, IndexOrigin::Recovered)?;
        cold.push(seconds);
        engine.close()?;
        eprintln!("round {round}: {:.2} s warm, {seconds:.2} s cold", warm[round - 1]);
    }
    let thousandths = |value: f64| (value * 1000.0).round() / 1000.0;
    let (warm, cold) = (median(&warm), median(&cold));
    Ok(json!({
        "records": records,
        "warmSeconds": thousandths(warm),
        "warmMegabytesPerSecond": (snapshot_bytes as f64 / 1e6 / warm).round(),
        "coldSeconds": thousandths(cold),
        "coldMegabytesPerSecond": (data_bytes as f64 / 1e6 / cold).round(),
        "closeSeconds": thousandths(median(&closes)),
        "snapshotBytes": snapshot_bytes,
        "indexBytes": index_bytes,
    }))
}

/// Loads events into a new namespace, builds both indexes and closes it.
fn fill(directory: &Path, records: u64, threads: u32) -> Result<(), Failure> {
    let engine = Engine::open(directory, EngineOptions::default())?;
    let config = NamespaceConfig { durability: Durability::Relaxed, ..NamespaceConfig::device(NAMESPACE, DeviceConfig::default()) };
    let namespace = engine.create_namespace(config)?;
    let spec = ImportSpec { key: Some("event_id".into()), threads, ..ImportSpec::new(Stage::EVENTS, Format::Csv) };
    let job = JobSpec { threads, unit: Unit::Bytes, ..JobSpec::new(JobKind::Import, NAMESPACE, "Import events") };
    let session = ImportSession::begin(namespace.clone(), spec, engine.jobs().begin(job)?)?;
    event_rows::each_chunk(0..records, |chunk| Ok(session.write(chunk)?))?;
    let report = session.finish()?;
    if report.rows != records || report.rejected_total > 0 {
        return Err(format!("{} of {records} rows were imported", report.rows).into());
    }
    for spec in [payload_index(), repository_index()] {
        done(&namespace.create_index(spec, threads)?)?;
    }
    drop(namespace);
    Ok(engine.close()?)
}

fn repository_index() -> IndexSpec {
    IndexSpec { name: "repository".into(), bin: Some("repo_id".into()), kind: IndexKind::Range, ..payload_index() }
}

/// The engine, the seconds until it served, and the bytes of the indexes, which have come from where they should.
fn start(directory: &Path, records: u64, origin: IndexOrigin) -> Result<(Arc<Engine>, f64, u64), Failure> {
    let begun = Instant::now();
    let engine = Engine::open(directory, EngineOptions::default())?;
    let namespace = engine.namespace(NAMESPACE)?;
    let seconds = begun.elapsed().as_secs_f64();
    let indexes = namespace.indexes();
    let sound = indexes.iter().all(|index| (index.state, index.origin) == (IndexState::Ready, origin));
    if !sound || indexes.len() != 2 || namespace.size(None) != records {
        return Err(format!("{} records were recovered, and {indexes:?}: {:?}", namespace.size(None), namespace.recovery()).into());
    }
    let (found, wanted) = (matches(&namespace)?, marks::matches_all(records));
    if found != wanted {
        return Err(format!("a query found {found} events, not {wanted}").into());
    }
    Ok((engine, seconds, indexes.iter().map(|index| index.stats.bytes).sum()))
}

/// Events that the first published query finds.
fn matches(namespace: &Arc<Namespace>) -> Result<u64, Failure> {
    let filter = json!({ "and": [
        { "bin": "event_type", "op": "eq", "value": "PushEvent" },
        { "bin": "payload", "op": "contains", "value": expected::wanted() },
    ] });
    let filter = Filter::compile(filter.to_string().as_bytes())?;
    let spec = QuerySpec { set: Some(Stage::EVENTS.into()), filter: Some(filter.into()), select: Some(vec![]), ..QuerySpec::default() };
    let query = namespace.query(spec)?;
    while query.stream.next_blocking()?.is_some() {}
    Ok(query.stream.summary().returned)
}
