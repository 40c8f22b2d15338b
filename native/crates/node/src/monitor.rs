//! The disks of a device namespace as JavaScript sees them: totals, and rates of a frame.

use crate::devices::DeviceUse;
use napi_derive::napi;
use serde::Serialize;
use tessera_core::metrics;
use tessera_io::{DiskCounters, OperationCounters};
use tessera_storage::{BlockMap, DiskGauge, DiskReport, MapCell, PagesCounters};

const NANOS_PER_MS: f64 = 1e6;
const NANOS_PER_SECOND: f64 = 1e9;

/// What the disks of a namespace did in the time of a frame, and what waits at its end.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceLoad {
    pub namespace: String,
    pub flush_queue_bytes: f64,
    pub defrag_queue_blocks: f64,
    /// Logged for callers.
    pub appended_bytes_per_second: f64,
    /// Copied to make room.
    pub moved_bytes_per_second: f64,
    /// Bytes written to disks for each byte logged for callers; absent where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// Where the engine has pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<PagesLoad>,
    pub disks: Vec<DiskLoad>,
}

/// Rates and averages of one disk, as iostat defines them, but that an operation of a window ends when its thread takes it back.
/// A latency is absent where nothing ended.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiskLoad {
    pub path: String,
    pub read_bytes_per_second: f64,
    pub write_bytes_per_second: f64,
    pub reads_per_second: f64,
    pub writes_per_second: f64,
    pub syncs_per_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_latency_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_latency_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_latency_ms: Option<f64>,
    /// Average, syncs included; what is in flight at the end.
    pub queue_depth: f64,
    pub in_flight: f64,
    pub busy_percent: f64,
}

/// What pages and log did in the time of a frame, and what the log needs at its end.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PagesLoad {
    pub log_ring_bytes: f64,
    pub log_needed_bytes: f64,
    pub records_read_bytes_per_second: f64,
    pub records_written_bytes_per_second: f64,
    pub pages_read_bytes_per_second: f64,
    pub pages_written_bytes_per_second: f64,
    pub log_written_bytes_per_second: f64,
    /// Absent where no record was read, or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_amplification: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// Reads of pages by their kind.
    pub index: PageReads,
    pub slot_map: PageReads,
    pub records: PageReads,
}

/// Reads of pages that the cache answered, and those that a disk did.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
pub struct PageReads {
    pub hits: f64,
    pub misses: f64,
}

/// Everything about the disks of a namespace, since it was opened.
#[napi(object, object_from_js = false)]
pub struct DeviceReport {
    pub block_bytes: f64,
    pub disks: Vec<DiskInfo>,
    pub flush: FlushInfo,
    pub defrag: DefragInfo,
    pub cache: CacheInfo,
    pub amplification: AmplificationInfo,
    /// Of the newest frame, if the namespace is in it.
    pub last_second: Option<DeviceLoad>,
}

/// One file or block device. `queue_ms` is time multiplied by the operations in flight in it: its increase by the time that
/// passed is the average queue depth.
#[napi(object, object_from_js = false)]
pub struct DiskInfo {
    pub place: DeviceUse,
    pub reads: DiskOperations,
    pub writes: DiskOperations,
    pub syncs: DiskOperations,
    pub in_flight: f64,
    pub busy_ms: f64,
    pub queue_ms: f64,
    /// How long all this was counted.
    pub counted_ms: f64,
    /// Absent where no map was asked for.
    pub map: Option<BlockMapInfo>,
}

/// Operations that have ended; the quantiles are rounded up by a quarter at most.
#[napi(object, object_from_js = false)]
pub struct DiskOperations {
    pub count: f64,
    pub bytes: f64,
    /// Their latencies, added up.
    pub total_ms: f64,
    pub median_ms: Option<f64>,
    pub p99_ms: Option<f64>,
}

/// Write blocks in cells of neighbours: one number a cell.
#[napi(object, object_from_js = false)]
pub struct BlockMapInfo {
    pub blocks: f64,
    pub blocks_per_cell: f64,
    pub free: Vec<f64>,
    pub writing: Vec<f64>,
    pub stored: Vec<f64>,
    pub freeing: Vec<f64>,
    pub unreadable: Vec<f64>,
    pub live_bytes: Vec<f64>,
    pub tombstone_bytes: Vec<f64>,
    pub dead_bytes: Vec<f64>,
}

#[napi(object, object_from_js = false)]
pub struct FlushInfo {
    pub queue_bytes: f64,
    /// From here on writers wait.
    pub limit_bytes: f64,
    /// Flushes that failed.
    pub failures: f64,
    /// What keeps writes out now.
    pub failure: Option<FlushFailure>,
    /// The newest of those that failed, whether it still keeps writes out or not.
    pub last_failure: Option<LastFailure>,
}

#[napi(object, object_from_js = false)]
pub struct FlushFailure {
    pub code: &'static str,
    pub message: String,
}

#[napi(object, object_from_js = false)]
pub struct LastFailure {
    /// Unix milliseconds.
    pub at_ms: f64,
    pub code: &'static str,
    pub message: String,
}

#[napi(object, object_from_js = false)]
pub struct DefragInfo {
    pub queue_blocks: f64,
    /// Kept back for it.
    pub reserved_blocks: f64,
    /// Given up, and usable again once that is on stable storage.
    pub freeing_blocks: f64,
}

#[napi(object, object_from_js = false)]
pub struct CacheInfo {
    pub blocks: f64,
    pub most_blocks: f64,
    /// Reads of records that memory answered, and those that a disk did.
    pub memory_reads: f64,
    pub disk_reads: f64,
}

#[napi(object, object_from_js = false)]
pub struct AmplificationInfo {
    pub appended_bytes: f64,
    pub moved_bytes: f64,
    pub written_bytes: f64,
    /// `written_bytes` by `appended_bytes`; absent before the first.
    pub total: Option<f64>,
}

impl From<&metrics::DeviceLoad> for DeviceLoad {
    fn from(load: &metrics::DeviceLoad) -> Self {
        // Of all disks alike but for the moments between their readings.
        let seconds = load.disks.first().map_or(0.0, |disk| disk.counters.age_nanos as f64 / NANOS_PER_SECOND);
        Self {
            namespace: load.namespace.to_string(),
            flush_queue_bytes: load.flush_queue_bytes as f64,
            defrag_queue_blocks: load.defrag_queue_blocks as f64,
            appended_bytes_per_second: by(load.appended_bytes as f64, seconds).unwrap_or(0.0),
            moved_bytes_per_second: by(load.moved_bytes as f64, seconds).unwrap_or(0.0),
            write_amplification: load.write_amplification(),
            pages: load.pages.map(|pages| PagesLoad::of(&pages, seconds)),
            disks: load.disks.iter().map(|disk| DiskLoad::of(&disk.path, &disk.counters)).collect(),
        }
    }
}

impl DiskLoad {
    fn of(path: &str, counters: &DiskCounters) -> Self {
        let DiskCounters { reads, writes, syncs, in_flight, busy_nanos, age_nanos, .. } = counters;
        let nanos = *age_nanos as f64;
        let rate = |count: u64| by(count as f64 * NANOS_PER_SECOND, nanos).unwrap_or(0.0);
        let latency = |kind: &OperationCounters| by(kind.nanos as f64 / NANOS_PER_MS, kind.count as f64);
        Self {
            path: path.to_owned(),
            read_bytes_per_second: rate(reads.bytes),
            write_bytes_per_second: rate(writes.bytes),
            reads_per_second: rate(reads.count),
            writes_per_second: rate(writes.count),
            syncs_per_second: rate(syncs.count),
            read_latency_ms: latency(reads),
            write_latency_ms: latency(writes),
            sync_latency_ms: latency(syncs),
            queue_depth: by(counters.depth_nanos(), nanos).unwrap_or(0.0),
            in_flight: *in_flight as f64,
            busy_percent: by(*busy_nanos as f64 * 100.0, nanos).unwrap_or(0.0).min(100.0),
        }
    }
}

impl PagesLoad {
    fn of(pages: &PagesCounters, seconds: f64) -> Self {
        let rate = |bytes: u64| by(bytes as f64, seconds).unwrap_or(0.0);
        let traffic = &pages.traffic;
        Self {
            log_ring_bytes: pages.log_ring_bytes as f64,
            log_needed_bytes: pages.log_needed_bytes as f64,
            records_read_bytes_per_second: rate(traffic.records_read_bytes),
            records_written_bytes_per_second: rate(traffic.records_written_bytes),
            pages_read_bytes_per_second: rate(traffic.pages_read_bytes),
            pages_written_bytes_per_second: rate(traffic.pages_written_bytes),
            log_written_bytes_per_second: rate(traffic.log_written_bytes),
            read_amplification: traffic.read_amplification(),
            write_amplification: traffic.write_amplification(),
            index: pages.index.into(),
            slot_map: pages.slot_map.into(),
            records: pages.records.into(),
        }
    }
}

impl From<tessera_storage::PageReads> for PageReads {
    fn from(reads: tessera_storage::PageReads) -> Self {
        Self { hits: reads.hits as f64, misses: reads.misses as f64 }
    }
}

impl DeviceReport {
    /// `maps`: of each disk, or none at all.
    pub fn of(report: tessera_storage::DeviceReport, maps: &[BlockMap], newest: Option<&metrics::Frame>, namespace: &str) -> Self {
        let gauge = &report.gauge;
        let written_bytes = gauge.disks.iter().map(|disk| disk.counters.writes.bytes).sum::<u64>() as f64;
        let appended_bytes = gauge.appended_bytes as f64;
        let load = newest.and_then(|frame| frame.devices.iter().find(|load| *load.namespace == *namespace));
        let disks = report.disks.into_iter().zip(&gauge.disks).enumerate();
        let disks = disks.map(|(at, (disk, gauge))| DiskInfo::of(disk, gauge, maps.get(at))).collect();
        Self {
            block_bytes: report.block_bytes as f64,
            disks,
            flush: FlushInfo {
                queue_bytes: gauge.flush_queue_bytes as f64,
                limit_bytes: report.flush_queue_limit_bytes as f64,
                failures: report.failed_flushes as f64,
                failure: report.failure.map(|error| FlushFailure { code: error.code.as_str(), message: error.message }),
                last_failure: report.last_failure.map(LastFailure::from),
            },
            defrag: DefragInfo {
                queue_blocks: gauge.defrag_queue_blocks as f64,
                reserved_blocks: report.reserved_blocks as f64,
                freeing_blocks: report.freeing_blocks as f64,
            },
            cache: CacheInfo {
                blocks: report.cached_blocks as f64,
                most_blocks: report.cached_blocks_most as f64,
                memory_reads: report.memory_reads as f64,
                disk_reads: report.disk_reads as f64,
            },
            amplification: AmplificationInfo {
                appended_bytes,
                moved_bytes: gauge.moved_bytes as f64,
                written_bytes,
                total: by(written_bytes, appended_bytes),
            },
            last_second: load.map(DeviceLoad::from),
        }
    }
}

impl DiskInfo {
    fn of(disk: DiskReport, gauge: &DiskGauge, map: Option<&BlockMap>) -> Self {
        let DiskCounters { reads, writes, syncs, in_flight, busy_nanos, age_nanos, .. } = gauge.counters;
        let [read, write, sync] = disk.latencies;
        Self {
            place: disk.usage.into(),
            reads: DiskOperations::of(reads, read),
            writes: DiskOperations::of(writes, write),
            syncs: DiskOperations::of(syncs, sync),
            in_flight: in_flight as f64,
            busy_ms: busy_nanos as f64 / NANOS_PER_MS,
            queue_ms: gauge.counters.depth_nanos() / NANOS_PER_MS,
            counted_ms: age_nanos as f64 / NANOS_PER_MS,
            map: map.map(BlockMapInfo::of),
        }
    }
}

impl From<tessera_storage::FlushFailure> for LastFailure {
    fn from(tessera_storage::FlushFailure { at_ms, error }: tessera_storage::FlushFailure) -> Self {
        Self { at_ms: at_ms as f64, code: error.code.as_str(), message: error.message }
    }
}

impl DiskOperations {
    fn of(counters: OperationCounters, quantiles: Option<(u64, u64)>) -> Self {
        let ms = |nanos: u64| nanos as f64 / NANOS_PER_MS;
        Self {
            count: counters.count as f64,
            bytes: counters.bytes as f64,
            total_ms: ms(counters.nanos),
            median_ms: quantiles.map(|(median, _)| ms(median)),
            p99_ms: quantiles.map(|(_, p99)| ms(p99)),
        }
    }
}

impl BlockMapInfo {
    fn of(map: &BlockMap) -> Self {
        let column = |of: fn(&MapCell) -> u64| map.cells.iter().map(|cell| of(cell) as f64).collect();
        Self {
            blocks: map.blocks as f64,
            blocks_per_cell: map.blocks_per_cell as f64,
            free: column(|cell| cell.free),
            writing: column(|cell| cell.writing),
            stored: column(|cell| cell.stored),
            freeing: column(|cell| cell.freeing),
            unreadable: column(|cell| cell.unreadable),
            live_bytes: column(|cell| cell.live_bytes),
            tombstone_bytes: column(|cell| cell.tombstone_bytes),
            dead_bytes: column(|cell| cell.dead_bytes),
        }
    }
}

/// A quotient, where there is one.
fn by(amount: f64, of: f64) -> Option<f64> {
    (of > 0.0).then(|| amount / of)
}
