//! What is measured beside latency: memory by part, device traffic, the process.

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

/// Device traffic since the start, over all namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounters {
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub reads: u64,
    pub writes: u64,
    pub syncs: u64,
}

/// Device traffic a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceRates {
    pub read_bytes: f64,
    pub write_bytes: f64,
    pub reads: f64,
    pub writes: f64,
    pub syncs: f64,
}

impl DeviceCounters {
    /// Rates from `before` to `self` over `seconds`. A dropped namespace takes its counters away: never below 0.
    pub fn rates_since(&self, before: &Self, seconds: f64) -> DeviceRates {
        let rate = |now: u64, then: u64| if seconds > 0.0 { now.saturating_sub(then) as f64 / seconds } else { 0.0 };
        DeviceRates {
            read_bytes: rate(self.bytes_read, before.bytes_read),
            write_bytes: rate(self.bytes_written, before.bytes_written),
            reads: rate(self.reads, before.reads),
            writes: rate(self.writes, before.writes),
            syncs: rate(self.syncs, before.syncs),
        }
    }
}

impl DeviceRates {
    /// Adds `other` times `weight`: rates over longer times are averages weighted by duration.
    pub fn add_weighted(&mut self, other: &Self, weight: f64) {
        self.read_bytes += other.read_bytes * weight;
        self.write_bytes += other.write_bytes * weight;
        self.reads += other.reads * weight;
        self.writes += other.writes * weight;
        self.syncs += other.syncs * weight;
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
    pub device: DeviceCounters,
    pub marks: Vec<crate::job::Mark>,
}
