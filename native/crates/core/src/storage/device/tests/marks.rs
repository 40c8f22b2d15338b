//! The marks of a run: how much is written for them.

use super::rig::{Rig, options};
use crate::storage::Storage;
use crate::storage::device::DeviceOptions;
use crate::storage::io::faulty::{Event, FaultyDisk};

/// Large enough for full marks.
const LARGE: u64 = 32 * 1024;

fn large() -> DeviceOptions {
    DeviceOptions { write_block_bytes: LARGE as u32, ..options() }
}

/// Writes what waits, and a mark.
fn mark(rig: &Rig) -> crate::Result<()> {
    rig.storage.shared.mark(&mut rig.storage.shared.state.lock(), false)
}

/// Lengths of the marks that were written from `moment` on.
fn marks_since(disk: &FaultyDisk, moment: usize) -> Vec<usize> {
    let in_slots = |event: Event| match event {
        Event::Write { offset, bytes } if (4096..LARGE).contains(&offset) => Some(bytes.len()),
        _ => None,
    };
    disk.log().into_iter().filter(|(at, _)| *at >= moment).filter_map(|(_, event)| in_slots(event)).collect()
}

#[test]
fn a_mark_writes_the_newest_blocks_alone() {
    let rig = Rig::open(&FaultyDisk::default(), large()).unwrap();
    for key in 0..250 {
        rig.put(key, &[1; 20_000]).unwrap();
    }
    rig.storage.close().unwrap();
    let rig = Rig::open(&FaultyDisk::with(rig.disk.image()), large()).unwrap();
    let started = rig.disk.moment();
    assert_eq!(marks_since(&rig.disk, 0), [LARGE as usize / 4; 2]);
    for round in 1..=4 {
        rig.put(1000, &[round; 1000]).unwrap();
        rig.sync().unwrap();
        mark(&rig).unwrap();
        assert_eq!(marks_since(&rig.disk, started), vec![4096; usize::from(round)]);
    }
}
