//! Migrations of a namespace to a cluster, and from it.

use super::stand_in::{StandIn, config, n, options};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tessera_base::{ErrorCode, clock, wait_until};
use tessera_core::config::{CassandraConfig, DeviceConfig, PagedConfig};
use tessera_core::engine::{MigrationInfo, MigrationPhase, MigrationTarget};
use tessera_core::iterate::{Batch, IterateSpec};
use tessera_core::scan::VisitSpec;
use tessera_core::sets::SetIndexState;
use tessera_core::{Durability, Engine, EngineConfig, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec, IndexState};
use tessera_jobs::{JobInfo, JobPatch, JobState};
use tessera_record::{Digest, KeyRef, Meta, Ttl};

const LONG: Duration = Duration::from_secs(120);

/// Records by digest.
type Contents = BTreeMap<Digest, (Meta, Vec<u8>)>;

fn open(directory: &Path, cluster: &Arc<StandIn>) -> Arc<Engine> {
    let engine = Engine::open(directory, options(cluster)).unwrap();
    engine.settle();
    engine
}

fn engines() -> [EngineConfig; 3] {
    let device = DeviceConfig { capacity_bytes: 64 << 20, write_block_bytes: 64 * 1024, ..DeviceConfig::default() };
    [
        EngineConfig::Memory,
        EngineConfig::Device(device),
        EngineConfig::Paged(PagedConfig { capacity_bytes: 64 << 20, ..PagedConfig::default() }),
    ]
}

fn local(engine: &EngineConfig) -> NamespaceConfig {
    let base = match engine {
        EngineConfig::Device(device) => NamespaceConfig::device("far", device.clone()),
        EngineConfig::Paged(paged) => NamespaceConfig::paged("far", paged.clone()),
        _ => NamespaceConfig::memory("far"),
    };
    let durability = if *engine == EngineConfig::Memory { Durability::None } else { Durability::Relaxed };
    NamespaceConfig { segments: 4, durability, ..base }
}

fn to(engine: &EngineConfig) -> MigrationTarget {
    MigrationTarget { engine: Some(engine.clone()), ..MigrationTarget::default() }
}

fn cluster() -> EngineConfig {
    EngineConfig::Cassandra(CassandraConfig::new("prod"))
}

fn write(namespace: &Namespace, set: &str, key: i64, value: i64) {
    namespace.put(set, KeyRef::Integer(key), &n(key, value), &WriteOptions::default()).unwrap();
}

fn here(namespace: &Namespace) -> Contents {
    let (mut iteration, mut batch, mut found) = (namespace.iterate(&IterateSpec::default()).unwrap(), Batch::default(), Contents::new());
    while iteration.next(&mut batch).unwrap() {
        for entry in batch.entries() {
            found.insert(entry.digest, (entry.meta, entry.body.to_vec()));
        }
    }
    found
}

fn there(cluster: &StandIn) -> Contents {
    cluster.kept.lock().unwrap().iter().map(|(digest, (_, meta, body))| (*digest, (*meta, body.clone()))).collect()
}

fn info(engine: &Engine) -> MigrationInfo {
    engine.migration("far").unwrap().unwrap()
}

/// The job that makes both stores the same, once it has ended.
fn ended(engine: &Engine) -> JobInfo {
    let id = info(engine).job.unwrap();
    match engine.jobs().running(&id) {
        Ok(job) => job.wait_blocking(LONG),
        Err(_) => engine.jobs().info(&id).unwrap(),
    }
}

fn doubled(engine: &Engine) -> String {
    let job = ended(engine);
    assert_eq!((job.state, info(engine).phase), (JobState::Done, MigrationPhase::Doubled), "{:?}", job.error);
    job.result.unwrap()
}

/// As soon as the indexes of the store that is to decide are built.
fn cut_over(engine: &Engine) {
    wait_until(|| match engine.cut_over("far") {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(error.code, ErrorCode::IndexBuilding);
            false
        }
    });
}

fn fill(namespace: &Arc<Namespace>) {
    for set in ["", "s", "other"] {
        for key in 0..150 {
            write(namespace, set, key, key);
            if key % 3 == 0 {
                let options = WriteOptions { ttl: Ttl::Seconds(3600), ..WriteOptions::default() };
                namespace.put(set, KeyRef::Integer(key), &n(key, key + 7), &options).unwrap();
            }
            if key % 10 == 9 {
                assert!(namespace.delete(set, KeyRef::Integer(key), None).unwrap());
            }
        }
    }
    let index = IndexSpec { name: "by_n".into(), bin: Some("n".into()), kind: IndexKind::Range, set: None, path: None, created_at_ms: 0 };
    assert!(namespace.create_index(index, 1).unwrap().wait_blocking(LONG).error.is_none());
    assert!(namespace.set_index_on("other", 1).unwrap().wait_blocking(LONG).error.is_none() && indexed(namespace));
}

/// Whether it has both indexes, and they can be asked.
fn indexed(namespace: &Namespace) -> bool {
    let set = namespace.sets().into_iter().find(|set| set.name == "other").map(|set| set.index);
    let of_values = namespace.indexes();
    set == Some(SetIndexState::On) && of_values.len() == 1 && of_values[0].state == IndexState::Ready
}

#[test]
fn from_each_engine_to_a_cluster_and_back() {
    for from in engines() {
        let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
        let engine = open(directory.path(), &far);
        let first = engine.create_namespace(local(&from)).unwrap();
        fill(&first);
        let before = here(&first);
        assert_eq!(engine.migrate("far", &to(&cluster())).unwrap().info().threads, 32);
        let wanted = format!("{{\"compared\":{},\"copied\":{},\"repaired\":0}}", before.len() * 2, before.len());
        assert_eq!((doubled(&engine), there(&far)), (wanted, before.clone()));
        assert!(far.reserved.load(Ordering::SeqCst), "no other server writes meanwhile");
        let follower = info(&engine).follower.records;
        let looked = (far.sets.fills.load(Ordering::SeqCst), follower, info(&engine).leader.records);
        assert_eq!(looked, (before.len(), None, Some(before.len() as u64)), "each is written once, and nobody counts it there");
        let in_pages = matches!(from, EngineConfig::Paged(_));
        let single = || far.paging.single.swap(0, Ordering::SeqCst);
        assert_eq!(single(), if in_pages { before.len() } else { 0 }, "pages bring each, and what they bring is not asked for");
        write(&first, "new", 1000, 1);
        assert_eq!(here(&first), there(&far));
        cut_over(&engine);
        let second = engine.namespace("far").unwrap();
        assert_eq!((second.config().engine, second.durability(), indexed(&second)), (cluster(), Durability::Relaxed, true));
        // Whoever has the one that decided writes to the one that does.
        for namespace in [&first, &second] {
            write(namespace, "s", 2000, 1);
            assert!(namespace.delete("s", KeyRef::Integer(2000), None).unwrap());
            write(namespace, "later", 1, 1);
            assert_eq!((here(&first), first.set_count()), (there(&far), 4));
        }
        engine.roll_back("far").unwrap();
        write(&second, "s", 2001, 1);
        assert_eq!(here(&first), there(&far));
        cut_over(&engine);
        engine.end_migration("far", true).unwrap();
        assert!(!far.reserved.load(Ordering::SeqCst) && engine.migration("far").unwrap().is_none());
        write(&second, "s", 2002, 1);
        let kept = there(&far);
        assert_eq!(kept.len(), before.len() + 4);

        // And back, with the indexes that the cluster lists.
        far.paging.in_turn.store(0, Ordering::SeqCst);
        single();
        engine.migrate("far", &to(&from)).unwrap();
        doubled(&engine);
        assert_eq!(single(), if in_pages { kept.len() } else { 0 });
        assert_eq!(far.paging.in_turn.load(Ordering::SeqCst), kept.len(), "the copy looks at each in turn, and the comparison at none");
        cut_over(&engine);
        let third = engine.namespace("far").unwrap();
        let durability = if from == EngineConfig::Memory { Durability::None } else { Durability::Commit };
        assert_eq!((here(&third), third.config().engine, third.durability()), (kept.clone(), from.clone(), durability));
        assert!(indexed(&third));
        write(&second, "s", 2003, 1);
        assert_eq!(here(&third), there(&far));
        engine.end_migration("far", true).unwrap();
        assert_eq!(there(&far).len(), kept.len() + 1, "a source on a cluster stays there");
        engine.close().unwrap();
    }
}

#[test]
fn what_differs_on_the_cluster_is_found_in_its_pages_and_repaired() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&EngineConfig::Memory)).unwrap();
    (0..100).for_each(|key| write(&namespace, "s", key, key));
    let before = here(&namespace);
    let (kept, two) = (far.kept.clone(), before.keys().take(2).copied().collect::<Vec<_>>());
    // Pages come when the store that follows is compared.
    far.paging.before(move |page| {
        if page == 0 {
            let mut kept = kept.lock().unwrap();
            let other = kept[&two[1]].2.clone();
            kept.get_mut(&two[0]).unwrap().2 = other;
            let stranger = kept[&two[1]].clone();
            kept.insert(Digest([7; 20]), stranger);
        }
        Ok(())
    });
    engine.migrate("far", &MigrationTarget { threads: 1, ..to(&cluster()) }).unwrap();
    let result = doubled(&engine);
    assert!(result.contains("\"repaired\":2"), "{result}");
    assert_eq!(there(&far), before);
    engine.close().unwrap();
}

#[test]
fn a_copy_is_filled_until_the_cluster_says_that_it_decides() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&EngineConfig::Memory)).unwrap();
    (0..100).for_each(|key| write(&namespace, "s", key, key));
    write(&namespace, "", 1, 1);
    engine.migrate("far", &to(&cluster())).unwrap();
    doubled(&engine);
    let filled = || (far.filled.load(Ordering::SeqCst), far.sets.fills.load(Ordering::SeqCst));
    // What is gone already is removed there without a look, and what never was there is not.
    assert!(namespace.delete("s", KeyRef::Integer(7), None).unwrap() && !namespace.delete("s", KeyRef::Integer(700), None).unwrap());
    assert_eq!((filled(), there(&far)), ((true, 102), here(&namespace)));
    far.away.store(true, Ordering::SeqCst);
    assert_eq!(engine.cut_over("far").unwrap_err().code, ErrorCode::ClusterUnavailable);
    assert_eq!((info(&engine).phase, info(&engine).cut_over, filled().0), (MigrationPhase::Doubled, false, true));
    far.away.store(false, Ordering::SeqCst);
    write(&namespace, "s", 7, 8);
    assert_eq!(filled(), (true, 103));
    cut_over(&engine);
    let mut held: Vec<(String, u64)> = far.sets.met.lock().unwrap().remove(0).into_iter().map(|set| (set.name, set.records)).collect();
    held.sort_unstable();
    assert_eq!((held, info(&engine).leader.records), (vec![(String::new(), 1), ("s".to_owned(), 100)], Some(101)));
    // From here on it is written like any namespace on a cluster, whoever decides.
    engine.roll_back("far").unwrap();
    write(&namespace, "s", 8, 9);
    assert_eq!((filled(), there(&far)), ((false, 103), here(&namespace)));
    engine.close().unwrap();
}

#[test]
fn a_copy_that_was_given_up_is_made_anew_so_that_nothing_late_comes_back() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&engines()[1])).unwrap();
    (0..50).for_each(|key| write(&namespace, "s", key, key));
    engine.migrate("far", &to(&cluster())).unwrap();
    doubled(&engine);
    far.late.store(true, Ordering::SeqCst);
    write(&namespace, "s", 1000, 1);
    assert_eq!(info(&engine).phase, MigrationPhase::Failed);
    far.late.store(false, Ordering::SeqCst);
    assert!(namespace.delete("s", KeyRef::Integer(1000), None).unwrap());
    far.away.store(true, Ordering::SeqCst);
    let resumed = |engine: &Engine| engine.resume_migration("far", &MigrationTarget::default()).map(drop);
    assert_eq!((resumed(&engine).unwrap_err().code, info(&engine).phase), (ErrorCode::ClusterUnavailable, MigrationPhase::Failed));
    far.away.store(false, Ordering::SeqCst);
    resumed(&engine).unwrap();
    far.catch_up();
    doubled(&engine);
    assert_eq!((there(&far), info(&engine).follower.records), (here(&namespace), None));
    // If that is cut off once the records are gone, the next one makes them.
    far.late.store(true, Ordering::SeqCst);
    write(&namespace, "s", 1, 1000);
    engine.close().unwrap();
    drop((namespace, engine));
    far.late.store(false, Ordering::SeqCst);
    far.gone.store(true, Ordering::SeqCst);
    let engine = open(directory.path(), &far);
    let missing = info(&engine);
    assert_eq!((missing.phase, missing.follower.records), (MigrationPhase::Failed, None));
    resumed(&engine).unwrap();
    doubled(&engine);
    let namespace = engine.namespace("far").unwrap();
    assert_eq!((there(&far), super::get(&namespace, 1)), (here(&namespace), Some(n(1, 1000))));
    // The same once it has decided writes, and follows again.
    cut_over(&engine);
    engine.roll_back("far").unwrap();
    far.late.store(true, Ordering::SeqCst);
    write(&namespace, "s", 2, 2000);
    far.late.store(false, Ordering::SeqCst);
    assert_eq!((info(&engine).phase, far.filled.load(Ordering::SeqCst)), (MigrationPhase::Failed, false));
    resumed(&engine).unwrap();
    doubled(&engine);
    assert_eq!((there(&far), far.filled.load(Ordering::SeqCst)), (here(&namespace), true));
    engine.close().unwrap();
}

#[test]
fn an_abandoned_target_leaves_nothing_on_the_cluster() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&EngineConfig::Memory)).unwrap();
    write(&namespace, "s", 1, 1);
    engine.migrate("far", &to(&cluster())).unwrap();
    doubled(&engine);
    // It is there until this succeeds.
    far.away.store(true, Ordering::SeqCst);
    assert_eq!(engine.end_migration("far", false).unwrap_err().code, ErrorCode::ClusterUnavailable);
    assert_eq!(info(&engine).phase, MigrationPhase::Failed);
    far.away.store(false, Ordering::SeqCst);
    engine.end_migration("far", false).unwrap();
    assert_eq!((there(&far).len(), far.reserved.load(Ordering::SeqCst), here(&namespace).len()), (0, false, 1));
    assert!(!far.filled.load(Ordering::SeqCst));
    engine.close().unwrap();
}

#[test]
fn what_a_cluster_cannot_have_is_refused_and_leaves_nothing() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let placed = SetConfig { name: "placed".into(), distribution_bin: Some("n".into()), ..SetConfig::default() };
    engine.create_namespace(NamespaceConfig { sets: vec![placed], ..local(&EngineConfig::Memory) }).unwrap();
    let refused = |target: &MigrationTarget| {
        let error = engine.migrate("far", target).err().unwrap();
        assert!(engine.migration("far").unwrap().is_none());
        (error.code, error.field.unwrap_or_default())
    };
    assert_eq!(refused(&to(&cluster())), (ErrorCode::CapabilityUnsupported, "sets".into()));
    let there = EngineConfig::Cassandra(CassandraConfig { attach: true, ..CassandraConfig::new("prod") });
    assert_eq!(refused(&to(&there)), (ErrorCode::ConfigInvalid, "cluster.attach".into()));
    engine.drop_namespace("far").unwrap();
    let flat = tessera_core::Container::Flat;
    engine.create_namespace(NamespaceConfig { container: flat, ..local(&EngineConfig::Memory) }).unwrap();
    far.away.store(true, Ordering::SeqCst);
    assert_eq!(refused(&to(&cluster())).0, ErrorCode::ClusterUnavailable);
    far.away.store(false, Ordering::SeqCst);
    engine.migrate("far", &to(&cluster())).unwrap();
    doubled(&engine);
    engine.end_migration("far", false).unwrap();
    engine.drop_namespace("far").unwrap();
    engine.create_namespace(config()).unwrap();
    let other = EngineConfig::Cassandra(CassandraConfig::new("other"));
    assert_eq!(refused(&to(&other)).0, ErrorCode::CapabilityUnsupported);
    engine.close().unwrap();
}

/// Writers change, remove and write again while the job copies, compares and the lead changes.
fn under_load(from: &NamespaceConfig, target: &EngineConfig) {
    const WRITERS: i64 = 3;
    const KEYS: i64 = 200;
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(from.clone()).unwrap();
    (0..KEYS).for_each(|key| write(&namespace, "s", key, 0));
    let (over, last, written) = (AtomicBool::new(false), (0..KEYS).map(|_| AtomicI64::new(0)).collect::<Vec<_>>(), AtomicI64::new(0));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (namespace, over, last, written) = (&namespace, &over, &last, &written);
            scope.spawn(move || {
                let mut round = 0;
                while !over.load(Ordering::SeqCst) {
                    round += 1;
                    for key in (writer..KEYS).step_by(WRITERS as usize) {
                        let gone = (key + round) % 5 == 0;
                        match gone {
                            true => drop(namespace.delete("s", KeyRef::Integer(key), None).unwrap()),
                            false => write(namespace, "s", key, round),
                        }
                        last[key as usize].store(if gone { -1 } else { round }, Ordering::SeqCst);
                        written.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
        engine.migrate("far", &MigrationTarget { threads: 4, ..to(target) }).unwrap();
        doubled(&engine);
        let more = |since: i64| wait_until(|| written.load(Ordering::SeqCst) > since + KEYS);
        more(written.load(Ordering::SeqCst));
        engine.cut_over("far").unwrap();
        more(written.load(Ordering::SeqCst));
        engine.roll_back("far").unwrap();
        more(written.load(Ordering::SeqCst));
        engine.cut_over("far").unwrap();
        more(written.load(Ordering::SeqCst));
        over.store(true, Ordering::SeqCst);
    });
    let leader = engine.namespace("far").unwrap();
    let local = if from.engine.is_remote() { leader.clone() } else { namespace };
    assert_eq!(here(&local), there(&far));
    for (key, value) in (0..KEYS).zip(&last) {
        let value = value.load(Ordering::SeqCst);
        let mut body = Vec::new();
        let found = leader.get("s", KeyRef::Integer(key), &mut body).unwrap();
        assert_eq!(found.map(|_| body), (value >= 0).then(|| n(key, value)), "{key}");
    }
    engine.close().unwrap();
}

#[test]
fn every_write_is_in_both_under_load() {
    under_load(&local(&EngineConfig::Memory), &cluster());
    under_load(&config(), &EngineConfig::Memory);
}

#[test]
fn a_write_that_comes_into_force_late_is_carried_before_the_lead_changes() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(config()).unwrap();
    (0..20).for_each(|key| write(&namespace, "s", key, 0));
    engine.migrate("far", &to(&EngineConfig::Memory)).unwrap();
    doubled(&engine);
    far.late.store(true, Ordering::SeqCst);
    let refused = namespace.put("s", KeyRef::Integer(3), &n(3, 9), &WriteOptions::default()).unwrap_err();
    assert_eq!(refused.code, ErrorCode::WriteUncertain);
    far.late.store(false, Ordering::SeqCst);
    far.catch_up();
    engine.cut_over("far").unwrap();
    let leader = engine.namespace("far").unwrap();
    assert_eq!((here(&leader), super::get(&leader, 3)), (there(&far), Some(n(3, 9))));
    engine.close().unwrap();
}

#[test]
fn truncations_are_of_both() {
    for from in [local(&EngineConfig::Memory), config()] {
        let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
        let engine = open(directory.path(), &far);
        let namespace = engine.create_namespace(from.clone()).unwrap();
        for set in ["s", "other", "third"] {
            (0..50).for_each(|key| write(&namespace, set, key, 0));
        }
        let target = if from.engine.is_remote() { EngineConfig::Memory } else { cluster() };
        engine.migrate("far", &to(&target)).unwrap();
        doubled(&engine);
        namespace.truncate(Some("s"), None).unwrap();
        let written = wait_until_later(&namespace);
        namespace.truncate(Some("other"), Some(written)).unwrap();
        cut_over(&engine);
        let leader = engine.namespace("far").unwrap();
        let local = if from.engine.is_remote() { &leader } else { &namespace };
        assert_eq!((here(local), there(&far).len()), (there(&far), 51));
        leader.truncate(Some("third"), None).unwrap();
        assert_eq!((here(local), there(&far).len()), (there(&far), 1));
        // Nothing is taken back by the comparison of a restart.
        engine.close().unwrap();
    }
}

/// Writes one record of the set `other` in a later millisecond than all before it, and answers that time.
fn wait_until_later(namespace: &Namespace) -> u64 {
    let before = clock::unix_millis() + 1;
    wait_until(|| clock::unix_millis() > before);
    let options = WriteOptions::default();
    namespace.put("other", KeyRef::Integer(77), &n(77, 1), &options).unwrap().meta.updated_at
}

#[test]
fn a_cluster_that_is_away_fails_the_migration_and_no_write() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&EngineConfig::Memory)).unwrap();
    (0..100).for_each(|key| write(&namespace, "s", key, 0));
    engine.migrate("far", &to(&cluster())).unwrap();
    doubled(&engine);
    far.away.store(true, Ordering::SeqCst);
    write(&namespace, "s", 5, 1);
    assert!(namespace.delete("s", KeyRef::Integer(6), None).unwrap());
    let failed = info(&engine);
    assert_eq!((failed.phase, failed.failure.unwrap().code), (MigrationPhase::Failed, ErrorCode::ClusterUnavailable));
    assert_eq!(engine.cut_over("far").unwrap_err().code, ErrorCode::MigrationFailed);
    // Not reachable still: the namespace goes on.
    assert_eq!(engine.resume_migration("far", &MigrationTarget::default()).err().unwrap().code, ErrorCode::ClusterUnavailable);
    write(&namespace, "s", 7, 1);
    far.away.store(false, Ordering::SeqCst);
    engine.resume_migration("far", &MigrationTarget::default()).unwrap();
    doubled(&engine);
    assert_eq!(here(&namespace), there(&far));
    engine.close().unwrap();
}

#[test]
fn a_cluster_that_is_slow_for_a_moment_is_waited_for() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&EngineConfig::Memory)).unwrap();
    (0..100).for_each(|key| write(&namespace, "s", key, 0));
    let recovers = || {
        while !far.is_waited_for() {
            thread::yield_now();
        }
        far.late.store(false, Ordering::SeqCst);
    };
    far.late.store(true, Ordering::SeqCst);
    engine.migrate("far", &to(&cluster())).unwrap();
    recovers();
    doubled(&engine);
    far.catch_up();
    far.late.store(true, Ordering::SeqCst);
    thread::scope(|scope| {
        scope.spawn(|| write(&namespace, "s", 5, 1));
        recovers();
    });
    assert_eq!((info(&engine).phase, here(&namespace)), (MigrationPhase::Doubled, there(&far)));
    engine.close().unwrap();
}

#[test]
fn the_job_tells_why_a_change_has_given_the_cluster_up() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&EngineConfig::Memory)).unwrap();
    write(&namespace, "s", 5, 0);
    far.late.store(true, Ordering::SeqCst);
    engine.migrate("far", &to(&cluster())).unwrap();
    write(&namespace, "s", 5, 1);
    assert_eq!(ended(&engine).state, JobState::Failed);
    let failed = info(&engine);
    assert_eq!((failed.phase, failed.failure.unwrap().code), (MigrationPhase::Failed, ErrorCode::ClusterUnavailable));
    engine.close().unwrap();
}

#[test]
fn it_goes_on_after_a_restart_in_each_phase() {
    let [_, device, _] = engines();
    for (from, target) in [(local(&device), cluster()), (config(), device)] {
        let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
        let engine = open(directory.path(), &far);
        let namespace = engine.create_namespace(from.clone()).unwrap();
        (0..200).for_each(|key| write(&namespace, "s", key, key));
        let slow = MigrationTarget { records_per_second: Some(20), threads: 1, ..to(&target) };
        let job = engine.migrate("far", &slow).unwrap();
        wait_until(|| job.done() > 0);
        drop(namespace);
        let again = |engine: Arc<Engine>| {
            engine.close().unwrap();
            drop(engine);
            let engine = open(directory.path(), &far);
            // It goes on as slowly as it was asked to.
            let fast = JobPatch { records_per_second: Some(0), ..JobPatch::default() };
            engine.jobs().patch(&info(&engine).job.unwrap(), fast).unwrap();
            doubled(&engine);
            let namespace = engine.namespace("far").unwrap();
            (engine, namespace)
        };
        let (engine, namespace) = again(engine);
        assert_eq!(there(&far).len(), 200);
        write(&namespace, "s", 1, 1000);
        drop(namespace);
        cut_over(&engine);
        let (engine, leader) = again(engine);
        assert_eq!((leader.config().engine.is_remote(), info(&engine).cut_over), (target.is_remote(), true));
        write(&leader, "s", 2, 2000);
        drop(leader);
        engine.roll_back("far").unwrap();
        let (engine, leader) = again(engine);
        let wanted = (Some(n(1, 1000)), Some(n(2, 2000)), from.engine.clone());
        assert_eq!((super::get(&leader, 1), super::get(&leader, 2), leader.config().engine), wanted);
        cut_over(&engine);
        engine.end_migration("far", true).unwrap();
        let leader = engine.namespace("far").unwrap();
        assert_eq!((super::get(&leader, 2), keys(&leader)), (Some(n(2, 2000)), 200));
        engine.close().unwrap();
    }
}

#[test]
fn an_index_whose_build_a_restart_has_cut_off_is_built_before_the_target_leads() {
    let [_, device, _] = engines();
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&device)).unwrap();
    fill(&namespace);
    drop(namespace);
    far.indexes.other_is_late.store(true, Ordering::SeqCst);
    engine.migrate("far", &to(&cluster())).unwrap();
    doubled(&engine);
    engine.close().unwrap();
    drop(engine);
    far.indexes.restart();
    far.indexes.builder_is_there.store(true, Ordering::SeqCst);
    far.indexes.other_is_late.store(false, Ordering::SeqCst);
    let engine = open(directory.path(), &far);
    doubled(&engine);
    assert_eq!(engine.cut_over("far").unwrap_err().code, ErrorCode::IndexBuilding);
    far.indexes.builder_is_there.store(false, Ordering::SeqCst);
    cut_over(&engine);
    assert!(indexed(&engine.namespace("far").unwrap()));
    engine.close().unwrap();
}

#[test]
fn a_cluster_that_is_away_at_a_start_can_be_left() {
    let [_, device, _] = engines();
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    let namespace = engine.create_namespace(local(&device)).unwrap();
    (0..50).for_each(|key| write(&namespace, "s", key, key));
    engine.migrate("far", &to(&cluster())).unwrap();
    doubled(&engine);
    cut_over(&engine);
    write(&namespace, "s", 1, 1000);
    engine.close().unwrap();
    drop((namespace, engine));
    far.away.store(true, Ordering::SeqCst);
    let engine = open(directory.path(), &far);
    assert_eq!(engine.namespace("far").err().unwrap().code, ErrorCode::NamespaceFailed);
    engine.roll_back("far").unwrap();
    let leader = engine.namespace("far").unwrap();
    assert_eq!((super::get(&leader, 1), leader.records(), info(&engine).phase), (Some(n(1, 1000)), 50, MigrationPhase::Failed));
    write(&leader, "s", 2, 2000);
    // Its keyspace is left, as nobody can remove it now.
    engine.end_migration("far", false).unwrap();
    assert_eq!((super::get(&leader, 2), engine.migration("far").unwrap().is_none()), (Some(n(2, 2000)), true));
    engine.close().unwrap();
}

#[test]
fn what_a_cut_off_end_has_left_reserved_is_released_at_the_next_start() {
    let (directory, far) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = open(directory.path(), &far);
    engine.create_namespace(config()).unwrap();
    engine.close().unwrap();
    far.reserved.store(true, Ordering::SeqCst);
    let engine = open(directory.path(), &far);
    assert!(!far.reserved.load(Ordering::SeqCst));
    engine.close().unwrap();
}

/// Records that a scan meets.
fn keys(namespace: &Namespace) -> usize {
    let met = AtomicUsize::new(0);
    let visit = |_: usize, _: &tessera_core::scan::Found<'_>| {
        met.fetch_add(1, Ordering::SeqCst);
        ControlFlow::Continue(())
    };
    namespace.scan_visit(&VisitSpec::default(), &visit).unwrap();
    met.into_inner()
}
