//! The pages of a namespace as one thing: cache, log and head; opening them after a crash, and checkpoints.
//!
//! A checkpoint is fuzzy: changes go on while it writes what was changed before it began. Then the head names where it began, and the log before
//! that is not needed any more.

use super::cache::{Cache, Written};
use super::change;
use super::counters::Records;
use super::head::{self, Head};
use super::log::{self, Log, LogStart};
use super::page::{PageSize, Seal};
use crate::error::{Error, ErrorCode, Result};
use crate::storage::FlushFailure;
use crate::storage::io::{AlignedBuffer, Backend, Disk};
use parking_lot::Mutex;
use std::sync::Arc;

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
}

pub struct Pages {
    cache: Cache,
    disk: Arc<dyn Disk>,
    log: Arc<Log>,
    /// What the disk has; held by whoever makes a checkpoint.
    head: Mutex<Head>,
    records: Records,
}

/// What a start found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Redone {
    pub records: u64,
    pub log_bytes: u64,
    /// The head that was found, where the log had nothing beyond it: the pages are as an orderly close has left them.
    pub settled: Option<Head>,
}

impl Pages {
    /// Makes new pages on empty disks.
    ///
    /// # Errors
    /// `config_invalid`, `storage_failed`.
    pub fn create(options: &PagesOptions, disk: Arc<dyn Disk>, log_disk: Arc<dyn Disk>) -> Result<Self> {
        let start = LogStart { redo: 0, incarnation: 1 };
        let PagesOptions { namespace_id, page_size, log_bytes, .. } = *options;
        let head = Head::first(page_size, namespace_id, start, log_bytes);
        log_disk.reserve(log_bytes).map_err(|error| Error::io("making room for the log", &error))?;
        let pages = Self::with(options, head, disk, log_disk)?;
        head.write(&*pages.disk)?;
        pages.cache.sync()?;
        Ok(pages)
    }

    /// Opens pages, and does again what the log has beyond them.
    ///
    /// # Errors
    /// `data_file_foreign` where they are of another namespace, `config_invalid` for another page size, `data_file_damaged`, `data_file_version_unknown`,
    /// `storage_failed`.
    pub fn open(options: &PagesOptions, disk: Arc<dyn Disk>, log_disk: Arc<dyn Disk>) -> Result<(Self, Redone)> {
        let head = Head::read(&*disk)?;
        if head.namespace_id != options.namespace_id {
            return Err(Error::new(ErrorCode::DataFileForeign, "the pages are of another namespace"));
        }
        if head.page_size != options.page_size {
            let message = format!("the pages have {} bytes, not {}", head.page_size.bytes(), options.page_size.bytes());
            return Err(Error::new(ErrorCode::ConfigInvalid, message).in_field("pageBytes"));
        }
        let mut redone = Redone::default();
        let end = log::replay(&*log_disk, head.log_bytes, head.log, &mut |_| Ok(()))?;
        // What was read may be in a cache only; pages are written behind it.
        log_disk.sync().map_err(|error| Error::io("syncing the log", &error))?;
        // From here on no record of before is taken for one: the next start reads from there, and with another incarnation.
        let redo = end.next_multiple_of(AlignedBuffer::ALIGNMENT as u64);
        let next = head.next(LogStart { redo, incarnation: head.log.incarnation + 1 });
        let pages = Self::with(options, next, disk, Arc::clone(&log_disk))?;
        log::replay(&*log_disk, head.log_bytes, head.log, &mut |record| {
            redone.records += 1;
            change::redo(&pages.cache, record.segment, record.payload, record.end)
        })?;
        redone.log_bytes = end - head.log.redo;
        redone.settled = (redone.log_bytes == 0).then_some(head);
        pages.cache.write_all_before(redo, &mut || true)?;
        pages.cache.sync()?;
        next.write(&*pages.disk)?;
        pages.cache.sync()?;
        Ok((pages, redone))
    }

    fn with(options: &PagesOptions, head: Head, disk: Arc<dyn Disk>, log_disk: Arc<dyn Disk>) -> Result<Self> {
        let log = Arc::new(Log::open(log_disk, head.log_bytes, head.log.redo, head.log.incarnation)?);
        let seal = Seal::new(&options.namespace_id);
        let PagesOptions { cache_bytes, pages, backend, .. } = *options;
        let cache = Cache::new(head.page_size, cache_bytes, pages, seal, Arc::clone(&disk), Arc::clone(&log), backend)?;
        Ok(Self { cache, disk, log, head: Mutex::new(head), records: Records::default() })
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
        let mut head = self.head.lock();
        self.cache.lost().map_or(Ok(()), Err)?;
        let redo = self.log.begin_checkpoint()?;
        let Written { pages, whole } = self.cache.write_all_before(redo, goes_on)?;
        if !whole {
            return Ok(Checkpoint { pages, log_bytes: 0, whole });
        }
        self.cache.sync()?;
        // The log has to be there from its new beginning on before the old one is given up.
        self.log.sync(redo)?;
        let next = head.next(LogStart { redo, ..head.log });
        next.write(&*self.disk)?;
        self.cache.sync()?;
        let log_bytes = redo - head.log.redo;
        *head = next;
        self.log.end_checkpoint(redo);
        Ok(Checkpoint { pages, log_bytes, whole })
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
