//! The counters of one series on one thread.

use super::cells::{CELLS, OVERFLOW_NS, cell_of};
use super::histogram::Histogram;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Squares of durations from here on (4.2 ms) are summed in units of 1,024 ns squared: 64 bits then hold a second of
/// either kind, at a relative error under 0.05%.
const LARGE_NS: u64 = 1 << 22;
const LARGE_SHIFT: u32 = 10;

/// All but `max` only ever grow, and wrap; the ticker takes differences, so nothing is lost to a reset.
#[repr(align(128))]
pub struct Stripe {
    cells: [AtomicU32; CELLS],
    sum: AtomicU64,
    squares_small: AtomicU64,
    squares_large: AtomicU64,
    max: AtomicU64,
}

/// What the counters of all stripes of a series add up to.
pub struct Totals {
    cells: [u32; CELLS],
    sum: u64,
    squares_small: u64,
    squares_large: u64,
}

impl Default for Stripe {
    fn default() -> Self {
        Self {
            cells: [const { AtomicU32::new(0) }; CELLS],
            sum: AtomicU64::new(0),
            squares_small: AtomicU64::new(0),
            squares_large: AtomicU64::new(0),
            max: AtomicU64::new(0),
        }
    }
}

impl Stripe {
    /// Counts a duration. Only for the one thread that holds the stripe: plain adds, no locked instruction.
    #[inline]
    pub fn record_alone(&self, nanos: u64) {
        let cell = &self.cells[cell_of(nanos)];
        cell.store(cell.load(Relaxed).wrapping_add(1), Relaxed);
        let add = |sum: &AtomicU64, n: u64| sum.store(sum.load(Relaxed).wrapping_add(n), Relaxed);
        add(&self.sum, nanos.min(OVERFLOW_NS));
        let (square, large) = square(nanos);
        add(if large { &self.squares_large } else { &self.squares_small }, square);
        self.raise_max(nanos);
    }

    /// Counts a duration from any thread.
    #[inline]
    pub fn record_shared(&self, nanos: u64) {
        self.cells[cell_of(nanos)].fetch_add(1, Relaxed);
        self.sum.fetch_add(nanos.min(OVERFLOW_NS), Relaxed);
        let (square, large) = square(nanos);
        if large { &self.squares_large } else { &self.squares_small }.fetch_add(square, Relaxed);
        self.raise_max(nanos);
    }

    /// A new maximum is rare, so the locked instruction is too; it makes the ticker's reset exact.
    #[inline]
    fn raise_max(&self, nanos: u64) {
        if nanos > self.max.load(Relaxed) {
            self.max.fetch_max(nanos, Relaxed);
        }
    }

    /// Nanoseconds of all durations.
    pub fn sum(&self) -> u64 {
        self.sum.load(Relaxed)
    }

    pub fn add_to(&self, totals: &mut Totals) {
        for (total, cell) in totals.cells.iter_mut().zip(&self.cells) {
            *total = total.wrapping_add(cell.load(Relaxed));
        }
        totals.sum = totals.sum.wrapping_add(self.sum.load(Relaxed));
        totals.squares_small = totals.squares_small.wrapping_add(self.squares_small.load(Relaxed));
        totals.squares_large = totals.squares_large.wrapping_add(self.squares_large.load(Relaxed));
    }

    /// The greatest duration since the last call.
    pub fn take_max(&self) -> u64 {
        if self.max.load(Relaxed) == 0 { 0 } else { self.max.swap(0, Relaxed) }
    }
}

impl Totals {
    pub const ZERO: Self = Self { cells: [0; CELLS], sum: 0, squares_small: 0, squares_large: 0 };

    /// What was added since `before`, of which the greatest duration was `max`; `None` where nothing was.
    pub fn since(&self, before: &Self, max: u64) -> Option<Histogram> {
        let mut histogram = Histogram::default();
        let mut count = 0u64;
        for ((cell, now), then) in histogram.cells.iter_mut().zip(&self.cells).zip(&before.cells) {
            *cell = u64::from(now.wrapping_sub(*then));
            count += *cell;
        }
        if count == 0 {
            return None;
        }
        histogram.sum = self.sum.wrapping_sub(before.sum);
        histogram.sum_squares = self.squares_since(before);
        histogram.max = max;
        Some(histogram)
    }

    /// Sum of squares, ns², of what was added since `before`.
    fn squares_since(&self, before: &Self) -> u128 {
        let large = u128::from(self.squares_large.wrapping_sub(before.squares_large));
        u128::from(self.squares_small.wrapping_sub(before.squares_small)) + (large << (2 * LARGE_SHIFT))
    }
}

#[inline]
fn square(nanos: u64) -> (u64, bool) {
    if nanos < LARGE_NS {
        (nanos * nanos, false)
    } else {
        let units = nanos.min(OVERFLOW_NS) >> LARGE_SHIFT;
        (units * units, true)
    }
}
