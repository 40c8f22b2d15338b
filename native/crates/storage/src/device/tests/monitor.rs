//! What the monitor says agrees with the storage's own sums.

use super::rig::{BLOCK, Rig, options};
use crate::device::DeviceOptions;
use crate::device::format::place::Place;
use crate::device::write::blocks::BlockState;
use crate::{BlockMap, DeviceReport, MapCell, Monitor, Storage};
use tessera_base::clock::unix_millis;
use tessera_io::faulty::{Fault, FaultyDisk};

fn sum(maps: &[BlockMap]) -> MapCell {
    let mut sum = MapCell::default();
    for cell in maps.iter().flat_map(|map| &map.cells) {
        sum.free += cell.free;
        sum.writing += cell.writing;
        sum.stored += cell.stored;
        sum.freeing += cell.freeing;
        sum.unreadable += cell.unreadable;
        sum.live_bytes += cell.live_bytes;
        sum.tombstone_bytes += cell.tombstone_bytes;
        sum.dead_bytes += cell.dead_bytes;
    }
    sum
}

/// The report and maps of so many cells, once their sums are found to be those of `usage`.
fn checked(rig: &Rig, cells: usize) -> (DeviceReport, Vec<BlockMap>) {
    let (report, maps, usage) = (rig.storage.shared.report(), rig.storage.shared.maps(cells), rig.storage.usage());
    let sum = sum(&maps);
    assert_eq!((sum.used() * BLOCK, sum.freeing), (usage.device_bytes, report.freeing_blocks), "{sum:?}");
    let places = rig.index.live().into_keys().filter_map(|key| rig.place(key));
    let live: u64 = places.map(|location| u64::from(Place::unpack(location).length)).sum();
    assert_eq!((sum.live_bytes, sum.tombstone_bytes), (live, usage.tombstone_bytes));
    for map in &maps {
        assert!(map.cells.len() <= cells);
        assert_eq!(map.cells.iter().map(MapCell::blocks).sum::<u64>(), map.blocks);
        let (last, whole) = map.cells.split_last().unwrap();
        assert!(whole.iter().all(|cell| cell.blocks() == map.blocks_per_cell));
        assert!((1..=map.blocks_per_cell).contains(&last.blocks()));
    }
    let cached = |number: &u64| rig.storage.shared.blocks.state(*number) == BlockState::Cached;
    let numbers = rig.storage.shared.state.lock().queue.space().numbers();
    assert_eq!(numbers.filter(cached).count() as u64, report.cached_blocks);
    (report, maps)
}

#[test]
fn the_map_adds_up_to_what_is_used() {
    let rig = Rig::open(&FaultyDisk::default(), DeviceOptions { capacity_bytes: 40 * BLOCK, ..options() }).unwrap();
    let held = |cells| sum(&checked(&rig, cells).1);
    assert_eq!((held(7).used(), held(7).free), (1, 39));
    // A block each, but for the last, which is open.
    for key in 0..20 {
        rig.put(key, &[1; 15_000]).unwrap();
    }
    assert_eq!(held(1000).writing, 20);
    rig.sync().unwrap();
    for cells in [1, 2, 3, 39, 40, 41, 4096] {
        let (_, maps) = checked(&rig, cells);
        let sum = sum(&maps);
        assert_eq!((sum.writing, sum.stored, sum.free), (1, 20, 19), "the header's block is stored too");
        assert_eq!(sum.dead_bytes, 19 * BLOCK - sum.live_bytes / 20 * 19, "what entries leave of their blocks");
        assert_eq!(maps[0].cells.len(), if cells == 39 { 20 } else { cells.min(40) });
    }
    // Some die, and their blocks are given back.
    for key in 0..5 {
        rig.remove(key, rig.place(key).unwrap()).unwrap();
    }
    rig.sync().unwrap();
    assert!(held(16).tombstone_bytes > 0);
    assert_eq!(checked(&rig, 16).0.gauge.defrag_queue_blocks, 5);
    rig.storage.defragment(&rig.index).unwrap();
    assert_eq!(checked(&rig, 16).0.freeing_blocks, 5);
    rig.sync().unwrap();
    rig.storage.shared.settle_marks().unwrap();
    assert_eq!((checked(&rig, 16).0.freeing_blocks, held(16).free), (0, 24));
}

#[test]
fn queues_caches_and_failures_are_told() {
    let disk = FaultyDisk::default();
    let rig = Rig::open(&disk, DeviceOptions { post_write_cache_bytes: 2 * BLOCK, ..options() }).unwrap();
    let places: Vec<_> = (0..6).map(|key| rig.put(key, &[1; 15_000]).unwrap()).collect();
    let told = || checked(&rig, 4).0;
    let waiting = told();
    assert!(waiting.gauge.flush_queue_bytes >= 90_000 && waiting.flush_queue_limit_bytes >= waiting.gauge.flush_queue_bytes);
    assert!(waiting.last_failure.is_none());
    disk.set_fault(Some(Fault::Write(libc::EIO)));
    let begun = unix_millis();
    rig.sync().unwrap_err();
    let failed = told();
    // What failed is tried again by itself, so once more may have failed meanwhile.
    assert!(failed.failed_flushes >= 1 && failed.failure.is_some());
    disk.set_fault(None);
    rig.sync().unwrap();
    // The newest stored blocks and the open one are in memory; key 0 is not.
    for key in [0, 4, 5] {
        rig.read(key, places[key as usize]).unwrap();
    }
    let report = told();
    assert_eq!((report.cached_blocks, report.cached_blocks_most), (2, 2));
    assert_eq!((report.memory_reads, report.disk_reads), (2, 1));
    assert_eq!((report.failure, report.gauge.flush_queue_bytes), (None, 0));
    assert!(report.failed_flushes >= failed.failed_flushes);
    let last = report.last_failure.unwrap();
    assert_eq!(Some(last.error), failed.failure, "told after it is gone");
    assert!((begun..=unix_millis()).contains(&last.at_ms));
    assert_eq!(report.gauge.appended_bytes, rig.storage.usage().appended_bytes);
    let counters = report.gauge.disks[0].counters;
    assert!(counters.writes.bytes > report.gauge.appended_bytes && counters.syncs.count > 0 && counters.reads.count > 0);
    assert!(report.disks[0].latencies.iter().all(|latency| latency.is_some_and(|(median, high)| median <= high)));
}
