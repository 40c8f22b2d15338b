//! Iterations on every engine, alone and while records are written.

use super::*;
use crate::config::Container;
use crate::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, SetConfig, WriteOptions};
use std::collections::{BTreeMap, BTreeSet};
use tessera_record::{BodyBuilder, KeyRef, Ttl};

const SEGMENTS: u32 = 8;

fn engines() -> [NamespaceConfig; 4] {
    let small = DeviceConfig { write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
    let durability = Durability::Relaxed;
    [
        NamespaceConfig::memory("m"),
        NamespaceConfig { container: Container::Flat, ..NamespaceConfig::memory("f") },
        NamespaceConfig { durability, ..NamespaceConfig::device("d", small) },
        NamespaceConfig { durability, ..NamespaceConfig::paged("p", PagedConfig::smallest()) },
    ]
}

fn open(config: NamespaceConfig) -> (tempfile::TempDir, Arc<Engine>, Arc<Namespace>) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: SEGMENTS, ..config }).unwrap();
    (directory, engine, namespace)
}

fn body(key: i64, place: i64) -> Vec<u8> {
    let mut body = Vec::new();
    let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
    builder
        .bin("place", |out| {
            out.int(place);
            Ok(())
        })
        .unwrap();
    builder
        .bin("filling", |out| {
            out.string(&"x".repeat(key.unsigned_abs() as usize % 900));
            Ok(())
        })
        .unwrap();
    builder.finish();
    body
}

fn put(namespace: &Namespace, set: &str, key: i64, place: i64) {
    namespace.put(set, KeyRef::Integer(key), &body(key, place), &WriteOptions::default()).unwrap();
}

/// What an iteration brings, by digest, each but once; and the segments it says are done.
fn all(namespace: &Namespace, spec: &IterateSpec) -> (BTreeMap<Digest, Vec<u8>>, Vec<u16>) {
    let (mut records, mut done, mut batch) = (BTreeMap::new(), Vec::new(), Batch::default());
    let mut iteration = namespace.iterate(spec).unwrap();
    while iteration.next(&mut batch).unwrap() {
        add(&mut records, &batch, spec.batch);
        done.extend_from_slice(batch.done());
    }
    assert!(!iteration.next(&mut batch).unwrap() && batch.is_empty());
    (records, done)
}

fn add(records: &mut BTreeMap<Digest, Vec<u8>>, batch: &Batch, most: u32) {
    assert!(batch.len() <= most as usize && batch.damaged() == 0, "{}", batch.len());
    for entry in batch.entries() {
        assert!(records.insert(entry.digest, entry.body.to_vec()).is_none(), "{} came twice", entry.digest);
    }
}

fn of(keys: impl Iterator<Item = i64>, set: &str, bodies: bool) -> BTreeMap<Digest, Vec<u8>> {
    keys.map(|key| (Digest::of(set, KeyRef::Integer(key)), if bodies { body(key, key) } else { Vec::new() })).collect()
}

#[test]
fn every_record_comes_once_in_batches_of_the_size_asked_for() {
    for config in engines() {
        let (_directory, _engine, namespace) = open(config);
        (0..700).for_each(|key| put(&namespace, if key < 600 { "s" } else { "t" }, key, key));
        namespace.sync().unwrap();
        let mut both = of(0..600, "s", true);
        both.extend(of(600..700, "t", true));
        for batch in [1, 7, 64, 4096] {
            let (records, done) = all(&namespace, &IterateSpec { batch, ..IterateSpec::default() });
            assert!(records == both, "{} in batches of {batch}", namespace.name());
            assert_eq!(done, (0..SEGMENTS as u16).collect::<Vec<_>>());
        }
        let of_set = |keys_only| IterateSpec { set: Some("t".into()), keys_only, batch: 9, ..IterateSpec::default() };
        assert!(all(&namespace, &of_set(false)).0 == of(600..700, "t", true));
        assert!(all(&namespace, &of_set(true)).0 == of(600..700, "t", false));
    }
}

#[test]
fn entries_have_what_is_known_of_their_records() {
    let (_directory, _engine, namespace) = open(NamespaceConfig::memory("a"));
    (0..2).for_each(|_| put(&namespace, "s", 5, 5));
    let mut batch = Batch::default();
    assert!(namespace.iterate(&IterateSpec::default()).unwrap().next(&mut batch).unwrap());
    let meta = namespace.meta("s", KeyRef::Integer(5)).unwrap().unwrap();
    let set = namespace.store().find_set("s").unwrap().id;
    assert_eq!(meta.generation, 2);
    let entries: Vec<_> = batch.entries().collect();
    assert_eq!(entries, [Entry { digest: Digest::of("s", KeyRef::Integer(5)), meta, set, body: &body(5, 5) }]);
}

#[test]
fn another_iteration_goes_on_by_position_and_by_segment() {
    for config in engines() {
        let (_directory, _engine, namespace) = open(config);
        (0..300).for_each(|key| put(&namespace, "s", key, key));
        let (mut records, mut batch, mut from) = (BTreeMap::new(), Batch::default(), Position::default());
        while namespace.iterate(&IterateSpec { batch: 11, from, ..IterateSpec::default() }).is_ok_and(|mut iteration| {
            let more = iteration.next(&mut batch).unwrap();
            from = iteration.position();
            more
        }) {
            add(&mut records, &batch, 11);
        }
        assert!(records == of(0..300, "s", true));

        // What was not said to be done when the first one broke off is asked for alone.
        let (mut kept, mut done) = (BTreeMap::new(), BTreeSet::<u16>::new());
        let mut iteration = namespace.iterate(&IterateSpec { batch: 50, ..IterateSpec::default() }).unwrap();
        for _ in 0..3 {
            assert!(iteration.next(&mut batch).unwrap());
            kept.extend(batch.entries().map(|entry| (entry.digest, entry.body.to_vec())));
            done.extend(batch.done());
        }
        // A flat container knows of none before it is through.
        assert!(done.len() < SEGMENTS as usize && (!done.is_empty() || namespace.store().is_flat()));
        kept.retain(|digest, _| done.contains(&digest.segment(SEGMENTS)));
        let rest: Vec<u16> = (0..SEGMENTS as u16).filter(|segment| !done.contains(segment)).collect();
        let (records, told) = all(&namespace, &IterateSpec { segments: Some(rest.clone()), ..IterateSpec::default() });
        assert_eq!(told, rest);
        assert_eq!(records.len() + kept.len(), 300);
        kept.extend(records);
        assert!(kept == of(0..300, "s", true));
    }
}

#[test]
fn what_lives_throughout_comes_whatever_is_written_meanwhile() {
    for config in engines() {
        let (_directory, _engine, namespace) = open(config);
        (0..200).for_each(|key| put(&namespace, "s", key, key));
        (200..300).for_each(|key| put(&namespace, "gone", key, key));
        let (mut met, mut batch) = (BTreeMap::new(), Batch::default());
        let mut iteration = namespace.iterate(&IterateSpec { batch: 20, keys_only: true, ..IterateSpec::default() }).unwrap();
        let (mut turn, mut late) = (0, 0);
        while iteration.next(&mut batch).unwrap() {
            add(&mut met, &batch, 20);
            // Records of another set come and go, and take slots that are free.
            let old = WriteOptions { ttl: Ttl::Seconds(1000), ..WriteOptions::default() };
            let new = if turn < 8 { 1000 * turn..1000 * turn + 30 } else { 0..0 };
            for key in new {
                namespace.put("new", KeyRef::Integer(key), &body(key, 0), &old).unwrap();
            }
            (0..100).filter(|key| key % 2 == 0).for_each(|key| put(&namespace, "s", key, key));
            namespace.delete("s", KeyRef::Integer(100 + turn), None).unwrap();
            if turn == 1 {
                namespace.truncate(Some("gone"), None).unwrap();
                late = met.len();
            }
            turn += 1;
        }
        let gone = of(200..300, "gone", false);
        assert!(met.keys().filter(|digest| gone.contains_key(digest)).count() <= late);
        for key in 0..100 {
            assert!(met.contains_key(&Digest::of("s", KeyRef::Integer(key))), "{key}");
        }
    }
}

#[test]
fn records_that_go_to_another_segment_come_once() {
    for config in engines().into_iter().filter(|config| config.container != Container::Flat) {
        let sets = vec![SetConfig { name: "s".into(), distribution_bin: Some("place".into()), ..SetConfig::default() }];
        let (_directory, _engine, namespace) = open(NamespaceConfig { sets, ..config });
        (0..200).for_each(|key| put(&namespace, "s", key, key));
        let (mut met, mut batch, mut turn) = (BTreeMap::new(), Batch::default(), 0);
        let mut iteration = namespace.iterate(&IterateSpec { batch: 10, keys_only: true, ..IterateSpec::default() }).unwrap();
        while iteration.next(&mut batch).unwrap() {
            add(&mut met, &batch, 10);
            turn += 1;
            if turn < 15 {
                (0..200).filter(|key| key % 3 == 0).for_each(|key| put(&namespace, "s", key, key + turn));
            }
        }
        assert!(met == of(0..200, "s", false));
    }
}

#[test]
fn large_records_end_a_batch() {
    let (_directory, _engine, namespace) = open(NamespaceConfig::memory("a"));
    let mut large = Vec::new();
    let mut builder = BodyBuilder::new(&mut large, KeyRef::Integer(0));
    builder
        .bin("b", |out| {
            out.bytes(&vec![7; 900_000]);
            Ok(())
        })
        .unwrap();
    builder.finish();
    for key in 0..40 {
        namespace.put("s", KeyRef::Integer(key), &large, &WriteOptions::default()).unwrap();
    }
    let (mut sizes, mut batch) = (Vec::new(), Batch::default());
    let mut iteration = namespace.iterate(&IterateSpec::default()).unwrap();
    while iteration.next(&mut batch).unwrap() {
        sizes.push(batch.len());
    }
    assert_eq!((sizes.iter().sum::<usize>(), sizes.iter().max()), (40, Some(&19)));
}

#[test]
fn what_cannot_be_is_refused() {
    let (_directory, _engine, namespace) = open(NamespaceConfig::memory("a"));
    let fault = |spec: IterateSpec| {
        let error = namespace.iterate(&spec).err().unwrap();
        (error.code, error.field.unwrap_or_default())
    };
    for batch in [0, BATCH_MOST + 1] {
        assert_eq!(fault(IterateSpec { batch, ..IterateSpec::default() }), (ErrorCode::ConfigInvalid, "batch".to_owned()));
    }
    for segments in [vec![], vec![0, SEGMENTS as u16]] {
        let spec = IterateSpec { segments: Some(segments), ..IterateSpec::default() };
        assert_eq!(fault(spec), (ErrorCode::ConfigInvalid, "segments".to_owned()));
    }
    assert_eq!(fault(IterateSpec { set: Some("absent".into()), ..IterateSpec::default() }).0, ErrorCode::SetNotFound);
}
