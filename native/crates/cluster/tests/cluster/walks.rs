//! Scans, counts and queries of a namespace whose records a real cluster has.

use crate::rig::{Opened, Raw, body, key, n};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::thread;
use tessera_base::{ErrorCode, wait_until};
use tessera_core::scan::{Sample, ScanSpec};
use tessera_core::{Namespace, WriteOptions};
use tessera_record::filter::Filter;
use tessera_record::{Digest, Ttl, Value};

const ROWS: i64 = 20_000;

fn load(namespace: &Namespace) {
    let next = AtomicI64::new(0);
    thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= ROWS {
                        break;
                    }
                    let set = if number % 10 == 0 { "tenth" } else { "s" };
                    namespace.put(set, key(number), &n(number, number), &WriteOptions::default()).unwrap();
                }
            });
        }
    });
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_walk_meets_each_record_once_on_any_number_of_threads() {
    let opened = Opened::new("walked");
    load(&opened.namespace);
    for threads in [1, 3, 8, 128] {
        assert_eq!(opened.meet(threads), (ROWS as usize, 0));
        assert_eq!((opened.count(None, threads), opened.count(Some("tenth"), threads)), (ROWS as usize, ROWS as usize / 10));
    }
    let filter = Some(Arc::new(Filter::compile(br#"{"bin":"n","op":"lt","value":70}"#).unwrap()));
    let tenth = ScanSpec { set: Some("tenth".into()), filter, threads: 4, ..ScanSpec::default() };
    assert_eq!(opened.scan(tenth).matches("\"set\":\"tenth\"").count(), 7);
    let sizes = Some(Arc::new(Filter::compile(br#"{"meta":"size","op":"lt","value":10}"#).unwrap()));
    assert_eq!(opened.scan(ScanSpec { filter: sizes, bins: Some(vec![]), ..ScanSpec::default() }), "");
    let sample = Some(Sample::First(5));
    assert_eq!(opened.scan(ScanSpec { sample, threads: 4, ..ScanSpec::default() }).lines().count(), 5);
    let aborted = opened.namespace.scan(ScanSpec { records_per_second: Some(100), ..ScanSpec::default() }).unwrap();
    wait_until(|| aborted.job.info().done > 0);
    aborted.job.abort().unwrap();
    let outcome = std::iter::repeat_with(|| aborted.stream.next_blocking()).find(|next| !matches!(next, Ok(Some(_)))).unwrap();
    assert_eq!(outcome.map_err(|error| error.code), Err(ErrorCode::Aborted));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_walk_in_pages_meets_each_record_once() {
    let opened = Opened::new("paged");
    for number in 0..700 {
        opened.namespace.put("s", key(number), &n(number, number), &WriteOptions::default()).unwrap();
    }
    for limit in [1, 37, 700, 1000] {
        let (mut met, mut cursor, mut pages) = (HashMap::<String, usize>::new(), None, 0);
        while pages == 0 || cursor.is_some() {
            let page = opened.namespace.scan(ScanSpec { limit: Some(limit), cursor, ..ScanSpec::default() }).unwrap();
            while let Some(chunk) = page.stream.next_blocking().unwrap() {
                let lines = String::from_utf8(chunk).unwrap();
                lines.lines().for_each(|line| *met.entry(line.to_owned()).or_default() += 1);
            }
            cursor = page.stream.summary().cursor;
            pages += 1;
        }
        assert_eq!((met.len(), pages, met.values().all(|&times| times == 1)), (700, 700_usize.div_ceil(limit as usize), true));
    }
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn records_that_stay_are_met_once_while_others_come_change_and_go() {
    let opened = Opened::new("busy");
    let namespace = &opened.namespace;
    let put = |number: i64| {
        namespace.put("s", key(number), &n(number, number), &WriteOptions::default()).unwrap();
    };
    (0..2000).for_each(put);
    let (over, next) = (AtomicBool::new(false), AtomicI64::new(10_000));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    put(number);
                    put(number % 2000);
                    namespace.delete("s", key(number - 20), None).unwrap();
                }
            });
        }
        for threads in [1, 4, 16, 1, 4, 16] {
            let met = opened.met(threads);
            assert!((0..2000).all(|number| met.get(&number) == Some(&1)), "{threads} threads");
            assert!(met.values().all(|&times| times == 1));
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn large_records_and_those_that_are_gone_or_damaged() {
    let opened = Opened::new("mixed");
    let namespace = &opened.namespace;
    let long = Value::String("x".repeat(900_000));
    for number in 0..60 {
        let bins = [("n", Value::Int(number)), ("long", long.clone())];
        namespace.put("large", key(number), &body(number, &bins), &WriteOptions::default()).unwrap();
    }
    for number in 100..400 {
        namespace.put("s", key(number), &n(number, number), &WriteOptions::default()).unwrap();
    }
    for number in 100..200 {
        namespace.delete("s", key(number), None).unwrap();
    }
    let brief = WriteOptions { ttl: Ttl::Seconds(1), ..WriteOptions::default() };
    namespace.put("s", key(500), &n(500, 500), &brief).unwrap();
    wait_until(|| namespace.meta("s", key(500)).unwrap().is_none());
    for threads in [1, 8] {
        assert_eq!((opened.meet(threads), opened.count(Some("large"), threads)), ((260, 0), 60));
    }
    // Not by a compare-and-set, as no caller can: a row without its generation, and one of no version.
    let raw = Raw::connect();
    raw.run(&format!("DELETE generation FROM ts_mixed.records WHERE digest = 0x{}", Digest::of("s", key(300))));
    raw.run(&format!("DELETE write_id FROM ts_mixed.records WHERE digest = 0x{}", Digest::of("s", key(301))));
    let told = AtomicUsize::new(0);
    let scan = namespace.scan(ScanSpec { set: Some("s".into()), threads: 4, ..ScanSpec::default() }).unwrap();
    while let Some(chunk) = scan.stream.next_blocking().unwrap() {
        told.fetch_add(String::from_utf8(chunk).unwrap().matches("record_damaged").count(), Ordering::Relaxed);
    }
    let summary = scan.stream.summary();
    assert_eq!((summary.returned, summary.damaged, told.into_inner()), (198, 1, 1));
    assert_eq!(namespace.meta("s", key(301)).unwrap(), None);
}
