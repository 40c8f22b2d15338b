//! An older copy of all files of a namespace that was killed agrees with itself. The data directory knows that it is older.

use super::{Engine, EngineOptions, MigrationPhase, MigrationTarget, NamespaceState};
use crate::{Durability, Namespace, NamespaceConfig, WriteOptions};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tessera_base::ErrorCode;
use tessera_base::wait_until;
use tessera_record::{BodyBuilder, KeyRef, Value};

const KEY: KeyRef<'_> = KeyRef::Integer(1);

fn body(value: i64) -> Vec<u8> {
    let mut body = vec![];
    let mut builder = BodyBuilder::new(&mut body, KEY);
    let bin = builder.bin("v", |out| {
        out.value(&Value::Int(value));
        Ok(())
    });
    bin.unwrap();
    builder.finish();
    body
}

fn put(namespace: &Namespace, value: i64) {
    namespace.put("s", KEY, &body(value), &WriteOptions::default()).unwrap();
}

/// Writes, and waits until the data directory knows of a mark that tells of it.
fn put_and_mark(engine: &Engine, namespace: &Namespace, value: i64) {
    let before = namespace.store().mark();
    put(namespace, value);
    let manifest = &engine.host.manifest;
    let id = manifest.read().find("n").unwrap().id;
    wait_until(|| namespace.store().mark() > before && manifest.witness().mark_of(&id) == namespace.store().mark());
}

/// Files come before folders: the engine goes on meanwhile, and a manifest must not be newer than the copies that it tells of.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let mut entries: Vec<_> = fs::read_dir(from).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(|entry| entry.file_type().unwrap().is_dir());
    for entry in entries {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions::default()).unwrap()
}

/// Data directories of one engine: with the first record, and with the second too, as a kill leaves it.
struct Copies {
    older: TempDir,
    killed: TempDir,
    /// Of before there was the namespace.
    manifest: Vec<u8>,
}

fn copies(config: NamespaceConfig) -> Copies {
    let [running, older, killed] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let config = NamespaceConfig { durability: Durability::Commit, segments: 4, ..config };
    let engine = open(running.path());
    let manifest = fs::read(running.path().join("manifest")).unwrap();
    let namespace = engine.create_namespace(config).unwrap();
    put_and_mark(&engine, &namespace, 1);
    copy(running.path(), older.path());
    put_and_mark(&engine, &namespace, 2);
    copy(running.path(), killed.path());
    drop(namespace);
    engine.close().unwrap();
    Copies { older, killed, manifest }
}

fn an_older_copy_is_known(config: NamespaceConfig) {
    let Copies { older, killed, .. } = copies(config);
    // As they are, the files open.
    let as_they_are = tempfile::tempdir().unwrap();
    copy(killed.path(), as_they_are.path());
    assert_eq!(open(as_they_are.path()).namespace("n").unwrap().records(), 1);

    copy(&older.path().join("namespaces"), &killed.path().join("namespaces"));
    let engine = open(killed.path());
    let (state, failure) = engine.member("n").unwrap().state();
    assert_eq!(state, NamespaceState::Failed);
    let failure = failure.unwrap();
    assert_eq!(failure.code, ErrorCode::DataRolledBack, "{failure:?}");
    let namespace = engine.reopen_namespace("n", true).unwrap();
    assert_eq!((namespace.records(), namespace.losses().len()), (1, 1));
    put(&namespace, 3);
    drop(namespace);

    // Killed at once, and whatever the data directory knew by then: nothing is older than what was accepted.
    let again = tempfile::tempdir().unwrap();
    copy(killed.path(), again.path());
    assert_eq!(open(again.path()).namespace("n").unwrap().records(), 1);
}

#[test]
fn of_a_device() {
    an_older_copy_is_known(NamespaceConfig::device("n", crate::DeviceConfig::default()));
}

#[test]
fn of_pages() {
    let paged = crate::PagedConfig { checkpoint_log_bytes: 65 << 20, ..crate::PagedConfig::default() };
    an_older_copy_is_known(NamespaceConfig::paged("n", paged));
}

/// What a namespace has lost may be in the second store, so that one stays as it is until someone resumes the migration.
#[test]
fn a_loss_that_is_accepted_is_not_carried_to_the_second_store() {
    let [running, older, killed] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let engine = open(running.path());
    let config = NamespaceConfig { segments: 4, ..NamespaceConfig::device("n", crate::DeviceConfig::default()) };
    let namespace = engine.create_namespace(config).unwrap();
    put_and_mark(&engine, &namespace, 1);
    copy(running.path(), older.path());
    put_and_mark(&engine, &namespace, 2);
    engine.migrate("n", &MigrationTarget { segments: Some(8), ..MigrationTarget::default() }).unwrap();
    let phase = |engine: &Engine| engine.migration("n").unwrap().unwrap().phase;
    wait_until(|| phase(&engine) == MigrationPhase::Doubled);
    engine.members.migration("n").unwrap().follower().unwrap().store().sync().unwrap();
    copy(running.path(), killed.path());
    drop(namespace);
    engine.close().unwrap();
    copy(&older.path().join("namespaces/1"), &killed.path().join("namespaces/1"));
    let bodies = |namespace: &Namespace| {
        let mut out = vec![];
        namespace.get("s", KEY, &mut out).unwrap();
        out
    };
    let engine = open(killed.path());
    assert_eq!(engine.member("n").unwrap().state().1.map(|error| error.code), Some(ErrorCode::DataRolledBack));
    let namespace = engine.reopen_namespace("n", true).unwrap();
    let follower = || engine.members.migration("n").unwrap().follower().unwrap();
    assert_eq!((phase(&engine), bodies(&namespace), bodies(&follower())), (MigrationPhase::Failed, body(1), body(2)));
    engine.resume_migration("n", &MigrationTarget::default()).unwrap();
    wait_until(|| phase(&engine) == MigrationPhase::Doubled);
    assert_eq!(bodies(&follower()), body(1));
    drop(namespace);
    engine.close().unwrap();
}

/// An older manifest does not list the namespace. What is known of it must outlast that start, and the adoption use it.
fn older_files_of_an_orphan_are_known(config: NamespaceConfig) {
    let Copies { older, killed, manifest } = copies(config);
    copy(&older.path().join("namespaces"), &killed.path().join("namespaces"));
    fs::write(killed.path().join("manifest"), manifest).unwrap();
    let engine = open(killed.path());
    let orphan = engine.orphans().unwrap().remove(0);
    // Another namespace's mark is kept meanwhile.
    let other = engine
        .create_namespace(NamespaceConfig { durability: Durability::Commit, ..NamespaceConfig::paged("o", crate::PagedConfig::default()) })
        .unwrap();
    put(&other, 1);
    let id = engine.host.manifest.read().find("o").unwrap().id;
    wait_until(|| other.store().mark() > 0 && engine.host.manifest.witness().mark_of(&id) == other.store().mark());
    drop(other);
    engine.close().unwrap();

    let engine = open(killed.path());
    let member = engine.adopt_orphan(&orphan.id, None).unwrap();
    let (state, failure) = member.state();
    let failure = failure.unwrap();
    assert_eq!((state, failure.code), (NamespaceState::Failed, ErrorCode::DataRolledBack), "{failure:?}");
    assert_eq!(engine.reopen_namespace("n", true).unwrap().records(), 1);
}

#[test]
fn of_an_orphan_on_a_device() {
    older_files_of_an_orphan_are_known(NamespaceConfig::device("n", crate::DeviceConfig::default()));
}

#[test]
fn of_an_orphan_in_pages() {
    older_files_of_an_orphan_are_known(NamespaceConfig::paged("n", crate::PagedConfig::default()));
}

/// Block 0 has the marks: with it and the newest block, both what was written last and what tells of it are gone.
#[test]
fn of_a_device_without_its_marks() {
    let [running, killed] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let device = crate::DeviceConfig { write_block_bytes: 16 << 10, ..crate::DeviceConfig::default() };
    let block_bytes = device.write_block_bytes as usize;
    let config = NamespaceConfig { durability: Durability::Commit, segments: 4, ..NamespaceConfig::device("n", device) };
    let engine = open(running.path());
    let namespace = engine.create_namespace(config).unwrap();
    // Versions of one record: the newest block alone has one that counts.
    let versions = 2000;
    (1..versions).for_each(|value| put(&namespace, value));
    put_and_mark(&engine, &namespace, versions);
    copy(running.path(), killed.path());
    drop(namespace);
    engine.close().unwrap();

    let folder = fs::read_dir(killed.path().join("namespaces")).unwrap().next().unwrap().unwrap().path();
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let file = files.max_by_key(|entry| entry.metadata().unwrap().len()).unwrap().path();
    let mut bytes = fs::read(&file).unwrap();
    // Blocks are used again, so it is not always the last one.
    let last = body(versions);
    let newest = bytes.chunks(block_bytes).position(|block| block.windows(last.len()).any(|bytes| bytes == last)).unwrap();
    assert!(newest > 0);
    for block in [0, newest] {
        bytes[block * block_bytes..][..block_bytes].fill(0);
    }
    fs::write(&file, bytes).unwrap();
    let engine = open(killed.path());
    let (state, failure) = engine.member("n").unwrap().state();
    let failure = failure.unwrap();
    assert_eq!((state, failure.code), (NamespaceState::Failed, ErrorCode::DataRolledBack), "{failure:?}");
    assert!(failure.message.contains("entries at the end may be missing"), "{failure:?}");
    let namespace = engine.reopen_namespace("n", true).unwrap();
    assert_eq!((namespace.records(), namespace.losses().len()), (0, 1));
    put(&namespace, 3);
}
