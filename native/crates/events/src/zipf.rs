//! Ranks by Zipf's law with exponent 1: rank k comes up in proportion to 1/k.

/// Walker's alias method (Vose 1991): one random number and one look-up a draw.
#[derive(Debug)]
pub struct Zipf {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Share of this cell that is its own rank's, in 1/2^32.
    own: u32,
    alias: u32,
}

impl Zipf {
    pub fn new(ranks: u32) -> Self {
        let total: f64 = (1..=ranks).map(|rank| 1.0 / f64::from(rank)).sum();
        let mut share: Vec<f64> = (1..=ranks).map(|rank| f64::from(ranks) / (f64::from(rank) * total)).collect();
        let mut cells: Vec<Cell> = (0..ranks).map(|rank| Cell { own: u32::MAX, alias: rank }).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) = (0..ranks).partition(|&rank| share[rank as usize] < 1.0);
        while let (Some(less), Some(&more)) = (small.pop(), large.last()) {
            cells[less as usize] = Cell { own: (share[less as usize] * 4_294_967_295.0) as u32, alias: more };
            share[more as usize] -= 1.0 - share[less as usize];
            if share[more as usize] < 1.0 {
                large.pop();
                small.push(more);
            }
        }
        Self { cells }
    }

    /// A rank from 0 for a random number.
    #[inline]
    pub fn rank(&self, random: u64) -> u32 {
        let place = (((random >> 32) * self.cells.len() as u64) >> 32) as usize;
        let cell = self.cells[place];
        // The low half decides between the cell's own rank and the alias.
        if random as u32 <= cell.own { place as u32 } else { cell.alias }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn ranks_come_in_proportion() {
        let zipf = Zipf::new(1000);
        let mut rng = Rng::new(1, 2, 3);
        let mut counts = vec![0u32; 1000];
        (0..1_000_000).for_each(|_| counts[zipf.rank(rng.next()) as usize] += 1);
        let total: f64 = (1..=1000).map(|k| 1.0 / f64::from(k)).sum();
        for rank in [0, 1, 9, 99] {
            let expected = 1_000_000.0 / (f64::from(rank + 1) * total);
            let found = f64::from(counts[rank as usize]);
            assert!((found - expected).abs() < 5.0 * expected.sqrt(), "rank {rank}: {found} for {expected}");
        }
    }
}
