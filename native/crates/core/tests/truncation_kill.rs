//! A process that is killed as soon as its truncation has answered. A file of its own: while a child begins, it has a lock of a data
//! directory that another test of the same process wants to open again.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::body;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tessera_base::clock::unix_millis;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_record::{KeyRef, Value};

const DIRECTORY: &str = "TESSERA_TRUNCATE_DIRECTORY";
/// So many that they are removed in the background.
const KEYS: i64 = 15_000;
/// Every fourth is written again after the moment.
const YOUNGER: usize = 4;

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions::default()).unwrap()
}

fn put(namespace: &Namespace, key: i64) {
    let body = body(KeyRef::Integer(key), &[("n", Value::Int(key))]);
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
}

/// Runs only as the child of the test below.
#[test]
fn child() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let engine = open(Path::new(&directory));
    let device = NamespaceConfig::device("d", DeviceConfig::default());
    let namespace = engine.create_namespace(NamespaceConfig { segments: 8, durability: Durability::Relaxed, ..device }).unwrap();
    (0..KEYS).for_each(|key| put(&namespace, key));
    while namespace.last_write_ms() >= Some(unix_millis()) {
        std::thread::yield_now();
    }
    let moment = unix_millis();
    (0..KEYS).step_by(YOUNGER).for_each(|key| put(&namespace, key));
    namespace.sync().unwrap();
    namespace.truncate(None, Some(moment)).unwrap();
    // The name of the test may stand before it.
    println!("\n@ {moment}");
    std::thread::park();
}

#[test]
fn a_kill_after_the_answer_takes_nothing_back() {
    for _ in 0..3 {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(DIRECTORY, directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let moment: u64 = lines.filter_map(|line| line.strip_prefix("@ ").map(str::to_owned)).next().unwrap().parse().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let engine = open(directory.path());
        let namespace = engine.namespace("d").unwrap();
        assert_eq!(namespace.size(None), (0..KEYS).step_by(YOUNGER).count() as u64);
        for key in 0..KEYS {
            let updated_at = namespace.meta("s", KeyRef::Integer(key)).unwrap().map(|meta| meta.updated_at);
            assert_eq!(updated_at.is_some(), key % YOUNGER as i64 == 0, "{key}");
            assert!(updated_at.is_none_or(|at| at >= moment));
        }
    }
}
