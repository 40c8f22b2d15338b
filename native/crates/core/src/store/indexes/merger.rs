//! Merges of indexes in the background: begun and ended with the segment's lock held, done without it.

use crate::store::RecordStore;
use std::sync::{Arc, Weak};
use tessera_base::pool::caught;
use tessera_base::{heap, processors};
use tessera_index::{Index, MergeQueue, Wanted};

/// Merges at once: one may be long, and others should not wait for it.
pub(in crate::store) const MOST_MERGES: usize = 2;

/// A queue for as many merges at once as the machine can well do.
pub(in crate::store) fn queue() -> MergeQueue<Index> {
    MergeQueue::new((processors() as usize).min(MOST_MERGES))
}

impl RecordStore {
    /// Begins to serve the merges that indexes ask for.
    pub(in crate::store) fn start_merges(self: &Arc<Self>) {
        let (store, pool): (Weak<Self>, _) = (Arc::downgrade(self), Arc::clone(self.pool()));
        let queue = Arc::downgrade(&self.indexes.merges);
        self.indexes.merges.serve(move || {
            let Some(queue) = queue.upgrade() else { return false };
            let store = store.clone();
            pool.try_spawn(move || {
                let worker = queue.enter();
                worker.work(|wanted| {
                    if let Some(store) = store.upgrade() {
                        store.merge_part(wanted);
                    }
                });
            })
        });
    }

    fn merge_part(&self, wanted: &Wanted<Index>) {
        let Some(cell) = self.segments.get(usize::from(wanted.segment)) else { return };
        let Some(mut merge) = cell.write(|segment| segment.indexes_mut().freeze(&wanted.index)) else { return };
        let ran = caught(|| {
            merge.run();
            Ok(())
        });
        let there = cell.write(|segment| match ran {
            Ok(()) => segment.indexes_mut().install(&wanted.index, &mut merge),
            Err(_) => segment.indexes_mut().give_up(&wanted.index),
        });
        if !there {
            // The index was dropped, and its memory given back, while this had some of it.
            drop(merge);
            heap::give_back();
        }
    }

    /// Asks for merges in segments where writes have paused since the last call.
    pub(crate) fn settle_indexes(&self) {
        for cell in self.cells() {
            if cell.read().indexes().unsettled() {
                cell.write(|segment| segment.indexes_mut().settle());
            }
        }
        self.indexes.merges.wake();
    }
}
