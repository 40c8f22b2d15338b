//! Removes what truncations have hidden, range by range.

use crate::errors::Failure;
use crate::ranges::{Columns, digest_of, page, tokens_of};
use crate::records::{Records, meta_of};
use scylla::response::PagingState;
use tessera_base::Result;

/// Rows of a page at most: their bodies are not read.
const ROWS: usize = 1000;

impl Records {
    /// Removes the hidden records of a range, each by compare-and-set, so that none goes that a write has replaced, and calls `removed`
    /// for it.
    ///
    /// # Errors
    /// `cluster_unavailable`, `write_uncertain`; those of `removed`.
    pub(crate) fn sweep_range(&self, range: usize, removed: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let mut next = Some(PagingState::start());
        while let Some(from) = next.take() {
            let (rows, more) = page(self, self.asking(false), ROWS, tokens_of(range), from)?;
            for row in rows.rows::<Columns<'_>>().map_err(|error| Failure::internal(&error))? {
                let (digest, set, body, generation, updated_at, expires_at, id) = row.map_err(|error| Failure::internal(&error))?;
                let (Some(_), Some(id)) = (body, id) else { continue };
                let set = set.unwrap_or_default();
                // One with missing columns cannot be judged. It is told as damaged by whoever reads it.
                let Ok(meta) = meta_of(generation, updated_at, expires_at) else { continue };
                if meta.updated_at >= self.truncations().before(set) || !self.remove_version(set, &digest_of(digest)?, id)? {
                    continue;
                }
                if self.truncations().counts(set, meta.updated_at) {
                    self.sets().subtract(set);
                }
                removed()?;
            }
            next = more;
        }
        Ok(())
    }
}
