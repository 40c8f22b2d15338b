//! Indexes of records that are kept elsewhere: built, asked and dropped.

use super::stand_in::{StandIn, config, n, options, put, with};
use crate::bodies::body;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::{ErrorCode, wait_until};
use tessera_core::query::{IndexUse, Order, QuerySpec};
use tessera_core::scan::{PlanChoice, ScanSpec, UseIndex, VisitSpec};
use tessera_core::sets::SetIndexState;
use tessera_core::store::remote::{Ask, RemoteIndexState};
use tessera_core::{Engine, Namespace, SetConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec, IndexState};
use tessera_jobs::{Job, JobState};
use tessera_record::filter::Filter;
use tessera_record::json::parse_value;
use tessera_record::{BodyBuilder, KeyRef};

fn spec(name: &str, set: Option<&str>, bin: Option<&str>, kind: IndexKind) -> IndexSpec {
    IndexSpec { name: name.into(), set: set.map(str::to_owned), bin: bin.map(str::to_owned), kind, path: None, created_at_ms: 0 }
}

fn ended(job: &Arc<Job>) -> JobState {
    wait_until(|| job.info().state.ended());
    job.info().state
}

fn build(namespace: &Arc<Namespace>, spec: IndexSpec) {
    assert_eq!(ended(&namespace.create_index(spec, 3).unwrap()), JobState::Done);
}

fn filter(text: &str) -> Option<Arc<Filter>> {
    Some(Arc::new(Filter::compile(text.as_bytes()).unwrap()))
}

/// A record with a number, a string and a document, some of which lack something.
fn write(namespace: &Namespace, key: i64) {
    let mut bytes = Vec::new();
    let mut record = BodyBuilder::new(&mut bytes, KeyRef::Integer(key));
    let mut bin = |name: &str, json: String| {
        let mut encoded = Vec::new();
        parse_value(json.as_bytes(), &mut encoded).unwrap();
        record.encoded_bin(name, &encoded).unwrap();
    };
    bin("n", if key % 5 == 0 { format!("{key}.5") } else { key.to_string() });
    if key % 3 > 0 {
        bin("text", format!("{:?}", format!("item-{}", key % 20)));
    }
    bin("doc", format!(r#"{{"kind":"k{}","tags":["t{}","t{}"],"deep":{{"at":{}}}}}"#, key % 4, key % 7, key % 11, key % 13));
    record.finish();
    namespace.put(if key % 2 == 0 { "even" } else { "odd" }, KeyRef::Integer(key), &bytes, &WriteOptions::default()).unwrap();
}

/// The keys that a query finds, and the method that found them.
fn found(namespace: &Arc<Namespace>, query: QuerySpec) -> (BTreeSet<String>, String) {
    let asked = namespace.query(query).unwrap();
    let mut bytes = Vec::new();
    while let Some(chunk) = asked.stream.next_blocking().unwrap() {
        bytes.extend(chunk);
    }
    let text = String::from_utf8(bytes).unwrap();
    let key = |line: &str| line[..line.find(",\"generation").unwrap_or(line.len())].to_owned();
    let keys: BTreeSet<String> = text.lines().map(key).collect();
    assert_eq!(keys.len(), text.lines().count(), "each record comes once");
    (keys, asked.plan.method.to_owned())
}

const FILTERS: [(&str, &str); 12] = [
    (r#"{"bin":"n","op":"eq","value":17}"#, "range-index"),
    (r#"{"bin":"n","op":"between","value":[20,40]}"#, "range-index"),
    (r#"{"bin":"n","op":"gt","value":9990}"#, "range-index"),
    (r#"{"bin":"text","op":"prefix","value":"item-1"}"#, "range-index"),
    (r#"{"bin":"doc","op":"contains","value":{"kind":"k1","deep":{"at":5}}}"#, "document-index"),
    (r#"{"bin":"doc","op":"contains","value":{"tags":["t3","t9"]}}"#, "document-index"),
    (r#"{"bin":"doc","op":"contains","value":{"kind":"nobody"}}"#, "document-index"),
    (r#"{"bin":"n","op":"in","value":[3,5.5,8,9999]}"#, "range-index"),
    (r#"{"or":[{"bin":"n","op":"lt","value":7},{"bin":"doc","op":"contains","value":{"deep":{"at":2}}}]}"#, "indexes"),
    (r#"{"and":[{"bin":"n","op":"lt","value":90},{"bin":"doc","op":"contains","value":{"kind":"k2"}}]}"#, ""),
    (r#"{"not":{"bin":"n","op":"lt","value":90}}"#, "token-ranges"),
    (r#"{"or":[{"bin":"n","op":"lt","value":7},{"bin":"gone","op":"eq","value":2}]}"#, "token-ranges"),
];

#[test]
fn every_plan_on_a_cluster_finds_what_reading_every_row_finds() {
    with(|_, namespace, cluster| {
        (0..60).for_each(|key| write(&namespace, key));
        build(&namespace, spec("n", None, Some("n"), IndexKind::Range));
        build(&namespace, spec("text", Some("even"), Some("text"), IndexKind::Range));
        build(&namespace, spec("doc", None, Some("doc"), IndexKind::Document));
        // Those that writes keep.
        (40..120).for_each(|key| write(&namespace, key));
        namespace.delete("even", KeyRef::Integer(4), None).unwrap();
        cluster.paging.rows.store(5, Ordering::SeqCst);
        for (text, method) in FILTERS {
            for set in [None, Some("even"), Some("odd")] {
                let query = || QuerySpec { set: set.map(str::to_owned), filter: filter(text), threads: 3, ..QuerySpec::default() };
                let (expected, scanned) = found(&namespace, QuerySpec { use_index: IndexUse::Never, ..query() });
                assert_eq!(scanned, "token-ranges");
                let (keys, used) = found(&namespace, query());
                assert!(keys == expected, "{text} in {set:?} by {used}: {} of {}", keys.len(), expected.len());
                let of_text = text.contains("prefix");
                assert!(
                    method.is_empty() || used == if of_text && set != Some("even") { "token-ranges" } else { method },
                    "{text}: {used}"
                );
                // Pages, of few records each.
                let mut cursor = None;
                let mut paged = BTreeSet::new();
                loop {
                    let page = namespace.query(QuerySpec { limit: Some(3), cursor, ..query() }).unwrap();
                    let mut bytes = Vec::new();
                    while let Some(chunk) = page.stream.next_blocking().unwrap() {
                        bytes.extend(chunk);
                    }
                    let key = |line: &str| line[..line.find(",\"generation").unwrap_or(line.len())].to_owned();
                    String::from_utf8(bytes).unwrap().lines().for_each(|line| assert!(paged.insert(key(line))));
                    cursor = page.stream.summary().cursor;
                    if cursor.is_none() {
                        break;
                    }
                }
                assert!(paged == expected, "{text} in {set:?}, page by page");
            }
        }
        let order = Some(Order::compile(br#"{"bin":"n","desc":true}"#).unwrap());
        let first = QuerySpec { filter: filter(FILTERS[1].0), order, limit: Some(4), ..QuerySpec::default() };
        assert_eq!(found(&namespace, first.clone()).0, found(&namespace, QuerySpec { use_index: IndexUse::Never, ..first }).0);
        let met = cluster.sets.met.lock().unwrap().len();
        let _ = found(&namespace, QuerySpec { filter: filter(FILTERS[0].0), ..QuerySpec::default() });
        assert_eq!(cluster.sets.met.lock().unwrap().len(), met, "a walk through a part corrects no estimate");
    });
}

#[test]
fn of_what_has_to_pass_the_part_is_asked_that_brings_fewest_rows() {
    with(|_, namespace, _| {
        (0..60).for_each(|key| write(&namespace, key));
        build(&namespace, spec("n", None, Some("n"), IndexKind::Range));
        build(&namespace, spec("doc", None, Some("doc"), IndexKind::Document));
        let explain = |text: &str, use_index: IndexUse| {
            namespace.explain_query(&QuerySpec { filter: filter(text), use_index, ..QuerySpec::default() })
        };
        let both = r#"{"and":[{"bin":"n","op":"lt","value":2.5},{"bin":"doc","op":"contains","value":{"kind":"k2"}}]}"#;
        let plan = explain(both, IndexUse::Auto).unwrap();
        assert_eq!((plan.method, plan.index.as_deref(), plan.estimated_candidates), ("range-index", Some("n"), Some(3)));
        assert_eq!(plan.reason.text, "the cluster is asked by n, which brings about 3 rows");
        let tree = plan.tree.unwrap();
        assert_eq!((tree.node, tree.children[0].node, tree.children[0].estimated), ("filter", "range", Some(3)));
        let named = explain(both, IndexUse::Named("doc".into())).unwrap();
        assert_eq!((named.method, named.estimated_candidates, named.terms), ("document-index", Some(15), Some(1)));
        // Of a document, the rarest term.
        let document = r#"{"bin":"doc","op":"contains","value":{"kind":"k2","deep":{"at":12}}}"#;
        assert_eq!(explain(document, IndexUse::Auto).unwrap().estimated_candidates, Some(4));
        let either = explain(r#"{"or":[{"bin":"n","op":"eq","value":3},{"bin":"n","op":"eq","value":7}]}"#, IndexUse::Auto).unwrap();
        let tree = &either.tree.unwrap().children[0];
        assert_eq!((tree.node, tree.children.len(), either.index.as_deref()), ("or", 2, Some("n")));
        let refused = |text: &str, name: &str| explain(text, IndexUse::Named(name.into())).unwrap_err();
        let error = refused(r#"{"bin":"gone","op":"eq","value":1}"#, "n");
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("useIndex")));
        assert_eq!(refused(both, "nobody").code, ErrorCode::IndexNotFound);
    });
}

#[test]
fn a_build_waits_for_all_servers_and_an_index_is_asked_once_it_is_built() {
    with(|_, namespace, cluster| {
        (0..30).for_each(|key| write(&namespace, key));
        cluster.indexes.other_is_late.store(true, Ordering::SeqCst);
        let job = namespace.create_index(spec("n", None, Some("n"), IndexKind::Range), 2).unwrap();
        let info = || namespace.index("n").unwrap();
        assert_eq!((info().state, info().job.as_deref(), namespace.index_count()), (IndexState::Building, Some(job.id()), 1));
        let query = |use_index| QuerySpec { filter: filter(FILTERS[0].0), use_index, ..QuerySpec::default() };
        let building = namespace.explain_query(&query(IndexUse::Named("n".into()))).unwrap_err();
        assert_eq!((building.code, found(&namespace, query(IndexUse::Auto)).1.as_str()), (ErrorCode::IndexBuilding, "token-ranges"));
        assert_eq!(
            namespace.create_index(spec("n", None, Some("n"), IndexKind::Document), 1).map(drop).unwrap_err().code,
            ErrorCode::IndexExists
        );
        cluster.indexes.other_is_late.store(false, Ordering::SeqCst);
        assert_eq!(ended(&job), JobState::Done);
        assert_eq!((job.info().result.as_deref(), job.info().done), (Some(r#"{"records":30}"#), 30));
        assert_eq!((info().state, info().stats.entries), (IndexState::Ready, 30));
        assert_eq!(found(&namespace, query(IndexUse::Named("n".into()))).1, "range-index");
        // Dropped, it is asked by nobody.
        assert_eq!(namespace.drop_index("n").unwrap().spec.name, "n");
        assert_eq!((namespace.index_count(), namespace.drop_index("n").map(drop).unwrap_err().code), (0, ErrorCode::IndexNotFound));
        assert_eq!(found(&namespace, query(IndexUse::Auto)).1, "token-ranges");
        build(&namespace, spec("n", None, Some("n"), IndexKind::Range));
        assert_eq!(found(&namespace, query(IndexUse::Auto)).0.len(), 1);
    });
}

#[test]
fn a_build_that_is_aborted_leaves_no_index_and_one_that_fails_is_told() {
    with(|_, namespace, cluster| {
        (0..30).for_each(|key| write(&namespace, key));
        cluster.indexes.other_is_late.store(true, Ordering::SeqCst);
        let job = namespace.create_index(spec("a", None, Some("n"), IndexKind::Range), 2).unwrap();
        job.abort().unwrap();
        assert_eq!((ended(&job), namespace.index_count()), (JobState::Aborted, 0));
        let job = namespace.create_index(spec("b", None, Some("n"), IndexKind::Range), 2).unwrap();
        namespace.drop_index("b").unwrap();
        assert_eq!((ended(&job), namespace.index_count()), (JobState::Aborted, 0));
        cluster.indexes.other_is_late.store(false, Ordering::SeqCst);
        let away = cluster.away.clone();
        cluster.paging.before(move |_| {
            away.store(true, Ordering::SeqCst);
            Ok(())
        });
        let job = namespace.create_index(spec("c", None, Some("n"), IndexKind::Range), 1).unwrap();
        assert_eq!(ended(&job), JobState::Failed);
        assert_eq!(job.info().error.unwrap().code, "cluster_unavailable");
        assert_eq!(namespace.index("c").unwrap().state, IndexState::Failed);
        assert_eq!(
            namespace.create_index(spec("d", None, None, IndexKind::Document), 1).map(drop).unwrap_err().code,
            ErrorCode::ClusterUnavailable
        );
        cluster.away.store(false, Ordering::SeqCst);
        namespace.drop_index("c").unwrap();
        assert_eq!(namespace.create_index(spec("e", None, None, IndexKind::Range), 1).map(drop).unwrap_err().field.as_deref(), Some("bin"));
    });
}

#[test]
fn a_build_that_was_cut_off_goes_on_at_the_next_start() {
    let (directory, cluster) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    let namespace = engine.create_namespace(config()).unwrap();
    (0..30).for_each(|key| write(&namespace, key));
    cluster.indexes.other_is_late.store(true, Ordering::SeqCst);
    namespace.create_index(spec("n", None, Some("n"), IndexKind::Range), 2).unwrap();
    namespace.set_index_on("even", 1).unwrap();
    engine.close().unwrap();
    drop(namespace);
    assert!(cluster.indexes.known().listed().all(|index| index.state == RemoteIndexState::Building));

    cluster.indexes.restart();
    cluster.indexes.other_is_late.store(false, Ordering::SeqCst);
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    let namespace = engine.namespace("far").unwrap();
    wait_until(|| cluster.indexes.known().listed().all(|index| index.state == RemoteIndexState::Ready));
    assert_eq!(namespace.index("n").unwrap().stats.entries, 30);
    assert_eq!(found(&namespace, QuerySpec { filter: filter(FILTERS[0].0), ..QuerySpec::default() }).1, "range-index");
    engine.close().unwrap();
}

#[test]
fn the_index_of_a_set_is_switched_on_and_off_and_brings_its_records() {
    with(|_, namespace, cluster| {
        (0..30).for_each(|key| write(&namespace, key));
        put(&namespace, 100, 1).unwrap();
        let state = |name: &str| namespace.sets().into_iter().find(|set| set.name == name).map(|set| set.index);
        let scan = |use_index, plan| {
            let spec = ScanSpec { set: Some("even".into()), use_index, plan, threads: 2, ..ScanSpec::default() };
            let scan = namespace.scan(spec).unwrap();
            let mut rows = 0;
            while let Some(chunk) = scan.stream.next_blocking().unwrap() {
                rows += chunk.iter().filter(|&&byte| byte == b'\n').count();
            }
            (scan.stream.summary().method, rows, scan.stream.summary().scanned)
        };
        assert_eq!((state("even"), scan(UseIndex::Auto, PlanChoice::Auto)), (Some(SetIndexState::Off), ("token-ranges", 15, 31)));
        let job = namespace.set_index_on("even", 2).unwrap();
        assert_eq!((ended(&job), state("even"), state("odd")), (JobState::Done, Some(SetIndexState::On), Some(SetIndexState::Off)));
        assert_eq!(namespace.set_index_on("even", 2).map(drop).unwrap_err().code, ErrorCode::IndexExists);
        for (use_index, plan) in
            [(UseIndex::Auto, PlanChoice::Auto), (UseIndex::Force, PlanChoice::Auto), (UseIndex::Auto, PlanChoice::SetIndex)]
        {
            assert_eq!(scan(use_index, plan), ("set-index", 15, 15));
        }
        assert_eq!(scan(UseIndex::Never, PlanChoice::Auto).0, "token-ranges");
        // A query asks by it, or by an index of values that brings fewer.
        let query = |text: &str| found(&namespace, QuerySpec { set: Some("even".into()), filter: filter(text), ..QuerySpec::default() }).1;
        assert_eq!(query(FILTERS[0].0), "set-index");
        let visited = std::sync::Mutex::new(0);
        let visit = VisitSpec { set: Some("even".into()), threads: 2, use_index: UseIndex::Auto, plan: PlanChoice::Auto, bodies: false };
        namespace
            .scan_visit(&visit, &|_, _| {
                *visited.lock().unwrap() += 1;
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(visited.into_inner().unwrap(), 15);
        write(&namespace, 32);
        assert_eq!(scan(UseIndex::Force, PlanChoice::Auto), ("set-index", 16, 16));
        // A set with so many records is read with all others, unless the index is asked for.
        cluster.sets.wrong.lock().unwrap().insert("even".into(), 1_000_000);
        assert_eq!(scan(UseIndex::Auto, PlanChoice::Auto).0, "token-ranges");
        cluster.sets.wrong.lock().unwrap().insert("even".into(), 1_000_000);
        assert_eq!(scan(UseIndex::Force, PlanChoice::Auto).0, "set-index");
        namespace.set_index_off("even").unwrap();
        assert_eq!(
            (state("even"), namespace.set_index_off("even").unwrap_err().code),
            (Some(SetIndexState::Off), ErrorCode::IndexNotFound)
        );
        let made = namespace.create_set(&SetConfig { name: "new".into(), index: true, ..SetConfig::default() }).unwrap();
        assert_ne!(made.index, SetIndexState::Off);
        wait_until(|| state("new") == Some(SetIndexState::On));
    });
}

#[test]
fn a_document_with_many_terms_costs_few_probes_and_many_alternatives_none() {
    with(|_, namespace, cluster| {
        (0..30).for_each(|key| write(&namespace, key));
        build(&namespace, spec("doc", None, Some("doc"), IndexKind::Document));
        build(&namespace, spec("n", None, Some("n"), IndexKind::Range));
        let wide: Vec<String> = (0..200).map(|at| format!(r#""f{at}":{at}"#)).collect();
        let query = |text: &str| found(&namespace, QuerySpec { filter: filter(text), ..QuerySpec::default() });
        let (keys, method) = query(&format!(r#"{{"bin":"doc","op":"contains","value":{{{}}}}}"#, wide.join(",")));
        assert_eq!((keys.len(), method.as_str()), (0, "document-index"));
        let probed: Vec<Ask> = std::mem::take(&mut cluster.indexes.probed.lock().unwrap());
        assert_eq!(probed.len(), 16);
        let many: Vec<String> = (0..40).map(|n| n.to_string()).collect();
        let (keys, method) = query(&format!(r#"{{"bin":"n","op":"in","value":[{}]}}"#, many.join(",")));
        assert_eq!((keys.len(), method.as_str()), (24, "token-ranges"));
    });
}

#[test]
fn what_is_written_is_what_is_asked_for() {
    with(|_, namespace, _| {
        build(&namespace, spec("n", None, Some("n"), IndexKind::Range));
        put(&namespace, 1, 5).unwrap();
        let by = |value: i64| {
            let text = format!(r#"{{"bin":"n","op":"eq","value":{value}}}"#);
            found(&namespace, QuerySpec { filter: filter(&text), use_index: IndexUse::Named("n".into()), ..QuerySpec::default() }).0.len()
        };
        assert_eq!((by(5), by(6)), (1, 0));
        put(&namespace, 1, 6).unwrap();
        assert_eq!((by(5), by(6)), (0, 1));
        namespace.put("s", KeyRef::Integer(1), &body(KeyRef::Integer(1), &[]), &WriteOptions::default()).unwrap();
        assert_eq!((by(5), by(6)), (0, 0));
        namespace.put("s", KeyRef::Integer(1), &n(1, 5), &WriteOptions::default()).unwrap();
        assert_eq!(by(5), 1);
    });
}
