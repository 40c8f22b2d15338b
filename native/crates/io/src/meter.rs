//! What a disk is asked to do, counted where operations are handed to the kernel and come back from it.
//!
//! The figures are those of `iostat`, but that an operation of a window ends when its thread takes it back: see `Documentation/admin-guide/iostats.rst` of the Linux kernel and
//! `iostat(1)`. Over an interval, as differences of two `DiskCounters`:
//!
//! | figure | is |
//! | --- | --- |
//! | average latency (`r_await`, `w_await`, `f_await`) | `nanos` by `count` |
//! | average queue depth (`aqu-sz`; field 11) | `depth_nanos()` by the interval |
//! | busy share (`%util`; field 10) | `busy_nanos` by the interval |
//!
//! As in kernels from 5.5 on, syncs are operations in flight too. No lock is taken; one operation alone costs about 30 ns.

use super::latencies::Latencies;
use std::io::Result;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_base::latency::split::{self, Part};
use tessera_base::latency::{Clock, Tick};
use tessera_base::thread_guard;

/// What moments are counted from.
static START: LazyLock<Tick> = LazyLock::new(Clock::now);

/// Bits of `Meter::state` for the operations in flight; those above are for when they last changed.
const DEPTH_BITS: u32 = 20;
const DEPTH_MOST: u64 = (1 << DEPTH_BITS) - 1;
/// Moments are kept in steps of 64 ns: they come round after 13 days, which no operation takes.
const STEP_BITS: u32 = 6;
const STAMP_MOST: u64 = (1 << (64 - DEPTH_BITS)) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
    Sync,
}

/// Operations of one kind that have ended, failed ones too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCounters {
    pub count: u64,
    /// Of those that succeeded.
    pub bytes: u64,
    /// Their latencies, added up.
    pub nanos: u64,
}

/// All that a meter has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskCounters {
    pub reads: OperationCounters,
    pub writes: OperationCounters,
    pub syncs: OperationCounters,
    /// Operations that the kernel has now.
    pub in_flight: u64,
    /// Time with at least one in flight.
    pub busy_nanos: u64,
    /// Time, each moment multiplied by how many were in flight in it; in steps, of which 64 bits last for 9 years at depth
    /// 4096, and nanoseconds would for 52 days.
    pub depth_steps: u64,
    /// How long it has counted.
    pub age_nanos: u64,
}

impl OperationCounters {
    const fn since(&self, before: &Self) -> Self {
        Self {
            count: self.count.saturating_sub(before.count),
            bytes: self.bytes.saturating_sub(before.bytes),
            nanos: self.nanos.saturating_sub(before.nanos),
        }
    }

    const fn and(&self, more: &Self) -> Self {
        Self { count: self.count + more.count, bytes: self.bytes + more.bytes, nanos: self.nanos + more.nanos }
    }
}

impl DiskCounters {
    /// What was counted since `before`, never below 0; `in_flight` is now's.
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            reads: self.reads.since(&before.reads),
            writes: self.writes.since(&before.writes),
            syncs: self.syncs.since(&before.syncs),
            in_flight: self.in_flight,
            busy_nanos: self.busy_nanos.saturating_sub(before.busy_nanos),
            depth_steps: self.depth_steps.saturating_sub(before.depth_steps),
            age_nanos: self.age_nanos.saturating_sub(before.age_nanos),
        }
    }

    /// Two intervals as one; `in_flight` is the later's.
    pub const fn and(&self, later: &Self) -> Self {
        Self {
            reads: self.reads.and(&later.reads),
            writes: self.writes.and(&later.writes),
            syncs: self.syncs.and(&later.syncs),
            in_flight: later.in_flight,
            busy_nanos: self.busy_nanos + later.busy_nanos,
            depth_steps: self.depth_steps + later.depth_steps,
            age_nanos: self.age_nanos + later.age_nanos,
        }
    }

    /// `depth_steps` in nanoseconds.
    pub const fn depth_nanos(&self) -> f64 {
        self.depth_steps as f64 * (1_u64 << STEP_BITS) as f64
    }
}

#[derive(Debug, Default)]
struct Counts {
    bytes: AtomicU64,
    nanos: AtomicU64,
    latencies: Latencies,
}

/// The meter of one disk. Moments are nanoseconds from `Meter::now`.
#[derive(Debug)]
pub struct Meter {
    /// Operations in flight, and the step in which that changed.
    state: AtomicU64,
    busy_steps: AtomicU64,
    depth_steps: AtomicU64,
    made_at: u64,
    reads: Counts,
    writes: Counts,
    syncs: Counts,
}

impl Default for Meter {
    fn default() -> Self {
        Self::made(Self::now())
    }
}

impl Meter {
    fn made(at: u64) -> Self {
        let (state, busy_steps, depth_steps) = Default::default();
        Self { state, busy_steps, depth_steps, made_at: at, reads: Counts::default(), writes: Counts::default(), syncs: Counts::default() }
    }

    /// This moment.
    #[inline]
    pub fn now() -> u64 {
        Clock::nanos_since(*START)
    }

    /// Does `work`, an operation of so many bytes, and counts it.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn measure<T>(&self, operation: Operation, bytes: usize, work: impl FnOnce() -> Result<T>) -> Result<T> {
        thread_guard::may_wait("reads, writes or syncs a disk");
        let begun_at = Self::now();
        self.begin(begun_at, 1);
        let outcome = work();
        let ended_at = Self::now();
        self.end(ended_at, 1);
        split::waited(Part::Device, ended_at.saturating_sub(begun_at));
        self.count(operation, ended_at.saturating_sub(begun_at), if outcome.is_ok() { bytes } else { 0 });
        outcome
    }

    /// Operations are handed to the kernel. Each needs an `end`.
    #[inline]
    pub fn begin(&self, now: u64, operations: usize) {
        thread_guard::may_wait("reads or writes a disk");
        self.change(now, |depth| (depth + operations as u64).min(DEPTH_MOST));
    }

    /// Operations have come back; `count` tells of each what it was.
    #[inline]
    pub fn end(&self, now: u64, operations: usize) {
        self.change(now, |depth| depth.saturating_sub(operations as u64));
    }

    /// Counts an operation that has ended after `nanos`; `bytes` are 0 of one that failed.
    #[inline]
    pub fn count(&self, operation: Operation, nanos: u64, bytes: usize) {
        self.note(operation, nanos);
        self.add(operation, nanos, bytes);
    }

    /// The part of `count` that is for each operation.
    #[inline]
    pub fn note(&self, operation: Operation, nanos: u64) {
        self.counts(operation).latencies.add(nanos);
    }

    /// The part of `count` that several may share: their latencies and bytes, added up.
    #[inline]
    pub fn add(&self, operation: Operation, nanos: u64, bytes: usize) {
        let counts = self.counts(operation);
        counts.bytes.fetch_add(bytes as u64, Relaxed);
        counts.nanos.fetch_add(nanos, Relaxed);
    }

    /// What was counted so far. While operations go on, an interval that just ended may be missing from it for a moment.
    pub fn read(&self) -> DiskCounters {
        self.read_at(Self::now())
    }

    /// Latency under which this share (0 to 1) of the operations ended: nanoseconds, rounded up by a quarter at most; `None`
    /// before the first.
    pub fn quantile(&self, operation: Operation, share: f64) -> Option<u64> {
        self.counts(operation).latencies.quantile(share)
    }

    #[inline]
    fn counts(&self, operation: Operation) -> &Counts {
        match operation {
            Operation::Read => &self.reads,
            Operation::Write => &self.writes,
            Operation::Sync => &self.syncs,
        }
    }

    fn read_at(&self, now: u64) -> DiskCounters {
        let (stamp, in_flight) = parts(self.state.load(Relaxed));
        let open = if in_flight > 0 { passed(stamp, now) } else { 0 };
        let age_nanos = now.saturating_sub(self.made_at);
        let busy = self.busy_steps.load(Relaxed) + open;
        let depth = self.depth_steps.load(Relaxed) + open * in_flight;
        DiskCounters {
            reads: self.reads.read(),
            writes: self.writes.read(),
            syncs: self.syncs.read(),
            in_flight,
            busy_nanos: (busy << STEP_BITS).min(age_nanos),
            depth_steps: depth,
            age_nanos,
        }
    }

    /// Ends the interval in which so many were in flight, and begins the next.
    #[inline]
    fn change(&self, now: u64, next: impl Fn(u64) -> u64) {
        let mut seen = self.state.load(Relaxed);
        loop {
            let (stamp, depth) = parts(seen);
            let steps = if depth > 0 { passed(stamp, now) } else { 0 };
            // Another thread may have been here with a later moment.
            let stamp = if depth > 0 && steps == 0 { stamp } else { now >> STEP_BITS & STAMP_MOST };
            match self.state.compare_exchange_weak(seen, stamp << DEPTH_BITS | next(depth), Relaxed, Relaxed) {
                Ok(_) if steps > 0 => {
                    self.busy_steps.fetch_add(steps, Relaxed);
                    self.depth_steps.fetch_add(steps * depth, Relaxed);
                    return;
                }
                Ok(_) => return,
                Err(now_there) => seen = now_there,
            }
        }
    }
}

impl Counts {
    fn read(&self) -> OperationCounters {
        OperationCounters { count: self.latencies.count(), bytes: self.bytes.load(Relaxed), nanos: self.nanos.load(Relaxed) }
    }
}

/// When operations in flight last changed, and how many there are.
#[inline]
const fn parts(state: u64) -> (u64, u64) {
    (state >> DEPTH_BITS, state & DEPTH_MOST)
}

/// Steps from a stamp to now; 0 rather than negative.
#[inline]
const fn passed(stamp: u64, now: u64) -> u64 {
    let steps = (now >> STEP_BITS).wrapping_sub(stamp) & STAMP_MOST;
    if steps > STAMP_MOST / 2 { 0 } else { steps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STEP: u64 = 1 << STEP_BITS;

    #[test]
    fn depth_and_busy_time_are_integrals() {
        let meter = Meter::made(0);
        // In flight: 1 from 10 on, 3 from 20 on, 2 from 30 on, none from 50 to 100, then 1.
        for (at, change) in [(10, 1), (20, 2), (30, -1), (50, -2), (100, 1)] {
            let at = at * STEP;
            if change > 0 { meter.begin(at, change as usize) } else { meter.end(at, -change as usize) }
        }
        let seen = meter.read_at(140 * STEP);
        assert_eq!((seen.in_flight, seen.age_nanos), (1, 140 * STEP));
        assert_eq!(seen.busy_nanos, (40 + 40) * STEP);
        assert_eq!(seen.depth_steps, 10 + 3 * 10 + 2 * 20 + 40);
        // What is still in flight goes on to count.
        assert_eq!(meter.read_at(240 * STEP).depth_steps - seen.depth_steps, 100);
    }

    #[test]
    fn moments_that_come_in_another_order_never_count_backwards() {
        let meter = Meter::made(0);
        meter.begin(100 * STEP, 1);
        meter.begin(90 * STEP, 1);
        meter.end(95 * STEP, 1);
        meter.end(120 * STEP, 1);
        let seen = meter.read_at(200 * STEP);
        assert_eq!((seen.in_flight, seen.busy_nanos, seen.depth_steps), (0, 20 * STEP, 20));
        meter.end(300 * STEP, 1);
        assert_eq!(meter.read_at(300 * STEP).in_flight, 0);
    }

    #[test]
    fn stamps_come_round() {
        let round = (STAMP_MOST + 1) * STEP;
        let meter = Meter::made(0);
        meter.begin(round - 10 * STEP, 2);
        meter.end(round + 5 * STEP, 2);
        assert_eq!(meter.read_at(round + 9 * STEP).depth_steps, 30);
        // Idle for longer than stamps can tell.
        meter.begin(2 * round, 1);
        meter.end(2 * round + STEP, 1);
        assert_eq!(meter.read_at(3 * round).busy_nanos, 16 * STEP);
    }

    #[test]
    fn a_deep_queue_is_counted_for_years() {
        const DAY: u64 = 86_400_000_000_000;
        let meter = Meter::made(0);
        meter.begin(0, 4096);
        // Something ends and begins before stamps come round.
        for at in (5..=400).step_by(5) {
            meter.end(at * DAY, 1);
            meter.begin(at * DAY, 1);
        }
        let (before, after) = (meter.read_at(400 * DAY), meter.read_at(401 * DAY));
        assert_eq!(before.depth_nanos() / (400 * DAY) as f64, 4096.0);
        let last_day = after.since(&before);
        assert_eq!((last_day.depth_nanos() / last_day.age_nanos as f64, last_day.busy_nanos), (4096.0, DAY));
    }

    #[test]
    fn operations_are_counted_by_kind() {
        let meter = Meter::default();
        meter.count(Operation::Read, 1000, 4096);
        meter.count(Operation::Read, 3000, 0);
        meter.count(Operation::Sync, 500, 0);
        meter.measure(Operation::Write, 8192, || Ok(())).unwrap();
        meter.measure(Operation::Write, 8192, || Err::<(), _>(std::io::ErrorKind::Other.into())).unwrap_err();
        let seen = meter.read();
        assert_eq!(seen.reads, OperationCounters { count: 2, bytes: 4096, nanos: 4000 });
        assert_eq!(seen.syncs, OperationCounters { count: 1, bytes: 0, nanos: 500 });
        assert_eq!((seen.writes.count, seen.writes.bytes, seen.in_flight), (2, 8192, 0));
        assert!(seen.depth_nanos() <= (seen.writes.nanos + 4 * STEP) as f64);
    }

    proptest! {
        /// What is in flight adds up to what the operations took: Little's law.
        #[test]
        fn depth_is_the_sum_of_latencies(operations in prop::collection::vec((0_u64..1000, 1_u64..500), 1..50)) {
            let meter = Meter::made(0);
            let ends = operations.iter().map(|(at, took)| (at + took, false));
            let mut events: Vec<(u64, bool)> = operations.iter().map(|(at, _)| (*at, true)).chain(ends).collect();
            events.sort_unstable();
            let mut busy = 0;
            let (mut depth, mut last) = (0_u64, 0);
            for (at, begins) in events {
                busy += if depth > 0 { at - last } else { 0 };
                last = at;
                if begins { meter.begin(at * STEP, 1) } else { meter.end(at * STEP, 1) }
                depth = if begins { depth + 1 } else { depth - 1 };
            }
            let seen = meter.read_at(2000 * STEP);
            prop_assert_eq!(seen.depth_steps, operations.iter().map(|(_, took)| took).sum::<u64>());
            prop_assert_eq!((seen.busy_nanos, seen.in_flight), (busy * STEP, 0));
        }
    }

    #[test]
    fn threads_lose_nothing() {
        let meter = Meter::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..5000).for_each(|_| meter.measure(Operation::Read, 16, || Ok(())).unwrap()));
            }
        });
        let seen = meter.read();
        assert_eq!((seen.reads.count, seen.reads.bytes, seen.in_flight), (20_000, 320_000, 0));
        assert!(seen.busy_nanos <= seen.age_nanos && seen.busy_nanos as f64 <= seen.depth_nanos());
    }
}
