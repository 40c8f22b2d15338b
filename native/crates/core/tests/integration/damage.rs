//! A damaged record costs itself: scans, pages, exports, counts, index builds, queries and batches go on without it.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use std::fs;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_core::exchange::{BatchReader, ReadBatch};
use tessera_core::export::ExportSpec;
use tessera_core::query::QuerySpec;
use tessera_core::scan::{PlanChoice, ScanSpec, TallySpec, UseIndex};
use tessera_core::stream::{Pipeline, StreamSpec};
use tessera_core::stream_summary::{ChunkStream, StreamSummary};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::load::Format;
use tessera_jobs::{Job, JobInfo, JobKind};
use tessera_record::filter::Filter;
use tessera_record::{Digest, KeyRef, Value};

const RECORDS: i64 = 500;
const DAMAGED: [i64; 3] = [7, 100, 499];
const LONG: Duration = Duration::from_secs(60);

fn mark(key: i64) -> String {
    format!("<{key:05}>{}", "x".repeat(200))
}

/// Changes one byte of some records' values, wherever they are in the files under `directory`.
fn rot(directory: &Path, keys: &[i64]) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            rot(&path, keys);
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        let mut changed = false;
        for key in keys {
            let text = mark(*key);
            if let Some(at) = bytes.windows(text.len()).position(|window| window == text.as_bytes()) {
                bytes[at + 50] ^= 1;
                changed = true;
            }
        }
        if changed {
            fs::write(&path, bytes).unwrap();
        }
    }
}

fn with_damage(check: impl FnOnce(&Engine, Arc<Namespace>)) {
    let directory = tempfile::tempdir().unwrap();
    {
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let set = SetConfig { name: "s".into(), ..SetConfig::default() };
        let config = NamespaceConfig { segments: 4, sets: vec![set], ..NamespaceConfig::device("d", DeviceConfig::default()) };
        let namespace = engine.create_namespace(config).unwrap();
        for key in 0..RECORDS {
            let body = body(KeyRef::Integer(key), &[("n", Value::Int(key % 10)), ("v", Value::String(mark(key)))]);
            namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions { defer_sync: true, ..WriteOptions::default() }).unwrap();
        }
        engine.close().unwrap();
    }
    rot(&directory.path().join("namespaces"), &DAMAGED);
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.namespace("d").unwrap();
    let read = namespace.get("s", KeyRef::Integer(DAMAGED[0]), &mut vec![]);
    assert_eq!(read.unwrap_err().code, ErrorCode::RecordDamaged);
    check(&engine, namespace);
}

fn lines(stream: ChunkStream) -> (Vec<String>, StreamSummary) {
    let mut bytes = Vec::new();
    loop {
        let (send, receive) = mpsc::channel();
        stream.next_with(move |next| send.send(next).unwrap());
        match receive.recv_timeout(LONG).unwrap().unwrap() {
            Some(chunk) => bytes.extend_from_slice(&chunk),
            None => break,
        }
    }
    let text = String::from_utf8(bytes).unwrap();
    (text.lines().map(str::to_owned).collect(), stream.summary())
}

/// The lines of records, and the digests in those of damaged ones.
fn sorted(lines: &[String]) -> (usize, Vec<String>) {
    let digest = |line: &String| {
        let error = line.strip_prefix("{\"error\":{\"code\":\"record_damaged\",")?;
        assert!(error.contains("\"set\":\"s\""), "{line}");
        Some(error.split("\"digest\":\"").nth(1)?.trim_end_matches("\"}}").to_owned())
    };
    let mut digests: Vec<String> = lines.iter().filter_map(digest).collect();
    digests.sort();
    (lines.len() - digests.len(), digests)
}

fn damaged_digests(keys: &[i64]) -> Vec<String> {
    let mut digests: Vec<String> = keys.iter().map(|&key| Digest::of("s", KeyRef::Integer(key)).to_string()).collect();
    digests.sort();
    digests
}

fn ended(job: &Arc<Job>) -> JobInfo {
    job.wait_blocking(LONG)
}

fn noted(info: &JobInfo) {
    assert_eq!((info.state.as_str(), info.damaged), ("done", DAMAGED.len() as u64), "{:?}", info.error);
    let mut digests: Vec<String> = info.damage.iter().map(|damage| damage.digest.clone()).collect();
    digests.sort();
    assert_eq!(digests, damaged_digests(&DAMAGED));
    assert!(info.damage.iter().all(|damage| damage.set == "s"));
}

#[test]
fn scans_and_exports_go_on() {
    with_damage(|_, namespace| {
        for plan in [PlanChoice::SetColumn, PlanChoice::Device] {
            let scan = namespace.scan(ScanSpec { threads: 2, plan, ..ScanSpec::default() }).unwrap();
            let (rows, summary) = lines(scan.stream);
            assert_eq!(sorted(&rows), (497, damaged_digests(&DAMAGED)));
            assert_eq!((summary.returned, summary.scanned, summary.damaged), (497, 500, 3));
            noted(&ended(&scan.job));
        }

        let spec = |format| ExportSpec {
            set: Some("s".into()),
            filter: None,
            format,
            columns: None,
            metadata: false,
            threads: 2,
            ..ExportSpec::default()
        };
        let export = namespace.export(spec(Format::Ndjson)).unwrap();
        assert_eq!(sorted(&lines(export.stream).0).0, 497);
        noted(&ended(&export.job));
        // A row of CSV has no place for it: the job and the summary say it.
        let export = namespace.export(spec(Format::Csv)).unwrap();
        let (rows, summary) = lines(export.stream);
        assert_eq!((rows.len(), summary.damaged), (1 + 497, 3));
        noted(&ended(&export.job));
    });
}

#[test]
fn pages_get_past_it() {
    with_damage(|_, namespace| {
        let (mut cursor, mut rows) = (None, Vec::new());
        loop {
            let spec = ScanSpec { set: Some("s".into()), limit: Some(20), cursor: cursor.take(), ..ScanSpec::default() };
            let (page, summary) = lines(namespace.scan(spec).unwrap().stream);
            assert!(summary.returned <= 20);
            rows.extend(page);
            cursor = summary.cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(sorted(&rows), (497, damaged_digests(&DAMAGED)));
    });
}

#[test]
fn counts_index_builds_and_queries_go_on() {
    with_damage(|_, namespace| {
        let filter = || Some(Arc::new(Filter::compile(br#"{"bin":"n","op":"eq","value":7}"#).unwrap()));
        let tally = TallySpec {
            kind: JobKind::Count,
            set: Some("s".into()),
            filter: filter(),
            sample: None,
            aggregate: None,
            use_index: UseIndex::Auto,
            plan: PlanChoice::Auto,
            threads: 2,
            records_per_second: None,
        };
        let count = ended(&namespace.tally(tally).unwrap());
        noted(&count);
        assert!(count.result.unwrap().contains("\"records\":49"));

        let query = || {
            let spec = QuerySpec { set: Some("s".into()), filter: filter(), threads: 1, ..QuerySpec::default() };
            lines(namespace.query(spec).unwrap().stream)
        };
        assert_eq!(sorted(&query().0), (49, damaged_digests(&DAMAGED)));
        let spec = IndexSpec {
            name: "i".into(),
            set: Some("s".into()),
            bin: Some("n".into()),
            kind: IndexKind::Range,
            path: None,
            created_at_ms: 0,
        };
        noted(&ended(&namespace.create_index(spec, 2).unwrap()));
        assert_eq!(namespace.index("i").unwrap().stats.entries, 497);
        // What could not be indexed is not proposed, and so not met.
        assert_eq!(sorted(&query().0), (49, vec![]));
    });
}

#[test]
fn a_stream_names_them_as_far_as_its_answer_has_room() {
    with_damage(|_, namespace| {
        for (most, named) in [(None, 3), (Some(2), 2)] {
            // The limit bounds the rows by itself.
            let pipeline = Arc::new(Pipeline::compile(br#"[{"filter":{"bin":"n","op":"ge","value":0}},{"limit":1000}]"#).unwrap());
            let spec = StreamSpec {
                set: Some("s".into()),
                segments: None,
                pipeline,
                threads: 2,
                records_per_second: None,
                most,
                bare_count: false,
            };
            let (rows, summary) = lines(namespace.stream(spec).unwrap().stream);
            let (records, digests) = sorted(&rows);
            assert_eq!((records, digests.len(), summary.damaged), (497, named, 3));
        }
    });
}

#[test]
fn a_batch_of_reads_names_it() {
    with_damage(|_, namespace| {
        let mut reader =
            BatchReader::new(namespace.store().clone(), ReadBatch { set: "s".into(), keys: b"[6,7,8,1000]".to_vec(), bins: Some(vec![]) });
        let text = String::from_utf8(reader.next_chunk().unwrap().unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains("\"key\":6,") && lines[2].contains("\"key\":8,"), "{text}");
        assert!(lines[1].starts_with(r#"{"key":7,"error":{"code":"record_damaged","message":"#), "{text}");
        assert_eq!(lines[3], r#"{"key":1000,"missing":true}"#);
        let summary = reader.summary();
        assert_eq!((summary.returned, summary.scanned, summary.damaged), (2, 4, 1));
    });
}
