//! Reading many records by their places, several at once, and neighbours together.

use super::sector_range::SectorRange;
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
use tessera_io::ReadWindow;
use tessera_record::{Digest, Meta};

/// Reads that a reader of neighbours has in flight, and their bytes, or one read more.
const NEIGHBOURS_DEPTH: usize = 32;
const NEIGHBOURS_BYTES: u64 = 2 * 1024 * 1024;
/// Bytes of reads that the kernel is told of together.
const SUBMIT_BYTES: u64 = 256 * 1024;

/// One reader's reads in flight. What memory still has is answered from there.
pub struct DeviceReader {
    shared: Arc<Shared>,
    /// `None` once it is given back.
    window: Option<ReadWindow>,
    /// How many bytes may lie between records that come with one read; `None` where each has a read of its own.
    gap: Option<u64>,
    /// Entries found in memory that `next` has not given yet.
    ready: VecDeque<(u64, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
    /// Reads by their tag in the window, and those of them that are not in use.
    groups: Vec<Group>,
    free: Vec<usize>,
    /// By disk: the read that neighbours may still join.
    open: Vec<Option<usize>>,
    /// Asked for while the bytes of a read were looked at.
    later: VecDeque<(u64, Place)>,
    /// Those of a read that could not even be started.
    unread: VecDeque<u64>,
    /// The read whose bytes the window lends, and which of its records is next.
    current: Option<(usize, usize)>,
    /// Of reads, and of what was found in memory.
    bytes_in_flight: u64,
    /// Bytes of reads that the kernel may not know of yet.
    not_submitted: u64,
    given: Given,
    body: Range<usize>,
    reads: DeviceReads,
}

/// Records that come with one read.
#[derive(Default)]
struct Group {
    sectors: SectorRange,
    tags: Vec<u64>,
    failed: bool,
}

/// Where the bytes of the read are that `next` gave last.
enum Given {
    Memory(Vec<u8>),
    Window,
    /// It failed, and is done again alone.
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
            open: vec![None; shared.volume.members().len()],
            shared,
            window: Some(window),
            gap,
            ready: VecDeque::new(),
            spare: vec![],
            groups: vec![],
            free: vec![],
            later: VecDeque::new(),
            unread: VecDeque::new(),
            current: None,
            bytes_in_flight: 0,
            not_submitted: 0,
            given: Given::Window,
            body: 0..0,
            reads: DeviceReads::default(),
        })
    }

    /// Puts a record into the open read of its disk, or into a new one.
    fn join(&mut self, tag: u64, place: Place, gap: u64) {
        let sectors = SectorRange::around(&self.shared.volume, place);
        let disk = sectors.disk;
        let open = self.open.get(disk).copied().flatten();
        if let Some(group) = open.and_then(|at| self.groups.get_mut(at))
            && group.sectors.join(sectors, gap)
        {
            group.tags.push(tag);
            return;
        }
        self.begin(open);
        let at = self.group(tag, sectors);
        match self.open.get_mut(disk) {
            Some(open) => *open = Some(at),
            None => self.begin(Some(at)),
        }
    }

    fn group(&mut self, tag: u64, sectors: SectorRange) -> usize {
        let at = self.free.pop().unwrap_or(self.groups.len());
        if at == self.groups.len() {
            self.groups.push(Group::default());
        }
        let group = &mut self.groups[at];
        (group.sectors, group.failed) = (sectors, false);
        group.tags.push(tag);
        at
    }

    /// Starts the reading of a group; where that fails, each of its records is read alone.
    fn begin(&mut self, group: Option<usize>) {
        let Some(at) = group else { return };
        if self.submit(at).is_err() {
            let tags = self.groups.get_mut(at).map(|group| std::mem::take(&mut group.tags));
            self.unread.extend(tags.into_iter().flatten());
            self.free.push(at);
        }
    }

    fn submit(&mut self, at: usize) -> std::io::Result<()> {
        let (Some(group), Some(window)) = (self.groups.get(at), &mut self.window) else { return Ok(()) };
        let SectorRange { disk, start, end } = group.sectors;
        window.start(at as u64, disk, start, (end - start) as usize)?;
        self.bytes_in_flight += end - start;
        self.not_submitted += end - start;
        self.reads.bytes += end - start;
        Ok(())
    }

    /// Whether all records of the read that the window lends have been given, and its bytes may go.
    fn looked_through(&self) -> bool {
        let left = |(at, next): (usize, usize)| self.groups.get(at).is_some_and(|group| next < group.tags.len());
        !self.current.is_some_and(left)
    }

    /// Asks for what waited until the bytes lent may go.
    fn catch_up(&mut self) {
        while let (Some(gap), Some((tag, place))) = (self.gap, self.later.pop_front()) {
            self.join(tag, place, gap);
        }
    }

    /// Begins the reads that wait for more neighbours. Not before there is nothing else to wait for: reads of what happens to be
    /// asked for would get ever smaller.
    fn close(&mut self) {
        for disk in 0..self.open.len() {
            let open = self.open[disk].take();
            self.begin(open);
        }
    }

    /// The next record of the read that the window lends.
    fn next_of_current(&mut self) -> Option<u64> {
        let (at, n) = self.current?;
        let group = self.groups.get_mut(at)?;
        if let Some(&tag) = group.tags.get(n) {
            self.current = Some((at, n + 1));
            if group.failed {
                self.given = Given::Failed(self.spare.pop().unwrap_or_default());
            }
            return Some(tag);
        }
        group.tags.clear();
        self.free.push(at);
        self.current = None;
        None
    }
}

impl BodyReader for DeviceReader {
    fn start(&mut self, tag: u64, location: Location) -> Result<()> {
        let place = Place::unpack(location);
        let mut copy = self.spare.pop().unwrap_or_default();
        if self.shared.copy_from_memory(place, &mut copy) {
            self.bytes_in_flight += copy.len() as u64;
            self.ready.push_back((tag, copy));
            return Ok(());
        }
        self.spare.push(copy);
        match self.gap {
            // Another read would take away the bytes that are looked at.
            Some(_) if !self.looked_through() => self.later.push_back((tag, place)),
            Some(gap) => self.join(tag, place, gap),
            None => {
                let at = self.group(tag, SectorRange::around(&self.shared.volume, place));
                if let Err(error) = self.submit(at) {
                    self.groups[at].tags.clear();
                    self.free.push(at);
                    return Err(Error::io(&format!("starting a read at {}", self.shared.volume.name(place.offset)), &error));
                }
            }
        }
        self.reads.records += 1;
        Ok(())
    }

    fn has_room(&self) -> bool {
        let Some(window) = &self.window else { return false };
        let open = self.open.iter().flatten().count();
        let taken = window.in_flight() + open + self.later.len();
        self.looked_through() && taken < window.depth() && self.bytes_in_flight < NEIGHBOURS_BYTES
    }

    fn next(&mut self) -> Option<u64> {
        if let Given::Memory(bytes) | Given::Failed(bytes) = std::mem::replace(&mut self.given, Given::Window) {
            self.spare.push(bytes);
        }
        self.body = 0..0;
        if let Some((tag, bytes)) = self.ready.pop_front() {
            self.bytes_in_flight -= bytes.len() as u64;
            self.given = Given::Memory(bytes);
            return Some(tag);
        }
        if let Some(tag) = self.next_of_current() {
            return Some(tag);
        }
        self.catch_up();
        if self.window.as_ref().is_some_and(|window| window.in_flight() == 0) {
            self.close();
        }
        if let Some(tag) = self.unread.pop_front() {
            self.given = Given::Failed(self.spare.pop().unwrap_or_default());
            return Some(tag);
        }
        let window = self.window.as_mut()?;
        if self.not_submitted >= SUBMIT_BYTES {
            self.not_submitted = 0;
            window.submit();
        }
        let ended = window.next()?;
        let (at, failed) = (ended.tag as usize, ended.result.is_err());
        let group = self.groups.get_mut(at)?;
        group.failed = failed;
        self.bytes_in_flight -= group.sectors.end - group.sectors.start;
        self.current = Some((at, 0));
        self.next_of_current()
    }

    fn wait_until(&mut self, until: Instant) -> bool {
        if self.looked_through() {
            self.catch_up();
            self.close();
        }
        !self.ready.is_empty() || self.window.as_mut().is_some_and(|window| window.wait_until(until))
    }

    fn check(&mut self, location: Location, digest: &Digest, meta: &Meta) -> Result<bool> {
        let place = Place::unpack(location);
        let found = match &mut self.given {
            Given::Memory(bytes) => {
                self.shared.counters.memory_reads.fetch_add(1, Relaxed);
                self.shared.body_in(bytes, place, digest, meta)?
            }
            Given::Window => {
                self.shared.counters.disk_reads.fetch_add(1, Relaxed);
                let read = self.current.and_then(|(at, _)| self.groups.get(at)).map_or(0, |group| group.sectors.start);
                let before = Volume::split(place.offset).1.saturating_sub(read) as usize;
                let bytes = self.window.as_ref().map(ReadWindow::lent).unwrap_or_default();
                let entry = bytes.get(before..before + place.length as usize).unwrap_or_default();
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
            Given::Window => self.window.as_ref().map(ReadWindow::lent).unwrap_or_default(),
        };
        bytes.get(self.body.clone()).unwrap_or_default()
    }

    fn reads(&self) -> DeviceReads {
        self.reads
    }
}

impl Drop for DeviceReader {
    fn drop(&mut self) {
        if let Some(window) = self.window.take() {
            self.shared.idle_windows.give_back(window);
        }
    }
}
