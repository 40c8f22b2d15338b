//! Measures this crate, behind the core, beside the driver alone: the same requests on the same table, in turn.
//!
//! Prints one JSON object: for each phase the medians of its rounds, and the ratios of ours to the driver's.

mod bare;
mod ours;

use clap::Parser;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tessera_record::{BodyBuilder, Digest, KeyRef};

/// Why there are no figures.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The set of all records.
pub(crate) const SET: &str = "s";
/// Of the namespace on the cluster, which is dropped at the end.
pub(crate) const NAMESPACE: &str = "beside-driver";
pub(crate) const KEYSPACE: &str = "ts_beside_hdriver";

/// Measures reads, writes, scans and counts of a namespace on a cluster beside those of a program that has the driver alone.
#[derive(Parser)]
#[command(name = "beside-driver")]
pub(crate) struct Options {
    /// Nodes to connect to
    #[arg(long, value_delimiter = ',', required = true)]
    pub(crate) points: Vec<String>,
    /// Copies of each record
    #[arg(long, default_value_t = 1)]
    pub(crate) copies: u16,
    #[arg(long, default_value_t = 20_000)]
    pub(crate) records: u64,
    /// Bytes of a value
    #[arg(long, default_value_t = 1000)]
    pub(crate) bytes: usize,
    /// Requests in flight
    #[arg(long, default_value_t = 32)]
    pub(crate) in_flight: usize,
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Point reads of a round
    #[arg(long, default_value_t = 20_000)]
    pub(crate) reads: u64,
    /// Writes of a round
    #[arg(long, default_value_t = 2000)]
    pub(crate) writes: u64,
    /// Terms that a document index keeps of a record; without it there is none
    #[arg(long)]
    pub(crate) terms: Option<usize>,
    /// Measures the driver alone, on the records of a namespace that is there and has all of them
    #[arg(long)]
    pub(crate) driver_alone: Option<String>,
    /// Phases that are left out
    #[arg(long, value_delimiter = ',')]
    pub(crate) without: Vec<String>,
}

/// What a phase of a round came to.
#[derive(Clone, Copy)]
pub(crate) struct Spent {
    operations: u64,
    wall: Duration,
    processor: Duration,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(figures) => {
            println!("{figures:#}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<Value, Failure> {
    if let Some(keyspace) = &options.driver_alone {
        return Ok(Value::Object(measure(options, &phases_of_driver(&bare::Bare::new(options, keyspace)?))?));
    }
    let ours = ours::Ours::new(options)?;
    let figures = beside(options, &ours);
    ours.drop_all()?;
    figures
}

type Phase<'a> = (&'static str, Box<dyn Fn(u64) -> Result<u64, Failure> + 'a>);

fn phases_of_driver<'a>(bare: &'a bare::Bare<'_>) -> Vec<Phase<'a>> {
    vec![
        ("driver reads", Box::new(|round| bare.reads(round))),
        ("driver writes", Box::new(|round| bare.writes(round))),
        ("driver inserts", Box::new(|round| bare.inserts(round))),
        ("driver scan", Box::new(|_| bare.scan(true))),
        ("driver count", Box::new(|_| bare.scan(false))),
    ]
}

fn beside(options: &Options, ours: &ours::Ours<'_>) -> Result<Value, Failure> {
    let bare = bare::Bare::new(options, KEYSPACE)?;
    let loaded = timed(|| ours.load(0..options.records))?;
    eprintln!("loaded: {:.0} records/s", loaded.rate());
    let of_ours: Vec<Phase<'_>> = vec![
        ("reads by threads", Box::new(|round| ours.reads(round))),
        ("reads by one thread", Box::new(|round| ours.reads_in_a_window(round))),
        ("reads in batches", Box::new(|round| ours.reads_in_batches(round))),
        ("writes by threads", Box::new(|round| ours.writes(round))),
        ("writes in batches", Box::new(|round| ours.writes_in_batches(round))),
        ("inserts by threads", Box::new(|round| ours.inserts(round))),
        ("inserts in batches", Box::new(|round| ours.inserts_in_batches(round))),
        ("scan", Box::new(|_| ours.scan(true))),
        ("count", Box::new(|_| ours.scan(false))),
    ];
    // Ours behind the driver's of the same kind, so that both meet the same moment of the machine.
    let mut phases = vec![];
    let mut of_ours = of_ours.into_iter().peekable();
    for (name, phase) in phases_of_driver(&bare) {
        let kind = name.trim_start_matches("driver ");
        phases.push((name, phase));
        while let Some(next) = of_ours.next_if(|(name, _)| name.starts_with(kind)) {
            phases.push(next);
        }
    }
    let mut figures = measure(options, &phases)?;
    if let Some(terms) = options.terms {
        figures.extend(ours.build_and_ask(terms)?);
    }
    let records = ours.scan(false)?;
    let truncated = timed(|| ours.truncate().map(|()| records))?;
    figures.insert("truncation".to_owned(), json!({ "perSecond": truncated.rate().round() }));
    figures.insert("load".to_owned(), json!({ "perSecond": loaded.rate().round() }));
    Ok(Value::Object(figures))
}

fn measure(options: &Options, phases: &[Phase<'_>]) -> Result<Map<String, Value>, Failure> {
    let mut spent: Vec<Vec<Spent>> = phases.iter().map(|_| vec![]).collect();
    // The first round warms up.
    for round in 0..=options.rounds as u64 {
        for ((name, phase), spent) in phases.iter().zip(&mut spent) {
            if options.without.iter().any(|left_out| name.contains(left_out.as_str())) {
                continue;
            }
            let one = timed(|| phase(round))?;
            eprintln!("{round} {name}: {:.0}/s, {:.1} us", one.rate(), one.processor_us());
            if round > 0 {
                spent.push(one);
            }
        }
    }
    let (mut figures, mut driver) = (Map::new(), (0.0, 0.0));
    for ((name, _), spent) in phases.iter().zip(&spent).filter(|(_, spent)| !spent.is_empty()) {
        let [rate, processor] = [Spent::rate, Spent::processor_us].map(|of| median(spent.iter().map(of).collect()));
        let mut figure = json!({ "perSecond": rate.round(), "processorUs": (processor * 10.0).round() / 10.0 });
        if name.starts_with("driver") {
            driver = (rate, processor);
        } else if driver.0 > 0.0 {
            figure["rateOfDriver"] = json!((rate / driver.0 * 100.0).round() / 100.0);
            figure["processorOfDriver"] = json!((processor / driver.1 * 100.0).round() / 100.0);
        }
        figures.insert((*name).to_owned(), figure);
    }
    Ok(figures)
}

pub(crate) fn timed(work: impl FnOnce() -> Result<u64, Failure>) -> Result<Spent, Failure> {
    let (begun, before) = (Instant::now(), processor_time());
    let operations = work()?;
    Ok(Spent { operations, wall: begun.elapsed(), processor: processor_time().saturating_sub(before) })
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

impl Spent {
    pub(crate) fn rate(&self) -> f64 {
        self.operations as f64 / self.wall.as_secs_f64()
    }

    /// Of one operation.
    fn processor_us(&self) -> f64 {
        self.processor.as_secs_f64() * 1e6 / self.operations as f64
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// Numbers of records, in an order that a cache does not know; each once, if there are as many.
pub(crate) fn numbers(round: u64, many: u64, of: u64) -> impl Iterator<Item = u64> + Send {
    (0..many).map(move |at| (at + round * many) * 7919 % of)
}

/// Numbers of records that are not there yet; who inserts: 0 to 2.
pub(crate) fn fresh(options: &Options, round: u64, who: u64) -> std::ops::Range<u64> {
    let from = options.records + (round * 3 + who) * options.writes;
    from..from + options.writes
}

pub(crate) fn digest_of(number: u64) -> Digest {
    Digest::of(SET, KeyRef::String(&number.to_string()))
}

/// A record with a value of so many bytes.
pub(crate) fn body_of(number: u64, bytes: usize) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let key = number.to_string();
    let mut body = BodyBuilder::new(&mut out, KeyRef::String(&key));
    body.bin("v", |encoder| {
        encoder.bytes(&vec![number as u8; bytes]);
        Ok(())
    })?;
    body.finish();
    Ok(out)
}
