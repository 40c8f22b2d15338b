//! A process that is killed while it drops and restores namespaces. A file of its own: while a child begins, it has a lock of a
//! data directory that another test of the same process wants to open again.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::body;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tessera_base::wait_until;
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, WriteOptions};
use tessera_record::{KeyRef, Value};

const DIRECTORY: &str = "TESSERA_DROPPED_DIRECTORY";
/// How long a drop can be undone, in milliseconds; the child restores if it is long.
const UNDO: &str = "TESSERA_DROPPED_UNDO";
const LONG: u64 = 600_000;
const SHORT: u64 = 1;
const KEYS: i64 = 200;
const ROUNDS: usize = 8;

fn open(directory: &Path, undo_ms: u64) -> Arc<Engine> {
    let options = EngineOptions { undo: Duration::from_millis(undo_ms), ..EngineOptions::default() };
    Engine::open(directory, options).unwrap()
}

fn configs() -> [NamespaceConfig; 2] {
    let device = NamespaceConfig::device("d", DeviceConfig::default());
    [device, NamespaceConfig::paged("p", PagedConfig::default())].map(|config| NamespaceConfig { segments: 4, ..config })
}

fn fill(namespace: &Namespace) {
    for key in 0..KEYS {
        let body = body(KeyRef::Integer(key), &[("n", Value::Int(key))]);
        namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
    }
    namespace.sync().unwrap();
}

/// Runs only as the child of the tests below.
#[test]
fn child() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let undo_ms = std::env::var(UNDO).unwrap().parse().unwrap();
    let engine = open(Path::new(&directory), undo_ms);
    for config in configs() {
        fill(&engine.create_namespace(config).unwrap());
    }
    loop {
        for config in configs() {
            let dropped = engine.set_aside(&config.name).unwrap().unwrap();
            println!("\n@ dropped");
            if undo_ms == LONG {
                engine.restore_dropped(dropped.id(), None).unwrap();
            } else {
                fill(&engine.create_namespace(config).unwrap());
            }
            println!("\n@ again");
        }
    }
}

fn start(directory: &Path, undo_ms: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .envs([(DIRECTORY, directory.to_str().unwrap()), (UNDO, &undo_ms.to_string())])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills a child a while after it has said `words` words, so that the rounds meet different steps of its work.
fn killed_after(directory: &Path, undo_ms: u64, words: usize) {
    let mut child = start(directory, undo_ms);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.filter(|line| line.starts_with("@ ")).take(words).count(), words);
    (0..words * 20_000).for_each(|_| std::hint::spin_loop());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_kill_leaves_the_namespace_or_the_drop_and_every_record() {
    for round in 1..=ROUNDS {
        let directory = tempfile::tempdir().unwrap();
        killed_after(directory.path(), LONG, round);
        let engine = open(directory.path(), LONG);
        assert!(engine.orphans().unwrap().is_empty());
        let dropped = engine.dropped().unwrap();
        assert_eq!(engine.members().len() + dropped.len(), 2);
        dropped.iter().for_each(|dropped| drop(engine.restore_dropped(dropped.id(), None).unwrap()));
        for name in ["d", "p"] {
            assert_eq!(engine.namespace(name).unwrap().size(None), KEYS as u64, "{name} in round {round}");
        }
        engine.close().unwrap();
    }
}

#[test]
fn a_kill_while_their_time_is_up_leaves_nothing_of_them() {
    for round in 1..=ROUNDS {
        let directory = tempfile::tempdir().unwrap();
        killed_after(directory.path(), SHORT, round);
        let engine = open(directory.path(), LONG);
        wait_until(|| engine.dropped().unwrap().is_empty());
        let listed = engine.members().len();
        // The last folder may just be going.
        wait_until(|| std::fs::read_dir(directory.path().join("namespaces")).unwrap().count() == listed);
        assert!(engine.orphans().unwrap().is_empty());
        engine.namespaces().iter().for_each(|namespace| assert!(namespace.size(None) <= KEYS as u64));
        engine.close().unwrap();
    }
}
