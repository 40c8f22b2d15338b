//! Expressions in filters, columns, aggregates, groups and orders, against what a loop over the same documents makes; in memory,
//! on a device and in pages.

use crate::pages::paged;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tessera_base::{ErrorCode, Result};
use tessera_core::aggregate::Aggregates;
use tessera_core::query::{Order, QuerySpec, Rows};
use tessera_core::stream_summary::StreamSummary;
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec};
use tessera_record::filter::Filter;
use tessera_record::json::{Shape, parse_bins};
use tessera_record::{BodyBuilder, KeyRef};

const ORDERS: i64 = 600;

struct Store {
    namespace: Arc<Namespace>,
    _engine: Arc<Engine>,
    _directory: TempDir,
}

/// Every third order has no discount, every seventh a null; there are up to three lines.
fn order(n: i64) -> Value {
    let lines: Vec<Value> = (0..n % 4).map(|at| json!({"count": at + 1, "price": (n % 5) as f64 + 0.5})).collect();
    let mut order = json!({"n": n, "gross": n % 50, "who": format!("User{}", n % 3), "lines": lines});
    match (n % 3, n % 7) {
        (0, _) => {}
        (_, 0) => order["discount"] = Value::Null,
        _ => order["discount"] = json!(n % 6),
    }
    order
}

fn net(order: &Value) -> i64 {
    order["gross"].as_i64().unwrap_or_default() - order["discount"].as_i64().unwrap_or_default()
}

const NET: &str = r#"{"sub":["gross",{"coalesce":["discount",0]}]}"#;

fn with_each(check: impl Fn(&Arc<Namespace>) -> Result<()>) -> Result<()> {
    let device = EngineConfig::Device(DeviceConfig { capacity_bytes: 64 << 20, ..DeviceConfig::default() });
    for config in [
        NamespaceConfig { segments: 8, ..NamespaceConfig::memory("m") },
        NamespaceConfig { segments: 8, engine: device, durability: Durability::Relaxed, ..NamespaceConfig::memory("d") },
        NamespaceConfig { segments: 8, ..paged("p", 4096) },
    ] {
        check(&store(config)?.namespace)?;
    }
    Ok(())
}

fn store(config: NamespaceConfig) -> Result<Store> {
    let directory = tempfile::tempdir().map_err(|error| tessera_base::Error::io("making a directory", &error))?;
    let engine = Engine::open(directory.path(), EngineOptions::default())?;
    let namespace = engine.create_namespace(config)?;
    for n in 0..ORDERS {
        let mut bytes = Vec::new();
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(n));
        parse_bins(order(n).to_string().as_bytes(), Shape::Record, body.bins())?;
        body.finish();
        namespace.put("orders", KeyRef::Integer(n), &bytes, &WriteOptions::default())?;
    }
    Ok(Store { namespace, _engine: engine, _directory: directory })
}

fn spec() -> QuerySpec {
    QuerySpec { set: Some("orders".into()), threads: 2, ..QuerySpec::default() }
}

fn matching(filter: &str) -> Result<QuerySpec> {
    Ok(QuerySpec { filter: Some(Filter::compile(filter.as_bytes())?.into()), ..spec() })
}

fn rows(select: &str, unnest: Option<&str>) -> Result<QuerySpec> {
    let rows = Rows::compile(Some(select.as_bytes()), unnest.map(str::as_bytes))?;
    Ok(QuerySpec { rows: Some(Arc::new(rows)), ..spec() })
}

fn ask(namespace: &Arc<Namespace>, spec: QuerySpec) -> Result<(Vec<Value>, StreamSummary)> {
    let stream = namespace.query(spec)?.stream;
    let mut text = Vec::new();
    while let Some(chunk) = stream.next_blocking()? {
        text.extend(chunk);
    }
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    Ok((lines.map(|line| serde_json::from_slice(line).unwrap_or_default()).collect(), stream.summary()))
}

fn keys(lines: &[Value]) -> Vec<i64> {
    lines.iter().map(|line| line["key"].as_i64().unwrap_or(-1)).collect()
}

fn sorted(mut keys: Vec<i64>) -> Vec<i64> {
    keys.sort_unstable();
    keys
}

#[test]
fn filters_and_columns_are_what_a_loop_finds() -> Result<()> {
    with_each(|namespace| {
        let filter = format!(r#"{{"and":[{{"expr":{NET},"op":"ge","value":40}},{{"bin":"n","op":"lt","value":300}}]}}"#);
        let expected: Vec<i64> = (0..300).filter(|n| net(&order(*n)) >= 40).collect();
        assert_eq!(sorted(keys(&ask(namespace, matching(&filter)?)?.0)), expected);
        let select = format!(
            r#"["n",{{"expr":{NET},"as":"net"}},{{"expr":{{"lower":"who"}},"as":"who"}},{{"expr":{{"div":["gross","discount"]}},"as":"ratio"}},
                {{"expr":{{"meta":"key"}}}},{{"expr":{{"bin":"lines","path":"[0].price"}}}}]"#
        );
        let (found, summary) = ask(namespace, rows(&select, None)?)?;
        assert_eq!((found.len() as i64, summary.returned), (ORDERS, ORDERS as u64));
        for line in found {
            let (bins, order) = (&line["bins"], order(line["key"].as_i64().unwrap_or(-1)));
            let mut expected = json!({"n": order["n"], "net": net(&order), "key": order["n"],
                "who": order["who"].as_str().unwrap_or_default().to_lowercase()});
            if let Some(discount) = order["discount"].as_i64().filter(|discount| *discount != 0) {
                let gross = order["gross"].as_i64().unwrap_or_default();
                expected["ratio"] = if gross % discount == 0 { json!(gross / discount) } else { json!(gross as f64 / discount as f64) };
            }
            if let Some(price) = order["lines"][0].get("price") {
                expected["price"] = price.clone();
            }
            assert_eq!(*bins, expected);
        }
        Ok(())
    })
}

#[test]
fn items_are_part_of_expressions_as_bins_are() -> Result<()> {
    const LINES: &str = r#"{"bin":"lines","as":"line"}"#;
    const COST: &str = r#"{"mul":[{"bin":"line","path":"count"},{"bin":"line","path":"price"}]}"#;
    let lines = || {
        (0..ORDERS).flat_map(|n| {
            let lines = order(n)["lines"].as_array().cloned().unwrap_or_default();
            lines.into_iter().map(move |line| (n, line["count"].as_f64().unwrap_or(0.0) * line["price"].as_f64().unwrap_or(0.0)))
        })
    };
    with_each(|namespace| {
        // A column of the item is one of the row, and no other is left of it then.
        let select = format!(r#"[{{"expr":{COST},"as":"cost"}},{{"expr":{{"add":["n",1]}},"as":"next"}}]"#);
        let mut expected: Vec<String> = lines().map(|(n, cost)| json!({"cost": cost, "next": n + 1}).to_string()).collect();
        let mut found: Vec<String> = ask(namespace, rows(&select, Some(LINES))?)?.0.iter().map(|line| line["bins"].to_string()).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
        // Without one the item stays whole.
        let whole = ask(namespace, rows(r#"[{"expr":{"neg":"n"},"as":"m"}]"#, Some(LINES))?)?.0;
        assert!(whole.iter().all(|row| row["bins"]["m"] == json!(-row["key"].as_i64().unwrap_or(1)) && row["bins"]["line"].is_object()));
        let aggregate = format!(r#"{{"cost":{{"op":"sum","expr":{COST}}},"most":{{"op":"max","expr":{COST}}}}}"#);
        let by = format!(
            r#"{{"by":[{{"expr":{{"if":[{{"bin":"line","path":"count","op":"gt","value":1}},{{"value":"more"}},"who"]}},"as":"kind"}},
                {{"expr":{{"floor":{COST}}},"as":"cost"}}]}}"#
        );
        let spec = QuerySpec { aggregate: Some(Arc::new(Aggregates::compile(aggregate.as_bytes())?)), ..rows("[]", Some(LINES))? };
        let (total, _) = ask(namespace, spec.clone())?;
        assert_eq!(total[0]["cost"]["value"].as_f64(), Some(lines().map(|(_, cost)| cost).sum()));
        assert_eq!(total[0]["most"]["value"].as_f64(), lines().map(|(_, cost)| cost).reduce(f64::max));
        let grouped = Aggregates::compile(br#"{"lines":{"op":"count"}}"#)?.by_group(by.as_bytes())?;
        let (groups, _) = ask(namespace, QuerySpec { aggregate: Some(Arc::new(grouped)), ..spec })?;
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for n in 0..ORDERS {
            let order = order(n);
            for line in order["lines"].as_array().into_iter().flatten() {
                let count = line["count"].as_i64().unwrap_or(0);
                let cost = (count as f64 * line["price"].as_f64().unwrap_or(0.0)).floor() as i64;
                let kind = if count > 1 { json!("more") } else { order["who"].clone() };
                *expected.entry(json!({"kind": kind, "cost": cost}).to_string()).or_default() += 1;
            }
        }
        let found = groups.iter().map(|group| (group["by"].to_string(), group["aggregate"]["lines"]["value"].as_u64().unwrap_or(0)));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
        Ok(())
    })
}

#[test]
fn an_order_by_an_expression_goes_on_where_a_page_ended() -> Result<()> {
    with_each(|namespace| {
        let order_by = || Order::compile(format!(r#"{{"expr":{NET},"desc":true}}"#).as_bytes());
        let (mut nets, mut met, mut cursor) = (Vec::new(), Vec::new(), None);
        loop {
            let (page, summary) = ask(namespace, QuerySpec { order: Some(order_by()?), limit: Some(170), cursor, ..spec() })?;
            nets.extend(page.iter().map(|row| net(&row["bins"])));
            met.extend(keys(&page));
            cursor = summary.cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert!(nets.is_sorted_by(|a, b| a >= b), "{nets:?}");
        assert_eq!(sorted(met), (0..ORDERS).collect::<Vec<_>>());
        Ok(())
    })
}

#[test]
fn an_index_is_asked_for_the_other_tests_only() -> Result<()> {
    let store = store(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("a") })?;
    let namespace = &store.namespace;
    let index = IndexSpec {
        name: "by_n".into(),
        set: Some("orders".into()),
        bin: Some("n".into()),
        kind: IndexKind::Range,
        path: None,
        created_at_ms: 0,
    };
    assert_eq!(namespace.create_index(index, 1)?.wait_blocking(Duration::from_secs(60)).error, None);
    let both = r#"{"and":[{"bin":"n","op":"le","value":19},{"expr":{"mod":["n",2]},"op":"eq","value":1}]}"#;
    assert_eq!(namespace.explain_query(&matching(both)?)?.index.as_deref(), Some("by_n"));
    let (found, summary) = ask(namespace, matching(both)?)?;
    assert_eq!((sorted(keys(&found)), summary.scanned), ((1..20).step_by(2).collect(), 20));
    // The same value, but as an expression.
    let alone = r#"{"expr":"n","op":"lt","value":20}"#;
    assert_eq!(namespace.explain_query(&matching(alone)?)?.index, None);
    assert_eq!(sorted(keys(&ask(namespace, matching(alone)?)?.0)), (0..20).collect::<Vec<_>>());
    let either = r#"{"or":[{"bin":"n","op":"lt","value":2},{"expr":{"sub":["n",5]},"op":"eq","value":0}]}"#;
    assert_eq!(sorted(keys(&ask(namespace, matching(either)?)?.0)), [0, 1, 5]);
    Ok(())
}

#[test]
fn metadata_alone_reads_no_body_and_sizes_are_known() -> Result<()> {
    with_each(|namespace| {
        let filter = r#"{"expr":{"add":[{"meta":"generation"},{"length":{"meta":"set"}}]},"op":"eq","value":7}"#;
        let sizes = r#"{"sizes":{"op":"sum","meta":"size"},"twice":{"op":"sum","expr":{"mul":[{"meta":"size"},2]}}}"#;
        let aggregate = Some(Arc::new(Aggregates::compile(sizes.as_bytes())?));
        let (found, summary) = ask(namespace, QuerySpec { aggregate, ..matching(filter)? })?;
        let total = found[0]["sizes"]["value"].as_u64().unwrap_or(0);
        assert_eq!((total > 0, found[0]["twice"]["value"].as_u64()), (true, Some(2 * total)));
        assert_eq!(summary.returned, ORDERS as u64);
        assert_eq!(summary.reads.map_or(0, |reads| reads.bytes), 0);
        let order = Order::compile(br#"{"expr":{"neg":{"meta":"size"}}}"#)?;
        let select = || rows(r#"[{"expr":{"meta":"size"}}]"#, None);
        let sizes = |rows: &[Value]| rows.iter().map(|row| row["bins"]["size"].as_u64().unwrap_or(0)).collect::<Vec<_>>();
        assert_eq!(sizes(&ask(namespace, select()?)?.0).iter().sum::<u64>(), total);
        let ordered = sizes(&ask(namespace, QuerySpec { order: Some(order), limit: Some(ORDERS as u64), ..select()? })?.0);
        assert!(ordered.is_sorted_by(|a, b| a >= b) && ordered.iter().sum::<u64>() == total, "{ordered:?}");
        Ok(())
    })
}

#[test]
fn what_is_wrong_has_the_code_of_where_it_stands() {
    let select = |text: &str| Rows::compile(Some(text.as_bytes()), Some(br#"{"bin":"l","as":"i"}"#)).map(drop);
    let aggregate = |text: &str| Aggregates::compile(text.as_bytes()).map(drop);
    let group = |text: &str| Aggregates::compile(br#"{"a":{"op":"count"}}"#).and_then(|all| all.by_group(text.as_bytes())).map(drop);
    let order = |text: &str| Order::compile(text.as_bytes()).map(drop);
    for (outcome, code, field) in [
        (select(r#"["a",{"expr":{"add":["a",{}]},"as":"b"}]"#), ErrorCode::QueryInvalid, "select[1].expr.add[1]"),
        (select(r#"[{"expr":{"add":["a"]}}]"#), ErrorCode::QueryInvalid, "select[0].as"),
        (select(r#"[{"expr":{"bin":"a","path":["\u0001"]}}]"#), ErrorCode::QueryInvalid, "select[0].as"),
        (select(r#"[{"expr":"a","bin":"a"}]"#), ErrorCode::QueryInvalid, "select[0].bin"),
        (select(r#"["a",{"expr":"a"}]"#), ErrorCode::QueryInvalid, "select[1]"),
        (select(r#"[{"expr":"b","as":"i"}]"#), ErrorCode::QueryInvalid, "select"),
        (aggregate(r#"{"a":{"op":"sum","expr":{"add":[]}}}"#), ErrorCode::AggregateInvalid, "aggregate.a.expr.add"),
        (aggregate(r#"{"a":{"op":"sum","expr":"a","bin":"a"}}"#), ErrorCode::AggregateInvalid, "aggregate.a.bin"),
        (aggregate(r#"{"a":{"op":"sum","expr":"a","path":"a"}}"#), ErrorCode::AggregateInvalid, "aggregate.a.path"),
        (aggregate(r#"{"a":{"op":"sum","expr":{"is":{}}}}"#), ErrorCode::AggregateInvalid, "aggregate.a.expr.is"),
        (group(r#"{"by":[{"expr":{"neg":[]},"as":"b"}]}"#), ErrorCode::QueryInvalid, "group.by[0].expr.neg"),
        (group(r#"{"by":[{"expr":{"neg":"a"}}]}"#), ErrorCode::QueryInvalid, "group.by[0].as"),
        (group(r#"{"by":[{"expr":"a","meta":"size"}]}"#), ErrorCode::QueryInvalid, "group.by[0].meta"),
        (order(r#"{"expr":{"neg":[]}}"#), ErrorCode::OrderInvalid, "order.expr.neg"),
        (order(r#"{"expr":"a","bin":"a"}"#), ErrorCode::OrderInvalid, "order"),
        (order(r#"{"expr":"a","path":"b"}"#), ErrorCode::OrderInvalid, "order"),
    ] {
        let error = outcome.err();
        assert_eq!(error.as_ref().map(|error| (error.code, error.field.as_deref())), Some((code, Some(field))));
    }
}
