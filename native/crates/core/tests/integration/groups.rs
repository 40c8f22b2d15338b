//! Aggregates by group, against what a loop over the same documents makes.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;
use tessera_base::{ErrorCode, Result};
use tessera_core::aggregate::Aggregates;
use tessera_core::query::{QuerySpec, Rows};
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_record::json::{Shape, parse_bins};
use tessera_record::{BodyBuilder, KeyRef};

struct Store {
    namespace: Arc<Namespace>,
    _engine: Arc<Engine>,
    _directory: TempDir,
}

fn store(events: i64, event: impl Fn(i64) -> Value) -> Result<Store> {
    let directory = tempfile::tempdir().map_err(|error| tessera_base::Error::io("making a directory", &error))?;
    let engine = Engine::open(directory.path(), EngineOptions::default())?;
    let namespace = engine.create_namespace(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("a") })?;
    for n in 0..events {
        let mut bytes = Vec::new();
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(n));
        parse_bins(event(n).to_string().as_bytes(), Shape::Record, body.bins())?;
        body.finish();
        namespace.put("events", KeyRef::Integer(n), &bytes, &WriteOptions::default())?;
    }
    Ok(Store { namespace, _engine: engine, _directory: directory })
}

/// Of every seventh event the kind is missing; numbers that are equal come as integers and as doubles.
fn event(n: i64) -> Value {
    let commits: Vec<Value> = (0..n % 3).map(|at| json!({"author": {"name": format!("u{}", (n + at) % 5)}})).collect();
    let size = if n % 2 == 0 { json!(n % 4) } else { json!((n % 4) as f64) };
    let kind = ["push", "watch"][(n % 2) as usize];
    match n % 7 {
        0 => json!({"repo": n % 10, "payload": {"size": size, "commits": commits}}),
        _ => json!({"repo": n % 10, "kind": kind, "payload": {"size": size, "commits": commits}}),
    }
}

fn grouped(aggregate: &str, group: &str) -> Result<QuerySpec> {
    let aggregate = Aggregates::compile(aggregate.as_bytes())?.by_group(group.as_bytes())?;
    Ok(QuerySpec { set: Some("events".into()), aggregate: Some(Arc::new(aggregate)), threads: 4, ..QuerySpec::default() })
}

/// The groups in order, and how many were left out.
fn ask(store: &Store, spec: QuerySpec) -> Result<(Vec<Value>, Option<u64>)> {
    let stream = store.namespace.query(spec)?.stream;
    let mut text = Vec::new();
    while let Some(chunk) = stream.next_blocking()? {
        text.extend(chunk);
    }
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    Ok((lines.map(|line| serde_json::from_slice(line).unwrap_or_default()).collect(), stream.summary().others))
}

const COUNT: &str = r#"{"records":{"op":"count"},"repos":{"op":"sum","bin":"repo"}}"#;

#[test]
fn groups_are_what_a_loop_finds() -> Result<()> {
    // More than one thread has its share of.
    let events = 5000;
    let store = store(events, event)?;
    let mut expected: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    for n in 0..events {
        let event = event(n);
        let mut by = json!({"size": event["payload"]["size"].as_f64().unwrap_or_default() as i64});
        if event["kind"].is_string() {
            by["kind"] = event["kind"].clone();
        }
        let figures = expected.entry(by.to_string()).or_default();
        *figures = (figures.0 + 1, figures.1 + n % 10);
    }
    let (groups, others) = ask(&store, grouped(COUNT, r#"{"by":["kind",{"bin":"payload","path":"size"}]}"#)?)?;
    let found = groups.iter().map(|group| {
        let figures = &group["aggregate"];
        (group["by"].to_string(), (figures["records"]["value"].as_u64().unwrap_or(0), figures["repos"]["value"].as_i64().unwrap_or(0)))
    });
    assert_eq!((found.collect::<BTreeMap<_, _>>(), others), (expected, Some(0)));
    Ok(())
}

#[test]
fn the_top_groups_are_exact_and_in_order() -> Result<()> {
    // Group n has n + 1 events.
    let store = store(1275, |n| json!({"n": (0..50).find(|g| (g + 1) * (g + 2) / 2 > n).unwrap_or(-1)}))?;
    let first = |group: &str| -> Result<(Vec<i64>, Option<u64>)> {
        let (groups, others) = ask(&store, grouped(r#"{"count":{"op":"count"},"sum":{"op":"sum","bin":"n"}}"#, group)?)?;
        Ok((groups.iter().map(|group| group["by"]["n"].as_i64().unwrap_or(-1)).collect(), others))
    };
    assert_eq!(first(r#"{"by":["n"],"top":3}"#)?, (vec![49, 48, 47], Some(47)));
    assert_eq!(first(r#"{"by":["n"],"top":2,"order":"sum","desc":false}"#)?, (vec![0, 1], Some(48)));
    assert_eq!(first(r#"{"by":["n"],"top":100}"#)?, ((0..50).rev().collect(), Some(0)));
    Ok(())
}

#[test]
fn items_of_a_list_are_grouped_by_what_they_hold() -> Result<()> {
    let store = store(300, event)?;
    let rows = Rows::compile(None, Some(br#"{"bin":"payload","path":"commits","as":"commit"}"#))?;
    let spec = grouped(r#"{"commits":{"op":"count"}}"#, r#"{"by":[{"bin":"commit","path":"author.name","as":"who"}]}"#)?;
    let (groups, _) = ask(&store, QuerySpec { rows: Some(Arc::new(rows)), ..spec })?;
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for n in 0..300 {
        for commit in event(n)["payload"]["commits"].as_array().into_iter().flatten() {
            *expected.entry(commit["author"]["name"].to_string()).or_default() += 1;
        }
    }
    let found = groups.iter().map(|group| (group["by"]["who"].to_string(), group["aggregate"]["commits"]["value"].as_u64().unwrap_or(0)));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    Ok(())
}

#[test]
fn too_many_groups_are_refused_and_so_is_what_is_wrong() -> Result<()> {
    let items = |key: i64| (0..60_000).map(|n| key * 60_000 + n).collect::<Vec<_>>();
    let store = store(2, |key| json!({"list": items(key)}))?;
    let rows = Arc::new(Rows::compile(None, Some(br#"{"bin":"list","as":"n"}"#))?);
    let spec = QuerySpec { rows: Some(rows), ..grouped(r#"{"a":{"op":"count"}}"#, r#"{"by":["n"],"top":1}"#)? };
    assert_eq!(ask(&store, spec).err().map(|error| error.code), Some(ErrorCode::TooManyGroups));
    for (group, field) in [
        ("[]", "group"),
        ("{}", "group.by"),
        (r#"{"by":[]}"#, "group.by"),
        (r#"{"by":["a","a"]}"#, "group.by[1]"),
        (r#"{"by":[{"path":"a"}]}"#, "group.by[0].path"),
        (r#"{"by":[{"meta":"age"}]}"#, "group.by[0].meta"),
        (r#"{"by":["a"],"top":0}"#, "group.top"),
        (r#"{"by":["a"],"order":"b"}"#, "group.order"),
        (r#"{"by":["a"],"desc":1}"#, "group.desc"),
        (r#"{"by":["a"],"colour":1}"#, "group.colour"),
    ] {
        let error = grouped(COUNT, group).err();
        assert_eq!(
            error.as_ref().map(|error| (error.code, error.field.as_deref())),
            Some((ErrorCode::QueryInvalid, Some(field))),
            "{group}"
        );
    }
    let distinct = grouped(r#"{"a":{"op":"distinct","bin":"a"}}"#, r#"{"by":["a"]}"#).err();
    assert_eq!(distinct.map(|error| error.code), Some(ErrorCode::AggregateInvalid));
    Ok(())
}

#[test]
fn groups_are_ordered_by_numbers_that_doubles_cannot_tell_apart() -> Result<()> {
    let edge = 1_i64 << 60;
    // As doubles the first three are one. The averages are in another order than the sums.
    let values = [edge + 1, edge + 3, edge + 2, 1, 1, 1, 2];
    let who = [0, 1, 2, 3, 3, 3, 6];
    let store = store(7, |n| json!({"who": who[n as usize], "n": values[n as usize]}))?;
    for (op, expected) in [("sum", [1, 2, 0, 3, 6]), ("max", [1, 2, 0, 6, 3]), ("avg", [0, 1, 2, 6, 3])] {
        let spec = grouped(&format!(r#"{{"a":{{"op":"{op}","bin":"n"}}}}"#), r#"{"by":["who"]}"#)?;
        let found: Vec<_> = ask(&store, spec)?.0.iter().map(|group| group["by"]["who"].as_i64().unwrap_or(-1)).collect();
        assert_eq!(found, expected, "{op}");
    }
    Ok(())
}
