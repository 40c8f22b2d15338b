//! What the metrics ticker asks an open engine for, once a second.

use super::Engine;
use crate::metrics::{Gauges, MemoryBytes};
use crate::namespace::Namespace;
use std::sync::Arc;

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
        let gauge = |namespace: &Arc<Namespace>| Some((Arc::clone(namespace.latency().namespace()), namespace.device_gauge()?));
        let devices = self.namespaces().iter().filter_map(gauge).collect();
        Gauges { memory: self.memory(), devices, marks: self.jobs().marks().take() }
    }
}
