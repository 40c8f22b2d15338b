//! Streams of some segments: those that are named, or those that this node owns.

use super::store::{Store, every_engine, spec};
use serde_json::json;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_core::stream::StreamSpec;
use tessera_core::{ConfigPatch, Ownership};

const RECORDS: i64 = 500;

/// The keys that a stream brings.
fn keys(store: &Store, segments: Option<&[u16]>) -> Vec<i64> {
    let spec = StreamSpec { segments: segments.map(Arc::from), ..spec(&json!([{"map": ["n"]}]), 2).unwrap() };
    let stream = store.namespace.stream(spec).unwrap().stream;
    let mut text = Vec::new();
    while let Some(chunk) = stream.next_blocking().unwrap() {
        text.extend(chunk);
    }
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let mut keys: Vec<i64> = lines.map(|line| serde_json::from_slice::<serde_json::Value>(line).unwrap()["n"].as_i64().unwrap()).collect();
    keys.sort_unstable();
    keys
}

fn merged(parts: impl Iterator<Item = Vec<i64>>) -> Vec<i64> {
    let mut all: Vec<i64> = parts.flatten().collect();
    all.sort_unstable();
    all
}

#[test]
fn the_segments_that_are_named_are_streamed_whoever_owns_them() {
    for config in every_engine() {
        let store = Store::open(config);
        (0..RECORDS).for_each(|key| store.put("s", key, &json!({"n": key})));
        let all: Vec<i64> = (0..RECORDS).collect();
        let each: Vec<Vec<i64>> = (0..8).map(|segment| keys(&store, Some(&[segment]))).collect();
        assert!(each.iter().all(|part| !part.is_empty() && part.len() < 200), "{each:?}");
        assert_eq!(merged(each.iter().cloned()), all);
        assert_eq!(keys(&store, Some(&[1, 6])), merged([each[1].clone(), each[6].clone()].into_iter()));
        let nodes = (0..3).map(|this| {
            let ownership = Some(Some(Ownership { nodes: 3, owners: 2, this }));
            store.namespace.update(ConfigPatch { ownership, ..ConfigPatch::default() }).unwrap();
            assert_eq!(keys(&store, Some(&[5])), each[5]);
            let own = keys(&store, None);
            let (lines, _) = store.ask(&json!([{"count": true}]), 2).unwrap();
            assert_eq!(lines, [json!({"count": own.len()})]);
            own
        });
        assert_eq!(merged(nodes), all, "each record has one primary owner");
        for wrong in [vec![], vec![8]] {
            let spec = StreamSpec { segments: Some(wrong.into()), ..spec(&json!([]), 1).unwrap() };
            let error = store.namespace.stream(spec).err().unwrap();
            assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("segments")));
        }
    }
}
