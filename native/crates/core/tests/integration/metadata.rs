//! What a scan asks of a record beside its bins, parts of the records, and figures over them: on both engines alike.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use crate::pages::paged;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_core::aggregate::Aggregates;
use tessera_core::exchange::{Form, read_record};
use tessera_core::namespace::{Operate, RecordName};
use tessera_core::query::QuerySpec;
use tessera_core::scan::{PlanChoice, Sample, ScanSpec, TallySpec, UseIndex};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_jobs::{JobKind, JobState};
use tessera_record::filter::Filter;
use tessera_record::{KeyRef, Operation, Ttl, Value};

const LONG: Duration = Duration::from_secs(120);
const RECORDS: i64 = 3000;

/// A filter, and the numbers that it holds of.
type Case = (Json, fn(i64) -> bool);

struct Store {
    namespace: Arc<Namespace>,
    _engine: Arc<Engine>,
    _directory: tempfile::TempDir,
}

/// Numbers 0 to 2,999 by turns in no set, `a` and `b`: each second written twice, each fifth expires, each tenth large, each
/// seventh with a text for a number.
fn stores() -> Vec<Store> {
    let device = DeviceConfig { flush_interval_ms: 10, post_write_cache_bytes: 0, ..DeviceConfig::default() };
    let configs = [NamespaceConfig::memory("m"), NamespaceConfig::device("d", device), paged("p", 4096)];
    let store = |config| {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig { segments: 16, ..config }).unwrap();
        for n in 0..RECORDS {
            let value = if n % 7 == 0 { Value::String("none".into()) } else { Value::Int(n) };
            let filling = Value::String("x".repeat(if n % 10 == 0 { 2000 } else { 10 }));
            let text = format!("key-{n}");
            let key = if n % 4 == 3 { KeyRef::String(&text) } else { KeyRef::Integer(n) };
            let ttl = if n % 5 == 0 { Ttl::Seconds(5000) } else { Ttl::Never };
            let body = body(key, &[("n", value), ("real", Value::Double(n as f64 / 2.0)), ("mod", Value::Int(n % 13)), ("fill", filling)]);
            for _ in 0..=(n % 2) {
                let options = WriteOptions { ttl, defer_sync: true, ..WriteOptions::default() };
                namespace.put(["", "a", "b"][n as usize % 3], key, &body, &options).unwrap();
            }
        }
        namespace.set_index_on("a", 2).unwrap().wait_blocking(LONG);
        Store { namespace, _engine: engine, _directory: directory }
    };
    configs.into_iter().map(store).collect()
}

fn filter(json: &Json) -> Option<Arc<Filter>> {
    Some(Arc::new(Filter::compile(json.to_string().as_bytes()).unwrap()))
}

fn aggregate(json: &Json) -> Option<Arc<Aggregates>> {
    Some(Arc::new(Aggregates::compile(json.to_string().as_bytes()).unwrap()))
}

/// The lines that a scan brings.
fn lines(namespace: &Arc<Namespace>, spec: ScanSpec) -> Vec<Json> {
    let scan = namespace.scan(spec).unwrap();
    let mut text = Vec::new();
    while let Some(chunk) = scan.stream.next_blocking().unwrap() {
        text.extend(chunk);
    }
    assert_eq!(scan.job.wait_blocking(LONG).state, JobState::Done);
    let lines = text.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// The numbers that a scan finds, by every way, which all find the same.
fn found(namespace: &Arc<Namespace>, spec: &ScanSpec) -> BTreeSet<i64> {
    let mut found = None;
    for (threads, limit) in [(1, None), (4, None), (1, Some(5000))] {
        let lines = lines(namespace, ScanSpec { threads, limit, ..spec.clone() });
        // Half of it, so that a text stands for no number.
        let numbers: BTreeSet<i64> = lines.iter().map(|line| (line["bins"]["real"].as_f64().unwrap() * 2.0) as i64).collect();
        assert_eq!(numbers.len(), lines.len());
        assert!(found.is_none_or(|found| found == numbers));
        found = Some(numbers);
    }
    found.unwrap()
}

#[test]
fn metadata_is_asked_as_bins_are() {
    for Store { namespace, .. } in stores() {
        let newest = namespace.last_write_ms().unwrap();
        let cases: &[Case] = &[
            (json!({"meta":"generation","op":"eq","value":2}), |n| n % 2 == 1),
            (json!({"meta":"generation","op":"in","value":[3,1]}), |n| n % 2 == 0),
            (json!({"meta":"expiresAt","op":"exists"}), |n| n % 5 == 0),
            (json!({"meta":"expiresAt","op":"gt","value":newest}), |n| n % 5 == 0),
            (json!({"meta":"expiresAt","op":"lt","value":"2200-01-01T00:00:00Z"}), |n| n % 5 == 0),
            (json!({"meta":"ttl","op":"exists","value":false}), |n| n % 5 != 0),
            (json!({"meta":"ttl","op":"le","value":5000}), |n| n % 5 == 0),
            (json!({"meta":"ttl","op":"lt","value":1000}), |_| false),
            (json!({"meta":"size","op":"gt","value":1500}), |n| n % 10 == 0),
            (json!({"meta":"updatedAt","op":"le","value":newest}), |_| true),
            (json!({"meta":"updatedAt","op":"lt","value":"2020-01-01T00:00:00.5Z"}), |_| false),
            (json!({"meta":"set","op":"eq","value":"b"}), |n| n % 3 == 2),
            (json!({"meta":"set","op":"in","value":["","b"]}), |n| n % 3 != 1),
            (json!({"meta":"key","op":"prefix","value":"key-1"}), |n| n % 4 == 3 && n.to_string().starts_with('1')),
            (json!({"meta":"key","op":"eq","value":12}), |n| n == 12),
            (json!({"meta":"key","op":"lt","value":12}), |n| n < 12 && n % 4 != 3),
            (json!({"and":[{"meta":"generation","op":"eq","value":2},{"bin":"n","op":"lt","value":100}]}), |n| {
                n % 2 == 1 && n < 100 && n % 7 != 0
            }),
            (json!({"or":[{"meta":"size","op":"gt","value":1500},{"bin":"mod","op":"eq","value":1}]}), |n| n % 10 == 0 || n % 13 == 1),
            (json!({"not":{"or":[{"meta":"generation","op":"eq","value":2},{"bin":"mod","op":"eq","value":0}]}}), |n| {
                n % 2 == 0 && n % 13 != 0
            }),
        ];
        for (wanted, holds) in cases {
            let expected: BTreeSet<i64> = (0..RECORDS).filter(|&n| holds(n)).collect();
            assert_eq!(found(&namespace, &ScanSpec { filter: filter(wanted), ..ScanSpec::default() }), expected, "{wanted}");
            let of_a: BTreeSet<i64> = expected.into_iter().filter(|n| n % 3 == 1).collect();
            for use_index in [UseIndex::Force, UseIndex::Never] {
                let spec = ScanSpec { set: Some("a".into()), filter: filter(wanted), use_index, ..ScanSpec::default() };
                assert_eq!(found(&namespace, &spec), of_a, "{wanted} in a");
            }
        }
    }
}

#[test]
fn the_remainders_of_the_digests_part_the_records() {
    for Store { namespace, .. } in stores() {
        let part = |rest: i64| {
            let rest = json!({"meta":"digest","modulo":10,"op":"eq","value":rest});
            found(&namespace, &ScanSpec { filter: filter(&rest), ..ScanSpec::default() })
        };
        let parts: Vec<BTreeSet<i64>> = (0..10).map(part).collect();
        assert_eq!(parts.iter().map(BTreeSet::len).sum::<usize>(), RECORDS as usize);
        assert_eq!(parts.iter().flatten().collect::<BTreeSet<_>>().len(), RECORDS as usize);
        assert!(parts.iter().all(|part| (200..400).contains(&part.len())), "{:?}", parts.iter().map(BTreeSet::len).collect::<Vec<_>>());
    }
}

#[test]
fn the_size_of_a_record_is_the_same_however_it_is_asked_for() {
    for Store { namespace, .. } in stores() {
        let key = KeyRef::Integer(2);
        let body = body(key, &[("fill", Value::String("y".repeat(300)))]);
        let size = lines(
            &namespace,
            ScanSpec {
                set: Some("b".into()),
                filter: filter(&json!({"meta":"key","op":"eq","value":2})),
                aggregate: aggregate(&json!({"size":{"op":"max","meta":"size"}})),
                ..ScanSpec::default()
            },
        )[0]["size"]["value"]
            .as_i64()
            .unwrap();
        let of = |size: i64| Filter::compile(json!({"meta":"size","op":"eq","value":size}).to_string().as_bytes()).unwrap();
        let read = |size: i64| {
            let filter = of(size);
            let form = Form { filter: Some(&filter), ..Form::default() };
            read_record(namespace.store(), "b", RecordName::Key(key), &form, &mut vec![]).unwrap()
        };
        let operate = |size: i64| {
            let filter = of(size);
            let operations = [Operation::ReadAll];
            let options = WriteOptions::default();
            let asked = Operate { operations: &operations, options, filter: Some(&filter), respond_all: false };
            namespace.operate("b", key, &asked).is_ok()
        };
        let write = |size: i64| namespace.put_if("b", key, &body, &WriteOptions::default(), Some(&of(size))).is_ok();
        assert!(read(size) && operate(size) && !read(size + 1) && !operate(size + 1) && !write(size + 1));
        assert!(write(size));
    }
}

#[test]
fn what_is_decided_by_metadata_is_not_read() {
    let store = stores().into_iter().find(|store| store.namespace.name() == "d").unwrap();
    let namespace = &store.namespace;
    namespace.sync().unwrap();
    let reads = || namespace.device_report().unwrap().gauge.disks.iter().map(|disk| disk.counters.reads.count).sum::<u64>();
    assert_eq!(found(namespace, &ScanSpec::default()).len(), RECORDS as usize);
    let before = reads();
    assert!(before > 0);
    let none = json!({"and":[{"meta":"generation","op":"gt","value":9},{"bin":"n","op":"eq","value":1}]});
    // By the block all would be read.
    let by_slot = ScanSpec { plan: PlanChoice::SetColumn, filter: filter(&none), ..ScanSpec::default() };
    assert_eq!(found(namespace, &by_slot).len(), 0);
    let sizes = json!({"all":{"op":"count"},"bytes":{"op":"sum","meta":"size"}});
    let spec = ScanSpec { aggregate: aggregate(&sizes), ..ScanSpec::default() };
    assert_eq!(lines(namespace, spec)[0]["all"]["value"], json!(RECORDS));
    assert_eq!(reads(), before);
}

#[test]
fn a_share_is_the_same_for_the_same_seed_and_about_as_large_as_asked() {
    let of = |share: f64, seed: u64| ScanSpec { sample: Some(Sample::Share { share, seed }), ..ScanSpec::default() };
    let mut shares = vec![];
    for Store { namespace, .. } in stores() {
        let some = found(&namespace, &of(0.1, 1));
        assert!((200..400).contains(&some.len()), "{}", some.len());
        assert_ne!(some, found(&namespace, &of(0.1, 2)));
        // Of a smaller share each is in the larger one.
        assert!(found(&namespace, &of(0.05, 1)).is_subset(&some));
        assert_eq!(found(&namespace, &of(1.0, 1)).len(), RECORDS as usize);
        let odd = json!({"meta":"generation","op":"eq","value":2});
        let odd = found(&namespace, &ScanSpec { filter: filter(&odd), ..of(0.1, 1) });
        assert_eq!(odd, some.iter().copied().filter(|n| n % 2 == 1).collect());
        let of_a = found(&namespace, &ScanSpec { set: Some("a".into()), use_index: UseIndex::Force, ..of(0.1, 1) });
        assert_eq!(of_a, some.iter().copied().filter(|n| n % 3 == 1).collect());
        shares.push(some);
    }
    assert_eq!(shares[0], shares[1]);
}

#[test]
fn the_first_are_as_many_as_asked() {
    for Store { namespace, .. } in stores() {
        for (first, threads, wanted) in [(1, 1, 1), (100, 4, 100), (2999, 3, 2999), (5000, 2, RECORDS)] {
            let spec = ScanSpec { sample: Some(Sample::First(first)), threads, ..ScanSpec::default() };
            assert_eq!(lines(&namespace, spec.clone()).len() as i64, wanted);
            let counted = lines(&namespace, ScanSpec { aggregate: aggregate(&json!({"n":{"op":"count"}})), ..spec });
            assert_eq!(counted, [json!({"n":{"value":wanted}})]);
        }
        let large = json!({"meta":"size","op":"gt","value":1500});
        let spec = ScanSpec { filter: filter(&large), sample: Some(Sample::First(7)), ..ScanSpec::default() };
        let rows = lines(&namespace, spec.clone());
        assert_eq!(rows.len(), 7);
        assert!(rows.iter().all(|row| row["bins"]["real"].as_f64().unwrap() % 5.0 == 0.0));
        assert_eq!(namespace.scan(ScanSpec { limit: Some(1), ..spec }).err().unwrap().code, ErrorCode::SampleInvalid);
    }
}

#[test]
fn figures_are_those_of_the_records() {
    let wanted = json!({
        "all": {"op":"count"},
        "with": {"op":"count","bin":"none"},
        "sum": {"op":"sum","bin":"n"},
        "least": {"op":"min","bin":"n"},
        "most": {"op":"max","bin":"real"},
        "mean": {"op":"avg","bin":"real"},
        "kinds": {"op":"distinct","bin":"mod"},
        "by": {"op":"histogram","bin":"mod","bounds":[0,5,12]},
        "wide": {"op":"histogram","bin":"n","width":1000},
        "even": {"op":"histogram","bin":"real","buckets":3,"min":0,"max":1500},
        "written": {"op":"max","meta":"generation"},
    });
    let numbers: Vec<i64> = (0..RECORDS).filter(|n| n % 7 != 0).collect();
    let texts = RECORDS - numbers.len() as i64;
    let within = |from: i64, to: i64| numbers.iter().filter(|n| (from..to).contains(n)).count();
    let below = |bound: i64| (0..RECORDS).filter(|n| n % 13 < bound).count() as i64;
    let expected = json!({
        "all": {"value":RECORDS},
        "with": {"value":0,"missing":RECORDS},
        "sum": {"value":numbers.iter().sum::<i64>(),"numbers":numbers.len(),"others":texts,"missing":0},
        "least": {"value":1,"numbers":numbers.len(),"others":texts,"missing":0},
        "most": {"value":1499.5,"numbers":RECORDS,"others":0,"missing":0},
        "mean": {"value":749.75,"numbers":RECORDS,"others":0,"missing":0},
        "kinds": {"value":13,"missing":0},
        "by": {"buckets":[{"from":0,"to":5,"count":below(5)},{"from":5,"to":12,"count":RECORDS-below(5)}],"below":0,"above":0,"numbers":RECORDS,"others":0,"missing":0},
        "wide": {"buckets":[{"from":0,"to":1000,"count":within(0,1000)},{"from":1000,"to":2000,"count":within(1000,2000)},{"from":2000,"to":3000,"count":within(2000,3000)}],
            "below":0,"above":0,"numbers":numbers.len(),"others":texts,"missing":0},
        "even": {"buckets":[{"from":0,"to":500,"count":1000},{"from":500,"to":1000,"count":1000},{"from":1000,"to":1500,"count":1000}],
            "below":0,"above":0,"numbers":RECORDS,"others":0,"missing":0},
        "written": {"value":2,"numbers":RECORDS,"others":0,"missing":0},
    });
    for Store { namespace, .. } in stores() {
        for threads in [1, 3] {
            assert_eq!(
                lines(&namespace, ScanSpec { aggregate: aggregate(&wanted), threads, ..ScanSpec::default() }),
                std::slice::from_ref(&expected)
            );
            let query = namespace.query(QuerySpec { aggregate: aggregate(&wanted), threads, ..QuerySpec::default() }).unwrap();
            let answer: Json = serde_json::from_slice(&query.stream.next_blocking().unwrap().unwrap()).unwrap();
            assert_eq!(answer, expected);
            for kind in [JobKind::Scan, JobKind::Count] {
                let spec = TallySpec {
                    kind,
                    set: None,
                    filter: None,
                    sample: None,
                    aggregate: aggregate(&wanted),
                    use_index: UseIndex::Auto,
                    plan: PlanChoice::Auto,
                    threads,
                    records_per_second: None,
                };
                let done = namespace.tally(spec.clone()).unwrap().wait_blocking(LONG);
                let result: Json = serde_json::from_str(&done.result.unwrap()).unwrap();
                assert_eq!((&result["aggregate"], &result["records"]), (&expected, &json!(RECORDS)));
                let first = namespace.tally(TallySpec { sample: Some(Sample::First(10)), ..spec }).unwrap().wait_blocking(LONG);
                let result: Json = serde_json::from_str(&first.result.unwrap()).unwrap();
                assert_eq!((&result["aggregate"]["all"]["value"], &result["records"]), (&json!(10), &json!(10)));
            }
        }
        let limited = ScanSpec { aggregate: aggregate(&wanted), limit: Some(1), ..ScanSpec::default() };
        assert_eq!(namespace.scan(limited).err().unwrap().code, ErrorCode::AggregateInvalid);
        let narrow = ScanSpec { aggregate: aggregate(&json!({"h":{"op":"histogram","bin":"real","width":0.01}})), ..ScanSpec::default() };
        assert_eq!(lines(&namespace, narrow)[0]["h"]["buckets"].as_array().unwrap().len(), RECORDS as usize);
    }
}

#[test]
fn sums_past_what_json_readers_hold_are_given_as_text_too() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("m") }).unwrap();
    for n in 0..3 {
        let key = KeyRef::Integer(n);
        namespace.put("", key, &body(key, &[("n", Value::Int(i64::MAX))]), &WriteOptions::default()).unwrap();
    }
    let wanted = json!({"sum":{"op":"sum","bin":"n"},"max":{"op":"max","bin":"n"},"none":{"op":"avg","bin":"x"}});
    let scan = namespace.scan(ScanSpec { aggregate: aggregate(&wanted), ..ScanSpec::default() }).unwrap();
    let text = String::from_utf8(scan.stream.next_blocking().unwrap().unwrap()).unwrap();
    assert!(text.contains(r#""sum":{"value":27670116110564327421,"exact":"27670116110564327421""#), "{text}");
    assert!(text.contains(r#""exact":"9223372036854775807""#), "{text}");
    assert!(text.contains(r#""none":{"value":null,"missing":3,"numbers":0"#), "{text}");
}
