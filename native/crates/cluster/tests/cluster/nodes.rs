//! What the nodes of a cluster tell of themselves, and which records each has.

use crate::rig::{self, config, connect_with, key, n, points, records, records_of};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tessera_base::thread_guard;
use tessera_core::config::{CassandraConfig, Replication};
use tessera_core::store::WriteOptions;
use tessera_core::store::remote::{ClusterView, NodeView, Remote};

fn view(records: &rig::Records) -> ClusterView {
    let view = Remote::view(&**records);
    assert_eq!(view.nodes.len(), points().len());
    assert_eq!((view.ranges[0].first, view.ranges[view.ranges.len() - 1].last), (i64::MIN, i64::MAX));
    assert!(view.ranges.windows(2).all(|pair| pair[0].last.checked_add(1) == Some(pair[1].first)));
    view
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn each_node_tells_its_state_and_what_it_has_of_the_records() {
    let records = records("looked");
    for number in 0..100 {
        records.put("s", key(number), &n(number, number), &WriteOptions::default()).unwrap();
        assert!(rig::found(&records, number).is_some());
    }
    let all = view(&records);
    assert_eq!((all.keyspace.as_str(), all.exact), ("ts_looked", true));
    let mut reading = 0;
    for NodeView { node, state, load_bytes, version, tokens, share, hint_files, answer } in &all.nodes {
        assert!(node.connected && load_bytes.is_some_and(|bytes| bytes > 0), "{node:?}");
        assert_eq!((state.as_deref(), *hint_files), (Some("NORMAL"), Some(0)));
        assert!(version.as_deref().is_some_and(|version| version.starts_with("5.")), "{version:?}");
        assert_eq!(*tokens, 16);
        // Each has a copy of all, if there are as many copies as nodes.
        assert!((share - 1.0).abs() < 1e-9, "{share}");
        let answer = answer.as_ref().unwrap().as_ref().unwrap();
        assert!(answer.writes.unwrap().count > 0, "{answer:?}");
        reading += usize::from(answer.reads.unwrap().count > 0);
    }
    // A read asks a majority, and the slowest node may never be in it.
    assert!(reading > all.nodes.len() / 2, "{reading} nodes have read");
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds have the guard")]
fn the_state_of_a_namespace_waits_for_no_node() {
    let records = records("glanced");
    let asker = std::thread::spawn(move || {
        // From now on this thread panics if it waits.
        thread_guard::mark();
        let health = records.health();
        let asks = catch_unwind(AssertUnwindSafe(|| Remote::view(&*records)));
        (health, asks.is_err(), records)
    });
    let (health, waits, _records) = asker.join().unwrap();
    assert_eq!((health.keyspace.as_str(), health.nodes.len(), waits), ("ts_glanced", points().len(), true));
    assert!(health.nodes.iter().all(|node| node.connected));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn one_copy_is_divided_among_the_nodes() {
    let records = records_of(connect_with(CassandraConfig { replication: Replication::Simple(1), ..config() }), "divided");
    let all = view(&records);
    assert!((all.nodes.iter().map(|node| node.share).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(all.ranges.iter().all(|range| range.replicas.len() == 1));
}
