use super::*;
use crate::config::{DeviceConfig, PagedConfig, SetConfig};
use crate::exchange::{BatchOptions, BatchReader, ReadBatch, write_records};
use crate::namespace::rig::{Rig, value};
use crate::namespace::{Operate, Resident};
use crate::query::QuerySpec;
use crate::scan::{PlanChoice, ScanSpec, TallySpec, UseIndex};
use crate::{ConfigPatch, Exists, Namespace, NamespaceConfig, WriteOptions};
use std::thread;
use tessera_base::wait_until;
use tessera_io::faulty::Fault;
use tessera_jobs::JobKind;
use tessera_record::{BodyBuilder, BodyRef, KeyRef, Operation, Ttl, Value};

const SET: &str = "s";
const KEY: KeyRef<'static> = KeyRef::Integer(1);
const EIO: i32 = 5;

fn engines() -> [NamespaceConfig; 2] {
    let config = |config| NamespaceConfig { segments: 4, ..config };
    [config(NamespaceConfig::device("d", DeviceConfig::default())), config(NamespaceConfig::paged("p", PagedConfig::smallest()))]
}

fn in_flight(namespace: &Namespace, key: i64) -> bool {
    let digest = Digest::of(SET, KeyRef::Integer(key));
    let durable = namespace.store().storage.durable_point();
    namespace.store().segments.iter().any(|cell| cell.read().in_flight().of_record(&digest, durable) > 0)
}

fn body(value: i64, filling: usize) -> Vec<u8> {
    let mut body = vec![];
    let mut builder = BodyBuilder::new(&mut body, KEY);
    for (name, value) in [("v", Value::Int(value)), ("filling", Value::String("x".repeat(filling)))] {
        let bin = builder.bin(name, |out| {
            out.value(&value);
            Ok(())
        });
        bin.unwrap();
    }
    builder.finish();
    body
}

fn text(stream: &crate::stream_summary::ChunkStream) -> String {
    let mut all = vec![];
    while let Some(chunk) = stream.next_blocking().unwrap() {
        all.extend(chunk);
    }
    String::from_utf8(all).unwrap()
}

/// The bin `v` of key 1 in rows, which is 1 or 100 and in no other record.
fn in_rows(rows: &str) -> Option<i64> {
    let values = rows.split("\"v\":").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    values.into_iter().find(|value| [1, 100].contains(value))
}

/// What a read of key 1 says of its bin `v`, or a write of what it was refused for.
type Read = fn(&Arc<Namespace>) -> Option<i64>;

const READS: [(&str, Read); 7] = [
    ("get", |namespace| value(namespace, 1)),
    ("meta", |namespace| namespace.meta(SET, KEY).unwrap().and_then(|_| value(namespace, 1))),
    ("batch", |namespace| {
        let mut found = None;
        let read = namespace.get_many(SET, &[KeyRef::Integer(2), KEY], &mut |at, record| {
            if let (1, Some((_, body))) = (at, record)
                && let Some(Value::Int(n)) = BodyRef::new(body).bin("v").map(|value| value.to_value())
            {
                found = Some(n);
            }
        });
        read.unwrap();
        found
    }),
    ("scan", |namespace| in_rows(&text(&namespace.scan(ScanSpec { threads: 1, ..ScanSpec::default() }).unwrap().stream))),
    ("page", |namespace| in_rows(&text(&namespace.scan(ScanSpec { threads: 1, limit: Some(100), ..ScanSpec::default() }).unwrap().stream))),
    ("query", |namespace| {
        in_rows(&text(&namespace.query(QuerySpec { set: Some(SET.into()), threads: 1, ..QuerySpec::default() }).unwrap().stream))
    }),
    ("operate", |namespace| {
        let asked = Operate { operations: &[Operation::ReadAll], options: WriteOptions::default(), filter: None, respond_all: false };
        namespace.operate(SET, KEY, &asked).unwrap().and_then(|_| value(namespace, 1))
    }),
];

/// Has `change` of key 1 wait for its flush, and `reads` behind it: none answers before, and what each answers then is `after`. Others are
/// read meanwhile.
fn wait_for(config: NamespaceConfig, change: impl Fn(&Rig, &Namespace) + Sync, reads: &[(&'static str, Read)], after: Option<i64>) {
    let name = config.name.clone();
    let (rig, namespace) = Rig::create(config);
    for key in 1..=20 {
        rig.put(&namespace, key, key).unwrap();
    }
    let answers = Mutex::new(vec![]);
    thread::scope(|scope| {
        let gates: Vec<_> = rig.disks.iter().map(|disk| disk.hold_syncs()).collect();
        scope.spawn(|| change(&rig, &namespace));
        wait_until(|| in_flight(&namespace, 1));
        for (what, read) in reads {
            scope.spawn(|| {
                let answer = read(&namespace);
                answers.lock().push((*what, answer));
            });
        }
        wait_until(|| namespace.reads_waited() >= reads.len() as u64 || !answers.lock().is_empty());
        for key in 2..=20 {
            assert_eq!(value(&namespace, key), Some(key), "{name}");
        }
        let early = answers.lock().clone();
        let lost = value(&rig.after_power_loss(), 1);
        drop(gates);
        assert_eq!((early, lost), (vec![], Some(1)), "{name}: shown before the flush");
    });
    let answers = answers.into_inner();
    assert_eq!(answers.len(), reads.len());
    answers.iter().for_each(|(what, answer)| assert_eq!(*answer, after, "{name}: {what}"));
}

#[test]
fn a_put_is_shown_once_it_is_durable() {
    for config in engines() {
        wait_for(config, |rig, namespace| rig.put(namespace, 1, 100).unwrap(), &READS, Some(100));
    }
}

#[test]
fn a_delete_is_shown_once_it_is_durable() {
    for config in engines() {
        wait_for(config, |rig, namespace| rig.remove(namespace, 1), &READS, None);
    }
}

#[test]
fn a_delete_from_a_set_that_a_bin_places_is_shown_once_it_is_durable() {
    for config in engines() {
        let sets = vec![SetConfig { name: SET.into(), distribution_bin: Some("v".into()), ..SetConfig::default() }];
        wait_for(NamespaceConfig { sets, ..config }, |rig, namespace| rig.remove(namespace, 1), &READS, None);
    }
}

fn refused(namespace: &Namespace, options: WriteOptions) -> Option<i64> {
    Some(namespace.put(SET, KEY, &body(5, 0), &options).unwrap_err().code as i64)
}

#[test]
fn a_write_is_refused_for_what_is_durable() {
    const EXISTS: WriteOptions = WriteOptions {
        exists: Exists::CreateOnly,
        expected_generation: None,
        generation_greater: false,
        ttl: Ttl::Never,
        generation: None,
        defer_sync: false,
    };
    const FIRST: WriteOptions = WriteOptions { exists: Exists::Upsert, expected_generation: Some(1), ..EXISTS };
    let create: Read = |namespace| refused(namespace, EXISTS);
    let generation: Read = |namespace| refused(namespace, FIRST);
    let delete: Read = |namespace| Some(namespace.delete(SET, KEY, Some(1)).unwrap_err().code as i64);
    for config in engines() {
        wait_for(
            config.clone(),
            |rig, namespace| rig.put(namespace, 1, 100).unwrap(),
            &[("create", create)],
            Some(ErrorCode::RecordExists as i64),
        );
        wait_for(
            config,
            |rig, namespace| rig.put(namespace, 1, 100).unwrap(),
            &[("generation", generation), ("delete", delete)],
            Some(ErrorCode::GenerationMismatch as i64),
        );
    }
}

#[test]
fn a_delete_of_what_is_being_deleted_says_so_once_that_is_durable() {
    for config in engines() {
        let reads: [(&'static str, Read); 1] = [("delete", |namespace| namespace.delete(SET, KEY, None).unwrap().then_some(1))];
        wait_for(config, |rig, namespace| rig.remove(namespace, 1), &reads, None);
    }
}

#[test]
fn a_look_without_waiting_says_that_it_would_have_to() {
    let [device, _] = engines();
    let (rig, namespace) = Rig::create(device);
    rig.put(&namespace, 1, 1).unwrap();
    thread::scope(|scope| {
        let gate = rig.disks[0].hold_syncs();
        scope.spawn(|| rig.remove(&namespace, 1));
        wait_until(|| in_flight(&namespace, 1));
        assert_eq!(namespace.look(SET, KEY, |_, _| ()).unwrap(), Resident::Waits);
        drop(gate);
    });
    assert_eq!(namespace.look(SET, KEY, |_, _| ()).unwrap(), Resident::Absent);
}

#[test]
fn a_namespace_may_choose_to_read_the_latest() {
    for config in engines() {
        let (rig, namespace) = Rig::create(config);
        rig.put(&namespace, 1, 1).unwrap();
        namespace.update(ConfigPatch { reads: Some(Reads::Latest), ..ConfigPatch::default() }).unwrap();
        assert_eq!(rig.record().config.reads, Reads::Latest);
        thread::scope(|scope| {
            let gates: Vec<_> = rig.disks.iter().map(|disk| disk.hold_syncs()).collect();
            scope.spawn(|| rig.put(&namespace, 1, 100).unwrap());
            wait_until(|| in_flight(&namespace, 1));
            for (what, read) in READS {
                assert_eq!(read(&namespace), Some(100), "{what}");
            }
            assert_eq!(namespace.reads_waited(), 0);
            drop(gates);
        });
    }
}

#[test]
fn a_count_waits_for_what_it_has_counted() {
    for config in engines() {
        let (rig, namespace) = Rig::create(config);
        rig.put(&namespace, 1, 1).unwrap();
        let count = || {
            let spec = TallySpec {
                kind: JobKind::Count,
                set: Some(SET.into()),
                filter: None,
                sample: None,
                aggregate: None,
                use_index: UseIndex::Auto,
                plan: PlanChoice::Auto,
                threads: 1,
                records_per_second: None,
            };
            namespace.tally(spec).unwrap()
        };
        thread::scope(|scope| {
            let gates: Vec<_> = rig.disks.iter().map(|disk| disk.hold_syncs()).collect();
            scope.spawn(|| rig.put(&namespace, 2, 2).unwrap());
            wait_until(|| in_flight(&namespace, 2));
            let job = count();
            wait_until(|| namespace.reads_waited() == 1 || job.info().state.ended());
            assert!(!job.info().state.ended(), "it has counted what can vanish");
            drop(gates);
            wait_until(|| job.info().state.ended());
        });
    }
}

/// A disk without room refuses a write before it changes anything.
#[test]
fn a_write_that_a_full_disk_refuses_is_not_there() {
    let [device, _] = engines();
    let (rig, namespace) = Rig::create(device);
    let write = |n: i64| namespace.put(SET, KEY, &body(n, 100_000), &WriteOptions::default());
    write(0).unwrap();
    let full = rig.disks[0].image().len() as u64;
    rig.disks[0].set_fault(Some(Fault::Room(full)));
    // What was reserved ahead is still there. Other records take it: what is written over gives room again.
    let line = |key: i64| format!(r#"{{"key":{key},"bins":{{"filling":"{}"}}}}"#, "x".repeat(100_000));
    let fill = |key: i64| write_records(namespace.store(), SET, line(key).as_bytes(), &BatchOptions::default()).unwrap();
    assert!((1000..2000).any(|key| fill(key).rejected_total > 0));
    let error = write(1).err().unwrap();
    assert_eq!(error.code, ErrorCode::DeviceFull, "{error}");
    assert_eq!(value(&namespace, 1), Some(0));
    assert_eq!(value(&rig.after_power_loss(), 1), Some(0));
    // Deleting makes room, so it goes on.
    rig.remove(&namespace, 1);
    assert_eq!(value(&namespace, 1), None);
    rig.disks[0].set_fault(None);
    write(1).unwrap();
    assert_eq!(value(&rig.after_power_loss(), 1), Some(1));
}

/// There is no room for all lines: a batch that is all or nothing is nothing.
#[test]
fn an_atomic_batch_that_a_full_disk_refuses_is_not_there_in_part() {
    let [device, _] = engines();
    let (rig, namespace) = Rig::create(device);
    let batch = |keys: std::ops::Range<i64>, atomic: bool| {
        let line = |key: i64| format!(r#"{{"key":{key},"bins":{{"v":{key},"filling":"{}"}}}}"#, "x".repeat(50_000));
        let lines: Vec<String> = keys.map(line).collect();
        write_records(namespace.store(), SET, lines.join("\n").as_bytes(), &BatchOptions { atomic, ..BatchOptions::default() })
    };
    assert_eq!(batch(0..10, true).unwrap().written, 10);
    let full = rig.disks[0].image().len() as u64;
    rig.disks[0].set_fault(Some(Fault::Room(full)));
    let there = |keys: std::ops::Range<i64>| keys.filter(|key| value(&namespace, *key).is_some()).count();
    let (first, error) =
        (0..200).map(|n| 1000 + 40 * n).find_map(|first| batch(first..first + 40, true).err().map(|error| (first, error))).unwrap();
    assert_eq!(error.code, ErrorCode::DeviceFull, "{error}");
    assert_eq!(there(first..first + 40), 0);
    // There is room for a part of it.
    let report = batch(first..first + 40, false).unwrap();
    assert!(report.written > 0 && report.rejected_total > 0, "{} written", report.written);
    assert_eq!(there(first..first + 40) as u64, report.written);
    rig.disks[0].set_fault(None);
    assert_eq!(batch(first..first + 40, true).unwrap().written, 40);
}

/// The disk fails under a write that was taken: nobody knows what a crash would leave, so nobody is shown anything.
#[test]
fn a_write_whose_flush_fails_is_uncertain_and_so_are_reads_of_it() {
    for config in engines() {
        let (rig, namespace) = Rig::create(config);
        rig.put(&namespace, 1, 1).unwrap();
        rig.put(&namespace, 2, 2).unwrap();
        rig.disks.iter().for_each(|disk| disk.set_fault(Some(Fault::Write(EIO))));
        let error = rig.put(&namespace, 1, 100).unwrap_err();
        assert_eq!(error.code, ErrorCode::WriteUncertain, "{error}");
        let error = namespace.get(SET, KEY, &mut vec![]).unwrap_err();
        assert_eq!(error.code, ErrorCode::WriteUncertain, "{error}");
        assert_eq!(value(&namespace, 2), Some(2));
        // In a batch it is the error of its key, and the others are read.
        let mut batch = BatchReader::new(namespace.store().clone(), ReadBatch { set: SET.into(), keys: b"[2,1,3]".to_vec(), bins: None });
        let lines = String::from_utf8(batch.next_chunk().unwrap().unwrap()).unwrap();
        let lines: Vec<&str> = lines.lines().collect();
        assert!(lines[0].contains(r#""v":2"#), "{lines:?}");
        assert!(lines[1].starts_with(r#"{"key":1,"error":{"code":"write_uncertain""#), "{lines:?}");
        assert_eq!(lines[2], r#"{"key":3,"missing":true}"#);
        assert_eq!((batch.summary().returned, batch.summary().scanned, batch.summary().damaged), (1, 3, 0));
        assert_eq!(value(&rig.after_power_loss(), 1), Some(1));
        // The next is refused, and changes nothing.
        let error = rig.put(&namespace, 2, 200).unwrap_err();
        assert_eq!(error.code, ErrorCode::StorageFailed, "{error}");
        assert_eq!(value(&namespace, 2), Some(2));
        rig.disks.iter().for_each(|disk| disk.set_fault(None));
        // Tried again by who reads, or by the flusher.
        assert_eq!(value(&namespace, 1), Some(100));
        assert_eq!(value(&rig.after_power_loss(), 1), Some(100));
    }
}
