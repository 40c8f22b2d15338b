mod false_verdicts;
mod simulated;
mod told_alike;

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

/// Runs without histograms.
fn rows(runs: &[Vec<Frame>]) -> Vec<Row> {
    let runs: Vec<_> = runs.iter().map(|frames| Measured { frames: frames.clone(), histograms: None }).collect();
    compare(&runs)
}

fn verdicts(runs: &[Vec<Frame>]) -> Vec<Verdict> {
    rows(runs)[0].runs.iter().map(|cell| cell.verdict).collect()
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
    let rows = rows(&others);
    assert_eq!(rows.len(), 1, "figures without operations are left out");
    let cell = &rows[0].runs[1];
    assert!(cell.difference_low < Some(2000.0) && Some(2000.0) < cell.difference_high && cell.low < Some(cell.value));
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
        let rows = rows(&[at(one), at(two)]);
        rows.iter().find(|row| row.figure == "readP50").map(|row| (row.source, row.runs[1].verdict))
    };
    assert_eq!(verdict(0.001, 0.001), Some((Source::Seconds, Verdict::CannotTell)));
    assert_eq!(verdict(0.001, 0.002), Some((Source::Seconds, Verdict::CannotTell)));
    assert_eq!(verdict(0.2, 0.2), Some((Source::Seconds, Verdict::NoDifference)));
    assert_eq!(verdict(0.2, 0.3), Some((Source::Seconds, Verdict::Worse)));
}

#[test]
fn a_second_or_two_prove_nothing() {
    assert_eq!(verdicts(&[run(1, 10.0, 2), run(2, 900.0, 30)])[1], Verdict::TooFewSeconds);
    assert_eq!(verdicts(&[Vec::new(), run(2, 900.0, 30)])[1], Verdict::TooFewSeconds);
}

#[test]
fn a_share_is_compared_by_its_misses() {
    // 99.9% and 99.5%, as runs with and without the exact count have it.
    let run = |seed: u64, misses: u32, is_exact: bool| -> Vec<Frame> {
        let mut rng = Rng::new(seed, 0, 0);
        let second = |at: u32| {
            let mut frame = Frame::new(&Counts::default(), f64::from(at), 1.0);
            let met = 10_000 - u64::from(misses - 3 + rng.below(7));
            frame.read.count = 10_000;
            frame.read.under1ms_pct = met as f64 / 100.0;
            frame.read.within1ms = is_exact.then_some(met);
            frame
        };
        (1..=20).map(second).collect()
    };
    let said = |runs: &[Vec<Frame>]| {
        let rows = rows(runs);
        rows.into_iter().find(|row| row.figure == "readUnder1ms").map(|mut row| row.runs.remove(1)).unwrap()
    };
    for is_exact in [true, false] {
        let worse = said(&[run(1, 10, is_exact), run(2, 50, is_exact)]);
        let ratio = worse.ratio.unwrap();
        assert_eq!((worse.verdict, ratio.of), (Verdict::Worse, Side::Misses));
        assert!(ratio.low > 3.0 && ratio.high < 8.0, "{ratio:?}");
        assert_eq!(said(&[run(1, 50, is_exact), run(2, 10, is_exact)]).verdict, Verdict::Better);
        assert_eq!(said(&[run(1, 500, is_exact), run(2, 500, is_exact)]).verdict, Verdict::NoDifference);
    }
}
