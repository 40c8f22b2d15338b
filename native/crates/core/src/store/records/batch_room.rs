//! Room for writes that are to be made all or none.

use super::options::{BatchWrite, Exists};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use std::collections::HashMap;
use tessera_base::Result;
use tessera_record::Digest;

impl RecordStore {
    /// Waits until there is room for all of `writes`, as far as can be told beforehand. Others may be faster.
    ///
    /// # Errors
    /// As `Storage::admit_all`; key errors.
    pub(crate) fn admit_batch(&self, set: &str, writes: &[BatchWrite<'_>]) -> Result<()> {
        if self.remote().is_some() {
            return Ok(());
        }
        let (entry, cell) = (self.sets.find(set), self.cell(0));
        let moves = entry.as_ref().is_some_and(|entry| entry.distribution.is_some());
        let mut merged = HashMap::<Digest, usize>::new();
        let mut entries = Vec::with_capacity(writes.len());
        for BatchWrite { lookup, body, options } in writes {
            let bytes = body.map_or(0, <[u8]>::len);
            let old = if body.is_some() && matches!(options.exists, Exists::Merge | Exists::UpdateOnly) {
                let digest = lookup.digest(set, self.key_limit())?;
                let found = entry.as_ref().map_or(Ok(0), |entry| self.longest(entry, &digest))?;
                let old = merged.entry(digest).or_insert(found);
                let before = *old;
                *old += bytes;
                before
            } else {
                0
            };
            let takes = |body: usize| cell.read().entry_bytes(set.len(), body);
            entries.push(takes(bytes + old));
            // The copy in another segment gets a tombstone.
            entries.extend(moves.then(|| takes(0)));
        }
        self.storage.admit_all(&entries)
    }

    /// Bytes of the longest copy of a record.
    fn longest(&self, set: &SetEntry, digest: &Digest) -> Result<usize> {
        let stored = |id: u16| -> Result<usize> {
            let segment = self.cell(id).read();
            Ok(segment.seek(digest)?.map_or(0, |(_, record)| segment.stored_bytes(record.location)))
        };
        match &set.distribution {
            None => stored(self.home(digest)),
            Some(distribution) => distribution.directory.candidates(digest).into_iter().try_fold(0, |most, id| Ok(most.max(stored(id)?))),
        }
    }
}
