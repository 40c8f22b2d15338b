//! Which record an operation is of.

use super::inserts::Inserts;
use super::zipfian::{ScrambledZipfian, Zipfian};
use crate::rng::Rng;
use serde::{Deserialize, Serialize};
use tessera_base::{Error, ErrorCode, sentence};

/// YCSB's `hotspotdatafraction` and `hotspotopnfraction`: a fifth of the records has four fifths of the operations.
const HOT_RECORDS: f64 = 0.2;
const HOT_OPERATIONS: f64 = 0.8;
/// YCSB's `exponential.percentile` and `exponential.frac`: 95% of the operations are of the newest six sevenths of the records.
const EXPONENTIAL_PERCENTILE: f64 = 95.0;
const EXPONENTIAL_FRACTION: f64 = 0.857_142_857_1;

/// YCSB's `requestdistribution`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Some records far more often than others, strewn over all.
    Zipfian,
    /// The newer, the more often.
    Latest,
    /// Each as often as any other.
    Uniform,
    /// A fifth of the records four times of five.
    Hotspot,
    /// Ever less often with age.
    Exponential,
}

impl Distribution {
    const ALL: [(&'static str, Self); 5] = [
        ("zipfian", Self::Zipfian),
        ("latest", Self::Latest),
        ("uniform", Self::Uniform),
        ("hotspot", Self::Hotspot),
        ("exponential", Self::Exponential),
    ];

    /// # Errors
    /// `workload_invalid`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, distribution)| *distribution).ok_or_else(|| {
            let message = sentence!("distribution must be zipfian, latest, uniform, hotspot or exponential");
            Error::said(ErrorCode::WorkloadInvalid, message).in_field("distribution")
        })
    }
}

/// Draws the numbers of records, of those that are there; one for each worker.
#[derive(Clone, Debug)]
pub struct Chooser {
    /// The lowest number.
    first: u64,
    draw: Draw,
}

#[derive(Clone, Debug)]
enum Draw {
    Scrambled(ScrambledZipfian),
    Latest(Zipfian),
    Uniform { records: u64 },
    Hotspot { records: u64, hot: u64 },
    Exponential { gamma: f64 },
}

impl Chooser {
    /// Of `records` from `first` on, and of as many new ones as are expected: those are known to the zipfian distribution from the
    /// beginning, so that they do not change which records are popular.
    pub fn new(distribution: Distribution, first: u64, records: u64, expected: u64) -> Self {
        let draw = match distribution {
            // YCSB names the last item, one past the last record, and draws again where it is not there.
            Distribution::Zipfian => Draw::Scrambled(ScrambledZipfian::new(records.saturating_add(expected).saturating_add(1))),
            Distribution::Latest => Draw::Latest(Zipfian::new(records.saturating_sub(1))),
            Distribution::Uniform => Draw::Uniform { records },
            Distribution::Hotspot => Draw::Hotspot { records, hot: (records as f64 * HOT_RECORDS) as u64 },
            Distribution::Exponential => {
                let range = records as f64 * EXPONENTIAL_FRACTION;
                Draw::Exponential { gamma: -(1.0 - EXPONENTIAL_PERCENTILE / 100.0).ln() / range }
            }
        };
        Self { first, draw }
    }

    /// The number of a record that is there.
    #[inline]
    pub fn draw(&mut self, inserts: &Inserts, rng: &mut Rng) -> u64 {
        // Workers begin with at least one record.
        let last = inserts.there().saturating_sub(self.first).saturating_sub(1);
        let at = match &mut self.draw {
            Draw::Scrambled(scrambled) => first_within(last, || scrambled.draw(rng)),
            Draw::Latest(zipfian) => {
                zipfian.grow(last);
                last - zipfian.draw(rng).min(last)
            }
            Draw::Uniform { records } => below(*records, rng),
            Draw::Hotspot { records, hot } => {
                let (hot, cold) = (*hot, *records - *hot);
                if hot > 0 && rng.unit() < HOT_OPERATIONS { below(hot, rng) } else { hot + below(cold, rng) }
            }
            Draw::Exponential { gamma } => last - first_within(last, || (-rng.unit().ln() / *gamma) as u64),
        };
        self.first + at
    }
}

/// The first of what is drawn that is at most `last`.
fn first_within(last: u64, mut draw: impl FnMut() -> u64) -> u64 {
    loop {
        let drawn = draw();
        if drawn <= last {
            return drawn;
        }
    }
}

/// 0 to `bound - 1`.
fn below(bound: u64, rng: &mut Rng) -> u64 {
    ((u128::from(rng.next()) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 400_000;
    const RECORDS: u64 = 1000;
    const FIRST: u64 = 50;

    /// How often each record came, with `new` ones inserted before.
    fn histogram(distribution: Distribution, records: u64, new: u64, expected: u64) -> Vec<u32> {
        let inserts = Inserts::new(FIRST + records);
        (0..new).for_each(|_| inserts.end(inserts.begin()));
        let (mut chooser, mut rng) = (Chooser::new(distribution, FIRST, records, expected), Rng::new(11, 0, 0));
        let mut counts = vec![0; (records + new) as usize];
        (0..DRAWS).for_each(|_| counts[(chooser.draw(&inserts, &mut rng) - FIRST) as usize] += 1);
        counts
    }

    fn share(counts: &[u32]) -> f64 {
        f64::from(counts.iter().sum::<u32>()) / f64::from(DRAWS)
    }

    /// Chi-square by degree of freedom: near 1 where the draws are as expected.
    fn chi_square(counts: &[u32]) -> f64 {
        let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        let sum: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        sum / (counts.len() - 1) as f64
    }

    #[test]
    fn uniform_is_even() {
        let counts = histogram(Distribution::Uniform, RECORDS, 0, 0);
        let chi_square = chi_square(&counts);
        assert!((0.8..1.2).contains(&chi_square), "{chi_square}");
    }

    #[test]
    fn hot_records_have_four_fifths_of_the_operations_and_are_even_among_themselves() {
        let counts = histogram(Distribution::Hotspot, RECORDS, 0, 0);
        let (hot, cold) = counts.split_at(200);
        assert!((share(hot) - 0.8).abs() < 0.005, "{}", share(hot));
        for part in [hot, cold] {
            let chi_square = chi_square(part);
            assert!((0.7..1.3).contains(&chi_square), "{chi_square}");
        }
    }

    #[test]
    fn the_newest_record_is_drawn_the_most_also_after_inserts() {
        for new in [0, 500] {
            let counts = histogram(Distribution::Latest, RECORDS, new, 0);
            // Rank `i` is the record that is `i` older than the newest; the oldest of all is never drawn, as in YCSB.
            let ranks = RECORDS + new - 1;
            let expected = 1.0 / super::super::zeta(ranks, 0.99);
            let newest = share(&counts[counts.len() - 1..]);
            assert!((newest - expected).abs() < 0.005, "{newest} for {expected}");
            let tenth = share(&counts[counts.len() - counts.len() / 10..]);
            assert!(tenth > 0.6, "{tenth}");
            assert_eq!(counts[0], 0);
        }
    }

    #[test]
    fn exponential_has_its_percentile_where_it_is_said_to_be() {
        let counts = histogram(Distribution::Exponential, RECORDS, 0, 0);
        // What would be older than the oldest is drawn again: 1 - 0.05^(7/6) of all are within.
        let within = 1.0 - 0.05f64.powf(1.0 / EXPONENTIAL_FRACTION);
        let newest = share(&counts[counts.len() - 857..]);
        assert!((newest - 0.95 / within).abs() < 0.005, "{newest}");
        assert!(counts[999] > 2 * counts[500] && counts[500] > 2 * counts[0]);
    }

    #[test]
    fn zipfian_draws_what_is_there_and_keeps_its_favourites_when_there_is_more() {
        let favourites = |counts: &[u32]| {
            let mut order: Vec<usize> = (0..counts.len()).collect();
            order.sort_by_key(|&record| std::cmp::Reverse(counts[record]));
            order.truncate(3);
            order
        };
        let before = histogram(Distribution::Zipfian, RECORDS, 0, 100);
        let after = histogram(Distribution::Zipfian, RECORDS, 100, 100);
        assert_eq!(favourites(&before), favourites(&after));
        assert!(before.iter().all(|&count| count > 0) && after.iter().all(|&count| count > 0));
    }

    #[test]
    fn few_records_are_enough() {
        for (_, distribution) in Distribution::ALL {
            for records in 1..6 {
                assert_eq!(histogram(distribution, records, 0, 0).iter().sum::<u32>(), DRAWS, "{distribution:?} of {records}");
            }
        }
        assert!(Distribution::parse("Zipfian").is_err() && Distribution::parse("latest").is_ok());
    }
}
