//! The plug is pulled after every event of a recorded run, and what was not yet synced is dropped or torn at random.

use super::rig::{BLOCK, Index, META, Rig, State, digest, options};
use crate::error::{ErrorCode, Result};
use crate::storage::Storage;
use crate::storage::device::DeviceOptions;
use crate::storage::io::faulty::{FaultyDisk, after_power_loss};
use std::collections::HashMap;

const KEYS: u32 = 12;
const STEPS: u32 = 160;
/// Ways to lose what was not synced, tried at every moment.
const LOSSES: u64 = 4;

/// xorshift64*: the same run every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }
}

/// Every version of one key in order: when it was acknowledged (in disk events), and its body (`None`: deleted).
type History = HashMap<u32, Vec<(Option<usize>, Option<Vec<u8>>)>>;

/// Does it again after making room, as long as that is what it needs.
fn with_room<T>(rig: &Rig, act: impl Fn() -> Result<T>) -> T {
    loop {
        match act() {
            Ok(done) => return done,
            Err(error) => assert_eq!(error.code, ErrorCode::DeviceFull),
        }
        rig.storage.defragment(&rig.index).unwrap();
    }
}

fn record_run(disk: &FaultyDisk, rig: &Rig, dice: &mut Dice, history: &mut History) {
    for step in 0..STEPS {
        let key = dice.roll(u64::from(KEYS)) as u32;
        let versions = history.entry(key).or_default();
        if rig.place(key).is_some() && dice.roll(4) == 0 {
            with_room(rig, || rig.remove(key, rig.place(key).unwrap()));
            versions.push((None, None));
        } else {
            let body = vec![step as u8; 1 + dice.roll(3000) as usize];
            with_room(rig, || rig.put(key, &body));
            versions.push((None, Some(body)));
        }
        if dice.roll(8) == 0 {
            rig.storage.defragment(&rig.index).unwrap();
        }
        if dice.roll(3) == 0 {
            rig.sync().unwrap();
            let moment = disk.moment();
            for (acknowledged, _) in history.values_mut().flatten() {
                acknowledged.get_or_insert(moment);
            }
        }
    }
}

fn check(index: &Index, history: &History, moment: usize) {
    for (key, versions) in history {
        let floor = versions.iter().rposition(|(acknowledged, _)| acknowledged.is_some_and(|at| at <= moment));
        let allowed = &versions[floor.unwrap_or(0)..];
        let found = match index.get(*key) {
            None | Some(State::Deleted) => None,
            Some(State::Body(_, body)) => Some(body),
            Some(State::Damaged(_)) => panic!("power loss looks like damage"),
        };
        let never_there = floor.is_none() && found.is_none();
        assert!(never_there || allowed.iter().any(|(_, body)| *body == found), "key {key} after event {moment} of the run");
    }
}

#[test]
fn every_acknowledged_write_survives_and_none_is_half_there() {
    let rounds = std::env::var("TESSERA_CRASH_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    for seed in 1..=rounds {
        // With room for everything, and with so little that blocks are used again and again.
        run(Dice(seed), 0);
        run(Dice(seed), 10 * BLOCK);
    }
}

fn run(mut dice: Dice, capacity_bytes: u64) {
    let options = || DeviceOptions { capacity_bytes, defrag_bytes_per_second: 0, ..options() };
    let disk = FaultyDisk::default();
    let mut history = History::new();
    let rig = Rig::open(&disk, options()).unwrap();
    record_run(&disk, &rig, &mut dice, &mut history);
    rig.storage.close().unwrap();
    // A second run in the same file: losses there must leave the first alone.
    let rig = Rig::open(&disk, options()).unwrap();
    record_run(&disk, &rig, &mut dice, &mut history);
    rig.storage.close().unwrap();
    assert!(capacity_bytes == 0 || rig.storage.usage().moved_bytes > 0);

    let log = disk.log();
    assert!(log.len() > 100);
    for moment in 0..=log.len() {
        for loss in 0..LOSSES {
            // All kept, all lost, and half of the sectors.
            let image = after_power_loss(&log[..moment], &mut || match loss {
                0 => true,
                1 => false,
                _ => dice.roll(2) == 0,
            });
            let after = Rig::open(&FaultyDisk::with(image), options()).unwrap();
            assert_eq!(after.report.damaged, 0, "after event {moment}: {:?}", after.report.damage);
            check(&after.index, &history, moment);
            if loss == LOSSES - 1 {
                with_room(&after, || after.put(KEYS, b"goes on"));
                after.storage.close().unwrap();
                let again = Rig::open(&FaultyDisk::with(after.disk.image()), options()).unwrap();
                assert_eq!(again.report.damaged, 0);
                check(&again.index, &history, moment);
                assert!(matches!(again.index.get(KEYS), Some(State::Body(_, body)) if body == b"goes on"));
            }
        }
    }
    for key in 0..KEYS {
        if let Some(location) = rig.place(key) {
            assert!(rig.storage.read(location, &digest(key), &META, &mut vec![]).unwrap());
        }
    }
}
