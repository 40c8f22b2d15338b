//! A process that is killed while it truncates and undoes that, or makes it final. A file of its own: while a child begins, it has a lock
//! of a data directory that another test of the same process wants to open again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::body;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, WriteOptions};
use tessera_record::{BodyRef, KeyRef, Value};

const DIRECTORY: &str = "TESSERA_UNDO_DIRECTORY";
/// What the child does after a truncation.
const THEN: &str = "TESSERA_UNDO_THEN";
const HOUR: Duration = Duration::from_secs(3600);
const KEYS: i64 = 200;
const ROUNDS: usize = 8;
const NAMES: [&str; 2] = ["d", "p"];

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions::default()).unwrap()
}

fn configs() -> [NamespaceConfig; 2] {
    let device = NamespaceConfig::device(NAMES[0], DeviceConfig::default());
    [device, NamespaceConfig::paged(NAMES[1], PagedConfig::default())].map(|config| NamespaceConfig { segments: 4, ..config })
}

fn put(namespace: &Namespace, key: i64, n: i64) {
    let body = body(KeyRef::Integer(key), &[("n", Value::Int(n))]);
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
}

fn fill(namespace: &Namespace, round: i64) {
    (0..KEYS).for_each(|key| put(namespace, key, round));
    namespace.sync().unwrap();
}

/// Runs only as the child of the tests below.
#[test]
fn child() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let undoes = std::env::var(THEN).unwrap() == "undo";
    let engine = open(Path::new(&directory));
    let namespaces = configs().map(|config| engine.create_namespace(config).unwrap());
    if undoes {
        namespaces.iter().for_each(|namespace| fill(namespace, 0));
    }
    for round in 0.. {
        for namespace in &namespaces {
            if !undoes {
                fill(namespace, round);
                println!("\n@ filled");
            }
            let truncated = namespace.truncate_for(None, None, HOUR).unwrap();
            if undoes {
                put(namespace, KEYS + round, round);
                namespace.sync().unwrap();
                println!("\n@ written");
                namespace.undo_truncation(truncated.job.id()).unwrap();
                println!("\n@ back");
            } else {
                namespace.settle_truncation(truncated.job.id()).unwrap();
                println!("\n@ final");
            }
        }
    }
}

/// Kills a child a while after it has said `words` words, so that the rounds meet different steps of its work. All that it has said.
fn killed_after(directory: &Path, then: &str, words: usize) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .envs([(DIRECTORY, directory.to_str().unwrap()), (THEN, then)])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut said = lines.filter_map(|line| line.strip_prefix("@ ").map(str::to_owned));
    let mut all: Vec<_> = said.by_ref().take(words).collect();
    (0..words * 20_000).for_each(|_| std::hint::spin_loop());
    child.kill().unwrap();
    child.wait().unwrap();
    all.extend(said);
    assert!(all.len() >= words);
    all
}

/// Those of the namespace at `place` among the words, which come in turn for each.
fn of(said: &[String], per_turn: usize, place: usize) -> Vec<&str> {
    let turns = said.chunks(per_turn).enumerate().filter(|(turn, _)| turn % NAMES.len() == place);
    turns.flat_map(|(_, words)| words.iter().map(String::as_str)).collect()
}

fn undo_all(namespace: &Arc<Namespace>) {
    for truncation in namespace.undoable_truncations() {
        namespace.undo_truncation(&truncation.id).unwrap();
    }
}

#[test]
fn a_kill_leaves_records_hidden_or_back_and_loses_none() {
    for round in 1..=ROUNDS {
        let directory = tempfile::tempdir().unwrap();
        let said = killed_after(directory.path(), "undo", round);
        for _ in 0..2 {
            let engine = open(directory.path());
            for (place, name) in NAMES.into_iter().enumerate() {
                let namespace = engine.namespace(name).unwrap();
                let words = of(&said, 2, place);
                let written = words.iter().filter(|word| **word == "written").count() as u64;
                let (pending, seen) = (namespace.undoable_truncations(), namespace.size(None));
                assert!(pending.len() <= 1, "{name} in round {round}");
                // What came after the truncation is seen in any case; one more may have been written and not said.
                let is_hidden = seen <= 1;
                assert_eq!(is_hidden, pending.len() == 1, "{name} in round {round}: {seen} records");
                assert!(!is_hidden || seen + 1 > u64::from(words.last() == Some(&"written")), "{name} in round {round}");
                undo_all(&namespace);
                let all = namespace.size(None);
                assert!((written..=written + 1).contains(&(all - KEYS as u64)), "{name} in round {round}: {all} of {written} and {KEYS}");
            }
            engine.close().unwrap();
        }
    }
}

#[test]
fn a_kill_brings_nothing_back_that_is_final() {
    for round in 1..=ROUNDS {
        let directory = tempfile::tempdir().unwrap();
        let said = killed_after(directory.path(), "settle", round);
        let engine = open(directory.path());
        for (place, name) in NAMES.into_iter().enumerate() {
            let namespace = engine.namespace(name).unwrap();
            let words = of(&said, 2, place);
            undo_all(&namespace);
            let size = namespace.size(None);
            if words.last() == Some(&"filled") {
                assert!([0, KEYS as u64].contains(&size), "{name} in round {round}: {size}");
            }
            let last_final = words.iter().filter(|word| **word == "final").count() as i64 - 1;
            for key in 0..KEYS {
                let mut out = Vec::new();
                if namespace.get("s", KeyRef::Integer(key), &mut out).unwrap().is_none() {
                    continue;
                }
                let Some(Value::Int(n)) = BodyRef::new(&out).bin("n").map(|n| n.to_value()) else { panic!("{key} has no number") };
                assert!(n > last_final, "{key} of round {n} is back after round {last_final}");
            }
        }
        engine.close().unwrap();
    }
}
