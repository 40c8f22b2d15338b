//! One second of metrics, its histograms packed.

use super::devices::{DeviceLoad, DeviceRates};
use super::gauges::{MemoryBytes, ProcessUse};
use super::series::SeriesKind;
use std::sync::Arc;
use tessera_base::latency::{Histogram, PackedHistogram};
use tessera_jobs::Mark;

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
        let series: usize = self.latency.iter().map(|series| size_of::<LatencySeries>() + series.histogram.heap_bytes()).sum();
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
    histogram: PackedHistogram,
}

impl LatencySeries {
    pub(super) fn new(namespace: Arc<str>, kind: SeriesKind, histogram: &Histogram) -> Self {
        Self { namespace, kind, histogram: PackedHistogram::of(histogram) }
    }

    pub fn histogram(&self) -> Histogram {
        self.histogram.histogram()
    }

    /// Adds the counts of this second to `histogram`.
    pub fn add_to(&self, histogram: &mut Histogram) {
        self.histogram.add_to(histogram);
    }
}
