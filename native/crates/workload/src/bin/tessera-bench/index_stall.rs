//! Reads and writes of records while a document index of the same namespace is built, kept by a load, and merged, beside the same without.

use crate::Failure;
use crate::event_rows::{self, PUBLISHED};
use crate::import::payload_index;
use crate::median::median;
use crate::stage::Stage;
use clap::Args;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tessera_workload::client::Embedded;
use tessera_workload::figures::{Counts, Frame, OperationSummary, Summary};
use tessera_workload::run::{self, Watch};
use tessera_workload::spec::{Mix, Object, WorkloadSpec};
use tessera_workload::stop::Stop;

/// Records that are read and written.
const KEYS: u64 = 200_000;
/// How often it is looked whether merges are running.
const LOOK: Duration = Duration::from_millis(5);

#[derive(Args)]
pub struct Options {
    /// Events
    #[arg(long, default_value_t = PUBLISHED)]
    rows: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Threads that read and write
    #[arg(long, default_value_t = 2)]
    clients: u32,
    /// Reads and writes per second
    #[arg(long, default_value_t = 20_000)]
    tps: u64,
    /// Seconds per measurement
    #[arg(long, default_value_t = 2)]
    seconds: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 3)]
    rounds: u64,
}

/// Figures for `build` (the index of all events, again and again), `load` (of new events, the index kept) and `merges` (all events written again, so
/// that every part has to be merged), all on `threads` threads, under `tps` operations a second in an open loop, half of them writes: `getP50Ms`,
/// `getP99Ms`, `putP50Ms`, `putP99Ms` from when an operation was due, `idleGetP99Ms` and so on of the run without anything else just before, medians
/// of the rounds; the ratios `getP50Times` and so on of the two; `missed` operations of all rounds; `done`: builds, rows a second, and the same with
/// `mergingShare` of the time in which a merge was running.
///
/// # Errors
/// A failed call or operation.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let &Options { rows, seconds, rounds, threads, .. } = options;
    eprintln!("loading {rows} events");
    let stage = Stage::events("index-stall")?;
    stage.import_rows(0..rows, threads)?;
    let again = event_rows::chunks(0..rows)?;
    let load = WorkloadSpec {
        workload: Mix::ReadUpdate { read_percent: 50 },
        object: Object::parse("B:100")?,
        duration_seconds: Some(seconds),
        target_tps: Some(options.tps),
        keys: KEYS,
        threads: options.clients,
        ..WorkloadSpec::new("index-stall")
    };
    let scene = Scene { stage, load, threads };
    scene.load(&WorkloadSpec { fill: true, ..scene.load.clone() })?;
    let mut phases = [Phase::default(), Phase::default(), Phase::default()];
    for round in 1..=rounds {
        let [build, fresh, merges] = &mut phases;
        scene.beside(build, |over, done| scene.build(over, done))?;
        let new = event_rows::chunks(rows * round..rows * (round + 1))?;
        scene.stage.build_index(payload_index(), threads)?;
        scene.beside(fresh, |over, done| scene.import(&new, over, done))?;
        drop(new);
        scene.beside(merges, |over, done| scene.import(&again, over, done))?;
        scene.stage.namespace.drop_index("payload")?;
    }
    let mut figures = Map::new();
    for (name, phase) in ["build", "load", "merges"].into_iter().zip(&phases) {
        figures.insert(name.to_owned(), phase.figures(f64::from(seconds)));
    }
    Ok(figures.into())
}

struct Scene {
    stage: Stage,
    load: WorkloadSpec,
    threads: u32,
}

/// Rounds of one kind: each figure beside that of the quiet run before.
#[derive(Default)]
struct Phase {
    quiet: Rounds,
    with: Rounds,
    missed: u64,
    done: Vec<f64>,
    merging: Vec<f64>,
}

/// p50 and p99 in milliseconds, one for each round.
#[derive(Default)]
struct Rounds {
    get: [Vec<f64>; 2],
    put: [Vec<f64>; 2],
}

impl Rounds {
    fn add(&mut self, summary: &Summary) {
        let add = |to: &mut [Vec<f64>; 2], of: &OperationSummary| {
            to[0].push(of.p50_ms);
            to[1].push(of.p99_ms);
        };
        add(&mut self.get, &summary.read);
        add(&mut self.put, &summary.write);
    }

    fn named(&self) -> [(&'static str, &[f64]); 4] {
        [("getP50", &self.get[0]), ("getP99", &self.get[1]), ("putP50", &self.put[0]), ("putP99", &self.put[1])]
    }
}

impl Phase {
    fn figures(&self, seconds: f64) -> Value {
        let mut figures = Map::new();
        for ((name, with), (_, quiet)) in self.with.named().into_iter().zip(self.quiet.named()) {
            let times: Vec<f64> = with.iter().zip(quiet).map(|(with, quiet)| with / quiet).collect();
            figures.insert(format!("{name}Ms"), thousandths(median(with)).into());
            figures.insert(format!("idle{}{}Ms", name[..1].to_uppercase(), &name[1..]), thousandths(median(quiet)).into());
            figures.insert(format!("{name}Times"), thousandths(median(&times)).into());
        }
        figures.insert("missed".to_owned(), self.missed.into());
        figures.insert("donePerSecond".to_owned(), thousandths(median(&self.done) / seconds).into());
        figures.insert("mergingShare".to_owned(), thousandths(median(&self.merging)).into());
        figures.into()
    }
}

impl Scene {
    fn load(&self, spec: &WorkloadSpec) -> Result<Summary, Failure> {
        let summary = run::run(spec, &Embedded::new(self.stage.namespace.clone(), spec)?, &Stop::default(), &mut Unwatched)?;
        if let Some((code, message)) = summary.errors.keys().next().zip(summary.error_message.as_ref()) {
            return Err(format!("{code}: {message}").into());
        }
        Ok(summary)
    }

    /// One round: the load alone, then with `other`, which goes on until it is over and counts what it has done.
    fn beside(&self, phase: &mut Phase, other: impl Fn(&AtomicBool, &AtomicU64) -> Result<(), Failure> + Sync) -> Result<(), Failure> {
        let quiet = self.load(&self.load)?;
        let (over, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let (with, other, merging) = std::thread::scope(|scope| {
            let other = scope.spawn(|| other(&over, &done).map_err(|failure| failure.to_string()));
            let merging = scope.spawn(|| self.merging_share(&over));
            let with = self.load(&self.load);
            over.store(true, Ordering::Relaxed);
            (with, other.join(), merging.join())
        });
        other.map_err(|_| "what went on beside the load panicked")??;
        let (with, merging) = (with?, merging.map_err(|_| "the watch panicked")?);
        let of = |summary: &Summary| {
            let [read, write] = [&summary.read, &summary.write].map(|of| format!("{:.3} {:.3}", of.p50_ms, of.p99_ms));
            format!("get {read}, put {write}")
        };
        eprintln!("{} ms, beside it {} ms, {} missed, {} done", of(&quiet), of(&with), with.missed, done.load(Ordering::Relaxed));
        phase.quiet.add(&quiet);
        phase.with.add(&with);
        phase.missed += with.missed;
        phase.done.push(done.into_inner() as f64);
        phase.merging.push(merging);
        Ok(())
    }

    fn merging_share(&self, over: &AtomicBool) -> f64 {
        let (mut looks, mut running) = (0_u32, 0_u32);
        while !over.load(Ordering::Relaxed) {
            looks += 1;
            running += u32::from(self.stage.namespace.indexes().iter().any(|index| index.merges.running > 0));
            std::thread::sleep(LOOK);
        }
        f64::from(running) / f64::from(looks.max(1))
    }

    fn build(&self, over: &AtomicBool, done: &AtomicU64) -> Result<(), Failure> {
        while !over.load(Ordering::Relaxed) {
            self.stage.build_index(payload_index(), self.threads)?;
            self.stage.namespace.drop_index("payload")?;
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn import(&self, chunks: &[Vec<u8>], over: &AtomicBool, done: &AtomicU64) -> Result<(), Failure> {
        while !over.load(Ordering::Relaxed) {
            let session = self.stage.import_session(self.threads)?;
            for chunk in chunks.iter().take_while(|_| !over.load(Ordering::Relaxed)) {
                session.write(chunk.clone())?;
            }
            done.fetch_add(session.finish()?.rows, Ordering::Relaxed);
        }
        Ok(())
    }
}

struct Unwatched;

impl Watch for Unwatched {
    fn second(&mut self, _: Frame, _: &Counts) -> tessera_base::Result<()> {
        Ok(())
    }
}

fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
