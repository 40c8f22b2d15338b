//! Scans of sets of a `device` namespace, from all of its records to a hundred: what the planner chooses beside each plan
//! that can be forced. The records of the sets are strewn over the device.

use crate::device_stage::{BLOCK_BYTES, DeviceStage};
use crate::median::median;
use crate::random::Random;
use crate::threads::on_threads;
use crate::{Failure, stage, values};
use clap::Args;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use tessera_core::Namespace;
use tessera_core::scan::{PlanChoice, ScanSpec, VisitSpec};
use tessera_core::sets::SetIndexState;

const PLANS: [(PlanChoice, &str); 4] = [
    (PlanChoice::Auto, "auto"),
    (PlanChoice::SetIndex, "set-index"),
    (PlanChoice::SetColumn, "set-column"),
    (PlanChoice::Device, "device-sequential"),
];
/// Below this many milliseconds a row says the difference, not the ratio.
const TINY_MS: f64 = 1.0;
/// A set that lies together, unlike the others: its share of the records.
const TOGETHER: f64 = 0.05;

/// A set, and how many records it has.
struct Share {
    set: &'static str,
    records: u64,
}

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files
    #[arg(long)]
    directory: PathBuf,
    /// Records
    #[arg(long, default_value_t = 2_000_000)]
    records: u64,
    /// Bytes per record
    #[arg(long, default_value_t = 100)]
    bytes: usize,
    /// Measure only this number of threads: 1, 4 or 128; 0: all three
    #[arg(long, default_value_t = 0)]
    threads: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// `yes` keeps the records for the next run
    #[arg(long)]
    keep: Option<String>,
}

/// Figures: `rows`, one for each set and number of threads, with the medians in milliseconds of each plan, its estimate, what
/// was chosen and `ratio`, auto to the best of the forced ones; `worstRatio` of rows from 1 ms on; `costs` as calibrated.
///
/// # Errors
/// A failed call, or a scan that does not meet exactly its set.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let directory = options.directory.join("plan");
    let &Options { records, bytes, rounds, threads: only, .. } = options;
    let stage = DeviceStage::open(&directory, BLOCK_BYTES)?;
    let namespace = &stage.namespace;
    let shares = if namespace.size(None) == 0 { load(namespace, records, bytes)? } else { shares(records) };
    for share in
        shares[1..].iter().filter(|share| !namespace.sets().iter().any(|info| info.name == share.set && info.index == SetIndexState::On))
    {
        stage::done(&namespace.set_index_on(share.set, 2)?)?;
    }
    stage::done(&namespace.calibrate()?)?;
    let costs = namespace.costs();
    eprintln!("{costs:?}");
    let (mut rows, mut worst) = (Vec::new(), 0.0f64);
    for threads in [1, 4, 128].into_iter().filter(|threads| only == 0 || only == *threads) {
        for share in &shares {
            let (row, ratio) = measure(namespace, share, threads, rounds)?;
            worst = worst.max(ratio);
            rows.push(row);
        }
    }
    drop(stage);
    if options.keep.is_none() {
        std::fs::remove_dir_all(&directory)?;
    }
    Ok(json!({ "records": records, "bytes": bytes, "worstRatio": rounded(worst), "rows": rows, "costs": costs }))
}

/// The namespace as a whole, which has no name here, and the sets in it; the last one is written at the end, in one piece.
fn shares(records: u64) -> Vec<Share> {
    let of = |set, share: f64| Share { set, records: (records as f64 * share) as u64 };
    vec![
        Share { set: "", records },
        of("half", 0.45),
        of("fifth", 0.2),
        of("tenth", 0.1),
        of("twentieth", 0.05),
        of("fiftieth", 0.02),
        of("hundredth", 0.01),
        of("little", 0.0005),
        Share { set: "hundred", records: 100 },
        of("together", TOGETHER),
    ]
}

/// Writes all records on two threads, in an order that is no set's, but for the set that lies together.
fn load(namespace: &Arc<Namespace>, records: u64, bytes: usize) -> Result<Vec<Share>, Failure> {
    eprintln!("writing {records} records");
    let shares = shares(records);
    let mut order = Vec::with_capacity(records as usize);
    let strewn = &shares[1..shares.len() - 1];
    for (at, share) in strewn.iter().enumerate() {
        order.extend(std::iter::repeat_n(at as u8, share.records as usize));
    }
    let together = shares[shares.len() - 1].records as usize;
    order.resize(records as usize - together, strewn.len() as u8);
    Random::new(1).shuffle(&mut order);
    order.resize(records as usize, strewn.len() as u8 + 1);
    let set_of = |at: u8| match usize::from(at) {
        at if at < strewn.len() => strewn[at].set,
        at if at == strewn.len() => "rest",
        _ => "together",
    };
    let records = order.iter().zip(0..).map(|(at, id)| (set_of(*at), id));
    on_threads(2, |thread| values::put_in_sets(namespace, records.clone().skip(thread as usize).step_by(2), bytes))?;
    namespace.sync()?;
    Ok(shares)
}

/// A row of the table, and its ratio where that says something.
fn measure(namespace: &Namespace, share: &Share, threads: u32, rounds: usize) -> Result<(Value, f64), Failure> {
    let set = (!share.set.is_empty()).then(|| share.set.to_owned());
    let plans: Vec<_> = PLANS.into_iter().filter(|(plan, _)| set.is_some() || *plan != PlanChoice::SetIndex).collect();
    let mut times = vec![Vec::new(); plans.len()];
    // Small ones more often: they are quick, and the noise is large beside them.
    let rounds = if share.records < 20_000 { rounds * 4 } else { rounds };
    for round in 0..=rounds {
        for step in 0..plans.len() {
            // There and back, so that none is always behind the same one; the first round warms up.
            let at = if round % 2 == 0 { step } else { plans.len() - 1 - step };
            let ms = scan(namespace, set.as_deref(), threads, plans[at].0, share.records)?;
            if round > 0 {
                times[at].push(ms);
            }
        }
    }
    let explain = |plan| namespace.explain_scan(&ScanSpec { set: set.clone(), threads, plan, ..ScanSpec::default() });
    let chosen = explain(PlanChoice::Auto)?.method.as_str();
    let name = if share.set.is_empty() { "all" } else { share.set };
    let mut row = json!({ "set": name, "records": share.records, "threads": threads, "chosen": chosen });
    let (mut auto, mut best, mut text) = (0.0, f64::INFINITY, String::new());
    for ((plan, name), times) in plans.iter().zip(&times) {
        let (ms, estimate) = (median(times), explain(*plan)?.estimated_ms.unwrap_or_default());
        match plan {
            PlanChoice::Auto => auto = ms,
            _ => best = f64::min(best, ms),
        }
        row[name] = json!({ "ms": rounded(ms), "estimatedMs": rounded(estimate) });
        text.push_str(&format!(" {name} {ms:9.3} ({estimate:9.3})"));
    }
    row["ratio"] = rounded(auto / best).into();
    row["differenceMs"] = rounded(auto - best).into();
    eprintln!("{threads:3} {name:10} {:8} {text} {chosen:18} {:.3}", share.records, auto / best);
    Ok((row, if best >= TINY_MS { auto / best } else { 0.0 }))
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// What one thread has met, in a line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Count(AtomicU64);

/// Milliseconds of one scan.
fn scan(namespace: &Namespace, set: Option<&str>, threads: u32, plan: PlanChoice, records: u64) -> Result<f64, Failure> {
    let counts: Vec<Count> = (0..threads).map(|_| Count::default()).collect();
    let begun = Instant::now();
    let spec = VisitSpec { set: set.map(str::to_owned), threads, plan, ..VisitSpec::default() };
    namespace.scan_visit(&spec, &|worker, found| {
        std::hint::black_box(found.body);
        counts[worker].0.fetch_add(1, Relaxed);
        ControlFlow::Continue(())
    })?;
    let ms = begun.elapsed().as_secs_f64() * 1000.0;
    let met: u64 = counts.iter().map(|count| count.0.load(Relaxed)).sum();
    if met != records { Err(format!("the scan returned {met} of {records} records").into()) } else { Ok(ms) }
}
