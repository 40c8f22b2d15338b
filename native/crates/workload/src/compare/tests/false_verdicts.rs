//! How often a comparison of rates, means and shares is wrong: two runs of one distribution that are said to differ, and a
//! difference that is not found. The numbers come from fixed seeds. The console's test of spans is the same
//! (`web/test/false-verdicts.test.ts`).

use super::*;

/// How the seconds of a run are spread.
#[derive(Clone, Copy)]
struct Seconds {
    /// Those that are compared.
    count: usize,
    /// By how much the level of a second varies, as a share.
    noise: f64,
    /// How much of its level a second has from the one before.
    alike: f64,
    level: f64,
}

const FIGURES: [&str; 3] = ["tps", "readMean", "readUnder1ms"];
const OPERATIONS: u64 = 100_000;
const MISSES: f64 = 1000.0;

fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

fn frames(rng: &mut Rng, seconds: Seconds) -> Vec<Frame> {
    // A longer run leaves its first second out.
    let length = seconds.count + usize::from(seconds.count > WARM_AFTER);
    let mut own = normal(rng);
    let mut second = |at| {
        let level = seconds.level * (seconds.noise * own).exp();
        own = seconds.alike * own + (1.0 - seconds.alike.powi(2)).sqrt() * normal(rng);
        let misses = MISSES * level + (MISSES * level).sqrt() * normal(rng);
        let mut frame = Frame { tps: 10_000.0 * level, ..Frame::new(&Counts::default(), at as f64, 1.0) };
        (frame.read.count, frame.read.mean_ms) = (OPERATIONS, 0.2 * level);
        frame.read.within1ms = Some(OPERATIONS - misses.max(0.0) as u64);
        frame
    };
    (0..length).map(&mut second).collect()
}

/// By figure, on how many of so many pairs a verdict is passed that counts. The second run is so many times the first.
fn counted(pairs: u64, seconds: Seconds, times: f64, counts: fn(&str, Verdict) -> bool) -> [u64; 3] {
    let mut found = [0; 3];
    let mut rng = Rng::new(seconds.count as u64, 0, 0);
    for _ in 0..pairs {
        let runs = [frames(&mut rng, seconds), frames(&mut rng, Seconds { level: times, ..seconds })];
        for row in rows(&runs) {
            if let Some(at) = FIGURES.iter().position(|name| *name == row.figure) {
                assert_eq!(row.runs[1].seconds, seconds.count);
                found[at] += u64::from(counts(row.figure, row.runs[1].verdict));
            }
        }
    }
    found
}

fn differs(_: &str, verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Better | Verdict::Worse)
}

/// More operations per second are better, longer ones and more misses are worse.
fn is_right(figure: &str, verdict: Verdict) -> bool {
    verdict == if figure == "tps" { Verdict::Better } else { Verdict::Worse }
}

const PAIRS: u64 = 1500;

#[test]
fn equal_runs_are_hardly_ever_said_to_differ() {
    for (count, alike, most) in [
        (3, 0.0, 0.01),
        (5, 0.0, 0.01),
        (9, 0.0, 0.01),
        (20, 0.0, 0.01),
        (30, 0.0, 0.01),
        (5, 0.3, 0.03),
        (9, 0.5, 0.03),
        (20, 0.7, 0.03),
        (30, 0.7, 0.03),
    ] {
        for noise in [0.03, 0.1, 0.3] {
            let wrong = counted(PAIRS, Seconds { count, noise, alike, level: 1.0 }, 1.0, differs);
            let most = (PAIRS as f64 * most) as u64;
            assert!(wrong.iter().all(|wrong| *wrong <= most), "{wrong:?} of {PAIRS}: {count} seconds, {alike} alike, noise {noise}");
        }
    }
}

#[test]
fn a_fifth_more_is_found_nine_times_in_ten() {
    const PAIRS: u64 = 300;
    for (count, noise) in [(5, 0.03), (9, 0.03), (20, 0.1), (30, 0.1)] {
        let found = counted(PAIRS, Seconds { count, noise, alike: 0.0, level: 1.0 }, 1.2, is_right);
        assert!(found[..2].iter().all(|found| found * 10 >= PAIRS * 9), "{found:?} of {PAIRS}: {count} seconds, noise {noise}");
    }
}

#[test]
fn half_as_many_misses_again_are_found_nine_times_in_ten() {
    const PAIRS: u64 = 300;
    for (count, noise) in [(5, 0.03), (9, 0.03), (20, 0.1), (30, 0.1)] {
        let found = counted(PAIRS, Seconds { count, noise, alike: 0.0, level: 1.0 }, 1.5, is_right);
        assert!(found[2] * 10 >= PAIRS * 9, "{found:?} of {PAIRS}: {count} seconds, noise {noise}");
    }
}

#[test]
fn a_fifth_more_is_found_in_half_of_the_runs_whose_seconds_are_alike() {
    const PAIRS: u64 = 300;
    let found = counted(PAIRS, Seconds { count: 20, noise: 0.05, alike: 0.5, level: 1.0 }, 1.2, is_right);
    assert!(found[..2].iter().all(|found| found * 2 >= PAIRS), "{found:?} of {PAIRS}");
}

#[test]
fn a_drift_counts_for_hardly_any_seconds() {
    let drift: Vec<f64> = (0..30).map(|at| f64::from(at) - 14.5).collect();
    let squares: f64 = drift.iter().map(|rest| rest * rest).sum();
    let independent = squares / 29.0 / 30.0;
    assert!(Spread::of(&drift).variance_of_mean > 10.0 * independent);
    assert_eq!(Spread::of(&[5.0]).margin(), 0.0);
}
