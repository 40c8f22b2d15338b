//! What is written reads back, from the buffers, from the disk, and after reopening.

use super::rig::{BLOCK, META, Rig, State, digest, options};
use crate::device::DeviceOptions;
use crate::{Location, Monitor, Storage};
use proptest::prelude::*;
use std::collections::HashMap;
use tessera_base::ErrorCode;
use tessera_io::faulty::FaultyDisk;

#[derive(Clone, Debug)]
enum Act {
    Put(u32, u8, usize),
    Remove(u32),
    Sync,
    Reopen { orderly: bool },
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (0u32..30, any::<u8>(), 0usize..5000).prop_map(|(k, b, n)| Act::Put(k, b, n)),
        3 => (0u32..30).prop_map(Act::Remove),
        2 => Just(Act::Sync),
        1 => any::<bool>().prop_map(|orderly| Act::Reopen { orderly }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn agrees_with_a_map_through_reopening(acts in proptest::collection::vec(act(), 1..120)) {
        let (mut rig, mut crashed) = (Rig::new(), false);
        let mut model: HashMap<u32, (Location, Vec<u8>)> = HashMap::new();
        for act in acts {
            match act {
                Act::Put(key, byte, length) => {
                    let body = vec![byte; length];
                    let location = rig.put(key, &body).unwrap();
                    model.insert(key, (location, body));
                }
                Act::Remove(key) => if let Some((location, _)) = model.remove(&key) {
                    rig.remove(key, location).unwrap();
                },
                Act::Sync => rig.sync().unwrap(),
                Act::Reopen { orderly } => {
                    if orderly { rig.storage.close().unwrap() } else { rig.sync().unwrap() }
                    rig = rig.reopened();
                    let bodies: HashMap<u32, Vec<u8>> = model.iter().map(|(k, (_, body))| (*k, body.clone())).collect();
                    prop_assert_eq!(rig.index.live(), bodies);
                    // After a crash, what is left of a block's earlier use cannot be told from a write that was cut short.
                    crashed |= !orderly;
                    prop_assert!(rig.report.damaged == 0 && (rig.report.torn == 0 || crashed));
                }
            }
            for (key, (location, body)) in &model {
                prop_assert_eq!(&rig.read(*key, *location).unwrap(), body);
            }
        }
    }
}

#[test]
fn reads_come_from_the_buffers_and_then_from_the_disk() {
    let rig = Rig::new();
    let location = rig.put(1, b"one").unwrap();
    assert_eq!(rig.read(1, location).unwrap(), b"one");
    let before = rig.storage.usage();
    for key in 2..40 {
        rig.put(key, &[9; 1000]).unwrap();
    }
    rig.sync().unwrap();
    assert_eq!(rig.read(1, location).unwrap(), b"one");
    let usage = rig.storage.usage();
    assert_eq!((rig.storage.shared.report().disk_reads, usage.bytes_read - before.bytes_read), (1, 80));
    assert_eq!(usage.live_bytes, 80 + 38 * 1072);
    assert!(usage.bytes_written - before.bytes_written > 39 * 1000 && usage.memory_bytes > 0);
    let mut out = vec![];
    assert!(!rig.storage.read(location, &digest(2), &META, &mut out).unwrap(), "another record's digest");
}

#[test]
fn a_deleted_record_stays_deleted_in_every_state_of_the_file() {
    let rig = Rig::new();
    let location = rig.put(1, b"one").unwrap();
    rig.sync().unwrap();
    rig.remove(1, location).unwrap();
    rig.sync().unwrap();
    let again = rig.reopened();
    assert_eq!(again.index.get(1), Some(State::Deleted));
    assert_eq!((again.report.records, again.report.tombstones), (1, 1));
}

#[test]
fn sequence_numbers_go_on_after_reopening() {
    let rig = Rig::new();
    for value in 0..50 {
        rig.put(1, &[value; 700]).unwrap();
    }
    rig.storage.close().unwrap();
    assert_eq!(rig.put(1, b"late").unwrap_err().code, ErrorCode::Closed);
    rig.storage.close().unwrap();
    let again = rig.reopened();
    again.put(1, b"newest").unwrap();
    again.sync().unwrap();
    assert_eq!(again.reopened().index.live()[&1], b"newest");
}

#[test]
fn limits_are_refused_before_anything_changes() {
    let capacity = DeviceOptions { capacity_bytes: 8 * BLOCK, ..options() };
    let rig = Rig::open(&FaultyDisk::default(), capacity).unwrap();
    assert_eq!(rig.put(1, &[1; BLOCK as usize]).unwrap_err().code, ErrorCode::RecordTooLarge);
    let mut kept = vec![];
    let error = loop {
        match rig.put(kept.len() as u32, &[5; 3000]) {
            Ok(location) => kept.push(location),
            Err(error) => break error,
        }
    };
    assert_eq!(error.code, ErrorCode::DeviceFull);
    // Seven blocks less the header's and the two that are kept back, five records each.
    assert_eq!(kept.len(), 25);
    assert!(rig.put(99, &[5; 100]).is_ok(), "what still fits into the last block is taken");
    rig.remove(0, kept[0]).unwrap();
    rig.storage.close().unwrap();
    assert_eq!(rig.reopened().index.live().len(), 25);
    for bad in [
        DeviceOptions { write_block_bytes: 100_000, ..options() },
        DeviceOptions { write_block_bytes: 8192, ..options() },
        DeviceOptions { capacity_bytes: 7 * BLOCK, ..options() },
        DeviceOptions { flush_interval: std::time::Duration::ZERO, ..options() },
    ] {
        assert_eq!(Rig::open(&FaultyDisk::default(), bad).err().unwrap().code, ErrorCode::ConfigInvalid);
    }
}
