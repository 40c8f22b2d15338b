//! Folders that the manifest does not list: an older manifest, strangers, and what a crash leaves.

use super::*;
use crate::config::ConfigPatch;
use crate::engine::NamespaceState;
use crate::{DeviceConfig, EngineOptions, Namespace, NamespaceConfig, PagedConfig, WriteOptions};
use std::sync::Arc;
use tempfile::TempDir;
use tessera_record::{BodyBuilder, KeyRef};

const RECORDS: i64 = 20;
const LONG: Duration = Duration::from_secs(60);

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn open(&self) -> Arc<Engine> {
        Engine::open(self.0.path(), EngineOptions::default()).unwrap()
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.0.path().join(NAMESPACES).join(name)
    }

    fn manifest(&self) -> Vec<u8> {
        fs::read(self.0.path().join("manifest")).unwrap()
    }

    fn restore(&self, manifest: &[u8]) {
        fs::write(self.0.path().join("manifest"), manifest).unwrap();
    }

    fn copy(&self, from: &str, to: &str) {
        fs::create_dir(self.folder(to)).unwrap();
        for entry in fs::read_dir(self.folder(from)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), self.folder(to).join(entry.file_name())).unwrap();
        }
    }
}

fn config(name: &str) -> NamespaceConfig {
    let device = DeviceConfig { write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
    NamespaceConfig { segments: 4, max_record_bytes: 8192, ..NamespaceConfig::device(name, device) }
}

fn put(namespace: &Namespace, set: &str) {
    for key in (0..RECORDS).map(KeyRef::Integer) {
        let mut body = vec![];
        BodyBuilder::new(&mut body, key).finish();
        namespace.put(set, key, &body, &WriteOptions::default()).unwrap();
    }
}

fn code<T>(result: Result<T>) -> Option<ErrorCode> {
    result.err().map(|error| error.code)
}

#[test]
fn a_namespace_that_an_older_manifest_does_not_know_stays_and_can_be_adopted() {
    let later = [config("later"), NamespaceConfig { segments: 4, ..NamespaceConfig::paged("later", PagedConfig::default()) }];
    for later in later {
        let place = Place::new();
        let engine = place.open();
        put(&engine.create_namespace(config("first")).unwrap(), "s");
        let older = place.manifest();
        let namespace = engine.create_namespace(later).unwrap();
        put(&namespace, "s");
        put(&namespace, "t");
        namespace.truncate(Some("t"), None).unwrap().wait_blocking(LONG);
        namespace.update(ConfigPatch { default_ttl_seconds: Some(77), ..ConfigPatch::default() }).unwrap();
        drop(namespace);
        engine.close().unwrap();

        place.restore(&older);
        let engine = place.open();
        assert_eq!((engine.namespaces().len(), engine.orphan_names()), (1, vec!["2".to_owned()]));
        // The number of a folder that is there is not given to another.
        engine.create_namespace(config("new")).unwrap();
        assert!(place.folder("3").exists());
        let orphan = engine.orphan("2").unwrap();
        let record = orphan.record.clone().unwrap();
        assert_eq!((record.config.name.as_str(), record.config.default_ttl_seconds, orphan.obstacle.as_ref()), ("later", 77, None));
        assert!(orphan.bytes > 0 && orphan.files > 1);
        assert_eq!(code(engine.adopt_orphan("2", Some("first".to_owned()))), Some(ErrorCode::NamespaceExists));
        assert_eq!(code(engine.adopt_orphan("2", Some("no/name".to_owned()))), Some(ErrorCode::NameInvalid));

        let member = engine.adopt_orphan("2", Some("found".to_owned())).unwrap();
        let namespace = member.open().unwrap();
        assert_eq!((namespace.size(Some("s")), namespace.size(Some("t"))), (RECORDS as u64, 0));
        assert!(engine.orphan_names().is_empty());
        drop(member);
        engine.close().unwrap();
        let engine = place.open();
        assert_eq!(engine.namespace("found").unwrap().size(None), RECORDS as u64);
        assert!(engine.orphans().unwrap().is_empty());
        engine.close().unwrap();
    }
}

#[test]
fn strangers_stay_until_someone_removes_them() {
    let place = Place::new();
    let engine = place.open();
    put(&engine.create_namespace(config("n")).unwrap(), "s");
    engine.close().unwrap();
    // A number, a name, a file, and a copy of what is listed.
    fs::create_dir_all(place.folder("99/deeper")).unwrap();
    fs::write(place.folder("99/deeper/work"), "of years").unwrap();
    fs::create_dir(place.folder("lost+found")).unwrap();
    fs::write(place.folder("77"), "in the way").unwrap();
    place.copy("1", "1-copy");

    let engine = place.open();
    let names = ["1-copy", "77", "99", "lost+found"].map(str::to_owned);
    assert_eq!(engine.orphan_names(), names);
    let orphans = engine.orphans().unwrap();
    assert_eq!(orphans.iter().map(|orphan| orphan.id.clone()).collect::<Vec<_>>(), names);
    assert_eq!((orphans[2].bytes, orphans[2].files, orphans[2].record.is_none()), (8, 1, true));
    assert!(orphans[0].obstacle.as_ref().unwrap().message.contains("a copy of the namespace \"n\""));
    for id in &names {
        assert_eq!(code(engine.adopt_orphan(id, None)), Some(ErrorCode::OrphanNotAdoptable), "{id}");
    }
    assert_eq!(code(engine.remove_orphan("1")), Some(ErrorCode::OrphanNotFound));
    assert_eq!(code(engine.remove_orphan("../../manifest")), Some(ErrorCode::OrphanNotFound));
    // No number of a folder that is there is used for another.
    engine.create_namespace(config("other")).unwrap();
    assert!(place.folder("100/namespace").exists());
    for id in &names {
        engine.remove_orphan(id).unwrap();
        assert!(fs::symlink_metadata(place.folder(id)).is_err(), "{id}");
    }
    assert_eq!(engine.namespace("n").unwrap().size(None), RECORDS as u64);
    engine.close().unwrap();
}

#[test]
fn a_start_removes_only_what_its_own_mark_gives_away() {
    let place = Place::new();
    let engine = place.open();
    let namespaces = ["stays", "dropped", "marked-by-another"].map(|name| engine.create_namespace(config(name)).unwrap());
    namespaces.iter().for_each(|namespace| put(namespace, "s"));
    drop(namespaces);
    let records = engine.host.manifest.read().namespaces;
    engine.close().unwrap();
    // The crash came before the manifest forgot the first, after it forgot the second, and while a folder was being made.
    folder::mark_discarded(&place.folder("1"), &records[0]).unwrap();
    folder::mark_discarded(&place.folder("2"), &records[1]).unwrap();
    let other = NamespaceRecord { id: [7; 16], ..records[2].clone() };
    folder::mark_discarded(&place.folder("3"), &other).unwrap();
    fs::create_dir(place.folder("4")).unwrap();
    folder::mark_discarded(&place.folder("4"), &NamespaceRecord { number: 4, ..other }).unwrap();
    let manifest = Manifest { next: 4, namespaces: vec![records[0].clone()], ..Manifest::default() };
    place.restore(&manifest.encode().unwrap());

    let engine = place.open();
    assert_eq!(engine.orphan_names(), ["3"]);
    assert!(!place.folder("2").exists() && !place.folder("4").exists());
    assert_eq!(engine.namespace("stays").unwrap().size(None), RECORDS as u64);
    assert!(folder::discarded(&place.folder("1"), 1).is_none());
    let member = engine.adopt_orphan("3", None).unwrap();
    assert_eq!(member.state().0, NamespaceState::Ready);
    assert_eq!(member.open().unwrap().size(None), RECORDS as u64);
    drop(member);
    engine.close().unwrap();
}

#[test]
fn an_older_manifest_learns_from_the_folder_what_changed_since() {
    let place = Place::new();
    let engine = place.open();
    let namespace = engine.create_namespace(config("n")).unwrap();
    put(&namespace, "s");
    put(&namespace, "t");
    let older = place.manifest();
    namespace.truncate(Some("t"), None).unwrap().wait_blocking(LONG);
    namespace.update(ConfigPatch { default_ttl_seconds: Some(77), ..ConfigPatch::default() }).unwrap();
    drop(namespace);
    engine.close().unwrap();
    place.restore(&older);
    // A start that reads all records, truncated ones too.
    fs::remove_file(place.folder("1/index.tss")).unwrap();
    let engine = place.open();
    let namespace = engine.namespace("n").unwrap();
    assert_eq!(namespace.config().default_ttl_seconds, 77);
    assert_eq!((namespace.size(Some("s")), namespace.size(Some("t"))), (RECORDS as u64, 0));
    drop(namespace);
    engine.close().unwrap();
}
