//! Queries against brute force: by document index, range index, route and scan, while writes and builds go on.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;
use tessera_base::{ErrorCode, Result};
use tessera_core::namespace::route_of;
use tessera_core::query::{IndexUse, QueryPlan, QuerySpec};
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec, IndexState};
use tessera_jobs::{JobPatch, JobState};
use tessera_record::filter::Filter;
use tessera_record::json::{Shape, parse_bins};
use tessera_record::{BodyBuilder, KeyRef};

use crate::documents::bare::matches_body;
use crate::pages::paged;

pub const LONG: Duration = Duration::from_secs(60);
const EMAIL: &str = r#"{"bin":"payload","op":"contains","value":{"commits":[{"author":{"email":"u7@x.org"}}]}}"#;

pub struct Store {
    engine: Arc<Engine>,
    pub namespace: Arc<Namespace>,
    directory: TempDir,
}

impl Store {
    /// The same namespace, closed and opened again.
    pub fn reopened(self) -> Result<Self> {
        let Self { engine, namespace, directory } = self;
        drop(namespace);
        engine.close()?;
        let engine = Engine::open(directory.path(), EngineOptions::default())?;
        let namespace = engine.namespace("a")?;
        Ok(Self { engine, namespace, directory })
    }
}

pub fn store(config: NamespaceConfig) -> Result<Store> {
    let directory = tempfile::tempdir().map_err(|error| tessera_base::Error::io("making a directory", &error))?;
    let engine = Engine::open(directory.path(), EngineOptions::default())?;
    let namespace = engine.create_namespace(config)?;
    Ok(Store { engine, namespace, directory })
}

/// Event `n`: every third is a push with two commits, repositories are `n % 50`.
fn event(n: i64) -> String {
    let kind = ["PushEvent", "WatchEvent", "ForkEvent"][(n % 3) as usize];
    let (a, b) = (n % 40, n % 9);
    format!(
        r#"{{"type":"{kind}","repo_id":{},"payload":{{"size":{},"commits":[{{"author":{{"email":"u{a}@x.org"}}}},{{"author":{{"email":"u{b}@x.org"}},"n":{n}}}]}}}}"#,
        n % 50,
        n % 11
    )
}

fn body(key: i64, bins: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(key));
    parse_bins(bins.as_bytes(), Shape::Record, body.bins())?;
    body.finish();
    Ok(bytes)
}

pub fn put(namespace: &Namespace, set: &str, key: i64, bins: &str) -> Result<()> {
    namespace.put(set, KeyRef::Integer(key), &body(key, bins)?, &WriteOptions::default()).map(drop)
}

pub fn document_index(name: &str) -> IndexSpec {
    IndexSpec {
        name: name.into(),
        set: Some("events".into()),
        bin: Some("payload".into()),
        kind: IndexKind::Document,
        path: None,
        created_at_ms: 0,
    }
}

pub fn range_index(name: &str, bin: &str, path: Option<&str>) -> IndexSpec {
    IndexSpec { kind: IndexKind::Range, bin: Some(bin.into()), path: path.map(Into::into), ..document_index(name) }
}

pub fn build(namespace: &Arc<Namespace>, spec: IndexSpec, threads: u32) -> Result<JobState> {
    Ok(namespace.create_index(spec, threads)?.wait_blocking(LONG).state)
}

pub fn spec(filter: &str) -> Result<QuerySpec> {
    Ok(QuerySpec {
        set: Some("events".into()),
        filter: Some(Filter::compile(filter.as_bytes())?.into()),
        threads: 2,
        ..QuerySpec::default()
    })
}

/// The integer keys that a query returns; twice the same key is a failure.
pub fn keys(namespace: &Arc<Namespace>, spec: QuerySpec) -> Result<BTreeSet<i64>> {
    let query = namespace.query(spec)?;
    let mut keys = BTreeSet::new();
    while let Some(chunk) = query.stream.next_blocking()? {
        for line in chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let record: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
            assert!(keys.insert(record["key"].as_i64().unwrap_or(-1)), "{record} came twice");
        }
    }
    assert_eq!(query.stream.summary().returned, keys.len() as u64);
    Ok(keys)
}

fn expected(filter: &str, events: impl Iterator<Item = (i64, String)>) -> Result<BTreeSet<i64>> {
    let filter = Filter::compile(filter.as_bytes())?;
    let mut keys = BTreeSet::new();
    for (key, bins) in events {
        if matches_body(&filter, &body(key, &bins)?) {
            keys.insert(key);
        }
    }
    Ok(keys)
}

fn filled(config: NamespaceConfig, rows: i64) -> Result<Store> {
    let store = store(config)?;
    (0..rows).try_for_each(|n| put(&store.namespace, "events", n, &event(n)))?;
    (0..50).try_for_each(|n| put(&store.namespace, "others", n, &event(n)))?;
    Ok(store)
}

#[test]
fn every_method_returns_what_a_brute_force_check_does() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("a") }, 3000)?;
    let namespace = &store.namespace;
    let filters = [
        (EMAIL, "document-index"),
        (
            r#"{"bin":"payload","op":"contains","value":{"commits":[{"author":{"email":"u7@x.org"}},{"author":{"email":"u2@x.org"}}]}}"#,
            "document-index",
        ),
        (
            r#"{"and":[{"bin":"type","op":"eq","value":"PushEvent"},{"bin":"payload","op":"contains","value":{"commits":[{"n":300}]}}]}"#,
            "document-index",
        ),
        (r#"{"bin":"payload","path":"size","op":"eq","value":3.0}"#, "document-index"),
        (r#"{"bin":"payload","path":"commits","op":"contains","value":[{"n":12}]}"#, "document-index"),
        (r#"{"bin":"payload","op":"contains","value":{"commits":[]}}"#, "set-column"),
        (r#"{"bin":"payload","path":"size","op":"contains","value":3}"#, "set-column"),
        (r#"{"bin":"payload","op":"contains","value":{"commits":[{"author":{"email":"nobody"}}]}}"#, "document-index"),
        (r#"{"bin":"payload","path":"size","op":"gt","value":8}"#, "range-index"),
        (
            r#"{"and":[{"bin":"payload","path":"size","op":"ge","value":2},{"bin":"payload","path":"size","op":"lt","value":2.5}]}"#,
            "range-index",
        ),
        (r#"{"bin":"payload","path":"size","op":"between","value":[2,2.5]}"#, "range-index"),
        (r#"{"bin":"type","op":"between","value":["F","Q"]}"#, "range-index"),
        (r#"{"bin":"payload","path":"size","any":"items","op":"eq","value":2}"#, "document-index"),
        (r#"{"bin":"payload","path":"commits[*].author.email","op":"eq","value":"u7@x.org"}"#, "document-index"),
        (r#"{"bin":"payload","path":"commits[-1].n","op":"in","value":[12,13,14.0]}"#, "document-index"),
        (r#"{"bin":"payload","path":"commits[*].n","op":"gt","value":2990}"#, "set-column"),
        (r#"{"bin":"payload","path":"size","all":"items","op":"eq","value":2}"#, "set-column"),
        (r#"{"bin":"payload","path":"commits","any":"items","op":"contains","value":{"n":12}}"#, "document-index"),
        (r#"{"bin":"type","op":"prefix","value":"Wat"}"#, "range-index"),
        (r#"{"bin":"type","op":"in","value":["ForkEvent"]}"#, "range-index"),
        (r#"{"bin":"type","op":"in","value":[]}"#, "range-index"),
        (r#"{"bin":"type","op":"in","value":["ForkEvent",null]}"#, "set-column"),
        (
            r#"{"or":[{"bin":"payload","op":"contains","value":{"commits":[{"n":300}]}},{"bin":"payload","path":"size","op":"lt","value":1}]}"#,
            "indexes",
        ),
        (r#"{"or":[{"bin":"payload","path":"size","op":"lt","value":1},{"bin":"type","op":"ne","value":"x"}]}"#, "set-column"),
        (r#"{"not":{"bin":"type","op":"eq","value":"ForkEvent"}}"#, "set-column"),
    ];
    let check = |indexed: bool| -> Result<()> {
        for (filter, method) in filters {
            let plan = namespace.explain_query(&spec(filter)?)?;
            assert_eq!(plan.method, if indexed { method } else { "set-column" }, "{filter}: {plan:?}");
            let found = keys(namespace, spec(filter)?)?;
            assert_eq!(found, expected(filter, (0..3000).map(|n| (n, event(n))))?, "{filter}");
            // A segment that a merge has counts as the others do, and may have more.
            let mut plans = (0..100).map(|_| namespace.explain_query(&spec(filter)?));
            let enough = |plan: Result<QueryPlan>| plan.is_ok_and(|plan| plan.estimated_candidates >= Some(found.len() as u64));
            assert!(!indexed || method == "set-column" || plans.any(enough));
        }
        Ok(())
    };
    check(false)?;
    assert_eq!(build(namespace, document_index("payload"), 2)?, JobState::Done);
    assert_eq!(build(namespace, range_index("size", "payload", Some("size")), 2)?, JobState::Done);
    assert_eq!(build(namespace, range_index("type", "type", None), 2)?, JobState::Done);
    check(true)?;
    let info = namespace.index("payload")?;
    assert_eq!((info.state, info.stats.entries > 0, info.stats.terms > 0), (IndexState::Ready, true, true));
    assert!(namespace.memory().document_indexes >= info.stats.bytes);
    Ok(())
}

#[test]
fn a_fixed_distribution_bin_asks_one_segment() -> Result<()> {
    let set = SetConfig { name: "events".into(), distribution_bin: Some("repo_id".into()), ..SetConfig::default() };
    let store = filled(NamespaceConfig { segments: 16, sets: vec![set], ..NamespaceConfig::memory("a") }, 2000)?;
    let namespace = &store.namespace;
    build(namespace, document_index("payload"), 2)?;
    for value in ["7", "7.0"] {
        let filter = format!(r#"{{"and":[{EMAIL},{{"bin":"repo_id","op":"eq","value":{value}}}]}}"#);
        let plan = namespace.explain_query(&spec(&filter)?)?;
        assert_eq!((plan.segments, plan.method), (Some(1), "document-index"));
        assert_eq!(keys(namespace, spec(&filter)?)?, expected(&filter, (0..2000).map(|n| (n, event(n))))?);
    }
    let unindexed = r#"{"bin":"repo_id","op":"eq","value":7}"#;
    assert_eq!(namespace.explain_query(&spec(unindexed)?)?.segments, Some(1));
    assert_eq!(keys(namespace, spec(unindexed)?)?.len(), 40);
    let routed = QuerySpec { route: Some(route_of(&tessera_record::sample::encode("7"))), ..spec(EMAIL)? };
    assert!(keys(namespace, routed)?.is_subset(&keys(namespace, spec(EMAIL)?)?));
    let elsewhere = QuerySpec { set: Some("others".into()), route: Some(1), ..spec(EMAIL)? };
    assert_eq!(namespace.query(elsewhere).err().map(|error| error.code), Some(ErrorCode::RouteInvalid));
    Ok(())
}

#[test]
fn pages_follow_each_other_without_gap_or_repetition() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("a") }, 1000)?;
    build(&store.namespace, document_index("payload"), 1)?;
    for filter in [EMAIL, r#"{"bin":"type","op":"ne","value":"ForkEvent"}"#] {
        let (mut all, mut cursor) = (BTreeSet::new(), None);
        loop {
            let page = QuerySpec { limit: Some(7), cursor: cursor.take(), ..spec(filter)? };
            let query = store.namespace.query(page)?;
            let mut lines = 0;
            while let Some(chunk) = query.stream.next_blocking()? {
                for line in chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                    let record: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
                    assert!(all.insert(record["key"].as_i64()));
                    lines += 1;
                }
            }
            let summary = query.stream.summary();
            assert_eq!(summary.returned, lines);
            assert_eq!(summary.truncated, summary.cursor.is_some());
            cursor = summary.cursor;
            if cursor.is_none() {
                break;
            }
            assert_eq!(lines, 7);
        }
        assert_eq!(all.len(), expected(filter, (0..1000).map(|n| (n, event(n))))?.len());
    }
    Ok(())
}

#[test]
fn writes_during_a_build_are_in_the_index() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, 4000)?;
    let namespace = &store.namespace;
    // Held back until the writer is at work, and let go while it still is.
    let job = namespace.create_index(document_index("payload"), 1)?;
    job.patch(JobPatch { paused: Some(true), ..JobPatch::default() }).unwrap_or_default();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| -> Result<()> {
        let writer = scope.spawn(|| -> Result<i64> {
            let mut round = 0;
            while !stop.load(Ordering::Relaxed) || round == 0 {
                // Every write moves an event's content on by one; every seventh key goes away, or comes new.
                for key in (0..4100).filter(|key| key % 3 == round % 3) {
                    if key % 7 == 0 {
                        namespace.delete("events", KeyRef::Integer(key), None)?;
                    } else {
                        put(namespace, "events", key, &event(key + round))?;
                    }
                }
                round += 1;
            }
            Ok(round)
        });
        job.patch(JobPatch { paused: Some(false), threads: Some(2), ..JobPatch::default() }).unwrap_or_default();
        assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap_or(Ok(0)).map(drop)
    })?;
    for email in 0..40 {
        let filter = EMAIL.replace("u7@", &format!("u{email}@"));
        let by_index = namespace.explain_query(&spec(&filter)?)?;
        assert_eq!(by_index.method, "document-index");
        let by_scan = QuerySpec { use_index: IndexUse::Never, ..spec(&filter)? };
        assert_eq!(namespace.explain_query(&by_scan)?.method, "set-column");
        assert_eq!(keys(namespace, spec(&filter)?)?, keys(namespace, by_scan)?, "{filter}");
    }
    Ok(())
}

#[test]
fn an_aborted_build_and_a_dropped_index_leave_nothing() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, 2000)?;
    let namespace = &store.namespace;
    let empty = namespace.memory().document_indexes;
    let job = namespace.create_index(document_index("payload"), 1)?;
    let exists = namespace.create_index(document_index("payload"), 1);
    assert_eq!(exists.err().map(|error| error.code), Some(ErrorCode::IndexExists));
    // The build may be faster than the abort; dropping covers both.
    if job.abort().is_ok() && job.wait_blocking(LONG).state == JobState::Aborted {
        assert_eq!(namespace.index("payload").err().map(|error| error.code), Some(ErrorCode::IndexNotFound));
        assert_eq!(namespace.memory().document_indexes, empty);
        build(namespace, document_index("payload"), 2)?;
    }
    assert!(namespace.drop_index("payload")?.stats.bytes > 0);
    assert_eq!(namespace.memory().document_indexes, empty);
    assert!(namespace.config().indexes.is_empty());
    assert_eq!(keys(namespace, spec(EMAIL)?)?, expected(EMAIL, (0..2000).map(|n| (n, event(n))))?);
    store.engine.close()
}

#[test]
fn an_index_over_a_device_is_whole_after_a_restart() -> Result<()> {
    let engine = EngineConfig::Device(DeviceConfig::default());
    indexes_are_whole_after_a_restart(NamespaceConfig {
        engine,
        segments: 4,
        durability: Durability::Relaxed,
        ..NamespaceConfig::memory("a")
    })
}

#[test]
fn an_index_over_pages_is_whole_after_a_restart() -> Result<()> {
    indexes_are_whole_after_a_restart(NamespaceConfig { segments: 4, ..paged("a", 4096) })
}

fn indexes_are_whole_after_a_restart(config: NamespaceConfig) -> Result<()> {
    let Store { engine, namespace, directory } = filled(config, 600)?;
    let events = || (0..600).filter(|n| n % 10 != 0).map(|n| (n, event(n + n % 2)));
    assert_eq!(build(&namespace, document_index("payload"), 2)?, JobState::Done);
    for n in 0..600 {
        match n % 10 {
            0 => drop(namespace.delete("events", KeyRef::Integer(n), None)?),
            _ => put(&namespace, "events", n, &event(n + n % 2))?,
        }
    }
    let check = |namespace: &Arc<Namespace>| -> Result<()> {
        assert_eq!(namespace.explain_query(&spec(EMAIL)?)?.method, "document-index");
        assert_eq!(keys(namespace, spec(EMAIL)?)?, expected(EMAIL, events())?);
        Ok(())
    };
    check(&namespace)?;
    namespace.create_index(range_index("size", "payload", Some("size")), 3)?.wait_blocking(LONG);
    drop(namespace);
    engine.close()?;
    let engine = Engine::open(directory.path(), EngineOptions::default())?;
    let namespace = engine.namespace("a")?;
    // Those of pages are built by jobs once the namespace is open.
    for id in namespace.indexes().into_iter().filter_map(|index| index.job) {
        engine.jobs().running(&id)?.wait_blocking(LONG);
    }
    check(&namespace)?;
    let names: Vec<String> = namespace.indexes().into_iter().map(|index| index.spec.name).collect();
    assert_eq!(names, ["payload", "size"]);
    let sized = r#"{"bin":"payload","path":"size","op":"le","value":3}"#;
    assert_eq!(namespace.explain_query(&spec(sized)?)?.method, "range-index");
    assert_eq!(keys(&namespace, spec(sized)?)?, expected(sized, events())?);
    Ok(())
}

#[test]
fn an_index_on_a_set_that_comes_later_takes_its_records() -> Result<()> {
    let store = store(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") })?;
    let namespace = &store.namespace;
    assert_eq!(build(namespace, document_index("payload"), 2)?, JobState::Done);
    (0..500).try_for_each(|n| put(namespace, "events", n, &event(n)))?;
    assert_eq!(namespace.explain_query(&spec(EMAIL)?)?.method, "document-index");
    assert_eq!(keys(namespace, spec(EMAIL)?)?, expected(EMAIL, (0..500).map(|n| (n, event(n))))?);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(24)))]

    /// Whatever is written, deleted and asked: the index answers as the scan does.
    #[test]
    fn index_and_scan_agree(
        steps in prop::collection::vec((0..60_i64, prop::option::weighted(0.8, 0..500_i64)), 0..300),
        asked in prop::collection::vec(0..40, 1..6),
        built_after in 0..300_usize,
    ) {
        let outcome = || -> Result<()> {
            let store = store(NamespaceConfig { segments: 2, ..NamespaceConfig::memory("a") })?;
            let namespace = &store.namespace;
            namespace.create_set(&SetConfig { name: "events".into(), distribution_bin: None, ..SetConfig::default() })?;
            for (at, (key, content)) in steps.iter().enumerate() {
                if at == built_after {
                    build(namespace, document_index("payload"), 2)?;
                }
                match content {
                    Some(n) => put(namespace, "events", *key, &event(*n))?,
                    None => drop(namespace.delete("events", KeyRef::Integer(*key), None)?),
                }
            }
            for email in &asked {
                let filter = EMAIL.replace("u7@", &format!("u{email}@"));
                assert_eq!(keys(namespace, spec(&filter)?)?, keys(namespace, QuerySpec { use_index: IndexUse::Never, ..spec(&filter)? })?);
            }
            Ok(())
        };
        prop_assert!(outcome().is_ok());
    }
}
