//! Merging every index at once, while nothing is served: after a start that read the records, and before a stop that saves.

use crate::store::RecordStore;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tessera_base::processors;

impl RecordStore {
    /// Merges what writes have left in the document and range indexes, segment by segment on all processors, as long as `go_on`
    /// says so. Each segment's lock is held meanwhile.
    pub(in crate::store) fn merge_indexes(&self, go_on: &(dyn Fn() -> bool + Sync)) {
        let indexes = self.indexes.all();
        let next = AtomicUsize::new(0);
        let run = || {
            while let Some(cell) = self.segments.get(next.fetch_add(1, Relaxed)).filter(|_| go_on()) {
                cell.write(|segment| indexes.iter().for_each(|index| segment.indexes_mut().merge_now(index)));
            }
        };
        let threads = (processors() as usize).min(self.segments.len());
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // Where no thread is to be had, the others do its share.
                let _ = std::thread::Builder::new().name("tessera-merge".to_owned()).spawn_scoped(scope, run);
            }
            run();
        });
        // The threads are gone, and what they took apart is free.
        tessera_base::heap::give_back();
    }
}
