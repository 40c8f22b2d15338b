//! Room for writes that are to be made all or none.

use super::options::{BatchWrite, Exists, WriteOptions, route_of_body};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use std::collections::{BTreeMap, HashMap};
use tessera_base::Result;
use tessera_record::{BodyRef, Digest};
use tessera_storage::KeptRoom;
use tessera_storage::paged::PagedStorage;

/// Room for the writes of one batch, which its thread finds.
pub(crate) struct BatchRoom<'a> {
    store: &'a RecordStore,
    /// Those that keep pages.
    segments: Vec<u16>,
    kept: KeptRoom,
}

impl Drop for BatchRoom<'_> {
    fn drop(&mut self) {
        for id in &self.segments {
            self.store.cell(*id).write(|segment| segment.end_batch());
        }
        self.kept = KeptRoom::default();
    }
}

/// Whether what is stored also has bins of the record that was there.
const fn merges(options: &WriteOptions) -> bool {
    matches!(options.exists, Exists::Merge | Exists::UpdateOnly)
}

impl RecordStore {
    /// Waits until there is room for all of `writes`, which this thread is going to make, and keeps it until the answer is dropped.
    ///
    /// # Errors
    /// As `Storage::admit_all` and `PagedStorage::keep_extents`; key errors.
    pub(crate) fn admit_batch(&self, set: &str, writes: &[BatchWrite<'_>]) -> Result<BatchRoom<'_>> {
        let mut room = BatchRoom { store: self, segments: Vec::new(), kept: KeptRoom::default() };
        if self.remote().is_some() {
            return Ok(room);
        }
        let entry = self.sets.find(set);
        let bodies = self.bodies_of(set, entry.as_deref(), writes)?;
        match self.storage.paged() {
            Some(pages) => self.keep_pages(pages, set, entry.as_deref(), writes, &bodies, &mut room)?,
            None => {
                let cell = self.cell(0);
                let takes = |body: usize| cell.read().entry_bytes(set.len(), body);
                let moves = entry.is_some_and(|entry| entry.distribution.is_some());
                // The copy in another segment gets a tombstone.
                let entries = bodies.iter().flat_map(|body| [Some(takes(*body)), moves.then(|| takes(0))]).flatten();
                room.kept = self.storage.admit_all(&entries.collect::<Vec<_>>())?;
            }
        }
        Ok(room)
    }

    /// Bytes of the longest body that each of `writes` may store; 0 for a delete.
    fn bodies_of(&self, set: &str, entry: Option<&SetEntry>, writes: &[BatchWrite<'_>]) -> Result<Vec<usize>> {
        let mut merged = HashMap::<Digest, usize>::new();
        let body_of = |BatchWrite { lookup, body, options }: &BatchWrite<'_>| {
            let bytes = body.map_or(0, <[u8]>::len);
            if body.is_none() || !merges(options) {
                return Ok(bytes);
            }
            let digest = lookup.digest(set, self.key_limit())?;
            let found = entry.map_or(Ok(0), |entry| self.longest(entry, &digest))?;
            let whole = merged.entry(digest).or_insert(found);
            *whole += bytes;
            Ok(*whole)
        };
        writes.iter().map(body_of).collect()
    }

    fn keep_pages<'a>(
        &'a self,
        pages: &PagedStorage,
        set: &str,
        entry: Option<&SetEntry>,
        writes: &[BatchWrite<'_>],
        bodies: &[usize],
        room: &mut BatchRoom<'a>,
    ) -> Result<()> {
        let mut by_segment = BTreeMap::<u16, Vec<usize>>::new();
        for (write, body) in writes.iter().zip(bodies) {
            if let Some(bins) = write.body {
                let digest = write.lookup.digest(set, self.key_limit())?;
                by_segment.entry(self.target(entry, &digest, bins, merges(write.options))).or_default().push(*body);
            }
        }
        if by_segment.is_empty() {
            return Ok(());
        }
        let mut extents = 0;
        for (id, bodies) in by_segment {
            extents += self.cell(id).write(|segment| segment.keep_room(&bodies));
            room.segments.push(id);
        }
        room.kept = pages.keep_extents((self.sets.lend_or_create(set)?.id, set), extents)?;
        Ok(())
    }

    /// The segment that a record will be in.
    fn target(&self, set: Option<&SetEntry>, digest: &Digest, body: &[u8], merges: bool) -> u16 {
        let Some(distribution) = set.and_then(|set| set.distribution.as_ref()) else { return self.home(digest) };
        let body = BodyRef::new(body);
        let stays = merges && body.raw_bins().all(|(name, _)| *name != *distribution.bin.as_bytes());
        let holder = if stays { distribution.directory.candidates(digest).into_iter().next() } else { None };
        holder.unwrap_or_else(|| self.segment_of_route(route_of_body(body, &distribution.bin)) as u16)
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

#[cfg(test)]
mod tests;
