use super::super::faulty::{Fault, FaultyDisk};
use super::super::{Arrived, CoalescedReads, MOST_BYTES_TOGETHER, ReadRange, ReadWindow};
use super::{backends, disks, pattern};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PAGE: u64 = 512;
const PAGES: u64 = 1024;

fn range(disk: usize, page: u64, pages: u64) -> ReadRange {
    ReadRange { disk, start: page * PAGE, end: (page + pages) * PAGE }
}

/// A reader over two disks, and what they hold.
fn reader(backend: super::Backend, gap: Option<u64>) -> (CoalescedReads<usize>, [FaultyDisk; 2]) {
    let images = [1, 2].map(|seed| FaultyDisk::with(pattern((PAGES * PAGE) as usize, seed)));
    let window = ReadWindow::open(backend, disks(images.clone().map(|disk| Arc::new(disk) as _)), 8).unwrap();
    (CoalescedReads::new(window, 2, gap), images)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_item_comes_once_with_the_bytes_that_were_asked_for(
        gap in prop::option::of(0..8 * PAGE),
        mut wanted in prop::collection::vec((0_usize..2, 0..PAGES - 8, 1_u64..8), 1..300),
        asks_ahead in 1_usize..8,
    ) {
        if gap.is_some() {
            wanted.sort_unstable();
        }
        for backend in backends() {
            let (mut reads, images) = reader(backend, gap);
            let images = images.map(|disk| disk.image());
            let (mut asked, mut given, mut bytes, mut seen) = (0, 0, 0, vec![0; wanted.len()]);
            loop {
                while asked < wanted.len() && reads.has_room(0) {
                    let (disk, page, pages) = wanted[asked];
                    reads.ask(asked, range(disk, page, pages));
                    asked += 1;
                }
                let Some((item, arrived)) = reads.next_item() else { break };
                let Arrived { range: read, first } = arrived.unwrap();
                bytes += if first { read.bytes() } else { 0 };
                given += 1;
                // With a gap, asking does not take away what is looked at.
                while gap.is_some() && asked < wanted.len() && asked - given < asks_ahead {
                    let (disk, page, pages) = wanted[asked];
                    reads.ask(asked, range(disk, page, pages));
                    asked += 1;
                }
                let (disk, page, pages) = wanted[item];
                let own = range(disk, page, pages);
                prop_assert!(read.disk == own.disk && read.start <= own.start && own.end <= read.end);
                prop_assert!(read.bytes() <= MOST_BYTES_TOGETHER);
                let lent = &reads.lent()[(own.start - read.start) as usize..][..own.bytes() as usize];
                prop_assert_eq!(lent, &images[disk][own.start as usize..own.end as usize]);
                seen[item] += 1;
            }
            prop_assert!(seen.iter().all(|&times| times == 1));
            prop_assert_eq!(bytes, reads.bytes());
        }
    }
}

#[test]
fn neighbours_come_with_one_read_and_others_do_not() {
    for backend in backends() {
        for (gap, reads_of) in [(None, 3), (Some(0), 2), (Some(PAGE), 1)] {
            let (mut reads, _) = reader(backend, gap);
            [0, 1, 3].into_iter().enumerate().for_each(|(item, page)| reads.ask(item, range(0, page, 1)));
            let arrived: Vec<Arrived> = std::iter::from_fn(|| reads.next_item()).map(|(_, arrived)| arrived.unwrap()).collect();
            assert_eq!((arrived.len(), arrived.iter().filter(|one| one.first).count()), (3, reads_of));
        }
    }
}

#[test]
fn items_of_a_read_that_fails_are_to_be_read_alone() {
    for backend in backends() {
        for gap in [None, Some(PAGE)] {
            let (mut reads, images) = reader(backend, gap);
            images[1].set_fault(Some(Fault::Read { from: PAGE, to: 2 * PAGE, code: libc::EIO }));
            // The first cannot even be started: there is no such disk.
            let wanted = [range(2, 0, 1), range(0, 0, 1), range(1, 0, 1), range(1, 1, 1)];
            wanted.into_iter().enumerate().for_each(|(item, range)| reads.ask(item, range));
            assert!(reads.wait_until(Instant::now() + Duration::from_secs(60)));
            let mut alone: Vec<usize> =
                std::iter::from_fn(|| reads.next_item()).filter(|(_, arrived)| arrived.is_none()).map(|(item, _)| item).collect();
            alone.sort_unstable();
            assert_eq!(alone, if gap.is_some() { vec![0, 2, 3] } else { vec![0, 3] });
            assert_eq!(reads.into_window().in_flight(), 0);
        }
    }
}
