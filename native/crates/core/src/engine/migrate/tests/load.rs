//! Migrations while many write: each writer knows what every one of its records has to be.

use super::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tessera_base::ErrorCode;
use tessera_base::dice::Dice;
use tessera_record::{BodyRef, Value};

const WRITERS: i64 = 4;
const KEYS: i64 = 40;

fn value(namespace: &Namespace, set: &str, key: i64) -> Option<i64> {
    let mut out = vec![];
    namespace.get(set, KeyRef::Integer(key), &mut out).unwrap()?;
    match BodyRef::new(&out).bin("v").map(|value| value.to_value()) {
        Some(Value::Int(value)) => Some(value),
        other => panic!("the bin holds {other:?}"),
    }
}

/// Writes its own keys of all sets until it is told to stop, and reads each back at once, from the store that decides. What it has left.
fn write(engine: &Engine, me: i64, stop: &AtomicBool, steps: &AtomicU64) -> BTreeMap<(&'static str, i64), i64> {
    let (mut dice, mut model) = (Dice(me as u64 + 1), BTreeMap::new());
    let mut held = engine.namespace("n").unwrap();
    while !stop.load(Ordering::Relaxed) {
        // Few that move: each move waits for the disk.
        let set = ["", "plain", "indexed", PLACED][dice.roll(10) as usize / 3];
        let key = me * 1000 + dice.roll(KEYS as u64) as i64;
        // Some go on with what they had before a cut-over.
        if dice.roll(20) == 0 {
            held = engine.namespace("n").unwrap();
        }
        match dice.roll(4) {
            0 => {
                let there = remove(&held, set, key);
                assert_eq!(there, model.remove(&(set, key)).is_some(), "{set} {key}");
            }
            _ => {
                let value = dice.roll(1000) as i64;
                let written = held.put(set, KeyRef::Integer(key), &body(key, value), &WriteOptions::default()).unwrap();
                assert_eq!(written.created, model.insert((set, key), value).is_none(), "{set} {key}");
            }
        }
        let now = engine.namespace("n").unwrap();
        assert_eq!(value(&now, set, key), model.get(&(set, key)).copied(), "{set} {key}");
        steps.fetch_add(1, Ordering::Relaxed);
    }
    model
}

/// Empties a set of its own again and again, and looks that nothing comes back.
fn truncate(engine: &Engine, stop: &AtomicBool) {
    let mut round = 0;
    while !stop.load(Ordering::Relaxed) {
        round += 1;
        let namespace = engine.namespace("n").unwrap();
        (0..30).for_each(|key| put(&namespace, "emptied", key, round));
        match engine.namespace("n").unwrap().truncate(Some("emptied"), None) {
            Ok(_) => {
                let now = engine.namespace("n").unwrap();
                assert!((0..30).all(|key| value(&now, "emptied", key).is_none()), "round {round}");
            }
            // The namespace that it was asked of did not decide any more.
            Err(error) => assert_eq!(error.code, ErrorCode::Closed),
        }
    }
}

/// Lets the others end, also where a check fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn under_load(from: &EngineConfig, target: &MigrationTarget) {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    engine.create_namespace(config(from, 4)).unwrap();
    let (stop, steps) = (AtomicBool::new(false), AtomicU64::new(0));
    let some_writes = || {
        let until = steps.load(Ordering::Relaxed) + 60;
        tessera_base::wait_until(|| steps.load(Ordering::Relaxed) >= until);
    };
    let swap = |cut_over: bool| loop {
        match if cut_over { engine.cut_over("n") } else { engine.roll_back("n") } {
            Ok(()) => break,
            // A truncation removes records.
            Err(error) => assert_eq!(error.code, ErrorCode::MigrationActive, "{error:?}"),
        }
    };
    let models = std::thread::scope(|scope| {
        let (engine, stop, steps) = (&*engine, &stop, &steps);
        let writers: Vec<_> = (0..WRITERS).map(|me| scope.spawn(move || write(engine, me, stop, steps))).collect();
        scope.spawn(move || truncate(engine, stop));
        let ends = Stop(stop);
        some_writes();
        engine.migrate("n", target).unwrap();
        doubled(engine);
        let result = ended(engine).result.unwrap();
        assert!(result.contains("\"repaired\":0"), "{result}");
        some_writes();
        for cut_over in [true, false, true] {
            swap(cut_over);
            some_writes();
        }
        engine.end_migration("n", true).unwrap();
        some_writes();
        drop(ends);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect::<Vec<_>>()
    });
    let namespace = engine.namespace("n").unwrap();
    let found = contents(&namespace).keys().filter(|(set, _)| set != "emptied").count();
    assert_eq!(found, models.iter().map(BTreeMap::len).sum::<usize>());
    let kept = |model: &BTreeMap<(&str, i64), i64>| model.iter().all(|((set, key), v)| value(&namespace, set, *key) == Some(*v));
    assert!(models.iter().all(kept));
    engine.close().unwrap();
}

#[test]
fn from_memory_to_a_device() {
    let [memory, device, _] = engines();
    under_load(&memory, &to(&device));
}

#[test]
fn from_a_device_to_pages() {
    let [_, device, paged] = engines();
    under_load(&device, &to(&paged));
}

#[test]
fn from_pages_to_memory() {
    let [memory, _, paged] = engines();
    under_load(&paged, &MigrationTarget { segments: Some(16), ..to(&memory) });
}

#[test]
fn from_memory_to_more_segments() {
    under_load(&EngineConfig::Memory, &MigrationTarget { segments: Some(64), ..MigrationTarget::default() });
}
