//! What goes over is counted once, whichever way it goes.

use super::super::{Access, Disk, DiskCounters, FileDisk, ReadWindow, WriteWindow};
use super::{aligned, backends, disks, file_of, on, pattern};
use std::sync::Arc;

const PAGE: usize = 4096;
const PAGES: u64 = 40;

/// Counts and bytes, reads and then writes; no operation is left in flight, and what was takes time.
fn counted(seen: &DiskCounters) -> [(u64, u64); 2] {
    assert_eq!(seen.in_flight, 0);
    assert!(seen.busy_nanos <= seen.age_nanos && seen.depth_nanos() >= seen.busy_nanos as f64, "{seen:?}");
    for kind in [&seen.reads, &seen.writes] {
        assert!((kind.count == 0) == (kind.nanos == 0), "{seen:?}");
    }
    [(seen.reads.count, seen.reads.bytes), (seen.writes.count, seen.writes.bytes)]
}

#[test]
fn positional_reads_writes_and_syncs_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let disk = FileDisk::open(&dir.path().join("f"), true, Access::Cached).unwrap();
    disk.write_at(&pattern(3 * PAGE, 1), 0).unwrap();
    let mut out = vec![0; PAGE];
    disk.read_at(&mut out, PAGE as u64).unwrap();
    // Past the end: an operation, but no bytes.
    disk.read_at(&mut out, 3 * PAGE as u64).unwrap_err();
    disk.sync().unwrap();
    let seen = disk.meter().read();
    assert_eq!(counted(&seen), [(2, PAGE as u64), (1, 3 * PAGE as u64)]);
    assert_eq!((seen.syncs.count, seen.syncs.bytes), (1, 0));
}

#[test]
fn windows_count_as_single_calls_do() {
    let dir = tempfile::tempdir().unwrap();
    let page = aligned(&pattern(PAGE, 1));
    for backend in backends() {
        for access in [Access::Direct, Access::Cached] {
            let name = |part: &str| format!("{backend:?} {access:?} {part}");
            let first = file_of(&dir, &name("first"), &pattern(PAGES as usize * PAGE, 1), access);
            let second = file_of(&dir, &name("second"), &pattern(PAGE, 2), access);
            let mut window = ReadWindow::open(backend, disks([Arc::clone(&first), Arc::clone(&second)]), 8).unwrap();
            for read in 0..PAGES {
                // Every eighth on the second disk, those from the fourth of them on past its end.
                let (disk, page) = if read % 8 == 7 { (1, u64::from(read > 24)) } else { (0, read) };
                window.start(read, disk, page * PAGE as u64, PAGE).unwrap();
                if window.in_flight() == 8 {
                    window.next();
                }
            }
            while window.next().is_some() {}
            assert_eq!(counted(&first.meter().read())[0], (35, 35 * PAGE as u64), "{backend:?}");
            assert_eq!(counted(&second.meter().read())[0], (5, 3 * PAGE as u64), "{backend:?}");

            let before = counted(&first.meter().read())[1];
            let mut window = WriteWindow::open(backend, 4).unwrap();
            // From behind: neighbours would go as one.
            let pieces: Vec<(u64, &[u8])> = (0..PAGES).rev().map(|at| (at * PAGE as u64, &page[..])).collect();
            window.write(&on(&*first, &pieces)).unwrap();
            let after = counted(&first.meter().read())[1];
            assert_eq!((after.0 - before.0, after.1 - before.1), (PAGES, PAGES * PAGE as u64), "{backend:?}");
        }
    }
}
