//! An order by a range index: the same pages as meeting every record and sorting them, and few records met.

use proptest::prelude::*;
use serde_json::{Value, json};
use tessera_base::{ErrorCode, Result};
use tessera_core::namespace::route_of;
use tessera_core::query::{IndexUse, Order, QuerySpec};
use tessera_core::{DeviceConfig, Durability, EngineConfig, Namespace, NamespaceConfig, SetConfig};
use tessera_index::IndexSpec;
use tessera_jobs::JobState;
use tessera_record::filter::Filter;
use tessera_record::{Encoder, KeyRef, Value as Stored};

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::documents::plans::analysed;
use crate::documents::query::{Store, build, document_index, put, range_index, store};
use crate::pages::paged;

fn memory() -> NamespaceConfig {
    NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }
}

fn device() -> NamespaceConfig {
    NamespaceConfig { engine: EngineConfig::Device(DeviceConfig::default()), durability: Durability::Relaxed, ..memory() }
}

fn in_pages() -> NamespaceConfig {
    NamespaceConfig { segments: 4, durability: Durability::Relaxed, ..paged("a", 4096) }
}

fn any_set(name: &str) -> IndexSpec {
    IndexSpec { set: None, ..range_index(name, "v", Some("at")) }
}

/// The value at `v.at`: of every kind there is, many of them equal, some so long that an index knows only how they begin.
fn value() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        4 => (-4..40_i64).prop_map(|n| Some(json!(n))),
        1 => (0..3_i64).prop_map(|n| Some(json!(i64::MAX - n))),
        2 => (-4..9_i64).prop_map(|n| Some(json!(n as f64 / 2.0))),
        2 => "[ab\u{0}]{0,2}".prop_map(|text| Some(json!(text))),
        2 => "[ab]{0,2}".prop_map(|end| Some(json!("x".repeat(28) + &end))),
        1 => any::<bool>().prop_map(|value| Some(json!(value))),
        1 => prop::sample::select(vec!["AA==", "AQ==", "Ag=="]).prop_map(|bytes| Some(json!({ "$bytes": bytes }))),
        1 => Just(Some(json!([1]))),
        1 => Just(Some(Value::Null)),
        2 => Just(None),
    ]
}

#[derive(Clone, Debug)]
enum Change {
    Put(i64, Option<Value>),
    Delete(i64),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![5 => (0..90_i64, value()).prop_map(|(key, value)| Change::Put(key, value)), 1 => (0..90_i64).prop_map(Change::Delete)]
}

fn bins(key: i64, value: Option<&Value>) -> String {
    let mut bins = json!({ "n": key % 7, "place": key % 5, "v": {} });
    if let Some(value) = value {
        bins["v"]["at"] = value.clone();
    }
    bins.to_string()
}

fn apply(namespace: &Namespace, changes: &[Change]) -> Result<()> {
    changes.iter().try_for_each(|change| match change {
        Change::Put(key, value) => put(namespace, if key % 9 == 0 { "others" } else { "events" }, *key, &bins(*key, value.as_ref())),
        Change::Delete(key) => namespace.delete("events", KeyRef::Integer(*key), None).map(drop),
    })
}

fn filter() -> impl Strategy<Value = Option<Value>> {
    let n = 0..7_i64;
    prop_oneof![
        Just(None),
        n.clone().prop_map(|n| Some(json!({ "bin": "n", "op": "lt", "value": n }))),
        n.clone().prop_map(|n| Some(json!({ "bin": "v", "path": "at", "op": "ge", "value": n }))),
        n.clone().prop_map(|n| Some(
            json!({ "and": [{ "bin": "v", "path": "at", "op": "lt", "value": n }, { "bin": "n", "op": "ne", "value": n }] })
        )),
        n.clone().prop_map(|n| Some(json!({ "bin": "v", "path": "at", "op": "in", "value": [n, "a", 2 * n] }))),
        Just(Some(json!({ "bin": "v", "path": "at", "op": "prefix", "value": "x" }))),
        n.prop_map(|n| Some(json!({ "meta": "digest", "modulo": 7, "op": "lt", "value": n }))),
    ]
}

fn asked(set: Option<&str>, filter: Option<&Value>, descending: bool, limit: u64) -> Result<QuerySpec> {
    let filter = filter.map(|filter| Filter::compile(filter.to_string().as_bytes())).transpose()?;
    let order = Order::compile(json!({ "bin": "v", "path": "at", "desc": descending }).to_string().as_bytes())?;
    Ok(QuerySpec {
        set: set.map(Into::into),
        filter: filter.map(Into::into),
        order: Some(order),
        limit: Some(limit),
        threads: 2,
        ..QuerySpec::default()
    })
}

/// The rows of one page, and the cursor to the next.
fn page(namespace: &Arc<Namespace>, spec: QuerySpec) -> Result<(Vec<Value>, Option<String>)> {
    let query = namespace.query(spec)?;
    let mut rows = Vec::new();
    while let Some(chunk) = query.stream.next_blocking()? {
        let lines = chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        rows.extend(lines.map(|line| serde_json::from_slice::<Value>(line).unwrap_or_default()));
    }
    Ok((rows, query.stream.summary().cursor))
}

fn pages(namespace: &Arc<Namespace>, spec: &QuerySpec) -> Result<Vec<(Vec<Value>, Option<String>)>> {
    let mut pages = vec![page(namespace, spec.clone())?];
    while let Some((_, Some(cursor))) = pages.last() {
        let next = QuerySpec { cursor: Some(cursor.clone()), ..spec.clone() };
        pages.push(page(namespace, next)?);
    }
    Ok(pages)
}

fn by(name: &str) -> IndexUse {
    IndexUse::parse(name.into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(32)))]

    #[test]
    fn pages_are_those_of_meeting_every_record(
        on_device in any::<bool>(),
        before in prop::collection::vec(change(), 0..150),
        after in prop::collection::vec(change(), 0..150),
        asking in prop::collection::vec((filter(), any::<bool>(), 1..40_u64, any::<bool>()), 1..6),
    ) {
        let outcome = || -> Result<()> {
            let store = store(if on_device { device() } else { memory() })?;
            let namespace = &store.namespace;
            apply(namespace, &[Change::Put(1, None), Change::Put(2, Some(json!(3)))])?;
            apply(namespace, &before)?;
            assert_eq!(build(namespace, any_set("at"), 2)?, JobState::Done);
            assert_eq!(build(namespace, IndexSpec { bin: Some("n".into()), ..document_index("n") }, 2)?, JobState::Done);
            apply(namespace, &after)?;
            apply(namespace, &[Change::Put(1, None)])?;
            for (filter, descending, limit, of_set) in &asking {
                let spec = asked(of_set.then_some("events"), filter.as_ref(), *descending, *limit)?;
                let expected = pages(namespace, &QuerySpec { use_index: IndexUse::Never, ..spec.clone() })?;
                for use_index in [by("at"), IndexUse::Auto] {
                    let found = pages(namespace, &QuerySpec { use_index: use_index.clone(), ..spec.clone() })?;
                    assert_eq!(found, expected, "{spec:?} {use_index:?}");
                }
                let sampled = QuerySpec { partitions: Some(0..2000), ..spec };
                let expected = pages(namespace, &QuerySpec { use_index: IndexUse::Never, ..sampled.clone() })?;
                assert_eq!(pages(namespace, &QuerySpec { use_index: by("at"), ..sampled })?, expected);
            }
            Ok(())
        };
        outcome().map_err(|error| TestCaseError::fail(error.to_string()))?;
    }
}

/// `count` records whose values rise with their keys, every tenth without one; indexed.
fn filled(config: NamespaceConfig, count: i64) -> Result<Store> {
    let store = store(config)?;
    for key in 0..count {
        put(&store.namespace, "events", key, &bins(key, (key % 10 != 9).then(|| json!(key)).as_ref()))?;
    }
    assert_eq!(build(&store.namespace, range_index("at", "v", Some("at")), 2)?, JobState::Done);
    Ok(store)
}

fn keys(rows: &[Value]) -> Vec<i64> {
    rows.iter().filter_map(|row| row["key"].as_i64()).collect()
}

#[test]
fn few_are_met_and_the_plan_says_so() -> Result<()> {
    for config in [memory(), device(), in_pages()] {
        let store = filled(config, 5000)?;
        let namespace = &store.namespace;
        let spec = asked(Some("events"), None, true, 20)?;
        let (rows, cursor) = page(namespace, spec.clone())?;
        let expected: Vec<i64> = (0..5000).rev().filter(|key| key % 10 != 9).collect();
        assert_eq!((keys(&rows), cursor.is_some()), (expected[..20].to_vec(), true));
        assert_eq!(keys(&page(namespace, QuerySpec { cursor, ..spec.clone() })?.0), expected[20..40]);
        let plan = analysed(namespace, spec.clone())?;
        assert_eq!((&plan["method"], &plan["index"]), (&json!("range-order"), &json!("at")), "{plan}");
        assert!(plan["alternatives"].as_array().is_some_and(|ways| ways.iter().any(|way| way["method"] == "range-order")), "{plan}");
        let (limit, node) = (&plan["tree"], &plan["tree"]["children"][0]);
        assert_eq!((&limit["node"], &limit["actual"]), (&json!("limit"), &json!(20)));
        assert_eq!((&node["node"], &node["index"], &node["on"]), (&json!("range-order"), &json!("at"), &json!("v.at, descending")));
        assert!(node["actual"].as_u64().is_some_and(|met| (21..200).contains(&met)), "{plan}");
        assert_eq!((&plan["actual"]["scanned"], &plan["actual"]["candidates"]), (&node["actual"], &node["actual"]));
        let never = namespace.explain_query(&QuerySpec { use_index: IndexUse::Never, ..spec.clone() })?;
        assert!(!never.method.starts_with("range"), "{never:?}");
        // A filter on the same value bounds the walk, and then nothing lies elsewhere.
        let narrow = json!({ "bin": "v", "path": "at", "op": "between", "value": [100, 104] });
        let spec = QuerySpec { use_index: by("at"), ..asked(Some("events"), Some(&narrow), false, 50)? };
        assert_eq!(keys(&page(namespace, spec.clone())?.0), [100, 101, 102, 103, 104]);
        assert!(analysed(namespace, spec)?["actual"]["scanned"].as_u64().is_some_and(|scanned| scanned <= 5));
    }
    Ok(())
}

#[test]
fn a_filter_that_hardly_anything_passes_ends_the_walk_and_each_record_is_met_once() -> Result<()> {
    for config in [memory(), device(), in_pages()] {
        let store = filled(config, 5000)?;
        let filter = json!({ "bin": "n", "op": "eq", "value": 99 });
        for use_index in [IndexUse::Auto, by("at")] {
            let spec = QuerySpec { use_index, ..asked(Some("events"), Some(&filter), false, 5)? };
            let query = store.namespace.query(spec)?;
            while query.stream.next_blocking()?.is_some() {}
            let summary = query.stream.summary();
            assert_eq!((query.plan.method, summary.scanned, summary.returned), ("range-order", 5000, 0));
        }
    }
    Ok(())
}

#[test]
fn an_index_that_is_named_and_has_another_order_is_refused() -> Result<()> {
    let store = filled(memory(), 50)?;
    let order = Order::compile(br#"{"bin":"n"}"#)?;
    let spec = QuerySpec { order: Some(order), use_index: by("at"), ..asked(Some("events"), None, false, 5)? };
    assert_eq!(store.namespace.explain_query(&spec).unwrap_err().code, ErrorCode::ConfigInvalid);
    Ok(())
}

#[test]
fn one_segment_is_asked_where_the_route_is_known() -> Result<()> {
    for config in [memory(), device(), in_pages()] {
        let sets = vec![SetConfig { name: "events".into(), distribution_bin: Some("place".into()), ..SetConfig::default() }];
        let store = filled(NamespaceConfig { sets, segments: 16, ..config }, 3000)?;
        let namespace = &store.namespace;
        let mut place = Vec::new();
        Encoder::new(&mut place).value(&Stored::Int(3));
        let routed = QuerySpec { route: Some(route_of(&place)), use_index: by("at"), ..asked(Some("events"), None, true, 10)? };
        let plan = namespace.explain_query(&routed)?;
        assert_eq!((plan.method, plan.segments), ("range-order", Some(1)));
        let filter = json!({ "bin": "place", "op": "eq", "value": 3 });
        let spec = QuerySpec { use_index: by("at"), ..asked(Some("events"), Some(&filter), true, 10)? };
        let expected: Vec<i64> = (0..3000).rev().filter(|key| key % 5 == 3 && key % 10 != 9).take(10).collect();
        assert_eq!(keys(&page(namespace, spec)?.0), expected);
    }
    Ok(())
}

/// Values go up and down, and records from segment to segment, while they are read in order: each is met once all the same.
#[test]
fn what_is_there_throughout_comes_once_whatever_is_written() -> Result<()> {
    const COUNT: i64 = 400;
    for config in [memory(), device(), in_pages()] {
        let sets = vec![SetConfig { name: "events".into(), distribution_bin: Some("place".into()), ..SetConfig::default() }];
        let store = filled(NamespaceConfig { sets, ..config }, COUNT)?;
        let (namespace, stop) = (&store.namespace, AtomicBool::new(false));
        let outcome = std::thread::scope(|scope| {
            let writer = scope.spawn(|| -> Result<()> {
                let mut round = 0;
                while !stop.load(Ordering::Relaxed) {
                    for key in 0..COUNT {
                        round += 7919;
                        let bins = json!({ "n": 1, "place": round % 11, "v": { "at": (key * 31 + round) % 5000 } });
                        put(namespace, "events", key, &bins.to_string())?;
                    }
                }
                Ok(())
            });
            let read = || -> Result<()> {
                for turn in 0..40_u64 {
                    let spec = QuerySpec { use_index: by("at"), ..asked(Some("events"), None, turn % 2 == 0, COUNT as u64 + turn % 3)? };
                    let (rows, _) = page(namespace, spec)?;
                    let found = keys(&rows);
                    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "one came twice");
                    assert_eq!(found.len() as i64, COUNT, "some were passed over");
                }
                Ok(())
            };
            let outcome = read();
            stop.store(true, Ordering::Relaxed);
            outcome.and(writer.join().unwrap_or(Ok(())))
        });
        outcome?;
    }
    Ok(())
}
