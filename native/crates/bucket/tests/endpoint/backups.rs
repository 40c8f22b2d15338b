//! Backups in a bucket: made, built on, verified, restored, resumed, damaged, removed.

use crate::fake::{Endpoint, Fault};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tessera_base::{ErrorCode, wait_until};
use tessera_core::backup::{BackupSpec, BackupState, Bucket, Place};
use tessera_core::config::PagedConfig;
use tessera_core::engine::RestoreSpec;
use tessera_core::iterate::{Batch, IterateSpec};
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_jobs::{Job, JobInfo, JobState};
use tessera_record::{BodyBuilder, Digest, KeyRef};

const LONG: Duration = Duration::from_secs(120);
const FIRST: &str = "20260101T000000Z-00000001";
const SECOND: &str = "20260101T000001Z-00000002";

struct Rig {
    directory: tempfile::TempDir,
    endpoint: Endpoint,
    engine: Arc<Engine>,
    place: Place,
}

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(&directory.join("data"), EngineOptions::default()).unwrap()
}

impl Rig {
    /// With a namespace `n`, whose records survive a restart.
    fn new() -> Self {
        let (directory, endpoint) = (tempfile::tempdir().unwrap(), Endpoint::start());
        let engine = open(directory.path());
        let place = Self::place(&endpoint, directory.path(), endpoint.bucket());
        let paged = PagedConfig { capacity_bytes: 64 << 20, ..PagedConfig::default() };
        let config = NamespaceConfig { segments: 8, ..NamespaceConfig::paged("n", paged) };
        fill(&engine.create_namespace(config).unwrap(), 0..300, 1);
        Self { directory, endpoint, engine, place }
    }

    fn place(_: &Endpoint, directory: &Path, objects: tessera_bucket::S3Bucket) -> Place {
        Place::Bucket(Bucket { name: "t".into(), objects: Arc::new(objects), scratch: directory.join("scratch") })
    }

    fn namespace(&self, name: &str) -> Arc<Namespace> {
        self.engine.namespace(name).unwrap()
    }

    fn back_up(&self, id: &str, base: Option<&str>) -> JobInfo {
        let spec = BackupSpec { id: id.into(), base: base.map(Into::into), threads: 2, records_per_second: None };
        ended(&self.engine.backup(&self.place, "n", &spec).unwrap())
    }

    fn restore(&self, id: &str, name: &str, config: Option<NamespaceConfig>) -> JobInfo {
        let spec = RestoreSpec { name: name.into(), config, merge: false, threads: 2, records_per_second: None };
        ended(&self.engine.restore_backup(&self.place, id, &spec).unwrap())
    }

    fn state(&self, id: &str) -> BackupState {
        self.engine.backup_info(&self.place, id).unwrap().state
    }

    fn keys(&self) -> Vec<String> {
        self.endpoint.objects(|objects| objects.keys().cloned().collect())
    }
}

fn ended(job: &Arc<Job>) -> JobInfo {
    job.wait_blocking(LONG)
}

fn done(job: &JobInfo) {
    assert_eq!(job.state, JobState::Done, "{:?}", job.error);
}

fn failed(job: &JobInfo, code: ErrorCode) {
    let found = job.error.as_ref().map(|error| error.code.as_str());
    assert_eq!((job.state, found), (JobState::Failed, Some(code.as_str())), "{:?}", job.error);
}

fn fill(namespace: &Namespace, keys: std::ops::Range<i64>, value: i64) {
    for key in keys {
        let mut body = Vec::new();
        let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
        let bin = builder.bin("v", |out| {
            out.int(value);
            Ok(())
        });
        bin.unwrap();
        builder.finish();
        let options = WriteOptions { defer_sync: true, ..WriteOptions::default() };
        namespace.put("s", KeyRef::Integer(key), &body, &options).unwrap();
    }
}

fn contents(namespace: &Namespace) -> Vec<(Digest, Vec<u8>)> {
    let (mut iteration, mut batch, mut found) = (namespace.iterate(&IterateSpec::default()).unwrap(), Batch::default(), Vec::new());
    while iteration.next(&mut batch).unwrap() {
        found.extend(batch.entries().map(|entry| (entry.digest, entry.body.to_vec())));
    }
    found.sort_by_key(|(digest, _)| *digest);
    found
}

#[test]
fn a_chain_in_a_bucket_is_restored_into_another_engine() {
    let rig = Rig::new();
    let first = contents(&rig.namespace("n"));
    done(&rig.back_up(FIRST, None));
    fill(&rig.namespace("n"), 200..320, 2);
    let second = contents(&rig.namespace("n"));
    done(&rig.back_up(SECOND, Some(FIRST)));
    let listed = rig.engine.backups(&rig.place).unwrap();
    assert_eq!(listed.iter().map(|info| info.id.as_str()).collect::<Vec<_>>(), [FIRST, SECOND]);
    assert_eq!((listed[1].bodies, listed[1].records), (Some(120), Some(320)));
    done(&ended(&rig.engine.verify_backup(&rig.place, SECOND, 2).unwrap()));
    for (id, name, expected) in [(FIRST, "f", &first), (SECOND, "g", &second)] {
        done(&rig.restore(id, name, Some(NamespaceConfig::memory(name))));
        assert!(contents(&rig.namespace(name)) == *expected, "{id}");
    }
    assert_eq!(rig.engine.remove_backup(&rig.place, FIRST).unwrap_err().code, ErrorCode::BackupInUse);
    rig.engine.remove_backup(&rig.place, SECOND).unwrap();
    rig.engine.remove_backup(&rig.place, FIRST).unwrap();
    assert_eq!(rig.keys(), Vec::<String>::new());
    assert_eq!(rig.engine.remove_backup(&rig.place, FIRST).unwrap_err().code, ErrorCode::BackupNotFound);
    assert_eq!(std::fs::read_dir(rig.directory.path().join("scratch")).unwrap().count(), 0);
}

#[test]
fn damage_of_any_object_is_noticed_and_nothing_is_restored() {
    let rig = Rig::new();
    done(&rig.back_up(FIRST, None));
    for key in rig.keys() {
        let whole = rig.endpoint.objects(|objects| objects[&key].clone());
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        for damaged in [None, Some(whole[..whole.len() - 1].to_vec()), Some(changed), Some(Vec::new())] {
            rig.endpoint.objects(|objects| match damaged {
                None => objects.remove(&key),
                Some(bytes) => objects.insert(key.clone(), bytes),
            });
            let spec = RestoreSpec { name: "r".into(), config: None, merge: false, threads: 2, records_per_second: None };
            let code = match rig.engine.restore_backup(&rig.place, FIRST, &spec) {
                Ok(job) => ended(&job).error.unwrap().code.as_str().to_owned(),
                Err(error) => error.code.as_str().to_owned(),
            };
            let unfinished = key.ends_with("manifest.json") && code == "backup_unfinished";
            assert!(code == "backup_damaged" || unfinished, "{key}: {code}");
            assert_eq!(rig.engine.namespace("r").err().unwrap().code, ErrorCode::NamespaceNotFound);
        }
        rig.endpoint.objects(|objects| objects.insert(key, whole));
    }
    done(&rig.restore(FIRST, "r", None));
}

#[test]
fn a_backup_goes_on_when_the_endpoint_is_back() {
    let rig = Rig::new();
    rig.endpoint.faulty(|asked| asked.key.ends_with("manifest.json").then_some(Fault::HangsUp));
    failed(&rig.back_up(FIRST, None), ErrorCode::BackupTargetUnavailable);
    rig.endpoint.good();
    assert_eq!(rig.state(FIRST), BackupState::Unfinished);
    // Not one part that is there is sent again, also after a restart.
    rig.engine.close().unwrap();
    let rig = Rig { engine: open(rig.directory.path()), ..rig };
    let sent = Arc::new(AtomicBool::new(false));
    let seen = sent.clone();
    rig.endpoint.faulty(move |asked| {
        seen.fetch_or(asked.method == "PUT" && asked.key.ends_with(".part"), Ordering::SeqCst);
        None
    });
    done(&ended(&rig.engine.resume_backup(&rig.place, FIRST, 1, None).unwrap()));
    assert_eq!((sent.load(Ordering::SeqCst), rig.state(FIRST)), (false, BackupState::Complete));
    done(&rig.restore(FIRST, "r", None));
    assert!(contents(&rig.namespace("r")) == contents(&rig.namespace("n")));
}

#[test]
fn an_endpoint_that_stores_other_bytes_makes_no_backup() {
    for fault in [Fault::StoresOther, Fault::Forgets, Fault::OtherByte] {
        for file in ["plan.json", ".part", "manifest.json"] {
            let rig = Rig::new();
            let wrong = fault.clone();
            let reads = matches!(fault, Fault::OtherByte);
            rig.endpoint.faulty(move |asked| {
                let mine = asked.key.ends_with(file) && (asked.method == if reads { "GET" } else { "PUT" });
                mine.then(|| wrong.clone())
            });
            let spec = BackupSpec { id: FIRST.into(), base: None, threads: 2, records_per_second: None };
            match rig.engine.backup(&rig.place, "n", &spec) {
                Ok(job) => failed(&ended(&job), ErrorCode::BackupTargetRefused),
                // Its plan is written before the job is answered.
                Err(error) => assert_eq!((error.code, file), (ErrorCode::BackupTargetRefused, "plan.json")),
            }
        }
    }
}

#[test]
fn an_aborted_backup_ends_while_its_endpoint_says_nothing() {
    let rig = Rig::new();
    let place = Rig::place(&rig.endpoint, rig.directory.path(), rig.endpoint.patient_bucket());
    let stuck = Arc::new(AtomicBool::new(false));
    let seen = stuck.clone();
    rig.endpoint.faulty(move |asked| {
        let part = asked.method == "PUT" && asked.key.ends_with(".part");
        seen.fetch_or(part, Ordering::SeqCst);
        part.then_some(Fault::Silent)
    });
    let spec = BackupSpec { id: FIRST.into(), base: None, threads: 2, records_per_second: None };
    let job = rig.engine.backup(&place, "n", &spec).unwrap();
    wait_until(|| stuck.load(Ordering::SeqCst));
    job.abort().unwrap();
    assert_eq!(ended(&job).state, JobState::Aborted);
    rig.endpoint.good();
    assert_eq!(rig.state(FIRST), BackupState::Unfinished);
    rig.engine.remove_backup(&rig.place, FIRST).unwrap();
    assert_eq!(rig.keys(), Vec::<String>::new());
}
