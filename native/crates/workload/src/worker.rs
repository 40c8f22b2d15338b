//! One worker: keeps its client's window full, in a closed loop or at the times the target rate gives.

use crate::client::{Client, Ended};
use crate::operation::{Kind, Operation};
use crate::rng::Rng;
use crate::spec::{Keys, Mix, WorkloadSpec};
use crate::stop::Stop;
use crate::tally::{Tally, Times};
use crate::ycsb::{Chooser, Distribution, Inserts, SCAN_LENGTH};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What sets the drawing of operations apart from that of their values.
const OPERATIONS: u64 = 0x6b;

/// An operation that was due before the end may begin so much after it: who sleeps until then wakes too late.
const GRACE: Duration = Duration::from_millis(20);

/// A worker with a window begins what is due together, up to so much late: waking for each would cost more than most of them.
const NAP: Duration = Duration::from_micros(200);

/// What all workers of a run share.
pub struct RunContext<'a> {
    pub spec: &'a WorkloadSpec,
    pub tally: &'a Tally,
    pub stop: &'a Stop,
    pub begin: Instant,
    pub end: Instant,
    /// Operations of an open loop that were given to workers. Whoever is free takes the next: one that the system does not
    /// run holds up what it has begun, not every so-many-th operation.
    pub given: AtomicU64,
    /// New records.
    pub inserts: Inserts,
}

impl RunContext<'_> {
    /// Operations of an open loop that are due until `now`.
    pub fn due(&self, now: Instant) -> u64 {
        let Some(target) = self.spec.target_tps else { return 0 };
        let elapsed = now.min(self.end).saturating_duration_since(self.begin).as_nanos();
        let due = (elapsed * u128::from(target) / 1_000_000_000) as u64;
        self.spec.operations().map_or(due, |operations| due.min(operations))
    }
}

/// An operation in flight.
#[derive(Clone, Copy)]
struct Flight {
    operation: Operation,
    key: u64,
    due: Instant,
    started: Instant,
}

enum Next {
    Start(Instant),
    WaitUntil(Instant),
    Over,
}

pub struct Worker<'a> {
    context: &'a RunContext<'a>,
    index: u32,
    client: Box<dyn Client + 'a>,
    keys: Keys,
    /// Of a YCSB workload.
    chooser: Chooser,
    /// Number of the next operation among those of all workers.
    turn: u64,
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
}

impl<'a> Worker<'a> {
    pub fn new(context: &'a RunContext<'a>, index: u32, client: Box<dyn Client + 'a>) -> Self {
        let window = client.window().max(1);
        let mut worker = Self {
            context,
            index,
            client,
            keys: Keys::new(context.spec),
            chooser: chooser(context.spec),
            turn: index.into(),
            flights: vec![None; window],
            free: (0..window).collect(),
        };
        if worker.context.spec.target_tps.is_some() {
            worker.advance();
        }
        worker
    }

    /// Works until the run is over, then waits for what is in flight: it is measured to its end, unless the run was stopped.
    pub fn work(mut self) {
        if self.sleeps_long() {
            wake_on_time();
        }
        while !self.context.stop.asked() {
            let next = self.fill_window();
            if self.free.len() == self.flights.len() {
                match next {
                    Next::WaitUntil(due) => std::thread::park_timeout(due.saturating_duration_since(Instant::now())),
                    Next::Start(_) => {}
                    Next::Over => break,
                }
                continue;
            }
            let until = if let Next::WaitUntil(due) = next { Some(due.max(Instant::now() + self.nap())) } else { None };
            if let Some(ended) = self.client.take(until) {
                self.land(ended);
            }
        }
        while self.free.len() < self.flights.len() {
            let Some(ended) = self.client.take(None) else { break };
            self.land(ended);
        }
    }

    /// Whether a worker has a millisecond or more between two operations. One that has less is better woken late, for several
    /// operations at once: waking costs more than most of them.
    fn sleeps_long(&self) -> bool {
        let WorkloadSpec { target_tps, threads, .. } = self.context.spec;
        target_tps.is_some_and(|target| target <= 1000 * u64::from(*threads))
    }

    /// Shortest wait while something is in flight.
    const fn nap(&self) -> Duration {
        if self.flights.len() > 1 { NAP } else { Duration::ZERO }
    }

    /// Begins what is due and has room.
    fn fill_window(&mut self) -> Next {
        loop {
            let now = Instant::now();
            let next = self.next(now);
            let Next::Start(due) = next else { return next };
            let Some(ticket) = self.free.pop() else { return next };
            let (operation, key) = self.draw();
            self.flights[ticket] = Some(Flight { operation, key, due, started: now });
            self.client.start(ticket, operation, key);
            self.advance();
            if self.free.is_empty() {
                return Next::Start(now);
            }
        }
    }

    /// Goes to the next operation: of a closed loop every `threads`-th, which costs nothing to share.
    fn advance(&mut self) {
        let RunContext { spec, given, .. } = self.context;
        match spec.target_tps {
            Some(_) => self.turn = given.fetch_add(1, Ordering::Relaxed),
            None => self.turn += u64::from(spec.threads),
        }
    }

    /// When the next operation is to begin.
    fn next(&self, now: Instant) -> Next {
        let context = self.context;
        if now < context.begin {
            return Next::WaitUntil(context.begin);
        }
        let end = if context.spec.target_tps.is_some() { context.end + GRACE } else { context.end };
        if now >= end || context.spec.operations().is_some_and(|operations| self.turn >= operations) {
            return Next::Over;
        }
        match due(context, self.turn) {
            None => Next::Start(now),
            Some(due) if due >= context.end => Next::Over,
            Some(due) if due > now => Next::WaitUntil(due),
            Some(due) => Next::Start(due),
        }
    }

    /// The same for the same seed and number, whoever does it; of YCSB as far as it is of records that were there before the run.
    fn draw(&mut self) -> (Operation, u64) {
        let RunContext { spec, inserts, .. } = self.context;
        match spec.workload {
            Mix::Insert | Mix::YcsbLoad => (Operation::Write, spec.first_key + self.turn),
            Mix::ReadUpdate { read_percent } => {
                let mut rng = Rng::new(spec.seed, OPERATIONS, self.turn);
                (if rng.percent(read_percent) { Operation::Read } else { Operation::Write }, self.keys.draw(&mut rng))
            }
            // Whatever key is given is not looked at.
            Mix::Size => (Operation::Size, spec.first_key),
            Mix::Iterate(iterate) => (Operation::Iterate(iterate), spec.first_key),
            Mix::Ycsb(proportions) => {
                let mut rng = Rng::new(spec.seed, OPERATIONS, self.turn);
                let kind = proportions.draw(&mut rng);
                if kind == Kind::Insert {
                    return (Operation::Insert, inserts.begin());
                }
                let key = self.chooser.draw(inserts, &mut rng);
                let operation = match kind {
                    Kind::Update => Operation::Update { bin: rng.below(spec.bins) },
                    Kind::Scan => Operation::Scan { records: rng.between(1, spec.scan_length.unwrap_or(SCAN_LENGTH)) },
                    Kind::ReadModifyWrite => Operation::ReadModifyWrite { bin: rng.below(spec.bins) },
                    _ => Operation::Read,
                };
                (operation, key)
            }
        }
    }

    fn land(&mut self, Ended { ticket, at, outcome }: Ended) {
        let Some(Flight { operation, key, due, started }) = self.flights.get_mut(ticket).and_then(Option::take) else { return };
        self.free.push(ticket);
        if operation == Operation::Insert {
            self.context.inserts.end(key);
        }
        if let Some(outcome) = outcome {
            self.context.tally.record(self.index, operation, Times { due, started, ended: at }, outcome);
        }
    }
}

/// Of the records of a YCSB workload; of others nothing is drawn from it.
fn chooser(spec: &WorkloadSpec) -> Chooser {
    let of_workload = match spec.workload {
        Mix::Ycsb(proportions) => proportions.distribution(),
        _ => Distribution::Uniform,
    };
    Chooser::new(spec.distribution.unwrap_or(of_workload), spec.first_key, spec.keys, spec.expected_inserts())
}

/// When an operation of an open loop is to begin; of a closed loop as soon as it can.
fn due(context: &RunContext<'_>, turn: u64) -> Option<Instant> {
    let target = context.spec.target_tps?;
    let nanos = u128::from(turn) * 1_000_000_000 / u128::from(target);
    Some(context.begin + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
}

/// Lets the kernel wake this thread when it is to, instead of up to 50 µs later, which would count as latency.
fn wake_on_time() {
    // SAFETY: the call changes how late timers of this thread may be, and takes no pointer.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
}
