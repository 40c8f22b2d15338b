//! Reading many records by their places, several at once, and neighbours together.

use crate::device::disks::volume::Volume;
use crate::device::format::place::Place;
use crate::device::write::shared::Shared;
use crate::{BodyReader, DeviceReads, Location};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result};
use tessera_io::{CoalescedReads, NEIGHBOURS_DEPTH, ReadRange, ReadWindow};
use tessera_record::{Digest, Meta};

/// One reader's reads in flight. What memory still has is answered from there.
pub struct DeviceReader {
    shared: Arc<Shared>,
    /// `None` once its window is given back.
    reads: Option<CoalescedReads<u64>>,
    /// Entries found in memory that `next` has not given yet, and their bytes.
    ready: VecDeque<(u64, Vec<u8>)>,
    ready_bytes: u64,
    spare: Vec<Vec<u8>>,
    given: Given,
    body: Range<usize>,
    /// How many were read from a disk.
    records: u64,
}

/// Where the bytes of the record are that `next` gave last.
enum Given {
    Memory(Vec<u8>),
    Lent(ReadRange),
    /// Its read failed, and is done again alone.
    Failed(Vec<u8>),
}

impl DeviceReader {
    /// # Errors
    /// `config_invalid` for a depth that no window has; `storage_failed` without memory.
    pub fn open(shared: Arc<Shared>, depth: usize) -> Result<Self> {
        Self::open_with(shared, depth, None)
    }

    /// A reader for records in the order of the device: those with at most `gap` bytes between them are read together.
    ///
    /// # Errors
    /// `storage_failed` without memory.
    pub fn of_neighbours(shared: Arc<Shared>, gap: u64) -> Result<Self> {
        let depth = NEIGHBOURS_DEPTH.max(2 * shared.volume.members().len());
        Self::open_with(shared, depth, Some(gap))
    }

    fn open_with(shared: Arc<Shared>, depth: usize, gap: Option<u64>) -> Result<Self> {
        let open = || ReadWindow::open(shared.options.backend, Arc::clone(shared.volume.disks()), depth);
        let window =
            shared.idle_windows.take(depth, open).map_err(|e| Error::new(ErrorCode::ConfigInvalid, e.to_string()).in_field("depth"))?;
        Ok(Self {
            reads: Some(CoalescedReads::new(window, shared.volume.members().len(), gap)),
            shared,
            ready: VecDeque::new(),
            ready_bytes: 0,
            spare: vec![],
            given: Given::Lent(ReadRange::default()),
            body: 0..0,
            records: 0,
        })
    }

    /// The whole sectors that a record lies in.
    fn sectors(&self, place: Place) -> ReadRange {
        let (disk, local) = Volume::split(place.offset);
        let (before, whole) = self.shared.volume.around(local, place.length as usize);
        let start = local - before as u64;
        ReadRange { disk, start, end: start + whole as u64 }
    }

    fn lent(&self) -> &[u8] {
        self.reads.as_ref().map(CoalescedReads::lent).unwrap_or_default()
    }
}

impl BodyReader for DeviceReader {
    fn start(&mut self, tag: u64, location: Location) -> Result<()> {
        let place = Place::unpack(location);
        let mut copy = self.spare.pop().unwrap_or_default();
        if self.shared.copy_from_memory(place, &mut copy) {
            self.ready_bytes += copy.len() as u64;
            self.ready.push_back((tag, copy));
            return Ok(());
        }
        self.spare.push(copy);
        let sectors = self.sectors(place);
        if let Some(reads) = &mut self.reads {
            reads.ask(tag, sectors);
        }
        self.records += 1;
        Ok(())
    }

    fn has_room(&self) -> bool {
        self.reads.as_ref().is_some_and(|reads| reads.has_room(self.ready_bytes))
    }

    fn next(&mut self) -> Option<u64> {
        if let Given::Memory(bytes) | Given::Failed(bytes) = std::mem::replace(&mut self.given, Given::Lent(ReadRange::default())) {
            self.spare.push(bytes);
        }
        self.body = 0..0;
        if let Some((tag, bytes)) = self.ready.pop_front() {
            self.ready_bytes -= bytes.len() as u64;
            self.given = Given::Memory(bytes);
            return Some(tag);
        }
        let (tag, arrived) = self.reads.as_mut()?.next_item()?;
        self.given = arrived.map_or_else(|| Given::Failed(self.spare.pop().unwrap_or_default()), |arrived| Given::Lent(arrived.range));
        Some(tag)
    }

    fn wait_until(&mut self, until: Instant) -> bool {
        match &mut self.reads {
            Some(reads) if self.ready.is_empty() => reads.wait_until(until),
            reads => {
                reads.iter_mut().for_each(CoalescedReads::begin_all);
                !self.ready.is_empty()
            }
        }
    }

    fn check(&mut self, location: Location, digest: &Digest, meta: &Meta) -> Result<bool> {
        let place = Place::unpack(location);
        let found = match &mut self.given {
            Given::Memory(bytes) => {
                self.shared.counters.memory_reads.fetch_add(1, Relaxed);
                self.shared.body_in(bytes, place, digest, meta)?
            }
            Given::Lent(read) => {
                self.shared.counters.disk_reads.fetch_add(1, Relaxed);
                let before = Volume::split(place.offset).1.saturating_sub(read.start) as usize;
                let entry = self.lent().get(before..before + place.length as usize).unwrap_or_default();
                let body = self.shared.body_in(entry, place, digest, meta)?;
                body.map(|body| before + body.start..before + body.end)
            }
            Given::Failed(bytes) => {
                let found = self.shared.read(location, digest, meta, bytes)?;
                found.then_some(0..bytes.len())
            }
        };
        self.body = found.clone().unwrap_or_default();
        Ok(found.is_some())
    }

    fn body(&self) -> &[u8] {
        let bytes = match &self.given {
            Given::Memory(bytes) | Given::Failed(bytes) => bytes,
            Given::Lent(_) => self.lent(),
        };
        bytes.get(self.body.clone()).unwrap_or_default()
    }

    fn reads(&self) -> DeviceReads {
        DeviceReads { bytes: self.reads.as_ref().map_or(0, CoalescedReads::bytes), records: self.records, ..DeviceReads::default() }
    }
}

impl Drop for DeviceReader {
    fn drop(&mut self) {
        if let Some(reads) = self.reads.take() {
            self.shared.idle_windows.give_back(reads.into_window());
        }
    }
}
