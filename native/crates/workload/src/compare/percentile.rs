//! Percentiles of a run, and how sure they are, from its histograms alone: nothing is assumed about how latencies are spread.
//!
//! The operations at or below the true percentile are a share q of all, so their rank bounds it (Woodruff, 1952). Slow operations
//! come in bursts, so their number varies more than that of independent ones. How much more, the sections of the run say.

use super::alike::{Spread, quantile};
use tessera_base::latency::{Histogram, OVERFLOW_NS, bucket_bounds};

/// A smaller difference, as a share of the other value, is none worth the name: the width of a bucket.
pub(super) const SMALLEST: f64 = 1.0 / 16.0;

/// Nanoseconds.
pub(super) struct Percentile {
    pub value: f64,
    /// Between these it lies, with 99% confidence. `None`: too few operations or sections.
    pub bounds: Option<(f64, f64)>,
}

impl Percentile {
    pub(super) fn of(sections: &[Histogram], q: f64) -> Self {
        let mut whole = Histogram::default();
        sections.iter().for_each(|section| whole.add(section));
        let count = whole.count() as f64;
        let value = at_rank(&whole, q * count);
        let most = whole.max() as f64;
        let bounds = (count * (1.0 - q) > 9.999).then(|| half_width(sections, q, value, count)).flatten().and_then(|half| {
            let (low, high) = (q * count - half, q * count + half);
            // No operation bounds what is above the slowest.
            (low > 0.0 && high < count).then(|| (at_rank(&whole, low).min(most), at_rank(&whole, high).min(most)))
        });
        Self { value: value.min(most), bounds }
    }

    /// The difference to `first` and its bounds (Zou and Donner, 2008). The first bucket has no lower edge, so what is in it is
    /// not told apart.
    pub(super) fn against(&self, first: &Self) -> (f64, Option<(f64, f64)>) {
        let difference = self.value - first.value;
        let floor = bucket_bounds(0).1 as f64;
        let bounds = self.bounds.zip(first.bounds).filter(|_| self.value > floor && first.value > floor).map(|(own, other)| {
            let below = (self.value - own.0).hypot(other.1 - first.value);
            let above = (own.1 - self.value).hypot(first.value - other.0);
            (difference - below, difference + above)
        });
        (difference, bounds)
    }
}

/// By how many ranks the rank of `value` may be off.
fn half_width(sections: &[Histogram], q: f64, value: f64, count: f64) -> Option<f64> {
    let length = sections.len() as f64;
    if length < 2.0 {
        return None;
    }
    let rests: Vec<f64> = sections.iter().map(|section| rank_of(section, value) - q * section.count() as f64).collect();
    let Spread { variance_of_mean, freedom } = Spread::of(&rests);
    let variance = (variance_of_mean * length.powi(2)).max(count * q * (1.0 - q));
    Some(quantile(freedom) * variance.sqrt())
}

/// The latency that so many operations do not exceed. Those of a bucket count as evenly spread.
fn at_rank(histogram: &Histogram, rank: f64) -> f64 {
    let mut below = 0.0;
    for (bucket, count) in histogram.buckets() {
        let count = count as f64;
        if below + count >= rank {
            let (low, high) = edges(bucket);
            return low + (rank - below) / count * (high - low);
        }
        below += count;
    }
    OVERFLOW_NS as f64
}

/// How many operations do not exceed a latency: the inverse of `at_rank`.
fn rank_of(histogram: &Histogram, nanos: f64) -> f64 {
    let part = |(bucket, count): (usize, u64)| {
        let (low, high) = edges(bucket);
        count as f64 * ((nanos - low) / (high - low)).clamp(0.0, 1.0)
    };
    histogram.buckets().map(part).sum()
}

fn edges(bucket: usize) -> (f64, f64) {
    let (low, high) = bucket_bounds(bucket);
    (if bucket == 0 { 0.0 } else { low as f64 }, high as f64)
}

#[cfg(test)]
mod tests;
