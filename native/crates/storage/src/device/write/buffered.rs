//! Write blocks that memory still has whole: those on their way to stable storage, and the newest ones behind them.

use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use tessera_io::AlignedBuffer;

#[derive(Debug, Default)]
pub struct Buffered(RwLock<HashMap<u64, Arc<AlignedBuffer>>>);

impl Buffered {
    pub fn insert(&self, number: u64, bytes: Arc<AlignedBuffer>) {
        self.0.write().insert(number, bytes);
    }

    pub fn remove(&self, number: u64) -> Option<Arc<AlignedBuffer>> {
        self.0.write().remove(&number)
    }

    /// Copies `length` bytes from `start` of a block into `out` (cleared first), if the block is here.
    pub fn copy(&self, number: u64, start: usize, length: usize, out: &mut Vec<u8>) -> bool {
        let Some(bytes) = self.0.read().get(&number).cloned() else { return false };
        let Some(found) = bytes.get(start..start + length) else { return false };
        out.clear();
        out.extend_from_slice(found);
        true
    }

    /// Blocks held.
    pub fn len(&self) -> usize {
        self.0.read().len()
    }
}
