//! A run from its first operation to its figures.

use crate::client::Clients;
use crate::figures::{Counts, Frame, Summary};
use crate::spec::WorkloadSpec;
use crate::stop::Stop;
use crate::tally::Tally;
use crate::worker::{RunContext, Worker};
use crate::ycsb::Inserts;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::metrics::ProcessSampler;

/// Time in which the workers get ready, and for each of them.
const LEAD_IN: Duration = Duration::from_millis(10);
const LEAD_IN_EACH: Duration = Duration::from_micros(100);
/// A shorter rest at the end is no second of its own.
const REST: Duration = Duration::from_millis(500);
const STACK_BYTES: usize = 256 * 1024;

/// What a run tells while it goes on.
pub trait Watch {
    /// A second is over; `counts` is what it was made of.
    ///
    /// # Errors
    /// Ends the run.
    fn second(&mut self, frame: Frame, counts: &Counts) -> Result<()>;

    /// What came after the last second, and is too short for one.
    fn rest(&mut self, _counts: &Counts) {}
}

/// Writes every key once where the specification says so, then does the run and returns its figures: also of one that was
/// stopped.
///
/// # Errors
/// What `Clients::client` and `Watch::second` return, the failure of a write that was to fill, `aborted` when stopped while
/// filling, `internal` when the system refuses threads.
pub fn run(spec: &WorkloadSpec, clients: &dyn Clients, stop: &Stop, watch: &mut dyn Watch) -> Result<Summary> {
    if let Some(fill) = spec.filling() {
        let filled = measure(&fill, clients, stop, &mut Unwatched)?;
        if stop.asked() {
            return Err(Error::said(ErrorCode::Aborted, sentence!("aborted while the keys were written")));
        }
        if let Some((code, _)) = filled.errors.first_key_value() {
            let known = ErrorCode::ALL.iter().find(|known| known.as_str() == code);
            let message = sentence!("writing the keys failed: {why}", why = filled.error_message.unwrap_or_default());
            return Err(Error::said(known.copied().unwrap_or(ErrorCode::StorageFailed), message));
        }
    }
    measure(spec, clients, stop, watch)
}

struct Unwatched;

impl Watch for Unwatched {
    fn second(&mut self, _frame: Frame, _counts: &Counts) -> Result<()> {
        Ok(())
    }
}

fn measure(spec: &WorkloadSpec, clients: &dyn Clients, stop: &Stop, watch: &mut dyn Watch) -> Result<Summary> {
    let hands = (0..spec.threads).map(|index| clients.client(index, stop)).collect::<Result<Vec<_>>>()?;
    let tally = Tally::new(spec.threads, spec.timeout_ms);
    let begin = Instant::now() + LEAD_IN + LEAD_IN_EACH * spec.threads;
    let end = begin + Duration::from_secs(spec.seconds().into());
    let inserts = Inserts::new(spec.first_key + spec.keys);
    let context = RunContext { spec, tally: &tally, stop, begin, end, given: AtomicU64::new(0), inserts };
    std::thread::scope(|scope| {
        stop.begin();
        for (index, client) in hands.into_iter().enumerate() {
            let worker = Worker::new(&context, index as u32, client);
            stop.joins();
            let spawned = std::thread::Builder::new().name("workload".into()).stack_size(STACK_BYTES).spawn_scoped(scope, || {
                let _leaving = Leaving(stop);
                // Before the first look at `asked`: whoever asks from now on also wakes this thread.
                stop.wakes(std::thread::current());
                worker.work();
            });
            if let Err(error) = spawned {
                stop.left();
                stop.ask();
                return Err(Error::new(ErrorCode::Internal, format!("start a thread of the load generator: {error}")));
            }
        }
        follow(&context, watch).inspect_err(|_| stop.ask())
    })
}

/// A worker that goes, also by a panic.
struct Leaving<'a>(&'a Stop);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.left();
    }
}

/// Merges and shows a second after the other until every worker has left.
fn follow(context: &RunContext<'_>, watch: &mut dyn Watch) -> Result<Summary> {
    let begin = context.begin;
    context.stop.all_left(begin);
    let mut process = ProcessSampler::new();
    let mut total = Counts::default();
    let mut shown = begin;
    loop {
        let over = context.stop.all_left(shown + Duration::from_secs(1));
        let now = Instant::now().max(begin + Duration::from_nanos(1));
        let counts = context.tally.take();
        total.add(&counts);
        let stretch = now.saturating_duration_since(shown);
        if !over || stretch >= REST || shown == begin {
            let frame = Frame::new(&counts, now.duration_since(begin).as_secs_f64(), stretch.as_secs_f64().max(1e-9));
            watch.second(frame, &counts)?;
            shown = now;
        } else {
            watch.rest(&counts);
        }
        if over {
            // Their time came and went while others kept every worker busy.
            total.missed = context.due(now).saturating_sub(total.done() + total.failed());
            let elapsed = now.duration_since(begin).as_secs_f64();
            let cpu_seconds = process.sample().cpu_percent() / 100.0 * elapsed;
            return Ok(Summary::new(&total, elapsed, cpu_seconds));
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod ycsb_tests;
