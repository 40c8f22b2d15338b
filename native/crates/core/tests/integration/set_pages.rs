//! Pages of sets: searched, in each order, followed to the end while sets come and change.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use crate::pages::paged;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_core::namespace::{SetOrder, SetPlace, SetQuery};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_record::{KeyRef, Value};

fn with(run: impl Fn(&Arc<Namespace>)) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    for config in [NamespaceConfig::memory("m"), NamespaceConfig::device("d", DeviceConfig::default()), paged("p", 4096)] {
        run(&engine.create_namespace(config).unwrap());
    }
}

fn put(namespace: &Namespace, set: &str, records: i64) {
    for key in 0..records {
        let key = KeyRef::Integer(key);
        namespace.put(set, key, &body(key, &[("n", Value::Int(1))]), &WriteOptions::default()).unwrap();
    }
}

fn names(namespace: &Namespace, query: &SetQuery) -> Vec<Vec<String>> {
    let mut pages = vec![];
    let mut after = None;
    loop {
        let page = namespace.set_page(&SetQuery { after, ..query.clone() }).unwrap();
        pages.push(page.sets.into_iter().map(|set| set.name).collect());
        match page.next {
            Some(next) => after = Some(next),
            None => return pages,
        }
    }
}

#[test]
fn a_page_is_in_its_order_and_the_next_goes_on() {
    with(|namespace| {
        for (set, records) in [("b", 3), ("a", 1), ("C", 3), ("", 2), ("d", 5)] {
            put(namespace, set, records);
        }
        let of = |order, descending| names(namespace, &SetQuery { order, descending, limit: 2, ..SetQuery::default() });
        assert_eq!(of(SetOrder::Name, false), [vec!["", "C"], vec!["a", "b"], vec!["d"]]);
        assert_eq!(of(SetOrder::Name, true), [vec!["d", "b"], vec!["a", "C"], vec![""]]);
        assert_eq!(of(SetOrder::Records, false), [vec!["a", ""], vec!["C", "b"], vec!["d"]]);
        assert_eq!(of(SetOrder::Records, true), [vec!["d", "C"], vec!["b", ""], vec!["a"]]);
        assert_eq!(of(SetOrder::Bytes, true), [vec!["d", "C"], vec!["b", ""], vec!["a"]]);
        // It need not be a set that is still there.
        let after = Some(SetPlace { size: 4, name: "gone".into() });
        let page =
            namespace.set_page(&SetQuery { order: SetOrder::Records, descending: true, after, limit: 9, ..SetQuery::default() }).unwrap();
        assert_eq!(page.sets.iter().map(|set| set.records).collect::<Vec<_>>(), [3, 3, 2, 1]);
        assert_eq!((page.matching, page.records, page.next), (5, 14, None));
    });
}

#[test]
fn a_part_of_a_name_and_its_beginning_are_looked_for() {
    with(|namespace| {
        for set in ["events_2025", "events_2026", "Old_Events", "profiles"] {
            namespace.create_set(&SetConfig { name: set.into(), ..SetConfig::default() }).unwrap();
        }
        let found = |part: &str, within: Option<&[&str]>| {
            let within = within.map(|starts| starts.iter().map(|&start| start.to_owned()).collect());
            let page = namespace.set_page(&SetQuery { part: part.into(), within, limit: 2, ..SetQuery::default() }).unwrap();
            (page.matching, page.sets.into_iter().map(|set| set.name).collect::<Vec<_>>())
        };
        assert_eq!(found("EVENTS", None), (3, vec!["Old_Events".into(), "events_2025".into()]));
        assert_eq!(found("2026", None), (1, vec!["events_2026".into()]));
        assert_eq!(found("", Some(&["events", "pro"])), (3, vec!["events_2025".into(), "events_2026".into()]));
        assert_eq!(found("events", Some(&["pro"])), (0, vec![]));
        assert_eq!(found("", Some(&[])), (0, vec![]));
        let page = namespace.set_page(&SetQuery { start: "events".into(), part: "26".into(), limit: 1, ..SetQuery::default() }).unwrap();
        assert_eq!((page.matching, &*page.sets[0].name), (1, "events_2026"));
        assert_eq!(namespace.set("profiles").unwrap().name, "profiles");
        assert_eq!(namespace.set("none").unwrap_err().code, ErrorCode::SetNotFound);
        for limit in [0, 5001] {
            assert_eq!(namespace.set_page(&SetQuery { limit, ..SetQuery::default() }).unwrap_err().code, ErrorCode::ConfigInvalid);
        }
    });
}

#[test]
fn all_of_many_sets_are_met_once() {
    with(|namespace| {
        let mut wanted: Vec<String> = (0..3000).map(|n| format!("s{:04}", n * 7919 % 3000)).collect();
        for name in &wanted {
            namespace.create_set(&SetConfig { name: name.clone(), ..SetConfig::default() }).unwrap();
        }
        wanted.sort_unstable();
        let met = |order| names(namespace, &SetQuery { order, limit: 701, ..SetQuery::default() }).concat();
        assert_eq!(met(SetOrder::Name), wanted);
        assert_eq!(met(SetOrder::Bytes), wanted);
    });
}
