//! How often two equal runs are said to have no difference, by how long they are and how much their seconds vary. A comparison
//! that cannot tell says how long runs have to be: that length must do.

use super::simulated::{FIGURES, Seconds, counted, frames};
use super::*;

const PAIRS: u64 = 400;

fn no_difference(_: &str, verdict: Verdict) -> bool {
    verdict == Verdict::NoDifference
}

/// By figure, how long runs have to be: the median of what pairs of runs of so many seconds say. 0: they can tell.
fn needed(seconds: Seconds) -> [u64; 3] {
    let mut rng = Rng::new(77, 0, 0);
    let pairs: Vec<_> = (0..51).map(|_| rows(&[frames(&mut rng, seconds), frames(&mut rng, seconds)])).collect();
    FIGURES.map(|figure| {
        let of = |rows: &Vec<Row>| rows.iter().find(|row| row.figure == figure).and_then(|row| row.runs[1].seconds_needed).unwrap_or(0);
        let mut all: Vec<u64> = pairs.iter().map(of).collect();
        all.sort_unstable();
        all[all.len() / 2]
    })
}

#[test]
fn equal_runs_of_a_minute_are_said_to_have_no_difference() {
    for (noise, alike) in [(0.01, 0.0), (0.02, 0.0), (0.03, 0.0), (0.02, 0.3), (0.01, 0.5)] {
        let alike = counted(PAIRS, Seconds { count: 59, noise, alike, level: 1.0 }, 1.0, no_difference);
        assert!(alike.iter().all(|found| found * 100 >= PAIRS * 95), "{alike:?} of {PAIRS}: noise {noise}");
    }
}

#[test]
fn equal_runs_of_the_length_that_is_asked_for_are_said_to_have_no_difference() {
    for (noise, alike) in [(0.05, 0.0), (0.1, 0.0), (0.2, 0.0), (0.1, 0.3), (0.05, 0.5)] {
        let short = Seconds { count: 20, noise, alike, level: 1.0 };
        let needed = needed(short);
        // Rates and means; shares have a wider margin, so they need less.
        let longest = needed.into_iter().max().unwrap() as usize;
        let told = counted(PAIRS, Seconds { count: longest, ..short }, 1.0, no_difference);
        assert!(told.iter().all(|found| found * 100 >= PAIRS * 95), "{told:?} of {PAIRS}: noise {noise}, {alike} alike, needed {needed:?}");
    }
}

#[test]
fn runs_that_differ_by_what_is_worth_the_name_are_hardly_ever_said_to_have_no_difference() {
    // So much that each figure differs by just what counts: a twentieth of rates and means, a quarter of misses.
    for (times, figures) in [(1.0 + SMALLEST, 0..2), (1.25, 2..3)] {
        for (count, noise, alike) in [(9, 0.01, 0.0), (59, 0.03, 0.0), (59, 0.1, 0.0), (300, 0.1, 0.3)] {
            let wrong = counted(1500, Seconds { count, noise, alike, level: 1.0 }, times, no_difference);
            assert!(wrong[figures.clone()].iter().all(|wrong| *wrong <= 15), "{wrong:?} of 1500: {times} times, {count} seconds");
        }
    }
}
