//! The whole of a run by kind of operation, as YCSB reports it.

use super::{Counts, Latencies, rounded};
use crate::operation::Kind;
use serde::{Deserialize, Serialize};

/// Times are microseconds from when an operation was due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KindSummary {
    pub kind: Kind,
    /// Operations that ended well.
    pub count: u64,
    pub tps: f64,
    pub avg_us: f64,
    pub min_us: f64,
    pub max_us: f64,
    pub p95_us: f64,
    pub p99_us: f64,
}

impl KindSummary {
    /// Of the kinds that there were.
    pub(super) fn of(counts: &Counts, seconds: f64) -> Vec<Self> {
        let summary = |kind: &Kind| Self::new(*kind, counts.latency(*kind), seconds);
        Kind::ALL.iter().map(summary).filter(|summary| summary.count > 0).collect()
    }

    fn new(kind: Kind, latencies: &Latencies, seconds: f64) -> Self {
        Self {
            kind,
            count: latencies.count(),
            tps: rounded(latencies.count() as f64 / seconds, 10.0),
            avg_us: latencies.mean_us(),
            min_us: latencies.min_us(),
            max_us: latencies.max_us(),
            p95_us: latencies.percentile_us(95.0),
            p99_us: latencies.percentile_us(99.0),
        }
    }
}
