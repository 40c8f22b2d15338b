//! A histogram in few bytes: a second of a typical series takes 100 to 200.

use super::cells::CELLS;
use super::histogram::Histogram;
use crate::varint;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedHistogram {
    sum: u64,
    sum_squares: u128,
    max: u64,
    /// Pairs of LEB128 numbers: distance from the last cell that counted, count.
    cells: Box<[u8]>,
}

impl PackedHistogram {
    pub fn of(histogram: &Histogram) -> Self {
        let mut cells = Vec::with_capacity(64);
        let mut last = 0;
        for (cell, &count) in histogram.cells.iter().enumerate() {
            if count > 0 {
                varint::push(&mut cells, (cell - last) as u64);
                varint::push(&mut cells, count);
                last = cell;
            }
        }
        let Histogram { sum, sum_squares, max, .. } = *histogram;
        Self { sum, sum_squares, max, cells: cells.into_boxed_slice() }
    }

    /// Bytes that it holds beside itself.
    pub fn heap_bytes(&self) -> usize {
        self.cells.len()
    }

    pub fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::default();
        self.add_to(&mut histogram);
        histogram
    }

    /// Adds its counts to `histogram`.
    pub fn add_to(&self, histogram: &mut Histogram) {
        for (cell, count) in pairs(&self.cells) {
            if let Some(sum) = histogram.cells.get_mut(cell) {
                *sum = sum.saturating_add(count);
            }
        }
        histogram.sum = histogram.sum.saturating_add(self.sum);
        histogram.sum_squares = histogram.sum_squares.saturating_add(self.sum_squares);
        histogram.max = histogram.max.max(self.max);
    }

    /// Appends it as a file keeps it: sum, both halves of the sum of squares, maximum, bytes of the pairs, the pairs.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        for number in [self.sum, self.sum_squares as u64, (self.sum_squares >> 64) as u64, self.max, self.cells.len() as u64] {
            varint::push(out, number);
        }
        out.extend_from_slice(&self.cells);
    }

    /// Takes one from the front of what `write_to` wrote; `None` if it is none.
    pub fn read_from(from: &mut &[u8]) -> Option<Self> {
        let [sum, low, high, max, length] = [(); 5].map(|()| varint::take(from));
        let (cells, rest) = from.split_at_checked(usize::try_from(length?).ok()?)?;
        *from = rest;
        let mut left = cells;
        let mut cell = 0_u64;
        while !left.is_empty() {
            cell = cell.checked_add(varint::take(&mut left)?)?;
            varint::take(&mut left).filter(|_| cell < CELLS as u64)?;
        }
        let sum_squares = u128::from(high?) << 64 | u128::from(low?);
        Some(Self { sum: sum?, sum_squares, max: max?, cells: cells.into() })
    }
}

/// Cells and their counts, ascending.
fn pairs(mut rest: &[u8]) -> impl Iterator<Item = (usize, u64)> {
    let mut cell = 0_usize;
    std::iter::from_fn(move || {
        cell += usize::try_from(varint::take(&mut rest)?).ok()?;
        Some((cell, varint::take(&mut rest)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(n: u64) -> Histogram {
        let mut histogram = Histogram::default();
        (0..n).for_each(|i| histogram.record(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 60)));
        histogram
    }

    #[test]
    fn packing_loses_nothing() {
        for n in [0u64, 1, 127, 128, 100_000] {
            let packed = PackedHistogram::of(&histogram(n));
            assert_eq!(packed.histogram(), histogram(n));
            let mut bytes = Vec::new();
            packed.write_to(&mut bytes);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!(PackedHistogram::read_from(&mut rest), Some(packed));
            assert_eq!(rest, [7]);
        }
    }

    #[test]
    fn bytes_that_are_no_histogram_are_refused() {
        let mut bytes = Vec::new();
        PackedHistogram::of(&histogram(1000)).write_to(&mut bytes);
        for length in 0..bytes.len() {
            assert_eq!(PackedHistogram::read_from(&mut &bytes[..length]), None, "{length} bytes");
        }
        let of_cell = |cell: u64| {
            let mut pair = Vec::new();
            [cell, 1].iter().for_each(|&number| varint::push(&mut pair, number));
            [&[0, 0, 0, 0, pair.len() as u8][..], &pair].concat()
        };
        assert!(PackedHistogram::read_from(&mut &of_cell(CELLS as u64 - 1)[..]).is_some());
        assert_eq!(PackedHistogram::read_from(&mut &of_cell(CELLS as u64)[..]), None);
        assert_eq!(PackedHistogram::read_from(&mut &of_cell(u64::MAX)[..]), None);
    }
}
