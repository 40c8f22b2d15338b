//! Reading bodies whose places were looked up under a lock that is held no more.

use super::SlotRecord;
use crate::error::{Error, ErrorCode, Result};
use crate::storage::{BodyReader, DeviceReads, Storage};
use std::time::Instant;

/// Reads that lose a race with a writer this often in a row are given up: the index and the device disagree.
const ATTEMPTS: usize = 64;

/// Reads the body of `met` into `body`, following the record where it moves; `current` looks it up again. Returns the
/// version that was read, or `None` when the record has gone.
///
/// # Errors
/// `record_damaged`, `storage_failed`.
pub fn fetch_body(
    storage: &dyn Storage,
    met: SlotRecord,
    current: &dyn Fn() -> Result<Option<SlotRecord>>,
    body: &mut Vec<u8>,
) -> Result<Option<SlotRecord>> {
    let mut record = met;
    for _ in 0..ATTEMPTS {
        match follow(storage, &record, storage.read(record.location, &record.digest, &record.meta, body), current)? {
            Outcome::Read => return Ok(Some(record)),
            Outcome::Gone => return Ok(None),
            Outcome::Moved(now) => record = now,
        }
    }
    Err(lost(&met))
}

/// What an attempt to read a body came to.
enum Outcome {
    Read,
    Gone,
    /// Another version is current, or the same one elsewhere.
    Moved(SlotRecord),
}

fn follow(
    storage: &dyn Storage,
    record: &SlotRecord,
    read: Result<bool>,
    current: &dyn Fn() -> Result<Option<SlotRecord>>,
) -> Result<Outcome> {
    let damage = match read {
        Ok(true) => return Ok(Outcome::Read),
        Ok(false) => None,
        Err(error) if error.code == ErrorCode::RecordDamaged => Some(error),
        Err(error) => return Err(error),
    };
    let Some(now) = current()? else { return Ok(Outcome::Gone) };
    // A place that the index names still has not been used again since.
    if let Some(error) = damage.filter(|_| now.location == record.location) {
        storage.note_damaged_read();
        return Err(error);
    }
    Ok(Outcome::Moved(now))
}

fn lost(record: &SlotRecord) -> Error {
    Error::new(ErrorCode::RecordDamaged, format!("the record {} is not where the index says it is", record.digest))
}

/// Bodies that are read several at once; what is wanted of each is remembered as a `T`.
pub struct Fetches<T> {
    reader: Box<dyn BodyReader>,
    pending: Vec<Option<Pending<T>>>,
    free: Vec<usize>,
}

struct Pending<T> {
    what: T,
    record: SlotRecord,
    attempts: usize,
}

/// A body that was asked for.
pub struct Fetched<T> {
    pub what: T,
    /// The version that was read, its body being `Fetches::body`; `None` when the record has gone.
    pub record: Result<Option<SlotRecord>>,
}

impl<T> Fetches<T> {
    pub fn new(reader: Box<dyn BodyReader>) -> Self {
        Self { reader, pending: vec![], free: vec![] }
    }

    /// Bodies that were asked for and that `next` has not given.
    pub fn len(&self) -> usize {
        self.pending.len() - self.free.len()
    }

    /// Whether another body may be asked for now: see `BodyReader::has_room`.
    pub fn has_room(&self) -> bool {
        self.reader.has_room()
    }

    /// Asks for the body of `met`; for at most the reader's depth at once.
    ///
    /// # Errors
    /// `storage_failed`; then nothing was asked for.
    pub fn start(&mut self, what: T, met: SlotRecord) -> Result<()> {
        let at = self.free.pop().unwrap_or(self.pending.len());
        if let Err(error) = self.reader.start(at as u64, met.location) {
            if at < self.pending.len() {
                self.free.push(at);
            }
            return Err(error);
        }
        let pending = Some(Pending { what, record: met, attempts: 0 });
        match self.pending.get_mut(at) {
            Some(place) => *place = pending,
            None => self.pending.push(pending),
        }
        Ok(())
    }

    /// Waits for any of them, following records where they move; `current` looks one up again. `None` when none is asked for.
    pub fn next(&mut self, storage: &dyn Storage, current: &dyn Fn(&T, &SlotRecord) -> Result<Option<SlotRecord>>) -> Option<Fetched<T>> {
        loop {
            let tag = self.reader.next()?;
            let at = tag as usize;
            let Some(mut pending) = self.pending.get_mut(at).and_then(Option::take) else { continue };
            let record = pending.record;
            let read = self.reader.check(record.location, &record.digest, &record.meta);
            let record = match follow(storage, &record, read, &|| current(&pending.what, &record)) {
                Ok(Outcome::Read) => Ok(Some(record)),
                Ok(Outcome::Gone) => Ok(None),
                Err(error) => Err(error),
                Ok(Outcome::Moved(_)) if pending.attempts + 1 >= ATTEMPTS => Err(lost(&record)),
                Ok(Outcome::Moved(now)) => match self.reader.start(tag, now.location) {
                    Ok(()) => {
                        (pending.record, pending.attempts) = (now, pending.attempts + 1);
                        self.pending[at] = Some(pending);
                        continue;
                    }
                    Err(error) => Err(error),
                },
            };
            self.free.push(at);
            return Some(Fetched { what: pending.what, record });
        }
    }

    /// Waits for them as `BodyReader::wait_until` does; whether one has come. That of a record that moved is asked for again.
    pub fn wait_until(&mut self, until: Instant) -> bool {
        self.reader.wait_until(until)
    }

    /// The body that `next` has read; until the next call of `start` or `next`.
    pub fn body(&self) -> &[u8] {
        self.reader.body()
    }

    /// What was read from a device so far.
    pub fn reads(&self) -> DeviceReads {
        self.reader.reads()
    }
}
