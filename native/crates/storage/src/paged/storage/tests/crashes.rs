//! Starts after crashes: at any moment, and with the log cut anywhere.

use super::*;
use crate::paged::log::{LogStart, RING_AT, replay};
use proptest::prelude::*;

/// Records that the runs are about.
const RECORDS: u64 = 40;

type State = BTreeMap<u64, u16>;

/// A run, with what there was after each operation, and where the log was.
struct Run {
    disks: Vec<FaultyDisk>,
    /// The log before the storage was closed.
    log: Vec<u8>,
    states: Vec<(u64, State)>,
    /// The pages when a checkpoint had just ended, or they were made; and where redo begins from there.
    starts: Vec<(Vec<u8>, u64)>,
}

/// Changes of every kind, with a checkpoint after each phase but the last.
fn record(phases: usize, changes: u64) -> Run {
    let (host, disks) = Host::fresh();
    let log = || host.storage.pages().log().end();
    let mut state = State::new();
    let mut run = Run { starts: vec![(disks[0].stable_image(), 0)], states: vec![(log(), state.clone())], disks, log: vec![] };
    let mut roll = 12_345u64;
    for phase in 0..phases {
        for _ in 0..changes {
            roll = roll.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let n = (roll >> 33) % RECORDS;
            if (roll >> 20).is_multiple_of(5) {
                host.remove(n).unwrap();
                state.remove(&n);
            } else {
                let version = state.get(&n).map_or(1, |version| version + 1) + phase as u16 * 100;
                host.put(n, version).unwrap();
                state.insert(n, version);
            }
            run.states.push((log(), state.clone()));
        }
        if phase + 1 < phases {
            host.storage.checkpoint().unwrap();
            run.starts.push((run.disks[0].stable_image(), log()));
            run.states.push((log(), state.clone()));
        }
    }
    host.sync().unwrap();
    run.log = run.disks[1].stable_image();
    run
}

#[test]
fn every_prefix_of_a_log_holds_what_was_committed_before_its_end_and_nothing_else() {
    let run = record(3, 80);
    let whole = run.log;
    let mut ends = vec![0];
    let start = LogStart { redo: 0, incarnation: 1 };
    let last = replay(&FaultyDisk::with(whole.clone()), options().log_bytes, start, &mut |record| {
        ends.push(record.end);
        Ok(())
    });
    let last = last.unwrap().end;
    assert!(last >= run.states.last().unwrap().0 && ends.len() > 240, "{} records", ends.len());
    // Before the first state there was no namespace yet.
    let made = run.states[0].0;
    let (one_in, mut opened, mut refused) = (tessera_base::one_in(), 0, 0);
    for (pages, redo) in &run.starts {
        for (at, end) in ends.iter().enumerate().filter(|(at, end)| at % one_in == 0 && *end >= redo && **end >= made) {
            // At the record's end, and in the next one's header and payload; what follows is all changed, or, in every other case, one byte of it is.
            for cut in [*end, *end + 1 + at as u64 % 19, *end + 20 + at as u64 * 13 % 90] {
                let cut = cut.min(last);
                let mut log = whole.clone();
                match at % 2 {
                    0 => log[(RING_AT + cut) as usize..].iter_mut().for_each(|byte| *byte = !*byte),
                    _ => {
                        if let Some(byte) = log.get_mut((RING_AT + cut) as usize) {
                            *byte ^= 0x40;
                        }
                    }
                }
                // A byte changed ends the log before the record that it is in.
                let committed = *ends.iter().rev().find(|end| **end <= cut).unwrap();
                let expected = run.states.iter().rev().find(|(end, _)| *end <= committed.max(*redo)).map(|(_, state)| state).unwrap();
                let open =
                    |accept_loss| Host::on(&FaultyDisk::several([pages.clone(), log.clone()]), PagedOptions { accept_loss, ..options() });
                // Where a later round says that the damaged one was stable, or that the pages are older, somebody has to accept it.
                let again = open(false).or_else(|error| {
                    assert!(matches!(error.code, ErrorCode::LogDamaged | ErrorCode::DataRolledBack), "{error}");
                    refused += 1;
                    open(true)
                });
                assert_eq!(&again.unwrap().versions(RECORDS), expected, "cut at byte {cut}, redo from {redo}");
                opened += 1;
            }
        }
    }
    assert!(opened * one_in > 1000 && refused * one_in > 100 && (opened - refused) * one_in > 100, "{opened} starts, {refused} refused");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(150)))]

    /// Twice, as the second start builds on what the first one made of the log.
    #[test]
    fn after_a_power_loss_there_is_every_record_that_was_acknowledged(
        operations in prop::collection::vec((0..RECORDS, 0..12u8), 2..120), cut: prop::sample::Index, dice in prop::collection::vec(any::<bool>(), 89),
    ) {
        let mut dice = dice.iter().cycle();
        let (mut host, mut disks) = Host::fresh();
        let mut state = State::new();
        for (round, operations) in operations.chunks(operations.len().div_ceil(2)).enumerate() {
            let first = disks[0].moment();
            let mut states = vec![state.clone()];
            let mut promised = vec![(first, 0)];
            for (n, what) in operations {
                match what {
                    0 => host.storage.checkpoint().unwrap(),
                    1 | 2 => {
                        host.sync().unwrap();
                        promised.push((disks[0].moment(), states.len() - 1));
                    }
                    3 | 4 => {
                        host.remove(*n).unwrap();
                        state.remove(n);
                    }
                    _ => {
                        let version = state.get(n).map_or(1, |version| version + 1) + round as u16 * 100;
                        host.put(*n, version).unwrap();
                        state.insert(*n, version);
                    }
                }
                states.push(state.clone());
            }
            let moment = first + cut.index(disks[0].moment() + 1 - first);
            // What the closing of a dropped host writes comes after the power was lost.
            let images: Vec<_> = disks.iter().map(|disk| disk.after_power_loss(moment, &mut || *dice.next().unwrap())).collect();
            drop(host);
            disks = FaultyDisk::several(images);
            host = Host::on(&disks, options()).unwrap();
            let from = promised.iter().rev().find(|(at, _)| *at <= moment).map_or(0, |(_, states)| *states);
            let found = host.versions(RECORDS);
            prop_assert!(states[from..].contains(&found), "{found:?} is none of the states from {from} of {}", states.len());
            state = found;
        }
    }
}
