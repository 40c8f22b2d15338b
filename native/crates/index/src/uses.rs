//! How often queries have used an index in this run of the engine, and when last.

use std::sync::atomic::{AtomicU64, Ordering};

/// Queries that found records by an index since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexUses {
    pub count: u64,
    /// Unix milliseconds; `None`: none yet.
    pub last_ms: Option<u64>,
}

/// Counts them. The two numbers are read one after the other, so they may be one use apart.
#[derive(Debug, Default)]
pub(crate) struct UseCounter {
    count: AtomicU64,
    last_ms: AtomicU64,
}

impl UseCounter {
    pub(crate) fn note(&self, now_ms: u64) {
        self.count.fetch_add(1, Ordering::Relaxed);
        // Clocks of two threads may come in another order than their uses.
        self.last_ms.fetch_max(now_ms, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> IndexUses {
        let last_ms = self.last_ms.load(Ordering::Relaxed);
        IndexUses { count: self.count.load(Ordering::Relaxed), last_ms: (last_ms > 0).then_some(last_ms) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_use_is_the_latest_in_any_order() {
        let uses = UseCounter::default();
        assert_eq!(uses.read(), IndexUses { count: 0, last_ms: None });
        for now in [7, 9, 8] {
            uses.note(now);
        }
        assert_eq!(uses.read(), IndexUses { count: 3, last_ms: Some(9) });
    }
}
