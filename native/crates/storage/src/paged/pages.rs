//! The pages of a namespace as one thing: cache, log and head; opening them after a crash, and checkpoints.
//!
//! A checkpoint is fuzzy: changes go on while it writes what was changed before it began. Then the head names where it began, and the log before
//! that is not needed any more.

pub mod head;
pub mod loss;
pub mod survey;

use super::cache::ledger::Ledger;
use super::cache::{Cache, Written};
use super::change;
use super::counters::Records;
use super::log::{self, Log, LogHead, LogStart, Lsn};
use super::page::{PageId, PageSize, Seal};
use crate::FlushFailure;
use hashbrown::HashMap;
use head::Head;
use loss::{Found, Witness};
use parking_lot::Mutex;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{Backend, Disk};

/// How pages are kept.
#[derive(Clone, Copy, Debug)]
pub struct PagesOptions {
    pub namespace_id: [u8; 16],
    pub page_size: PageSize,
    /// Bytes of the page cache.
    pub cache_bytes: u64,
    /// Bytes of the log's ring; a checkpoint has to end before it is full.
    pub log_bytes: u64,
    /// Most pages there may be.
    pub pages: u32,
    /// What keeps writes in flight.
    pub backend: Backend,
    /// What is known of the pages from elsewhere.
    pub witness: Witness,
    /// Whether to go on with what is left where the disks show a loss.
    pub accept_loss: bool,
}

pub struct Pages {
    cache: Cache,
    disk: Arc<dyn Disk>,
    log: Arc<Log>,
    /// Held by whoever makes a checkpoint.
    checkpointing: Mutex<()>,
    /// What the disk has; held while it is written.
    head: Mutex<Head>,
    records: Records,
}

/// What a start found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redone {
    pub records: u64,
    pub log_bytes: u64,
    /// The head that was found, where the log had nothing beyond it: the pages are as an orderly close has left them.
    pub settled: Option<Head>,
    /// What is lost, and was accepted as lost.
    pub loss: Option<Error>,
    /// Where that was: as what pages of the index were last written.
    pub written: HashMap<PageId, Lsn>,
}

impl Pages {
    /// Makes new pages on empty disks.
    ///
    /// # Errors
    /// `config_invalid`, `storage_failed`.
    pub fn create(options: &PagesOptions, disk: Arc<dyn Disk>, log_disk: Arc<dyn Disk>, ledger: Ledger) -> Result<Self> {
        let start = LogStart { redo: 0, incarnation: 1 };
        let PagesOptions { namespace_id, page_size, log_bytes, .. } = *options;
        let head = Head::first(page_size, namespace_id, start, log_bytes);
        log_disk.reserve(0..log::RING_AT + log_bytes).map_err(|error| Error::io("making room for the log", &error))?;
        LogHead { namespace_id, incarnation: start.incarnation, closed: 0 }.write(&*log_disk)?;
        let log_length = length(&*log_disk)?;
        let pages = Self::with(options, head, disk, log_disk, ledger)?;
        pages.put_head(&mut pages.head.lock(), Head { log_length, ..head })?;
        Ok(pages)
    }

    /// Opens pages, and does again what the log has beyond them. Where something is lost nothing is changed, unless that is accepted: then the
    /// pages are of no use until their index has been rebuilt, and `rebuilt` has said so.
    ///
    /// # Errors
    /// `data_file_foreign` where they are of another namespace, `config_invalid` for another page size, `data_file_damaged`, `data_file_version_unknown`,
    /// `storage_failed`; `log_damaged` and `data_rolled_back` unless they are accepted.
    pub fn open(options: &PagesOptions, disk: Arc<dyn Disk>, log_disk: Arc<dyn Disk>, ledger: Ledger) -> Result<(Self, Redone)> {
        let found = Self::find(options, &*disk, &*log_disk)?;
        let (head, accepts) = (found.head, options.accept_loss);
        let mut redone = Redone { loss: found.loss(), ..Redone::default() };
        if accepts {
            // Pages may become older than they were.
            redone.written = ledger.forget()?;
            if length(&*disk)? < head.pages_length {
                // What is cut off is damaged from now on.
                disk.set_len(head.pages_length).map_err(|error| Error::io("making the pages as long as they were", &error))?;
            }
        } else if let Some(loss) = &redone.loss {
            return Err(loss.clone());
        }
        // What was read may be in a cache only; pages are written behind it.
        log_disk.sync().map_err(|error| Error::io("syncing the log", &error))?;
        // From here on no record of before is taken for one: the next start reads from there, and with another incarnation.
        let next = found.next_head(redone.loss.is_some(), accepts);
        let pages = Self::with(options, next, disk, Arc::clone(&log_disk), ledger)?;
        if !found.headless {
            log::replay(&*log_disk, head.log_bytes, head.log, &mut |record| {
                redone.records += 1;
                change::redo(&pages.cache, record.segment, record.payload, record.end, accepts)
            })?;
        }
        if redone.records > 0 {
            redone.log_bytes = found.replayed.end - head.log.redo;
        } else if !accepts {
            redone.settled = Some(head);
        }
        pages.cache.write_all_before(next.log.redo, &mut || true)?;
        let pages_length = length(&*pages.disk)?;
        pages.cache.sync()?;
        {
            let mut head = pages.head.lock();
            // The log is taken once the pages name the new run, and only then do they rely on what its head says.
            pages.put_head(&mut head, Head { pages_length, ..next })?;
            pages.log.write_head(&pages.log_head(&head, 0))?;
            let log_length = length(&*log_disk)?;
            let taken = Head { log_run: next.log.incarnation, log_length, ..head.next() };
            pages.put_head(&mut head, taken)?;
        }
        Ok((pages, redone))
    }

    /// Reads what there is, and changes nothing. Pages without a head are a loss like others, as long as one of them is sound.
    fn find(options: &PagesOptions, disk: &dyn Disk, log_disk: &dyn Disk) -> Result<Found> {
        let PagesOptions { namespace_id, page_size, log_bytes, witness, .. } = *options;
        let (head, both) = match Head::read_both(disk) {
            Err(error) if error.code == ErrorCode::DataFileDamaged => {
                let Some(newest) = survey::newest(disk, page_size, Seal::new(&namespace_id))? else { return Err(error) };
                let run = LogHead::read(log_disk)?.map_or(1, |found| found.incarnation);
                let head = Head::first(page_size, namespace_id, LogStart { redo: 0, incarnation: run }, log_bytes);
                return Found::without_head(head, newest, disk, log_disk, witness);
            }
            head => head?,
        };
        if head.namespace_id != namespace_id {
            return Err(Error::said(ErrorCode::DataFileForeign, sentence!("the pages belong to another namespace")));
        }
        if head.page_size != page_size {
            let message = sentence!(
                "the pages have {bytes} bytes, expected {expected}",
                bytes = head.page_size.bytes(),
                expected = page_size.bytes()
            );
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("pageBytes"));
        }
        // The newest copy may be the damaged one; then nothing but it is missing.
        let sequence = witness.sequence.saturating_sub(u64::from(!both));
        Found::read(head, disk, log_disk, Witness { sequence, ..witness })
    }

    fn with(options: &PagesOptions, head: Head, disk: Arc<dyn Disk>, log_disk: Arc<dyn Disk>, ledger: Ledger) -> Result<Self> {
        let log = Arc::new(Log::open(log_disk, head.log_bytes, head.log.redo, head.log.incarnation)?);
        let seal = Seal::new(&options.namespace_id);
        let PagesOptions { cache_bytes, pages, backend, .. } = *options;
        let cache = Cache::new(head.page_size, cache_bytes, pages, seal, Arc::clone(&disk), Arc::clone(&log), backend)?;
        let cache = cache.with_ledger(ledger);
        Ok(Self { cache, disk, log, checkpointing: Mutex::default(), head: Mutex::new(head), records: Records::default() })
    }

    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    pub fn log(&self) -> &Log {
        &self.log
    }

    /// What is counted of the records in them.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// The first page that the head does not take.
    pub const FIRST: u32 = head::PAGES;

    /// Writes what was changed until now, and lets go of the log before. `goes_on` is asked before each page; with `false` the checkpoint ends without
    /// having done anything that counts.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; then the log is kept, and a later checkpoint does what this one could not, but after a sync of the pages that failed:
    /// nobody knows then what is on the disk, and only the next start, which does the log again, can tell.
    pub fn checkpoint(&self, goes_on: &mut dyn FnMut() -> bool) -> Result<bool> {
        Ok(self.write_checkpoint(goes_on)?.whole)
    }

    /// As `checkpoint`; answers what it came to.
    ///
    /// # Errors
    /// As `checkpoint`.
    pub fn write_checkpoint(&self, goes_on: &mut dyn FnMut() -> bool) -> Result<Checkpoint> {
        let _checkpointing = self.checkpointing.lock();
        self.cache.lost().map_or(Ok(()), Err)?;
        let redo = self.log.begin_checkpoint()?;
        let Written { pages, whole } = self.cache.write_all_before(redo, goes_on)?;
        if !whole {
            return Ok(Checkpoint { pages, log_bytes: 0, whole });
        }
        let (pages_length, ledger) = (length(&*self.disk)?, self.cache.ledger().take());
        self.cache.sync()?;
        self.cache.ledger().save(ledger);
        // The log has to be there from its new beginning on before the old one is given up.
        self.log.sync(redo)?;
        let mut head = self.head.lock();
        let log_bytes = redo - head.log.redo;
        let log = LogStart { redo, ..head.log };
        let next = Head { log, stable: self.log.stable(), pages_length, ..head.next() };
        self.put_head(&mut head, next)?;
        self.log.end_checkpoint(redo);
        Ok(Checkpoint { pages, log_bytes, whole })
    }

    /// Writes a head over the older copy, and syncs it.
    fn put_head(&self, head: &mut Head, next: Head) -> Result<()> {
        self.cache.lost().map_or(Ok(()), Err)?;
        next.write(&*self.disk)?;
        self.cache.sync()?;
        *head = next;
        self.log.note_head(next.sequence);
        Ok(())
    }

    fn log_head(&self, head: &Head, closed: u64) -> LogHead {
        LogHead { namespace_id: head.namespace_id, incarnation: head.log.incarnation, closed }
    }

    /// Notes in the head up to where the log is stable, unless it is there already: so damage in the last records of all is known for what it is.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; then it may be tried again.
    pub fn note_stable(&self) -> Result<()> {
        let mut head = self.head.lock();
        let stable = self.log.stable();
        if head.closed || stable <= head.stable {
            return Ok(());
        }
        let next = Head { stable, ..head.next() };
        self.put_head(&mut head, next)
    }

    /// Up to where the log is stable as the head says.
    pub fn noted(&self) -> Lsn {
        self.head.lock().stable
    }

    /// Notes in both files that they were closed in order, if the log has nothing beyond the head. For a log that is closed. Both copies of the head say so:
    /// damage of one costs nothing.
    ///
    /// # Errors
    /// As `note_stable`; then the next start takes it for a crash.
    pub fn close(&self) -> Result<()> {
        let mut head = self.head.lock();
        if head.closed || head.log.redo != self.log.end() {
            return Ok(());
        }
        self.log.write_head(&self.log_head(&head, head.sequence))?;
        let closed = Head { closed: true, stable: head.log.redo, ..head.next() };
        self.put_head(&mut head, closed)?;
        self.put_head(&mut head, Head { sequence: closed.sequence + 1, ..closed })
    }

    /// Writes all that was changed, and says in both copies of the head that the index can be used.
    ///
    /// # Errors
    /// As `checkpoint`.
    pub fn rebuilt(&self) -> Result<()> {
        self.checkpoint(&mut || true)?;
        let mut head = self.head.lock();
        for _ in 0..2 {
            let next = Head { rebuilding: false, ..head.next() };
            self.put_head(&mut head, next)?;
        }
        Ok(())
    }

    pub(super) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// Bytes of the file.
    pub(super) fn length(&self) -> Result<u64> {
        length(&*self.disk)
    }

    /// Grows with every head that is written, over starts and stops: pages that have a lower one are older.
    pub fn sequence(&self) -> u64 {
        self.head.lock().sequence
    }

    /// Where redo would begin after a crash now: what was logged before is in the pages.
    pub fn checkpointed(&self) -> Lsn {
        self.head.lock().log.redo
    }

    /// The head, where the log has nothing beyond it. For a log that is closed: otherwise anything may follow at once.
    pub fn settled(&self) -> Option<Head> {
        let head = *self.head.lock();
        (head.log.redo == self.log.end()).then_some(head)
    }

    /// How often log or pages could not be written, and the newest of these failures.
    pub fn failures(&self) -> (u64, Option<FlushFailure>) {
        let ((log, of_log), (pages, of_pages)) = (self.log.failures(), self.cache.failures());
        (log + pages, of_log.into_iter().chain(of_pages).max_by_key(|failure| failure.at_ms))
    }

    /// What keeps changes from being made or from being written now; pages are read meanwhile.
    pub fn failure(&self) -> Option<Error> {
        self.log.failure().or_else(|| self.cache.failure())
    }
}

fn length(disk: &dyn Disk) -> Result<u64> {
    disk.length().map_err(|error| Error::io("asking how long a file of the pages is", &error))
}

/// What a checkpoint came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    pub pages: u64,
    /// Bytes of the log that are not needed any more.
    pub log_bytes: u64,
    /// It has ended; otherwise it gave up.
    pub whole: bool,
}

#[cfg(test)]
mod tests;
