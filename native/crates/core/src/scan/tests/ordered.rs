//! A query in the order of an index keeps its caller for nothing.

use super::{RECORDS, indexed, open, put, rows};
use crate::query::{IndexUse, Order, QuerySpec};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long a query that waits for a segment is waited for before the test fails.
const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_query_is_answered_while_a_segment_is_taken_and_its_rows_come_after() {
    let (_directory, _engine, namespace) = open(indexed());
    (0..RECORDS).for_each(|key| put(&namespace, "s", key, 1));
    let (taken, is_taken) = mpsc::channel();
    let (free, is_free) = mpsc::channel::<()>();
    let writer = {
        let namespace = Arc::clone(&namespace);
        thread::spawn(move || {
            namespace.cells()[0].write(|_| {
                taken.send(()).unwrap();
                let _ = is_free.recv();
            });
        })
    };
    is_taken.recv().unwrap();
    let (answer, answered) = mpsc::channel();
    let asker = thread::spawn(move || {
        let order = Order::compile(br#"{"bin":"n","desc":true}"#).unwrap();
        let spec = QuerySpec { order: Some(order), use_index: IndexUse::parse("n".into()), limit: Some(7), ..QuerySpec::default() };
        answer.send(namespace.query(spec).unwrap()).unwrap();
    });
    let query = answered.recv_timeout(LONG);
    drop(free);
    writer.join().unwrap();
    asker.join().unwrap();
    let query = query.unwrap();
    assert_eq!(rows(&query.stream), 7);
    assert_eq!(query.stream.summary().method, "range-order");
}
