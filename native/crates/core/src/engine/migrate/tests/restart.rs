//! A restart in every phase: the namespace has all its records, and the migration goes on.

use super::*;
use tessera_base::{ErrorCode, wait_until};
use tessera_jobs::JobPatch;

const KEYS: i64 = 200;

/// So slow that it is at work still when the engine is closed.
fn slowly(engine: &EngineConfig) -> MigrationTarget {
    MigrationTarget { records_per_second: Some(20), threads: 1, ..to(engine) }
}

fn begun(directory: &Path, from: &EngineConfig) -> (Arc<Engine>, Contents) {
    let engine = open(directory);
    let namespace = engine.create_namespace(config(from, 4)).unwrap();
    (0..KEYS).for_each(|key| put(&namespace, PLACED, key, key));
    (engine, contents(&namespace))
}

/// Closes and opens it; the migration goes on by itself.
fn restarted(engine: &Engine, directory: &Path) -> Arc<Engine> {
    engine.close().unwrap();
    open(directory)
}

fn now(engine: &Engine) -> Contents {
    contents(&engine.namespace("n").unwrap())
}

#[test]
fn while_it_copies() {
    let [memory, device, paged] = engines();
    for (from, target) in [(&device, &paged), (&paged, &device), (&device, &memory)] {
        let directory = tempfile::tempdir().unwrap();
        let (engine, records) = begun(directory.path(), from);
        let job = engine.migrate("n", &slowly(target)).unwrap();
        wait_until(|| job.done() > 0);
        assert_eq!(info(&engine).phase, MigrationPhase::Copying);
        let engine = restarted(&engine, directory.path());
        let job = engine.jobs().running(&info(&engine).job.unwrap()).unwrap();
        assert_eq!((job.info().records_per_second, job.info().threads), (Some(20), 1), "as fast as it was asked to go");
        engine.jobs().patch(job.id(), JobPatch { records_per_second: Some(0), ..JobPatch::default() }).unwrap();
        doubled(&engine);
        assert_eq!(now(&engine), records);
        engine.cut_over("n").unwrap();
        engine.end_migration("n", true).unwrap();
        assert_eq!((now(&engine), folders(directory.path())), (records, 1));
        engine.close().unwrap();
    }
}

#[test]
fn once_both_hold_the_same_and_once_it_is_cut_over() {
    let [_, device, paged] = engines();
    for (from, target) in [(&device, &paged), (&paged, &device)] {
        let directory = tempfile::tempdir().unwrap();
        let (engine, records) = begun(directory.path(), from);
        engine.migrate("n", &to(target)).unwrap();
        doubled(&engine);
        let engine = restarted(&engine, directory.path());
        doubled(&engine);
        assert!(!info(&engine).cut_over);
        engine.cut_over("n").unwrap();
        put(&engine.namespace("n").unwrap(), "s", 1, 1);
        let engine = restarted(&engine, directory.path());
        doubled(&engine);
        assert!(info(&engine).cut_over && engine.namespace("n").unwrap().config().engine == *target);
        assert_eq!(now(&engine).len(), records.len() + 1);
        engine.roll_back("n").unwrap();
        assert_eq!((engine.namespace("n").unwrap().config().engine, now(&engine).len()), (from.clone(), records.len() + 1));
        engine.end_migration("n", false).unwrap();
        let engine = restarted(&engine, directory.path());
        assert!(engine.migration("n").unwrap().is_none() && now(&engine).len() == records.len() + 1);
        engine.close().unwrap();
    }
}

#[test]
fn what_was_cut_over_to_memory_is_back_on_the_disk() {
    let [memory, device, _] = engines();
    let directory = tempfile::tempdir().unwrap();
    let (engine, records) = begun(directory.path(), &device);
    engine.migrate("n", &to(&memory)).unwrap();
    doubled(&engine);
    engine.cut_over("n").unwrap();
    put(&engine.namespace("n").unwrap(), "s", 1, 1);
    let engine = restarted(&engine, directory.path());
    assert!(!info(&engine).cut_over);
    assert_eq!((engine.namespace("n").unwrap().config().engine, now(&engine).len()), (device, records.len() + 1));
    engine.close().unwrap();
}

#[test]
fn what_memory_held_alone_is_not_taken_from_the_disk() {
    let [memory, device, _] = engines();
    let directory = tempfile::tempdir().unwrap();
    let (engine, _) = begun(directory.path(), &device);
    engine.migrate("n", &to(&memory)).unwrap();
    doubled(&engine);
    engine.cut_over("n").unwrap();
    // The disk does not follow any more: what it has is old.
    let full = tessera_base::Error::new(ErrorCode::DeviceFull, "it is full");
    engine.namespace("n").unwrap().store().give_mirror_up(&full).unwrap();
    put(&engine.namespace("n").unwrap(), PLACED, 1, 77);
    let engine = restarted(&engine, directory.path());
    let migration = info(&engine);
    assert_eq!((migration.cut_over, migration.phase), (true, MigrationPhase::Failed));
    assert_eq!(migration.failure.map(|error| error.code), Some(ErrorCode::DeviceFull));
    assert!(now(&engine).is_empty(), "as after every restart of a namespace in memory");
    engine.close().unwrap();
}

#[test]
fn a_second_store_that_cannot_be_opened_keeps_nobody_from_the_first() {
    let [_, device, paged] = engines();
    let directory = tempfile::tempdir().unwrap();
    let (engine, records) = begun(directory.path(), &device);
    engine.migrate("n", &to(&paged)).unwrap();
    doubled(&engine);
    engine.close().unwrap();
    let pages = directory.path().join("namespaces/2").join(tessera_storage::paged::PAGES_FILE);
    let kept = pages.with_extension("kept");
    std::fs::rename(&pages, &kept).unwrap();
    let engine = open(directory.path());
    let migration = info(&engine);
    assert_eq!((migration.phase, migration.follower.records.is_none(), now(&engine)), (MigrationPhase::Failed, true, records.clone()));
    assert_eq!(engine.cut_over("n").unwrap_err().code, ErrorCode::MigrationFailed);
    assert!(engine.resume_migration("n", &MigrationTarget::default()).is_err());
    std::fs::rename(&kept, &pages).unwrap();
    engine.resume_migration("n", &MigrationTarget::default()).unwrap();
    doubled(&engine);
    engine.end_migration("n", false).unwrap();
    assert_eq!((now(&engine), folders(directory.path())), (records, 1));
    engine.close().unwrap();
}

#[test]
fn a_target_that_cannot_be_opened_after_the_cut_over_leaves_the_source_to_go_back_to() {
    let [_, device, paged] = engines();
    let directory = tempfile::tempdir().unwrap();
    let (engine, records) = begun(directory.path(), &device);
    engine.migrate("n", &to(&paged)).unwrap();
    doubled(&engine);
    engine.cut_over("n").unwrap();
    put(&engine.namespace("n").unwrap(), "s", 1, 1);
    engine.close().unwrap();
    std::fs::remove_file(directory.path().join("namespaces/2").join(tessera_storage::paged::PAGES_FILE)).unwrap();
    let engine = open(directory.path());
    assert_eq!(engine.namespace("n").err().map(|error| error.code), Some(ErrorCode::NamespaceFailed));
    let mark = |engine: &Engine| engine.migration_mark(&engine.member("n").unwrap());
    assert_eq!(mark(&engine), Some((MigrationPhase::Copying, true)));
    // Neither removes the only whole store.
    assert_eq!(engine.end_migration("n", true).unwrap_err().code, ErrorCode::NamespaceFailed);
    assert_eq!(engine.end_migration("n", false).unwrap_err().code, ErrorCode::MigrationNotReady);
    assert_eq!(engine.cut_over("n").unwrap_err().code, ErrorCode::NamespaceFailed);
    assert_eq!(folders(directory.path()), 2);
    engine.roll_back("n").unwrap();
    let migration = info(&engine);
    assert_eq!((migration.cut_over, migration.phase, migration.follower.records), (false, MigrationPhase::Failed, None));
    assert_eq!(mark(&engine), Some((MigrationPhase::Failed, false)));
    assert_eq!((engine.namespace("n").unwrap().config().engine, now(&engine).len()), (device, records.len() + 1));
    assert_eq!(engine.roll_back("n").unwrap_err().code, ErrorCode::MigrationFailed);
    engine.end_migration("n", false).unwrap();
    let engine = restarted(&engine, directory.path());
    assert_eq!((now(&engine).len(), folders(directory.path())), (records.len() + 1, 1));
    engine.close().unwrap();
}

#[test]
fn a_source_that_lacks_changes_is_not_gone_back_to() {
    let [_, device, paged] = engines();
    let directory = tempfile::tempdir().unwrap();
    let (engine, _) = begun(directory.path(), &device);
    engine.migrate("n", &to(&paged)).unwrap();
    doubled(&engine);
    engine.cut_over("n").unwrap();
    let full = tessera_base::Error::new(ErrorCode::DeviceFull, "it is full");
    engine.namespace("n").unwrap().store().give_mirror_up(&full).unwrap();
    put(&engine.namespace("n").unwrap(), PLACED, 1, 77);
    engine.close().unwrap();
    std::fs::remove_file(directory.path().join("namespaces/2").join(tessera_storage::paged::PAGES_FILE)).unwrap();
    let engine = open(directory.path());
    let mark = |engine: &Engine| engine.migration_mark(&engine.member("n").unwrap());
    assert_eq!(mark(&engine), Some((MigrationPhase::Failed, true)));
    assert_eq!(engine.roll_back("n").unwrap_err().code, ErrorCode::MigrationFailed);
    engine.end_migration("n", true).unwrap();
    assert_eq!(mark(&engine), None);
    engine.drop_namespace("n").unwrap();
    assert_eq!(folders(directory.path()), 0);
    engine.close().unwrap();
}
