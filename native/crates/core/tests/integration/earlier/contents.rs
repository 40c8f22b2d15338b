//! What is in the namespaces of a fixture. All fixtures have the same, so it must not change.

use crate::bodies::body;
use crate::pages::paged;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::clock::unix_millis;
use tessera_base::limits;
use tessera_core::{DeviceConfig, Engine, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::{Job, JobState};
use tessera_record::{KeyRef, Ttl, Value};

pub const NAMESPACES: [&str; 3] = ["device", "paged", "memory"];
pub const SETS: [&str; 4] = ["", "plain", "indexed", "placed"];
pub const TRUNCATED: &str = "truncated";
/// Records of `TRUNCATED` up to this key are gone.
pub const TRUNCATED_KEYS: i64 = 6;
const KEYS: i64 = 80;
const BLOCK: u32 = 16 * 1024;
const LONG: Duration = Duration::from_secs(60);

pub struct Record {
    pub set: &'static str,
    pub key: KeyRef<'static>,
    pub bins: Vec<(&'static str, Value)>,
    /// How often it is written.
    pub generation: u16,
    pub ttl: Ttl,
}

pub fn config(name: &str) -> NamespaceConfig {
    let device = DeviceConfig { write_block_bytes: BLOCK, capacity_bytes: 64 * u64::from(BLOCK), ..DeviceConfig::default() };
    let config = match name {
        "device" => NamespaceConfig::device(name, device),
        "paged" => paged(name, 4096),
        _ => NamespaceConfig::memory(name),
    };
    let indexed = SetConfig { name: "indexed".into(), index: true, ..SetConfig::default() };
    let placed = SetConfig { name: "placed".into(), distribution_bin: Some("home".into()), ..SetConfig::default() };
    NamespaceConfig { segments: 4, max_record_bytes: 8192, sets: vec![indexed, placed], ..config }
}

pub fn indexes() -> [IndexSpec; 2] {
    let spec = |name: &str, kind, path: Option<&str>| IndexSpec {
        name: name.into(),
        set: None,
        bin: Some("doc".into()),
        kind,
        path: path.map(Into::into),
        created_at_ms: 0,
    };
    [spec("documents", IndexKind::Document, None), spec("sizes", IndexKind::Range, Some("size"))]
}

/// A document as it is written the `generation`th time.
fn document(n: i64, generation: u16) -> Value {
    let size = n % 20 + 100 * i64::from(generation - 1);
    let size = if n % 3 == 0 { Value::Double(size as f64 + 0.5) } else { Value::Int(size) };
    let items = (0..n % 4).map(|item| Value::Map(vec![("id".into(), Value::Int(item * 10 + n % 10))])).collect();
    Value::Map(vec![("name".into(), Value::String(format!("n{n}"))), ("size".into(), size), ("items".into(), Value::List(items))])
}

fn numbered(n: i64) -> Record {
    let generation = if n % 7 == 0 { 2 } else { 1 };
    let bins = vec![("home", Value::Int(n % 5)), ("doc", document(n, generation))];
    Record { set: SETS[(n % 4) as usize], key: KeyRef::Integer(n), bins, generation, ttl: Ttl::Default }
}

const fn is_deleted(n: i64) -> bool {
    n % 10 == 9
}

/// One record for each kind of value, key and expiry.
fn kinds() -> Vec<Record> {
    let list = Value::List(vec![Value::Int(1), Value::Null, Value::List(vec![Value::String("deep".into())])]);
    let map = Value::Map(vec![("z".into(), Value::Bool(false)), ("a".into(), Value::Map(vec![("ü".into(), Value::Bytes(vec![0, 255]))]))]);
    let record = |key, value| Record { set: "", key, bins: vec![("v", value)], generation: 1, ttl: Ttl::Never };
    let mut records = vec![
        record(KeyRef::String("null"), Value::Null),
        record(KeyRef::String("bool"), Value::Bool(true)),
        record(KeyRef::String("least"), Value::Int(i64::MIN)),
        record(KeyRef::String("most"), Value::Int(i64::MAX)),
        record(KeyRef::String("double"), Value::Double(-1e300)),
        record(KeyRef::String("text ß \u{1f600}"), Value::String("ß \u{1f600}".into())),
        record(KeyRef::Bytes(&[0, 1, 255]), Value::Bytes((0..=255).collect())),
        record(KeyRef::String("list"), list),
        record(KeyRef::String("map"), map),
        record(KeyRef::Integer(-1), Value::String("longer than a page ".repeat(300))),
        record(KeyRef::Integer(i64::MIN), Value::Int(0)),
    ];
    records.push(Record { ttl: Ttl::Seconds(limits::TTL_SECONDS), ..record(KeyRef::String("expires"), Value::Int(1)) });
    records.push(Record { set: TRUNCATED, ..record(KeyRef::Integer(TRUNCATED_KEYS), Value::Int(1)) });
    records
}

/// The records that are there in the end.
pub fn records() -> Vec<Record> {
    (0..KEYS).filter(|n| !is_deleted(*n)).map(numbered).chain(kinds()).collect()
}

pub fn deleted() -> impl Iterator<Item = Record> {
    (0..KEYS).filter(|n| is_deleted(*n)).map(numbered)
}

pub fn write(engine: &Arc<Engine>) {
    for name in NAMESPACES {
        let namespace = engine.create_namespace(config(name)).unwrap();
        for n in 0..KEYS {
            put(&namespace, &Record { bins: vec![("home", Value::Int(n % 5)), ("doc", document(n, 1))], ..numbered(n) });
        }
        for spec in indexes() {
            done(&namespace.create_index(spec, 2).unwrap());
        }
        truncate(&namespace);
        (0..KEYS).map(numbered).filter(|record| record.generation == 2).for_each(|record| put(&namespace, &record));
        kinds().iter().for_each(|record| put(&namespace, record));
        for record in deleted() {
            assert!(namespace.delete(record.set, record.key, None).unwrap());
        }
    }
}

fn truncate(namespace: &Arc<Namespace>) {
    let record = |n| Record { set: TRUNCATED, key: KeyRef::Integer(n), bins: vec![("v", Value::Int(n))], generation: 1, ttl: Ttl::Never };
    (0..TRUNCATED_KEYS).for_each(|n| put(namespace, &record(n)));
    while namespace.last_write_ms() >= Some(unix_millis()) {
        std::thread::yield_now();
    }
    done(&namespace.truncate(Some(TRUNCATED), Some(unix_millis())).unwrap());
}

fn put(namespace: &Namespace, record: &Record) {
    let options = WriteOptions { ttl: record.ttl, ..WriteOptions::default() };
    namespace.put(record.set, record.key, &body(record.key, &record.bins), &options).unwrap();
}

pub fn done(job: &Arc<Job>) {
    assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
}
