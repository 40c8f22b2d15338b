//! What concerns a whole `memory` namespace, and single records of it, in the core: size, visits by reference, copies in batches, get and put;
//! of 50,000 records and of so many more that no cache holds them.

use crate::median::{median, quantile};
use crate::random::Random;
use crate::threads::on_threads;
use crate::{Failure, stage};
use clap::Args;
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tessera_core::iterate::{Batch, IterateSpec};
use tessera_core::scan::{PlanChoice, TallySpec, UseIndex, VisitSpec};
use tessera_core::{Namespace, Resident, WriteOptions};
use tessera_jobs::JobKind;
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, Digest, KeyRef, Meta};

const SET: &str = "entries";
const VALUE_BYTES: usize = 1000;
/// Sizes that are asked for in a row.
const SIZES: u32 = 1000;
/// Readings of the clock of which the median is what one costs.
const CLOCK_PAIRS: usize = 10_000;
const THREADS: [u32; 2] = [1, 2];
/// Calls on single records, each timed by itself.
const CALLS: [(&str, Timed); 3] = [("get", get), ("look", look), ("put", put)];
const WARM_UP: Duration = Duration::from_millis(300);

#[derive(Args)]
pub struct Options {
    /// Records
    #[arg(long, default_value_t = 50_000)]
    records: u64,
    /// Records of a second, larger namespace; 0: none
    #[arg(long, default_value_t = 0)]
    large: u64,
    /// Records for the count with a filter; 0: no count
    #[arg(long, default_value_t = 2_000_000)]
    counted: u64,
    /// Calls per measurement
    #[arg(long, default_value_t = 200_000)]
    calls: u64,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 11)]
    rounds: usize,
}

/// Figures of `--records` records, those of `--large` (if it is not 0) under `large` with their ratios to the first, and records a second of a count with a filter on one
/// of four small bins of `--counted` records, 2 threads; all medians of the rounds.
///
/// # Errors
/// A failed call, or sums that are not those of what was written.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let &Options { records, large, counted, calls, rounds, .. } = options;
    let mut figures = measure(records, calls, rounds)?;
    figures.insert("records".into(), json!(records));
    if counted > 0 {
        figures.insert("filteredCountPerSecond".into(), json!(filtered_count(counted, rounds)?.round()));
    }
    if large > 0 {
        let more = measure(large, calls, rounds.min(5))?;
        let ratio = |(name, value): (&String, &Value)| {
            let ratio = value.as_f64()? / figures.get(name)?.as_f64()?;
            Some((name.clone(), json!((ratio * 1000.0).round() / 1000.0)))
        };
        let ratios: Map<String, Value> = more.iter().filter_map(ratio).collect();
        figures.insert("large".into(), json!({ "records": large, "figures": more, "ratios": ratios }));
    }
    Ok(Value::Object(figures))
}

/// Nanoseconds of each of so many calls on so many records, in an order that a number decides.
type Timed = fn(&Namespace, u64, u64, u64) -> Result<Vec<f64>, Failure>;

/// What records come to, so that nothing of a visit is left out: metadata and set count, and lengths, parts of digests, and first bytes of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    records: u64,
    lengths: u64,
    digests: u64,
    known: u64,
    beginnings: u64,
}

impl Sums {
    fn add(self, other: Self) -> Self {
        Self {
            records: self.records + other.records,
            lengths: self.lengths + other.lengths,
            digests: self.digests.wrapping_add(other.digests),
            known: self.known + other.known,
            beginnings: self.beginnings.wrapping_add(other.beginnings),
        }
    }

    fn of(digest: &Digest, meta: &Meta, set: u16, body: &[u8], begin: bool) -> Self {
        Self {
            records: 1,
            lengths: body.len() as u64,
            digests: digest.hash64(),
            known: u64::from(meta.generation) + u64::from(set),
            beginnings: if begin { body.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)) } else { 0 },
        }
    }
}

/// The sums of one thread; they share their cache lines with no other's.
#[derive(Default)]
#[repr(align(128))]
struct Shared([AtomicU64; 5]);

impl Shared {
    /// By the one thread that adds to it.
    fn add(&self, Sums { records, lengths, digests, known, beginnings }: Sums) {
        for (sum, more) in self.0.iter().zip([records, lengths, digests, known, beginnings]) {
            sum.store(sum.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
        }
    }

    fn get(&self) -> Sums {
        let [records, lengths, digests, known, beginnings] = self.0.each_ref().map(|sum| sum.load(Ordering::Relaxed));
        Sums { records, lengths, digests, known, beginnings }
    }
}

fn measure(records: u64, calls: u64, rounds: usize) -> Result<Map<String, Value>, Failure> {
    let stage = stage::Stage::memory("segments", Vec::new())?;
    let namespace = &stage.namespace;
    eprintln!("writing {records} records of {VALUE_BYTES} bytes");
    let parts = on_threads(2, |thread| fill(namespace, (thread..records).step_by(2)))?;
    let mut first = Batch::default();
    namespace.iterate(&IterateSpec { batch: 1, keys_only: true, ..IterateSpec::default() })?.next(&mut first)?;
    let set = first.entries().next().ok_or("there is no record")?.set;
    let mut sums = parts.into_iter().fold(Sums::default(), Sums::add);
    // Every record is of the first generation.
    sums.known = records * (1 + u64::from(set));

    let mut figures = Map::new();
    let mut figure = |name: String, value: f64| drop(figures.insert(name, json!((value * 10.0).round() / 10.0)));
    figure("sizeNs".into(), repeat(rounds, || size(namespace, None, records))?);
    figure("sizeOfSetNs".into(), repeat(rounds, || size(namespace, Some(SET), records))?);
    for threads in THREADS {
        for (name, begin) in [("visits", false), ("visitsOfBeginnings", true)] {
            let wanted = Sums { beginnings: if begin { sums.beginnings } else { 0 }, ..sums };
            figure(format!("{name}PerSecond{threads}"), repeat(rounds, || visit(namespace, threads, begin, wanted))?);
        }
        figure(format!("copiesPerSecond{threads}"), repeat(rounds, || copy(namespace, threads, false, sums))?);
        let keys = Sums { lengths: 0, beginnings: 0, ..sums };
        figure(format!("keysPerSecond{threads}"), repeat(rounds, || copy(namespace, threads, true, keys))?);
    }
    // Of one record again and again all is in the processor's caches: what the others take more is waiting for memory.
    for (of, ids) in [("", records), ("OfOne", 1)] {
        let mut quantiles = [const { [const { Vec::new() }; 2] }; CALLS.len()];
        for round in 0..rounds {
            for ((_, call), [halves, rest]) in CALLS.iter().zip(&mut quantiles) {
                let nanos = call(namespace, ids, calls, round as u64)?;
                halves.push(quantile(&nanos, 0.5));
                rest.push(quantile(&nanos, 0.99));
            }
        }
        for ((name, _), [halves, rest]) in CALLS.iter().zip(&quantiles) {
            figure(format!("{name}P50Ns{of}"), median(halves));
            figure(format!("{name}P99Ns{of}"), median(rest));
        }
    }
    Ok(figures)
}

/// The median of what the rounds give, after some that are not counted: the system takes a while to give two threads a processor each.
fn repeat(rounds: usize, measure: impl Fn() -> Result<f64, Failure>) -> Result<f64, Failure> {
    let begun = Instant::now();
    measure()?;
    while begun.elapsed() < WARM_UP {
        measure()?;
    }
    Ok(median(&(0..rounds).map(|_| measure()).collect::<Result<Vec<_>, _>>()?))
}

fn value_body(id: u64, body: &mut Vec<u8>, value: &mut [u8]) -> Result<(), Failure> {
    value[..8].copy_from_slice(&id.to_le_bytes());
    body.clear();
    let mut builder = BodyBuilder::new(body, KeyRef::Integer(id as i64));
    builder.bin("value", |out| {
        out.bytes(value);
        Ok(())
    })?;
    builder.finish();
    Ok(())
}

fn fill(namespace: &Namespace, ids: impl Iterator<Item = u64>) -> Result<Sums, Failure> {
    let (mut value, mut body, mut sums) = (vec![b'v'; VALUE_BYTES], Vec::new(), Sums::default());
    for id in ids {
        value_body(id, &mut body, &mut value)?;
        let key = KeyRef::Integer(id as i64);
        namespace.put(SET, key, &body, &WriteOptions::default())?;
        sums = sums.add(Sums::of(&Digest::of(SET, key), &Meta::default(), 0, &body, true));
    }
    Ok(sums)
}

/// Nanoseconds of a call.
fn size(namespace: &Namespace, set: Option<&str>, wanted: u64) -> Result<f64, Failure> {
    let begun = Instant::now();
    let mut sum = 0;
    for _ in 0..SIZES {
        sum += black_box(namespace.size(black_box(set)));
    }
    let nanos = begun.elapsed().as_nanos() as f64 / f64::from(SIZES);
    if sum == wanted * u64::from(SIZES) { Ok(nanos) } else { Err(format!("the size is not {wanted}").into()) }
}

/// Records a second.
fn visit(namespace: &Namespace, threads: u32, begin: bool, wanted: Sums) -> Result<f64, Failure> {
    let shared: Vec<Shared> = (0..threads).map(|_| Shared::default()).collect();
    let begun = Instant::now();
    namespace.scan_visit(&VisitSpec { threads, ..VisitSpec::default() }, &|worker, found| {
        shared[worker].add(Sums::of(&found.digest, &found.meta, found.set, found.body, begin));
        ControlFlow::Continue(())
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    checked(shared.iter().map(Shared::get).fold(Sums::default(), Sums::add), wanted, seconds)
}

/// Records a second; each thread has a share of the segments.
fn copy(namespace: &Namespace, threads: u32, keys_only: bool, wanted: Sums) -> Result<f64, Failure> {
    let count = namespace.segment_count() as usize;
    let begun = Instant::now();
    let parts = on_threads(threads.into(), |thread| {
        let segments = Some((thread as u16..count as u16).step_by(threads as usize).collect());
        let mut iteration = namespace.iterate(&IterateSpec { segments, keys_only, ..IterateSpec::default() })?;
        let (mut batch, mut sums) = (Batch::default(), Sums::default());
        while iteration.next(&mut batch)? {
            let of = |sums: Sums, entry: tessera_core::iterate::Entry<'_>| {
                sums.add(Sums::of(&entry.digest, &entry.meta, entry.set, entry.body, true))
            };
            sums = batch.entries().fold(sums, of);
        }
        Ok(sums)
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    checked(parts.into_iter().fold(Sums::default(), Sums::add), wanted, seconds)
}

fn checked(sums: Sums, wanted: Sums, seconds: f64) -> Result<f64, Failure> {
    if sums == wanted { Ok(wanted.records as f64 / seconds) } else { Err(format!("{sums:?} instead of {wanted:?}").into()) }
}

/// Nanoseconds of each of so many calls, of ids at random, less what reading the clock takes: `call` tells how long its own took.
fn timed(records: u64, calls: u64, seed: u64, mut call: impl FnMut(u64) -> Result<Duration, Failure>) -> Result<Vec<f64>, Failure> {
    let (mut random, clock) = (Random::new(seed), clock_nanos());
    (0..calls).map(|_| Ok(call(random.below(records))?.as_nanos() as f64 - clock)).collect()
}

/// Gets, each of which copies the body out.
fn get(namespace: &Namespace, records: u64, calls: u64, seed: u64) -> Result<Vec<f64>, Failure> {
    let mut out = Vec::new();
    timed(records, calls, seed, |id| {
        let begun = Instant::now();
        namespace.get(SET, KeyRef::Integer(id as i64), &mut out)?.ok_or("a record is missing")?;
        Ok(begun.elapsed())
    })
}

/// As `get`, by reference: the body is where it is.
fn look(namespace: &Namespace, records: u64, calls: u64, seed: u64) -> Result<Vec<f64>, Failure> {
    timed(records, calls, seed, |id| {
        let begun = Instant::now();
        let seen = namespace.look(SET, KeyRef::Integer(id as i64), |_, body| black_box(body).len())?;
        let took = begun.elapsed();
        if matches!(seen, Resident::Found(VALUE_BYTES..)) { Ok(took) } else { Err("a record is missing".into()) }
    })
}

/// As `get`, of writes over what is there.
fn put(namespace: &Namespace, records: u64, calls: u64, seed: u64) -> Result<Vec<f64>, Failure> {
    let (mut body, mut value) = (Vec::new(), vec![b'w'; VALUE_BYTES]);
    timed(records, calls, !seed, |id| {
        value_body(id, &mut body, &mut value)?;
        let begun = Instant::now();
        namespace.put(SET, KeyRef::Integer(id as i64), &body, &WriteOptions::default())?;
        Ok(begun.elapsed())
    })
}

/// What two readings of the clock have between them.
fn clock_nanos() -> f64 {
    median(&(0..CLOCK_PAIRS).map(|_| Instant::now().elapsed().as_nanos() as f64).collect::<Vec<_>>())
}

/// Records a second of a count with a filter on one of four bins, that half of them pass.
fn filtered_count(records: u64, rounds: usize) -> Result<f64, Failure> {
    let stage = stage::Stage::memory("counted", Vec::new())?;
    eprintln!("writing {records} records of four small bins");
    on_threads(2, |thread| {
        let mut body = Vec::new();
        for id in (thread..records).step_by(2) {
            body.clear();
            let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(id as i64));
            for (name, number) in [("age", id % 100), ("score", id * 7 % 1000)] {
                builder.bin(name, |out| {
                    out.int(number as i64);
                    Ok(())
                })?;
            }
            for (name, text) in [("city", "Lisbon"), ("name", "someone")] {
                builder.bin(name, |out| {
                    out.string(text);
                    Ok(())
                })?;
            }
            builder.finish();
            stage.namespace.put(SET, KeyRef::Integer(id as i64), &body, &WriteOptions::default())?;
        }
        Ok(())
    })?;
    let filter = Arc::new(Filter::compile(br#"{"bin":"age","op":"lt","value":50}"#)?);
    let wanted = (0..records).filter(|id| id % 100 < 50).count() as u64;
    repeat(rounds, || {
        let begun = Instant::now();
        let job = stage.namespace.tally(TallySpec {
            kind: JobKind::Count,
            set: None,
            filter: Some(filter.clone()),
            sample: None,
            aggregate: None,
            use_index: UseIndex::Auto,
            plan: PlanChoice::Auto,
            threads: 2,
            records_per_second: None,
        })?;
        stage::done(&job)?;
        let seconds = begun.elapsed().as_secs_f64();
        let result: Value = serde_json::from_str(job.info().result.as_deref().unwrap_or("null"))?;
        if result["records"].as_u64() == Some(wanted) {
            Ok(records as f64 / seconds)
        } else {
            Err(format!("{result} instead of {wanted}").into())
        }
    })
}
