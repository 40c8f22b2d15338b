//! A child process that builds indexes, loads, rewrites or closes is killed with SIGKILL; after the next start every index is
//! there whole or not at all, and what it answers is what the records say. `TESSERA_CRASH_ROUNDS` sets how often (20 by default).
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

#[path = "../integration/documents/bare.rs"]
mod bare;
#[path = "../bodies/mod.rs"]
mod bodies;
mod child;
#[path = "../pages/mod.rs"]
mod pages;
mod script;

use bare::matches_body;
use script::{SET, filter, specs};
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tessera_base::dice::Dice;
use tessera_core::query::QuerySpec;
use tessera_core::scan::{Found, VisitSpec};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig};
use tessera_index::IndexState;
use tessera_record::filter::Filter;
use tessera_record::{BodyRef, KeyRef};

/// After so many kills a new file is begun.
const ROUNDS_A_FILE: u64 = 40;
/// Filters asked after each.
const FILTERS: u64 = 20;
const LONG: Duration = Duration::from_secs(60);
const NAMESPACE: &str = "documents";
const DIRECTORY: &str = "TESSERA_KILL_DIRECTORY";
const SEED: &str = "TESSERA_KILL_SEED";
const STEPS: &str = "TESSERA_KILL_STEPS";

/// Every other four seeds in a row mean pages.
fn of_pages(seed: u64) -> bool {
    seed & 4 != 0
}

fn config(seed: u64) -> NamespaceConfig {
    if of_pages(seed) {
        return NamespaceConfig { segments: 8, max_record_bytes: 16 * 1024, ..pages::paged(NAMESPACE, 4096) };
    }
    let block = 64 * 1024;
    let device =
        DeviceConfig { write_block_bytes: block, capacity_bytes: 256 * u64::from(block), flush_interval_ms: 20, ..DeviceConfig::default() };
    NamespaceConfig { segments: 8, max_record_bytes: 16 * 1024, ..NamespaceConfig::device(NAMESPACE, device) }
}

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(&directory.join("data"), EngineOptions::default()).unwrap()
}

/// Runs only as the child of the test below.
#[test]
fn child() {
    if let (Ok(directory), Ok(seed)) = (std::env::var(DIRECTORY), std::env::var(SEED)) {
        let steps = std::env::var(STEPS).ok().map(|steps| steps.parse().unwrap());
        child::run(Path::new(&directory), seed.parse().unwrap(), steps);
    }
}

#[test]
fn after_a_kill_an_index_is_whole_or_absent() {
    let rounds: u64 = std::env::var("TESSERA_CRASH_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let run = RandomState::new().hash_one(1);
    // One of a device, one of pages.
    let mut directories = [(); 2].map(|()| (tempfile::tempdir().unwrap(), false));
    let mut by_index = 0;
    for round in 0..rounds {
        if round > 0 && round % ROUNDS_A_FILE == 0 {
            directories = [(); 2].map(|()| (tempfile::tempdir().unwrap(), false));
        }
        // Every kind of work in turn, each fifth round to its end.
        let seed = ((run ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15)) << 3) + round % 8;
        let (directory, begun) = &mut directories[usize::from(of_pages(seed))];
        let mut dice = Dice(seed | 1);
        let orderly = round % 5 == 4;
        if orderly {
            stop_in_order(directory.path(), seed);
        } else {
            kill(directory.path(), seed, round % 7 == 6, &mut dice);
        }
        if directory.path().join("data/manifest").exists() {
            by_index += check(directory.path(), seed, orderly, begun, &mut dice);
        }
    }
    assert!(by_index > rounds * FILTERS / 4, "indexes answered {by_index} queries in {rounds} rounds");
}

fn command(directory: &Path, seed: u64) -> Command {
    let complaints = std::fs::File::create(directory.join("complaints")).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]).env(DIRECTORY, directory).env(SEED, seed.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(complaints);
    command
}

fn complaints(directory: &Path) -> String {
    std::fs::read_to_string(directory.join("complaints")).unwrap_or_default()
}

fn stop_in_order(directory: &Path, seed: u64) {
    let output = command(directory, seed).env(STEPS, "3").output().unwrap();
    assert!(output.status.success(), "the child failed (seed {seed}): {}", complaints(directory));
}

/// Runs a child and kills it at a random moment: while it starts, or once it is at work.
fn kill(directory: &Path, seed: u64, early: bool, dice: &mut Dice) {
    let mut child = command(directory, seed).spawn().unwrap();
    if !early {
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "@"), "the child ended by itself (seed {seed}): {}", complaints(directory));
    }
    // Not a wait for anything: the moment of the kill is what is random.
    std::thread::sleep(Duration::from_micros(dice.roll(200_000)));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!complaints(directory).contains("panicked"), "the child failed (seed {seed}): {}", complaints(directory));
}

/// Asks every index and the records themselves; how many answers came by an index. `begun`: whether the set was there before.
fn check(directory: &Path, seed: u64, orderly: bool, begun: &mut bool, dice: &mut Dice) -> u64 {
    let engine = open(directory);
    // A child that was killed while it started may not have come so far.
    let Ok(namespace) = engine.namespace(NAMESPACE) else { return 0 };
    assert_eq!(namespace.recovery().damaged, 0, "{:?} (seed {seed})", namespace.recovery().damage);
    let report = namespace.recovery();
    assert!(!orderly || (report.cold.is_none() && report.indexes_rebuilt == 0), "{report:?} (seed {seed})");
    let since = Instant::now();
    while namespace.indexes().iter().any(|index| index.state == IndexState::Building) {
        assert!(since.elapsed() < LONG, "an index is still being built (seed {seed})");
        std::thread::yield_now();
    }
    for index in namespace.indexes() {
        assert_eq!(index.state, IndexState::Ready, "{} (seed {seed})", index.spec.name);
        assert!(specs().iter().any(|spec| spec.name == index.spec.name));
    }
    // Nor may the first of its records have been stored; once the set is there it stays.
    let there = namespace.sets().iter().any(|set| set.name == SET);
    assert!(there || !*begun, "the set has gone (seed {seed})");
    *begun |= there;
    if !there {
        return 0;
    }
    let records = records(&namespace);
    assert_eq!(records.len() as u64, namespace.size(Some(SET)), "seed {seed}");
    let mut by_index = 0;
    for _ in 0..FILTERS {
        let text = filter(dice);
        let filter = Arc::new(Filter::compile(text.as_bytes()).unwrap());
        let spec = QuerySpec { set: Some(SET.into()), filter: Some(filter.clone()), threads: 2, ..QuerySpec::default() };
        by_index += u64::from(namespace.explain_query(&spec).unwrap().index.is_some());
        let expected: BTreeSet<i64> = records.iter().filter(|(_, body)| matches_body(&filter, body)).map(|(key, _)| *key).collect();
        assert_eq!(answer(&namespace, spec), expected, "{text} (seed {seed})");
    }
    drop(namespace);
    engine.close().unwrap();
    by_index
}

/// What is stored, by key.
fn records(namespace: &Namespace) -> Vec<(i64, Vec<u8>)> {
    let found = Mutex::new(vec![]);
    let spec = VisitSpec { set: Some(SET.into()), ..VisitSpec::default() };
    let visit = |_: usize, record: &Found<'_>| {
        found.lock().unwrap().push((key_of(record.body), record.body.to_vec()));
        ControlFlow::Continue(())
    };
    namespace.scan_visit(&spec, &visit).unwrap();
    found.into_inner().unwrap()
}

fn key_of(body: &[u8]) -> i64 {
    match BodyRef::new(body).key() {
        KeyRef::Integer(key) => key,
        _ => -1,
    }
}

/// The keys that a query returns; twice the same is a failure.
fn answer(namespace: &Arc<Namespace>, spec: QuerySpec) -> BTreeSet<i64> {
    let query = namespace.query(spec).unwrap();
    let mut keys = BTreeSet::new();
    while let Some(chunk) = query.stream.next_blocking().unwrap() {
        for line in chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let record: serde_json::Value = serde_json::from_slice(line).unwrap();
            assert!(keys.insert(record["key"].as_i64().unwrap()), "{record} came twice");
        }
    }
    keys
}
