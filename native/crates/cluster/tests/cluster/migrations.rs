//! A namespace that goes from this machine to a real cluster and back, under load, with another server beside it.

use crate::rig::{self, Opened, connect, key, n, value, whose};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use tessera_base::{Error, ErrorCode, wait_until};
use tessera_cluster::{Clusters, Records};
use tessera_core::config::DeviceConfig;
use tessera_core::engine::{MigrationPhase, MigrationTarget};
use tessera_core::store::remote::{Origin, Remote, RemoteIndexState};
use tessera_core::{Engine, EngineConfig, EngineOptions, Namespace, NamespaceConfig, WriteOptions};

fn open(directory: &Path) -> Arc<Engine> {
    let file = directory.join("clusters.json");
    std::fs::write(&file, format!("{{\"test\":{{\"contactPoints\":{:?}}}}}", rig::points())).unwrap();
    let options = EngineOptions { remotes: Some(Arc::new(Clusters { file: Some(file) })), ..EngineOptions::default() };
    let engine = Engine::open(&directory.join("data"), options).unwrap();
    engine.settle();
    engine
}

fn put(namespace: &Namespace, number: i64, value: i64) -> Result<(), Error> {
    namespace.put("s", key(number), &n(number, value), &WriteOptions::default()).map(drop)
}

fn get(namespace: &Namespace, number: i64) -> Option<i64> {
    let mut body = vec![];
    namespace.get("s", key(number), &mut body).unwrap().map(|_| value(&body))
}

/// Waits until both stores hold the same.
fn doubled(engine: &Engine) {
    let info = || engine.migration("moved").unwrap().unwrap();
    wait_until(|| matches!(info().phase, MigrationPhase::Doubled | MigrationPhase::Failed));
    let (job, failure) = (info().job.unwrap(), info().failure);
    wait_until(|| engine.jobs().info(&job).unwrap().state.ended());
    assert_eq!((engine.jobs().info(&job).unwrap().error, failure), (None, None));
}

/// What writers know of each record.
struct Load {
    last: Vec<AtomicI64>,
    over: AtomicBool,
}

const KEYS: i64 = 600;
const WRITERS: i64 = 4;

impl Load {
    fn new() -> Self {
        Self { last: (0..KEYS).map(|_| AtomicI64::new(-1)).collect(), over: AtomicBool::new(false) }
    }

    /// Writes and removes records, each by one writer, while `work` goes on.
    fn beside(&self, namespace: &Namespace, round: i64, work: impl FnOnce()) {
        self.over.store(false, Ordering::SeqCst);
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                scope.spawn(move || {
                    for turn in 0.. {
                        for number in (writer..KEYS).step_by(WRITERS as usize) {
                            if self.over.load(Ordering::SeqCst) {
                                return;
                            }
                            let next = round * 1000 + turn;
                            if (number + turn) % 6 == 0 {
                                namespace.delete("s", key(number), None).unwrap();
                                self.last[number as usize].store(-1, Ordering::SeqCst);
                            } else {
                                put(namespace, number, next).unwrap();
                                self.last[number as usize].store(next, Ordering::SeqCst);
                            }
                        }
                    }
                });
            }
            work();
            self.over.store(true, Ordering::SeqCst);
        });
    }

    fn check(&self, namespace: &Namespace) {
        let wanted: BTreeMap<i64, i64> = (0..).zip(&self.last).map(|(number, last)| (number, last.load(Ordering::SeqCst))).collect();
        let found: BTreeMap<i64, i64> = (0..KEYS).map(|number| (number, get(namespace, number).unwrap_or(-1))).collect();
        assert_eq!(found, wanted);
    }
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_namespace_goes_to_a_cluster_and_back_under_load_and_over_restarts() {
    Records::drop_namespace(&connect(), "moved").unwrap();
    let (directory, load) = (tempfile::tempdir().unwrap(), Load::new());
    let engine = open(directory.path());
    let device = EngineConfig::Device(DeviceConfig { capacity_bytes: 64 << 20, ..DeviceConfig::default() });
    let mut config = NamespaceConfig::device("moved", DeviceConfig { capacity_bytes: 64 << 20, ..DeviceConfig::default() });
    config.segments = 4;
    let namespace = engine.create_namespace(config).unwrap();
    (0..KEYS).for_each(|number| put(&namespace, number, 0).unwrap());
    (0..KEYS as usize).for_each(|number| load.last[number].store(0, Ordering::SeqCst));
    let spec = serde_json::from_str(r#"{"name":"n","set":"s","bin":"n","kind":"range","path":null}"#).unwrap();
    let built = namespace.create_index(spec, 1).unwrap();
    wait_until(|| built.info().state.ended());

    let cassandra = EngineConfig::Cassandra(rig::config());
    let job = engine.migrate("moved", &MigrationTarget { engine: Some(cassandra), ..MigrationTarget::default() }).unwrap();
    load.beside(&namespace, 1, || {
        // One that has failed fills another copy.
        wait_until(|| job.done() > 0);
        job.abort().unwrap();
        wait_until(|| engine.migration("moved").unwrap().unwrap().phase == MigrationPhase::Failed);
        wait_until(|| engine.resume_migration("moved", &MigrationTarget::default()).is_ok());
        doubled(&engine);
    });
    drop(namespace);
    let engine = again(engine, directory.path());
    let namespace = engine.namespace("moved").unwrap();
    load.beside(&namespace, 2, || {
        doubled(&engine);
        wait_until(|| match engine.cut_over("moved") {
            Ok(()) => true,
            Err(error) => {
                assert_eq!(error.code, ErrorCode::IndexBuilding);
                false
            }
        });
    });
    let leader = engine.namespace("moved").unwrap();
    assert!(leader.config().engine.is_remote() && leader.index("n").is_ok());
    load.check(&leader);
    load.beside(&leader, 3, || engine.roll_back("moved").unwrap());
    load.check(&engine.namespace("moved").unwrap());
    load.beside(&leader, 4, || engine.cut_over("moved").unwrap());
    drop((namespace, leader));
    let engine = again(engine, directory.path());
    let leader = engine.namespace("moved").unwrap();
    load.beside(&leader, 5, || doubled(&engine));
    load.check(&leader);
    engine.end_migration("moved", true).unwrap();

    engine.migrate("moved", &MigrationTarget { engine: Some(device), ..MigrationTarget::default() }).unwrap();
    load.beside(&leader, 6, || {
        doubled(&engine);
        engine.cut_over("moved").unwrap();
    });
    let home = engine.namespace("moved").unwrap();
    assert!(!home.config().engine.is_remote() && home.index("n").is_ok());
    load.check(&home);
    load.check(&leader);
    engine.end_migration("moved", true).unwrap();
    drop((home, leader));
    let engine = again(engine, directory.path());
    load.check(&engine.namespace("moved").unwrap());
    engine.close().unwrap();
}

fn again(engine: Arc<Engine>, directory: &Path) -> Arc<Engine> {
    engine.close().unwrap();
    drop(engine);
    open(directory)
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn while_records_are_reserved_no_other_server_writes_them() {
    let other = Opened::new("reserved");
    put(&other.namespace, 1, 1).unwrap();
    let mine = |id: u8| Records::open(connect(), &whose("reserved", [id; 16]), Origin::There).unwrap();
    let records = mine(1);
    let calm = &mut || Ok(());
    let covers = serde_json::from_str(r#"{"set":"s"}"#).unwrap();
    let index = records.list_index(&covers).unwrap().id;
    Remote::await_writers(&*records, index, calm).unwrap();
    Remote::note_built(&*records, index, 1).unwrap();
    Remote::reserve(&*records, calm).unwrap();
    let refused = put(&other.namespace, 1, 2).unwrap_err();
    assert_eq!((refused.code, get(&other.namespace, 1)), (ErrorCode::MigrationActive, Some(1)));
    let refusals = [
        other.namespace.delete("s", key(1), None).map(drop).unwrap_err(),
        other.namespace.truncate(Some("s"), None).map(drop).unwrap_err(),
        Remote::reserve(&*mine(2), calm).unwrap_err(),
        Remote::drop_index(&*mine(2), index).map(drop).unwrap_err(),
        Remote::create_set(&*mine(2), "t").unwrap_err(),
    ];
    assert!(refusals.iter().all(|error| error.code == ErrorCode::MigrationActive), "{refusals:?}");
    assert_eq!((get(&other.namespace, 1), mine(2).set("t").is_none()), (Some(1), true));
    assert!(Remote::indexes(&*records).listed().any(|listed| listed.id == index && listed.state == RemoteIndexState::Ready));
    // It outlasts the process.
    Remote::close(&*records);
    drop(records);
    assert!(put(&other.namespace, 1, 2).is_err());
    let records = mine(1);
    Remote::reserve(&*records, calm).unwrap();
    Remote::release(&*records).unwrap();
    wait_until(|| put(&other.namespace, 1, 3).is_ok());
    assert_eq!(get(&other.namespace, 1), Some(3));
    other.engine.close().unwrap();
}
