//! Durations of one kind of operation.

use super::{micros, millis, rounded};
use hdrhistogram::Histogram;
use std::time::Duration;

/// Shares are counted exactly under these, milliseconds.
pub const WITHIN_MS: [u64; 4] = [1, 2, 8, 64];
/// Longest duration that is told apart, nanoseconds: an hour.
const LONGEST: u64 = 3_600_000_000_000;
/// Significant decimal digits of percentiles.
const DIGITS: u8 = 2;

/// Percentiles to 1%; count, sum, squares, minimum, maximum and the shares of `WITHIN_MS` exactly. Nanoseconds.
#[derive(Clone, Debug)]
pub struct Latencies {
    histogram: Option<Histogram<u64>>,
    count: u64,
    sum: f64,
    squares: f64,
    min: u64,
    max: u64,
    within: [u64; WITHIN_MS.len()],
}

impl Default for Latencies {
    fn default() -> Self {
        // Made with the first duration: most shares of most seconds of small runs stay empty.
        Self { histogram: None, count: 0, sum: 0.0, squares: 0.0, min: u64::MAX, max: 0, within: [0; WITHIN_MS.len()] }
    }
}

impl Latencies {
    pub fn record(&mut self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).min(LONGEST);
        if let Some(histogram) = self.histogram() {
            histogram.saturating_record(nanos);
        }
        self.count += 1;
        self.sum += nanos as f64;
        self.squares += nanos as f64 * nanos as f64;
        self.min = self.min.min(nanos);
        self.max = self.max.max(nanos);
        for (count, edge) in self.within.iter_mut().zip(WITHIN_MS) {
            *count += u64::from(nanos <= edge * 1_000_000);
        }
    }

    fn histogram(&mut self) -> Option<&mut Histogram<u64>> {
        if self.histogram.is_none() {
            // The bounds are constants that the crate takes.
            self.histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS).ok();
        }
        self.histogram.as_mut()
    }

    pub fn add(&mut self, other: &Self) {
        let Some(theirs) = &other.histogram else { return };
        match &mut self.histogram {
            // Both have the same bounds.
            Some(histogram) => drop(histogram.add(theirs)),
            none => *none = Some(theirs.clone()),
        }
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        for (count, theirs) in self.within.iter_mut().zip(other.within) {
            *count += theirs;
        }
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn mean_ms(&self) -> f64 {
        if self.count == 0 { 0.0 } else { millis(self.sum / self.count as f64) }
    }

    pub fn std_dev_ms(&self) -> f64 {
        let count = self.count.max(1) as f64;
        let mean = self.sum / count;
        millis((self.squares / count - mean * mean).max(0.0).sqrt())
    }

    /// The duration under which `percent` of all are.
    pub fn percentile_ms(&self, percent: f64) -> f64 {
        millis(self.percentile(percent) as f64)
    }

    fn percentile(&self, percent: f64) -> u64 {
        let nanos = self.histogram.as_ref().map_or(0, |histogram| histogram.value_at_quantile(percent / 100.0));
        nanos.min(self.max)
    }

    pub fn mean_us(&self) -> f64 {
        if self.count == 0 { 0.0 } else { micros(self.sum / self.count as f64) }
    }

    pub fn min_us(&self) -> f64 {
        if self.count == 0 { 0.0 } else { micros(self.min as f64) }
    }

    pub fn max_us(&self) -> f64 {
        micros(self.max as f64)
    }

    /// As `percentile_ms`.
    pub fn percentile_us(&self, percent: f64) -> f64 {
        micros(self.percentile(percent) as f64)
    }

    pub fn max_ms(&self) -> f64 {
        millis(self.max as f64)
    }

    /// Percent that took at most that long, for each of `WITHIN_MS`; 100 where there were none.
    pub fn within_percent(&self) -> [f64; WITHIN_MS.len()] {
        let percent = |count: u64| if self.count == 0 { 100.0 } else { rounded(count as f64 / self.count as f64 * 100.0, 1000.0) };
        self.within.map(percent)
    }

    /// How many took at most a millisecond.
    pub fn within_1ms(&self) -> u64 {
        self.within[0]
    }

    /// For the log of intervals; `None` while nothing was counted.
    pub fn hdr(&self) -> Option<&Histogram<u64>> {
        self.histogram.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let durations: Vec<Duration> = (1..=10_000).map(Duration::from_micros).collect();
        let mut whole = Latencies::default();
        durations.iter().for_each(|&d| whole.record(d));
        let mut sum = Latencies::default();
        for part in durations.chunks(33) {
            let mut latencies = Latencies::default();
            part.iter().for_each(|&d| latencies.record(d));
            sum.add(&latencies);
        }
        sum.add(&Latencies::default());
        assert_eq!((sum.count(), sum.max_ms(), sum.within_percent()), (10_000, 10.0, [10.0, 20.0, 80.0, 100.0]));
        assert_eq!((sum.min_us(), sum.mean_us(), sum.max_us()), (1.0, 5000.5, 10_000.0));
        assert_eq!(sum.within_percent(), whole.within_percent());
        assert!((sum.mean_ms() - 5.0005).abs() < 0.001 && (sum.std_dev_ms() - 2.8868).abs() < 0.001);
        for percent in [50.0, 90.0, 99.0, 99.9] {
            let truth = percent / 10.0;
            assert!((sum.percentile_ms(percent) - truth).abs() <= truth * 0.01, "{percent}: {}", sum.percentile_ms(percent));
        }
    }

    #[test]
    fn nothing_is_zero_and_an_age_is_an_hour() {
        let mut latencies = Latencies::default();
        assert_eq!((latencies.min_us(), latencies.mean_us(), latencies.percentile_us(99.0)), (0.0, 0.0, 0.0));
        assert_eq!((latencies.mean_ms(), latencies.std_dev_ms(), latencies.percentile_ms(99.0)), (0.0, 0.0, 0.0));
        latencies.record(Duration::from_secs(100_000));
        assert_eq!(latencies.max_ms(), 3_600_000.0);
    }
}
