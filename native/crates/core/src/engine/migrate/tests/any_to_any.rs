//! From every engine to every engine, and to other segments, pages and containers of the same.

use super::*;
use tessera_base::ErrorCode;
use tessera_index::{IndexKind, IndexSpec};
use tessera_record::Ttl;

const KEYS: i64 = 120;

fn fill(namespace: &Arc<Namespace>) {
    for set in ["", "plain", PLACED, "indexed"] {
        for key in 0..KEYS {
            put(namespace, set, key, key);
            if key % 3 == 0 {
                let ttl = if key % 2 == 0 { Ttl::Seconds(3600) } else { Ttl::Default };
                let options = WriteOptions { ttl, ..WriteOptions::default() };
                namespace.put(set, KeyRef::Integer(key), &body(key, key + 7), &options).unwrap();
            }
            if key % 10 == 9 {
                assert!(remove(namespace, set, key));
            }
        }
    }
    let index = IndexSpec { name: "by_v".into(), bin: Some("v".into()), kind: IndexKind::Range, set: None, path: None, created_at_ms: 0 };
    namespace.create_index(index, 1).unwrap().wait_blocking(LONG);
}

/// There, back, there again, and to the end; what is written on the way is in both stores.
fn goes(from: &NamespaceConfig, target: &MigrationTarget) {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let first = engine.create_namespace(from.clone()).unwrap();
    fill(&first);
    let before = contents(&first);
    engine.migrate("n", target).unwrap();
    doubled(&engine);
    let result = ended(&engine).result.unwrap();
    let wanted = format!("{{\"compared\":{},\"copied\":{},\"repaired\":0}}", before.len() * 2, before.len());
    assert_eq!(result, wanted);
    put(&first, "plain", 10_000, 1);
    put(&first, "new", 10_000, 1);
    engine.cut_over("n").unwrap();
    let second = engine.namespace("n").unwrap();
    let wanted = target.of(from).unwrap();
    assert_eq!(
        (second.config().engine, second.segment_count(), second.config().container),
        (wanted.engine, wanted.segments, wanted.container)
    );
    assert_eq!(contents(&second).len(), before.len() + 2);
    assert!(before.iter().all(|(name, record)| contents(&second).get(name) == Some(record)), "versions are as they were");
    // Whoever has the one that decided writes to the one that does.
    put(&first, "plain", 10_001, 2);
    put(&second, PLACED, 1, 999);
    assert!(remove(&first, PLACED, 2));
    assert!(!remove(&first, PLACED, 2));
    assert_eq!(contents(&first), contents(&second));
    engine.roll_back("n").unwrap();
    assert!(Arc::ptr_eq(&engine.namespace("n").unwrap(), &first));
    put(&second, "plain", 10_002, 3);
    assert_eq!(contents(&first), contents(&second));
    engine.cut_over("n").unwrap();
    engine.end_migration("n", true).unwrap();
    put(&first, "plain", 10_003, 4);
    let last = contents(&second);
    assert_eq!((last.len(), folders(directory.path())), (before.len() + 4, 1));
    assert!(engine.migration("n").unwrap().is_none() && engine.orphans().unwrap().is_empty());
    let indexes = second.indexes();
    // It may count some that have gone until they are merged.
    assert!(indexes.len() == 1 && indexes[0].stats.entries >= last.len() as u64, "{indexes:?}");
    let again = second.create_set(&SetConfig { name: "later".into(), ..SetConfig::default() });
    assert!(again.is_ok(), "settings can change again");
    engine.close().unwrap();
    drop((first, second));
    let engine = open(directory.path());
    let reopened = engine.namespace("n").unwrap();
    let kept = if reopened.store().bodies_resident() { Contents::new() } else { last };
    assert_eq!(contents(&reopened), kept);
    engine.close().unwrap();
}

#[test]
fn every_engine_to_every_engine() {
    for from in engines() {
        for target in engines() {
            goes(&config(&from, 4), &MigrationTarget { segments: Some(8), ..to(&target) });
        }
    }
}

#[test]
fn to_fewer_segments_and_to_one() {
    for engine in engines() {
        goes(&config(&engine, 8), &MigrationTarget { segments: Some(2), ..MigrationTarget::default() });
        goes(&config(&engine, 8), &MigrationTarget { segments: Some(1), threads: 4, ..MigrationTarget::default() });
    }
}

#[test]
fn to_another_size_of_page() {
    let pages = PagedConfig { page_bytes: 4096, ..PagedConfig::smallest() };
    goes(&config(&EngineConfig::Paged(PagedConfig::smallest()), 4), &to(&EngineConfig::Paged(pages)));
}

#[test]
fn to_a_flat_container_and_back() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let namespace = engine.create_namespace(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("n") }).unwrap();
    (0..500).for_each(|key| put(&namespace, "s", key, key));
    let before = contents(&namespace);
    for container in [Container::Flat, Container::Segmented] {
        engine.migrate("n", &MigrationTarget { container: Some(container), ..MigrationTarget::default() }).unwrap();
        doubled(&engine);
        engine.cut_over("n").unwrap();
        engine.end_migration("n", true).unwrap();
        let namespace = engine.namespace("n").unwrap();
        assert_eq!((namespace.config().container, contents(&namespace)), (container, before.clone()));
    }
}

#[test]
fn a_flat_container_has_no_place_for_a_distribution_bin() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let namespace = engine.create_namespace(config(&EngineConfig::Memory, 8)).unwrap();
    let flat = MigrationTarget { container: Some(Container::Flat), ..MigrationTarget::default() };
    assert_eq!(engine.migrate("n", &flat).err().unwrap().code, ErrorCode::Unsupported);
    assert!(!namespace.store().migrates() && engine.migration("n").unwrap().is_none());
    assert_eq!((folders(directory.path()), engine.jobs().running_count()), (1, 0));
}
