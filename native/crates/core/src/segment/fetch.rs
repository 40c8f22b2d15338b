//! Reading bodies whose places were looked up under a lock that is held no more.

use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_storage::{BodyReader, DeviceReads, Location, SlotRecord, Storage};

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
    let (mut record, mut doubted) = (met, None);
    for _ in 0..ATTEMPTS {
        let read = storage.read(record.location, &record.digest, &record.meta, body);
        match follow(storage, &record, read, &mut doubted, current)? {
            Outcome::Read => return Ok(Some(record)),
            Outcome::Gone => return Ok(None),
            Outcome::Moved(now) => record = now,
        }
    }
    Err(lost(storage, &met))
}

/// What an attempt to read a body came to.
enum Outcome {
    Read,
    Gone,
    /// Another version is current, or the same one elsewhere; or what seems damaged is to be read again.
    Moved(SlotRecord),
}

/// `doubted`: where a body was last found damaged that the index named still.
fn follow(
    storage: &dyn Storage,
    record: &SlotRecord,
    read: Result<bool>,
    doubted: &mut Option<Location>,
    current: &dyn Fn() -> Result<Option<SlotRecord>>,
) -> Result<Outcome> {
    let damage = match read {
        Ok(true) => return Ok(Outcome::Read),
        Ok(false) => None,
        Err(error) if error.code == ErrorCode::RecordDamaged => Some(error),
        Err(error) => return Err(error),
    };
    let Some(now) = current()? else { return Ok(Outcome::Gone) };
    // A place that the index names still has not been used again since, or by a record that was written over, or removed and put again, while its
    // parts were read: then reading it once more finds it whole.
    let again = damage.is_some() && doubted.replace(record.location) != Some(record.location);
    if let Some(error) = damage.filter(|_| now.location == record.location && !again) {
        storage.note_damaged_read();
        return Err(error);
    }
    Ok(Outcome::Moved(now))
}

/// Nobody wrote it so often in a row: what is there is another record, as where a block is as it was before.
fn lost(storage: &dyn Storage, record: &SlotRecord) -> Error {
    storage.note_damaged_read();
    Error::said(
        ErrorCode::RecordDamaged,
        sentence!("the record {digest} is not where the index says it is", digest = record.digest.to_string()),
    )
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
    doubted: Option<Location>,
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
        let pending = Some(Pending { what, record: met, attempts: 0, doubted: None });
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
            let mut doubted = pending.doubted;
            let record = match follow(storage, &record, read, &mut doubted, &|| current(&pending.what, &record)) {
                Ok(Outcome::Read) => Ok(Some(record)),
                Ok(Outcome::Gone) => Ok(None),
                Err(error) => Err(error),
                Ok(Outcome::Moved(_)) if pending.attempts + 1 >= ATTEMPTS => Err(lost(storage, &record)),
                Ok(Outcome::Moved(now)) => match self.reader.start(tag, now.location) {
                    Ok(()) => {
                        (pending.record, pending.attempts, pending.doubted) = (now, pending.attempts + 1, doubted);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU64;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use tessera_record::{Digest, Meta};
    use tessera_storage::{RecoveryReport, RecoverySink, SegmentPart, StorageUsage};

    /// Finds one record damaged so many times, and whole from then on; or never finds it.
    #[derive(Default)]
    struct Torn {
        left: AtomicUsize,
        elsewhere: bool,
        counted: AtomicUsize,
    }

    impl Torn {
        fn new(times: usize) -> Arc<Self> {
            Arc::new(Self { left: AtomicUsize::new(times), ..Self::default() })
        }
    }

    fn refused() -> Error {
        Error::new(ErrorCode::Unsupported, "not here")
    }

    impl Storage for Torn {
        fn segment(&self, _: u16) -> SegmentPart {
            tessera_storage::memory::MemoryStorage::new(None).segment(0)
        }
        fn read(&self, _: Location, _: &Digest, _: &Meta, out: &mut Vec<u8>) -> Result<bool> {
            if self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok() {
                return if self.elsewhere { Ok(false) } else { Err(Error::new(ErrorCode::RecordDamaged, "torn")) };
            }
            out.push(7);
            Ok(true)
        }
        fn note_damaged_read(&self) {
            self.counted.fetch_add(1, Relaxed);
        }
        fn write_point(&self) -> u64 {
            0
        }
        fn sync(&self, _: u64) -> Result<()> {
            Ok(())
        }
        fn recover(&self, _: usize, _: &dyn RecoverySink) -> Result<RecoveryReport> {
            Err(refused())
        }
        fn usage(&self) -> StorageUsage {
            StorageUsage::default()
        }
        fn live_bytes(&self) -> u64 {
            0
        }
        fn close(&self) -> Result<()> {
            Ok(())
        }
    }

    /// One read at a time, of what the storage finds.
    struct Reader(Arc<Torn>, Option<u64>, Vec<u8>);

    impl BodyReader for Reader {
        fn start(&mut self, tag: u64, _: Location) -> Result<()> {
            self.1 = Some(tag);
            Ok(())
        }
        fn has_room(&self) -> bool {
            self.1.is_none()
        }
        fn next(&mut self) -> Option<u64> {
            self.1.take()
        }
        fn wait_until(&mut self, _: Instant) -> bool {
            true
        }
        fn check(&mut self, location: Location, digest: &Digest, meta: &Meta) -> Result<bool> {
            self.0.read(location, digest, meta, &mut self.2)
        }
        fn body(&self) -> &[u8] {
            &self.2
        }
        fn reads(&self) -> DeviceReads {
            DeviceReads::default()
        }
    }

    const fn record(location: NonZeroU64) -> SlotRecord {
        SlotRecord { digest: Digest([1; 20]), location: Location(location), meta: Meta { generation: 1, expires_at: 0, updated_at: 5 } }
    }

    const RECORD: SlotRecord = record(NonZeroU64::MIN);

    /// What reading a record comes to that is found damaged so many times, by itself and with others, and how often damage was counted.
    fn outcomes(times: usize) -> [(Result<Option<SlotRecord>>, usize); 2] {
        outcomes_of([Torn::new(times), Torn::new(times)])
    }

    fn outcomes_of([alone, together]: [Arc<Torn>; 2]) -> [(Result<Option<SlotRecord>>, usize); 2] {
        let read = fetch_body(&*alone, RECORD, &|| Ok(Some(RECORD)), &mut vec![]);
        let mut fetches = Fetches::new(Box::new(Reader(together.clone(), None, vec![])));
        fetches.start((), RECORD).unwrap();
        let fetched = fetches.next(&*together, &|(), _| Ok(Some(RECORD))).unwrap().record;
        [(read, alone.counted.load(Relaxed)), (fetched, together.counted.load(Relaxed))]
    }

    #[test]
    fn what_was_put_again_while_it_was_read_is_read_once_more() {
        for (found, counted) in outcomes(1) {
            assert_eq!((found.unwrap(), counted), (Some(RECORD), 0));
        }
    }

    #[test]
    fn what_is_damaged_twice_is_damaged() {
        for (found, counted) in outcomes(2) {
            assert_eq!((found.unwrap_err().code, counted), (ErrorCode::RecordDamaged, 1));
        }
    }

    /// As where a block is as it was in an earlier use: another record is there.
    #[test]
    fn what_is_never_where_the_index_says_it_is_is_damage() {
        let never = || Arc::new(Torn { left: AtomicUsize::new(usize::MAX), elsewhere: true, ..Torn::default() });
        for (found, counted) in outcomes_of([never(), never()]) {
            assert_eq!((found.unwrap_err().code, counted), (ErrorCode::RecordDamaged, 1));
        }
    }

    #[test]
    fn a_place_that_the_record_has_left_is_no_damage() {
        let torn = Torn::new(1);
        let elsewhere = record(NonZeroU64::MAX);
        assert_eq!(fetch_body(&*torn, RECORD, &|| Ok(Some(elsewhere)), &mut vec![]).unwrap(), Some(elsewhere));
        assert_eq!(fetch_body(&*Torn::new(1), RECORD, &|| Ok(None), &mut vec![]).unwrap(), None);
    }
}
