//! A child process writes into a `device` or a `paged` namespace with durability `commit` until it is killed with SIGKILL; then every
//! acknowledged write must be there, every acknowledged delete be gone, and nothing be half there.
//! `TESSERA_CRASH_ROUNDS` sets how often (12 by default); where the cache is much smaller than the data, an eighth of that.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[path = "../bodies/mod.rs"]
mod bodies;
mod child;
#[path = "../pages/mod.rs"]
mod pages;
mod script;

use script::{Content, FEW, MANY, Model, THREADS, keys, mix, operation, set_of};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_core::{DeviceConfig, DeviceFile, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig};
use tessera_record::{BodyRef, KeyRef};

/// After at most so many crashes a new file is begun.
const ROUNDS_A_FILE: u64 = 40;
/// Folder of the two files, where there are two.
const SEVERAL: &str = "several";
/// A file with the page size, where records are in pages.
const PAGES: &str = "page-bytes";
/// A file that is there where a thread has many keys.
const CROWDED: &str = "crowded";
/// A file that is there where the child makes and drops the namespace, again and again.
const MAKES: &str = "makes";
const NAMESPACE: &str = "crash";
const DIRECTORY: &str = "TESSERA_CRASH_DIRECTORY";
const SEED: &str = "TESSERA_CRASH_SEED";

fn config(directory: &Path) -> NamespaceConfig {
    let engine = match std::fs::read_to_string(directory.join(PAGES)) {
        Ok(page_bytes) => pages::paged(NAMESPACE, page_bytes.parse().unwrap()),
        Err(_) => NamespaceConfig::device(NAMESPACE, device(directory)),
    };
    let moving = SetConfig { name: "moving".into(), distribution_bin: Some("home".into()), ..SetConfig::default() };
    NamespaceConfig { segments: 8, sets: vec![moving], max_record_bytes: 16 * 1024, ..engine }
}

/// In every second directory the records are spread over two files.
fn device(directory: &Path) -> DeviceConfig {
    // Small blocks, so that many a kill finds one half full, and few of them, so that they are used again and again.
    let device = DeviceConfig { write_block_bytes: 32 * 1024, flush_interval_ms: 20, ..DeviceConfig::default() };
    let half =
        |name: &str| DeviceFile { path: directory.join(SEVERAL).join(name).to_str().unwrap().to_owned(), capacity_bytes: 32 * 32 * 1024 };
    match directory.join(SEVERAL).exists() {
        true => DeviceConfig { devices: vec![half("first"), half("second")], ..device },
        false => DeviceConfig { capacity_bytes: 64 * 32 * 1024, ..device },
    }
}

fn open(directory: &Path) -> Arc<Engine> {
    let options = EngineOptions { device_paths: vec![directory.join(SEVERAL)], ..EngineOptions::default() };
    Engine::open(&directory.join("data"), options).unwrap()
}

fn keys_a_thread(directory: &Path) -> u64 {
    if directory.join(CROWDED).exists() { MANY } else { FEW }
}

/// Runs only as the child of the test below.
#[test]
fn child() {
    if let (Ok(directory), Ok(seed)) = (std::env::var(DIRECTORY), std::env::var(SEED)) {
        child::run(Path::new(&directory), seed.parse().unwrap());
    }
}

#[test]
fn every_acknowledged_write_survives_a_kill() {
    survives(rounds(), &|directory, number| {
        if number % 2 == 1 {
            std::fs::create_dir(directory.join(SEVERAL)).unwrap();
        }
        Model::new()
    });
}

/// By turns in pages of each size.
#[test]
fn every_acknowledged_write_in_pages_survives_a_kill() {
    survives(rounds(), &|directory, number| {
        std::fs::write(directory.join(PAGES), (4096 << (number % 5)).to_string()).unwrap();
        Model::new()
    });
}

/// Changed pages leave the cache all the time, before and after the checkpoints that run one after the other.
#[test]
fn every_acknowledged_write_survives_a_kill_where_most_pages_are_out_of_the_cache() {
    survives(rounds().div_ceil(8), &|directory, number| {
        std::fs::write(directory.join(PAGES), (4096 << (number % 2)).to_string()).unwrap();
        std::fs::write(directory.join(CROWDED), "").unwrap();
        fill(directory)
    });
}

/// What a kill leaves of a namespace that is being made or dropped: all of it, or nothing.
#[test]
fn a_killed_creation_leaves_a_namespace_or_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    std::fs::create_dir(path.join(SEVERAL)).unwrap();
    std::fs::write(path.join(MAKES), "").unwrap();
    let run = RandomState::new().hash_one(2);
    let mut there = 0;
    // Few kills find one.
    for round in 0..rounds().max(40) {
        let seed = mix(run ^ round);
        write_until_killed(path, seed, 4);
        let engine = open(path);
        let orphans: Vec<String> = engine.orphans().unwrap().into_iter().map(|orphan| orphan.id).collect();
        assert!(orphans.is_empty(), "{orphans:?} (seed {seed})");
        match engine.namespace(NAMESPACE) {
            Ok(namespace) => {
                there += 1;
                child::load(&namespace, set_of(0), &[1], 1);
                drop(namespace);
                engine.drop_namespace(NAMESPACE).unwrap();
            }
            Err(error) => assert_eq!(error.code, ErrorCode::NamespaceNotFound, "{error:?} (seed {seed})"),
        }
        assert_eq!(std::fs::read_dir(path.join(SEVERAL)).unwrap().count(), 0, "files of no namespace (seed {seed})");
    }
    assert!(there > 0, "no kill found a namespace");
}

fn rounds() -> u64 {
    std::env::var("TESSERA_CRASH_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

/// Writes all keys once, and answers what is there then.
fn fill(directory: &Path) -> Model {
    let engine = open(directory);
    let namespace = engine.create_namespace(config(directory)).unwrap();
    let mut model = Model::new();
    for thread in 0..THREADS {
        let all: Vec<i64> = keys(thread, MANY).collect();
        // Of one length each, and not all of the same.
        for some in all.chunks(10) {
            let id = mix(some[0] as u64) >> 8;
            child::load(&namespace, set_of(thread), some, id);
            model.extend(some.iter().map(|key| (*key, Content { written: Some(id), merged: None })));
        }
    }
    let report = namespace.pages_report().unwrap();
    let (used, cached) = (report.pages - report.free_pages, u64::from(report.cache.frames));
    assert!(used > 2 * cached, "{used} pages and {cached} frames");
    engine.close().unwrap();
    model
}

/// Kills as often as it should; `prepare` makes what a directory, given by its number, is told by, and answers what is kept in it.
fn survives(rounds: u64, prepare: &dyn Fn(&Path, u64) -> Model) {
    let run = RandomState::new().hash_one(1);
    let (mut directory, mut model) = (tempfile::tempdir().unwrap(), Model::new());
    let (each, mut acknowledged) = (rounds.div_ceil(2).min(ROUNDS_A_FILE), 0);
    for round in 0..rounds {
        if round % each == 0 {
            directory = tempfile::tempdir().unwrap();
            model = prepare(directory.path(), round / each);
        }
        let seed = mix(run ^ round);
        let counts = write_until_killed(directory.path(), seed, 600);
        acknowledged += counts.iter().sum::<u64>();
        if directory.path().join("data/manifest").exists() {
            check(directory.path(), seed, &counts, &mut model);
        }
    }
    assert!(acknowledged > rounds, "{acknowledged} acknowledgements in {rounds} rounds");
}

/// Runs a child and kills it at a random moment, after at most so many acknowledgements and a moment more. How many operations of
/// each thread were acknowledged.
fn write_until_killed(directory: &Path, seed: u64, most: u64) -> [u64; THREADS as usize] {
    let complaints = directory.join("complaints");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(DIRECTORY, directory)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&complaints).unwrap())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut counts = [0; THREADS as usize];
    // Every fifth child dies while it starts.
    let wanted = if seed.is_multiple_of(5) { 0 } else { 1 + mix(seed) % most };
    let mut line = String::new();
    let mut read = |counts: &mut [u64; THREADS as usize]| {
        line.clear();
        let more = lines.read_line(&mut line).unwrap() > 0;
        // A line that the kill cut short acknowledges nothing.
        let acknowledged = line.strip_prefix("@ ").and_then(|rest| rest.strip_suffix('\n'));
        if let Some((thread, index)) = acknowledged.and_then(|words| words.split_once(' ')) {
            let count = &mut counts[thread.parse::<usize>().unwrap()];
            assert_eq!(index.parse::<u64>().unwrap(), *count);
            *count += 1;
        }
        more
    };
    while counts.iter().sum::<u64>() < wanted {
        let more = read(&mut counts);
        assert!(more, "the child ended by itself (seed {seed}): {}", std::fs::read_to_string(&complaints).unwrap());
    }
    // Not a wait for anything: the moment of the kill is what is random.
    std::thread::sleep(Duration::from_micros(mix(seed ^ 1) % 20_000));
    child.kill().unwrap();
    while read(&mut counts) {}
    child.wait().unwrap();
    counts
}

/// Compares what is there with what was acknowledged, and leaves in `model` what is there.
fn check(directory: &Path, seed: u64, counts: &[u64; THREADS as usize], model: &mut Model) {
    let engine = open(directory);
    let namespace = match engine.namespace(NAMESPACE) {
        Ok(namespace) => namespace,
        Err(error) => {
            assert!(model.is_empty() && counts.iter().all(|n| *n == 0), "the namespace is gone: {error:?} (seed {seed})");
            return;
        }
    };
    assert_eq!(namespace.recovery().damaged, 0, "{:?} (seed {seed})", namespace.recovery().damage);
    let each = keys_a_thread(directory);
    // All of few; of many what was written now, and a part of the others, another one each round.
    let part = each.div_ceil(FEW * 4);
    for (thread, count) in (0..THREADS).zip(counts) {
        let mut written = HashSet::new();
        for index in 0..*count {
            let operation = operation(seed, each, thread, index);
            operation.apply(model);
            written.extend(operation.keys().iter().copied());
        }
        // One more may have been written without its acknowledgement getting out; a batch in part.
        let mut further = model.clone();
        let next = operation(seed, each, thread, *count);
        next.apply(&mut further);
        written.extend(next.keys().iter().copied());
        for key in keys(thread, each).filter(|key| (*key as u64 ^ seed).is_multiple_of(part) || written.contains(key)) {
            let found = read(&namespace, set_of(thread), key);
            let allowed = [model.get(&key), further.get(&key)];
            let Some(content) = allowed.into_iter().find(|content| content.map(Content::bins) == found) else {
                panic!("key {key} of thread {thread} after {count} operations holds {found:?}, not one of {allowed:?} (seed {seed})");
            };
            match content.copied() {
                Some(content) => model.insert(key, content),
                None => model.remove(&key),
            };
        }
    }
    assert_eq!(namespace.size(None), model.len() as u64, "seed {seed}");
    engine.close().unwrap();
}

fn read(namespace: &Namespace, set: &str, key: i64) -> Option<Vec<(&'static str, tessera_record::Value)>> {
    let mut out = vec![];
    namespace.get(set, KeyRef::Integer(key), &mut out).unwrap()?;
    BodyRef::validate(&out).unwrap();
    let names = ["body", "home", "merged", "written"];
    assert!(BodyRef::new(&out).raw_bins().all(|(name, _)| names.iter().any(|known| known.as_bytes() == name)));
    Some(names.iter().filter_map(|name| Some((*name, bodies::bin(&out, name)?))).collect())
}
