//! Device namespaces that cannot be opened: the others are served, their files stay as they are, and they come back.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tessera_base::ErrorCode;
use tessera_core::engine::NamespaceState;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_record::{KeyRef, Value};

const RECORDS: i64 = 200;
const BLOCK: usize = 16 * 1024;

fn config(name: &str) -> NamespaceConfig {
    let device = DeviceConfig { write_block_bytes: BLOCK as u32, ..DeviceConfig::default() };
    NamespaceConfig { segments: 8, max_record_bytes: 8192, durability: Durability::Relaxed, ..NamespaceConfig::device(name, device) }
}

fn open(directory: &TempDir) -> Arc<Engine> {
    Engine::open(directory.path(), EngineOptions::default()).unwrap()
}

fn put(namespace: &Namespace, key: i64) {
    let body = body(KeyRef::Integer(key), &[("v", Value::String("x".repeat(500)))]);
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
}

/// Three namespaces with records, in a directory that nobody has open: `first`, `broken` and `last`.
fn filled() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(&directory);
    for name in ["first", "broken", "last"] {
        let namespace = engine.create_namespace(config(name)).unwrap();
        (0..RECORDS).for_each(|key| put(&namespace, key));
    }
    engine.close().unwrap();
    directory
}

/// Folder and data file of `broken`.
fn places(directory: &TempDir) -> (PathBuf, PathBuf) {
    let folder = directory.path().join("namespaces/2");
    (folder.clone(), folder.join("data.tsr"))
}

/// What the manifest says of the broken one; of the others it learns that they were started.
fn listed(directory: &TempDir) -> serde_json::Value {
    let manifest = fs::read(directory.path().join("manifest")).unwrap();
    let mut json: serde_json::Value = serde_json::from_slice(&manifest[20..]).unwrap();
    let all = json["namespaces"].as_array_mut().unwrap();
    all.retain(|namespace| namespace["config"]["name"] == "broken");
    assert_eq!(all.len(), 1);
    json
}

/// Everything under a folder: what a file holds, where a link points.
fn contents(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![path.to_owned()];
    while let Some(path) = left.pop() {
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            found.insert(path, b"a folder".to_vec());
        } else if meta.is_symlink() {
            found.insert(path.clone(), fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

fn seal(header: &mut [u8]) {
    let crc = crc32c::crc32c(&header[..60]);
    header[60..64].copy_from_slice(&crc.to_le_bytes());
}

fn change(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).unwrap();
    change(&mut bytes);
    fs::write(file, bytes).unwrap();
}

/// A way to break a namespace, given its folder and its data file.
type Break = fn(&Path, &Path);

const FAULTS: &[(&str, Break, ErrorCode)] = &[
    ("the file is gone", |_, file| fs::remove_file(file).unwrap(), ErrorCode::DataFileMissing),
    ("its folder is gone", |folder, _| fs::remove_dir_all(folder).unwrap(), ErrorCode::DataFileMissing),
    ("the file is empty", |_, file| fs::write(file, b"").unwrap(), ErrorCode::DataFileDamaged),
    ("the file ends in its header", |_, file| change(file, |bytes| bytes.truncate(63)), ErrorCode::DataFileDamaged),
    ("the file is all zeros", |_, file| change(file, |bytes| bytes.fill(0)), ErrorCode::DataFileDamaged),
    (
        "all headers are damaged",
        |_, file| change(file, |bytes| bytes.iter_mut().step_by(32).for_each(|b| *b ^= 1)),
        ErrorCode::DataFileDamaged,
    ),
    (
        "another namespace's file",
        |_, file| assert!(fs::copy(file.with_file_name("../1/data.tsr"), file).unwrap() > 0),
        ErrorCode::DataFileForeign,
    ),
    (
        "a later version of the file",
        |_, file| {
            change(file, |bytes| {
                bytes[8] = 4;
                seal(&mut bytes[..64]);
            });
        },
        ErrorCode::DataFileVersionUnknown,
    ),
    (
        // The file's own header is damaged too: it must not be mended before the rest is known to be sound.
        "a later version of a block",
        |_, file| {
            change(file, |bytes| {
                bytes[5] ^= 1;
                bytes[3 * BLOCK + 8] = 4;
                seal(&mut bytes[3 * BLOCK..3 * BLOCK + 64]);
            });
        },
        ErrorCode::DataFileVersionUnknown,
    ),
    (
        "the operating system refuses",
        |_, file| {
            fs::remove_file(file).unwrap();
            symlink(file, file).unwrap();
        },
        ErrorCode::StorageFailed,
    ),
    (
        "it is no file",
        |_, file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        },
        ErrorCode::StorageFailed,
    ),
];

#[test]
fn whatever_is_wrong_with_one_the_others_are_served_and_it_comes_back() {
    for (what, fault, code) in FAULTS {
        let directory = filled();
        let (folder, file) = places(&directory);
        let sound = fs::read(&file).unwrap();
        fault(&folder, &file);
        let (broken, manifest) = (contents(&folder), listed(&directory));

        let engine = open(&directory);
        let names: Vec<String> = engine.members().iter().map(|member| member.name().to_owned()).collect();
        assert_eq!(names, ["first", "broken", "last"], "{what}");
        let (state, error) = engine.member("broken").unwrap().state();
        assert_eq!((state, error.map(|error| error.code)), (NamespaceState::Failed, Some(*code)), "{what}");
        let refused = engine.namespace("broken").err().unwrap();
        assert_eq!((refused.code, refused.retryable()), (ErrorCode::NamespaceFailed, false), "{what}");
        assert!(refused.message.contains(code.as_str()), "{what}: {}", refused.message);
        let notices = engine.notices();
        assert_eq!(notices.len(), 1, "{what}");
        assert_eq!((notices[0].namespace.as_str(), notices[0].error.code), ("broken", *code), "{what}");
        let again = engine.create_namespace(config("broken")).err().unwrap();
        assert_eq!(again.code, ErrorCode::NamespaceExists, "{what}");
        for name in ["first", "last"] {
            let namespace = engine.namespace(name).unwrap();
            put(&namespace, RECORDS);
            assert_eq!(namespace.size(None), RECORDS as u64 + 1, "{what}");
        }
        assert_eq!(engine.reopen_namespace("broken", false).err().unwrap().code, *code, "{what}");
        engine.close().unwrap();
        assert_eq!(contents(&folder), broken, "{what}: its files");
        assert_eq!(listed(&directory), manifest, "{what}: the manifest");

        // The cause is taken away: while it runs, or before the next start.
        let repair = || {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir(&folder).unwrap();
            fs::write(&file, &sound).unwrap();
        };
        let engine = open(&directory);
        repair();
        let reopened = engine.reopen_namespace("broken", false).unwrap();
        assert_eq!(reopened.size(None), RECORDS as u64, "{what}");
        put(&reopened, RECORDS);
        assert!(engine.notices().is_empty(), "{what}");
        drop(reopened);
        engine.close().unwrap();
        assert_eq!(open(&directory).namespace("broken").unwrap().size(None), RECORDS as u64 + 1, "{what}");
    }
}

#[test]
fn a_failed_namespace_can_be_dropped_and_its_name_used_again() {
    for (what, fault, _) in FAULTS {
        let directory = filled();
        let (folder, file) = places(&directory);
        fault(&folder, &file);
        let engine = open(&directory);
        engine.drop_namespace("broken").unwrap();
        assert!(!folder.exists(), "{what}");
        assert_eq!(engine.drop_namespace("broken").unwrap_err().code, ErrorCode::NamespaceNotFound, "{what}");
        put(&engine.create_namespace(config("broken")).unwrap(), 1);
        engine.close().unwrap();
        assert_eq!(open(&directory).namespace("broken").unwrap().size(None), 1, "{what}");
    }
}

#[test]
fn leftovers_that_cannot_be_removed_stop_nobody() {
    let directory = filled();
    // Numbered as a folder of ours, but no folder.
    fs::write(directory.path().join("namespaces/77"), b"in the way").unwrap();
    assert_eq!(open(&directory).namespaces().len(), 3);
}

#[test]
fn starting_answers_at_once_and_closing_calls_recovery_off() {
    let directory = filled();
    let engine = Engine::start(directory.path(), EngineOptions::default()).unwrap();
    for member in engine.members() {
        match member.state() {
            (NamespaceState::Ready, None) => {}
            (state, error) => {
                assert_eq!((state, error), (NamespaceState::Recovering, None));
                let refused = member.open().err().unwrap();
                assert_eq!((refused.code, refused.retryable()), (ErrorCode::Starting, true));
            }
        }
    }
    engine.settle();
    assert_eq!(engine.namespaces().len(), 3);
    assert!(engine.namespaces().iter().all(|namespace| namespace.recovery().records == RECORDS as u64));
    assert!(engine.namespaces().iter().all(|namespace| namespace.recovery().bytes_read > 5000 && !namespace.recovery().elapsed.is_zero()));
    engine.close().unwrap();
    // A namespace that was open before `close` may have begun to write: its header, and what defragmentation moves.
    let engine = Engine::start(directory.path(), EngineOptions::default()).unwrap();
    engine.close().unwrap();
    assert_eq!(engine.namespace("first").err().unwrap().code, ErrorCode::Closed);
    engine.close().unwrap();
    let engine = open(&directory);
    let mut body = vec![];
    for namespace in engine.namespaces() {
        assert_eq!((namespace.size(None), namespace.recovery().damaged), (RECORDS as u64, 0));
        assert!((0..RECORDS).all(|key| namespace.get("s", KeyRef::Integer(key), &mut body).unwrap().is_some()));
    }
    assert_eq!(engine.namespaces().len(), 3);
}

#[test]
fn damage_found_by_a_recovery_is_a_notice() {
    let directory = filled();
    let (_, file) = places(&directory);
    change(&file, |bytes| bytes[2 * BLOCK + 1000] ^= 1);
    fs::remove_file(file.with_file_name("index.tss")).unwrap();
    let engine = open(&directory);
    let notices = engine.notices();
    assert_eq!(notices.len(), 1);
    let notice = &notices[0];
    assert_eq!((notice.namespace.as_str(), notice.state, notice.error.code), ("broken", NamespaceState::Ready, ErrorCode::RecordDamaged));
    assert!(notice.error.message.starts_with("1 damaged place was found"), "{}", notice.error.message);
}

/// A disk that another process keeps is waited for; a stop does not wait with it.
#[test]
fn a_stop_ends_the_wait_for_disks() {
    let directory = filled();
    let held = |folder: &str| {
        let file = fs::File::open(directory.path().join("namespaces").join(folder).join("data.tsr")).unwrap();
        file.try_lock().unwrap();
        file
    };
    let locks = ["1", "2"].map(held);
    let patient = EngineOptions { disk_patience: Duration::from_secs(3600), ..EngineOptions::default() };
    let engine = Engine::start(directory.path(), patient.clone()).unwrap();
    assert_eq!(engine.member("first").unwrap().state().0, NamespaceState::Recovering);
    engine.close().unwrap();

    // Without patience each has failed, and is there again once it is let go.
    let engine = Engine::open(directory.path(), EngineOptions { disk_patience: Duration::ZERO, ..patient }).unwrap();
    let failures = ["first", "broken", "last"].map(|name| engine.member(name).unwrap().state().1.map(|error| error.code));
    assert_eq!(failures, [Some(ErrorCode::StorageFailed), Some(ErrorCode::StorageFailed), None]);
    drop(locks);
    assert_eq!(engine.reopen_namespace("first", false).unwrap().size(None), RECORDS as u64);
}
