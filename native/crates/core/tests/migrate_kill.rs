//! A process that migrates a namespace again and again while it writes, killed at any moment. Every acknowledged write is there
//! after the next start, and the migration goes on. A file of its own: see `truncation_kill`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::body;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tessera_base::dice::Dice;
use tessera_core::engine::{MigrationPhase, MigrationTarget};
use tessera_core::{DeviceConfig, Engine, EngineConfig, EngineOptions, Namespace, NamespaceConfig, PagedConfig, WriteOptions};
use tessera_record::{BodyRef, KeyRef, Value};

const DIRECTORY: &str = "TESSERA_MIGRATE_DIRECTORY";
const ROUND: &str = "TESSERA_MIGRATE_ROUND";
const ROUNDS: u64 = 8;
const KEYS: u64 = 50;

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions::default()).unwrap()
}

fn value(namespace: &Namespace, key: i64) -> Option<i64> {
    let mut out = vec![];
    namespace.get("s", KeyRef::Integer(key), &mut out).unwrap()?;
    match BodyRef::new(&out).bin("n").map(|value| value.to_value()) {
        Some(Value::Int(value)) => Some(value),
        other => panic!("the bin holds {other:?}"),
    }
}

/// One step of whatever may be done with the migration now; some are refused, as another phase has begun.
fn step(engine: &Engine, dice: &mut Dice) {
    let target = |engine: EngineConfig, segments: u32| MigrationTarget {
        engine: Some(engine),
        segments: Some(segments),
        ..MigrationTarget::default()
    };
    let segments = 1 << dice.roll(5);
    let done = match engine.migration("n").unwrap() {
        None if dice.roll(2) == 0 => engine.migrate("n", &target(EngineConfig::Device(DeviceConfig::default()), segments)).map(drop),
        None => engine.migrate("n", &target(EngineConfig::Paged(PagedConfig::default()), segments)).map(drop),
        Some(migration) => match (migration.phase, migration.cut_over, dice.roll(3)) {
            (MigrationPhase::Doubled, true, 0) => engine.roll_back("n"),
            (MigrationPhase::Doubled, true, 1) => engine.end_migration("n", true),
            (MigrationPhase::Doubled, false, 0 | 1) => engine.cut_over("n"),
            (MigrationPhase::Failed, _, _) => panic!("it has failed: {:?}", migration.failure),
            _ => Ok(()),
        },
    };
    // A target that is what the namespace is already.
    assert!(done.as_ref().err().is_none_or(|error| error.code == tessera_base::ErrorCode::ConfigInvalid), "{done:?}");
}

/// Runs only as the child of the test below.
#[test]
fn child() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let round: u64 = std::env::var(ROUND).unwrap().parse().unwrap();
    let engine = open(Path::new(&directory));
    if engine.namespace("n").is_err() {
        engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::device("n", DeviceConfig::default()) }).unwrap();
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut dice = Dice(round * 2 + 1);
            loop {
                step(&engine, &mut dice);
                std::thread::yield_now();
            }
        });
        let mut dice = Dice(round * 2 + 2);
        for number in 1.. {
            let namespace = engine.namespace("n").unwrap();
            let (key, value) = (dice.roll(KEYS) as i64, (round * 1_000_000 + number) as i64);
            println!("\n? {key} {value}");
            if dice.roll(5) == 0 {
                namespace.delete("s", KeyRef::Integer(key), None).unwrap();
                println!("\n! {key} 0");
            } else {
                let body = body(KeyRef::Integer(key), &[("n", Value::Int(value))]);
                namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
                println!("\n! {key} {value}");
            }
        }
    });
}

#[test]
fn no_acknowledged_write_is_lost_by_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let mut dice = Dice(7);
    // What was acknowledged last of each key; 0: it was deleted.
    let mut known = BTreeMap::<i64, i64>::new();
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(DIRECTORY, directory.path())
            .env(ROUND, round.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut acknowledged, mut open_key, least) = (0, None, 10 + dice.roll(150));
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap) {
            let mut words = line.split(' ');
            let (what, key) = (words.next(), words.next().and_then(|key| key.parse::<i64>().ok()));
            let (Some(what @ ("?" | "!")), Some(key)) = (what, key) else { continue };
            open_key = (what == "?").then_some(key);
            if what == "!" {
                known.insert(key, words.next().unwrap().parse().unwrap());
                acknowledged += 1;
            }
            if acknowledged == least {
                child.kill().unwrap();
            }
        }
        assert!(acknowledged >= least, "the child has ended by itself: {:?}", child.wait());
        child.wait().unwrap();
        let engine = open(directory.path());
        let namespace = engine.namespace("n").unwrap();
        for (key, wanted) in &mut known {
            let found = value(&namespace, *key).unwrap_or(0);
            // The last one may have been made, though nobody was told.
            if open_key == Some(*key) {
                *wanted = found;
            }
            assert_eq!(found, *wanted, "key {key} in round {round}");
        }
        assert!(namespace.records() <= KEYS);
        drop(namespace);
        engine.close().unwrap();
    }
}
