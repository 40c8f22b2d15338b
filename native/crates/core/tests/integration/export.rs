//! What an export writes, an import reads as the same records.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::bodies::body;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use tessera_base::{ErrorCode, limits};
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
    put_in(namespace, "s", key, bins, ttl);
}

fn put_in(namespace: &Namespace, set: &str, key: &Key, bins: &Bins, ttl: Ttl) {
    let bins: Vec<_> = bins.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    namespace.put(set, key.as_ref(), &body(key.as_ref(), &bins), &WriteOptions { ttl, ..WriteOptions::default() }).unwrap();
}

fn export(namespace: &Arc<Namespace>, format: Format, columns: Option<Vec<String>>) -> Vec<u8> {
    exported(
        namespace,
        ExportSpec { set: Some("s".into()), filter: None, format, columns, metadata: false, threads: 2, ..ExportSpec::default() },
    )
}

fn exported(namespace: &Arc<Namespace>, spec: ExportSpec) -> Vec<u8> {
    let export = namespace.export(spec).unwrap();
    assert_eq!(export.job.spec().kind, JobKind::Export);
    let mut bytes = vec![];
    while let Some(chunk) = export.stream.next_blocking().unwrap() {
        bytes.extend_from_slice(&chunk);
    }
    bytes
}

fn records(namespace: &Namespace) -> Records {
    records_in(namespace, "s")
}

fn records_in(namespace: &Namespace, set: &str) -> Records {
    let found = Mutex::new(Records::new());
    let visit = |_: usize, record: &tessera_core::scan::Found<'_>| {
        let body = BodyRef::new(record.body);
        let bins = body.raw_bins().map(|(name, value)| (String::from_utf8(name.to_vec()).unwrap(), ValueRef::of(value).to_value()));
        found.lock().unwrap().insert(body.key().to_owned(), bins.collect());
        ControlFlow::Continue(())
    };
    namespace.scan_visit(&VisitSpec { set: Some(set.into()), ..VisitSpec::default() }, &visit).unwrap();
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

/// The same keys in several sets, with bins that are called as the first columns, and more bins than the first records have.
fn exported_sets() -> impl Strategy<Value = BTreeMap<String, Records>> {
    let text = r"[\[{][a-z0-9,\:\[{}\]]{0,8}|\[1\]|\{\}".prop_map(Value::String);
    let bins = prop::collection::btree_map(r"[a-d]|key|\$key|\$set|\$generation|\$otherBins|x y", prop_oneof![values(), text], 0..6);
    let keys = prop_oneof![keys(), r"[\[{][a-z\]}]{0,4}".prop_map(Key::String)];
    let records = prop::collection::btree_map(keys, bins, 1..10);
    prop::collection::btree_map("[a-z]{1,3}|[0-9]{1,3}|true|", records, 1..4)
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
    fn record_objects_lose_nothing(wanted in record_sets()) {
        let store = Store::new();
        let from = store.namespace("from");
        wanted.iter().for_each(|(key, bins)| put(&from, key, bins, Ttl::Default));
        for format in [Format::Ndjson, Format::Msgpack] {
            let to = store.namespace(format.as_str());
            let report = store.import(&to, ImportSpec { threads: 2, ..ImportSpec::new("s", format) }, &export(&from, format, None));
            prop_assert_eq!((report.inserted, report.rejected), (wanted.len() as u64, vec![]));
            prop_assert_eq!(&records(&to), &wanted);
        }
    }

    #[test]
    fn csv_with_metadata_loses_nothing(wanted in exported_sets()) {
        let store = Store::new();
        let (from, to) = (store.namespace("from"), store.namespace("to"));
        for (set, records) in &wanted {
            records.iter().for_each(|(key, bins)| put_in(&from, set, key, bins, Ttl::Default));
        }
        let spec = ExportSpec { set: None, filter: None, format: Format::Csv, columns: None, metadata: true, threads: 2, ..ExportSpec::default() };
        let table = exported(&from, spec);
        let report = store.import(&to, ImportSpec { threads: 2, ..ImportSpec::new("", Format::Csv) }, &table);
        let count = wanted.values().map(BTreeMap::len).sum::<usize>() as u64;
        prop_assert_eq!((report.inserted, report.rejected), (count, vec![]), "{}", String::from_utf8_lossy(&table));
        for (set, records) in wanted {
            prop_assert_eq!(records_in(&to, &set), records, "{}", String::from_utf8_lossy(&table));
        }
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
fn record_objects_may_nest_as_deep_as_records() {
    let store = Store::new();
    let from = store.namespace("from");
    let deepest = |levels: usize| (0..levels).fold(Value::Null, |inner, _| Value::List(vec![inner]));
    let wanted = Bins::from([("bins".to_owned(), deepest(limits::NESTING))]);
    put(&from, &Key::Integer(1), &wanted, Ttl::Default);
    for format in [Format::Ndjson, Format::Msgpack] {
        let to = store.namespace(format.as_str());
        assert_eq!(store.import(&to, ImportSpec::new("s", format), &export(&from, format, None)).rejected, vec![]);
        assert_eq!(records(&to)[&Key::Integer(1)], wanted);
    }
    // A row of data is a record itself.
    let list = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let lines = format!("{{\"a\":{}}}\n{{\"a\":{}}}", list(limits::NESTING), list(limits::NESTING + 1));
    let report = store.import(&from, ImportSpec::new("s", Format::Ndjson), lines.as_bytes());
    assert_eq!((report.rows, report.rejected[0].line, report.rejected[0].code), (2, 2, "nesting_too_deep"));
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
        let spec = ExportSpec {
            set: None,
            filter: None,
            format: Format::Csv,
            columns: Some(columns),
            metadata: false,
            threads,
            ..ExportSpec::default()
        };
        assert_eq!(namespace.export(spec).err().map(|error| error.code), Some(code));
    }
    let spec = ExportSpec {
        set: Some("none".into()),
        filter: None,
        format: Format::Csv,
        columns: None,
        metadata: false,
        threads: 1,
        ..ExportSpec::default()
    };
    assert_eq!(namespace.export(spec).err().map(|error| error.code), Some(ErrorCode::SetNotFound));
}

#[test]
fn record_objects_go_to_the_sets_that_they_name_unless_told_otherwise() {
    let store = Store::new();
    let from = store.namespace("from");
    for set in ["a", "b", ""] {
        put_in(&from, set, &Key::Integer(1), &Bins::from([("set".to_owned(), Value::String(set.into()))]), Ttl::Seconds(1000));
    }
    let spec = |format| ExportSpec { set: None, filter: None, format, columns: None, metadata: true, threads: 1, ..ExportSpec::default() };
    for format in [Format::Ndjson, Format::Csv, Format::Msgpack] {
        let bytes = exported(&from, spec(format));
        let of = |into: &Arc<Namespace>| {
            ["a", "b", "", "s"].map(|set| {
                let known = set.is_empty() || into.sets().iter().any(|info| info.name == set);
                if known { records_in(into, set).len() } else { 0 }
            })
        };
        let expires = |into: &Arc<Namespace>, set: &str| into.meta(set, Key::Integer(1).as_ref()).unwrap().unwrap().expires_at > 0;
        let kept = store.namespace(&format!("kept-{}", format.as_str()));
        assert_eq!(store.import(&kept, ImportSpec::new("", format), &bytes).inserted, 3);
        assert_eq!((of(&kept), expires(&kept, "a")), ([1, 1, 1, 0], true));
        let one = store.namespace(&format!("one-{}", format.as_str()));
        assert_eq!(store.import(&one, ImportSpec { keep_expiry: Some(false), ..ImportSpec::new("s", format) }, &bytes).inserted, 1);
        assert_eq!((of(&one), expires(&one, "s")), ([0, 0, 0, 1], false));
        let both = store.namespace(&format!("both-{}", format.as_str()));
        assert_eq!(store.import(&both, ImportSpec { keep_sets: Some(true), ..ImportSpec::new("s", format) }, &bytes).inserted, 3);
        // That a record has no set is said too.
        assert_eq!(of(&both), [1, 1, 1, 0]);
    }
}

#[test]
fn a_record_object_without_a_key_or_with_a_false_set_is_rejected() {
    let store = Store::new();
    let namespace = store.namespace("n");
    let lines = [
        r#"{"set":"s","digest":"00","generation":1,"expiresAt":null,"updatedAt":"","bins":{"a":1}}"#,
        r#"{"set":"a b","key":1,"bins":{}}"#,
        r#"{"set":7,"key":1,"bins":{}}"#,
    ];
    let report = store.import(&namespace, ImportSpec::new("", Format::Ndjson), lines.join("\n").as_bytes());
    assert_eq!(report.rejected.iter().map(|reject| reject.code).collect::<Vec<_>>(), ["key_missing", "name_invalid", "name_invalid"]);
    let rows = "$key,$set,$expiresAt,$otherBins,a\n1,s,,7,x\n,s,,,x\n2,a b,,,x\n3,s,soon,,x\n4,s,,\"{\"\"a\"\":1}\",x\n5,s,,,x\n6,s,";
    let report = store.import(&namespace, ImportSpec::new("", Format::Csv), rows.as_bytes());
    let codes = ["csv_invalid", "key_missing", "name_invalid", "ttl_invalid", "csv_invalid", "csv_invalid"];
    assert_eq!(report.rejected.iter().map(|reject| reject.code).collect::<Vec<_>>(), codes);
    assert_eq!(records_in(&namespace, "s").into_keys().collect::<Vec<_>>(), [Key::Integer(5)]);
}
