//! Scans of a device: the ways they go, what the plan makes of them, and what they meet while records move.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::{bin, body};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_core::scan::{PlanChoice, Sample, ScanMethod, ScanSpec, UseIndex, VisitSpec};
use tessera_core::stream_summary::StreamSummary;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_jobs::JobState;
use tessera_record::{BodyRef, KeyRef, Value};
use tessera_storage::DeviceCosts;

const LONG: Duration = Duration::from_secs(60);
const RECORDS: i64 = 2000;
/// One in so many is of the small set.
const SMALL: i64 = 500;

fn open(directory: &Path, device: DeviceConfig) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let config =
        NamespaceConfig { segments: 8, durability: Durability::Relaxed, max_record_bytes: 8192, ..NamespaceConfig::device("d", device) };
    let namespace = engine.namespace("d").or_else(|_| engine.create_namespace(config)).unwrap();
    (engine, namespace)
}

fn set_of(key: i64) -> &'static str {
    if key % SMALL == 0 { "small" } else { "large" }
}

fn put(namespace: &Namespace, key: i64, version: i64) {
    let filling = Value::String("x".repeat((key * 37 % 2000) as usize));
    let body = body(KeyRef::Integer(key), &[("version", Value::Int(version)), ("filling", filling)]);
    namespace.put(set_of(key), KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
}

fn fill(namespace: &Namespace) {
    (0..RECORDS).for_each(|key| put(namespace, key, 0));
    namespace.sync().unwrap();
}

/// Rows of a scan, and what it came to.
fn scan(namespace: &Arc<Namespace>, spec: ScanSpec) -> (usize, StreamSummary) {
    let scan = namespace.scan(spec).unwrap();
    let mut rows = 0;
    while let Some(chunk) = scan.stream.next_blocking().unwrap() {
        rows += chunk.iter().filter(|&&byte| byte == b'\n').count();
    }
    (rows, scan.stream.summary())
}

#[test]
fn every_way_meets_the_same_and_says_what_it_read() {
    let directory = tempfile::tempdir().unwrap();
    let device = DeviceConfig { post_write_cache_bytes: 0, write_block_bytes: 64 * 1024, ..DeviceConfig::default() };
    let (_engine, namespace) = open(directory.path(), device);
    fill(&namespace);
    namespace.set_index_on("small", 1).unwrap().wait_blocking(LONG);
    for threads in [1, 3] {
        let by = |plan, set: Option<&str>| scan(&namespace, ScanSpec { plan, set: set.map(str::to_owned), threads, ..ScanSpec::default() });
        let (rows, summary) = by(PlanChoice::Device, None);
        assert_eq!((rows as i64, summary.method, summary.scanned as i64), (RECORDS, "device-sequential", RECORDS));
        let reads = summary.reads.unwrap();
        assert!(summary.estimated_ms.unwrap() > 0.0 && reads.blocks > 20 && reads.bytes == reads.blocks * 64 * 1024, "{reads:?}");
        let (rows, summary) = by(PlanChoice::SetColumn, None);
        let one_by_one = summary.reads.unwrap();
        assert_eq!((rows as i64, summary.method, one_by_one.blocks), (RECORDS, "all", 0));
        assert!(one_by_one.records > reads.records, "{one_by_one:?} {reads:?}");
        for (plan, method) in
            [(PlanChoice::Device, "device-sequential"), (PlanChoice::SetColumn, "set-column"), (PlanChoice::SetIndex, "set-index")]
        {
            let (rows, summary) = by(plan, Some("small"));
            assert_eq!((rows as i64, summary.method), (RECORDS / SMALL, method));
        }
    }
}

#[test]
fn the_plan_takes_the_cheapest_way() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, namespace) = open(directory.path(), DeviceConfig::default());
    fill(&namespace);
    let share = |share| ScanSpec { sample: Some(Sample::Share { share, seed: 1 }), ..ScanSpec::default() };
    assert_eq!(namespace.explain_scan(&share(0.05)).unwrap().method, ScanMethod::All);
    drop(namespace);
    engine.close().unwrap();
    // A device that takes long to begin a read, and a processor that does not mind records nobody wants.
    let costs = r#"{"randomReadNs":300000,"sequentialBytesPerSecond":1e9,"recordNs":1,"measuredAtMs":1}"#;
    std::fs::write(directory.path().join("namespaces/1/costs.json"), costs).unwrap();
    let (_engine, namespace) = open(directory.path(), DeviceConfig::default());
    let explain = |set: Option<&str>| namespace.explain_scan(&ScanSpec { set: set.map(str::to_owned), ..ScanSpec::default() }).unwrap();
    for (set, method) in
        [(None, ScanMethod::DeviceSequential), (Some("large"), ScanMethod::DeviceSequential), (Some("small"), ScanMethod::SetColumn)]
    {
        let plan = explain(set);
        assert_eq!(plan.method, method);
        let by = |method| plan.alternatives.iter().find(|way| way.method == method).unwrap().estimated_ms;
        assert!(by(method) <= by(ScanMethod::DeviceSequential));
        assert_eq!(plan.estimated_ms.unwrap().to_bits(), by(method).to_bits());
    }
    assert_eq!(namespace.explain_scan(&share(0.5)).unwrap().method, ScanMethod::DeviceSequential);
    assert_eq!(namespace.explain_scan(&share(0.0005)).unwrap().method, ScanMethod::All, "most of what is met is not read");
    let paged = namespace.explain_scan(&ScanSpec { limit: Some(1), ..ScanSpec::default() }).unwrap();
    assert_eq!(paged.method, ScanMethod::All);
    namespace.set_index_on("large", 1).unwrap().wait_blocking(LONG);
    let forced = ScanSpec { set: Some("large".into()), use_index: UseIndex::Force, ..ScanSpec::default() };
    assert_eq!(namespace.explain_scan(&forced).unwrap().method, ScanMethod::SetIndex);
    assert_eq!(explain(Some("large")).method, ScanMethod::DeviceSequential);
}

#[test]
fn a_plan_that_a_scan_cannot_have_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, namespace) = open(directory.path(), DeviceConfig::default());
    put(&namespace, 1, 0);
    let memory = engine.create_namespace(NamespaceConfig::memory("m")).unwrap();
    let refused = |namespace: &Namespace, spec: &ScanSpec| {
        let error = namespace.explain_scan(spec).unwrap_err();
        assert!(error.field.is_some());
        error.code
    };
    let device = ScanSpec { plan: PlanChoice::Device, ..ScanSpec::default() };
    assert_eq!(refused(&memory, &device), ErrorCode::Unsupported);
    assert_eq!(refused(&namespace, &ScanSpec { limit: Some(10), ..device.clone() }), ErrorCode::ConfigInvalid);
    assert_eq!(refused(&namespace, &ScanSpec { use_index: UseIndex::Never, ..device }), ErrorCode::ConfigInvalid);
    let index = ScanSpec { plan: PlanChoice::SetIndex, ..ScanSpec::default() };
    assert_eq!(refused(&namespace, &index), ErrorCode::ConfigInvalid);
    assert_eq!(refused(&namespace, &ScanSpec { set: Some("large".into()), ..index }), ErrorCode::IndexNotFound);
}

#[test]
fn a_calibration_is_kept_over_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let measured = {
        let (engine, namespace) = open(directory.path(), DeviceConfig { post_write_cache_bytes: 0, ..DeviceConfig::default() });
        assert_eq!(namespace.calibrate().err().unwrap().code, ErrorCode::Unsupported);
        assert_eq!(namespace.costs(), DeviceCosts::default());
        fill(&namespace);
        assert_eq!(namespace.calibrate().unwrap().wait_blocking(LONG).state, JobState::Done);
        let measured = namespace.costs();
        assert!(measured.is_sound() && measured.measured_at_ms.is_some());
        assert_eq!(namespace.explain_scan(&ScanSpec::default()).unwrap().costs, Some(measured));
        engine.close().unwrap();
        measured
    };
    let (engine, namespace) = open(directory.path(), DeviceConfig::default());
    assert_eq!(namespace.costs(), measured);
    drop(namespace);
    engine.close().unwrap();
    for broken in ["", "{}", r#"{"randomReadNs":0,"sequentialBytesPerSecond":1,"recordNs":1,"measuredAtMs":null}"#] {
        std::fs::write(directory.path().join("namespaces/1/costs.json"), broken).unwrap();
        let (engine, namespace) = open(directory.path(), DeviceConfig::default());
        assert_eq!(namespace.costs(), DeviceCosts::default(), "{broken}");
        engine.close().unwrap();
    }
}

#[test]
fn records_that_move_under_a_scan_are_met_once() {
    const KEPT: i64 = 600;
    let directory = tempfile::tempdir().unwrap();
    // Small enough that defragmentation has to move records all the time.
    let device =
        DeviceConfig { capacity_bytes: 200 * 16 * 1024, write_block_bytes: 16 * 1024, flush_interval_ms: 5, ..DeviceConfig::default() };
    let (_engine, namespace) = open(directory.path(), device);
    (0..KEPT).for_each(|key| put(&namespace, key, 0));
    namespace.sync().unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for version in 1.. {
                for key in (version % 3..KEPT).step_by(3) {
                    let filling = Value::String("y".repeat((version * key % 1500) as usize));
                    let body = body(KeyRef::Integer(key), &[("version", Value::Int(version)), ("filling", filling)]);
                    // Defragmentation may need a moment.
                    let _ = namespace.put(set_of(key), KeyRef::Integer(key), &body, &WriteOptions::default());
                    if stop.load(SeqCst) {
                        return;
                    }
                }
            }
        });
        for plan in [PlanChoice::Device, PlanChoice::SetColumn].into_iter().cycle().take(60) {
            let met = Mutex::new(BTreeMap::<i64, usize>::new());
            let spec = VisitSpec { threads: 3, plan, ..VisitSpec::default() };
            let outcome = namespace.scan_visit(&spec, &|_, found| {
                if let (KeyRef::Integer(key), Some(_)) = (BodyRef::new(found.body).key(), bin(found.body, "version")) {
                    *met.lock().unwrap().entry(key).or_default() += 1;
                }
                ControlFlow::Continue(())
            });
            let met = met.into_inner().unwrap();
            let wrong: Vec<_> = (0..KEPT).filter(|key| met.get(key) != Some(&1)).collect();
            if outcome.is_err() || !wrong.is_empty() {
                stop.store(true, SeqCst);
            }
            outcome.unwrap();
            assert_eq!(wrong, [0; 0], "not met once by {plan:?}");
        }
        stop.store(true, SeqCst);
    });
}
