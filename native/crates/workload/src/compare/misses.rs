//! Shares within a target, compared by the operations on the smaller side: from 99.9% to 99.5% is half a point, and five times as
//! many misses. The console compares spans by the same rule (`web/src/live/latency/misses.ts`).

use super::Verdict;
use super::alike::{Spread, quantile};
use serde::Serialize;

/// A smaller change, by this factor or its inverse, is none worth the name.
pub(super) const SMALLEST_FACTOR: f64 = 1.25;
/// If neither run misses, its share is certainly known to half a point with so many operations: ln(100) / 0.005.
const ENOUGH_WITHOUT: u64 = 922;

/// Operations of a second, and those among them that met the target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub count: u64,
    pub met: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    Misses,
    Hits,
}

/// How many times as large a part of the operations is on the smaller side of the target, with 99% confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    pub of: Side,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Misses come in bursts. So their number varies `burst` times as much as that of independent ones, and as many count as one.
pub(super) fn ratio(from: &[Met], of: &[Met]) -> Option<Ratio> {
    let all = || from.iter().chain(of);
    let side =
        if all().map(|second| second.met).sum::<u64>() * 2 >= all().map(|second| second.count).sum() { Side::Misses } else { Side::Hits };
    let (one, two) = (Counted::of(of, side)?, Counted::of(from, side)?);
    let found = one.found + two.found;
    if found == 0.0 {
        return None;
    }
    let burst = ((one.variance + two.variance) / found).max(1.0);
    // Half of one more on each side (Haldane and Anscombe), so that none at all has a ratio.
    let (a, b) = (one.found + burst / 2.0, two.found + burst / 2.0);
    let middle = (a / one.count / (b / two.count)).ln();
    let half = quantile(one.freedom + two.freedom) * (burst / a + burst / b).sqrt();
    Some(Ratio { of: side, value: middle.exp(), low: (middle - half).exp(), high: (middle + half).exp() })
}

/// More hits are better.
pub(super) fn verdict(ratio: Option<Ratio>, from: &[Met], of: &[Met]) -> Verdict {
    let Some(Ratio { of: side, value, low, high }) = ratio else {
        return if without_misses(from) && without_misses(of) { Verdict::NoDifference } else { Verdict::CannotTell };
    };
    let none = 1.0 / SMALLEST_FACTOR..SMALLEST_FACTOR;
    if none.contains(&low) && none.contains(&high) {
        Verdict::NoDifference
    } else if (low..=high).contains(&1.0) || none.contains(&value) {
        Verdict::CannotTell
    } else if (value > 1.0) == (side == Side::Hits) {
        Verdict::Better
    } else {
        Verdict::Worse
    }
}

fn without_misses(seconds: &[Met]) -> bool {
    seconds.iter().all(|second| second.met == second.count) && seconds.iter().map(|second| second.count).sum::<u64>() >= ENOUGH_WITHOUT
}

/// The operations on one side of the target, and how much their number varies.
struct Counted {
    count: f64,
    found: f64,
    variance: f64,
    freedom: f64,
}

impl Counted {
    fn of(seconds: &[Met], side: Side) -> Option<Self> {
        let found_in = |second: &Met| match side {
            Side::Misses => second.count.saturating_sub(second.met) as f64,
            Side::Hits => second.met as f64,
        };
        let count = seconds.iter().map(|second| second.count).sum::<u64>() as f64;
        let found: f64 = seconds.iter().map(found_in).sum();
        let length = seconds.len() as f64;
        if count == 0.0 || length < 2.0 {
            return None;
        }
        let rests: Vec<f64> = seconds.iter().map(|second| found_in(second) - found / count * second.count as f64).collect();
        let Spread { variance_of_mean, freedom } = Spread::of(&rests);
        Some(Self { count, found, variance: variance_of_mean * length.powi(2), freedom })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    struct Seconds {
        seconds: u32,
        count: u64,
        /// one in so many misses
        one_in: u32,
        /// one second in so many has a burst of 200 misses
        burst_in: u32,
    }

    fn seconds(seed: u64, spec: &Seconds) -> Vec<Met> {
        let mut rng = Rng::new(seed, 0, 0);
        let second = |_| {
            let single = (0..spec.count).filter(|_| spec.one_in > 0 && rng.below(spec.one_in) == 0).count() as u64;
            let burst = if spec.burst_in > 0 && rng.below(spec.burst_in) == 0 { 200 } else { 0 };
            Met { count: spec.count, met: spec.count - (single + burst).min(spec.count) }
        };
        (0..spec.seconds).map(second).collect()
    }

    fn said(from: &[Met], of: &[Met]) -> Verdict {
        verdict(ratio(from, of), from, of)
    }

    /// How many of 400 pairs of equal runs are said to differ.
    fn false_verdicts(spec: &Seconds) -> usize {
        let pairs = (0..400).map(|pair| (seconds(2 * pair + 1, spec), seconds(2 * pair + 2, spec)));
        pairs.filter(|(from, of)| matches!(said(from, of), Verdict::Better | Verdict::Worse)).count()
    }

    #[test]
    fn one_pair_of_equal_runs_in_a_hundred_is_said_to_differ_at_most() {
        for (seconds, count, one_in, burst_in) in [
            (30, 1000, 1000, 0),
            (30, 1000, 100, 0),
            (30, 1000, 3, 0),
            (8, 1000, 300, 0),
            (30, 1000, 1000, 20),
            (30, 1000, 1000, 4),
            (10, 1000, 0, 5),
        ] {
            let wrong = false_verdicts(&Seconds { seconds, count, one_in, burst_in });
            assert!(wrong <= 8, "{wrong} of 400: {seconds} seconds, one in {one_in}, bursts one in {burst_in}");
        }
    }

    #[test]
    fn five_times_as_many_misses_are_worse_and_a_fifth_is_better() {
        let few = seconds(1, &Seconds { seconds: 30, count: 1000, one_in: 1000, burst_in: 0 });
        let many = seconds(2, &Seconds { seconds: 30, count: 1000, one_in: 200, burst_in: 0 });
        assert_eq!((said(&few, &many), said(&many, &few)), (Verdict::Worse, Verdict::Better));
        let Some(Ratio { of, value, low, high }) = ratio(&few, &many) else { panic!("no ratio") };
        assert_eq!(of, Side::Misses);
        assert!(low > 2.0 && value > 3.5 && value < 7.0 && high < 12.0, "{value} ({low} to {high})");
    }

    #[test]
    fn hits_are_compared_if_they_are_fewer() {
        let rare = seconds(1, &Seconds { seconds: 30, count: 1000, one_in: 100, burst_in: 0 });
        let inverse = |met: Vec<Met>| met.into_iter().map(|Met { count, met }| Met { count, met: count - met }).collect::<Vec<_>>();
        let rarer = inverse(seconds(2, &Seconds { seconds: 30, count: 1000, one_in: 500, burst_in: 0 }));
        let rare = inverse(rare);
        assert_eq!(ratio(&rare, &rarer).map(|ratio| ratio.of), Some(Side::Hits));
        assert_eq!((said(&rare, &rarer), said(&rarer, &rare)), (Verdict::Worse, Verdict::Better));
    }

    #[test]
    fn no_difference_is_claimed_only_if_it_is_shown() {
        let steady = |seed| seconds(seed, &Seconds { seconds: 30, count: 20_000, one_in: 20, burst_in: 0 });
        assert_eq!(said(&steady(1), &steady(2)), Verdict::NoDifference);
        let few = |seed| seconds(seed, &Seconds { seconds: 30, count: 1000, one_in: 1000, burst_in: 0 });
        assert_eq!(said(&few(1), &few(2)), Verdict::CannotTell);
        let none = |count| seconds(1, &Seconds { seconds: 30, count, one_in: 0, burst_in: 0 });
        assert_eq!((said(&none(100), &none(100)), said(&none(10), &none(10))), (Verdict::NoDifference, Verdict::CannotTell));
        // One burst against none is one event against none.
        let mut burst = none(1000);
        burst[7].met = 500;
        assert_eq!(said(&none(1000), &burst), Verdict::CannotTell);
    }
}
