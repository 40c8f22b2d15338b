//! Reading single records and batches of them.

use super::options::{Lookup, RecordName};
use crate::metrics::{About, Operation};
use crate::segment::{Segment, fetch_body};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use crate::store::parts::held;
use crate::store::visibility::{Awaited, Guard};
use parking_lot::{Mutex, MutexGuard};
use tessera_base::latency::Clock;
use tessera_base::{Result, clock};
use tessera_record::filter::{Filter, Whole};
use tessera_record::{BodyRef, Digest, KeyRef, Meta};
use tessera_storage::SlotRecord;

/// Reads in flight of a batch or of a scan's worker.
pub(crate) const WINDOW: usize = 32;

/// Making an answer of so many bytes may be slow by itself.
const LARGE_BODY: usize = 64 * 1024;

/// What memory alone can say about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resident<T> {
    /// What was made of it.
    Found(T),
    Absent,
    /// The body has to be read from the device, or a change of the record is on its way there.
    Waits,
}

pub(super) enum Sought {
    Found(Meta),
    Absent,
    OnDevice(SlotRecord),
}

/// A look at a body that copies it into `out` (cleared first).
pub(super) fn copy_to(out: &mut Vec<u8>) -> impl FnMut(Meta, &[u8]) {
    |_, body| {
        out.clear();
        out.extend_from_slice(body);
    }
}

pub(in crate::store) fn live(meta: &Meta) -> bool {
    // Most records never expire, so most reads never ask the clock.
    meta.expires_at == 0 || !meta.expired(clock::unix_seconds())
}

/// What a batch of reads calls for each key: its position, and metadata and body where there is a record.
pub type Each<'a> = dyn FnMut(usize, Option<(Meta, &[u8])>) + 'a;

impl RecordStore {
    /// Copies the body of a record into `out` (cleared first). `None` when there is no such record.
    ///
    /// # Errors
    /// `key_invalid`, `key_too_long`, `record_damaged`, `storage_failed`; `write_uncertain` where the flush of a change fails that the record
    /// has in flight.
    pub fn get<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        let lookup = key.into();
        let mut work = || self.get_digest(set, &lookup.digest(set, self.key_limit())?, lookup.route, out);
        if !self.bodies_resident() {
            return self.latency.time(Operation::Get, || lookup.name.about(set), work);
        }
        let start = Clock::now();
        let found = work();
        let (answered, slow) = self.latency.record_memory(Operation::Get, start, found.is_ok());
        if slow {
            let about = About { failure: found.as_ref().err().map(|error| error.code), ..lookup.name.about(set) };
            self.latency.note_memory(Operation::Get, start, answered, &about);
        }
        found
    }

    /// Whether a record that was read passes a filter.
    pub(crate) fn lets_through(&self, filter: &Filter, set: &str, digest: Digest, meta: Meta, body: BodyRef<'_>) -> bool {
        if let Some(remote) = self.remote() {
            let size = remote.size_of(set, body.as_bytes().len());
            return filter.passes(&Whole { set, digest, meta, size, body });
        }
        let takes = |set: &SetEntry| {
            // Every segment stores it alike.
            let segment = self.cell(self.home(&digest)).read();
            segment.put_bytes(set, body.as_bytes().len()) as u64
        };
        let size = if filter.reads_size() { self.sets.find(set).map_or(0, |set| takes(&set)) } else { 0 };
        filter.passes(&Whole { set, digest, meta, size, body })
    }

    /// As `get`, but shows the record to `look` where it lies instead of copying it, and answers `Waits` instead of reading from a disk. `look`
    /// runs with the record's segment locked for reading: it must not write, nor wait for one who does.
    ///
    /// # Errors
    /// `key_invalid`, `key_too_long`.
    pub fn look<'a, T>(&self, set: &str, key: impl Into<Lookup<'a>>, look: impl FnOnce(Meta, &[u8]) -> T) -> Result<Resident<T>> {
        let lookup = key.into();
        self.look_named(set, lookup, lookup.name, look)
    }

    /// As `look`, of a record that the caller knows by another name as well.
    ///
    /// # Errors
    /// As `look`.
    pub(crate) fn look_named<T>(
        &self,
        set: &str,
        lookup: Lookup<'_>,
        name: RecordName<'_>,
        look: impl FnOnce(Meta, &[u8]) -> T,
    ) -> Result<Resident<T>> {
        let start = Clock::now();
        let digest = lookup.digest(set, self.key_limit())?;
        if !self.index_resident() {
            return Ok(Resident::Waits);
        }
        let (mut look, mut seen, mut slow) = (Some(look), None, None);
        let mut once = |meta: Meta, body: &[u8]| {
            // What is made of it takes its own time, which is looked at only if it may be long.
            let (answered, was_slow) = self.latency.record_memory(Operation::Get, start, true);
            if was_slow || body.len() >= LARGE_BODY {
                slow = Some(answered);
            }
            seen = look.take().map(|look| look(meta, body));
        };
        let awaited = Awaited::default();
        let Some(sought) = self.seek_now(set, &digest, lookup.route, &awaited, &mut once)? else { return Ok(Resident::Waits) };
        if let Some(answered) = slow {
            self.latency.note_memory(Operation::Get, start, answered, &name.about(set));
        }
        Ok(match sought {
            _ if !awaited.is_nothing() => Resident::Waits,
            Sought::Found(_) => seen.map_or(Resident::Absent, Resident::Found),
            Sought::Absent => {
                let (answered, slow) = self.latency.record_memory(Operation::Get, start, true);
                if slow {
                    self.latency.note_memory(Operation::Get, start, answered, &name.about(set));
                }
                Resident::Absent
            }
            // The caller asks again with `get`, which is then the one that counts.
            Sought::OnDevice(..) => Resident::Waits,
        })
    }

    fn get_digest(&self, set: &str, digest: &Digest, route: Option<u64>, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        if let Some(remote) = self.remote() {
            return self.get_remote(remote, digest, out);
        }
        let awaited = Awaited::default();
        let sought = self.seek_everywhere(set, digest, route, &awaited, &mut copy_to(out))?;
        let found = match sought {
            Sought::Found(meta) => Some(meta),
            Sought::Absent => None,
            Sought::OnDevice(record) => {
                fetch_body(&*self.storage, record, &|| self.on_device(set, digest, route, &awaited), out)?.map(|record| record.meta)
            }
        };
        self.answer(&awaited)?;
        Ok(found)
    }

    /// Where a record is whose body has to be read from a device. Such bodies are never resident.
    pub(super) fn on_device(&self, set: &str, digest: &Digest, route: Option<u64>, awaited: &Awaited) -> Result<Option<SlotRecord>> {
        Ok(match self.seek_everywhere(set, digest, route, awaited, &mut |_, _| ())? {
            Sought::OnDevice(record) => Some(record),
            Sought::Found(_) | Sought::Absent => None,
        })
    }

    fn seek(&self, id: u16, digest: &Digest, awaited: &Awaited, look: &mut impl FnMut(Meta, &[u8])) -> Result<Sought> {
        let cell = self.cell(id);
        cell.prefetch(digest);
        self.heat.read(id);
        let segment = cell.read();
        self.meet(&segment, digest, awaited);
        let seen = |(slot, record): &(u32, SlotRecord)| live(&record.meta) && !self.hides(&segment, *slot, &record.meta);
        let Some((_, record)) = segment.seek(digest)?.filter(seen) else { return Ok(Sought::Absent) };
        Ok(match segment.resident(record.location) {
            Some(body) => {
                look(record.meta, body);
                Sought::Found(record.meta)
            }
            None => Sought::OnDevice(record),
        })
    }

    /// Looks in the one segment that can have the record, whatever places it; shows its body to `look` if memory has it. What it has found
    /// counts once `awaited` is durable.
    pub(super) fn seek_everywhere(
        &self,
        set: &str,
        digest: &Digest,
        route: Option<u64>,
        awaited: &Awaited,
        look: &mut impl FnMut(Meta, &[u8]),
    ) -> Result<Sought> {
        let sought = self.seek_holding(set, digest, route, awaited, look, |stripe| Some(held(stripe)))?;
        Ok(sought.unwrap_or(Sought::Absent))
    }

    /// As `seek_everywhere`; `None` where a writer of the record would have to be waited for: one that moves it holds its key
    /// until the move is on stable storage.
    fn seek_now(
        &self,
        set: &str,
        digest: &Digest,
        route: Option<u64>,
        awaited: &Awaited,
        look: &mut impl FnMut(Meta, &[u8]),
    ) -> Result<Option<Sought>> {
        self.seek_holding(set, digest, route, awaited, look, Mutex::try_lock)
    }

    fn seek_holding(
        &self,
        set: &str,
        digest: &Digest,
        route: Option<u64>,
        awaited: &Awaited,
        look: &mut impl FnMut(Meta, &[u8]),
        hold: impl FnOnce(&Mutex<()>) -> Option<MutexGuard<'_, ()>>,
    ) -> Result<Option<Sought>> {
        let Some(entry) = self.sets.distributed(set) else {
            return self.seek(self.home(digest), digest, awaited, look).map(Some);
        };
        let Some(distribution) = &entry.distribution else { return Ok(Some(Sought::Absent)) };
        if let Some(route) = route {
            return self.seek(self.segment_of_route(route) as u16, digest, awaited, look).map(Some);
        }
        let mut try_all = || -> Result<(usize, Option<Sought>)> {
            let candidates = distribution.directory.candidates(digest);
            for &id in &candidates {
                match self.seek(id, digest, awaited, look)? {
                    Sought::Absent => {}
                    found => return Ok((candidates.len(), Some(found))),
                }
            }
            Ok((candidates.len(), None))
        };
        let sought = match try_all()? {
            (_, Some(sought)) => sought,
            (0, None) => Sought::Absent,
            // The record may have moved between the directory's answer and the look: hold its writers off and look again.
            (_, None) => {
                let Some(_key) = hold(self.stripe(digest)) else { return Ok(None) };
                try_all()?.1.unwrap_or(Sought::Absent)
            }
        };
        if matches!(sought, Sought::Absent) {
            self.miss(digest, awaited);
        }
        Ok(Some(sought))
    }

    /// What a slot holds of a digest now, if it can be seen: where a body is looked for again that was not found. A record that was met alive
    /// may have been written since, and be past its time by now.
    ///
    /// # Errors
    /// As `Segment::record`.
    pub(crate) fn still_there(&self, segment: &Segment, slot: u32, digest: &Digest, guard: Option<&Guard>) -> Result<Option<SlotRecord>> {
        self.meet_slots(segment, &(slot..slot + 1), None, None, guard);
        let seen = |now: &SlotRecord| now.digest == *digest && live(&now.meta) && !self.hides(segment, slot, &now.meta);
        Ok(segment.record(slot)?.filter(seen))
    }

    /// Where a record of a set with a distribution bin is, with its body in `body`. It does not move meanwhile.
    ///
    /// # Errors
    /// `record_damaged`, `storage_failed`.
    pub(crate) fn find_placed(
        &self,
        set: u16,
        digest: &Digest,
        guard: Option<&Guard>,
        body: &mut Vec<u8>,
    ) -> Result<Option<(u16, u32, SlotRecord)>> {
        let meet = |segment: &Segment| guard.iter().for_each(|guard| self.meet(segment, digest, &guard.awaited));
        let entry = self.sets.by_id(set);
        let Some(distribution) = entry.as_ref().and_then(|set| set.distribution.as_ref()) else { return Ok(None) };
        let _key = self.hold_key(digest);
        for id in distribution.directory.candidates(digest) {
            let segment = self.segments[usize::from(id)].read();
            meet(&segment);
            let seen = |(slot, record): &(u32, SlotRecord)| live(&record.meta) && !self.hides(&segment, *slot, &record.meta);
            let Some((slot, record)) = segment.seek(digest)?.filter(seen) else { continue };
            if let Some(bytes) = segment.resident(record.location) {
                body.clear();
                body.extend_from_slice(bytes);
                return Ok(Some((id, slot, record)));
            }
            drop(segment);
            let current = || {
                let segment = self.segments[usize::from(id)].read();
                meet(&segment);
                Ok(segment.seek(digest)?.map(|(_, record)| record))
            };
            if let Some(record) = fetch_body(&*self.storage, record, &current, body)? {
                return Ok(Some((id, slot, record)));
            }
        }
        guard.iter().for_each(|guard| self.miss(digest, &guard.awaited));
        Ok(None)
    }

    /// Reads many records of one set. `each` gets the position of a key, and metadata and body where there is a record;
    /// every position once, in no promised order. `each` may run with a segment locked for reading: it must not write.
    ///
    /// # Errors
    /// As `get`; keys after the one at fault may not have been answered, and after `write_uncertain` no answer counts.
    pub fn get_many(&self, set: &str, keys: &[KeyRef<'_>], each: &mut Each<'_>) -> Result<()> {
        let about = || About { set: Some(set), records: Some(keys.len() as u64), ..About::default() };
        self.latency.time(Operation::Batch, about, || {
            if let Some(remote) = self.remote() {
                return self.get_remote_many(remote, set, keys, each);
            }
            if self.bodies_resident() && self.sets.distributed(set).is_none() {
                return self.get_resident_many(set, keys, each);
            }
            if !self.bodies_resident() && keys.len() > 1 {
                return self.get_waiting_many(set, keys, each);
            }
            let mut out = Vec::new();
            for (position, key) in keys.iter().enumerate() {
                let lookup = Lookup::from(*key);
                let found = self.get_digest(set, &lookup.digest(set, self.key_limit())?, None, &mut out)?;
                each(position, found.map(|meta| (meta, &out[..])));
            }
            Ok(())
        })
    }

    /// What is known of a record without reading its body.
    ///
    /// # Errors
    /// `key_invalid`, `key_too_long`, `write_uncertain`.
    pub fn meta<'a>(&self, set: &str, key: impl Into<Lookup<'a>>) -> Result<Option<Meta>> {
        let (lookup, awaited) = (key.into(), Awaited::default());
        if let Some(remote) = self.remote() {
            return self.get_remote(remote, &lookup.digest(set, self.key_limit())?, &mut Vec::new());
        }
        let found = self.place_met(set, lookup, &awaited)?;
        self.answer(&awaited)?;
        Ok(found.map(|(.., meta)| meta))
    }

    /// The cell and slot of a record, and what is known of it without reading its body, for a walk to begin at: what the walk shows counts.
    ///
    /// # Errors
    /// `key_invalid`, `key_too_long`.
    pub(crate) fn place_of<'a>(&self, set: &str, key: impl Into<Lookup<'a>>) -> Result<Option<(u16, u32, Meta)>> {
        self.place_met(set, key.into(), &Awaited::default())
    }

    fn place_met(&self, set: &str, lookup: Lookup<'_>, awaited: &Awaited) -> Result<Option<(u16, u32, Meta)>> {
        let digest = lookup.digest(set, self.key_limit())?;
        let look = |id: u16| -> Result<Option<(u16, u32, Meta)>> {
            let segment = self.cell(id).read();
            self.meet(&segment, &digest, awaited);
            let seen = |(slot, record): &(u32, SlotRecord)| live(&record.meta) && !self.hides(&segment, *slot, &record.meta);
            Ok(segment.seek(&digest)?.filter(seen).map(|(slot, record)| (segment.id(), slot, record.meta)))
        };
        let Some(entry) = self.sets.distributed(set) else { return look(self.home(&digest)) };
        let _key = self.hold_key(&digest);
        let candidates = entry.distribution.as_ref().map(|d| d.directory.candidates(&digest)).unwrap_or_default();
        for id in candidates {
            if let Some(place) = look(id)? {
                return Ok(Some(place));
            }
        }
        self.miss(&digest, awaited);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, EngineOptions, NamespaceConfig, SetConfig};

    #[test]
    fn a_look_does_not_wait_for_a_writer_of_the_key() {
        let sets = vec![SetConfig { name: "s".into(), distribution_bin: Some("d".into()), ..SetConfig::default() }];
        let config = NamespaceConfig { segments: 4, sets, ..NamespaceConfig::memory("n") };
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(config).unwrap();
        let (key, digest) = (KeyRef::Integer(1), Digest::of("s", KeyRef::Integer(1)));
        // As of a record that has expired, or moves: it is named, and not there.
        let set = namespace.store().sets.find("s").unwrap();
        set.distribution.as_ref().unwrap().directory.add(&digest, 2);
        let look = || namespace.look("s", key, |_, _| ()).unwrap();
        assert_eq!(look(), Resident::Absent);
        let writing = namespace.store().stripe(&digest).lock();
        assert_eq!(look(), Resident::Waits);
        drop(writing);
        assert_eq!(look(), Resident::Absent);
    }
}
