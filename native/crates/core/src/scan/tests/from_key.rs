//! Pages that begin at a record.

use super::{open, put};
use crate::error::ErrorCode;
use crate::record::Key;
use crate::scan::ScanSpec;
use crate::{DeviceConfig, Namespace, NamespaceConfig};
use std::sync::Arc;

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
    for config in [NamespaceConfig::memory("memory"), NamespaceConfig::device("device", DeviceConfig::default())] {
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
