//! What is asked of all open namespaces again and again: by the metrics ticker once a second, by the marker now and then.

use super::Engine;
use super::members::Members;
use crate::metrics::{Gauges, MemoryBytes, NamespaceSize};
use crate::namespace::Namespace;
use std::sync::Arc;

impl Engine {
    /// Memory by part, over all namespaces, dropped ones that can be restored included.
    pub fn memory(&self) -> MemoryBytes {
        self.members.memory()
    }
}

impl Members {
    fn memory(&self) -> MemoryBytes {
        let (mut memory, mut indexes, mut dropped) = (MemoryBytes::default(), 0, 0);
        let open = self.open().into_iter().map(|namespace| (namespace, false));
        for (namespace, is_dropped) in open.chain(self.all_held().into_iter().map(|namespace| (namespace, true))) {
            let own = namespace.memory();
            if namespace.shares_memory() {
                indexes += own.total() - own.records;
                dropped += if is_dropped { own.total() } else { 0 };
            }
            memory.add(&own);
        }
        let share = &self.host().resources.memory;
        share.note_indexes(indexes);
        share.note_dropped(dropped);
        memory
    }

    pub(super) fn gauges(&self) -> Gauges {
        let gauge = |namespace: &Arc<Namespace>| Some((Arc::clone(namespace.latency().namespace()), namespace.store().device_gauge()?));
        let size = |namespace: &Arc<Namespace>| NamespaceSize {
            namespace: Arc::clone(namespace.latency().namespace()),
            records: namespace.records(),
            bytes: namespace.store().live_bytes(),
        };
        self.host().resources.slow.age();
        let open = self.open();
        let devices = open.iter().filter_map(gauge).collect();
        let sizes = open.iter().map(size).collect();
        Gauges { memory: self.memory(), devices, sizes, marks: self.host().resources.jobs.marks().take() }
    }

    /// If it cannot be written, an older copy of a namespace's files is not told from them, and all else is as before.
    pub(super) fn bear_witness(&self) {
        let open = self.open();
        let _ = self.host().manifest.bear_witness(open.iter().map(|namespace| (namespace.id(), namespace.store().mark())));
    }
}
