//! Losses that were accepted: they stay accepted, and nothing else is.

use super::rig::{BLOCK, Rig, options};
use crate::Storage;
use crate::device::DeviceOptions;
use tessera_base::{ErrorCode, Result};
use tessera_io::faulty::FaultyDisk;

fn open(image: &[u8], accept_loss: bool) -> Result<Rig> {
    Rig::open(&FaultyDisk::with(image.to_vec()), DeviceOptions { accept_loss, ..options() })
}

/// Zeros more of a block than parity brings back.
fn ruined(image: &[u8], block: u64, at: usize) -> Vec<u8> {
    let mut image = image.to_vec();
    let from = (block * BLOCK) as usize + at;
    image[from..from + 9000].fill(0);
    image
}

#[test]
fn an_accepted_loss_hides_no_other() {
    let rig = Rig::new();
    for key in 0..90 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    rig.storage.close().unwrap();
    let image = ruined(&rig.disk.image(), 4, 2000);
    assert_eq!(open(&image, false).err().unwrap().code, ErrorCode::LogDamaged);
    let accepted = open(&image, true).unwrap();
    assert_eq!(accepted.report.losses.len(), 1);
    accepted.put(100, b"more").unwrap();
    accepted.sync().unwrap();
    let killed = accepted.disk.image();
    accepted.storage.close().unwrap();
    for mut image in [killed, accepted.disk.image()] {
        // It is told of at every start, and accepted for good.
        for _ in 0..2 {
            let again = open(&image, false).unwrap();
            assert!(again.report.damaged > 0 && again.report.losses.is_empty(), "{:?}", again.report);
            assert_eq!(again.index.live()[&100], b"more");
            again.storage.close().unwrap();
            image = again.disk.image();
        }
        // Older entries, newer ones, and more of the same block.
        for (block, at) in [(1, 2000), (2, 2000), (3, 2000), (6, 2000), (4, 5000)] {
            let error = open(&ruined(&image, block, at), false).err().unwrap_or_else(|| panic!("block {block} at {at}"));
            assert_eq!(error.code, ErrorCode::LogDamaged);
            assert!(error.message.starts_with("about ") && !error.message.starts_with("about 0"), "{}", error.message);
        }
    }
}

/// What is whole again has to be accepted anew when it goes.
#[test]
fn a_loss_that_is_mended_is_forgotten() {
    let rig = Rig::new();
    for key in 0..90 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    rig.storage.close().unwrap();
    let whole = rig.disk.image();
    let block = (2 * BLOCK) as usize..(3 * BLOCK) as usize;
    let accepted = open(&ruined(&whole, 2, 2000), true).unwrap();
    let mut mended = accepted.disk.image();
    mended[block.clone()].copy_from_slice(&whole[block]);
    let again = open(&mended, false).unwrap();
    assert_eq!((again.report.damaged, again.index.live().len()), (0, 90));
    let image = again.disk.image();
    assert_eq!(open(&ruined(&image, 2, 2000), false).err().unwrap().code, ErrorCode::LogDamaged);
}
