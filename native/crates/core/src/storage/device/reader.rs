//! Reading many records by their places, several at once.

use super::place::Place;
use super::shared::Shared;
use super::volume::Volume;
use crate::error::{Error, ErrorCode, Result};
use crate::record::{Digest, Meta};
use crate::storage::io::ReadWindow;
use crate::storage::{BodyReader, DeviceReads, Location};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Windows kept for the next readers, and the largest of their buffers that are kept with them: bytes.
const IDLE_WINDOWS: usize = 16;
const IDLE_BUFFER_BYTES: usize = 16 * 1024;

/// One reader's reads in flight. What memory still has is answered from there.
pub struct DeviceReader {
    shared: Arc<Shared>,
    /// `None` once it is given back.
    window: Option<ReadWindow>,
    /// Entries found in memory that `next` has not given yet.
    ready: VecDeque<(u64, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
    given: Given,
    body: Range<usize>,
    reads: DeviceReads,
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
        let mut idle = shared.idle_windows.lock();
        let found = idle.iter().position(|window| window.depth() == depth).map(|at| idle.swap_remove(at));
        drop(idle);
        let open = || ReadWindow::open(shared.options.backend, Arc::clone(shared.volume.disks()), depth);
        let window = found.map_or_else(open, Ok).map_err(|e| Error::new(ErrorCode::ConfigInvalid, e.to_string()).in_field("depth"))?;
        Ok(Self {
            shared,
            window: Some(window),
            ready: VecDeque::new(),
            spare: vec![],
            given: Given::Window,
            body: 0..0,
            reads: DeviceReads::default(),
        })
    }
}

impl BodyReader for DeviceReader {
    fn start(&mut self, tag: u64, location: Location) -> Result<()> {
        let place = Place::unpack(location);
        let mut copy = self.spare.pop().unwrap_or_default();
        if self.shared.copy_from_memory(place, &mut copy) {
            self.ready.push_back((tag, copy));
            return Ok(());
        }
        self.spare.push(copy);
        let (disk, local) = Volume::split(place.offset);
        let (before, whole) = self.shared.volume.around(local, place.length as usize);
        let started = self.window.as_mut().map_or(Ok(()), |window| window.start(tag, disk, local - before as u64, whole));
        started.map_err(|e| Error::io(&format!("starting a read at {}", self.shared.volume.name(place.offset)), &e))?;
        self.reads += DeviceReads { records: 1, blocks: 0, bytes: whole as u64 };
        Ok(())
    }

    fn next(&mut self) -> Option<u64> {
        if let Given::Memory(bytes) | Given::Failed(bytes) = std::mem::replace(&mut self.given, Given::Window) {
            self.spare.push(bytes);
        }
        self.body = 0..0;
        if let Some((tag, bytes)) = self.ready.pop_front() {
            self.given = Given::Memory(bytes);
            return Some(tag);
        }
        let ended = self.window.as_mut()?.next()?;
        if ended.result.is_err() {
            self.given = Given::Failed(self.spare.pop().unwrap_or_default());
        }
        Some(ended.tag)
    }

    fn wait_until(&mut self, until: Instant) -> bool {
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
                let (before, _) = self.shared.volume.around(Volume::split(place.offset).1, place.length as usize);
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
        let Some(mut window) = self.window.take() else { return };
        while window.next().is_some() {}
        window.trim(IDLE_BUFFER_BYTES);
        let mut idle = self.shared.idle_windows.lock();
        if idle.len() < IDLE_WINDOWS {
            idle.push(window);
        }
    }
}
