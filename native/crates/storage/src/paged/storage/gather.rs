//! What is told of a paged storage: its space, its disks, its cache, its log.

use super::PagedStorage;
use crate::paged::cache::CacheCounters;
use crate::paged::page::{Kind, PageId};
use crate::paged::report::map::Mapper;
use crate::paged::report::{CacheReport, KINDS, KindReport, LogReport, PageMap, PagesReport, WhatIf};
use crate::paged::space::EXTENT_BYTES;
use crate::pages_counters::{PageReads, PagesCounters, Traffic};
use crate::{BlockMap, DeviceGauge, DeviceReport, DiskGauge, DiskReport, Monitor, Storage, StorageUsage};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tessera_io::{DiskCounters, Operation};

/// Kinds of pages whose reads are counted together: trees, slot maps, records.
const GROUPS: [&[Kind]; 3] = [&[Kind::Inner, Kind::Leaf], &[Kind::SlotMap, Kind::Directory], &[Kind::Data, Kind::Overflow]];

/// Frames of a cache to look at for each second that passed: a few hundred microseconds.
const FRAMES_A_SECOND: u64 = 65_536;

/// The page reads that were counted last.
#[derive(Default)]
pub(super) struct ReadsSeen {
    at: Option<Instant>,
    reads: [PageReads; GROUPS.len()],
}

/// What is told of each page in use: its number, its kind, and how full it is (255: full).
pub type EachPage<'a> = dyn FnMut(PageId, Kind, u8) + 'a;

impl PagedStorage {
    fn page_bytes(&self) -> u64 {
        self.pages().cache().size().bytes() as u64
    }

    /// Pages of the file up to the last that was ever used, and bytes of those of them that nobody has.
    fn extent(&self) -> (u64, u64) {
        let space = self.shared.store.space();
        let usage = space.usage();
        (u64::from(space.page(usage.extents, 0).0), u64::from(usage.free) * u64::from(EXTENT_BYTES))
    }

    /// Bytes of the pages that somebody has.
    pub(super) fn used_bytes(&self) -> u64 {
        let (pages, free_bytes) = self.extent();
        (pages * self.page_bytes()).saturating_sub(free_bytes)
    }

    /// Whatever is read from now on is read for callers and jobs: what the start took says nothing of them.
    pub fn started(&self) {
        self.read_at_start.store(self.counters()[0].reads.bytes, Relaxed);
    }

    fn counters(&self) -> [DiskCounters; 2] {
        [0, 1].map(|at: usize| self.members[at].disk.meter().read())
    }

    pub(super) fn gather_usage(&self) -> StorageUsage {
        let pages = self.pages();
        let (log, records, disks) = (pages.log().counters(), pages.records(), self.counters());
        StorageUsage {
            memory_bytes: pages.cache().heap_bytes() + log.heap_bytes + self.shared.sampler.heap_bytes(),
            device_bytes: self.used_bytes(),
            device_capacity_bytes: self.shared.options.capacity_bytes,
            free_bytes: self.extent().1,
            live_bytes: records.live_bytes(),
            flush_queue_bytes: log.end.saturating_sub(log.durable),
            appended_bytes: records.written.read(),
            bytes_written: disks.iter().map(|disk| disk.writes.bytes).sum(),
            bytes_read: disks.iter().map(|disk| disk.reads.bytes).sum(),
            damaged_reads: records.damaged.load(Relaxed),
            ..StorageUsage::default()
        }
    }

    /// Cache, log, checkpoints and traffic. Looks at each frame of the cache, a few nanoseconds each, and takes no page's lock.
    pub fn report(&self) -> PagesReport {
        let pages = self.pages();
        let (counters, log) = (pages.cache().counters(), pages.log().counters());
        let (end, free_bytes) = self.extent();
        let kind = |name: &&'static str| {
            let kind = Kind::ALL.iter().find(|kind| kind.name() == *name)?;
            let at = *kind as usize;
            let report = KindReport { kind: name, cached: counters.cached[at], hits: counters.hits[at], misses: counters.misses[at] };
            (report.cached > 0 || report.hits + report.misses > 0).then_some(report)
        };
        PagesReport {
            page_bytes: self.page_bytes() as u32,
            pages: end,
            free_pages: free_bytes / self.page_bytes(),
            cache: CacheReport {
                bytes: u64::from(counters.frames) * self.page_bytes(),
                frames: counters.frames,
                used: counters.used,
                dirty: counters.dirty,
                kinds: KINDS.iter().filter_map(kind).collect(),
            },
            log: LogReport {
                ring_bytes: log.ring_bytes,
                needed_bytes: log.needed_bytes,
                end: log.end,
                durable: log.durable,
                records: log.records,
                image_bytes: log.image_bytes,
                syncs: log.syncs,
            },
            checkpoints: self.shared.checkpointer.history(),
            traffic: self.traffic(),
        }
    }

    fn traffic(&self) -> Traffic {
        let (records, [disk, log_disk]) = (self.pages().records(), self.counters());
        Traffic {
            records_read_bytes: records.read.read(),
            records_written_bytes: records.written.read(),
            pages_read_bytes: disk.reads.bytes - self.read_at_start.load(Relaxed),
            pages_written_bytes: disk.writes.bytes,
            log_written_bytes: log_disk.writes.bytes,
        }
    }

    fn pages_counters(&self) -> PagesCounters {
        let log = self.pages().log();
        let [index, slot_map, records] = self.reads();
        PagesCounters {
            log_ring_bytes: log.capacity(),
            log_needed_bytes: log.needed_bytes(),
            traffic: self.traffic(),
            index,
            slot_map,
            records,
        }
    }

    /// Page reads by group of kinds. Hits are counted in the frames, so a large cache is looked at in longer intervals only.
    fn reads(&self) -> [PageReads; GROUPS.len()] {
        let cache = self.pages().cache();
        let mut seen = self.reads_seen.lock();
        let wait = Duration::from_secs(cache.frames() as u64 / FRAMES_A_SECOND);
        if seen.at.is_none_or(|at| at.elapsed() >= wait) {
            let CacheCounters { hits, misses, .. } = cache.counters();
            let sum = |counts: &[u64], kinds: &[Kind]| kinds.iter().map(|kind| counts[*kind as usize]).sum();
            let reads = GROUPS.map(|kinds| PageReads { hits: sum(&hits, kinds), misses: sum(&misses, kinds) });
            *seen = ReadsSeen { at: Some(Instant::now()), reads };
        }
        seen.reads
    }

    /// A map of the pages of at most `cells` cells. `pages` calls what it is given for every page in use: `PagedSegment::pages` of each segment, under its lock.
    pub fn map(&self, cells: usize, pages: &mut dyn FnMut(&mut EachPage<'_>)) -> PageMap {
        let mut mapper = Mapper::new(self.extent().0, cells);
        pages(&mut |page, kind, fill| mapper.add(page, kind, fill));
        self.pages().cache().seen().for_each(|seen| mapper.note(seen));
        mapper.finish(self.pages().log())
    }

    /// What reads would cost with pages of another size: see `what_if`. Works for milliseconds; looks at each frame of the cache.
    pub fn what_if(&self) -> WhatIf {
        let CacheCounters { frames, cached, .. } = self.pages().cache().counters();
        let of_bodies = [Kind::Data, Kind::Overflow];
        let others: u32 = Kind::ALL.iter().filter(|kind| !of_bodies.contains(kind)).map(|kind| cached[*kind as usize]).sum();
        self.shared.sampler.what_if(u64::from(frames.saturating_sub(others)) * self.page_bytes())
    }
}

impl Monitor for PagedStorage {
    fn gauge(&self) -> DeviceGauge {
        let log = self.pages().log();
        let disk = |member: &super::Member| DiskGauge { path: Arc::from(member.name), counters: member.disk.meter().read() };
        DeviceGauge {
            disks: self.members.iter().map(disk).collect(),
            flush_queue_bytes: log.end().saturating_sub(log.durable()),
            defrag_queue_blocks: 0,
            appended_bytes: self.pages().records().written.read(),
            moved_bytes: 0,
            pages: Some(self.pages_counters()),
        }
    }

    fn report(&self) -> DeviceReport {
        let pages = self.pages();
        let counters = pages.cache().counters();
        let disks = self.disks().into_iter().zip(&self.members).map(|(usage, member)| {
            let meter = member.disk.meter();
            let latencies = [Operation::Read, Operation::Write, Operation::Sync]
                .map(|operation| Some((meter.quantile(operation, 0.5)?, meter.quantile(operation, 0.99)?)));
            DiskReport { usage, latencies }
        });
        let (failed_flushes, last_failure) = pages.failures();
        DeviceReport {
            gauge: self.gauge(),
            disks: disks.collect(),
            block_bytes: self.page_bytes(),
            flush_queue_limit_bytes: pages.log().capacity(),
            reserved_blocks: 0,
            freeing_blocks: 0,
            cached_blocks: u64::from(counters.used),
            cached_blocks_most: u64::from(counters.frames),
            memory_reads: counters.hits.iter().sum(),
            disk_reads: counters.misses.iter().sum(),
            failed_flushes,
            failure: pages.failure(),
            last_failure,
        }
    }

    /// Nothing: pages have a map of their own, `PagedStorage::map`.
    fn maps(&self, _: usize) -> Vec<BlockMap> {
        Vec::new()
    }
}
