//! Files that are not as we left them, or not ours.

use super::rig::{BLOCK, Rig, options};
use crate::Storage;
use crate::device::disks::volume::Member;
use crate::device::format::headers::{BlockHeader, BlockUse, FileHeader, HEADER_BYTES, TornRuns};
use crate::device::{DATA_FILE, DeviceOptions, DeviceStorage, DiskPlace, Held, erase};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_io::FileKind;
use tessera_io::faulty::{Fault, FaultyDisk};

fn filled() -> Vec<u8> {
    let rig = Rig::new();
    for key in 0..40 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    rig.storage.close().unwrap();
    rig.disk.image()
}

fn code(image: Vec<u8>) -> Option<ErrorCode> {
    Rig::open(&FaultyDisk::with(image), options()).err().map(|e| e.code)
}

fn of_another_version(header: &mut [u8]) {
    header[8] = crate::device::format::headers::VERSION as u8 + 1;
    let crc = crc32c::crc32c(&header[..60]);
    header[60..].copy_from_slice(&crc.to_le_bytes());
}

#[test]
fn a_file_cut_short_keeps_what_is_whole() {
    let image = filled();
    let mut before = 0;
    for length in (0..image.len()).step_by(61) {
        let again = Rig::open(&FaultyDisk::with(image[..length].to_vec()), options()).unwrap();
        let live = again.index.live().len();
        assert!(live >= before);
        before = live;
        for key in again.index.live().into_keys() {
            assert_eq!(again.read(key, again.place(key).unwrap()).unwrap(), [1; 1000], "cut at {length}");
        }
        again.put(99, b"goes on").unwrap();
        again.storage.close().unwrap();
        assert_eq!(again.reopened().index.live().len(), live + 1);
    }
    assert!(before >= 39);
}

#[test]
fn garbage_and_zeros_behind_the_records_are_passed_over() {
    let image = filled();
    for tail in [vec![0xa5; 5000], vec![0; 3 * BLOCK as usize], vec![1; 2 * BLOCK as usize + 7]] {
        let again = Rig::open(&FaultyDisk::with([image.clone(), tail].concat()), options()).unwrap();
        assert_eq!(again.index.live().len(), 40);
        again.put(99, b"goes on").unwrap();
        again.storage.close().unwrap();
        assert_eq!(again.reopened().index.live().len(), 41);
    }
}

#[test]
fn a_block_of_zeros_among_others_is_reported() {
    let mut image = filled();
    image[2 * BLOCK as usize..3 * BLOCK as usize].fill(0);
    let again = Rig::open(&FaultyDisk::with(image), options()).unwrap();
    let places: Vec<_> = again.report.damage.iter().map(|(place, _)| *place).collect();
    assert!(places.contains(&(2 * BLOCK)) && places.iter().all(|place| place / BLOCK == 2), "{:?}", again.report.damage);
    assert_eq!(again.index.live().len(), 40 - 14);
    assert_eq!(again.report.losses.len(), 1);
    assert!(again.report.losses[0].message.starts_with("about 14 entries"), "{}", again.report.losses[0].message);
}

#[test]
fn a_damaged_block_header_costs_no_record() {
    let mut image = filled();
    image[2 * BLOCK as usize + 20] ^= 1;
    let again = Rig::open(&FaultyDisk::with(image), options()).unwrap();
    assert_eq!(again.report.damage, [(2 * BLOCK, "a write block with a damaged header".to_owned())]);
    assert_eq!(again.index.live().len(), 40);
}

#[test]
fn a_damaged_file_header_is_reported_and_mended() {
    let mut image = filled();
    image[5] ^= 1;
    let again = Rig::open(&FaultyDisk::with(image), options()).unwrap();
    assert_eq!(again.report.damage[0].0, 0);
    assert_eq!(again.index.live().len(), 40);
    assert_eq!(again.reopened().report.damaged, 0);
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let image = filled();
    let foreign = DeviceOptions { namespace_id: [8; 16], ..options() };
    assert_eq!(Rig::open(&FaultyDisk::with(image.clone()), foreign.clone()).err().unwrap().code, ErrorCode::DataFileForeign);
    let mut headless = image.clone();
    headless[..HEADER_BYTES].fill(0);
    assert_eq!(Rig::open(&FaultyDisk::with(headless), foreign).err().unwrap().code, ErrorCode::DataFileForeign);
    assert_eq!(code(b"#!/bin/sh\necho not ours\n".repeat(2000)), Some(ErrorCode::DataFileDamaged));
    let mut later = image;
    of_another_version(&mut later[..HEADER_BYTES]);
    assert_eq!(code(later), Some(ErrorCode::DataFileVersionUnknown));
}

#[test]
fn a_later_version_of_a_block_is_refused() {
    let mut image = filled();
    of_another_version(&mut image[BLOCK as usize..BLOCK as usize + HEADER_BYTES]);
    assert_eq!(code(image), Some(ErrorCode::DataFileVersionUnknown));
}

/// What a block device held before it was ours may be of any version; only a file has nothing but ours.
#[test]
fn blocks_of_another_version_are_blank_space_on_a_device_unless_they_are_ours() {
    let version = |namespace_id, number| {
        let header = BlockHeader {
            holds: BlockUse::Entries,
            namespace_id,
            block_bytes: BLOCK as u32,
            number,
            run: 1,
            first_sequence: 1,
            durable_sequence: 0,
        };
        let mut header = header.encode();
        of_another_version(&mut header);
        header
    };
    let open = |kind, namespace_id| {
        let mut image = filled();
        let end = image.len().next_multiple_of(BLOCK as usize);
        image.resize(end, 0);
        image.extend(version(namespace_id, end as u64 / BLOCK));
        image.resize(end + BLOCK as usize, 1);
        let capacity = image.len() as u64;
        let member = Member { kind, ..Member::of(Arc::new(FaultyDisk::with(image)), DATA_FILE, capacity) };
        let storage = DeviceStorage::on_disks(vec![member], DeviceOptions { create: false, ..options() }).unwrap();
        let index = super::rig::Index::of(&storage);
        storage.recover(2, &index).map(|report| (report.damaged, report.torn, index.live().len())).map_err(|error| error.code)
    };
    assert_eq!(open(FileKind::Device, [8; 16]), Ok((0, 0, 40)));
    assert_eq!(open(FileKind::Device, [7; 16]), Err(ErrorCode::DataFileVersionUnknown));
    assert_eq!(open(FileKind::File, [8; 16]), Err(ErrorCode::DataFileVersionUnknown));
}

/// Input and output errors, refused permission: nothing can be said of the file, and nothing is written to it.
#[test]
fn a_file_that_cannot_be_read_is_an_error_and_is_not_written_to() {
    for errno in [5, 13] {
        let disk = FaultyDisk::with(filled());
        disk.set_fault(Some(Fault::Read { from: 0, to: 64, code: errno }));
        let refused = Rig::open(&disk, DeviceOptions { create: false, ..options() }).err().unwrap();
        assert_eq!(refused.code, ErrorCode::StorageFailed);
        assert!(refused.message.contains("reading a header"), "{}", refused.message);
        assert_eq!(disk.moment(), 0);
        disk.set_fault(None);
        assert_eq!(Rig::open(&disk, options()).unwrap().index.live().len(), 40);
    }
}

#[test]
fn a_blank_file_is_only_taken_for_a_new_one_where_it_may_be() {
    let existing = || DeviceOptions { create: false, ..options() };
    for length in [0, 63, 64, BLOCK as usize] {
        let disk = FaultyDisk::with(vec![0; length]);
        assert_eq!(Rig::open(&disk, existing()).err().unwrap().code, ErrorCode::DataFileDamaged);
        assert_eq!(disk.moment(), 0);
        Rig::open(&disk, options()).unwrap();
        Rig::open(&disk, existing()).unwrap();
    }
}

#[test]
fn the_files_own_block_size_wins() {
    let larger = DeviceOptions { write_block_bytes: 4 * BLOCK as u32, ..options() };
    let again = Rig::open(&FaultyDisk::with(filled()), larger).unwrap();
    assert_eq!((again.index.live().len(), again.report.damaged), (40, 0));
    let mut odd = filled();
    let header = FileHeader { namespace_id: [7; 16], block_bytes: 1000, run: 1, disk: 0, disks: 1, torn: TornRuns::NONE };
    odd[..HEADER_BYTES].copy_from_slice(&header.encode());
    assert_eq!(code(odd), Some(ErrorCode::ConfigInvalid));
}

fn in_folder(folder: &Path) -> Vec<DiskPlace> {
    vec![DiskPlace::in_folder(folder)]
}

fn at_once() -> bool {
    false
}

#[test]
fn a_real_file_in_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let storage = DeviceStorage::open(&in_folder(dir.path()), options(), &at_once).unwrap();
        let index = super::rig::Index::of(&storage);
        storage.recover(4, &index).unwrap();
        assert_eq!(index.live().len(), round * 50);
        let disk = FaultyDisk::default();
        let rig = Rig { disk, storage, index, report: Default::default() };
        for key in 0..50 {
            rig.put(round as u32 * 50 + key, &[round as u8; 2000]).unwrap();
        }
        rig.storage.close().unwrap();
    }
    assert!(dir.path().join(DATA_FILE).metadata().unwrap().len() > 300_000);
    let missing = DeviceStorage::open(&in_folder(&dir.path().join("missing")), options(), &at_once);
    assert_eq!(missing.err().unwrap().code, ErrorCode::StorageFailed);
    let existing = DeviceOptions { create: false, ..options() };
    let missing = DeviceStorage::open(&in_folder(&dir.path().join("missing")), existing, &at_once);
    assert_eq!(missing.err().unwrap().code, ErrorCode::DataFileMissing);
}

#[test]
fn a_start_waits_for_whoever_still_has_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let open = |create, may_wait: &dyn Fn() -> bool| {
        DeviceStorage::open(&in_folder(folder.path()), DeviceOptions { create, ..options() }, may_wait)
    };
    let before = Cell::new(open(true, &at_once).ok());
    assert_eq!(open(false, &at_once).err().map(|error| error.code), Some(ErrorCode::StorageFailed));
    let asked = Cell::new(0);
    let twice = || asked.replace(asked.get() + 1) < 2;
    assert_eq!(open(false, &twice).err().map(|error| error.code), Some(ErrorCode::StorageFailed));
    assert_eq!(asked.get(), 3);
    // It is let go during the wait.
    let let_go = || before.take().is_some();
    open(false, &let_go).unwrap();
}

#[test]
fn what_another_process_may_have_is_not_erased() {
    let folder = tempfile::tempdir().unwrap();
    let (places, id) = (in_folder(folder.path()), options().namespace_id);
    let open = DeviceStorage::open(&places, options(), &at_once).unwrap();
    let unknown = Held::Unknown { may_wait: &at_once };
    let there = || folder.path().join(DATA_FILE).exists();
    assert_eq!(erase(&places, &id, unknown).map_err(|error| error.code), Err(ErrorCode::StorageFailed));
    assert!(there());
    assert_eq!(erase(&places, &[0; 16], Held::Here), Ok(()));
    assert!(there(), "it names another namespace");
    drop(open);
    assert_eq!(erase(&places, &id, unknown), Ok(()));
    assert!(!there());
    DeviceStorage::open(&places, options(), &at_once).map(|_open| assert_eq!(erase(&places, &id, Held::Here), Ok(()))).unwrap();
    assert!(!there());
}
