//! Counts of durations: what a second, a minute or an hour of one series adds up to.

use super::cells::{BUCKETS, CELLS, OVERFLOW_CELL, OVERFLOW_NS, SLO_CELLS, bucket_bounds, cell_of, cells_of_bucket};

/// Exact counts per bucket and target, sum, sum of squares and greatest duration; all in nanoseconds. In the sums a
/// duration counts as at most 68.7 s, so that one stuck request cannot drown the rest. Sums are whole numbers, so that any
/// order of adding gives the same histogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    pub(super) cells: Box<[u64; CELLS]>,
    pub(super) sum: u64,
    pub(super) sum_squares: u128,
    pub(super) max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { cells: Box::new([0; CELLS]), sum: 0, sum_squares: 0, max: 0 }
    }
}

impl Histogram {
    pub fn record(&mut self, nanos: u64) {
        self.cells[cell_of(nanos)] += 1;
        let summed = nanos.min(OVERFLOW_NS);
        self.sum = self.sum.saturating_add(summed);
        self.sum_squares += u128::from(summed) * u128::from(summed);
        self.max = self.max.max(nanos);
    }

    /// Adds every count of `other`: the only way in which histograms are ever combined.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.cells.iter_mut().zip(other.cells.iter()) {
            *mine = mine.saturating_add(*theirs);
        }
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_squares = self.sum_squares.saturating_add(other.sum_squares);
        self.max = self.max.max(other.max);
    }

    /// All durations counted, overflow included.
    pub fn count(&self) -> u64 {
        self.cells.iter().sum()
    }

    pub fn sum(&self) -> u64 {
        self.sum
    }

    pub fn sum_squares(&self) -> u128 {
        self.sum_squares
    }

    pub fn max(&self) -> u64 {
        self.max
    }

    /// Durations of 68.7 s and more.
    pub fn overflow(&self) -> u64 {
        self.cells[OVERFLOW_CELL]
    }

    /// How many durations met each of `SLO_EDGES_NS`.
    pub fn slo(&self) -> [u64; SLO_CELLS.len()] {
        let mut counts = [0; SLO_CELLS.len()];
        let (mut sum, mut next) = (0, 0);
        for (count, last) in counts.iter_mut().zip(SLO_CELLS) {
            sum += self.cells[next..=last].iter().sum::<u64>();
            next = last + 1;
            *count = sum;
        }
        counts
    }

    /// The buckets that counted something, ascending, with their counts.
    pub fn buckets(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        (0..BUCKETS).map(|bucket| (bucket, self.cells[cells_of_bucket(bucket)].iter().sum())).filter(|&(_, count)| count > 0)
    }

    /// Upper bound of the bucket in which the `q`-quantile lies, never more than the maximum; `None` when empty.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let count = self.count();
        let rank = ((q.clamp(0.0, 1.0) * count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, n) in self.buckets() {
            seen += n;
            if seen >= rank {
                return Some(bucket_bounds(bucket).1.min(self.max));
            }
        }
        (count > 0).then_some(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::SLO_EDGES_NS;
    use super::*;

    #[test]
    fn targets_are_counted_exactly_where_buckets_could_not() {
        for (i, edge) in SLO_EDGES_NS.into_iter().enumerate() {
            let mut h = Histogram::default();
            for nanos in [edge - 1, edge, edge + 1] {
                h.record(nanos);
            }
            assert_eq!((h.slo()[i], h.count()), (2, 3), "edge {edge}");
            assert_eq!(h.buckets().map(|(_, n)| n).sum::<u64>(), 3);
        }
    }

    #[test]
    fn under_and_overflow_are_counted() {
        let mut h = Histogram::default();
        for nanos in [0, 1, 127, OVERFLOW_NS, u64::MAX] {
            h.record(nanos);
        }
        assert_eq!((h.count(), h.overflow(), h.max(), h.sum()), (5, 2, u64::MAX, 128 + 2 * OVERFLOW_NS));
        assert_eq!(h.buckets().collect::<Vec<_>>(), [(0, 3)]);
        assert_eq!(h.slo()[10], 3);
    }

    #[test]
    fn a_sum_of_parts_is_the_whole() {
        let values: Vec<u64> = (0..10_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (n % 50)).collect();
        let mut whole = Histogram::default();
        let mut merged = Histogram::default();
        for part in values.chunks(77) {
            let mut h = Histogram::default();
            part.iter().for_each(|&v| h.record(v));
            part.iter().for_each(|&v| whole.record(v));
            merged.add(&h);
        }
        assert_eq!(merged, whole);
        for (edge, count) in SLO_EDGES_NS.iter().zip(merged.slo()) {
            assert_eq!(count, values.iter().filter(|v| *v <= edge).count() as u64);
        }
    }

    #[test]
    fn quantiles_are_within_a_bucket_of_the_truth() {
        let mut h = Histogram::default();
        (1..=100_000u64).for_each(|n| h.record(n * 100));
        for (q, truth) in [(0.5, 5_000_000.0), (0.99, 9_900_000.0), (0.999, 9_990_000.0), (1.0, 10_000_000.0)] {
            let got = h.quantile(q).unwrap() as f64;
            assert!(got >= truth && got <= truth * 1.0625, "{q}: {got}");
        }
        assert_eq!(Histogram::default().quantile(0.5), None);
    }
}
