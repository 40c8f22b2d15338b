//! The whole of a run.

use super::{Counts, KindSummary, Latencies, rounded};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Rates are operations a second, shares percent, times milliseconds from when an operation was due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub elapsed_seconds: f64,
    /// Operations that ended well.
    pub operations: u64,
    pub tps: f64,
    pub read: OperationSummary,
    pub write: OperationSummary,
    /// By kind of operation; those of runs before there were such figures have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<KindSummary>,
    /// Failed operations by code; they are in no latency.
    pub errors: BTreeMap<String, u64>,
    /// One of their messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    pub timeouts: u64,
    /// Operations that were due and never began, because the run could not keep up with its target.
    pub missed: u64,
    /// CPU time of the whole process that made the load, and for a run in the core of the core too.
    pub cpu_micros_per_operation: f64,
    /// 100 is one core.
    pub cpu_pct: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationSummary {
    pub count: u64,
    pub tps: f64,
    pub mean_ms: f64,
    pub std_dev_ms: f64,
    pub p50_ms: f64,
    pub p90_ms: f64,
    pub p99_ms: f64,
    #[serde(rename = "p999Ms")]
    pub p99_9_ms: f64,
    pub max_ms: f64,
    pub under1ms_pct: f64,
    pub under2ms_pct: f64,
    pub under8ms_pct: f64,
    pub under64ms_pct: f64,
    /// From when an operation began instead of when it was due.
    pub service_mean_ms: f64,
    pub service_p99_ms: f64,
}

impl Summary {
    /// `cpu_seconds`: CPU time that the process used meanwhile.
    pub fn new(counts: &Counts, elapsed_seconds: f64, cpu_seconds: f64) -> Self {
        let operations = counts.done();
        Self {
            elapsed_seconds: rounded(elapsed_seconds, 1000.0),
            operations,
            tps: rounded(operations as f64 / elapsed_seconds, 10.0),
            read: OperationSummary::new(&counts.latency_of(true), &counts.service_of(true), elapsed_seconds),
            write: OperationSummary::new(&counts.latency_of(false), &counts.service_of(false), elapsed_seconds),
            kinds: KindSummary::of(counts, elapsed_seconds),
            errors: counts.errors.clone(),
            error_message: counts.message.clone(),
            timeouts: counts.timeouts,
            missed: counts.missed,
            cpu_micros_per_operation: if operations == 0 { 0.0 } else { rounded(cpu_seconds * 1e6 / operations as f64, 100.0) },
            cpu_pct: rounded(cpu_seconds / elapsed_seconds * 100.0, 10.0),
        }
    }

    /// The table at the end of a run.
    pub fn table(&self) -> String {
        let mut text = format!(
            "\n{} operations in {:.1} s: {:.0} per second, {:.2} µs of CPU each ({:.0}% CPU)\n\n",
            self.operations, self.elapsed_seconds, self.tps, self.cpu_micros_per_operation, self.cpu_pct
        );
        let head = ["", "count", "tps", "mean ms", "σ ms", "p50", "p90", "p99", "p99.9", "max", "<1ms %", "<2ms %", "<8ms %", "<64ms %"];
        line(&mut text, &head.map(str::to_owned));
        for (name, op) in [("read", &self.read), ("write", &self.write)] {
            let ms = |value: f64| format!("{value:.3}");
            let percent = |value: f64| format!("{value:.2}");
            line(
                &mut text,
                &[
                    name.to_owned(),
                    op.count.to_string(),
                    format!("{:.0}", op.tps),
                    ms(op.mean_ms),
                    ms(op.std_dev_ms),
                    ms(op.p50_ms),
                    ms(op.p90_ms),
                    ms(op.p99_ms),
                    ms(op.p99_9_ms),
                    ms(op.max_ms),
                    percent(op.under1ms_pct),
                    percent(op.under2ms_pct),
                    percent(op.under8ms_pct),
                    percent(op.under64ms_pct),
                ],
            );
        }
        text.push('\n');
        line(&mut text, &["", "count", "tps", "avg µs", "min", "max", "p95", "p99"].map(str::to_owned));
        for kind in &self.kinds {
            let us = |value: f64| format!("{value:.2}");
            let times = [kind.avg_us, kind.min_us, kind.max_us, kind.p95_us, kind.p99_us].map(us);
            let head = [kind.kind.as_str().to_owned(), kind.count.to_string(), format!("{:.0}", kind.tps)];
            line(&mut text, &[&head[..], &times[..]].concat());
        }
        for (code, count) in &self.errors {
            let _ = writeln!(text, "errors {code}: {count}");
        }
        if let Some(message) = &self.error_message {
            let _ = writeln!(text, "example: {message}");
        }
        if self.timeouts > 0 {
            let _ = writeln!(text, "timeouts: {}", self.timeouts);
        }
        if self.missed > 0 {
            let _ = writeln!(text, "due but not started: {}", self.missed);
        }
        text
    }
}

fn line(text: &mut String, cells: &[String]) {
    for (position, cell) in cells.iter().enumerate() {
        let width = [17, 12].get(position).copied().unwrap_or(9);
        let _ = write!(text, "{cell:>width$}");
    }
    text.push('\n');
}

impl OperationSummary {
    fn new(latencies: &Latencies, service: &Latencies, seconds: f64) -> Self {
        let [under1ms_pct, under2ms_pct, under8ms_pct, under64ms_pct] = latencies.within_percent();
        Self {
            count: latencies.count(),
            tps: rounded(latencies.count() as f64 / seconds, 10.0),
            mean_ms: latencies.mean_ms(),
            std_dev_ms: latencies.std_dev_ms(),
            p50_ms: latencies.percentile_ms(50.0),
            p90_ms: latencies.percentile_ms(90.0),
            p99_ms: latencies.percentile_ms(99.0),
            p99_9_ms: latencies.percentile_ms(99.9),
            max_ms: latencies.max_ms(),
            under1ms_pct,
            under2ms_pct,
            under8ms_pct,
            under64ms_pct,
            service_mean_ms: service.mean_ms(),
            service_p99_ms: service.percentile_ms(99.0),
        }
    }
}
