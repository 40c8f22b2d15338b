//! A namespace's pages as its storage: opened, written to, told of, closed.

mod cache_reader;
#[cfg(any(test, feature = "test-support"))]
mod faulty;
mod files;
mod gather;
mod pages_owner;

use super::cache::ledger::Ledger;
use super::options::PagedOptions;
use super::pages::{Pages, Redone};
use super::rebuild::Rebuild;
use super::report::what_if::Sampler;
use super::segment::PagedSegment;
use super::segment::bodies;
use super::store::Store;
use super::threads::checkpointer::{Cause, Checkpointer};
use super::threads::log_flusher::LogFlusher;
use super::threads::page_writer;
use super::{LOG_FILE, PAGES_FILE};
use crate::snapshot::{self, Load, Stop};
use crate::{
    Admission, BodyReader, DiskUsage, IndexSource, KeptRoom, Location, Monitor, RecoveryReport, RecoverySink, SegmentPart, Storage,
    StorageUsage,
};
use cache_reader::CacheReader;
use files::Files;
use pages_owner::{PagesOwner, head_of};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tessera_base::latency::split::{self, Part};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{Access, Disk, FileKind, IdleWindows};
use tessera_record::{Digest, Meta};

/// Share of the cache's frames that may hold changed pages before writers wait: percent. The others are for reads, whatever becomes of the disk.
const DIRTY_MOST: u32 = 90;

/// One of the two files.
pub struct Member {
    pub disk: Arc<dyn Disk>,
    pub name: &'static str,
    pub access: Access,
}

/// What the storage and its threads share.
pub(super) struct Shared {
    pub store: Arc<Store>,
    pub options: PagedOptions,
    checkpointer: Checkpointer,
    flusher: LogFlusher,
    pub idle_windows: IdleWindows,
    /// Reads of bodies, but for those of scans.
    pub sampler: Sampler,
    closed: AtomicBool,
}

/// What opening did.
#[derive(Clone, Debug)]
struct Opened {
    redone: Redone,
    /// What was found to be lost, and was accepted.
    losses: Vec<Error>,
    took: Duration,
}

pub struct PagedStorage {
    shared: Arc<Shared>,
    /// Pages and log.
    members: [Member; 2],
    opened: Opened,
    /// Where the snapshot is, until it is written.
    directory: Mutex<Option<PathBuf>>,
    /// Bytes of pages that the start read.
    read_at_start: AtomicU64,
    /// Of a large cache, page reads are not counted with every question.
    reads_seen: Mutex<gather::ReadsSeen>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl PagedStorage {
    /// Opens the files in `directory`, or makes them where `options.create` says so, and does again what the log has beyond the pages. Files that another
    /// process has are waited for as long as `may_wait` says so. `Store::bind` and the loading of every segment come next, then `recover`.
    ///
    /// # Errors
    /// `config_invalid`, `data_file_missing`, `data_file_damaged`, `data_file_foreign`, `data_file_version_unknown`, `record_damaged`, `storage_failed`,
    /// `device_full`; `log_damaged` and `data_rolled_back` unless `options.accept_loss` says so.
    pub fn open(directory: &Path, options: PagedOptions, may_wait: &dyn Fn() -> bool) -> Result<Self> {
        let Files { pages, log } = Files::open(directory, &options, may_wait)?;
        let member = |disk: Arc<tessera_io::FileDisk>, name| Member { access: disk.access(), disk, name };
        let snapshot = snapshot::head(directory).filter(|head| head.namespace_id == options.namespace_id && !head.has_records());
        let snapshot = snapshot.map(|head| (head.run, head.last_sequence));
        let ledger = Ledger::open(directory, options.namespace_id, options.create);
        let storage = Self::on_disks([member(pages, PAGES_FILE), member(log, LOG_FILE)], options, snapshot, ledger)?;
        *storage.directory.lock() = Some(directory.to_owned());
        Ok(storage)
    }

    /// As `open`, on disks that are open: pages and log.
    ///
    /// # Errors
    /// As `open`.
    fn on_disks(members: [Member; 2], options: PagedOptions, snapshot: Option<(u32, u64)>, ledger: Ledger) -> Result<Self> {
        let begun = Instant::now();
        let [disk, log] = [0, 1].map(|at: usize| Arc::clone(&members[at].disk));
        let mut rebuilt = None;
        let (store, redone) = if options.create {
            let pages = Pages::create(&options.pages(None), disk, log, ledger)?;
            (Store::create(pages, options.segments, options.end())?, Redone::default())
        } else {
            let (mut pages, mut redone) = Pages::open(&options.pages(snapshot), disk, log, ledger)?;
            if options.accept_loss {
                let PagedOptions { namespace_id, segments, .. } = options;
                let rebuild = Rebuild { namespace_id, segments, end: options.end(), written: &std::mem::take(&mut redone.written) };
                (pages, rebuilt) = rebuild.run(pages)?;
            }
            (Store::open(pages, options.segments, options.end())?, redone)
        };
        let shared = Shared {
            store: Arc::new(store),
            options,
            checkpointer: Checkpointer::new(options.checkpoint_interval),
            flusher: LogFlusher::new(options.flush_interval),
            idle_windows: IdleWindows::default(),
            sampler: Sampler::new(options.page_size, options.cache_bytes),
            closed: AtomicBool::new(false),
        };
        let losses = redone.loss.iter().cloned().chain(rebuilt).collect();
        let opened = Opened { redone, losses, took: begun.elapsed() };
        Ok(Self {
            shared: Arc::new(shared),
            members,
            opened,
            directory: Mutex::default(),
            read_at_start: AtomicU64::new(0),
            reads_seen: Mutex::default(),
            threads: Mutex::default(),
        })
    }

    /// What the segments share.
    pub fn store(&self) -> &Arc<Store> {
        &self.shared.store
    }

    /// The records of a segment; called once for each. `PagedSegment::load` comes next where there may be any.
    pub fn records(&self, segment: u16) -> PagedSegment {
        PagedSegment::new(Arc::clone(&self.shared.store), segment)
    }

    /// Keeps extents for this thread's batch, until the answer is dropped; `PagedSegment::keep_room` tells how many. Its set has its number first.
    ///
    /// # Errors
    /// As `Store::set_number` and `Store::keep_extents`.
    pub fn keep_extents(&self, (id, set): (u16, &str), extents: usize) -> Result<KeptRoom> {
        self.shared.check_writable()?;
        self.shared.store.set_number(id, set)?;
        self.shared.store.keep_extents(extents)
    }

    /// Makes a checkpoint now.
    ///
    /// # Errors
    /// As `Pages::checkpoint`.
    pub fn checkpoint(&self) -> Result<()> {
        self.shared.checkpointer.make(self.pages(), Cause::Asked)
    }

    fn pages(&self) -> &Pages {
        self.shared.store.pages()
    }

    /// Loads the snapshot, where it is one of the pages as they were found; where not, nothing has changed, and the answer says why. It counts no more in any case.
    fn load_snapshot(&self, threads: usize, sink: &dyn RecoverySink) -> Result<Option<String>> {
        if self.shared.options.create {
            return Ok(Some("the namespace is new".to_owned()));
        }
        let Some(directory) = &*self.directory.lock() else { return Ok(None) };
        let loaded = match (self.opened.redone.settled, sink.target()) {
            (Some(head), Ok(target)) => Load { owner: &PagesOwner(head), sink, target, threads }.run(directory),
            (None, _) => Err("the pages were not closed in order".into()),
            (_, Err(why)) => Err(why.into()),
        };
        snapshot::remove(directory);
        match loaded {
            Err(Stop::Failed(error)) => Err(error),
            // Nothing but the indexes is in it, and they are built anew.
            Err(Stop::Doubt(why)) => Ok(Some(why)),
            Ok(_) => Ok(None),
        }
    }

    /// Starts a thread of the storage. If it panics, nothing is appended any more, and writers learn why: without it they
    /// would fill the log or the cache, and wait.
    fn spawn(&self, name: &'static str, work: impl FnOnce(&Shared) + Send + 'static) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let guarded = move || {
            if catch_unwind(AssertUnwindSafe(|| work(&shared))).is_err() {
                let message = format!("writes are stopped because the thread {name} failed; restart the server");
                shared.store.pages().log().close(Error::new(ErrorCode::Internal, message));
            }
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(guarded);
        self.threads.lock().push(thread.map_err(|error| Error::io("starting a thread of the pages", &error))?);
        Ok(())
    }
}

impl Shared {
    /// # Errors
    /// `closed`; what keeps pages and log from being written.
    fn check_writable(&self) -> Result<()> {
        if self.closed.load(Relaxed) {
            return Err(closed());
        }
        self.store.pages().failure().map_or(Ok(()), Err)
    }

    pub fn read(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
        let found = bodies::read(&self.store, location, digest, meta, out)?;
        if found {
            self.store.pages().records().read.add(out.len() as u64);
        }
        Ok(found)
    }
}

fn closed() -> Error {
    Error::said(ErrorCode::Closed, sentence!("the namespace is closed"))
}

impl Storage for PagedStorage {
    fn segment(&self, segment: u16) -> SegmentPart {
        SegmentPart::Pages(Box::new(self.records(segment)))
    }

    fn paged(&self) -> Option<&PagedStorage> {
        Some(self)
    }

    fn read(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
        let found = self.shared.read(location, digest, meta, out)?;
        if found {
            self.shared.sampler.note(location);
        }
        Ok(found)
    }

    fn reader(&self, depth: usize) -> Result<Option<Box<dyn BodyReader>>> {
        Ok(Some(Box::new(CacheReader::open(Arc::clone(&self.shared), &self.members[0].disk, depth)?)))
    }

    fn reader_of_neighbours(&self, gap: u64) -> Result<Option<Box<dyn BodyReader>>> {
        Ok(Some(Box::new(CacheReader::of_neighbours(Arc::clone(&self.shared), &self.members[0].disk, gap)?)))
    }

    fn note_damaged_read(&self) {
        self.pages().records().damaged.fetch_add(1, Relaxed);
    }

    /// Deletes wait as writes do: they need the log and pages in memory just the same.
    fn admit(&self, _: Admission) -> Result<()> {
        let Shared { options, checkpointer, flusher, .. } = &*self.shared;
        self.shared.check_writable()?;
        let (cache, log) = (self.pages().cache(), self.pages().log());
        checkpointer.look_at(log);
        flusher.look_at(log);
        if log.calm() && cache.dirty_percent() <= DIRTY_MOST {
            return Ok(());
        }
        let _wait = split::wait(Part::Queue);
        let deadline = Instant::now() + options.stall_timeout;
        cache.await_clean(DIRTY_MOST, deadline)?;
        log.admit(deadline)
    }

    fn failure(&self) -> Option<Error> {
        self.pages().failure()
    }

    fn write_point(&self) -> u64 {
        self.pages().log().end()
    }

    fn stamp(&self) -> u64 {
        self.pages().sequence()
    }

    fn mark(&self) -> u64 {
        self.pages().sequence()
    }

    fn checkpointed(&self) -> u64 {
        self.pages().checkpointed()
    }

    fn durable_point(&self) -> u64 {
        self.pages().log().durable()
    }

    fn sync(&self, point: u64) -> Result<()> {
        let synced = self.pages().log().sync(point);
        self.shared.flusher.synced();
        synced
    }

    /// The log has been done again when the files were opened, and the segments are loaded by whoever has them: this loads the snapshot of the other indexes,
    /// and starts the threads.
    fn recover(&self, threads: usize, sink: &dyn RecoverySink) -> Result<RecoveryReport> {
        let cold = self.load_snapshot(threads, sink)?;
        self.spawn("tessera-log", |shared| shared.flusher.run(shared.store.pages()))?;
        self.spawn("tessera-pages", |shared| page_writer::run(shared.store.pages().cache()))?;
        self.spawn("tessera-check", |shared| shared.checkpointer.run(shared.store.pages()))?;
        let Opened { redone, losses, took } = &self.opened;
        self.pages().cache().ledger().opened();
        Ok(RecoveryReport {
            cold,
            blocks: redone.records,
            bytes_read: redone.log_bytes,
            elapsed: *took,
            losses: losses.clone(),
            ..RecoveryReport::default()
        })
    }

    fn usage(&self) -> StorageUsage {
        self.gather_usage()
    }

    fn disks(&self) -> Vec<DiskUsage> {
        let log_bytes = self.pages().log().capacity();
        let sizes = [(self.shared.options.capacity_bytes, self.used_bytes()), (log_bytes, log_bytes)];
        let usage = |(member, (capacity_bytes, used_bytes)): (&Member, (u64, u64))| DiskUsage {
            path: member.name.to_owned(),
            kind: FileKind::File,
            access: member.access,
            capacity_bytes,
            used_bytes,
        };
        self.members.iter().zip(sizes).map(usage).collect()
    }

    fn live_bytes(&self) -> u64 {
        self.pages().records().live_bytes()
    }

    fn occupied_bytes(&self) -> u64 {
        let space = self.shared.store.space();
        if space.is_bounded() { space.occupied_bytes() } else { self.live_bytes() }
    }

    /// What was written is durable once the log is: where only the pages cannot be written, the next start does the log again.
    fn close(&self) -> Result<()> {
        let Shared { checkpointer, flusher, closed: is_closed, .. } = &*self.shared;
        let again = is_closed.swap(true, AcqRel);
        checkpointer.stop();
        flusher.stop();
        self.pages().cache().late().stop();
        for thread in self.threads.lock().drain(..) {
            // A panic in it has been reported by the panic hook; closing goes on.
            let _ = thread.join();
        }
        let log = self.pages().log();
        log.sync(log.end())?;
        if !again && log.needed_bytes() > 0 {
            let _ = checkpointer.make(self.pages(), Cause::Close);
        }
        log.sync(log.end())?;
        log.close(closed());
        // Without that the next start does what it does after a crash.
        let _ = self.pages().close();
        Ok(())
    }

    fn save_index(&self, source: &dyn IndexSource) -> Result<()> {
        // A write that came between the checkpoint and the end of the log is in the log alone: then there is none.
        let settled = self.pages().settled().filter(|head| head.closed).as_ref().map(head_of);
        // Damage that is known has to be found and told again.
        let sound = self.pages().records().damaged.load(Relaxed) == 0;
        match (self.directory.lock().take(), settled) {
            (Some(directory), Some(head)) if sound => snapshot::save(&directory, head, source, &|_| Ok(())),
            _ => Ok(()),
        }
    }

    fn monitor(&self) -> Option<&dyn Monitor> {
        Some(self)
    }
}

impl Drop for PagedStorage {
    fn drop(&mut self) {
        // Whoever wants to know whether the last writes were stored calls `close` first.
        if !self.shared.closed.load(Acquire) {
            let _ = self.close();
        }
    }
}

#[cfg(test)]
mod tests;
