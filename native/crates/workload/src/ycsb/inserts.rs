//! Which records there are while workers insert more.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gives out the numbers of new records, and knows up to which all are there: one is when its insert has ended, well or not, and so
/// have all before it. As YCSB's `AcknowledgedCounterGenerator`, shared by all workers.
#[derive(Debug)]
pub struct Inserts {
    next: AtomicU64,
    there: AtomicU64,
    /// Ended before one that was begun earlier; at most as many as are in flight.
    early: Mutex<BTreeSet<u64>>,
}

impl Inserts {
    /// Of records that are there up to `first`, which is the next one.
    pub fn new(first: u64) -> Self {
        Self { next: AtomicU64::new(first), there: AtomicU64::new(first), early: Mutex::default() }
    }

    /// The number of a new record.
    pub fn begin(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The insert of a record has ended.
    pub fn end(&self, record: u64) {
        let mut early = self.early.lock();
        let there = self.there.load(Ordering::Relaxed);
        if record != there {
            early.insert(record);
            return;
        }
        let mut next = there + 1;
        while early.remove(&next) {
            next += 1;
        }
        self.there.store(next, Ordering::Release);
    }

    /// One past the last record that is there with all before it.
    #[inline]
    pub fn there(&self) -> u64 {
        self.there.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_there_once_all_before_it_are() {
        let inserts = Inserts::new(10);
        let begun: Vec<u64> = (0..5).map(|_| inserts.begin()).collect();
        assert_eq!(begun, [10, 11, 12, 13, 14]);
        for (ended, there) in [(11, 10), (13, 10), (10, 12), (12, 14), (14, 15)] {
            inserts.end(ended);
            assert_eq!(inserts.there(), there, "after {ended}");
        }
        assert!(inserts.early.lock().is_empty());
    }

    #[test]
    fn many_workers_leave_no_gap() {
        let inserts = Inserts::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| inserts.end(inserts.begin())));
            }
        });
        assert_eq!(inserts.there(), 4000);
    }
}
