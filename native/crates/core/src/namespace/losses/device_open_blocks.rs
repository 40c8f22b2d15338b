//! Damage to the last block of a run that was killed, before the next start and long after it: what
//! is gone is told at every start.

use super::device_table::{BLOCK, Images, Key, Opened, images, open, open_in, record};
use crate::manifest::NamespaceRecord;
use std::collections::BTreeMap;
use tessera_base::dice::Dice;
use tessera_io::faulty::FaultyDisk;

/// `TESSERA_DAMAGE_ROUNDS` asks for more.
const ROUNDS: u64 = 1;

/// Two runs, both killed.
struct Killed {
    record: NamespaceRecord,
    images: Images,
    /// In the middle of the first run, at its end, and in the middle of the second one.
    earlier: [Images; 3],
    versions: BTreeMap<Key, Vec<Option<i64>>>,
    /// Disk and place of the last block that is left of each run.
    last: Vec<(usize, usize)>,
}

/// The newest block of run `run` on the disks.
fn last_of(images: &Images, run: u32) -> Option<(usize, usize)> {
    let word = |block: &[u8], at: usize| u64::from_le_bytes(block[at..at + 8].try_into().unwrap());
    let blocks = images.iter().enumerate().flat_map(|(disk, image)| image.chunks_exact(BLOCK).enumerate().map(move |(n, b)| (disk, n, b)));
    let of_run = blocks.filter(|(_, _, b)| b.starts_with(b"TSRBLOCK") && b[10] == 0 && b[12..16] == run.to_le_bytes());
    of_run.max_by_key(|(_, _, b)| word(b, 40)).map(|(disk, number, _)| (disk, number * BLOCK))
}

/// Whether the next write begins another block, and is a delete.
fn begins_with_a_delete(
    opened: &Opened,
    disks: &[FaultyDisk],
    dice: &mut Dice,
    versions: &mut BTreeMap<Key, Vec<Option<i64>>>,
    value: &mut i64,
) -> bool {
    let deletes = |versions: &BTreeMap<Key, Vec<Option<i64>>>| versions.values().flatten().filter(|version| version.is_none()).count();
    let before = (last_of(&images(disks), 2), deletes(versions));
    opened.work(dice, 1, versions, value);
    last_of(&images(disks), 2) != before.0 && deletes(versions) > before.1
}

/// `fresh`: the second one as soon as a delete has begun another block.
fn killed(disks: usize, seed: u64, fresh: bool) -> Killed {
    let (dice, mut versions, mut value) = (&mut Dice(seed), BTreeMap::new(), 0);
    let files = FaultyDisk::several(vec![vec![]; disks]);
    let first = open_in(tempfile::tempdir().unwrap(), &record(disks), &files, true, false).unwrap();
    let (before, after) = (40 + dice.roll(80), 2 + dice.roll(30));
    first.work(dice, before, &mut versions, &mut value);
    let middle = images(&files);
    first.work(dice, after, &mut versions, &mut value);
    first.settle();
    let end = images(&files);
    let second = FaultyDisk::several(end.clone());
    let opened = open_in(tempfile::tempdir().unwrap(), &first.record(), &second, false, false).unwrap();
    let (before, after) = (1 + dice.roll(30), 1 + dice.roll(60));
    opened.work(dice, before, &mut versions, &mut value);
    let during = images(&second);
    if fresh {
        while !begins_with_a_delete(&opened, &second, dice, &mut versions, &mut value) {}
    } else {
        opened.work(dice, after, &mut versions, &mut value);
    }
    opened.settle();
    let images = images(&second);
    let last = [1, 2].into_iter().filter_map(|run| last_of(&images, run)).collect();
    Killed { record: opened.record(), images, earlier: [middle, end, during], versions, last }
}

/// Each damage to the block at `at`, with its name.
fn damages(killed: &Killed, (disk, at): (usize, usize), dice: &mut Dice) -> Vec<(String, Images)> {
    let mut all = vec![];
    let mut damage = |name: String, change: &dyn Fn(&mut [u8])| {
        let mut images = killed.images.clone();
        change(&mut images[disk][at..at + BLOCK]);
        if images != killed.images {
            all.push((format!("{name} of the block at {at} of disk {disk} of {}", killed.images.len()), images));
        }
    };
    for (number, earlier) in killed.earlier.iter().enumerate() {
        if let Some(older) = earlier[disk].get(at..at + BLOCK) {
            damage(format!("copy {number}"), &|block| block.copy_from_slice(older));
            let page = dice.roll(4) as usize * 4096;
            damage(format!("page {page} of copy {number}"), &|block| block[page..page + 4096].copy_from_slice(&older[page..page + 4096]));
        }
    }
    damage("zeros".to_owned(), &|block| block.fill(0));
    for page in (0..BLOCK).step_by(4096) {
        damage(format!("zeroed page {page}"), &|block| block[page..page + 4096].fill(0));
    }
    for sector in (0..BLOCK).step_by(512 * tessera_base::one_in()) {
        damage(format!("zeroed sector {sector}"), &|block| block[sector..sector + 512].fill(0));
    }
    for _ in 0..8 {
        let (byte, bit) = (dice.roll(BLOCK as u64) as usize, dice.roll(8));
        damage(format!("bit {bit} of byte {byte}"), &|block| block[byte] ^= 1 << bit);
    }
    all
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Served,
    /// It is told as a loss, and nothing is served.
    Loss,
    /// As `Loss`, by the second start alone.
    LaterLoss,
}

impl Killed {
    /// Starts twice, the second time after a kill and after an orderly stop.
    fn check_twice(&self, name: &str, damaged: Images) -> Outcome {
        let disks = FaultyDisk::several(damaged);
        let first = match open_in(tempfile::tempdir().unwrap(), &self.record, &disks, false, false) {
            Ok(opened) => opened,
            Err(error) => {
                assert!(error.is_loss(), "{name}: {error:?}");
                return Outcome::Loss;
            }
        };
        first.check_newest(name, &self.versions);
        if first.serves_again(name, &disks, &self.versions) { Outcome::Served } else { Outcome::LaterLoss }
    }
}

fn rounds() -> u64 {
    std::env::var("TESSERA_DAMAGE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS)
}

#[test]
fn a_crash_while_a_start_closes_blocks_changes_nothing() {
    // On one disk, and on two.
    for round in 1..=rounds().max(2) {
        let (dice, mut versions, disks) = (&mut Dice(round), BTreeMap::new(), 1 + round as usize % 2);
        let files = FaultyDisk::several(vec![vec![]; disks]);
        let first = open_in(tempfile::tempdir().unwrap(), &record(disks), &files, true, false).unwrap();
        first.work(dice, 40 + round % 50, &mut versions, &mut 0);
        first.settle();
        let (record, second) = (first.record(), FaultyDisk::several(images(&files)));
        let begun = open_in(tempfile::tempdir().unwrap(), &record, &second, false, false).unwrap();
        for moment in 0..=second[0].moment() {
            let name = format!("round {round}: power loss at {moment}");
            let left = second.iter().map(|disk| disk.after_power_loss(moment, &mut || dice.roll(2) == 0)).collect();
            let opened = open(&record, left, None, false, false).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!(opened.namespace.recovery().damaged, 0, "{name}");
            opened.check_newest(&name, &versions);
        }
        begun.check_newest("the start", &versions);
    }
}

/// Fewer cases that are served say nothing.
const SERVED_LEAST: usize = 20;

/// Checks what `damages` makes of runs that were killed, `rounds` of them with one disk and as many with two.
fn check_damages(rounds: u64, fresh: bool, wanted: impl Fn(&str) -> bool) {
    let (mut cases, mut served, mut problems, mut later) = (0, 0, vec![], vec![]);
    // When blocks go out decides how many cases are served, so a busy machine needs more rounds.
    for round in 1..=20 * rounds {
        if round > rounds && served >= SERVED_LEAST {
            break;
        }
        for disks in [1, 2] {
            let killed = killed(disks, round, fresh);
            assert!(killed.check_twice("nothing", killed.images.clone()) == Outcome::Served);
            for &last in &killed.last {
                for (name, images) in damages(&killed, last, &mut Dice(500 + round)).into_iter().filter(|(name, _)| wanted(name)) {
                    let name = format!("round {round}: {name}");
                    let run = || killed.check_twice(&name, images);
                    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                        Ok(outcome) => {
                            later.extend((outcome == Outcome::LaterLoss).then_some(name));
                            served += usize::from(outcome == Outcome::Served);
                            cases += 1;
                        }
                        Err(_) => problems.push(name),
                    }
                }
            }
        }
    }
    println!("{cases} cases, {served} of them served, a loss for the second start alone: {later:#?}");
    assert!(problems.is_empty(), "{} of {cases}: {problems:#?}", problems.len());
    // What one start names the next one does too, unless the block is too full for as much parity.
    assert!(served >= SERVED_LEAST && later.len() * 10 <= served, "{served}, {later:?}");
}

#[test]
fn no_damage_to_the_last_block_of_a_killed_run_is_passed_over() {
    check_damages(rounds(), false, |_| true);
}

#[test]
fn no_older_copy_of_a_block_that_was_just_begun_is_passed_over() {
    check_damages(8 * rounds(), true, |name| name.contains("copy"));
}
