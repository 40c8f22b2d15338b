//! Records with a time to live while the clock is set ahead and back, by hours and days. The clock is the whole process's, so these
//! tests have a process of their own and run one at a time.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bodies;
mod pages;

use bodies::body;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tessera_base::clock::{set_ahead, unix_millis};
use tessera_base::dice::Dice;
use tessera_base::wait_until;
use tessera_core::scan::{Found, VisitSpec};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Exists, Namespace, NamespaceConfig, WriteOptions};
use tessera_record::{KeyRef, Ttl};

const SECOND: i64 = 1000;
const HOUR: i64 = 3600 * SECOND;
const DAY: i64 = 24 * HOUR;
/// How long a drop and a truncation can be undone.
const UNDO: Duration = Duration::from_secs(600);
const NAMES: [&str; 3] = ["memory", "device", "pages"];

fn options() -> EngineOptions {
    EngineOptions { undo: UNDO, ..EngineOptions::default() }
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// One engine with a namespace of each kind.
struct Rig {
    directory: TempDir,
    engine: Arc<Engine>,
    /// How far ahead of the right clock the sweeper's is in each namespace.
    believed: [i64; 3],
    _alone: MutexGuard<'static, ()>,
}

impl Drop for Rig {
    fn drop(&mut self) {
        set_ahead(0);
    }
}

impl Rig {
    fn new() -> Self {
        let alone = ONE_AT_A_TIME.lock();
        set_ahead(0);
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), options()).unwrap();
        let device = DeviceConfig { write_block_bytes: 16 * 1024, flush_interval_ms: 10, ..DeviceConfig::default() };
        for config in [NamespaceConfig::memory(NAMES[0]), NamespaceConfig::device(NAMES[1], device), pages::paged(NAMES[2], 4096)] {
            engine.create_namespace(NamespaceConfig { segments: 4, ..config }).unwrap();
        }
        Self { directory, engine, believed: [0; 3], _alone: alone }
    }

    fn each(&self) -> [Arc<Namespace>; 3] {
        NAMES.map(|name| self.engine.namespace(name).unwrap())
    }

    /// Sets the clock, and waits until all that is past its time by the sweeper's clock is removed.
    fn set(&mut self, ahead: i64) {
        self.believed = self.believed.map(|believed| believed.min(ahead));
        set_ahead(self.believed.into_iter().min().unwrap());
        self.mark();
        set_ahead(ahead);
        self.swept();
    }

    /// Writes what `swept` waits for.
    fn mark(&self) {
        self.each().iter().for_each(|namespace| {
            put(namespace, "swept", 0, Ttl::Seconds(1));
        });
    }

    /// Waits for the records that tell that the sweeper was everywhere.
    fn swept(&self) {
        wait_until(|| self.each().iter().all(|namespace| namespace.size(Some("swept")) == 0));
    }

    /// A stop, and a start with another clock: warm, or cold.
    fn restart(&mut self, ahead: i64, cold: bool) {
        let newest = self.each().map(|namespace| {
            put(&namespace, "newest", 0, Ttl::Never);
            namespace.meta("newest", KeyRef::Integer(0)).unwrap().unwrap().updated_at as i64
        });
        self.engine.close().unwrap();
        if cold {
            remove_snapshots(self.directory.path());
        }
        set_ahead(ahead);
        self.engine = Engine::open(self.directory.path(), options()).unwrap();
        let wall = unix_millis() as i64;
        let is_late = |newest: &i64| wall > newest + 600 * SECOND;
        self.believed = newest.map(|newest| if is_late(&newest) { newest - (wall - ahead) } else { ahead });
        // It keeps no records, and knows of none.
        self.believed[0] = ahead;
    }
}

fn remove_snapshots(directory: &Path) {
    for entry in std::fs::read_dir(directory.join("namespaces")).unwrap() {
        let _ = std::fs::remove_file(entry.unwrap().path().join("index.tss"));
    }
}

fn put(namespace: &Namespace, set: &str, key: i64, ttl: Ttl) -> u16 {
    let (key, options) = (KeyRef::Integer(key), WriteOptions { ttl, ..WriteOptions::default() });
    namespace.put(set, key, &body(key, &[]), &options).unwrap().meta.generation
}

fn has(namespace: &Namespace, key: i64) -> bool {
    let mut out = vec![];
    let got = namespace.get("s", KeyRef::Integer(key), &mut out).unwrap().is_some();
    assert_eq!(namespace.meta("s", KeyRef::Integer(key)).unwrap().is_some(), got);
    got
}

fn scanned(namespace: &Namespace) -> u64 {
    let met = AtomicU64::new(0);
    let count = |_: usize, _: &Found<'_>| {
        met.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    namespace.scan_visit(&VisitSpec { set: Some("s".into()), ..VisitSpec::default() }, &count).unwrap();
    met.into_inner()
}

/// The lives of the records of a test: by key.
const LIVES: [Ttl; 4] = [Ttl::Seconds(1800), Ttl::Seconds(20 * 3600), Ttl::Seconds(300 * 86_400), Ttl::Never];

fn put_lives(rig: &Rig) {
    for namespace in rig.each() {
        (0..400).for_each(|key| {
            put(&namespace, "s", key, LIVES[key as usize % LIVES.len()]);
        });
    }
}

#[test]
fn a_clock_that_is_ahead_for_a_moment_costs_no_record() {
    let mut rig = Rig::new();
    put_lives(&rig);
    for ahead in [HOUR, DAY, 365 * DAY, 20_000 * DAY] {
        rig.set(ahead);
        for namespace in rig.each() {
            let lives = |key: i64| match LIVES[key as usize % LIVES.len()] {
                Ttl::Seconds(seconds) => i64::from(seconds) * SECOND > ahead,
                _ => true,
            };
            assert_eq!(scanned(&namespace), (0..400).filter(|&key| lives(key)).count() as u64);
            (0..8).for_each(|key| assert_eq!(has(&namespace, key), lives(key), "key {key}, {ahead} ms ahead"));
            assert_eq!(namespace.size(Some("s")), 400, "they are there");
        }
        rig.set(0);
        for namespace in rig.each() {
            assert_eq!((scanned(&namespace), namespace.size(Some("s"))), (400, 400), "{ahead} ms ahead");
            assert!((0..400).all(|key| has(&namespace, key)));
        }
    }
}

#[test]
fn a_start_while_the_clock_is_ahead_costs_no_record() {
    for cold in [false, true] {
        let mut rig = Rig::new();
        put_lives(&rig);
        for ahead in [HOUR, 365 * DAY] {
            rig.mark();
            rig.restart(ahead, cold);
            rig.swept();
            rig.each()[1..].iter().for_each(|namespace| assert_eq!(has(namespace, 0), 1800 * SECOND > ahead));
            set_ahead(0);
            for namespace in &rig.each()[1..] {
                assert_eq!((scanned(namespace), namespace.size(Some("s"))), (400, 400), "{ahead} ms ahead, cold: {cold}");
            }
        }
    }
}

#[test]
fn what_expired_and_was_removed_stays_away_when_the_clock_is_set_back() {
    for cold in [false, true] {
        let mut rig = Rig::new();
        for namespace in rig.each() {
            for key in 0..100 {
                // Older versions that never expire lie on the disk.
                (0..3).for_each(|_| {
                    put(&namespace, "s", key, Ttl::Never);
                });
                put(&namespace, "s", key, if key % 2 == 0 { Ttl::Seconds(1) } else { Ttl::Seconds(7200) });
            }
        }
        wait_until(|| rig.each().iter().all(|namespace| namespace.size(Some("s")) == 50));
        for ahead in [-HOUR, -DAY, -3000 * DAY] {
            set_ahead(ahead);
            for _ in 0..2 {
                for namespace in rig.each().iter().filter(|namespace| namespace.size(Some("s")) > 0) {
                    assert_eq!((scanned(namespace), namespace.size(Some("s"))), (50, 50), "{ahead} ms ahead, cold: {cold}");
                    assert!((0..100).all(|key| has(namespace, key) == (key % 2 == 1)));
                }
                rig.restart(ahead, cold);
            }
        }
    }
}

#[test]
fn what_callers_did_while_the_clock_was_ahead_stays_done() {
    let mut rig = Rig::new();
    put_lives(&rig);
    rig.set(DAY);
    for namespace in rig.each() {
        // Gone for the caller, who deletes it all the same.
        assert!(!namespace.delete("s", KeyRef::Integer(0), None).unwrap());
        // Written again, as a new record.
        let (key, options) = (KeyRef::Integer(1), WriteOptions { exists: Exists::CreateOnly, ..WriteOptions::default() });
        assert_eq!(namespace.put("s", key, &body(key, &[]), &options).unwrap().meta.generation, 1);
        assert_eq!(put(&namespace, "s", 2, Ttl::Seconds(60)), 2);
        // It lives until a minute after the day that the clock was ahead.
        assert_eq!(put(&namespace, "s", 400, Ttl::Seconds(60)), 1);
    }
    rig.set(0);
    for cold in [None, Some(false), Some(true)] {
        cold.into_iter().for_each(|cold| rig.restart(0, cold));
        for namespace in rig.each().iter().filter(|namespace| namespace.size(Some("s")) > 0) {
            assert_eq!([0, 1, 2, 4, 400].map(|key| has(namespace, key)), [false, true, true, true, true]);
            assert_eq!(scanned(namespace), 400);
        }
    }
    set_ahead(DAY + 61 * SECOND);
    for namespace in &rig.each()[1..] {
        assert_eq!([1, 2, 400].map(|key| has(namespace, key)), [true, false, false]);
    }
}

#[test]
fn what_was_written_while_the_clock_was_behind_expires_by_the_right_one() {
    let mut rig = Rig::new();
    put_lives(&rig);
    rig.set(-DAY);
    for namespace in rig.each() {
        (500..600).for_each(|key| {
            put(&namespace, "s", key, Ttl::Seconds(60));
        });
        assert_eq!(scanned(&namespace), 500);
    }
    rig.set(0);
    for cold in [None, Some(false), Some(true)] {
        cold.into_iter().for_each(|cold| rig.restart(0, cold));
        for namespace in rig.each().iter().filter(|namespace| namespace.size(Some("s")) > 0) {
            assert_eq!(scanned(namespace), 400);
            assert!(!has(namespace, 500) && has(namespace, 399));
        }
    }
}

/// What is known of a record: it expires then, Unix milliseconds, or never.
type Model = BTreeMap<i64, i64>;

/// Writes, deletes and restarts under a clock that jumps. A record is there until its time, unless the sweeper's clock has been
/// past that.
#[test]
fn whatever_the_clock_does_a_record_is_there_until_its_time() {
    for seed in 1..=u64::from(tessera_base::cases(3)) {
        let (mut rig, mut dice) = (Rig::new(), Dice(seed));
        let mut models: [Model; 3] = Default::default();
        // The farthest that the sweeper's clocks have been ahead.
        let mut most = [0; 3];
        for round in 0..14 {
            for _ in 0..60 {
                let (key, ttl) = (dice.roll(150) as i64, [2, 1800, 7200, 200_000, 0][dice.roll(5) as usize]);
                let deletes = dice.roll(5) == 0;
                for (namespace, model) in rig.each().iter().zip(&mut models) {
                    let now = unix_millis() as i64;
                    if deletes {
                        namespace.delete("s", KeyRef::Integer(key), None).unwrap();
                        model.remove(&key);
                    } else {
                        put(namespace, "s", key, if ttl == 0 { Ttl::Never } else { Ttl::Seconds(ttl) });
                        model.insert(key, if ttl == 0 { i64::MAX } else { now + i64::from(ttl) * SECOND });
                    }
                }
            }
            let jumps = [0, HOUR, -HOUR, DAY, -DAY, 3 * DAY, 1000 * DAY];
            let ahead = jumps[dice.roll(jumps.len() as u64) as usize];
            if dice.roll(3) == 0 {
                rig.restart(ahead, dice.roll(2) == 0);
                (models[0], most[0]) = (Model::new(), ahead);
            } else {
                rig.set(ahead);
            }
            for (most, believed) in most.iter_mut().zip(rig.believed) {
                *most = believed.max(*most);
            }
            for ((namespace, model), most) in rig.each().iter().zip(&models).zip(most) {
                for (&key, &until) in model {
                    let (before, there, after) = (unix_millis() as i64, has(namespace, key), unix_millis() as i64);
                    let may_be_swept = until <= after - ahead + most + 3 * SECOND;
                    assert!(!there || until > before - SECOND, "seed {seed}, round {round}: {key} is there after its time");
                    assert!(there || until <= after + SECOND || may_be_swept, "seed {seed}, round {round}: {key} is gone");
                }
                assert!((0..150).filter(|key| !model.contains_key(key)).all(|key| !has(namespace, key)), "seed {seed}, round {round}");
            }
        }
    }
}

#[test]
fn a_clock_that_is_decades_ahead_stops_nothing() {
    let rig = Rig::new();
    for ahead in [20_000 * DAY, 200_000 * DAY, 0, -20_000 * DAY, 0] {
        set_ahead(ahead);
        for namespace in rig.each() {
            for (key, ttl) in (0..).zip([Ttl::Seconds(86_400), Ttl::Never]) {
                put(&namespace, "s", key, ttl);
            }
            assert!(has(&namespace, 1), "{ahead} ms ahead");
        }
    }
    for namespace in rig.each() {
        assert_eq!((has(&namespace, 0), scanned(&namespace)), (true, 2));
    }
}

#[test]
fn a_clock_that_is_ahead_ends_no_time_to_undo() {
    let mut rig = Rig::new();
    let [_, _, paged] = rig.each();
    put(&paged, "kept", 1, Ttl::Never);
    let truncated = paged.truncate_for(Some("kept"), None, UNDO).unwrap();
    assert!(truncated.undo_until_ms.is_some());
    rig.engine.create_namespace(pages::paged("gone", 4096)).unwrap();
    let dropped = rig.engine.set_aside("gone").unwrap().unwrap().id();
    drop(paged);
    for (ahead, starts) in [(DAY, false), (0, false), (DAY, true), (0, true)] {
        if starts {
            rig.restart(ahead, false);
        }
        // What would end them looks as often as the sweeper that this waits for, or more often.
        rig.set(ahead);
        rig.set(ahead);
        assert_eq!(rig.engine.dropped_one(dropped).unwrap().id(), dropped, "{ahead} {starts}");
        let [_, _, paged] = rig.each();
        assert_eq!(paged.undoable_truncations().len(), 1, "{ahead} {starts}");
    }
}
