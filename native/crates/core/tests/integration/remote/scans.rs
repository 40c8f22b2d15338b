//! What goes over many records, against a namespace in memory that has the same.

use super::stand_in::{StandIn, config, options, put, with};
use crate::bodies::body;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tessera_base::{Error, ErrorCode, Result, wait_until};
use tessera_core::aggregate::Aggregates;
use tessera_core::export::ExportSpec;
use tessera_core::query::{Order, QuerySpec, Rows};
use tessera_core::scan::{PlanChoice, Sample, ScanSpec, TallySpec, UseIndex, VisitSpec};
use tessera_core::stream::{Pipeline, StreamSpec};
use tessera_core::{Engine, Namespace, NamespaceConfig, WriteOptions};
use tessera_jobs::chunk_stream::ChunkStream;
use tessera_jobs::load::Format;
use tessera_jobs::{Job, JobKind, JobState, LaneState};
use tessera_record::filter::Filter;
use tessera_record::{Digest, Key, KeyRef, Value};

const RECORDS: i64 = 400;
const SETS: [&str; 3] = ["s", "t", ""];

fn set_of(key: i64) -> &'static str {
    SETS[key as usize % 3]
}

/// Two namespaces with the same records, the first of which are kept elsewhere.
fn with_both(check: impl FnOnce(&Arc<Namespace>, &Arc<Namespace>, &Arc<StandIn>)) {
    let (directory, cluster) = (tempfile::tempdir().unwrap(), Arc::default());
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    let far = engine.create_namespace(config()).unwrap();
    let near = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("near") }).unwrap();
    for key in 0..RECORDS {
        let bins = [("n", Value::Int(key % 50)), ("text", Value::String(format!("{key}, \"x\"")))];
        for namespace in [&far, &near] {
            namespace.put(set_of(key), KeyRef::Integer(key), &body(KeyRef::Integer(key), &bins), &WriteOptions::default()).unwrap();
        }
    }
    cluster.paging.rows.store(7, Ordering::SeqCst);
    check(&far, &near, &cluster);
    engine.close().unwrap();
}

fn read<S>(stream: &ChunkStream<S>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next_blocking()? {
        bytes.extend(chunk);
    }
    Ok(bytes)
}

/// Lines of an answer, in any order, without the times of last update.
fn lines<S>(stream: &ChunkStream<S>) -> Vec<String> {
    let text = String::from_utf8(read(stream).unwrap()).unwrap();
    let untimed = |line: &str| match line.split_once(r#","updatedAt":"#) {
        Some((before, after)) => format!("{before}{}", &after[after.find(',').unwrap()..]),
        None => line.to_owned(),
    };
    let mut lines: Vec<String> = text.lines().map(untimed).collect();
    lines.sort_unstable();
    lines
}

fn filter() -> Option<Arc<Filter>> {
    Some(Arc::new(Filter::compile(br#"{"bin":"n","op":"lt","value":20}"#).unwrap()))
}

fn tally(kind: JobKind, set: Option<&str>, threads: u32) -> TallySpec {
    let (use_index, plan) = (UseIndex::Auto, PlanChoice::Auto);
    let set = set.map(str::to_owned);
    TallySpec { kind, set, filter: None, sample: None, aggregate: None, use_index, plan, threads, records_per_second: None }
}

fn result(job: &Arc<Job>) -> Json {
    wait_until(|| job.info().state.ended());
    let info = job.info();
    assert_eq!((info.state, info.error.map(|error| error.code)), (JobState::Done, None));
    serde_json::from_str(&info.result.unwrap()).unwrap()
}

#[test]
fn scans_find_what_a_namespace_in_memory_finds_on_any_number_of_threads() {
    with_both(|far, near, cluster| {
        for threads in 1..=8 {
            for set in [None, Some("s"), Some("")] {
                let set = set.map(str::to_owned);
                for (filter, bins) in [(None, None), (filter(), Some(vec![])), (filter(), None)] {
                    let spec = ScanSpec { set: set.clone(), filter, bins, threads, ..ScanSpec::default() };
                    let (there, here) = (far.scan(spec.clone()).unwrap(), near.scan(spec).unwrap());
                    assert!(lines(&there.stream) == lines(&here.stream), "{threads} threads");
                    let summary = there.stream.summary();
                    assert_eq!((summary.method, summary.scanned, summary.reads), ("token-ranges", RECORDS as u64, None));
                    assert_eq!((there.plan.estimated_records, there.job.info().total, summary.estimated_ms), (None, None, None));
                }
            }
            assert_eq!(cluster.paging.begun.swap(0, Ordering::SeqCst), 9, "a walk begins once");
        }
        for namespace in [far, near] {
            let unknown = namespace.scan(ScanSpec { set: Some("nobody".into()), ..ScanSpec::default() });
            assert_eq!(unknown.err().map(|error| error.code), Some(ErrorCode::SetNotFound));
        }
    });
}

#[test]
fn counts_sums_orders_streams_and_exports_come_to_the_same() {
    with_both(|far, near, _| {
        for threads in 1..=8 {
            let aggregate = || Some(Arc::new(Aggregates::compile(br#"{"all":{"op":"sum","bin":"n"},"of":{"op":"count"}}"#).unwrap()));
            for (kind, set) in [(JobKind::Count, None), (JobKind::Count, Some("t")), (JobKind::Scan, Some("t"))] {
                for (filter, aggregate) in [(None, None), (filter(), aggregate())] {
                    let spec = TallySpec { filter, aggregate, ..tally(kind, set, threads) };
                    let (there, here) = (result(&far.tally(spec.clone()).unwrap()), result(&near.tally(spec).unwrap()));
                    for figure in ["records", "bytes", "aggregate"] {
                        assert_eq!(there[figure], here[figure], "{figure}");
                    }
                    assert_eq!((there.get("reads"), there.get("estimatedMs")), (None, None));
                }
            }
            let summed = QuerySpec { aggregate: aggregate(), threads, ..QuerySpec::default() };
            assert_eq!(lines(&far.query(summed.clone()).unwrap().stream), lines(&near.query(summed).unwrap().stream));
            let mut cursors = [None, None];
            for _ in 0..3 {
                let pages = [far, near].map(|namespace| {
                    let order = Some(Order::compile(br#"{"bin":"n","desc":true}"#).unwrap());
                    let cursor = cursors[usize::from(namespace.name() == "near")].clone();
                    let spec = QuerySpec { filter: filter(), order, limit: Some(30), cursor, threads, ..QuerySpec::default() };
                    let query = namespace.query(spec).unwrap();
                    let page = read(&query.stream).unwrap();
                    (String::from_utf8(page).unwrap().matches("\"digest\"").count(), query.stream.summary().cursor)
                });
                assert_eq!(pages[0].0, 30);
                assert_eq!(pages[0].1.is_some(), pages[1].1.is_some());
                cursors = pages.map(|(_, cursor)| cursor);
            }
            let steps = json!([{"filter": {"bin": "n", "op": "lt", "value": 9}}, {"map": ["n"]}, {"sort": {"bin": "n", "limit": 1000}}]);
            for steps in [steps, json!([{"count": true}])] {
                let Ok(pipeline) = Pipeline::compile(steps.to_string().as_bytes()).map(Arc::new) else { panic!("{steps}") };
                let spec =
                    StreamSpec { set: None, segments: None, pipeline, threads, records_per_second: None, most: None, bare_count: false };
                assert_eq!(lines(&far.stream(spec.clone()).unwrap().stream), lines(&near.stream(spec).unwrap().stream));
            }
            for format in [Format::Ndjson, Format::Csv] {
                let spec = ExportSpec {
                    set: Some("s".into()),
                    filter: None,
                    format,
                    columns: None,
                    metadata: false,
                    threads,
                    ..ExportSpec::default()
                };
                assert_eq!(lines(&far.export(spec.clone()).unwrap().stream), lines(&near.export(spec).unwrap().stream));
            }
        }
        let plan = far.explain_query(&QuerySpec::default()).unwrap().to_json().unwrap();
        assert!(plan.contains("token-ranges") && !plan.contains("estimated"), "{plan}");
        let analyzed = read(&far.analyze_query(QuerySpec { filter: filter(), ..QuerySpec::default() }).unwrap().stream).unwrap();
        let analyzed: Json = serde_json::from_slice(&analyzed).unwrap();
        assert_eq!((&analyzed["actual"]["scanned"], &analyzed["actual"]["returned"]), (&json!(RECORDS), &json!(160)));
    });
}

#[test]
fn a_record_that_is_there_throughout_is_met_once_whatever_is_written_meanwhile() {
    with(|_, namespace, cluster| {
        for key in 0..300 {
            put(&namespace, key, key).unwrap();
        }
        for (rows, threads) in [(1, 1), (3, 2), (7, 4), (1, 8)] {
            cluster.paging.rows.store(rows, Ordering::SeqCst);
            let (writer, next) = (namespace.clone(), AtomicUsize::new(1000));
            cluster.paging.before(move |_| {
                // A new record, one that changes, and one that goes and comes back.
                let key = next.fetch_add(1, Ordering::SeqCst) as i64;
                put(&writer, key, key)?;
                put(&writer, key % 300, key % 300)?;
                writer.delete("s", KeyRef::Integer(300 + key % 50), None)?;
                put(&writer, 300 + key % 50, 0).map(drop)
            });
            let met = Mutex::new(BTreeMap::<Digest, usize>::new());
            let spec = VisitSpec { threads, ..VisitSpec::default() };
            let visit = |_: usize, found: &tessera_core::scan::Found<'_>| {
                *met.lock().unwrap().entry(found.digest).or_default() += 1;
                ControlFlow::Continue(())
            };
            namespace.scan_visit(&spec, &visit).unwrap();
            let met = met.into_inner().unwrap();
            assert!((0..300).all(|key| met.get(&Digest::of("s", KeyRef::Integer(key))) == Some(&1)), "{rows} rows, {threads} threads");
            assert!(met.values().all(|&times| times == 1));
            *cluster.paging.before.lock().unwrap() = None;
        }
    });
}

#[test]
fn an_export_goes_on_behind_any_row() {
    with_both(|far, _, cluster| {
        let export = |after: Option<Digest>| {
            let spec = ExportSpec { resumable: true, after, threads: 4, ..ExportSpec::default() };
            let export = far.export(spec).unwrap();
            let text = String::from_utf8(read(&export.stream).unwrap()).unwrap();
            (text.lines().map(str::to_owned).collect::<Vec<_>>(), export.id.unwrap())
        };
        let lost: Vec<Digest> = [0, 1, 5].map(|key| Digest::of(set_of(key), KeyRef::Integer(key))).into();
        cluster.paging.damaged.lock().unwrap().extend(&lost);
        let (all, id) = export(None);
        assert_eq!(all.len(), RECORDS as usize);
        assert!(id.ends_with("-tokens"), "{id}");
        let digest_of = |line: &str| {
            let value: Json = serde_json::from_str(line).unwrap();
            let text = value["digest"].as_str().or_else(|| value["error"]["digest"].as_str()).unwrap().to_owned();
            Digest(std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()))
        };
        for (at, line) in
            all.iter().enumerate().step_by(17).chain(all.iter().enumerate().filter(|(_, line)| lost.contains(&digest_of(line))))
        {
            assert_eq!(export(Some(digest_of(line))).0, all[at + 1..], "{line}");
        }
        let spec = ExportSpec { after: Some(lost[0]), id: Some(id.replace("tokens", "digests")), ..ExportSpec::default() };
        assert_eq!(far.export(spec).err().map(|error| error.code), Some(ErrorCode::CursorInvalid));
    });
}

#[test]
fn a_page_that_fails_fails_the_job_with_its_code() {
    with_both(|far, _, cluster| {
        for (failing, threads) in [(0, 1), (9, 1), (20, 4)] {
            cluster.paging.read.store(0, Ordering::SeqCst);
            cluster.paging.before(move |page| match page {
                page if page == failing => Err(Error::new(ErrorCode::ClusterUnavailable, "no node answers")),
                _ => Ok(()),
            });
            let scan = far.scan(ScanSpec { threads, ..ScanSpec::default() }).unwrap();
            assert_eq!(read(&scan.stream).unwrap_err().code, ErrorCode::ClusterUnavailable);
            assert_eq!((scan.job.info().state, scan.job.info().error.unwrap().code.as_str()), (JobState::Failed, "cluster_unavailable"));
            assert!(threads > 1 || cluster.paging.read.load(Ordering::SeqCst) == failing + 1, "no page is asked for twice");
            *cluster.paging.before.lock().unwrap() = None;
            assert_eq!(result(&far.tally(tally(JobKind::Count, None, threads)).unwrap())["records"], RECORDS);
        }
        cluster.away.store(true, Ordering::SeqCst);
        let failed = far.scan_visit(&VisitSpec::default(), &|_, _| ControlFlow::Continue(()));
        assert_eq!(failed.unwrap_err().code, ErrorCode::ClusterUnavailable);
        let csv = ExportSpec {
            set: None,
            filter: None,
            format: Format::Csv,
            columns: None,
            metadata: false,
            threads: 1,
            ..ExportSpec::default()
        };
        assert_eq!(far.export(csv).err().map(|error| error.code), Some(ErrorCode::ClusterUnavailable));
    });
}

#[test]
fn a_walk_ends_when_it_is_aborted_or_has_what_is_wanted() {
    with_both(|far, _, cluster| {
        let job = Arc::new(Mutex::new(None::<Arc<Job>>));
        let aborting = job.clone();
        cluster.paging.before(move |page| {
            if page == 5 {
                wait_until(|| aborting.lock().unwrap().is_some());
                aborting.lock().unwrap().take().map_or(Ok(()), |job| job.abort())?;
            }
            Ok(())
        });
        let scan = far.scan(ScanSpec::default()).unwrap();
        *job.lock().unwrap() = Some(scan.job.clone());
        assert_eq!(read(&scan.stream).unwrap_err().code, ErrorCode::Aborted);
        wait_until(|| scan.job.info().state == JobState::Aborted);
        assert_eq!(cluster.paging.read.load(Ordering::SeqCst), 6, "the page under way is the last one");
        *cluster.paging.before.lock().unwrap() = None;
        for threads in 1..=8 {
            cluster.paging.read.store(0, Ordering::SeqCst);
            cluster.paging.before(|_| Ok(()));
            let sample = Some(Sample::First(10));
            let scan = far.scan(ScanSpec { sample, threads, ..ScanSpec::default() }).unwrap();
            assert_eq!(lines(&scan.stream).len(), 10);
            assert!(cluster.paging.read.load(Ordering::SeqCst) < 30, "of some sixty pages");
            let met = AtomicUsize::new(0);
            let visit = |_: usize, _: &tessera_core::scan::Found<'_>| match met.fetch_add(1, Ordering::SeqCst) {
                0..20 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            };
            far.scan_visit(&VisitSpec { threads, ..VisitSpec::default() }, &visit).unwrap();
            assert!((21..21 + threads as usize).contains(&met.load(Ordering::SeqCst)));
        }
    });
}

#[test]
fn records_that_are_expired_or_damaged_are_not_met_and_the_latter_are_told() {
    with_both(|far, _, cluster| {
        let lost: BTreeSet<Digest> = [0, 1, 5].map(|key| Digest::of(set_of(key), KeyRef::Integer(key))).into();
        cluster.paging.damaged.lock().unwrap().extend(&lost);
        let odd = Digest::of("odd", KeyRef::Integer(-1));
        {
            let mut kept = cluster.kept.lock().unwrap();
            kept.get_mut(&Digest::of(set_of(7), KeyRef::Integer(7))).unwrap().1.expires_at = 1;
            let (_, meta, bytes) = kept[&Digest::of(set_of(8), KeyRef::Integer(8))].clone();
            kept.insert(odd, ("a/b".into(), meta, bytes));
        }
        for threads in [1, 4] {
            let scan = far.scan(ScanSpec { threads, ..ScanSpec::default() }).unwrap();
            let text = String::from_utf8(read(&scan.stream).unwrap()).unwrap();
            assert_eq!((text.lines().count(), text.matches("record_damaged").count()), (RECORDS as usize, 4));
            let info = scan.job.info();
            assert_eq!((scan.stream.summary().damaged, info.damaged, info.damage.len()), (4, 4, 4));
            assert!(lost.iter().all(|digest| text.contains(&digest.to_string())) && text.contains(&odd.to_string()));
            let of_set = far.scan(ScanSpec { set: Some("s".into()), threads, ..ScanSpec::default() }).unwrap();
            assert_eq!((read(&of_set.stream).map(drop), of_set.stream.summary().damaged), (Ok(()), 1));
        }
        assert_eq!(result(&far.tally(tally(JobKind::Count, None, 2)).unwrap())["records"], RECORDS - 4);
    });
}

#[test]
fn a_slow_job_asks_for_few_rows_and_one_that_nobody_reads_for_no_more() {
    with_both(|far, _, cluster| {
        cluster.paging.rows.store(0, Ordering::SeqCst);
        let slow = far.scan(ScanSpec { records_per_second: Some(40), ..ScanSpec::default() }).unwrap();
        wait_until(|| slow.job.info().done > 2);
        assert_eq!(cluster.paging.asked.load(Ordering::SeqCst), 2, "a twentieth of a second");
        slow.job.abort().unwrap();
        assert_eq!(read(&slow.stream).unwrap_err().code, ErrorCode::Aborted);

        let long = body(KeyRef::Integer(1), &[("b", Value::String("x".repeat(100_000)))]);
        for key in 0..200 {
            far.put("long", KeyRef::Integer(key), &long, &WriteOptions::default()).unwrap();
        }
        cluster.paging.rows.store(2, Ordering::SeqCst);
        cluster.paging.read.store(0, Ordering::SeqCst);
        cluster.paging.before(|_| Ok(()));
        let unread = far.scan(ScanSpec { set: Some("long".into()), threads: 2, ..ScanSpec::default() }).unwrap();
        wait_until(|| unread.stream.waiting().1 && unread.job.info().lanes.iter().all(|lane| lane.state == LaneState::Sending));
        assert!(cluster.paging.read.load(Ordering::SeqCst) < 60, "three hundred pages are left");
        drop(unread.stream);
        wait_until(|| unread.job.info().state == JobState::Aborted);
    });
}

#[test]
fn pages_go_on_with_the_record_that_the_last_one_ended_at() {
    with_both(|far, near, cluster| {
        for (rows, limit) in [(1, 1), (3, 7), (7, 7), (0, 13), (0, 399), (0, 400), (5, 1000)] {
            cluster.paging.rows.store(rows, Ordering::SeqCst);
            for filter in [None, filter()] {
                for set in [None, Some("t".to_owned())] {
                    let spec = ScanSpec { set, filter: filter.clone(), limit: Some(limit), ..ScanSpec::default() };
                    let (mut all, mut cursor) = (vec![], None);
                    loop {
                        let page = far.scan(ScanSpec { cursor, ..spec.clone() }).unwrap();
                        let rows = lines(&page.stream);
                        let summary = page.stream.summary();
                        assert_eq!((rows.len() as u64, summary.truncated), (summary.returned, summary.cursor.is_some()));
                        assert!(summary.cursor.is_none() || summary.returned == limit);
                        all.extend(rows);
                        cursor = summary.cursor;
                        if cursor.is_none() {
                            break;
                        }
                    }
                    all.sort_unstable();
                    let here = near.scan(ScanSpec { limit: None, ..spec }).unwrap();
                    assert!(all == lines(&here.stream), "{rows} rows, {limit} records, {} in all", all.len());
                }
            }
        }
        let first = far.scan(ScanSpec { limit: Some(10), ..ScanSpec::default() }).unwrap();
        let (_, cursor) = (lines(&first.stream), first.stream.summary().cursor);
        let elsewhere = far.scan(ScanSpec { set: Some("t".into()), limit: Some(10), cursor: cursor.clone(), ..ScanSpec::default() });
        assert_eq!(elsewhere.err().map(|error| error.code), Some(ErrorCode::CursorInvalid));
        // The record that is to come next may have gone.
        let at_next = ScanSpec { limit: Some(1), cursor: cursor.clone(), ..ScanSpec::default() };
        let next = lines(&far.scan(at_next.clone()).unwrap().stream).remove(0);
        let json: Json = serde_json::from_str(&next).unwrap();
        let key = json["key"].as_i64().unwrap();
        assert!(far.delete(set_of(key), KeyRef::Integer(key), None).unwrap());
        assert!(lines(&far.scan(at_next).unwrap().stream)[0] != next);
        let rest = lines(&far.scan(ScanSpec { cursor, ..ScanSpec::default() }).unwrap().stream);
        assert_eq!(rest.len() as i64, RECORDS - 11);
        let query = far.query(QuerySpec { set: Some("s".into()), limit: Some(5), ..QuerySpec::default() }).unwrap();
        assert_eq!((lines(&query.stream).len(), query.stream.summary().truncated), (5, true));
    });
}

#[test]
fn a_page_begins_at_a_key_and_within_a_list() {
    with_both(|far, _, cluster| {
        let from = |key| ScanSpec { set: Some(set_of(5).into()), from: Some(Key::Integer(key)), ..ScanSpec::default() };
        let rest = far.scan(from(5)).unwrap();
        let text = String::from_utf8(read(&rest.stream).unwrap()).unwrap();
        assert!(text.lines().next().unwrap().contains("\"key\":5,"), "{text}");
        assert_eq!(far.scan(from(4)).err().map(|error| (error.code, error.field)), Some((ErrorCode::RecordNotFound, Some("from".into()))));
        for key in 0..9 {
            let items = Value::List((0..20).map(|item| Value::Int(key * 100 + item)).collect());
            let bytes = body(KeyRef::Integer(key), &[("list", items)]);
            far.put("lists", KeyRef::Integer(key), &bytes, &WriteOptions::default()).unwrap();
        }
        for (rows, limit) in [(1, 7), (4, 20), (0, 33), (0, 180)] {
            cluster.paging.rows.store(rows, Ordering::SeqCst);
            let (mut all, mut cursor) = (vec![], None);
            loop {
                let unnest = Some(Arc::new(Rows::compile(Some(br#"["item"]"#), Some(br#"{"bin":"list","as":"item"}"#)).unwrap()));
                let spec = QuerySpec { set: Some("lists".into()), rows: unnest, limit: Some(limit), cursor, ..QuerySpec::default() };
                let page = far.query(spec).unwrap();
                for line in lines(&page.stream) {
                    let row: Json = serde_json::from_str(&line).unwrap();
                    all.push(row["key"].as_i64().unwrap() * 100 + row["item"].as_i64().unwrap());
                }
                cursor = page.stream.summary().cursor;
                if cursor.is_none() {
                    break;
                }
            }
            all.sort_unstable();
            let items: Vec<i64> = (0..9).flat_map(|key| (0..20).map(move |item| key * 100 + item)).collect();
            assert_eq!(all, items, "{rows} rows, {limit} items");
        }
    });
}

#[test]
fn a_page_that_fails_or_is_aborted_says_so() {
    with_both(|far, _, cluster| {
        cluster.paging.before(|page| match page {
            3 => Err(Error::new(ErrorCode::ClusterUnavailable, "no node answers")),
            _ => Ok(()),
        });
        let failed = far.scan(ScanSpec { limit: Some(100), ..ScanSpec::default() }).unwrap();
        assert_eq!(read(&failed.stream).unwrap_err().code, ErrorCode::ClusterUnavailable);
        assert_eq!((failed.job.info().state, cluster.paging.read.load(Ordering::SeqCst)), (JobState::Failed, 4));
        let slow = ScanSpec { limit: Some(300), records_per_second: Some(20), ..ScanSpec::default() };
        let aborted = far.scan(slow).unwrap();
        wait_until(|| aborted.job.info().done > 1);
        aborted.job.abort().unwrap();
        assert_eq!(read(&aborted.stream).unwrap_err().code, ErrorCode::Aborted);
    });
}

#[test]
fn a_plan_that_a_cluster_cannot_have_is_refused() {
    with_both(|far, _, _| {
        let spec = ScanSpec::default;
        let code = |spec| far.scan(spec).err().map(|error| error.code);
        assert_eq!(code(ScanSpec { use_index: UseIndex::Force, set: Some("s".into()), ..spec() }), Some(ErrorCode::IndexNotFound));
        assert_eq!(code(ScanSpec { plan: PlanChoice::SetIndex, set: Some("s".into()), ..spec() }), Some(ErrorCode::IndexNotFound));
        assert_eq!(code(ScanSpec { plan: PlanChoice::Device, ..spec() }), Some(ErrorCode::Unsupported));
        assert_eq!(code(ScanSpec { threads: 129, ..spec() }), Some(ErrorCode::ThreadsInvalid));
    });
}
