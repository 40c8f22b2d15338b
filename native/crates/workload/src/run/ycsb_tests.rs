//! The YCSB workloads on namespaces of this process.

use super::tests::{Frames, namespace};
use super::*;
use crate::client::Embedded;
use crate::operation::Kind;
use crate::spec::{KeyText, Mix};
use crate::ycsb::Distribution;
use std::sync::Arc;
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, Namespace, NamespaceConfig};
use tessera_jobs::JobKind;
use tessera_record::{BodyRef, KeyRef, Value};

const RECORDS: u64 = 500;
const OPERATIONS: u64 = 5000;

fn spec(workload: &str) -> WorkloadSpec {
    let mix = Mix::parse(&format!("YCSB,{workload}")).unwrap();
    let operations = (!mix.inserts()).then_some(OPERATIONS);
    WorkloadSpec { keys: RECORDS, threads: 3, operations, ..WorkloadSpec::ycsb("test", mix) }
}

fn done(namespace: &Arc<Namespace>, spec: &WorkloadSpec) -> Summary {
    let clients = Embedded::new(namespace.clone(), spec).unwrap();
    let summary = run(spec, &clients, &Stop::default(), &mut Frames::default()).unwrap();
    assert_eq!((summary.operations, summary.errors.len()), (spec.operations().unwrap(), 0), "{summary:?}");
    assert_eq!(summary.kinds.iter().map(|kind| kind.count).sum::<u64>(), summary.operations);
    for kind in &summary.kinds {
        assert!(kind.min_us <= kind.avg_us && kind.avg_us <= kind.max_us && kind.p95_us <= kind.p99_us && kind.p99_us <= kind.max_us);
    }
    summary
}

fn counts(summary: &Summary) -> Vec<(Kind, u64)> {
    summary.kinds.iter().map(|kind| (kind.kind, kind.count)).collect()
}

/// Lengths of the ten fields of a record, and its generation.
fn record(namespace: &Namespace, spec: &WorkloadSpec, key: u64) -> Option<(Vec<usize>, u16)> {
    let mut body = Vec::new();
    let meta = namespace.get("usertable", KeyRef::String(KeyText::new(spec).of(key)), &mut body).unwrap()?;
    let record = BodyRef::new(&body);
    let field = |field: usize| match record.bin(&format!("field{field}")).map(|value| value.to_value()) {
        Some(Value::String(text)) => text.len(),
        _ => 0,
    };
    Some(((0..10).map(field).collect(), meta.generation))
}

fn device() -> (tempfile::TempDir, Arc<Engine>, Arc<Namespace>) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let config = NamespaceConfig {
        engine: EngineConfig::Device(DeviceConfig::default()),
        durability: Durability::Relaxed,
        ..NamespaceConfig::memory("test")
    };
    let namespace = engine.create_namespace(config).unwrap();
    (directory, engine, namespace)
}

#[test]
fn the_workloads_do_what_they_are_of_on_every_engine() {
    for (_directory, engine, namespace) in [namespace(), device()] {
        let load = spec("LOAD");
        assert_eq!(counts(&done(&namespace, &load)), [(Kind::Write, RECORDS)]);
        for key in 0..RECORDS {
            assert_eq!(record(&namespace, &load, key).unwrap(), (vec![100; 10], 1));
        }
        assert_eq!((record(&namespace, &load, RECORDS), namespace.size(Some("usertable"))), (None, RECORDS));
        let wanted = [
            ("A", vec![(Kind::Read, 50), (Kind::Update, 50)]),
            ("B", vec![(Kind::Read, 95), (Kind::Update, 5)]),
            ("C", vec![(Kind::Read, 100)]),
            ("F", vec![(Kind::Read, 50), (Kind::ReadModifyWrite, 50)]),
            ("E", vec![(Kind::Insert, 5), (Kind::Scan, 95)]),
        ];
        let mut updates = 0;
        for (letter, kinds) in wanted {
            let spec = WorkloadSpec { scan_length: (letter == "E").then_some(10), ..spec(letter) };
            let counts = counts(&done(&namespace, &spec));
            assert_eq!(counts.len(), kinds.len(), "{letter}: {counts:?}");
            let updated = |(kind, count): &(Kind, u64)| if matches!(kind, Kind::Update | Kind::ReadModifyWrite) { *count } else { 0 };
            updates += counts.iter().map(updated).sum::<u64>();
            for ((kind, count), (wanted, percent)) in counts.into_iter().zip(kinds) {
                let expected = (OPERATIONS * percent / 100) as f64;
                assert!(kind == wanted && (count as f64 - expected).abs() <= 5.0 * expected.sqrt(), "{letter}: {count} {kind:?}");
            }
        }
        // Updates replaced one field and kept the others.
        let records: Vec<_> = (0..RECORDS).map(|key| record(&namespace, &load, key).unwrap()).collect();
        assert!(records.iter().all(|(fields, _)| *fields == [100; 10]));
        let changes: u64 = records.iter().map(|(_, generation)| u64::from(*generation) - 1).sum();
        assert_eq!(changes, updates);
        assert!(
            engine.jobs().list(&tessera_jobs::JobQuery::default()).unwrap().jobs.iter().all(|job| job.kind != JobKind::Scan),
            "a scan of a run is in no list of its own"
        );
        engine.close().unwrap();
    }
}

#[test]
fn inserts_are_new_records_and_the_newest_are_read() {
    let (_directory, engine, namespace) = namespace();
    done(&namespace, &spec("LOAD"));
    let latest = spec("D");
    let summary = done(&namespace, &latest);
    let inserted = counts(&summary)[1];
    assert_eq!((inserted.0, namespace.size(None)), (Kind::Insert, RECORDS + inserted.1));
    for key in 0..RECORDS + inserted.1 {
        assert_eq!(record(&namespace, &latest, key).unwrap().1, 1, "written once");
    }
    engine.close().unwrap();
}

#[test]
fn every_distribution_finds_its_records() {
    let (_directory, engine, namespace) = namespace();
    done(&namespace, &WorkloadSpec { first_key: 70, ..spec("LOAD") });
    use Distribution::{Exponential, Hotspot, Latest, Uniform, Zipfian};
    for distribution in [Zipfian, Latest, Uniform, Hotspot, Exponential] {
        done(&namespace, &WorkloadSpec { first_key: 70, distribution: Some(distribution), ..spec("A") });
    }
    assert_eq!(namespace.size(None), RECORDS);
    engine.close().unwrap();
}

#[test]
fn a_window_reads_ahead_and_a_fill_is_the_load() {
    let (_directory, engine, namespace) = device();
    done(&namespace, &WorkloadSpec { fill: true, window: 8, ..spec("read:60,update:20,insert:10,rmw:10") });
    assert!(namespace.size(Some("usertable")) > RECORDS);
    engine.close().unwrap();
}
