//! The answers of queries as CSV.

use std::collections::BTreeSet;
use std::sync::Arc;

use tessera_base::Result;
use tessera_core::aggregate::Aggregates;
use tessera_core::query::{Order, QuerySpec, Rows};
use tessera_core::scan::ScanFormat;
use tessera_core::{Namespace, NamespaceConfig};

use crate::documents::query::{put, store};

/// The lines of an answer, without their ends.
fn lines(namespace: &Arc<Namespace>, spec: QuerySpec) -> Result<Vec<String>> {
    let query = namespace.query(QuerySpec { set: Some("events".into()), threads: 2, format: ScanFormat::Csv, ..spec })?;
    let mut text = Vec::new();
    while let Some(chunk) = query.stream.next_blocking()? {
        text.extend(chunk);
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(text.ends_with("\r\n"));
    Ok(text.split_terminator("\r\n").map(str::to_owned).collect())
}

#[test]
fn every_row_comes_under_one_line_of_names_however_many_threads_write() -> Result<()> {
    const RECORDS: i64 = 30_000;
    let store = store(NamespaceConfig { segments: 16, ..NamespaceConfig::memory("a") })?;
    let namespace = &store.namespace;
    (0..RECORDS)
        .try_for_each(|n| put(namespace, "events", n, &format!(r#"{{"n":{n},"text":"a, \"b\" {n}","list":[{n},{{"x":null}}]}}"#)))?;
    let all = lines(namespace, QuerySpec::default())?;
    assert_eq!((all[0].as_str(), all.len() as i64), ("key,n,text,list", RECORDS + 1));
    let row = |n: i64| format!(r#"{n},{n},"a, ""b"" {n}","[{n},{{""x"":null}}]""#);
    assert_eq!(all[1..].iter().cloned().collect::<BTreeSet<_>>(), (0..RECORDS).map(row).collect());

    let select = Some(vec!["text".to_owned(), "none".to_owned()]);
    let page = QuerySpec { select, limit: Some(2), order: Some(Order::compile(br#"{"bin":"n","desc":true}"#)?), ..QuerySpec::default() };
    assert_eq!(lines(namespace, page)?, ["key,text,none", r#"29999,"a, ""b"" 29999","#, r#"29998,"a, ""b"" 29998","#]);

    let rows = Rows::compile(Some(br#"["n"]"#), Some(br#"{"bin":"list","as":"item"}"#))?;
    let items = lines(namespace, QuerySpec { rows: Some(rows.into()), ..QuerySpec::default() })?;
    assert_eq!((items[0].as_str(), items.len() as i64), ("key,n,item", 2 * RECORDS + 1));

    let counted = Aggregates::compile(br#"{"n":{"op":"count"}}"#)?;
    assert_eq!(lines(namespace, QuerySpec { aggregate: Some(counted.into()), ..QuerySpec::default() })?, ["n", "30000"]);
    let grouped = Aggregates::compile(br#"{"n":{"op":"count"},"most":{"op":"max","bin":"n"}}"#)?.by_group(br#"{"by":["none"]}"#)?;
    assert_eq!(lines(namespace, QuerySpec { aggregate: Some(grouped.into()), ..QuerySpec::default() })?, ["none,n,most", ",30000,29999"]);
    assert_eq!(lines(namespace, QuerySpec { cursor: None, partitions: Some(0..0), ..QuerySpec::default() })?, ["key"]);
    Ok(())
}
