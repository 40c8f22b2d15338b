//! Bits that rot: the one record says so, an older copy never takes its place, everything else is served.

use super::rig::{BLOCK, Rig, State, options};
use crate::Storage;
use crate::device::DeviceOptions;
use crate::device::format::parity::{Parity, headers};
use crate::device::format::place::Place;
use crate::device::format::seal::Seal;
use crate::device::format::summary::Summary;
use proptest::prelude::*;
use tessera_base::ErrorCode;
use tessera_io::faulty::{Fault, FaultyDisk};

#[test]
fn a_rotten_body_is_that_records_error_alone() {
    let rig = Rig::new();
    let places: Vec<_> = (0..40).map(|key| rig.put(key, &[key as u8; 1000]).unwrap()).collect();
    rig.sync().unwrap();
    let offset = Place::unpack(places[3]).offset;
    rig.disk.flip(offset + 500, 4);
    let error = rig.read(3, places[3]).unwrap_err();
    assert_eq!(error.code, ErrorCode::RecordDamaged);
    assert!(error.message.contains(&format!("at {offset} of data.tsr")), "{}", error.message);
    for key in (0..40).filter(|key| *key != 3) {
        assert_eq!(rig.read(key, places[key as usize]).unwrap(), [key as u8; 1000]);
    }
    rig.disk.flip(offset + 500, 4);
    rig.disk.flip(offset + 17, 1);
    assert_eq!(rig.read(3, places[3]).unwrap_err().code, ErrorCode::RecordDamaged);
    rig.disk.set_fault(Some(Fault::Read { from: offset, to: offset + 1, code: 5 }));
    assert_eq!(rig.read(3, places[3]).unwrap_err().code, ErrorCode::StorageFailed);
}

#[test]
fn recovery_reports_the_place_and_serves_no_older_copy() {
    let rig = Rig::new();
    rig.put(1, b"older").unwrap();
    rig.put(2, b"other").unwrap();
    let newer = rig.put(1, b"newer").unwrap();
    rig.storage.close().unwrap();
    let offset = Place::unpack(newer).offset;
    rig.disk.flip(offset + 68, 1);
    let again = rig.reopened();
    assert_eq!(again.report.damage, [(offset, "a record with a damaged body".to_owned())]);
    assert_eq!((again.report.damaged, again.report.torn), (1, 0));
    assert_eq!(again.index.get(1), Some(State::Damaged(newer)));
    assert_eq!(again.read(1, newer).unwrap_err().code, ErrorCode::RecordDamaged);
    assert_eq!(again.index.live()[&2], b"other");
}

/// The close of a run goes with its block when that is rewritten; rot in the run's other blocks is no torn write for that,
/// whatever an earlier run left torn.
#[test]
fn recovery_reports_the_place_when_the_close_of_its_run_is_gone() {
    for earlier in [false, true] {
        let mut rig = Rig::new();
        if earlier {
            for key in 100..110 {
                rig.put(key, &[1; 1000]).unwrap();
            }
            let torn = rig.put(99, b"never acknowledged").unwrap();
            rig.sync().unwrap();
            rig.disk.flip(Place::unpack(torn).offset + 70, 1);
            rig = rig.reopened();
        }
        assert_eq!((rig.report.damaged, rig.report.torn), (0, u64::from(earlier)));
        let places: Vec<_> = (0..33).map(|key| rig.put(key, &[key as u8; 1000]).unwrap()).collect();
        rig.storage.close().unwrap();
        let second = rig.reopened();
        second.storage.defragment(&second.index).unwrap();
        assert_ne!(second.place(32), Some(places[32]));
        second.storage.close().unwrap();
        second.disk.flip(Place::unpack(places[0]).offset + 500, 1);
        let mut again = second;
        for _ in 0..2 {
            again = again.reopened();
            assert_eq!((again.report.damaged, again.report.torn), (1, 0));
            assert_eq!(again.index.get(0), Some(State::Damaged(places[0])));
            assert_eq!(again.index.live().len(), if earlier { 42 } else { 32 });
        }
    }
}

#[test]
fn a_torn_tail_of_a_crashed_run_is_no_damage_then_or_later() {
    let rig = Rig::new();
    rig.put(1, b"older").unwrap();
    rig.sync().unwrap();
    let newer = rig.put(1, b"newer, never acknowledged").unwrap();
    let storage = &rig.storage;
    storage.sync(storage.write_point()).unwrap();
    // Pretend that this sync never came back and its write was torn.
    rig.disk.flip(Place::unpack(newer).offset + 70, 1);
    let second = rig.reopened();
    assert_eq!((second.report.damaged, second.report.torn), (0, 1));
    assert_eq!(second.index.live()[&1], b"older");
    second.put(2, b"goes on").unwrap();
    second.storage.close().unwrap();
    // The block was closed before it.
    let third = second.reopened();
    assert_eq!((third.report.damaged, third.report.torn), (0, 0));
    assert_eq!(third.index.live().len(), 2);
}

/// Writing behind a cut would make a cut record of zeros whole, as a hole in a file reads as zeros: so it is found at once, and not
/// only when an older copy has been served in its place.
#[test]
fn a_cut_record_of_zeros_is_whole_before_the_file_grows_over_it() {
    let rig = Rig::new();
    rig.put(1, b"first").unwrap();
    rig.put(1, &[0; 900]).unwrap();
    rig.storage.close().unwrap();
    let mut image = rig.disk.image();
    let (start, end) = (BLOCK as usize, BLOCK as usize + 384 + 80);
    image[start..end].fill(0);
    image.truncate(end + 400);
    let again = Rig::open(&FaultyDisk::with(image), options()).unwrap();
    assert_eq!(again.index.live()[&1], [0; 900]);
    assert_eq!(again.read(1, again.place(1).unwrap()).unwrap(), [0; 900]);
    again.put(1, b"newest").unwrap();
    again.storage.close().unwrap();
    assert_eq!(again.reopened().index.live()[&1], b"newest");
}

#[test]
fn a_block_that_cannot_be_read_costs_only_itself() {
    let rig = Rig::new();
    for key in 0..60 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    rig.storage.close().unwrap();
    let disk = FaultyDisk::with(rig.disk.image());
    disk.set_fault(Some(Fault::Read { from: 2 * BLOCK, to: 2 * BLOCK + 1, code: 5 }));
    let again = Rig::open(&disk, options()).unwrap();
    assert!(again.report.damage.iter().all(|(place, _)| place / BLOCK == 2), "{:?}", again.report.damage);
    assert_eq!(again.index.live().len(), 60 - 14);
    // What it had is known in figures.
    assert!(again.report.losses[0].message.contains("about 14 entries"), "{:?}", again.report.losses);
}

/// Once as a part of what is read together, once alone, and once more.
#[test]
fn a_read_that_fails_is_tried_again() {
    let rig = Rig::new();
    for key in 0..60 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    rig.storage.close().unwrap();
    let image = rig.disk.image();
    let strict = || DeviceOptions { accept_loss: false, ..options() };
    for times in 1..=2 {
        let disk = FaultyDisk::with(image.clone());
        disk.set_fault(Some(Fault::Reads { from: 2 * BLOCK, to: 2 * BLOCK + 1, code: 5, times }));
        let again = Rig::open(&disk, strict()).unwrap();
        assert_eq!((again.index.live().len(), again.report.damaged), (60, 0), "{times} times");
    }
    let disk = FaultyDisk::with(image.clone());
    disk.set_fault(Some(Fault::Read { from: 2 * BLOCK, to: 2 * BLOCK + 1, code: 5 }));
    let error = Rig::open(&disk, strict()).err().unwrap();
    assert_eq!(error.code, ErrorCode::LogDamaged);
    for part in ["cannot be read", "os error 5", "32768 of data.tsr", "about 14 entries", "not damage"] {
        assert!(error.message.contains(part), "{part}: {}", error.message);
    }
    // Nothing was changed, so it is enough to open it again.
    assert!(disk.image() == image);
    disk.set_fault(None);
    let again = Rig::open(&disk, strict()).unwrap();
    assert_eq!((again.index.live().len(), again.report.damaged), (60, 0));
}

/// What could not be read when a run began may have been torn: nothing is vouched for then.
#[test]
fn a_torn_write_that_one_start_could_not_read_is_torn_for_the_next() {
    let rig = Rig::new();
    for key in 1..=15 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    rig.sync().unwrap();
    let newer = rig.put(1, &[2; 1000]).unwrap();
    rig.sync().unwrap();
    let block = Place::unpack(newer).offset / BLOCK * BLOCK;
    assert_eq!(block, 2 * BLOCK);
    rig.disk.flip(Place::unpack(newer).offset + 70, 1);
    let disk = FaultyDisk::with(rig.disk.image());
    disk.set_fault(Some(Fault::Read { from: block, to: block + 1, code: 5 }));
    let unreadable = Rig::open(&disk, options()).unwrap();
    assert_eq!((unreadable.report.damage[0].0, unreadable.report.torn), (block, 0));
    drop(unreadable);
    disk.set_fault(None);
    let again = Rig::open(&disk, options()).unwrap();
    assert_eq!((again.report.damaged, again.report.torn), (0, 1));
    assert_eq!(again.index.live()[&1], [1; 1000]);
}

proptest! {
    #[test]
    fn no_mutation_makes_a_wrong_record(
        hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 1usize..2000), 1..8), cut: prop::sample::Index, orderly: bool,
    ) {
        let rig = Rig::new();
        for round in 0..3u8 {
            for key in 0..20 {
                rig.put(key, &[round; 900]).unwrap();
            }
        }
        if orderly { rig.storage.close().unwrap() } else { rig.sync().unwrap() }
        let mut image = rig.disk.image();
        for (at, byte, length) in hits {
            let at = at.index(image.len());
            let end = (at + length).min(image.len());
            image[at..end].fill(byte);
        }
        let cut = cut.index(image.len() * 2);
        image.truncate(cut);
        if let Ok(again) = Rig::open(&FaultyDisk::with(image), options()) {
            for (key, body) in again.index.live() {
                prop_assert!(key < 20 && body.len() == 900 && body.iter().all(|b| *b == body[0] && *b < 3));
            }
            again.put(1, b"still writable").unwrap();
            again.storage.close().unwrap();
            prop_assert_eq!(&again.reopened().index.live()[&1], b"still writable");
        }
    }
}

#[test]
fn the_end_of_the_last_block_of_a_run_is_known_once_the_next_has_begun() {
    let rig = Rig::new();
    rig.put(1, b"older").unwrap();
    let newer = rig.put(1, b"newer").unwrap();
    rig.storage.close().unwrap();
    let mut image = rig.reopened().disk.image();
    // The last record, and the close behind it.
    let end = Place::unpack(newer).offset as usize;
    image[end..end + 256].fill(0);
    let again = Rig::open(&FaultyDisk::with(image), options()).unwrap();
    assert_eq!(again.report.torn, 0);
    assert!(again.report.damaged > 0);
    assert!(again.index.get(1) == Some(State::Damaged(newer)) || !again.report.losses.is_empty());
}

/// Damage at either end leaves what names the entries.
#[test]
fn both_ends_of_a_block_have_all_of_its_parity() {
    let rig = Rig::new();
    for key in 0..60 {
        rig.put(key, &[key as u8; 1000]).unwrap();
    }
    rig.storage.close().unwrap();
    let (image, seal, length) = (rig.disk.image(), Seal::new(&[7; 16]), BLOCK as usize);
    // The first has none before it to go by.
    for number in 2..=4 {
        let start = number * BLOCK;
        let block = &image[start as usize..][..length];
        let (summary, front) = Summary::front(block, start, seal, length).unwrap();
        let (_, end) = Summary::end(block, start, seal, length).unwrap();
        let entries = &block[summary.begin as usize..summary.filled as usize];
        let front = front.unwrap();
        assert_eq!((front.rows(), Some(&front)), (5, end.as_ref()), "block {number}");
        assert_eq!(front, Parity::over(5, front.width(), headers(entries)), "block {number}");
    }
}
