//! What the job of a migration has done so far.

use std::sync::atomic::{AtomicU64, Ordering};

/// Records that the job has copied, compared, and repaired because they differed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MigrationCounts {
    pub copied: u64,
    pub compared: u64,
    pub repaired: u64,
}

/// `MigrationCounts` of a job at work.
#[derive(Default)]
pub(super) struct Counters {
    copied: AtomicU64,
    compared: AtomicU64,
    repaired: AtomicU64,
}

impl Counters {
    pub(super) fn copied(&self, changed: bool) {
        self.copied.fetch_add(u64::from(changed), Ordering::Relaxed);
    }

    pub(super) fn compared(&self, changed: bool) {
        self.compared.fetch_add(1, Ordering::Relaxed);
        self.repaired.fetch_add(u64::from(changed), Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> MigrationCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        MigrationCounts { copied: read(&self.copied), compared: read(&self.compared), repaired: read(&self.repaired) }
    }
}
