//! Walks over many records of a real cluster.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod rig;

use rig::{Records, key, n, records, value};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::thread;
use tessera_base::ErrorCode;
use tessera_cluster::{Cursor, WalkSpec};
use tessera_core::store::WriteOptions;

const ROWS: i64 = 20_000;

fn load(records: &Records) {
    let next = AtomicI64::new(0);
    thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= ROWS {
                        break;
                    }
                    records.put("s", key(number), &n(number, number), &WriteOptions::default()).unwrap();
                }
            });
        }
    });
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_walk_meets_each_record_once() {
    let records = records("walked");
    load(&records);
    let met = |seen: &Mutex<HashMap<i64, usize>>, row: tessera_cluster::Row<'_>| {
        *seen.lock().unwrap().entry(value(row.body)).or_default() += 1;
    };
    let complete = |seen: Mutex<HashMap<i64, usize>>| {
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.len() as i64, ROWS);
        assert!(seen.values().all(|&times| times == 1));
    };
    for threads in [1, 8] {
        let seen = Mutex::default();
        let rest = records.walk(&WalkSpec { threads, ..WalkSpec::default() }, |row| {
            met(&seen, row);
            ControlFlow::Continue(())
        });
        assert!(rest.unwrap().is_done());
        complete(seen);
    }
    for threads in [1, 8] {
        let seen = Mutex::default();
        let mut cursor = Cursor::default();
        let mut rounds = 0;
        while !cursor.is_done() {
            let left = AtomicUsize::new(7001);
            let from = Cursor::of_tokens(&cursor.tokens()).unwrap();
            cursor = records
                .walk(&WalkSpec { threads, from }, |row| {
                    met(&seen, row);
                    if left.fetch_sub(1, Ordering::Relaxed) == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
                .unwrap();
            rounds += 1;
        }
        assert_eq!(rounds, 3);
        complete(seen);
    }
    assert_eq!(records.count(4).unwrap() as i64, ROWS);
    let none = records.walk(&WalkSpec { threads: 129, ..WalkSpec::default() }, |_| ControlFlow::Continue(()));
    assert_eq!(none.unwrap_err().code, ErrorCode::ThreadsInvalid);
}
