//! Pages that begin at a record.

use super::{open, put};
use crate::scan::ScanSpec;
use crate::{Container, DeviceConfig, Namespace, NamespaceConfig, PagedConfig};
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_record::Key;

const KEYS: i64 = 300;

/// The keys of a page, in its order, and its cursor.
fn page(namespace: &Arc<Namespace>, spec: ScanSpec) -> (Vec<i64>, Option<String>) {
    let scan = namespace.scan(ScanSpec { set: Some("s".into()), bins: Some(vec!["n".into()]), ..spec }).unwrap();
    let mut text = Vec::new();
    while let Some(chunk) = scan.stream.next_blocking().unwrap() {
        text.extend_from_slice(&chunk);
    }
    let key = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["bins"]["n"].as_i64().unwrap();
    (std::str::from_utf8(&text).unwrap().lines().map(key).collect(), scan.stream.summary().cursor)
}

#[test]
fn a_page_begins_at_a_record_and_goes_on_as_the_whole_scan_does() {
    let flat = NamespaceConfig { container: Container::Flat, ..NamespaceConfig::memory("flat") };
    for config in [NamespaceConfig::memory("memory"), flat, NamespaceConfig::device("device", DeviceConfig::default())] {
        let (_directory, _engine, namespace) = open(NamespaceConfig { segments: 4, ..config });
        for key in 0..KEYS {
            put(&namespace, "s", key, 10);
            put(&namespace, "other", key, 10);
        }
        let (all, _) = page(&namespace, ScanSpec { limit: Some(1000), ..ScanSpec::default() });
        assert_eq!(all.len(), KEYS as usize);
        for (at, &key) in all.iter().enumerate().step_by(7) {
            let from = Some(Key::Integer(key));
            let (some, cursor) = page(&namespace, ScanSpec { from: from.clone(), limit: Some(5), ..ScanSpec::default() });
            assert_eq!(some, all[at..(at + 5).min(all.len())]);
            assert_eq!(cursor.is_some(), at + 5 < all.len());
            // The cursor says where the next page begins, whatever the first one began at.
            let (rest, _) = page(&namespace, ScanSpec { from: from.clone(), cursor, limit: Some(1000), ..ScanSpec::default() });
            assert_eq!(rest, if at + 5 < all.len() { &all[at + 5..] } else { &all[at..] });
            assert_eq!(page(&namespace, ScanSpec { from, ..ScanSpec::default() }).0, all[at..]);
        }
        let refused = |set: Option<&str>, key| {
            let spec = ScanSpec { set: set.map(str::to_owned), from: Some(Key::Integer(key)), ..ScanSpec::default() };
            namespace.scan(spec).err().map(|error| (error.code, error.field))
        };
        let absent = Some((ErrorCode::RecordNotFound, Some("from".to_owned())));
        assert_eq!(refused(Some("s"), KEYS), absent);
        assert_eq!(refused(None, 1), absent, "a record without a set");
    }
}

#[test]
fn a_key_to_begin_at_that_no_record_can_have_is_refused_by_the_name_it_was_given() {
    let (_directory, _engine, namespace) = open(NamespaceConfig::paged("p", PagedConfig::smallest()));
    put(&namespace, "s", 1, 10);
    let refused = |key: &str| {
        let spec = ScanSpec { set: Some("s".into()), from: Some(Key::String(key.to_owned())), ..ScanSpec::default() };
        namespace.scan(spec).err().map(|error| (error.code, error.field, error.message)).unwrap()
    };
    let (code, field, _) = refused("");
    assert_eq!((code, field.as_deref()), (ErrorCode::KeyInvalid, Some("from")));
    let (code, field, message) = refused(&"k".repeat(20_000));
    assert_eq!((code, field.as_deref()), (ErrorCode::KeyTooLong, Some("from")));
    assert_eq!(message, "with pages of 16 KiB a key must be at most 5120 bytes, got 20000");
}

#[test]
fn an_unlisted_scan_is_in_no_list() {
    let (_directory, engine, namespace) = open(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("m") });
    (0..KEYS).for_each(|key| put(&namespace, "s", key, 10));
    let from = Some(Key::Integer(7));
    let listed = ScanSpec { from: from.clone(), limit: Some(5), ..ScanSpec::default() };
    assert_eq!(page(&namespace, ScanSpec { unlisted: true, ..listed.clone() }).0.len(), 5);
    assert_eq!(engine.jobs().list(&tessera_jobs::JobQuery::default()).unwrap().jobs.len(), 0);
    page(&namespace, listed);
    assert_eq!(engine.jobs().list(&tessera_jobs::JobQuery::default()).unwrap().jobs.len(), 1);
}
