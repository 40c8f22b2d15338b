//! Scans: what they return, by which way, in which order, and what happens to them while they run.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_core::scan::{PlanChoice, Scan, ScanFormat, ScanMethod, ScanSpec, TallySpec, UseIndex, VisitSpec};
use tessera_core::sets::SetIndexState;
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_jobs::{JobKind, JobPatch, JobState};
use tessera_record::filter::Filter;
use tessera_record::{KeyRef, Value};

const LONG: Duration = Duration::from_secs(120);

fn open() -> (tempfile::TempDir, Arc<Engine>, Arc<Namespace>) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 16, ..NamespaceConfig::memory("a") }).unwrap();
    (directory, engine, namespace)
}

fn encoded(key: KeyRef<'_>, n: i64) -> Vec<u8> {
    body(key, &[("n", Value::Int(n)), ("even", Value::Bool(n % 2 == 0))])
}

fn put(namespace: &Namespace, set: &str, n: i64) {
    let key = KeyRef::Integer(n);
    namespace.put(set, key, &encoded(key, n), &WriteOptions::default()).unwrap();
}

/// Every number that a scan returns, in its order.
fn read(scan: &Scan) -> Vec<i64> {
    let mut text = Vec::new();
    while let Some(chunk) = scan.stream.next_blocking().unwrap() {
        text.extend(chunk);
    }
    let lines = text.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice::<serde_json::Value>(line).unwrap()["key"].as_i64().unwrap()).collect()
}

fn of(set: &str) -> ScanSpec {
    ScanSpec { set: Some(set.to_owned()), ..ScanSpec::default() }
}

#[test]
fn every_way_finds_the_same_records() {
    let (_directory, _engine, namespace) = open();
    for n in 0..5000 {
        put(&namespace, ["", "a", "b"][n as usize % 3], n);
    }
    let wanted: BTreeSet<i64> = (0..5000).filter(|n| n % 3 == 1).collect();
    let job = namespace.set_index_on("a", 2).unwrap();
    assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
    assert_eq!(namespace.set_index_on("a", 2).err().unwrap().code, ErrorCode::IndexExists);
    for (use_index, method) in [(UseIndex::Force, ScanMethod::SetIndex), (UseIndex::Never, ScanMethod::SetColumn)] {
        for threads in [1, 4] {
            let scan = namespace.scan(ScanSpec { use_index, threads, ..of("a") }).unwrap();
            assert_eq!(scan.plan.method, method);
            let found = read(&scan);
            assert_eq!(found.len(), wanted.len());
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), wanted);
            assert_eq!(scan.job.wait_blocking(LONG).state, JobState::Done);
            assert_eq!(scan.stream.summary().returned, wanted.len() as u64);
        }
    }
    assert_eq!(read(&namespace.scan(ScanSpec::default()).unwrap()).len(), 5000);
    assert_eq!(read(&namespace.scan(of("")).unwrap()).len(), 1667);
    namespace.set_index_off("a").unwrap();
    assert_eq!(namespace.set_index_off("a").unwrap_err().code, ErrorCode::IndexNotFound);
    assert_eq!(namespace.scan(ScanSpec { use_index: UseIndex::Force, ..of("a") }).err().unwrap().code, ErrorCode::IndexNotFound);
    assert_eq!(namespace.scan(of("none")).err().unwrap().code, ErrorCode::SetNotFound);
    assert_eq!(namespace.scan(ScanSpec { threads: 0, ..of("a") }).err().unwrap().code, ErrorCode::ThreadsInvalid);
}

#[test]
fn pages_follow_each_other_without_gap_or_repetition() {
    let (_directory, _engine, namespace) = open();
    for n in 0..3000 {
        put(&namespace, "a", n);
    }
    for limit in [1u64, 7, 1000, 3000, 5000] {
        let (mut seen, mut cursor, mut pages) = (Vec::new(), None, 0);
        loop {
            let scan = namespace.scan(ScanSpec { limit: Some(limit), cursor, ..of("a") }).unwrap();
            let page = read(&scan);
            let summary = scan.stream.summary();
            assert_eq!((page.len() as u64, summary.truncated), (summary.returned, summary.cursor.is_some()));
            assert!(page.len() as u64 == limit || summary.cursor.is_none());
            seen.extend(page);
            pages += 1;
            cursor = summary.cursor;
            if cursor.is_none() || (limit == 1 && pages == 50) {
                break;
            }
        }
        let distinct: BTreeSet<i64> = seen.iter().copied().collect();
        assert_eq!(distinct.len(), seen.len());
        assert_eq!(seen.len(), if limit == 1 { 50 } else { 3000 });
    }
    let cursor = namespace.scan(ScanSpec { limit: Some(1), ..of("a") }).map(|scan| {
        read(&scan);
        scan.stream.summary().cursor
    });
    let cursor = cursor.unwrap();
    // Without a limit the rest comes at once.
    let rest = namespace.scan(ScanSpec { cursor: cursor.clone(), ..of("a") }).unwrap();
    read(&rest);
    assert_eq!((rest.stream.summary().returned, rest.stream.summary().cursor), (2999, None));
    let other = namespace.scan(ScanSpec { cursor, ..ScanSpec::default() });
    assert_eq!(other.err().unwrap().code, ErrorCode::CursorInvalid);
}

#[test]
fn a_filter_and_a_choice_of_bins_shape_the_result() {
    let (_directory, _engine, namespace) = open();
    for n in 0..100 {
        put(&namespace, "a", n);
    }
    let filter = Filter::compile(br#"{"bin":"even","op":"eq","value":true}"#).unwrap();
    let scan = namespace.scan(ScanSpec { filter: Some(Arc::new(filter)), bins: Some(vec!["n".into()]), ..of("a") }).unwrap();
    let chunk = scan.stream.next_blocking().unwrap().unwrap();
    let first: serde_json::Value = serde_json::from_slice(chunk.split(|&b| b == b'\n').next().unwrap()).unwrap();
    assert_eq!(first["bins"].as_object().unwrap().keys().collect::<Vec<_>>(), ["n"]);
    assert_eq!((scan.stream.summary().returned, scan.stream.summary().scanned), (50, 100));
    let custom = ScanFormat::Custom(Arc::new(|out, _| out.push(b'.')));
    let scan = namespace.scan(ScanSpec { format: custom, ..of("a") }).unwrap();
    assert_eq!(scan.stream.next_blocking().unwrap().unwrap(), vec![b'.'; 100]);
}

/// Records so large that the stream's queue fills: the scan then waits for its reader.
fn open_large() -> (tempfile::TempDir, Arc<Engine>, Arc<Namespace>) {
    let (directory, engine, namespace) = open();
    let filling = "x".repeat(100_000);
    for n in 0..200 {
        let key = KeyRef::Integer(n);
        let value = body(key, &[("v", Value::String(filling.clone()))]);
        namespace.put("a", key, &value, &WriteOptions::default()).unwrap();
    }
    (directory, engine, namespace)
}

#[test]
fn a_dropped_stream_aborts_its_job_and_an_aborted_job_ends_its_stream() {
    let (_directory, _engine, namespace) = open_large();
    let Scan { stream, job, .. } = namespace.scan(ScanSpec { threads: 3, ..of("a") }).unwrap();
    stream.next_blocking().unwrap().unwrap();
    drop(stream);
    assert_eq!(job.wait_blocking(LONG).state, JobState::Aborted);
    let scan = namespace.scan(ScanSpec { threads: 3, ..of("a") }).unwrap();
    scan.job.abort().unwrap();
    let mut last = scan.stream.next_blocking();
    while matches!(last, Ok(Some(_))) {
        last = scan.stream.next_blocking();
    }
    assert_eq!(last.unwrap_err().code, ErrorCode::Aborted);
    assert_eq!(scan.job.wait_blocking(LONG).state, JobState::Aborted);
}

#[test]
fn a_slow_scan_can_be_hurried_and_given_more_threads() {
    let (_directory, _engine, namespace) = open();
    for n in 0..20_000 {
        put(&namespace, "a", n);
    }
    let scan = namespace.scan(ScanSpec { records_per_second: Some(100), ..of("a") }).unwrap();
    scan.job.patch(JobPatch { threads: Some(8), records_per_second: Some(0), ..JobPatch::default() }).unwrap();
    assert_eq!(read(&scan).len(), 20_000);
}

#[test]
fn the_first_rows_of_a_slow_scan_are_read_while_it_runs() {
    let (_directory, _engine, namespace) = open();
    for n in 0..500 {
        put(&namespace, "a", n);
    }
    let throttled = || ScanSpec { records_per_second: Some(5), ..of("a") };
    // A chunk has room for all 500 rows: whoever waits until it is full hands over all of them.
    for scan in [
        namespace.scan(ScanSpec { threads: 3, ..throttled() }).unwrap(),
        namespace.scan(ScanSpec { limit: Some(400), ..throttled() }).unwrap(),
        namespace.scan(ScanSpec { bins: Some(vec![]), ..throttled() }).unwrap(),
    ] {
        let rows = scan.stream.next_blocking().unwrap().unwrap().iter().filter(|&&b| b == b'\n').count();
        assert!((1..400).contains(&rows), "{rows} rows at once");
        let info = scan.job.info();
        assert_eq!(info.state, JobState::Running);
        assert!(info.done < 400, "{} records met", info.done);
    }
}

#[test]
fn a_scan_in_the_background_counts_what_it_meets() {
    let (_directory, engine, namespace) = open();
    for n in 0..3000 {
        put(&namespace, ["a", "b"][n as usize % 2], n);
    }
    let low = Arc::new(Filter::compile(br#"{"bin":"n","op":"lt","value":100}"#).unwrap());
    let spec = |kind| TallySpec {
        kind,
        set: Some("a".into()),
        filter: None,
        sample: None,
        aggregate: None,
        use_index: UseIndex::Auto,
        plan: PlanChoice::Auto,
        threads: 3,
        records_per_second: None,
    };
    let result = |spec: TallySpec| {
        let info = namespace.tally(spec).unwrap().wait_blocking(LONG);
        assert_eq!(info.state, JobState::Done);
        serde_json::from_str::<serde_json::Value>(&info.result.unwrap()).unwrap()
    };
    let bytes: usize = (0..3000).step_by(2).map(|n| encoded(KeyRef::Integer(n), n).len()).sum();
    let mut scanned = result(spec(JobKind::Scan));
    let fields = scanned.as_object_mut().unwrap();
    assert!(fields.remove("estimatedMs").is_some() && fields.remove("elapsedMs").is_some());
    assert_eq!(scanned, serde_json::json!({ "records": 1500, "scanned": 1500, "bytes": bytes }));
    assert_eq!(result(spec(JobKind::Count)), serde_json::json!({ "records": 1500, "scanned": 1500 }));
    let filtered = TallySpec { filter: Some(low), ..spec(JobKind::Count) };
    assert_eq!(result(filtered.clone()), serde_json::json!({ "records": 50, "scanned": 1500 }));
    assert_eq!(result(TallySpec { set: None, ..filtered }), serde_json::json!({ "records": 100, "scanned": 3000 }));
    assert_eq!(namespace.tally(TallySpec { set: Some("none".into()), ..spec(JobKind::Scan) }).err().unwrap().code, ErrorCode::SetNotFound);
    assert_eq!(namespace.tally(spec(JobKind::Import)).err().unwrap().code, ErrorCode::Internal);
    // Throttled to a crawl, it runs until it is hurried, or aborted.
    let slow = || TallySpec { records_per_second: Some(1), ..spec(JobKind::Count) };
    let job = namespace.tally(slow()).unwrap();
    engine.jobs().attribute(job.id(), "token").unwrap();
    job.patch(JobPatch { records_per_second: Some(0), ..JobPatch::default() }).unwrap();
    assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
    assert_eq!(engine.jobs().info(job.id()).unwrap().who.as_deref(), Some("token"));
    let job = namespace.tally(slow()).unwrap();
    job.abort().unwrap();
    assert_eq!(job.wait_blocking(LONG).state, JobState::Aborted);
    engine.jobs().attribute(job.id(), "console").unwrap();
    engine.jobs().attribute(job.id(), "token").unwrap();
    assert_eq!(engine.jobs().info(job.id()).unwrap().who.as_deref(), Some("console"));
    assert_eq!(engine.jobs().attribute("nope", "token").unwrap_err().code, ErrorCode::JobNotFound);
}

#[test]
fn records_that_live_throughout_are_met_exactly_once_while_others_come_and_go() {
    let (_directory, _engine, namespace) = open();
    const STABLE: i64 = 4000;
    for n in 0..2 * STABLE {
        put(&namespace, "a", n);
    }
    let stop = AtomicBool::new(false);
    let rounds = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for seed in 0..2i64 {
            let (namespace, stop, rounds) = (&namespace, &stop, &rounds);
            scope.spawn(move || {
                let mut n = seed;
                while !stop.load(Ordering::Relaxed) {
                    // Even numbers stay and are rewritten; odd ones come and go.
                    n = (n + 7919) % (2 * STABLE);
                    if n % 2 == 0 || rounds.fetch_add(1, Ordering::Relaxed) % 3 == 0 {
                        put(namespace, "a", n);
                    } else {
                        namespace.delete("a", KeyRef::Integer(n), None).unwrap();
                    }
                }
            });
        }
        let mut on = false;
        for round in 0..30 {
            if round % 3 == 0 {
                if on {
                    namespace.set_index_off("a").unwrap();
                } else {
                    namespace.set_index_on("a", 2).unwrap();
                }
                on = !on;
            }
            let seen = Mutex::new(Vec::new());
            let spec = VisitSpec { set: Some("a".into()), threads: 2, ..VisitSpec::default() };
            namespace
                .scan_visit(&spec, &|_, found| {
                    let KeyRef::Integer(n) = tessera_record::BodyRef::new(found.body).key() else { return ControlFlow::Break(()) };
                    seen.lock().unwrap().push(n);
                    ControlFlow::Continue(())
                })
                .unwrap();
            let mut seen = seen.into_inner().unwrap();
            seen.retain(|n| n % 2 == 0);
            seen.sort_unstable();
            assert!(seen.iter().copied().eq((0..2 * STABLE).step_by(2)), "round {round}: {} stable records", seen.len());
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_set_index_is_kept_by_every_write_and_frees_its_memory() {
    let (_directory, engine, namespace) = open();
    for n in 0..2000 {
        put(&namespace, "a", n);
    }
    namespace.set_index_on("a", 2).unwrap().wait_blocking(LONG);
    let bytes = || namespace.memory().set_indexes;
    assert!(bytes() > 0 && namespace.sets().iter().all(|set| set.index == SetIndexState::On));
    let indexed =
        || read(&namespace.scan(ScanSpec { use_index: UseIndex::Force, ..of("a") }).unwrap()).into_iter().collect::<BTreeSet<_>>();
    for n in 0..1500 {
        namespace.delete("a", KeyRef::Integer(n), None).unwrap();
    }
    for n in 5000..5100 {
        put(&namespace, "a", n);
    }
    assert_eq!(indexed(), (1500..2000).chain(5000..5100).collect());
    namespace.truncate(Some("a"), None).unwrap().wait_blocking(LONG);
    assert!(indexed().is_empty());
    put(&namespace, "a", 1);
    assert_eq!(indexed(), BTreeSet::from([1]));
    namespace.set_index_off("a").unwrap();
    assert_eq!(bytes(), 0);
    assert_eq!(engine.jobs().running_count(), 0);
}
