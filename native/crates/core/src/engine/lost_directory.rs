//! A data directory that goes, is replaced, or takes no writes while namespaces are open.

use crate::scan::ScanSpec;
use crate::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, WriteOptions};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::{ErrorCode, Result, wait_until};
use tessera_record::{BodyBuilder, KeyRef};

fn put(namespace: &Namespace, key: i64) -> Result<()> {
    let mut body = Vec::new();
    BodyBuilder::new(&mut body, KeyRef::Integer(key)).finish();
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).map(drop)
}

fn is_there(namespace: &Namespace, key: i64) -> bool {
    namespace.get("s", KeyRef::Integer(key), &mut Vec::new()).unwrap().is_some()
}

struct Rig {
    parent: tempfile::TempDir,
    engine: Arc<Engine>,
}

impl Rig {
    /// One namespace on each engine, with a record.
    fn new() -> Self {
        let parent = tempfile::tempdir().unwrap();
        let engine = Engine::open(&parent.path().join("data"), EngineOptions::default()).unwrap();
        let configs = [
            NamespaceConfig::memory("memory"),
            NamespaceConfig::device("device", DeviceConfig::default()),
            NamespaceConfig::paged("paged", PagedConfig::default()),
        ];
        for config in configs {
            let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..config }).unwrap();
            put(&namespace, 1).unwrap();
        }
        Self { parent, engine }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.parent.path().join(name)
    }

    fn namespace(&self, name: &str) -> Arc<Namespace> {
        self.engine.namespace(name).unwrap()
    }

    /// Waits until both namespaces on disk refuse writes; reads and writes in memory go on.
    fn refuses(&self, why: &str) {
        for name in ["device", "paged"] {
            let namespace = self.namespace(name);
            wait_until(|| namespace.device_failure().is_some());
            let refused = [put(&namespace, 2), namespace.delete("s", KeyRef::Integer(1), None).map(drop)];
            for refused in refused {
                let refused = refused.unwrap_err();
                assert_eq!(refused.code, ErrorCode::DataDirectoryUnavailable);
                assert!(refused.message.contains(why) && refused.retryable(), "{}", refused.message);
            }
            assert!(is_there(&namespace, 1) && !is_there(&namespace, 2));
        }
        put(&self.namespace("memory"), 2).unwrap();
        let changed = self.namespace("memory").update(crate::config::ConfigPatch { default_ttl_seconds: Some(9), ..Default::default() });
        assert_eq!(changed.unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
        assert_eq!(self.namespace("memory").config().default_ttl_seconds, 0, "what is refused is not applied");
        let created = self.engine.create_namespace(NamespaceConfig::memory("other")).err().unwrap();
        assert_eq!(created.code, ErrorCode::DataDirectoryUnavailable);
        assert!(self.engine.directory_failure().unwrap().message.contains(why));
        assert_eq!(self.engine.notices().len(), 2, "each namespace on disk says so");
    }

    fn works(&self) {
        for name in ["device", "paged", "memory"] {
            let namespace = self.namespace(name);
            wait_until(|| namespace.device_failure().is_none());
            put(&namespace, 3).unwrap();
            assert!(is_there(&namespace, 1) && is_there(&namespace, 3));
        }
        assert!(self.engine.notices().is_empty() && self.engine.directory_failure().is_none());
    }
}

#[test]
fn a_directory_that_goes_refuses_writes_until_it_is_back() {
    for gone in ["data", "data/namespaces"] {
        let rig = Rig::new();
        fs::rename(rig.path(gone), rig.path("away")).unwrap();
        rig.refuses("no longer exists");
        assert!(!rig.path(gone).exists(), "nothing made it anew");
        fs::rename(rig.path("away"), rig.path(gone)).unwrap();
        rig.works();
    }
}

#[test]
fn nothing_is_written_into_a_directory_that_replaced_ours() {
    let rig = Rig::new();
    fs::rename(rig.path("data"), rig.path("away")).unwrap();
    fs::create_dir_all(rig.path("data").join("namespaces/2")).unwrap();
    // Before the watch has looked, too.
    let created = rig.engine.create_namespace(NamespaceConfig::memory("other")).err().unwrap();
    assert_eq!(created.code, ErrorCode::DataDirectoryUnavailable);
    assert_eq!(rig.engine.drop_namespace("device").unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    rig.refuses("was replaced");
    // A job that ends now finds no place in the log.
    drop(rig.namespace("memory").scan(ScanSpec::default()).unwrap());
    assert!(rig.engine.close().is_err(), "what could not be kept is said");
    let files = |name| fs::read_dir(rig.path(name)).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(["data", "data/namespaces", "data/namespaces/2"].map(files), [vec!["namespaces"], vec!["2"], vec![]]);
}

#[test]
fn a_file_system_that_is_remounted_read_only_refuses_writes_until_it_is_not() {
    let rig = Rig::new();
    let directory = rig.engine.watch().directory().clone();
    for (says, words) in [(&directory.read_only, "is mounted read-only"), (&directory.refuses_writes, "an error made read-only")] {
        says.store(true, Ordering::Release);
        rig.refuses(words);
        says.store(false, Ordering::Release);
        rig.works();
    }
}

#[test]
fn a_namespace_whose_folder_or_file_is_another_refuses_writes_alone() {
    let rig = Rig::new();
    let device = rig.namespace("device");
    for name in ["data/namespaces/2", "data/namespaces/2/data.tsr"] {
        fs::rename(rig.path(name), rig.path("away")).unwrap();
        wait_until(|| put(&device, 2).is_err_and(|error| error.code == ErrorCode::DataDirectoryUnavailable));
        put(&rig.namespace("paged"), 2).unwrap();
        assert!(rig.engine.directory_failure().is_none());
        fs::rename(rig.path("away"), rig.path(name)).unwrap();
        wait_until(|| put(&device, 2).is_ok());
    }
    // A folder of somebody else's must not go with the namespace.
    fs::rename(rig.path("data/namespaces/2"), rig.path("away")).unwrap();
    fs::create_dir(rig.path("data/namespaces/2")).unwrap();
    fs::write(rig.path("data/namespaces/2/letter"), "").unwrap();
    assert_eq!(rig.engine.drop_namespace("device").unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    assert_eq!(fs::read_dir(rig.path("data/namespaces/2")).unwrap().count(), 1);
}
