//! Whether runs differ from the first of them, with confidence intervals: percentiles by their histograms, all else by the
//! means of their seconds.

mod alike;
mod misses;
mod needed;
mod percentile;

pub use misses::{Ratio, Side};

use crate::figures::{Frame, OperationFrame};
use alike::Spread;
use misses::Met;
use percentile::Percentile;
use serde::Serialize;
use tessera_base::latency::Histogram;

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

/// A run as it is compared.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub frames: Vec<Frame>,
    /// `None` of a run that kept no histograms.
    pub histograms: Option<Histograms>,
}

/// Latencies of sections of a run, in order, without those that have none.
#[derive(Clone, Debug, Default)]
pub struct Histograms {
    pub read: Vec<Histogram>,
    pub write: Vec<Histogram>,
}

/// What a figure was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    Histograms,
    Seconds,
}

/// One figure of all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub figure: &'static str,
    pub unit: &'static str,
    pub higher_is_better: bool,
    pub source: Source,
    pub runs: Vec<Cell>,
}

/// One figure of one run. `low` and `high` bound its value, the differences those to the first run, in the figure's unit. A
/// percentile of too few operations has no bounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    pub seconds: usize,
    pub value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    pub difference: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_high: Option<f64>,
    /// Of a share: the verdict comes from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    pub verdict: Verdict,
    /// If it cannot tell: how long runs have to be so that 95 of 100 pairs of equal ones are said to have no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_needed: Option<u64>,
}

struct Figure {
    name: &'static str,
    unit: &'static str,
    higher_is_better: bool,
    /// Its value in a second; `None` of a percentile that only histograms have.
    of: Option<fn(&Frame) -> Option<f64>>,
    /// Of a share: what it is made of.
    met: Option<fn(&Frame) -> Met>,
    /// Of a percentile: of what, and which.
    percentile: Option<(Sections, f64)>,
}

type Sections = fn(&Histograms) -> &[Histogram];

impl Figure {
    const fn new(name: &'static str, unit: &'static str, of: fn(&Frame) -> Option<f64>) -> Self {
        Self { name, unit, higher_is_better: false, of: Some(of), met: None, percentile: None }
    }

    const fn share(name: &'static str, of: fn(&Frame) -> Option<f64>, met: fn(&Frame) -> Met) -> Self {
        Self { higher_is_better: true, met: Some(met), ..Self::new(name, "%", of) }
    }

    const fn percentile(name: &'static str, q: f64, histograms: Sections, of: Option<fn(&Frame) -> Option<f64>>) -> Self {
        Self { name, unit: "ms", higher_is_better: false, of, met: None, percentile: Some((histograms, q)) }
    }
}

fn reads(histograms: &Histograms) -> &[Histogram] {
    &histograms.read
}

fn writes(histograms: &Histograms) -> &[Histogram] {
    &histograms.write
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

const FIGURES: [Figure; 13] = [
    Figure { higher_is_better: true, ..Figure::new("tps", "1/s", |f| Some(f.tps)) },
    Figure::new("readMean", "ms", |f| read(f, f.read.mean_ms)),
    Figure::percentile("readP50", 0.5, reads, Some(|f| read(f, f.read.p50_ms))),
    Figure::percentile("readP90", 0.9, reads, None),
    Figure::percentile("readP99", 0.99, reads, Some(|f| read(f, f.read.p99_ms))),
    Figure::percentile("readP999", 0.999, reads, None),
    Figure::share("readUnder1ms", |f| read(f, f.read.under1ms_pct), |f| met(&f.read)),
    Figure::new("writeMean", "ms", |f| write(f, f.write.mean_ms)),
    Figure::percentile("writeP50", 0.5, writes, Some(|f| write(f, f.write.p50_ms))),
    Figure::percentile("writeP90", 0.9, writes, None),
    Figure::percentile("writeP99", 0.99, writes, Some(|f| write(f, f.write.p99_ms))),
    Figure::percentile("writeP999", 0.999, writes, None),
    Figure::share("writeUnder1ms", |f| write(f, f.write.under1ms_pct), |f| met(&f.write)),
];

/// Compares two or more runs with the first.
pub fn compare(runs: &[Measured]) -> Vec<Row> {
    FIGURES.iter().filter_map(|figure| by_histograms(figure, runs).unwrap_or_else(|| by_seconds(figure, runs))).collect()
}

fn row(figure: &Figure, source: Source, runs: Vec<Cell>) -> Row {
    Row { figure: figure.name, unit: figure.unit, higher_is_better: figure.higher_is_better, source, runs }
}

/// `None`: the figure is no percentile, or a run kept no histograms. `Some(None)`: no run has such operations.
fn by_histograms(figure: &Figure, runs: &[Measured]) -> Option<Option<Row>> {
    let (histograms, q) = figure.percentile?;
    let kept = runs.iter().map(|run| run.histograms.as_ref().map(histograms)).collect::<Option<Vec<_>>>()?;
    if kept.iter().all(|sections| sections.is_empty()) {
        return Some(None);
    }
    let percentiles: Vec<Percentile> = kept.iter().map(|sections| Percentile::of(sections, q)).collect();
    let seconds: Vec<usize> = runs.iter().map(|run| warm(&run.frames).len()).collect();
    let cells = percentiles.iter().zip(&seconds).enumerate().map(|(index, (percentile, &count))| {
        let (difference, bounds) = if index == 0 { (0.0, Some((0.0, 0.0))) } else { percentile.against(&percentiles[0]) };
        let smallest = percentile::SMALLEST * percentiles[0].value;
        let verdict = if index == 0 {
            Verdict::Baseline
        } else if seconds[0].min(count) < SECONDS_MIN {
            Verdict::TooFewSeconds
        } else {
            bounds.map_or(Verdict::CannotTell, |(low, high)| verdict_of((difference, low, high), smallest, figure.higher_is_better))
        };
        let half = bounds.map(|(low, high)| (difference - low).max(high - difference));
        let in_ms = |nanos: f64| shown(nanos / 1e6);
        Cell {
            seconds: count,
            value: in_ms(percentile.value),
            low: percentile.bounds.map(|(low, _)| in_ms(low)),
            high: percentile.bounds.map(|(_, high)| in_ms(high)),
            difference: in_ms(difference),
            difference_low: bounds.map(|(low, _)| in_ms(low)),
            difference_high: bounds.map(|(_, high)| in_ms(high)),
            ratio: None,
            verdict,
            seconds_needed: half
                .filter(|_| verdict == Verdict::CannotTell)
                .and_then(|half| needed::seconds((seconds[0], count), half, smallest)),
        }
    });
    Some(Some(row(figure, Source::Histograms, cells.collect())))
}

fn by_seconds(figure: &Figure, runs: &[Measured]) -> Option<Row> {
    let of = figure.of?;
    let samples: Vec<Sample> = runs.iter().map(|run| Sample::of(&run.frames, of)).collect();
    let first = samples.first()?;
    if samples.iter().all(|sample| sample.seconds == 0) {
        return None;
    }
    let cells = samples.iter().zip(runs).enumerate().map(|(index, (sample, run))| match figure.met {
        Some(met) if index > 0 => share_cell(figure, (first, &mets(&runs[0].frames, met)), (sample, &mets(&run.frames, met))),
        _ => cell(figure, first, sample, index == 0),
    });
    Some(row(figure, Source::Seconds, cells.collect()))
}

/// What a difference says, with the bounds between which it lies. A smaller one than `smallest` is none worth the name.
fn verdict_of((difference, low, high): (f64, f64, f64), smallest: f64, higher_is_better: bool) -> Verdict {
    if low > -smallest && high < smallest {
        Verdict::NoDifference
    } else if (low <= 0.0 && high >= 0.0) || difference.abs() < smallest {
        Verdict::CannotTell
    } else if (difference > 0.0) == higher_is_better {
        Verdict::Better
    } else {
        Verdict::Worse
    }
}

fn cell(figure: &Figure, first: &Sample, sample: &Sample, is_first: bool) -> Cell {
    let half = sample.spread.margin();
    let difference = if is_first { 0.0 } else { sample.mean - first.mean };
    let half_difference = if is_first { 0.0 } else { first.spread.margin_between(sample.spread) };
    let resolution = if figure.unit == "ms" { RESOLUTION_MS } else { 0.0 };
    let reach = half_difference + resolution;
    let smallest = SMALLEST * first.mean.abs();
    let verdict = if is_first {
        Verdict::Baseline
    } else if first.seconds < SECONDS_MIN || sample.seconds < SECONDS_MIN {
        Verdict::TooFewSeconds
    } else {
        verdict_of((difference, difference - reach, difference + reach), smallest, figure.higher_is_better)
    };
    Cell {
        seconds: sample.seconds,
        value: shown(sample.mean),
        low: Some(shown(sample.mean - half)),
        high: Some(shown(sample.mean + half)),
        difference: shown(difference),
        difference_low: Some(shown(difference - half_difference)),
        difference_high: Some(shown(difference + half_difference)),
        ratio: None,
        verdict,
        // However long runs are, they tell latencies to the resolution only.
        seconds_needed: (verdict == Verdict::CannotTell)
            .then(|| needed::seconds((first.seconds, sample.seconds), half_difference, smallest - resolution))
            .flatten(),
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
    let seconds_needed = ratio.filter(|_| verdict == Verdict::CannotTell).and_then(|Ratio { low, high, .. }| {
        needed::seconds((first.seconds, sample.seconds), (high / low).ln() / 2.0, misses::SMALLEST_FACTOR.ln())
    });
    Cell { ratio: ratio.map(shown), verdict, seconds_needed, ..cell }
}

/// The seconds that `Sample::of` takes.
fn mets(frames: &[Frame], met: fn(&Frame) -> Met) -> Vec<Met> {
    warm(frames).iter().map(met).filter(|second| second.count > 0).collect()
}

/// The seconds that are compared.
pub fn warm<T>(seconds: &[T]) -> &[T] {
    if seconds.len() > WARM_AFTER { &seconds[1..] } else { seconds }
}

/// In milliseconds: to the nanosecond.
fn shown(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The seconds of one run.
struct Sample {
    seconds: usize,
    mean: f64,
    spread: Spread,
}

impl Sample {
    fn of(frames: &[Frame], figure: fn(&Frame) -> Option<f64>) -> Self {
        let values: Vec<f64> = warm(frames).iter().filter_map(figure).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let rests: Vec<f64> = values.iter().map(|value| value - mean).collect();
        Self { seconds: values.len(), mean, spread: Spread::of(&rests) }
    }
}

#[cfg(test)]
mod tests;
