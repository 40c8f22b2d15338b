//! Latency as it was, not as an average: exact counts per namespace and operation, one frame a second, an hour of frames.
//!
//! `recorder` counts on the threads that do the work, `ring` takes one frame a second and keeps them, `history` merges
//! frames by adding counts. Memory: a stripe of counters is 2 KiB, made when a thread first records in a series;
//! exclusive stripes stop at 32 MiB in all, shared ones at one a series; kept frames stop at 64 MiB.

mod devices;
mod frame;
mod gauges;
mod history;
mod memory_limit;
mod process;
mod recorder;
mod ring;
mod series;

pub use devices::{DeviceLoad, DeviceRates, DiskLoad};
pub use frame::{Frame, LatencySeries};
pub use gauges::{Gauges, MemoryBytes, ProcessUse};
pub use history::{HistoryFrame, HistoryQuery, MergedSeries};
pub use memory_limit::memory_total_bytes;
pub use process::{DiskSpace, ProcessSampler, disk_space};
pub use recorder::LatencyRecorder;
pub use ring::{MetricsRing, Subscription};
pub use series::{Operation, Outcome, SeriesKind, Side};
