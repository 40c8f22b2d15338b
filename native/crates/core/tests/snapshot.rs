//! Starts from an index snapshot: what was there is there again, and nothing else ever is.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::{bin, body};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use tessera_base::ErrorCode;
use tessera_base::dice::Dice;
use tessera_core::scan::{Found, PlanChoice, UseIndex, VisitSpec};
use tessera_core::sets::SetIndexState;
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_record::{Digest, KeyRef, Ttl, Value};

type Model = BTreeMap<(&'static str, i64), String>;

const SETS: [&str; 3] = ["", "indexed", "placed"];

fn open(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let namespace = match engine.namespace("n") {
        Ok(namespace) => namespace,
        Err(_) => {
            let sets = vec![
                SetConfig { name: "placed".into(), distribution_bin: Some("home".into()), ..SetConfig::default() },
                SetConfig { name: "indexed".into(), index: true, ..SetConfig::default() },
            ];
            let device = DeviceConfig { write_block_bytes: 16 * 1024, capacity_bytes: 64 * 16 * 1024, ..DeviceConfig::default() };
            let durability = tessera_core::Durability::Relaxed;
            let config = NamespaceConfig { segments: 8, sets, durability, max_record_bytes: 8192, ..NamespaceConfig::device("n", device) };
            engine.create_namespace(config).unwrap()
        }
    };
    (engine, namespace)
}

fn put(namespace: &Namespace, set: &str, key: i64, text: &str, ttl: Ttl) {
    let body = body(KeyRef::Integer(key), &[("home", Value::Int(text.len() as i64)), ("v", Value::String(text.into()))]);
    namespace.put(set, KeyRef::Integer(key), &body, &WriteOptions { ttl, ..WriteOptions::default() }).unwrap();
}

fn check(namespace: &Namespace, model: &Model) {
    for set in SETS {
        assert_eq!(namespace.size(Some(set)), model.keys().filter(|(own, _)| *own == set).count() as u64, "{set}");
    }
    let mut out = vec![];
    for ((set, key), text) in model {
        let meta = namespace.get(set, KeyRef::Integer(*key), &mut out).unwrap();
        assert!(meta.is_some(), "{set} {key}");
        assert_eq!(bin(&out, "v"), Some(Value::String(text.clone())));
    }
}

/// A namespace that was closed in order, and what is in it.
fn closed() -> (tempfile::TempDir, Model) {
    let directory = tempfile::tempdir().unwrap();
    let (engine, namespace) = open(directory.path());
    let mut model = Model::new();
    for n in 0..600 {
        let (set, key) = (SETS[n as usize % 3], n % 200);
        let text = "x".repeat((n * 37 % 700) as usize);
        put(&namespace, set, key, &text, Ttl::Never);
        model.insert((set, key), text);
    }
    for key in (0..200).step_by(5) {
        namespace.delete("placed", KeyRef::Integer(key), None).unwrap();
        model.remove(&("placed", key));
    }
    drop(namespace);
    engine.close().unwrap();
    (directory, model)
}

fn snapshot(directory: &Path) -> PathBuf {
    directory.join("namespaces/1/index.tss")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Why the namespace was opened cold; empty for a warm start.
fn reason(namespace: &Namespace) -> String {
    namespace.recovery().cold.clone().unwrap_or_default()
}

#[test]
fn a_clean_stop_is_followed_by_a_warm_start_that_is_not_repeated() {
    let (directory, mut model) = closed();
    let old = fs::read(snapshot(directory.path())).unwrap();
    for round in 0..4 {
        let (engine, namespace) = open(directory.path());
        assert_eq!((reason(&namespace), namespace.recovery().records), (String::new(), model.len() as u64));
        assert!(!snapshot(directory.path()).exists());
        check(&namespace, &model);
        let index = namespace.sets().into_iter().find(|set| set.name == "indexed").unwrap();
        assert!(index.index_bytes > 0);
        put(&namespace, "", round, "anew", Ttl::Never);
        model.insert(("", round), "anew".into());
        drop(namespace);
        engine.close().unwrap();
    }
    // A copy of an earlier one is stale, and so is the newest when it has been used.
    let newest = fs::read(snapshot(directory.path())).unwrap();
    for stale in [old, newest] {
        let (engine, namespace) = open(directory.path());
        drop(namespace);
        engine.close().unwrap();
        fs::write(snapshot(directory.path()), stale).unwrap();
        let (engine, namespace) = open(directory.path());
        assert!(reason(&namespace).contains("in run"), "{}", reason(&namespace));
        check(&namespace, &model);
        drop(namespace);
        engine.close().unwrap();
    }
}

/// Keys of a set, found by its index or by the set column.
fn keys(namespace: &Namespace, set: &str, use_index: UseIndex) -> BTreeSet<Digest> {
    let found = Mutex::new(BTreeSet::new());
    let spec = VisitSpec { set: Some(set.to_owned()), use_index, plan: PlanChoice::Auto, bodies: false, ..VisitSpec::default() };
    let visit = |_: usize, record: &Found<'_>| {
        assert!(found.lock().unwrap().insert(record.digest));
        ControlFlow::Continue(())
    };
    namespace.scan_visit(&spec, &visit).unwrap();
    found.into_inner().unwrap()
}

#[test]
fn set_indexes_are_there_at_once_after_a_warm_start_and_hold_what_the_set_column_holds() {
    let (directory, _) = closed();
    for round in 0..3 {
        let (engine, namespace) = open(directory.path());
        assert!(namespace.recovery().cold.is_none());
        for set in namespace.sets() {
            assert_eq!(
                set.index,
                if set.name == "indexed" || (set.name.is_empty() && round > 0) { SetIndexState::On } else { SetIndexState::Off },
                "{}",
                set.name
            );
        }
        for set in if round == 0 { &["indexed"][..] } else { &["", "indexed"][..] } {
            let (indexed, column) = (keys(&namespace, set, UseIndex::Force), keys(&namespace, set, UseIndex::Never));
            assert_eq!(indexed, column, "{set:?} in round {round}");
            // Those without a set expire meanwhile, and are counted until they are swept away.
            assert!(set.is_empty() || indexed.len() as u64 == namespace.size(Some(set)), "{set:?} in round {round}");
        }
        match round {
            0 => {
                namespace.set_index_on("", 1).unwrap();
                (0..90).for_each(|key| assert!(namespace.delete("indexed", KeyRef::Integer(key), None).unwrap()));
                (300..400).for_each(|key| put(&namespace, "indexed", key, "new", Ttl::Never));
                (0..50).for_each(|key| put(&namespace, "", key, "soon gone", Ttl::Seconds(1)));
            }
            _ => drop(namespace.truncate(Some("indexed"), None).unwrap()),
        }
        drop(namespace);
        engine.close().unwrap();
    }
}

#[test]
fn a_crash_after_a_warm_start_costs_a_cold_start_and_no_record() {
    let (directory, mut model) = closed();
    let (engine, namespace) = open(directory.path());
    put(&namespace, "placed", 0, "after the warm start", Ttl::Never);
    namespace.delete("", KeyRef::Integer(0), None).unwrap();
    namespace.sync().unwrap();
    model.insert(("placed", 0), "after the warm start".into());
    model.remove(&("", 0));
    // What a crash leaves: the files as they are while the engine is open.
    let crashed = tempfile::tempdir().unwrap();
    copy(directory.path(), crashed.path());
    drop(namespace);
    engine.close().unwrap();
    let later = snapshot(crashed.path());
    fs::copy(snapshot(directory.path()), &later).unwrap();
    // A snapshot from after the close says that these files are older.
    let engine = Engine::open(crashed.path(), EngineOptions::default()).unwrap();
    assert_eq!(engine.reopen_namespace("n", false).err().unwrap().code, ErrorCode::DataRolledBack);
    engine.close().unwrap();
    fs::remove_file(later).unwrap();
    let (_engine, namespace) = open(crashed.path());
    assert_eq!(reason(&namespace), "there is no index snapshot");
    check(&namespace, &model);
}

#[test]
fn another_copy_of_the_data_file_of_the_same_run_is_a_loss_to_accept() {
    let (directory, model) = closed();
    let (engine, namespace) = open(directory.path());
    put(&namespace, "", 0, "one", Ttl::Never);
    namespace.sync().unwrap();
    let file = directory.path().join("namespaces/1/data.tsr");
    let earlier = fs::read(&file).unwrap();
    put(&namespace, "", 0, "two", Ttl::Never);
    drop(namespace);
    engine.close().unwrap();
    let length = fs::metadata(&file).unwrap().len();
    fs::write(&file, earlier).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_len(length).unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let loss = engine.reopen_namespace("n", false).err().unwrap();
    assert_eq!(loss.code, ErrorCode::DataRolledBack, "{loss}");
    assert!(loss.message.contains("was closed in order"), "{loss}");
    let namespace = engine.reopen_namespace("n", true).unwrap();
    assert_eq!(namespace.losses().iter().map(|loss| loss.code.as_str()).collect::<Vec<_>>(), ["data_rolled_back"]);
    check(&namespace, &Model::from_iter(model.into_iter().chain([(("", 0), "one".to_owned())])));
    put(&namespace, "", 0, "three", Ttl::Never);
    drop(namespace);
    engine.close().unwrap();
    let (_engine, namespace) = open(directory.path());
    assert_eq!(reason(&namespace), "");
}

/// The file as it was after the stop before, and a file that was cut: neither is read as if nothing were missing.
#[test]
fn an_earlier_or_shorter_data_file_is_a_loss_with_or_without_the_snapshot() {
    for (shorter, with_snapshot) in [(false, true), (false, false), (true, true), (true, false)] {
        let (directory, model) = closed();
        let file = directory.path().join("namespaces/1/data.tsr");
        let earlier = fs::read(&file).unwrap();
        let (engine, namespace) = open(directory.path());
        put(&namespace, "", 0, "one", Ttl::Never);
        drop(namespace);
        engine.close().unwrap();
        let left = if shorter { fs::read(&file).unwrap()[..150_000].to_vec() } else { earlier };
        fs::write(&file, left).unwrap();
        if !with_snapshot {
            fs::remove_file(snapshot(directory.path())).unwrap();
        }
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let loss = engine.reopen_namespace("n", false).err().unwrap();
        assert_eq!(loss.code, ErrorCode::DataRolledBack, "{loss}");
        let namespace = engine.reopen_namespace("n", true).unwrap();
        assert!(namespace.records() <= model.len() as u64 && namespace.records() > 0);
        assert_eq!(namespace.losses().first().map(|loss| loss.code.as_str()), Some("data_rolled_back"));
    }
}

#[test]
fn a_snapshot_that_cannot_be_written_costs_a_cold_start_and_the_close_succeeds() {
    let (directory, model) = closed();
    let unfinished = directory.path().join("namespaces/1/index.tss.new");
    let faults: [&dyn Fn(); 3] = [
        &|| std::os::unix::fs::symlink("/dev/full", &unfinished).unwrap(),
        &|| fs::create_dir(&unfinished).unwrap(),
        // It cannot take the place of a folder.
        &|| fs::create_dir_all(snapshot(directory.path()).join("in the way")).unwrap(),
    ];
    for (number, fault) in faults.iter().enumerate() {
        let (engine, namespace) = open(directory.path());
        assert_eq!(reason(&namespace), "", "fault {number}");
        fault();
        drop(namespace);
        engine.close().unwrap();
        let (engine, namespace) = open(directory.path());
        assert!(!reason(&namespace).is_empty(), "fault {number}");
        check(&namespace, &model);
        let _ = fs::remove_dir(&unfinished);
        let _ = fs::remove_dir_all(snapshot(directory.path()));
        drop(namespace);
        engine.close().unwrap();
    }
}

#[test]
fn truncations_hold_when_the_loss_of_what_came_after_them_is_accepted() {
    let (directory, mut model) = closed();
    let kept = fs::read(snapshot(directory.path())).unwrap();
    let data = fs::read(directory.path().join("namespaces/1/data.tsr")).unwrap();
    let (engine, namespace) = open(directory.path());
    namespace.truncate(Some("placed"), None).unwrap();
    drop(namespace);
    engine.close().unwrap();
    // Files in which not a single record has been removed: only the manifest knows.
    fs::write(snapshot(directory.path()), kept).unwrap();
    fs::write(directory.path().join("namespaces/1/data.tsr"), data).unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.reopen_namespace("n", true).unwrap();
    model.retain(|(set, _), _| *set != "placed");
    check(&namespace, &model);
}

#[test]
fn with_known_damage_the_records_are_read() {
    let (directory, mut model) = closed();
    let (engine, namespace) = open(directory.path());
    // In the last block, with the mark of the close.
    put(&namespace, "", 1000, "rots", Ttl::Never);
    model.insert(("", 1000), "rots".to_owned());
    drop(namespace);
    engine.close().unwrap();

    let file = directory.path().join("namespaces/1/data.tsr");
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.windows(4).position(|window| window == b"rots").unwrap();
    bytes[at] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let (engine, namespace) = open(directory.path());
    assert_eq!(reason(&namespace), "");
    let mut out = vec![];
    let damaged =
        |key: &(&str, i64)| namespace.get(key.0, KeyRef::Integer(key.1), &mut out).is_err_and(|e| e.code == ErrorCode::RecordDamaged);
    assert_eq!(model.keys().copied().filter(damaged).count(), 1);
    drop(namespace);
    engine.close().unwrap();
    for _ in 0..2 {
        let (engine, namespace) = open(directory.path());
        assert_eq!((reason(&namespace).as_str(), namespace.recovery().damaged), ("there is no index snapshot", 1));
        drop(namespace);
        engine.close().unwrap();
    }
}

/// Records of each segment, and bytes; not how often they were asked for. Of a segment that is being written, as by
/// defragmentation, an earlier figure is told: asked again until they add up.
fn held(namespace: &Namespace) -> Vec<(u64, u64, Option<u64>)> {
    loop {
        let segments = namespace.segments();
        if segments.iter().map(|segment| segment.live_bytes).sum::<u64>() == namespace.usage().live_bytes {
            return segments.into_iter().map(|segment| (segment.records, segment.live_bytes, segment.allocated_bytes)).collect();
        }
        std::thread::yield_now();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    /// One namespace for many places: a start that refuses the snapshot leaves all as it was but the run, which is put back.
    #[test]
    fn every_flipped_byte_and_every_cut_is_seen(places in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 15)) {
        let (directory, model) = closed();
        let (path, file) = (snapshot(directory.path()), directory.path().join("namespaces/1/data.tsr"));
        let (sound, data) = (fs::read(&path).unwrap(), fs::read(&file).unwrap());
        // The manifest and the witness know of each start.
        let known = ["manifest", "witness", "namespaces/1/namespace"].map(|name| directory.path().join(name));
        let known = known.map(|path| (fs::read(&path).unwrap_or_default(), path));
        for (at, flip) in places {
            let at = at.index(sound.len());
            let mut flipped = sound.clone();
            flipped[at] ^= flip;
            for bytes in [flipped, sound[..at].to_vec(), [&sound[..], &sound[..=at]].concat()] {
                fs::write(&path, bytes).unwrap();
                let (engine, namespace) = open(directory.path());
                prop_assert!(!reason(&namespace).is_empty(), "byte {}", at);
                prop_assert_eq!(namespace.recovery().damaged, 0);
                check(&namespace, &model);
                drop(namespace);
                engine.close().unwrap();
                fs::write(&file, &data).unwrap();
                known.iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
            }
        }
        fs::write(&path, &sound).unwrap();
        let (_engine, namespace) = open(directory.path());
        prop_assert_eq!(reason(&namespace), "");
        check(&namespace, &model);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Enough is written over for defragmentation to be at work, and starts of both kinds come in any order.
    #[test]
    fn warm_and_cold_starts_agree(rounds in prop::collection::vec((any::<u64>(), any::<bool>()), 1..5)) {
        let directory = tempfile::tempdir().unwrap();
        let (mut engine, mut namespace) = open(directory.path());
        let mut model = Model::new();
        for (seed, cold) in rounds {
            let mut dice = Dice(seed | 1);
            for n in 0..1500_usize {
                let (set, key) = (SETS[n % 3], dice.roll(300) as i64);
                if dice.roll(4) == 0 {
                    let known = model.remove(&(set, key)).is_some();
                    prop_assert_eq!(namespace.delete(set, KeyRef::Integer(key), None).unwrap(), known);
                } else {
                    let text = format!("{n} {}", "y".repeat(dice.roll(600) as usize));
                    put(&namespace, set, key, &text, if n.is_multiple_of(2) { Ttl::Never } else { Ttl::Seconds(100_000) });
                    model.insert((set, key), text);
                }
            }
            let metas: Vec<_> = model.keys().map(|(set, key)| namespace.meta(set, KeyRef::Integer(*key)).unwrap()).collect();
            let (segments, newest) = (held(&namespace), namespace.last_write_ms());
            drop(namespace);
            engine.close().unwrap();
            if cold {
                fs::remove_file(snapshot(directory.path())).unwrap();
            }
            (engine, namespace) = open(directory.path());
            prop_assert_eq!(namespace.recovery().cold.is_some(), cold, "{}", reason(&namespace));
            check(&namespace, &model);
            let after: Vec<_> = model.keys().map(|(set, key)| namespace.meta(set, KeyRef::Integer(*key)).unwrap()).collect();
            prop_assert_eq!(after, metas);
            prop_assert_eq!(held(&namespace), segments);
            prop_assert!(cold || namespace.last_write_ms() == newest);
        }
    }
}

const DIRECTORY: &str = "TESSERA_SNAPSHOT_DIRECTORY";

/// Runs only as the child of the test below: opens and closes until it is killed.
#[test]
fn child() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    loop {
        let (engine, namespace) = open(Path::new(&directory));
        drop(namespace);
        println!("@");
        engine.close().unwrap();
    }
}

#[test]
fn a_kill_while_the_snapshot_is_written_leaves_a_sound_one_or_none() {
    let (directory, model) = closed();
    for round in 0..25_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(DIRECTORY, directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let opened = lines.map(Result::unwrap).filter(|line| line == "@").take(1 + round as usize % 3).count();
        assert!(opened > 0, "the child ended by itself");
        // Not a wait for anything: the moment of the kill, while the child closes, is what differs.
        std::thread::sleep(std::time::Duration::from_micros(round * 397));
        child.kill().unwrap();
        child.wait().unwrap();
        let (engine, namespace) = open(directory.path());
        assert_eq!(namespace.recovery().damaged, 0);
        check(&namespace, &model);
        drop(namespace);
        engine.close().unwrap();
    }
}
