//! Plans: whichever indexes there are and may be used, the answer is what asking every record gives.

use proptest::prelude::*;
use serde_json::{Value, json};
use tessera_base::limits::{FILTER_BYTES, LOOKUP_STEPS};
use tessera_base::{ErrorCode, Result};
use tessera_core::aggregate::Aggregates;
use tessera_core::query::{IndexUse, ORDERED_MOST, Order, Query, QueryPlan, QuerySpec, Rows};
use tessera_core::{DeviceConfig, Durability, EngineConfig, Namespace, NamespaceConfig};
use tessera_jobs::{JobPatch, JobState};
use tessera_record::filter::Filter;
use tessera_record::json::{Shape, parse_bins};
use tessera_record::{BodyBuilder, Digest, KeyRef};

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::documents::bare::matches_body;
use crate::documents::query::{LONG, Store, build, document_index, keys, put, range_index, spec, store};
use crate::pages::paged;

const KINDS: [&str; 3] = ["push", "watch", "fork"];

/// Record `n` of a few shapes, so that tests of all kinds hold of some and not of others.
fn document(n: i64) -> String {
    let tags: Vec<String> = (0..n % 4).map(|tag| format!("t{}", (tag + n) % 5)).collect();
    let mut doc = json!({ "n": n % 17, "tags": tags, "list": [{ "b": n % 7 }, { "b": n % 3, "c": true }] });
    if n % 5 == 0 {
        doc["only"] = json!(null);
    }
    let tags = doc["tags"].clone();
    json!({ "doc": doc, "tags": tags, "kind": KINDS[(n % 3) as usize], "score": n as f64 / 4.0 }).to_string()
}

fn body(key: i64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(key));
    parse_bins(document(key).as_bytes(), Shape::Record, body.bins())?;
    body.finish();
    Ok(bytes)
}

/// A set of 400 records; with every index there may be, if wanted.
fn filled(config: NamespaceConfig, indexes: &[usize]) -> Result<Store> {
    let store = store(config)?;
    (0..400).try_for_each(|n| put(&store.namespace, "events", n, &document(n)))?;
    (0..30).try_for_each(|n| put(&store.namespace, "others", n, &document(n)))?;
    let all = [
        document_index_of("docs", "doc"),
        document_index_of("kinds", "kind"),
        range_index("n", "doc", Some("n")),
        range_index("score", "score", None),
        range_index("first", "doc", Some("list[0].b")),
        range_index("kind", "kind", None),
        tessera_index::IndexSpec { bin: None, ..document_index("records") },
    ];
    for at in indexes {
        assert_eq!(build(&store.namespace, all[*at].clone(), 2)?, JobState::Done);
    }
    Ok(store)
}

fn document_index_of(name: &str, bin: &str) -> tessera_index::IndexSpec {
    tessera_index::IndexSpec { bin: Some(bin.into()), ..document_index(name) }
}

fn test() -> impl Strategy<Value = Value> {
    let n = 0..20_i64;
    prop_oneof![
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "n", "op": "eq", "value": n })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "n", "op": "gt", "value": n })),
        (n.clone(), n.clone()).prop_map(|(a, b)| json!({ "bin": "doc", "path": "n", "op": "in", "value": [a, b, "x"] })),
        (n.clone(), n.clone()).prop_map(|(a, b)| json!({ "bin": "score", "op": "between", "value": [a, a + b] })),
        n.clone().prop_map(|n| json!({ "bin": "score", "op": "le", "value": n })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "op": "contains", "value": { "list": [{ "b": n % 7 }] } })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "op": "contains", "value": { "tags": [format!("t{}", n % 6)] } })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "list[*].b", "op": "eq", "value": n % 7 })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "list[0].b", "op": "lt", "value": n % 7 })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": ["list", -1], "op": "eq", "value": { "c": true, "b": n % 3 } })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "tags", "any": "items", "op": "eq", "value": format!("t{}", n % 5) })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "tags", "op": "has", "value": format!("t{}", n % 5) })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "tags", "op": "hasAll", "value": ["t1", format!("t{}", n % 5)] })),
        Just(json!({ "bin": "doc", "op": "hasAny", "value": ["only", "other"] })),
        Just(json!({ "bin": "doc", "op": "has", "value": "only" })),
        Just(json!({ "bin": "doc", "op": "hasAll", "value": ["n", "only"] })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "any": "keys", "op": "in", "value": ["only", format!("n{n}"), n] })),
        Just(json!({ "bin": "doc", "any": "keys", "op": "eq", "value": "only" })),
        Just(json!({ "bin": "doc", "any": "keys", "op": "hasAny", "value": ["only", "other"] })),
        Just(json!({ "bin": "doc", "path": "list[*]", "any": "keys", "op": "eq", "value": "c" })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "list[1]", "any": "values", "op": "eq", "value": n % 3 })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "tags", "all": "items", "op": "eq", "value": format!("t{}", n % 5) })),
        Just(json!({ "bin": "doc", "path": "list[0]", "all": "keys", "op": "eq", "value": "b" })),
        n.clone().prop_map(|n| json!({ "bin": "doc", "path": "list[1]", "all": "values", "op": "in", "value": [n % 3, true] })),
        n.clone().prop_map(|n| json!({ "bin": "tags", "op": "hasAny", "value": ["t2", format!("t{}", n % 5)] })),
        n.clone().prop_map(|n| json!({ "bin": "kind", "op": "has", "value": KINDS[(n % 3) as usize] })),
        n.clone().prop_map(|n| json!({ "op": "contains", "value": { "kind": KINDS[(n % 3) as usize], "doc": { "n": n } } })),
        n.clone().prop_map(|n| json!({ "bin": "kind", "op": "in", "value": [KINDS[(n % 3) as usize], "none"] })),
        n.clone().prop_map(|n| json!({ "bin": "kind", "op": "prefix", "value": KINDS[(n % 3) as usize][..n as usize % 6 % 4] })),
        n.prop_map(|n| json!({ "meta": "digest", "modulo": 7, "op": "lt", "value": n % 7 })),
    ]
}

fn filter() -> impl Strategy<Value = Value> {
    test().prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| json!({ "and": parts })),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| json!({ "or": parts })),
            1 => inner.prop_map(|part| json!({ "not": part })),
        ]
    })
}

fn explained(namespace: &Arc<Namespace>, filter: &str, use_index: IndexUse) -> Result<QueryPlan> {
    namespace.explain_query(&QuerySpec { use_index, ..spec(filter)? })
}

/// The plan of a query that was carried out.
pub(crate) fn analysed(namespace: &Arc<Namespace>, spec: QuerySpec) -> Result<Value> {
    let Query { stream, .. } = namespace.analyze_query(spec)?;
    let mut text = Vec::new();
    while let Some(chunk) = stream.next_blocking()? {
        text.extend(chunk);
    }
    Ok(serde_json::from_slice(&text).unwrap_or_default())
}

fn named(name: &str) -> IndexUse {
    IndexUse::parse(name.into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(24)))]

    #[test]
    fn every_plan_finds_what_asking_every_record_finds(
        indexes in prop::sample::subsequence((0..7).collect::<Vec<_>>(), 0..=7),
        filters in prop::collection::vec(filter(), 8),
    ) {
        let outcome = || -> Result<()> {
            let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &indexes)?;
            let namespace = &store.namespace;
            for filter in &filters {
                let text = filter.to_string();
                let never = keys(namespace, QuerySpec { use_index: IndexUse::Never, ..spec(&text)? })?;
                // The digest of a body that is nowhere stored is another: what asks for it is held against the scan only.
                if !text.contains("digest") {
                    let compiled = Filter::compile(text.as_bytes())?;
                    let expected: BTreeSet<i64> = (0..400).filter(|&n| body(n).is_ok_and(|body| matches_body(&compiled, &body))).collect();
                    assert_eq!(never, expected, "{text}");
                }
                let plan = explained(namespace, &text, IndexUse::Auto)?;
                assert_eq!(keys(namespace, spec(&text)?)?, never, "{text}: {plan:?}");
                for name in ["docs", "kinds", "n", "score", "first", "kind", "records"] {
                    match namespace.query(QuerySpec { use_index: named(name), ..spec(&text)? }) {
                        Ok(query) => {
                            assert_eq!(query.plan.index.as_deref(), Some(name));
                            let forced = QuerySpec { use_index: named(name), ..spec(&text)? };
                            assert_eq!(keys(namespace, forced)?, never, "{text} by {name}");
                        }
                        Err(error) => assert!(matches!(error.code, ErrorCode::IndexNotFound | ErrorCode::ConfigInvalid), "{error}"),
                    }
                }
                let by_index: Vec<_> = plan.alternatives.iter().filter(|way| way.index.is_some()).collect();
                for (at, way) in by_index.iter().enumerate() {
                    assert!(by_index[..at].iter().all(|other| other.index != way.index), "{text}: {plan:?}");
                    assert!(plan.indexes.is_empty() && plan.index.is_none() || plan.estimated_ms <= Some(way.estimated_ms), "{text}: {plan:?}");
                }
                let analysed = analysed(namespace, spec(&text)?)?;
                assert_eq!(analysed["actual"]["returned"], json!(never.len()));
                assert_eq!(analysed["tree"]["actual"], json!(never.len()), "{text}: the filter lets as many through");
            }
            Ok(())
        };
        prop_assert!(outcome().is_ok());
    }
}

/// The keys of the records of a query, as they come, and the cursor to the next page.
fn listed(namespace: &Arc<Namespace>, spec: QuerySpec) -> Result<(Vec<i64>, Option<String>)> {
    let query = namespace.query(spec)?;
    let mut keys = Vec::new();
    while let Some(chunk) = query.stream.next_blocking()? {
        let lines = chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        keys.extend(lines.filter_map(|line| serde_json::from_slice::<Value>(line).unwrap_or_default()["key"].as_i64()));
    }
    let summary = query.stream.summary();
    assert_eq!((summary.returned, summary.truncated), (keys.len() as u64, summary.cursor.is_some()));
    Ok((keys, summary.cursor))
}

/// Where record `n` stands by what lies at a pointer into its bins: kind and value, numbers as they are; `None` comes last.
fn standing(n: i64, pointer: &str) -> Option<(u8, f64, String)> {
    let bins: Value = serde_json::from_str(&document(n)).unwrap_or_default();
    match bins.pointer(pointer)? {
        Value::Number(number) => Some((1, number.as_f64()?, String::new())),
        Value::String(text) => Some((2, 0.0, text.clone())),
        Value::Bool(value) => Some((4, f64::from(u8::from(*value)), String::new())),
        _ => None,
    }
}

fn sorted(mut keys: Vec<i64>, pointer: &str, descending: bool) -> Vec<i64> {
    keys.sort_by(|&a, &b| {
        let (x, y) = (standing(a, pointer), standing(b, pointer));
        let by_value = x.partial_cmp(&y).unwrap_or(Ordering::Equal);
        let by_value = if descending { by_value.reverse() } else { by_value };
        let digest = |key| Digest::of("events", KeyRef::Integer(key));
        x.is_none().cmp(&y.is_none()).then(by_value).then_with(|| digest(a).cmp(&digest(b)))
    });
    keys
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(16)))]

    #[test]
    fn an_order_is_a_sort_and_its_pages_are_the_whole(
        indexes in prop::sample::subsequence((0..7).collect::<Vec<_>>(), 0..=7),
        filter in filter(),
        by in prop::sample::select(vec![
            (r#""bin":"doc","path":"n""#, "/doc/n"), (r#""bin":"score""#, "/score"), (r#""bin":"kind""#, "/kind"), (r#""bin":"doc","path":"tags[1]""#, "/doc/tags/1"),
            (r#""bin":"doc","path":["list",-1,"c"]"#, "/doc/list/1/c"), (r#""bin":"doc","path":"only""#, "/doc/only"), (r#""bin":"none""#, "/none"),
        ]),
        descending in any::<bool>(),
        limit in 1..90_u64,
    ) {
        let outcome = || -> Result<()> {
            let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &indexes)?;
            let order = Order::compile(format!(r#"{{{},"desc":{descending}}}"#, by.0).as_bytes())?;
            let asked = |limit, cursor| -> Result<QuerySpec> {
                Ok(QuerySpec { order: Some(order.clone()), limit: Some(limit), cursor, ..spec(&filter.to_string())? })
            };
            let found = keys(&store.namespace, spec(&filter.to_string())?)?.into_iter().collect();
            let expected = sorted(found, by.1, descending);
            let (whole, cursor) = listed(&store.namespace, asked(1000, None)?)?;
            assert_eq!((&whole, cursor), (&expected, None), "{filter} by {order:?}");
            let (mut pages, mut cursor) = (Vec::new(), None);
            loop {
                let (page, next) = listed(&store.namespace, asked(limit, cursor)?)?;
                assert!(page.len() as u64 == limit || next.is_none());
                pages.extend(page);
                cursor = next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(pages, expected);
            Ok(())
        };
        prop_assert!(outcome().is_ok());
    }
}

#[test]
fn a_cursor_of_an_order_lasts_over_a_restart_and_what_cannot_be_ordered_is_refused() -> Result<()> {
    let device = EngineConfig::Device(DeviceConfig::default());
    let config = NamespaceConfig { engine: device, segments: 4, durability: Durability::Relaxed, ..NamespaceConfig::memory("a") };
    let store = filled(config, &[])?;
    let asked = |limit: u64, cursor: Option<String>| -> Result<QuerySpec> {
        let order = Order::compile(br#"{"meta":"key","desc":true}"#)?;
        Ok(QuerySpec { set: Some("events".into()), order: Some(order), limit: Some(limit), cursor, ..QuerySpec::default() })
    };
    let (first, cursor) = listed(&store.namespace, asked(3, None)?)?;
    assert_eq!(first, [399, 398, 397]);
    let namespace = store.reopened()?;
    assert_eq!(listed(&namespace.namespace, asked(3, cursor.clone())?)?.0, [396, 395, 394]);
    let refused = [
        (QuerySpec { limit: None, ..asked(1, None)? }, ErrorCode::OrderNeedsLimit, "limit"),
        (asked(ORDERED_MOST + 1, None)?, ErrorCode::OrderNeedsLimit, "limit"),
        (QuerySpec { set: Some("others".into()), ..asked(3, cursor)? }, ErrorCode::CursorInvalid, "cursor"),
        (
            QuerySpec { aggregate: Some(Aggregates::compile(br#"{"n":{"op":"count"}}"#)?.into()), ..asked(1, None)? },
            ErrorCode::AggregateInvalid,
            "order",
        ),
    ];
    for (spec, code, field) in refused {
        for error in [namespace.namespace.explain_query(&spec).err(), namespace.namespace.query(spec).err()] {
            assert_eq!(error.map(|error| (error.code, error.field)), Some((code, Some(field.to_owned()))));
        }
    }
    Ok(())
}

#[test]
fn indexes_are_used_together_where_that_pays() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &[0, 2, 3, 5])?;
    let namespace = &store.namespace;
    let methods = [
        (r#"{"bin":"doc","path":"n","op":"eq","value":3}"#, "document-index|range-index"),
        (r#"{"or":[{"bin":"score","op":"lt","value":3},{"bin":"doc","path":"n","op":"eq","value":3}]}"#, "indexes"),
        (r#"{"not":{"bin":"score","op":"lt","value":3}}"#, "set-column"),
        (r#"{"and":[{"not":{"bin":"score","op":"lt","value":3}},{"bin":"score","op":"lt","value":5}]}"#, "range-index"),
    ];
    for (filter, method) in methods {
        let plan = explained(namespace, filter, IndexUse::Auto)?;
        assert!(method.split('|').any(|method| method == plan.method), "{filter}: {plan:?}");
        assert!(plan.alternatives.iter().any(|way| way.method == "set-column") && plan.estimated_ms > Some(0.0), "{plan:?}");
        let never = explained(namespace, filter, IndexUse::Never)?;
        assert_eq!((never.method, never.index), ("set-column", None));
    }
    let plan = explained(namespace, r#"{"bin":"score","op":"ge","value":3}"#, named("score"))?;
    assert_eq!((plan.method, plan.index.as_deref()), ("range-index", Some("score")));
    let cases = [
        ("none", ErrorCode::IndexNotFound, r#"{"bin":"score","op":"ge","value":3}"#),
        ("kind", ErrorCode::ConfigInvalid, r#"{"bin":"score","op":"ge","value":3}"#),
    ];
    for (name, code, filter) in cases {
        let error = explained(namespace, filter, named(name)).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (code, Some("useIndex")));
    }
    let elsewhere = QuerySpec { set: Some("others".into()), use_index: named("score"), ..spec(r#"{"bin":"score","op":"ge","value":3}"#)? };
    assert_eq!(namespace.explain_query(&elsewhere).unwrap_err().code, ErrorCode::ConfigInvalid);
    Ok(())
}

#[test]
fn a_plan_is_a_tree_that_analysing_fills_in() -> Result<()> {
    let device = EngineConfig::Device(DeviceConfig::default());
    let on_device = NamespaceConfig { engine: device, segments: 4, durability: Durability::Relaxed, ..NamespaceConfig::memory("a") };
    for config in
        [NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, on_device, NamespaceConfig { segments: 4, ..paged("a", 4096) }]
    {
        let store = filled(config, &[0, 3])?;
        let filter = r#"{"or":[{"bin":"score","op":"lt","value":3},{"bin":"doc","path":"list[*].b","op":"eq","value":6}]}"#;
        let asked = || -> Result<QuerySpec> { Ok(QuerySpec { limit: Some(1000), ..spec(filter)? }) };
        let expected = keys(&store.namespace, asked()?)?.len() as u64;
        let plan = analysed(&store.namespace, asked()?)?;
        let tree = &plan["tree"];
        assert_eq!((&tree["node"], &tree["actual"], &tree["children"][0]["node"]), (&json!("limit"), &json!(expected), &json!("filter")));
        let found = &tree["children"][0]["children"][0];
        assert_eq!((&found["node"], found["children"].as_array().map(Vec::len)), (&json!("or"), Some(2)));
        assert_eq!((&found["actual"], &found["segments"]), (&plan["actual"]["candidates"], &json!(4)));
        let by_terms = found["children"].as_array().unwrap().iter().find(|node| node["node"] == "terms").unwrap();
        assert_eq!(
            (&by_terms["index"], &by_terms["terms"][0]["path"], &by_terms["terms"][0]["value"]),
            (&json!("docs"), &json!("list[*].b"), &json!(6))
        );
        assert_eq!(by_terms["actual"], json!((0..400).filter(|n| n % 7 == 6).count()));
        assert_eq!(plan["actual"]["returned"], json!(expected));
        assert!(plan["actual"]["reads"].is_null() || plan["actual"]["reads"]["records"].is_u64());
    }
    Ok(())
}

#[test]
fn a_way_is_listed_once_and_the_cheapest_is_taken() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &[0, 6])?;
    let filters = [
        r#"{"bin":"doc","op":"contains","value":{"n":3,"tags":["t1"]}}"#,
        r#"{"and":[{"bin":"doc","path":"n","op":"eq","value":3},{"bin":"kind","op":"eq","value":"push"}]}"#,
        r#"{"and":[{"bin":"kind","op":"eq","value":"push"},{"bin":"doc","op":"has","value":"only"}]}"#,
    ];
    for filter in filters {
        let plan = explained(&store.namespace, filter, IndexUse::Auto)?;
        let (named, ways): (Vec<_>, Vec<_>) =
            plan.alternatives.iter().filter_map(|way| way.index.clone().map(|index| (index, way.estimated_ms))).unzip();
        assert_eq!(named.iter().collect::<BTreeSet<_>>().len(), named.len(), "{plan:?}");
        assert_eq!(named.iter().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(["docs", "records"]), "{plan:?}");
        assert!(plan.index.is_some() && ways.iter().all(|ms| plan.estimated_ms <= Some(*ms)), "{plan:?}");
    }
    Ok(())
}

#[test]
fn what_a_page_takes_is_estimated_alike_for_every_way() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &[0, 6])?;
    // Most records have the key: a scan finds five of them at once.
    let asked =
        |limit| -> Result<_> { store.namespace.explain_query(&QuerySpec { limit, ..spec(r#"{"bin":"doc","op":"has","value":"n"}"#)? }) };
    let (page, all) = (asked(Some(5))?, asked(None)?);
    assert!(page.estimated_ms.unwrap() < all.estimated_ms.unwrap() / 4.0, "{page:?} {all:?}");
    for (limited, whole) in page.alternatives.iter().zip(&all.alternatives) {
        let same = |a: &tessera_core::query::QueryAlternative| (a.method, a.index.clone());
        assert_eq!(same(limited), same(whole));
        assert!(limited.estimated_ms < whole.estimated_ms, "{page:?} {all:?}");
    }
    // Scans and lookups are told apart no nearer than 0.05 ms.
    assert!(page.alternatives.iter().all(|way| page.estimated_ms <= Some(way.estimated_ms + 0.05)), "{page:?}");
    Ok(())
}

#[test]
fn a_nasty_query_looks_up_no_more_than_it_may() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &(0..7).collect::<Vec<_>>())?;
    let namespace = &store.namespace;
    // Two hundred tests of fifty values each, and one of thousands of terms.
    let tests = |bin: &str, path: &str| -> Vec<Value> {
        let values = |test: i64| (0..50).map(|n| test * 50 + n).collect::<Vec<_>>();
        (0..190).map(|test| json!({ "bin": bin, "path": path, "op": "in", "value": values(test) })).collect()
    };
    let many: Vec<i64> = (0..9000).map(|n| n % 5000).collect();
    let mut tags: serde_json::Map<String, Value> = (0..3000).map(|n| (format!("k{n}"), json!(n))).collect();
    let large = json!({ "doc": tags, "tags": [], "kind": "large", "score": 1 });
    put(namespace, "events", 400, &large.to_string())?;
    tags.remove("k7");
    let filters = [
        json!({ "or": tests("doc", "n") }),
        json!({ "and": tests("doc", "n") }),
        json!({ "and": [{ "or": tests("doc", "n") }, { "bin": "kind", "op": "eq", "value": "push" }] }),
        json!({ "bin": "doc", "path": "n", "op": "in", "value": many }),
        json!({ "bin": "doc", "op": "contains", "value": tags }),
    ];
    for filter in filters {
        let text = filter.to_string();
        assert!(text.len() <= FILTER_BYTES);
        let plan = explained(namespace, &text, IndexUse::Auto)?;
        assert!(plan.terms.unwrap_or(0) as usize <= LOOKUP_STEPS, "{:?}", plan.terms);
        assert_eq!(keys(namespace, spec(&text)?)?, keys(namespace, QuerySpec { use_index: IndexUse::Never, ..spec(&text)? })?);
    }
    let contained = json!({ "bin": "doc", "op": "contains", "value": tags }).to_string();
    assert_eq!(explained(namespace, &contained, named("docs"))?.terms, Some(256));
    assert_eq!(keys(namespace, spec(&contained)?)?, BTreeSet::from([400]));
    // What is small beside what is too much is looked up all the same.
    let beside = json!({ "and": [{ "or": tests("doc", "n") }, { "bin": "score", "op": "lt", "value": 1 }] }).to_string();
    assert_eq!(explained(namespace, &beside, IndexUse::Auto)?.index.as_deref(), Some("score"));
    Ok(())
}

#[test]
fn keys_at_the_top_are_looked_up_and_what_an_empty_map_passes_is_not() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &[0, 6])?;
    let namespace = &store.namespace;
    put(namespace, "events", 400, r#"{"doc":{},"tags":[],"kind":"none","score":0}"#)?;
    let cases = [
        (r#"{"bin":"doc","any":"keys","op":"eq","value":"only"}"#, true),
        (r#"{"bin":"doc","any":"keys","op":"in","value":["only","other"]}"#, true),
        (r#"{"bin":"doc","path":"list[0]","any":"keys","op":"eq","value":"b"}"#, false),
        (r#"{"bin":"doc","any":"values","op":"eq","value":3}"#, false),
        (r#"{"bin":"doc","all":"keys","op":"eq","value":"only"}"#, false),
        (r#"{"bin":"tags","all":"items","op":"eq","value":"t1"}"#, false),
    ];
    for (filter, by_index) in cases {
        for name in ["docs", "records"] {
            assert_eq!(explained(namespace, filter, named(name)).is_ok(), by_index, "{filter} by {name}");
        }
    }
    assert_eq!(keys(namespace, spec(cases[0].0)?)?, (0..400).filter(|n| n % 5 == 0).collect());
    assert!(keys(namespace, spec(cases[4].0)?)?.contains(&400) && keys(namespace, spec(cases[5].0)?)?.contains(&400));
    Ok(())
}

#[test]
fn unnest_and_group_are_steps_with_what_went_in_and_came_out() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &[5])?;
    let rows = || Rows::compile(None, Some(br#"{"bin":"doc","path":"list","as":"part"}"#)).map(Arc::new);
    let groups = Aggregates::compile(br#"{"n":{"op":"count"}}"#)?.by_group(br#"{"by":[{"bin":"part","path":"b"}],"top":3}"#)?;
    let asked = || -> Result<QuerySpec> { Ok(QuerySpec { rows: Some(rows()?), ..spec(r#"{"bin":"kind","op":"eq","value":"push"}"#)? }) };
    let matched = (0..400).filter(|n| n % 3 == 0).count();

    let grouped = QuerySpec { aggregate: Some(Arc::new(groups)), ..asked()? };
    let plan = serde_json::to_value(store.namespace.explain_query(&grouped)?).unwrap_or_default();
    assert_eq!((&plan["tree"]["estimated"], &plan["tree"]["children"][0]["estimated"]), (&json!(3), &Value::Null));
    let mut node = &analysed(&store.namespace, grouped)?["tree"];
    let expected = [("group", "b", 3), ("unnest", "doc.list as part", 2 * matched), ("filter", "", matched), ("range", "kind", matched)];
    for (name, on, actual) in expected {
        assert_eq!((&node["node"], node["on"].as_str().unwrap_or_default(), &node["actual"]), (&json!(name), on, &json!(actual)));
        assert!(node["ms"].is_f64() || name == "filter", "{node}");
        node = &node["children"][0];
    }

    let mut node = &analysed(&store.namespace, QuerySpec { limit: Some(5), ..asked()? })?["tree"];
    for (name, actual) in [("limit", 5), ("unnest", 5)] {
        assert_eq!((&node["node"], &node["actual"]), (&json!(name), &json!(actual)));
        node = &node["children"][0];
    }
    // Three records have six items, of which the last is not wanted.
    assert_eq!((&node["node"], &node["actual"]), (&json!("filter"), &json!(3)));
    Ok(())
}

#[test]
fn an_analysis_that_nobody_waits_for_stops() -> Result<()> {
    let store = filled(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }, &[])?;
    let slow = QuerySpec { threads: 1, filter: None, ..spec("{\"bin\":\"kind\",\"op\":\"exists\"}")? };
    let (tell, told) = std::sync::mpsc::channel();
    (0..20_000).try_for_each(|n| put(&store.namespace, "events", n, r#"{"kind":"push"}"#))?;
    let Query { stream, job, .. } = store.namespace.analyze_query(slow)?;
    job.patch(JobPatch { records_per_second: Some(1), ..JobPatch::default() })?;
    stream.next_with(move |next| tell.send(next.map(drop)).unwrap_or_default());
    drop(stream);
    assert_eq!(job.wait_blocking(LONG).state, JobState::Aborted);
    assert_eq!(told.recv().map(|next| next.map_err(|error| error.code)), Ok(Err(ErrorCode::Aborted)));
    Ok(())
}
