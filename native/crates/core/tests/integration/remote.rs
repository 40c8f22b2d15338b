//! A namespace whose records are kept elsewhere, by a stand-in for a cluster in this process.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod indexes;
mod migrations;
mod scans;
mod sets;
mod stand_in;

use crate::bodies::body;
use stand_in::{StandIn, config, get, n, options, put, with};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result};
use tessera_core::config::Feature;
use tessera_core::engine::NamespaceState;
use tessera_core::exchange::{self, BatchOptions};
use tessera_core::iterate::IterateSpec;
use tessera_core::scan::ScanSpec;
use tessera_core::store::{Exists, Operate};
use tessera_core::{
    ConfigPatch, Engine, EngineOptions, Lookup, Namespace, NamespaceConfig, Resident, SetConfig, SetLimits, WriteOptions, Written,
};
use tessera_jobs::load::{LoadMode, Row, RowBatch, RowSink};
use tessera_record::filter::Filter;
use tessera_record::{Digest, KeyRef, Operation, Ttl, Value};

#[test]
fn records_are_read_and_written_elsewhere_by_the_rules_of_all_engines() {
    with(|_, namespace, cluster| {
        assert_eq!(get(&namespace, 1), None);
        let written = put(&namespace, 1, 5).unwrap();
        assert_eq!((written.created, written.meta.generation, get(&namespace, 1)), (true, 1, Some(n(1, 5))));
        let create = WriteOptions { exists: Exists::CreateOnly, ..WriteOptions::default() };
        let refused = namespace.put("s", KeyRef::Integer(1), &n(1, 6), &create).unwrap_err();
        assert_eq!(refused.code, ErrorCode::RecordExists);
        let filter = Filter::compile(br#"{"bin":"n","op":"eq","value":7}"#).unwrap();
        let refused = namespace.put_if("s", KeyRef::Integer(1), &n(1, 6), &WriteOptions::default(), Some(&filter)).unwrap_err();
        assert_eq!(refused.code, ErrorCode::FilteredOut);
        let operate = |operations: &[Operation]| {
            let options = WriteOptions { exists: Exists::Merge, ..WriteOptions::default() };
            let asked = Operate { operations, options, filter: None, respond_all: false };
            namespace.operate("s", KeyRef::Integer(1), &asked)
        };
        assert_eq!(operate(&[Operation::Touch]).unwrap().unwrap().meta.generation, 2);
        assert_eq!(operate(&[Operation::ReadAll]).unwrap().unwrap().results.len(), 1);
        let digest = Digest::of("s", KeyRef::Integer(1));
        assert_eq!(namespace.meta("s", digest).unwrap().map(|meta| meta.generation), Some(2));
        // Waiting for a cluster is no work for the JavaScript thread.
        assert_eq!(namespace.look("s", Lookup::from(digest), |_, _| ()).unwrap(), Resident::Waits);
        assert_eq!(namespace.delete("s", KeyRef::Integer(1), Some(9)).unwrap_err().code, ErrorCode::GenerationMismatch);
        assert!(namespace.delete("s", KeyRef::Integer(1), Some(2)).unwrap() && !namespace.delete("s", KeyRef::Integer(1), None).unwrap());
        for refused in [namespace.put("a/b", KeyRef::Integer(1), &n(1, 1), &create), put_large(&namespace)] {
            assert!(matches!(refused.unwrap_err().code, ErrorCode::NameInvalid | ErrorCode::RecordTooLarge));
        }
        namespace.update(ConfigPatch { default_ttl_seconds: Some(100), ..ConfigPatch::default() }).unwrap();
        assert_ne!(put(&namespace, 2, 2).unwrap().meta.expires_at, 0);
        let expired = WriteOptions { ttl: Ttl::Never, ..WriteOptions::default() };
        namespace.put("", KeyRef::Integer(3), &n(3, 3), &expired).unwrap();
        assert_eq!(cluster.kept.lock().unwrap().len(), 2);
        cluster.away.store(true, Ordering::SeqCst);
        assert_eq!(put(&namespace, 2, 3).unwrap_err().code, ErrorCode::ClusterUnavailable);
        assert_eq!(namespace.get("s", KeyRef::Integer(2), &mut vec![]).unwrap_err().code, ErrorCode::ClusterUnavailable);
        assert_eq!(namespace.trouble().unwrap().code, ErrorCode::ClusterUnavailable);
    });
}

fn put_large(namespace: &Namespace) -> Result<Written> {
    let large = body(KeyRef::Integer(9), &[("b", Value::String("x".repeat(2 << 20)))]);
    namespace.put("s", KeyRef::Integer(9), &large, &WriteOptions::default())
}

#[test]
fn many_records_are_read_in_any_order_and_written_by_line() {
    with(|_, namespace, _| {
        let lines: String = (0..100).map(|key| format!("{{\"key\":{key},\"bins\":{{\"n\":{key}}}}}\n")).collect();
        let report = exchange::write_records(namespace.store(), "s", lines.as_bytes(), &BatchOptions::default()).unwrap();
        assert_eq!((report.written, report.rejected_total), (100, 0));
        let atomic = BatchOptions { atomic: true, exists: Exists::CreateOnly };
        let mixed = b"{\"key\":200,\"bins\":{}}\n{\"key\":5,\"bins\":{}}\n";
        let report = exchange::write_records(namespace.store(), "s", mixed, &atomic).unwrap();
        assert_eq!((report.written, report.rejected_total, get(&namespace, 200)), (0, 1, None));
        let keys: Vec<_> = (0..120).map(KeyRef::Integer).collect();
        let mut met = vec![None; keys.len()];
        namespace
            .get_many("s", &keys, &mut |position, record| {
                assert_eq!(met[position].replace(record.is_some()), None, "{position} is answered once");
                assert!(record.is_none_or(|(_, body)| body == n(position as i64, position as i64)));
            })
            .unwrap();
        assert!(met.iter().enumerate().all(|(position, found)| *found == Some(position < 100)));
        let mut reader = namespace.reader(4).unwrap();
        for tag in [7, 7, 8, 9] {
            reader.start("s", KeyRef::Integer(tag), tag as u64).unwrap();
        }
        assert_eq!(reader.start("s", KeyRef::Integer(1), 1).unwrap_err().field.as_deref(), Some("depth"));
        assert!(reader.wait_until(Instant::now()) && reader.in_flight() == 4);
        let mut tags = vec![];
        while let Some((tag, found)) = reader.next() {
            assert_eq!(found.unwrap().unwrap().1, n(tag as i64, tag as i64));
            tags.push(tag);
        }
        tags.sort_unstable();
        assert_eq!((tags, reader.in_flight()), (vec![7, 7, 8, 9], 0));
    });
}

#[test]
fn writes_of_a_batch_keep_their_order_by_record_and_are_told_by_line() {
    with(|_, namespace, cluster| {
        put(&namespace, 7, 1).unwrap();
        let mut lines: Vec<String> = (0..40).map(|n| format!("{{\"key\":{},\"bins\":{{\"n\":{n}}}}}", n % 20)).collect();
        // The first line of a record, one in between, and the last.
        lines[3] = r#"{"key":3,"op":"delete"}"#.into();
        lines[27] = r#"{"key":7,"op":"delete"}"#.into();
        lines.push(r#"{"key":1,"op":"delete"}"#.into());
        lines.push("{".into());
        let large = format!("{{\"key\":2,\"bins\":{{\"b\":{:?}}}}}", "x".repeat(2 << 20));
        lines.insert(30, large);
        let report = exchange::write_records(namespace.store(), "s", lines.join("\n").as_bytes(), &BatchOptions::default()).unwrap();
        assert_eq!((report.written, report.deleted, report.rejected_total), (38, 2, 2));
        let rejected: Vec<_> = report.rejected.iter().map(|reject| (reject.line, reject.error.code)).collect();
        assert_eq!(rejected, [(43, ErrorCode::JsonInvalid), (31, ErrorCode::RecordTooLarge)]);
        for key in 0..20 {
            let expected = if key == 1 || key == 7 { None } else { Some(n(key, key + 20)) };
            assert_eq!(get(&namespace, key), expected, "{key}");
        }
        assert_eq!(cluster.sets.batches.load(Ordering::SeqCst), 1, "all of it goes to the cluster at once");
        // Each of a record is judged by what the one before has made of it.
        let twice = b"{\"key\":50,\"bins\":{}}\n{\"key\":51,\"bins\":{}}\n{\"key\":50,\"bins\":{}}\n";
        let create = BatchOptions { exists: Exists::CreateOnly, ..BatchOptions::default() };
        let report = exchange::write_records(namespace.store(), "s", twice, &create).unwrap();
        assert_eq!((report.written, report.rejected[0].line, report.rejected[0].error.code), (2, 3, ErrorCode::RecordExists));
        let refused = exchange::write_records(namespace.store(), "a/b", b"{\"key\":1,\"bins\":{}}", &create).unwrap();
        assert_eq!(refused.rejected[0].error.code, ErrorCode::NameInvalid);
        cluster.away.store(true, Ordering::SeqCst);
        let report = exchange::write_records(namespace.store(), "s", twice, &create).unwrap();
        assert_eq!((report.written, report.rejected_total), (0, 3));
        assert!(report.rejected.iter().all(|reject| reject.error.code == ErrorCode::ClusterUnavailable));
    });
}

#[test]
fn rows_of_an_import_keep_their_order_by_record_and_are_counted_by_line() {
    with(|_, namespace, cluster| {
        let rows = |keys: &[i64]| {
            let mut batch = RowBatch::default();
            for (line, &key) in (1..).zip(keys) {
                let start = batch.bytes.len() as u32;
                batch.bytes.extend(n(key, line as i64));
                let digest = Digest::of("s", KeyRef::Integer(key));
                batch.rows.push(Row { line, start, end: batch.bytes.len() as u32, digest, ttl: Ttl::Default, generation: None, set: None });
            }
            batch
        };
        let outcome = namespace.load_rows("s", &rows(&[5, 3, 9, 3, 5, 3]), LoadMode::Insert).unwrap();
        let rejected: Vec<_> = outcome.rejected.iter().map(|(line, error)| (*line, error.code)).collect();
        assert_eq!((outcome.inserted, rejected), (3, [4, 5, 6].map(|line| (line, ErrorCode::RecordExists)).to_vec()));
        assert_eq!((get(&namespace, 5), get(&namespace, 3)), (Some(n(5, 1)), Some(n(3, 2))));
        let outcome = namespace.load_rows("s", &rows(&[3, 4, 3]), LoadMode::Upsert).unwrap();
        assert_eq!((outcome.inserted, outcome.updated, get(&namespace, 3)), (1, 2, Some(n(3, 3))));
        assert_eq!(cluster.sets.batches.load(Ordering::SeqCst), 2);
        cluster.away.store(true, Ordering::SeqCst);
        assert_eq!(namespace.load_rows("s", &rows(&[1]), LoadMode::Upsert).unwrap_err().code, ErrorCode::ClusterUnavailable);
    });
}

#[test]
fn what_the_engine_cannot_do_is_refused_and_never_answered_as_empty() {
    with(|_, namespace, _| {
        put(&namespace, 1, 1).unwrap();
        let set = || SetConfig { name: "t".into(), ..SetConfig::default() };
        let spec = ScanSpec::default;
        let refusals: Vec<(&str, Option<Error>)> = vec![
            ("segments", namespace.scan(ScanSpec { segments: Some([0].into()), ..spec() }).err()),
            ("marks of segments", namespace.scan(ScanSpec { segment_marks: true, ..spec() }).err()),
            ("iterate", namespace.iterate(&IterateSpec::default()).err()),
            ("distribution of a set", namespace.create_set(&SetConfig { distribution_bin: Some("b".into()), ..set() }).err()),
            ("limit set", namespace.limit_set("s", SetLimits::default()).err()),
            ("compact", namespace.compact().err()),
            ("scrub", namespace.scrub(None).err()),
            ("calibrate", namespace.calibrate().err()),
            ("checkpoint", namespace.checkpoint().err()),
            ("device", namespace.device_report().err()),
            ("blocks", namespace.block_maps(10).err()),
            ("ownership", namespace.update(ConfigPatch { evict_at_percent: Some(5), ..ConfigPatch::default() }).err()),
        ];
        for (what, error) in refusals {
            let error = error.unwrap();
            assert_eq!(error.code, ErrorCode::CapabilityUnsupported, "{what}: {error}");
            assert!(error.message.contains("\"far\" has the engine cassandra, which has no "), "{what}: {error}");
        }
        assert!(Feature::ALL.iter().all(|feature| !namespace.store().can(*feature)));
        assert_eq!(namespace.config().engine.lacks(), Feature::ALL);
        assert_eq!(get(&namespace, 1), Some(n(1, 1)));
    });
}

#[test]
fn a_cluster_that_is_away_holds_up_nothing_and_is_tried_again() {
    let (directory, cluster) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    cluster.away.store(true, Ordering::SeqCst);
    assert_eq!(engine.create_namespace(config()).map(drop).unwrap_err().code, ErrorCode::ClusterUnavailable);
    // Nothing is left of it, here or there.
    assert_eq!(
        (engine.members().len(), engine.orphan_names().len(), std::fs::read_dir(directory.path().join("namespaces")).unwrap().count()),
        (0, 0, 0)
    );
    cluster.away.store(false, Ordering::SeqCst);
    put(&engine.create_namespace(config()).unwrap(), 1, 1).unwrap();
    engine.create_namespace(NamespaceConfig::memory("near")).unwrap();
    assert_eq!(engine.create_namespace(config()).map(drop).unwrap_err().code, ErrorCode::NamespaceExists);
    engine.close().unwrap();

    cluster.away.store(true, Ordering::SeqCst);
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    let (state, error) = engine.member("far").unwrap().state();
    assert_eq!((state, error.unwrap().code), (NamespaceState::Failed, ErrorCode::ClusterUnavailable));
    assert_eq!(engine.namespace("far").map(drop).unwrap_err().code, ErrorCode::NamespaceFailed);
    put(&engine.namespace("near").unwrap(), 1, 1).unwrap();
    assert_eq!(engine.reopen_namespace("far", false).map(drop).unwrap_err().code, ErrorCode::ClusterUnavailable);
    cluster.away.store(false, Ordering::SeqCst);
    assert_eq!(get(&engine.reopen_namespace("far", false).unwrap(), 1), Some(n(1, 1)));
    // A drop forgets the namespace here. The records are not only ours.
    engine.drop_namespace("far").unwrap();
    assert_eq!((cluster.kept.lock().unwrap().len(), cluster.taken_back.load(Ordering::SeqCst)), (1, false));
    engine.close().unwrap();
}

#[test]
fn without_a_driver_such_a_namespace_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    assert_eq!(engine.create_namespace(config()).map(drop).unwrap_err().code, ErrorCode::CapabilityUnsupported);
    assert_eq!(engine.members().len(), 0);
    engine.close().unwrap();
}
