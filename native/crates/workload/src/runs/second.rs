//! A second of a run as its file keeps it, and what latencies of several add up to.

use crate::compare::{self, Measured};
use crate::figures::{Counts, Frame};
use base64::prelude::{BASE64_STANDARD_NO_PAD as BASE64, Engine as _};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tessera_base::latency::{Histogram, PackedHistogram, SLO_EDGES_NS};

/// Most steps of an answer.
const STEPS: usize = 60;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Second {
    #[serde(flatten)]
    pub frame: Frame,
    /// Seconds of runs before there were histograms have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histograms: Option<Histograms>,
}

/// Latencies from when operations were due, packed as in the history of metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Histograms {
    #[serde(serialize_with = "to_text", deserialize_with = "from_text")]
    read: PackedHistogram,
    #[serde(serialize_with = "to_text", deserialize_with = "from_text")]
    write: PackedHistogram,
}

impl Second {
    pub(super) fn new(frame: Frame, counts: &Counts) -> Self {
        let packed = |reads| PackedHistogram::of(counts.histogram(reads));
        Self { frame, histograms: Some(Histograms { read: packed(true), write: packed(false) }) }
    }

    /// Adds what came after the last second, so that the histograms have every operation.
    pub(super) fn add_rest(&mut self, counts: &Counts) {
        let Some(Histograms { read, write }) = &mut self.histograms else { return };
        for (packed, reads) in [(read, true), (write, false)] {
            let mut sum = packed.histogram();
            sum.add(counts.histogram(reads));
            *packed = PackedHistogram::of(&sum);
        }
    }
}

fn to_text<S: Serializer>(histogram: &PackedHistogram, serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::new();
    histogram.write_to(&mut bytes);
    serializer.serialize_str(&BASE64.encode(bytes))
}

fn from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PackedHistogram, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = BASE64.decode(text).map_err(D::Error::custom)?;
    let mut rest = &bytes[..];
    PackedHistogram::read_from(&mut rest).filter(|_| rest.is_empty()).ok_or_else(|| D::Error::custom("no histogram"))
}

/// Latencies of reads and writes over some seconds of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LatencyStep {
    /// End of the stretch, seconds from the beginning of the run.
    pub at_seconds: f64,
    pub seconds: f64,
    pub read: LatencyCounts,
    pub write: LatencyCounts,
}

/// A histogram, in the form of the metrics. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LatencyCounts {
    pub count: u64,
    pub sum_ns: u64,
    pub sum_squares_ns: f64,
    pub max_ns: u64,
    pub overflow: u64,
    /// Counts up to each target.
    pub slo: [u64; SLO_EDGES_NS.len()],
    /// Flat pairs of bucket and count, ascending.
    pub buckets: Vec<u64>,
}

impl LatencyCounts {
    fn of<'a>(parts: impl Iterator<Item = &'a PackedHistogram>) -> Self {
        let mut sum = Histogram::default();
        parts.for_each(|part| part.add_to(&mut sum));
        Self {
            count: sum.count(),
            sum_ns: sum.sum(),
            sum_squares_ns: sum.sum_squares() as f64,
            max_ns: sum.max(),
            overflow: sum.overflow(),
            slo: sum.slo(),
            buckets: sum.buckets().flat_map(|(bucket, count)| [bucket as u64, count]).collect(),
        }
    }
}

/// The seconds as they are compared: histograms in 60 sections at most, and none at all unless each second has them.
pub(super) fn measured(seconds: &[Second]) -> Measured {
    let warm = compare::warm(seconds);
    let sections = |of: fn(&Histograms) -> &PackedHistogram| -> Option<Vec<Histogram>> {
        let kept = warm.iter().map(|second| second.histograms.as_ref().map(of)).collect::<Option<Vec<_>>>()?;
        let section = |part: &[&PackedHistogram]| {
            let mut sum = Histogram::default();
            part.iter().for_each(|part| part.add_to(&mut sum));
            sum
        };
        Some(in_steps(&kept).map(section).filter(|section| section.count() > 0).collect())
    };
    let (read, write) = (sections(|kept| &kept.read), sections(|kept| &kept.write));
    let histograms = read.zip(write).map(|(read, write)| compare::Histograms { read, write });
    Measured { frames: seconds.iter().map(|second| second.frame.clone()).collect(), histograms }
}

/// Equal steps, 60 at most.
fn in_steps<T>(seconds: &[T]) -> std::slice::Chunks<'_, T> {
    seconds.chunks(seconds.len().div_ceil(STEPS).max(1))
}

/// The seconds in equal steps. A step without histograms is left out.
pub(super) fn steps(seconds: &[Second]) -> Vec<LatencyStep> {
    let step = |part: &[Second]| {
        let known: Vec<_> = part.iter().filter_map(|second| second.histograms.as_ref()).collect();
        let frame = &part.last().filter(|_| !known.is_empty())?.frame;
        Some(LatencyStep {
            at_seconds: frame.at_seconds,
            seconds: part.iter().filter(|second| second.histograms.is_some()).map(|second| second.frame.seconds).sum(),
            read: LatencyCounts::of(known.iter().map(|histograms| &histograms.read)),
            write: LatencyCounts::of(known.iter().map(|histograms| &histograms.write)),
        })
    };
    in_steps(seconds).filter_map(step).collect()
}
