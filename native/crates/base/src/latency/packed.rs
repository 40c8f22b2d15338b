//! A histogram in few bytes: a second of a typical series takes 100 to 200.

use super::histogram::Histogram;

#[derive(Clone, Debug)]
pub struct PackedHistogram {
    sum: u64,
    sum_squares: f64,
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
                push_number(&mut cells, (cell - last) as u64);
                push_number(&mut cells, count);
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
        let mut rest = &self.cells[..];
        let mut cell = 0;
        while !rest.is_empty() {
            cell += take_number(&mut rest) as usize;
            let count = take_number(&mut rest);
            if let Some(sum) = histogram.cells.get_mut(cell) {
                *sum += count;
            }
        }
        histogram.sum = histogram.sum.saturating_add(self.sum);
        histogram.sum_squares += self.sum_squares;
        histogram.max = histogram.max.max(self.max);
    }
}

fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(from: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = from.split_first() {
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing() {
        for n in [0u64, 1, 127, 128, 100_000] {
            let mut histogram = Histogram::default();
            (0..n).for_each(|i| histogram.record(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 60)));
            assert_eq!(PackedHistogram::of(&histogram).histogram(), histogram);
        }
    }
}
