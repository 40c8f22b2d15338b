//! One second of metrics, packed: a typical series takes 100 to 200 bytes.

use super::devices::{DeviceLoad, DeviceRates};
use super::gauges::{MemoryBytes, ProcessUse};
use super::histogram::Histogram;
use super::series::SeriesKind;
use crate::job::Mark;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Counts frames from 1; a hole means that frames were lost.
    pub seq: u64,
    /// End of the frame, Unix milliseconds.
    pub time_ms: u64,
    pub duration_ms: f64,
    pub latency: Vec<LatencySeries>,
    pub process: ProcessUse,
    pub memory: MemoryBytes,
    pub devices: Vec<DeviceLoad>,
    pub marks: Vec<Mark>,
}

impl Frame {
    /// What all disks did.
    pub fn device(&self) -> DeviceRates {
        DeviceRates::of(&self.devices, self.duration_ms)
    }

    /// Bytes that keeping the frame costs, names shared between frames left out.
    pub(super) fn heap_bytes(&self) -> usize {
        let series: usize = self.latency.iter().map(|series| size_of::<LatencySeries>() + series.cells.len()).sum();
        let marks: usize = self.marks.iter().map(|mark| size_of::<Mark>() + mark.text.len() + 64).sum();
        let devices: usize = self.devices.iter().map(DeviceLoad::heap_bytes).sum();
        size_of::<Self>() + series + devices + marks
    }
}

/// One series of a frame.
#[derive(Clone, Debug)]
pub struct LatencySeries {
    pub namespace: Arc<str>,
    pub kind: SeriesKind,
    sum: u64,
    sum_squares: f64,
    max: u64,
    /// Pairs of LEB128 numbers: distance from the last cell that counted, count.
    cells: Box<[u8]>,
}

impl LatencySeries {
    pub(super) fn pack(namespace: Arc<str>, kind: SeriesKind, histogram: &Histogram) -> Self {
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
        Self { namespace, kind, sum, sum_squares, max, cells: cells.into_boxed_slice() }
    }

    pub fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::default();
        self.add_to(&mut histogram);
        histogram
    }

    /// Adds the counts of this second to `histogram`.
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
    use super::super::series::{Operation, Outcome, Side};
    use super::*;

    #[test]
    fn packing_loses_nothing() {
        let kind = SeriesKind { op: Operation::Scan, outcome: Outcome::Error, side: Side::Gateway };
        for n in [0u64, 1, 127, 128, 100_000] {
            let mut histogram = Histogram::default();
            (0..n).for_each(|i| histogram.record(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 60)));
            let packed = LatencySeries::pack(Arc::from("ns"), kind, &histogram);
            assert_eq!(packed.histogram(), histogram);
        }
    }
}
