//! Disks in memory that fail as they are told to, and that remember every write, so that a test can pull the plug at any
//! moment of the past.

use super::{Disk, Meter, Operation};
use parking_lot::{Mutex, MutexGuard};
use std::io::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes a real disk writes whole or not at all.
const SECTOR: usize = 512;

#[derive(Clone, Debug)]
pub enum Event {
    Write {
        offset: u64,
        bytes: Vec<u8>,
    },
    Sync,
    /// A sync failed: of what was written since the last good one, nobody knows what will be there after a power loss.
    FailedSync,
    SetLen(u64),
}

/// What goes wrong until it is taken away.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// Reads that touch this range fail with this operating-system error.
    Read { from: u64, to: u64, code: i32 },
    /// So do the next few that do.
    Reads { from: u64, to: u64, code: i32, times: u32 },
    /// Writes fail with this operating-system error and change nothing.
    Write(i32),
    /// So do those that touch this range.
    WriteIn { from: u64, to: u64, code: i32 },
    /// Writes put down at most this many bytes, then fail as a full disk does.
    ShortWrite(usize),
    /// There is no room beyond so many bytes, but for what was reserved before.
    Room(u64),
    /// Syncs fail with this operating-system error, and what was written since the last good one is lost.
    Sync(i32),
    /// Syncs panic.
    Panic,
}

#[derive(Default)]
struct Inner {
    /// What was there before the first event.
    first: Vec<u8>,
    now: Vec<u8>,
    stable: Vec<u8>,
    /// How far there is room, whatever the fault says: what was reserved or written. Behind it a longer file has a hole.
    reserved: u64,
    /// Every event with its moment.
    log: Vec<(usize, Event)>,
    fault: Option<Fault>,
}

impl Inner {
    /// Whether there is no room up to `end`.
    fn is_full(&self, end: u64) -> bool {
        matches!(self.fault, Some(Fault::Room(most)) if end > most.max(self.reserved))
    }
}

/// Clones are handles on the same disk.
#[derive(Clone, Default)]
pub struct FaultyDisk {
    inner: Arc<Mutex<Inner>>,
    /// Held by whoever keeps syncs from ending.
    gate: Arc<Mutex<()>>,
    /// Held by whoever keeps reads from ending.
    read_gate: Arc<Mutex<()>>,
    meter: Arc<Meter>,
    /// Events so far, of all the disks that were made together.
    clock: Arc<AtomicUsize>,
}

impl FaultyDisk {
    pub fn with(image: Vec<u8>) -> Self {
        let reserved = image.len() as u64;
        let inner = Inner { first: image.clone(), stable: image.clone(), now: image, reserved, ..Inner::default() };
        Self { inner: Arc::new(Mutex::new(inner)), ..Self::default() }
    }

    /// Disks of one machine: their events have one order.
    pub fn several(images: impl IntoIterator<Item = Vec<u8>>) -> Vec<Self> {
        let clock = Arc::default();
        images.into_iter().map(|image| Self { clock: Arc::clone(&clock), ..Self::with(image) }).collect()
    }

    /// A disk of its own, as a process finds it that follows a killed one: with what was written, the room in the file and the fault.
    #[must_use]
    pub fn after_kill(&self) -> Self {
        let mut inner = self.inner.lock();
        let length = inner.reserved.max(inner.now.len() as u64) as usize;
        // What is reserved makes a file longer.
        inner.now.resize(length, 0);
        let copy = Self::with(inner.now.clone());
        let mut of_copy = copy.inner.lock();
        (of_copy.reserved, of_copy.fault) = (inner.reserved, inner.fault);
        drop(of_copy);
        copy
    }

    pub fn set_fault(&self, fault: Option<Fault>) {
        self.inner.lock().fault = fault;
    }

    /// Keeps syncs from ending while the guard lives: a slow device.
    pub fn hold_syncs(&self) -> MutexGuard<'_, ()> {
        self.gate.lock()
    }

    /// As `hold_syncs`, of reads.
    pub fn hold_reads(&self) -> MutexGuard<'_, ()> {
        self.read_gate.lock()
    }

    /// The bytes as a reader sees them now.
    pub fn image(&self) -> Vec<u8> {
        self.inner.lock().now.clone()
    }

    /// Flips bits behind the storage's back.
    pub fn flip(&self, offset: u64, mask: u8) {
        let mut inner = self.inner.lock();
        inner.now[offset as usize] ^= mask;
        inner.stable[offset as usize] ^= mask;
    }

    /// Events so far, of all the disks that were made together.
    pub fn moment(&self) -> usize {
        self.clock.load(Relaxed)
    }

    /// The bytes that a power loss now is sure to leave.
    pub fn stable_image(&self) -> Vec<u8> {
        self.inner.lock().stable.clone()
    }

    /// Every event with its moment.
    pub fn log(&self) -> Vec<(usize, Event)> {
        self.inner.lock().log.clone()
    }

    /// What is on the disk when the power fails at `moment`: everything that a good sync covered; of the rest, `keep` decides
    /// for each sector of each write whether it got there.
    pub fn after_power_loss(&self, moment: usize, keep: &mut dyn FnMut() -> bool) -> Vec<u8> {
        let inner = self.inner.lock();
        let log = &inner.log[..inner.log.partition_point(|(at, _)| *at < moment)];
        let is_sync = |(_, event): &(usize, Event)| matches!(event, Event::Sync | Event::FailedSync);
        let mut image = inner.first.clone();
        let mut rest = log;
        while !rest.is_empty() {
            let (events, behind) = rest.split_at(rest.iter().position(is_sync).unwrap_or(rest.len()));
            let covered = matches!(behind.first(), Some((_, Event::Sync)));
            for (_, event) in events {
                match event {
                    Event::Write { offset, bytes } if covered => put(&mut image, bytes, *offset as usize),
                    Event::Write { offset, bytes } => put_some(&mut image, bytes, *offset as usize, keep),
                    Event::SetLen(length) => image.resize(*length as usize, 0),
                    Event::Sync | Event::FailedSync => {}
                }
            }
            rest = behind.get(1..).unwrap_or_default();
        }
        image
    }
}

/// Puts down those sectors of a write that `keep` chooses.
fn put_some(image: &mut Vec<u8>, bytes: &[u8], start: usize, keep: &mut dyn FnMut() -> bool) {
    let mut from = 0;
    while from < bytes.len() {
        let to = (from + SECTOR - (start + from) % SECTOR).min(bytes.len());
        if keep() {
            put(image, &bytes[from..to], start + from);
        }
        from = to;
    }
}

fn put(image: &mut Vec<u8>, bytes: &[u8], start: usize) {
    let end = start + bytes.len();
    image.resize(image.len().max(end), 0);
    image[start..end].copy_from_slice(bytes);
}

impl FaultyDisk {
    fn note(&self, inner: &mut Inner, event: Event) {
        inner.log.push((self.clock.fetch_add(1, Relaxed), event));
    }

    fn read(&self, out: &mut [u8], offset: u64) -> Result<()> {
        let _gate = self.read_gate.lock();
        let mut inner = self.inner.lock();
        let touches = |from: u64, to: u64| offset < to && from < offset + out.len() as u64;
        match &mut inner.fault {
            Some(Fault::Read { from, to, code }) if touches(*from, *to) => return Err(Error::from_raw_os_error(*code)),
            Some(Fault::Reads { from, to, code, times }) if *times > 0 && touches(*from, *to) => {
                *times -= 1;
                return Err(Error::from_raw_os_error(*code));
            }
            _ => {}
        }
        let start = offset as usize;
        let found = inner.now.get(start..start + out.len()).ok_or(ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn write(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let mut inner = self.inner.lock();
        let (bytes, result) = match inner.fault {
            Some(Fault::Write(code)) => return Err(Error::from_raw_os_error(code)),
            Some(Fault::WriteIn { from, to, code }) if offset < to && from < offset + bytes.len() as u64 => {
                return Err(Error::from_raw_os_error(code));
            }
            Some(Fault::ShortWrite(most)) if bytes.len() > most => (&bytes[..most], Err(ErrorKind::StorageFull.into())),
            Some(Fault::Room(_)) if inner.is_full(offset + bytes.len() as u64) => return Err(ErrorKind::StorageFull.into()),
            _ => (bytes, Ok(())),
        };
        put(&mut inner.now, bytes, offset as usize);
        inner.reserved = inner.reserved.max(offset + bytes.len() as u64);
        self.note(&mut inner, Event::Write { offset, bytes: bytes.to_vec() });
        result
    }

    fn settle(&self) -> Result<()> {
        let _gate = self.gate.lock();
        let mut inner = self.inner.lock();
        assert!(!matches!(inner.fault, Some(Fault::Panic)), "the disk panics");
        if let Some(Fault::Sync(code)) = inner.fault {
            inner.now = inner.stable.clone();
            self.note(&mut inner, Event::FailedSync);
            return Err(Error::from_raw_os_error(code));
        }
        inner.stable = inner.now.clone();
        self.note(&mut inner, Event::Sync);
        Ok(())
    }
}

impl Disk for FaultyDisk {
    fn read_at(&self, out: &mut [u8], offset: u64) -> Result<()> {
        self.meter.measure(Operation::Read, out.len(), || self.read(out, offset))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.meter.measure(Operation::Write, bytes.len(), || self.write(bytes, offset))
    }

    fn sync(&self) -> Result<()> {
        self.meter.measure(Operation::Sync, 0, || self.settle())
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }

    fn length(&self) -> Result<u64> {
        Ok(self.inner.lock().now.len() as u64)
    }

    fn reserve(&self, range: Range<u64>) -> Result<()> {
        let mut inner = self.inner.lock();
        if inner.is_full(range.end) {
            return Err(ErrorKind::StorageFull.into());
        }
        inner.reserved = inner.reserved.max(range.end);
        Ok(())
    }

    fn set_len(&self, length: u64) -> Result<()> {
        let mut inner = self.inner.lock();
        inner.now.resize(length as usize, 0);
        self.note(&mut inner, Event::SetLen(length));
        Ok(())
    }
}
