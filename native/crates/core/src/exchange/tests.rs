mod slow_operations;

use super::*;
use crate::namespace::RecordName;
use crate::{Engine, EngineOptions, Exists, Namespace, NamespaceConfig, SetConfig};
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_jobs::load::{Format, ImportSpec};
use tessera_record::json::Shape;
use tessera_record::{Digest, KeyRef};

struct Rig {
    _directory: tempfile::TempDir,
    _engine: Arc<Engine>,
    namespace: Arc<Namespace>,
}

fn open() -> Rig {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") }).unwrap();
    Rig { _directory: directory, _engine: engine, namespace }
}

const fn name(key: &str) -> RecordName<'_> {
    RecordName::Key(KeyRef::String(key))
}

fn write(rig: &Rig, key: &str, bins: &str) -> tessera_base::Result<crate::Written> {
    write_record(rig.namespace.store(), "s", name(key), bins.as_bytes(), &BinsForm::default())
}

fn read(rig: &Rig, set: &str, name: RecordName<'_>, form: &Form<'_>) -> Option<String> {
    let (mut here, mut waiting) = (Vec::new(), Vec::new());
    let answer = read_resident(rig.namespace.store(), set, name, form, &mut here).unwrap();
    let found = read_record(rig.namespace.store(), set, name, form, &mut waiting).unwrap();
    assert_eq!((answer == Answer::Found, here), (found, waiting.clone()));
    found.then(|| String::from_utf8(waiting).unwrap())
}

fn batch(rig: &Rig, lines: &str, atomic: bool, exists: Exists) -> BatchReport {
    write_records(rig.namespace.store(), "s", lines.as_bytes(), &BatchOptions { atomic, exists }).unwrap()
}

#[test]
fn a_record_goes_in_and_comes_out_as_json() {
    let rig = open();
    let written = write(&rig, "k", r#"{"a":1,"b":"x"}"#).unwrap();
    let text = read(&rig, "s", name("k"), &Form::default()).unwrap();
    assert!(text.contains(r#""key":"k""#) && text.ends_with(r#""bins":{"a":1,"b":"x"}}"#), "{text}");
    let bins = ["b".to_owned()];
    let form = Form { shape: Shape::V1, bins: Some(&bins), ..Form::default() };
    assert_eq!(read(&rig, "s", name("k"), &form).unwrap(), r#"{"generation":1,"ttl":-1,"bins":{"b":"x"}}"#);
    assert_eq!(read(&rig, "s", RecordName::Digest(written.digest), &Form::default()).unwrap(), text);
    assert_eq!(read(&rig, "t", name("k"), &Form::default()), None);
}

#[test]
fn a_digest_writes_only_what_is_there() {
    let rig = open();
    let digest = Digest::of("s", KeyRef::String("k"));
    let put = |bins: &str| write_record(rig.namespace.store(), "s", RecordName::Digest(digest), bins.as_bytes(), &BinsForm::default());
    assert_eq!(put("{}").unwrap_err().code, ErrorCode::KeyMissing);
    write(&rig, "k", r#"{"a":1}"#).unwrap();
    assert_eq!(put(r#"{"a":2}"#).unwrap().meta.generation, 2);
    assert!(read(&rig, "s", name("k"), &Form::default()).unwrap().ends_with(r#""bins":{"a":2}}"#));
}

/// The chunks of a batch of reads, and what its summary says of records found and keys asked for.
fn read_batch(rig: &Rig, keys: &str) -> tessera_base::Result<(Vec<Vec<u8>>, u64, u64)> {
    let batch = ReadBatch { set: "s".into(), keys: keys.as_bytes().to_vec(), bins: None };
    let mut reader = BatchReader::new(rig.namespace.store().clone(), batch);
    let mut chunks = Vec::new();
    while let Some(chunk) = reader.next_chunk()? {
        chunks.push(chunk);
    }
    let summary = reader.summary();
    Ok((chunks, summary.returned, summary.scanned))
}

#[test]
fn a_batch_of_reads_answers_in_the_order_of_its_keys() {
    let rig = open();
    for n in 0..500 {
        write(&rig, &format!("k{n}"), &format!(r#"{{"n":{n}}}"#)).unwrap();
    }
    let keys: Vec<String> = (0..600).rev().map(|n| format!("\"k{n}\"")).collect();
    for text in [format!("[{}]", keys.join(",")), keys.join("\n")] {
        let (chunks, found, asked) = read_batch(&rig, &text).unwrap();
        assert_eq!((found, asked), (500, 600));
        let text = String::from_utf8(chunks.concat()).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for (n, line) in (0..600).rev().zip(&lines) {
            assert_eq!(line["key"], format!("k{n}"));
            assert_eq!((line["bins"]["n"].as_i64(), line["missing"].as_bool()), if n < 500 { (Some(n), None) } else { (None, Some(true)) });
        }
        assert_eq!(lines.len(), 600);
    }
    assert_eq!(read_batch(&rig, "").unwrap(), (vec![], 0, 0));
    let too_many = read_batch(&rig, &vec!["1"; BATCH_KEYS + 1].join("\n")).unwrap_err();
    assert_eq!((too_many.code, too_many.field.as_deref()), (ErrorCode::ConfigInvalid, Some("keys")));
    assert_eq!(read_batch(&rig, "\"k1\"\n\"\"").unwrap_err().code, ErrorCode::KeyInvalid);
}

#[test]
fn a_large_answer_comes_in_chunks_and_holds_little() {
    let rig = open();
    write(&rig, "k", &format!(r#"{{"t":"{}"}}"#, "x".repeat(500_000))).unwrap();
    let (chunks, ..) = read_batch(&rig, &vec!["\"k\""; 200].join("\n")).unwrap();
    assert!(chunks.iter().all(|chunk| chunk.len() < 1_000_000), "a chunk holds hardly more than one record");
    assert_eq!(chunks.concat().iter().filter(|&&byte| byte == b'\n').count(), 200);
}

#[test]
fn a_batch_of_writes_takes_the_good_lines() {
    let rig = open();
    let report = batch(&rig, "{\"key\":1,\"bins\":{\"n\":1}}\n\r\n{\"key\":2}\n{\"key\":1,\"op\":\"delete\"}\nx", false, Exists::Upsert);
    assert_eq!((report.written, report.deleted, report.rejected_total), (1, 1, 2));
    assert_eq!(report.rejected.iter().map(|reject| reject.line).collect::<Vec<_>>(), [3, 5]);
    let many = batch(&rig, &"x\n".repeat(3000), false, Exists::Upsert);
    assert_eq!((many.rejected.len(), many.rejected_total), (1000, 3000));
}

#[test]
fn an_atomic_batch_writes_all_or_nothing() {
    let rig = open();
    let line = |n: i64| format!("{{\"key\":{n},\"bins\":{{\"n\":{n}}}}}\n");
    write(&rig, "there", "{}").unwrap();
    for (lines, exists, code) in [
        (line(1) + "{\"key\":2,\"bins\":", Exists::Upsert, ErrorCode::JsonInvalid),
        (line(1) + "{\"key\":\"there\",\"bins\":{}}", Exists::CreateOnly, ErrorCode::RecordExists),
        (line(1) + &line(1), Exists::CreateOnly, ErrorCode::RecordExists),
        (line(1), Exists::ReplaceOnly, ErrorCode::RecordNotFound),
        (format!("{}{{\"key\":3,\"bins\":{{\"t\":\"{}\"}}}}", line(1), "x".repeat(2 << 20)), Exists::Upsert, ErrorCode::RecordTooLarge),
    ] {
        let report = batch(&rig, &lines, true, exists);
        assert_eq!((report.written, report.rejected[0].error.code), (0, code));
        assert_eq!(rig.namespace.size(None), 1);
    }
    assert_eq!(batch(&rig, &(line(1) + &line(2)), true, Exists::CreateOnly).written, 2);
}

#[test]
fn a_route_is_a_scalar_of_json_or_a_string() {
    let rig = open();
    rig.namespace.create_set(&SetConfig { name: "s".into(), distribution_bin: Some("repo".into()), ..SetConfig::default() }).unwrap();
    for (key, value, route) in
        [("a", "7", "7"), ("b", "\"seven\"", "seven"), ("c", "\"7\"", "\"7\""), ("d", "1.5", "1.5"), ("e", "true", "true")]
    {
        write(&rig, key, &format!("{{\"repo\":{value}}}")).unwrap();
        let form = Form { route: Some(route_of_text(route).unwrap()), ..Form::default() };
        assert!(read(&rig, "s", name(key), &form).is_some(), "{route}");
    }
    assert_eq!(route_of_text("[1]").unwrap_err().code, ErrorCode::RouteInvalid);
    assert_eq!(route_of_text("true story"), route_of_text("\"true story\""));
}

#[test]
fn an_import_has_a_job_of_its_own() {
    let rig = open();
    let session = begin_import(&rig.namespace, ImportSpec { bytes_total: Some(8), ..ImportSpec::new("s", Format::Csv) }, None).unwrap();
    let job = session.job().clone();
    assert_eq!((job.spec().title.as_str(), job.info().total), ("Import into a.s", Some(8)));
    session.write(b"a,b\n1,2\n".to_vec()).unwrap();
    assert_eq!(session.finish().unwrap().inserted, 1);
    let refused = begin_import(&rig.namespace, ImportSpec { threads: 0, ..ImportSpec::new("s", Format::Csv) }, None);
    assert_eq!(refused.err().map(|error| error.code), Some(ErrorCode::ThreadsInvalid));
}
