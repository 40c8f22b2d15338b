//! Longer steps from kept frames: counts are added, percentiles are never averaged.

use super::devices::{DeviceLoad, DeviceRates, merged};
use super::frame::Frame;
use super::gauges::{MemoryBytes, ProcessUse};
use super::series::{Operation, SeriesKind};
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_base::latency::Histogram;
use tessera_jobs::Mark;

/// Frames that ended after `from_ms` and at or before `to_ms`, in steps of `step_ms`; 1,000 or less keeps them as they are.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    pub from_ms: u64,
    pub to_ms: u64,
    pub step_ms: u64,
    pub namespace: Option<String>,
    pub op: Option<Operation>,
}

/// One step: like a frame, with its histograms unpacked. A step whose `duration_ms` is shorter than asked has a hole.
#[derive(Clone, Debug)]
pub struct HistoryFrame {
    pub seq: u64,
    pub time_ms: u64,
    pub duration_ms: f64,
    pub latency: Vec<MergedSeries>,
    /// CPU averaged by duration; resident bytes at the end.
    pub process: ProcessUse,
    /// At the end of the step.
    pub memory: MemoryBytes,
    /// What all disks did, whichever namespace was asked for.
    pub device: DeviceRates,
    /// Counts added, queues at the end.
    pub devices: Vec<DeviceLoad>,
    pub marks: Vec<Mark>,
}

#[derive(Clone, Debug)]
pub struct MergedSeries {
    pub namespace: Arc<str>,
    pub kind: SeriesKind,
    pub histogram: Histogram,
}

impl HistoryQuery {
    /// Frames in ascending order in, steps in ascending order out.
    pub(super) fn run<'a>(&self, frames: impl Iterator<Item = &'a Arc<Frame>>) -> Vec<HistoryFrame> {
        let mut steps = Vec::new();
        let mut group: Vec<&Arc<Frame>> = Vec::new();
        let mut key = 0;
        for frame in frames.filter(|frame| frame.time_ms > self.from_ms && frame.time_ms <= self.to_ms) {
            let next = self.step_of(frame);
            if next != key && !group.is_empty() {
                steps.push(self.merge(&group));
                group.clear();
            }
            key = next;
            group.push(frame);
        }
        if !group.is_empty() {
            steps.push(self.merge(&group));
        }
        steps
    }

    /// Frames end at whole seconds or a little later, so half a second is taken off before rounding.
    fn step_of(&self, frame: &Frame) -> u64 {
        if self.step_ms <= 1000 { frame.seq } else { frame.time_ms.saturating_sub(500) / self.step_ms }
    }

    fn merge(&self, group: &[&Arc<Frame>]) -> HistoryFrame {
        let mut latency: BTreeMap<(Arc<str>, SeriesKind), Histogram> = BTreeMap::new();
        let duration_ms: f64 = group.iter().map(|frame| frame.duration_ms).sum();
        let mut process = ProcessUse::default();
        let mut step = (0, 0, MemoryBytes::default());
        let mut marks = Vec::new();
        for frame in group {
            let weight = if duration_ms > 0.0 { frame.duration_ms / duration_ms } else { 0.0 };
            process.cpu_percent += frame.process.cpu_percent * weight;
            process.resident_bytes = frame.process.resident_bytes;
            step = (frame.seq, frame.time_ms, frame.memory);
            marks.extend(frame.marks.iter().cloned());
            for series in &frame.latency {
                let wanted = self.op.is_none_or(|op| op == series.kind.op)
                    && self.namespace.as_ref().is_none_or(|namespace| **namespace == *series.namespace);
                if wanted {
                    series.add_to(latency.entry((Arc::clone(&series.namespace), series.kind)).or_default());
                }
            }
        }
        let mut devices = merged(group.iter().flat_map(|frame| &frame.devices));
        let device = DeviceRates::of(&devices, duration_ms);
        devices.retain(|load| self.namespace.as_ref().is_none_or(|namespace| **namespace == *load.namespace));
        let latency = latency.into_iter().map(|((namespace, kind), histogram)| MergedSeries { namespace, kind, histogram }).collect();
        let (seq, time_ms, memory) = step;
        HistoryFrame { seq, time_ms, duration_ms, latency, process, memory, device, devices, marks }
    }
}
