//! The answers of queries as values of MessagePack.

use std::collections::BTreeSet;
use std::sync::Arc;

use tessera_base::{Error, ErrorCode, Result};
use tessera_core::aggregate::Aggregates;
use tessera_core::query::{QuerySpec, Rows};
use tessera_core::scan::ScanFormat;
use tessera_core::{Namespace, NamespaceConfig};
use tessera_record::ValueRef;
use tessera_record::json::{Shape, write_value};
use tessera_record::msgpack::{Walk, Walked, unpack_value};

use crate::documents::query::{put, store};

fn read(namespace: &Arc<Namespace>, format: ScanFormat, spec: QuerySpec) -> Result<Vec<u8>> {
    let query = namespace.query(QuerySpec { set: Some("events".into()), threads: 2, format, ..spec })?;
    let mut bytes = Vec::new();
    while let Some(chunk) = query.stream.next_blocking()? {
        bytes.extend(chunk);
    }
    Ok(bytes)
}

/// The values of a stream as JSON.
fn values(bytes: &[u8]) -> Result<BTreeSet<String>> {
    let (mut at, mut found) = (0, BTreeSet::new());
    while at < bytes.len() {
        let Walked::Whole(length) = Walk::default().step(&bytes[at..]) else {
            return Err(Error::new(ErrorCode::MsgpackInvalid, "the stream ends within a value"));
        };
        let (mut value, mut text) = (vec![], vec![]);
        unpack_value(&bytes[at..at + length], &mut value)?;
        write_value(&mut text, ValueRef::of(&value), Shape::Record);
        found.insert(String::from_utf8_lossy(&text).into_owned());
        at += length;
    }
    Ok(found)
}

#[test]
fn each_value_is_what_its_line_of_json_is() -> Result<()> {
    let store = store(NamespaceConfig { segments: 16, ..NamespaceConfig::memory("a") })?;
    let namespace = &store.namespace;
    (0..3000).try_for_each(|n: i64| {
        put(namespace, "events", n, &format!(r#"{{"n":{},"d":1.0,"raw":{{"$bytes":"AP8="}},"list":[{n},{{"x":null}}]}}"#, i64::MAX - n))
    })?;
    let rows = || Rows::compile(Some(br#"["n"]"#), Some(br#"{"bin":"list","as":"item"}"#));
    let grouped = || Aggregates::compile(br#"{"n":{"op":"count"}}"#)?.by_group(br#"{"by":["d"]}"#);
    let asked = || -> Result<[QuerySpec; 4]> {
        Ok([
            QuerySpec::default(),
            QuerySpec { rows: Some(rows()?.into()), ..QuerySpec::default() },
            QuerySpec { aggregate: Some(grouped()?.into()), ..QuerySpec::default() },
            QuerySpec { partitions: Some(0..0), ..QuerySpec::default() },
        ])
    };
    for ((packed, plain), count) in asked()?.into_iter().zip(asked()?).zip([3000, 6000, 1, 0]) {
        let lines = String::from_utf8_lossy(&read(namespace, ScanFormat::Record, plain)?).into_owned();
        let found = values(&read(namespace, ScanFormat::Values, packed)?)?;
        assert_eq!(found.len(), count);
        assert_eq!(found, lines.lines().map(str::to_owned).collect());
    }
    Ok(())
}
