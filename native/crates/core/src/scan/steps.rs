//! What becomes of the records that pass the filter of a query, counted and timed while it is analysed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_base::latency::Clock;

/// Of all workers; complete once the stream has ended.
#[derive(Debug, Default)]
pub struct Steps {
    matched: AtomicU64,
    rows: AtomicU64,
    unnest_ns: AtomicU64,
    group_ns: AtomicU64,
}

/// What one worker has counted; handed over when it is dropped, as each record would be too often.
#[derive(Debug)]
pub(super) struct StepCount {
    all: Arc<Steps>,
    pub(super) matched: u64,
    pub(super) rows: u64,
    pub(super) rows_ns: u64,
    pub(super) group_ns: u64,
}

impl Steps {
    /// Forgets what was counted: all of it is met anew.
    pub(super) fn reset(&self) {
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

impl StepCount {
    pub(super) const fn new(all: Arc<Steps>) -> Self {
        Self { all, matched: 0, rows: 0, rows_ns: 0, group_ns: 0 }
    }
}

impl Drop for StepCount {
    fn drop(&mut self) {
        self.all.matched.fetch_add(self.matched, Relaxed);
        self.all.rows.fetch_add(self.rows, Relaxed);
        self.all.unnest_ns.fetch_add(self.rows_ns.saturating_sub(self.group_ns), Relaxed);
        self.all.group_ns.fetch_add(self.group_ns, Relaxed);
    }
}

/// Does `work`, and adds the nanoseconds that it takes where they are wanted.
pub(super) fn timed<T>(ns: Option<&mut u64>, work: impl FnOnce() -> T) -> T {
    let Some(ns) = ns else { return work() };
    let started = Clock::now();
    let done = work();
    *ns += Clock::nanos_since(started);
    done
}
