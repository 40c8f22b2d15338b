//! Whether runs differ: the means of their seconds, with confidence intervals, against those of the first.

mod misses;

pub use misses::{Ratio, Side};

use crate::figures::{Frame, OperationFrame};
use misses::Met;
use serde::Serialize;

/// Normal quantile of the intervals, two-sided: 99%.
const Z: f64 = 2.576;
/// A difference smaller than this share of the first run's mean is none worth the name, however certain.
const SMALLEST: f64 = 0.05;
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
    /// Of a share: the verdict comes from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    pub verdict: Verdict,
}

struct Figure {
    name: &'static str,
    unit: &'static str,
    higher_is_better: bool,
    of: fn(&Frame) -> Option<f64>,
    /// Of a share: what it is made of.
    met: Option<fn(&Frame) -> Met>,
}

impl Figure {
    const fn new(name: &'static str, unit: &'static str, of: fn(&Frame) -> Option<f64>) -> Self {
        Self { name, unit, higher_is_better: false, of, met: None }
    }

    const fn share(name: &'static str, of: fn(&Frame) -> Option<f64>, met: fn(&Frame) -> Met) -> Self {
        Self { name, unit: "%", higher_is_better: true, of, met: Some(met) }
    }
}

fn read(frame: &Frame, value: f64) -> Option<f64> {
    (frame.read.count > 0).then_some(value)
}

fn write(frame: &Frame, value: f64) -> Option<f64> {
    (frame.write.count > 0).then_some(value)
}

fn met(operations: &OperationFrame) -> Met {
    let OperationFrame { count, within1ms, under1ms_pct, .. } = *operations;
    Met { count, met: within1ms.unwrap_or_else(|| (count as f64 * under1ms_pct / 100.0).round() as u64).min(count) }
}

const FIGURES: [Figure; 9] = [
    Figure { higher_is_better: true, ..Figure::new("tps", "1/s", |f| Some(f.tps)) },
    Figure::new("readMean", "ms", |f| read(f, f.read.mean_ms)),
    Figure::new("readP50", "ms", |f| read(f, f.read.p50_ms)),
    Figure::new("readP99", "ms", |f| read(f, f.read.p99_ms)),
    Figure::share("readUnder1ms", |f| read(f, f.read.under1ms_pct), |f| met(&f.read)),
    Figure::new("writeMean", "ms", |f| write(f, f.write.mean_ms)),
    Figure::new("writeP50", "ms", |f| write(f, f.write.p50_ms)),
    Figure::new("writeP99", "ms", |f| write(f, f.write.p99_ms)),
    Figure::share("writeUnder1ms", |f| write(f, f.write.under1ms_pct), |f| met(&f.write)),
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
            let cells = samples.iter().zip(runs).enumerate().map(|(index, (sample, frames))| match figure.met {
                Some(met) if index > 0 => share_cell(figure, (first, &mets(&runs[0], met)), (sample, &mets(frames, met))),
                _ => cell(figure, first, sample, index == 0),
            });
            Some(Row { figure: figure.name, unit: figure.unit, higher_is_better: figure.higher_is_better, runs: cells.collect() })
        })
        .collect()
}

fn cell(figure: &Figure, first: &Sample, sample: &Sample, is_first: bool) -> Cell {
    let half = sample.margin();
    let difference = if is_first { 0.0 } else { sample.mean - first.mean };
    let half_difference = if is_first { 0.0 } else { margin_between(first, sample) };
    let smallest = SMALLEST * first.mean.abs();
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
        ratio: None,
        verdict,
    }
}

fn share_cell(figure: &Figure, (first, from): (&Sample, &[Met]), (sample, of): (&Sample, &[Met])) -> Cell {
    let cell = cell(figure, first, sample, false);
    if cell.verdict == Verdict::TooFewSeconds {
        return cell;
    }
    let ratio = misses::ratio(from, of);
    let verdict = misses::verdict(ratio, from, of);
    let shown = |ratio: Ratio| Ratio { value: shown(ratio.value), low: shown(ratio.low), high: shown(ratio.high), ..ratio };
    Cell { ratio: ratio.map(shown), verdict, ..cell }
}

/// The seconds that `Sample::of` takes.
fn mets(frames: &[Frame], met: fn(&Frame) -> Met) -> Vec<Met> {
    warm(frames).iter().map(met).filter(|second| second.count > 0).collect()
}

fn warm(frames: &[Frame]) -> &[Frame] {
    if frames.len() > WARM_AFTER { &frames[1..] } else { frames }
}

/// How much neighbours are alike, 0 to 0.9, from what they differ by from their mean.
fn alike(rests: &[f64]) -> f64 {
    let squares: f64 = rests.iter().map(|rest| rest * rest).sum();
    let neighbours: f64 = rests.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if squares > 0.0 { (neighbours / squares).clamp(0.0, 0.9) } else { 0.0 }
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
        let values: Vec<f64> = warm(frames).iter().filter_map(figure).collect();
        let count = values.len() as f64;
        if values.is_empty() {
            return Self { seconds: 0, mean: 0.0, variance_of_mean: 0.0, effective: 0.0 };
        }
        let mean = values.iter().sum::<f64>() / count;
        let rests: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let squares: f64 = rests.iter().map(|rest| rest * rest).sum();
        let alike = alike(&rests);
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
mod tests;
