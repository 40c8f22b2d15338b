//! The power fails while defragmentation copies into the last block, and nothing else can be freed.

use super::rig::{BLOCK, Index, Rig, State, options};
use crate::device::DeviceOptions;
use crate::{Location, RecordImage, Relocator, Storage};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tessera_base::{Error, ErrorCode, Result};
use tessera_io::faulty::{Event, FaultyDisk};
use tessera_record::Digest;

const BLOCKS: u64 = 8;
const LAST: u64 = BLOCKS - 1;
/// Sectors of the last block that get to the disk: the first with a copy of key 0, and one with copies of some tombstones.
const SECTORS: [usize; 2] = [0, 17];

fn open(image: Vec<u8>) -> Rig {
    Rig::open(&FaultyDisk::with(image), DeviceOptions { capacity_bytes: BLOCKS * BLOCK, ..options() }).unwrap()
}

fn small(key: u32) -> Vec<u8> {
    vec![1 + key as u8; 10]
}

fn large(key: u32) -> Vec<u8> {
    vec![1 + key as u8; 1500]
}

fn records() -> HashMap<u32, Vec<u8>> {
    (0..5).flat_map(|key| [(key, small(key)), (10 + key, large(key))]).collect()
}

/// A device with something wanted in every block but the last, which is free.
fn filled() -> Rig {
    let rig = open(vec![]);
    for key in 0..5 {
        rig.put(key, &small(key)).unwrap();
        rig.put(10 + key, &large(key)).unwrap();
        // Up to the end of the block.
        for part in 20..25 {
            rig.put(part + 5 * key, &[1; 2734]).unwrap();
        }
    }
    (20..45).for_each(|key| rig.remove(key, rig.place(key).unwrap()).unwrap());
    rig.sync().unwrap();
    let rig = open(rig.disk.stable_image());
    assert_eq!(available(&rig), 1);
    rig
}

fn available(rig: &Rig) -> u64 {
    rig.storage.shared.state.lock().queue.space().available()
}

/// The disk as the power fails while the last block is written.
fn crowded() -> Vec<u8> {
    let rig = filled();
    let begun = rig.disk.moment();
    rig.storage.defragment(&rig.index).unwrap();
    let copies = |event: &Event| matches!(event, Event::Write { offset, .. } if *offset == LAST * BLOCK);
    let (written, _) = rig.disk.log().into_iter().find(|(moment, event)| *moment >= begun && copies(event)).unwrap();
    let mut sectors = 0..;
    rig.disk.after_power_loss(written + 1, &mut || sectors.next().is_some_and(|sector| SECTORS.contains(&sector)))
}

#[test]
fn a_crash_in_the_last_block_leaves_room_to_make_room() {
    let rig = open(crowded());
    assert_eq!((rig.index.live(), rig.report.damaged), (records(), 0));
    assert!(rig.report.torn > 0);
    assert_eq!(rig.put(50, b"refused").unwrap_err().code, ErrorCode::DeviceFull);
    for _ in 0..4 {
        rig.storage.defragment(&rig.index).unwrap();
    }
    rig.put(50, b"accepted").unwrap();
    rig.sync().unwrap();
    let mut expected = records();
    expected.insert(50, b"accepted".to_vec());
    assert_eq!(rig.index.live(), expected);
    assert_eq!(open(rig.disk.stable_image()).index.live(), expected);
}

/// An index that takes one copy and then no more.
struct Once<'a>(&'a Index, AtomicBool);

impl Relocator for Once<'_> {
    fn relocate(&self, segment: u16, image: &RecordImage<'_>, from: Location) -> Result<()> {
        match self.1.swap(true, Relaxed) {
            true => Err(Error::new(ErrorCode::StorageFailed, "the device fails")),
            false => self.0.relocate(segment, image, from),
        }
    }

    fn rebury(&self, _: u16, _: &Digest, _: &str) -> Result<()> {
        Err(Error::new(ErrorCode::StorageFailed, "the device fails"))
    }
}

#[test]
fn a_round_that_fails_in_the_last_block_goes_on_there() {
    let rig = filled();
    rig.storage.defragment(&Once(&rig.index, AtomicBool::new(false))).unwrap_err();
    assert_eq!(available(&rig), 0);
    (0..4).for_each(|_| rig.storage.defragment(&rig.index).unwrap());
    rig.put(50, b"accepted").unwrap();
    rig.sync().unwrap();
    assert_eq!(open(rig.disk.stable_image()).index.live(), rig.index.live());
    assert_eq!(rig.index.live().len(), records().len() + 1);
}

#[test]
fn a_copy_without_a_sound_original_stays() {
    let mut image = crowded();
    // A byte of the body that key 0 was copied from.
    image[BLOCK as usize + 384 + 60 + "events".len()] ^= 1;
    let rig = open(image);
    assert_eq!(rig.index.live(), records());
    let Some(State::Body(location, _)) = rig.index.get(0) else { panic!("key 0 is gone") };
    assert_eq!(rig.read(0, location).unwrap(), small(0));
    (0..4).for_each(|_| rig.storage.defragment(&rig.index).unwrap());
    assert_eq!(rig.index.live(), records());
}
