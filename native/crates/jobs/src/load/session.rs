//! An import from its first chunk to its report.
//!
//! Chunks go into a bounded queue. Each worker takes the feed, cuts a block of whole rows from the stream, lets the feed
//! go, reads its block and hands the rows to the sink. Memory is bounded by the queue and one block a thread.

pub(super) mod block_reader;
mod workers;

use super::batch::RowSink;
use crate::Job;
use crate::load::keep::import_files::{Keep, Kept};
use crate::load::keep::journal::{self, Journal};
use crate::load::keep::progress::{Counts, Mark, Progress};
use crate::load::keep::reject_file::RejectFile;
use crate::load::keep::report::{ImportReport, REJECTS_KEPT, Rejects, SAMPLE_ROWS, Sample};
use crate::load::plan::resolve::Plan;
use crate::load::plan::spec::ImportSpec;
use crate::load::read::feed::Feed;
use crate::load::read::input::Input;
use crate::load::read::split::{Block, Sizes};
use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use tessera_base::clock::unix_millis;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

/// What one thread reads at a time, bytes.
const BLOCK_BYTES: usize = 512 << 10;

type Finished = Box<dyn FnOnce(Result<ImportReport>) + Send>;

/// A running import. Dropped before its end, it is aborted; rows that were stored stay.
pub struct ImportSession {
    shared: Arc<Shared>,
}

struct Shared {
    sink: Arc<dyn RowSink>,
    spec: ImportSpec,
    job: Arc<Job>,
    input: Arc<Input>,
    /// `None` until the first worker has looked at the first bytes.
    feed: Mutex<Option<Feed>>,
    plan: Plan,
    sizes: Sizes,
    started: Instant,
    bytes: Arc<AtomicU64>,
    findings: Mutex<Findings>,
    /// What was not taken, for whoever mends it.
    rejects: Mutex<Option<RejectFile>>,
    /// How to go on after a restart.
    journal: Option<Journal>,
    /// That of the stream, once it was read.
    header: OnceLock<Vec<u8>>,
    /// It goes on after a restart.
    again: bool,
    /// Where this upload begins to be new.
    begin: Mark,
    /// Sets that rows named, with the bin that decides a row's segment.
    prepared: Mutex<HashMap<Box<str>, Option<String>>>,
    /// Rows before that.
    rows_before: u64,
    /// The upload broke off: each block that is still stored is noted at once.
    held: AtomicBool,
    end: Mutex<End>,
    ended: Condvar,
}

/// What is known of the rows so far.
struct Findings {
    progress: Progress,
    rejects: Rejects,
    sample: Sample,
}

/// Why a worker stops without an error.
enum Left {
    /// The stream has ended.
    Finished,
    /// There were too many workers, and this one has been counted out.
    Surplus,
}

#[derive(Default)]
struct End {
    workers: u32,
    /// The last worker has left.
    settled: bool,
    failed: Option<Error>,
    outcome: Option<Result<ImportReport>>,
    waiting: Vec<Finished>,
}

impl ImportSession {
    /// Checks the specification, prepares the set and starts the threads and `job` (counted in bytes, `finish` ends it).
    ///
    /// # Errors
    /// As `ImportSpec::check` and `RowSink::prepare`; the job has then failed with it.
    pub fn begin(sink: Arc<dyn RowSink>, spec: ImportSpec, job: Arc<Job>) -> Result<Self> {
        Self::begin_kept(sink, spec, job, None)
    }

    /// As `begin`, with files in the data directory.
    ///
    /// # Errors
    /// As `begin`; `storage_failed`.
    pub fn begin_kept(sink: Arc<dyn RowSink>, spec: ImportSpec, job: Arc<Job>, keep: Option<Keep>) -> Result<Self> {
        Self::begin_sized(sink, spec, job, Sizes { block: BLOCK_BYTES, row: limits::ROW_BYTES }, keep)
    }

    pub(super) fn begin_sized(sink: Arc<dyn RowSink>, spec: ImportSpec, job: Arc<Job>, sizes: Sizes, keep: Option<Keep>) -> Result<Self> {
        job.start();
        let route = spec.check().and_then(|()| match spec.dry_run {
            true => Ok(spec.distribution_bin.clone()),
            false => sink.prepare(&spec.set, spec.distribution_bin.as_deref()),
        });
        let route = route.inspect_err(|error| job.finish(Err(error.clone())))?;
        let now = u32::try_from(unix_millis() / 1000).unwrap_or(u32::MAX);
        let told = if spec.dry_run { SAMPLE_ROWS } else { REJECTS_KEPT };
        let kept = Kept::open(keep, sink.lasting(), &spec, told).inspect_err(|error| job.finish(Err(error.clone())))?;
        let again = kept.again;
        // A mark past the first byte lies behind the header.
        let header = if kept.progress.mark().0.bytes > 0 { kept.header.clone().into() } else { OnceLock::new() };
        let plan = Plan {
            row_bytes: sizes.row,
            key_limit: sink.key_limit(),
            single_bin: sink.single_bin(),
            header: kept.header,
            ..Plan::new(&spec, route, sink.max_record_bytes(), now)
        };
        let mut rejects = Rejects::new(told);
        rejects.add(kept.told);
        let (begin, before) = kept.progress.mark();
        let shared = Arc::new(Shared {
            sink,
            spec,
            job: Arc::clone(&job),
            input: Arc::default(),
            feed: Mutex::default(),
            plan,
            sizes,
            started: Instant::now(),
            bytes: Arc::default(),
            begin,
            prepared: Mutex::default(),
            rows_before: before.rows,
            findings: Mutex::new(Findings { progress: kept.progress, rejects, sample: Sample::default() }),
            rejects: Mutex::new(kept.rejects),
            journal: kept.journal,
            header,
            again,
            held: AtomicBool::new(false),
            end: Mutex::default(),
            ended: Condvar::new(),
        });
        let session = Self { shared };
        Shared::set_workers(&session.shared, job.target_threads()).inspect_err(|error| job.finish(Err(error.clone())))?;
        let weak = Arc::downgrade(&session.shared);
        Shared::note_from_time_to_time(&session.shared, journal::FIRST);
        job.on_change(move |job| {
            if let Some(shared) = Weak::upgrade(&weak) {
                if job.should_stop() {
                    shared.fail(&shared.called_off());
                } else {
                    // With fewer threads than asked for the import goes on.
                    let _ = Shared::set_workers(&shared, job.target_threads());
                }
            }
        });
        Ok(session)
    }

    /// The job that it runs as.
    pub fn job(&self) -> &Arc<Job> {
        &self.shared.job
    }

    /// Takes a chunk of the stream, cut anywhere; returns when there is room for the next one.
    ///
    /// # Errors
    /// What ended the import; `closed` after `finish`.
    pub fn write(&self, chunk: impl Into<Vec<u8>>) -> Result<()> {
        self.shared.input.push(chunk.into())
    }

    /// As `write`, but calls back, on this thread or another, instead of waiting.
    pub fn write_with(&self, chunk: Vec<u8>, callback: impl FnOnce(Result<()>) + Send + 'static) {
        self.shared.input.push_with(chunk, callback);
    }

    /// Says that the stream is complete and waits for the report.
    ///
    /// # Errors
    /// What ended the import before its end: `encoding_invalid`, `csv_invalid` (of the header), `column_unknown`,
    /// `aborted`, or a failure of the namespace. Rows stored before stay, and the message says how many.
    pub fn finish(&self) -> Result<ImportReport> {
        self.shared.input.end();
        let mut end = self.shared.end.lock();
        loop {
            if let Some(outcome) = &end.outcome {
                return outcome.clone();
            }
            self.shared.ended.wait(&mut end);
        }
    }

    /// As `finish`, but calls back, on this thread or another, instead of waiting.
    pub fn finish_with(&self, callback: impl FnOnce(Result<ImportReport>) + Send + 'static) {
        self.shared.input.end();
        let mut end = self.shared.end.lock();
        match end.outcome.clone() {
            None => end.waiting.push(Box::new(callback)),
            Some(outcome) => {
                drop(end);
                callback(outcome);
            }
        }
    }

    /// Says that the upload broke off: the job is shown as paused. What has come is stored, and noted for a restart.
    pub fn hold(&self) {
        let shared = &self.shared;
        shared.job.hold(Some("upload broke off"));
        shared.held.store(true, Ordering::Release);
        Shared::note_aside(shared);
    }

    /// Says that the upload goes on.
    pub fn release(&self) {
        self.shared.held.store(false, Ordering::Release);
        self.shared.job.hold(None);
    }

    /// Stops because the server does: the same stream, sent again, goes on where this one was, if what it stored lasts.
    pub fn interrupt(&self) {
        self.shared.fail(&self.shared.interrupted());
    }

    /// Rows inserted and updated so far.
    pub fn stored_rows(&self) -> u64 {
        self.shared.findings.lock().progress.counts.stored()
    }

    /// Stops at once. Rows that were stored stay.
    pub fn abort(&self) {
        // An import that has ended cannot be aborted, and need not be.
        let _ = self.shared.job.abort();
    }
}

impl Drop for ImportSession {
    fn drop(&mut self) {
        if self.shared.end.lock().outcome.is_none() {
            self.abort();
        }
    }
}

impl Shared {
    /// Counts a block that is stored, and notes it when that is due.
    fn settled(&self, block: &Block, plan: &Plan, counts: Counts) {
        self.header.get_or_init(|| plan.header.clone());
        self.findings.lock().progress.block(block.from, block.end, counts);
        if self.held.load(Ordering::Acquire) {
            self.note();
        }
    }

    /// A timer asks for notes, because no block is stored while an upload stands still.
    fn note_from_time_to_time(this: &Arc<Self>, delay: Duration) {
        if this.journal.is_none() {
            return;
        }
        let weak = Arc::downgrade(this);
        this.job.later(delay, move || {
            if let Some(shared) = weak.upgrade().filter(|shared| !shared.end.lock().settled) {
                Self::note_aside(&shared);
                Self::note_from_time_to_time(&shared, journal::PERIOD);
            }
        });
    }

    /// Notes how far the import has come, on a thread of its own, because a note waits for the disk.
    fn note_aside(this: &Arc<Self>) {
        if this.journal.as_ref().is_some_and(Journal::is_idle) {
            let shared = Arc::clone(this);
            // Without a thread the next note has to do.
            let _ = std::thread::Builder::new().name("import-note".into()).spawn(move || shared.note());
        }
    }

    /// Notes how far the import has come.
    fn note(&self) {
        let Some(journal) = &self.journal else { return };
        let reached = || {
            let (mark, counts) = self.findings.lock().progress.mark();
            self.sync_rejects();
            (mark, counts, self.rejects.lock().as_ref().and_then(RejectFile::cut_short))
        };
        // A mark past the first byte has a feed that has read the header.
        let header = || self.header.get().cloned().unwrap_or_default();
        // An import does not fail for want of a note: the one before is kept, and the next block tries again.
        let _ = journal.note(reached, header, |first| {
            // A start removes the notes of a job that no list has.
            if first {
                self.job.keep()?
            }
            self.sink.sync()
        });
    }

    /// Brings the rejects so far to stable storage, without holding up the workers that find more.
    fn sync_rejects(&self) {
        let written = self.rejects.lock().as_ref().and_then(RejectFile::written);
        if written.is_some_and(|file| file.sync_data().is_err())
            && let Some(file) = &mut *self.rejects.lock()
        {
            file.lacks_some();
        }
    }

    /// Whether the import, which `error` ended, can be tried once more: it went on after a restart, and came no further. Then
    /// what was sent was at fault, and not what was stored.
    fn can_try_again(&self, error: &Error) -> bool {
        self.again && error.code != ErrorCode::Aborted && self.findings.lock().progress.mark().0 == self.begin
    }

    fn interrupted(&self) -> Error {
        let why = match self.journal.is_some() {
            true => {
                sentence!("the server closed before the upload was complete; to resume it, send the same stream again from its first byte")
            }
            false => sentence!("the server closed before the upload was complete"),
        };
        Error::said(ErrorCode::Closed, why)
    }

    /// Why the job was called off.
    fn called_off(&self) -> Error {
        if self.job.is_closing() { self.interrupted() } else { Error::said(ErrorCode::Aborted, sentence!("the import was aborted")) }
    }

    /// Whether this worker should leave, because the job's threads were lowered. The last one stays.
    fn surplus(&self) -> bool {
        let mut end = self.end.lock();
        let surplus = end.workers > self.job.target_threads().max(1);
        if surplus {
            // It is counted out here, so that two workers do not leave for one.
            end.workers -= 1;
        }
        surplus
    }

    fn fail(&self, error: &Error) {
        self.end.lock().failed.get_or_insert_with(|| error.clone());
        self.input.fail(error);
    }

    /// The error that ended the import, if one has.
    fn unfailed(&self) -> Result<()> {
        self.end.lock().failed.clone().map_or(Ok(()), Err)
    }

    /// Counts a worker out; the last one settles the import.
    fn leave(&self) {
        let outcome = {
            let mut end = self.end.lock();
            end.workers -= 1;
            if end.workers > 0 {
                return;
            }
            end.settled = true;
            end.failed.clone().map_or_else(|| Ok(self.report()), |error| Err(self.told(error)))
        };
        if let Some(journal) = &self.journal {
            match &outcome {
                Err(error) if error.code == ErrorCode::Closed => {
                    self.note();
                    journal.close();
                }
                Err(error) if self.can_try_again(error) => journal.close(),
                _ => journal.remove(),
            }
        }
        self.job.finish(outcome.as_ref().map(ImportReport::summary).map_err(Error::clone));
        let waiting = {
            let mut end = self.end.lock();
            end.outcome = Some(outcome.clone());
            std::mem::take(&mut end.waiting)
        };
        self.ended.notify_all();
        waiting.into_iter().for_each(|callback| callback(outcome.clone()));
    }

    fn report(&self) -> ImportReport {
        let elapsed = self.started.elapsed().as_secs_f64();
        let (counts, rejects, sample) = {
            let mut findings = self.findings.lock();
            let rejects = std::mem::replace(&mut findings.rejects, Rejects::new(0));
            (findings.progress.counts.clone(), rejects, std::mem::take(&mut findings.sample))
        };
        let new = counts.rows - self.rows_before;
        let routed = self.plan.route.is_some() && self.spec.format.has_fields();
        let mut report = ImportReport {
            rows: counts.rows,
            inserted: counts.inserted,
            updated: counts.updated,
            rejected_total: counts.rejected.values().sum(),
            reject_file: self.rejects.lock().as_ref().and_then(RejectFile::info),
            without_route: routed.then_some(counts.without_route),
            bytes: self.bytes.load(Ordering::Relaxed),
            elapsed_ms: elapsed * 1000.0,
            rows_per_second: if elapsed > 0.0 { new as f64 / elapsed } else { 0.0 },
            rejected_by_code: counts.rejected,
            ..ImportReport::default()
        };
        report.set_rejects(rejects);
        if self.spec.dry_run {
            report.set_sample(sample);
        }
        report
    }

    /// An error that ended the import, with what was stored before it.
    fn told(&self, error: Error) -> Error {
        let stored = self.findings.lock().progress.counts.stored();
        if stored > 0 {
            return error.within(|why| sentence!("{why} ({stored} rows were stored before)", why = why, stored = stored));
        }
        error
    }
}
