//! One worker: keeps its client's window full, in a closed loop or at the times the target rate gives.

use crate::client::{Client, Ended, Operation};
use crate::rng::Rng;
use crate::run::Stop;
use crate::spec::{Keys, Mix, WorkloadSpec};
use crate::tally::{Tally, Times};
use std::time::{Duration, Instant};

/// What sets a worker's keys and its mix apart.
const KEYS: u64 = 0x6b;
const MIX: u64 = 0x6d;

/// An operation that was due before the end may begin so much after it: who sleeps until then wakes too late.
const GRACE: Duration = Duration::from_millis(20);

/// What all workers of a run share.
pub struct Course<'a> {
    pub spec: &'a WorkloadSpec,
    pub tally: &'a Tally,
    pub stop: &'a Stop,
    pub begin: Instant,
    pub end: Instant,
}

/// An operation in flight.
#[derive(Clone, Copy)]
struct Flight {
    operation: Operation,
    due: Instant,
    started: Instant,
}

enum Next {
    Start(Instant),
    WaitUntil(Instant),
    Over,
}

pub struct Worker<'a> {
    course: &'a Course<'a>,
    index: u32,
    client: Box<dyn Client + 'a>,
    keys: Keys,
    mix: Rng,
    /// Number of the next operation among those of all workers: each takes every `threads`-th.
    turn: u64,
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
}

impl<'a> Worker<'a> {
    pub fn new(course: &'a Course<'a>, index: u32, client: Box<dyn Client + 'a>) -> Self {
        let window = client.window().max(1);
        let seed = course.spec.seed;
        Self {
            course,
            index,
            client,
            keys: Keys::new(course.spec, Rng::new(seed, KEYS, index.into())),
            mix: Rng::new(seed, MIX, index.into()),
            turn: index.into(),
            flights: vec![None; window],
            free: (0..window).collect(),
        }
    }

    /// Works until the run is over, then waits for what is in flight.
    pub fn work(mut self) {
        if self.sleeps_long() {
            wake_on_time();
        }
        while !self.course.stop.asked() {
            let next = self.fill_window();
            if self.free.len() == self.flights.len() {
                match next {
                    Next::WaitUntil(due) => std::thread::park_timeout(due.saturating_duration_since(Instant::now())),
                    Next::Start(_) => {}
                    Next::Over => break,
                }
                continue;
            }
            let until = if let Next::WaitUntil(due) = next { Some(due) } else { None };
            if let Some(ended) = self.client.take(until) {
                self.land(ended);
            }
        }
        self.count_missed();
        while self.free.len() < self.flights.len() {
            let Some(ended) = self.client.take(None) else { break };
            self.land(ended);
        }
    }

    /// Whether a worker has a millisecond or more between two operations. One that has less is better woken late, for several
    /// operations at once: waking costs more than most of them.
    fn sleeps_long(&self) -> bool {
        let WorkloadSpec { target_tps, threads, .. } = self.course.spec;
        target_tps.is_some_and(|target| target <= 1000 * u64::from(*threads))
    }

    /// Begins what is due and has room.
    fn fill_window(&mut self) -> Next {
        loop {
            let now = Instant::now();
            let next = self.next(now);
            let Next::Start(due) = next else { return next };
            let Some(ticket) = self.free.pop() else { return next };
            let (operation, key) = self.draw();
            self.flights[ticket] = Some(Flight { operation, due, started: now });
            self.turn += u64::from(self.course.spec.threads);
            self.client.start(ticket, operation, key);
            if self.free.is_empty() {
                return Next::Start(now);
            }
        }
    }

    /// When the next operation is to begin.
    fn next(&self, now: Instant) -> Next {
        let course = self.course;
        if now < course.begin {
            return Next::WaitUntil(course.begin);
        }
        let end = if course.spec.target_tps.is_some() { course.end + GRACE } else { course.end };
        if now >= end || course.spec.operations().is_some_and(|operations| self.turn >= operations) {
            return Next::Over;
        }
        match due(course, self.turn) {
            None => Next::Start(now),
            Some(due) if due >= course.end => Next::Over,
            Some(due) if due > now => Next::WaitUntil(due),
            Some(due) => Next::Start(due),
        }
    }

    fn draw(&mut self) -> (Operation, u64) {
        match self.course.spec.workload {
            Mix::Insert => (Operation::Write, self.course.spec.first_key + self.turn),
            Mix::ReadUpdate { read_percent } => {
                (if self.mix.percent(read_percent) { Operation::Read } else { Operation::Write }, self.keys.draw())
            }
        }
    }

    fn land(&mut self, Ended { ticket, at, outcome }: Ended) {
        let Some(Flight { operation, due, started }) = self.flights.get_mut(ticket).and_then(Option::take) else { return };
        self.free.push(ticket);
        self.course.tally.record(self.index, operation, Times { due, started, ended: at }, outcome);
    }

    /// Operations whose time came and went while the others kept this worker busy.
    fn count_missed(&self) {
        let course = self.course;
        let over = Instant::now().min(course.end);
        let Some(target) = course.spec.target_tps else { return };
        let elapsed = over.saturating_duration_since(course.begin).as_nanos();
        let due = (elapsed * u128::from(target) / 1_000_000_000) as u64;
        let due = course.spec.operations().map_or(due, |operations| due.min(operations));
        let mine = due.saturating_sub(self.turn).div_ceil(u64::from(course.spec.threads));
        course.tally.missed(self.index, mine);
    }
}

/// When an operation of an open loop is to begin; of a closed loop as soon as it can.
fn due(course: &Course<'_>, turn: u64) -> Option<Instant> {
    let target = course.spec.target_tps?;
    let nanos = u128::from(turn) * 1_000_000_000 / u128::from(target);
    Some(course.begin + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
}

/// Lets the kernel wake this thread when it is to, instead of up to 50 µs later, which would count as latency.
fn wake_on_time() {
    // SAFETY: the call changes how late timers of this thread may be, and takes no pointer.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
}
