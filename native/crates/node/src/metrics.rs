//! Frames of metrics as JavaScript sees them, as objects and as JSON.

use crate::monitor::DeviceLoad;
use napi_derive::napi;
use serde::{Serialize, Serializer};
use tessera_base::latency::Histogram;
use tessera_core::metrics::{self, DeviceRates as Rates, Frame, HistoryFrame, SeriesKind};
use tessera_jobs::Mark;
use tessera_record::json::write_millis;

/// Latency of one series. Bucket 0 also holds what is under 128 ns; overflow (68.7 s and more) is in no bucket.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LatencySeries {
    pub namespace: String,
    #[napi(ts_type = "'get' | 'put' | 'update' | 'delete' | 'batch' | 'scan' | 'query' | 'index-lookup'")]
    pub op: &'static str,
    #[napi(ts_type = "'ok' | 'error'")]
    pub outcome: &'static str,
    #[napi(ts_type = "'engine' | 'gateway'")]
    pub side: &'static str,
    pub count: f64,
    pub sum_ns: f64,
    pub sum_squares_ns: f64,
    pub max_ns: f64,
    pub overflow: f64,
    /// Counts up to each target: 50, 100, 250, 500 us, 1, 2, 5, 10, 50, 100 ms, 1 s.
    pub slo: Vec<f64>,
    /// Flat pairs of bucket and count, ascending.
    pub buckets: Vec<f64>,
}

impl LatencySeries {
    fn new(namespace: &str, kind: SeriesKind, histogram: &Histogram) -> Self {
        Self {
            namespace: namespace.to_owned(),
            op: kind.op.as_str(),
            outcome: kind.outcome.as_str(),
            side: kind.side.as_str(),
            count: histogram.count() as f64,
            sum_ns: histogram.sum() as f64,
            sum_squares_ns: histogram.sum_squares() as f64,
            max_ns: histogram.max() as f64,
            overflow: histogram.overflow() as f64,
            slo: histogram.slo().map(|n| n as f64).to_vec(),
            buckets: histogram.buckets().flat_map(|(bucket, count)| [bucket as f64, count as f64]).collect(),
        }
    }
}

/// 100% is one core.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessUse {
    pub cpu_percent: f64,
    pub resident_bytes: f64,
}

impl From<metrics::ProcessUse> for ProcessUse {
    fn from(process: metrics::ProcessUse) -> Self {
        Self { cpu_percent: process.cpu_percent(), resident_bytes: process.resident_bytes as f64 }
    }
}

/// Memory by what holds it, bytes.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryBytes {
    pub primary_index: f64,
    pub set_indexes: f64,
    pub document_indexes: f64,
    pub records: f64,
    pub buffers: f64,
    pub directory: f64,
    pub total: f64,
}

impl From<metrics::MemoryBytes> for MemoryBytes {
    fn from(memory: metrics::MemoryBytes) -> Self {
        Self {
            primary_index: memory.primary_index as f64,
            set_indexes: memory.set_indexes as f64,
            document_indexes: memory.document_indexes as f64,
            records: memory.records as f64,
            buffers: memory.buffers as f64,
            directory: memory.directory as f64,
            total: memory.total() as f64,
        }
    }
}

#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceRates {
    pub read_bytes_per_second: f64,
    pub write_bytes_per_second: f64,
    pub reads_per_second: f64,
    pub writes_per_second: f64,
    pub syncs_per_second: f64,
}

impl From<metrics::DeviceRates> for DeviceRates {
    fn from(device: metrics::DeviceRates) -> Self {
        Self {
            read_bytes_per_second: device.read_bytes,
            write_bytes_per_second: device.write_bytes,
            reads_per_second: device.reads,
            writes_per_second: device.writes,
            syncs_per_second: device.syncs,
        }
    }
}

/// An event for the charts.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventMark {
    #[serde(rename = "time", serialize_with = "rfc3339")]
    pub time_ms: f64,
    pub kind: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

impl From<&Mark> for EventMark {
    fn from(mark: &Mark) -> Self {
        let Mark { time_ms, kind, text, job, namespace } = mark.clone();
        Self { time_ms: time_ms as f64, kind, text, job_id: job, namespace }
    }
}

/// A second of metrics, or a longer step made by adding seconds.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricsFrame {
    pub seq: f64,
    /// End of the frame, Unix milliseconds; in JSON as RFC 3339.
    #[serde(rename = "time", serialize_with = "rfc3339")]
    pub time_ms: f64,
    pub duration_ms: f64,
    pub latency: Vec<LatencySeries>,
    pub process: ProcessUse,
    pub memory: MemoryBytes,
    pub device: DeviceRates,
    /// By namespace.
    pub devices: Vec<DeviceLoad>,
    /// At the end.
    pub sizes: Vec<NamespaceSize>,
    pub marks: Vec<EventMark>,
}

/// What a namespace holds.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceSize {
    pub namespace: String,
    pub records: f64,
    pub bytes: f64,
}

impl From<&metrics::NamespaceSize> for NamespaceSize {
    fn from(size: &metrics::NamespaceSize) -> Self {
        Self { namespace: size.namespace.to_string(), records: size.records as f64, bytes: size.bytes as f64 }
    }
}

/// The files of a history.
#[napi(object, object_from_js = false)]
pub struct HistoryStatus {
    pub bytes: f64,
    pub most_bytes: f64,
    /// Damaged places that were found since the start.
    pub damaged: f64,
    /// Why files are not read.
    pub unreadable: Vec<String>,
    /// Why nothing can be written, and since when.
    pub failure: Option<HistoryFailure>,
}

#[napi(object, object_from_js = false)]
pub struct HistoryFailure {
    pub since_ms: f64,
    pub message: String,
}

impl From<metrics::HistoryStatus> for HistoryStatus {
    fn from(status: metrics::HistoryStatus) -> Self {
        Self {
            bytes: status.bytes as f64,
            most_bytes: status.most_bytes as f64,
            damaged: status.damaged as f64,
            unreadable: status.unreadable,
            failure: status.failure.map(|error| HistoryFailure { since_ms: status.failing_since_ms as f64, message: error.message }),
        }
    }
}

impl HistoryStatus {
    /// Of the log of jobs, and of `runs` whose files are damaged.
    pub fn of_jobs(jobs: tessera_jobs::HistoryStatus, runs: Vec<String>) -> Self {
        Self {
            bytes: jobs.bytes as f64,
            most_bytes: jobs.most_bytes as f64,
            damaged: jobs.damaged as f64,
            unreadable: jobs.unreadable.into_iter().chain(runs).collect(),
            failure: jobs.failure.map(|error| HistoryFailure { since_ms: jobs.failing_since_ms as f64, message: error.message }),
        }
    }
}

impl MetricsFrame {
    /// `device`: what all disks did.
    fn new(frame: &Frame, device: Rates) -> Self {
        let series = |s: &metrics::LatencySeries| LatencySeries::new(&s.namespace, s.kind, &s.histogram());
        Self {
            seq: frame.seq as f64,
            time_ms: frame.time_ms as f64,
            duration_ms: frame.duration_ms(),
            latency: frame.latency.iter().map(series).collect(),
            process: frame.process.into(),
            memory: frame.memory.into(),
            device: device.into(),
            devices: frame.devices.iter().map(DeviceLoad::from).collect(),
            sizes: frame.sizes.iter().map(NamespaceSize::from).collect(),
            marks: frame.marks.iter().map(EventMark::from).collect(),
        }
    }
}

impl From<&Frame> for MetricsFrame {
    fn from(frame: &Frame) -> Self {
        Self::new(frame, frame.device())
    }
}

impl From<&HistoryFrame> for MetricsFrame {
    fn from(HistoryFrame { frame, device }: &HistoryFrame) -> Self {
        Self::new(frame, *device)
    }
}

/// Unix milliseconds as RFC 3339.
fn rfc3339<S: Serializer>(millis: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let mut quoted = Vec::with_capacity(26);
    write_millis(&mut quoted, *millis as u64);
    serializer.serialize_str(String::from_utf8_lossy(&quoted).trim_matches('"'))
}
