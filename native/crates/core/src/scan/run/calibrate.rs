//! Measuring what a device costs a scan: a job of a few seconds that reads and changes nothing.

use crate::config::Feature;
use crate::scan::device::AHEAD;
use crate::scan::plan::Selection;
use crate::scan::traverse::Traversal;
use crate::segment::Fetches;
use crate::store::{RecordStore, WINDOW};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::clock::{unix_millis, unix_seconds};
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use tessera_jobs::{Job, JobKind, JobSpec, Unit};
use tessera_storage::{DeviceCosts, Run, SlotRecord};

/// Longest time for each of the three measurements.
const PART: Duration = Duration::from_secs(1);
/// Rounds that random reads choose from, spread over all segments.
const PLACES: usize = 16 * 1024;

/// Starts a job that measures what random and sequential reads of this namespace's devices cost; plans reckon with its
/// result from then on, over restarts too.
///
/// # Errors
/// `unsupported` where bodies are in memory, or where nothing is stored yet that could be read; `job_limit`, `closed`.
pub fn calibrate(store: &Arc<RecordStore>) -> Result<Arc<Job>> {
    store.require(Feature::Disks)?;
    store.check_open()?;
    let unsupported = |why: Sentence| Error::said(ErrorCode::Unsupported, why);
    if store.bodies_resident() {
        return Err(unsupported(sentence!("the records are in memory, on no device")));
    }
    let runs = store.storage().runs();
    if runs.is_empty() {
        return Err(unsupported(sentence!("no block is stored yet; calibrate when there are records to read")));
    }
    let job = store.jobs().begin(JobSpec {
        unit: Unit::Operations,
        ..JobSpec::new(JobKind::Calibrate, store.named(), format!("Calibrate {}", store.name()))
    })?;
    job.start();
    let (measured, running) = (store.clone(), job.clone());
    store.pool().spawn(move || running.run(|job| measure(&measured, &runs, job)));
    Ok(job)
}

fn measure(store: &RecordStore, runs: &[Run], job: &Job) -> Result<String> {
    let before = store.costs();
    let costs = DeviceCosts {
        sequential_bytes_per_second: sequential_rate(store, runs, job)?.unwrap_or(before.sequential_bytes_per_second),
        random_read_ns: random_read_ns(store, job)?.unwrap_or(before.random_read_ns),
        record_ns: record_ns(store, runs, job)?.unwrap_or(before.record_ns),
        measured_at_ms: Some(unix_millis()),
    };
    store.keep_costs(costs)?;
    let result = json!({
        "randomReadNs": costs.random_read_ns,
        "sequentialBytesPerSecond": costs.sequential_bytes_per_second,
        "recordNs": costs.record_ns,
    });
    Ok(result.to_string())
}

/// Bytes a second that come when blocks are read one behind the other; `None` where none could be read.
fn sequential_rate(store: &RecordStore, runs: &[Run], job: &Job) -> Result<Option<f64>> {
    let Some(mut reader) = store.storage().run_reader()? else { return Ok(None) };
    let (mut begun, mut next) = (Instant::now(), runs.iter());
    let mut done = 0;
    // No run twice: that would measure some cache.
    while begun.elapsed() < PART {
        while reader.in_flight() < reader.depth()
            && let Some(run) = next.next()
        {
            reader.start(*run);
        }
        if !reader.next() {
            break;
        }
        done += 1;
        job.advance(1);
        begun += pause(job)?;
    }
    let reads = reader.reads();
    let share = done as f64 / (done + reader.in_flight()).max(1) as f64;
    Ok(positive(reads.bytes as f64 * share / begun.elapsed().as_secs_f64()))
}

/// Nanoseconds a read of a record takes while a window of them is in flight; `None` where memory answered all.
fn random_read_ns(store: &RecordStore, job: &Job) -> Result<Option<f64>> {
    let Some(reader) = store.storage().reader(WINDOW)? else { return Ok(None) };
    let places = places(store)?;
    let mut fetches = Fetches::new(reader);
    let current = |segment: &usize, met: &SlotRecord| {
        let segment = store.cells()[*segment].read();
        let slot = segment.find(&met.digest)?;
        slot.map_or(Ok(None), |slot| segment.record(slot))
    };
    let (mut begun, mut next) = (Instant::now(), places.into_iter());
    while begun.elapsed() < PART {
        while fetches.len() < WINDOW
            && let Some((segment, record)) = next.next()
        {
            fetches.start(segment, record)?;
        }
        if fetches.next(store.storage(), &current).is_none() {
            break;
        }
        job.advance(1);
        begun += pause(job)?;
    }
    let reads = fetches.reads().records.saturating_sub(fetches.len() as u64);
    Ok(positive(begun.elapsed().as_nanos() as f64 / reads as f64))
}

/// Records from all over the namespace, in an order that is not that of the device.
fn places(store: &RecordStore) -> Result<Vec<(usize, SlotRecord)>> {
    let each = (PLACES / store.cells().len()).max(1);
    let mut rounds: Vec<Vec<(usize, SlotRecord)>> = Vec::new();
    for (id, cell) in store.cells().iter().enumerate() {
        let segment = cell.read();
        let step = (segment.end() as usize / each).max(1);
        let records = (0..segment.end()).step_by(step).filter_map(|slot| segment.record(slot).transpose());
        for (round, record) in records.take(each).enumerate() {
            let record = record?;
            if round >= rounds.len() {
                rounds.push(Vec::new());
            }
            rounds[round].push((id, record));
        }
    }
    Ok(rounds.concat())
}

/// Nanoseconds of a processor for a record of a block: checking it and looking it up; `None` where none was found.
fn record_ns(store: &RecordStore, runs: &[Run], job: &Job) -> Result<Option<f64>> {
    let selection = Selection { sequential: true, ..Selection::default() };
    let traversal = Traversal::begin(store, &selection, 0, true);
    let (walk, now) = (traversal.walk(store, &selection, true), unix_seconds());
    let Some(mut reader) = store.storage().run_reader()? else { return Ok(None) };
    let (mut records, mut met, mut spent) = (Vec::new(), 0, Duration::ZERO);
    let mut begun = Instant::now();
    for run in runs {
        if begun.elapsed() >= PART {
            break;
        }
        reader.start(*run);
        reader.next();
        let at = Instant::now();
        reader.records(&mut records);
        for (at, record) in records.iter().enumerate() {
            let ahead = records.get(at + AHEAD).and_then(|ahead| Some((store.cells().get(usize::from(ahead.segment))?, ahead.digest)));
            ahead.into_iter().for_each(|(cell, digest)| cell.prefetch(&digest));
            met += usize::from(walk.claim(record, now).is_some());
        }
        spent += at.elapsed();
        job.advance(1);
        begun += pause(job)?;
    }
    Ok(positive(spent.as_nanos() as f64 / met as f64))
}

/// Waits while the job is paused; for how long.
fn pause(job: &Job) -> Result<Duration> {
    let begun = Instant::now();
    job.checkpoint()?;
    Ok(begun.elapsed())
}

fn positive(value: f64) -> Option<f64> {
    (value.is_finite() && value > 0.0).then_some(value)
}
