//! The records of a cluster in ranges of tokens, which workers take in turn as they take the segments of others.
//!
//! Ranges are side by side, and a record keeps its token, so one that is there throughout is met exactly once.

use crate::scan::walk::{LastSet, Visitor, Walk};
use crate::store::RecordStore;
use crate::store::remote::Part;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use tessera_base::{Error, ErrorCode, Result};

pub(crate) struct TokenRanges {
    count: usize,
    /// What came of beginning the walk, which the first worker does.
    begun: OnceLock<Result<()>>,
}

impl TokenRanges {
    /// `None` if the records are here.
    pub(in crate::scan) fn of(store: &RecordStore) -> Option<Self> {
        store.token_ranges().map(|count| Self { count, begun: OnceLock::new() })
    }

    pub(in crate::scan) const fn count(&self) -> usize {
        self.count
    }

    /// # Errors
    /// As `Walk::meet_pages`.
    pub(in crate::scan) fn item(
        &self,
        walk: &Walk<'_>,
        range: usize,
        sets: &mut LastSet,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        let remote = walk.store.remote().ok_or_else(|| Error::new(ErrorCode::Internal, "ranges of tokens without a cluster"))?;
        self.begun.get_or_init(|| remote.begin_walk()).clone()?;
        let bodies = walk.bodies || walk.selection.sizes;
        walk.meet_pages(&mut *remote.pages(Part::Range(range), bodies), sets, visitor)
    }
}
