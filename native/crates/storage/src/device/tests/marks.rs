//! The marks of a run: how much is written for them, and slots that cannot be written.

use super::rig::{BLOCK, Rig, State, options};
use crate::Storage;
use crate::device::DeviceOptions;
use crate::device::format::place::Place;
use crate::device::write::mark::{slot_at, slot_bytes};
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_base::wait_until;
use tessera_io::faulty::{Event, Fault, FaultyDisk};

/// Large enough for full marks.
const LARGE: u64 = 32 * 1024;

fn large() -> DeviceOptions {
    DeviceOptions { write_block_bytes: LARGE as u32, ..options() }
}

/// Writes what waits, and a mark.
fn mark(rig: &Rig) -> tessera_base::Result<()> {
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

/// A bad sector in the slot that mark `number` goes to.
fn bad_slot(number: u64) -> Fault {
    let from = slot_at(BLOCK as usize, number);
    Fault::WriteIn { from, to: from + slot_bytes(BLOCK as usize) as u64, code: 5 }
}

#[test]
fn a_slot_that_cannot_be_written_keeps_no_write_and_no_start_out() {
    for slot in [0, 1] {
        let options = || DeviceOptions { mark_after: Duration::from_millis(1), ..options() };
        let disk = FaultyDisk::default();
        let rig = Rig::open(&disk, options()).unwrap();
        disk.set_fault(Some(bad_slot(slot)));
        let mut last = None;
        for key in 0..6 {
            last = Some(rig.put(key, &[1; 1000]).unwrap());
            rig.sync().unwrap();
            // Each sync is told of, in the other slot.
            wait_until(|| rig.storage.is_marked());
            assert!(rig.storage.failure().is_none());
        }
        let trouble = rig.storage.trouble().unwrap();
        assert_eq!(trouble.code, ErrorCode::StorageFailed);
        assert!(trouble.message.contains(&format!("{} of data.tsr", slot_at(BLOCK as usize, slot) / 4096 * 4096)), "{}", trouble.message);

        // What the newest mark tells of is known to be gone after a kill.
        let mut image = disk.image();
        let end = Place::unpack(last.unwrap()).offset as usize;
        image[end..end + 1100].fill(0);
        let damaged = Rig::open(&FaultyDisk::with(image), options()).unwrap();
        assert_eq!((damaged.report.damaged, damaged.report.torn, damaged.index.live().len()), (1, 0, 5));

        let killed = FaultyDisk::with(disk.image());
        killed.set_fault(Some(bad_slot(slot)));
        let again = Rig::open(&killed, options()).unwrap();
        assert_eq!((again.report.damaged, again.report.torn, again.index.live().len()), (0, 0, 6));
        assert!(again.storage.trouble().is_some());
        again.put(7, b"more").unwrap();
        again.storage.close().unwrap();
        // The close is known all the same.
        assert_eq!(again.storage.stamp() % 2, 1);
        killed.set_fault(None);
        let mended = Rig::open(&killed, options()).unwrap();
        assert_eq!((mended.index.live().len(), mended.storage.trouble()), (7, None));
    }
}

#[test]
fn without_any_slot_a_start_fails() {
    let rig = Rig::new();
    rig.put(1, b"kept").unwrap();
    rig.storage.close().unwrap();
    let disk = FaultyDisk::with(rig.disk.image());
    disk.set_fault(Some(Fault::WriteIn { from: 4096, to: BLOCK, code: 5 }));
    let error = Rig::open(&disk, options()).err().unwrap();
    assert_eq!(error.code, ErrorCode::StorageFailed);
    assert!(error.message.contains("of data.tsr"), "{}", error.message);
    disk.set_fault(None);
    assert_eq!(Rig::open(&disk, options()).unwrap().index.live()[&1], b"kept");
}

#[test]
fn a_mark_names_what_was_synced_before_it() {
    let rig = Rig::new();
    let places: Vec<_> = (0..3).map(|key| rig.put(key, &[1; 1000]).unwrap()).collect();
    rig.sync().unwrap();
    // These go to the disk with the mark, which tells nothing of them.
    for key in 3..6 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    mark(&rig).unwrap();
    let mut image = rig.disk.image();
    let from = Place::unpack(places[1]).offset as usize;
    image[from..from + 100].fill(0);
    let again = Rig::open(&FaultyDisk::with(image), options()).unwrap();
    assert_eq!((again.report.damaged, again.report.torn, again.report.losses.len()), (1, 0, 0));
    assert_eq!(again.index.get(1), Some(State::Damaged(places[1])));
    assert_eq!(again.index.live().len(), 5);
}
