//! An import from its first chunk to its report.
//!
//! Chunks go into a bounded queue. Each worker takes the feed, cuts a block of whole rows from the stream, lets the feed
//! go, reads its block and hands the rows to the sink. Memory is bounded by the queue and one block a thread.

use super::batch::{RowBatch, RowSink};
use super::decode::Decoder;
use super::feed::Feed;
use super::input::{Input, InputReader};
use super::plan::Plan;
use super::reader::BlockReader;
use super::report::{ImportReport, REJECTS_KEPT, Reject, Rejects, SAMPLE_ROWS, Sample};
use super::spec::ImportSpec;
use super::split::{Sizes, Splitter};
use crate::clock::unix_millis;
use crate::error::{Error, ErrorCode, Result};
use crate::job::Job;
use crate::limits;
use crate::record::BodyRef;
use crate::record::json::write_row;
use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

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
    rows: AtomicU64,
    inserted: AtomicU64,
    updated: AtomicU64,
    bytes: Arc<AtomicU64>,
    findings: Mutex<(Rejects, Sample)>,
    end: Mutex<End>,
    ended: Condvar,
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
        Self::begin_sized(sink, spec, job, Sizes { block: BLOCK_BYTES, row: limits::ROW_BYTES })
    }

    pub(super) fn begin_sized(sink: Arc<dyn RowSink>, spec: ImportSpec, job: Arc<Job>, sizes: Sizes) -> Result<Self> {
        job.start();
        let route = spec.check().and_then(|()| match spec.dry_run {
            true => Ok(spec.distribution_bin.clone()),
            false => sink.prepare(&spec.set, spec.distribution_bin.as_deref()),
        });
        let route = route.inspect_err(|error| job.finish(Err(error.clone())))?;
        let now = u32::try_from(unix_millis() / 1000).unwrap_or(u32::MAX);
        let plan = Plan { row_bytes: sizes.row, single_bin: sink.single_bin(), ..Plan::new(&spec, route, sink.max_record_bytes(), now) };
        let told = if spec.dry_run { SAMPLE_ROWS } else { REJECTS_KEPT };
        let shared = Arc::new(Shared {
            sink,
            spec,
            job: Arc::clone(&job),
            input: Arc::default(),
            feed: Mutex::default(),
            plan,
            sizes,
            started: Instant::now(),
            rows: AtomicU64::new(0),
            inserted: AtomicU64::new(0),
            updated: AtomicU64::new(0),
            bytes: Arc::default(),
            findings: Mutex::new((Rejects::new(told), Sample::default())),
            end: Mutex::default(),
            ended: Condvar::new(),
        });
        let session = Self { shared };
        Shared::set_workers(&session.shared, job.target_threads()).inspect_err(|error| job.finish(Err(error.clone())))?;
        let weak = Arc::downgrade(&session.shared);
        job.on_change(move |job| {
            if let Some(shared) = Weak::upgrade(&weak) {
                if job.should_stop() {
                    shared.fail(&Error::new(ErrorCode::Aborted, "the import was aborted"));
                } else {
                    // With fewer threads than asked for the import goes on.
                    let _ = Shared::set_workers(&shared, job.target_threads());
                }
            }
        });
        Ok(session)
    }

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
    /// Starts workers until there are `wanted`; surplus ones leave by themselves.
    fn set_workers(shared: &Arc<Self>, wanted: u32) -> Result<()> {
        let mut end = shared.end.lock();
        while end.workers < wanted && !end.settled && end.failed.is_none() {
            let worker = Arc::clone(shared);
            let spawned = std::thread::Builder::new().name("import".into()).spawn(move || worker.work());
            match spawned {
                Ok(_) => end.workers += 1,
                Err(_) if end.workers > 0 => break,
                Err(error) => return Err(Error::new(ErrorCode::Internal, format!("start an import thread: {error}"))),
            }
        }
        Ok(())
    }

    fn work(&self) {
        let _lane = self.job.enter_lane(0);
        let left = catch_unwind(AssertUnwindSafe(|| self.blocks()))
            .unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "a thread of the import panicked")));
        match left {
            Ok(Left::Surplus) => {}
            Ok(Left::Finished) => self.leave(),
            Err(error) => {
                self.fail(&error);
                self.leave();
            }
        }
    }

    /// Reads blocks until the stream ends, the import is stopped, or there are too many workers.
    fn blocks(&self) -> Result<Left> {
        let (mut reader, mut bytes) = (BlockReader::default(), vec![]);
        loop {
            self.job.checkpoint()?;
            let next = {
                let mut feed = self.feed.lock();
                match &mut *feed {
                    Some(feed) => feed.next(&mut bytes)?,
                    none => none.insert(self.open()?).next(&mut bytes)?,
                }
            };
            let Some((block, plan)) = next else { return Ok(Left::Finished) };
            let rows = reader.read(&bytes, &block, &plan);
            self.store(&reader.batch, &mut reader.rejects)?;
            self.rows.fetch_add(rows, Ordering::Relaxed);
            if self.surplus() {
                return Ok(Left::Surplus);
            }
        }
    }

    fn open(&self) -> Result<Feed> {
        let (job, bytes) = (Arc::clone(&self.job), Arc::clone(&self.bytes));
        let source = InputReader::new(Arc::clone(&self.input), move |taken| {
            bytes.fetch_add(taken, Ordering::Relaxed);
            job.advance(taken);
        });
        let splitter = Splitter::new(Decoder::new(source, self.spec.encoding)?, self.spec.format, self.sizes);
        Ok(Feed::new(splitter, self.spec.clone(), self.plan.clone()))
    }

    fn store(&self, batch: &RowBatch, rejects: &mut Vec<Reject>) -> Result<()> {
        if self.spec.dry_run {
            let sample = &mut self.findings.lock().1;
            for row in batch.rows.iter().take_while(|row| sample.wants(row.line)).collect::<Vec<_>>() {
                let mut text = vec![];
                write_row(&mut text, BodyRef::new(batch.body(row)));
                sample.add(row.line, text);
            }
        } else if !batch.rows.is_empty() {
            let outcome = self.sink.load_rows(&self.spec.set, batch, self.spec.mode)?;
            self.inserted.fetch_add(outcome.inserted, Ordering::Relaxed);
            self.updated.fetch_add(outcome.updated, Ordering::Relaxed);
            rejects.extend(outcome.rejected.into_iter().map(|(line, error)| Reject::new(line, error)));
        }
        if !rejects.is_empty() {
            self.findings.lock().0.add(rejects.drain(..));
        }
        Ok(())
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
        let rows = self.rows.load(Ordering::Relaxed);
        let mut report = ImportReport {
            rows,
            inserted: self.inserted.load(Ordering::Relaxed),
            updated: self.updated.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            elapsed_ms: elapsed * 1000.0,
            rows_per_second: if elapsed > 0.0 { rows as f64 / elapsed } else { 0.0 },
            ..ImportReport::default()
        };
        let (rejects, sample) = std::mem::replace(&mut *self.findings.lock(), (Rejects::new(0), Sample::default()));
        report.set_rejects(rejects);
        if self.spec.dry_run {
            report.set_sample(sample);
        }
        report
    }

    /// An error that ended the import, with what was stored before it.
    fn told(&self, mut error: Error) -> Error {
        let stored = self.inserted.load(Ordering::Relaxed) + self.updated.load(Ordering::Relaxed);
        if stored > 0 {
            error.message = format!("{} ({stored} rows were stored before)", error.message);
        }
        error
    }
}
