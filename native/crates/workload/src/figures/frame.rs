//! A second of a run.

use super::{Counts, Latencies, rounded};
use serde::{Deserialize, Serialize};

/// Rates are operations a second, shares percent, times milliseconds from when an operation was due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// End of the stretch, seconds from the beginning of the run.
    pub at_seconds: f64,
    /// Its length.
    pub seconds: f64,
    pub tps: f64,
    pub read: OperationFrame,
    pub write: OperationFrame,
    pub errors: u64,
    pub timeouts: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationFrame {
    pub count: u64,
    pub tps: f64,
    /// Operations that took at most a millisecond; seconds of runs before there was such a figure have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within1ms: Option<u64>,
    pub under1ms_pct: f64,
    pub under2ms_pct: f64,
    pub under8ms_pct: f64,
    pub mean_ms: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
}

impl Frame {
    pub fn new(counts: &Counts, at_seconds: f64, seconds: f64) -> Self {
        Self {
            at_seconds: rounded(at_seconds, 1000.0),
            seconds: rounded(seconds, 1000.0),
            tps: rounded(counts.done() as f64 / seconds, 10.0),
            read: OperationFrame::new(&counts.latency_of(true), seconds),
            write: OperationFrame::new(&counts.latency_of(false), seconds),
            errors: counts.failed(),
            timeouts: counts.timeouts,
        }
    }

    /// One line, as the published monitor prints it.
    pub fn line(&self) -> String {
        let part = |name: &str, op: &OperationFrame| {
            let (one, two, eight) = (op.under1ms_pct, op.under2ms_pct, op.under8ms_pct);
            format!("{name}(tps={:.0} <1ms={one:.2}% <2ms={two:.2}% <8ms={eight:.2}%)", op.tps)
        };
        format!(
            "{:>6.1}s {} {} total(tps={:.0} errors={} timeouts={})",
            self.at_seconds,
            part("read", &self.read),
            part("write", &self.write),
            self.tps,
            self.errors,
            self.timeouts
        )
    }
}

impl OperationFrame {
    fn new(latencies: &Latencies, seconds: f64) -> Self {
        let [under1ms_pct, under2ms_pct, under8ms_pct, _] = latencies.within_percent();
        Self {
            count: latencies.count(),
            tps: rounded(latencies.count() as f64 / seconds, 10.0),
            within1ms: Some(latencies.within_1ms()),
            under1ms_pct,
            under2ms_pct,
            under8ms_pct,
            mean_ms: latencies.mean_ms(),
            p50_ms: latencies.percentile_ms(50.0),
            p99_ms: latencies.percentile_ms(99.0),
            max_ms: latencies.max_ms(),
        }
    }
}
