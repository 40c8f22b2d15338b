//! Everything that a fixture has, and nothing else.

use crate::bodies::body;
use crate::documents::bare::matches_body;
use crate::earlier::contents::{NAMESPACES, Record, SETS, TRUNCATED, TRUNCATED_KEYS, config, deleted, done, indexes, records};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::limits;
use tessera_core::query::{IndexUse, QuerySpec};
use tessera_core::scan::{PlanChoice, ScanSpec};
use tessera_core::sets::SetIndexState;
use tessera_core::{Engine, Namespace};
use tessera_index::IndexState;
use tessera_record::filter::Filter;
use tessera_record::{KeyRef, Ttl};

const LONG: Duration = Duration::from_secs(60);

pub fn check(engine: &Arc<Engine>, closed: bool) {
    assert_eq!(engine.members().iter().map(|member| member.name().to_owned()).collect::<Vec<_>>(), NAMESPACES);
    assert_eq!(engine.notices(), []);
    assert_eq!(engine.orphan_names(), Vec::<String>::new());
    for namespace in engine.namespaces() {
        let name = namespace.name();
        assert!(namespace.losses().is_empty() && namespace.trouble().is_none(), "{name}");
        let (found, made) = (namespace.config(), config(name));
        assert_eq!((&found.engine, found.segments, found.durability), (&made.engine, made.segments, made.durability));
        assert!(made.sets.iter().all(|set| found.sets.contains(set)), "{:?}", found.sets);
        let specs: Vec<_> = found.indexes.into_iter().map(|spec| tessera_index::IndexSpec { created_at_ms: 0, ..spec }).collect();
        assert_eq!(specs, indexes());
        wait_for_indexes(&namespace);
        if name == "memory" {
            assert_eq!(namespace.size(None), 0);
        } else {
            check_on_disk(&namespace, closed);
        }
    }
}

fn wait_for_indexes(namespace: &Namespace) {
    let begun = Instant::now();
    while namespace.indexes().iter().any(|index| index.state != IndexState::Ready) {
        assert!(begun.elapsed() < LONG, "an index of {} is not ready", namespace.name());
        std::thread::yield_now();
    }
}

fn check_on_disk(namespace: &Arc<Namespace>, closed: bool) {
    let (name, report, records) = (namespace.name(), namespace.recovery(), records());
    assert_eq!((report.damaged, report.torn, &report.losses[..]), (0, 0, &[][..]), "{name}: {report:?}");
    if closed {
        assert_eq!((&report.cold, report.indexes_loaded, report.indexes_rebuilt), (&None, 2, 0), "{name}");
    }
    assert_eq!(namespace.size(None), records.len() as u64, "{name}");
    for set in SETS.into_iter().chain([TRUNCATED]) {
        let of_set: Vec<&Record> = records.iter().filter(|record| record.set == set).collect();
        check_set(namespace, set, &of_set);
    }
    for record in &records {
        check_record(namespace, record);
    }
    let mut out = Vec::new();
    for record in deleted() {
        assert_eq!(namespace.get(record.set, record.key, &mut out).unwrap(), None, "{name} {:?}", record.key);
    }
    for key in 0..TRUNCATED_KEYS {
        assert_eq!(namespace.get(TRUNCATED, KeyRef::Integer(key), &mut out).unwrap(), None, "{name} {key}");
    }
    if name == "device" {
        done(&namespace.scrub(Some(0)).unwrap());
        assert_eq!(namespace.scrub_damage(), 0);
    }
}

fn check_record(namespace: &Namespace, record: &Record) {
    let mut out = Vec::new();
    let meta = namespace.get(record.set, record.key, &mut out).unwrap().unwrap();
    assert_eq!((&out, meta.generation), (&body(record.key, &record.bins), record.generation), "{} {:?}", namespace.name(), record.key);
    let seconds = u64::from(meta.expires_at).saturating_sub(meta.updated_at / 1000);
    let expected = if record.ttl == Ttl::Seconds(limits::TTL_SECONDS) { u64::from(limits::TTL_SECONDS) } else { 0 };
    assert!(seconds.abs_diff(expected) <= 1, "{} {:?} {meta:?}", namespace.name(), record.key);
}

/// By every way to a set, and by both indexes.
fn check_set(namespace: &Arc<Namespace>, set: &str, records: &[&Record]) {
    assert_eq!(namespace.size(Some(set)), records.len() as u64, "{} {set}", namespace.name());
    let info = namespace.sets().into_iter().find(|info| info.name == set).unwrap();
    assert_eq!(info.records, records.len() as u64);
    assert_eq!(info.index == SetIndexState::On, set == "indexed");
    assert_eq!(info.distribution_bin.as_deref(), (set == "placed").then_some("home"));
    let plans = [PlanChoice::SetColumn, if set == "indexed" { PlanChoice::SetIndex } else { PlanChoice::Auto }];
    for plan in plans {
        let scan = namespace.scan(ScanSpec { set: Some(set.to_owned()), threads: 2, plan, ..ScanSpec::default() }).unwrap();
        while scan.stream.next_blocking().unwrap().is_some() {}
        assert_eq!(scan.stream.summary().returned, records.len() as u64, "{} {set} {plan:?}", namespace.name());
    }
    let contained = (0..40).map(|id| ("documents", format!(r#"{{"bin":"doc","op":"contains","value":{{"items":[{{"id":{id}}}]}}}}"#)));
    let sizes = [("eq", 3), ("eq", 100), ("le", 3), ("le", 110), ("ge", 19), ("ge", 119)];
    let sizes = sizes.map(|(op, size)| ("sizes", format!(r#"{{"bin":"doc","path":"size","op":"{op}","value":{size}}}"#)));
    for (index, text) in contained.chain(sizes) {
        let filter = Arc::new(Filter::compile(text.as_bytes()).unwrap());
        let matching = records.iter().filter(|record| matches_body(&filter, &body(record.key, &record.bins)));
        let expected: BTreeSet<String> = matching.map(|record| format!("{:?}", record.key)).collect();
        let use_index = IndexUse::Named(index.into());
        let spec = QuerySpec { set: Some(set.to_owned()), filter: Some(filter), use_index, threads: 1, ..QuerySpec::default() };
        assert_eq!(namespace.explain_query(&spec).unwrap().index.as_deref(), Some(index), "{} {text}", namespace.name());
        assert_eq!(answer(namespace, spec), expected, "{} {set} {text}", namespace.name());
    }
}

/// Keys of the numbered records, the only ones that have a document.
fn answer(namespace: &Arc<Namespace>, spec: QuerySpec) -> BTreeSet<String> {
    let query = namespace.query(spec).unwrap();
    let mut keys = BTreeSet::new();
    while let Some(chunk) = query.stream.next_blocking().unwrap() {
        for line in chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let record: serde_json::Value = serde_json::from_slice(line).unwrap();
            keys.insert(format!("{:?}", KeyRef::Integer(record["key"].as_i64().unwrap())));
        }
    }
    keys
}
