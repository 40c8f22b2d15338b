//! The bodies beside an index in memory: in memory too, or an engine's.

use std::ops::{Deref, DerefMut};
use tessera_storage::memory::Extents;
use tessera_storage::{Location, SegmentStore};

/// Bodies in memory are part of the segment: behind a box there were one more place to wait for in each read.
pub(super) enum Bodies {
    Memory(Extents),
    Engine(Box<dyn SegmentStore>),
}

impl Bodies {
    /// The list of extents in memory.
    pub(super) fn extent_list(&self) -> Option<*const u8> {
        match self {
            Self::Memory(extents) => Some(extents.list()),
            Self::Engine(_) => None,
        }
    }

    #[inline]
    pub(super) fn prefetch(&self, hint: u32) {
        match self {
            Self::Memory(extents) => extents.prefetch(hint),
            Self::Engine(engine) => engine.prefetch(hint),
        }
    }

    #[inline]
    pub(super) fn prefetch_beginning(&self, hint: u32) {
        match self {
            Self::Memory(extents) => extents.prefetch_beginning(hint),
            Self::Engine(engine) => engine.prefetch_beginning(hint),
        }
    }

    #[inline]
    pub(super) fn resident(&self, location: Location) -> Option<&[u8]> {
        match self {
            Self::Memory(extents) => extents.resident(location),
            Self::Engine(engine) => engine.resident(location),
        }
    }
}

impl Deref for Bodies {
    type Target = dyn SegmentStore;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Memory(extents) => extents,
            Self::Engine(engine) => &**engine,
        }
    }
}

impl DerefMut for Bodies {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Memory(extents) => extents,
            Self::Engine(engine) => &mut **engine,
        }
    }
}
