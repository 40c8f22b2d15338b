//! Namespaces on several files and on block devices.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::body;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;
use tessera_base::{Error, ErrorCode};
use tessera_core::engine::NamespaceState;
use tessera_core::{DeviceConfig, DeviceFile, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_io::FileKind;
use tessera_record::{KeyRef, Value};

const RECORDS: i64 = 600;
const BLOCK: u64 = 16 * 1024;

/// A data directory, and folders beside it that namespaces may have files in.
struct Place {
    data: TempDir,
    folders: Vec<TempDir>,
}

impl Place {
    /// The last folder is in memory, where there is such a file system.
    fn new(folders: usize) -> Self {
        let shared = Path::new("/dev/shm");
        let make = |n| if n + 1 == folders && shared.is_dir() { TempDir::new_in(shared).unwrap() } else { TempDir::new().unwrap() };
        Self { data: TempDir::new().unwrap(), folders: (0..folders).map(make).collect() }
    }

    fn open_allowing(&self, device_paths: Vec<PathBuf>) -> Arc<Engine> {
        Engine::open(self.data.path(), EngineOptions { device_paths, ..EngineOptions::default() }).unwrap()
    }

    fn open(&self) -> Arc<Engine> {
        self.open_allowing(self.folders.iter().map(|folder| folder.path().to_owned()).collect())
    }

    fn file(&self, folder: usize, name: &str) -> PathBuf {
        self.folders[folder].path().join(name)
    }

    fn files(&self, name: &str) -> Vec<PathBuf> {
        (0..self.folders.len()).map(|folder| self.file(folder, name)).collect()
    }
}

fn config(name: &str, paths: &[PathBuf], capacity_bytes: u64) -> NamespaceConfig {
    let devices = paths.iter().map(|path| DeviceFile { path: path.to_str().unwrap().to_owned(), capacity_bytes }).collect();
    let device = DeviceConfig { write_block_bytes: BLOCK as u32, devices, ..DeviceConfig::default() };
    NamespaceConfig { segments: 8, max_record_bytes: 8192, durability: Durability::Relaxed, ..NamespaceConfig::device(name, device) }
}

fn put(namespace: &Namespace, key: i64) -> Result<(), Error> {
    let body = body(KeyRef::Integer(key), &[("v", Value::String("x".repeat(1000 + key as usize % 100)))]);
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).map(drop)
}

fn fill(namespace: &Namespace) {
    (0..RECORDS).for_each(|key| put(namespace, key).unwrap());
}

fn check(namespace: &Namespace) {
    let mut out = vec![];
    assert_eq!((namespace.size(None), namespace.recovery().damaged), (RECORDS as u64, 0), "{:?}", namespace.recovery());
    assert!((0..RECORDS).all(|key| namespace.get("s", KeyRef::Integer(key), &mut out).unwrap().is_some()));
}

/// Code and field of what a creation is refused with.
fn refused(engine: &Engine, config: NamespaceConfig) -> (ErrorCode, String) {
    let error = engine.create_namespace(config).err().unwrap();
    (error.code, error.field.unwrap_or_default())
}

fn state(engine: &Engine, name: &str) -> (NamespaceState, Option<Error>) {
    engine.member(name).unwrap().state()
}

#[test]
fn records_are_spread_over_the_files_and_come_back() {
    for disks in [2, 3] {
        let place = Place::new(disks);
        let engine = place.open();
        let namespace = engine.create_namespace(config("d", &place.files("a"), 0)).unwrap();
        fill(&namespace);
        check(&namespace);
        let used: Vec<u64> = namespace.disks().iter().map(|disk| disk.used_bytes).collect();
        assert_eq!(used.iter().sum::<u64>(), namespace.usage().device_bytes);
        assert!(used.len() == disks && used.iter().max().unwrap() - used.iter().min().unwrap() <= BLOCK, "{used:?}");
        drop(namespace);
        engine.close().unwrap();
        let lengths: Vec<u64> = place.files("a").iter().map(|file| file.metadata().unwrap().len()).collect();
        assert!(lengths.iter().all(|length| length * disks as u64 > RECORDS as u64 * 1000), "{lengths:?}");

        // Opening needs no allowance.
        let engine = place.open_allowing(vec![]);
        let namespace = engine.namespace("d").unwrap();
        check(&namespace);
        put(&namespace, RECORDS).unwrap();
        drop(namespace);
        engine.drop_namespace("d").unwrap();
        assert!(place.files("a").iter().all(|file| !file.exists()));
    }
}

#[test]
fn each_device_has_its_own_capacity() {
    let place = Place::new(2);
    let engine = place.open();
    let mut uneven = config("d", &place.files("a"), 16 * BLOCK);
    let tessera_core::EngineConfig::Device(device) = &mut uneven.engine else { unreachable!() };
    device.devices[1].capacity_bytes = 48 * BLOCK;
    let namespace = engine.create_namespace(NamespaceConfig { stop_writes_percent: 100, ..uneven }).unwrap();
    assert_eq!(namespace.usage().device_capacity_bytes, 64 * BLOCK);
    assert_eq!(namespace.limits().capacity_bytes, Some(64 * BLOCK));
    let full = (0..).find_map(|key| put(&namespace, key).err()).unwrap();
    assert_eq!(full.code, ErrorCode::DeviceFull);
    let disks = namespace.disks();
    assert_eq!(disks.iter().map(|disk| disk.capacity_bytes).collect::<Vec<_>>(), [16 * BLOCK, 48 * BLOCK]);
    assert!(disks.iter().all(|disk| disk.used_bytes <= disk.capacity_bytes && disk.used_bytes * 4 > disk.capacity_bytes * 3), "{disks:?}");
    namespace.sync().unwrap();
    drop(namespace);
    engine.close().unwrap();
    let lengths: Vec<u64> = place.files("a").iter().map(|file| file.metadata().unwrap().len()).collect();
    assert!(lengths[0] <= 16 * BLOCK && lengths[1] <= 48 * BLOCK, "{lengths:?}");
}

#[test]
fn only_what_is_allowed_and_not_in_use_is_taken() {
    let place = Place::new(2);
    let elsewhere = TempDir::new().unwrap();
    let inside = place.data.path().join("namespaces/x");
    let exact = elsewhere.path().join("exact");
    let engine = place.open_allowing(vec![place.folders[0].path().to_owned(), place.data.path().to_owned(), exact.clone()]);
    let one = |path: &Path| config("d", &[path.to_owned()], 0);
    let not_allowed = (ErrorCode::DeviceNotAllowed, "devices.0.path".to_owned());
    let invalid = (ErrorCode::ConfigInvalid, "devices.0.path".to_owned());
    let way_out = place.file(0, "way-out");
    symlink(elsewhere.path(), &way_out).unwrap();
    for path in
        [place.file(1, "a"), elsewhere.path().join("a"), inside, way_out.join("a"), way_out.clone(), "/dev/null".into(), "/none/a".into()]
    {
        assert_eq!(refused(&engine, one(&path)), not_allowed, "{path:?}");
    }
    let (there, nowhere, folder) = (place.file(0, "there"), place.file(0, "nowhere"), place.file(0, "folder"));
    fs::write(&there, "precious").unwrap();
    symlink(place.file(0, "not-there"), &nowhere).unwrap();
    fs::create_dir(&folder).unwrap();
    for path in [&there, &nowhere, &folder, &place.file(0, "missing/a")] {
        assert_eq!(refused(&engine, one(path)), invalid, "{path:?}");
    }
    assert_eq!(fs::read(&there).unwrap(), b"precious");

    let taken = place.file(0, "taken");
    engine.create_namespace(config("first", &[taken.clone(), exact], 0)).unwrap();
    let another_way = place.file(0, "another-way");
    symlink(place.folders[0].path(), &another_way).unwrap();
    for path in [taken, another_way.join("taken")] {
        assert_eq!(refused(&engine, one(&path)), invalid, "{path:?}");
    }
    let twice = config("d", &[place.file(0, "b"), another_way.join("b")], 0);
    assert_eq!(refused(&engine, twice), (ErrorCode::ConfigInvalid, "devices.1.path".to_owned()));
    // What was made before the second device was refused is gone again.
    assert!(!place.file(0, "b").exists());
    assert_eq!(engine.members().len(), 1);
}

#[test]
fn a_device_that_is_missing_or_another_fails_its_namespace_alone() {
    let place = Place::new(2);
    let engine = place.open();
    for name in ["d", "other", "kept"] {
        fill(&engine.create_namespace(config(name, &place.files(name), 0)).unwrap());
    }
    engine.close().unwrap();
    let files = place.files("d");
    let fails = |code: ErrorCode, says: &str| {
        let before: Vec<_> = files.iter().map(|file| fs::read(file).ok()).collect();
        let engine = place.open();
        let (state, error) = state(&engine, "d");
        let error = error.unwrap();
        assert_eq!((state, error.code), (NamespaceState::Failed, code));
        assert!(error.message.contains(says), "{error}");
        check(&engine.namespace("kept").unwrap());
        engine.close().unwrap();
        assert!(files.iter().map(|file| fs::read(file).ok()).eq(before), "nothing is written to a file that is refused");
    };
    let aside = place.file(0, "aside");

    let second = files[1].to_str().unwrap();
    let copy = |from: &Path, to: &Path| fs::copy(from, to).map(drop).unwrap();
    copy(&files[1], &aside);
    fs::remove_file(&files[1]).unwrap();
    fails(ErrorCode::DataFileMissing, second);

    copy(&place.file(1, "other"), &files[1]);
    fails(ErrorCode::DataFileForeign, "does not belong");

    copy(&files[0], &files[1]);
    copy(&aside, &files[0]);
    fails(ErrorCode::DataFileForeign, "is disk 2 of 2 of its namespace, expected disk 1 of 2");

    copy(&files[1], &files[0]);
    copy(&aside, &files[1]);
    let engine = place.open();
    check(&engine.namespace("d").unwrap());
    engine.close().unwrap();

    // A drop takes what is the namespace's own, and nothing else.
    fs::write(&files[1], "somebody else's").unwrap();
    let engine = place.open();
    engine.drop_namespace("d").unwrap();
    assert!(!files[0].exists() && fs::read(&files[1]).unwrap() == b"somebody else's");
}

#[test]
fn what_a_crash_left_of_a_namespace_is_swept() {
    let place = Place::new(2);
    let engine = place.open();
    fill(&engine.create_namespace(config("d", &place.files("d"), 0)).unwrap());
    engine.close().unwrap();
    let kept = ["devices", "namespace"].map(|name| place.data.path().join("namespaces/1").join(name));
    let kept = kept.map(|path| (fs::read(&path).unwrap(), path));
    let claim: serde_json::Value = serde_json::from_slice(&kept[0].0).unwrap();
    let mark = serde_json::to_vec(&serde_json::json!({ "number": 1, "id": claim["namespace_id"] })).unwrap();
    let head = [1, mark.len() as u32, crc32c::crc32c(&mark)].map(u32::to_le_bytes).concat();
    let records: Vec<_> = place.files("d").iter().map(|file| fs::read(file).unwrap()).collect();
    let engine = place.open();
    engine.drop_namespace("d").unwrap();
    engine.close().unwrap();

    // As if the process had died between the manifest and the files; and, of the second, before its header was written.
    fs::create_dir(place.data.path().join("namespaces/1")).unwrap();
    kept.iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
    fs::write(place.data.path().join("namespaces/1/discard"), [b"TESSERAD", &head[..], &mark[..]].concat()).unwrap();
    fs::write(&place.files("d")[0], &records[0]).unwrap();
    fs::write(&place.files("d")[1], "").unwrap();
    let engine = place.open();
    assert!(place.files("d").iter().all(|file| !file.exists()));
    fill(&engine.create_namespace(config("d", &place.files("d"), 0)).unwrap());
}

/// A file as a block device, for as long as this lives.
struct Loop(PathBuf);

impl Loop {
    /// `None`, and a line that says why, where the system gives none.
    fn new(file: &Path, bytes: u64) -> Option<Self> {
        fs::File::create(file).unwrap().set_len(bytes).unwrap();
        let made = Command::new("losetup").args(["--find", "--show"]).arg(file).output();
        match made {
            Ok(made) if made.status.success() => Some(Self(String::from_utf8(made.stdout).unwrap().trim().into())),
            Ok(made) => {
                println!("skipped: losetup says {}", String::from_utf8_lossy(&made.stderr).trim());
                None
            }
            Err(error) => {
                println!("skipped: losetup cannot be run: {error}");
                None
            }
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

#[test]
fn a_block_device_is_used_dropped_and_used_again() {
    let place = Place::new(1);
    let bytes = 8 * 1024 * 1024;
    let backing = TempDir::new().unwrap();
    let Some(device) = Loop::new(&backing.path().join("disk"), bytes) else { return };
    for (name, block) in [("first", BLOCK), ("second", BLOCK), ("third", 4 * BLOCK), ("fourth", BLOCK)] {
        let engine = place.open_allowing(vec![device.0.clone()]);
        let mut config = config(name, std::slice::from_ref(&device.0), 0);
        if let tessera_core::EngineConfig::Device(device) = &mut config.engine {
            device.write_block_bytes = block as u32;
        }
        let namespace = engine.create_namespace(config.clone()).unwrap();
        let disk = namespace.disks().remove(0);
        assert_eq!((disk.kind, disk.capacity_bytes), (FileKind::Device, bytes));
        let again = NamespaceConfig { name: "again".into(), ..config.clone() };
        assert_eq!(refused(&engine, again), (ErrorCode::ConfigInvalid, "devices.0.path".into()));
        // The fourth writes less than the others left.
        if name == "fourth" {
            (0..5).for_each(|key| put(&namespace, key).unwrap());
            namespace.sync().unwrap();
        } else {
            fill(&namespace);
        }
        drop(namespace);
        let before = engine.namespace(name).unwrap().size(None);
        engine.close().unwrap();
        let reopened = place.open();
        let namespace = reopened.namespace(name).unwrap();
        assert_eq!((namespace.size(None), namespace.recovery().damaged), (before, 0), "{name}: {:?}", namespace.recovery());
        drop(namespace);
        reopened.drop_namespace(name).unwrap();
        reopened.close().unwrap();
    }
    // One that is not blank is left alone.
    fs::write(&device.0, vec![1; 4096]).unwrap();
    let engine = place.open_allowing(vec![device.0.clone()]);
    assert_eq!(refused(&engine, config("d", std::slice::from_ref(&device.0), 0)), (ErrorCode::ConfigInvalid, "devices".into()));
    assert_eq!(fs::read(&device.0).unwrap()[..4096], [1; 4096]);
}
