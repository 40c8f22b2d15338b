//! Frames for tests: every part filled, different for each seed.

use crate::metrics::frame::{Frame, LatencySeries};
use crate::metrics::series::SeriesKind;
use crate::metrics::{DeviceLoad, DiskLoad, MemoryBytes, NamespaceSize, ProcessUse};
use std::sync::Arc;
use tessera_base::dice::Dice;
use tessera_base::latency::Histogram;
use tessera_io::{DiskCounters, OperationCounters};
use tessera_jobs::Mark;
use tessera_storage::{PageReads, PagesCounters, Traffic};

/// A second of two namespaces that ended a little after `time_s`. Its number is for `History::record` to give.
pub(super) fn frame(seed: u64, time_s: u64) -> Frame {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let names: Vec<Arc<str>> = ["shop", "ledger"].into_iter().filter(|_| dice.roll(4) > 0).map(Arc::from).collect();
    let latency = names.iter().flat_map(|name| (0..SeriesKind::COUNT).map(move |kind| (Arc::clone(name), SeriesKind::of_index(kind))));
    let latency = latency.filter_map(|(name, kind)| {
        let mut histogram = Histogram::default();
        (0..dice.roll(8)).for_each(|_| histogram.record((dice.roll(1 << 31) << 9) >> dice.roll(36)));
        (histogram.count() > 0).then(|| LatencySeries::new(name, kind, &histogram))
    });
    let latency = latency.collect();
    let mut number = || dice.roll(1 << 31);
    let mut operations = || OperationCounters { count: number(), bytes: number(), nanos: number() };
    let (reads, writes, syncs) = (operations(), operations(), operations());
    let counters =
        DiskCounters { reads, writes, syncs, in_flight: number(), busy_nanos: number(), depth_steps: number(), age_nanos: number() };
    let disks = vec![DiskLoad { path: Arc::from("data.tsr"), counters }];
    let mut reads = || PageReads { hits: number(), misses: number() };
    let (index, slot_map, records) = (reads(), reads(), reads());
    let traffic = Traffic {
        records_read_bytes: number(),
        records_written_bytes: number(),
        pages_read_bytes: number(),
        pages_written_bytes: number(),
        log_written_bytes: number(),
    };
    let pages = PagesCounters { log_ring_bytes: number(), log_needed_bytes: number(), traffic, index, slot_map, records };
    let device = names.first().map(|namespace| DeviceLoad {
        namespace: Arc::clone(namespace),
        flush_queue_bytes: number(),
        defrag_queue_blocks: number(),
        appended_bytes: number(),
        moved_bytes: number(),
        pages: seed.is_multiple_of(2).then_some(pages),
        disks,
    });
    let memory = MemoryBytes {
        primary_index: number(),
        set_indexes: number(),
        document_indexes: number(),
        records: number(),
        buffers: number(),
        directory: number(),
    };
    let marks = (0..seed % 3).map(|n| Mark {
        time_ms: time_s * 1000,
        kind: "config".to_owned(),
        text: format!("ttl → {seed}"),
        job: (n > 0).then(|| format!("job {n}")),
        namespace: (seed.is_multiple_of(2)).then(|| format!("shop {n}")),
    });
    Frame {
        first: seed,
        seq: seed,
        time_ms: time_s * 1000 + 2,
        duration_nanos: 1_000_000_000 + seed % 1000,
        process: ProcessUse { cpu_nanos: number(), wall_nanos: number(), resident_bytes: number() },
        memory,
        devices: device.into_iter().collect(),
        sizes: names
            .iter()
            .map(|namespace| NamespaceSize { namespace: Arc::clone(namespace), records: number(), bytes: number() })
            .collect(),
        marks: marks.collect(),
        latency,
    }
}
