//! One second of metrics, its histograms packed; or a longer step, made by adding seconds.

use super::devices::{DeviceLoad, DeviceRates, merged};
use super::gauges::{MemoryBytes, NamespaceSize, ProcessUse};
use super::series::SeriesKind;
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_base::latency::{Histogram, PackedHistogram};
use tessera_jobs::Mark;

/// Marks that a sum keeps, the newest.
const MARKS: usize = 64;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Number of its first second. Seconds are counted over restarts; a hole means that some were lost.
    pub first: u64,
    /// Number of its last second.
    pub seq: u64,
    /// End of its last second, Unix milliseconds.
    pub time_ms: u64,
    /// Of all its seconds together.
    pub duration_nanos: u64,
    pub latency: Vec<LatencySeries>,
    pub process: ProcessUse,
    /// At the end.
    pub memory: MemoryBytes,
    /// Counts added, queues at the end.
    pub devices: Vec<DeviceLoad>,
    /// At the end.
    pub sizes: Vec<NamespaceSize>,
    pub marks: Vec<Mark>,
}

impl Frame {
    pub fn duration_ms(&self) -> f64 {
        self.duration_nanos as f64 / 1e6
    }

    /// What all disks did.
    pub fn device(&self) -> DeviceRates {
        DeviceRates::of(&self.devices, self.duration_ms())
    }

    /// All of `parts`, in ascending order, as one, with the series that are `wanted`. Counts are added and nothing is averaged,
    /// so a sum of sums is the sum of all.
    pub(super) fn sum(parts: &[Arc<Self>], wanted: impl Fn(&LatencySeries) -> bool) -> Self {
        if let [one] = parts {
            let mut sum = Self::clone(one);
            sum.latency.retain(wanted);
            return sum;
        }
        let mut latency: BTreeMap<(&Arc<str>, SeriesKind), Histogram> = BTreeMap::new();
        let mut sum = Self::default();
        let mut marks = Vec::new();
        for part in parts {
            sum.duration_nanos = sum.duration_nanos.saturating_add(part.duration_nanos);
            sum.process = sum.process.and(&part.process);
            marks.extend(&part.marks);
            for series in part.latency.iter().filter(|series| wanted(series)) {
                series.add_to(latency.entry((&series.namespace, series.kind)).or_default());
            }
        }
        if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
            (sum.first, sum.seq, sum.time_ms, sum.memory) = (first.first, last.seq, last.time_ms, last.memory);
            sum.sizes.clone_from(&last.sizes);
        }
        sum.devices = merged(parts.iter().flat_map(|part| &part.devices));
        sum.marks = marks[marks.len().saturating_sub(MARKS)..].iter().copied().cloned().collect();
        let packed = |((namespace, kind), histogram): (_, Histogram)| LatencySeries::new(Arc::clone(namespace), kind, &histogram);
        sum.latency = latency.into_iter().map(packed).collect();
        sum
    }

    /// Bytes that keeping the frame costs, names shared between frames left out.
    pub(super) fn heap_bytes(&self) -> usize {
        let series: usize = self.latency.iter().map(|series| size_of::<LatencySeries>() + series.histogram.heap_bytes()).sum();
        let marks: usize = self.marks.iter().map(|mark| size_of::<Mark>() + mark.text.len() + 64).sum();
        let devices: usize = self.devices.iter().map(DeviceLoad::heap_bytes).sum();
        size_of::<Self>() + series + devices + marks + self.sizes.len() * size_of::<NamespaceSize>()
    }
}

/// One series of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatencySeries {
    pub namespace: Arc<str>,
    pub kind: SeriesKind,
    pub(super) histogram: PackedHistogram,
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
