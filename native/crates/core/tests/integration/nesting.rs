//! A record whose checksums are right, and whose values nest without end, is a damaged record and no overflow of the stack.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::{ErrorCode, limits};
use tessera_core::exchange::{self, BatchReader, Form, ReadBatch};
use tessera_core::export::ExportSpec;
use tessera_core::namespace::RecordName;
use tessera_core::query::QuerySpec;
use tessera_core::scan::{PlanChoice, ScanSpec};
use tessera_core::stream_summary::ChunkStream;
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::load::Format;
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, KeyRef, Value};

const LONG: Duration = Duration::from_secs(60);
/// One more than any client may write, some in the middle, and far more than a stack holds.
const DEPTHS: [usize; 3] = [limits::NESTING + 1, 10_000, 1_000_000];
const SOUND: i64 = 20;

/// A list in a list in a list. Nothing but a forged file has it, as every text of a client is read with a bound.
fn nested(depth: usize) -> Vec<u8> {
    let list = |level: usize| {
        let inside = (5 * (depth - 1 - level) + 1) as u32;
        std::iter::once(10).chain(inside.to_le_bytes())
    };
    (0..depth).flat_map(list).chain([0]).collect()
}

fn forge(directory: &Path, config: NamespaceConfig) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let config = NamespaceConfig { segments: 4, max_record_bytes: limits::RECORD_BYTES_MAX as u32, ..config };
    let namespace = engine.create_namespace(config).unwrap();
    for key in 0..SOUND {
        let value = Value::List(vec![Value::Int(key)]);
        namespace.put("s", KeyRef::Integer(key), &body(KeyRef::Integer(key), &[("v", value)]), &WriteOptions::default()).unwrap();
    }
    for depth in DEPTHS {
        let key = KeyRef::Integer(depth as i64);
        let mut bytes = Vec::new();
        let mut builder = BodyBuilder::new(&mut bytes, key);
        builder.encoded_bin("v", &nested(depth)).unwrap();
        builder.finish();
        namespace.put("s", key, &bytes, &WriteOptions::default()).unwrap();
    }
    engine.close().unwrap();
}

fn lines(stream: &ChunkStream) -> Vec<String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next_blocking().unwrap() {
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

/// Every way to a record: the forged ones are damaged, the others are there.
fn all_ways(namespace: &Arc<Namespace>, plans: &[PlanChoice]) {
    for depth in DEPTHS {
        let key = KeyRef::Integer(depth as i64);
        assert_eq!(namespace.get("s", key, &mut vec![]).unwrap_err().code, ErrorCode::RecordDamaged, "{depth}");
        let read = exchange::read_record(namespace.store(), "s", RecordName::Key(key), &Form::default(), &mut vec![]);
        assert_eq!(read.unwrap_err().code, ErrorCode::RecordDamaged, "{depth}");
    }
    let forged = DEPTHS.len() as u64;
    let whole = |damaged: u64, lines: &[String]| {
        let sound = lines.iter().filter(|line| !line.contains("record_damaged")).count();
        assert_eq!((damaged, sound), (forged, SOUND as usize), "{lines:?}");
    };
    let filter = |text: &[u8]| Some(Arc::new(Filter::compile(text).unwrap()));
    let contains = br#"{"not":{"bin":"v","op":"contains","value":[[[[1]]]]}}"#;
    for plan in plans {
        for filter in [None, filter(contains)] {
            let scan = namespace.scan(ScanSpec { set: Some("s".into()), plan: *plan, filter, ..ScanSpec::default() }).unwrap();
            let found = lines(&scan.stream);
            whole(scan.stream.summary().damaged, &found);
        }
    }
    let query = namespace.query(QuerySpec { set: Some("s".into()), filter: filter(contains), ..QuerySpec::default() }).unwrap();
    let found = lines(&query.stream);
    whole(query.stream.summary().damaged, &found);
    for format in [Format::Ndjson, Format::Csv] {
        let columns = (format == Format::Csv).then(|| vec!["v".to_owned()]);
        let export = namespace
            .export(ExportSpec {
                set: Some("s".into()),
                filter: None,
                format,
                columns,
                metadata: false,
                threads: 2,
                ..ExportSpec::default()
            })
            .unwrap();
        lines(&export.stream);
        assert_eq!(export.stream.summary().damaged, forged);
    }
    let keys = DEPTHS.map(|depth| depth.to_string()).join("\n");
    let batch = ReadBatch { set: "s".into(), keys: keys.into_bytes(), bins: None };
    let mut reader = BatchReader::new(namespace.store().clone(), batch);
    let mut text = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        text.extend_from_slice(&chunk);
    }
    assert_eq!(String::from_utf8(text).unwrap().matches("record_damaged").count(), DEPTHS.len());
}

fn index(namespace: &Arc<Namespace>) {
    let spec = IndexSpec {
        name: "i".into(),
        set: Some("s".into()),
        bin: Some("v".into()),
        kind: IndexKind::Document,
        path: None,
        created_at_ms: 0,
    };
    let built = namespace.create_index(spec, 2).unwrap().wait_blocking(LONG);
    assert_eq!(built.damaged, DEPTHS.len() as u64, "{built:?}");
}

#[test]
fn values_that_nest_without_end_on_a_device_are_damaged_records() {
    let directory = tempfile::tempdir().unwrap();
    forge(directory.path(), NamespaceConfig::device("n", DeviceConfig { write_block_bytes: 8 << 20, ..DeviceConfig::default() }));
    {
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.namespace("n").unwrap();
        all_ways(&namespace, &[PlanChoice::Auto, PlanChoice::Device]);
        index(&namespace);
        engine.close().unwrap();
    }
    // Without the snapshot a start reads every record, and fills the index from them.
    for entry in fs::read_dir(directory.path().join("namespaces")).unwrap() {
        let _ = fs::remove_file(entry.unwrap().path().join("index.tss"));
    }
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.namespace("n").unwrap();
    assert_eq!(namespace.get("s", KeyRef::Integer(3), &mut vec![]).unwrap().map(|meta| meta.generation), Some(1));
    assert_eq!(namespace.recovery().damaged, DEPTHS.len() as u64);
}

#[test]
fn values_that_nest_without_end_in_pages_are_damaged_records() {
    let directory = tempfile::tempdir().unwrap();
    forge(directory.path(), NamespaceConfig::paged("n", PagedConfig::default()));
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.namespace("n").unwrap();
    all_ways(&namespace, &[PlanChoice::Auto]);
    index(&namespace);
}
