//! Dropped namespaces: restored, held over a restart, and gone when their time is up.

use super::*;
use crate::engine::NamespaceState;
use crate::manifest::NAMESPACES;
use crate::{DeviceConfig, EngineOptions, NamespaceConfig, PagedConfig, WriteOptions};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use tessera_base::wait_until;
use tessera_index::{IndexKind, IndexSpec, IndexState};
use tessera_record::{BodyBuilder, Encoder, KeyRef, Value};

const RECORDS: i64 = 20;
const LONG: Duration = Duration::from_secs(600);

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn open(&self, undo: Duration) -> Arc<Engine> {
        let device_paths = vec![self.0.path().join("disks")];
        fs::create_dir_all(&device_paths[0]).unwrap();
        Engine::open(&self.0.path().join("data"), EngineOptions { undo, device_paths, ..EngineOptions::default() }).unwrap()
    }

    fn folder(&self, id: u64) -> PathBuf {
        self.0.path().join("data").join(NAMESPACES).join(id.to_string())
    }

    fn disk(&self) -> PathBuf {
        self.0.path().join("disks/d0")
    }
}

fn memory() -> NamespaceConfig {
    NamespaceConfig { segments: 4, ..NamespaceConfig::memory("n") }
}

fn device() -> NamespaceConfig {
    let device = DeviceConfig { write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
    NamespaceConfig { segments: 4, max_record_bytes: 8192, ..NamespaceConfig::device("n", device) }
}

fn on_disk() -> [NamespaceConfig; 2] {
    [device(), NamespaceConfig { segments: 4, ..NamespaceConfig::paged("n", PagedConfig::default()) }]
}

fn put(namespace: &Namespace, keys: std::ops::Range<i64>) {
    for key in keys {
        let mut body = vec![];
        let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
        let value = |encoder: &mut Encoder<'_>| {
            encoder.value(&Value::Int(key));
            Ok(())
        };
        builder.bin("n", value).unwrap();
        builder.finish();
        namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
    }
}

fn code<T>(result: Result<T>) -> Option<ErrorCode> {
    result.err().map(|error| error.code)
}

#[test]
fn a_dropped_namespace_comes_back_whole_and_its_name_is_free_meanwhile() {
    for config in [memory()].into_iter().chain(on_disk()) {
        let place = Place::new();
        let engine = place.open(LONG);
        let namespace = engine.create_namespace(config.clone()).unwrap();
        put(&namespace, 0..RECORDS);
        let (name, bin, kind) = ("i".to_owned(), Some("n".to_owned()), IndexKind::Range);
        let spec = IndexSpec { name, set: None, bin, kind, path: None, created_at_ms: 0 };
        namespace.create_index(spec, 1).unwrap().wait_blocking(LONG);
        drop(namespace);
        let dropped = engine.set_aside("n").unwrap().unwrap();
        assert_eq!((dropped.name(), dropped.records), ("n", Some(RECORDS as u64)));
        assert_eq!(dropped.kept.until_ms - dropped.kept.dropped_at_ms, LONG.as_millis() as u64);
        assert_eq!(dropped.memory_bytes > 0, dropped.kept.disk_bytes == 0);
        assert_eq!(code(engine.namespace("n")), Some(ErrorCode::NamespaceNotFound));

        let other = engine.create_namespace(config).unwrap();
        put(&other, 0..3);
        assert_eq!(code(engine.restore_dropped(dropped.id(), None)), Some(ErrorCode::NamespaceExists));
        engine.drop_namespace("n").unwrap();
        assert!(engine.orphans().unwrap().is_empty());
        let member = engine.restore_dropped(dropped.id(), None).unwrap();
        let namespace = member.open().unwrap();
        assert_eq!((namespace.size(None), namespace.index("i").unwrap().state), (RECORDS as u64, IndexState::Ready));
        put(namespace, RECORDS..RECORDS + 1);
        assert!(engine.dropped().unwrap().is_empty());
        assert_eq!(code(engine.restore_dropped(dropped.id(), None)), Some(ErrorCode::DroppedNotFound));
        drop(member);
        engine.close().unwrap();
    }
}

#[test]
fn a_restart_keeps_what_was_dropped_and_its_time() {
    for config in on_disk() {
        let place = Place::new();
        let engine = place.open(LONG);
        put(&engine.create_namespace(config).unwrap(), 0..RECORDS);
        let dropped = engine.set_aside("n").unwrap().unwrap();
        engine.close().unwrap();

        let engine = place.open(Duration::ZERO);
        assert_eq!((engine.members().len(), engine.orphan_names().len()), (0, 0));
        let again = engine.dropped_one(dropped.id()).unwrap();
        assert_eq!((again.kept.until_ms, again.records), (dropped.kept.until_ms, Some(RECORDS as u64)));
        assert_eq!(code(engine.restore_dropped(dropped.id(), Some("no/name".to_owned()))), Some(ErrorCode::NameInvalid));
        let member = engine.restore_dropped(dropped.id(), Some("back".to_owned())).unwrap();
        assert_eq!(member.open().unwrap().size(None), RECORDS as u64);
        drop(member);
        engine.close().unwrap();
        let engine = place.open(LONG);
        assert_eq!(engine.namespace("back").unwrap().size(None), RECORDS as u64);
        engine.close().unwrap();
    }
}

#[test]
fn memory_keeps_its_name_and_its_settings_but_no_records_over_a_restart() {
    let place = Place::new();
    let engine = place.open(LONG);
    put(&engine.create_namespace(NamespaceConfig { default_ttl_seconds: 77, ..memory() }).unwrap(), 0..RECORDS);
    let id = engine.set_aside("n").unwrap().unwrap().id();
    assert_eq!(engine.memory().total(), engine.dropped_one(id).unwrap().memory_bytes);
    assert_eq!(code(engine.restore_dropped(id, Some("m".to_owned()))), Some(ErrorCode::CapabilityUnsupported));
    engine.close().unwrap();
    let engine = place.open(LONG);
    let dropped = engine.dropped_one(id).unwrap();
    assert_eq!((dropped.records, dropped.memory_bytes), (Some(0), 0));
    let member = engine.restore_dropped(id, Some("m".to_owned())).unwrap();
    let namespace = member.open().unwrap();
    assert_eq!((namespace.size(None), namespace.config().default_ttl_seconds), (0, 77));
    engine.close().unwrap();
}

#[test]
fn what_is_written_through_an_open_handle_is_refused_or_comes_back() {
    for config in [memory()].into_iter().chain(on_disk()) {
        let place = Place::new();
        let engine = place.open(LONG);
        let stays = matches!(config.engine, EngineConfig::Memory);
        let namespace = engine.create_namespace(config).unwrap();
        put(&namespace, 0..RECORDS);
        let id = engine.set_aside("n").unwrap().unwrap().id();
        let mut body = vec![];
        BodyBuilder::new(&mut body, KeyRef::Integer(-1)).finish();
        let written = namespace.put("s", KeyRef::Integer(-1), &body, &WriteOptions::default());
        assert_eq!(written.as_ref().err().map(|error| error.code), (!stays).then_some(ErrorCode::Closed));
        drop(namespace);
        let member = engine.restore_dropped(id, None).unwrap();
        assert_eq!(member.open().unwrap().size(None), RECORDS as u64 + u64::from(stays));
        drop(member);
        engine.close().unwrap();
    }
}

#[test]
fn it_goes_for_good_when_its_time_is_up_or_somebody_says_so() {
    for config in [memory()].into_iter().chain(on_disk()) {
        let place = Place::new();
        let engine = place.open(LONG);
        engine.create_namespace(config.clone()).unwrap();
        let id = engine.set_aside("n").unwrap().unwrap().id();
        assert!(place.folder(id).exists());
        engine.remove_dropped(id).unwrap();
        assert!(!place.folder(id).exists() && engine.dropped().unwrap().is_empty());
        assert_eq!(code(engine.remove_dropped(id)), Some(ErrorCode::DroppedNotFound));
        engine.close().unwrap();

        let engine = place.open(Duration::from_millis(1));
        engine.create_namespace(config).unwrap();
        let id = engine.set_aside("n").unwrap().unwrap().id();
        // The process may end before; then the next one goes on.
        engine.close().unwrap();
        let engine = place.open(LONG);
        wait_until(|| !place.folder(id).exists());
        assert!(engine.dropped().unwrap().is_empty() && engine.orphans().unwrap().is_empty());
        assert_eq!(engine.memory().total(), 0);
        engine.close().unwrap();
    }
}

#[test]
fn without_a_time_to_undo_a_drop_is_for_good() {
    let place = Place::new();
    let engine = place.open(Duration::ZERO);
    engine.create_namespace(device()).unwrap();
    assert!(engine.set_aside("n").unwrap().is_none());
    assert!(!place.folder(1).exists() && engine.dropped().unwrap().is_empty());
    engine.close().unwrap();
}

#[test]
fn a_held_device_is_refused_until_the_drop_is_given_up() {
    let place = Place::new();
    let engine = place.open(LONG);
    let disk = crate::config::DeviceFile { path: place.disk().to_string_lossy().into_owned(), capacity_bytes: 16 << 20 };
    let mut config = device();
    let EngineConfig::Device(device) = &mut config.engine else { unreachable!("it was made as one") };
    device.devices = vec![disk];
    put(&engine.create_namespace(config.clone()).unwrap(), 0..RECORDS);
    let id = engine.set_aside("n").unwrap().unwrap().id();
    let refused = engine.create_namespace(config.clone()).err().unwrap();
    assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::DeviceHeld, Some("devices.0.path")));
    let member = engine.restore_dropped(id, None).unwrap();
    assert_eq!(member.open().unwrap().size(None), RECORDS as u64);
    drop(member);
    let id = engine.set_aside("n").unwrap().unwrap().id();
    engine.remove_dropped(id).unwrap();
    assert!(!place.disk().exists());
    engine.create_namespace(config).unwrap();
    engine.close().unwrap();
}

#[test]
fn one_that_failed_is_held_as_it_is() {
    let place = Place::new();
    let engine = place.open(LONG);
    engine.create_namespace(device()).unwrap();
    engine.close().unwrap();
    let data = fs::read_dir(place.folder(1)).unwrap().map(|entry| entry.unwrap().path());
    let data = data.max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    let away = place.0.path().join("away");
    fs::rename(&data, &away).unwrap();
    let engine = place.open(LONG);
    assert_eq!(engine.member("n").unwrap().state().0, NamespaceState::Failed);
    let dropped = engine.set_aside("n").unwrap().unwrap();
    assert_eq!(dropped.records, None);
    fs::rename(&away, &data).unwrap();
    assert_eq!(engine.restore_dropped(dropped.id(), None).unwrap().state().0, NamespaceState::Ready);
    engine.close().unwrap();
}

#[test]
fn a_folder_that_took_the_place_of_a_dropped_one_stays() {
    let place = Place::new();
    let engine = place.open(LONG);
    engine.create_namespace(device()).unwrap();
    let id = engine.set_aside("n").unwrap().unwrap().id();
    fs::rename(place.folder(id), place.0.path().join("away")).unwrap();
    fs::create_dir(place.folder(id)).unwrap();
    fs::write(place.folder(id).join("work"), "of years").unwrap();
    engine.remove_dropped(id).unwrap();
    assert_eq!(fs::read(place.folder(id).join("work")).unwrap(), b"of years");
    assert_eq!(engine.orphans().unwrap().len(), 1);
    engine.close().unwrap();
}

#[test]
fn more_than_so_many_are_not_held_and_the_next_stays() {
    let place = Place::new();
    let engine = place.open(LONG);
    engine.create_namespace(memory()).unwrap();
    let kept = engine.set_aside("n").unwrap().unwrap().kept;
    let list = |manifest: &mut crate::manifest::Manifest| {
        manifest.dropped = vec![kept.clone(); limits::DROPPED];
        Ok(())
    };
    engine.host.manifest.update(list).unwrap();
    put(&engine.create_namespace(memory()).unwrap(), 0..1);
    assert_eq!(code(engine.set_aside("n")), Some(ErrorCode::DroppedLimit));
    assert_eq!(engine.namespace("n").unwrap().size(None), 1);
    engine.drop_namespace("n").unwrap();
    engine.close().unwrap();
}
