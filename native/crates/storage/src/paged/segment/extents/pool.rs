//! Where a tree takes its pages from.

use super::Extents;
use crate::paged::page::{Kind, PageId};
use crate::paged::segment::tree::Allocator;
use crate::paged::store::Store;
use tessera_base::Result;

/// The extents of a segment and where they come from: what a tree takes its pages from.
pub struct Pool<'a> {
    pub extents: &'a mut Extents,
    pub store: &'a Store,
}

impl Allocator for Pool<'_> {
    fn take(&mut self, kind: Kind) -> Result<PageId> {
        self.extents.take(self.store, kind)
    }

    fn give_back(&mut self, page: PageId) -> Result<()> {
        self.extents.give_back(self.store, page)
    }
}
