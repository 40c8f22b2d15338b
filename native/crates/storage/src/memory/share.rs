//! What the memory namespaces that have no limit of their own may take together, so that they are full before the system is.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_base::{Sentence, sentence};

#[derive(Debug)]
pub struct MemoryShare {
    limit: u64,
    /// Extents of records.
    records: AtomicU64,
    /// What their indexes took when they were last measured.
    indexes: AtomicU64,
    /// What of both dropped namespaces had then that can be restored.
    dropped: AtomicU64,
}

impl MemoryShare {
    pub const fn new(limit: u64) -> Self {
        Self { limit, records: AtomicU64::new(0), indexes: AtomicU64::new(0), dropped: AtomicU64::new(0) }
    }

    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// Bytes of records and their indexes.
    pub fn used(&self) -> u64 {
        self.records.load(Relaxed).saturating_add(self.indexes.load(Relaxed))
    }

    pub fn note_indexes(&self, bytes: u64) {
        self.indexes.store(bytes, Relaxed);
    }

    pub fn note_dropped(&self, bytes: u64) {
        self.dropped.store(bytes, Relaxed);
    }

    /// Why a write is refused, and what makes room.
    pub(super) fn full(&self) -> Sentence {
        let (used, limit) = (self.used(), self.limit);
        let full = sentence!(
            "memory namespaces without maxMemoryBytes have {used, number} of the {limit, number} bytes that they share (TESSERA_MEMORY_BYTES); delete records",
            used = used,
            limit = limit
        );
        match self.dropped.load(Relaxed) {
            0 => full,
            bytes => sentence!(
                "{full}, or dropped namespaces: those that can be restored hold {bytes, number} bytes (GET /api/v1/dropped)",
                full = full,
                bytes = bytes
            ),
        }
    }

    /// Takes bytes for records; `false` if there are no more. Those that are not `limited` are always had.
    pub(super) fn take(&self, bytes: u64, limited: bool) -> bool {
        let before = self.records.fetch_add(bytes, Relaxed);
        let fits = before.saturating_add(bytes).saturating_add(self.indexes.load(Relaxed)) <= self.limit;
        if limited && !fits {
            self.give(bytes);
        }
        !limited || fits
    }

    pub(super) fn give(&self, bytes: u64) {
        self.records.fetch_sub(bytes, Relaxed);
    }
}
