//! Backups of namespaces that are written meanwhile.

use super::*;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use tessera_record::BodyRef;

const SEGMENTS: u32 = 4;

/// Two keys of a set whose records are in one segment, for each segment.
fn pairs() -> Vec<(i64, i64)> {
    let of = |segment: u16| (0..).filter(move |&key| Digest::of("s", KeyRef::Integer(key)).segment(SEGMENTS) == segment);
    (0..SEGMENTS as u16).map(|segment| of(segment).take(2).collect::<Vec<_>>()).map(|keys| (keys[0], keys[1])).collect()
}

fn value(contents: &Contents, set: &str, key: i64) -> i64 {
    let (_, body) = &contents[&(set.to_owned(), Digest::of(set, KeyRef::Integer(key)))];
    let bin = BodyRef::new(body).raw_bins().find(|(name, _)| *name == b"v").unwrap().1;
    match tessera_record::ValueRef::of(bin) {
        tessera_record::ValueRef::Int(value) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_segment_is_restored_as_it_was_at_one_moment() {
    let configs = engines().map(|engine| NamespaceConfig { sets: Vec::new(), ..config("n", &engine, SEGMENTS) });
    for config in configs.into_iter().chain([NamespaceConfig { segments: SEGMENTS, ..flat("n") }]) {
        let rig = Rig::new();
        let engine = config.engine.name();
        let namespace = filled(&rig, config, 500);
        let (pairs, stop, rounds) = (pairs(), AtomicBool::new(false), AtomicI64::new(0));
        pairs.iter().for_each(|&(one, other)| [one, other].into_iter().for_each(|key| put(&namespace, "s", key, 0)));
        let mut base = None;
        thread::scope(|scope| {
            for &(one, other) in &pairs {
                let (namespace, stop, rounds) = (&namespace, &stop, &rounds);
                scope.spawn(move || {
                    // The first is never behind the second, nor more than one ahead.
                    for round in 1.. {
                        put(namespace, "s", one, round);
                        put(namespace, "s", other, round);
                        let (come, gone) = (10_000 + round, 10_000 + round - 20);
                        put(namespace, "u", come * 100 + one, round);
                        if round > 20 {
                            remove(namespace, "u", gone * 100 + one);
                        }
                        rounds.fetch_add(1, Ordering::Relaxed);
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                    }
                });
            }
            for id in [FIRST, SECOND, THIRD] {
                let before = rounds.load(Ordering::Relaxed);
                tessera_base::wait_until(|| rounds.load(Ordering::Relaxed) > before + 20);
                rig.backed_up(id, base);
                base = Some(id);
            }
            stop.store(true, Ordering::Relaxed);
        });
        // Nobody writes any more: what is kept of earlier backups of the chain, and what is not, comes to what there is.
        let last = "20260101T000003Z-00000004";
        rig.backed_up(last, base);
        assert!(contents(&rig.restored(last, "last", None)) == contents(&namespace), "{engine}");
        for id in [FIRST, SECOND, THIRD] {
            let restored = contents(&rig.restored(id, &format!("r{}", &id[24..]), None));
            for &(one, other) in &pairs {
                let (first, second) = (value(&restored, "s", one), value(&restored, "s", other));
                assert!(first == second || first == second + 1, "{engine} {id}: {first} and {second}");
            }
            // What nobody wrote meanwhile is there.
            let quiet = (0..500).filter(|key| key % 3 == 1);
            assert!(quiet.into_iter().all(|key| value(&restored, "indexed", key) == key), "{engine} {id}");
        }
    }
}

#[test]
fn records_that_go_to_another_segment_are_restored_once() {
    for engine in engines() {
        let rig = Rig::new();
        let namespace = filled(&rig, config("n", &engine, 8), 0);
        let options = WriteOptions { defer_sync: true, ..WriteOptions::default() };
        let write = |key: i64, value: i64| {
            namespace.put(PLACED, KeyRef::Integer(key), &body(key, value), &options).unwrap();
        };
        (0..60).for_each(|key| write(key, key));
        let (stop, rounds) = (AtomicBool::new(false), AtomicI64::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let round = rounds.fetch_add(1, Ordering::Relaxed);
                    (0..60).step_by(2).for_each(|key| write(key, key + round));
                }
            });
            for (id, base) in [(FIRST, None), (SECOND, Some(FIRST))] {
                let before = rounds.load(Ordering::Relaxed);
                tessera_base::wait_until(|| rounds.load(Ordering::Relaxed) > before + 1);
                let slow = BackupSpec { records_per_second: Some(200), ..spec(id, base) };
                done(&ended(&rig.engine.backup(&rig.place(), "n", &slow).unwrap()));
            }
            stop.store(true, Ordering::Relaxed);
        });
        for id in [FIRST, SECOND] {
            let name = format!("r{}", &id[24..]);
            let restored = rig.restored(id, &name, None);
            assert_eq!((contents(&restored).len(), restored.records()), (60, 60), "{} {id}", engine.name());
        }
    }
}

#[test]
fn a_truncation_in_between_takes_all_of_a_segment_or_nothing() {
    for engine in engines() {
        let rig = Rig::new();
        let plain = NamespaceConfig { sets: Vec::new(), ..config("n", &engine, 1) };
        let namespace = filled(&rig, plain, 900);
        let slow = BackupSpec { threads: 1, records_per_second: Some(2000), ..spec(FIRST, None) };
        let job = rig.engine.backup(&rig.place(), "n", &slow).unwrap();
        tessera_base::wait_until(|| job.done() > 300);
        namespace.truncate(Some("s"), None).unwrap();
        done(&ended(&job));
        let restored = contents(&rig.restored(FIRST, "r", None));
        let of = |set: &str| restored.keys().filter(|(name, _)| name == set).count();
        assert_eq!([of("s"), of("indexed"), of("t")], [0, 300, 300], "{}", engine.name());
    }
}
