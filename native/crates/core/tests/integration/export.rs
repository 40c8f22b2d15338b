//! What an export writes, an import reads as the same records.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::bodies::body;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use tessera_base::ErrorCode;
use tessera_core::export::ExportSpec;
use tessera_core::scan::VisitSpec;
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_jobs::load::{Format, ImportReport, ImportSession, ImportSpec, RowSink};
use tessera_jobs::{JobKind, JobSpec};
use tessera_record::{BodyRef, Key, Ttl, Value, ValueRef};

type Bins = BTreeMap<String, Value>;
type Records = BTreeMap<Key, Bins>;

struct Store {
    engine: Arc<Engine>,
    _directory: tempfile::TempDir,
}

impl Store {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { engine: Engine::open(directory.path(), EngineOptions::default()).unwrap(), _directory: directory }
    }

    fn namespace(&self, name: &str) -> Arc<Namespace> {
        self.engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory(name) }).unwrap()
    }

    fn import(&self, into: &Arc<Namespace>, spec: ImportSpec, bytes: &[u8]) -> ImportReport {
        let job = self.engine.jobs().begin(JobSpec { threads: 2, ..JobSpec::new(JobKind::Import, into.name(), "Import") }).unwrap();
        let session = ImportSession::begin(Arc::clone(into) as Arc<dyn RowSink>, spec, job).unwrap();
        bytes.chunks(1000).for_each(|chunk| session.write(chunk).unwrap());
        session.finish().unwrap()
    }
}

fn put(namespace: &Namespace, key: &Key, bins: &Bins, ttl: Ttl) {
    let bins: Vec<_> = bins.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    namespace.put("s", key.as_ref(), &body(key.as_ref(), &bins), &WriteOptions { ttl, ..WriteOptions::default() }).unwrap();
}

fn export(namespace: &Arc<Namespace>, format: Format, columns: Option<Vec<String>>) -> Vec<u8> {
    let spec = ExportSpec { set: Some("s".into()), filter: None, format, columns, threads: 2 };
    let export = namespace.export(spec).unwrap();
    assert_eq!(export.job.spec().kind, JobKind::Export);
    let mut bytes = vec![];
    while let Some(chunk) = export.stream.next_blocking().unwrap() {
        bytes.extend_from_slice(&chunk);
    }
    bytes
}

fn records(namespace: &Namespace) -> Records {
    let found = Mutex::new(Records::new());
    let visit = |_: usize, record: &tessera_core::scan::Found<'_>| {
        let body = BodyRef::new(record.body);
        let bins = body.raw_bins().map(|(name, value)| (String::from_utf8(name.to_vec()).unwrap(), ValueRef::of(value).to_value()));
        found.lock().unwrap().insert(body.key().to_owned(), bins.collect());
        ControlFlow::Continue(())
    };
    namespace.scan_visit(&VisitSpec { set: Some("s".into()), ..VisitSpec::default() }, &visit).unwrap();
    found.into_inner().unwrap()
}

fn keys() -> impl Strategy<Value = Key> {
    prop_oneof![
        any::<i64>().prop_map(Key::Integer),
        "[a-z0-9,\"\n]{1,12}|-?[0-9]{1,5}|\\PC{1,8}|true".prop_map(Key::String),
        prop::collection::vec(any::<u8>(), 1..20).prop_map(Key::Bytes),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_filter("JSON has no NaN", |d| d.is_finite()).prop_map(Value::Double),
        "[a-z0-9,\"\r\n -]{0,20}|-?[0-9]{1,5}(\\.[0-9])?|true|false|\\PC{0,10}".prop_map(Value::String),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(Value::Bytes),
    ];
    leaf.prop_recursive(3, 30, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
            prop::collection::btree_map("[a-z\"]{0,5}", inner, 0..5).prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}

fn record_sets() -> impl Strategy<Value = Records> {
    let bins = prop::collection::btree_map("[a-d]|key|x y|\"|,", values(), 0..6);
    prop::collection::btree_map(keys(), bins, 1..20)
}

/// In CSV a bin that is missing and one that is null look alike, and so do a list and a string that is one.
fn as_csv_tells(records: Records) -> Records {
    let tells = |value: &Value| *value != Value::Null;
    let kept = |bins: Bins| bins.into_iter().filter(|(_, value)| tells(value)).collect();
    records.into_iter().map(|(key, bins)| (key, kept(bins))).collect()
}

fn looks_like_json(value: &Value) -> bool {
    matches!(value, Value::String(text) if text.starts_with(['{', '[']) && serde_json::from_str::<serde_json::Value>(text).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ndjson_loses_nothing(wanted in record_sets()) {
        let store = Store::new();
        let (from, to) = (store.namespace("from"), store.namespace("to"));
        wanted.iter().for_each(|(key, bins)| put(&from, key, bins, Ttl::Default));
        let report = store.import(&to, ImportSpec { threads: 2, ..ImportSpec::new("s", Format::Ndjson) }, &export(&from, Format::Ndjson, None));
        prop_assert_eq!((report.inserted, report.rejected), (wanted.len() as u64, vec![]));
        prop_assert_eq!(records(&to), wanted);
    }

    #[test]
    fn csv_loses_only_what_it_cannot_say(wanted in record_sets()) {
        prop_assume!(!wanted.values().flat_map(BTreeMap::values).any(looks_like_json));
        prop_assume!(!wanted.keys().any(|key| matches!(key, Key::String(text) if looks_like_json(&Value::String(text.clone())))));
        let store = Store::new();
        let (from, to) = (store.namespace("from"), store.namespace("to"));
        wanted.iter().for_each(|(key, bins)| put(&from, key, bins, Ttl::Default));
        let table = export(&from, Format::Csv, None);
        let own_key = wanted.values().any(|bins| bins.contains_key("key"));
        let key = own_key.then(|| "record_key".to_owned());
        let report = store.import(&to, ImportSpec { key, ..ImportSpec::new("s", Format::Csv) }, &table);
        prop_assert_eq!((report.inserted, report.rejected), (wanted.len() as u64, vec![]), "{}", String::from_utf8_lossy(&table));
        let mut read = as_csv_tells(records(&to));
        read.values_mut().for_each(|bins| drop(bins.remove("record_key")));
        prop_assert_eq!(read, as_csv_tells(wanted));
    }
}

#[test]
fn a_record_keeps_what_is_left_of_its_time() {
    let store = Store::new();
    let (from, to) = (store.namespace("from"), store.namespace("to"));
    put(&from, &Key::Integer(1), &Bins::new(), Ttl::Seconds(1000));
    store.import(&to, ImportSpec::new("s", Format::Ndjson), &export(&from, Format::Ndjson, None));
    let expiry = |namespace: &Namespace| namespace.meta("s", Key::Integer(1).as_ref()).unwrap().unwrap().expires_at;
    assert!(expiry(&from).abs_diff(expiry(&to)) <= 1);
}

#[test]
fn columns_can_be_chosen_and_are_checked() {
    let store = Store::new();
    let namespace = store.namespace("n");
    let bins = [("a", Value::Int(1)), ("b", Value::Int(2))].map(|(name, value)| (name.to_owned(), value));
    put(&namespace, &Key::Integer(7), &bins.into(), Ttl::Default);
    let columns = Some(vec!["b".to_owned(), "c".to_owned()]);
    assert_eq!(export(&namespace, Format::Csv, columns.clone()), b"key,b,c\n7,2,\n");
    assert!(String::from_utf8(export(&namespace, Format::Ndjson, columns)).unwrap().ends_with("\"bins\":{\"b\":2}}\n"));
    for (columns, threads, code) in [(vec![String::new()], 1, ErrorCode::BinNameInvalid), (vec![], 0, ErrorCode::ThreadsInvalid)] {
        let spec = ExportSpec { set: None, filter: None, format: Format::Csv, columns: Some(columns), threads };
        assert_eq!(namespace.export(spec).err().map(|error| error.code), Some(code));
    }
    let spec = ExportSpec { set: Some("none".into()), filter: None, format: Format::Csv, columns: None, threads: 1 };
    assert_eq!(namespace.export(spec).err().map(|error| error.code), Some(ErrorCode::SetNotFound));
}
