//! What the metrics ticker asks an open engine for, once a second.

use super::Engine;
use crate::metrics::{Gauges, MemoryBytes};
use crate::namespace::Namespace;
use std::sync::Arc;

impl Engine {
    /// Memory by part, over all namespaces.
    pub fn memory(&self) -> MemoryBytes {
        let (mut memory, mut sharing) = (MemoryBytes::default(), 0);
        for namespace in self.namespaces() {
            let own = namespace.memory();
            if namespace.shares_memory() {
                sharing += own.total() - own.records;
            }
            memory.add(&own);
        }
        self.memory_share().note_indexes(sharing);
        memory
    }

    pub(super) fn gauges(&self) -> Gauges {
        let gauge = |namespace: &Arc<Namespace>| Some((Arc::clone(namespace.latency().namespace()), namespace.store().device_gauge()?));
        let devices = self.namespaces().iter().filter_map(gauge).collect();
        Gauges { memory: self.memory(), devices, marks: self.jobs().marks().take() }
    }
}
