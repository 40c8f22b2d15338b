//! What the metrics ticker asks an open engine for, once a second.

use super::Engine;
use crate::config::EngineConfig;
use crate::metrics::{DeviceCounters, Gauges, MemoryBytes};

impl Engine {
    /// Memory by part, over all namespaces.
    pub fn memory(&self) -> MemoryBytes {
        let mut memory = MemoryBytes::default();
        for namespace in self.namespaces() {
            memory.add(&namespace.memory());
        }
        memory
    }

    pub(super) fn gauges(&self) -> Gauges {
        let mut device = DeviceCounters::default();
        for namespace in self.namespaces() {
            if !matches!(namespace.config().engine, EngineConfig::Device(_)) {
                continue;
            }
            let usage = namespace.usage();
            device.bytes_read += usage.bytes_read;
            device.bytes_written += usage.bytes_written;
            device.reads += usage.reads;
            device.writes += usage.writes;
            device.syncs += usage.syncs;
        }
        Gauges { memory: self.memory(), device, marks: self.jobs().marks().take() }
    }
}
