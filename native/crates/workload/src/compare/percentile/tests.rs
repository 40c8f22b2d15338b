use super::super::{Cell, Histograms, Measured, Source, Verdict, compare};
use super::*;
use crate::figures::{Counts, Frame};
use crate::rng::Rng;

const FIGURES: [&str; 4] = ["readP50", "readP90", "readP99", "readP999"];

/// How the latencies of a run are spread.
#[derive(Clone, Copy)]
struct Spread {
    seconds: usize,
    operations: u32,
    median_ns: f64,
    /// By how much the level of a second varies, as a share.
    noise: f64,
    /// How much of its level a second has from the one before.
    alike: f64,
    /// One second in so many is a stall: a twentieth of its operations take twenty times as long. 0: none.
    stall_in: u32,
}

const STEADY: Spread = Spread { seconds: 20, operations: 1000, median_ns: 200_000.0, noise: 0.0, alike: 0.0, stall_in: 0 };

/// A normal number: the sum of twelve, less their mean.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

fn run(seed: u64, spread: Spread) -> Measured {
    let mut rng = Rng::new(seed, 7, 7);
    let mut level = 0.0;
    let second = |_| {
        level = spread.alike * level + (1.0 - spread.alike * spread.alike).sqrt() * normal(&mut rng);
        let stalls = spread.stall_in > 0 && rng.below(spread.stall_in) == 0;
        let mut histogram = Histogram::default();
        for _ in 0..spread.operations {
            let slow = if stalls && rng.below(20) == 0 { 20.0 } else { 1.0 };
            let nanos = spread.median_ns * slow * (0.4 * normal(&mut rng) + spread.noise * level).exp();
            histogram.record(nanos as u64);
        }
        histogram
    };
    measured((0..spread.seconds).map(second).collect())
}

fn measured(read: Vec<Histogram>) -> Measured {
    let frames = (0..read.len()).map(|at| Frame::new(&Counts::default(), at as f64, 1.0)).collect();
    Measured { frames, histograms: Some(Histograms { read, write: Vec::new() }) }
}

fn cell(figure: &str, first: &Measured, second: &Measured) -> Cell {
    let rows = compare(&[first.clone(), second.clone()]);
    let mut row = rows.into_iter().find(|row| row.figure == figure).unwrap();
    assert_eq!(row.source, Source::Histograms);
    row.runs.remove(1)
}

fn differs(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Better | Verdict::Worse)
}

#[test]
fn equal_runs_are_hardly_ever_said_to_differ() {
    let spreads = [
        STEADY,
        Spread { seconds: 3, operations: 300, ..STEADY },
        Spread { seconds: 6, operations: 200, ..STEADY },
        Spread { seconds: 4, operations: 300, noise: 0.15, ..STEADY },
        Spread { operations: 300, noise: 0.15, ..STEADY },
        Spread { operations: 300, noise: 0.15, alike: 0.7, ..STEADY },
        Spread { seconds: 40, operations: 200, noise: 0.3, alike: 0.5, ..STEADY },
        Spread { seconds: 10, stall_in: 5, ..STEADY },
        Spread { stall_in: 20, ..STEADY },
        Spread { operations: 300, median_ns: 700.0, ..STEADY },
    ];
    let pairs = u64::from(tessera_base::cases(200));
    for (at, spread) in spreads.into_iter().enumerate() {
        let mut wrong = [0; FIGURES.len()];
        for pair in 0..pairs {
            let rows = compare(&[run(2 * pair + 1, spread), run(2 * pair + 2, spread)]);
            for (wrong, figure) in wrong.iter_mut().zip(FIGURES) {
                let row = rows.iter().find(|row| row.figure == figure).unwrap();
                *wrong += u64::from(differs(row.runs[1].verdict));
            }
        }
        assert!(wrong.iter().all(|wrong| wrong * 50 <= pairs), "spread {at}: {wrong:?} of {pairs}");
    }
}

/// By figure, how many of so many pairs of equal runs are said to have no difference, and the longest that any asks for.
fn told_alike(pairs: u64, spread: Spread) -> [(u64, u64); FIGURES.len()] {
    let mut told = [(0, 0); FIGURES.len()];
    for pair in 0..pairs {
        let rows = compare(&[run(2 * pair + 1, spread), run(2 * pair + 2, spread)]);
        for ((alike, needed), figure) in told.iter_mut().zip(FIGURES) {
            let cell = &rows.iter().find(|row| row.figure == figure).unwrap().runs[1];
            *alike += u64::from(cell.verdict == Verdict::NoDifference);
            *needed = (*needed).max(cell.seconds_needed.unwrap_or(0));
        }
    }
    told
}

#[test]
fn equal_runs_are_said_to_have_no_difference_if_they_are_as_long_as_is_asked_for() {
    let pairs = u64::from(tessera_base::cases(100));
    // A minute at 1,000 operations a second says enough of all but the slowest in a thousand.
    let minute = Spread { seconds: 60, noise: 0.02, ..STEADY };
    let told = told_alike(pairs, minute);
    assert!(told[..3].iter().all(|(alike, _)| alike * 100 >= pairs * 95), "{told:?} of {pairs}");
    // Seconds that vary more need longer runs, and a comparison says how long.
    for (noise, alike) in [(0.1, 0.0), (0.06, 0.5)] {
        let short = Spread { seconds: 30, operations: 400, noise, alike, ..STEADY };
        let few = told_alike(10, short);
        let needed = few[..2].iter().map(|(_, needed)| *needed).max().unwrap();
        let told = told_alike(pairs, Spread { seconds: needed as usize, ..short });
        assert!(told[..2].iter().all(|(alike, _)| alike * 100 >= pairs * 95), "{told:?} of {pairs}: {needed} seconds, {few:?}");
    }
}

#[test]
fn a_tenth_more_is_found_wherever_it_lies_in_a_bucket() {
    let enough = Spread { seconds: 31, operations: 1500, ..STEADY };
    // Across an octave, whose buckets are a sixteenth to a thirty-second wide.
    for step in 0..16 {
        let base = Spread { median_ns: 131_072.0 * (1.0 + f64::from(step) / 16.0), ..enough };
        let more = Spread { median_ns: base.median_ns * 1.1, ..base };
        let (first, second) = (run(1, base), run(2, more));
        for figure in ["readP50", "readP90", "readP99"] {
            assert_eq!(cell(figure, &first, &second).verdict, Verdict::Worse, "{figure}, step {step}");
            assert_eq!(cell(figure, &second, &first).verdict, Verdict::Better, "{figure}, step {step}");
        }
    }
    // Five seconds are enough if they are steady.
    let brief = Spread { seconds: 5, operations: 4000, ..STEADY };
    let (first, second) = (run(1, brief), run(2, Spread { median_ns: 220_000.0, ..brief }));
    assert_eq!(cell("readP50", &first, &second).verdict, Verdict::Worse);
    // A run tells 700 ns and 770 ns apart, though its seconds are in whole microseconds.
    let short = |median_ns| run(3, Spread { median_ns, ..enough });
    assert_eq!(cell("readP50", &short(700.0), &short(770.0)).verdict, Verdict::Worse);
    assert_eq!(cell("readP50", &short(700.0), &short(700.0)).verdict, Verdict::NoDifference);
}

#[test]
fn the_bounds_hold_the_true_percentile() {
    let truths = [("readP50", 200_000.0 / 1e6), ("readP90", 200_000.0 * (0.4f64 * 1.2866).exp() / 1e6)];
    for (figure, truth) in truths {
        let outside = (0..200)
            .filter(|&seed| {
                let one = cell(figure, &run(1, STEADY), &run(1000 + seed, STEADY));
                !(one.low.unwrap() <= truth && truth <= one.high.unwrap())
            })
            .count();
        assert!(outside <= 4, "{figure}: {outside} of 200");
    }
}

#[test]
fn too_few_operations_or_seconds_cannot_tell() {
    let few = Spread { seconds: 5, operations: 1000, ..STEADY };
    let one = cell("readP999", &run(1, few), &run(2, Spread { median_ns: 900_000.0, ..few }));
    assert_eq!((one.verdict, one.low, one.high, one.difference_low), (Verdict::CannotTell, None, None, None));
    assert!(one.value > 0.0);
    let short = Spread { seconds: 2, ..STEADY };
    assert_eq!(cell("readP50", &run(1, short), &run(2, STEADY)).verdict, Verdict::TooFewSeconds);
    // All slow operations in one second are one event.
    let mut stalled = run(2, STEADY);
    let histograms = stalled.histograms.as_mut().unwrap();
    (0..600).for_each(|_| histograms.read[7].record(20_000_000));
    assert_eq!(cell("readP99", &run(1, STEADY), &stalled).verdict, Verdict::CannotTell);
}

#[test]
fn what_is_in_the_first_bucket_is_not_told_apart() {
    let all = |nanos: u64| {
        let mut histogram = Histogram::default();
        (0..1000).for_each(|_| histogram.record(nanos));
        measured(vec![histogram; 10])
    };
    assert_eq!(cell("readP50", &all(20), &all(100)).verdict, Verdict::CannotTell);
    assert_eq!(cell("readP50", &all(20), &all(20)).verdict, Verdict::CannotTell);
    assert_eq!(cell("readP50", &all(1000), &all(1000)).verdict, Verdict::NoDifference);
}

#[test]
fn one_run_without_histograms_leaves_the_seconds_to_all() {
    let old = |p50_ms: f64| {
        let mut frame = Frame::new(&Counts::default(), 1.0, 1.0);
        (frame.read.count, frame.read.p50_ms, frame.read.p99_ms) = (1000, p50_ms, p50_ms);
        Measured { frames: vec![frame; 10], histograms: None }
    };
    let mut new = run(1, STEADY);
    new.frames = old(0.2).frames;
    let rows = compare(&[old(0.1), new]);
    let names: Vec<_> = rows.iter().map(|row| (row.figure, row.source)).collect();
    let seconds = ["tps", "readMean", "readP50", "readP99", "readUnder1ms"].map(|figure| (figure, Source::Seconds));
    assert_eq!(names, seconds);
    assert_eq!(rows[2].runs[1].verdict, Verdict::Worse);
}
