//! Latency as it was, not as an average: exact counts per namespace and operation, one frame a second, 30 days of history.
//!
//! `recorder` counts on the threads that do the work, `ring` takes one frame a second, `history` keeps them and adds them up,
//! `slow` keeps single operations that took long.
//! Memory: a stripe of counters is 2 KiB, made when a thread first records in a series; exclusive stripes stop at 32 MiB in
//! all, shared ones at one a series; what is not on the disk yet stops at 32 MiB.

mod devices;
mod frame;
mod gauges;
mod history;
mod job_time;
mod memory_limit;
mod process;
mod recorder;
mod ring;
mod row;
mod series;
mod slow;
#[cfg(test)]
mod unwritable;

pub use devices::{DeviceLoad, DeviceRates, DiskLoad};
pub use frame::{Frame, LatencySeries};
pub use gauges::{Gauges, MemoryBytes, NamespaceSize, ProcessUse};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use history::fuzz as history_fuzz;
pub use history::{History, HistoryFrame, HistoryQuery, HistoryStatus, HistorySteps};
pub(crate) use job_time::{EndedJob, JobTime};
pub use memory_limit::memory_total_bytes;
pub use process::{DiskSpace, ProcessSampler, disk_space};
pub use recorder::LatencyRecorder;
pub use ring::{MetricsRing, Subscription};
pub use series::{Operation, Outcome, SeriesKind, Side};
pub(crate) use slow::{About, Name};
pub use slow::{SLOW_LIMIT_MOST, SlowGroup, SlowLog, SlowOperation, SlowPatch, SlowQuery, SlowSettings, SlowUse};
