//! Filling the index from what a storage finds on its disk.
//!
//! Records and tombstones arrive from several threads in no order. Each slot remembers the sequence number that filled it
//! until recovery ends; a tombstone is remembered by digest, as older copies of its record may still come.

mod load_pages;
mod progress;
mod warm;

pub use progress::Progress;

use crate::manifest::Truncation;
use crate::segment::{Removal, Segment};
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, clock, processors, sentence};
use tessera_index::{Index, IndexOrigin, IndexState, SegmentIndex};
use tessera_record::Digest;
use tessera_storage::{IndexTarget, Location, RecordImage, RecoveryReport, RecoverySink};
use warm::Warm;

/// What is known of one segment while it fills.
#[derive(Default)]
struct Filling {
    /// By slot.
    sequences: Vec<u64>,
    tombstones: HashMap<Digest, u64>,
}

struct Replay<'a> {
    store: &'a RecordStore,
    truncations: &'a [Truncation],
    progress: &'a Progress,
    segments: Box<[Mutex<Filling>]>,
    /// The first error that a record met; recovery fails with it at its next step.
    failure: Mutex<Option<Error>>,
    warm: Warm<'a>,
}

impl RecordStore {
    /// Begins what works beside reads and writes: room is made on the device, and indexes are
    /// merged. What fails here leaves nothing at work.
    ///
    /// # Errors
    /// `storage_failed` when the system refuses a thread.
    pub(crate) fn begin(self: &Arc<Self>) -> Result<()> {
        if self.storage.defragments() {
            self.start_defragmentation()?;
        }
        self.start_merges();
        Ok(())
    }

    /// Reads the storage into the (empty) index, on all processors. Part of opening.
    ///
    /// # Errors
    /// What `Storage::recover` returns; `closed` when `progress` was called off; `set_limit`, `name_invalid` when the file and the limits disagree.
    pub(crate) fn recover(&self, truncations: &[Truncation], progress: &Progress) -> Result<RecoveryReport> {
        if self.remote.is_some() {
            return Ok(RecoveryReport::default());
        }
        let threads = processors() as usize;
        if let Some(paged) = self.storage.paged() {
            self.load_pages(paged, progress)?;
        }
        let replay = Replay {
            store: self,
            truncations,
            progress,
            segments: self.segments.iter().map(|_| Mutex::default()).collect(),
            failure: Mutex::new(None),
            warm: Warm::new(self, truncations),
        };
        let mut report = self.storage.recover(threads, &replay)?;
        let configured = self.indexes.all();
        if self.index_resident() {
            replay.settle_moves()?;
        } else {
            self.settle_pages(truncations, progress)?;
            if let Some(paged) = self.storage.paged() {
                paged.started();
            }
            report.records = self.records();
        }
        match replay.warm.indexes() {
            Some(loaded) => loaded.for_each(|index| {
                index.set_origin(IndexOrigin::Snapshot);
                index.set_state(IndexState::Ready);
                report.indexes_loaded += 1;
            }),
            None if self.index_resident() => self.finish_filling(&configured, progress)?,
            // Records in pages were not read: jobs do, once the namespace is open.
            None => {}
        }
        report.indexes_rebuilt = configured.len() as u32 - report.indexes_loaded;
        let newest = self.newest_update();
        self.update_floor.fetch_max(newest, Ordering::AcqRel);
        self.settled_clock.lock().start(newest, clock::unix_millis(), Instant::now());
        Ok(report)
    }

    /// The indexes have taken every record as a write, and are merged once, on all processors.
    fn finish_filling(&self, indexes: &[Arc<Index>], progress: &Progress) -> Result<()> {
        if indexes.is_empty() {
            return Ok(());
        }
        progress.begin_indexing();
        for cell in &self.segments {
            cell.write(|segment| {
                // There is nothing left for a build to bring.
                indexes.iter().for_each(|index| segment.indexes_mut().adopt(index, SegmentIndex::new(index.spec().kind)));
            });
        }
        self.merge_indexes(&|| progress.check().is_ok());
        progress.check()?;
        for index in indexes {
            index.set_origin(IndexOrigin::Recovered);
            index.set_state(IndexState::Ready);
        }
        Ok(())
    }
}

impl Replay<'_> {
    fn truncated(&self, image: &RecordImage<'_>) -> bool {
        let covers = |t: &Truncation| t.set.as_deref().is_none_or(|set| set == image.set) && image.meta.updated_at <= t.until_ms;
        self.truncations.iter().any(covers)
    }

    /// Runs `change` on a segment and what is known of it.
    fn with(&self, segment: u16, change: impl FnOnce(&mut Segment, &mut Filling) -> Result<()>) {
        let (Some(cell), Some(filling)) = (self.store.segments.get(usize::from(segment)), self.segments.get(usize::from(segment))) else {
            let message = sentence!(
                "a record on disk names segment {segment}; there are {segments}",
                segment = segment,
                segments = self.store.segments.len()
            );
            self.fail(Error::said(ErrorCode::StorageFailed, message));
            return;
        };
        let mut filling = filling.lock();
        if let Err(error) = cell.write(|segment| change(segment, &mut filling)) {
            self.fail(error);
        }
    }

    fn fail(&self, error: Error) {
        self.failure.lock().get_or_insert(error);
    }

    /// A record whose set has a distribution bin may have been caught on its way between segments: the newest copy stays,
    /// and the others get the tombstone that they missed, or are noted where there is no room for it yet.
    fn settle_moves(&self) -> Result<()> {
        for set in self.store.sets.all() {
            let Some(distribution) = &set.distribution else { continue };
            for (id, cell) in self.store.segments.iter().enumerate() {
                let mut older = Vec::new();
                {
                    let (segment, mut slots) = (cell.read(), Vec::new());
                    segment.sets().members(set.id, 0, usize::MAX, &mut slots);
                    for slot in slots {
                        older.extend(segment.record(slot)?.map(|record| record.digest));
                    }
                }
                older.retain(|digest| {
                    let own = self.sequence(id, digest);
                    let others = distribution.directory.candidates(digest);
                    others.into_iter().any(|other| usize::from(other) != id && self.sequence(usize::from(other), digest) > own)
                });
                let mut stale_copies = Vec::new();
                cell.write(|segment| {
                    older.into_iter().try_for_each(|digest| {
                        let Some((slot, record)) = segment.seek(&digest)? else { return Ok(()) };
                        match segment.remove(&set, slot, &record, Removal::Logged) {
                            Err(error) if matches!(error.code, ErrorCode::DeviceFull | ErrorCode::DeviceOverload) => {
                                stale_copies.push(digest);
                                segment.remove(&set, slot, &record, Removal::Silent)
                            }
                            outcome => outcome,
                        }
                    })
                })?;
                stale_copies.into_iter().for_each(|digest| self.store.stale_copies.note(&set.name, digest, id as u16));
            }
        }
        Ok(())
    }

    /// The sequence of a digest's record in a segment; 0 when it has none.
    fn sequence(&self, segment: usize, digest: &Digest) -> u64 {
        let slot = self.store.segments.get(segment).and_then(|cell| cell.read().slots().and_then(|slots| slots.find(digest)));
        let filling = self.segments.get(segment);
        slot.zip(filling).and_then(|(slot, filling)| filling.lock().sequences.get(slot as usize).copied()).unwrap_or(0)
    }
}

impl Filling {
    fn note(&mut self, slot: u32, sequence: u64) {
        let slot = slot as usize;
        if slot >= self.sequences.len() {
            self.sequences.resize(slot + 1, 0);
        }
        if let Some(known) = self.sequences.get_mut(slot) {
            *known = sequence;
        }
    }
}

impl RecoverySink for Replay<'_> {
    fn record(&self, segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64) {
        if self.truncated(image) {
            return self.tombstone(segment, &image.digest, sequence);
        }
        let set = match self.store.sets.find_or_create(image.set) {
            Ok(set) => set,
            Err(error) => return self.fail(error),
        };
        self.with(segment, |segment, filling| {
            // A truncation has to cover copies that do not count, too: they may outlive those that do.
            segment.saw_update(image.meta.updated_at);
            if filling.tombstones.get(&image.digest).is_some_and(|gone| *gone > sequence) {
                return Ok(());
            }
            match segment.seek(&image.digest)? {
                None => {
                    let slot = segment.adopt(&set, image, location)?;
                    filling.note(slot, sequence);
                }
                Some((slot, old)) if filling.sequences.get(slot as usize).is_none_or(|known| *known < sequence) => {
                    segment.readopt(&set, slot, &old, image, location)?;
                    filling.note(slot, sequence);
                }
                Some(_) => {}
            }
            Ok(())
        });
    }

    fn damaged(&self, segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64) {
        self.record(segment, image, location, sequence);
    }

    fn tombstone(&self, segment: u16, digest: &Digest, sequence: u64) {
        self.with(segment, |segment, filling| {
            // The set of what is there, looked up under the lock: a set's first record may come from another thread.
            if let Some((slot, old)) = segment.seek(digest)?
                && let Some(set) = self.store.sets.by_id(segment.sets().set_of(slot))
                && filling.sequences.get(slot as usize).is_none_or(|known| *known < sequence)
            {
                segment.remove(&set, slot, &old, Removal::Silent)?;
            }
            let newest = filling.tombstones.entry(*digest).or_default();
            *newest = sequence.max(*newest);
            Ok(())
        });
    }

    fn target(&self) -> std::result::Result<&dyn IndexTarget, &'static str> {
        Ok(&self.warm)
    }

    fn progress(&self, done: u64, total: u64) -> Result<()> {
        self.progress.set(done, total)?;
        self.failure.lock().clone().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests;
