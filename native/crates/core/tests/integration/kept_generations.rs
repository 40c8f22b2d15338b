//! An import of an export keeps the generations of its records, if it is asked to.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use std::sync::Arc;
use tessera_core::export::ExportSpec;
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, SetConfig, WriteOptions};
use tessera_jobs::load::{Format, ImportReport, ImportSession, ImportSpec, LoadMode, RowSink};
use tessera_jobs::{JobKind, JobSpec};
use tessera_record::{KeyRef, Value};

const FORMATS: [Format; 3] = [Format::Ndjson, Format::Csv, Format::Msgpack];
const RECORDS: i64 = 20;

fn import(engine: &Arc<Engine>, into: &Arc<Namespace>, spec: ImportSpec, bytes: &[u8]) -> ImportReport {
    let job = engine.jobs().begin(JobSpec { threads: 2, ..JobSpec::new(JobKind::Import, into.name(), "Import") }).unwrap();
    let session = ImportSession::begin(Arc::clone(into) as Arc<dyn RowSink>, spec, job).unwrap();
    session.write(bytes).unwrap();
    session.finish().unwrap()
}

fn export(namespace: &Arc<Namespace>, format: Format) -> Vec<u8> {
    let spec = ExportSpec { set: None, filter: None, format, columns: None, metadata: true, threads: 2, ..ExportSpec::default() };
    let export = namespace.export(spec).unwrap();
    std::iter::from_fn(|| export.stream.next_blocking().unwrap()).flatten().collect()
}

fn put(namespace: &Namespace, key: i64) {
    let key = KeyRef::Integer(key);
    namespace.put("s", key, &body(key, &[("r", Value::Int(7))]), &WriteOptions::default()).unwrap();
}

fn generations(namespace: &Namespace) -> Vec<u16> {
    (0..RECORDS).map(|key| namespace.meta("s", KeyRef::Integer(key)).unwrap().unwrap().generation).collect()
}

/// A namespace where record `n` was written `n + 1` times.
fn source(engine: &Arc<Engine>) -> Arc<Namespace> {
    let from = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("from") }).unwrap();
    (0..RECORDS).for_each(|key| (0..=key).for_each(|_| put(&from, key)));
    from
}

fn each_engine() -> [NamespaceConfig; 3] {
    let paged = NamespaceConfig::paged("p", PagedConfig::default());
    [NamespaceConfig::memory("m"), NamespaceConfig::device("d", DeviceConfig::default()), paged]
}

#[test]
fn each_engine_keeps_them_and_has_them_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let from = source(&engine);
    let wanted = generations(&from);
    assert_eq!(wanted, (1..=RECORDS as u16).collect::<Vec<_>>());
    let mut lasting = vec![];
    for format in FORMATS {
        let bytes = export(&from, format);
        for config in each_engine() {
            let name = format!("{}-{}", config.name, format.as_str());
            let lasts = config.name != "m";
            let into = engine.create_namespace(NamespaceConfig { name: name.clone(), segments: 4, ..config }).unwrap();
            let spec = ImportSpec { keep_generations: true, ..ImportSpec::new("", format) };
            // Also where a record is replaced whose generation is greater.
            (0..5).for_each(|_| put(&into, 0));
            let before = into.meta("s", KeyRef::Integer(0)).unwrap().unwrap().updated_at;
            tessera_base::wait_until(|| tessera_base::clock::unix_millis() > before + 1);
            assert_eq!(import(&engine, &into, spec, &bytes).rejected_total, 0);
            assert_eq!(generations(&into), wanted, "{name}");
            put(&into, 3);
            assert_eq!(generations(&into)[3], wanted[3] + 1, "{name}");
            if lasts {
                lasting.push(name);
            }
        }
    }
    engine.close().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    for name in lasting {
        let mut found = generations(&engine.namespace(&name).unwrap());
        found[3] -= 1;
        assert_eq!(found, wanted, "{name}");
    }
    engine.close().unwrap();
}

#[test]
fn without_being_asked_an_import_gives_new_ones() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let from = source(&engine);
    for format in FORMATS {
        let into = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory(format.as_str()) }).unwrap();
        import(&engine, &into, ImportSpec::new("", format), &export(&from, format));
        assert_eq!(generations(&into), [1; RECORDS as usize]);
    }
}

#[test]
fn a_set_with_a_distribution_bin_keeps_them_and_an_insert_leaves_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let bytes = export(&source(&engine), Format::Msgpack);
    let into = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("into") }).unwrap();
    into.create_set(&SetConfig { name: "s".into(), distribution_bin: Some("r".into()), ..SetConfig::default() }).unwrap();
    put(&into, 9);
    let spec = ImportSpec { keep_generations: true, mode: LoadMode::Insert, ..ImportSpec::new("", Format::Msgpack) };
    let report = import(&engine, &into, spec, &bytes);
    assert_eq!((report.inserted, report.rejected[0].code), (RECORDS as u64 - 1, "record_exists"));
    let mut wanted: Vec<u16> = (1..=RECORDS as u16).collect();
    wanted[9] = 1;
    assert_eq!(generations(&into), wanted);
}

#[test]
fn two_writes_of_one_moment_are_told_apart_by_their_generations() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let into = engine.create_namespace(NamespaceConfig { segments: 1, ..NamespaceConfig::memory("into") }).unwrap();
    let row = r#"{"key":0,"generation":7,"bins":{}}"#;
    let rows = vec![row; 1000].join("\n");
    let job = engine.jobs().begin(JobSpec::new(JobKind::Import, "into", "Import")).unwrap();
    let spec = ImportSpec { keep_generations: true, ..ImportSpec::new("s", Format::Ndjson) };
    let session = ImportSession::begin(Arc::clone(&into) as Arc<dyn RowSink>, spec, job).unwrap();
    session.write(rows.into_bytes()).unwrap();
    assert_eq!(session.finish().unwrap().updated, 999);
    assert!(into.meta("s", KeyRef::Integer(0)).unwrap().unwrap().generation >= 7);
}

#[test]
fn what_is_no_generation_costs_its_row_and_none_is_a_new_one() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let into = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("into") }).unwrap();
    let object = |key: i64, generation: &str| format!("{{\"key\":{key},\"generation\":{generation},\"bins\":{{}}}}\n");
    let lines: String =
        ["0", "65536", "-1", "1.5", "\"3\"", "65535", "null"].iter().zip(0..).map(|(text, key)| object(key, text)).collect();
    let lines = format!("{lines}{{\"key\":7,\"bins\":{{}}}}");
    let spec = ImportSpec { keep_generations: true, ..ImportSpec::new("s", Format::Ndjson) };
    let report = import(&engine, &into, spec, lines.as_bytes());
    assert_eq!(
        report.rejected.iter().map(|reject| (reject.line, reject.code)).collect::<Vec<_>>(),
        (1..=5).map(|line| (line, "generation_invalid")).collect::<Vec<_>>()
    );
    let of = |key| into.meta("s", KeyRef::Integer(key)).unwrap().unwrap().generation;
    assert_eq!([5, 6, 7].map(of), [u16::MAX, 1, 1]);
}

#[test]
fn tables_of_an_earlier_release_are_read_and_may_have_a_bin_of_that_name() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let into = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("into") }).unwrap();
    let spec = ImportSpec { keep_generations: true, ..ImportSpec::new("", Format::Csv) };
    import(&engine, &into, spec, b"$key,$set,$expiresAt,$otherBins,$generation\n1,s,,,9\n");
    let mut read = vec![];
    let meta = into.get("s", KeyRef::Integer(1), &mut read).unwrap().unwrap();
    assert_eq!(
        (meta.generation, tessera_record::BodyRef::new(&read).bin("$generation").map(|value| value.to_value())),
        (1, Some(Value::Int(9)))
    );
}
