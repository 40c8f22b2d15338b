//! Defragmentation that is cut short, and a device with nothing to gain.

use super::rig::{BLOCK, Index, Rig, State, digest, options};
use crate::device::DeviceOptions;
use crate::{Location, RecordImage, Relocator, Storage};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use tessera_base::{Error, ErrorCode, Result};
use tessera_io::faulty::{Event, FaultyDisk};
use tessera_record::Digest;

/// An index that has no room for what a test picks.
struct Full<'a, R, T> {
    index: &'a Index,
    record: R,
    tombstone: T,
}

impl<R: Fn(&Digest) -> bool, T: Fn() -> bool> Relocator for Full<'_, R, T> {
    fn relocate(&self, segment: u16, image: &RecordImage<'_>, from: Location) -> Result<()> {
        room(!(self.record)(&image.digest))?;
        self.index.relocate(segment, image, from)
    }

    fn rebury(&self, segment: u16, digest: &Digest, set: &str) -> Result<()> {
        room(!(self.tombstone)())?;
        self.index.rebury(segment, digest, set)
    }
}

fn room(there_is: bool) -> Result<()> {
    if there_is { Ok(()) } else { Err(Error::new(ErrorCode::DeviceFull, "no room")) }
}

#[test]
fn a_block_that_cannot_be_emptied_keeps_no_other_from_being_freed() {
    let rig = Rig::open(&FaultyDisk::default(), DeviceOptions { capacity_bytes: 8 * BLOCK, ..options() }).unwrap();
    rig.put(0, &[1; 15_000]).unwrap();
    rig.put(1, &[1; 500]).unwrap();
    for key in 2..5 {
        rig.put(key, &[1; 14_000]).unwrap();
    }
    // Nothing is wanted of the first block, and little of the second.
    for key in [0, 2] {
        rig.remove(key, rig.place(key).unwrap()).unwrap();
    }
    rig.sync().unwrap();
    let shared = &rig.storage.shared;
    let available = || shared.state.lock().queue.space().available();
    let before = available();
    let index = Full { index: &rig.index, record: |of: &Digest| *of == digest(1), tombstone: || false };
    let error = rig.storage.defragment(&index).unwrap_err();
    assert_eq!(error.code, ErrorCode::DeviceFull);
    assert_eq!(available(), before + 1);
}

#[test]
fn a_round_that_fails_half_way_loses_no_tombstone() {
    let rig = Rig::new();
    for key in 0..5 {
        rig.put(key, b"old").unwrap();
    }
    rig.put(50, &[1; 15_000]).unwrap();
    rig.put(51, &[1; 15_700]).unwrap();
    for key in 0..5 {
        rig.remove(key, rig.place(key).unwrap()).unwrap();
    }
    rig.put(60, &[1; 12_000]).unwrap();
    rig.put(61, &[1; 8_000]).unwrap();
    rig.sync().unwrap();
    rig.put(60, &[2; 100]).unwrap();
    rig.sync().unwrap();
    let cut_short = |room: u32| {
        let taken = AtomicU32::new(0);
        let index = Full { index: &rig.index, record: |_: &Digest| false, tombstone: || taken.fetch_add(1, Relaxed) >= room };
        rig.storage.defragment(&index).is_err()
    };
    assert!([2, 1].map(cut_short).contains(&true));
    // Whatever a last round does, and however it ends.
    cut_short(0);
    rig.storage.close().unwrap();
    let again = rig.reopened();
    assert!((0..5).all(|key| !matches!(again.index.get(key), Some(State::Body(..)))), "a deleted record is back");
}

#[test]
fn a_full_device_is_left_alone_until_something_dies() {
    let rig = Rig::open(&FaultyDisk::default(), DeviceOptions { capacity_bytes: 10 * BLOCK, ..options() }).unwrap();
    assert!(rig.storage.defragments());
    let fill = |key: u32| rig.put(key, &[1; 15_500]).and_then(|_| rig.sync());
    (0..6).for_each(|key| fill(key).unwrap());
    // Little room is left when this offers a block, which is then found by looking for the emptiest.
    fill(0).unwrap();
    let shared = &rig.storage.shared;
    let settle = || {
        while shared.hopeful() {
            rig.storage.defragment(&rig.index).unwrap();
        }
    };
    settle();
    while fill(10 + rig.index.live().len() as u32).is_ok() {
        settle();
    }
    settle();
    assert!(shared.defrag.agenda().offered.is_empty(), "rounds without end");
    fill(1).unwrap_err();
    rig.remove(2, rig.place(2).unwrap()).unwrap();
    assert!(shared.hopeful());
    settle();
    fill(1).unwrap();
}

#[test]
fn copies_of_tombstones_in_the_last_blocks_do_not_keep_an_empty_device_full() {
    let options = || DeviceOptions { capacity_bytes: 8 * BLOCK, ..options() };
    let mut rig = Rig::open(&FaultyDisk::default(), options()).unwrap();
    rig.put(9, b"stays").unwrap();
    for key in 0..5 {
        rig.put(key, &[1; 15_000]).unwrap();
        rig.remove(key, rig.place(key).unwrap()).unwrap();
    }
    // Again and again the power fails when what defragmentation copied is stored, and the blocks it came from are not yet
    // marked as free.
    let available = |rig: &Rig| rig.storage.shared.state.lock().queue.space().available();
    for _ in 0..8 {
        if available(&rig) == 0 {
            break;
        }
        let begun = rig.disk.moment();
        rig.storage.defragment(&rig.index).unwrap();
        let copied = rig.disk.log().into_iter().find(|(moment, event)| *moment >= begun && matches!(event, Event::Sync)).unwrap().0;
        let image = rig.disk.after_power_loss(copied + 1, &mut || false);
        rig = Rig::open(&FaultyDisk::with(image), options()).unwrap();
    }
    assert_eq!(available(&rig), 0);
    assert_eq!(rig.put(10, b"refused").unwrap_err().code, ErrorCode::DeviceFull);
    for _ in 0..4 {
        rig.storage.defragment(&rig.index).unwrap();
    }
    rig.put(10, b"accepted").unwrap();
    rig.sync().unwrap();
    let again = Rig::open(&FaultyDisk::with(rig.disk.stable_image()), options()).unwrap();
    let expected = [(9, b"stays".to_vec()), (10, b"accepted".to_vec())];
    assert_eq!(again.index.live(), expected.into());
}
