//! Indexes on a real cluster: built while servers write, asked, dropped, and left to others.

use crate::rig::{self, Opened, Raw, Records, connect, key, n};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use tessera_base::wait_until;
use tessera_core::query::{IndexUse, Order, Query, QuerySpec};
use tessera_core::sets::SetIndexState;
use tessera_core::store::remote::{Remote, RemoteIndexes};
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_record::filter::Filter;
use tessera_record::json::parse_value;
use tessera_record::{BodyBuilder, Ttl};

fn filter(text: &str) -> Option<Arc<Filter>> {
    Some(Arc::new(Filter::compile(text.as_bytes()).unwrap()))
}

/// Waits for the end of a job, which has a result then.
macro_rules! done {
    ($job:expr) => {{
        let job = $job;
        wait_until(|| job.info().state.ended());
        assert_eq!(job.info().error, None);
    }};
}

fn read(query: &Query) -> Vec<String> {
    let mut bytes = vec![];
    while let Some(chunk) = query.stream.next_blocking().unwrap() {
        bytes.extend(chunk);
    }
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(|line| line[..line.find(",\"generation").unwrap()].to_owned()).collect()
}

/// The records that a query finds, each once, and the method that found them.
fn found(namespace: &Arc<Namespace>, query: QuerySpec) -> (BTreeSet<String>, &'static str) {
    let query = namespace.query(query).unwrap();
    let lines = read(&query);
    let all: BTreeSet<String> = lines.iter().cloned().collect();
    assert_eq!(all.len(), lines.len(), "each record comes once");
    (all, query.plan.method)
}

fn put(namespace: &Namespace, number: i64, value: i64) {
    namespace.put("s", key(number), &n(number, value), &WriteOptions::default()).unwrap();
}

/// Writes records on many threads: a write waits for the cluster.
fn put_all(namespace: &Arc<Namespace>, records: i64, write: impl Fn(&Namespace, i64) + Sync) {
    let next = AtomicI64::new(0);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= records {
                        return;
                    }
                    write(namespace, number);
                }
            });
        }
    });
}

/// Queries that an index answers find what reading every row finds.
fn check_equal(namespace: &Arc<Namespace>, values: std::ops::Range<i64>) {
    for value in values {
        let text = format!(r#"{{"bin":"n","op":"eq","value":{value}}}"#);
        let query = || QuerySpec { set: Some("s".into()), filter: filter(&text), threads: 2, ..QuerySpec::default() };
        let (expected, _) = found(namespace, QuerySpec { use_index: IndexUse::Never, ..query() });
        let (keys, method) = found(namespace, QuerySpec { use_index: IndexUse::Named("n".into()), ..query() });
        assert_eq!((keys, method), (expected, "range-index"), "{value}");
    }
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn an_index_that_is_built_while_two_servers_write_has_every_record() {
    let one = Opened::new("indexed");
    let other = Opened::again("indexed");
    put_all(&one.namespace, 200, |namespace, number| put(namespace, number, number % 5));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for (opened, from) in [(&one, 0), (&other, 100), (&other, 300)] {
            let stop = &stop;
            scope.spawn(move || {
                for round in 0.. {
                    for number in from..from + 40 {
                        put(&opened.namespace, number, (number + round) % 5);
                        if stop.load(Ordering::Relaxed) {
                            return;
                        }
                    }
                }
            });
        }
        let spec = serde_json::from_str(r#"{"name":"n","set":"s","bin":"n","kind":"range","path":null}"#).unwrap();
        done!(one.namespace.create_index(spec, 4).unwrap());
        done!(other.namespace.set_index_on("s", 2).unwrap());
        stop.store(true, Ordering::Relaxed);
    });
    let ready = |opened: &Opened| {
        let sets = opened.namespace.sets();
        sets.iter().any(|set| set.index == SetIndexState::On) && opened.namespace.index("n").is_ok_and(|index| index.stats.entries >= 200)
    };
    wait_until(|| ready(&one) && ready(&other));
    check_equal(&one.namespace, 0..5);
    // An index that was dropped is asked by no server, and its name is free.
    one.namespace.drop_index("n").unwrap();
    wait_until(|| other.namespace.index_count() == 0);
    let spec = serde_json::from_str(r#"{"name":"n","set":null,"bin":"n","kind":"range","path":null}"#).unwrap();
    done!(other.namespace.create_index(spec, 4).unwrap());
    wait_until(|| one.namespace.index("n").is_ok_and(|index| index.stats.entries >= 200));
    put(&one.namespace, 1, 77);
    put(&other.namespace, 2, 77);
    one.namespace.delete("s", key(3), None).unwrap();
    check_equal(&one.namespace, 0..5);
    check_equal(&other.namespace, 77..78);
    let by_set = QuerySpec { set: Some("s".into()), ..QuerySpec::default() };
    assert_eq!(
        found(&other.namespace, by_set.clone()).0,
        found(&other.namespace, QuerySpec { use_index: IndexUse::Never, ..by_set.clone() }).0
    );
    assert_eq!(found(&one.namespace, by_set).1, "set-index");
}

/// The list of indexes, as a server finds it that starts now.
fn list_of(namespace: &str) -> Arc<RemoteIndexes> {
    let records = Records::again(connect(), namespace);
    let list = Remote::indexes(&*records);
    records.close();
    list
}

/// What the rows have of the indexes is what these make of their bodies, or more.
fn check_rows(raw: &Raw, namespace: &str, list: &RemoteIndexes) -> usize {
    let text = format!("SELECT set_name, body, terms, range_0, range_1 FROM ts_{namespace}.records");
    let rows = raw.run(&text).into_rows_result().unwrap();
    let mut there = 0;
    for row in rows.rows::<(Option<&str>, Option<&[u8]>, Option<Vec<i32>>, Option<i64>, Option<i64>)>().unwrap() {
        let (Some(set), Some(body), terms, zero, one) = row.unwrap() else { continue };
        let (expected, terms) = (list.entries(set, body), terms.unwrap_or_default());
        let lacks: Vec<_> = expected.terms.iter().filter(|term| !terms.contains(term)).collect();
        assert!(lacks.is_empty(), "{body:?} lacks {lacks:?} of {:?}", expected.terms);
        for (value, there) in expected.values.into_iter().zip([zero, one]) {
            assert!(value.flatten().is_none_or(|value| there == Some(value)), "{body:?}: {value:?}, and there is {there:?}");
        }
        there += 1;
    }
    there
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn rows_have_the_entries_of_their_last_version_whatever_races_with_builds() {
    let raw = Raw::connect();
    let one = Opened::new("raced");
    let other = Opened::again("raced");
    let write = |namespace: &Namespace, number: i64, round: i64| {
        let (mut bytes, mut encoded) = (vec![], vec![]);
        parse_value(document(number + round).as_bytes(), &mut encoded).unwrap();
        let mut record = BodyBuilder::new(&mut bytes, key(number));
        record.encoded_bin("doc", &encoded).unwrap();
        record.finish();
        let ttl = if round % 3 == 0 { Ttl::Seconds(1000) } else { Ttl::Never };
        namespace.put("s", key(number), &bytes, &WriteOptions { ttl, ..WriteOptions::default() }).unwrap();
    };
    put_all(&one.namespace, 400, |namespace, number| write(namespace, number, 0));
    for round in 0..3 {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            // Of the records, some are never written again.
            for (opened, from) in [(&one, 0), (&other, 50), (&other, 150), (&one, 200)] {
                let (stop, write) = (&stop, &write);
                scope.spawn(move || {
                    for (number, turn) in (from..from + 100).cycle().zip(round..) {
                        if stop.load(Ordering::Relaxed) {
                            return;
                        }
                        match turn % 7 {
                            0 => drop(opened.namespace.delete("s", key(number), None).unwrap()),
                            _ => write(&opened.namespace, number, turn),
                        }
                    }
                });
            }
            let create = |opened: &Opened, name: &str, kind: &str, path: &str| {
                let spec = format!(r#"{{"name":"{name}","set":null,"bin":"doc","kind":"{kind}","path":{path}}}"#);
                opened.namespace.create_index(serde_json::from_str(&spec).unwrap(), 4).unwrap()
            };
            // All at once, and in the second round with the columns of other paths.
            let path = ["\"n\"", "\"at.x\"", "\"n\""][round as usize];
            let jobs = [
                create(&one, "doc", "document", "null"),
                create(&other, "range", "range", path),
                create(&other, "more", "document", "null"),
                create(&one, "x", "range", "\"at.x\""),
            ];
            for job in jobs {
                done!(job);
            }
            stop.store(true, Ordering::Relaxed);
        });
        wait_until(|| [&one, &other].iter().all(|opened| opened.namespace.index_count() == 4));
        assert!(check_rows(&raw, "raced", &list_of("raced")) > 300);
        for name in ["doc", "range", "more", "x"] {
            one.namespace.drop_index(name).unwrap();
        }
        // Their columns are free then.
        let list = "SELECT value FROM ts_raced.about WHERE what = 'indexes'";
        wait_until(|| !raw.run(list).into_rows_result().unwrap().first_row::<(String,)>().unwrap().0.contains("dropped"));
        // By a list without indexes: it takes the terms of before away.
        (300..330).for_each(|number| write(&one.namespace, number, 1));
    }
}

/// A document with lists and maps, some of whose values are rare.
fn document(number: i64) -> String {
    let (a, b, c) = (number % 3, number % 17, number % 101);
    format!(r#"{{"kind":"k{a}","tags":["t{b}",{c},{{"deep":[{b},"x{c}"]}}],"at":{{"x":{c},"y":{{"z":"{b}"}}}},"n":{a}.5}}"#)
}

/// What documents are asked to contain.
fn wanted(number: i64) -> String {
    let (a, b, c) = (number % 3, number % 17, number % 101);
    match number % 6 {
        0 => format!(r#"{{"kind":"k{a}","at":{{"x":{c}}}}}"#),
        1 => format!(r#"{{"tags":["t{b}"]}}"#),
        2 => format!(r#"{{"tags":[{{"deep":["x{c}"]}}]}}"#),
        3 => format!(r#"{{"at":{{"y":{{"z":"{b}"}}}},"n":{a}.5}}"#),
        4 => format!(r#"{{"tags":[{c},"t{b}"]}}"#),
        _ => format!(r#"{{"kind":"k{}","tags":["t{b}"]}}"#, number % 4),
    }
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_thousand_containment_queries_find_the_rows_that_a_namespace_in_memory_finds() {
    let far = Opened::new("contained");
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let near = engine.create_namespace(NamespaceConfig::memory("near")).unwrap();
    let write = |namespace: &Namespace, number: i64| {
        let (mut bytes, mut encoded) = (vec![], vec![]);
        parse_value(document(number).as_bytes(), &mut encoded).unwrap();
        let mut record = BodyBuilder::new(&mut bytes, key(number));
        record.encoded_bin("doc", &encoded).unwrap();
        record.finish();
        namespace.put(["s", "t", ""][(number % 3) as usize], key(number), &bytes, &WriteOptions::default()).unwrap();
    };
    let next = AtomicI64::new(0);
    put_all(&far.namespace, 400, |namespace, number| {
        // Half of them before the index is there.
        if next.fetch_add(1, Ordering::Relaxed) == 200 {
            let spec = r#"{"name":"doc","set":null,"bin":"doc","kind":"document","path":null}"#;
            far.namespace.create_index(serde_json::from_str(spec).unwrap(), 4).unwrap();
        }
        write(namespace, number);
    });
    (0..400).for_each(|number| write(&near, number));
    wait_until(|| far.namespace.index("doc").is_ok_and(|index| index.stats.entries > 0));
    let mut rows = 0;
    for number in 0..1000 {
        let text = format!(r#"{{"bin":"doc","op":"contains","value":{}}}"#, wanted(number));
        let set = ["s", "t", ""].get((number % 5) as usize).map(|set| (*set).to_owned());
        let query = QuerySpec { set, filter: filter(&text), ..QuerySpec::default() };
        let (expected, _) = found(&near, query.clone());
        let (keys, method) = found(&far.namespace, QuerySpec { use_index: IndexUse::Named("doc".into()), ..query });
        assert_eq!((&keys, method), (&expected, "document-index"), "{text}");
        rows += keys.len();
    }
    assert!(rows > 1000, "{rows} rows");
    let order = Some(Order::compile(br#"{"bin":"doc","path":"at.x"}"#).unwrap());
    let first = QuerySpec {
        filter: filter(r#"{"bin":"doc","op":"contains","value":{"kind":"k1"}}"#),
        order,
        limit: Some(20),
        ..QuerySpec::default()
    };
    assert_eq!(found(&far.namespace, first.clone()).0, found(&near, first).0);
    engine.close().unwrap();
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_dropped_index_stays_until_no_walk_asks_it() {
    let raw = Raw::connect();
    let one = Opened::new("walked");
    let other = Opened::again("walked");
    let text = "x".repeat(4000);
    let write = |namespace: &Namespace, number: i64| {
        let record = rig::body(number, &[("n", tessera_record::Value::Int(1)), ("text", tessera_record::Value::String(text.clone()))]);
        namespace.put("s", key(number), &record, &WriteOptions::default()).unwrap();
    };
    put_all(&one.namespace, 600, write);
    let spec = serde_json::from_str(r#"{"name":"n","set":null,"bin":"n","kind":"range","path":null}"#).unwrap();
    done!(one.namespace.create_index(spec, 4).unwrap());
    wait_until(|| other.namespace.index("n").is_ok_and(|index| index.stats.entries == 600));
    let query =
        QuerySpec { filter: filter(r#"{"bin":"n","op":"eq","value":1}"#), use_index: IndexUse::Named("n".into()), ..QuerySpec::default() };
    // Its answer waits to be read, in the middle.
    let walk = other.namespace.query(query).unwrap();
    wait_until(|| walk.job.info().done > 0);
    one.namespace.drop_index("n").unwrap();
    let list = || {
        let rows = raw.run("SELECT value FROM ts_walked.about WHERE what = 'indexes'").into_rows_result().unwrap();
        rows.first_row::<(String,)>().unwrap().0
    };
    wait_until(|| other.namespace.index_count() == 0);
    // Writes of both servers keep it until the walk has ended.
    put_all(&one.namespace, 600, write);
    assert!(list().contains("dropped"));
    let lines = read(&walk);
    assert_eq!(lines.len(), 600);
    drop(walk);
    wait_until(|| !list().contains("dropped"));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_build_that_a_server_has_left_is_done_by_another() {
    let one = Opened::new("left");
    put_all(&one.namespace, 300, |namespace, number| put(namespace, number, number % 7));
    let other = Opened::again("left");
    let spec = serde_json::from_str(r#"{"name":"n","set":null,"bin":"n","kind":"range","path":null}"#).unwrap();
    let job = other.namespace.create_index(spec, 1).unwrap();
    drop(other);
    assert!(job.info().state.ended());
    wait_until(|| one.namespace.index("n").is_ok_and(|index| index.stats.entries == 300));
    check_equal(&one.namespace, 0..7);
}
