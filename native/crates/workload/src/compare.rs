//! Whether runs differ: the means of their seconds, with confidence intervals, against those of the first.

use crate::figures::Frame;
use serde::Serialize;

/// Normal quantile of the intervals, two-sided: 99%.
const Z: f64 = 2.576;
/// A difference smaller than this share of the first run's mean is none worth the name, however certain.
const SMALLEST: f64 = 0.05;
/// The same for shares, percentage points.
const SMALLEST_POINTS: f64 = 0.5;
/// Frames tell latencies to this, milliseconds.
const RESOLUTION_MS: f64 = 0.001;
/// Fewer seconds prove nothing.
const SECONDS_MIN: usize = 3;
/// Runs longer than this leave their first second out, in which caches are cold.
const WARM_AFTER: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The run that the others are compared with.
    Baseline,
    /// Shown to be none worth the name, not merely hidden by noise.
    NoDifference,
    Better,
    Worse,
    /// The interval is too wide.
    CannotTell,
    TooFewSeconds,
}

/// One figure of all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub figure: &'static str,
    pub unit: &'static str,
    pub higher_is_better: bool,
    pub runs: Vec<Cell>,
}

/// One figure of one run. `low` and `high` bound its mean, the differences those to the first run, in the figure's unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    pub seconds: usize,
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    pub difference: f64,
    pub difference_low: f64,
    pub difference_high: f64,
    pub verdict: Verdict,
}

struct Figure {
    name: &'static str,
    unit: &'static str,
    higher_is_better: bool,
    of: fn(&Frame) -> Option<f64>,
}

fn read(frame: &Frame, value: f64) -> Option<f64> {
    (frame.read.count > 0).then_some(value)
}

fn write(frame: &Frame, value: f64) -> Option<f64> {
    (frame.write.count > 0).then_some(value)
}

const FIGURES: [Figure; 9] = [
    Figure { name: "tps", unit: "1/s", higher_is_better: true, of: |f| Some(f.tps) },
    Figure { name: "readMean", unit: "ms", higher_is_better: false, of: |f| read(f, f.read.mean_ms) },
    Figure { name: "readP50", unit: "ms", higher_is_better: false, of: |f| read(f, f.read.p50_ms) },
    Figure { name: "readP99", unit: "ms", higher_is_better: false, of: |f| read(f, f.read.p99_ms) },
    Figure { name: "readUnder1ms", unit: "%", higher_is_better: true, of: |f| read(f, f.read.under1ms_pct) },
    Figure { name: "writeMean", unit: "ms", higher_is_better: false, of: |f| write(f, f.write.mean_ms) },
    Figure { name: "writeP50", unit: "ms", higher_is_better: false, of: |f| write(f, f.write.p50_ms) },
    Figure { name: "writeP99", unit: "ms", higher_is_better: false, of: |f| write(f, f.write.p99_ms) },
    Figure { name: "writeUnder1ms", unit: "%", higher_is_better: true, of: |f| write(f, f.write.under1ms_pct) },
];

/// Compares the seconds of two or more runs with those of the first.
pub fn compare(runs: &[Vec<Frame>]) -> Vec<Row> {
    FIGURES
        .iter()
        .filter_map(|figure| {
            let samples: Vec<Sample> = runs.iter().map(|frames| Sample::of(frames, figure.of)).collect();
            let first = samples.first()?;
            if samples.iter().all(|sample| sample.seconds == 0) {
                return None;
            }
            let cells = samples.iter().enumerate().map(|(index, sample)| cell(figure, first, sample, index == 0)).collect();
            Some(Row { figure: figure.name, unit: figure.unit, higher_is_better: figure.higher_is_better, runs: cells })
        })
        .collect()
}

fn cell(figure: &Figure, first: &Sample, sample: &Sample, is_first: bool) -> Cell {
    let half = sample.margin();
    let difference = if is_first { 0.0 } else { sample.mean - first.mean };
    let half_difference = if is_first { 0.0 } else { margin_between(first, sample) };
    let smallest = if figure.unit == "%" { SMALLEST_POINTS } else { SMALLEST * first.mean.abs() };
    let reach = half_difference + if figure.unit == "ms" { RESOLUTION_MS } else { 0.0 };
    let verdict = if is_first {
        Verdict::Baseline
    } else if first.seconds < SECONDS_MIN || sample.seconds < SECONDS_MIN {
        Verdict::TooFewSeconds
    } else if difference.abs() + reach < smallest {
        Verdict::NoDifference
    } else if difference.abs() <= reach || difference.abs() < smallest {
        Verdict::CannotTell
    } else if (difference > 0.0) == figure.higher_is_better {
        Verdict::Better
    } else {
        Verdict::Worse
    };
    Cell {
        seconds: sample.seconds,
        mean: shown(sample.mean),
        low: shown(sample.mean - half),
        high: shown(sample.mean + half),
        difference: shown(difference),
        difference_low: shown(difference - half_difference),
        difference_high: shown(difference + half_difference),
        verdict,
    }
}

fn shown(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// The seconds of one run.
struct Sample {
    seconds: usize,
    mean: f64,
    /// Variance of the mean: neighbouring seconds are alike, so they count for fewer than they are.
    variance_of_mean: f64,
    /// Seconds that independent ones would have to be.
    effective: f64,
}

impl Sample {
    fn of(frames: &[Frame], figure: fn(&Frame) -> Option<f64>) -> Self {
        let warm = if frames.len() > WARM_AFTER { &frames[1..] } else { frames };
        let values: Vec<f64> = warm.iter().filter_map(figure).collect();
        let count = values.len() as f64;
        if values.is_empty() {
            return Self { seconds: 0, mean: 0.0, variance_of_mean: 0.0, effective: 0.0 };
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let neighbours: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
        let alike = if squares > 0.0 { (neighbours / squares).clamp(0.0, 0.9) } else { 0.0 };
        let effective = (count * (1.0 - alike) / (1.0 + alike)).max(1.0);
        let variance = if count > 1.0 { squares / (count - 1.0) } else { 0.0 };
        Self { seconds: values.len(), mean, variance_of_mean: variance / effective, effective }
    }

    fn margin(&self) -> f64 {
        quantile(self.effective - 1.0) * self.variance_of_mean.sqrt()
    }
}

/// Half the width of Welch's interval of the difference of two means.
fn margin_between(a: &Sample, b: &Sample) -> f64 {
    let variance = a.variance_of_mean + b.variance_of_mean;
    let part = |sample: &Sample| sample.variance_of_mean.powi(2) / (sample.effective - 1.0).max(1.0);
    let parts = part(a) + part(b);
    let freedom = if parts > 0.0 { variance.powi(2) / parts } else { 1.0 };
    quantile(freedom) * variance.sqrt()
}

/// Student's quantile by its expansion around the normal one.
fn quantile(freedom: f64) -> f64 {
    let v = freedom.max(1.0);
    let z3 = Z.powi(3);
    Z + (z3 + Z) / (4.0 * v) + (5.0 * Z.powi(5) + 16.0 * z3 + 3.0 * Z) / (96.0 * v * v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Counts;
    use crate::rng::Rng;

    /// Seconds that differ by up to a tenth.
    fn run(seed: u64, tps: f64, seconds: u64) -> Vec<Frame> {
        noisy_run(seed, tps, seconds, 0.1)
    }

    fn noisy_run(seed: u64, tps: f64, seconds: u64, noise: f64) -> Vec<Frame> {
        let mut rng = Rng::new(seed, 0, 0);
        let noisy = |rng: &mut Rng| tps * (1.0 + (f64::from(rng.below(2001)) - 1000.0) / 1000.0 * noise);
        (1..=seconds).map(|at| Frame { tps: noisy(&mut rng), ..Frame::new(&Counts::default(), at as f64, 1.0) }).collect()
    }

    fn verdicts(runs: &[Vec<Frame>]) -> Vec<Verdict> {
        compare(runs)[0].runs.iter().map(|cell| cell.verdict).collect()
    }

    #[test]
    fn equal_runs_do_not_differ_and_others_do() {
        use Verdict::{Baseline, Better, CannotTell, NoDifference, Worse};
        let base = run(1, 10_000.0, 60);
        assert_eq!(verdicts(&[base.clone(), base.clone()]), [Baseline, NoDifference]);
        let equal = |seed: u64| verdicts(&[base.clone(), run(seed, 10_000.0, 60)])[1];
        let words: Vec<_> = (2..50).map(equal).collect();
        assert!(words.iter().all(|word| matches!(word, NoDifference | CannotTell)), "{words:?}");
        assert!(words.iter().filter(|word| **word == NoDifference).count() > words.len() / 2, "{words:?}");
        let others = [base, run(7, 12_000.0, 60), run(8, 8_000.0, 60)];
        assert_eq!(verdicts(&others), [Baseline, Better, Worse]);
        let rows = compare(&others);
        assert_eq!(rows.len(), 1, "figures without operations are left out");
        let cell = &rows[0].runs[1];
        assert!(cell.difference_low < 2000.0 && 2000.0 < cell.difference_high && cell.low < cell.mean);
    }

    #[test]
    fn what_noise_hides_is_not_said_to_be_nothing() {
        for seed in 2..50 {
            let runs = [noisy_run(1, 10_000.0, 10, 0.9), noisy_run(seed, 10_000.0, 10, 0.9)];
            assert_ne!(verdicts(&runs)[1], Verdict::NoDifference, "seed {seed}");
        }
    }

    #[test]
    fn latencies_below_the_resolution_are_not_told_apart() {
        let at = |p50_ms: f64| -> Vec<Frame> {
            let mut frame = Frame::new(&Counts::default(), 1.0, 1.0);
            (frame.read.count, frame.read.p50_ms) = (100, p50_ms);
            vec![frame; 30]
        };
        let verdict = |one: f64, two: f64| {
            let rows = compare(&[at(one), at(two)]);
            rows.iter().find(|row| row.figure == "readP50").map(|row| row.runs[1].verdict)
        };
        assert_eq!(verdict(0.001, 0.001), Some(Verdict::CannotTell));
        assert_eq!(verdict(0.001, 0.002), Some(Verdict::CannotTell));
        assert_eq!(verdict(0.2, 0.2), Some(Verdict::NoDifference));
        assert_eq!(verdict(0.2, 0.3), Some(Verdict::Worse));
    }

    #[test]
    fn a_second_or_two_prove_nothing() {
        assert_eq!(verdicts(&[run(1, 10.0, 2), run(2, 900.0, 30)])[1], Verdict::TooFewSeconds);
        assert_eq!(verdicts(&[Vec::new(), run(2, 900.0, 30)])[1], Verdict::TooFewSeconds);
    }

    #[test]
    fn seconds_that_follow_each_other_count_for_fewer() {
        let drift: Vec<Frame> =
            (0..30).map(|at| Frame { tps: 1000.0 + f64::from(at), ..Frame::new(&Counts::default(), f64::from(at), 1.0) }).collect();
        let sample = Sample::of(&drift, |frame| Some(frame.tps));
        assert!(sample.effective < 5.0, "{}", sample.effective);
    }
}
