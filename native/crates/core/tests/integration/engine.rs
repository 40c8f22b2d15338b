//! A data directory and its namespaces: what stays, what goes, and who may open it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::{bin, body};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tessera_base::{ErrorCode, thread_guard};
use tessera_core::{ConfigPatch, DeviceConfig, Durability, Engine, EngineOptions, Exists, NamespaceConfig, SetConfig, WriteOptions};
use tessera_record::{KeyRef, Ttl, Value};

fn options() -> EngineOptions {
    EngineOptions::default()
}

#[test]
fn namespaces_survive_a_restart_and_drops_do_too() {
    let directory = tempfile::tempdir().unwrap();
    {
        let engine = Engine::open(directory.path(), options()).unwrap();
        let set = SetConfig { name: "events".into(), distribution_bin: Some("repo".into()), ..SetConfig::default() };
        engine.create_namespace(NamespaceConfig { sets: vec![set], ..NamespaceConfig::memory("a") }).unwrap();
        let again = engine.create_namespace(NamespaceConfig::memory("a"));
        assert_eq!(again.err().unwrap().code, ErrorCode::NamespaceExists);
        engine.create_namespace(NamespaceConfig::memory("b")).unwrap();
        engine.drop_namespace("b").unwrap();
        assert_eq!(engine.drop_namespace("b").unwrap_err().code, ErrorCode::NamespaceNotFound);
        engine
            .namespace("a")
            .unwrap()
            .update(ConfigPatch { default_ttl_seconds: Some(60), max_record_bytes: Some(4096), ..ConfigPatch::default() })
            .unwrap();
    }
    fs::create_dir(directory.path().join("namespaces/99")).unwrap();
    fs::create_dir(directory.path().join("namespaces/lost+found")).unwrap();
    let engine = Engine::open(directory.path(), options()).unwrap();
    assert_eq!(engine.orphan_names(), ["99", "lost+found"]);
    assert_eq!(engine.namespaces().len(), 1);
    let config = engine.namespace("a").unwrap().config();
    assert_eq!((config.default_ttl_seconds, config.max_record_bytes), (60, 4096));
    assert_eq!(config.sets[0].distribution_bin.as_deref(), Some("repo"));
}

#[test]
fn a_second_engine_is_kept_out_until_the_first_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), options()).unwrap();
    assert_eq!(Engine::open(directory.path(), options()).err().unwrap().code, ErrorCode::DataDirectoryLocked);
    engine.close().unwrap();
    Engine::open(directory.path(), options()).unwrap();
}

#[test]
fn a_damaged_manifest_is_an_error_and_is_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    drop(Engine::open(directory.path(), options()).unwrap());
    let path = directory.path().join("manifest");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(Engine::open(directory.path(), options()).err().unwrap().code, ErrorCode::ManifestDamaged);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_missing_manifest_costs_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), options()).unwrap();
    engine.create_namespace(NamespaceConfig::device("d", DeviceConfig::default())).unwrap();
    engine.close().unwrap();
    let (path, aside) = (directory.path().join("manifest"), directory.path().join("aside"));
    fs::rename(&path, &aside).unwrap();
    assert_eq!(Engine::open(directory.path(), options()).err().unwrap().code, ErrorCode::ManifestDamaged);
    assert!(!path.exists());
    fs::rename(&aside, &path).unwrap();
    assert_eq!(Engine::open(directory.path(), options()).unwrap().namespaces().len(), 1);
}

#[test]
fn sets_made_at_once_are_all_written_down() {
    let directory = tempfile::tempdir().unwrap();
    let set = |n: u32| SetConfig { name: format!("s{n}"), distribution_bin: Some("repo".into()), ..SetConfig::default() };
    {
        let engine = Engine::open(directory.path(), options()).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig::memory("a")).unwrap();
        std::thread::scope(|scope| {
            for n in 0..32 {
                let (namespace, set) = (&namespace, &set);
                scope.spawn(move || namespace.create_set(&set(n)).unwrap());
            }
        });
    }
    let engine = Engine::open(directory.path(), options()).unwrap();
    let mut sets = engine.namespace("a").unwrap().config().sets;
    sets.sort_by_key(|set| set.name[1..].parse::<u32>().unwrap());
    assert_eq!(sets, (0..32).map(set).collect::<Vec<_>>());
}

#[test]
fn a_closed_engine_refuses_and_keeps_refusing() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), options()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig::memory("a")).unwrap();
    engine.close().unwrap();
    assert_eq!(engine.namespace("a").err().unwrap().code, ErrorCode::Closed);
    let key = KeyRef::Integer(1);
    let refused = namespace.put("s", key, &body(key, &[]), &WriteOptions::default());
    assert_eq!(refused.unwrap_err().code, ErrorCode::Closed);
}

#[test]
fn a_record_lives_through_its_writes() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), options()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig::memory("a")).unwrap();
    let key = KeyRef::String("user-1");
    let write = |bins: &[(&str, Value)], options: WriteOptions| namespace.put("users", key, &body(key, bins), &options);
    let with = |exists| WriteOptions { exists, ..WriteOptions::default() };
    let mut out = vec![];

    assert_eq!(write(&[], with(Exists::ReplaceOnly)).unwrap_err().code, ErrorCode::RecordNotFound);
    assert_eq!(write(&[], with(Exists::UpdateOnly)).unwrap_err().code, ErrorCode::RecordNotFound);
    let made = write(&[("a", Value::Int(1)), ("b", Value::Int(2))], with(Exists::CreateOnly)).unwrap();
    assert!(made.created && made.meta.generation == 1 && made.meta.expires_at == 0);
    assert_eq!(write(&[], with(Exists::CreateOnly)).unwrap_err().code, ErrorCode::RecordExists);
    assert_eq!((namespace.size(None), namespace.size(Some("users")), namespace.size(Some("none"))), (1, 1, 0));

    let merged = write(&[("b", Value::Null), ("c", Value::Int(3))], with(Exists::UpdateOnly)).unwrap();
    assert!(!merged.created && merged.meta.generation == 2);
    assert_eq!(namespace.get("users", key, &mut out).unwrap(), Some(merged.meta));
    assert_eq!((bin(&out, "a"), bin(&out, "b"), bin(&out, "c")), (Some(Value::Int(1)), None, Some(Value::Int(3))));

    let stale = WriteOptions { expected_generation: Some(1), ..WriteOptions::default() };
    assert_eq!(write(&[], stale).unwrap_err().code, ErrorCode::GenerationMismatch);
    assert_eq!(namespace.delete("users", key, Some(1)).unwrap_err().code, ErrorCode::GenerationMismatch);
    write(&[], WriteOptions { ttl: Ttl::Seconds(100), ..WriteOptions::default() }).unwrap();
    let kept = write(&[], WriteOptions { ttl: Ttl::Keep, ..WriteOptions::default() }).unwrap();
    assert_ne!(kept.meta.expires_at, 0);
    assert!(namespace.delete("users", made.digest, Some(4)).unwrap());
    assert!(!namespace.delete("users", key, None).unwrap());
    assert_eq!(namespace.get("users", key, &mut out).unwrap(), None);
    assert_eq!((namespace.size(None), namespace.sets()[0].records, namespace.sets()[0].bytes), (0, 0, 0));
}

#[test]
fn a_distribution_bin_places_and_moves_records() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), options()).unwrap();
    let set = SetConfig { name: "events".into(), distribution_bin: Some("repo".into()), ..SetConfig::default() };
    let namespace = engine.create_namespace(NamespaceConfig { sets: vec![set], ..NamespaceConfig::memory("a") }).unwrap();
    let write = |n: i64, repo: i64| {
        let key = KeyRef::Integer(n);
        namespace.put("events", key, &body(key, &[("repo", Value::Int(repo))]), &WriteOptions::default()).unwrap()
    };
    for n in 0..100 {
        assert!(write(n, 7).created);
    }
    let holding = || namespace.segments().into_iter().filter(|segment| segment.records > 0).count();
    assert_eq!(holding(), 1);
    for n in 0..50 {
        assert!(!write(n, 8).created);
    }
    assert_eq!((holding(), namespace.size(None), namespace.size(Some("events"))), (2, 100, 100));
    let mut out = vec![];
    for n in 0..100 {
        assert!(namespace.get("events", KeyRef::Integer(n), &mut out).unwrap().is_some());
        assert_eq!(bin(&out, "repo"), Some(Value::Int(if n < 50 { 8 } else { 7 })));
        assert!(namespace.delete("events", KeyRef::Integer(n), None).unwrap());
        assert!(namespace.get("events", KeyRef::Integer(n), &mut out).unwrap().is_none());
    }
    assert_eq!(holding(), 0);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds have the guard")]
fn a_marked_thread_neither_syncs_nor_walks() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let config = NamespaceConfig { durability: Durability::Commit, ..NamespaceConfig::device("n", DeviceConfig::default()) };
    let namespace = engine.create_namespace(config).unwrap();
    let caught = |work: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(work)).err()?;
        panic.downcast_ref::<String>().cloned()
    };
    let guarded = std::thread::scope(|scope| {
        let marked = scope.spawn(|| {
            thread_guard::mark();
            let walked = caught(&|| drop(namespace.sets()));
            let synced = caught(&|| namespace.sync().unwrap());
            let made = caught(&|| drop(engine.create_namespace(NamespaceConfig::memory("m"))));
            thread_guard::unmarked(|| namespace.memory());
            [walked, synced, made]
        });
        marked.join().unwrap()
    });
    assert!(guarded.iter().all(|said| said.as_ref().is_some_and(|said| said.starts_with("the thread of the gateway"))), "{guarded:?}");
    // Others may.
    namespace.memory();
    namespace.sync().unwrap();
    assert!(thread_guard::breaches().len() >= 3);
}
