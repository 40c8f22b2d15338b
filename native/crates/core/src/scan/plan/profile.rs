//! What becomes of the records that pass the filter of a query, counted and timed while it is analysed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_base::latency::Clock;

/// Of all workers; complete once the stream has ended.
#[derive(Debug, Default)]
pub struct QueryProfile {
    matched: AtomicU64,
    rows: AtomicU64,
    unnest_ns: AtomicU64,
    group_ns: AtomicU64,
}

/// What one worker has counted; handed over when it is dropped, as each record would be too often.
#[derive(Debug)]
pub(in crate::scan) struct WorkerProfile {
    all: Arc<QueryProfile>,
    pub(in crate::scan) matched: u64,
    pub(in crate::scan) rows: u64,
    pub(in crate::scan) rows_ns: u64,
    pub(in crate::scan) group_ns: u64,
}

impl QueryProfile {
    /// Forgets what was counted: all of it is met anew.
    pub(in crate::scan) fn reset(&self) {
        [&self.matched, &self.rows, &self.unnest_ns, &self.group_ns].iter().for_each(|count| count.store(0, Relaxed));
    }

    /// Records that have passed the filter.
    pub fn matched(&self) -> u64 {
        self.matched.load(Relaxed)
    }

    /// Rows that were made of them: items, where a list is unnested.
    pub fn rows(&self) -> u64 {
        self.rows.load(Relaxed)
    }

    /// Milliseconds of making rows, of all threads together.
    pub fn unnest_ms(&self) -> f64 {
        self.unnest_ns.load(Relaxed) as f64 / 1e6
    }

    /// Milliseconds of adding rows to their groups, of all threads together.
    pub fn group_ms(&self) -> f64 {
        self.group_ns.load(Relaxed) as f64 / 1e6
    }
}

impl WorkerProfile {
    pub(in crate::scan) const fn new(all: Arc<QueryProfile>) -> Self {
        Self { all, matched: 0, rows: 0, rows_ns: 0, group_ns: 0 }
    }
}

impl Drop for WorkerProfile {
    fn drop(&mut self) {
        self.all.matched.fetch_add(self.matched, Relaxed);
        self.all.rows.fetch_add(self.rows, Relaxed);
        self.all.unnest_ns.fetch_add(self.rows_ns.saturating_sub(self.group_ns), Relaxed);
        self.all.group_ns.fetch_add(self.group_ns, Relaxed);
    }
}

/// Does `work`, and adds the nanoseconds that it takes where they are wanted.
pub(in crate::scan) fn timed<T>(ns: Option<&mut u64>, work: impl FnOnce() -> T) -> T {
    let Some(ns) = ns else { return work() };
    let started = Clock::now();
    let done = work();
    *ns += Clock::nanos_since(started);
    done
}
