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

/// The process over some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessUse {
    /// CPU time of all threads, and how long that was.
    pub cpu_nanos: u64,
    pub wall_nanos: u64,
    /// At the end.
    pub resident_bytes: u64,
}

impl ProcessUse {
    /// 100% is one core.
    pub fn cpu_percent(&self) -> f64 {
        if self.wall_nanos > 0 { self.cpu_nanos as f64 / self.wall_nanos as f64 * 100.0 } else { 0.0 }
    }

    /// Two intervals as one.
    pub(super) const fn and(&self, later: &Self) -> Self {
        Self {
            cpu_nanos: self.cpu_nanos.saturating_add(later.cpu_nanos),
            wall_nanos: self.wall_nanos.saturating_add(later.wall_nanos),
            resident_bytes: later.resident_bytes,
        }
    }
}

/// What a namespace holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceSize {
    pub namespace: Arc<str>,
    pub records: u64,
    /// Of the live bodies, headers included.
    pub bytes: u64,
}

/// What the ticker asks the engine for, once a second.
#[derive(Clone, Debug, Default)]
pub struct Gauges {
    pub memory: MemoryBytes,
    /// By namespace.
    pub devices: Vec<(Arc<str>, DeviceGauge)>,
    pub sizes: Vec<NamespaceSize>,
    pub marks: Vec<tessera_jobs::Mark>,
}
