//! Scans of small sets among 2 million records, with and without their index, and what both indexes cost in memory.

use crate::median::median;
use crate::{Failure, memory, random::Random, stage};
use clap::Args;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;
use tessera_core::scan::{ScanSpec, UseIndex};
use tessera_core::{Namespace, WriteOptions};
use tessera_record::{BodyBuilder, KeyRef};

/// The sets among the rest, by their number of records.
const SETS: [(&str, u64); 3] = [("large", 100_000), ("thousand", 1_000), ("hundred", 100)];
const REST: &str = "rest";
const BODY_BYTES: usize = 100;

#[derive(Args)]
pub struct Options {
    /// Records
    #[arg(long, default_value_t = 2_000_000)]
    records: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 101)]
    rounds: usize,
}

/// Figures: scan times in milliseconds (medians, 2 threads, bins included), and bytes of the primary and the set indexes by the engine's
/// account. Figures with `process` in their name are what the process itself says: growth of resident memory for the whole, growth of what
/// the allocator has handed out for the set indexes. `statusBytes` is the engine's total.
///
/// # Errors
/// A failed call, or a scan that does not give exactly its set.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let &Options { records, threads, rounds, .. } = options;

    let stage = stage::Stage::memory("set-scan", Vec::new())?;
    let namespace = &stage.namespace;
    eprintln!("writing {records} records");
    let order = interleaved(records);
    let before = memory::resident()?;
    fill(namespace, &order)?;
    let grown = memory::resident()?.saturating_sub(before);
    let used = namespace.memory();
    drop(order);

    let mut figures = json!({
        "records": namespace.size(None),
        "indexBytesPerRecord": used.primary_index as f64 / records as f64,
        "statusBytes": used.total(),
        "processBytes": grown,
    });
    for (set, count) in SETS {
        let unindexed = time(namespace, set, count, threads, UseIndex::Never, rounds)?;
        let allocated = switch_on(namespace, set, threads)?;
        let indexed = time(namespace, set, count, threads, UseIndex::Force, rounds)?;
        eprintln!("{set}: {count} records, {indexed:.3} ms with the index, {unindexed:.3} ms without");
        let bytes = namespace.sets().iter().find(|info| info.name == set).map_or(0, |info| info.index_bytes);
        match set {
            "large" => {
                figures["setIndexBytesPerRecord"] = json!(bytes as f64 / count as f64);
                figures["setIndexProcessBytesPerRecord"] = json!(allocated as f64 / count as f64);
                figures["scan100000IndexedMs"] = json!(indexed);
                figures["scan100000UnindexedMs"] = json!(unindexed);
            }
            "thousand" => {
                figures["scan1000IndexedMs"] = json!(indexed);
                figures["scan1000UnindexedMs"] = json!(unindexed);
            }
            _ => {
                figures["smallSetIndexBytes"] = json!(bytes);
                figures["smallSetIndexProcessBytes"] = json!(allocated);
                figures["scan100IndexedMs"] = json!(indexed);
                figures["scan100UnindexedMs"] = json!(unindexed);
                figures["gain100"] = json!(unindexed / indexed);
            }
        }
    }
    Ok(figures)
}

/// The set of each record in the order of writing: at random, so that no set lies together.
fn interleaved(records: u64) -> Vec<u8> {
    let mut order = Vec::with_capacity(records as usize);
    for (number, (_, count)) in SETS.iter().enumerate() {
        order.extend(std::iter::repeat_n(number as u8, *count as usize));
    }
    order.resize(records as usize, SETS.len() as u8);
    Random::new(1).shuffle(&mut order);
    order
}

fn fill(namespace: &Namespace, order: &[u8]) -> Result<(), Failure> {
    let mut body = Vec::with_capacity(BODY_BYTES);
    for (id, number) in order.iter().enumerate() {
        let set = SETS.get(usize::from(*number)).map_or(REST, |(name, _)| name);
        let key = KeyRef::Integer(id as i64);
        body.clear();
        let mut builder = BodyBuilder::new(&mut body, key);
        builder.bin("value", |out| {
            out.string(&"0123456789".repeat(7));
            Ok(())
        })?;
        builder.finish();
        namespace.put(set, key, &body, &WriteOptions::default())?;
    }
    Ok(())
}

/// Switches the index on and off a few times, and leaves it on. Answers the median growth of allocated bytes: other threads allocate too.
fn switch_on(namespace: &Arc<Namespace>, set: &str, threads: u32) -> Result<u64, Failure> {
    let mut growth = Vec::new();
    for round in 0..9 {
        if round > 0 {
            namespace.set_index_off(set)?;
        }
        let before = memory::allocated();
        stage::done(&namespace.set_index_on(set, threads)?)?;
        growth.push(memory::allocated().saturating_sub(before) as f64);
    }
    Ok(median(&growth) as u64)
}

/// Milliseconds from the call to the end of the stream, median of the rounds, each checked to give `count` lines.
fn time(namespace: &Arc<Namespace>, set: &str, count: u64, threads: u32, use_index: UseIndex, rounds: usize) -> Result<f64, Failure> {
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let begun = Instant::now();
        let scan = namespace.scan(ScanSpec { set: Some(set.to_owned()), threads, use_index, ..ScanSpec::default() })?;
        let mut lines = 0;
        while let Some(chunk) = scan.stream.next_blocking()? {
            lines += memchr::memchr_iter(b'\n', &chunk).count() as u64;
        }
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        if lines != count {
            return Err(format!("a scan of {set} returned {lines} records instead of {count}").into());
        }
    }
    Ok(median(&times))
}
