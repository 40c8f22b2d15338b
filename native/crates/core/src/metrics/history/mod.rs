//! 30 days of metrics, also if nobody watches. `docs/internals/history.md` says how, and has the invariants.
//!
//! Frames come in once a second and roll up at once; a thread of its own writes what is new every few seconds. Who records
//! latencies meets none of the locks here.

mod archive;
mod block;
mod codec;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod query;
mod rollup;
#[cfg(any(test, feature = "fuzzing"))]
mod samples;
mod segment;
mod tiers;

pub use query::{HistoryFrame, HistoryQuery, HistorySteps};

use super::frame::Frame;
use archive::{Archive, Past};
pub(super) use archive::{make_folder, sync_directory};
use parking_lot::{Mutex, MutexGuard};
use query::Point;
use rollup::RollUp;
pub(super) use segment::Append;
use segment::Written;
use std::collections::VecDeque;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tessera_base::ticker::Ticker;
use tessera_base::{Error, Result, clock, thread_guard};
use tiers::{TIERS, TOTAL_BYTES};

/// What a kill may cost.
const FLUSH_PERIOD: Duration = Duration::from_secs(10);
/// What a power loss may cost: so many flushes.
const FLUSHES_A_SYNC: u32 = 6;
/// Numbers left out at a start: more than the seconds that a kill can have cost, so that none is used twice.
const NUMBERS_SKIPPED: u64 = 1000;

/// Looks whether files may be written.
pub(super) type Check = Box<dyn Fn() -> Result<()> + Send + Sync>;

pub struct History {
    state: Mutex<State>,
    /// Held while files are written; `None` without a directory.
    archive: Mutex<Option<Archive>>,
    check: Check,
    writer: OnceLock<Ticker>,
}

#[derive(Default)]
struct State {
    /// Where the files are, until they are read.
    unread: Option<(PathBuf, Append)>,
    rollup: RollUp,
    tiers: [Kept; TIERS.len()],
    /// Number of the newest second.
    last: u64,
    status: HistoryStatus,
}

/// The points of a tier, in the order in which they were made.
#[derive(Default)]
struct Kept {
    written: VecDeque<Written>,
    waiting: VecDeque<Arc<Frame>>,
    waiting_bytes: usize,
}

/// What an operator should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryStatus {
    /// Of all files, and most that they may have.
    pub bytes: u64,
    pub most_bytes: u64,
    /// Damaged places that were found in files since the start.
    pub damaged: u64,
    /// Why files are not read.
    pub unreadable: Vec<String>,
    /// Why nothing can be written; `None` once it can again.
    pub failure: Option<Error>,
    /// When the failure was met first, Unix milliseconds.
    pub failing_since_ms: u64,
}

impl History {
    /// Without files: it ends with the process.
    pub fn in_memory() -> Arc<Self> {
        Arc::new(Self::new(None, Box::new(|| Ok(()))))
    }

    /// Keeps files in `directory`, and writes to them while `check` allows it. What is there is read by the first who asks.
    ///
    /// # Errors
    /// `internal` when the system refuses a thread.
    pub fn start(directory: PathBuf, check: impl Fn() -> Result<()> + Send + Sync + 'static) -> Result<Arc<Self>> {
        let append: Append = |file, bytes, at| file.write_all_at(bytes, at);
        let history = Arc::new(Self::new(Some((directory, append)), Box::new(check)));
        let (mine, mut flushes) = (Arc::downgrade(&history), 0);
        let writer = Ticker::start("history", FLUSH_PERIOD, move || {
            flushes += 1;
            mine.upgrade().into_iter().for_each(|history| history.flush(flushes % FLUSHES_A_SYNC == 0));
        })?;
        let _ = history.writer.set(writer);
        Ok(history)
    }

    fn new(unread: Option<(PathBuf, Append)>, check: Check) -> Self {
        let state = State { unread, ..State::default() };
        Self { state: Mutex::new(state), archive: Mutex::default(), check, writer: OnceLock::new() }
    }

    /// Numbers a frame, and keeps it.
    pub(super) fn record(&self, mut frame: Frame) -> Arc<Frame> {
        let mut state = self.state();
        state.last += 1;
        (frame.first, frame.seq) = (state.last, state.last);
        let frame = Arc::new(frame);
        let State { rollup, tiers, .. } = &mut *state;
        rollup.add(Arc::clone(&frame), |tier, point| tiers[tier].keep(tier, point));
        frame
    }

    /// Chooses what a range is made of. Nothing of it is read yet.
    pub fn steps(&self, query: HistoryQuery) -> HistorySteps {
        thread_guard::may_wait("reads the history");
        let points = self.state().tiers.each_ref().map(Kept::points);
        query.select(&points)
    }

    /// The next step of a range; `None` at its end. Files are read without a lock.
    pub fn next(&self, steps: &mut HistorySteps) -> Option<HistoryFrame> {
        thread_guard::may_wait("reads the history");
        let mut lost = Vec::new();
        let step = steps.next(|point| lost.push(point));
        if !lost.is_empty() {
            self.state().forget(&lost);
        }
        step
    }

    pub fn status(&self) -> HistoryStatus {
        thread_guard::may_wait("reads the history");
        self.state().status.clone()
    }

    /// Writes what is not written yet. What cannot be written now waits, and the oldest of it goes when it is too much.
    fn flush(&self, sync: bool) {
        if self.state.lock().unread.is_some() {
            return;
        }
        let mut archive = self.archive.lock();
        let Some(archive) = archive.as_mut() else { return };
        thread_guard::may_wait("writes the history");
        let written = (|| {
            (self.check)()?;
            let failed = |error| Error::io("writing the history", &error);
            make_folder(&archive.directory).map_err(failed)?;
            (0..TIERS.len()).try_for_each(|tier| self.flush_tier(archive, tier)).map_err(failed)?;
            if sync { archive.sync().map_err(failed) } else { Ok(()) }
        })();
        let mut state = self.state();
        if state.status.failure.is_none() {
            state.status.failing_since_ms = clock::unix_millis();
        }
        state.status.failure = written.err();
        state.status.bytes = archive.bytes();
    }

    fn flush_tier(&self, archive: &mut Archive, tier: usize) -> std::io::Result<()> {
        let waiting: Vec<Arc<Frame>> = self.state().tiers[tier].waiting.iter().cloned().collect();
        for frame in waiting {
            let written = archive.write(tier, &frame);
            let mut state = self.state();
            let kept = &mut state.tiers[tier];
            kept.written.extend(written?);
            let oldest = archive.oldest(tier);
            while kept.written.front().is_some_and(|point| point.head.first < oldest) {
                kept.written.pop_front();
            }
            kept.let_go(&frame);
        }
        Ok(())
    }

    /// Ends the thread, and brings everything to stable storage. After that nothing is written. Idempotent.
    pub fn close(&self) {
        self.writer.get().into_iter().for_each(Ticker::close);
        self.flush(true);
        self.archive.lock().take();
    }

    /// The state, with the files read.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        if let Some((directory, append)) = state.unread.take() {
            let (archive, past) = Archive::open(directory, append);
            state.resume(past);
            state.status.bytes = archive.bytes();
            state.status.most_bytes = TOTAL_BYTES;
            *self.archive.lock() = Some(archive);
        }
        state
    }
}

impl State {
    /// Goes on where the files end: what finer points have that a tier does not is rolled up.
    fn resume(&mut self, past: Past) {
        self.last = if past.last > 0 { past.last + NUMBERS_SKIPPED } else { 0 };
        (self.status.damaged, self.status.unreadable) = (past.damaged, past.unreadable);
        for (kept, points) in self.tiers.iter_mut().zip(past.points) {
            kept.written = points.into();
        }
        let mut made: Vec<Arc<Frame>> = Vec::new();
        for tier in 1..TIERS.len() {
            let done = self.tiers[tier].written.back().map_or(0, |last| last.head.seq);
            let written = self.tiers[tier - 1].written.iter().filter(|point| point.head.first > done);
            // If a file of the finer tier is lost, points are made again that this one has.
            let made_again = made.drain(..).filter(|point| point.first > done);
            let finer: Vec<_> = written.filter_map(Written::read).map(Arc::new).chain(made_again).collect();
            self.rollup.resume(tier, finer.into_iter(), |_, point| made.push(point));
            made.iter().for_each(|point| self.tiers[tier].keep(tier, Arc::clone(point)));
        }
    }
}

impl State {
    /// Points that could not be read when they were asked for: finer ones may have their seconds.
    fn forget(&mut self, lost: &[Point]) {
        let is_lost = |written: &Written| lost.iter().any(|point| matches!(point, Point::Written(lost) if lost.is(written)));
        for kept in &mut self.tiers {
            let before = kept.written.len();
            kept.written.retain(|written| !is_lost(written));
            self.status.damaged += (before - kept.written.len()) as u64;
        }
    }
}

impl Kept {
    fn keep(&mut self, tier: usize, point: Arc<Frame>) {
        self.waiting_bytes += point.heap_bytes();
        self.waiting.push_back(point);
        while self.waiting.len() > TIERS[tier].points || self.waiting_bytes as u64 > TIERS[tier].segment_bytes() {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.waiting_bytes -= oldest.heap_bytes();
        }
    }

    /// It is written, or never will be; it may have gone already.
    fn let_go(&mut self, point: &Arc<Frame>) {
        if self.waiting.front().is_some_and(|oldest| Arc::ptr_eq(oldest, point)) {
            self.waiting.pop_front();
            self.waiting_bytes -= point.heap_bytes();
        }
    }

    fn points(&self) -> Vec<Point> {
        let written = self.written.iter().cloned().map(Point::Written);
        written.chain(self.waiting.iter().cloned().map(Point::Waiting)).collect()
    }
}

#[cfg(test)]
mod tests;
