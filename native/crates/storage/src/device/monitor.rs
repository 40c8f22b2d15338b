//! The disks, the queues and the write blocks, for whoever watches.

use super::disks::volume::Member;
use super::write::blocks::{BlockState, Kept};
use super::write::shared::Shared;
use crate::{BlockMap, DeviceGauge, DeviceReport, DiskGauge, DiskReport, DiskUsage, MapCell, Monitor};
use std::sync::atomic::Ordering::Relaxed;
use tessera_io::Operation;

impl Monitor for Shared {
    fn gauge(&self) -> DeviceGauge {
        let disk = |member: &Member| DiskGauge { path: member.label.clone(), counters: member.disk.meter().read() };
        let flush_queue_bytes = self.state.lock().queue.unsynced();
        DeviceGauge {
            disks: self.volume.members().iter().map(disk).collect(),
            flush_queue_bytes,
            defrag_queue_blocks: self.defrag.queued(),
            appended_bytes: self.appended.for_callers.load(Relaxed),
            moved_bytes: self.appended.moved.load(Relaxed),
            pages: None,
        }
    }

    fn report(&self) -> DeviceReport {
        let (gauge, usages) = (self.gauge(), self.disk_usages());
        let disk = |(disk, usage)| DiskReport { usage, latencies: self.latencies(disk) };
        let disks = usages.into_iter().enumerate().map(disk).collect();
        let state = self.state.lock();
        DeviceReport {
            gauge,
            disks,
            block_bytes: self.block_bytes(),
            flush_queue_limit_bytes: self.options.buffer_bytes,
            reserved_blocks: state.queue.space().reserve(),
            freeing_blocks: state.queue.freeing_blocks(),
            cached_blocks: state.queue.cached_blocks(),
            cached_blocks_most: self.options.post_write_cache_bytes / self.block_bytes(),
            memory_reads: self.counters.memory_reads.load(Relaxed),
            disk_reads: self.counters.disk_reads.load(Relaxed),
            failed_flushes: state.flushes.failed(),
            failure: state.flushes.failure().cloned(),
            last_failure: state.flushes.last_failure().cloned(),
        }
    }

    fn maps(&self, cells: usize) -> Vec<BlockMap> {
        let ends = {
            let mut state = self.state.lock();
            state.queue.count();
            state.queue.space().ends()
        };
        let map = |(disk, (usage, end)): (usize, (DiskUsage, u64))| {
            let blocks = (usage.capacity_bytes / self.block_bytes()).max(end);
            self.map(disk, end, blocks, cells)
        };
        self.disk_usages().into_iter().zip(ends).enumerate().map(map).collect()
    }
}

impl Shared {
    /// What is used of each disk.
    pub fn disk_usages(&self) -> Vec<DiskUsage> {
        let state = self.state.lock();
        let members = self.volume.members().iter().zip(state.queue.space().by_disk());
        let usage = |(member, (used_bytes, bound)): (&Member, (u64, Option<u64>))| DiskUsage {
            path: member.label.to_string(),
            kind: member.kind,
            access: member.access,
            capacity_bytes: bound.unwrap_or(0),
            used_bytes,
        };
        members.map(usage).collect()
    }

    fn latencies(&self, disk: usize) -> [Option<(u64, u64)>; 3] {
        let meter = self.volume.members().get(disk).map(|member| member.disk.meter());
        [Operation::Read, Operation::Write, Operation::Sync].map(|operation| {
            let meter = meter?;
            Some((meter.quantile(operation, 0.5)?, meter.quantile(operation, 0.99)?))
        })
    }

    /// A map of a disk's `blocks` blocks, of which those from `end` on were never used.
    fn map(&self, disk: usize, end: u64, blocks: u64, cells: usize) -> BlockMap {
        let blocks_per_cell = blocks.div_ceil(cells.max(1) as u64).max(1);
        let count = |cell: u64| blocks_per_cell.min(blocks - cell * blocks_per_cell);
        let cell = |cell: u64| MapCell { free: count(cell), ..MapCell::default() };
        let mut map: Vec<MapCell> = (0..blocks.div_ceil(blocks_per_cell)).map(cell).collect();
        let mut note = |number: u64, state: BlockState, kept: Kept| {
            let Some(cell) = map.get_mut((number / blocks_per_cell) as usize).filter(|_| state != BlockState::Free) else { return };
            cell.free -= 1;
            let kind = match state {
                BlockState::Open | BlockState::Buffered => &mut cell.writing,
                BlockState::Freeing => &mut cell.freeing,
                BlockState::Unreadable => &mut cell.unreadable,
                BlockState::Free | BlockState::Cached | BlockState::Stored => &mut cell.stored,
            };
            *kind += 1;
            cell.live_bytes += u64::from(kept.live);
            cell.tombstone_bytes += u64::from(kept.tombstones);
            if matches!(state, BlockState::Cached | BlockState::Stored) {
                cell.dead_bytes += self.block_bytes().saturating_sub(u64::from(kept.total()));
            }
        };
        self.blocks.look(disk, 1..end, &mut note);
        if let Some(first) = map.first_mut() {
            first.free -= 1;
            first.stored += 1;
        }
        BlockMap { blocks, blocks_per_cell, cells: map }
    }
}
