//! What is measured beside latency: memory by part, disks, the process.

use std::sync::Arc;
use tessera_storage::DeviceGauge;

/// Memory held, by what holds it; bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryBytes {
    /// Slots, hash tables and set columns.
    pub primary_index: u64,
    pub set_indexes: u64,
    /// Document and range indexes.
    pub document_indexes: u64,
    /// Record bodies in memory, with the slack of their extents.
    pub records: u64,
    /// Write blocks, caches and queues.
    pub buffers: u64,
    /// Digest directories of sets with a distribution bin.
    pub directory: u64,
}

impl MemoryBytes {
    pub const fn total(&self) -> u64 {
        self.primary_index + self.set_indexes + self.document_indexes + self.records + self.buffers + self.directory
    }

    pub const fn add(&mut self, other: &Self) {
        self.primary_index += other.primary_index;
        self.set_indexes += other.set_indexes;
        self.document_indexes += other.document_indexes;
        self.records += other.records;
        self.buffers += other.buffers;
        self.directory += other.directory;
    }
}

/// The process: 100% is one core.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessUse {
    pub cpu_percent: f64,
    pub resident_bytes: u64,
}

/// What the ticker asks the engine for, once a second.
#[derive(Clone, Debug, Default)]
pub struct Gauges {
    pub memory: MemoryBytes,
    /// By namespace.
    pub devices: Vec<(Arc<str>, DeviceGauge)>,
    pub marks: Vec<tessera_jobs::Mark>,
}
