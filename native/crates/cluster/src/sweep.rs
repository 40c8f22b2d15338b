//! Removes what truncations have hidden, range by range.

use crate::errors::Failure;
use crate::ranges::{Columns, RANGES, digest_of, page, tokens_of};
use crate::records::{Records, meta_of};
use futures_util::future;
use scylla::response::PagingState;
use tessera_base::Result;
use tessera_record::Digest;
use uuid::Uuid;

/// Rows of a page at most: their bodies are not read.
const ROWS: usize = 1000;
/// Removals of one worker under way.
const AT_ONCE: usize = 32;

/// A version that a truncation hides.
struct Hidden<'a> {
    digest: Digest,
    set: &'a str,
    updated_at: u64,
    id: Uuid,
}

impl Records {
    /// Removes the hidden records of a range, each by compare-and-set, so that none goes that a write has replaced, and calls `removed`
    /// for it.
    ///
    /// # Errors
    /// `cluster_unavailable`, `write_uncertain`; those of `removed`.
    pub(crate) fn sweep_range(&self, range: usize, removed: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let mut next = Some(PagingState::start());
        while let Some(from) = next.take() {
            let (rows, more) = page(self, self.asking_for_all(false), ROWS, tokens_of(range, RANGES), from)?;
            let mut hidden = Vec::new();
            for row in rows.rows::<Columns<'_>>().map_err(|error| Failure::internal(&error))? {
                let (digest, set, body, generation, updated_at, expires_at, id) = row.map_err(|error| Failure::internal(&error))?;
                let (Some(_), Some(id)) = (body, id) else { continue };
                let set = set.unwrap_or_default();
                // One with missing columns cannot be judged. It is told as damaged by whoever reads it.
                let Ok(meta) = meta_of(generation, updated_at, expires_at) else { continue };
                if meta.updated_at < self.truncations().before(set) {
                    hidden.push(Hidden { digest: digest_of(digest)?, set, updated_at: meta.updated_at, id });
                }
            }
            for some in hidden.chunks(AT_ONCE) {
                let gone = self.cluster().wait(future::join_all(some.iter().map(|version| self.remove(version))));
                // Not before all are settled: who is told may wait.
                for gone in gone {
                    if gone? {
                        removed()?;
                    }
                }
            }
            next = more;
        }
        Ok(())
    }

    async fn remove(&self, Hidden { digest, set, updated_at, id }: &Hidden<'_>) -> Result<bool> {
        let gone = self.remove_version(set, digest, *id).await?;
        if gone && self.truncations().counts(set, *updated_at) {
            self.sets().subtract(set);
        }
        Ok(gone)
    }
}
