//! File systems that give no more room, and give it again: deletes and reclaiming go on, also after restarts, and writes come back.

use super::rig::{BLOCK, Rig, State, options};
use crate::Storage;
use std::collections::HashMap;
use tessera_base::dice::Dice;
use tessera_base::{ErrorCode, Result};
use tessera_io::faulty::{Fault, FaultyDisk};

/// How many blocks a file system has room for: little enough for the smallest reserve, and enough for a larger one.
const ROOMS: [u64; 2] = [24, 320];
const KEYS: u32 = 60;

fn open(disks: &[FaultyDisk]) -> Rig {
    let rig = Rig::open_all(disks, options()).unwrap();
    assert!(rig.storage.defragments());
    assert_eq!((rig.report.damaged, rig.report.losses.len()), (0, 0), "{:?}", rig.report.damage);
    rig
}

/// Rounds of reclaiming, until they gain nothing.
fn settle(rig: &Rig) {
    for _ in 0..1000 {
        if !rig.storage.shared.hopeful() || !rig.storage.shared.state.lock().queue.space().low() {
            return;
        }
        // What finds no room is tried again.
        let _ = rig.storage.defragment(&rig.index);
    }
    panic!("rounds without end");
}

/// Writes records from `key` on until one is refused, also behind reclaiming; the first that was.
fn fill(rig: &Rig, key: u32) -> u32 {
    let put = |key: u32| rig.put(key, &[key as u8; 3000]).map(drop);
    let refused = (key..key + 10_000).find(|key| taken(rig, &|| put(*key)).is_err());
    rig.sync().unwrap();
    refused.unwrap()
}

/// As a namespace does it: what finds no room waits for reclaiming.
fn taken(rig: &Rig, write: &dyn Fn() -> Result<()>) -> Result<()> {
    write().or_else(|error| {
        assert!([ErrorCode::DeviceFull, ErrorCode::DeviceOverload].contains(&error.code), "{error}");
        // What was taken finds room.
        rig.sync().unwrap();
        settle(rig);
        write()
    })
}

fn remove(rig: &Rig, key: u32) -> Result<()> {
    taken(rig, &|| rig.remove(key, rig.place(key).unwrap()))
}

fn set_room(disks: &[FaultyDisk], room: Option<u64>) {
    disks.iter().for_each(|disk| disk.set_fault(room.map(Fault::Room)));
}

#[test]
fn deletes_and_writes_go_on_after_restarts_on_a_full_file_system() {
    for room in ROOMS {
        for end_in_order in [true, false] {
            let mut disks = vec![FaultyDisk::default()];
            set_room(&disks, Some(room * BLOCK));
            let mut rig = open(&disks);
            let written = fill(&rig, 0);
            for key in 0..8 {
                if end_in_order {
                    rig.storage.close().unwrap();
                }
                disks = disks.iter().map(FaultyDisk::after_kill).collect();
                rig = open(&disks);
                remove(&rig, key).unwrap_or_else(|error| panic!("{room} blocks, key {key}: {error}"));
                rig.sync().unwrap();
            }
            (8..written).filter(|key| key % 2 == 0).for_each(|key| remove(&rig, key).unwrap());
            settle(&rig);
            let more = fill(&rig, written);
            assert!(more > written + written / 4, "{room} blocks, {end_in_order}: {written} at first, then {}", more - written);
            rig.storage.close().unwrap();
            let live = open(&disks).index.live();
            let expected = (8..written).filter(|key| key % 2 != 0).chain(written..more).map(|key| (key, vec![key as u8; 3000]));
            assert!(live == expected.collect(), "{room} blocks, {end_in_order}");
        }
    }
}

#[test]
fn writes_come_back_with_the_room() {
    for disks in [1, 3] {
        for restart in [false, true] {
            let mut disks = FaultyDisk::several(vec![vec![]; disks]);
            set_room(&disks, Some(24 * BLOCK));
            let mut rig = open(&disks);
            let written = fill(&rig, 0);
            assert!(rig.storage.admit(crate::Admission::Write).is_ok());
            if restart {
                rig.storage.close().unwrap();
                disks = disks.iter().map(FaultyDisk::after_kill).collect();
                rig = open(&disks);
                settle(&rig);
                assert_eq!(fill(&rig, written), written);
            }
            set_room(&disks, Some(96 * BLOCK));
            let more = fill(&rig, written);
            assert!(more > 3 * written, "{restart}: {written} at first, then {}", more - written);
        }
    }
}

/// The reserve is there however the file systems of several disks become full.
#[test]
fn disks_that_become_full_one_by_one_leave_the_reserve() {
    let disks = FaultyDisk::several(vec![vec![]; 3]);
    disks.iter().zip([12, 40, 90]).for_each(|(disk, blocks)| disk.set_fault(Some(Fault::Room(blocks * BLOCK))));
    let rig = open(&disks);
    let written = fill(&rig, 0);
    settle(&rig);
    let reserve = |rig: &Rig| {
        let state = rig.storage.shared.state.lock();
        (state.queue.space().available(), state.queue.space().reserve())
    };
    assert_eq!(reserve(&rig), (4, 4));
    (0..written).for_each(|key| remove(&rig, key).unwrap());
}

/// A file that does not end with a block gets zeros for the rest of it, for which there may be no room.
#[test]
fn a_hole_at_the_end_of_a_file_is_no_room() {
    let rig = open(&[FaultyDisk::default()]);
    assert!(fill_some(&rig, 0, 20));
    rig.storage.close().unwrap();
    let mut image = rig.disk.image();
    image.resize(image.len() + 2 * BLOCK as usize + 5000, 0);
    let full = image.len() as u64;
    let mut disk = FaultyDisk::with(image);
    disk.set_fault(Some(Fault::Room(full)));
    for _ in 0..4 {
        disk = disk.after_kill();
        let rig = open(std::slice::from_ref(&disk));
        // No sync fails.
        let key = fill(&rig, 100);
        settle(&rig);
        fill(&rig, key);
        assert!(rig.storage.failure().is_none());
    }
    disk.set_fault(None);
    let rig = open(&[disk.after_kill()]);
    assert!(fill_some(&rig, 500, 20));
}

fn fill_some(rig: &Rig, key: u32, count: u32) -> bool {
    (key..key + count).all(|key| rig.put(key, &[1; 3000]).is_ok()) && rig.sync().is_ok()
}

/// What may be found of a key: what was acknowledged last, or anything written since.
type Model = HashMap<u32, Vec<Option<Vec<u8>>>>;

fn check(rig: &Rig, model: &mut Model, name: &str) {
    for (key, allowed) in model {
        let found = match rig.index.get(*key) {
            None | Some(State::Deleted) => None,
            Some(State::Body(location, body)) => {
                assert_eq!(rig.read(*key, location).unwrap(), body, "{name}: key {key}");
                Some(body)
            }
            Some(State::Damaged(_)) => panic!("{name}: key {key} is damaged"),
        };
        assert!(allowed.contains(&found), "{name}: key {key}: {:?} of {}", found.map(|body| body.len()), allowed.len());
        *allowed = vec![found];
    }
}

#[test]
fn nothing_that_was_acknowledged_is_lost_while_file_systems_become_full() {
    let rounds = std::env::var("TESSERA_ROOM_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(tessera_base::cases(40).into());
    for seed in 0..rounds {
        run(seed);
    }
}

fn run(seed: u64) {
    let mut dice = Dice(seed + 1);
    let count = 1 + dice.roll(3) as usize;
    let mut disks = FaultyDisk::several(vec![vec![]; count]);
    let mut rig = open(&disks);
    let mut model = Model::new();
    let mut refused = 0;
    for step in 0..400_u32 {
        let name = format!("seed {seed}, step {step}");
        let key = dice.roll(u64::from(KEYS)) as u32;
        match dice.roll(100) {
            0..55 => {
                let body = vec![step as u8; 1 + dice.roll(12_000) as usize];
                match rig.put(key, &body) {
                    Ok(_) => model.entry(key).or_insert_with(|| vec![None]).push(Some(body)),
                    Err(error) => {
                        assert!([ErrorCode::DeviceFull, ErrorCode::DeviceOverload].contains(&error.code), "{name}: {error}");
                        refused += 1;
                    }
                }
            }
            55..75 => {
                if rig.place(key).is_none() {
                    continue;
                }
                remove(&rig, key).unwrap_or_else(|error| panic!("{name}: {error}, {:?}", rig.storage.usage()));
                model.get_mut(&key).unwrap().push(None);
            }
            75..90 => {
                // What was taken finds room.
                rig.sync().unwrap_or_else(|error| panic!("{name}: {error}"));
                model.values_mut().for_each(|versions| drop(versions.drain(..versions.len() - 1)));
            }
            90..94 => drop(rig.storage.defragment(&rig.index)),
            94..97 => {
                let room = (dice.roll(3) > 0).then(|| (8 + dice.roll(60)) * BLOCK / count as u64);
                set_room(&disks, room);
            }
            n => {
                if n < 99 {
                    rig.storage.close().unwrap_or_else(|error| panic!("{name}: {error}"));
                    model.values_mut().for_each(|versions| drop(versions.drain(..versions.len() - 1)));
                }
                disks = disks.iter().map(FaultyDisk::after_kill).collect();
                rig = open(&disks);
                check(&rig, &mut model, &name);
            }
        }
    }
    set_room(&disks, None);
    rig.sync().unwrap();
    settle(&rig);
    rig.put(0, b"there is room again").unwrap_or_else(|error| panic!("seed {seed}: {error}, {refused} refused"));
}
