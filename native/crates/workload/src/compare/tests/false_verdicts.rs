//! How often a comparison of rates, means and shares is wrong: two runs of one distribution that are said to differ, and a
//! difference that is not found. The numbers come from fixed seeds. The console's test of spans is the same
//! (`web/test/false-verdicts.test.ts`).

use super::simulated::{Seconds, counted};
use super::*;

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
