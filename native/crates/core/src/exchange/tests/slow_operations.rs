//! Operations that are made slow on purpose: where their time went.

use crate::exchange::{self, BinsForm, Form};
use crate::metrics::{Operation, SlowOperation, SlowPatch, SlowQuery};
use crate::namespace::RecordName;
use crate::namespace::rig::{Rig, on};
use crate::query::QuerySpec;
use crate::scan::ScanSpec;
use crate::store::Progress;
use crate::{DeviceConfig, Namespace, NamespaceConfig};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;
use tessera_base::latency::Clock;
use tessera_base::latency::split::{self, Part};
use tessera_base::pool::Pool;
use tessera_base::{ErrorCode, wait_until};
use tessera_io::Disk;
use tessera_jobs::{JobPatch, LaneState};
use tessera_record::filter::Filter;
use tessera_record::{Digest, KeyRef};
use tessera_storage::memory::MemoryStorage;

/// For how long something is held, once an operation is known to wait for it.
const HELD: Duration = Duration::from_millis(20);

fn memory() -> (TempDir, Arc<Namespace>) {
    let config = NamespaceConfig { segments: 1, ..NamespaceConfig::memory("m") };
    let (directory, namespace) = on(config, Arc::new(MemoryStorage::new(None)), Pool::new());
    watch(&namespace);
    (directory, namespace)
}

fn device() -> (Rig, Arc<Namespace>) {
    let (rig, namespace) = Rig::create(NamespaceConfig { segments: 1, ..NamespaceConfig::device("d", DeviceConfig::default()) });
    watch(&namespace);
    (rig, namespace)
}

fn watch(namespace: &Namespace) {
    let threshold = Some(HELD / 2);
    namespace.latency().slow().change(SlowPatch { threshold, ..SlowPatch::default() }).unwrap();
}

/// The newest slow operation of this kind; its parts add up.
fn newest(namespace: &Namespace, operation: Operation) -> Arc<SlowOperation> {
    let query = SlowQuery { operations: vec![operation], least: HELD / 2, ..SlowQuery::default() };
    let entry = namespace.latency().slow().list(&query).into_iter().next().expect("it was slow");
    let off = u128::from(entry.split.total()).abs_diff(entry.took.as_nanos());
    assert!(off * 20 <= entry.took.as_nanos(), "{entry:?}");
    entry
}

/// Waits for so long; that something takes longer is what the tests are about.
fn hold() -> u64 {
    // By the clock of the latencies: another one may run a little faster.
    let begun = Clock::now();
    thread::sleep(HELD);
    Clock::nanos_since(begun)
}

fn write(namespace: &Namespace, key: i64, bins: &str) -> tessera_base::Result<()> {
    exchange::write_record(namespace.store(), "s", RecordName::Key(KeyRef::Integer(key)), bins.as_bytes(), &BinsForm::default()).map(drop)
}

#[test]
fn a_put_that_waits_for_a_sync_waits_for_the_device() {
    let (rig, namespace) = device();
    let held = thread::scope(|scope| {
        let syncs = rig.disks[0].hold_syncs();
        let writer = scope.spawn(|| write(&namespace, 7, r#"{"v":1}"#));
        // It is in the segment, and its flush is at the disk.
        wait_until(|| namespace.records() == 1 && rig.disks[0].meter().read().in_flight > 0);
        let held = hold();
        drop(syncs);
        writer.join().unwrap().unwrap();
        held
    });
    let entry = newest(&namespace, Operation::Put);
    assert!(entry.split.of(Part::Device) >= held / 2, "{entry:?} of {held}");
    assert_eq!((entry.key.as_deref(), entry.set.as_deref(), &*entry.namespace), (Some("7"), Some("s"), "d"));
    assert_eq!((entry.failure, entry.threads), (None, 1));
}

#[test]
fn a_get_that_waits_for_a_read_waits_for_the_device_and_makes_a_reply() {
    let (rig, namespace) = device();
    // So many that it is in a block that is full: after a start only the newest is in memory.
    let line = |key| format!("{{\"key\":{key},\"bins\":{{\"v\":\"{}\"}}}}\n", "x".repeat(2000));
    let lines: String = (0..200).map(line).collect();
    exchange::write_records(namespace.store(), "s", lines.as_bytes(), &exchange::BatchOptions::default()).unwrap();
    namespace.close().unwrap();
    drop(namespace);
    let namespace = rig.open(false, &Progress::default()).unwrap();
    watch(&namespace);
    let reads = || rig.disks[0].meter().read().in_flight;
    // A read of the thread that makes room may be the one that is held: then it comes again.
    wait_until(|| {
        let held = thread::scope(|scope| {
            let gate = rig.disks[0].hold_reads();
            let read = |out: &mut Vec<u8>| {
                exchange::read_record(namespace.store(), "s", RecordName::Key(KeyRef::Integer(7)), &Form::default(), out)
            };
            let reader = scope.spawn(move || read(&mut vec![]));
            wait_until(|| reads() > 0);
            let held = hold();
            drop(gate);
            assert!(reader.join().unwrap().unwrap());
            held
        });
        let query = SlowQuery { operations: vec![Operation::Get], least: HELD / 2, ..SlowQuery::default() };
        namespace.latency().slow().list(&query).first().is_some_and(|entry| entry.split.of(Part::Device) >= held / 2)
    });
    let entry = newest(&namespace, Operation::Get);
    assert!(entry.split.of(Part::Reply) > 0, "{entry:?}");
    assert_eq!((entry.key.as_deref(), entry.key_type), (Some("7"), Some("integer")));
}

#[test]
fn a_put_by_digest_has_the_latency_of_its_write_alone() {
    let (_directory, namespace) = memory();
    write(&namespace, 7, r#"{"v":1}"#).unwrap();
    let name = || RecordName::Digest(Digest::of("s", KeyRef::Integer(7)));
    let put = || exchange::write_record(namespace.store(), "s", name(), br#"{"v":2}"#, &BinsForm::default());
    // It asks for the key of the record first. Nobody sees whether that waits, so it may come when the writer has gone.
    wait_until(|| {
        thread::scope(|scope| {
            namespace.cells()[0].write(|_| {
                scope.spawn(|| put().unwrap());
                hold();
            });
        });
        let query = SlowQuery { operations: vec![Operation::Put], least: HELD / 2, ..SlowQuery::default() };
        namespace.latency().slow().list(&query).iter().any(|entry| entry.engine * 2 < entry.took)
    });
    assert_eq!(newest(&namespace, Operation::Put).key_type, Some("digest"));
}

#[test]
fn a_put_that_waits_for_its_segment_is_queued() {
    let (_directory, namespace) = memory();
    let held = thread::scope(|scope| {
        let segment = namespace.cells()[0].read();
        let writer = scope.spawn(|| write(&namespace, 7, r#"{"v":1}"#));
        wait_until(|| namespace.cells()[0].waiting() == 1);
        let held = hold();
        drop(segment);
        writer.join().unwrap().unwrap();
        held
    });
    let entry = newest(&namespace, Operation::Put);
    assert!(entry.split.of(Part::Queue) >= held, "{entry:?} of {held}");
    assert!(entry.split.of(Part::Decode) > 0, "{entry:?}");
}

#[test]
fn reads_from_memory_that_wait_for_a_writer_are_queued() {
    let (_directory, namespace) = memory();
    write(&namespace, 7, r#"{"v":1}"#).unwrap();
    let name = || RecordName::Key(KeyRef::Integer(7));
    let look = || exchange::read_resident(namespace.store(), "s", name(), &Form::default(), &mut vec![]).map(drop);
    let get = || namespace.get("s", KeyRef::Integer(7), &mut vec![]).map(drop);
    for read in [&look as &(dyn Fn() -> tessera_base::Result<()> + Sync), &get] {
        namespace.latency().slow().clear().unwrap();
        // Nobody sees whether a reader waits, so it may come when the writer has gone.
        wait_until(|| {
            thread::scope(|scope| {
                namespace.cells()[0].write(|_| {
                    scope.spawn(|| read().unwrap());
                    hold();
                });
            });
            let query = SlowQuery { operations: vec![Operation::Get], least: HELD / 2, ..SlowQuery::default() };
            namespace.latency().slow().list(&query).iter().any(|entry| u128::from(entry.split.of(Part::Queue)) * 2 > entry.took.as_nanos())
        });
        let entry = newest(&namespace, Operation::Get);
        assert_eq!((entry.key.as_deref(), entry.set.as_deref()), (Some("7"), Some("s")));
    }
}

#[test]
fn a_request_that_waits_for_a_thread_is_queued() {
    let (_directory, namespace) = memory();
    let asked = Clock::now();
    let held = hold();
    {
        let _request = split::arrive(asked);
        write(&namespace, 1, r#"{"v":1}"#).unwrap();
    }
    let entry = newest(&namespace, Operation::Put);
    assert!(entry.split.of(Part::Queue) >= held, "{entry:?} of {held}");
    // The latency has what came after that wait.
    assert_eq!(entry.engine, Duration::from_nanos(namespace.latency().served_nanos()));
    assert!(entry.engine + Duration::from_nanos(held) <= entry.took, "{entry:?}");
}

#[test]
fn what_fails_says_with_what_and_a_batch_how_many_records() {
    let (rig, namespace) = device();
    thread::scope(|scope| {
        let syncs = rig.disks[0].hold_syncs();
        let lines = "{\"key\":1,\"bins\":{\"v\":1}}\n{\"key\":2,\"bins\":{\"v\":1}}\n";
        let batch = scope.spawn(|| exchange::write_records(namespace.store(), "s", lines.as_bytes(), &exchange::BatchOptions::default()));
        wait_until(|| namespace.records() == 2);
        hold();
        rig.disks[0].set_fault(Some(tessera_io::faulty::Fault::Sync(5)));
        drop(syncs);
        assert_eq!(batch.join().unwrap().unwrap_err().code, ErrorCode::WriteUncertain);
    });
    let entry = newest(&namespace, Operation::Batch);
    assert_eq!((entry.failure, entry.records, entry.key.as_deref()), (Some(ErrorCode::WriteUncertain), Some(2), None));
    rig.disks[0].set_fault(None);
}

/// More records than are scanned on the calling thread, and more bytes than wait in a stream.
fn fill(namespace: &Namespace) {
    let filling = "x".repeat(2000);
    for key in 0..3000 {
        write(namespace, key, &format!(r#"{{"n":{key},"filling":"{filling}"}}"#)).unwrap();
    }
}

#[test]
fn a_scan_whose_reader_is_slow_waits_with_its_reply() {
    let (_directory, namespace) = memory();
    fill(&namespace);
    let asked = Clock::now();
    let waited = hold();
    let request = split::arrive(asked);
    let scan = namespace.scan(ScanSpec { threads: 1, ..ScanSpec::default() }).unwrap();
    drop(request);
    wait_until(|| scan.job.info().lanes.iter().any(|lane| lane.state == LaneState::Sending));
    let held = hold();
    while scan.stream.next_blocking().unwrap().is_some() {}
    let entry = newest(&namespace, Operation::Scan);
    // A worker that lets go of the turn to another part of its work is between two of them.
    assert!(entry.split.of(Part::Reply) >= held / 2, "{entry:?} of {held}");
    assert!(entry.engine + Duration::from_nanos(waited) <= entry.took, "{entry:?}");
    assert_eq!(
        (entry.plan.as_deref(), entry.job.as_deref(), entry.records),
        (Some(scan.plan.method.as_str()), Some(scan.job.id()), Some(3000))
    );
}

#[test]
fn a_query_that_is_paused_is_queued_and_has_a_shape() {
    let (_directory, namespace) = memory();
    fill(&namespace);
    let filter = Filter::compile(br#"{"bin":"n","op":"ge","value":10}"#).unwrap();
    let query = namespace.query(QuerySpec { filter: Some(Arc::new(filter)), threads: 1, ..QuerySpec::default() }).unwrap();
    wait_until(|| query.job.info().lanes.iter().any(|lane| lane.state == LaneState::Sending));
    query.job.patch(JobPatch { paused: Some(true), ..JobPatch::default() }).unwrap();
    let mut chunks = 0;
    let held = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while query.stream.next_blocking().unwrap().is_some() {
                chunks += 1;
            }
        });
        wait_until(|| query.job.info().lanes.iter().any(|lane| lane.state == LaneState::Paused));
        let held = hold();
        query.job.patch(JobPatch { paused: Some(false), ..JobPatch::default() }).unwrap();
        reader.join().unwrap();
        held
    });
    let entry = newest(&namespace, Operation::Query);
    assert!(chunks > 0 && entry.split.of(Part::Queue) >= held / 2, "{entry:?} of {held}");
    assert_eq!((entry.filter.as_deref(), entry.filter_shape.as_deref()), (Some("n >= 10"), Some("n >= ?")));
}

#[test]
fn a_get_inside_a_batch_is_a_part_of_it() {
    let (_directory, namespace) = memory();
    namespace.latency().slow().change(SlowPatch { threshold: Some(Duration::from_micros(100)), ..SlowPatch::default() }).unwrap();
    let before = namespace.latency().slow().usage().seen;
    let keys = [KeyRef::Integer(1)];
    let read = namespace.get_many("s", &keys, &mut |_, _| {
        hold();
    });
    read.unwrap();
    let entry = newest(&namespace, Operation::Batch);
    assert_eq!((entry.records, namespace.latency().slow().usage().seen), (Some(1), before + 1));
}
