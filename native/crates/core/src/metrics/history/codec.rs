//! What is in a block: a point, but for its numbers and its time, as a row of numbers. `docs/on-disk-format.md` has the order.

use crate::metrics::frame::{Frame, LatencySeries};
use crate::metrics::row::{Reader, list, text};
use crate::metrics::series::SeriesKind;
use crate::metrics::{DeviceLoad, DiskLoad, MemoryBytes, NamespaceSize, ProcessUse};
use std::collections::HashMap;
use std::sync::Arc;
use tessera_base::latency::PackedHistogram;
use tessera_base::varint;
use tessera_io::{DiskCounters, OperationCounters};
use tessera_jobs::Mark;
use tessera_storage::{PageReads, PagesCounters, Traffic};

/// Appends `frame`.
pub(super) fn encode(frame: &Frame, out: &mut Vec<u8>) {
    let mut numbers = |numbers: &[u64]| numbers.iter().for_each(|&number| varint::push(out, number));
    let ProcessUse { cpu_nanos, wall_nanos, resident_bytes } = frame.process;
    numbers(&[cpu_nanos, wall_nanos, resident_bytes]);
    let MemoryBytes { primary_index, set_indexes, document_indexes, records, buffers, directory } = frame.memory;
    numbers(&[primary_index, set_indexes, document_indexes, records, buffers, directory]);
    let names = Names::of(frame);
    list(out, &names.list, |out, name| text(out, name));
    list(out, &frame.latency, |out, series| {
        varint::push(out, names.place(&series.namespace));
        varint::push(out, series.kind.index() as u64);
        series.histogram.write_to(out);
    });
    list(out, &frame.sizes, |out, size| {
        [names.place(&size.namespace), size.records, size.bytes].iter().for_each(|&number| varint::push(out, number));
    });
    list(out, &frame.devices, |out, load| {
        let DeviceLoad { flush_queue_bytes, defrag_queue_blocks, appended_bytes, moved_bytes, .. } = *load;
        let numbers = [names.place(&load.namespace), flush_queue_bytes, defrag_queue_blocks, appended_bytes, moved_bytes];
        numbers.iter().for_each(|&number| varint::push(out, number));
        list(out, &load.disks, |out, disk| {
            text(out, &disk.path);
            let DiskCounters { reads, writes, syncs, in_flight, busy_nanos, depth_steps, age_nanos } = disk.counters;
            let operations = [reads, writes, syncs].map(|kind| [kind.count, kind.bytes, kind.nanos]);
            let others = [in_flight, busy_nanos, depth_steps, age_nanos];
            operations.as_flattened().iter().chain(&others).for_each(|&number| varint::push(out, number));
        });
    });
    list(out, &frame.marks, |out, mark| {
        varint::push(out, mark.time_ms);
        text(out, &mark.kind);
        text(out, &mark.text);
        list(out, &about_of(mark), |out, name| text(out, name));
    });
    let pages: Vec<_> = frame.devices.iter().filter_map(|load| Some((&load.namespace, load.pages?))).collect();
    // Points of before there were any have no such list, so a point without pages has none either.
    if !pages.is_empty() {
        list(out, &pages, |out, (namespace, pages)| {
            varint::push(out, names.place(namespace));
            numbers_of(pages).iter().for_each(|&number| varint::push(out, number));
        });
    }
}

/// The job of a mark, empty without one, then its namespace. Points of before there were namespaces have at most the job.
fn about_of(mark: &Mark) -> Vec<&str> {
    let job = mark.job.as_deref();
    match mark.namespace.as_deref() {
        Some(namespace) => vec![job.unwrap_or_default(), namespace],
        None => job.into_iter().collect(),
    }
}

fn numbers_of(pages: &PagesCounters) -> [u64; 13] {
    let PagesCounters { log_ring_bytes, log_needed_bytes, traffic, index, slot_map, records } = *pages;
    let Traffic { records_read_bytes, records_written_bytes, pages_read_bytes, pages_written_bytes, log_written_bytes } = traffic;
    [
        log_ring_bytes,
        log_needed_bytes,
        records_read_bytes,
        records_written_bytes,
        pages_read_bytes,
        pages_written_bytes,
        log_written_bytes,
        index.hits,
        index.misses,
        slot_map.hits,
        slot_map.misses,
        records.hits,
        records.misses,
    ]
}

/// Fills `frame` with what `encode` wrote; `None` if `bytes` are not exactly that.
pub(super) fn decode(mut frame: Frame, bytes: &[u8]) -> Option<Frame> {
    let mut from = Reader(bytes);
    let [cpu_nanos, wall_nanos, resident_bytes] = from.numbers()?;
    frame.process = ProcessUse { cpu_nanos, wall_nanos, resident_bytes };
    let [primary_index, set_indexes, document_indexes, records, buffers, directory] = from.numbers()?;
    frame.memory = MemoryBytes { primary_index, set_indexes, document_indexes, records, buffers, directory };
    let names: Vec<Arc<str>> = from.list(|from| from.text().map(Arc::from))?;
    let name = |place: u64| names.get(usize::try_from(place).ok()?).cloned();
    frame.latency = from.list(|from| {
        let [namespace, kind] = from.numbers()?;
        let kind = usize::try_from(kind).ok().filter(|&kind| kind < SeriesKind::COUNT).map(SeriesKind::of_index)?;
        Some(LatencySeries { namespace: name(namespace)?, kind, histogram: PackedHistogram::read_from(&mut from.0)? })
    })?;
    frame.sizes = from.list(|from| {
        let [namespace, records, bytes] = from.numbers()?;
        Some(NamespaceSize { namespace: name(namespace)?, records, bytes })
    })?;
    frame.devices = from.list(|from| {
        let [namespace, flush_queue_bytes, defrag_queue_blocks, appended_bytes, moved_bytes] = from.numbers()?;
        let namespace = name(namespace)?;
        let disks = from.list(disk)?;
        Some(DeviceLoad { namespace, flush_queue_bytes, defrag_queue_blocks, appended_bytes, moved_bytes, pages: None, disks })
    })?;
    frame.marks = from.list(|from| {
        let [time_ms] = from.numbers()?;
        let [kind, text] = [from.text()?, from.text()?].map(str::to_owned);
        let about: Vec<_> = from.list(|from| from.text().map(str::to_owned))?;
        let name = |place: usize| about.get(place).filter(|name| !name.is_empty()).cloned();
        Some(Mark { time_ms, kind, text, job: name(0), namespace: name(1) })
    })?;
    if !from.0.is_empty() {
        let all = from.list(|from| {
            let [namespace] = from.numbers()?;
            Some((name(namespace)?, pages(from)?))
        })?;
        if all.is_empty() {
            return None;
        }
        for (namespace, pages) in all {
            frame.devices.iter_mut().find(|load| load.namespace == namespace)?.pages = Some(pages);
        }
    }
    from.0.is_empty().then_some(frame)
}

/// The namespaces that a point names, each once.
struct Names<'a> {
    list: Vec<&'a Arc<str>>,
    places: HashMap<&'a Arc<str>, u64>,
}

impl<'a> Names<'a> {
    fn of(frame: &'a Frame) -> Self {
        let mut names = Self { list: Vec::new(), places: HashMap::new() };
        let of_latency = frame.latency.iter().map(|series| &series.namespace);
        let of_sizes = frame.sizes.iter().map(|size| &size.namespace);
        for name in of_latency.chain(of_sizes).chain(frame.devices.iter().map(|load| &load.namespace)) {
            let next = names.list.len() as u64;
            names.places.entry(name).or_insert_with(|| {
                names.list.push(name);
                next
            });
        }
        names
    }

    fn place(&self, name: &Arc<str>) -> u64 {
        self.places.get(name).copied().unwrap_or(0)
    }
}

fn pages(from: &mut Reader) -> Option<PagesCounters> {
    let [log_ring_bytes, log_needed_bytes] = from.numbers()?;
    let [records_read_bytes, records_written_bytes, pages_read_bytes, pages_written_bytes, log_written_bytes] = from.numbers()?;
    let traffic = Traffic { records_read_bytes, records_written_bytes, pages_read_bytes, pages_written_bytes, log_written_bytes };
    let mut reads = || from.numbers().map(|[hits, misses]| PageReads { hits, misses });
    let (index, slot_map, records) = (reads()?, reads()?, reads()?);
    Some(PagesCounters { log_ring_bytes, log_needed_bytes, traffic, index, slot_map, records })
}

fn disk(from: &mut Reader) -> Option<DiskLoad> {
    let path = Arc::from(from.text()?);
    let mut operations = || from.numbers().map(|[count, bytes, nanos]| OperationCounters { count, bytes, nanos });
    let (reads, writes, syncs) = (operations()?, operations()?, operations()?);
    let [in_flight, busy_nanos, depth_steps, age_nanos] = from.numbers()?;
    Some(DiskLoad { path, counters: DiskCounters { reads, writes, syncs, in_flight, busy_nanos, depth_steps, age_nanos } })
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn a_point_comes_back_and_no_part_of_one_does() {
        for seed in 0..20 {
            let frame = samples::frame(seed, 1);
            let mut bytes = Vec::new();
            encode(&frame, &mut bytes);
            let bare = || Frame {
                first: frame.first,
                seq: frame.seq,
                time_ms: frame.time_ms,
                duration_nanos: frame.duration_nanos,
                ..Frame::default()
            };
            assert_eq!(decode(bare(), &bytes), Some(frame.clone()));
            // Where the list of pages begins, a point of before there were any ends.
            let mut without = frame.clone();
            without.devices.iter_mut().for_each(|load| load.pages = None);
            let mut earlier = Vec::new();
            encode(&without, &mut earlier);
            for length in 0..bytes.len() {
                let expected = (length == earlier.len()).then(|| without.clone());
                assert_eq!(decode(bare(), &bytes[..length]), expected, "{length} bytes");
            }
            bytes.push(0);
            assert_eq!(decode(bare(), &bytes), None, "a byte too many");
        }
    }

    #[test]
    fn pages_of_a_namespace_without_disks_are_refused() {
        let namespace = || Arc::from("shop");
        let pages = Some(PagesCounters::default());
        let load = DeviceLoad {
            namespace: namespace(),
            flush_queue_bytes: 0,
            defrag_queue_blocks: 0,
            appended_bytes: 0,
            moved_bytes: 0,
            pages,
            disks: Vec::new(),
        };
        let sizes = vec![NamespaceSize { namespace: namespace(), records: 1, bytes: 1 }];
        let [mut with, mut without] = [vec![load], Vec::new()].map(|devices| {
            let mut bytes = Vec::new();
            encode(&Frame { sizes: sizes.clone(), devices, ..Frame::default() }, &mut bytes);
            bytes
        });
        assert!(decode(Frame::default(), &without).is_some() && decode(Frame::default(), &with).is_some());
        // The list is its length, the place of the name, and its numbers.
        without.extend(with.split_off(with.len() - 15));
        assert_eq!(decode(Frame::default(), &without), None);
    }

    #[test]
    fn a_list_that_says_it_is_endless_is_refused() {
        let mut bytes = vec![0; 9];
        varint::push(&mut bytes, u64::MAX);
        assert_eq!(decode(Frame::default(), &bytes), None);
    }
}
