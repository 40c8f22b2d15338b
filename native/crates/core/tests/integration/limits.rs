//! Limits of namespaces and sets: what is refused, what goes on, what makes room.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use crate::pages::paged;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, wait_until};
use tessera_core::engine::NamespaceState;
use tessera_core::{
    ConfigPatch, DeviceConfig, Engine, EngineConfig, EngineOptions, Namespace, NamespaceConfig, SetConfig, SetLimits, WriteOptions,
};
use tessera_record::{KeyRef, Ttl, Value};

const MIB: u64 = 1 << 20;

fn small_memory() -> NamespaceConfig {
    NamespaceConfig { segments: 4, max_memory_bytes: Some(MIB), ..NamespaceConfig::memory("a") }
}

fn small_device() -> NamespaceConfig {
    let device = DeviceConfig { capacity_bytes: 8 * MIB, write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
    let durability = tessera_core::Durability::Relaxed;
    NamespaceConfig { segments: 4, max_record_bytes: 8192, stop_writes_percent: 20, durability, ..NamespaceConfig::device("a", device) }
}

fn with(config: NamespaceConfig, check: impl FnOnce(&Engine, Arc<Namespace>)) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(config).unwrap();
    check(&engine, namespace);
}

fn put(namespace: &Namespace, key: i64, bytes: usize, ttl: Ttl) -> Result<(), Error> {
    let body = body(KeyRef::Integer(key), &[("v", Value::String("x".repeat(bytes)))]);
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions { ttl, ..WriteOptions::default() }).map(drop)
}

/// Writes records of so many bytes until one is refused; returns how many went in, and why no more.
fn fill(namespace: &Namespace, bytes: usize) -> (i64, ErrorCode) {
    for key in 0.. {
        if let Err(error) = put(namespace, key, bytes, Ttl::Default) {
            return (key, error.code);
        }
    }
    unreachable!()
}

fn stops_and_goes_on(config: NamespaceConfig) {
    let share = u64::from(config.stop_writes_percent);
    with(config, |engine, namespace| {
        assert_eq!(namespace.limits().stopped, None);
        let (count, code) = fill(&namespace, 500);
        assert_eq!(code, ErrorCode::StopWrites);
        let limits = namespace.limits();
        let most = limits.capacity_bytes.unwrap() * share / 100;
        assert!(limits.used_bytes >= most && limits.used_bytes < most + 1000, "{} of {most}", limits.used_bytes);
        let (state, notices) = (engine.member("a").unwrap().state().0, engine.notices());
        assert_eq!((state, notices[0].error.code, notices[0].wrong()), (NamespaceState::Ready, ErrorCode::StopWrites, true));
        assert!(notices[0].to_string().starts_with("a: Writes stopped: "), "{}", notices[0]);

        // What adds nothing goes on: reads, updates of the same size or less, deletes.
        assert!(namespace.get("s", KeyRef::Integer(0), &mut vec![]).unwrap().is_some());
        put(&namespace, 0, 500, Ttl::Default).unwrap();
        put(&namespace, 0, 10, Ttl::Default).unwrap();
        assert_eq!(put(&namespace, 0, 5000, Ttl::Default).unwrap_err().code, ErrorCode::StopWrites);
        // One delete is not room enough: writes would stop again with the next record.
        assert!(namespace.delete("s", KeyRef::Integer(1), None).unwrap());
        assert_eq!(put(&namespace, 1, 500, Ttl::Default).unwrap_err().code, ErrorCode::StopWrites);
        for key in 2..2 + count / 10 {
            assert!(namespace.delete("s", KeyRef::Integer(key), None).unwrap());
        }
        put(&namespace, 1, 500, Ttl::Default).unwrap();
        assert_eq!(namespace.limits().stopped, None);
        assert!(engine.notices().is_empty());

        assert_eq!(fill(&namespace, 500).1, ErrorCode::StopWrites);
        namespace.truncate(None, None).unwrap();
        put(&namespace, 1, 500, Ttl::Default).unwrap();
    });
}

#[test]
fn memory_that_is_almost_full_takes_no_more_until_there_is_room() {
    stops_and_goes_on(small_memory());
}

#[test]
fn a_device_that_is_almost_full_takes_no_more_until_there_is_room() {
    stops_and_goes_on(small_device());
}

#[test]
fn the_limit_is_changed_while_records_are_served_and_kept() {
    let directory = tempfile::tempdir().unwrap();
    {
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(small_memory()).unwrap();
        let stop = |percent| namespace.update(ConfigPatch { stop_writes_percent: Some(percent), ..ConfigPatch::default() });
        let (first, _) = fill(&namespace, 500);
        assert_eq!(stop(101).unwrap_err().field.as_deref(), Some("stopWritesPercent"));
        stop(95).unwrap();
        put(&namespace, first, 500, Ttl::Default).unwrap();
        stop(50).unwrap();
        assert_eq!(put(&namespace, first + 1, 500, Ttl::Default).unwrap_err().code, ErrorCode::StopWrites);
    }
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    assert_eq!(engine.namespace("a").unwrap().config().stop_writes_percent, 50);
}

fn evicts_the_soonest_first(config: NamespaceConfig, records: i64) {
    with(config, |_, namespace| {
        let ttl = |key: i64| 10_000 + (key as u32 * 7919) % 100_000;
        for key in 0..records {
            let ttl = if key % 10 == 0 { Ttl::Never } else { Ttl::Seconds(ttl(key)) };
            put(&namespace, key, 1000, ttl).unwrap();
        }
        let limits = namespace.limits();
        let most = limits.capacity_bytes.unwrap() / 10;
        assert!(limits.used_bytes > most);
        namespace.update(ConfigPatch { evict_at_percent: Some(10), ..ConfigPatch::default() }).unwrap();
        wait_until(|| namespace.limits().used_bytes <= most);
        let used = namespace.limits().used_bytes;
        assert!(used > most - 2200, "no more goes than has to: {used} of {most}");
        let there = |key: &i64| namespace.meta("s", KeyRef::Integer(*key)).unwrap().is_some();
        let (left, gone): (BTreeSet<i64>, BTreeSet<i64>) = (0..records).partition(there);
        assert!(gone.iter().all(|key| key % 10 != 0));
        let soonest = left.iter().filter(|key| *key % 10 != 0).map(|&key| ttl(key)).min().unwrap();
        let latest = gone.iter().map(|&key| ttl(key)).max().unwrap();
        // Times in one bucket of the histogram, a 64th of the time left wide, count as the same.
        assert!(latest <= soonest + soonest / 60 + 2, "{latest} went and {soonest} stayed");
        wait_until(|| namespace.limits().evicted == gone.len() as u64);
    });
}

/// A file of 8 MiB for small records, half of which their index takes.
fn small_pages() -> NamespaceConfig {
    let mut config = NamespaceConfig { segments: 1, max_record_bytes: 8192, ..paged("a", 4096) };
    config.durability = tessera_core::Durability::Relaxed;
    if let EngineConfig::Paged(paged) = &mut config.engine {
        paged.capacity_bytes = 8 * MIB;
    }
    config
}

fn delete_unsynced(namespace: &Namespace, key: i64) {
    let options = WriteOptions { defer_sync: true, ..WriteOptions::default() };
    assert!(namespace.delete_with("s", KeyRef::Integer(key), &options).unwrap());
}

#[test]
fn a_file_of_pages_stops_writes_before_it_is_full_whatever_the_index_takes() {
    for (bytes, share) in [(10, 30), (400, 60), (1200, 60), (5000, 45)] {
        with(small_pages(), |_, namespace| {
            let (count, code) = fill(&namespace, bytes);
            assert_eq!(code, ErrorCode::StopWrites, "{bytes}");
            let limits = namespace.limits();
            assert!(limits.used_bytes >= limits.capacity_bytes.unwrap() / 10 * 9 && limits.used_bytes <= 8 * MIB, "{limits:?}");
            let stored = namespace.segments().iter().map(|segment| segment.live_bytes).sum::<u64>();
            assert!(stored * 100 / (8 * MIB) >= share, "{bytes}: {stored} bytes of records");
            let message = limits.stopped.unwrap().message;
            assert!(message.starts_with("Writes stopped: records and their index take 9"), "{message}");
            // What is deleted makes room where it was, without a compaction.
            let some = || (0..count).step_by(3);
            some().for_each(|key| delete_unsynced(&namespace, key));
            assert_eq!(namespace.limits().stopped, None, "{bytes}");
            let refused = some().find_map(|key| put(&namespace, key, bytes, Ttl::Default).err().map(|error| (key, error.code)));
            // The last few may not go in again, as pages are not quite as full as they were.
            assert!(refused.is_none_or(|(key, code)| code == ErrorCode::StopWrites && key > count / 2), "{refused:?} of {count}");
        });
    }
}

#[test]
fn eviction_keeps_a_file_of_pages_from_getting_full() {
    with(NamespaceConfig { evict_at_percent: 60, ..small_pages() }, |_, namespace| {
        let mut key = 0;
        let deadline = Instant::now() + Duration::from_secs(120);
        while key < 80_000 {
            assert!(Instant::now() < deadline, "eviction makes room");
            match put(&namespace, key, 10, Ttl::Seconds(100_000 + key as u32)) {
                Ok(()) => key += 1,
                Err(error) => assert_eq!(error.code, ErrorCode::StopWrites, "{key}"),
            }
        }
        wait_until(|| namespace.limits().used_bytes <= 8 * MIB * 60 / 100);
        let left = namespace.size(None);
        assert!(left > 15_000, "no more goes than has to: {left} are left");
        assert!(
            namespace.meta("s", KeyRef::Integer(0)).unwrap().is_none() && namespace.meta("s", KeyRef::Integer(79_999)).unwrap().is_some()
        );
    });
}

#[test]
fn what_pages_have_taken_is_the_same_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let used = {
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(small_pages()).unwrap();
        (0..5000).for_each(|key| put(&namespace, key, 100, Ttl::Default).unwrap());
        (0..5000).step_by(3).for_each(|key| delete_unsynced(&namespace, key));
        let used = namespace.limits().used_bytes;
        engine.close().unwrap();
        used
    };
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let again = engine.namespace("a").unwrap().limits().used_bytes;
    assert!(again.abs_diff(used) < used / 100, "{again} and {used}");
}

#[test]
fn eviction_takes_what_expires_soonest_from_memory() {
    evicts_the_soonest_first(small_memory(), 400);
}

#[test]
fn eviction_takes_what_expires_soonest_from_a_device() {
    evicts_the_soonest_first(NamespaceConfig { stop_writes_percent: 90, ..small_device() }, 1500);
}

#[test]
fn what_never_expires_is_never_evicted() {
    with(NamespaceConfig { evict_at_percent: 1, ..small_memory() }, |_, namespace| {
        (0..100).for_each(|key| put(&namespace, key, 1000, Ttl::Never).unwrap());
        put(&namespace, 100, 1000, Ttl::Seconds(100_000)).unwrap();
        wait_until(|| namespace.limits().evicted == 1);
        assert_eq!(namespace.size(None), 100);
    });
}

fn limited(max_records: u64, max_bytes: u64) -> SetConfig {
    SetConfig { name: "s".into(), limits: SetLimits { max_records, max_bytes }, ..SetConfig::default() }
}

#[test]
fn a_set_takes_no_more_than_its_quota() {
    for config in [small_memory(), small_device()] {
        with(config, |_, namespace| {
            namespace.create_set(&limited(10, 0)).unwrap();
            assert_eq!(fill(&namespace, 100), (10, ErrorCode::SetQuota));
            put(&namespace, 3, 200, Ttl::Default).unwrap();
            namespace.delete("s", KeyRef::Integer(0), None).unwrap();
            put(&namespace, 99, 100, Ttl::Default).unwrap();
            assert_eq!(put(&namespace, 100, 100, Ttl::Default).unwrap_err().code, ErrorCode::SetQuota);
            let held = namespace.sets()[0].bytes;
            let set = namespace.limit_set("s", SetLimits { max_records: 0, max_bytes: held }).unwrap();
            assert_eq!(set.limits.max_bytes, held);
            assert_eq!(put(&namespace, 3, 300, Ttl::Default).unwrap_err().code, ErrorCode::SetQuota);
            assert_eq!(put(&namespace, 101, 1, Ttl::Default).unwrap_err().code, ErrorCode::SetQuota);
            put(&namespace, 3, 100, Ttl::Default).unwrap();
            assert_eq!(namespace.sets()[0].records, 10);
            assert_eq!(namespace.limit_set("none", SetLimits::default()).unwrap_err().code, ErrorCode::SetNotFound);
            namespace.limit_set("s", SetLimits::default()).unwrap();
            put(&namespace, 100, 1000, Ttl::Default).unwrap();
        });
    }
}

#[test]
fn a_quota_outlives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    {
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(small_device()).unwrap();
        namespace.create_set(&limited(3, 0)).unwrap();
        assert_eq!(fill(&namespace, 10).0, 3);
        engine.close().unwrap();
    }
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.namespace("a").unwrap();
    assert_eq!(put(&namespace, 50, 10, Ttl::Default).unwrap_err().code, ErrorCode::SetQuota);
    put(&namespace, 0, 10, Ttl::Default).unwrap();
}

#[test]
fn a_record_moves_between_segments_of_a_full_set() {
    with(
        NamespaceConfig { sets: vec![SetConfig { distribution_bin: Some("home".into()), ..limited(4, 0) }], ..small_memory() },
        |_, namespace| {
            let write = |key: i64, home: i64, text: &str| {
                let bins = [("home", Value::Int(home)), ("text", Value::String(text.into()))];
                namespace.put("s", KeyRef::Integer(key), &body(KeyRef::Integer(key), &bins), &WriteOptions::default()).map(drop)
            };
            (0..4).for_each(|key| write(key, 0, "abc").unwrap());
            let bytes = namespace.sets()[0].bytes;
            namespace.limit_set("s", SetLimits { max_records: 4, max_bytes: bytes }).unwrap();
            for home in 1..20 {
                write(home % 4, home, "abc").unwrap();
                let set = &namespace.sets()[0];
                assert_eq!((set.records, set.bytes), (4, bytes));
            }
            assert_eq!(write(0, 77, "abcdef").unwrap_err().code, ErrorCode::SetQuota);
            assert_eq!(namespace.sets()[0].bytes, bytes);
        },
    );
}

#[test]
fn writers_that_race_never_pass_a_quota() {
    with(NamespaceConfig { segments: 16, ..NamespaceConfig::memory("a") }, |_, namespace| {
        const MOST: u64 = 500;
        namespace.create_set(&limited(MOST, 0)).unwrap();
        let (stored, done) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let (namespace, stored, done) = (&namespace, &stored, &done);
                scope.spawn(move || {
                    for n in 0..1000 {
                        let key = n * 4 + writer;
                        if put(namespace, key, 10, Ttl::Default).is_ok() {
                            stored.fetch_add(1, Ordering::Relaxed);
                        }
                        // Room comes and goes while the others write.
                        if n % 3 == 0 && namespace.delete("s", KeyRef::Integer(key), None).unwrap() {
                            stored.fetch_sub(1, Ordering::Relaxed);
                        }
                    }
                    done.fetch_add(1, Ordering::Release);
                });
            }
            while done.load(Ordering::Acquire) < 4 {
                assert!(namespace.size(Some("s")) <= MOST);
            }
        });
        assert_eq!((namespace.size(Some("s")), stored.into_inner()), (MOST, MOST));
        assert_eq!(namespace.size(None), MOST);
    });
}
