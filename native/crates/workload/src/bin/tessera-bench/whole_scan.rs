//! Scans of a whole `memory` namespace in the core, nothing sent anywhere, and what its indexes cost.

use crate::median::median;
use crate::threads::on_threads;
use crate::{Failure, memory, stage};
use clap::Args;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tessera_core::scan::{Found, PlanChoice, TallySpec, UseIndex, VisitSpec};
use tessera_core::{Namespace, WriteOptions};
use tessera_jobs::JobKind;
use tessera_record::{BodyBuilder, KeyRef, Ttl};

const LARGE: &str = "large";
const SMALL: &str = "small";
/// Records of the small set.
const FEW: u64 = 100;
/// Seconds to live of records that do not expire while they are counted.
const LONG: u32 = 100_000;
const VALUE: &str = "0123456789012345678901234567890123456789012345678901234567890123456789";

#[derive(Args)]
pub struct Options {
    /// Records
    #[arg(long, default_value_t = 20_000_000)]
    records: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 11)]
    rounds: usize,
}

/// Figures: records a second, medians, of a scan of the large set that visits every body, with its index and without, and of counting it, also with a time to live on each record;
/// nanoseconds a record of the namespace that the scan of a small set without an index takes; bytes of both indexes a record.
/// `processBytesPerRecord` is the growth of the process, bodies included.
///
/// # Errors
/// A failed call, or a scan that does not meet exactly its set.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let &Options { records, threads, rounds, .. } = options;

    let stage = stage::Stage::memory("whole-scan", Vec::new())?;
    let namespace = &stage.namespace;
    eprintln!("writing {records} records");
    let before = memory::resident()?;
    let begun = Instant::now();
    on_threads(2, |thread| fill(namespace, (thread..records).step_by(2), Ttl::Never))?;
    eprintln!("{:.1} million records/s", records as f64 / begun.elapsed().as_secs_f64() / 1e6);
    let grown = memory::resident()?.saturating_sub(before);
    let primary = namespace.memory().primary_index;

    let large = records.saturating_sub(FEW);
    let column = rate(rounds, large, || visit(namespace, LARGE, threads, UseIndex::Never))?;
    let small = rate(rounds, FEW, || visit(namespace, SMALL, threads, UseIndex::Never))?;
    stage::done(&namespace.set_index_on(LARGE, threads)?)?;
    let indexed = rate(rounds, large, || visit(namespace, LARGE, threads, UseIndex::Force))?;
    let counted = rate(rounds, large, || count(&stage, threads))?;
    on_threads(2, |thread| fill(namespace, (thread..records).step_by(2), Ttl::Seconds(LONG)))?;
    let expiring = rate(rounds, large, || count(&stage, threads))?;
    let index = namespace.sets().iter().find(|set| set.name == LARGE).map_or(0, |set| set.index_bytes);
    Ok(json!({
        "records": records,
        "indexBytesPerRecord": primary as f64 / records as f64,
        "processBytesPerRecord": grown as f64 / records as f64,
        "setIndexBytesPerRecord": index as f64 / large as f64,
        "scanIndexedPerSecond": indexed.round(),
        "scanUnindexedPerSecond": column.round(),
        "countPerSecond": counted.round(),
        "countExpiringPerSecond": expiring.round(),
        "smallSetNanosPerNamespaceRecord": FEW as f64 / small * 1e9 / records as f64,
    }))
}

fn fill(namespace: &Namespace, ids: impl Iterator<Item = u64>, ttl: Ttl) -> Result<(), Failure> {
    let mut body = Vec::new();
    for id in ids {
        let key = KeyRef::Integer(id as i64);
        body.clear();
        let mut builder = BodyBuilder::new(&mut body, key);
        builder.bin("value", |out| {
            out.string(VALUE);
            Ok(())
        })?;
        builder.finish();
        namespace.put(if id < FEW { SMALL } else { LARGE }, key, &body, &WriteOptions { ttl, ..WriteOptions::default() })?;
    }
    Ok(())
}

/// Records that a scan meets; every body is looked at.
fn visit(namespace: &Namespace, set: &str, threads: u32, use_index: UseIndex) -> Result<u64, Failure> {
    let met: Vec<Padded> = (0..threads).map(|_| Padded::default()).collect();
    let spec = VisitSpec { set: Some(set.to_owned()), threads, use_index, ..VisitSpec::default() };
    namespace.scan_visit(&spec, &|worker, found: &Found<'_>| {
        met[worker].0.fetch_add(u64::from(found.body.last().is_some()), Ordering::Relaxed);
        ControlFlow::Continue(())
    })?;
    Ok(met.iter().map(|met| met.0.load(Ordering::Relaxed)).sum())
}

/// A counter that shares its cache line with no other.
#[derive(Default)]
#[repr(align(128))]
struct Padded(AtomicU64);

/// Records that a background count answers.
fn count(stage: &stage::Stage, threads: u32) -> Result<u64, Failure> {
    let job = stage.namespace.tally(TallySpec {
        kind: JobKind::Count,
        set: Some(LARGE.to_owned()),
        filter: None,
        sample: None,
        aggregate: None,
        use_index: UseIndex::Auto,
        plan: PlanChoice::Auto,
        threads,
        records_per_second: None,
    })?;
    stage::done(&job)?;
    let result: Value = serde_json::from_str(job.info().result.as_deref().unwrap_or("null"))?;
    result["records"].as_u64().ok_or_else(|| "the count has no result".into())
}

/// Records a second of `scan`, median, each checked to meet `wanted`.
fn rate(rounds: usize, wanted: u64, scan: impl Fn() -> Result<u64, Failure>) -> Result<f64, Failure> {
    let mut rates = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let begun = Instant::now();
        let met = scan()?;
        rates.push(met as f64 / begun.elapsed().as_secs_f64());
        if met != wanted {
            return Err(format!("a scan returned {met} records instead of {wanted}").into());
        }
    }
    Ok(median(&rates))
}
