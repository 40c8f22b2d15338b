//! Reading many records whose bodies are in memory.
//!
//! A read alone waits for memory twice: for the hash table, then for entry and body. A group of reads goes through these
//! together, asking for all of one kind before it uses the first, so that the waits overlap.

use super::read::{Each, live};
use crate::segment::Segment;
use crate::store::RecordStore;
use parking_lot::RwLockReadGuard;
use tessera_base::{Result, prefetch};
use tessera_record::{Digest, KeyRef, digest};
use tessera_storage::SlotRecord;

/// Reads that overlap. Their segments are held for reading together, so it must not be too many.
const GROUP: usize = 32;

/// One read of a group.
struct Seek<'a> {
    digest: Digest,
    segment: RwLockReadGuard<'a, Segment>,
    slot: Option<u32>,
    record: Option<SlotRecord>,
}

impl RecordStore {
    /// # Errors
    /// `key_invalid`, `key_too_long`.
    pub(super) fn get_resident_many(&self, set: &str, keys: &[KeyRef<'_>], each: &mut Each<'_>) -> Result<()> {
        let limit = self.key_limit();
        keys.iter().try_for_each(|key| limit.check(*key))?;
        let mut digests = Vec::with_capacity(GROUP);
        let mut seeks: Vec<Seek<'_>> = Vec::with_capacity(GROUP);
        for (group, keys) in keys.chunks(GROUP).enumerate() {
            digests.clear();
            digest::digests(set, keys, &mut digests);
            self.seek_group(&digests, &mut seeks);
            for (position, seek) in seeks.drain(..).enumerate() {
                let found = seek.record.and_then(|record| Some((record.meta, seek.segment.resident(record.location)?)));
                each(group * GROUP + position, found);
            }
        }
        Ok(())
    }

    fn seek_group<'a>(&'a self, digests: &[Digest], seeks: &mut Vec<Seek<'a>>) {
        let cell = |digest: &Digest| self.cell(self.home(digest));
        digests.iter().for_each(|digest| prefetch::read(std::ptr::from_ref(cell(digest)).cast()));
        // Nobody waits for a second lock with a first one held for writing, so holding several for reading is safe.
        seeks.extend(digests.iter().map(|digest| {
            self.heat.read(self.home(digest));
            let segment = cell(digest).read();
            segment.slots().into_iter().for_each(|slots| slots.prefetch_digest(digest));
            Seek { digest: *digest, segment, slot: None, record: None }
        }));
        for seek in seeks.iter_mut() {
            seek.slot = seek.segment.prefetch_seek(&seek.digest);
        }
        for seek in seeks.iter_mut() {
            let Some(slots) = seek.segment.slots() else { continue };
            let slot = seek.slot.filter(|&slot| slots.holds(slot, &seek.digest)).or_else(|| slots.find(&seek.digest));
            let seen = |(slot, record): &(u32, SlotRecord)| live(&record.meta) && !self.hides(&seek.segment, *slot, &record.meta);
            seek.record = slot.and_then(|slot| Some((slot, slots.get(slot)?))).filter(seen).map(|(_, record)| record);
        }
    }
}
