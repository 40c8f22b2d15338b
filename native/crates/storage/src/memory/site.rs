//! Where the memory of an extent is, in one word, as there are many and a read meets one of them at random: the lists of all segments together
//! are to stay near the processor.

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::slice;
use tessera_base::arena::{Block, PAGE};

/// The address of the first page, and in the bits that are zero there how many pages.
#[derive(Clone, Copy)]
pub(super) struct Site(usize);

/// Most bytes of a block that has a site.
pub(super) const SITE_BYTES_MAX: usize = (PAGE - 1) * PAGE;

impl Site {
    /// No memory; what a slice of no bytes begins at is never null.
    pub(super) const NONE: Self = Self(PAGE);

    /// The memory of a block of at most `SITE_BYTES_MAX`.
    pub(super) fn of(block: &mut Block) -> Self {
        let bytes = block.bytes_mut();
        assert!(bytes.len() <= SITE_BYTES_MAX, "the rest would be taken for a part of the address");
        Self(bytes.as_mut_ptr().expose_provenance() | (bytes.len() / PAGE))
    }

    #[inline]
    fn start(self) -> usize {
        self.0 & !(PAGE - 1)
    }

    #[inline]
    fn len(self) -> usize {
        (self.0 & (PAGE - 1)) * PAGE
    }

    /// # Safety
    /// The block lives as long as the slice, and nothing writes to it meanwhile.
    #[inline]
    pub(super) unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: these are the block's bytes, initialised and of exposed provenance, or none of them; the rest is promised.
        unsafe { slice::from_raw_parts(with_exposed_provenance(self.start()), self.len()) }
    }

    /// # Safety
    /// The block lives as long as the slice, and nothing else reads or writes it meanwhile.
    #[inline]
    pub(super) unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        // SAFETY: as of `bytes`.
        unsafe { slice::from_raw_parts_mut(with_exposed_provenance_mut(self.start()), self.len()) }
    }
}
