//! Where a segment's parts were a moment ago, for asking the processor for them without the lock that guards them: by the time that the lock is had
//! they are there.

use super::slots::Slots;
use super::table::TableSite;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use tessera_base::prefetch;
use tessera_record::Digest;

/// Lines of the list of extents: those of a segment of some 800 KB, and more do not pay.
const EXTENT_LINES: usize = 4;

#[derive(Default)]
pub struct Hints {
    table: TableSite,
    /// The list of the slab's chunks.
    chunks: AtomicPtr<u8>,
    /// The list of extents; null where bodies are elsewhere.
    extents: AtomicPtr<u8>,
}

impl Hints {
    pub(in crate::segment) fn note(&self, slots: &Slots, extents: Option<*const u8>) {
        slots.note_site(&self.table);
        self.chunks.store(slots.chunk_list().cast_mut(), Relaxed);
        self.extents.store(extents.unwrap_or(ptr::null()).cast_mut(), Relaxed);
    }

    /// Asks for what a lookup of the digest will take; it does not matter when that is not there any more.
    #[inline]
    pub(in crate::segment) fn prefetch(&self, digest: &Digest) {
        let (chunks, extents) = (self.chunks.load(Relaxed), self.extents.load(Relaxed));
        // The processor looks for what is not there at all, too.
        if chunks.is_null() {
            return;
        }
        self.table.prefetch(digest.hash64());
        prefetch::read(chunks);
        if !extents.is_null() {
            prefetch::lines(extents, EXTENT_LINES);
        }
    }
}
