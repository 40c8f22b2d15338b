//! Ranks of which a few are drawn most of the time.

use super::ZIPFIAN_CONSTANT;
use super::hash::fnv64;
use crate::rng::Rng;

/// Terms of `zeta` that are added up; the others come by a formula.
const SUMMED: u64 = 4096;

/// The sum of `1 / i^theta` for `i` from 1 to `items`, to about 14 digits: the first terms as they are, the others by Euler and
/// Maclaurin's formula, so that a billion items take no longer than a few thousand.
pub fn zeta(items: u64, theta: f64) -> f64 {
    let term = |i: u64| (i as f64).powf(-theta);
    let first = items.min(SUMMED);
    let sum: f64 = (1..=first).rev().map(term).sum();
    if items == first {
        return sum;
    }
    let (a, b) = (first as f64, items as f64);
    let integral = (b.powf(1.0 - theta) - a.powf(1.0 - theta)) / (1.0 - theta);
    let slope = |x: f64| -theta * x.powf(-theta - 1.0);
    sum + integral + (term(items) - term(first)) / 2.0 + (slope(b) - slope(a)) / 12.0
}

/// Draws 0 to `items - 1`, rank `i` in proportion to `1 / (i + 1)^0.99`. The algorithm is of J. Gray, P. Sundaresan, S. Englert, K.
/// Baclawski, P. J. Weinberger, "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994: exact for the first two ranks,
/// close for the others.
#[derive(Clone, Debug)]
pub struct Zipfian {
    items: u64,
    zeta: f64,
    eta: f64,
}

impl Zipfian {
    const THETA: f64 = ZIPFIAN_CONSTANT;
    const ALPHA: f64 = 1.0 / (1.0 - Self::THETA);

    /// Of `items` ranks, 1 at least.
    pub fn new(items: u64) -> Self {
        let items = items.max(1);
        Self::with_zeta(items, zeta(items, Self::THETA))
    }

    /// As `new`, with a `zeta` that was computed before.
    fn with_zeta(items: u64, zeta: f64) -> Self {
        Self { items, zeta, eta: eta(items, zeta) }
    }

    /// Takes ranks in; it never takes any out.
    pub fn grow(&mut self, items: u64) {
        if items <= self.items {
            return;
        }
        if items - self.items > SUMMED {
            *self = Self::new(items);
            return;
        }
        self.zeta += (self.items + 1..=items).map(|i| (i as f64).powf(-Self::THETA)).sum::<f64>();
        self.items = items;
        self.eta = eta(items, self.zeta);
    }

    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        let u = rng.unit();
        let uz = u * self.zeta;
        if uz < 1.0 {
            return 0;
        }
        if self.items > 1 && uz < 1.0 + 0.5f64.powf(Self::THETA) {
            return 1;
        }
        let rank = self.items as f64 * (self.eta * u - self.eta + 1.0).powf(Self::ALPHA);
        (rank as u64).min(self.items - 1)
    }
}

fn eta(items: u64, zeta_items: f64) -> f64 {
    let zeta_2 = 1.0 + 0.5f64.powf(Zipfian::THETA);
    (1.0 - (2.0 / items as f64).powf(1.0 - Zipfian::THETA)) / (1.0 - zeta_2 / zeta_items)
}

/// The same skew with the ranks strewn over the items by a hash: 10 billion ranks always, so that items that come into being do not
/// change which are drawn often.
#[derive(Clone, Debug)]
pub struct ScrambledZipfian {
    ranks: Zipfian,
    items: u64,
}

impl ScrambledZipfian {
    /// Ranks, and the sum over them that YCSB computed once.
    const RANKS: u64 = 10_000_000_000;
    const ZETA: f64 = 26.469_028_201_783_02;

    /// Of `items`, 1 at least.
    pub fn new(items: u64) -> Self {
        // YCSB names the last rank, and so has one more than the sum is of.
        Self { ranks: Zipfian::with_zeta(Self::RANKS + 1, Self::ZETA), items: items.max(1) }
    }

    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        fnv64(self.ranks.draw(rng)) % self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 1_000_000;

    #[test]
    fn zeta_is_the_sum_and_the_one_that_ycsb_computed() {
        assert_eq!(zeta(1, 0.99), 1.0);
        assert!((zeta(2, 0.99) - (1.0 + 0.5f64.powf(0.99))).abs() < 1e-15);
        for items in [1000, SUMMED, SUMMED + 1, 100_000, 1_000_000] {
            let sum: f64 = (1..=items).rev().map(|i| (i as f64).powf(-0.99)).sum();
            assert!((zeta(items, 0.99) - sum).abs() < 1e-10, "{items}: {} {sum}", zeta(items, 0.99));
        }
        assert!((zeta(ScrambledZipfian::RANKS, 0.99) - ScrambledZipfian::ZETA).abs() < 1e-6);
    }

    #[test]
    fn growing_is_as_if_made_of_that_size() {
        for (from, to) in [(1, 2), (1000, 1001), (1000, 5000), (10, 1_000_000)] {
            let (mut grown, made) = (Zipfian::new(from), Zipfian::new(to));
            grown.grow(to);
            assert!((grown.zeta - made.zeta).abs() < 1e-9, "{from} to {to}");
            // Two items are told apart without it.
            assert!(to == 2 || (grown.eta - made.eta).abs() < 1e-9, "{from} to {to}");
            grown.grow(from);
            assert_eq!(grown.items, to);
        }
    }

    /// How often each rank came.
    fn histogram(items: usize, mut draw: impl FnMut(&mut Rng) -> u64) -> Vec<u32> {
        let (mut rng, mut counts) = (Rng::new(7, 0, 0), vec![0; items]);
        (0..DRAWS).for_each(|_| counts[draw(&mut rng) as usize] += 1);
        counts
    }

    #[test]
    fn ranks_come_in_proportion() {
        let items = 1000;
        let zipfian = Zipfian::new(items);
        let counts = histogram(items as usize, |rng| zipfian.draw(rng));
        let zeta = zeta(items, 0.99);
        // Exact for the first two: within five standard deviations. The formula for the others is off by a few percent.
        for (rank, off) in [(0u32, 0.0), (1, 0.0), (9, 0.1), (99, 0.05), (499, 0.05)] {
            let expected = f64::from(DRAWS) / (f64::from(rank + 1).powf(0.99) * zeta);
            let found: u32 = counts[rank as usize];
            let bound = 5.0 * expected.sqrt() + off * expected;
            assert!((f64::from(found) - expected).abs() < bound, "rank {rank}: {found} for {expected}");
        }
        let share = |ranks: usize| f64::from(counts[..ranks].iter().sum::<u32>()) / f64::from(DRAWS);
        for ranks in [10, 100, 500] {
            let expected = super::zeta(ranks as u64, 0.99) / zeta;
            assert!((share(ranks) - expected).abs() < 0.02, "{ranks}: {} for {expected}", share(ranks));
        }
        assert!(counts.iter().all(|&count| count > 0));
    }

    #[test]
    fn one_or_two_items_are_all_that_is_drawn() {
        for items in [0, 1] {
            let zipfian = Zipfian::new(items);
            assert_eq!(histogram(1, |rng| zipfian.draw(rng)), [DRAWS]);
        }
        let zipfian = Zipfian::new(2);
        let counts = histogram(2, |rng| zipfian.draw(rng));
        let expected = f64::from(DRAWS) / zeta(2, 0.99);
        assert!((f64::from(counts[0]) - expected).abs() < 5.0 * expected.sqrt());
    }

    #[test]
    fn scrambled_ranks_are_the_hashes_of_the_first() {
        let items = 1000;
        let scrambled = ScrambledZipfian::new(items);
        let counts = histogram(items as usize, |rng| scrambled.draw(rng));
        // The first rank has 1/26.47 of all draws, wherever its hash puts it; nothing else comes near.
        let first = (fnv64(0) % items) as usize;
        let expected = f64::from(DRAWS) / ScrambledZipfian::ZETA;
        let found = f64::from(counts[first]);
        assert!((expected * 0.99..expected * 1.1).contains(&found), "{found} for {expected}");
        assert_eq!(counts.iter().enumerate().max_by_key(|(_, count)| **count).unwrap().0, first);
        // The long tail of 10 billion ranks covers every item.
        assert!(counts.iter().all(|&count| count > 0));
    }
}
