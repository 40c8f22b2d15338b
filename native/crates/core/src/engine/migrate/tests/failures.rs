//! What goes wrong, and what is refused: the namespace goes on with all its records.

use super::*;
use crate::config::ConfigPatch;
use tessera_base::{ErrorCode, wait_until};
use tessera_index::{IndexKind, IndexSpec};

fn namespace_with(engine: &Engine, keys: i64) -> Arc<Namespace> {
    let namespace = engine.create_namespace(config(&EngineConfig::Memory, 4)).unwrap();
    (0..keys).for_each(|key| put(&namespace, "s", key, key));
    namespace
}

#[test]
fn a_target_that_is_full_fails_and_the_source_takes_every_write() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let namespace = namespace_with(&engine, 10);
    let small = MigrationTarget { segments: Some(8), max_memory_bytes: Some(1 << 20), ..MigrationTarget::default() };
    engine.migrate("n", &small).unwrap();
    doubled(&engine);
    (0..30_000).for_each(|key| put(&namespace, "s", key, key));
    let failed = info(&engine);
    assert_eq!(failed.phase, MigrationPhase::Failed);
    let code = failed.failure.unwrap().code;
    assert!(matches!(code, ErrorCode::StopWrites | ErrorCode::MemoryFull), "{code:?}");
    assert_eq!((namespace.records(), contents(&namespace).len()), (30_000, 30_000));
    assert_eq!(engine.cut_over("n").unwrap_err().code, ErrorCode::MigrationFailed);
    // It does not fit now either.
    let job = engine.resume_migration("n", &MigrationTarget::default()).unwrap();
    assert_eq!((job.wait_blocking(LONG).state, info(&engine).phase), (JobState::Failed, MigrationPhase::Failed));
    engine.end_migration("n", false).unwrap();
    assert_eq!((folders(directory.path()), contents(&namespace).len()), (1, 30_000));
    engine.migrate("n", &MigrationTarget { segments: Some(8), ..MigrationTarget::default() }).unwrap();
    doubled(&engine);
    engine.cut_over("n").unwrap();
    assert_eq!(contents(&engine.namespace("n").unwrap()), contents(&namespace));
}

#[test]
fn an_abort_closes_the_window_and_another_job_catches_up() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let namespace = namespace_with(&engine, 500);
    let slow = MigrationTarget { segments: Some(8), records_per_second: Some(50), ..MigrationTarget::default() };
    let job = engine.migrate("n", &slow).unwrap();
    wait_until(|| job.done() > 0);
    assert_eq!(engine.resume_migration("n", &slow).err().unwrap().code, ErrorCode::MigrationActive);
    assert_eq!(engine.cut_over("n").unwrap_err().code, ErrorCode::MigrationNotReady);
    job.abort().unwrap();
    assert_eq!(job.wait_blocking(LONG).state, JobState::Aborted);
    assert_eq!(info(&engine).failure.map(|error| error.code), Some(ErrorCode::Aborted));
    put(&namespace, "s", 3, 33);
    assert!(remove(&namespace, "s", 4));
    engine.resume_migration("n", &MigrationTarget::default()).unwrap();
    doubled(&engine);
    let before = contents(&namespace);
    engine.cut_over("n").unwrap();
    assert_eq!(contents(&engine.namespace("n").unwrap()), before);
    engine.end_migration("n", true).unwrap();
    assert_eq!(engine.jobs().running_count(), 0);
}

#[test]
fn what_changes_settings_waits_for_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let namespace = namespace_with(&engine, 10);
    engine.migrate("n", &MigrationTarget { segments: Some(8), ..MigrationTarget::default() }).unwrap();
    doubled(&engine);
    let set = SetConfig { name: "x".into(), ..SetConfig::default() };
    let index = IndexSpec { name: "i".into(), bin: Some("v".into()), kind: IndexKind::Range, set: None, path: None, created_at_ms: 0 };
    let other = MigrationTarget { segments: Some(16), ..MigrationTarget::default() };
    let refused = [
        namespace.update(ConfigPatch { default_ttl_seconds: Some(5), ..ConfigPatch::default() }).unwrap_err(),
        namespace.create_set(&set).unwrap_err(),
        namespace.limit_set("s", crate::SetLimits { max_records: 5, max_bytes: 0 }).unwrap_err(),
        namespace.set_index_on("s", 1).err().unwrap(),
        namespace.set_index_off("indexed").unwrap_err(),
        namespace.create_index(index, 1).err().unwrap(),
        engine.drop_namespace("n").unwrap_err(),
        engine.migrate("n", &other).err().unwrap(),
    ];
    assert!(refused.iter().all(|error| error.code == ErrorCode::MigrationActive), "{refused:?}");
    assert_eq!(engine.end_migration("n", true).unwrap_err().code, ErrorCode::MigrationNotReady);
    engine.end_migration("n", false).unwrap();
    namespace.create_set(&set).unwrap();
    engine.drop_namespace("n").unwrap();
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    namespace_with(&engine, 10);
    let target = MigrationTarget::default();
    let code = |outcome: tessera_base::Result<()>| outcome.unwrap_err().code;
    assert_eq!(code(engine.migrate("n", &target).map(drop)), ErrorCode::ConfigInvalid);
    assert_eq!(code(engine.migrate("m", &target).map(drop)), ErrorCode::NamespaceNotFound);
    let odd = MigrationTarget { segments: Some(3), ..MigrationTarget::default() };
    assert_eq!(code(engine.migrate("n", &odd).map(drop)), ErrorCode::SegmentCountInvalid);
    assert_eq!(code(engine.cut_over("n")), ErrorCode::MigrationNotFound);
    assert_eq!(code(engine.roll_back("n")), ErrorCode::MigrationNotFound);
    assert_eq!(code(engine.end_migration("n", false)), ErrorCode::MigrationNotFound);
    assert_eq!(code(engine.resume_migration("n", &target).map(drop)), ErrorCode::MigrationNotFound);
    assert_eq!(folders(directory.path()), 1);
}

#[test]
fn a_difference_is_repaired_and_counted() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let namespace = namespace_with(&engine, 100);
    let slow = MigrationTarget { segments: Some(8), records_per_second: Some(200), threads: 1, ..MigrationTarget::default() };
    let job = engine.migrate("n", &slow).unwrap();
    wait_until(|| info(&engine).phase == MigrationPhase::Verifying);
    // Behind the back of the migration.
    let follower = engine.members.migration("n").unwrap().follower().unwrap();
    let other = |key: i64| Digest::of("foreign", KeyRef::Integer(key));
    follower.store().plant("foreign", other(1), &body(1, 1));
    let result = job.wait_blocking(LONG).result.unwrap();
    assert!(result.contains("\"repaired\":1"), "{result}");
    engine.cut_over("n").unwrap();
    assert_eq!(contents(&engine.namespace("n").unwrap()), contents(&namespace));
}

#[test]
fn stores_that_count_differently_are_not_cut_over() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let namespace = namespace_with(&engine, 100);
    engine.migrate("n", &MigrationTarget { segments: Some(8), ..MigrationTarget::default() }).unwrap();
    doubled(&engine);
    let follower = engine.members.migration("n").unwrap().follower().unwrap();
    follower.store().plant("s", Digest::of("s", KeyRef::Integer(1000)), &body(1000, 1));
    let refused = engine.cut_over("n").unwrap_err();
    assert_eq!(refused.code, ErrorCode::MigrationFailed);
    assert!(refused.message.contains("\"s\" has 100 records") && refused.message.contains("101"), "{}", refused.message);
    put(&namespace, "s", 5, 55);
    assert_eq!(info(&engine).phase, MigrationPhase::Failed);
    engine.resume_migration("n", &MigrationTarget::default()).unwrap();
    doubled(&engine);
    engine.cut_over("n").unwrap();
    assert_eq!(contents(&engine.namespace("n").unwrap()), contents(&namespace));
}

/// A body of at least so many bytes.
fn large(key: KeyRef<'_>, bytes: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut builder = BodyBuilder::new(&mut out, key);
    let bin = builder.bin("v", |out| {
        out.string(&"x".repeat(bytes));
        Ok(())
    });
    bin.unwrap();
    builder.finish();
    out
}

#[test]
fn after_a_cut_over_what_the_source_cannot_hold_is_refused_until_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let [_, device, paged] = engines();
    let long = "k".repeat(6000);
    let (short, long) = (KeyRef::Integer(1), KeyRef::String(&long));
    // Blocks of 64 KiB hold no record of 64 KiB, and pages of 4 KiB no key of 6,000 bytes.
    for (source, key, bytes, code) in [(device, short, 64 * 1024, ErrorCode::RecordTooLarge), (paged, long, 1, ErrorCode::KeyTooLong)] {
        let engine = open(directory.path());
        engine.create_namespace(config(&source, 4)).unwrap();
        let write = || engine.namespace("n").unwrap().put("s", key, &large(key, bytes), &WriteOptions::default());
        assert_eq!(write().unwrap_err().code, code);
        engine.migrate("n", &to(&EngineConfig::Memory)).unwrap();
        doubled(&engine);
        engine.cut_over("n").unwrap();
        assert_eq!(write().unwrap_err().code, code);
        // A namespace of memory is back on its disk after a restart, so this is the way there and back in one process.
        let most = large(short, 60 * 1024);
        engine.namespace("n").unwrap().put("s", short, &most, &WriteOptions::default()).unwrap();
        assert_eq!(info(&engine).phase, MigrationPhase::Doubled);
        engine.roll_back("n").unwrap();
        assert_eq!(contents(&engine.namespace("n").unwrap()).len(), 1);
        engine.cut_over("n").unwrap();
        assert_eq!(write().unwrap_err().code, code);
        engine.end_migration("n", true).unwrap();
        write().unwrap();
        engine.drop_namespace("n").unwrap();
        engine.close().unwrap();
    }
}

#[test]
fn once_the_source_does_not_follow_any_more_the_target_takes_what_it_can_hold() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let [_, device, _] = engines();
    engine.create_namespace(config(&device, 4)).unwrap();
    engine.migrate("n", &to(&EngineConfig::Memory)).unwrap();
    doubled(&engine);
    engine.cut_over("n").unwrap();
    let namespace = engine.namespace("n").unwrap();
    let write = || namespace.put("s", KeyRef::Integer(1), &large(KeyRef::Integer(1), 64 * 1024), &WriteOptions::default());
    assert_eq!(write().unwrap_err().code, ErrorCode::RecordTooLarge);
    namespace.store().give_mirror_up(&tessera_base::Error::new(ErrorCode::StorageFailed, "it is broken")).unwrap();
    write().unwrap();
    assert_eq!(info(&engine).phase, MigrationPhase::Failed);
}
