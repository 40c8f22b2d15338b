//! Random point reads, on a `memory` namespace: keys made and digests computed for each read, values copied out.

use crate::median::median;
use crate::threads::on_threads;
use crate::values::{self, SET, VALUE_BYTES, check};
use crate::{Failure, random::Random, stage};
use clap::Args;
use serde_json::{Value, json};
use std::time::Instant;
use tessera_core::Namespace;
use tessera_record::KeyRef;

const BATCH: usize = 256;

#[derive(Args)]
pub struct Options {
    /// Records
    #[arg(long, default_value_t = 1_000_000)]
    keys: u64,
    #[command(flatten)]
    reads: Reads,
}

/// What `measure` does.
#[derive(Args)]
pub struct Reads {
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// Reads per round
    #[arg(long, default_value_t = 4_000_000)]
    reads: u64,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 5)]
    rounds: u64,
}

/// Figures: `readsPerSecond`, `batchedReadsPerSecond`: all threads together, medians of the rounds.
///
/// # Errors
/// A failed call, or a value that is not the one written.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let keys = options.keys;
    let stage = stage::Stage::memory("point-read", Vec::new())?;
    eprintln!("writing {keys} records of {VALUE_BYTES} bytes");
    values::put(&stage.namespace, 0..keys, VALUE_BYTES)?;
    measure(&stage.namespace, keys, &options.reads)
}

/// The figures of `run`, of a namespace that has the records.
///
/// # Errors
/// As `run`.
pub fn measure(namespace: &Namespace, keys: u64, options: &Reads) -> Result<Value, Failure> {
    let &Reads { threads, reads, rounds } = options;
    let mut single = Vec::new();
    let mut batched = Vec::new();
    for round in 0..rounds {
        single.push(rate(threads, reads, |seed| read_singly(namespace, keys, reads / threads, round << 8 | seed))?);
        batched.push(rate(threads, reads, |seed| read_batches(namespace, keys, reads / threads, round << 8 | seed))?);
        eprintln!("round {}: {:.0} reads/s, {:.0} in batches", round + 1, single[round as usize], batched[round as usize]);
    }
    Ok(json!({ "readsPerSecond": median(&single).round(), "batchedReadsPerSecond": median(&batched).round() }))
}

/// Runs `work` on every thread at once and answers reads a second.
fn rate(threads: u64, reads: u64, work: impl Fn(u64) -> Result<(), Failure> + Sync) -> Result<f64, Failure> {
    let begun = Instant::now();
    on_threads(threads, work)?;
    Ok((reads / threads * threads) as f64 / begun.elapsed().as_secs_f64())
}

fn read_singly(namespace: &Namespace, keys: u64, reads: u64, seed: u64) -> Result<(), Failure> {
    let mut random = Random::new(seed);
    let mut out = Vec::new();
    for _ in 0..reads {
        let id = random.below(keys);
        namespace.get(SET, KeyRef::Integer(id as i64), &mut out)?.ok_or("a record is missing")?;
        check(&out, id)?;
    }
    Ok(())
}

fn read_batches(namespace: &Namespace, keys: u64, reads: u64, seed: u64) -> Result<(), Failure> {
    let mut random = Random::new(seed);
    let mut ids = [0; BATCH];
    let mut out = Vec::with_capacity(BATCH * (VALUE_BYTES + 64));
    let mut ends = [(0, 0); BATCH];
    for _ in 0..reads / BATCH as u64 {
        for id in &mut ids {
            *id = random.below(keys);
        }
        let lookups: Vec<KeyRef<'_>> = ids.iter().map(|&id| KeyRef::Integer(id as i64)).collect();
        out.clear();
        ends.fill((0, 0));
        namespace.get_many(SET, &lookups, &mut |position, found| {
            if let Some((_, body)) = found {
                let start = out.len();
                out.extend_from_slice(body);
                ends[position] = (start, out.len());
            }
        })?;
        for (id, (start, end)) in ids.iter().zip(ends) {
            check(&out[start..end], *id)?;
        }
    }
    Ok(())
}
