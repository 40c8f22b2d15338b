//! Writes whose answer is lost, because a node stands still.

use crate::rig::{self, Records, config, connect, connect_with, exists, integer, key, points, records_of, value};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tessera_base::{ErrorCode, wait_until};
use tessera_core::config::{CassandraConfig, Replication};
use tessera_core::store::remote::Remote;
use tessera_core::store::{Exists, Operate, WriteOptions};
use tessera_record::Operation;

/// Lets a process go on when it is dropped, also by a test that fails.
struct Paused(i32);

impl Paused {
    fn node(at: usize) -> Self {
        let pids = std::env::var("CLUSTER_PIDS").expect("CLUSTER_PIDS: npm run test:cluster sets it");
        let pid = pids.split(',').nth(at).unwrap().parse().unwrap();
        signal(pid, libc::SIGSTOP);
        Self(pid)
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        signal(self.0, libc::SIGCONT);
    }
}

fn signal(pid: i32, signal: i32) {
    // SAFETY: `kill` touches no memory of this process.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

/// One copy, so that a node that stands still has some records for itself.
fn alone(timeout: Duration) -> CassandraConfig {
    CassandraConfig { replication: Replication::Simple(1), timeout_ms: timeout.as_millis() as u32, speculation: None, ..config() }
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn writes_that_outlast_a_pause_are_settled_and_count_once() {
    let timeout = Duration::from_millis(400);
    let records = records_of(connect_with(alone(timeout)), "paused");
    let (stop, settled) = (AtomicBool::new(false), AtomicUsize::new(0));
    let add = [Operation::Add("n".into(), integer(1))];
    let count = |number: i64| {
        let (mut sure, mut open) = (0, 0);
        while !stop.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let asked = Operate { operations: &add, options: exists(Exists::Merge), filter: None, respond_all: false };
            match records.operate("s", key(number), &asked) {
                Ok(_) => {
                    sure += 1;
                    // The first answer did not come in time.
                    settled.fetch_add(usize::from(begun.elapsed() >= timeout), Ordering::Relaxed);
                }
                Err(error) if error.code == ErrorCode::WriteUncertain => open += 1,
                Err(error) => assert_eq!(error.code, ErrorCode::ClusterUnavailable, "{error}"),
            }
        }
        (sure, open)
    };
    let counts: Vec<(i64, i64)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn({
                    let count = &count;
                    move || count(number)
                })
            })
            .collect();
        let begun = Instant::now();
        let mut rounds = 0;
        while settled.load(Ordering::Relaxed) == 0 || rounds < 5 {
            assert!(begun.elapsed() < Duration::from_secs(120), "no write was settled");
            let paused = Paused::node(0);
            let at = Instant::now();
            wait_until(|| at.elapsed() > timeout + timeout / 2);
            drop(paused);
            let at = Instant::now();
            wait_until(|| at.elapsed() > timeout);
            rounds += 1;
        }
        stop.store(true, Ordering::Relaxed);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    for (number, (sure, open)) in counts.into_iter().enumerate() {
        let mut out = vec![];
        wait_until(|| records.get("s", key(number as i64), &mut out).is_ok());
        let counted = if out.is_empty() { 0 } else { value(&out) };
        assert!((sure..=sure + open).contains(&counted), "{number}: {counted} of {sure} and {open} open ones");
    }
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_write_that_cannot_be_settled_names_its_id_and_a_read_is_unavailable() {
    drop(records_of(connect(), "standing"));
    let records = Records::again(connect_with(alone(Duration::from_millis(300))), "standing");
    let paused: Vec<Paused> = (0..points().len()).map(Paused::node).collect();
    let mut out = vec![];
    assert_eq!(records.get("s", key(1), &mut out).unwrap_err().code, ErrorCode::ClusterUnavailable);
    // It reads first, so nothing was sent that could be applied.
    let put = || records.put("s", key(1), &rig::n(1, 1), &WriteOptions::default());
    assert_eq!(put().unwrap_err().code, ErrorCode::ClusterUnavailable);
    drop(paused);
    wait_until(|| put().is_ok());
    assert_eq!(rig::found(&records, 1), Some(rig::n(1, 1)));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_node_that_stands_still_is_told_as_such_and_not_waited_for() {
    let records = records_of(connect_with(alone(Duration::from_millis(500))), "still");
    let paused = Paused::node(0);
    let away = || {
        let view = Remote::view(&*records);
        view.nodes.iter().filter(|node| !matches!(node.answer, Some(Ok(_)))).count()
    };
    wait_until(|| away() == 1);
    drop(paused);
    wait_until(|| away() == 0);
}
