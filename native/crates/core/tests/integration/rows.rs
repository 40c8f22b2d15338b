//! The rows that queries make of records: columns at paths, and a row for each item of a list, against what a loop over the
//! same documents makes; whole, in pages, in memory and on a device.

use crate::pages::paged;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tessera_base::{ErrorCode, Result};
use tessera_core::query::{QuerySpec, Rows};
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_record::filter::Filter;
use tessera_record::json::{Shape, parse_bins};
use tessera_record::{BodyBuilder, KeyRef};

struct Store {
    namespace: Arc<Namespace>,
    _engine: Arc<Engine>,
    _directory: TempDir,
}

fn store(config: NamespaceConfig) -> Result<Store> {
    let directory = tempfile::tempdir().map_err(|error| tessera_base::Error::io("making a directory", &error))?;
    let engine = Engine::open(directory.path(), EngineOptions::default())?;
    Ok(Store { namespace: engine.create_namespace(config)?, _engine: engine, _directory: directory })
}

fn put(namespace: &Namespace, key: i64, bins: &Value) -> Result<()> {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(key));
    parse_bins(bins.to_string().as_bytes(), Shape::Record, body.bins())?;
    body.finish();
    namespace.put("events", KeyRef::Integer(key), &bytes, &WriteOptions::default()).map(drop)
}

/// Every fifth event has no commits, another fifth something else where they would be; the others up to three.
fn event(n: i64) -> Value {
    let commit = |at: i64| json!({"sha": format!("{n}-{at}"), "author": {"email": format!("u{}@x.org", (n + at) % 7)}});
    let payload = match n % 5 {
        0 => json!({"ref": "main"}),
        1 => json!({"ref": "main", "commits": {"none": true}}),
        _ => json!({"ref": "main", "commits": (0..n % 4).map(commit).collect::<Vec<_>>()}),
    };
    json!({"event_id": n, "repo_id": n % 50, "payload": payload, "commit": "hidden"})
}

fn rows(select: Option<&str>, unnest: Option<&str>) -> Result<QuerySpec> {
    let rows = Rows::compile(select.map(str::as_bytes), unnest.map(str::as_bytes))?;
    Ok(QuerySpec { set: Some("events".into()), rows: Some(Arc::new(rows)), threads: 2, ..QuerySpec::default() })
}

const COMMITS: Option<&str> = Some(r#"{"bin":"payload","path":"commits","as":"commit"}"#);

/// Key, item and bins.
type Row = (i64, Value, Value);

/// Each row, and the cursor.
fn ask(namespace: &Arc<Namespace>, spec: QuerySpec) -> Result<(Vec<Row>, Option<String>)> {
    let query = namespace.query(spec)?;
    let mut text = Vec::new();
    while let Some(chunk) = query.stream.next_blocking()? {
        text.extend(chunk);
    }
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let found: Vec<_> = lines
        .map(|line| {
            let row: Value = serde_json::from_slice(line).unwrap_or_default();
            assert!(row["digest"].is_string() && row["generation"] == 1, "{row}");
            (row["key"].as_i64().unwrap_or(-1), row["item"].clone(), row["bins"].clone())
        })
        .collect();
    let summary = query.stream.summary();
    assert_eq!(summary.returned, found.len() as u64);
    Ok((found, summary.cursor))
}

/// What the published query makes of the events.
fn expected(events: i64) -> Vec<Row> {
    let mut rows = Vec::new();
    for n in 0..events {
        let event = event(n);
        for (at, commit) in event["payload"]["commits"].as_array().into_iter().flatten().enumerate() {
            let bins = json!({"event_id": event["event_id"], "repo_id": event["repo_id"], "commit": commit});
            rows.push((n, json!(at), bins));
        }
    }
    rows
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|(key, item, _)| (*key, item.as_u64()));
    rows
}

fn configs() -> Vec<NamespaceConfig> {
    let device = EngineConfig::Device(DeviceConfig { capacity_bytes: 64 << 20, ..DeviceConfig::default() });
    vec![
        NamespaceConfig { segments: 8, ..NamespaceConfig::memory("m") },
        NamespaceConfig { segments: 8, engine: device, durability: Durability::Relaxed, ..NamespaceConfig::memory("d") },
        NamespaceConfig { segments: 8, ..paged("p", 4096) },
    ]
}

#[test]
fn each_item_is_a_row_whole_and_in_pages() -> Result<()> {
    for config in configs() {
        let store = store(config)?;
        (0..900).try_for_each(|n| put(&store.namespace, n, &event(n)))?;
        let spec = || rows(Some(r#"["event_id","repo_id"]"#), COMMITS);
        let whole = expected(900);
        assert_eq!(sorted(ask(&store.namespace, spec()?)?.0), whole);
        for limit in [1, 2, 7, 500] {
            let (mut joined, mut cursor) = (Vec::new(), None);
            loop {
                let (page, next) = ask(&store.namespace, QuerySpec { limit: Some(limit), cursor, ..spec()? })?;
                assert!(next.is_none() || page.len() as u64 == limit);
                joined.extend(page);
                cursor = next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(sorted(joined), whole, "{limit}");
        }
        // The filter is of the record.
        let filter = Filter::compile(br#"{"bin":"repo_id","op":"eq","value":3}"#)?.into();
        let some = ask(&store.namespace, QuerySpec { filter: Some(filter), ..spec()? })?.0;
        assert_eq!(sorted(some), whole.into_iter().filter(|(key, ..)| key % 50 == 3).collect::<Vec<_>>());
    }
    Ok(())
}

#[test]
fn columns_are_found_at_paths_and_called_as_asked() -> Result<()> {
    let store = store(NamespaceConfig::memory("a"))?;
    put(&store.namespace, 7, &event(7))?;
    for (select, unnest, bins) in [
        (r#"[{"bin":"payload","path":"ref"},{"bin":"event_id","as":"id"}]"#, None, vec![json!({"ref": "main", "id": 7})]),
        (r#"[{"bin":"payload","path":["nothing"]},"absent","repo_id"]"#, None, vec![json!({"repo_id": 7})]),
        (r#"[]"#, None, vec![json!({})]),
        (
            r#"[{"bin":"commit","path":"author.email","as":"who"},"event_id"]"#,
            COMMITS,
            (0..3).map(|at| json!({"who": format!("u{}@x.org", at % 7), "event_id": 7})).collect(),
        ),
        (r#"[{"bin":"commit","path":"sha"}]"#, COMMITS, (0..3).map(|at| json!({"sha": format!("7-{at}")})).collect()),
    ] {
        let found = ask(&store.namespace, rows(Some(select), unnest)?)?.0;
        assert_eq!(found.into_iter().map(|(_, _, bins)| bins).collect::<Vec<_>>(), bins, "{select}");
    }
    let order = ask_text(&store.namespace, rows(Some(r#"["repo_id","commit","event_id"]"#), COMMITS)?)?;
    assert!(
        order.contains(r#""item":0,"bins":{"repo_id":7,"commit":{"author":{"email":"u0@x.org"},"sha":"7-0"},"event_id":7}"#),
        "{order}"
    );
    // Without columns a row has all bins; the item hides the bin of its name.
    let all = ask(&store.namespace, rows(None, COMMITS)?)?.0;
    assert_eq!(all[2].2["commit"]["sha"], "7-2");
    assert_eq!((&all[2].2["payload"], all.len()), (&event(7)["payload"], 3));
    Ok(())
}

fn ask_text(namespace: &Arc<Namespace>, spec: QuerySpec) -> Result<String> {
    let stream = namespace.query(spec)?.stream;
    let mut text = Vec::new();
    while let Some(chunk) = stream.next_blocking()? {
        text.extend(chunk);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_long_list_comes_in_chunks_and_ends_where_the_limit_does() -> Result<()> {
    for config in configs() {
        let store = store(config)?;
        const ITEMS: usize = 40_000;
        for key in 0..3 {
            put(&store.namespace, key, &json!({"pad": "x".repeat(100), "list": vec![key; ITEMS]}))?;
        }
        let spec = || rows(Some(r#"["pad"]"#), Some(r#"{"bin":"list","as":"n"}"#));
        let stream = store.namespace.query(spec()?)?.stream;
        let (mut count, mut largest) = (0, 0);
        while let Some(chunk) = stream.next_blocking()? {
            largest = largest.max(chunk.len());
            count += chunk.iter().filter(|&&byte| byte == b'\n').count();
        }
        assert_eq!(count, 3 * ITEMS);
        // A list's rows are some ten megabytes.
        assert!(largest < 1 << 20, "{largest}");
        let limit = ITEMS + 5;
        let (first, cursor) = ask(&store.namespace, QuerySpec { limit: Some(limit as u64), ..spec()? })?;
        assert_eq!((first.len(), cursor.is_some()), (limit, true));
        let (rest, cursor) = ask(&store.namespace, QuerySpec { cursor, ..spec()? })?;
        assert_eq!((rest.len(), cursor), (3 * ITEMS - limit, None));
        assert_eq!((&rest[0].1, rest[0].0), (&json!(5), first[limit - 1].0));
    }
    Ok(())
}

#[test]
fn what_is_wrong_is_named() -> Result<()> {
    let many = format!("[{}]", (0..257).map(|n| format!("\"c{n}\"")).collect::<Vec<_>>().join(","));
    for (select, unnest, field) in [
        (Some(r#"{}"#), None, "select"),
        (Some(r#"[1]"#), None, "select[0]"),
        (Some(r#"["a",{"path":"b"}]"#), None, "select[1].bin"),
        (Some(r#"[{"bin":"a","path":""}]"#), None, "select[0].path"),
        (Some(r#"[{"bin":"a","path":[]}]"#), None, "select[0].path"),
        (Some(r#"[{"bin":"a","as":""}]"#), None, "select[0].as"),
        (Some(r#"[{"bin":"a","colour":1}]"#), None, "select[0].colour"),
        (Some(r#"["a",{"bin":"b","as":"a"}]"#), None, "select[1]"),
        (Some(&many), None, "select"),
        (Some(r#"[{"bin":"b","as":"commit"}]"#), COMMITS, "select"),
        (None, Some("[]"), "unnest"),
        (None, Some(r#"{"bin":"a"}"#), "unnest.as"),
        (None, Some(r#"{"as":"a"}"#), "unnest.bin"),
        (None, Some(r#"{"bin":"a","as":"b","path":7}"#), "unnest.path"),
    ] {
        let error = Rows::compile(select.map(str::as_bytes), unnest.map(str::as_bytes)).err();
        let found = error.as_ref().map(|error| (error.code, error.field.as_deref()));
        assert_eq!(found, Some((ErrorCode::QueryInvalid, Some(field))), "{select:?} {unnest:?}");
    }
    let store = store(NamespaceConfig::memory("a"))?;
    let packed = QuerySpec { format: tessera_core::scan::ScanFormat::Packed, set: None, ..rows(Some("[]"), None)? };
    assert_eq!(store.namespace.query(packed).err().map(|error| error.code), Some(ErrorCode::QueryInvalid));
    Ok(())
}
