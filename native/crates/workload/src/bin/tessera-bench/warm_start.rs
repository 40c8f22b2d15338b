//! Starts of a namespace on a device: warm ones from the index snapshot, and cold ones from the records.

use crate::Failure;
use crate::median::median;
use crate::random::Random;
use clap::Args;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_record::{BodyBuilder, KeyRef};

const NAMESPACE: &str = "device-start";
const SET: &str = "s";
/// Records looked at after each start.
const PROBES: u64 = 1000;

#[derive(Args)]
pub struct Records {
    /// Records of the warm starts
    #[arg(long, default_value_t = 2_000_000)]
    records: u64,
    /// Bytes per record of the warm starts
    #[arg(long, default_value_t = 100)]
    bytes: usize,
    /// 1: the set of the warm starts has an index
    #[arg(long, default_value_t = 0)]
    indexed: u8,
}

/// Adds figures, medians of the rounds: `warmRecordsPerSecond` and `coldRecordsPerSecond` by the recovery's own time,
/// `warmStartMs` and `coldStartMs` from opening the directory to the first answer, `closeMs` with writing the snapshot, and
/// `snapshotBytesPerRecord`.
///
/// # Errors
/// A failed call, a start of the wrong kind, or one that does not bring every record back.
pub fn measure(directory: &Path, options: &Records, rounds: usize, figures: &mut Value) -> Result<(), Failure> {
    let directory = directory.join(NAMESPACE);
    let &Records { records, bytes, indexed } = options;
    std::fs::create_dir_all(&directory)?;
    eprintln!("writing {records} records");
    let engine = Engine::open(&directory, EngineOptions::default())?;
    let sets = vec![SetConfig { name: SET.into(), index: indexed > 0, ..SetConfig::default() }];
    let config = NamespaceConfig { durability: Durability::Relaxed, sets, ..NamespaceConfig::device(NAMESPACE, DeviceConfig::default()) };
    fill(&*engine.create_namespace(config)?, records, bytes)?;
    engine.close()?;
    drop(engine);
    let snapshot = directory.join("namespaces/1").join(tessera_storage::device::SNAPSHOT_FILE);
    let snapshot_bytes = std::fs::metadata(&snapshot)?.len();
    let (mut warm, mut cold, mut closes) = (Starts::default(), Starts::default(), vec![]);
    for round in 0..rounds as u64 {
        let engine = warm.start(&directory, records, bytes, true, round)?;
        let begun = Instant::now();
        engine.close()?;
        closes.push(begun.elapsed().as_secs_f64() * 1000.0);
        drop(engine);
        std::fs::remove_file(&snapshot)?;
        cold.start(&directory, records, bytes, false, round)?.close()?;
        eprintln!("round {}: {:.0} ms warm, {:.0} ms cold", round + 1, median(&warm.millis), median(&cold.millis));
    }
    figures["warmRecords"] = json!(records);
    figures["warmRecordsPerSecond"] = json!(median(&warm.rates).round());
    figures["warmStartMs"] = json!(median(&warm.millis).round());
    figures["coldRecordsPerSecond"] = json!(median(&cold.rates).round());
    figures["coldStartMs"] = json!(median(&cold.millis).round());
    figures["closeMs"] = json!(median(&closes).round());
    figures["snapshotBytesPerRecord"] = json!(snapshot_bytes as f64 / records as f64);
    Ok(())
}

#[derive(Default)]
struct Starts {
    rates: Vec<f64>,
    millis: Vec<f64>,
}

impl Starts {
    fn start(&mut self, directory: &Path, records: u64, bytes: usize, warm: bool, seed: u64) -> Result<Arc<Engine>, Failure> {
        let begun = Instant::now();
        let engine = Engine::open(directory, EngineOptions::default())?;
        let namespace = engine.namespace(NAMESPACE)?;
        self.millis.push(begun.elapsed().as_secs_f64() * 1000.0);
        let report = namespace.recovery();
        if report.cold.is_none() != warm || namespace.size(None) != records {
            return Err(format!("{} records were recovered: {report:?}", namespace.size(None)).into());
        }
        self.rates.push(records as f64 / report.elapsed.as_secs_f64());
        let (mut random, mut out) = (Random::new(seed), vec![]);
        for _ in 0..PROBES {
            let key = random.below(records) as i64;
            if namespace.get(SET, KeyRef::Integer(key), &mut out)?.is_none() || out != body(key, bytes)? {
                return Err(format!("record {key} has the wrong value").into());
            }
        }
        Ok(engine)
    }
}

fn fill(namespace: &Namespace, records: u64, bytes: usize) -> Result<(), Failure> {
    for key in 0..records as i64 {
        namespace.put(SET, KeyRef::Integer(key), &body(key, bytes)?, &WriteOptions::default())?;
    }
    Ok(())
}

/// A record with one bin of so many bytes, its own.
fn body(key: i64, bytes: usize) -> Result<Vec<u8>, Failure> {
    let mut out = vec![];
    let mut builder = BodyBuilder::new(&mut out, KeyRef::Integer(key));
    builder.bin("b", |encoder| {
        encoder.bytes(&vec![key as u8; bytes]);
        Ok(())
    })?;
    builder.finish();
    Ok(out)
}
