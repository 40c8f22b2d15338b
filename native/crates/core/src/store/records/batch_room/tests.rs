//! Batches that are all or nothing, side by side, while the file system becomes full.

use crate::config::{DeviceConfig, PagedConfig};
use crate::exchange::{BatchOptions, write_records};
use crate::namespace::rig::{Rig, value};
use crate::{Exists, Namespace, NamespaceConfig};
use std::ops::Range;
use std::thread;
use tessera_base::Result;
use tessera_base::dice::Dice;
use tessera_io::faulty::Fault;

const SET: &str = "s";
/// Keys of one writer.
const KEYS: i64 = 1_000_000;
/// Keys that a writer overwrites, again and again.
const KEPT: i64 = 40;
const WRITERS: i64 = 5;
/// Refusals of each writer.
const REFUSALS: usize = 12;

fn engines() -> Vec<NamespaceConfig> {
    let device = DeviceConfig { write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
    let large = DeviceConfig::default();
    let (small_pages, large_pages) = (PagedConfig::smallest(), PagedConfig::smallest());
    [
        (1, NamespaceConfig::device("d", device)),
        (4, NamespaceConfig::device("e", large)),
        (1, NamespaceConfig::paged("p", small_pages)),
        (16, NamespaceConfig::paged("q", large_pages)),
    ]
    .into_iter()
    .map(|(segments, config)| NamespaceConfig { segments, ..config })
    .collect()
}

fn write(namespace: &Namespace, keys: Range<i64>, value: i64, filling: usize, (atomic, exists): (bool, Exists)) -> Result<u64> {
    let filling = "x".repeat(filling);
    let lines: Vec<String> = keys.map(|key| format!(r#"{{"key":{key},"bins":{{"v":{value},"f{}":"{filling}"}}}}"#, value % 3)).collect();
    let report = write_records(namespace.store(), SET, lines.join("\n").as_bytes(), &BatchOptions { atomic, exists })?;
    assert!(!atomic || report.rejected_total == 0, "{} written, {:?}", report.written, report.rejected.first());
    Ok(report.rejected_total)
}

/// What a writer knows: the value of the keys that it overwrites, other keys that are there, and those that are not.
struct Known {
    first: i64,
    kept: i64,
    there: Vec<(Range<i64>, i64)>,
    refused: Vec<Range<i64>>,
}

impl Known {
    fn check(&self, namespace: &Namespace, name: &str) {
        let first = self.first;
        assert!((first..first + KEPT).all(|key| value(namespace, key) == Some(self.kept)), "{name}: overwritten in part");
        for keys in &self.refused {
            assert!(keys.clone().all(|key| value(namespace, key).is_none()), "{name}: {keys:?} was refused");
        }
        for (keys, written) in &self.there {
            assert!(keys.clone().all(|key| value(namespace, key) == Some(*written)), "{name}: {keys:?} was written");
        }
    }
}

/// Writes batches until so many were refused: new records, or others over the same.
fn fill(namespace: &Namespace, first: i64, name: &str) -> Known {
    let (mut dice, mut next) = (Dice(first as u64 + 1), first + KEPT);
    let mut known = Known { first, kept: 0, there: vec![], refused: vec![] };
    let (mut refusals, mut round) = (0, 0);
    while refusals < REFUSALS {
        round += 1;
        let filling = [30, 300, 3000][dice.roll(3) as usize] * (1 + dice.roll(4)) as usize;
        if dice.roll(3) == 0 {
            let exists = if dice.roll(2) == 0 { Exists::Merge } else { Exists::Upsert };
            match write(namespace, first..first + KEPT, round, filling / 4, (true, exists)) {
                Ok(_) => known.kept = round,
                Err(error) => {
                    assert!(error.code.is_of_room(), "{name}: {error}");
                    refusals += 1;
                    known.check(namespace, name);
                }
            }
            continue;
        }
        let keys = next..next + 1 + dice.roll(60) as i64;
        next = keys.end;
        match write(namespace, keys.clone(), round, filling, (true, Exists::CreateOnly)) {
            Ok(_) => known.there.push((keys, round)),
            Err(error) => {
                assert!(error.code.is_of_room(), "{name}: {error}");
                refusals += 1;
                assert!(keys.clone().all(|key| value(namespace, key).is_none()), "{name}: a part of {keys:?}");
                known.refused.push(keys);
            }
        }
    }
    known
}

/// Writes and deletes single records until the batches end.
fn disturb(namespace: &Namespace, first: i64, ended: &dyn Fn() -> bool) {
    let mut dice = Dice(first as u64 + 1);
    while !ended() {
        let key = first + dice.roll(200) as i64;
        let line = match dice.roll(5) {
            0 => format!(r#"{{"op":"delete","key":{key}}}"#),
            _ => format!(r#"{{"key":{key},"bins":{{"v":1,"f":"{}"}}}}"#, "y".repeat(dice.roll(6000) as usize)),
        };
        let report = write_records(namespace.store(), SET, line.as_bytes(), &BatchOptions::default()).unwrap();
        assert!(report.rejected.iter().all(|reject| reject.error.code.is_of_room()), "{:?}", report.rejected);
    }
}

#[test]
fn batches_side_by_side_are_all_or_nothing_while_a_file_system_becomes_full() {
    for config in engines() {
        for room in [1 << 20, 9 << 20] {
            let name = format!("{}, {room}", config.name);
            let (rig, namespace) = Rig::create(config.clone());
            for writer in 0..WRITERS {
                write(&namespace, writer * KEYS..writer * KEYS + KEPT, 0, 100, (true, Exists::Upsert)).unwrap();
            }
            let full = rig.disks[0].image().len() as u64 + room;
            rig.disks[0].set_fault(Some(Fault::Room(full)));
            let known: Vec<Known> = thread::scope(|scope| {
                let (namespace, name) = (&namespace, &name);
                let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || fill(namespace, writer * KEYS, name))).collect();
                let ended = || writers.iter().all(thread::ScopedJoinHandle::is_finished);
                disturb(namespace, 100 * KEYS, &ended);
                writers.into_iter().map(|writer| writer.join().unwrap()).collect()
            });
            known.iter().for_each(|known| known.check(&namespace, &name));
            let after = rig.after_power_loss();
            known.iter().for_each(|known| known.check(&after, &format!("{name}, after a power loss")));
            // What was kept was given back.
            rig.disks[0].set_fault(None);
            write(&namespace, -100..0, 1, 3000, (true, Exists::CreateOnly)).unwrap();
        }
    }
}

/// Room is given back that a batch has not needed, and the rest is for others at once.
#[test]
fn what_a_batch_has_not_needed_is_for_others() {
    for config in engines() {
        let name = config.name.clone();
        let (rig, namespace) = Rig::create(config);
        write(&namespace, 0..100, 1, 1000, (true, Exists::Upsert)).unwrap();
        let full = rig.disks[0].image().len() as u64;
        rig.disks[0].set_fault(Some(Fault::Room(full + (4 << 20))));
        let batch = |at: i64| 1000 + at * 100..1100 + at * 100;
        let taken = (0..1000).take_while(|at| write(&namespace, batch(*at), 1, 1000, (true, Exists::Upsert)).is_ok()).count() as i64;
        // Single records go on behind it.
        let first = 1_000_000;
        let single =
            (first..).take_while(|key| write(&namespace, *key..key + 1, 1, 1000, (false, Exists::Upsert)).unwrap() == 0).count() as i64;
        assert!(taken > 4 && single < 4000, "{name}: {taken} batches, {single} records");
        let there = |mut keys: Range<i64>| keys.all(|key| value(&namespace, key) == Some(1));
        assert!((0..taken).all(|at| there(batch(at))) && there(first..first + single), "{name}");
    }
}
