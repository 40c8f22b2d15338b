//! A disk in memory that fails as it is told to, and that remembers every write, so that a test can pull the plug at any
//! moment of the past.

use super::Disk;
use parking_lot::{Mutex, MutexGuard};
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;

/// Bytes a real disk writes whole or not at all.
const SECTOR: usize = 512;

#[derive(Clone, Debug)]
pub enum Event {
    Write { offset: u64, bytes: Vec<u8> },
    Sync,
    SetLen(u64),
}

/// What goes wrong until it is taken away.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// Reads that touch this range fail with this operating-system error.
    Read { from: u64, to: u64, code: i32 },
    /// Writes fail with this operating-system error and change nothing.
    Write(i32),
    /// Writes put down at most this many bytes, then fail as a full disk does.
    ShortWrite(usize),
    /// Syncs fail with this operating-system error, and what was written since the last good one is lost.
    Sync(i32),
}

#[derive(Default)]
struct Inner {
    now: Vec<u8>,
    stable: Vec<u8>,
    log: Vec<Event>,
    fault: Option<Fault>,
}

/// Clones are handles on the same disk.
#[derive(Clone, Default)]
pub struct FaultyDisk(Arc<Mutex<Inner>>, Arc<Mutex<()>>);

impl FaultyDisk {
    pub fn with(image: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(Inner { stable: image.clone(), now: image, ..Inner::default() })), Arc::default())
    }

    pub fn set_fault(&self, fault: Option<Fault>) {
        self.0.lock().fault = fault;
    }

    /// Keeps syncs from ending while the guard lives: a slow device.
    pub fn hold_syncs(&self) -> MutexGuard<'_, ()> {
        self.1.lock()
    }

    /// The bytes as a reader sees them now.
    pub fn image(&self) -> Vec<u8> {
        self.0.lock().now.clone()
    }

    /// Flips bits behind the storage's back.
    pub fn flip(&self, offset: u64, mask: u8) {
        let mut inner = self.0.lock();
        inner.now[offset as usize] ^= mask;
        inner.stable[offset as usize] ^= mask;
    }

    /// Events so far.
    pub fn moment(&self) -> usize {
        self.0.lock().log.len()
    }

    /// The bytes that a power loss now is sure to leave.
    pub fn stable_image(&self) -> Vec<u8> {
        self.0.lock().stable.clone()
    }

    pub fn log(&self) -> Vec<Event> {
        self.0.lock().log.clone()
    }
}

/// What is on the disk when the power fails after `log`: everything before the last sync; of the rest, `keep` decides for
/// each sector of each write whether it got there.
pub fn after_power_loss(log: &[Event], keep: &mut dyn FnMut() -> bool) -> Vec<u8> {
    let synced = log.iter().rposition(|event| matches!(event, Event::Sync)).map_or(0, |at| at + 1);
    let mut image = vec![];
    for (at, event) in log.iter().enumerate() {
        match event {
            Event::Sync => {}
            Event::SetLen(length) => image.resize(*length as usize, 0),
            Event::Write { offset, bytes } => {
                let mut from = 0;
                while from < bytes.len() {
                    let start = *offset as usize + from;
                    let to = (from + SECTOR - start % SECTOR).min(bytes.len());
                    if at < synced || keep() {
                        put(&mut image, &bytes[from..to], start);
                    }
                    from = to;
                }
            }
        }
    }
    image
}

fn put(image: &mut Vec<u8>, bytes: &[u8], start: usize) {
    let end = start + bytes.len();
    image.resize(image.len().max(end), 0);
    image[start..end].copy_from_slice(bytes);
}

impl Disk for FaultyDisk {
    fn read_at(&self, out: &mut [u8], offset: u64) -> Result<()> {
        let inner = self.0.lock();
        if let Some(Fault::Read { from, to, code }) = inner.fault
            && offset < to
            && from < offset + out.len() as u64
        {
            return Err(Error::from_raw_os_error(code));
        }
        let start = offset as usize;
        let found = inner.now.get(start..start + out.len()).ok_or(ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let mut inner = self.0.lock();
        let (bytes, result) = match inner.fault {
            Some(Fault::Write(code)) => return Err(Error::from_raw_os_error(code)),
            Some(Fault::ShortWrite(most)) if bytes.len() > most => (&bytes[..most], Err(ErrorKind::StorageFull.into())),
            _ => (bytes, Ok(())),
        };
        put(&mut inner.now, bytes, offset as usize);
        inner.log.push(Event::Write { offset, bytes: bytes.to_vec() });
        result
    }

    fn sync(&self) -> Result<()> {
        let _gate = self.1.lock();
        let mut inner = self.0.lock();
        if let Some(Fault::Sync(code)) = inner.fault {
            inner.now = inner.stable.clone();
            return Err(Error::from_raw_os_error(code));
        }
        inner.stable = inner.now.clone();
        inner.log.push(Event::Sync);
        Ok(())
    }

    fn length(&self) -> Result<u64> {
        Ok(self.0.lock().now.len() as u64)
    }

    fn set_len(&self, length: u64) -> Result<()> {
        let mut inner = self.0.lock();
        inner.now.resize(length as usize, 0);
        inner.log.push(Event::SetLen(length));
        Ok(())
    }
}
