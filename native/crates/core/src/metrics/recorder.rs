//! Records durations on the threads that do the work, without a lock and without a shared cache line.

use super::frame::LatencySeries;
use super::series::{Operation, Outcome, SeriesKind, Side};
use super::slow::{About, SlowLog, Took};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tessera_base::latency::split::{self, Open, Part, Split};
use tessera_base::latency::{Clock, EXCLUSIVE, Histogram, SHARED, Stripe, Tick, Totals, stripe_number};
use tessera_base::names::NamespaceId;
use tessera_base::{ErrorCode, Result};

/// Most exclusive stripes in the process: 32 MiB. Series made after that use their shared stripe only.
const STRIPES_MAX: usize = 32 * 1024 * 1024 / size_of::<Stripe>();
static STRIPES: AtomicUsize = AtomicUsize::new(0);

/// The latencies of one namespace.
pub struct LatencyRecorder {
    namespace: Arc<str>,
    id: NamespaceId,
    series: [Series; SeriesKind::COUNT],
    slow: Arc<SlowLog>,
    /// What the last frame ended with; only the ticker takes this lock.
    last: Mutex<Vec<Option<Box<Last>>>>,
}

struct Last {
    totals: Totals,
    /// A maximum that was seen before the count it belongs to.
    max: u64,
}

struct Series {
    stripes: [OnceLock<Box<Stripe>>; EXCLUSIVE + 1],
}

impl LatencyRecorder {
    /// `slow`: where operations go that took long.
    pub fn new(namespace: &str, id: NamespaceId, slow: Arc<SlowLog>) -> Self {
        Self {
            namespace: Arc::from(namespace),
            id,
            slow,
            series: std::array::from_fn(|_| Series::new()),
            last: Mutex::new((0..SeriesKind::COUNT).map(|_| None).collect()),
        }
    }

    pub fn namespace(&self) -> &Arc<str> {
        &self.namespace
    }

    /// As slow operations name it.
    pub(super) fn owner(&self) -> (&Arc<str>, NamespaceId) {
        (&self.namespace, self.id)
    }

    /// Counts one operation that took `nanos`. About 5 ns.
    pub fn record(&self, kind: SeriesKind, nanos: u64) {
        self.series[kind.index()].record(nanos);
    }

    pub(crate) fn slow(&self) -> &SlowLog {
        &self.slow
    }

    /// Counts an engine operation.
    pub(super) fn record_engine(&self, op: Operation, nanos: u64, ok: bool) {
        let outcome = if ok { Outcome::Ok } else { Outcome::Error };
        self.record(SeriesKind { op, outcome, side: Side::Engine }, nanos);
    }

    /// Counts an engine operation that began at `start` and ends now. Whether it was slow is not looked at.
    pub(crate) fn record_since(&self, op: Operation, start: Tick, ok: bool) {
        self.record_engine(op, Clock::nanos_since(start), ok);
    }

    /// As `record_since`, of an operation that opened no scratch: what memory answers. When it was answered, and whether it was
    /// slow: then `note_memory` is to be called, with no lock held.
    #[inline]
    pub(crate) fn record_memory(&self, op: Operation, start: Tick, ok: bool) -> (Tick, bool) {
        let answered = Clock::now();
        let nanos = start.nanos_until(answered);
        self.record_engine(op, nanos, ok);
        (answered, nanos >= self.slow.gate(op))
    }

    /// Keeps an operation that `record_memory` found slow. It has waited for a lock at most; what came after its `answered` moment
    /// made the reply.
    #[cold]
    pub(crate) fn note_memory(&self, op: Operation, start: Tick, answered: Tick, about: &About<'_>) {
        // A part of another operation, which is looked at as a whole.
        if split::is_open() {
            return split::step(start, answered);
        }
        let ended = Clock::now();
        let nanos = start.nanos_until(ended);
        if nanos >= self.slow.gate(op) {
            let mut split = split::last_wait(start);
            split.add(Part::Reply, answered.nanos_until(ended));
            let took = Took { whole: nanos, engine: start.nanos_until(answered) };
            self.slow.note(op, self.owner(), took, split, about);
        }
    }

    /// Keeps an operation that waited in a window of reads with others, if it was slow: all of it counts as the device's.
    pub(crate) fn record_overlapped(&self, op: Operation, start: Tick, about: &About<'_>) {
        let nanos = Clock::nanos_since(start);
        self.record_engine(op, nanos, about.failure.is_none());
        if nanos >= self.slow.gate(op) {
            let mut split = Split::default();
            split.add(Part::Device, nanos);
            self.slow.note(op, self.owner(), Took { whole: nanos, engine: nanos }, split, about);
        }
    }

    /// Runs `work` and counts it as an engine operation, by whether it failed. `about` is asked if it was slow.
    ///
    /// # Errors
    /// Those of `work`.
    pub(crate) fn time<'a, T>(&self, op: Operation, about: impl FnOnce() -> About<'a>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let open = split::open();
        let start = Clock::now();
        let result = work();
        let end = Clock::now();
        self.record_engine(op, start.nanos_until(end), result.is_ok());
        if open.outermost() {
            let engine = start.nanos_until(end);
            self.watch_end(op, &open, (start, end), engine, about, result.as_ref().err().map(|error| error.code));
        } else {
            split::step(start, end);
        }
        result
    }

    /// Runs `work`, of which an operation that counts its own latency is a part, with its request and its reply; looks whether the
    /// whole was slow.
    ///
    /// # Errors
    /// Those of `work`.
    pub(crate) fn watch<'a, T>(&self, op: Operation, about: impl FnOnce() -> About<'a>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let open = split::open();
        if !open.outermost() {
            return work();
        }
        let start = Clock::now();
        let result = work();
        let end = Clock::now();
        let engine = open.last_step().unwrap_or_else(|| start.nanos_until(end));
        self.watch_end(op, &open, (start, end), engine, about, result.as_ref().err().map(|error| error.code));
        result
    }

    /// The end of an outermost operation, of which so many nanoseconds count as the engine's latency.
    #[inline]
    fn watch_end<'a>(
        &self,
        op: Operation,
        open: &Open,
        (start, end): (Tick, Tick),
        engine: u64,
        about: impl FnOnce() -> About<'a>,
        failure: Option<ErrorCode>,
    ) {
        let begun = open.arrived().unwrap_or(start);
        let nanos = begun.nanos_until(end);
        if nanos >= self.slow.gate(op) {
            let mut split = open.split(start, end);
            split.add(Part::Queue, begun.nanos_until(start));
            self.slow.note(op, self.owner(), Took { whole: nanos, engine }, split, &About { failure, ..about() });
        }
    }

    /// Time that operations on single records and batches of them took in the engine so far, all added up: it differs from an earlier
    /// answer if one has ended since.
    pub(crate) fn served_nanos(&self) -> u64 {
        let operations = [Operation::Get, Operation::Put, Operation::Update, Operation::Delete, Operation::Batch];
        let series = operations.iter().flat_map(|&op| {
            let outcomes = [Outcome::Ok, Outcome::Error];
            outcomes.map(|outcome| &self.series[SeriesKind { op, outcome, side: Side::Engine }.index()])
        });
        series.flat_map(|series| series.stripes.iter().filter_map(OnceLock::get)).fold(0, |sum, stripe| sum.wrapping_add(stripe.sum()))
    }

    /// What was counted since the last call; series in which nothing was are left out.
    pub(super) fn take(&self) -> Vec<LatencySeries> {
        let mut last = self.last.lock();
        let mut taken = Vec::new();
        for (index, (series, before)) in self.series.iter().zip(last.iter_mut()).enumerate() {
            if let Some(histogram) = series.take(before) {
                taken.push(LatencySeries::new(Arc::clone(&self.namespace), SeriesKind::of_index(index), &histogram));
            }
        }
        taken
    }
}

impl Series {
    fn new() -> Self {
        Self { stripes: [const { OnceLock::new() }; EXCLUSIVE + 1] }
    }

    fn record(&self, nanos: u64) {
        let number = stripe_number();
        if number != SHARED {
            if let Some(stripe) = self.stripes[number].get() {
                return stripe.record_alone(nanos);
            }
            if STRIPES.fetch_add(1, Ordering::Relaxed) < STRIPES_MAX {
                return self.stripes[number].get_or_init(|| Box::new(Stripe::default())).record_alone(nanos);
            }
            STRIPES.fetch_sub(1, Ordering::Relaxed);
        }
        self.stripes[SHARED].get_or_init(|| Box::new(Stripe::default())).record_shared(nanos);
    }

    fn take(&self, last: &mut Option<Box<Last>>) -> Option<Histogram> {
        let mut stripes = self.stripes.iter().filter_map(OnceLock::get).peekable();
        stripes.peek()?;
        let last = last.get_or_insert_with(|| Box::new(Last { totals: Totals::ZERO, max: 0 }));
        let mut totals = Totals::ZERO;
        for stripe in stripes {
            last.max = last.max.max(stripe.take_max());
            stripe.add_to(&mut totals);
        }
        let histogram = totals.since(&last.totals, last.max)?;
        last.max = 0;
        last.totals = totals;
        Some(histogram)
    }
}

impl Drop for Series {
    fn drop(&mut self) {
        let exclusive = self.stripes[..EXCLUSIVE].iter().filter(|stripe| stripe.get().is_some()).count();
        STRIPES.fetch_sub(exclusive, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
