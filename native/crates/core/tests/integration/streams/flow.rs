//! How streams flow: jobs, readers that stop or are slow, limits that end the walk.

use super::store::{Store, every_engine, spec};
use serde_json::json;
use tessera_base::ErrorCode;
use tessera_core::stream::StreamSpec;
use tessera_core::{Container, NamespaceConfig};
use tessera_jobs::{JobKind, JobPatch, JobState};

/// More bytes than wait for a reader.
const FILLING: usize = 20_000;

fn filled(config: NamespaceConfig, records: i64) -> Store {
    let store = Store::open(config);
    let filling = "x".repeat(FILLING);
    (0..records).for_each(|key| store.put("s", key, &json!({"n": key, "filling": filling, "list": [1, 2, 3]})));
    store
}

#[test]
fn a_stream_is_a_job_that_counts_what_it_looks_at() {
    for config in every_engine() {
        let store = filled(config, 50);
        let stream = store.namespace.stream(spec(&json!([{"flatMap": {"bin": "list", "as": "i"}}, {"count": true}]), 2).unwrap()).unwrap();
        assert_eq!(stream.stream.next_blocking(), Ok(Some(b"{\"count\":150}\n".to_vec())));
        assert_eq!(stream.stream.next_blocking(), Ok(None));
        let (info, summary) = (stream.job.info(), stream.stream.summary());
        assert_eq!((info.kind, info.state, info.done, info.total), (JobKind::Stream, JobState::Done, 50, Some(50)));
        assert_eq!((summary.returned, summary.scanned, summary.truncated), (150, 50, false));
        assert!(info.result.is_some_and(|result| result.contains("\"scanned\":50")));
    }
}

#[test]
fn readers_that_are_slow_or_stop_hold_the_workers_up() {
    for config in every_engine() {
        let store = filled(config, 400);
        let stream = store.namespace.stream(spec(&json!([{"flatMap": {"bin": "list", "as": "i"}}]), 2).unwrap()).unwrap();
        let first = stream.stream.next_blocking().unwrap().unwrap();
        // What waits is two mebibytes and a chunk of each worker, of 24 in all.
        assert!(first.len() < 1 << 20, "a chunk of {} bytes", first.len());
        assert!(!stream.job.info().state.ended());
        let mut largest = 0;
        let mut bytes = first.len();
        while let Some(chunk) = stream.stream.next_blocking().unwrap() {
            largest = largest.max(chunk.len());
            bytes += chunk.len();
        }
        assert!(bytes > 1200 * FILLING && largest < 1 << 20, "{bytes} bytes in chunks of up to {largest}");

        let stopped = store.namespace.stream(spec(&json!([]), 2).unwrap()).unwrap();
        assert!(stopped.stream.next_blocking().unwrap().is_some());
        drop(stopped.stream);
        assert_eq!(stopped.job.wait_blocking(std::time::Duration::from_secs(120)).state, JobState::Aborted);

        let aborted = store.namespace.stream(spec(&json!([]), 2).unwrap()).unwrap();
        aborted.job.abort().unwrap();
        let outcome = std::iter::repeat_with(|| aborted.stream.next_blocking()).find(|next| !matches!(next, Ok(Some(_))));
        assert_eq!(outcome.unwrap().map_err(|error| error.code), Err(ErrorCode::Aborted));
    }
}

#[test]
fn a_job_that_is_held_up_goes_on_with_other_threads() {
    let segmented = filled(NamespaceConfig { segments: 16, ..NamespaceConfig::memory("a") }, 400);
    let flat = Store::open(NamespaceConfig { container: Container::Flat, ..NamespaceConfig::memory("flat") });
    (0..9000).for_each(|key| flat.put("s", key, &json!({"n": key})));
    for (store, records) in [(segmented, 400), (flat, 9000)] {
        let steps = json!([{"filter": {"bin": "n", "op": "ge", "value": 100}}, {"count": true}]);
        let stream = store.namespace.stream(StreamSpec { records_per_second: Some(1), ..spec(&steps, 1).unwrap() }).unwrap();
        stream.job.patch(JobPatch { threads: Some(4), records_per_second: Some(0), ..JobPatch::default() }).unwrap();
        let count = format!("{{\"count\":{}}}\n", records - 100);
        assert_eq!(stream.stream.next_blocking(), Ok(Some(count.into_bytes())));
        assert_eq!(stream.stream.next_blocking(), Ok(None));
        let (info, summary) = (stream.job.info(), stream.stream.summary());
        assert_eq!((summary.threads, summary.scanned, info.done, info.total), (4, records, records, Some(records)));
    }
}

#[test]
fn expressions_stand_wherever_values_come_from() {
    for config in every_engine() {
        let store = Store::open(config);
        (0..100).for_each(|key| store.put("s", key, &json!({"price": key, "count": key % 3, "list": [1, 2]})));
        let cost = json!({"mul": ["price", "count"]});
        let (lines, _) = store
            .ask(
                &json!([
                    {"filter": {"expr": cost, "op": "gt", "value": 20}},
                    {"map": [{"expr": cost, "as": "cost"}, {"expr": {"add": [{"meta": "key"}, 1]}, "as": "next"}]},
                    {"filter": {"expr": {"mod": ["next", 2]}, "op": "eq", "value": 0}},
                    {"sort": {"expr": {"neg": "cost"}, "limit": 3}},
                ]),
                2,
            )
            .unwrap();
        assert_eq!(lines, [95, 89, 83].map(|key| json!({"cost": key * 2, "next": key + 1})));
        let items = json!([{"flatMap": {"bin": "list", "as": "i"}}, {"reduce": {"all": {"op": "sum", "expr": {"mul": ["i", "count"]}}}}]);
        let (lines, _) = store.ask(&items, 2).unwrap();
        assert_eq!(lines[0]["all"]["value"], json!(33 * 3 + 33 * 6));
    }
}

#[test]
fn a_limit_ends_the_walk_and_an_answer_without_one_is_cut() {
    for config in every_engine() {
        let store = filled(config, 300);
        let (lines, summary) = store.ask(&json!([{"limit": 3}]), 1).unwrap();
        assert_eq!((lines.len(), summary.returned, summary.truncated), (3, 3, false));
        assert!(summary.scanned < 300, "{} were looked at", summary.scanned);
        for (steps, returned, truncated) in [
            (json!([]), 100, true),
            (json!([{"limit": 10}]), 10, false),
            (json!([{"limit": 200}, {"flatMap": {"bin": "list", "as": "i"}}, {"map": ["i"]}]), 100, true),
            (json!([{"filter": {"bin": "n", "op": "lt", "value": 100}}]), 100, false),
            (json!([{"sort": {"bin": "n", "limit": 150}}]), 150, false),
            (json!([{"sort": {"bin": "n", "limit": 150}}, {"flatMap": {"bin": "list", "as": "i"}}, {"map": ["n"]}]), 100, true),
        ] {
            let cut = StreamSpec { most: Some(100), ..spec(&steps, 2).unwrap() };
            let stream = store.namespace.stream(cut).unwrap().stream;
            while stream.next_blocking().unwrap().is_some() {}
            let summary = stream.summary();
            assert_eq!((summary.returned, summary.truncated), (returned, truncated), "{steps}");
        }
    }
}
