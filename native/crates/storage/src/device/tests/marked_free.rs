//! Blocks that only a part of their mark as free, or a mark of a sync, tells to be free or used.

use super::rig::{BLOCK, Rig, State, options};
use crate::device::DeviceOptions;
use crate::device::format::headers::{BlockHeader, BlockUse};
use tessera_base::ErrorCode;
use tessera_io::faulty::FaultyDisk;

const FRONT: usize = BLOCK as usize;
const SECTOR: usize = 512;

/// Writes what waits, and a mark.
fn flush(rig: &Rig) {
    rig.storage.shared.mark(&mut rig.storage.shared.state.lock(), false).unwrap();
}

/// What block 1 is used for, as its header says.
fn holds(image: &[u8]) -> BlockUse {
    BlockHeader::decode(image[FRONT..].first_chunk().unwrap()).unwrap().holds
}

#[test]
fn a_block_that_its_header_does_not_mark_as_free_is_marked_before_it_is_used() {
    let rig = Rig::new();
    rig.put(1, &[1; 15_000]).unwrap();
    rig.put(1, &[2; 15_000]).unwrap();
    rig.sync().unwrap();
    let before = rig.disk.image();
    let rig = rig.reopened();
    flush(&rig);
    let half = rig.disk.image();
    flush(&rig);
    let whole = rig.disk.image();
    assert_eq!((holds(&before), holds(&half), holds(&whole)), (BlockUse::Entries, BlockUse::Nothing, BlockUse::Nothing));
    // The power failed between the two pieces of the mark, or only the mark of a later sync tells of it.
    for (mut image, back) in [(half, SECTOR), (whole, FRONT)] {
        image[FRONT..FRONT + back].copy_from_slice(&before[FRONT..FRONT + back]);
        let rig = Rig::open(&FaultyDisk::with(image), options()).unwrap();
        assert_eq!(rig.index.live(), [(1, vec![2; 15_000])].into());
        assert_eq!(holds(&rig.disk.image()), BlockUse::Entries);
        flush(&rig);
        assert_eq!(holds(&rig.disk.image()), BlockUse::Nothing, "{back} bytes");
        assert_eq!(rig.storage.shared.state.lock().queue.space().free(), 1);
    }
}

#[test]
fn a_block_of_the_run_before_that_only_a_mark_knows_is_a_loss() {
    let rig = Rig::new();
    rig.put(1, &[1; 15_000]).unwrap();
    rig.put(1, &[2; 15_000]).unwrap();
    rig.sync().unwrap();
    // The next run is killed after its marks, which tell of the blocks that it found.
    let next = rig.reopened().disk.image();
    for earlier in [vec![0; FRONT], next[FRONT..2 * FRONT].to_vec()] {
        let mut image = next.clone();
        image[2 * FRONT..3 * FRONT].copy_from_slice(&earlier);
        let open = |accept_loss| Rig::open(&FaultyDisk::with(image.clone()), DeviceOptions { accept_loss, ..options() });
        assert_eq!(open(false).err().map(|error| error.code), Some(ErrorCode::LogDamaged));
        assert!(!open(true).unwrap().report.losses.is_empty());
    }
}

/// An older entry of the same record lies where the newest was: its digest, its times and its length are the same.
#[test]
fn what_an_earlier_use_left_in_the_place_of_a_lost_record_is_not_read_for_it() {
    // The whole block is as it was, or all of its pages but the one with its header.
    for (bytes, other, older) in [(15_000, None, FRONT..2 * FRONT), (9000, Some(5000), FRONT + 4096..2 * FRONT)] {
        let put = |rig: &Rig, version: u8| {
            if let Some(bytes) = other {
                rig.put(2, &vec![9; bytes]).unwrap();
            }
            let place = rig.put(1, &vec![version; bytes]).unwrap();
            rig.sync().unwrap();
            place
        };
        let rig = Rig::new();
        let oldest = put(&rig, 1);
        put(&rig, 2);
        let before = rig.disk.image();
        let rig = rig.reopened();
        (0..2).for_each(|_| flush(&rig));
        assert_eq!(put(&rig, 3), oldest);
        flush(&rig);
        let mut image = rig.disk.image();
        image[older.clone()].copy_from_slice(&before[older]);
        let rig = Rig::open(&FaultyDisk::with(image), DeviceOptions { accept_loss: false, ..options() }).unwrap();
        assert_eq!(rig.index.get(1), Some(State::Damaged(oldest)));
        assert_eq!(rig.read(1, oldest).map_err(|error| error.code), Err(ErrorCode::RecordDamaged));
        other.iter().for_each(|bytes| assert_eq!(rig.index.live()[&2].len(), *bytes));
    }
}
